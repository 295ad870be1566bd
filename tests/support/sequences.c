/* tests/support/sequences.c: rows to test with. */
#include "support/sequences.h"

#include "support/check.h"
#include "volterra/data.h"

double *new_matrix(int64_t rows, int64_t cols)
{
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(double);
    double *matrix = malloc(bytes ? bytes : 1);
    if (!matrix)
        fail_msg("no memory for %" PRId64 " x %" PRId64 " numbers", rows, cols);
    return matrix;
}

double *random_rows(volt_rng *rng, int64_t rows, int64_t cols, double radius)
{
    double *matrix = new_matrix(rows, cols);
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < cols; k++) {
            double value = volt_rng_normal(rng);
            matrix[i * cols + k] = value;
            sum += value * value;
        }
        /* Slightly inside the ball, so that the norm does not round to more than the radius. */
        double length = volt_rng_uniform(rng) < 0.125 ? 1 - 1e-15 : volt_rng_uniform(rng) * (1 - 1e-15);
        for (int64_t k = 0; k < cols; k++)
            matrix[i * cols + k] *= radius * length / sqrt(sum);
    }
    return matrix;
}

double *normal_rows(volt_rng *rng, int64_t rows, int64_t cols)
{
    double *matrix = new_matrix(rows, cols);
    for (int64_t i = 0; i < rows * cols; i++)
        matrix[i] = volt_rng_normal(rng);
    return matrix;
}

double *lorenz_rows(int64_t rows, double step)
{
    double *matrix = new_matrix(rows, 3);
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    options.step = step;
    options.discard = (int64_t)(20 / step);
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(matrix, rows, 3)));
    return matrix;
}

volt_rng test_rng(uint64_t seed)
{
    volt_rng rng;
    print_message("seed %" PRIu64 "\n", seed);
    volt_rng_init(&rng, seed, 0);
    return rng;
}
