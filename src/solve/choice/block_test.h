/* src/solve/choice/block_test.h: are one forecast's squared errors smaller than another's, by more than chance? */
#ifndef SOLVE_BLOCK_TEST_H
#define SOLVE_BLOCK_TEST_H

#include <stdint.h>

/* How sure one can be that `errors` (element i at errors[i * ld]) are smaller than `rivals`: 0.99, 0.95, or 0.
 * Squares are averaged over min(20, n / least) blocks of neighbouring rows, the first n mod blocks of them one row
 * longer; a block counts as independent of the others, and Student's t decides, of the differences of the block means or,
 * where the sum of those is above 0, of the logarithms of their ratios, whichever is surer; the ratios count only where they
 * are 0.8 or less in the mean (docs/math.md). Fewer than 4 blocks: 0. */
double volt_block_test(const double *errors, const double *rivals, int64_t ld, int64_t n, int64_t least);

#endif
