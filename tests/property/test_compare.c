/* tests/property/test_compare.c: each row of a comparison equals separate calls of search, fit and predict;
 * the confidence set follows from the losses; failures are reported.
 *
 * Rows must be bitwise equal to the results of these calls. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "task/protocol.h"
#include "volterra.h"

enum { N = 160, TRAIN = 120, TEST = N - TRAIN, D = 2, Q = 3, DRAWS = 12 };

static const double MCS_SIZE = 0.6; /* not the default */

/* Targets that follow the squares of the inputs and their own past, like covariances. */
typedef struct data {
    double *X, *Y;
} data;

static data make_data(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    data made = {normal_rows(&rng, N, D), new_matrix(N, Q)};
    double h[Q] = {1, 0, 1};
    for (int t = 0; t < N; t++) {
        const double *x = made.X + t * D;
        double square[Q] = {x[0] * x[0], x[0] * x[1], x[1] * x[1]};
        for (int k = 0; k < Q; k++)
            made.Y[t * Q + k] = h[k] = 0.05 * (k != 1) + 0.15 * square[k] + 0.8 * h[k];
    }
    return made;
}

static void free_data(data *made)
{
    free(made->X);
    free(made->Y);
}

static volt_view inputs(const data *made)
{
    return volt_view_of(made->X, N, D);
}

static volt_view targets(const data *made)
{
    return volt_view_of(made->Y, N, Q);
}

static volt_compare_options small_options(volt_protocol protocol)
{
    volt_compare_options options = volt_compare_options_default();
    options.protocol = protocol;
    options.draws = DRAWS;
    options.folds = 3;
    options.mcs_size = MCS_SIZE;
    options.mcs_reps = 500;
    options.seed = 4;
    return options;
}

/* ---- a row against the calls it is made of ---------------------------------------------------- */

static volt_published_inputs inputs_of(const char *text)
{
    volt_kernel *kernel = plain_parse(text);
    volt_published_inputs found = volt_published_inputs_of(kernel);
    volt_kernel_free(kernel);
    return found;
}

/* The data as the protocol prepares them for one kernel. */
static void scaled(const data *made, volt_protocol protocol, const char *kernel, double *X, double *Y,
                   double *mean, double *deviation)
{
    memcpy(X, made->X, sizeof(double) * N * D);
    memcpy(Y, made->Y, sizeof(double) * N * Q);
    for (int k = 0; k < Q; k++) {
        mean[k] = 0;
        deviation[k] = 1;
    }
    if (protocol == VOLT_PROTOCOL_HISTORY)
        return;
    volt_published_scale_inputs(inputs(made), TRAIN, inputs_of(kernel), volt_matrix_of(X, N, D));
    volt_published_moments(targets(made), TRAIN, mean, deviation);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < Q; k++)
            Y[i * Q + k] = (made->Y[i * Q + k] - mean[k]) / deviation[k];
}

static void check_row(const data *made, const volt_comparison *comparison, int64_t row,
                      const volt_contender *contender, volt_protocol protocol)
{
    const volt_comparison_row *result = volt_comparison_row_at(comparison, row);
    bool published = protocol == VOLT_PROTOCOL_PUBLISHED;
    double X[N * D], Y[N * Q], mean[Q], deviation[Q], out[TEST * Q];
    scaled(made, protocol, contender->kernel, X, Y, mean, deviation);

    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_view train_x = volt_view_of(X, TRAIN, D), train_y = volt_view_of(Y, TRAIN, Q);
    const volt_compare_options drawn = {
        .struct_size = sizeof(volt_compare_options), .protocol = protocol, .seed = 4};
    check_ok(volt_contender_candidates(contender->kernel, &drawn, train_x, &candidates));
    volt_search_options options = volt_search_options_default();
    options.draws = DRAWS;
    options.splits.folds = 3;
    options.start = published ? VOLT_START_RESET : VOLT_START_CONTINUE;
    options.intercept = options.scale = !published;
    options.race = VOLT_RACE_NONE; /* the comparison's race must not change the winner */
    volt_status status = volt_search_run(candidates, train_x, train_y, &options, &search);
    volt_candidates_free(candidates);
    assert_string_equal(result->name, contender->name);
    assert_int_equal(result->draws, DRAWS);
    if (status != VOLT_OK) {
        assert_non_null(result->failure);
        assert_null(volt_comparison_row_at(comparison, row)->losses);
        assert_true(isnan(result->metrics->nmse) && isnan(result->mcs_pvalue));
        volt_search_free(search);
        return;
    }
    assert_null(result->failure);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    assert_string_equal(result->kernel, best->kernel);
    assert_true(result->alpha == best->alpha && result->score == best->score);

    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options fit = volt_fit_options_default();
    fit.alpha = best->alpha;
    fit.intercept = fit.scale = !published;
    check_ok(volt_kernel_parse(best->kernel, &kernel));
    check_ok(volt_model_fit(kernel, train_x, train_y, &fit, volt_matrix_of(NULL, 0, 0), &model));
    volt_predict_options predict = volt_predict_options_default();
    predict.start = published ? VOLT_START_RESET : VOLT_START_CONTINUE;
    predict.beyond = published ? VOLT_BEYOND_ALLOW : VOLT_BEYOND_CLIP;
    check_ok(volt_model_predict(model, volt_view_of(X + TRAIN * D, TEST, D), &predict,
                                volt_matrix_of(out, TEST, Q), NULL));
    volt_view forecast = volt_comparison_row_at(comparison, row)->forecast;
    assert_int_equal(forecast.rows, TEST);
    for (int i = 0; i < TEST; i++)
        for (int k = 0; k < Q; k++) {
            double rounding = 0; /* a compiler may join the product and the sum, in the library or here */
            if (published) {
                rounding = 4 * DBL_EPSILON * (fabs(mean[k]) + fabs(deviation[k] * out[i * Q + k]));
                out[i * Q + k] = mean[k] + deviation[k] * out[i * Q + k];
            }
            assert_true(fabs(forecast.data[i * forecast.ld + k] - out[i * Q + k]) <= rounding);
        }
    volt_metrics metrics = {.struct_size = sizeof metrics};
    check_ok(volt_metrics_compute(volt_view_rows(targets(made), TRAIN, TEST), forecast, &metrics));
    assert_true(metrics.nmse == result->metrics->nmse && metrics.mdae == result->metrics->mdae &&
                metrics.w1 == result->metrics->w1);
    volt_model_free(model);
    volt_kernel_free(kernel);
    volt_search_free(search);
}

static void check_confidence_set(const volt_comparison *comparison)
{
    double losses[TEST * 16];
    int64_t at[16], models = 0;
    for (int64_t i = 0; volt_comparison_row_at(comparison, i); i++)
        if (volt_comparison_row_at(comparison, i)->losses)
            at[models++] = i;
    for (int64_t m = 0; m < models; m++)
        for (int t = 0; t < TEST; t++)
            losses[t * models + m] = volt_comparison_row_at(comparison, at[m])->losses[t];
    volt_mcs_options options = volt_mcs_options_default();
    options.size = MCS_SIZE;
    options.reps = 500;
    options.seed = 4;
    volt_mcs *mcs = NULL;
    check_ok(volt_mcs_compute(volt_view_of(losses, TEST, models), &options, &mcs));
    for (int64_t m = 0; m < models; m++) {
        const volt_comparison_row *row = volt_comparison_row_at(comparison, at[m]);
        assert_true(row->mcs_pvalue == mcs->pvalues[m]);
        assert_int_equal(row->in_mcs, mcs->included[m]);
    }
    volt_mcs_free(mcs);
}

static void row_equals_search_fit_and_prediction(void **state)
{
    data made = make_data(3101);
    for (int p = VOLT_PROTOCOL_HISTORY; p <= VOLT_PROTOCOL_PUBLISHED; p++) {
        volt_compare_options options = small_options((volt_protocol)p);
        volt_comparison *comparison = NULL;
        int64_t count = 0;
        const volt_contender *all = volt_contenders((volt_protocol)p, &count);
        assert_int_equal(count, p == VOLT_PROTOCOL_PUBLISHED ? 10 : 11);
        check_ok(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison));
        assert_true(volt_comparison_row_at(comparison, count - 1) &&
                    !volt_comparison_row_at(comparison, count));
        for (int64_t i = 0; i < count; i++)
            check_row(&made, comparison, i, &all[i], (volt_protocol)p);
        check_confidence_set(comparison);
        volt_comparison_free(comparison);
    }
    free_data(&made);
}

/* Forecasts of a kernel, tuned and fitted, for the test rows under one policy for inputs beyond the ball. */
static void forecast_with(const data *made, volt_protocol protocol, const volt_comparison_row *row,
                          const char *given, volt_beyond policy, double *out)
{
    bool published = protocol == VOLT_PROTOCOL_PUBLISHED;
    double X[N * D], Y[N * Q], mean[Q], deviation[Q];
    scaled(made, protocol, given, X, Y, mean, deviation);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options fit = volt_fit_options_default();
    volt_predict_options predict = volt_predict_options_default();
    fit.alpha = row->alpha;
    fit.intercept = fit.scale = !published;
    predict.start = published ? VOLT_START_RESET : VOLT_START_CONTINUE;
    predict.beyond = policy;
    check_ok(volt_kernel_parse(row->kernel, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, TRAIN, D), volt_view_of(Y, TRAIN, Q), &fit,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_model_predict(model, volt_view_of(X + TRAIN * D, TEST, D), &predict,
                                volt_matrix_of(out, TEST, Q), NULL));
    for (int i = 0; i < TEST * Q; i++)
        out[i] = mean[i % Q] + deviation[i % Q] * out[i];
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* With a base and a gap: tuned and fitted on the rows before the gap, the rows of the gap update the state,
 * and all reported values are of levels. */
static void base_gives_levels_and_gap_excludes_rows(void **state)
{
    enum { GAP = 5, FIT = TRAIN - GAP };
    static const volt_contender one = {"Volterra", "volterra"};
    data made = make_data(3140);
    double base[N * Q] = {0}, levels[N * Q], out[(GAP + TEST) * Q];
    volt_rng rng = test_rng(3141);
    for (int i = 0; i < N * Q; i++) {
        base[i] = (i < Q ? 50 : base[i - Q]) + volt_rng_normal(&rng);
        levels[i] = base[i] + made.Y[i];
    }
    volt_compare_options options = small_options(VOLT_PROTOCOL_HISTORY);
    options.contenders = &one;
    options.n_contenders = 1;
    options.base = volt_view_of(base, N, Q);
    options.gap = GAP;
    options.from_defaults = 1;
    volt_comparison *comparison = NULL;
    check_ok(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison));
    const volt_comparison_row *row = volt_comparison_row_at(comparison, 0);

    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_view X = volt_view_rows(inputs(&made), 0, FIT), Y = volt_view_rows(targets(&made), 0, FIT);
    volt_draw_options draw = volt_draw_options_default();
    draw.seed = options.seed;
    draw.from_defaults = 1;
    check_ok(volt_candidates_draw("volterra", X, &draw, &candidates));
    volt_search_options searched = volt_search_options_default();
    searched.draws = DRAWS;
    searched.splits.folds = options.folds;
    searched.splits.gap = GAP;
    searched.base = volt_view_of(base, FIT, Q);
    check_ok(volt_search_run(candidates, X, Y, &searched, &search));
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    assert_string_equal(row->kernel, best->kernel);
    assert_true(row->alpha == best->alpha && row->score == best->score);

    volt_kernel *kernel = plain_parse(best->kernel);
    volt_model *model = NULL;
    volt_fit_options fit = volt_fit_options_default();
    fit.alpha = best->alpha;
    check_ok(volt_model_fit(kernel, X, Y, &fit, volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_model_predict(model, volt_view_rows(inputs(&made), FIT, GAP + TEST), NULL,
                                volt_matrix_of(out, GAP + TEST, Q), NULL));
    const double *forecast = volt_comparison_row_at(comparison, 0)->forecast.data;
    for (int i = 0; i < TEST * Q; i++)
        assert_true(forecast[i] == out[GAP * Q + i] + base[TRAIN * Q + i]);
    volt_metrics metrics = {.struct_size = sizeof metrics};
    check_ok(volt_metrics_compute(volt_view_of(levels + TRAIN * Q, TEST, Q),
                                  volt_comparison_row_at(comparison, 0)->forecast, &metrics));
    assert_true(metrics.nmse == row->metrics->nmse);
    double mean = 0;
    for (int t = 0; t < TEST; t++)
        mean += volt_comparison_row_at(comparison, 0)->losses[t] / TEST;
    assert_true(fabs(mean - metrics.nmse) <= 1e-12 * metrics.nmse);

    volt_comparison *none = NULL;
    options.gap = TRAIN - 1;
    check_fails(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &none), VOLT_ERR_ARGUMENT,
                "gap 119 rows 2 120");
    options.gap = 0;
    options.protocol = VOLT_PROTOCOL_PUBLISHED;
    check_fails(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &none), VOLT_ERR_ARGUMENT,
                "base");
    options.base.rows--;
    check_fails(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &none), VOLT_ERR_SHAPE,
                "base 159 3");
    volt_model_free(model);
    volt_kernel_free(kernel);
    volt_search_free(search);
    volt_candidates_free(candidates);
    volt_comparison_free(comparison);
    free_data(&made);
}

/* A test row that lies beyond all training rows: under the published protocol the ball holds test rows as
 * well, and the row is taken as it is; under the other one it is put back on the ball. */
static void test_rows_outside_training_range(void **state)
{
    data made = make_data(3110);
    made.X[(TRAIN + 3) * D] = 5;
    made.X[(TRAIN + 3) * D + 1] = -4;
    static const volt_contender both[] = {{"Volterra", "volterra"}, {"Volterra even", "volterra:lift=even"}};
    for (int p = VOLT_PROTOCOL_HISTORY; p <= VOLT_PROTOCOL_PUBLISHED; p++) {
        volt_protocol protocol = (volt_protocol)p;
        volt_compare_options options = small_options(protocol);
        volt_comparison *comparison = NULL;
        options.contenders = both;
        options.n_contenders = 2;
        check_ok(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison));
        for (int64_t i = 0; i < 2; i++) {
            double right[TEST * Q], wrong[TEST * Q];
            const volt_comparison_row *row = volt_comparison_row_at(comparison, i);
            const double *forecast = volt_comparison_row_at(comparison, i)->forecast.data;
            bool published = protocol == VOLT_PROTOCOL_PUBLISHED;
            check_row(&made, comparison, i, &both[i], protocol);
            forecast_with(&made, protocol, row, both[i].kernel,
                          published ? VOLT_BEYOND_ALLOW : VOLT_BEYOND_CLIP, right);
            for (int k = 0; k < TEST * Q; k++) /* up to joined products: targets and forecasts are of size 1 */
                assert_true(fabs(forecast[k] - right[k]) <= 64 * DBL_EPSILON * (1 + fabs(right[k])));
            if (!published)
                continue; /* there the row may be beyond what can be allowed */
            forecast_with(&made, protocol, row, both[i].kernel, VOLT_BEYOND_CLIP, wrong);
            assert_true(fabs(forecast[3 * Q] - wrong[3 * Q]) > 1e-6 * fabs(forecast[3 * Q]));
        }
        volt_comparison_free(comparison);
    }
    free_data(&made);
}

/* The number of hyperparameters under the published protocol equals that of table II of the paper; Sig(N)
 * draws whether its features are linear, and their width, besides; the echo state network is not in the
 * paper. */
static void hyperparameters_are_counted(void **state)
{
    static const int64_t expected[] = {1, 2, 4, 3, 2, 6, 3, 3, 3, 5};
    data made = make_data(3102);
    int64_t count = 0;
    const volt_contender *all = volt_contenders(VOLT_PROTOCOL_PUBLISHED, &count);
    volt_compare_options options = small_options(VOLT_PROTOCOL_PUBLISHED);
    options.draws = 1;
    for (int64_t i = 0; i < count; i++) {
        volt_comparison *comparison = NULL;
        options.contenders = &all[i];
        options.n_contenders = 1;
        volt_status status = volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison);
        assert_true(status == VOLT_OK || status == VOLT_ERR_DATA); /* one draw of the sigmoid may fail */
        assert_int_equal(volt_comparison_row_at(comparison, 0)->hyperparameters, expected[i]);
        volt_comparison_free(comparison);
    }
    free_data(&made);
}

/* ---- failures, cancelling, logs --------------------------------------------------------------- */

static void invalid_arguments_are_reported_first(void **state)
{
    data made = make_data(3105);
    volt_view X = inputs(&made), Y = targets(&made);
    volt_compare_options options = small_options(VOLT_PROTOCOL_HISTORY);
    volt_comparison *comparison = NULL;
    check_fails(volt_compare_run(X, volt_view_rows(Y, 0, 20), TRAIN, &options, &comparison), VOLT_ERR_SHAPE,
                "20 targets");
    check_fails(volt_compare_run(X, Y, N, &options, &comparison), VOLT_ERR_ARGUMENT, "160 rows");
    check_fails(volt_compare_run(X, Y, TRAIN, NULL, &comparison), VOLT_ERR_ARGUMENT, "draws budget");
    check_fails(volt_compare_run(X, Y, N - 1, &options, &comparison), VOLT_ERR_ARGUMENT, "159 160");
    check_fails(volt_compare_run(X, Y, 1, &options, &comparison), VOLT_ERR_ARGUMENT, "1 160");
    options.gap = -1;
    check_fails(volt_compare_run(X, Y, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "gap -1");
    /* The least numbers of rows and the largest gap are accepted: the search without a limit is rejected later. */
    options.draws = 0;
    options.gap = TRAIN - 2;
    check_fails(volt_compare_run(X, Y, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "draws budget");
    options.gap = 0;
    check_fails(volt_compare_run(X, Y, 2, &options, &comparison), VOLT_ERR_ARGUMENT, "draws budget");
    check_fails(volt_compare_run(X, Y, N - 2, &options, &comparison), VOLT_ERR_ARGUMENT, "draws budget");
    options.draws = DRAWS;
    volt_contender wrong[] = {{"first", "rbf"}, {"second", "volterra:tua=1"}};
    options.contenders = wrong;
    options.n_contenders = 2;
    check_fails(volt_compare_run(X, Y, TRAIN, &options, &comparison), VOLT_ERR_KERNEL, "tua");
    options.n_contenders = 0;
    check_fails(volt_compare_run(X, Y, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "1 64");
    assert_null(comparison);
    free_data(&made);
}

/* A kernel whose trials all fail is a row with an error. If all kernels fail, the comparison fails. */
static void failing_kernel_does_not_stop_comparison(void **state)
{
    data made = make_data(3106);
    volt_compare_options options = small_options(VOLT_PROTOCOL_HISTORY);
    volt_contender pair[] = {{"bad", "sigmoid:gamma=30,coef0=-2,window=1"}, {"good", "rbf"}};
    volt_comparison *comparison = NULL;
    options.contenders = pair;
    options.n_contenders = 2;
    options.draws = 6;
    check_ok(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison));
    assert_true(volt_comparison_row_at(comparison, 2 - 1) && !volt_comparison_row_at(comparison, 2));
    assert_non_null(strstr(volt_comparison_row_at(comparison, 0)->failure, "all 6 candidates failed"));
    assert_null(volt_comparison_row_at(comparison, 0)->forecast.data);
    assert_true(volt_comparison_row_at(comparison, 1)->mcs_pvalue == 1);
    volt_comparison_free(comparison);

    comparison = NULL;
    options.n_contenders = 1;
    check_fails(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison), VOLT_ERR_DATA,
                "1 kernels");
    volt_comparison_free(comparison);
    free_data(&made);
}

typedef struct counts {
    int begun, trials, ended;
    double last; /* progress, which must not go back */
} counts;

static void count_event(int64_t row, int64_t rows, const char *name, const volt_search *search,
                        const volt_trial *trial, void *context)
{
    counts *all = context;
    assert_true(row >= 0 && row < rows && name);
    all->begun += !search;
    all->trials += trial != NULL;
    all->ended += search && !trial;
}

/* Stops when the second kernel is at hand. */
static int stop_at_second(const char *stage, double fraction, void *context)
{
    counts *all = context;
    (void)stage;
    assert_true(fraction >= all->last - 1e-12 && fraction <= 1);
    all->last = fraction;
    return all->begun >= 2;
}

static void cancellation_keeps_completed_rows(void **state)
{
    data made = make_data(3107);
    counts all = {0};
    volt_compare_options options = small_options(VOLT_PROTOCOL_HISTORY);
    volt_contender three[] = {{"one", "rbf"}, {"two", "linear"}, {"three", "volterra"}};
    options.contenders = three;
    options.n_contenders = 3;
    options.on_event = count_event;
    options.event_context = &all;
    options.progress = (volt_progress){stop_at_second, &all};
    volt_comparison *comparison = NULL;
    check_fails(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &comparison),
                VOLT_ERR_CANCELLED, "1 3 kernels");
    assert_true(volt_comparison_row_at(comparison, 1 - 1) && !volt_comparison_row_at(comparison, 1));
    assert_string_equal(volt_comparison_row_at(comparison, 0)->name, "one");
    assert_null(volt_comparison_row_at(comparison, 1));
    assert_int_equal(all.begun, 2);
    assert_int_equal(all.ended, 1);
    assert_true(all.trials >= DRAWS);
    volt_comparison_free(comparison);
    free_data(&made);
}

static void comparison_resumes_from_logs(void **state)
{
    data made = make_data(3108);
    volt_compare_options options = small_options(VOLT_PROTOCOL_HISTORY);
    volt_contender one[] = {{"Sig(N) twice", "rbf"}};
    options.contenders = one;
    options.n_contenders = 1;
    options.log = scratch_directory();
    volt_comparison *first = NULL, *second = NULL;
    check_ok(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &first));
    char *log = scratch_read(scratch_path("01-sig-n-twice.jsonl"), NULL);
    assert_non_null(log);
    free(log);
    check_fails(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &second), VOLT_ERR_IO, "log");
    options.resume = 1;
    check_ok(volt_compare_run(inputs(&made), targets(&made), TRAIN, &options, &second));
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(volt_comparison_row_at(second, 0)->search, &info);
    assert_int_equal(info.resumed, DRAWS);
    assert_true(volt_comparison_row_at(first, 0)->metrics->nmse ==
                volt_comparison_row_at(second, 0)->metrics->nmse);
    volt_comparison_free(first);
    volt_comparison_free(second);
    free_data(&made);
}

static void fail_every_allocation(const data *made, const volt_compare_options *options)
{
    for (int64_t k = 0; failing_alloc_next(&k); k += UNDER_SANITIZERS ? 10 : 0) {
        volt_comparison *comparison = NULL;
        volt_status status = volt_compare_run(inputs(made), targets(made), TRAIN, options, &comparison);
        volt_comparison_free(comparison);
        failing_alloc_check(status);
    }
}

static void every_allocation_may_fail(void **state)
{
    static double base[N * Q];
    data made = make_data(3109);
    volt_compare_options options = small_options(VOLT_PROTOCOL_PUBLISHED);
    volt_contender one[] = {{"rbf", "rbf:window=1"}};
    options.contenders = one;
    options.n_contenders = 1;
    options.draws = 1;
    options.mcs_reps = 20;
    check_ok(volt_set_threads(1)); /* the order of allocations is then fixed */
    fail_every_allocation(&made, &options);
    options.protocol = VOLT_PROTOCOL_HISTORY;
    options.base = volt_view_of(base, N, Q);
    options.gap = 3;
    options.from_defaults = 1;
    fail_every_allocation(&made, &options);
    check_ok(volt_set_threads(0));
    free_data(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_equals_search_fit_and_prediction),
        cmocka_unit_test(test_rows_outside_training_range),
        cmocka_unit_test(base_gives_levels_and_gap_excludes_rows),
        cmocka_unit_test(hyperparameters_are_counted),
        cmocka_unit_test(invalid_arguments_are_reported_first),
        cmocka_unit_test(failing_kernel_does_not_stop_comparison),
        cmocka_unit_test(cancellation_keeps_completed_rows),
        cmocka_unit_test(comparison_resumes_from_logs),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
