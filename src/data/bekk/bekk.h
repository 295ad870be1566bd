/* src/data/bekk/bekk.h: declarations shared by the files of the BEKK model.
 *
 * Symmetric matrices are packed: entry (i, j), j <= i, of E = d (d + 1) / 2 is at i (i + 1) / 2 + j. Gradients
 * and standard errors contain the upper triangle of C by rows, then a, then b: P = E + 2 d numbers. */
#ifndef DATA_BEKK_H
#define DATA_BEKK_H

#include "volterra/base.h"
#include "volterra/data.h"

static inline int64_t volt_packed_count(int64_t d)
{
    return d * (d + 1) / 2;
}

static inline int64_t volt_packed(int64_t i, int64_t j)
{
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* Number of parameters of the diagonal model with d assets. */
static inline int64_t volt_bekk_parameter_count(int64_t d)
{
    return volt_packed_count(d) + 2 * d;
}

/* C C' of an upper triangular C (d x d), packed. */
void volt_bekk_intercept(int64_t d, const double *C, double *packed);

/* The upper triangular C, with positive diagonal, such that C C' = M (packed); returns 0 when M is not
 * positive definite. C is d x d and may then be incomplete. */
int volt_bekk_upper_factor(int64_t d, const double *packed, double *C);

/* Fixes the signs that the model does not determine: sum a > 0, sum b > 0, diag C > 0. */
void volt_bekk_fix_signs(volt_bekk *bekk);

/* Allocates the standard errors, set to zero; a second call does nothing. */
volt_status volt_bekk_allocate_errors(volt_bekk *bekk);

/* VOLT_ERR_ARGUMENT for NULL or invalid parameters, VOLT_ERR_NOT_FINITE. */
volt_status volt_bekk_check(const volt_bekk *bekk);

/* r = H^{1/2} z, with the symmetric root of a packed H; `workspace` has volt_symmetric_root_workspace(d) numbers. */
int64_t volt_symmetric_root_workspace(int64_t d);
volt_status volt_symmetric_root(int64_t d, const double *packed, const double *z, double *workspace, double *r);

/* Copies a packed matrix to vech order: columns from the diagonal down. */
void volt_packed_to_vech(int64_t d, const double *packed, double *vech);

/* VOLT_OK when a_i^2 + b_i^2 < 1 for every i, the condition for covariance stationarity; otherwise VOLT_ERR_ARGUMENT
 * with the asset and the value. VOLT_ERR_NOT_FINITE. */
volt_status volt_bekk_check_stationary(const volt_bekk *bekk);

/* ---- JSON texts that CMake embeds from src/data/bekk/presets/ ---------------------------------- */

typedef struct volt_bekk_preset_text {
    const char *name; /* of the file, without .json */
    const char *text;
} volt_bekk_preset_text;

/* Sorted by name, shorter names first; ends with a name of NULL. */
extern const volt_bekk_preset_text volt_bekk_preset_texts[];

#endif
