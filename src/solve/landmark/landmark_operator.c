/* src/solve/landmark/landmark_operator.c: rows of K_nm, and features from them and the factor of K_mm. */
#include "solve/landmark/landmark_operator.h"
#include "base/threads.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "solve/landmark/feature_fit.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct volt_device_landmarks {
    const volt_backend *backend; /* NULL: no device is used, and the other fields are unset */
    int64_t m, columns, rows;    /* landmarks, columns, and rows of a block */
    const int64_t *column;       /* m: the columns that are landmarks */
    int64_t n;                   /* rows of the operator; ... */
    int64_t from, stored;        /* ... features of rows from .. from + stored - 1 have memory, ... */
    int64_t first, end;          /* ... and rows first .. end - 1 are there */
    double *K, *other;           /* rows x columns; and one more, if there are several blocks */
    double *W;                   /* (m + stored + rows) x m: L, stored features, and features of a block */
    double *shift;               /* m, host memory: subtracted from the landmarks of a row */
    double *centre, *about;      /* m, host memory: the centre of the landmarks, and of the features: ... */
    bool has_centre;             /* ... known after the first rows were added */
} volt_device_landmarks;

/* Sets the centre to the mean of the first `rows` rows of K, a block of this object, at most
 * VOLT_DEVICE_CENTRE_ROWS. Otherwise the first rows that are added determine it. */
enum { VOLT_DEVICE_CENTRE_ROWS = 512 };

/* ---- features of landmarks, and their sums, on a device ---------------------------------------------- */

/* Rows of a block: enough for long products, limited by these numbers of rows. Numbers of a block, relative to
 * those that keep the back end busy: twice as many if both blocks then take at most this part of its memory. */
enum { MIN_DEVICE_ROWS = 512, MAX_DEVICE_ROWS = 32768, BLOCKS = 8, MEMORY_PART = 8 };

bool volt_device_landmarks_can(const volt_backend *backend)
{
    return backend->gather && backend->accumulate;
}

static double device_rows_of(const volt_backend *backend, double columns)
{
    double numbers = BLOCKS * (double)backend->block,
           available = backend->available ? (double)backend->available() : 0;
    if (available >= MEMORY_PART * 2 * 8 * 2 * numbers)
        numbers *= 2;
    return fmax(MIN_DEVICE_ROWS, fmin(MAX_DEVICE_ROWS, floor(numbers / columns)));
}

/* Includes two sums, and workspace of the back end: blocks of rows of K, transposed features of two threads. */
double volt_device_landmarks_bytes(const volt_backend *backend, double n, double landmarks, double columns)
{
    const double most_transposed = 3e8;
    double rows = device_rows_of(backend, columns),
           workspace = 5e9 + 2 * 8 * fmin(rows * landmarks, most_transposed);
    return 8 * (rows * (2 * columns + landmarks) + (landmarks + n) * landmarks) +
           2 * volt_state_sums_device_bytes(landmarks) + workspace;
}

/* ---- life ------------------------------------------------------------------------------------- */

/* Number of last rows whose features fit in the memory of the back end. */
static int64_t rows_that_fit(const volt_backend *backend, int64_t m, int64_t columns, int64_t n)
{
    double available = backend->available ? (double)backend->available() : 0;
    if (available <= 0)
        return n;
    double rest = available - volt_device_landmarks_bytes(backend, 0, (double)m, (double)columns);
    return (int64_t)fmax(0, fmin((double)n, floor(rest / (8 * (double)m))));
}

/* For n rows; features of rows first .. last - 1 may be stored. VOLT_ERR_MEMORY. Release it in every case. */
static volt_status device_landmarks_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                         int64_t columns, int64_t n, int64_t first, int64_t last,
                                         volt_device_landmarks *device)
{
    int64_t rows = volt_min((int64_t)device_rows_of(backend, (double)columns), volt_max(n, columns));
    *device = (volt_device_landmarks){
        .backend = backend, .m = m, .columns = columns, .rows = rows, .column = column, .n = n};
    device->stored = rows_that_fit(backend, m, columns, last - first);
    device->from = device->first = device->end = last - device->stored;
    device->shift = volt_alloc_doubles(m, 1);
    device->centre = volt_alloc_doubles(m, 1);
    device->about = volt_alloc_zero(m, sizeof(double));
    device->K = backend->alloc(rows, columns);
    if (device->K && n > rows)
        device->other = backend->alloc(rows, columns);
    bool has_blocks = device->K && (device->other || n <= rows);
    device->W = has_blocks ? backend->alloc(m + device->stored + rows, m) : NULL;
    return device->shift && device->centre && device->about && device->W ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void device_landmarks_release(volt_device_landmarks *device)
{
    if (device->backend) {
        device->backend->release(device->K);
        device->backend->release(device->other);
        device->backend->release(device->W);
    }
    volt_free(device->shift);
    volt_free(device->centre);
    volt_free(device->about);
    *device = (volt_device_landmarks){0};
}

/* ---- features --------------------------------------------------------------------------------- */

static volt_matrix rows_of_W(const volt_device_landmarks *device, int64_t first, int64_t rows)
{
    return volt_matrix_of(device->W + first * device->m, rows, device->m);
}

/* Rows of W: the block, and the place of a row whose features are stored. */
static int64_t block_place(const volt_device_landmarks *device)
{
    return device->m + device->stored;
}

static int64_t stored_place(const volt_device_landmarks *device, int64_t row)
{
    return device->m + row - device->from;
}

/* Copy the landmarks of rows first .. first + rows - 1 of the block, less `shift`, to rows of W. */
static volt_matrix device_gather(const volt_device_landmarks *device, const double *K, const double *shift,
                                 int64_t first, int64_t rows, int64_t place)
{
    volt_matrix F = rows_of_W(device, place, rows);
    device->backend->gather(volt_view_of(K + first * device->columns, rows, device->columns), device->column,
                            shift, F);
    return F;
}

static const double *shift_by(const volt_device_landmarks *device, double common)
{
    for (int64_t a = 0; a < device->m; a++)
        device->shift[a] = common;
    return device->shift;
}

/* F = K L^{-T} of the first rows of the block, in rows of W. */
static volt_matrix device_make_features(const volt_device_landmarks *device, const double *K,
                                        const double *shift, int64_t rows, int64_t place)
{
    volt_matrix F = device_gather(device, K, shift, 0, rows, place);
    device->backend->trsm(rows_of_W(device, 0, place + rows), place, rows, 0, device->m, NULL);
    return F;
}

/* Copies the features of the first F.rows rows of the block to the host. */
static volt_status device_landmarks_features(const volt_device_landmarks *device, double common, volt_matrix F)
{
    volt_matrix made =
        device_make_features(device, device->K, shift_by(device, common), F.rows, block_place(device));
    device->backend->get(volt_as_view(made), F);
    return volt_backend_state(device->backend);
}

/* ---- factor of K_mm --------------------------------------------------------------------------- */

/* K_mm, less the constant: its rows from `a` on, from rows `first` .. of the block. */
static void device_landmarks_corner(const volt_device_landmarks *device, int64_t first, int64_t count,
                                    int64_t a, double common)
{
    device_gather(device, device->K, shift_by(device, common), first, count, a);
}

/* Factors K_mm + jitter I. *pivot as of potrf. VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
/* As factor_here. The upper triangle keeps K_mm. */
static volt_status device_landmarks_factor(const volt_device_landmarks *device, volt_stage *stage,
                                           int64_t *pivot)
{
    enum { TRIES = 3 };
    const volt_backend *backend = device->backend;
    int64_t m = device->m;
    double norm = 0, size = -INFINITY, *diagonal = device->centre; /* unused until rows are added */
    volt_matrix L = rows_of_W(device, 0, m), of_L = {L.data, m, 1, m + 1};
    backend->mirror(L, true);
    VOLT_TRY(backend->norm(volt_as_view(L), &norm));
    VOLT_REQUIRE(isfinite(norm), VOLT_ERR_NOT_FINITE, "the kernel of the landmarks is too large for a double");
    backend->get(volt_as_view(of_L), volt_matrix_of(diagonal, m, 1));
    for (int64_t a = 0; a < m; a++)
        size = fmax(size, diagonal[a]);
    double jitter = 10 * (double)m * DBL_EPSILON * size, ignored = 0;
    for (int i = 0; i < TRIES; i++, jitter *= 1000) {
        if (i > 0) {
            backend->mirror(L, false);
            backend->put(volt_view_of(diagonal, m, 1), of_L);
        }
        backend->shift(L, 0, m, 0, jitter, &ignored);
        backend->potrf(L, 0, m, stage, pivot);
        VOLT_TRY(volt_backend_state(backend));
        if (*pivot == 0 || !volt_stage_should_continue(stage))
            break;
    }
    return VOLT_OK;
}

/* B (m x q, host memory) <- L^{-T} B. */
static void device_landmarks_backward(const volt_device_landmarks *device, volt_matrix B)
{
    device->backend->backward(rows_of_W(device, 0, device->m), false, B);
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* The centre is the mean of the first rows of the block; L^{-1} converts it to that of the features. */
static volt_status device_landmarks_centre(volt_device_landmarks *device, const double *K, double common,
                                           int64_t rows)
{
    int64_t m = device->m, columns = device->columns;
    double *memory = volt_alloc_doubles(rows + columns, 1);
    if (!memory)
        return VOLT_ERR_MEMORY;
    double *mean = memory + rows;
    for (int64_t i = 0; i < rows; i++)
        memory[i] = 1 / (double)rows;
    device->backend->gemm(volt_view_of(K, rows, columns), true, volt_view_of(memory, rows, 1), NULL, false,
                          volt_matrix_of(mean, columns, 1));
    volt_status status = volt_backend_state(device->backend);
    for (int64_t a = 0; status == VOLT_OK && a < m; a++) {
        device->centre[a] = mean[device->column[a]];
        device->about[a] = device->centre[a] - common;
    }
    volt_free(memory);
    if (status == VOLT_OK)
        device->backend->forward(rows_of_W(device, 0, m), 0, m, false, volt_matrix_of(device->about, m, 1));
    device->has_centre = status == VOLT_OK;
    return status;
}

/* Set the features of rows without a target to zero, and the constant next to their targets to 0 instead of
 * 1. */
static void leave_out(const volt_device_landmarks *device, const bool *without, volt_matrix F,
                      volt_matrix augmented)
{
    memset(device->shift, 0, (size_t)device->m * sizeof(double));
    for (int64_t i = 0; without && i < F.rows; i++)
        if (without[i]) {
            device->backend->put(volt_view_of(device->shift, 1, device->m), volt_matrix_rows(F, i, 1));
            augmented.data[i * augmented.ld + augmented.cols - 1] = 0;
        }
}

/* Add F' (Y, 1) to the sums: `product` is m x (columns + 1). */
static void add_thin(volt_view Y, volt_view augmented, volt_view product, volt_state_sums *sums)
{
    int64_t q = Y.cols;
    for (int64_t a = 0; a < sums->states; a++) {
        for (int64_t k = 0; k < q; k++)
            sums->H[a * q + k] += product.data[a * product.ld + k];
        sums->total[a] += product.data[a * product.ld + q];
    }
    for (int64_t i = 0; i < Y.rows; i++) {
        for (int64_t k = 0; k < q; k++)
            sums->y[k] += Y.data[i * Y.ld + k];
        sums->counted += augmented.data[i * augmented.ld + q];
    }
}

/* Rows of the block that are stored, or none of them. */
static volt_status add_rows(volt_device_landmarks *device, const double *K, int64_t place, volt_view Y,
                            const bool *without, volt_state_sums *sums)
{
    int64_t m = device->m, q = Y.cols;
    double *memory = volt_alloc_doubles(Y.rows + m, q + 1);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_matrix augmented = volt_matrix_of(memory, Y.rows, q + 1),
                product = volt_matrix_of(memory + Y.rows * (q + 1), m, q + 1);
    for (int64_t i = 0; i < Y.rows; i++) {
        memcpy(augmented.data + i * augmented.ld, Y.data + i * Y.ld, (size_t)q * sizeof(double));
        augmented.data[i * augmented.ld + q] = 1;
    }
    volt_matrix F = device_make_features(device, K, device->centre, Y.rows, place);
    leave_out(device, without, F, augmented);
    device->backend->accumulate(volt_as_view(F), sums->has_rows ? 1 : 0, volt_matrix_of(sums->G, m, m));
    device->backend->gemm(volt_as_view(F), true, volt_as_view(augmented), NULL, false, product);
    volt_status status = volt_backend_state(device->backend);
    if (status == VOLT_OK) {
        add_thin(Y, volt_as_view(augmented), volt_as_view(product), sums);
        sums->has_rows = true;
    }
    volt_free(memory);
    return status;
}

/* Adds the first Y.rows rows of K, a block of this object, which are rows `row` and following of the operator, to
 * the sums, which must be at the same back end. Another thread may compute the other block meanwhile. Rows with without[i] are skipped; their stored features are 0 when centred. */
static volt_status device_landmarks_add(volt_device_landmarks *device, const double *K, double common,
                                        int64_t row, volt_view Y, const bool *without, volt_state_sums *sums)
{
    if (!device->has_centre)
        VOLT_TRY(device_landmarks_centre(device, K, common, volt_min(Y.rows, VOLT_DEVICE_CENTRE_ROWS)));
    if (!sums->has_rows)
        memcpy(sums->about, device->about, (size_t)device->m * sizeof(double));
    bool is_stored = row >= device->from && row < device->from + device->stored;
    VOLT_TRY(
        add_rows(device, K, is_stored ? stored_place(device, row) : block_place(device), Y, without, sums));
    if (is_stored) {
        device->first = device->end == row ? device->first : row;
        device->end = row + Y.rows;
    }
    return VOLT_OK;
}

/* ---- products --------------------------------------------------------------------------------- */

/* out <- (K - common 1 1') beta for the first out.rows rows of the block; beta (m x q) is in host memory. */
static volt_status device_landmarks_combine(const volt_device_landmarks *device, double common, volt_view beta,
                                            volt_matrix out)
{
    int64_t q = beta.cols;
    double *wide = volt_alloc_zero((device->columns + 1) * q, sizeof *wide);
    if (!wide)
        return VOLT_ERR_MEMORY;
    double *shift = wide + device->columns * q;
    for (int64_t a = 0; a < device->m; a++)
        for (int64_t k = 0; k < q; k++) {
            wide[device->column[a] * q + k] = beta.data[a * beta.ld + k];
            shift[k] -= common * beta.data[a * beta.ld + k];
        }
    device->backend->gemm(volt_view_of(device->K, out.rows, device->columns), false,
                          volt_view_of(wide, device->columns, q), shift, false, out);
    volt_free(wide);
    return volt_backend_state(device->backend);
}

/* The first row of the operator, from `row` on, whose features are stored; n if there is none. */
static int64_t device_landmarks_stored(const volt_device_landmarks *device, int64_t row)
{
    return row < device->end ? volt_max(row, device->first) : device->n;
}

/* out <- F gamma of the stored rows from `row` on. */
/* F = stored + 1 about'. */
static volt_status device_landmarks_spread(const volt_device_landmarks *device, int64_t row, volt_view gamma,
                                           volt_matrix out)
{
    double *shift = volt_alloc_zero(gamma.cols, sizeof *shift);
    if (!shift)
        return VOLT_ERR_MEMORY;
    for (int64_t a = 0; a < device->m; a++)
        for (int64_t k = 0; k < gamma.cols; k++)
            shift[k] += device->about[a] * gamma.data[a * gamma.ld + k];
    device->backend->gemm(volt_as_view(rows_of_W(device, stored_place(device, row), out.rows)), false, gamma,
                          shift, false, out);
    volt_free(shift);
    return volt_backend_state(device->backend);
}

/* out <- F' R of the stored rows from `row` on. */
static volt_status device_landmarks_fold(const volt_device_landmarks *device, int64_t row, volt_view R,
                                         volt_matrix out)
{
    double *total = volt_alloc_zero(R.cols, sizeof *total);
    if (!total)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < R.rows; i++)
        for (int64_t k = 0; k < R.cols; k++)
            total[k] += R.data[i * R.ld + k];
    device->backend->gemm(volt_as_view(rows_of_W(device, stored_place(device, row), R.rows)), true, R, NULL,
                          false, out);
    for (int64_t a = 0; a < device->m; a++)
        for (int64_t k = 0; k < R.cols; k++)
            out.data[a * out.ld + k] += device->about[a] * total[k];
    volt_free(total);
    return volt_backend_state(device->backend);
}

/* Rows per block, limited by the numbers in a block: isolated landmarks have many columns. */
enum { MAX_ROWS = 512, MIN_ROWS = 32 };
static const double block_numbers = 1 << 23;

static int64_t rows_of(double columns)
{
    return (int64_t)fmax(MIN_ROWS, fmin(MAX_ROWS, block_numbers / columns));
}

typedef struct landmark_operator {
    volt_operator op;
    volt_landmark_task task;
    volt_state *state;
    int64_t walked;               /* rows that the state has seen */
    int64_t rows;                 /* rows_of the columns */
    double *made;                 /* rows of Z, where it has no data */
    volt_device_landmarks device; /* its K is the block, if blocks are computed on a device */
    double *block;                /* rows x columns of K, in host memory ... */
    int64_t first;                /* ... from this row on, ... */
    int64_t count;                /* ... this many rows */
    double *L;                    /* m x m, in host memory if no device is used */
    volt_state *end;              /* after the last row, once it was computed on a device */
    int64_t memory;               /* rows that a state depends on; -1: all */
} landmark_operator;

double volt_landmark_bytes(double landmarks, double columns)
{
    return 8 * (landmarks * landmarks + (double)rows_of(columns) * columns + landmarks);
}

/* ---- operations ------------------------------------------------------------------------------- */

/* Operations per entry of K. */
static double entry_cost(const volt_landmark_task *task)
{
    return 2 * (double)task->Z.cols + 24;
}

/* A triangular solve of one row, in entries of K. */
static double feature_units(const volt_landmark_task *task)
{
    return (double)task->m * (double)task->m / entry_cost(task);
}

/* The factorisation of K_mm, in entries of K. */
static double factor_units(const volt_landmark_task *task)
{
    return feature_units(task) * (double)task->m / 3;
}

double volt_landmark_units(const volt_landmark_task *task)
{
    return (double)task->columns->m * (double)task->columns->m + factor_units(task);
}

double volt_landmark_share(const volt_landmark_task *task, double entries)
{
    double own = volt_landmark_units(task);
    double passes = 2 * (double)task->Z.rows * ((double)task->columns->m + feature_units(task));
    return own / (own + passes + entries);
}

/* ---- walk ------------------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 of Z, at most l->rows. */
static volt_view rows_at(const landmark_operator *l, volt_view Z, int64_t first, int64_t count)
{
    if (Z.data)
        return volt_view_rows(Z, first, count);
    l->task.get_rows(l->task.context, first, volt_matrix_of(l->made, count, Z.cols));
    return volt_view_of(l->made, count, Z.cols);
}

/* Computes rows `first` .. first + count - 1 (at most l->rows) against the columns, into the block. */
static volt_status push(landmark_operator *l, volt_view Z, const volt_records *records, int64_t first,
                        int64_t count, volt_stage *stage)
{
    const volt_backend *backend = l->device.backend ? l->device.backend : &volt_cpu_backend;
    double *block = l->device.backend ? l->device.K : l->block;
    int64_t m = l->task.columns->m;
    for (int64_t at = first, to = 0, end = first + count; at < end; at = to) {
        to = volt_records_segment_end(records, at, end);
        if (volt_records_begins(records, at))
            volt_state_zero(l->state);
        VOLT_TRY(volt_state_advance_at(backend, l->state, rows_at(l, Z, at, to - at), false, false,
                                       volt_matrix_of(block + (at - first) * m, to - at, m), stage));
        if (!volt_stage_should_continue(stage))
            break;
    }
    return volt_backend_state(backend);
}

/* In a job the bands of other parts are skipped: the state starts from zero at the first row that matters. */
static void skip_rows(landmark_operator *l, int64_t begin, int64_t first)
{
    int64_t late = volt_max(begin, first - l->memory);
    if (volt_bands_current()->parts == 1 || l->memory < 0 || l->walked >= late)
        return;
    volt_state_zero(l->state);
    l->walked = late;
}

/* Fill the block with these rows. Cancelled: the block is invalid. */
static volt_status walk_to(landmark_operator *l, int64_t first, int64_t count, volt_stage *stage)
{
    if (l->first == first && l->count == count)
        return VOLT_OK;
    int64_t begin = volt_records_begin(l->task.records, volt_min(first, l->task.Z.rows - 1));
    if (l->walked > first || l->walked < begin)
        l->walked = begin; /* where `push` restarts */
    skip_rows(l, begin, first);
    l->count = 0;
    while (l->walked < first) {
        int64_t passed = volt_min(l->rows, first - l->walked);
        VOLT_TRY(push(l, l->task.Z, l->task.records, l->walked, passed, stage));
        if (!volt_stage_should_continue(stage))
            return VOLT_OK;
        l->walked += passed;
    }
    VOLT_TRY(push(l, l->task.Z, l->task.records, first, count, stage));
    l->walked = first + count;
    if (l->device.backend && !l->end && l->walked == l->task.Z.rows && volt_stage_should_continue(stage))
        VOLT_TRY(volt_state_copy(l->state, 1, &l->end));
    l->first = first;
    l->count = volt_stage_should_continue(stage) ? count : 0;
    return VOLT_OK;
}

/* The landmarks of `count` rows of the block, less the constant. */
static void gather(const landmark_operator *l, int64_t from, volt_matrix F)
{
    int64_t columns = l->task.columns->m;
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (F.rows * F.cols > 100000)
    for (int64_t i = 0; i < F.rows; i++)
        for (int64_t a = 0; a < l->task.m; a++)
            F.data[i * F.ld + a] = l->block[(from + i) * columns + l->task.column[a]] - l->task.common;
}

/* Convert the first rows of the block to features F. */
static volt_status make_features(const landmark_operator *l, volt_matrix F)
{
    volt_blas_int m = (volt_blas_int)l->task.m;
    if (l->device.backend)
        return device_landmarks_features(&l->device, l->task.common, F);
    gather(l, 0, F);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (volt_blas_int)F.rows, m, 1,
                l->L, m, F.data, (volt_blas_int)F.ld);
    return VOLT_OK;
}

/* ---- the operator ----------------------------------------------------------------------------- */

static volt_status states(volt_operator *op, int64_t first, volt_matrix F, volt_stage *stage)
{
    landmark_operator *l = (landmark_operator *)op;
    for (int64_t at = 0, count = 0; at < F.rows; at += count) {
        count = volt_min(l->rows, F.rows - at);
        VOLT_TRY(walk_to(l, first + at, count, stage));
        if (!volt_stage_should_continue(stage))
            return VOLT_OK;
        VOLT_TRY(make_features(l, volt_matrix_rows(F, at, count)));
        volt_stage_advance(stage, (int64_t)((double)count * feature_units(&l->task)));
    }
    return VOLT_OK;
}

volt_status volt_landmark_features(volt_operator *op, volt_view Z, const volt_records *records, volt_matrix F,
                                   volt_stage *stage)
{
    landmark_operator *l = (landmark_operator *)op;
    volt_state *saved = l->state, *state = NULL;
    VOLT_TRY(volt_state_create(l->task.resolved, l->task.columns, l->rows, &state));
    l->state = state;
    l->count = 0; /* the block no longer holds rows of the operator */
    volt_status status = VOLT_OK;
    for (int64_t at = 0, count = 0; status == VOLT_OK && at < F.rows && volt_stage_should_continue(stage);
         at += count) {
        count = volt_min(l->rows, F.rows - at);
        status = push(l, Z, records, at, count, stage);
        if (status == VOLT_OK)
            status = make_features(l, volt_matrix_rows(F, at, count));
    }
    l->state = saved;
    volt_state_free(state);
    return status;
}

/* A block that is added to sums on the device, possibly by another thread. */
typedef struct added_block {
    landmark_operator *l;
    const double *K;
    int64_t row;
    volt_view Y;
    const bool *without;
    volt_state_sums *sums;
    int64_t device; /* that the thread binds */
    volt_status status;
    char text[256]; /* of a failure: messages belong to a thread */
} added_block;

static void *add_block(void *context)
{
    added_block *b = context;
    volt_backend_bind(b->l->device.backend, b->device);
    b->status = device_landmarks_add(&b->l->device, b->K, b->l->task.common, b->row, b->Y, b->without, b->sums);
    if (b->status != VOLT_OK)
        snprintf(b->text, sizeof b->text, "%s", volt_error_detail());
    return NULL;
}

/* The parts of a job need the same centre: that of the first rows of all. */
static volt_status find_centre(landmark_operator *l, volt_stage *stage)
{
    int64_t rows = volt_min(volt_min(VOLT_DEVICE_CENTRE_ROWS, l->rows), l->op.n - l->task.washout);
    if (volt_bands_current()->parts == 1 || l->device.has_centre)
        return VOLT_OK;
    VOLT_TRY(walk_to(l, l->task.washout, rows, stage));
    return volt_stage_should_continue(stage)
               ? device_landmarks_centre(&l->device, l->device.K, l->task.common, rows)
               : VOLT_OK;
}

/* The rows of a block from `row` on, which are all stored or all not stored. */
static int64_t rows_of_one_kind(const landmark_operator *l, int64_t row, int64_t count)
{
    int64_t from = l->device.from, end = from + l->device.stored;
    return row < from ? volt_min(count, from - row) : row < end ? volt_min(count, end - row) : count;
}

/* On the device; the features are not copied to the host. While a block is added, the next one is computed. */
static volt_status add(volt_operator *op, int64_t first, volt_view Y, const bool *without,
                       volt_state_sums *sums, volt_stage *stage)
{
    landmark_operator *l = (landmark_operator *)op;
    volt_status status = find_centre(l, stage);
    added_block block = {.l = l, .sums = sums, .device = volt_backend_bound()};
    pthread_t worker;
    bool works = false;
    for (int64_t at = 0, count = 0; status == VOLT_OK && at < Y.rows; at += count) {
        count = rows_of_one_kind(l, first + at, volt_min(l->rows, Y.rows - at));
        status = walk_to(l, first + at, count, stage);
        if (works)
            pthread_join(worker, NULL);
        works = false;
        if (status == VOLT_OK && block.status != VOLT_OK)
            status = volt_fail(block.status, "%s", block.text);
        if (status != VOLT_OK || !volt_stage_should_continue(stage))
            break;
        block.K = l->device.K;
        block.row = first + at;
        block.Y = volt_view_rows(Y, at, count);
        block.without = without ? without + at : NULL;
        bool more = at + count < Y.rows && l->device.other;
        works = more && pthread_create(&worker, NULL, add_block, &block) == 0;
        if (works) {
            l->device.K = l->device.other;
            l->device.other = (double *)(size_t)block.K;
            l->count = 0; /* the block is empty */
        } else {
            add_block(&block);
            status = block.status == VOLT_OK ? VOLT_OK : volt_fail(block.status, "%s", block.text);
        }
        volt_stage_advance(stage, (int64_t)(2 * (double)count * feature_units(&l->task)));
    }
    return status;
}

static volt_status fold(volt_operator *op, int64_t first, volt_view R, volt_matrix out)
{
    const landmark_operator *l = (const landmark_operator *)op;
    return device_landmarks_fold(&l->device, first, R, out);
}

/* Product of the rows of the block with beta. */
static volt_status combine_block(const landmark_operator *l, volt_view beta, volt_matrix out)
{
    int64_t m = l->task.m, columns = l->task.columns->m, q = beta.cols;
    if (l->device.backend)
        return device_landmarks_combine(&l->device, l->task.common, beta, out);
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (out.rows * m > 100000)
    for (int64_t i = 0; i < out.rows; i++)
        for (int64_t k = 0; k < q; k++) {
            double sum = 0;
            for (int64_t a = 0; a < m; a++)
                sum += (l->block[i * columns + l->task.column[a]] - l->task.common) * beta.data[a * q + k];
            out.data[i * out.ld + k] = sum;
        }
    return VOLT_OK;
}

/* F gamma = K_nm beta of rows that are not stored, without a triangular solve per row. */
static volt_status combine_rows(landmark_operator *l, int64_t first, volt_view gamma, volt_matrix out,
                                volt_stage *stage)
{
    int64_t m = l->task.m;
    volt_status status = VOLT_OK;
    double *beta = volt_alloc_doubles(m, gamma.cols);
    if (!beta)
        return VOLT_ERR_MEMORY;
    for (int64_t a = 0; a < m; a++)
        for (int64_t k = 0; k < gamma.cols; k++)
            beta[a * gamma.cols + k] = gamma.data[a * gamma.ld + k];
    volt_landmark_coefficients(&l->op, volt_matrix_of(beta, m, gamma.cols));
    for (int64_t at = 0, count = 0; status == VOLT_OK && at < out.rows; at += count) {
        count = volt_min(l->rows, out.rows - at);
        status = walk_to(l, first + at, count, stage);
        if (!volt_stage_should_continue(stage))
            break;
        if (status == VOLT_OK)
            status = combine_block(l, volt_view_of(beta, m, gamma.cols), volt_matrix_rows(out, at, count));
    }
    volt_free(beta);
    return status;
}

/* Rows before the stored ones, which are the last, and those. */
static volt_status combine(volt_operator *op, int64_t first, volt_view gamma, volt_matrix out,
                           volt_stage *stage)
{
    landmark_operator *l = (landmark_operator *)op;
    int64_t stored = l->device.backend ? device_landmarks_stored(&l->device, first) : op->n;
    int64_t before = volt_min(out.rows, stored - first);
    if (stored + out.rows - before > l->device.end) /* rows after them were not added */
        before = out.rows;
    if (before > 0)
        VOLT_TRY(combine_rows(l, first, gamma, volt_matrix_rows(out, 0, before), stage));
    if (before == out.rows || !volt_stage_should_continue(stage))
        return VOLT_OK;
    int64_t entries = (out.rows - before) * l->task.m;
    VOLT_TRY(
        device_landmarks_spread(&l->device, stored, gamma, volt_matrix_rows(out, before, out.rows - before)));
    volt_stage_advance(stage, entries);
    return VOLT_OK;
}

void volt_landmark_coefficients(volt_operator *op, volt_matrix gamma)
{
    const landmark_operator *l = (const landmark_operator *)op;
    if (l->device.backend)
        device_landmarks_backward(&l->device, gamma);
    else
        volt_cholesky_backward(volt_matrix_of(l->L, l->task.m, l->task.m), gamma);
}

volt_status volt_landmark_operator_end(volt_operator *op, volt_state **state)
{
    landmark_operator *l = (landmark_operator *)op;
    int64_t n = l->task.Z.rows;
    if (l->end) {
        *state = l->end;
        l->end = NULL;
        return VOLT_OK;
    }
    while (l->walked < n) {
        int64_t count = volt_min(l->rows, n - l->walked);
        VOLT_TRY(push(l, l->task.Z, l->task.records, l->walked, count, NULL));
        l->walked += count;
    }
    VOLT_TRY(volt_state_copy(l->state, 1, state));
    return VOLT_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_operator *op)
{
    landmark_operator *l = (landmark_operator *)op;
    volt_state_free(l->state);
    volt_state_free(l->end);
    volt_free(l->made);
    device_landmarks_release(&l->device);
    volt_free(l->block);
    volt_free(l->L);
    volt_free(l);
}

/* Rows of K_mm from landmark `a` on: those whose columns are consecutive in the block, which begins at column
 * `first` and has `count` rows. Returns their number. */
static int64_t take_corner(const landmark_operator *l, int64_t first, int64_t count, int64_t a)
{
    const int64_t *column = l->task.column;
    int64_t rows = 1;
    while (a + rows < l->task.m && column[a + rows] == column[a] + rows && column[a + rows] < first + count)
        rows++;
    if (l->device.backend)
        device_landmarks_corner(&l->device, column[a] - first, rows, a, l->task.common);
    else
        gather(l, column[a] - first, volt_matrix_of(l->L + a * l->task.m, rows, l->task.m));
    return rows;
}

/* K_mm by the back end of the device, if it supports the kernel. */
static bool fill_corner_there(const landmark_operator *l, volt_stage *stage)
{
    const volt_backend *backend = l->device.backend;
    const volt_columns *columns = l->task.columns;
    volt_kernel_form form;
    return backend && backend->corner && volt_form_of(l->task.resolved, &form) &&
           backend->corner(&form, volt_view_of(columns->given, columns->m, columns->d), l->task.column,
                           l->task.common, volt_matrix_of(l->device.W, l->task.m, l->task.m), stage);
}

/* K_mm: the rows of the columns against themselves, of which the landmarks are stored. */
static volt_status fill_corner(landmark_operator *l, volt_stage *stage)
{
    if (fill_corner_there(l, stage)) {
        VOLT_TRY(volt_backend_state(l->device.backend));
        return volt_stage_should_continue(stage) ? VOLT_OK : volt_stage_end(stage);
    }
    const volt_columns *columns = l->task.columns;
    const volt_records *runs = l->task.resolved->records ? &l->task.resolved->records->rows : NULL;
    const int64_t *column = l->task.column;
    int64_t m = l->task.m;
    volt_view rows = volt_view_of(columns->given, columns->m, columns->d);
    for (int64_t first = 0, count = 0; first < columns->m; first += count) {
        count = volt_min(l->rows, columns->m - first);
        VOLT_TRY(push(l, rows, runs, first, count, stage));
        if (!volt_stage_should_continue(stage))
            return volt_stage_end(stage);
        for (int64_t a = 0; a < m;)
            a += column[a] >= first && column[a] < first + count ? take_corner(l, first, count, a) : 1;
    }
    volt_state_zero(l->state);
    return VOLT_OK;
}

/* L L' = K_mm + jitter I. A semidefinite matrix needs a jitter of the rounding level. Larger values are
 * tried before the matrix is reported as indefinite, because rounding of long recursions can exceed that
 * level. */
static volt_status factor_here(const landmark_operator *l, volt_stage *stage, int64_t *pivot)
{
    enum { TRIES = 3 };
    int64_t m = l->task.m;
    double size = 0, jitter = 0;
    for (int64_t i = 0; i < m * m; i++)
        VOLT_REQUIRE(isfinite(l->L[i]), VOLT_ERR_NOT_FINITE,
                     "the kernel of the landmarks is too large for a double");
    for (int64_t a = 0; a < m; a++)
        size = fmax(size, l->L[a * m + a]);
    jitter = 10 * (double)m * DBL_EPSILON * size;
    double *kept = volt_alloc_doubles(m, 1); /* the diagonal; the upper triangle holds the rest */
    if (!kept)
        return VOLT_ERR_MEMORY;
    for (int64_t a = 0; a < m; a++)
        kept[a] = l->L[a * m + a];
    for (int i = 0; i < TRIES; i++, jitter *= 1000) {
        for (int64_t a = 0; a < m; a++)
            l->L[a * m + a] = kept[a] + jitter;
        volt_stage inner;
        volt_stage_begin_inner(stage, factor_units(&l->task), volt_cholesky_units(m), &inner);
        volt_cholesky_factor(volt_matrix_of(l->L, m, m), &inner, pivot);
        volt_stage_end_inner(stage, factor_units(&l->task), &inner);
        if (*pivot == 0 || !volt_stage_should_continue(stage))
            break;
        for (int64_t a = 0; a < m; a++)
            for (int64_t b = 0; b < a; b++)
                l->L[a * m + b] = l->L[b * m + a];
    }
    volt_free(kept);
    return VOLT_OK;
}

static volt_status factor_corner(const landmark_operator *l, volt_stage *stage)
{
    int64_t pivot = 0;
    if (l->device.backend) {
        volt_stage inner;
        volt_stage_begin_inner(stage, factor_units(&l->task), volt_backend_potrf_units(l->task.m), &inner);
        VOLT_TRY(device_landmarks_factor(&l->device, &inner, &pivot));
        volt_stage_end_inner(stage, factor_units(&l->task), &inner);
    } else
        VOLT_TRY(factor_here(l, stage, &pivot));
    if (!volt_stage_should_continue(stage))
        return volt_stage_end(stage);
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR,
                 "the kernel of the %" PRId64
                 " landmarks is not positive semidefinite (Cholesky failed at pivot %" PRId64
                 "): use another kernel",
                 l->task.m, pivot);
    return VOLT_OK;
}

/* Allocate blocks of rows, on the host or on a device. */
static volt_status make_block(landmark_operator *l)
{
    const volt_backend *backend = l->task.backend;
    int64_t columns = l->task.columns->m;
    l->rows = rows_of((double)columns);
    if (backend && volt_device_landmarks_can(backend)) {
        const volt_bands *bands = volt_bands_current();
        int64_t first = 0, last = l->op.n;
        if (bands->parts > 1) {
            volt_feature_band(bands, l->op.n - l->task.washout, &first, &last);
            first += l->task.washout;
            last += l->task.washout;
        }
        VOLT_TRY(device_landmarks_make(backend, l->task.column, l->task.m, columns, l->op.n, first, last,
                                       &l->device));
        l->rows = l->op.block_rows = l->device.rows;
        l->op.sums_backend = backend;
        l->op.add = add;
        double incomplete = l->device.stored < last - first;
        bands->sum(&incomplete, 1);
        l->op.fold = incomplete == 0 ? fold : NULL;
    } else {
        l->block = volt_alloc_doubles(l->rows, columns);
        l->L = volt_alloc_doubles(l->task.m, l->task.m);
    }
    l->made = volt_alloc_doubles(l->task.Z.data ? 0 : l->rows, l->task.Z.cols);
    return l->made && ((l->block && l->L) || l->device.backend) ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_landmark_operator(const volt_landmark_task *task, volt_stage *stage, volt_operator **op)
{
    landmark_operator *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    *fresh = (landmark_operator){
        .op = {.n = task->Z.rows,
               .entry_cost = entry_cost(task),
               .row_units = (double)task->columns->m,
               .release = release,
               .n_states = task->m,
               .states = states,
               .combine = combine},
        .task = *task,
        .memory = volt_operator_memory(task->resolved),
    };
    volt_status status = make_block(fresh);
    if (status == VOLT_OK)
        status = volt_state_create(task->resolved, task->columns, fresh->rows, &fresh->state);
    if (status == VOLT_OK)
        status = fill_corner(fresh, stage);
    if (status == VOLT_OK)
        status = factor_corner(fresh, stage);
    if (status == VOLT_OK)
        *op = &fresh->op;
    else
        release(&fresh->op);
    return status;
}
