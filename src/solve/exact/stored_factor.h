/* src/solve/exact/stored_factor.h: the stored factor for variances of later predictions.
 *
 * L L' = K - common 11' + alpha I and u = L^{-1} 1, for the m fitted rows. For a row with kernel k against
 * them and kk against itself, let v = L^{-1} (k - common). A new observation has
 *
 *     variance / s^2 = kk - common - v'v + (1 - u'v)^2 / (u'u) + alpha           (no term with u without an intercept)
 *
 * alpha is its noise (docs/math.md, "Variance of a forecast"). L is stored as the packed rows of its lower
 * triangle. Rows without a target have a zero on the diagonal and are ignored. */
#ifndef SOLVE_STORED_FACTOR_H
#define SOLVE_STORED_FACTOR_H

#include "solve/exact/factor.h"

typedef struct volt_stored_factor {
    int64_t m;
    double alpha, common;
    double *L; /* m (m + 1) / 2 */
    double *u; /* m; zeros without an intercept */
    double uu; /* u' u; 0: no intercept */
} volt_stored_factor;

/* The factors of a fit, one for every alpha, and the factor of each output. */
typedef struct volt_stored_factors {
    int64_t count;
    volt_stored_factor *factors; /* space for one per output */
    int64_t q, *of;              /* q: index of the output's factor; -1: the kernel is not used */
    bool *constant;              /* q: the output has an intercept */
} volt_stored_factors;

volt_status volt_stored_factors_create(int64_t q, volt_stored_factors *list);
void volt_stored_factors_release(volt_stored_factors *list);

volt_status volt_stored_factor_allocate(int64_t m, volt_stored_factor *stored);
void volt_stored_factor_release(volt_stored_factor *stored);

/* Stores all rows of a complete factor. VOLT_ERR_MEMORY. */
volt_status volt_stored_factor_fill(const volt_factor *factor, double alpha, volt_stored_factor *stored);

/* Variances over s^2 of linear functionals of the learned function, without and with the intercept. K (rows
 * x m) holds the functionals applied to the kernels against the fitted rows, and is overwritten. kk (rows)
 * holds them applied to both arguments of the kernel. `one` is their value for the constant 1: 1 for values,
 * 0 for derivatives. BLAS must be claimed. VOLT_ERR_MEMORY. */
volt_status volt_stored_factor_latent_variances(const volt_stored_factor *stored, double one, volt_matrix K,
                                                const double *kk, double *plain, double *with_constant);

#endif
