/* src/data/ode/multisine.h: random-phase multisine on a grid of one period.
 *
 *     u_j = amplitude sqrt(2 / M) sum_{k=1..M} cos(2 pi k j / points + phi_k),    j = 0 ... points - 1
 *
 * with independent phases phi_k, uniform on [0, 2 pi), from (seed, stream 1). */
#ifndef DATA_ODE_MULTISINE_H
#define DATA_ODE_MULTISINE_H

#include "volterra/status.h"

#include <stdint.h>

typedef struct volt_multisine volt_multisine;

/* VOLT_ERR_MEMORY. */
volt_status volt_multisine_create(double amplitude, int64_t harmonics, int64_t points, uint64_t seed,
                                  volt_multisine **signal);
void volt_multisine_free(volt_multisine *signal);

/* The value at any j >= 0; the first use of a point costs M products. */
double volt_multisine_at(volt_multisine *signal, int64_t j);

#endif
