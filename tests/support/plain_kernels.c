/* tests/support/plain_kernels.c: the Volterra kernel as plain double loops. */
#include "support/plain_kernels.h"

#include "support/check.h"

const plain_kernel plain_kernels[PLAIN_KERNELS] = {
    {"volterra:tau=0.6,lambda=0.7", PLAIN_GEOMETRIC, .tau = 0.6, .lambda = 0.7},
    {"volterra:tau=0.6,lambda=0.85,lift=even", PLAIN_EVEN, .tau = 0.6, .lambda = 0.85},
    {"volterra:tau=0.8,lambda=0.6,lift=exponential", PLAIN_EXPONENTIAL, .tau = 0.8, .lambda = 0.6},
    {"volterra:tau=0.7,lambda=0.65,lift=poly:3", PLAIN_POLY, .tau = 0.7, .lambda = 0.65, .degree = 3},
    {"volterra:gamma=0.3,lambda=0.8,lift=rbf", PLAIN_RBF, .gamma = 0.3, .lambda = 0.8},
};

const plain_kernel plain_slow_kernels[PLAIN_KERNELS] = {
    {"volterra:tau=0.6,lambda=0.798", PLAIN_GEOMETRIC, .tau = 0.6, .lambda = 0.798},
    {"volterra:tau=0.9,lambda=0.5849,lift=even", PLAIN_EVEN, .tau = 0.9, .lambda = 0.5849},
    {"volterra:tau=1.5,lambda=0.3235,lift=exponential", PLAIN_EXPONENTIAL, .tau = 1.5, .lambda = 0.3235},
    {"volterra:tau=1.2,lambda=0.235,lift=poly:5", PLAIN_POLY, .tau = 1.2, .lambda = 0.235, .degree = 5},
    {"volterra:gamma=2,lambda=0.998,lift=rbf", PLAIN_RBF, .gamma = 2, .lambda = 0.998},
};

volt_kernel *plain_parse(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

double plain_kappa(const plain_kernel *kernel, const double *x, const double *y, int64_t d)
{
    double s = 0, distance = 0;
    for (int64_t k = 0; k < d; k++) {
        double difference = x[k] - y[k];
        s += x[k] * y[k];
        distance += difference * difference;
    }
    double ts = kernel->tau * kernel->tau * s, sum = 0, power = 1;
    switch (kernel->lift) {
    case PLAIN_GEOMETRIC:
        return 1 / (1 - ts);
    case PLAIN_EVEN:
        return 1 / (1 - ts * ts);
    case PLAIN_EXPONENTIAL:
        return exp(ts);
    case PLAIN_POLY:
        for (int i = 0; i <= kernel->degree; i++, power *= ts)
            sum += power;
        return sum;
    case PLAIN_RBF:
        break;
    }
    return exp(-kernel->gamma * distance);
}

void plain_gram(const plain_kernel *kernel, volt_view X, volt_view Y, volt_matrix K)
{
    int64_t n = X.rows, m = Y.rows, d = X.cols;
    double lambda2 = kernel->lambda * kernel->lambda;
    double *last = malloc((size_t)(m + 1) * sizeof *last); /* the row above: last[j + 1] is column j */
    double *row = malloc((size_t)(m + 1) * sizeof *row);
    double *zero = calloc((size_t)d, sizeof *zero);

    /* The row above the first is the border of Y, and the column left of the first is the border of X. */
    last[0] = 1 / (1 - lambda2);
    for (int64_t j = 0; j < m; j++)
        last[j + 1] = 1 + lambda2 * plain_kappa(kernel, Y.data + j * Y.ld, zero, d) * last[j];
    for (int64_t i = 0; i < n; i++) {
        const double *x = X.data + i * X.ld;
        row[0] = 1 + lambda2 * plain_kappa(kernel, x, zero, d) * last[0];
        for (int64_t j = 0; j < m; j++) {
            row[j + 1] = 1 + lambda2 * plain_kappa(kernel, x, Y.data + j * Y.ld, d) * last[j];
            K.data[i * K.ld + j] = row[j + 1];
        }
        double *spare = last;
        last = row;
        row = spare;
    }
    free(zero);
    free(row);
    free(last);
}

double plain_tolerance(const plain_kernel *kernel, double radius, int64_t d)
{
    double t = kernel->tau * kernel->tau * radius * radius, sup = 1, amplified = 0, power = 1;
    switch (kernel->lift) {
    case PLAIN_GEOMETRIC:
        sup = amplified = 1 / (1 - t);
        break;
    case PLAIN_EVEN:
        sup = 1 / (1 - t * t);
        amplified = 2 * sup;
        break;
    case PLAIN_EXPONENTIAL:
        sup = exp(t);
        amplified = t;
        break;
    case PLAIN_POLY:
        sup = 0;
        for (int i = 0; i <= kernel->degree; i++, power *= t)
            sup += power;
        amplified = kernel->degree;
        break;
    case PLAIN_RBF:
        amplified = 8 * kernel->gamma * radius * radius;
        break;
    }
    double largest = 1 / (1 - kernel->lambda * kernel->lambda * sup);
    return 2 * DBL_EPSILON * largest * largest * (10 + (double)(d + 4) * amplified);
}
