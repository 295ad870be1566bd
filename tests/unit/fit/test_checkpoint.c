/* tests/unit/fit/test_checkpoint.c: a fit by conjugate gradients that is interrupted at any iteration resumes
 * with bitwise equal results. */
#include "base/progress.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/landmark_problem.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const char text[] = "memory:gamma=1,rho=0.5,mu=0.8";

/* Writes a checkpoint after every iteration. alpha is fixed, since equal landmarks choose the same value. */
static volt_fit_options with_checkpoint(const char *path)
{
    volt_fit_options options = plain_options();
    options.solver = "pcg";
    options.tolerance = 1e-5;
    options.landmarks = 6;
    options.checkpoint = path;
    options.checkpoint_seconds = 0;
    return options;
}

static volt_status try_fit(const problem *p, const volt_fit_options *options, volt_model **model)
{
    volt_kernel *kernel = plain_parse(text);
    volt_status status = volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q), options,
                                        (volt_matrix){0}, model);
    volt_kernel_free(kernel);
    return status;
}

static void check_same(const volt_model *a, const volt_model *b)
{
    volt_model_info first = {.struct_size = sizeof first}, second = {.struct_size = sizeof second};
    volt_model_get_info(a, &first);
    volt_model_get_info(b, &second);
    assert_memory_equal(first.coefficients, second.coefficients, N * Q * sizeof(double));
    assert_memory_equal(first.intercepts, second.intercepts, Q * sizeof(double));
    assert_int_equal(first.report->iterations, second.report->iterations);
    assert_true(first.report->residual == second.report->residual);
}

/* ---- interruption and resumption --------------------------------------------------------------- */

/* Stops at the start of iteration *context. */
static int stop_at(const char *stage, double fraction, void *context)
{
    int64_t step = 0;
    assert_true(fraction >= 0 && fraction <= 1);
    return sscanf(stage, "step %" SCNd64, &step) == 1 && step == *(const int64_t *)context;
}

static void stopped_fit_resumes_bitwise(void **state)
{
    problem *p = make_problem(9500);
    const char *path = scratch_path("stopped.ckpt");
    volt_fit_options whole = with_checkpoint(NULL), options = with_checkpoint(path);
    volt_model *expected = NULL, *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(try_fit(p, &whole, &expected));
    volt_model_get_info(expected, &info);
    assert_true(info.report->iterations > 8);

    /* Two iterations at a time. */
    int64_t steps = info.report->iterations, step = 1;
    options.progress = (volt_progress){stop_at, &step};
    for (; step <= steps; step += 2) {
        check_fails(try_fit(p, &options, &model), VOLT_ERR_CANCELLED, "cancelled step");
        assert_null(model);
    }
    options.progress = (volt_progress){0};
    check_ok(try_fit(p, &options, &model));
    check_same(expected, model);
    volt_model_free(model);

    /* The file remains after the fit and holds its final state. */
    assert_int_equal(access(path, F_OK), 0);
    check_ok(try_fit(p, &options, &model));
    check_same(expected, model);
    volt_model_free(model);

    /* More iterations than in the first call. */
    remove(path);
    options.iterations = 4;
    check_ok(try_fit(p, &options, &model));
    volt_model_free(model);
    options.iterations = 0;
    check_ok(try_fit(p, &options, &model));
    check_same(expected, model);
    volt_model_free(model);
    volt_model_free(expected);
    remove(path);
    free(p);
}

static void resumed_fit_chooses_same_alpha(void **state)
{
    problem *p = make_problem(9510);
    volt_fit_options options = with_checkpoint(scratch_path("chosen.ckpt"));
    static const int64_t lengths[] = {36, 44};
    volt_model *expected = NULL, *model = NULL;
    int64_t step = 3;
    options.alpha = 0;
    options.records = lengths;
    options.n_records = 2;
    check_ok(try_fit(p, &options, &expected));
    remove(options.checkpoint);
    options.progress = (volt_progress){stop_at, &step};
    check_fails(try_fit(p, &options, &model), VOLT_ERR_CANCELLED, "step 3");
    options.progress = (volt_progress){0};
    check_ok(try_fit(p, &options, &model));
    check_same(expected, model);
    volt_model_free(model);
    volt_model_free(expected);
    remove(options.checkpoint);
    free(p);
}

/* With an interval of 60 seconds, only the final checkpoint is written. */
static void checkpoint_is_written_at_interval(void **state)
{
    problem *p = make_problem(9520);
    volt_fit_options options = with_checkpoint(scratch_path("time.ckpt"));
    volt_model *model = NULL;
    options.checkpoint_seconds = 1e9;
    check_ok(try_fit(p, &options, &model));
    volt_model_free(model);
    assert_int_equal(access(options.checkpoint, F_OK), 0);
    assert_int_equal(remove(options.checkpoint), 0);
    free(p);
}

/* ---- invalid files ------------------------------------------------------------------------------ */

static void refuse(const problem *p, volt_fit_options options, volt_status expected, const char *sentence)
{
    volt_model *model = NULL;
    check_fails(try_fit(p, &options, &model), expected, sentence);
    assert_null(model);
}

static void unrelated_files_are_rejected(void **state)
{
    problem *p = make_problem(9530);
    const char *path = scratch_path("other.ckpt");
    volt_fit_options options = with_checkpoint(path), other;
    volt_model *model = NULL;
    check_ok(try_fit(p, &options, &model));

    other = options;
    other.alpha = 0.2;
    refuse(p, other, VOLT_ERR_FORMAT, "fit");
    other = options;
    other.landmarks = 7;
    refuse(p, other, VOLT_ERR_FORMAT, "fit");
    other = options;
    other.landmark_choice = VOLT_LANDMARKS_LAST;
    refuse(p, other, VOLT_ERR_FORMAT, "fit");
    other = options;
    other.intercept = 0;
    refuse(p, other, VOLT_ERR_FORMAT, "fit");
    other = options;
    other.washout = 1;
    refuse(p, other, VOLT_ERR_FORMAT, "fit");
    problem *moved = malloc(sizeof *moved);
    assert_non_null(moved);
    *moved = *p;
    moved->Y[3] += 1e-9;
    refuse(moved, options, VOLT_ERR_FORMAT, "fit");
    *moved = *p;
    moved->X[5] *= 1 - 1e-9;
    refuse(moved, options, VOLT_ERR_FORMAT, "fit");
    free(moved);

    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    scratch_write("other.ckpt", bytes, size / 2);
    refuse(p, options, VOLT_ERR_FORMAT, "other.ckpt");
    bytes[size - 9] ^= 1;
    scratch_write("other.ckpt", bytes, size);
    refuse(p, options, VOLT_ERR_FORMAT, "other.ckpt");
    free(bytes);
    scratch_write_text("other.ckpt", "u,y\n1,2\n");
    refuse(p, options, VOLT_ERR_FORMAT, "other.ckpt");
    scratch_write_text("other.ckpt", "");
    refuse(p, options, VOLT_ERR_FORMAT, "other.ckpt");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    refuse(p, options, VOLT_ERR_FORMAT, "checkpoint volterra fit");
    remove(path);
    volt_model_free(model);

    other = options;
    other.checkpoint = scratch_directory();
    refuse(p, other, VOLT_ERR_IO, "regular");
    other.checkpoint = "/nowhere/at/all.ckpt";
    refuse(p, other, VOLT_ERR_IO, "/nowhere/at/all.ckpt");
    other.checkpoint = "/dev/full";
    refuse(p, other, VOLT_ERR_IO, "regular");
    free(p);
}

/* ---- memory ------------------------------------------------------------------------------------- */

typedef struct ear {
    int warnings;
    char first[256];
} ear;

static void listen(volt_log_level level, const char *message, void *context)
{
    ear *e = context;
    if (level == VOLT_LOG_WARNING && e->warnings++ == 0)
        snprintf(e->first, sizeof e->first, "%s", message);
}

static void full_disk_does_not_stop_fit(void **state)
{
    problem *p = make_problem(9540);
    volt_fit_options options = with_checkpoint(scratch_path("full.ckpt")), whole = with_checkpoint(NULL);
    volt_model *model = NULL, *expected = NULL;
    struct rlimit limit, tight;
    ear heard = {0};
    check_ok(try_fit(p, &whole, &expected));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    tight = limit;
    tight.rlim_cur = 512;
    volt_set_log(listen, &heard);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    volt_status status = try_fit(p, &options, &model);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    volt_set_log(NULL, NULL);
    signal(SIGXFSZ, handler);
    check_ok(status);
    check_same(expected, model);
    assert_int_equal(heard.warnings, 1);
    assert_non_null(strstr(heard.first, "full.ckpt"));
    assert_non_null(strstr(heard.first, "checkpoint of step 1"));
    assert_int_equal(access(options.checkpoint, F_OK), -1);
    volt_model_free(model);
    volt_model_free(expected);
    free(p);
}

/* Reads from and writes to an existing file. Some allocations only serve the removal of leftovers and may
 * fail. */
static void every_allocation_may_fail(void **state)
{
    problem *p = make_problem(9550);
    const char *path = scratch_path("memory.ckpt");
    volt_fit_options options = with_checkpoint(path);
    volt_model *model = NULL, *expected = NULL;
    int64_t step = 5;
    size_t size = 0;
    options.tolerance = 1e-2;
    options.checkpoint_seconds = 1e9;
    options.progress = (volt_progress){stop_at, &step};
    check_fails(try_fit(p, &options, &model), VOLT_ERR_CANCELLED, "step 5");
    options.progress = (volt_progress){0};
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    check_ok(volt_set_threads(1));
    check_ok(try_fit(p, &options, &expected));
    volt_kernel *kernel = plain_parse(text);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        scratch_write("memory.ckpt", bytes, size);
        model = NULL;
        failing_alloc_start(k);
        volt_status status = volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q),
                                            &options, (volt_matrix){0}, &model);
        if (status == VOLT_OK)
            check_same(expected, model);
        volt_model_free(model);
        failing_alloc_check_lenient(status);
    }
    check_ok(volt_set_threads(0));
    volt_kernel_free(kernel);
    volt_model_free(expected);
    free(bytes);
    remove(path);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_fit_resumes_bitwise),       cmocka_unit_test(resumed_fit_chooses_same_alpha),
        cmocka_unit_test(checkpoint_is_written_at_interval), cmocka_unit_test(unrelated_files_are_rejected),
        cmocka_unit_test(full_disk_does_not_stop_fit),       cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("checkpoints", tests, NULL, NULL);
}
