/* src/solve/landmark/device_landmarks.c: features of landmarks, and their sums, on a device. */
#include "solve/landmark/device_landmarks.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <math.h>
#include <string.h>

/* Rows of a block: enough to keep a device busy, limited by these numbers of rows. */
enum { MIN_ROWS = 512, MAX_ROWS = 8192 };
static const double block_numbers = 1 << 27;

bool volt_device_landmarks_can(const volt_backend *backend)
{
    return backend->gather && backend->accumulate;
}

int64_t volt_device_landmarks_rows(int64_t columns)
{
    return (int64_t)fmax(MIN_ROWS, fmin(MAX_ROWS, block_numbers / (double)columns));
}

double volt_device_landmarks_bytes(double landmarks, double columns)
{
    double rows = fmax(MIN_ROWS, fmin(MAX_ROWS, block_numbers / columns));
    return 8 * (rows * columns + (2 * landmarks + rows) * landmarks);
}

/* ---- life ------------------------------------------------------------------------------------- */

volt_status volt_device_landmarks_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                       int64_t columns, volt_device_landmarks *device)
{
    int64_t rows = volt_device_landmarks_rows(columns);
    *device =
        (volt_device_landmarks){.backend = backend, .m = m, .columns = columns, .rows = rows, .column = column};
    device->shift = volt_alloc_doubles(m, 1);
    device->about = volt_alloc_doubles(m, 1);
    device->K = backend->alloc(rows, columns);
    device->W = device->K ? backend->alloc(m + rows, m) : NULL;
    device->G = device->W ? backend->alloc(m, m) : NULL;
    return device->shift && device->about && device->G ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_device_landmarks_release(volt_device_landmarks *device)
{
    if (device->backend) {
        device->backend->release(device->K);
        device->backend->release(device->W);
        device->backend->release(device->G);
    }
    volt_free(device->shift);
    volt_free(device->about);
    *device = (volt_device_landmarks){0};
}

/* ---- features --------------------------------------------------------------------------------- */

static volt_matrix features_of(const volt_device_landmarks *device, int64_t rows)
{
    return volt_matrix_of(device->W + device->m * device->m, rows, device->m);
}

/* Copy the landmarks of rows first .. first + rows - 1 of the block, less `shift`, below the factor. */
static volt_matrix gather(const volt_device_landmarks *device, int64_t first, int64_t rows)
{
    volt_matrix F = features_of(device, rows);
    device->backend->gather(volt_view_of(device->K + first * device->columns, rows, device->columns),
                            device->column, device->shift, F);
    return F;
}

static void shift_by(const volt_device_landmarks *device, double common)
{
    for (int64_t a = 0; a < device->m; a++)
        device->shift[a] = common;
}

/* F = K L^{-T}. */
static volt_matrix make_features(const volt_device_landmarks *device, int64_t rows)
{
    volt_matrix F = gather(device, 0, rows);
    device->backend->trsm(volt_matrix_of(device->W, device->m + rows, device->m), device->m, rows, 0, device->m,
                          NULL);
    return F;
}

volt_status volt_device_landmarks_row(const volt_device_landmarks *device, int64_t row, double common,
                                      double *out)
{
    shift_by(device, common);
    device->backend->get(volt_as_view(gather(device, row, 1)), volt_matrix_of(out, 1, device->m));
    return volt_backend_state(device->backend);
}

void volt_device_landmarks_factor(const volt_device_landmarks *device, const double *L)
{
    device->backend->put(volt_view_of(L, device->m, device->m),
                         volt_matrix_of(device->W, device->m, device->m));
}

volt_status volt_device_landmarks_features(const volt_device_landmarks *device, double common, volt_matrix F)
{
    shift_by(device, common);
    device->backend->get(volt_as_view(make_features(device, F.rows)), F);
    return volt_backend_state(device->backend);
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* Features centred at `about`: F - 1 about' = (K - 1 (L about)') L^{-T}. */
static void shift_about(const volt_device_landmarks *device, double common, const double *L,
                        const double *about)
{
    int64_t m = device->m;
    for (int64_t a = 0; a < m; a++) {
        double sum = common;
        for (int64_t b = 0; b <= a; b++)
            sum += L[a * m + b] * about[b];
        device->shift[a] = sum;
    }
}

/* Set the features of rows without a target to zero, and the constant next to their targets to 0 instead of
 * 1. */
static void leave_out(const volt_device_landmarks *device, const bool *without, volt_matrix F,
                      volt_matrix augmented)
{
    memset(device->about, 0, (size_t)device->m * sizeof(double));
    for (int64_t i = 0; without && i < F.rows; i++)
        if (without[i]) {
            device->backend->put(volt_view_of(device->about, 1, device->m), volt_matrix_rows(F, i, 1));
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

volt_status volt_device_landmarks_add(volt_device_landmarks *device, double common, const double *L,
                                      volt_view Y, const bool *without, volt_state_sums *sums)
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
    shift_about(device, common, L, sums->about);
    volt_matrix F = make_features(device, Y.rows);
    leave_out(device, without, F, augmented);
    device->backend->accumulate(volt_as_view(F), device->has_sums ? 1 : 0, volt_matrix_of(device->G, m, m));
    device->has_sums = true;
    device->backend->gemm(volt_as_view(F), true, volt_as_view(augmented), NULL, false, product);
    volt_status status = volt_backend_state(device->backend);
    if (status == VOLT_OK)
        add_thin(Y, volt_as_view(augmented), volt_as_view(product), sums);
    volt_free(memory);
    return status;
}

volt_status volt_device_landmarks_collect(volt_device_landmarks *device, volt_state_sums *sums)
{
    int64_t m = device->m;
    if (!device->has_sums)
        return VOLT_OK;
    device->has_sums = false;
    double *G = volt_alloc_doubles(m, m);
    if (!G)
        return VOLT_ERR_MEMORY;
    device->backend->get(volt_view_of(device->G, m, m), volt_matrix_of(G, m, m));
    volt_status status = volt_backend_state(device->backend);
    for (int64_t a = 0; status == VOLT_OK && a < m; a++)
        for (int64_t b = 0; b <= a; b++)
            sums->G[a * m + b] += G[a * m + b];
    volt_free(G);
    return status;
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
