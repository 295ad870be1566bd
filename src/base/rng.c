/* src/base/rng.c: Philox 4x64-10 from Random123, uniforms and normals. */
#include "base/numbers.h"
#include "volterra/base.h"

#include <Random123/philox.h>
#include <math.h>

static const double two_pi = 6.283185307179586;

void volt_rng_init(volt_rng *rng, uint64_t seed, uint64_t stream)
{
    volt_rng fresh = {.seed = seed, .stream = stream, .block = 1, .used = 4};
    *rng = fresh; /* block 1 first: NumPy steps its counter before it draws */
}

uint64_t volt_rng_word(volt_rng *rng)
{
    if (rng->used == 4) {
        philox4x64_ctr_t counter = {{rng->block++, 0, 0, 0}};
        philox4x64_key_t key = {{rng->seed, rng->stream}};
        philox4x64_ctr_t block = philox4x64(counter, key);
        for (int i = 0; i < 4; i++)
            rng->words[i] = block.v[i];
        rng->used = 0;
    }
    return rng->words[rng->used++];
}

double volt_rng_uniform(volt_rng *rng)
{
    return (double)(volt_rng_word(rng) >> 11) * 0x1p-53;
}

double volt_rng_normal(volt_rng *rng)
{
    if (rng->has_spare) {
        rng->has_spare = 0;
        return rng->spare;
    }
    double radius = sqrt(-2 * log(1 - volt_rng_uniform(rng))); /* 1 - u is never 0 */
    double angle = two_pi * volt_rng_uniform(rng);
    rng->spare = radius * sin(angle);
    rng->has_spare = 1;
    return radius * cos(angle);
}
