/* src/data/bekk/bekk_curvature.h: second derivatives of the log-likelihood, and standard errors from them. */
#ifndef DATA_BEKK_CURVATURE_H
#define DATA_BEKK_CURVATURE_H

#include "base/progress.h"
#include "data/bekk/bekk_likelihood.h"

/* Minus the Hessian (P x P, in the order of the gradient) by central differences of the exact gradient, at `point`: C
 * (d x d), then a, then b, which are moved and put back. `scores` (n x P) are those at the point; `room` has 2 P
 * numbers. Adds `units` to the stage for each parameter. Returns 0 when the likelihood broke down or the user
 * cancelled. */
int volt_bekk_minus_hessian(volt_bekk_likelihood *likelihood, double *point, const double *scores,
                            volt_stage *stage, int64_t units, double *room, double *minus_hessian);

/* Where an estimate stands. */
typedef struct volt_bekk_curvature {
    int is_maximum;   /* the Hessian is negative definite */
    double gain_left; /* 1/2 g' (-H)^{-1} g: what a Newton step would gain; INFINITY when there is no maximum */
} volt_bekk_curvature;

/* Look at the point C, a, b. `errors` (P) receives the standard errors of the sandwich, and is untouched when there is
 * no maximum; NULL: not wanted. One unit of `stage` for each parameter. */
volt_status volt_bekk_curve(volt_bekk_likelihood *likelihood, const double *point, volt_stage *stage,
                            double *errors, volt_bekk_curvature *curvature);

#endif
