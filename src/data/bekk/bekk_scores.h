/* src/data/bekk/bekk_scores.h: derivatives of single terms of the log-likelihood of the BEKK model. */
#ifndef DATA_BEKK_SCORES_H
#define DATA_BEKK_SCORES_H

#include "data/bekk/bekk_likelihood.h"

/* Derivatives of every term by every parameter (n x P, in the order of the gradient), after an evaluation with
 * gradient at the same C, a, b. Row 0 is 0: H_1 is fixed. `room` has volt_bekk_scores_room(d) numbers. */
int64_t volt_bekk_scores_room(int64_t d);
void volt_bekk_scores(const volt_bekk_likelihood *likelihood, const double *C, const double *a, const double *b,
                      double *room, double *scores);

#endif
