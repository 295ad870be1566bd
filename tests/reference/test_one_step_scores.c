/* tests/reference/test_one_step_scores.c: prequential errors and log scores of measured series, for many alphas. */
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/golden.h"

typedef struct series {
    golden *file;
    int number;
    golden_array Z, level, change;
    double *K;     /* m x m */
    double common; /* K - common 11' is factored where there is a constant */
    int64_t m, first;
} series;

static golden_array part(const series *s, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "cases.%d.%s", s->number, what);
    return golden_array_of(s->file, path);
}

static series load(golden *file, int number)
{
    series s = {.file = file, .number = number};
    char path[64];
    snprintf(path, sizeof path, "cases.%d.first_heldout_origin", number);
    s.first = (int64_t)golden_number(file, path);
    s.Z = part(&s, "inputs.Z");
    s.level = part(&s, "inputs.level");
    s.change = part(&s, "inputs.change");
    s.m = s.Z.rows;
    s.K = malloc((size_t)(s.m * s.m) * sizeof *s.K);
    assert_non_null(s.K);
    volt_kernel *kernel = NULL;
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1 + 4 * DBL_EPSILON;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_kernel_query(kernel, 1, s.Z.cols, DBL_EPSILON, &facts));
    check_ok(volt_gram(kernel, volt_view_of(s.Z.data, s.m, s.Z.cols), volt_view_of(NULL, 0, 0), &options,
                       volt_matrix_of(s.K, s.m, s.m)));
    s.common = 1 / (1 - facts.lambda * facts.lambda);
    volt_kernel_free(kernel);
    return s;
}

/* Errors one step ahead and the log score of all rows, with one alpha. The figures factor K - common 11' whether there is a
 * constant or not: it is their kernel. */
static void score(const series *s, const double *y, double alpha, bool constant, double *mse, double *log_score)
{
    int64_t m = s->m;
    double *K = malloc((size_t)(m * m) * sizeof *K), *workspace = calloc((size_t)(2 * m), sizeof *workspace);
    double *out = calloc((size_t)m, sizeof *out), *D = calloc((size_t)m, sizeof *D), unit = 1;
    assert_true(K && workspace && out && D);
    for (int64_t i = 0; i < m * m; i++)
        K[i] = s->K[i] - s->common;
    volt_operator *op = NULL;
    volt_factor *factor = NULL;
    volt_stage stage;
    volt_stage_begin(&stage, (volt_progress){0}, "test", 0, 1, 1);
    check_ok(volt_dense_operator(volt_view_of(K, m, m), &op));
    check_ok(volt_factor_create(volt_backend_current(), NULL, m, 1, &factor));
    volt_factor_task task = {.rows = m,
                             .alpha = alpha,
                             .Y = volt_view_of(y, m, 1),
                             .W = {workspace, m, 1, constant ? 2 : 1},
                             .u = constant ? workspace + 1 : NULL,
                             .ld_u = 2,
                             .steady = true,
                             .stage = &stage};
    volt_factor_begin(factor, &task);
    check_ok(volt_factor_fill(factor, op));
    check_ok(volt_factor_grow(factor, m));
    volt_factor_one_step(factor, s->first, volt_matrix_of(out, m - s->first, 1));
    *mse = 0;
    for (int64_t t = s->first; t < m; t++)
        *mse += (y[t] - out[t - s->first]) * (y[t] - out[t - s->first]) / (double)(m - s->first);
    volt_factor_intercepts(factor);
    check_ok(volt_factor_log_score(factor, &unit, log_score));
    volt_factor_free(factor);
    volt_operator_free(op);
    free(D);
    free(out);
    free(workspace);
    free(K);
}

static void scores_of_measured_series(void **state)
{
    golden *file = golden_load("one_step_scores");
    for (int number = 0; number < golden_length(file, "cases"); number++) {
        series s = load(file, number);
        golden_array corner = part(&s, "expected.K_corner"), alphas = part(&s, "alpha"),
                     change = part(&s, "change"), constant = part(&s, "constant"),
                     mse = part(&s, "expected.heldout_mse"), log_scores = part(&s, "expected.log_score");
        double largest = 0;
        for (int64_t i = 0; i < 4; i++)
            golden_check("K_corner", corner.data + 4 * i, s.K + i * s.m, 4, 1e-13, GOLDEN_RELATIVE);
        for (int64_t i = 0; i < s.m; i++)
            largest = fmax(largest, s.K[i * s.m + i] - s.common);
        for (int64_t i = 0; i < alphas.count; i++) {
            double found = 0, likelihood = 0, alpha = alphas.data[i];
            /* A backward stable solve: m eps times the condition number, at most m largest / alpha, both ways. */
            double tolerance = 1e-11 + 4 * (double)s.m * DBL_EPSILON * (1 + (double)s.m * largest / alpha);
            score(&s, change.data[i] != 0 ? s.change.data : s.level.data, alpha, constant.data[i] != 0, &found,
                  &likelihood);
            golden_check("heldout_mse", mse.data + i, &found, 1, tolerance, GOLDEN_RELATIVE);
            golden_check("log_score", log_scores.data + i, &likelihood, 1, tolerance, GOLDEN_RELATIVE);
        }
        assert_true(alphas.count > 30);
        free(s.K);
    }
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_of_measured_series)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
