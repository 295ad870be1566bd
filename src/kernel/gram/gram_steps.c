/* src/kernel/gram/gram_steps.c: fill, centre, normalise and mirror a Gram matrix. */
#include "kernel/gram/gram_steps.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/gram/gram.h"

#include <inttypes.h>
#include <math.h>

/* The values become 1 / sqrt(value). */
static volt_status invert_roots(double *self, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++) {
        VOLT_REQUIRE(self[i] > 0 && isfinite(self[i]), VOLT_ERR_DATA,
                     "the kernel of %s %" PRId64
                     " (counted from 1) with itself is %g, and normalising needs it above 0",
                     what, i + 1, self[i]);
        self[i] = 1 / sqrt(self[i]);
    }
    return VOLT_OK;
}

/* K[i][j] / sqrt(K_ii K_jj). The factors are taken one after the other: their product could leave the range of a
 * double where the result does not. */
static void scale_entries(volt_matrix K, bool lower, const double *rows, const double *columns)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            K.data[i * K.ld + j] = lower && i == j ? 1 : K.data[i * K.ld + j] * rows[i] * columns[j];
}

/* Fill K, centred where that is asked; `shifts` receives what centring does to self values. */
static volt_status fill_and_centre(const volt_gram_steps *steps, double from, volt_centre_shifts *shifts,
                                   volt_matrix K)
{
    if (steps->centred)
        return volt_centre_gram(steps->fill, steps->context, steps->same, from, shifts, K);
    return steps->fill(steps->context, false, from, 1 - from, K);
}

static volt_status normalise_same(const volt_gram_steps *steps, double *self, volt_matrix K)
{
    VOLT_TRY(fill_and_centre(steps, 0, NULL, K));
    for (int64_t i = 0; i < K.rows; i++)
        self[i] = K.data[i * K.ld + i];
    VOLT_TRY(invert_roots(self, K.rows, "row"));
    scale_entries(K, true, self, self);
    return VOLT_OK;
}

/* `self`: K.rows values, then K.cols; `moved` as many. */
static volt_status normalise_cross(const volt_gram_steps *steps, double *self, double *moved, volt_matrix K)
{
    double *rows = self, *columns = self + K.rows;
    volt_centre_shifts shifts = {moved, moved + K.rows};
    double work = 1 + steps->self_work[0] + steps->self_work[1];
    double row_share = steps->self_work[0] / work, column_share = steps->self_work[1] / work;
    VOLT_TRY(steps->self(steps->context, false, 0, row_share, rows));
    VOLT_TRY(steps->self(steps->context, true, row_share, column_share, columns));
    VOLT_TRY(fill_and_centre(steps, row_share + column_share, &shifts, K));
    for (int64_t i = 0; i < K.rows + K.cols; i++)
        self[i] += moved[i]; /* 0 where nothing was centred */
    VOLT_TRY(invert_roots(rows, K.rows, "row"));
    VOLT_TRY(invert_roots(columns, K.cols, "column"));
    scale_entries(K, false, rows, columns);
    return VOLT_OK;
}

static volt_status run_normalised(const volt_gram_steps *steps, volt_matrix K)
{
    int64_t count = K.rows + K.cols;
    double *self = volt_alloc_zero(count, sizeof *self), *moved = volt_alloc_zero(count, sizeof *moved);
    volt_status status = self && moved ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = steps->same ? normalise_same(steps, self, K) : normalise_cross(steps, self, moved, K);
    volt_free(moved);
    volt_free(self);
    return status;
}

volt_status volt_gram_run(const volt_gram_steps *steps, volt_matrix K)
{
    VOLT_TRY(steps->normalise ? run_normalised(steps, K) : fill_and_centre(steps, 0, NULL, K));
    if (steps->same && steps->mirror)
        volt_mirror(K);
    return VOLT_OK;
}
