/* tests/unit/base/test_struct_size.c: programs compiled with shorter or longer structs than those of the library. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/data.h"
#include "volterra/model.h"
#include "volterra/row_anomaly.h"
#include "volterra/select.h"
#include "volterra/stats.h"
#include "volterra/task.h"

enum { N = 60, D = 2 };

typedef struct setup {
    volt_kernel *kernel;
    volt_view X, Y;
} setup;

static setup begin(void)
{
    volt_rng rng = test_rng(7100);
    return (setup){.kernel = plain_parse("volterra:tau=0.4,lambda=0.5"),
                   .X = volt_view_of(random_rows(&rng, N, D, 1), N, D),
                   .Y = volt_view_of(normal_rows(&rng, N, 1), N, 1)};
}

static void end(setup *s)
{
    free((double *)s->X.data);
    free((double *)s->Y.data);
    volt_kernel_free(s->kernel);
}

/* The first `known` bytes of a struct of `size` bytes, in memory that ends there; extra bytes are zeros. */
static void *resized(const void *full, size_t size, size_t known)
{
    unsigned char *copy = calloc(1, known);
    assert_non_null(copy);
    memcpy(copy, full, known < size ? known : size);
    memcpy(copy, &known, sizeof known);
    return copy;
}

#define SHORTER(object, field) resized(&(object), sizeof(object), offsetof(__typeof__(object), field))
#define LONGER(object) resized(&(object), sizeof(object), sizeof(object) + 32)

static volt_model *fitted(const setup *s, const volt_fit_options *options)
{
    volt_model *model = NULL;
    check_ok(volt_model_fit(s->kernel, s->X, s->Y, options, volt_matrix_of(NULL, 0, 0), &model));
    return model;
}

static void check_same_model(const volt_model *first, const volt_model *second)
{
    volt_model_info a = {.struct_size = sizeof a}, b = a;
    check_ok(volt_model_get_info(first, &a));
    check_ok(volt_model_get_info(second, &b));
    assert_int_equal(a.input, b.input);
    assert_int_equal(a.washout, b.washout);
    assert_memory_equal(a.coefficients, b.coefficients, (size_t)a.kernel_rows * sizeof *a.coefficients);
}

/* Fields unknown to the program have their defaults; fields unknown to the library are ignored. */
static void fit_and_predict(void **state)
{
    setup s = begin();
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    volt_fit_options *shorter = SHORTER(options, washout), *longer = LONGER(options);
    volt_model *model = fitted(&s, &options), *same = fitted(&s, shorter), *newer = fitted(&s, longer);
    check_same_model(model, same);
    check_same_model(model, newer);

    volt_predict_options how = volt_predict_options_default();
    how.start = VOLT_START_RESET;
    volt_predict_options *short_how = SHORTER(how, beyond);
    double expected[N], found[N];
    check_ok(volt_model_predict(model, s.X, &how, volt_matrix_of(expected, N, 1), NULL));
    check_ok(volt_model_predict(model, s.X, short_how, volt_matrix_of(found, N, 1), NULL));
    assert_memory_equal(expected, found, sizeof found);

    volt_model_free(newer);
    volt_model_free(same);
    volt_model_free(model);
    free(short_how);
    free(longer);
    free(shorter);
    end(&s);
}

static void gram(void **state)
{
    setup s = begin();
    double expected[N * N], found[N * N];
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1.5;
    volt_gram_options *shorter = SHORTER(options, mirror);
    volt_view none = volt_view_of(NULL, 0, 0);
    check_ok(volt_gram(s.kernel, s.X, none, &options, volt_matrix_of(expected, N, N)));
    check_ok(volt_gram(s.kernel, s.X, none, shorter, volt_matrix_of(found, N, N)));
    assert_memory_equal(expected, found, sizeof found);
    free(shorter);
    end(&s);
}

static void search(void **state)
{
    setup s = begin();
    volt_candidates *candidates = NULL;
    volt_search *full = NULL, *same = NULL;
    volt_draw_options drawing = volt_draw_options_default();
    drawing.seed = 3;
    volt_draw_options *short_drawing = SHORTER(drawing, scale);
    check_ok(volt_candidates_draw("rbf", s.X, short_drawing, &candidates));
    volt_search_options options = volt_search_options_default();
    options.draws = 4;
    volt_search_options *shorter = SHORTER(options, seconds);
    check_ok(volt_search_run(candidates, s.X, s.Y, &options, &full));
    check_ok(volt_search_run(candidates, s.X, s.Y, shorter, &same));
    assert_true(volt_search_trial(full, VOLT_TRIAL_BEST)->score ==
                volt_search_trial(same, VOLT_TRIAL_BEST)->score);

    volt_search_info info = {.struct_size = offsetof(volt_search_info, failed), .failed = -7};
    check_ok(volt_search_get_info(same, &info));
    assert_int_equal(info.trials, 4);
    assert_int_equal(info.failed, -7);
    volt_search_free(same);
    volt_search_free(full);
    volt_candidates_free(candidates);
    free(shorter);
    free(short_drawing);
    end(&s);
}

/* Results: the library writes only the fields known to the program, and does not change struct_size. */
static void results(void **state)
{
    setup s = begin();
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    volt_model *model = fitted(&s, &options);
    volt_model_info info;
    memset(&info, 0xff, sizeof info);
    info.struct_size = offsetof(volt_model_info, q);
    check_ok(volt_model_get_info(model, &info));
    assert_int_equal(info.struct_size, offsetof(volt_model_info, q));
    assert_int_equal(info.n, N);
    assert_int_equal(info.d, D);
    assert_int_equal(info.q, -1);
    volt_metrics metrics = {.struct_size = offsetof(volt_metrics, nmse), .nmse = -7};
    check_ok(volt_metrics_compute(s.Y, s.Y, &metrics));
    assert_true(metrics.mse == 0 && metrics.nmse == -7);
    volt_model_free(model);
    end(&s);
}

static void forecast(void **state)
{
    double levels[N];
    volt_forecast *found = NULL;
    for (int t = 0; t < N; t++)
        levels[t] = t % 12 + 0.1 * t;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 3;
    volt_forecast_options *shorter = SHORTER(options, season);
    check_ok(volt_forecast_run(volt_view_of(levels, N, 1), shorter, &found));
    volt_forecast_info info;
    memset(&info, 0xff, sizeof info);
    info.struct_size = offsetof(volt_forecast_info, rows);
    check_ok(volt_forecast_get_info(found, &info));
    assert_int_equal(info.steps, 3);
    assert_int_equal(info.series, 1);
    assert_int_equal(info.rows, -1);
    volt_forecast_free(found);
    free(shorter);
}

/* The defaults that the headers document. */
static void documented_defaults(void **state)
{
    volt_capacity_options capacity = volt_capacity_options_default();
    assert_true(capacity.rows == 5000 && capacity.degree == 3 && capacity.delay == 30 &&
                capacity.significance == 1e-4);
    volt_curve_options curve = volt_curve_options_default();
    assert_true(curve.points == 8 && curve.repeat == 1 && curve.test == 0 && curve.n_sizes == 0);
    volt_compare_options compare = volt_compare_options_default();
    assert_true(compare.folds == 5 && compare.mcs_size == 0.25 && compare.mcs_reps == 10000 &&
                compare.gap == 0);
    volt_mcs_options mcs = volt_mcs_options_default();
    assert_true(mcs.method == VOLT_MCS_R && mcs.size == 0.25 && mcs.block == VOLT_BLOCK_SQRT &&
                mcs.reps == 10000);
    volt_fit_options fit = volt_fit_options_default();
    assert_true(fit.alpha == 0 && fit.intercept == 1 && fit.scale == 1 && fit.washout == 0 && fit.ahead == 0);
    assert_true(fit.season == VOLT_SEASON_AUTO && fit.checkpoint_seconds == 60 &&
                fit.target == VOLT_TARGET_AUTO);
    volt_search_options search = volt_search_options_default();
    assert_true(search.intercept == 1 && search.scale == 1 && search.washout == 0 &&
                search.score == VOLT_SCORE_R2);
    assert_true(search.race == VOLT_RACE_EXACT && search.draws == 0);
    volt_row_anomaly_options rows = volt_row_anomaly_options_default();
    assert_true(rows.rate == 0.001 && rows.window == 500 && rows.train_rows == 0);
    volt_bekk_fit_options bekk = volt_bekk_fit_options_default();
    assert_true(bekk.starts == 2 && bekk.rounds == 40 && bekk.standard_errors == 1);
    volt_gram_options gram = volt_gram_options_default();
    assert_true(gram.mirror == 1 && !gram.normalise && !gram.distance);
}

/* An uninitialised struct. */
static void zero_is_rejected(void **state)
{
    setup s = begin();
    volt_model *model = NULL;
    volt_candidates *candidates = NULL;
    volt_fit_options fit = {.alpha = 0.1};
    volt_draw_options draw = {.scale = 1};
    volt_gram_options options = {.mirror = 1};
    volt_metrics metrics = {.mse = 1};
    double K[N * N];
    check_fails(volt_model_fit(s.kernel, s.X, s.Y, &fit, volt_matrix_of(NULL, 0, 0), &model), VOLT_ERR_ARGUMENT,
                "volt_fit_options.struct_size");
    check_fails(volt_candidates_draw("rbf", s.X, &draw, &candidates), VOLT_ERR_ARGUMENT,
                "volt_draw_options.struct_size");
    check_fails(volt_gram(s.kernel, s.X, volt_view_of(NULL, 0, 0), &options, volt_matrix_of(K, N, N)),
                VOLT_ERR_ARGUMENT, "volt_gram_options.struct_size");
    check_fails(volt_metrics_compute(s.Y, s.Y, &metrics), VOLT_ERR_ARGUMENT, "volt_metrics.struct_size");
    assert_null(model);
    assert_null(candidates);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_and_predict),  cmocka_unit_test(gram),     cmocka_unit_test(search),
        cmocka_unit_test(results),          cmocka_unit_test(forecast), cmocka_unit_test(documented_defaults),
        cmocka_unit_test(zero_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
