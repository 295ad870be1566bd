/* tests/unit/task/test_compare_loss.c: comparison of kernels by a loss: each row reports the loss of its
 * forecasts. */
#include "support/check.h"
#include "support/loss_cases.h"
#include "volterra/solve.h"
#include "volterra/task.h"

enum { TRAIN = 36, TEST = LOSS_ROWS - TRAIN };

static const volt_contender kernels[] = {{"Linear", "linear:window=2"}, {"RBF", "rbf:window=1"}};
static const char *const names[] = {"a", "b", "c"};

static volt_compare_options options_of(const loss_case *c)
{
    volt_compare_options options = volt_compare_options_default();
    options.contenders = kernels;
    options.n_contenders = 2;
    options.draws = 2;
    options.folds = 2;
    options.mcs_reps = 200;
    options.loss = c->text;
    options.classes = c->classes ? names : NULL;
    options.n_classes = c->classes;
    return options;
}

/* Fits and evaluates the best kernel separately. */
static void forecast_again(const loss_rows *d, const loss_case *c, const volt_compare_options *options,
                           const volt_comparison_row *row, double *out)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options fit = volt_fit_options_default();
    fit.alpha = row->alpha;
    fit.loss = c->text;
    fit.weights = options->weights;
    fit.classes = options->classes;
    fit.n_classes = options->n_classes;
    check_ok(volt_kernel_parse(row->kernel, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_rows(loss_inputs(d), 0, TRAIN),
                            volt_view_rows(loss_targets(d, c), 0, TRAIN), &fit, volt_matrix_of(NULL, 0, 0),
                            &model));
    volt_predict_options how = volt_predict_options_default();
    how.beyond = VOLT_BEYOND_CLIP;
    check_ok(volt_model_predict(model, volt_view_rows(loss_inputs(d), TRAIN, TEST), &how,
                                volt_matrix_of(out, TEST, c->outputs), NULL));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void row_scores_equal_prediction_losses(void **state)
{
    loss_rows d = loss_rows_make(7301);
    for (int i = 1; i < LOSS_CASES; i++) {
        const loss_case *c = &loss_cases[i];
        volt_comparison *comparison = NULL;
        volt_loss *loss = NULL;
        volt_compare_options options = options_of(c);
        options.weights = i % 2 ? d.weights : NULL;
        check_ok(volt_loss_parse(c->text, &loss));
        check_ok(volt_compare_run(loss_inputs(&d), loss_targets(&d, c), TRAIN, &options, &comparison));
        for (int64_t k = 0; volt_comparison_row_at(comparison, k); k++) {
            const volt_comparison_row *row = volt_comparison_row_at(comparison, k);
            volt_view forecast = volt_comparison_row_at(comparison, k)->forecast;
            double score = NAN, mean = 0, again[TEST * LOSS_OUTPUTS];
            assert_null(row->failure);
            assert_int_equal(forecast.cols, c->outputs);
            assert_true(isnan(row->metrics->nmse) && isnan(row->metrics->rmse));
            check_ok(volt_loss_score(loss, volt_view_rows(loss_targets(&d, c), TRAIN, TEST), forecast,
                                     options.weights ? options.weights + TRAIN : NULL, &score));
            assert_true(row->loss == score);
            for (int64_t t = 0; t < TEST; t++)
                mean += volt_comparison_row_at(comparison, k)->losses[t] / TEST;
            assert_true(fabs(mean - score) <= 1e-12 * (1 + fabs(score)));
            forecast_again(&d, c, &options, row, again);
            for (int64_t t = 0; t < TEST * c->outputs; t++)
                assert_true(fabs(forecast.data[t] - again[t]) <= 1e-6 * (1 + fabs(again[t])));
        }
        volt_comparison_free(comparison);
        volt_loss_free(loss);
    }
}

static void contradictory_options_are_rejected(void **state)
{
    loss_rows d = loss_rows_make(7302);
    const loss_case *huber = &loss_cases[LOSS_HUBER], *classes = &loss_cases[LOSS_MULTINOMIAL];
    volt_comparison *comparison = NULL;
    volt_compare_options options = options_of(huber);
    options.protocol = VOLT_PROTOCOL_PUBLISHED;
    check_fails(volt_compare_run(loss_inputs(&d), loss_targets(&d, huber), TRAIN, &options, &comparison),
                VOLT_ERR_ARGUMENT, "published protocol");
    options = options_of(huber);
    double weights[LOSS_ROWS];
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        weights[i] = i < TRAIN ? 1 : 0;
    options.weights = weights;
    check_fails(volt_compare_run(loss_inputs(&d), loss_targets(&d, huber), TRAIN, &options, &comparison),
                VOLT_ERR_DATA, "weights test rows 0");
    options = options_of(classes);
    options.classes = NULL;
    options.n_classes = 0;
    check_fails(volt_compare_run(loss_inputs(&d), loss_targets(&d, classes), TRAIN, &options, &comparison),
                VOLT_ERR_ARGUMENT, "classes");
    options = options_of(huber);
    options.loss = "hubert";
    check_fails(volt_compare_run(loss_inputs(&d), loss_targets(&d, huber), TRAIN, &options, &comparison),
                VOLT_ERR_ARGUMENT, "hubert");
    assert_null(comparison);
}

/* Small problems: more threads only add overhead. */
static int use_one_thread(void **state)
{
    return volt_set_threads(1) != VOLT_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_scores_equal_prediction_losses),
        cmocka_unit_test(contradictory_options_are_rejected),
    };
    return cmocka_run_group_tests_name("study_loss", tests, use_one_thread, NULL);
}
