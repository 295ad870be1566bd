/* src/gram/engine/columns.c: tiles of S = X Y' and of squared distances. */
#include "gram/engine/columns.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"

#include <math.h>
#include <string.h>

enum { CHUNK = VOLT_COLUMNS_CHUNK };

/* |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>, never below 0. */
VOLT_CLONES
static void distances_from_products(double x_norm, const double *restrict y_norms, int64_t count,
                                    double *restrict s)
{
    for (int64_t j = 0; j < count; j++) {
        double squared = x_norm + y_norms[j] - 2 * s[j];
        s[j] = squared > 0 ? squared : 0;
    }
}

/* |x - y|^2 from the differences, for one row: without cancellation. */
VOLT_CLONES
static void distances_from_differences(const double *restrict x, int64_t d, const double *restrict packed,
                                       int64_t ld, int64_t count, double *restrict s)
{
    memset(s, 0, (size_t)count * sizeof(double));
    for (int64_t k = 0; k < d; k++) {
        const double *restrict y = packed + k * ld;
        for (int64_t j = 0; j < count; j++)
            s[j] += (x[k] - y[j]) * (x[k] - y[j]);
    }
}

void volt_columns_local(const volt_columns *columns, const double *x, int64_t ld_x, const double *norms,
                        int64_t rows, int64_t first, int64_t count, double *local, int64_t ld_local)
{
    const double *y = columns->packed + first;
    if (columns->distance && !columns->norms) {
        for (int64_t r = 0; r < rows; r++)
            distances_from_differences(x + r * ld_x, columns->d, y, columns->ld, count, local + r * ld_local);
        return;
    }
    volt_products(rows, x, ld_x, columns->d, y, columns->ld, count, local, ld_local);
    if (columns->distance)
        for (int64_t r = 0; r < rows; r++)
            distances_from_products(norms[r], columns->norms + first, count, local + r * ld_local);
}

/* ---- life ------------------------------------------------------------------------------------- */

/* The median of up to SAMPLES rows, column by column. Unlike the mean it is robust to outliers, so the
 * distances between the other rows keep their digits. */
static void find_centre(volt_view Y, double *centre)
{
    enum { SAMPLES = 1001 };
    double sample[SAMPLES];
    int64_t count = Y.rows < SAMPLES ? Y.rows : SAMPLES;
    for (int64_t k = 0; k < Y.cols; k++) {
        for (int64_t i = 0; i < count; i++)
            sample[i] = Y.data[i * Y.rows / count * Y.ld + k];
        volt_sort(sample, count);
        centre[k] = sample[count / 2];
    }
}

/* Row t of the sequence with its leading zeros (NULL). */
static const double *padded(const volt_columns *columns, int64_t t)
{
    return t < columns->lead ? NULL : columns->given + (t - columns->lead) * columns->d;
}

static void pack(volt_columns *columns)
{
    for (int64_t t = 0; t < columns->length; t++) {
        const double *row = padded(columns, t), *next = columns->increments ? padded(columns, t + 1) : NULL;
        double sum = 0;
        for (int64_t k = 0; k < columns->d; k++) {
            double value = row ? row[k] : 0;
            value = columns->increments ? (next ? next[k] : 0) - value : value - columns->centre[k];
            columns->packed[k * columns->ld + t] = value;
            sum += value * value;
        }
        if (columns->distance)
            columns->norms[t] = sum;
    }
    for (int64_t k = 0; k < columns->d; k++) /* read by the last chunk */
        memset(columns->packed + k * columns->ld + columns->length, 0,
               (size_t)(columns->ld - columns->length) * sizeof(double));
}

/* Replaces the leading zeros by rows of the past. */
static void pack_past(const double *past, volt_columns *columns)
{
    for (int64_t t = 0; t < columns->lead; t++) {
        double sum = 0;
        for (int64_t k = 0; k < columns->d; k++) {
            double value = columns->increments ? 0 : past[k] - columns->centre[k];
            if (columns->increments && t == columns->lead - 1)
                value = columns->given[k] - past[k];
            columns->packed[k * columns->ld + t] = value;
            sum += value * value;
        }
        if (columns->distance)
            columns->norms[t] = sum;
    }
}

/* Effective rows of a window if the columns have m rows. A window may be longer than the sequence and then
 * begins with zeros. They add nothing to a sum, or the same for every column (window_state.c). Second
 * differences between zeros are 0, so one zero before the first row is sufficient. For other programmes, and
 * for rows other than zeros, they are points like any others. */
int64_t volt_columns_window(const volt_resolved *resolved, int64_t m)
{
    if (resolved->sum || resolved->records || resolved->reservoir)
        return 1;
    if (resolved->past.kind != VOLT_PAST_ZERO)
        return resolved->window;
    if (resolved->scan.step)
        return volt_min(resolved->window, m);
    if (resolved->programme.differences && !volt_path_is_explicit(resolved))
        return volt_min(resolved->window - 1, m) + 1;
    return resolved->window;
}

static bool wants_distance(const volt_resolved *resolved)
{
    return resolved->scan.step ? resolved->scan.distance : resolved->programme.distance;
}

double volt_columns_numbers(const volt_resolved *resolved, int64_t m)
{
    double length = (double)m + (double)volt_columns_window(resolved, m) + 2 * CHUNK;
    return length * ((double)resolved->d + (wants_distance(resolved) ? 1 : 0)) + (double)resolved->d;
}

volt_status volt_columns_pack(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                              volt_columns *columns)
{
    (void)first; /* cheap: recompute all of them */
    (void)stage;
    volt_free(columns->packed);
    volt_free(columns->norms);
    columns->distance = wants_distance(resolved);
    columns->increments = !resolved->scan.step && volt_programme_on_increments(&resolved->programme);
    columns->lead = columns->window - 1;
    columns->length = columns->m + columns->lead - (columns->increments ? 1 : 0);
    columns->ld = (columns->length + 2 * CHUNK - 1) / CHUNK * CHUNK;
    columns->packed = volt_alloc_doubles(columns->d + (resolved->scan.own ? 1 : 0), columns->ld);
    columns->norms = volt_alloc_doubles(columns->distance ? columns->ld : 0, 1);
    if (!columns->packed || !columns->norms)
        return VOLT_ERR_MEMORY;
    if (columns->distance)
        find_centre(volt_view_of(columns->given, columns->m, columns->d), columns->centre);
    const double *past = volt_past_input(&resolved->past, columns->given);
    pack(columns);
    if (past)
        pack_past(past, columns);
    if (resolved->scan.own) { /* of scans without a window */
        double kept;
        memset(columns->packed + columns->d * columns->ld, 0, (size_t)columns->ld * sizeof(double));
        (void)volt_scan_own_rest(&resolved->scan, past, columns->d, &kept);
        volt_scan_own_rows(&resolved->scan, volt_view_of(columns->given, columns->m, columns->d), &kept,
                           columns->packed + columns->d * columns->ld);
    }
    return VOLT_OK;
}

volt_status volt_columns_extend(void **items, int64_t kept, int64_t count, size_t size)
{
    unsigned char *larger = volt_alloc_zero(count, size);
    if (!larger)
        return VOLT_ERR_MEMORY;
    if (kept > 0)
        memcpy(larger, *items, (size_t)kept * size);
    volt_free(*items);
    *items = larger;
    return VOLT_OK;
}

volt_status volt_columns_cancelled(volt_stage *stage)
{
    return stage && !volt_stage_should_continue(stage) ? volt_stage_end(stage) : VOLT_OK;
}

volt_status volt_columns_append(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                                volt_columns *columns)
{
    int64_t first = columns->m, d = columns->d, m = first + Y.rows;
    VOLT_TRY(volt_columns_extend((void **)&columns->given, first * d, m * d, sizeof(double)));
    for (int64_t i = 0; i < Y.rows; i++)
        memcpy(columns->given + (first + i) * d, Y.data + i * Y.ld, (size_t)d * sizeof(double));

    /* With more rows another engine may be selected, or the effective window may grow: then the layout is
     * rebuilt. */
    const volt_engine *engine = volt_engine_of(resolved, m);
    int64_t window = volt_columns_window(resolved, m);
    bool starts_again = engine != columns->engine || window != columns->window;
    columns->engine = engine;
    columns->window = window;
    columns->m = m;
    return engine->pack(resolved, starts_again ? 0 : first, stage, columns);
}

volt_status volt_columns_create(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                                volt_columns **columns)
{
    volt_columns *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->d = Y.cols;
    fresh->centre = volt_alloc_zero(Y.cols, sizeof(double));
    volt_status status = fresh->centre ? volt_columns_append(resolved, Y, stage, fresh) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *columns = fresh;
    else
        volt_columns_free(fresh);
    return status;
}

volt_status volt_columns_add(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                             volt_columns **columns)
{
    return *columns ? volt_columns_append(resolved, Y, stage, *columns)
                    : volt_columns_create(resolved, Y, stage, columns);
}

volt_status volt_columns_need_parts(volt_columns *columns, int64_t n)
{
    if (!columns->parts)
        columns->parts = volt_alloc_zero(n, sizeof(volt_columns *));
    columns->n_parts = columns->parts ? n : 0;
    return columns->parts ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_columns_free(volt_columns *columns)
{
    if (columns) {
        volt_free(columns->given);
        volt_free(columns->packed);
        volt_free(columns->centre);
        volt_free(columns->norms);
        volt_free(columns->paths);
        volt_free(columns->features);
        volt_free(columns->feature_centre);
        volt_free(columns->feature_norms);
        volt_free(columns->self);
        for (int64_t f = 0; f < columns->n_parts; f++)
            volt_columns_free(columns->parts[f]);
        volt_free(columns->parts);
    }
    volt_free(columns);
}

void volt_columns_row(const volt_columns *columns, int64_t j, double *row)
{
    for (int64_t k = 0; k < columns->d; k++)
        row[k] = columns->given ? columns->given[j * columns->d + k] : columns->packed[k * columns->ld + j];
}

void volt_columns_centre(const volt_columns *columns, volt_view X, double *centred, double *norms)
{
    for (int64_t i = 0; i < X.rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < X.cols; k++) {
            double value = X.data[i * X.ld + k] - columns->centre[k];
            centred[i * X.cols + k] = value;
            sum += value * value;
        }
        norms[i] = sum;
    }
}
