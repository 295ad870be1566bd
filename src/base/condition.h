/* src/base/condition.h: the condition number of a symmetric matrix, estimated from solves. */
#ifndef BASE_CONDITION_H
#define BASE_CONDITION_H

#include <stdint.h>

/* x <- A^{-1} x (n numbers). */
typedef void (*volt_solve_fn)(void *context, double *x);

/* Estimates the 1-norm of A^{-1} with a few solves (Hager; Higham, ACM Transactions on Mathematical Software
 * 14, 1988, algorithm 4.1, as LAPACK's dlacn2). `workspace` has 2 n numbers. */
double volt_inverse_norm(int64_t n, volt_solve_fn solve, void *context, double *workspace);

#endif
