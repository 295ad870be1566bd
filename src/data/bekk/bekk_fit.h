/* src/data/bekk/bekk_fit.h: climb the log-likelihood of the BEKK model from a given point. */
#ifndef DATA_BEKK_BEKK_FIT_H
#define DATA_BEKK_BEKK_FIT_H

#include "base/progress.h"
#include "data/bekk/bekk_likelihood.h"

typedef struct volt_bekk_ascent {
    double loglik;
    double gain_left;    /* to second order, with the curvature that the last round began with */
    int64_t evaluations; /* of likelihood and gradient */
} volt_bekk_ascent;

/* Climb from `point`, that is C (d x d), then a, then b, which receives the best point found; a_i^2 + b_i^2 < 1 at both
 * ends. At most `rounds` runs of the
 * optimiser, a unit of `stage` each; ends when gain_left is below `enough`, or when a round gains nothing.
 * VOLT_ERR_CANCELLED, VOLT_ERR_MEMORY, VOLT_ERR_SINGULAR when the likelihood cannot be computed at the start. */
volt_status volt_bekk_climb(volt_bekk_likelihood *likelihood, int64_t rounds, double enough, volt_stage *stage,
                            double *point, volt_bekk_ascent *ascent);

/* ---- where the estimator of the BEKK model begins ---------------------------------------------- */

/* C of variance targeting, C C' = S o (1 - a a' - b b') with S = H_1, so that the stationary covariance is S. That
 * matrix can be indefinite although a_i^2 + b_i^2 < 1: then a and b are moved towards values common to all assets,
 * where it is a multiple of S, until it is not; returns 0 when S itself is not positive definite. */
int volt_bekk_target_variance(const volt_bekk_likelihood *likelihood, double *a, double *b, double *C);

/* a and b common to all assets, the most likely of a few, and C. VOLT_ERR_DATA when S is singular. */
volt_status volt_bekk_start_common(volt_bekk_likelihood *likelihood, double *a, double *b, double *C);

/* a and b of every asset alone: the diagonal of the model is a model of one asset. A unit of `stage` for each.
 * *evaluations grows by what it took. */
volt_status volt_bekk_start_alone(volt_view returns, volt_stage *stage, double *a, double *b,
                                  int64_t *evaluations);

/* Move a and b at random, inside the disc. */
void volt_bekk_perturb(int64_t d, volt_rng *rng, double *a, double *b);

#endif
