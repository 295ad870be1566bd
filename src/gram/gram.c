/* src/gram/gram.c: Gram matrices of sequences, each from the zero state. */
#include "gram/gram.h"
#include "base/memory.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "base/views.h"
#include "gram/engine/engine.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <math.h>

volt_status volt_check_finite(volt_matrix K, bool lower)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            VOLT_REQUIRE(isfinite(K.data[i * K.ld + j]), VOLT_ERR_NOT_FINITE,
                         "the kernel of row %" PRId64 " and column %" PRId64
                         " (counted from 1) is too large for a double",
                         i + 1, j + 1);
    return VOLT_OK;
}

volt_gram_options volt_gram_options_default(void)
{
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .mirror = 1};
    return options;
}

/* Block by block, so that a block of the source and one of the target stay in cache. */
void volt_mirror(volt_matrix K)
{
    enum { BLOCK = 64 };
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i0 = 0; i0 < K.rows; i0 += BLOCK)
        for (int64_t j0 = 0; j0 <= i0; j0 += BLOCK)
            for (int64_t i = i0; i < i0 + BLOCK && i < K.rows; i++)
                for (int64_t j = j0; j < j0 + BLOCK && j < i; j++)
                    K.data[j * K.ld + i] = K.data[i * K.ld + j];
}

/* A call of volt_gram. */
typedef struct gram_job {
    const volt_resolved *resolved;
    volt_view X, Y;
    bool same;
    volt_progress progress;
} gram_job;

/* The zero state, with its columns. */
typedef struct row_maker {
    volt_columns *columns;
    volt_state *state;
    volt_blas_use use;
    bool multiplies; /* the engine multiplies with BLAS, which `use` holds */
} row_maker;

/* Close it in every case. */
static volt_status open_rows(row_maker *maker, const volt_resolved *resolved, volt_view Y, int64_t max_rows,
                             volt_stage *stage)
{
    *maker = (row_maker){0};
    VOLT_TRY(volt_columns_create(resolved, Y, stage, &maker->columns));
    VOLT_TRY(volt_state_create(resolved, maker->columns, max_rows, &maker->state));
    if (maker->columns->engine->multiplies) {
        VOLT_TRY(volt_blas_claim(&maker->use));
        maker->multiplies = true;
    }
    return VOLT_OK;
}

static void close_rows(row_maker *maker)
{
    if (maker->multiplies)
        volt_blas_release(&maker->use);
    volt_state_free(maker->state);
    volt_columns_free(maker->columns);
}

/* Returns true if no bound excludes overflow of K or its parts. */
static bool may_overflow(const volt_resolved *resolved)
{
    bool may = !isfinite(resolved->facts.largest) || resolved->programme.gaussian > 0;
    for (int64_t f = 0; resolved->sum && f < resolved->sum->n_factors; f++)
        may |= resolved->sum->factor[f].programme.gaussian > 0;
    return may;
}

/* Fills the matrix without further steps: of the columns with themselves (`of_columns`), or the requested one.
 * Progress covers [from, from + share] of the call. */
static volt_status fill(const void *context, bool of_columns, double from, double share, volt_matrix K)
{
    const gram_job *job = context;
    const volt_resolved *resolved = job->resolved;
    volt_view X = of_columns ? job->Y : job->X;
    bool same = of_columns || job->same;
    row_maker maker;
    double entries = (double)X.rows * (double)job->Y.rows / (same ? 2 : 1);
    volt_stage stage;
    volt_stage_begin(&stage, job->progress, "gram", from, share, entries);
    volt_status status = open_rows(&maker, resolved, job->Y, X.rows, &stage);
    if (status == VOLT_OK) {
        volt_state_advance(maker.state, X, same, K, &stage);
        status = volt_stage_end(&stage);
    }
    close_rows(&maker);
    if (status == VOLT_OK && may_overflow(resolved))
        status = volt_check_finite(K, same);
    return status;
}

/* The kernel of each row of X, or with `of_columns` of Y, with itself: the diagonals of blocks of K. */
static volt_status self_values(const void *context, bool of_columns, double from, double share, double *values)
{
    enum { BLOCK = 64 };
    const gram_job *job = context;
    volt_view X = of_columns ? job->Y : job->X;
    int64_t most = volt_min(BLOCK, X.rows);
    row_maker maker;
    volt_stage stage;
    volt_stage_begin(&stage, job->progress, "gram", from, share, (double)X.rows * (double)X.rows);
    volt_matrix block = volt_matrix_of(volt_alloc_doubles(most, X.rows), most, X.rows);
    if (!block.data)
        return VOLT_ERR_MEMORY;
    volt_status status = open_rows(&maker, job->resolved, X, most, &stage);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows && volt_stage_should_continue(&stage); i += most) {
        block.rows = volt_min(most, X.rows - i);
        volt_state_advance(maker.state, volt_view_rows(X, i, block.rows), false, block, &stage);
        for (int64_t k = 0; k < block.rows; k++)
            values[i + k] = block.data[k * block.ld + i + k];
    }
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    close_rows(&maker);
    volt_free(block.data);
    return status;
}

/* One radius for each slice of rows and columns. */
static volt_status join_extents(const volt_kernel *kernel, const volt_sliced_rows *x, const volt_sliced_rows *y,
                                double requested, volt_extent *extents)
{
    int64_t slices = volt_kernel_slices(kernel), d = x->rows.cols / slices;
    for (int64_t s = 0; s < slices; s++) {
        extents[s].largest = y->extents[s].largest; /* the columns are the training data */
        double radius = 0;
        VOLT_TRY(volt_requested_radius(kernel, s, d, requested, &radius));
        VOLT_TRY(
            volt_join_radii(kernel, radius, d, x->extents[s].radius, y->extents[s].radius, &extents[s].radius));
    }
    return VOLT_OK;
}

static volt_status run_gram(const volt_kernel *kernel, const volt_sliced_rows *x, const volt_sliced_rows *y,
                            const volt_gram_options *options, volt_matrix K)
{
    bool same = x == y;
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    VOLT_TRY(join_extents(kernel, x, y, options->radius, extents));
    VOLT_TRY(volt_kernel_resolve_slices(kernel, extents, x->rows.cols / volt_kernel_slices(kernel), &resolved));
    volt_status status = volt_kernel_warn(kernel, &resolved, x->rows);
    gram_job job = {&resolved, x->rows, y->rows, same, options->progress};
    double n = (double)x->rows.rows, m = (double)y->rows.rows;
    volt_gram_steps steps = {.context = &job,
                             .fill = fill,
                             .self = self_values,
                             .self_work = {n / m, m / n},
                             .same = same,
                             .centred = resolved.centred,
                             .normalise = options->normalise != 0,
                             .distance = options->distance != 0,
                             .mirror = options->mirror != 0};
    if (status == VOLT_OK)
        status = volt_gram_run(&steps, K);
    volt_resolved_release(&resolved);
    return status;
}

volt_status volt_gram(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_gram_options *options,
                      volt_matrix K)
{
    volt_gram_options opts = volt_gram_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_gram_options"));
    options = &opts;
    bool same = !Y.data;
    if (same)
        Y = X;
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_check_shape(Y, "Y"));
    VOLT_REQUIRE(X.cols == Y.cols, VOLT_ERR_SHAPE, "X has %" PRId64 " columns and Y has %" PRId64, X.cols,
                 Y.cols);
    VOLT_TRY(volt_check_output(K, X.rows, Y.rows, "K"));

    VOLT_TRY(volt_start_threads());
    volt_sliced_rows x = {0}, y = {0};
    volt_status status = volt_sliced_rows_make(kernel, X, NULL, 0, "X", &x);
    if (status == VOLT_OK && !same)
        status = volt_sliced_rows_make(kernel, Y, NULL, 0, "Y", &y);
    if (status == VOLT_OK)
        status = run_gram(kernel, &x, same ? &x : &y, options, K);
    volt_sliced_rows_release(&x);
    volt_sliced_rows_release(&y);
    return status;
}

/* ---- explicit states --------------------------------------------------------------------------- */

static volt_status fill_states(const volt_resolved *resolved, volt_view Z, volt_progress progress,
                               volt_matrix F)
{
    volt_columns *columns = NULL;
    volt_state *state = NULL;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "states", 0, 1, (double)F.rows * (double)F.cols);
    volt_status status = volt_states_columns(resolved, &columns);
    if (status == VOLT_OK)
        status = volt_state_create(resolved, columns, Z.rows, &state);
    if (status == VOLT_OK) {
        volt_state_advance(state, Z, false, F, &stage);
        status = volt_stage_end(&stage);
    }
    volt_state_free(state);
    volt_columns_free(columns);
    return status == VOLT_OK ? volt_check_finite(F, false) : status;
}

static volt_status run_states(const volt_kernel *kernel, const volt_sliced_rows *x,
                              const volt_gram_options *options, volt_matrix *F)
{
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    VOLT_TRY(join_extents(kernel, x, x, options->radius, extents));
    VOLT_TRY(volt_kernel_resolve_slices(kernel, extents, x->rows.cols / volt_kernel_slices(kernel), &resolved));
    int64_t count = volt_states_count(&resolved);
    volt_status status = VOLT_OK;
    if (count > 0) {
        *F = volt_matrix_of(volt_alloc_doubles(x->rows.rows, count), x->rows.rows, count);
        status = F->data ? volt_kernel_warn(kernel, &resolved, x->rows) : VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK && count > 0)
        status = fill_states(&resolved, x->rows, options->progress, *F);
    volt_resolved_release(&resolved);
    return status;
}

volt_status volt_gram_states(const volt_kernel *kernel, volt_view X, const volt_gram_options *options,
                             volt_matrix *F)
{
    volt_sliced_rows x = {0};
    volt_matrix made = {0};
    VOLT_TRY(volt_start_threads());
    volt_status status = volt_sliced_rows_make(kernel, X, NULL, 0, "X", &x);
    if (status == VOLT_OK)
        status = run_states(kernel, &x, options, &made);
    volt_sliced_rows_release(&x);
    if (status == VOLT_OK)
        *F = made;
    else
        volt_free(made.data);
    return status;
}
