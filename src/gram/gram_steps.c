/* src/gram/gram_steps.c: centring, normalising, distances and mirroring of a filled Gram matrix.
 *
 * Centring subtracts the mean of the features phi of the kernel, taken over the m columns y:
 *
 *     <phi(x_i) - mean, phi(y_j) - mean> = K[i][j] - mean_l K[i][l] - mean_l Kyy[l][j] + mean_{kl} Kyy[k][l]
 *
 * which needs the matrix Kyy of the columns. If rows and columns are the same, this is H K H with H = I -
 * 11'/m. */
#include "gram/gram.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Effect of centring on the kernel of each row (n) and of each column (m) with itself. */
typedef struct centre_shifts {
    double *rows, *columns;
} centre_shifts;

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

/* With `lower` K is the matrix of the columns, whose means these are. `shifts`, of the rows, may be NULL. */
static void subtract_means(const double *means, double mean, bool lower, double *shifts, volt_matrix K)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++) {
        double *row = K.data + i * K.ld, row_mean = 0;
        if (lower) {
            row_mean = means[i];
        } else {
            for (int64_t j = 0; j < K.cols; j++)
                row_mean += row[j];
            row_mean /= (double)K.cols;
        }
        if (shifts)
            shifts[i] = mean - 2 * row_mean;
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            row[j] += mean - row_mean - means[j];
    }
}

/* The means of the matrix of the columns. */
static volt_status columns_means(volt_gram_fill fill, const void *context, int64_t m, double from, double share,
                                 double *means, double *mean)
{
    char what[96];
    snprintf(what, sizeof what, "the Gram matrix of %" PRId64 " columns, required for centring,", m);
    VOLT_TRY(volt_memory_require((double)m * (double)m * sizeof(double), what));
    volt_matrix columns_gram = volt_matrix_of(volt_alloc_doubles(m, m), m, m);
    volt_status status = columns_gram.data ? fill(context, true, from, share, columns_gram) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *mean = row_means(columns_gram, means);
    volt_free(columns_gram.data);
    return status;
}

/* Fills and centres K (n x m). With `same`, K is Kyy, and only its lower triangle is used. Otherwise Kyy is
 * allocated temporarily, and `shifts` is filled if it is not NULL. Progress covers [from, 1] of the call. */
static volt_status fill_centred(volt_gram_fill fill, const void *context, bool same, double from,
                                centre_shifts *shifts, volt_matrix K)
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

/* ---- steps after the filling ------------------------------------------------------------------- */

/* Replaces the values by 1 / sqrt(value). */
static volt_status invert_roots(double *self, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++) {
        VOLT_REQUIRE(self[i] > 0 && isfinite(self[i]), VOLT_ERR_DATA,
                     "the kernel of %s %" PRId64
                     " (counted from 1) with itself is %g; normalisation requires a positive value",
                     what, i + 1, self[i]);
        self[i] = 1 / sqrt(self[i]);
    }
    return VOLT_OK;
}

/* K[i][j] / sqrt(K_ii K_jj). The factors are applied one after the other, because their product could
 * overflow. */
static void scale_entries(volt_matrix K, bool lower, const double *rows, const double *columns)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            K.data[i * K.ld + j] = lower && i == j ? 1 : K.data[i * K.ld + j] * rows[i] * columns[j];
}

/* Fills K, centred if requested; `shifts` receives the effect on self values. */
static volt_status fill_and_centre(const volt_gram_steps *steps, double from, centre_shifts *shifts,
                                   volt_matrix K)
{
    if (steps->centred)
        return fill_centred(steps->fill, steps->context, steps->same, from, shifts, K);
    return steps->fill(steps->context, false, from, 1 - from, K);
}

double volt_gram_distance(double row, double column, double value)
{
    static const double ROUNDING = 16;
    double square = row + column - 2 * value;
    return square > ROUNDING * DBL_EPSILON * (row + column) ? sqrt(square) : 0;
}

static void take_distances(volt_matrix K, bool lower, const double *rows, const double *columns)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            K.data[i * K.ld + j] =
                lower && i == j ? 0 : volt_gram_distance(rows[i], columns[j], K.data[i * K.ld + j]);
}

/* Normalises K, and replaces it by distances, as requested. `rows` and `columns` are the kernels of each row and
 * column with itself; they are the same array for a symmetric matrix. */
static volt_status use_self(const volt_gram_steps *steps, double *rows, double *columns, volt_matrix K)
{
    if (steps->normalise) {
        VOLT_TRY(invert_roots(rows, K.rows, "row"));
        if (!steps->same)
            VOLT_TRY(invert_roots(columns, K.cols, "column"));
        scale_entries(K, steps->same, rows, columns);
        for (int64_t i = 0; i < K.rows; i++)
            rows[i] = 1;
        for (int64_t j = 0; j < K.cols; j++)
            columns[j] = 1;
    }
    if (steps->distance)
        take_distances(K, steps->same, rows, columns);
    return VOLT_OK;
}

static volt_status run_same(const volt_gram_steps *steps, double *self, volt_matrix K)
{
    VOLT_TRY(fill_and_centre(steps, 0, NULL, K));
    for (int64_t i = 0; i < K.rows; i++)
        self[i] = K.data[i * K.ld + i];
    return use_self(steps, self, self, K);
}

/* `self`: K.rows values, then K.cols; `moved` as many. */
static volt_status run_cross(const volt_gram_steps *steps, double *self, double *moved, volt_matrix K)
{
    double *rows = self, *columns = self + K.rows;
    centre_shifts shifts = {moved, moved + K.rows};
    double work = 1 + steps->self_work[0] + steps->self_work[1];
    double row_share = steps->self_work[0] / work, column_share = steps->self_work[1] / work;
    VOLT_TRY(steps->self(steps->context, false, 0, row_share, rows));
    VOLT_TRY(steps->self(steps->context, true, row_share, column_share, columns));
    VOLT_TRY(fill_and_centre(steps, row_share + column_share, &shifts, K));
    for (int64_t i = 0; i < K.rows + K.cols; i++)
        self[i] += moved[i]; /* 0 without centring */
    return use_self(steps, rows, columns, K);
}

static volt_status run_with_self(const volt_gram_steps *steps, volt_matrix K)
{
    int64_t count = K.rows + K.cols;
    double *self = volt_alloc_zero(count, sizeof *self), *moved = volt_alloc_zero(count, sizeof *moved);
    volt_status status = self && moved ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = steps->same ? run_same(steps, self, K) : run_cross(steps, self, moved, K);
    volt_free(moved);
    volt_free(self);
    return status;
}

volt_status volt_gram_run(const volt_gram_steps *steps, volt_matrix K)
{
    VOLT_TRY(steps->normalise || steps->distance ? run_with_self(steps, K)
                                                 : fill_and_centre(steps, 0, NULL, K));
    if (steps->same && steps->mirror)
        volt_mirror(K);
    return VOLT_OK;
}
