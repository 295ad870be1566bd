/* cuda/condition.h: the condition number of a symmetric matrix from solves with it alone. */
#ifndef CUDA_CONDITION_H
#define CUDA_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

/* x <- A^{-1} x (n numbers); false when it failed. */
typedef bool (*volt_solve_fn)(void *context, double *x);

/* The estimated 1-norm of A^{-1} (Hager; Higham, ACM Transactions on Mathematical Software 14, 1988, algorithm 4.1, as
 * LAPACK's dlacn2): a handful of solves. `room` has 2 n numbers. False when a solve failed. */
bool volt_inverse_norm(int64_t n, volt_solve_fn solve, void *context, double *room, double *norm);

#endif
