/* bench/tune_problem.h: data and draws of the timed search: a sample like the published one.
 *
 * Inputs are the innovations z_t of a diagonal BEKK(1,0,1) process, divided by the largest norm; targets are
 * the conditional covariances that follow, 1000 vech(H_{t+1}), standardised column by column:
 *
 *     r_t = L_t z_t,  L_t L_t' = H_t,    H_{t+1} = Omega + (a o r_t)(a o r_t)' + (b b') o H_t
 *
 * (L_t is the Cholesky factor: any root of H_t gives the same distribution.) The draws follow the published comparison: tau
 * from 10^[-1,-0.002], lambda from 0.01 to 0.999 sqrt(1 - tau^2), alpha from 10^[-5,1], each log-uniform, draw i from Philox
 * stream i. */
#ifndef BENCH_TUNE_PROBLEM_H
#define BENCH_TUNE_PROBLEM_H

#include "volterra.h"

enum { TUNE_D = 10, TUNE_Q = TUNE_D * (TUNE_D + 1) / 2 };
enum { TUNE_TAU, TUNE_LAMBDA, TUNE_ALPHA, TUNE_PARAMETERS }; /* columns of draws */

typedef struct tune_problem {
    volt_matrix X;     /* n x TUNE_D, the longest row of norm 1 */
    volt_matrix Y;     /* n x TUNE_Q, columns of mean 0 and variance 1 */
    volt_matrix draws; /* one in a row */
} tune_problem;

/* Ends the program on failure. */
tune_problem tune_problem_make(int64_t n, int64_t draws);
void tune_problem_free(tune_problem *problem);

#endif
