/* tests/unit/model/test_model_memory.c: for every k, the k-th allocation of kernels, Gram matrices, prepared rows, plans and
 * a fit on several threads fails: the call returns VOLT_ERR_MEMORY, without leaks or partial results.
 * test_model_scenarios.c has the calls of models on one thread. */
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/solve.h"

enum { N = 30, H = 11, D = 2 };

/* Data for the calls, created before any allocation fails. */
typedef struct stage_set {
    double *X; /* (N + 1 + H) x D */
    volt_kernel *kernel, *rbf;
    volt_model *model;
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
    check_ok(volt_model_fit(set.rbf, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D), &options,
                            nowhere, &set.model));
    return 0;
}

static int free_set(void **state)
{
    failing_alloc_stop();
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

static volt_status call_fit(void)
{
    volt_fit_options options = volt_fit_options_default();
    options.input_names = options.output_names = names;
    options.notes = (volt_model_notes){.time_end = "2020-01-01", .calendar = "hour"};
    options.washout = 3;
    volt_model *model = NULL;
    volt_status status = volt_model_fit(set.kernel, volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D),
                                        &options, volt_matrix_of(set.out, N, D), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

/* Rows of an autonomous series with a season: columns, changes and levels. */
static volt_status call_prepare(void)
{
    static const int64_t anchors[] = {0, 1};
    volt_fit_options options = volt_fit_options_default();
    options.anchors = anchors;
    options.ahead = 1;
    options.season = 4;
    volt_prepared *prepared = NULL;
    volt_status status =
        volt_prepare(volt_view_of(set.X, N, D), volt_view_of(set.X + D, N, D), &options, N - 3, &prepared);
    assert_true((status == VOLT_OK) == (prepared != NULL));
    volt_prepared_free(prepared);
    return status;
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

static volt_status call_plan(void)
{
    volt_plan plan = {.struct_size = sizeof(volt_plan), .n_that_fits = -5};
    volt_status status = volt_plan_fit(NULL, 100, 2, 2, 0, 1, &plan, NULL);
    assert_true((status == VOLT_OK) == (plan.n_that_fits >= 0));
    return status;
}

/* ---- every k ---------------------------------------------------------------------------------- */

/* set.out is unchanged on failure. */
static void fail_every_allocation(volt_status (*call)(void))
{
    for (int64_t k = 0; failing_alloc_next(&k);) {
        for (int i = 0; i < N * N; i++)
            set.out[i] = untouched;
        volt_status status = call();
        failing_alloc_check(status);
        for (int i = 0; status && i < N * N; i++)
            assert_true(set.out[i] == untouched);
    }
}

static void kernels_and_gram_matrices(void **state)
{
    fail_every_allocation(call_parse);
    fail_every_allocation(call_gram);
    fail_every_allocation(call_gram_rectangle);
    fail_every_allocation(call_gram_rbf);
}

static void readout_and_fit(void **state)
{
    fail_every_allocation(call_ridge);
    check_ok(volt_set_threads(8)); /* several alphas at once */
    fail_every_allocation(call_fit);
    check_ok(volt_set_threads(0));
    fail_every_allocation(call_prepare);
}

static void streams(void **state)
{
    fail_every_allocation(call_stream);
    fail_every_allocation(call_stream_reset);
}

static void plans(void **state)
{
    fail_every_allocation(call_plan);
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
        cmocka_unit_test(streams),
        cmocka_unit_test(plans),
        cmocka_unit_test(freeing_null_is_allowed),
    };
    return cmocka_run_group_tests_name("model_memory", tests, make_set, free_set);
}
