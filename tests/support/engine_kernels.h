/* tests/support/engine_kernels.h: kernels that together run on every engine of the table. */
#ifndef SUPPORT_ENGINE_KERNELS_H
#define SUPPORT_ENGINE_KERNELS_H

#include "gram/engine/engine.h"

/* Kernel texts with positive semidefinite matrices, terminated by NULL. A new engine needs a kernel here
 * that runs on it. */
extern const char *const engine_kernels[];

/* The kernel resolved on the rows of Z. */
volt_resolved resolve_on(const char *text, volt_view Z);

/* The full Gram matrix of Z by volt_gram, n x n; the caller frees it. */
double *full_gram(const char *text, volt_view Z);

/* The same if the rows of Z are n records: every block is computed by volt_gram from two sequences. */
double *records_gram(const char *text, volt_view Z, const int64_t *lengths, int64_t n);
/* The same with a ball of this radius, for rows outside Z. */
double *records_gram_within(const char *text, volt_view Z, const int64_t *lengths, int64_t n, double radius);

#endif
