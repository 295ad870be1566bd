/* tests/unit/select/test_change_search.c: folds of a search on differenced targets equal fits on the training rows,
 * with and without an intercept, for any mean change. */
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/select.h"

enum { N = 90, FOLDS = 3 };
static const char text[] = "volterra:tau_coef=0.7,lambda_coef=0.8,lift=even";
static const double alpha = 0.5;

/* The mean squared error on a fold for a fit on the training rows before it. The first input is the largest
 * and the lift keeps the origin, so training rows and all rows have the same scale. */
static double plain_fold(const double *level, const volt_split *split, int intercept, int scale)
{
    volt_fit_options options = volt_fit_options_default();
    int64_t anchor = 0, rows = split->end - split->begin;
    options.alpha = alpha;
    options.intercept = intercept;
    options.scale = scale;
    options.ahead = 1;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_LEVEL;
    options.season = 0;
    options.anchors = &anchor;
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    double *out = new_matrix(rows, 1), sum = 0;
    assert_int_equal(split->train_end, split->begin);
    check_ok(volt_model_fit(kernel, volt_view_of(level, split->train_end, 1),
                            volt_view_of(level + 1, split->train_end, 1), &options, (volt_matrix){0}, &model));
    check_ok(volt_model_predict(model, volt_view_of(level + split->begin, rows, 1), NULL,
                                volt_matrix_of(out, rows, 1), NULL));
    for (int64_t i = 0; i < rows; i++)
        sum += pow(level[split->begin + i + 1] - out[i], 2);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(out);
    return sum / (double)rows;
}

static void folds_of_differences_equal_fits(void **state)
{
    volt_rng rng = test_rng(2705);
    double level[N + 1], change[N];
    level[0] = 200;
    for (int i = 0; i < N; i++) /* a mean change of -1 */
        level[i + 1] = level[i] + (change[i] = -1 + 0.1 * sin(0.5 * i) + 0.05 * volt_rng_normal(&rng));
    for (int choice = 0; choice < 8; choice++) {
        volt_search_options options = volt_search_options_default();
        options.score = choice & 4 ? VOLT_SCORE_R2 : VOLT_SCORE_MSE;
        options.race = VOLT_RACE_NONE;
        options.splits.folds = FOLDS;
        options.intercept = choice & 1;
        options.scale = (choice & 2) / 2;
        options.base = volt_view_of(level, N, 1);
        const char *kernel = text;
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        volt_split splits[FOLDS];
        check_ok(volt_splits(N, &options.splits, splits));
        check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
        check_ok(volt_search_run(candidates, volt_view_of(level, N, 1), volt_view_of(change, N, 1), &options,
                                 &search));
        const volt_trial *trial = volt_search_trial(search, 0);
        assert_null(trial->failure);
        for (int f = 0; f < FOLDS; f++) {
            double expected = plain_fold(level, &splits[f], options.intercept, options.scale);
            if (options.score == VOLT_SCORE_R2) {
                double mean = 0, variance = 0, rows = (double)(splits[f].end - splits[f].begin);
                for (int64_t t = splits[f].begin; t < splits[f].end; t++)
                    mean += level[t + 1] / rows;
                for (int64_t t = splits[f].begin; t < splits[f].end; t++)
                    variance += pow(level[t + 1] - mean, 2) / rows;
                expected = 1 - expected / variance;
            }
            /* n eps times condition 100 / alpha times errors at a level of 200 */
            if (!(fabs(trial->folds[f] - expected) <= 1e-8 * (1 + fabs(expected))))
                fail_msg("choice %d, fold %d: %.12g, a fit on the training rows gives %.12g", choice, f,
                         trial->folds[f], expected);
        }
        volt_search_free(search);
        volt_candidates_free(candidates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(folds_of_differences_equal_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
