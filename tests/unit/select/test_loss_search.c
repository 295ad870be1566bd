/* tests/unit/select/test_loss_search.c: candidates fitted with a loss or with weights: scores equal those of
 * separately fitted models. */
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/loss_cases.h"
#include "volterra/solve.h"

/* ---- against models --------------------------------------------------------------------------- */

/* Definition of a fold: the loss of the predictions of a model fitted on only the training rows. */
static double fold_by_model(const loss_rows *d, const loss_case *c, const volt_search_options *search,
                            const char *text, double alpha, const volt_split *split)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_loss *loss = NULL;
    double later[LOSS_ROWS * LOSS_OUTPUTS], score = NAN;
    int64_t rows = split->train_end - split->train_begin;
    volt_fit_options fit = volt_fit_options_default();
    fit.loss = c->text;
    fit.tolerance = search->tolerance;
    fit.alpha = alpha;
    fit.scale = search->scale;
    fit.intercept = search->intercept;
    fit.washout = search->washout;
    fit.weights = search->weights ? search->weights + split->train_begin : NULL;
    fit.classes = search->classes;
    fit.n_classes = search->n_classes;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_rows(loss_inputs(d), split->train_begin, rows),
                            volt_view_rows(loss_targets(d, c), split->train_begin, rows), &fit,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_predict_options how = volt_predict_options_default();
    how.start = search->start;
    how.beyond = VOLT_BEYOND_ALLOW;
    int64_t first = search->start == VOLT_START_RESET ? split->begin : split->train_end;
    check_ok(volt_model_predict(model, volt_view_rows(loss_inputs(d), first, split->end - first), &how,
                                volt_matrix_of(later, split->end - first, c->outputs), NULL));
    volt_view block =
        volt_view_of(later + (split->begin - first) * c->outputs, split->end - split->begin, c->outputs);
    check_ok(volt_loss_parse(c->text, &loss));
    check_ok(volt_loss_score(loss, volt_view_rows(loss_targets(d, c), split->begin, block.rows), block,
                             search->weights ? search->weights + split->begin : NULL, &score));
    volt_loss_free(loss);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return score;
}

/* Predictions agree up to the square root of the gap, which is 1e-12 here. */
static void check_against_models(const loss_rows *d, const loss_case *c, const volt_search_options *options,
                                 const char *kernel, double alpha)
{
    volt_split splits[LOSS_FOLDS];
    double folds[LOSS_FOLDS];
    check_ok(volt_splits(LOSS_ROWS, &options->splits, splits));
    check_ok(loss_search_one(d, c, options, kernel, alpha, folds, NULL));
    for (int f = 0; f < LOSS_FOLDS; f++) {
        double expected = fold_by_model(d, c, options, kernel, alpha, &splits[f]);
        if (!(fabs(folds[f] - expected) <= 1e-5 * (1 + fabs(expected))))
            print_error("loss %s, kernel %s, fold %d: %.15g instead of %.15g\n", c->text, kernel, f + 1,
                        folds[f], expected);
        assert_true(fabs(folds[f] - expected) <= 1e-5 * (1 + fabs(expected)));
    }
}

static void folds_equal_models_of_training_rows(void **state)
{
    loss_rows d = loss_rows_make(7101);
    for (int i = 0; i < LOSS_CASES; i++) {
        volt_search_options options = loss_search_options(&loss_cases[i]);
        options.scale = 0; /* a model computes its scales from the training rows, a search from all rows */
        check_against_models(&d, &loss_cases[i], &options, "fading:gamma=0.4,rho=0.5", 0.2);
        options.weights = d.weights;
        check_against_models(&d, &loss_cases[i], &options, "rbf:gamma=0.5,window=2", 0.05);
        options.washout = 3;
        options.splits.gap = 2;
        options.intercept = i % 2;
        check_against_models(&d, &loss_cases[i], &options, "fading:gamma=0.4,rho=0.5", 0.5);
    }
}

static void starts_and_training_lengths_match_options(void **state)
{
    loss_rows d = loss_rows_make(7102);
    for (int i = 0; i < LOSS_CASES; i++) {
        volt_search_options options = loss_search_options(&loss_cases[i]);
        options.scale = 0;
        options.start = VOLT_START_RESET;
        check_against_models(&d, &loss_cases[i], &options, "fading:gamma=0.4,rho=0.5", 0.2);
        options.washout = 2;
        options.weights = d.weights;
        check_against_models(&d, &loss_cases[i], &options, "fir:mu=0.6", 0.2);
        options.start = VOLT_START_CONTINUE;
        options.splits.rolling = 1;
        check_against_models(&d, &loss_cases[i], &options, "fading:gamma=0.4,rho=0.5", 0.2);
    }
}

/* A kernel with a constant part, which is subtracted from the matrix if there is an intercept. */
static void constant_offsets_have_no_effect(void **state)
{
    loss_rows d = loss_rows_make(7103);
    for (int64_t i = 0; i < LOSS_ROWS * 2; i++)
        d.X[i] /= 4; /* inside the ball */
    for (int i = 0; i < LOSS_CASES; i++)
        for (int reset = 0; reset < 2; reset++) {
            volt_search_options options = loss_search_options(&loss_cases[i]);
            options.scale = 0;
            options.start = reset ? VOLT_START_RESET : VOLT_START_CONTINUE;
            check_against_models(&d, &loss_cases[i], &options, "volterra:tau=0.4,lambda=0.8", 0.2);
        }
}

/* A factorisation for every fold, and 1 to 40 steps of the first method. Two classes are fitted as one column. */
static void operations_are_counted(void **state)
{
    loss_rows d = loss_rows_make(7109);
    for (int i = 0; i < LOSS_CASES; i++) {
        const loss_case *c = &loss_cases[i];
        if (i == LOSS_MULTINOMIAL)
            continue; /* which has other limits */
        volt_search_options options = loss_search_options(c);
        volt_split splits[LOSS_FOLDS];
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        volt_search_info info = {.struct_size = sizeof info};
        check_ok(volt_splits(LOSS_ROWS, &options.splits, splits));
        check_ok(volt_candidates_list(&(const char *){"volterra"}, &(double){0.1}, NULL, 1, &candidates));
        check_ok(volt_search_run(candidates, loss_inputs(&d), loss_targets(&d, c), &options, &search));
        volt_search_get_info(search, &info);
        double step = 0;
        for (int f = 0; f < LOSS_FOLDS; f++) {
            double m = (double)(splits[f].train_end - splits[f].train_begin);
            info.flops -= pow(m, 3) / 3;
            step += 4 * m * m * (double)(i == LOSS_LOGISTIC ? 1 : c->outputs);
        }
        print_message("%s: %g steps in the mean\n", c->text, info.flops / step);
        assert_true(info.flops >= step * (1 - 1e-12) && info.flops <= 40 * step * (1 + 1e-12));
        volt_search_free(search);
        volt_candidates_free(candidates);
    }
}

/* ---- units and weights ------------------------------------------------------------------------ */

static void scores_are_in_units_of_the_targets(void **state)
{
    static const struct {
        const char *plain, *larger;
        double factor;
    } pairs[] = {{"quantile:q=0.3", "quantile:q=0.3", 8},
                 {"huber:delta=0.5", "huber:delta=4", 64},
                 {"epsilon:epsilon=0.25", "epsilon:epsilon=2", 8},
                 {"expectile:q=0.3", "expectile:q=0.3", 64}};
    loss_rows d = loss_rows_make(7104), larger = d;
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        larger.y[i] = 8 * d.y[i] - 100;
    for (int i = 0; i < 4; i++) {
        loss_case plain = {pairs[i].plain, offsetof(loss_rows, y), 1, 1, 0},
                  other = {pairs[i].larger, offsetof(loss_rows, y), 1, 1, 0};
        volt_search_options options = loss_search_options(&plain), options_larger = loss_search_options(&other);
        double folds[LOSS_FOLDS], folds_larger[LOSS_FOLDS];
        check_ok(loss_search_one(&d, &plain, &options, "volterra", 0.1, folds, NULL));
        check_ok(loss_search_one(&larger, &other, &options_larger, "volterra", 0.1, folds_larger, NULL));
        for (int f = 0; f < LOSS_FOLDS; f++)
            assert_true(fabs(folds_larger[f] - pairs[i].factor * folds[f]) <= 1e-5 * folds_larger[f]);
    }
}

/* The squared loss is scored in two ways: with one factor, and as a general loss. The targets of the last fold vary, or are
 * constant with a rounded mean. */
static void unit_weights_have_no_effect(void **state)
{
    static const volt_score scores[] = {VOLT_SCORE_R2, VOLT_SCORE_NMSE, VOLT_SCORE_MSE};
    loss_rows d = loss_rows_make(7105);
    double ones[LOSS_ROWS], plain[LOSS_FOLDS], weighted[LOSS_FOLDS];
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        ones[i] = 1;
    enum { BLOCK = LOSS_ROWS / (LOSS_FOLDS + 1) };
    static const double last[] = {0.1, 0.3, 0.7, 3};
    for (int s = 0; s < 15; s++)
        for (int based = 0; based < 2; based++) {
            volt_search_options options = loss_search_options(&loss_cases[LOSS_SQUARES]);
            options.splits.min_train = BLOCK;
            for (int64_t i = 2 * (LOSS_ROWS - BLOCK); i < 2 * LOSS_ROWS && s >= 3; i++)
                d.two[i] = last[s / 3 - 1];
            options.loss = NULL;
            options.score = scores[s % 3];
            options.base = based ? volt_view_of(d.X, LOSS_ROWS, 2) : (volt_view){0};
            check_ok(loss_search_one(&d, &loss_cases[LOSS_SQUARES], &options, "volterra", 0.1, plain, NULL));
            options.weights = ones;
            check_ok(loss_search_one(&d, &loss_cases[LOSS_SQUARES], &options, "volterra", 0.1, weighted, NULL));
            for (int f = 0; f < LOSS_FOLDS; f++)
                assert_true(fabs(plain[f] - weighted[f]) <= 1e-6 * (1 + fabs(plain[f])));
        }
}

/* A row of weight 0 is ignored; weight 2 for all rows is equivalent to half of alpha. */
static void weights_apply_to_fits_and_scores(void **state)
{
    loss_rows d = loss_rows_make(7106), other = d;
    double twos[LOSS_ROWS], half[LOSS_FOLDS], whole[LOSS_FOLDS];
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        twos[i] = 2;
    for (int i = 0; i < LOSS_CASES; i++) {
        const loss_case *c = &loss_cases[i];
        volt_search_options options = loss_search_options(c);
        check_ok(loss_search_one(&d, c, &options, "volterra", 0.1, half, NULL));
        options.weights = twos;
        check_ok(loss_search_one(&d, c, &options, "volterra", 0.2, whole, NULL));
        for (int f = 0; f < LOSS_FOLDS; f++)
            assert_true(fabs(half[f] - whole[f]) <= 1e-5 * (1 + fabs(half[f])));
    }
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        if (d.weights[i] == 0)
            other.y[i] += 1000;
    loss_case c = {"quantile:q=0.7", offsetof(loss_rows, y), 1, 1, 0};
    volt_search_options options = loss_search_options(&c);
    options.scale = 0; /* scales are computed from all rows */
    options.weights = d.weights;
    check_ok(loss_search_one(&d, &c, &options, "volterra:tau=0.1,lambda=0.5", 0.1, half, NULL));
    check_ok(loss_search_one(&other, &c, &options, "volterra:tau=0.1,lambda=0.5", 0.1, whole, NULL));
    for (int f = 0; f < LOSS_FOLDS; f++)
        assert_true(fabs(half[f] - whole[f]) <= 1e-9 * (1 + fabs(half[f])));
}

/* Inputs as a search scales them: centred, divided by the largest norm. */
static void scale_inputs(loss_rows *d)
{
    double mean[2] = {0}, norm = 0;
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        for (int k = 0; k < 2; k++)
            mean[k] += d->X[2 * i + k] / LOSS_ROWS;
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        norm = fmax(norm, hypot(d->X[2 * i] - mean[0], d->X[2 * i + 1] - mean[1]));
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        for (int k = 0; k < 2; k++)
            d->X[2 * i + k] = (d->X[2 * i + k] - mean[k]) / norm;
}

/* Changes as in a fit: in units of their root mean square, which determines the scale of alpha. The loss of
 * a change equals that of the level. */
static void differences_are_in_fit_units(void **state)
{
    loss_rows d = loss_rows_make(7107), scaled = d;
    double base[LOSS_ROWS], folds[LOSS_FOLDS], again[LOSS_FOLDS], sum = 0;
    loss_case c = {"quantile:q=0.7", offsetof(loss_rows, y), 1, 1, 0};
    for (int64_t i = 0; i < LOSS_ROWS; i++) {
        base[i] = 100 + 10 * d.X[2 * i];
        sum += d.y[i] * d.y[i] / LOSS_ROWS;
    }
    volt_search_options options = loss_search_options(&c), plain = options;
    options.base = volt_view_of(base, LOSS_ROWS, 1);
    check_ok(loss_search_one(&d, &c, &options, "rbf:gamma=0.5", 0.1, folds, NULL));
    scale_inputs(&scaled);
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        scaled.y[i] = d.y[i] / sqrt(sum);
    plain.scale = 0;
    check_ok(loss_search_one(&scaled, &c, &plain, "rbf:gamma=0.5", 0.1, again, NULL));
    for (int f = 0; f < LOSS_FOLDS; f++)
        assert_true(fabs(folds[f] - sqrt(sum) * again[f]) <= 1e-6 * (1 + folds[f]));
}

/* ---- alpha ------------------------------------------------------------------------------------ */

static double mean_of(const double folds[LOSS_FOLDS])
{
    return (folds[0] + folds[1] + folds[2]) / LOSS_FOLDS;
}

/* The best of 10^2, 10, ... times the diagonal, which is 1 here, until two in a row are worse. */
static void open_alphas_are_profiled(void **state)
{
    loss_rows d = loss_rows_make(7108);
    for (int i = 0; i < LOSS_CASES; i++)
        for (int rolling = 0; rolling < 2; rolling++) {
            const loss_case *c = &loss_cases[i];
            volt_search_options options = loss_search_options(c);
            options.intercept = 0; /* nothing is subtracted from the diagonal */
            options.tolerance = 1e-6;
            options.splits.rolling = rolling;
            double folds[LOSS_FOLDS], tried[LOSS_FOLDS], found = 0, best = INFINITY, best_alpha = 0;
            check_ok(loss_search_one(&d, c, &options, "rbf:gamma=1,window=2", 0, folds, &found));
            for (int power = 2, lost = 0; power > -8 && lost < 2 && !rolling; power--) {
                volt_status status =
                    loss_search_one(&d, c, &options, "rbf:gamma=1,window=2", pow(10, power), tried, NULL);
                lost = status == VOLT_OK && mean_of(tried) < best ? 0 : lost + 1;
                if (lost == 0) {
                    best = mean_of(tried);
                    best_alpha = pow(10, power);
                }
            }
            if (!rolling)
                assert_true(fabs(found - best_alpha) <= 1e-9 * best_alpha);
            check_ok(loss_search_one(&d, c, &options, "rbf:gamma=1,window=2", found, tried, NULL));
            for (int f = 0; f < LOSS_FOLDS; f++)
                assert_true(fabs(folds[f] - tried[f]) <= 1e-9 * (1 + fabs(tried[f])));
        }
}

/* Small problems: more threads only add overhead. */
static int use_one_thread(void **state)
{
    return volt_set_threads(1) != VOLT_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_equal_models_of_training_rows),
        cmocka_unit_test(starts_and_training_lengths_match_options),
        cmocka_unit_test(constant_offsets_have_no_effect),
        cmocka_unit_test(operations_are_counted),
        cmocka_unit_test(scores_are_in_units_of_the_targets),
        cmocka_unit_test(unit_weights_have_no_effect),
        cmocka_unit_test(weights_apply_to_fits_and_scores),
        cmocka_unit_test(differences_are_in_fit_units),
        cmocka_unit_test(open_alphas_are_profiled),
    };
    return cmocka_run_group_tests_name("loss_search", tests, use_one_thread, NULL);
}
