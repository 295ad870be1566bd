/* bench/plain.c: reference implementation of the Volterra kernel, entry by entry. */
#include "plain.h"

#include <math.h>

static double plain_kappa(const plain_kernel *kernel, const double *x, const double *y, int64_t d)
{
    double s = 0, distance = 0;
    for (int64_t k = 0; k < d; k++) {
        s += x[k] * y[k];
        distance += (x[k] - y[k]) * (x[k] - y[k]);
    }
    double ts = kernel->tau2 * s, sum = 1;
    switch (kernel->lift) {
    case PLAIN_GEOMETRIC:
        return 1 / (1 - ts);
    case PLAIN_EVEN:
        return 1 / (1 - ts * ts);
    case PLAIN_EXPONENTIAL:
        return exp(ts);
    case PLAIN_POLY:
        for (int p = 0; p < kernel->degree; p++)
            sum = 1 + ts * sum;
        return sum;
    case PLAIN_RBF:
        break;
    }
    return exp(-kernel->gamma * distance);
}

/* kappa(z, 0). */
static double kappa_of_zero(const plain_kernel *kernel, const double *z, int64_t d)
{
    double norm2 = 0;
    for (int64_t k = 0; k < d; k++)
        norm2 += z[k] * z[k];
    return kernel->lift == PLAIN_RBF ? exp(-kernel->gamma * norm2) : 1;
}

void plain_gram(const plain_kernel *kernel, volt_view X, volt_matrix K)
{
    double border = 1 / (1 - kernel->lambda2); /* kernel of the rows so far and the zero history */
    for (int64_t i = 0; i < X.rows; i++) {
        const double *x = X.data + i * X.ld;
        for (int64_t j = 0; j <= i; j++) {
            double previous = i > 0 && j > 0 ? K.data[(i - 1) * K.ld + j - 1] : border;
            double kappa = plain_kappa(kernel, x, X.data + j * X.ld, X.cols);
            K.data[i * K.ld + j] = 1 + kernel->lambda2 * kappa * previous;
        }
        border = 1 + kernel->lambda2 * kappa_of_zero(kernel, x, X.cols) * border;
    }
}

double lower_difference(volt_view K, volt_view reference)
{
    double largest = 0;
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j <= i; j++) {
            double difference = fabs(K.data[i * K.ld + j] - reference.data[i * reference.ld + j]);
            if (difference > largest || isnan(difference)) /* a NaN is kept as the largest */
                largest = difference;
        }
    return largest;
}

void gaussian_inputs(uint64_t seed, volt_matrix X)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double largest = 0;
    for (int64_t i = 0; i < X.rows; i++) {
        double norm2 = 0;
        for (int64_t k = 0; k < X.cols; k++) {
            double value = volt_rng_normal(&rng);
            X.data[i * X.ld + k] = value;
            norm2 += value * value;
        }
        largest = fmax(largest, norm2);
    }
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t k = 0; k < X.cols; k++)
            X.data[i * X.ld + k] /= sqrt(largest);
}

void plain_step(const plain_kernel *kernel, volt_view Z, const double *z, double *k)
{
    double previous = 1 / (1 - kernel->lambda2);
    for (int64_t j = 0; j < Z.rows; j++) {
        double kept = k[j];
        k[j] = 1 + kernel->lambda2 * plain_kappa(kernel, z, Z.data + j * Z.ld, Z.cols) * previous;
        previous = kept;
    }
}
