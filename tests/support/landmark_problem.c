/* tests/support/landmark_problem.c: rows of a system with memory, and fits of them on landmarks. */
#include "support/landmark_problem.h"

#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

problem *make_problem(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    problem *p = malloc(sizeof *p);
    double *X = random_rows(&rng, ALL, D, 1), memory = 0;
    assert_non_null(p);
    memcpy(p->X, X, sizeof p->X);
    for (int64_t i = 0; i < ALL; i++) {
        memory = 0.6 * memory + X[i * D] + X[i * D + 1] * X[i * D];
        p->Y[i * Q] = memory + 0.1 * volt_rng_normal(&rng);
        p->Y[i * Q + 1] = 3 + X[i * D] * memory + 0.1 * volt_rng_normal(&rng);
    }
    /* No later row reaches beyond the ball of training. */
    for (int64_t i = N; i < ALL; i++)
        for (int64_t k = 0; k < D; k++)
            p->X[i * D + k] *= 0.5;
    free(X);
    return p;
}

volt_fit_options plain_options(void)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.scale = 0;
    options.solver = "nystrom";
    return options;
}

volt_model *fit_text(const char *text, const problem *p, const volt_fit_options *options, double *fitted)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q), options,
                            volt_matrix_of(fitted, N, Q), &model));
    volt_kernel_free(kernel);
    return model;
}

void predict_rest(const volt_model *model, const problem *p, double *out)
{
    check_ok(
        volt_model_predict(model, volt_view_of(p->X + N * D, H, D), NULL, volt_matrix_of(out, H, Q), NULL));
}

double largest_gap(const double *a, const double *b, int64_t count)
{
    double gap = 0;
    for (int64_t i = 0; i < count; i++)
        gap = fmax(gap, isfinite(a[i]) && isfinite(b[i]) ? fabs(a[i] - b[i]) : INFINITY);
    return gap;
}
