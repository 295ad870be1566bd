/* src/kernel/gram/centre.c: Gram matrices of features less their mean. */
#include "kernel/gram/centre.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* The mean of each row of a symmetric matrix, given by its lower triangle; returns the mean of all entries. */
static double row_means(volt_matrix K, double *means)
{
    int64_t m = K.rows;
    double total = 0;
    for (int64_t i = 0; i < m; i++)
        means[i] = 0;
    for (int64_t i = 0; i < m; i++) {
        const double *row = K.data + i * K.ld;
        double sum = 0;
        for (int64_t j = 0; j < i; j++) {
            sum += row[j];
            means[j] += row[j];
        }
        means[i] += sum + row[i];
    }
    for (int64_t i = 0; i < m; i++) {
        means[i] /= (double)m;
        total += means[i];
    }
    return total / (double)m;
}

/* With `lower` K is the columns' own matrix, whose means these are. `shifts`, of the rows, may be NULL. */
static void subtract_means(const double *means, double mean, bool lower, double *shifts, volt_matrix K)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++) {
        double *row = K.data + i * K.ld, own = 0;
        if (lower) {
            own = means[i];
        } else {
            for (int64_t j = 0; j < K.cols; j++)
                own += row[j];
            own /= (double)K.cols;
        }
        if (shifts)
            shifts[i] = mean - 2 * own;
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            row[j] += mean - own - means[j];
    }
}

/* The means of the columns' own matrix. */
static volt_status columns_means(volt_centre_fill fill, const void *context, int64_t m, double from,
                                 double share, double *means, double *mean)
{
    char what[96];
    snprintf(what, sizeof what, "the Gram matrix of %" PRId64 " columns, which centring needs,", m);
    VOLT_TRY(volt_memory_require((double)m * (double)m * sizeof(double), what));
    volt_matrix own = volt_matrix_of(volt_alloc_doubles(m, m), m, m);
    volt_status status = own.data ? fill(context, true, from, share, own) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *mean = row_means(own, means);
    volt_free(own.data);
    return status;
}

volt_status volt_centre_gram(volt_centre_fill fill, const void *context, bool same, double from,
                             volt_centre_shifts *shifts, volt_matrix K)
{
    int64_t m = K.cols;
    double *means = volt_alloc_doubles(m, 1), mean = 0;
    double share = same ? 0 : (1 - from) * (double)m / (double)(m + 2 * K.rows);
    volt_status status = means ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !same)
        status = columns_means(fill, context, m, from, share, means, &mean);
    if (status == VOLT_OK)
        status = fill(context, false, from + share, 1 - from - share, K);
    if (status == VOLT_OK && same)
        mean = row_means(K, means);
    if (status == VOLT_OK)
        subtract_means(means, mean, same, shifts ? shifts->rows : NULL, K);
    for (int64_t j = 0; status == VOLT_OK && shifts && j < m; j++)
        shifts->columns[j] = mean - 2 * means[j];
    volt_free(means);
    return status;
}
