/* src/data/bekk/bekk_ascent.h: climb the log-likelihood of the BEKK model from a given point. */
#ifndef DATA_BEKK_ASCENT_H
#define DATA_BEKK_ASCENT_H

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

#endif
