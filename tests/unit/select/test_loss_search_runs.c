/* tests/unit/select/test_loss_search_runs.c: running searches with a loss: threads, logs, races, invalid arguments,
 * memory, and the constant baselines. */
#include "solve/loss/loss.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/loss_cases.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "volterra/solve.h"

/* ---- threads, logs, racing -------------------------------------------------------------------- */

static void results_do_not_depend_on_threads(void **state)
{
    enum { DRAWS = 6 };
    loss_rows d = loss_rows_make(7109);
    volt_candidates *candidates = loss_draws(&d);
    for (int i = 0; i < LOSS_CASES; i++) {
        volt_search_options options = loss_search_options(&loss_cases[i]);
        double folds[3][DRAWS * LOSS_FOLDS];
        options.draws = DRAWS;
        options.tolerance = 1e-6;
        for (int t = 0; t < 3; t++) {
            volt_search *search = NULL;
            check_ok(volt_set_threads(1 << t));
            check_ok(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[i]), &options,
                                     &search));
            for (int64_t k = 0; k < DRAWS; k++) {
                const volt_trial *trial = volt_search_trial(search, k);
                for (int64_t f = 0; f < LOSS_FOLDS; f++)
                    folds[t][k * LOSS_FOLDS + f] = f < trial->n_folds ? trial->folds[f] : 0;
            }
            volt_search_free(search);
        }
        check_ok(volt_set_threads(1));
        assert_memory_equal(folds[0], folds[1], sizeof folds[0]);
        assert_memory_equal(folds[0], folds[2], sizeof folds[0]);
    }
    volt_candidates_free(candidates);
}

/* Fits of folds run on one thread. The limit of the calling thread is restored. */
static void limit_of_calling_thread_is_kept(void **state)
{
    loss_rows d = loss_rows_make(7110);
    volt_candidates *candidates = loss_draws(&d);
    for (int64_t limit = 1; limit <= 2; limit++) {
        volt_search_options options = loss_search_options(&loss_cases[0]);
        volt_search *search = NULL;
        int64_t before = 0;
        options.draws = 1;
        check_ok(volt_set_threads_local(limit, NULL));
        check_ok(
            volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[0]), &options, &search));
        check_ok(volt_set_threads_local(0, &before));
        assert_int_equal(before, limit);
        volt_search_free(search);
    }
    volt_candidates_free(candidates);
}

static void check_named(const volt_search *search, const char *loss, const char *name)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    assert_int_equal(info.score, VOLT_SCORE_LOSS);
    assert_string_equal(info.loss, loss);
    assert_string_equal(info.score_name, name);
}

static void logs_name_the_loss(void **state)
{
    loss_rows d = loss_rows_make(7110);
    volt_candidates *candidates = loss_draws(&d);
    volt_search *search = NULL, *again = NULL, *logged = NULL;
    const char *log = scratch_path("loss.jsonl");
    volt_search_options options = loss_search_options(&loss_cases[LOSS_QUANTILES]);
    options.score = VOLT_SCORE_R2; /* means the score of the loss */
    options.draws = 4;
    options.log = log;
    options.weights = d.weights;
    check_ok(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_QUANTILES]),
                             &options, &search));
    check_named(search, "quantile:q=0.1/0.5/0.9", "pinball loss");
    options.resume = 1;
    options.draws = 6;
    check_ok(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_QUANTILES]),
                             &options, &again));
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(again, &info);
    assert_int_equal(info.resumed, 4);
    options.draws = 0;
    check_ok(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_QUANTILES]),
                             &options, &logged));
    options.draws = 6;
    check_named(logged, "quantile:q=0.1/0.5/0.9", "pinball loss");
    assert_int_equal(volt_search_trial(logged, VOLT_TRIAL_BEST)->index,
                     volt_search_trial(again, VOLT_TRIAL_BEST)->index);
    volt_search *none = NULL;
    options.loss = "quantile:q=0.1/0.5/0.8";
    check_fails(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_QUANTILES]),
                                &options, &none),
                VOLT_ERR_FORMAT, "search");
    options.loss = loss_cases[LOSS_QUANTILES].text;
    options.weights = NULL;
    check_fails(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_QUANTILES]),
                                &options, &none),
                VOLT_ERR_FORMAT, "search");
    assert_null(none);
    volt_search_free(logged);
    volt_search_free(again);
    volt_search_free(search);
    volt_candidates_free(candidates);
}

/* A race stops candidates that cannot win: the best candidate is the same. */
static void races_find_the_same_winner(void **state)
{
    loss_rows d = loss_rows_make(7111);
    volt_candidates *candidates = loss_draws(&d);
    for (int i = 1; i < LOSS_CASES; i++) {
        volt_search *all = NULL, *raced = NULL;
        volt_search_options options = loss_search_options(&loss_cases[i]);
        options.tolerance = 1e-6;
        options.draws = 12;
        check_ok(
            volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[i]), &options, &all));
        options.race = VOLT_RACE_EXACT;
        check_ok(
            volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[i]), &options, &raced));
        assert_int_equal(volt_search_trial(all, VOLT_TRIAL_BEST)->index,
                         volt_search_trial(raced, VOLT_TRIAL_BEST)->index);
        for (int64_t k = 0; k < 12; k++) /* lower is better */
            if (!volt_search_trial(all, k)->failure)
                assert_true(volt_search_trial(all, VOLT_TRIAL_BEST)->score <= volt_search_trial(all, k)->score);
        volt_search_free(raced);
        volt_search_free(all);
    }
    volt_candidates_free(candidates);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void check_refused(const loss_rows *d, const loss_case *c, const volt_search_options *options,
                          volt_status status, const char *said)
{
    double folds[LOSS_FOLDS];
    check_fails(loss_search_one(d, c, options, "rbf:gamma=1", 1, folds, NULL), status, said);
}

static void contradictory_options_are_rejected(void **state)
{
    loss_rows d = loss_rows_make(7112), bad = d;
    const loss_case *quantile = &loss_cases[LOSS_QUANTILE], *multinomial = &loss_cases[LOSS_MULTINOMIAL],
                    *poisson = &loss_cases[LOSS_POISSON];
    volt_search_options options = loss_search_options(quantile);
    options.score = VOLT_SCORE_LOG;
    check_refused(&d, quantile, &options, VOLT_ERR_ARGUMENT, "score log");
    options.score = VOLT_SCORE_MSE;
    check_refused(&d, quantile, &options, VOLT_ERR_ARGUMENT, "score mse");
    options = loss_search_options(quantile);
    options.loss = "quantile:q=0.5/0.5";
    check_refused(&d, quantile, &options, VOLT_ERR_ARGUMENT, "increas");
    options.loss = "quantile:q=1.2";
    check_refused(&d, quantile, &options, VOLT_ERR_ARGUMENT, "1.2");
    options.loss = "pinball";
    check_refused(&d, quantile, &options, VOLT_ERR_ARGUMENT, "pinball");
    options = loss_search_options(quantile);
    options.tolerance = -1e-6; /* 0: default */
    check_refused(&d, quantile, &options, VOLT_ERR_ARGUMENT, "-1e-06");
    options = loss_search_options(&loss_cases[LOSS_SQUARES]);
    options.loss = NULL;
    options.weights = d.weights;
    options.score = VOLT_SCORE_PREQUENTIAL;
    check_refused(&d, &loss_cases[LOSS_SQUARES], &options, VOLT_ERR_ARGUMENT, "weights");
    bad.counts[17] = -1;
    options = loss_search_options(poisson);
    check_refused(&bad, poisson, &options, VOLT_ERR_DATA, "row 18 -1");
    double base[LOSS_ROWS] = {0};
    options.base = volt_view_of(base, LOSS_ROWS, 1);
    check_refused(&d, poisson, &options, VOLT_ERR_ARGUMENT, "change target");
    options = loss_search_options(multinomial);
    memset(bad.labels, 0, sizeof bad.labels);
    options.n_classes = 0;
    options.classes = NULL;
    check_refused(&bad, multinomial, &options, VOLT_ERR_DATA, "class");
}

static void folds_without_a_class_or_a_weight_are_rejected(void **state)
{
    loss_rows d = loss_rows_make(7113);
    const loss_case *multinomial = &loss_cases[LOSS_MULTINOMIAL];
    volt_search_options options = loss_search_options(multinomial);
    for (int64_t i = 0; i < LOSS_ROWS; i++) /* class c occurs late */
        d.labels[i] = i < 30 ? (double)(i % 2) : (double)(i % 3);
    check_refused(&d, multinomial, &options, VOLT_ERR_DATA, "fold 1 rows 24 class \"c\"");
    d.labels[3] = 2;
    double folds[LOSS_FOLDS], weights[LOSS_ROWS];
    check_ok(loss_search_one(&d, multinomial, &options, "rbf:gamma=1", 1, folds, NULL));
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        weights[i] = i == 3 ? 0 : 1;
    options.weights = weights;
    check_refused(&d, multinomial, &options, VOLT_ERR_DATA, "class \"c\"");
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        weights[i] = i < 24 ? 0 : 1;
    options = loss_search_options(&loss_cases[LOSS_HUBER]);
    options.weights = weights;
    check_refused(&d, &loss_cases[LOSS_HUBER], &options, VOLT_ERR_DATA, "fold 1 rows 24 weights 0");
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        weights[i] = i >= 24 && i < 32 ? 0 : 1;
    check_refused(&d, &loss_cases[LOSS_HUBER], &options, VOLT_ERR_DATA, "fold 1 rows 25 32 weights 0");
    weights[5] = -1;
    check_refused(&d, &loss_cases[LOSS_HUBER], &options, VOLT_ERR_ARGUMENT, "weight 6 -1");
    weights[5] = NAN;
    check_refused(&d, &loss_cases[LOSS_HUBER], &options, VOLT_ERR_ARGUMENT, "weight 6");
}

static void feedback_is_rejected(void **state)
{
    loss_rows d = loss_rows_make(7114);
    const char *kernel = "rbf:gamma=1";
    double alpha = 1, feedback = 1;
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, &feedback, 1, &candidates));
    volt_search_options options = loss_search_options(&loss_cases[LOSS_HUBER]);
    check_fails(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_HUBER]),
                                &options, &search),
                VOLT_ERR_ARGUMENT, "loss");
    options = volt_search_options_default();
    options.weights = d.weights;
    check_fails(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_HUBER]),
                                &options, &search),
                VOLT_ERR_ARGUMENT, "weights");
    volt_candidates_free(candidates);
}

/* ---- memory, cancellation --------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    loss_rows d = loss_rows_make(7116);
    static const int which[] = {LOSS_QUANTILES, LOSS_MULTINOMIAL};
    const char *kernels[] = {"rbf:gamma=1", "fading:gamma=1,rho=0.5"};
    for (int i = 0; i < 2; i++) {
        double alphas[] = {0.5, i ? 0.3 : 0};
        volt_candidates *candidates = NULL;
        check_ok(volt_candidates_list(kernels, alphas, NULL, 2, &candidates));
        volt_search_options options = loss_search_options(&loss_cases[which[i]]);
        options.tolerance = 1e-3;
        options.splits.folds = 2;
        options.start = i ? VOLT_START_RESET : VOLT_START_CONTINUE;
        for (int64_t k = 1;; k += k < 60 ? 1 : 7) {
            volt_search *search = NULL;
            failing_alloc_start(k);
            volt_status status = volt_search_run(candidates, loss_inputs(&d),
                                                 loss_targets(&d, &loss_cases[which[i]]), &options, &search);
            int hit = failing_alloc_hit();
            volt_search_free(search);
            assert_int_equal(failing_alloc_live(), 0);
            failing_alloc_stop();
            assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
            if (!hit)
                break;
        }
        volt_candidates_free(candidates);
    }
}

static int refuse(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return ++*(int *)context > 1;
}

static void searches_can_be_cancelled(void **state)
{
    loss_rows d = loss_rows_make(7117);
    volt_candidates *candidates = loss_draws(&d);
    volt_search *search = NULL;
    int calls = 0;
    volt_search_options options = loss_search_options(&loss_cases[LOSS_QUANTILES]);
    options.draws = 20;
    options.progress = (volt_progress){.report = refuse, .context = &calls};
    check_fails(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, &loss_cases[LOSS_QUANTILES]),
                                &options, &search),
                VOLT_ERR_CANCELLED, "cancelled");
    volt_search_free(search);
    volt_candidates_free(candidates);
}

/* ---- constants -------------------------------------------------------------------------------- */

/* No other constant has a smaller loss, and row losses add up to the total. */
static void constants_minimise_the_loss(void **state)
{
    loss_rows d = loss_rows_make(7118);
    for (int i = 0; i < LOSS_CASES; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            const loss_case *c = &loss_cases[i];
            const double *weights = weighted ? d.weights : NULL;
            volt_loss *loss = NULL;
            double constant[LOSS_OUTPUTS], forecasts[LOSS_ROWS * LOSS_OUTPUTS], rows[LOSS_ROWS] = {0},
                                                                                least = NAN, total = 0, sum = 0;
            check_ok(volt_loss_parse(c->text, &loss));
            check_ok(volt_loss_constant(loss, loss_targets(&d, c), weights, c->outputs, constant));
            for (int64_t move = -1; move < 2 * c->outputs; move++) {
                double other[LOSS_OUTPUTS], score = NAN;
                memcpy(other, constant, sizeof other);
                if (move >= 0)
                    other[move / 2] += (move % 2 ? 1 : -1) * 1e-3;
                for (int64_t k = 0; move >= 0 && c->classes && k < c->outputs; k++) /* still probabilities */
                    other[k] -= k == move / 2 ? 0 : (move % 2 ? 1 : -1) * 1e-3 / (double)(c->outputs - 1);
                for (int64_t e = 0; e < LOSS_ROWS; e++)
                    memcpy(forecasts + e * c->outputs, other, (size_t)c->outputs * sizeof(double));
                volt_view U = volt_view_of(forecasts, LOSS_ROWS, c->outputs);
                check_ok(volt_loss_score(loss, loss_targets(&d, c), U, weights, &score));
                least = move < 0 ? score : least;
                assert_true(score >= least - 1e-12 * (1 + least));
                if (move < 0)
                    check_ok(volt_loss_row_scores(loss, loss_targets(&d, c), U, rows));
            }
            for (int64_t e = 0; e < LOSS_ROWS; e++) {
                sum += (weights ? weights[e] : 1) * rows[e];
                total += weights ? weights[e] : 1;
            }
            assert_true(fabs(sum / total - least) <= 1e-12 * (1 + least));
            volt_loss_free(loss);
        }
}

static void constants_known_by_hand(void **state)
{
    const double y[] = {4, 1, 3, 2, 100}, labels[] = {0, 1, 1, 1, 0};
    double two[2], rows[5];
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse("quantile:q=0.3/0.7", &loss));
    check_ok(volt_loss_constant(loss, volt_view_of(y, 5, 1), NULL, 2, two));
    assert_true(fabs(two[0] - 2) <= 1e-9 && fabs(two[1] - 4) <= 1e-9);
    check_fails(volt_loss_constant(loss, volt_view_of(y, 5, 1), NULL, 3, two), VOLT_ERR_SHAPE, "2");
    check_ok(volt_loss_constant(loss, volt_view_of(y, 1, 1), NULL, 2, two)); /* one row */
    assert_true(fabs(two[0] - 4) <= 1e-9 && fabs(two[1] - 4) <= 1e-9);
    const double nothing[] = {0, 0, 0, 0, 0};
    check_fails(volt_loss_constant(loss, volt_view_of(y, 5, 1), nothing, 2, two), VOLT_ERR_DATA, "weight 0");
    check_fails(volt_loss_constant(loss, volt_view_of(y, 5, 1), NULL, 2, NULL), VOLT_ERR_ARGUMENT, "forecast");
    volt_loss_free(loss);
    check_ok(volt_loss_parse("logistic", &loss));
    check_ok(volt_loss_constant(loss, volt_view_of(labels, 5, 1), NULL, 2, two));
    assert_true(fabs(two[0] - 0.4) <= 1e-15 && fabs(two[1] - 0.6) <= 1e-15);
    const double forecast[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.75};
    check_ok(volt_loss_row_scores(loss, volt_view_of(labels, 5, 1), volt_view_of(forecast, 5, 2), rows));
    assert_true(fabs(rows[0] - log(2)) <= 1e-15 && fabs(rows[4] - log(4)) <= 1e-15);
    check_fails(volt_loss_constant(loss, volt_view_of(y, 5, 1), NULL, 2, two), VOLT_ERR_ARGUMENT,
                "class row 1 4");
    volt_loss_free(loss);
}

/* Small problems: more threads only add overhead. */
static int use_one_thread(void **state)
{
    return volt_set_threads(1) != VOLT_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(limit_of_calling_thread_is_kept),
        cmocka_unit_test(logs_name_the_loss),
        cmocka_unit_test(races_find_the_same_winner),
        cmocka_unit_test(contradictory_options_are_rejected),
        cmocka_unit_test(folds_without_a_class_or_a_weight_are_rejected),
        cmocka_unit_test(feedback_is_rejected),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(searches_can_be_cancelled, poll_always, poll_as_usual),
        cmocka_unit_test(constants_minimise_the_loss),
        cmocka_unit_test(constants_known_by_hand),
    };
    return cmocka_run_group_tests_name("loss_search_runs", tests, use_one_thread, NULL);
}
