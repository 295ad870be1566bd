/* src/solve/landmark/device_landmarks.c: features of landmarks, and their sums, on a device. */
#include "solve/landmark/device_landmarks.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rows of a block: enough for long products, limited by these numbers of rows. Numbers of a block, relative to
 * those that keep the back end busy: twice as many if both blocks then take at most this part of its memory. */
enum { MIN_ROWS = 512, MAX_ROWS = 32768, BLOCKS = 8, MEMORY_PART = 8 };

bool volt_device_landmarks_can(const volt_backend *backend)
{
    return backend->gather && backend->accumulate;
}

static double rows_of(const volt_backend *backend, double columns)
{
    double numbers = BLOCKS * (double)backend->block,
           available = backend->available ? (double)backend->available() : 0;
    if (available >= MEMORY_PART * 2 * 8 * 2 * numbers)
        numbers *= 2;
    return fmax(MIN_ROWS, fmin(MAX_ROWS, floor(numbers / columns)));
}

/* Includes two sums, and workspace of the back end: blocks of rows of K, transposed features of two threads. */
double volt_device_landmarks_bytes(const volt_backend *backend, double n, double landmarks, double columns)
{
    const double most_transposed = 3e8;
    double rows = rows_of(backend, columns), workspace = 5e9 + 2 * 8 * fmin(rows * landmarks, most_transposed);
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

volt_status volt_device_landmarks_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                       int64_t columns, int64_t n, int64_t first, int64_t last,
                                       volt_device_landmarks *device)
{
    int64_t rows = volt_min((int64_t)rows_of(backend, (double)columns), volt_max(n, columns));
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

void volt_device_landmarks_release(volt_device_landmarks *device)
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
static volt_matrix gather(const volt_device_landmarks *device, const double *K, const double *shift,
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
static volt_matrix make_features(const volt_device_landmarks *device, const double *K, const double *shift,
                                 int64_t rows, int64_t place)
{
    volt_matrix F = gather(device, K, shift, 0, rows, place);
    device->backend->trsm(rows_of_W(device, 0, place + rows), place, rows, 0, device->m, NULL);
    return F;
}

volt_status volt_device_landmarks_features(const volt_device_landmarks *device, double common, volt_matrix F)
{
    volt_matrix made = make_features(device, device->K, shift_by(device, common), F.rows, block_place(device));
    device->backend->get(volt_as_view(made), F);
    return volt_backend_state(device->backend);
}

/* ---- factor of K_mm --------------------------------------------------------------------------- */

void volt_device_landmarks_corner(const volt_device_landmarks *device, int64_t first, int64_t count, int64_t a,
                                  double common)
{
    gather(device, device->K, shift_by(device, common), first, count, a);
}

/* As factor_here of landmark_operator.c. The upper triangle keeps K_mm. */
volt_status volt_device_landmarks_factor(const volt_device_landmarks *device, volt_stage *stage, int64_t *pivot)
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

void volt_device_landmarks_backward(const volt_device_landmarks *device, volt_matrix B)
{
    device->backend->backward(rows_of_W(device, 0, device->m), false, B);
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* The centre is the mean of the first rows of the block; L^{-1} converts it to that of the features. */
volt_status volt_device_landmarks_centre(volt_device_landmarks *device, const double *K, double common,
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
    volt_matrix F = make_features(device, K, device->centre, Y.rows, place);
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

volt_status volt_device_landmarks_add(volt_device_landmarks *device, const double *K, double common,
                                      int64_t row, volt_view Y, const bool *without, volt_state_sums *sums)
{
    if (!device->has_centre)
        VOLT_TRY(volt_device_landmarks_centre(device, K, common, volt_min(Y.rows, VOLT_DEVICE_CENTRE_ROWS)));
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

volt_status volt_device_landmarks_combine(const volt_device_landmarks *device, double common, volt_view beta,
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

int64_t volt_device_landmarks_stored(const volt_device_landmarks *device, int64_t row)
{
    return row < device->end ? volt_max(row, device->first) : device->n;
}

/* F = stored + 1 about'. */
volt_status volt_device_landmarks_spread(const volt_device_landmarks *device, int64_t row, volt_view gamma,
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

volt_status volt_device_landmarks_fold(const volt_device_landmarks *device, int64_t row, volt_view R,
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
