/* src/solve/exact/kept_factor.h: what is kept of a factor for the variances of later forecasts.
 *
 * With L L' = K - common 11' + alpha I and u = L^{-1} 1 of the m rows that were fitted, a row whose kernel against them is k
 * and against itself kk has, v = L^{-1} (k - common),
 *
 *     variance / s^2 = kk - common - v'v + (1 - u'v)^2 / (u'u) + alpha           (no term with u without an intercept)
 *
 * for a new observation; alpha is its noise (docs/math.md, "Variance of a forecast"). L lies here as the rows of its lower
 * triangle one behind the other. Rows without a target have a zero on the diagonal, and take no part. */
#ifndef SOLVE_KEPT_FACTOR_H
#define SOLVE_KEPT_FACTOR_H

#include "solve/exact/factor.h"

typedef struct volt_kept_factor {
    int64_t m;
    double alpha, common;
    double *L; /* m (m + 1) / 2 */
    double *u; /* m; zeros where there is no intercept */
    double uu; /* u' u; 0: no intercept */
} volt_kept_factor;

/* The factors of a fit, one for every alpha, and what each output has of them. */
typedef struct volt_kept_list {
    int64_t count;
    volt_kept_factor *factors; /* room for one an output */
    int64_t q, *of;            /* q: number of the output's factor; -1: the kernel plays no part in it */
    bool *constant;            /* q: the output has an intercept */
} volt_kept_list;

volt_status volt_kept_list_create(int64_t q, volt_kept_list *list);
void volt_kept_list_release(volt_kept_list *list);

volt_status volt_kept_allocate(int64_t m, volt_kept_factor *kept);
void volt_kept_release(volt_kept_factor *kept);

/* All rows of a factor that has grown to its end. VOLT_ERR_MEMORY. */
volt_status volt_kept_take(const volt_factor *factor, double alpha, volt_kept_factor *kept);

/* Variances over s^2 of linear functionals of what was learned, without and with the intercept: K (rows x m) holds what each
 * makes of the kernels against the rows that were fitted, and is used up; kk (rows) what it makes of the kernel in both
 * arguments; `one` is what all of them make of the constant 1: 1 for values, 0 for derivatives. BLAS must be claimed.
 * VOLT_ERR_MEMORY. */
volt_status volt_kept_latent(const volt_kept_factor *kept, double one, volt_matrix K, const double *kk,
                             double *plain, double *with_constant);

/* The same of new observations, alpha included, of the rows whose kernels those are. */
volt_status volt_kept_variances(const volt_kept_factor *kept, volt_matrix K, const double *kk, double *plain,
                                double *with_constant);

#endif
