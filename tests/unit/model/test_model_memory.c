/* tests/unit/model/test_model_memory.c: for every k, the k-th allocation fails: the call returns VOLT_ERR_MEMORY,
 * without leaks or partial results. */
#define _GNU_SOURCE
#include "solve/exact/ridge.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/solve.h"

#include <unistd.h>

enum { N = 30, H = 11, D = 2 };

/* Data for the calls, created before any allocation fails. */
typedef struct stage_set {
    double *X; /* (N + 1 + H) x D */
    volt_kernel *kernel, *rbf;
    volt_model *model;
    char path[512];
    double out[N * N];
} stage_set;

static stage_set set;
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static const char *const names[] = {"first", "second"};
static const double untouched = 1e77;

static int make_set(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 171, 0);
    set.X = random_rows(&rng, N + 1 + H, D, 1);
    set.kernel = plain_parse("volterra:tau=0.6,lambda=0.7");
    set.rbf = plain_parse("volterra:lift=rbf");
    volt_fit_options options = volt_fit_options_default();
    options.feedback = 1;
    options.input_names = options.output_names = names;
    options.notes = (volt_model_notes){.time_end = "2020-01-01", .calendar = "hour"};
    check_ok(volt_model_fit(set.rbf, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D), &options,
                            nowhere, &set.model));
    const char *tmp = getenv("TMPDIR");
    snprintf(set.path, sizeof set.path, "%s/volterra_memory_%ld.safetensors", tmp && *tmp ? tmp : "/tmp",
             (long)getpid());
    check_ok(volt_model_save(set.model, set.path, (volt_progress){0}));
    return 0;
}

static int free_set(void **state)
{
    failing_alloc_stop();
    unlink(set.path);
    volt_model_free(set.model);
    volt_kernel_free(set.rbf);
    volt_kernel_free(set.kernel);
    free(set.X);
    return 0;
}

/* ---- the calls -------------------------------------------------------------------------------- */

/* Each call frees its results on success, and checks that a failure did not change its outputs. */

static volt_status call_parse(void)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse("volterra:lift=poly:3,tau_coef=0.2", &kernel);
    assert_true((status == VOLT_OK) == (kernel != NULL));
    volt_kernel_free(kernel);
    return status;
}

static volt_status gram_of(const volt_kernel *kernel, bool rectangle)
{
    volt_view X = volt_view_of(set.X, N, D), Y = volt_view_of(set.X, rectangle ? H : N, D);
    return volt_gram(kernel, X, rectangle ? Y : volt_view_of(NULL, 0, 0), NULL,
                     volt_matrix_of(set.out, N, Y.rows));
}

static volt_status call_gram(void)
{
    return gram_of(set.kernel, false);
}

static volt_status call_gram_rectangle(void)
{
    return gram_of(set.kernel, true);
}

static volt_status call_gram_rbf(void)
{
    return gram_of(set.rbf, false);
}

static volt_status call_ridge(void)
{
    double K[] = {2, 0, 1, 2}, Y[] = {1, 2}, c;
    return volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 1), NULL, &c, NULL);
}

static volt_status fit_with(const volt_kernel *kernel, volt_matrix fitted)
{
    volt_fit_options options = volt_fit_options_default();
    options.input_names = options.output_names = names;
    options.notes = (volt_model_notes){.time_end = "2020-01-01", .calendar = "hour"};
    options.washout = 3;
    volt_model *model = NULL;
    volt_status status = volt_model_fit(kernel, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D),
                                        &options, fitted, &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

static volt_status call_fit(void)
{
    return fit_with(set.kernel, volt_matrix_of(set.out, N, D));
}

static volt_status call_fit_rbf(void)
{
    return fit_with(set.rbf, volt_matrix_of(set.out, N, D));
}

/* An autonomous series model with a season: columns, changes and levels, every alpha. */
static volt_fit_options series_options(void)
{
    static const int64_t anchors[] = {0, 1};
    volt_fit_options options = volt_fit_options_default();
    options.input_names = options.output_names = names;
    options.anchors = anchors;
    options.ahead = 1;
    options.season = 4;
    return options;
}

static volt_status call_fit_series(void)
{
    volt_fit_options options = series_options();
    volt_model *model = NULL;
    volt_status status = volt_model_fit(set.kernel, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D),
                                        &options, volt_matrix_of(set.out, N, D), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

static volt_status call_fit_records(void)
{
    static const int64_t lengths[] = {5, 1, N - 6};
    volt_fit_options options = series_options();
    volt_model *model = NULL;
    options.records = lengths;
    options.n_records = 3;
    volt_status status = volt_model_fit(set.kernel, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D),
                                        &options, volt_matrix_of(set.out, N, D), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

static volt_status call_prepare(void)
{
    volt_fit_options options = series_options();
    volt_prepared *prepared = NULL;
    volt_status status =
        volt_prepare(volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D), &options, N - 3, &prepared);
    assert_true((status == VOLT_OK) == (prepared != NULL));
    volt_prepared_free(prepared);
    return status;
}

static volt_status predict_from(volt_start start)
{
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .start = start};
    int64_t beyond = -5;
    volt_status status = volt_model_predict(set.model, volt_view_of(set.X + (N + 1) * D, H, D), &options,
                                            volt_matrix_of(set.out, H, D), &beyond);
    assert_true((status == VOLT_OK) == (beyond >= 0));
    return status;
}

static volt_status call_predict(void)
{
    return predict_from(VOLT_START_CONTINUE);
}

static volt_status call_predict_reset(void)
{
    return predict_from(VOLT_START_RESET);
}

static volt_status call_continue(void)
{
    return volt_model_continue(set.model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(set.out, H, D), NULL);
}

static volt_status stream_from(volt_start start)
{
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .start = start};
    volt_live *stream = NULL;
    volt_status status = volt_live_create(set.model, as_live(&options), &stream);
    assert_true((status == VOLT_OK) == (stream != NULL));
    if (stream) { /* a push allocates nothing */
        int64_t count = failing_alloc_count();
        double y[D];
        check_ok(volt_live_feed(stream, set.X, y));
        assert_int_equal(failing_alloc_count(), count);
    }
    volt_live_free(stream);
    return status;
}

static volt_status call_stream(void)
{
    return stream_from(VOLT_START_CONTINUE);
}

static volt_status call_stream_reset(void)
{
    return stream_from(VOLT_START_RESET);
}

/* The existing file is preserved. */
static volt_status call_save(void)
{
    volt_status status = volt_model_save(set.model, set.path, (volt_progress){0});
    assert_int_equal(access(set.path, R_OK), 0);
    return status;
}

static volt_status call_load(void)
{
    volt_model *model = NULL;
    volt_status status = volt_model_load(set.path, &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

static volt_status call_plan(void)
{
    volt_plan plan = {.struct_size = sizeof(volt_plan), .n_that_fits = -5};
    volt_status status = volt_plan_fit(NULL, 100, 2, 2, 0, 1, &plan, NULL);
    assert_true((status == VOLT_OK) == (plan.n_that_fits >= 0));
    return status;
}

/* ---- every k ---------------------------------------------------------------------------------- */

/* Properties of a call other than VOLT_ERR_MEMORY and no leak. */
enum {
    WRITES_OUT = 1, /* set.out is unchanged on failure */
    MAY_DO_WITHOUT =
        2 /* an allocation failure is tolerated: the save continues without the sync of the directory */
};

static void fail_every_allocation(const char *what, volt_status (*call)(void), int promises)
{
    for (int64_t k = 1;; k++) {
        for (int i = 0; i < N * N; i++)
            set.out[i] = untouched;
        failing_alloc_start(k);
        volt_status status = call();
        int hit = failing_alloc_hit();
        int64_t live = failing_alloc_live();
        failing_alloc_stop();
        bool done_without = status == VOLT_OK && promises & MAY_DO_WITHOUT;
        if (live != 0 || (status != (hit ? VOLT_ERR_MEMORY : VOLT_OK) && !done_without))
            fail_msg("%s, allocation %" PRId64 ": status \"%s\" (%s), %" PRId64 " blocks not freed", what, k,
                     volt_status_message(status), volt_error_detail(), live);
        if (!hit) {
            print_message("%s: %" PRId64 " allocations\n", what, k - 1);
            assert_true(k > 1); /* at least one allocation was made to fail */
            return;
        }
        assert_true(strlen(volt_error_detail()) > 0);
        for (int i = 0; promises & WRITES_OUT && i < N * N; i++)
            assert_true(set.out[i] == untouched);
    }
}

static void kernels_and_gram_matrices(void **state)
{
    fail_every_allocation("kernel parse", call_parse, 0);
    fail_every_allocation("gram", call_gram, WRITES_OUT);
    fail_every_allocation("gram, rectangle", call_gram_rectangle, WRITES_OUT);
    fail_every_allocation("gram, rbf", call_gram_rbf, WRITES_OUT);
}

static void readout_and_fit(void **state)
{
    fail_every_allocation("ridge", call_ridge, 0);
    fail_every_allocation("fit", call_fit, WRITES_OUT);
    check_ok(volt_set_threads(8)); /* several alphas at once */
    fail_every_allocation("fit on eight threads", call_fit, WRITES_OUT);
    check_ok(volt_set_threads(0));
    fail_every_allocation("fit, rbf", call_fit_rbf, WRITES_OUT);
    fail_every_allocation("fit of a series", call_fit_series, WRITES_OUT);
    fail_every_allocation("fit of records", call_fit_records, WRITES_OUT);
    fail_every_allocation("prepare", call_prepare, 0);
}

/* Predictions and files of set.model. */
static void use_model(void)
{
    fail_every_allocation("predict", call_predict, WRITES_OUT);
    fail_every_allocation("predict, reset", call_predict_reset, WRITES_OUT);
    fail_every_allocation("continue", call_continue, WRITES_OUT);
    fail_every_allocation("stream", call_stream, 0);
    fail_every_allocation("stream, reset", call_stream_reset, 0);
    fail_every_allocation("save", call_save, MAY_DO_WITHOUT);
    fail_every_allocation("load", call_load, 0);
    volt_model *model = NULL; /* the file on disk is a valid model */
    check_ok(volt_model_load(set.path, &model));
    volt_model_free(model);
}

static void forecasts_and_files(void **state)
{
    use_model();
}

/* A model with a column recipe that uses preceding rows. */
static void forecasts_and_files_of_changes(void **state)
{
    volt_model *levels = set.model;
    volt_fit_options options = series_options();
    options.alpha = 0.1;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_BOTH;
    options.feedback = 1;
    check_ok(volt_model_fit(set.kernel, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D), &options,
                            nowhere, &set.model));
    use_model();
    volt_model_free(set.model);
    set.model = levels;
}

/* A model of three records, with a sum of filtered factors. */
static void forecasts_and_files_of_records(void **state)
{
    static const int64_t lengths[] = {5, 1, N - 6};
    volt_model *levels = set.model;
    volt_kernel *sum = plain_parse("fir:mu=0.5 + rbf:pole=0.3");
    volt_fit_options options = series_options();
    options.alpha = 0.1;
    options.feedback = 1;
    options.records = lengths;
    options.n_records = 3;
    check_ok(volt_model_fit(sum, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D), &options, nowhere,
                            &set.model));
    volt_kernel_free(sum);
    use_model();
    volt_model_free(set.model);
    set.model = levels;
}

static void plans(void **state)
{
    fail_every_allocation("plan", call_plan, 0);
}

/* ---- double free and NULL --------------------------------------------------------------------- */

static void freeing_null_is_allowed(void **state)
{
    volt_model_free(NULL);
    volt_live_free(NULL);
    volt_kernel_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_gram_matrices),
        cmocka_unit_test(readout_and_fit),
        cmocka_unit_test(forecasts_and_files),
        cmocka_unit_test(forecasts_and_files_of_changes),
        cmocka_unit_test(forecasts_and_files_of_records),
        cmocka_unit_test(plans),
        cmocka_unit_test(freeing_null_is_allowed),
    };
    return cmocka_run_group_tests_name("model_memory", tests, make_set, free_set);
}
