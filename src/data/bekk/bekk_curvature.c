/* src/data/bekk/bekk_curvature.c: second derivatives of the log-likelihood, and the resulting standard errors.
 *
 * The distribution may be misspecified: the covariance of the estimate is then the sandwich (-H)^{-1} J
 * (-H)^{-1}, H the Hessian, J = sum_t s_t s_t' of the scores (White, Econometrica 50, 1982). With the scores
 * as rows of an n x P matrix, its diagonal contains the squared norms of the columns of (scores) (-H)^{-1}. */
#include "base/blas.h"
#include "base/memory.h"
#include "data/bekk/bekk_likelihood.h"

#include <math.h>
#include <string.h>

/* The address of parameter k in C, a, b. */
static double *parameter_at(double *point, int64_t d, int64_t k)
{
    int64_t entries = volt_packed_count(d);
    if (k >= entries)
        return point + d * d + (k - entries);
    int64_t i = 0;
    while (k >= d - i) {
        k -= d - i;
        i++;
    }
    return point + i * d + i + k;
}

int volt_bekk_minus_hessian(volt_bekk_likelihood *likelihood, double *point, const double *scores,
                            volt_stage *stage, int64_t units, double *workspace, double *minus_hessian)
{
    int64_t d = likelihood->d, P = volt_bekk_parameter_count(d);
    const double *C = point, *a = point + d * d, *b = a + d;
    double *above = workspace, *below = workspace + P, loglik;
    for (int64_t k = 0; k < P; k++) {
        /* A thousandth of the standard error estimated from the scores: the differences then have a relative
         * error of about 1e-6, and a much smaller rounding error. */
        double norm = cblas_dnrm2((int)likelihood->n, scores + k, (int)P), step = 1e-3 / fmax(norm, 1);
        double *parameter = parameter_at(point, d, k), kept = *parameter;
        if (!volt_stage_advance(stage, units))
            return 0;
        *parameter = kept + step;
        int64_t broken = volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, above);
        *parameter = kept - step;
        if (broken < 0)
            broken = volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, below);
        *parameter = kept;
        if (broken >= 0)
            return 0;
        for (int64_t l = 0; l < P; l++)
            minus_hessian[k * P + l] = (below[l] - above[l]) / (2 * step);
    }
    for (int64_t k = 0; k < P; k++)
        for (int64_t l = 0; l < k; l++)
            minus_hessian[k * P + l] = minus_hessian[l * P + k] =
                0.5 * (minus_hessian[k * P + l] + minus_hessian[l * P + k]);
    return 1;
}

/* ---- sandwich --------------------------------------------------------------------------------- */

typedef struct curve_workspace {
    double *point;         /* C, a, b, modified and restored */
    double *gradient;      /* P */
    double *differences;   /* 2 P */
    double *minus_hessian; /* P x P, then its factor */
    double *scores;        /* n x P */
    double *of_scores;     /* workspace of volt_bekk_scores */
} curve_workspace;

static double *make_workspace(const volt_bekk_likelihood *likelihood, curve_workspace *made)
{
    int64_t d = likelihood->d, P = volt_bekk_parameter_count(d);
    double *memory =
        volt_alloc_doubles(d * (d + 2) + 3 * P + P * P + likelihood->n * P + volt_bekk_scores_workspace(d), 1);
    if (!memory)
        return NULL;
    made->point = memory;
    made->gradient = made->point + d * (d + 2);
    made->differences = made->gradient + P;
    made->minus_hessian = made->differences + 2 * P;
    made->scores = made->minus_hessian + P * P;
    made->of_scores = made->scores + likelihood->n * P;
    return memory;
}

/* With L L' = -H: gain_left = |L^{-1} g|^2 / 2, and two triangular solves from the right for the errors. */
static void sandwich(int64_t n_rows, int64_t n_parameters, curve_workspace *workspace, double *errors,
                     volt_bekk_curvature *curvature)
{
    volt_blas_int order = (volt_blas_int)n_parameters, info = 0;
    dpotrf_("U", &order, workspace->minus_hessian, &order, &info, 1);
    if (info != 0)
        return;
    int p = (int)n_parameters, n = (int)n_rows;
    const double *L = workspace->minus_hessian;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, p, L, p, workspace->gradient, 1);
    curvature->is_maximum = 1;
    curvature->gain_left = 0.5 * cblas_ddot(p, workspace->gradient, 1, workspace->gradient, 1);
    if (!errors)
        return;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, p, 1, L, p,
                workspace->scores, p);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, n, p, 1, L, p,
                workspace->scores, p);
    for (int64_t k = 0; k < n_parameters; k++)
        errors[k] = cblas_dnrm2(n, workspace->scores + k, p);
}

volt_status volt_bekk_curve(volt_bekk_likelihood *likelihood, const double *point, volt_stage *stage,
                            double *errors, volt_bekk_curvature *curvature)
{
    int64_t d = likelihood->d;
    const double *C = point, *a = point + d * d, *b = a + d;
    double loglik;
    curve_workspace workspace;
    double *memory = make_workspace(likelihood, &workspace);
    if (!memory)
        return VOLT_ERR_MEMORY;
    memcpy(workspace.point, point, (size_t)(d * (d + 2)) * sizeof *point);

    volt_bekk_curvature found = {.is_maximum = 0, .gain_left = INFINITY};
    if (volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, workspace.gradient) < 0) {
        volt_bekk_scores(likelihood, C, a, b, workspace.of_scores, workspace.scores);
        if (volt_bekk_minus_hessian(likelihood, workspace.point, workspace.scores, stage, 1,
                                    workspace.differences, workspace.minus_hessian))
            sandwich(likelihood->n, volt_bekk_parameter_count(d), &workspace, errors, &found);
    }
    volt_free(memory);
    volt_status status = volt_stage_end(stage);
    if (status == VOLT_OK)
        *curvature = found;
    return status;
}
