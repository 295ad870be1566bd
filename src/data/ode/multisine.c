/* src/data/ode/multisine.c: random-phase multisine on a grid of one period.
 *
 * cos(2 pi k j / points + phi_k) is expanded by the addition theorem, and k j is reduced modulo `points`, so that all
 * values come from one table of cosines and sines and the signal is exactly periodic. */
#include "data/ode/multisine.h"

#include "base/error.h"
#include "base/memory.h"
#include "volterra/base.h"

#include <math.h>

static const double two_pi = 6.28318530717958647692;

struct volt_multisine {
    int64_t harmonics, points;
    double scale;
    double *phase_cos, *phase_sin; /* of phi_k, for each harmonic */
    double *grid_cos, *grid_sin;   /* of 2 pi j / points */
    double *values;                /* NaN: not computed */
};

volt_status volt_multisine_create(double amplitude, int64_t harmonics, int64_t points, uint64_t seed,
                                  volt_multisine **signal)
{
    *signal = NULL;
    VOLT_TRY(volt_memory_require((2 * (double)harmonics + 3 * (double)points) * sizeof(double),
                                 "the input of the system"));
    volt_multisine *made = volt_alloc_zero(1, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    made->harmonics = harmonics;
    made->points = points;
    made->scale = amplitude * sqrt(2 / (double)harmonics);
    made->phase_cos = volt_alloc(harmonics, sizeof(double));
    made->phase_sin = volt_alloc(harmonics, sizeof(double));
    made->grid_cos = volt_alloc(points, sizeof(double));
    made->grid_sin = volt_alloc(points, sizeof(double));
    made->values = volt_alloc(points, sizeof(double));
    if (!made->phase_cos || !made->phase_sin || !made->grid_cos || !made->grid_sin || !made->values) {
        volt_multisine_free(made);
        return VOLT_ERR_MEMORY;
    }
    volt_rng rng;
    volt_rng_init(&rng, seed, 1);
    for (int64_t k = 0; k < harmonics; k++) {
        double phase = two_pi * volt_rng_uniform(&rng);
        made->phase_cos[k] = cos(phase);
        made->phase_sin[k] = sin(phase);
    }
    for (int64_t j = 0; j < points; j++) {
        double angle = two_pi * ((double)j / (double)points);
        made->grid_cos[j] = cos(angle);
        made->grid_sin[j] = sin(angle);
        made->values[j] = NAN;
    }
    *signal = made;
    return VOLT_OK;
}

void volt_multisine_free(volt_multisine *signal)
{
    if (!signal)
        return;
    volt_free(signal->phase_cos);
    volt_free(signal->phase_sin);
    volt_free(signal->grid_cos);
    volt_free(signal->grid_sin);
    volt_free(signal->values);
    volt_free(signal);
}

double volt_multisine_at(volt_multisine *signal, int64_t j)
{
    const int64_t points = signal->points;
    j %= points;
    if (!isnan(signal->values[j]))
        return signal->values[j];
    double sum = 0;
    int64_t at = 0; /* k j modulo points */
    for (int64_t k = 0; k < signal->harmonics; k++) {
        at += j;
        if (at >= points)
            at -= points;
        sum += signal->phase_cos[k] * signal->grid_cos[at] - signal->phase_sin[k] * signal->grid_sin[at];
    }
    return signal->values[j] = signal->scale * sum;
}
