/* src/data/bekk/bekk_likelihood.h: log-likelihood of the BEKK model and its exact gradient. */
#ifndef DATA_BEKK_LIKELIHOOD_H
#define DATA_BEKK_LIKELIHOOD_H

#include "base/progress.h"
#include "data/bekk/bekk.h"

#include <stdint.h>

/* Returns, and workspace for one evaluation. Time steps are grouped in blocks of VOLT_BEKK_LANES: entry e of
 * step t is at [(t / LANES) * E + e] * LANES + t % LANES. Steps after the last have returns of 0. */
enum { VOLT_BEKK_LANES = 8 };

typedef struct volt_bekk_likelihood {
    int64_t n, d, entries, blocks;
    double *returns;     /* blocks x d x LANES */
    double *first;       /* H_1, packed */
    double *covariances; /* H_t: blocks x E x LANES */
    double *slopes;      /* S_t, the derivative of term t with respect to H_t: blocks x E x LANES */
    double *solved;      /* workspace: blocks x d x LANES */
    double *terms;       /* n padded to whole blocks: -1/2 (d log 2 pi + log det H_t + r_t' H_t^{-1} r_t) */
    double *intercept;   /* C C', packed */
    double *lane_sums;   /* 3 x E x LANES: workspace for the sums, lane by lane */
    double *sums;        /* 3 x E: sums of G_t, of G_t o r r', of G_t o H */
    double *memory;
} volt_bekk_likelihood;

static inline int64_t volt_bekk_lane_of(int64_t count, int64_t t, int64_t entry)
{
    return ((t / VOLT_BEKK_LANES) * count + entry) * VOLT_BEKK_LANES + t % VOLT_BEKK_LANES;
}

/* Copies the returns (n x d, finite) and H_1 (packed); NULL: the sample covariance, divisor n - 1. */
volt_status volt_bekk_likelihood_create(volt_view returns, const double *first,
                                        volt_bekk_likelihood *likelihood);
void volt_bekk_likelihood_free(volt_bekk_likelihood *likelihood);

/* The log-likelihood at C (d x d), a, b; with `gradient` also its derivatives with respect to the upper
 * triangle of C, by rows, a and b. Returns the step (from 0) whose H is not positive definite, or -1 on
 * success. Fills covariances, terms and, with the gradient, slopes. Independent of the number of threads. */
int64_t volt_bekk_likelihood_evaluate(volt_bekk_likelihood *likelihood, const double *C, const double *a,
                                      const double *b, double *loglik, double *gradient);

/* ---- derivatives of single terms of the log-likelihood of the BEKK model ----------------------- */

/* Derivatives of every term with respect to every parameter (n x P, in the order of the gradient), after an
 * evaluation with gradient at the same C, a, b. Row 0 is 0: H_1 is fixed. `workspace` has
 * volt_bekk_scores_workspace(d) numbers. */
int64_t volt_bekk_scores_workspace(int64_t d);
void volt_bekk_scores(const volt_bekk_likelihood *likelihood, const double *C, const double *a, const double *b,
                      double *workspace, double *scores);

/* ---- second derivatives of the log-likelihood, and standard errors ----------------------------- */

/* The curvature at an estimate. */
typedef struct volt_bekk_curvature {
    int is_maximum;   /* the Hessian is negative definite */
    double gain_left; /* 1/2 g' (-H)^{-1} g: the gain of a Newton step; INFINITY unless it is a maximum */
} volt_bekk_curvature;

/* Computes the curvature at C, a, b. `errors` (P) receives the standard errors of the sandwich, and is
 * unchanged unless it is a maximum; NULL: not computed. One unit of `stage` for each parameter. */
volt_status volt_bekk_curve(volt_bekk_likelihood *likelihood, const double *point, volt_stage *stage,
                            double *errors, volt_bekk_curvature *curvature);

/* ---- maximisation of the log-likelihood of the BEKK model from a given point ------------------- */

typedef struct volt_bekk_ascent {
    double loglik;
    double gain_left;    /* second-order estimate, with the curvature at the start of the last round */
    int64_t evaluations; /* of likelihood and gradient */
} volt_bekk_ascent;

/* Maximises from `point`, that is C (d x d), then a, then b, which receives the best point found; a_i^2 +
 * b_i^2 < 1 at both ends. At most `rounds` runs of the optimiser, a unit of `stage` each; ends when
 * gain_left is below `enough`, or when a round does not improve. VOLT_ERR_CANCELLED, VOLT_ERR_MEMORY,
 * VOLT_ERR_SINGULAR when the likelihood cannot be computed at the start. */
volt_status volt_bekk_climb(volt_bekk_likelihood *likelihood, int64_t rounds, double enough, volt_stage *stage,
                            double *point, volt_bekk_ascent *ascent);

/* ---- starting points of the estimator ---------------------------------------------------------- */

/* C of variance targeting, C C' = S o (1 - a a' - b b') with S = H_1, so that the stationary covariance is
 * S. That matrix can be indefinite although a_i^2 + b_i^2 < 1. Then a and b are moved towards values common
 * to all assets, where it is a multiple of S, until it is positive definite. Returns 0 when S itself is not
 * positive definite. */
int volt_bekk_target_variance(const volt_bekk_likelihood *likelihood, double *a, double *b, double *C);

/* a and b common to all assets, the most likely of a few candidates, and C. VOLT_ERR_DATA when S is
 * singular. */
volt_status volt_bekk_start_common(volt_bekk_likelihood *likelihood, double *a, double *b, double *C);

#endif
