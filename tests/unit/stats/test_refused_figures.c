/* tests/unit/stats/test_refused_figures.c: invalid arguments of metrics, baselines, losses, solvers, comparisons
 * and BEKK models: each argument in turn, with its message, and unchanged outputs. */
#include "data/bekk/bekk.h"
#include "data/system_table.h"
#include "solve/exact/factor.h"
#include "solve/loss/loss.h"
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/data.h"
#include "volterra/kernel.h"
#include "volterra/solve.h"
#include "volterra/stats.h"
#include "volterra/task.h"

/* ---- metrics and baselines ---------------------------------------------------------------------- */

static void pairs_of_rows(void **state)
{
    const double y[4] = {1, 2, 3, 5}, f[4] = {1, 2, 4, 4}, tiny[2] = {0, DBL_MIN}, far[2] = {1e200, 1e300};
    const volt_view truth = volt_view_of(y, 2, 2), forecast = volt_view_of(f, 2, 2);
    volt_metrics metrics = {.struct_size = sizeof(volt_metrics), .mse = -7};
    double out[4] = {-7, -7, -7, -7};
    check_fails(volt_metrics_compute(truth, volt_view_of(f, 1, 2), &metrics), VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_metrics_compute(truth, volt_view_of(f, 2, 1), &metrics), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_metrics_compute(volt_view_of(y, 0, 2), volt_view_of(f, 0, 2), &metrics), VOLT_ERR_SHAPE,
                "x 0 2");
    check_fails(volt_metrics_compute(volt_view_of(y, 2, 0), volt_view_of(f, 2, 0), &metrics), VOLT_ERR_SHAPE,
                "x 2 0");
    check_fails(volt_metrics_compute(volt_view_of(NULL, 2, 2), forecast, &metrics), VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_metrics_compute(truth, volt_view_of(NULL, 2, 2), &metrics), VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_metrics_compute((volt_view){y, 2, 2, 1}, forecast, &metrics), VOLT_ERR_ARGUMENT, "1 2");
    check_fails(volt_metrics_compute(truth, (volt_view){f, 2, 2, 1}, &metrics), VOLT_ERR_ARGUMENT, "2 1");
    assert_true(metrics.mse == -7);
    check_fails(volt_losses(truth, forecast, volt_matrix_of(out, 1, 1)), VOLT_ERR_SHAPE, "x 1");
    check_fails(volt_losses(truth, forecast, volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_losses(truth, forecast, volt_matrix_of(NULL, 2, 1)), VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_losses(truth, forecast, (volt_matrix){out, 2, 1, 0}), VOLT_ERR_ARGUMENT, "dimension 0");
    /* The ratio of these errors to this spread overflows. */
    check_fails(volt_r2(volt_view_of(tiny, 2, 1), volt_view_of(far, 2, 1), out), VOLT_ERR_NOT_FINITE,
                "overflow");
    volt_skill skill = {.struct_size = sizeof(volt_skill), .skill = -7};
    check_fails(volt_skill_compute(volt_view_of(tiny, 2, 1), volt_view_of(far, 2, 1),
                                   volt_view_of((const double[]){0, 0}, 2, 1), (volt_view){0}, 1, 0, &skill),
                VOLT_ERR_NOT_FINITE, "overflow");
    assert_true(skill.skill == -7);
    volt_ranking ranking = {.struct_size = sizeof(volt_ranking), .roc_auc = -7};
    const int marked[4] = {0, 1, 0, 1};
    check_fails(volt_ranking_compute(NULL, marked, 4, &ranking), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_ranking_compute(y, NULL, 4, &ranking), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_ranking_compute(y, marked, 4, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(ranking.roc_auc == -7);
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == -7);
}

static void baselines(void **state)
{
    const double y[6] = {1, 2, 3, 5, 4, 2};
    double out[6] = {-7};
    const volt_view levels = volt_view_of(y, 6, 1);
    const volt_matrix place = volt_matrix_of(out, 1, 1);
    check_fails(volt_baseline_forecast((volt_baseline)VOLT_BASELINE_KINDS, levels, 1, 0, 6, 1, place),
                VOLT_ERR_ARGUMENT, "baseline 4");
    check_fails(volt_baseline_forecast((volt_baseline)-1, levels, 1, 0, 6, 1, place), VOLT_ERR_ARGUMENT,
                "baseline");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, volt_view_of(y, 0, 1), 1, 0, 0, 1, place),
                VOLT_ERR_SHAPE, "x 0 1");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, volt_view_of(y, 6, 0), 1, 0, 6, 1, place),
                VOLT_ERR_SHAPE, "x 6 0");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 6, 1, volt_matrix_of(out, 0, 1)),
                VOLT_ERR_SHAPE, "x 0 1");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 6, 1, volt_matrix_of(out, 1, 2)),
                VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, volt_view_of(NULL, 6, 1), 1, 0, 6, 1, place),
                VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 6, 1, volt_matrix_of(NULL, 1, 1)),
                VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, (volt_view){y, 6, 1, 0}, 1, 0, 6, 1, place),
                VOLT_ERR_ARGUMENT, "0 1");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 6, 1, (volt_matrix){out, 1, 1, 0}),
                VOLT_ERR_ARGUMENT, "1 0");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 0, 0, 6, 1, place), VOLT_ERR_ARGUMENT,
                "lag 0");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, INT64_MAX, 0, 6, 1, place),
                VOLT_ERR_ARGUMENT, "lag");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, -1, 6, 1, place), VOLT_ERR_ARGUMENT,
                "season -1");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 1, 6, 1, place), VOLT_ERR_ARGUMENT,
                "season 1");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, INT64_MAX, 6, 1, place),
                VOLT_ERR_ARGUMENT, "season");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_SEASONAL, levels, 1, 0, 6, 1, place), VOLT_ERR_ARGUMENT,
                "2 rows");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, -1, 1, place), VOLT_ERR_ARGUMENT,
                "end -1");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 7, 1, place), VOLT_ERR_ARGUMENT,
                "end 7");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 2, 0, 6, 1, place), VOLT_ERR_ARGUMENT,
                "row 2");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 6, 7, place), VOLT_ERR_ARGUMENT,
                "row 6");
    check_fails(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 1, 0, 6, 6, volt_matrix_of(out, 2, 1)),
                VOLT_ERR_ARGUMENT, "2 rows row 6");
    assert_true(out[0] == -7);
}

/* ---- losses, ridge ------------------------------------------------------------------------------ */

static void losses_and_weights(void **state)
{
    volt_loss *median = NULL, *classes = NULL, *none = NULL;
    const double y[3] = {0, 1, 2}, u[6] = {0.5, 0.5, 0.2, 0.8, 0.1, 0.9}, negative[3] = {1, -1, 1},
                 endless[3] = {1, INFINITY, 1};
    double score = -7, scores[3] = {-7, -7, -7}, forecast[2] = {-7, -7};
    check_fails(volt_loss_parse(NULL, &none), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_loss_parse("quantile:q=0.5", NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_null(none);
    check_ok(volt_loss_parse("quantile:q=0.5", &median));
    check_ok(volt_loss_parse("multinomial", &classes));
    const volt_view Y = volt_view_of(y, 3, 1), U = volt_view_of(u, 3, 1), P = volt_view_of(u, 3, 2);
    check_fails(volt_loss_score(NULL, Y, U, NULL, &score), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_loss_score(median, volt_view_of(NULL, 3, 1), U, NULL, &score), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_loss_score(median, Y, volt_view_of(NULL, 3, 1), NULL, &score), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_loss_score(median, Y, volt_view_of(u, 2, 1), NULL, &score), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_loss_score(median, Y, P, NULL, &score), VOLT_ERR_SHAPE, "x 3 2");
    check_fails(volt_loss_score(median, Y, U, negative, &score), VOLT_ERR_ARGUMENT, "weight 2 -1");
    check_fails(volt_loss_score(median, Y, U, endless, &score), VOLT_ERR_ARGUMENT, "weight 2");
    check_fails(volt_loss_score(classes, Y, P, NULL, &score), VOLT_ERR_ARGUMENT, "class row 3 2");
    check_fails(volt_loss_score(classes, volt_view_of(negative, 3, 1), P, NULL, &score), VOLT_ERR_ARGUMENT,
                "row 2 -1");
    check_fails(volt_loss_score(classes, volt_view_of(u, 3, 1), P, NULL, &score), VOLT_ERR_ARGUMENT,
                "row 1 0.5");
    check_fails(volt_loss_row_scores(median, Y, U, NULL), VOLT_ERR_ARGUMENT, "scores");
    check_fails(volt_loss_row_scores(NULL, Y, U, scores), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_loss_constant(NULL, Y, NULL, 1, forecast), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_loss_constant(median, volt_view_of(NULL, 3, 1), NULL, 1, forecast), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_loss_constant(median, Y, NULL, 0, forecast), VOLT_ERR_SHAPE, "0 outputs");
    check_fails(volt_loss_constant(median, Y, NULL, 2, forecast), VOLT_ERR_SHAPE, "2 outputs");
    check_fails(volt_loss_constant(median, Y, negative, 1, forecast), VOLT_ERR_ARGUMENT, "weight 2 -1");
    check_fails(volt_loss_constant(median, Y, endless, 1, forecast), VOLT_ERR_ARGUMENT, "weight 2");
    check_fails(volt_loss_constant(classes, Y, NULL, 2, forecast), VOLT_ERR_ARGUMENT, "row 3 2");
    check_fails(volt_loss_constant(classes, volt_view_of(negative, 3, 1), NULL, 2, forecast), VOLT_ERR_ARGUMENT,
                "row 2 -1");
    check_fails(volt_loss_constant(classes, volt_view_of(u, 3, 1), NULL, 2, forecast), VOLT_ERR_ARGUMENT,
                "row 1 0.5");
    assert_true(score == -7 && scores[0] == -7 && forecast[0] == -7);
    volt_loss_free(median);
    volt_loss_free(classes);

    double K[4] = {2, 1, 1, 2}, T[2] = {1, 2}, c = -7;
    const volt_matrix gram = volt_matrix_of(K, 2, 2), targets = volt_matrix_of(T, 2, 1);
    const int64_t wide = (int64_t)INT_MAX + 1;
    check_fails(volt_ridge_solve(volt_matrix_of(NULL, 2, 2), targets, NULL, &c, NULL), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_ridge_solve(volt_matrix_of(K, 0, 0), targets, NULL, &c, NULL), VOLT_ERR_SHAPE, "x 0");
    check_fails(volt_ridge_solve(volt_matrix_of(K, 1, 2), targets, NULL, &c, NULL), VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_ridge_solve((volt_matrix){K, 2, 2, 1}, targets, NULL, &c, NULL), VOLT_ERR_SHAPE,
                "dimension 1");
    check_fails(volt_ridge_solve((volt_matrix){K, 2, 2, wide}, targets, NULL, &c, NULL), VOLT_ERR_SHAPE,
                "most");
    check_fails(volt_ridge_solve(gram, volt_matrix_of(NULL, 2, 1), NULL, &c, NULL), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_ridge_solve(gram, volt_matrix_of(T, 2, 0), NULL, &c, NULL), VOLT_ERR_SHAPE, "x 2 0");
    check_fails(volt_ridge_solve(gram, volt_matrix_of(T, 1, 1), NULL, &c, NULL), VOLT_ERR_SHAPE, "x 1");
    check_fails(volt_ridge_solve(gram, (volt_matrix){T, 2, 1, 0}, NULL, &c, NULL), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_ridge_solve(gram, (volt_matrix){T, 2, 1, wide}, NULL, &c, NULL), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_ridge_solve(gram, targets, NULL, NULL, NULL), VOLT_ERR_ARGUMENT, "intercepts");
    assert_true(c == -7 && K[0] == 2 && T[0] == 1);
}

/* ---- comparisons -------------------------------------------------------------------------------- */

static void comparison_scenarios(void **state)
{
    enum { N = 12 };
    double x[N], y[N];
    volt_rng rng = test_rng(14);
    for (int t = 0; t < N; t++) {
        x[t] = volt_rng_normal(&rng);
        y[t] = x[t] * x[t];
    }
    const volt_view X = volt_view_of(x, N, 1), Y = volt_view_of(y, N, 1);
    volt_comparison *comparison = NULL;
    volt_compare_options options = volt_compare_options_default();
    const volt_contender twice[] = {{NULL, "gak"}, {"other", "gak"}}, unnamed = {NULL, "rbf"},
                         untold = {"RBF", NULL}, wrong = {"RBF", "rbff"};
    options.draws = 1;
    check_fails(volt_compare_run(X, Y, 8, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_compare_run(X, Y, 1, &options, &comparison), VOLT_ERR_ARGUMENT, "1 12 rows");
    check_fails(volt_compare_run(X, Y, 11, &options, &comparison), VOLT_ERR_ARGUMENT, "11 12 rows");
    options.gap = -1;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "gap -1");
    options.gap = 7;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "gap 7");
    options.gap = 0;
    options.base = volt_view_of(x, N - 1, 1);
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_SHAPE, "x 11 1");
    options.base = (volt_view){x, N, 2, 1};
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_SHAPE, "x 12 2");
    options.base = X;
    options.protocol = VOLT_PROTOCOL_PUBLISHED;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "base");
    options = volt_compare_options_default();
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "search");
    options.draws = 1;
    options.contenders = &unnamed;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "1 64");
    options.n_contenders = 65;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "1 64");
    options.contenders = twice;
    options.n_contenders = 2;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "twice");
    options.n_contenders = 1;
    options.contenders = &untold;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_ARGUMENT, "text");
    options.contenders = &wrong;
    check_fails(volt_compare_run(X, Y, 8, &options, &comparison), VOLT_ERR_KERNEL, "rbff");
    assert_null(comparison);
}

/* ---- simulated systems, spectra ------------------------------------------------------------------ */

static void systems_and_spectra(void **state)
{
    char long_text[2000];
    volt_system system = VOLT_SYSTEM_HENON;
    volt_simulate_options options = volt_simulate_options_default(system);
    int64_t columns = -7;
    double x[6] = {1, 2, 4, 3, 5, 2}, out[8] = {-7};
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    check_fails(volt_system_parse(NULL, &system, &options), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_system_parse("henon", NULL, &options), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_system_parse("henon", &system, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_system_parse(long_text, &system, &options), VOLT_ERR_ARGUMENT, "1999");
    check_fails(volt_system_parse("7", &system, &options), VOLT_ERR_ARGUMENT, "7");
    check_fails(volt_simulate_set(system, NULL, "a", 1), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_simulate_set(system, &options, NULL, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_simulate_columns(system, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(volt_simulate_options_default((volt_system)-1).struct_size == sizeof options);
    static const double wrong[] = {-1, INFINITY, NAN};
    for (int w = 0; w < 3; w++) {
        options.start_noise = wrong[w];
        check_fails(volt_simulate_columns(system, &options, &columns), VOLT_ERR_ARGUMENT, "start_noise");
    }
    assert_int_equal(columns, -7);

    volt_kernel *kernel = NULL;
    const volt_view X = volt_view_of(x, 6, 1);
    check_ok(volt_kernel_parse("rbf", &kernel));
    check_fails(volt_gram_spectrum(kernel, (volt_view){x, 6, 2, 1}, NULL, volt_matrix_of(out, 2, 2)),
                VOLT_ERR_SHAPE, "X");
    check_fails(volt_gram_spectrum(kernel, X, NULL, volt_matrix_of(NULL, 2, 2)), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_gram_spectrum(kernel, X, NULL, volt_matrix_of(out, 0, 2)), VOLT_ERR_SHAPE, "x 0 2");
    check_fails(volt_gram_spectrum(kernel, X, NULL, volt_matrix_of(out, 7, 2)), VOLT_ERR_SHAPE, "x 7 2");
    check_fails(volt_gram_spectrum(kernel, X, NULL, volt_matrix_of(out, 2, 1)), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_gram_spectrum(kernel, X, NULL, (volt_matrix){out, 2, 2, 1}), VOLT_ERR_SHAPE, "x 2");
    assert_true(out[0] == -7);
    check_ok(volt_gram_spectrum(kernel, X, NULL, volt_matrix_of(out, 1, 2))); /* the largest eigenvalue */
    assert_true(out[0] >= 1 && out[0] <= 6);                                  /* trace / n and trace */
    volt_kernel_free(kernel);
    volt_loss_info info = {.struct_size = sizeof info};
    check_fails(volt_loss_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_devices_get(NULL, 0, NULL), VOLT_ERR_ARGUMENT, "NULL");
}

/* ---- BEKK --------------------------------------------------------------------------------------- */

static void parameters_in_memory(void **state)
{
    volt_bekk *bekk = NULL;
    char *text = NULL;
    double out[12] = {-7};
    check_ok(volt_bekk_create(2, &bekk));
    bekk->C[0] = bekk->C[3] = 1;
    bekk->a[0] = bekk->a[1] = 0.3;
    bekk->b[0] = bekk->b[1] = 0.9;
    const volt_bekk whole = *bekk;
    const volt_matrix square = volt_matrix_of(out, 2, 2);
    check_fails(volt_bekk_set_source(NULL, NULL, NULL, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_bekk_check_stationary(NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_bekk_to_json(bekk, NULL), VOLT_ERR_ARGUMENT, "NULL");
    bekk->a = NULL;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "NULL");
    *bekk = whole;
    bekk->b = NULL;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "NULL");
    *bekk = whole;
    bekk->C = NULL;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "NULL");
    *bekk = whole;
    bekk->d = 0;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "assets 0");
    bekk->d = VOLT_BEKK_MAX_ASSETS + 1;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "assets 201");
    bekk->d = 2;
    bekk->a[1] = NAN;
    check_fails(volt_bekk_to_json(bekk, &text), VOLT_ERR_NOT_FINITE, "asset 2");
    bekk->a[1] = 0.3;
    bekk->b[1] = INFINITY;
    check_fails(volt_bekk_to_json(bekk, &text), VOLT_ERR_NOT_FINITE, "asset 2");
    bekk->b[1] = 0.9;
    bekk->C[1] = NAN;
    check_fails(volt_bekk_to_json(bekk, &text), VOLT_ERR_NOT_FINITE, "1 2 C");
    bekk->C[1] = 0;
    bekk->C[2] = 0.5;
    check_fails(volt_bekk_to_json(bekk, &text), VOLT_ERR_ARGUMENT, "triangular");
    bekk->C[2] = 0;
    assert_null(text);
    check_fails(volt_bekk_stationary_covariance(bekk, volt_matrix_of(NULL, 2, 2)), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_bekk_stationary_covariance(bekk, volt_matrix_of(out, 1, 2)), VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_bekk_stationary_covariance(bekk, volt_matrix_of(out, 2, 1)), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_bekk_stationary_covariance(bekk, (volt_matrix){out, 2, 2, 1}), VOLT_ERR_SHAPE,
                "leading 1");
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    const volt_matrix none = {NULL, 0, 0, 0};
    check_fails(volt_bekk_simulate(bekk, &options, volt_matrix_of(out, 2, 3), none, none), VOLT_ERR_SHAPE,
                "3 columns");
    check_fails(volt_bekk_simulate(bekk, &options, (volt_matrix){out, 2, 2, 1}, none, none), VOLT_ERR_SHAPE,
                "2");
    check_fails(volt_bekk_simulate(bekk, &options, none, volt_matrix_of(out, 2, 3), none), VOLT_ERR_SHAPE,
                "3 columns");
    check_fails(volt_bekk_simulate(bekk, &options, none, none, volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE,
                "2 columns");
    check_fails(volt_bekk_simulate(bekk, &options, square, volt_matrix_of(out, 3, 2), none), VOLT_ERR_SHAPE,
                "3 rows");
    double loglik = -7;
    const double returns[8] = {0.1, -0.2, 0.3, 0.1, -0.1, 0.2, 0.2, 0.1};
    check_fails(volt_bekk_loglik(bekk, volt_view_of(returns, 4, 2), NULL, volt_matrix_of(out, 3, 3), &loglik),
                VOLT_ERR_SHAPE, "x 3");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(returns, 4, 2), NULL, volt_matrix_of(out, 4, 2), &loglik),
                VOLT_ERR_SHAPE, "x 4 2");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(returns, 4, 2), NULL, (volt_matrix){out, 4, 3, 2}, &loglik),
                VOLT_ERR_SHAPE, "leading 2");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(NULL, 4, 2), NULL, none, &loglik), VOLT_ERR_SHAPE,
                "data NULL");
    check_fails(volt_bekk_loglik(bekk, (volt_view){returns, 4, 2, 1}, NULL, none, &loglik), VOLT_ERR_SHAPE,
                "leading 1");
    assert_true(out[0] == -7 && loglik == -7);
    volt_bekk_free(bekk);
}

static void returns_and_fits(void **state)
{
    const double prices[6] = {1, 2, 1.1, 2.1, 1.2, 2.2};
    double out[6] = {-7};
    const volt_view three = volt_view_of(prices, 3, 2);
    check_fails(volt_log_returns(volt_view_of(NULL, 3, 2), volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE,
                "data NULL");
    check_fails(volt_log_returns(volt_view_of(prices, 0, 2), volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE,
                "row column");
    check_fails(volt_log_returns(volt_view_of(prices, 3, 0), volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE,
                "row column");
    check_fails(volt_log_returns((volt_view){prices, 3, 2, 1}, volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE,
                "leading 1");
    check_fails(volt_log_returns(volt_view_of(prices, 1, 2), volt_matrix_of(out, 2, 2)), VOLT_ERR_DATA,
                "two rows");
    check_fails(volt_log_returns(three, volt_matrix_of(NULL, 2, 2)), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_log_returns(three, volt_matrix_of(out, 3, 2)), VOLT_ERR_SHAPE, "x 3 2");
    check_fails(volt_log_returns(three, volt_matrix_of(out, 2, 1)), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_log_returns(three, (volt_matrix){out, 2, 2, 1}), VOLT_ERR_SHAPE, "leading 1");
    assert_true(out[0] == -7);
    volt_bekk *bekk = NULL;
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    static const double zeros[VOLT_BEKK_MAX_ASSETS + 1];
    check_fails(volt_bekk_fit(three, &options, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_bekk_fit(volt_view_of(zeros, 1, VOLT_BEKK_MAX_ASSETS + 1), &options, &bekk, NULL),
                VOLT_ERR_ARGUMENT, "201");
    options.starts = 0;
    check_fails(volt_bekk_fit(three, &options, &bekk, NULL), VOLT_ERR_ARGUMENT, "starts 0");
    options.starts = 1;
    options.rounds = 0;
    check_fails(volt_bekk_fit(three, &options, &bekk, NULL), VOLT_ERR_ARGUMENT, "rounds 0");
    check_fails(volt_bekk_preset(NULL, &bekk), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_bekk_preset("nobody", NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_null(bekk);
}

static void parameters_as_text(void **state)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"7", "must be a JSON object"},
        {"{\"C\": [[1]], \"b\": [0.9]}", "no list \"a\""},
        {"{\"C\": [[1]], \"a\": [], \"b\": []}", "0 numbers"},
        {"{\"C\": [[1]], \"a\": [\"x\"], \"b\": [0.9]}", "number 1 of \"a\" is not a number"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9, 1]}", "\"b\" must be a list of 1 numbers"},
        {"{\"C\": [[1], [2]], \"a\": [0.3], \"b\": [0.9]}", "\"C\" must be a list of 1 rows"},
        {"{\"C\": [1], \"a\": [0.3], \"b\": [0.9]}", "row 1 of \"C\" must be a list"},
        {"{\"C\": [[1, 0], [1, 1]], \"a\": [0.3, 0.3], \"b\": [0.9, 0.9]}", "upper triangular"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"a_error\": [1]}", "\"C_error\" must be a list"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"C_error\": [[1]]}", "\"a_error\" must be a list"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"C_error\": [[1]], \"a_error\": [1]}",
         "\"b_error\" must be a list"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"tickers\": \"AAA\"}", "\"tickers\" must be a list"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"tickers\": [1]}", "is not a text"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"dates\": [\"2020\"]}", "\"dates\" must be a list of 2"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"loglik\": \"x\"}", "\"loglik\" must be a number"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"observations\": -1}", "at least 0"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"observations\": 1.5}", "at least 0"},
        {"{\"C\": [[1]], \"a\": [0.3], \"b\": [0.9], \"converged\": 1}", "true or false"},
    };
    volt_bekk *bekk = NULL;
    check_fails(volt_bekk_from_json(NULL, &bekk), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_bekk_from_json("{}", NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_bekk_from_json("{", &bekk), VOLT_ERR_FORMAT, "JSON");
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        check_fails(volt_bekk_from_json(wrong[w].text, &bekk), VOLT_ERR_FORMAT, wrong[w].sentence);
    assert_null(bekk);
    /* Only the required fields; optional fields are null. */
    check_ok(volt_bekk_from_json(
        "{\"C\": [[2]], \"a\": [0.3], \"b\": [0.9], \"loglik\": null, \"tickers\": null}", &bekk));
    assert_true(bekk->d == 1 && bekk->C[0] == 2 && isnan(bekk->loglik) && bekk->converged == -1 &&
                !bekk->tickers);
    volt_bekk_free(bekk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_rows),        cmocka_unit_test(baselines),
        cmocka_unit_test(losses_and_weights),   cmocka_unit_test(comparison_scenarios),
        cmocka_unit_test(parameters_in_memory), cmocka_unit_test(returns_and_fits),
        cmocka_unit_test(parameters_as_text),   cmocka_unit_test(systems_and_spectra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
