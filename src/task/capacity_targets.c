/* src/task/capacity_targets.c: products of Legendre polynomials of delayed inputs, the targets of capacities. */
#include "base/numbers.h"
#include "base/threads.h"
#include "task/capacity.h"

#include <math.h>
#include <string.h>

int64_t volt_capacity_count(int64_t variables, int64_t degree)
{
    /* (variables + degree over degree); every partial product is a whole number */
    int64_t count = 1;
    for (int64_t k = 1; k <= degree && count <= VOLT_CAPACITY_TARGETS; k++)
        count = count * (variables + k) / k;
    return count;
}

/* Factors of the product of `degree` inputs with these delays, in increasing order. */
static void write_factors(const int64_t *delays, int64_t degree, int64_t *factors)
{
    int64_t used = -1;
    for (int64_t i = 0; i < degree; i++) {
        if (i == 0 || delays[i] != delays[i - 1])
            factors[2 * ++used] = delays[i];
        factors[2 * used + 1]++;
    }
}

/* The next list of delays in increasing order; false after the last. */
static bool next_delays(int64_t *delays, int64_t degree, int64_t most)
{
    int64_t i = degree - 1;
    while (i >= 0 && delays[i] == most)
        i--;
    if (i < 0)
        return false;
    int64_t value = delays[i] + 1;
    for (; i < degree; i++)
        delays[i] = value;
    return true;
}

void volt_capacity_list(volt_capacity *capacity)
{
    int64_t at = 0;
    memset(capacity->factors, 0,
           (size_t)(2 * capacity->n_targets * capacity->degree) * sizeof *capacity->factors);
    for (int64_t degree = 0; degree <= capacity->degree; degree++) {
        int64_t delays[VOLT_CAPACITY_DEGREE] = {0}, first = at;
        do {
            write_factors(delays, degree, capacity->factors + 2 * capacity->degree * at++);
        } while (next_delays(delays, degree, capacity->delay));
        capacity->targets[degree] = at - first;
    }
}

void volt_capacity_inputs(uint64_t seed, int64_t rows, double *u)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int64_t t = 0; t < rows; t++)
        u[t] = 2 * volt_rng_uniform(&rng) - 1;
}

/* (k + 1) P_{k+1} = (2k + 1) u P_k - k P_{k-1}; the variance of P_k is 1 / (2k + 1). */
void volt_capacity_polynomials(const double *u, int64_t rows, int64_t degree, double *table)
{
    for (int64_t t = 0; t < rows; t++) {
        double before = 0, now = 1;
        for (int64_t k = 0; k <= degree; k++) {
            double of = (double)k, next = ((2 * of + 1) * u[t] * now - of * before) / (of + 1);
            table[k * rows + t] = sqrt(2 * of + 1) * now;
            before = now;
            now = next;
        }
    }
}

void volt_capacity_targets(const volt_capacity *capacity, const double *table, int64_t first, volt_matrix Y)
{
    int64_t all = capacity->rows + capacity->washout, degree = capacity->degree;
#pragma omp parallel for num_threads((int)volt_threads())
    for (int64_t t = 0; t < Y.rows; t++)
        for (int64_t k = 0; k < Y.cols; k++) {
            const int64_t *factors = capacity->factors + 2 * degree * (first + k);
            double product = 1;
            for (int64_t i = 0; i < degree && factors[2 * i + 1] > 0; i++)
                product *= table[factors[2 * i + 1] * all + capacity->washout + t - factors[2 * i]];
            Y.data[t * Y.ld + k] = product;
        }
}
