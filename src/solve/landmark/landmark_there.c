/* src/solve/landmark/landmark_there.c: features of landmarks, and their sums, at a back end elsewhere. */
#include "solve/landmark/landmark_there.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <math.h>
#include <string.h>

/* Rows of a block: enough to keep a device busy, and no more numbers than these. */
enum { LEAST_ROWS = 512, MOST_ROWS = 8192 };
static const double block_numbers = 1 << 27;

bool volt_landmarks_there_can(const volt_backend *backend)
{
    return backend->gather && backend->accumulate;
}

int64_t volt_landmarks_there_rows(int64_t columns)
{
    return (int64_t)fmax(LEAST_ROWS, fmin(MOST_ROWS, block_numbers / (double)columns));
}

double volt_landmarks_there_bytes(double landmarks, double columns)
{
    double rows = fmax(LEAST_ROWS, fmin(MOST_ROWS, block_numbers / columns));
    return 8 * (rows * columns + (2 * landmarks + rows) * landmarks);
}

/* ---- life ------------------------------------------------------------------------------------- */

volt_status volt_landmarks_there_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                      int64_t columns, volt_landmarks_there *there)
{
    int64_t rows = volt_landmarks_there_rows(columns);
    *there =
        (volt_landmarks_there){.backend = backend, .m = m, .columns = columns, .rows = rows, .column = column};
    there->shift = volt_alloc_doubles(m, 1);
    there->about = volt_alloc_doubles(m, 1);
    there->K = backend->alloc(rows, columns);
    there->W = there->K ? backend->alloc(m + rows, m) : NULL;
    there->G = there->W ? backend->alloc(m, m) : NULL;
    return there->shift && there->about && there->G ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_landmarks_there_release(volt_landmarks_there *there)
{
    if (there->backend) {
        there->backend->release(there->K);
        there->backend->release(there->W);
        there->backend->release(there->G);
    }
    volt_free(there->shift);
    volt_free(there->about);
    *there = (volt_landmarks_there){0};
}

/* ---- features --------------------------------------------------------------------------------- */

static volt_matrix features_of(const volt_landmarks_there *there, int64_t rows)
{
    return volt_matrix_of(there->W + there->m * there->m, rows, there->m);
}

/* Landmarks of rows first .. first + rows - 1 of the block, less `shift`, under the factor. */
static volt_matrix gather(const volt_landmarks_there *there, int64_t first, int64_t rows)
{
    volt_matrix F = features_of(there, rows);
    there->backend->gather(volt_view_of(there->K + first * there->columns, rows, there->columns), there->column,
                           there->shift, F);
    return F;
}

static void shift_by(const volt_landmarks_there *there, double common)
{
    for (int64_t a = 0; a < there->m; a++)
        there->shift[a] = common;
}

/* F = K L^{-T}. */
static volt_matrix make_features(const volt_landmarks_there *there, int64_t rows)
{
    volt_matrix F = gather(there, 0, rows);
    there->backend->trsm(volt_matrix_of(there->W, there->m + rows, there->m), there->m, rows, 0, there->m,
                         NULL);
    return F;
}

volt_status volt_landmarks_there_row(const volt_landmarks_there *there, int64_t row, double common, double *out)
{
    shift_by(there, common);
    there->backend->get(volt_as_view(gather(there, row, 1)), volt_matrix_of(out, 1, there->m));
    return volt_backend_state(there->backend);
}

void volt_landmarks_there_factor(const volt_landmarks_there *there, const double *L)
{
    there->backend->put(volt_view_of(L, there->m, there->m), volt_matrix_of(there->W, there->m, there->m));
}

volt_status volt_landmarks_there_features(const volt_landmarks_there *there, double common, volt_matrix F)
{
    shift_by(there, common);
    there->backend->get(volt_as_view(make_features(there, F.rows)), F);
    return volt_backend_state(there->backend);
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* Features about `about` are those of rows less L about: F - 1 about' = (K - 1 (L about)') L^{-T}. */
static void shift_about(const volt_landmarks_there *there, double common, const double *L, const double *about)
{
    int64_t m = there->m;
    for (int64_t a = 0; a < m; a++) {
        double sum = common;
        for (int64_t b = 0; b <= a; b++)
            sum += L[a * m + b] * about[b];
        there->shift[a] = sum;
    }
}

/* Rows without a target leave the features, and 0 and not 1 stands beside their targets. */
static void leave_out(const volt_landmarks_there *there, const bool *without, volt_matrix F, volt_matrix beside)
{
    memset(there->about, 0, (size_t)there->m * sizeof(double));
    for (int64_t i = 0; without && i < F.rows; i++)
        if (without[i]) {
            there->backend->put(volt_view_of(there->about, 1, there->m), volt_matrix_rows(F, i, 1));
            beside.data[i * beside.ld + beside.cols - 1] = 0;
        }
}

/* F' (Y, 1): `product` is m x (columns + 1). */
static void add_thin(volt_view Y, volt_view beside, volt_view product, volt_state_sums *sums)
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
        sums->counted += beside.data[i * beside.ld + q];
    }
}

volt_status volt_landmarks_there_add(volt_landmarks_there *there, double common, const double *L, volt_view Y,
                                     const bool *without, volt_state_sums *sums)
{
    int64_t m = there->m, q = Y.cols;
    double *memory = volt_alloc_doubles(Y.rows + m, q + 1);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_matrix beside = volt_matrix_of(memory, Y.rows, q + 1),
                product = volt_matrix_of(memory + Y.rows * (q + 1), m, q + 1);
    for (int64_t i = 0; i < Y.rows; i++) {
        memcpy(beside.data + i * beside.ld, Y.data + i * Y.ld, (size_t)q * sizeof(double));
        beside.data[i * beside.ld + q] = 1;
    }
    shift_about(there, common, L, sums->about);
    volt_matrix F = make_features(there, Y.rows);
    leave_out(there, without, F, beside);
    there->backend->accumulate(volt_as_view(F), there->has_sums ? 1 : 0, volt_matrix_of(there->G, m, m));
    there->has_sums = true;
    there->backend->gemm(volt_as_view(F), true, volt_as_view(beside), NULL, false, product);
    volt_status status = volt_backend_state(there->backend);
    if (status == VOLT_OK)
        add_thin(Y, volt_as_view(beside), volt_as_view(product), sums);
    volt_free(memory);
    return status;
}

volt_status volt_landmarks_there_collect(volt_landmarks_there *there, volt_state_sums *sums)
{
    int64_t m = there->m;
    if (!there->has_sums)
        return VOLT_OK;
    there->has_sums = false;
    double *G = volt_alloc_doubles(m, m);
    if (!G)
        return VOLT_ERR_MEMORY;
    there->backend->get(volt_view_of(there->G, m, m), volt_matrix_of(G, m, m));
    volt_status status = volt_backend_state(there->backend);
    for (int64_t a = 0; status == VOLT_OK && a < m; a++)
        for (int64_t b = 0; b <= a; b++)
            sums->G[a * m + b] += G[a * m + b];
    volt_free(G);
    return status;
}

/* ---- products --------------------------------------------------------------------------------- */

volt_status volt_landmarks_there_combine(const volt_landmarks_there *there, double common, volt_view beta,
                                         volt_matrix out)
{
    int64_t q = beta.cols;
    double *wide = volt_alloc_zero((there->columns + 1) * q, sizeof *wide);
    if (!wide)
        return VOLT_ERR_MEMORY;
    double *shift = wide + there->columns * q;
    for (int64_t a = 0; a < there->m; a++)
        for (int64_t k = 0; k < q; k++) {
            wide[there->column[a] * q + k] = beta.data[a * beta.ld + k];
            shift[k] -= common * beta.data[a * beta.ld + k];
        }
    there->backend->gemm(volt_view_of(there->K, out.rows, there->columns), false,
                         volt_view_of(wide, there->columns, q), shift, false, out);
    volt_free(wide);
    return volt_backend_state(there->backend);
}
