/* tests/unit/fit/test_weight_zero.c: targets of rows with weight 0 affect neither fits nor searches. */
#include "support/check.h"
#include "support/loss_cases.h"
#include "support/sequences.h"
#include "volterra/model.h"

static const double placeholders[] = {0, -9999, 1e300};
enum { PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

/* The same rows with a placeholder for every target of weight 0. */
static loss_rows with_placeholder(const loss_rows *d, const loss_case *c, double placeholder)
{
    loss_rows other = *d;
    volt_view Y = loss_targets(&other, c);
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        for (int64_t k = 0; k < c->targets && d->weights[i] == 0; k++)
            ((double *)Y.data)[i * Y.ld + k] = placeholder;
    return other;
}

static void fit(const loss_rows *d, const loss_case *c, const volt_fit_options *options, double *fitted)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_model_fit(kernel, loss_inputs(d), loss_targets(d, c), options,
                            volt_matrix_of(fitted, LOSS_ROWS, c->outputs), &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    fitted[LOSS_ROWS * c->outputs] = info.objective;
    fitted[LOSS_ROWS * c->outputs + 1] = info.duality_gap;
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* Objective, gap and fitted values are bitwise equal. */
static void placeholders_do_not_affect_fits(void **state)
{
    loss_rows d = loss_rows_make(6104);
    const char *names[] = {"a", "b", "c"};
    enum { MOST = LOSS_ROWS * LOSS_OUTPUTS + 2 };
    for (int t = 0; t < LOSS_CASES; t++)
        for (int way = 0; way < 8; way++) {
            const loss_case *c = &loss_cases[t];
            double first[MOST], other[MOST];
            volt_fit_options options = volt_fit_options_default();
            options.loss = c->text;
            options.weights = d.weights;
            options.classes = c->classes ? names : NULL;
            options.n_classes = way & 1 ? c->classes : 0; /* 0: the classes are detected */
            options.intercept = (way & 2) != 0;
            options.alpha = way & 4 ? 0.1 : 0;
            for (int p = 0; p < PLACEHOLDERS; p++) {
                loss_rows now = with_placeholder(&d, c, placeholders[p]);
                fit(&now, c, &options, p == 0 ? first : other);
                size_t bytes = (size_t)(LOSS_ROWS * c->outputs + 2) * sizeof(double);
                if (p > 0 && memcmp(first, other, bytes) != 0)
                    fail_msg("%s, intercept %d, alpha %g: targets of weight 0 matter", c->text,
                             options.intercept, options.alpha);
            }
        }
}

static void placeholders_do_not_affect_searches(void **state)
{
    loss_rows d = loss_rows_make(6105);
    for (int t = 0; t < LOSS_CASES; t++)
        for (int way = 0; way < 4; way++) {
            const loss_case *c = &loss_cases[t];
            double first[LOSS_FOLDS + 1] = {0}, other[LOSS_FOLDS + 1] = {0};
            volt_search_options options = loss_search_options(c);
            options.weights = d.weights;
            options.intercept = (way & 1) != 0;
            options.tolerance = 1e-6;
            if (t == LOSS_SQUARES && way & 2)
                options.score = VOLT_SCORE_R2;
            for (int p = 0; p < PLACEHOLDERS; p++) {
                loss_rows now = with_placeholder(&d, c, placeholders[p]);
                double *scores = p == 0 ? first : other;
                check_ok(loss_search_one(&now, c, &options, "volterra", way & 2 ? 0.1 : 0, scores,
                                         scores + LOSS_FOLDS));
                assert_true(isfinite(scores[0]));
                if (p > 0 && memcmp(first, other, sizeof first) != 0)
                    fail_msg("%s, intercept %d: targets of weight 0 matter", c->text, options.intercept);
            }
        }
}

/* The last rows have weight 0: alpha is selected on the rows with positive weight, as if the others were
 * absent. */
static void alpha_is_chosen_on_rows_with_a_weight(void **state)
{
    enum { KEPT = 30 };
    loss_rows d = loss_rows_make(6106);
    double weights[LOSS_ROWS], all[LOSS_ROWS] = {0}, kept[LOSS_ROWS] = {0};
    for (int64_t i = 0; i < LOSS_ROWS; i++)
        weights[i] = i < KEPT;
    for (int t = 0; t < LOSS_CASES; t++) {
        const loss_case *c = &loss_cases[t];
        volt_kernel *kernel = NULL;
        volt_fit_options options = volt_fit_options_default();
        double alphas[2];
        if (c->outputs > 1)
            continue;
        options.loss = c->text;
        options.weights = weights;
        options.scale = 0; /* the input scale uses all rows */
        check_ok(volt_kernel_parse("linear", &kernel));
        for (int part = 0; part < 2; part++) {
            int64_t n = part ? KEPT : LOSS_ROWS;
            volt_model *model = NULL;
            volt_model_info info = {.struct_size = sizeof info};
            for (int64_t i = KEPT; i < LOSS_ROWS; i++) /* the diagonal has the same mean */
                memcpy(d.X + 2 * i, d.X + 2 * (i % KEPT), 2 * sizeof(double));
            check_ok(volt_model_fit(kernel, volt_view_of(d.X, n, 2),
                                    volt_view_of(loss_targets(&d, c).data, n, 1), &options,
                                    volt_matrix_of(part ? kept : all, n, 1), &model));
            volt_model_get_info(model, &info);
            alphas[part] = info.alpha;
            volt_model_free(model);
        }
        /* the alpha grid is in units of the mean diagonal */
        if (!(fabs(log10(alphas[0] / alphas[1])) < 0.5))
            fail_msg("%s: alpha %g with rows of weight 0, %g without", c->text, alphas[0], alphas[1]);
        volt_kernel_free(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders_do_not_affect_fits),
        cmocka_unit_test(placeholders_do_not_affect_searches),
        cmocka_unit_test(alpha_is_chosen_on_rows_with_a_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
