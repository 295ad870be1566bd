/* src/select/search/cma.h: CMA-ES, a search of the unit box by a normal distribution whose mean, step size and
 * covariance follow the ranking of its samples.
 *
 *     volt_cma_create(&(volt_cma_options){.n = n, .start = u, .sigma = 0.3}, &cma);
 *     do {
 *         volt_cma_ask(cma, seed, stream);
 *         for (k = 0; k < volt_cma_population(cma); k++)
 *             values[k] = f(volt_cma_point(cma, k));
 *     } while (volt_cma_tell(cma, values));
 *
 * For a restart, create it again with twice the population (IPOP). The state depends only on the options, the
 * streams and the values. */
#ifndef SELECT_CMA_H
#define SELECT_CMA_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_cma volt_cma;

typedef struct volt_cma_options {
    int64_t n;           /* dimensions, at least 1 */
    const double *start; /* n: the first mean, in the unit box */
    double sigma;        /* first standard deviation along every axis, > 0 */
    int64_t population;  /* points of a generation, at least 4; 0: 4 + floor(3 ln n) */
    double tolerance_x;  /* ends when no axis has a larger standard deviation; 0: 1e-12 sigma */
    /* Ends when the best values of the last 10 + 30 n / population generations differ by less than this,
     * relative to their absolute values; 0: when they are equal */
    double tolerance_value;
} volt_cma_options;

volt_status volt_cma_create(const volt_cma_options *options, volt_cma **cma);
void volt_cma_free(volt_cma *cma);

int64_t volt_cma_population(const volt_cma *cma);

/* Draws a generation. Point k uses the random numbers of stream + k of the seed. */
void volt_cma_ask(volt_cma *cma, uint64_t seed, uint64_t stream);
/* Point k of the generation: n coordinates in [0, 1). */
const double *volt_cma_point(const volt_cma *cma, int64_t k);
/* Takes the values of the generation, lower is better. NaN (a failed evaluation) ranks last; of equal values
 * the first is better. False: the run has ended, without progress or at the precision. */
bool volt_cma_tell(volt_cma *cma, const double *values);

#endif
