/* tests/support/plain_cv.h: reference implementation of time-ordered cross-validation with one separate fit
 * per prediction.
 *
 * A fold is a fit on rows train_begin .. train_end - 1 from a zero initial state, the washout cut from its
 * head, by Gauss elimination of the bordered system
 *
 *     | K + alpha I   1 | | A |   | Y |
 *     |     1'        0 | | c | = | 0 |        (without intercept: only the first block)
 *
 * and forecasts are K[val, train] A + c. Scales, the radius of the ball and the largest value come from all
 * rows. Gram matrices are the library's own, which are shown to be right elsewhere; nothing else here shares
 * code with src. */
#ifndef SUPPORT_PLAIN_CV_H
#define SUPPORT_PLAIN_CV_H

#include "volterra/select.h"

typedef struct plain_problem {
    int64_t n, d, q;
    double *X; /* n x d, neither centred nor of norm 1 */
    double *Y; /* n x q: nonlinear in X and its past, with noise; columns of different size and level */
} plain_problem;

plain_problem plain_problem_make(volt_rng *rng, int64_t n, int64_t d, int64_t q);
void plain_problem_free(plain_problem *problem);
volt_view plain_inputs(const plain_problem *problem);
volt_view plain_targets(const plain_problem *problem);

/* What options->score is on each block (R2, NMSE, MSE from one fit per block, PREQUENTIAL from one fit per row
 * of the blocks), and how far rounding moves it. A forecast is h'Y, h the solution of the same system with
 * the kernels of its row on the right; entries of K that are off by eps max|K|, independently, move it by
 * eps max|K| (1 + |h|) |A| (2-norms), and `rounding` is what 8 times that, on all rows, does to the score. */
void plain_cv_folds(const plain_problem *problem, const char *kernel, double alpha,
                    const volt_search_options *options, double *folds, double *rounding);

/* VOLT_SCORE_LOG: the sum over outputs of the log density of the targets (in their own units) that are kept
 * after the washout, each normal with mean 0 and covariance s^2 sd^2 (K + alpha I), s^2 the value that makes
 * the density largest; the mean that is removed by scaling is known. With an intercept the density of the
 * first differences of the targets, which does not see a constant: this is what a flat prior leaves over. */
double plain_cv_log_score(const plain_problem *problem, const char *kernel, double alpha,
                          const volt_search_options *options);

#endif
