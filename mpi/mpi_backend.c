/* mpi/mpi_backend.c: operations on distributed matrices, with ScaLAPACK where communication is needed. */
#include "mpi_backend.h"

#include "base/blas.h"
#include "base/numbers.h"
#include "scalapack.h"
#include "tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double one = 1, minus_one = -1, zero = 0;

static void advance(volt_stage *stage, double flops)
{
    if (stage)
        volt_stage_advance(stage, (int64_t)(flops / 1000) + 1);
}

/* 1-based ScaLAPACK indices of entry i, j of A. */
static int row_of(const tiles *A, int64_t j)
{
    return (int)(A->j + j) + 1;
}

static int col_of(const tiles *A, int64_t i)
{
    return (int)(A->i + i) + 1;
}

/* ---- entry by entry --------------------------------------------------------------------------- */

/* The local entries of rows `first` .. `first + rows - 1` and columns 0 .. `cols - 1` of A, as a row-major
 * matrix. Local row a is row i[a] of A; local column b is column j[b]. */
typedef struct held {
    volt_matrix A;
    int64_t row_place, col_place; /* local position of the first row and column */
    int64_t row_shift, col_shift;
} held;

static held held_part(const tiles *A, int64_t first, int64_t rows, int64_t cols)
{
    held part = {.row_shift = A->i, .col_shift = A->j};
    part.A.rows = local_entries(A->i + first, rows, grid.col, grid.cols, &part.row_place);
    part.A.cols = local_entries(A->j, cols, grid.row, grid.rows, &part.col_place);
    part.A.ld = A->desc[8];
    part.A.data = A->local + part.col_place + part.row_place * part.A.ld;
    return part;
}

static int64_t held_row(const held *part, int64_t a)
{
    return entry_at(part->row_place + a, grid.col, grid.cols) - part->row_shift;
}

static int64_t held_col(const held *part, int64_t b)
{
    return entry_at(part->col_place + b, grid.row, grid.rows) - part->col_shift;
}

static void shift(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest)
{
    tiles T = tiles_of(A.data, A.ld);
    held part = held_part(&T, first, count, A.cols);
    double most = -INFINITY;
    for (int64_t a = 0; a < part.A.rows; a++) {
        int64_t i = held_row(&part, a);
        for (int64_t b = 0, j = 0; b < part.A.cols && (j = held_col(&part, b)) <= i; b++) {
            double *entry = part.A.data + a * part.A.ld + b;
            if (j == i)
                most = fmax(most, *entry);
            *entry -= common;
            if (j == i)
                *entry += alpha;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *largest = fmax(*largest, most);
}

static void isolate(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal)
{
    tiles T = tiles_of(A.data, A.ld);
    held part = held_part(&T, first, count, A.cols);
    for (int64_t a = 0; a < part.A.rows; a++) {
        int64_t row = held_row(&part, a);
        for (int64_t b = 0, j = 0; b < part.A.cols && (j = held_col(&part, b)) <= row; b++)
            if (row == i || j == i)
                part.A.data[a * part.A.ld + b] = row == j ? diagonal : 0;
    }
}

static volt_status norm(volt_view A, double *value)
{
    tiles T = tiles_of(A.data, A.ld);
    held part = held_part(&T, 0, A.rows, A.cols);
    double *sums = job_doubles(A.rows);
    for (int64_t a = 0; a < part.A.rows; a++) {
        int64_t i = held_row(&part, a);
        for (int64_t b = 0, j = 0; b < part.A.cols && (j = held_col(&part, b)) <= i; b++) {
            double size = fabs(part.A.data[a * part.A.ld + b]);
            sums[i] += size;
            if (j < i)
                sums[j] += size;
        }
    }
    sum_over_processes(sums, A.rows);
    *value = 0;
    for (int64_t i = 0; i < A.rows; i++)
        if (isnan(sums[i]) || sums[i] > *value)
            *value = sums[i]; /* a NaN is kept: no later comparison replaces it */
    free(sums);
    return VOLT_OK;
}

static void update(volt_matrix R, volt_view B, double scale)
{
    tiles T = tiles_of(R.data, R.ld);
    held part = held_part(&T, 0, R.rows, R.cols);
    for (int64_t a = 0; a < part.A.rows; a++) {
        int64_t i = held_row(&part, a);
        for (int64_t b = 0, j = 0; b < part.A.cols && (j = held_col(&part, b)) <= i; b++) {
            double *entry = part.A.data + a * part.A.ld + b, sum = 0;
            for (int64_t k = 0; k < B.cols; k++)
                sum += B.data[i * B.ld + k] * B.data[j * B.ld + k];
            *entry = sum + scale * *entry;
        }
    }
}

/* ---- triangles -------------------------------------------------------------------------------- */

/* rows mirrored at a time */
enum { PANEL = 256 };

/* The diagonal block of a panel is small, so every process mirrors it. */
static void mirror_corner(volt_matrix A, int64_t first, int64_t count, bool up, double *workspace)
{
    volt_matrix distributed = {A.data + first * (A.ld + 1), count, count, A.ld};
    volt_matrix local = volt_matrix_of(workspace, count, count);
    tiles_get(volt_as_view(distributed), local);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++)
            if (up)
                workspace[j * count + i] = workspace[i * count + j];
            else
                workspace[i * count + j] = workspace[j * count + i];
    tiles_put(volt_as_view(local), distributed);
}

static void mirror(volt_matrix A, bool up)
{
    double *workspace = job_doubles(PANEL * PANEL);
    for (int64_t first = 0; first < A.rows; first += PANEL) {
        int count = (int)volt_min(PANEL, A.rows - first), before = (int)first;
        if (count > 1) /* a single column does not determine the leading dimension */
            mirror_corner(A, first, count, up, workspace);
        tiles T = tiles_of(A.data, A.ld);
        int r0 = row_of(&T, 0), r = row_of(&T, first), c0 = col_of(&T, 0), c = col_of(&T, first);
        if (before > 0 && up)
            pdtran_(&count, &before, &one, T.local, &r0, &c, T.desc, &zero, T.local, &r, &c0, T.desc);
        else if (before > 0)
            pdtran_(&before, &count, &one, T.local, &r, &c0, T.desc, &zero, T.local, &r0, &c, T.desc);
    }
    free(workspace);
}

typedef void (*triangle_routine)(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                                 const int *desc, int *info);

/* Run the routine on rows and columns first .. first + count - 1. Blocks that do not begin at a tile
 * boundary are copied. */
static int on_triangle(triangle_routine routine, const tiles *A, int64_t first, int64_t count)
{
    int n = (int)count, r = row_of(A, first), c = col_of(A, first), begin = 1, info = 0;
    if ((r - 1) % grid.tile == 0 && (c - 1) % grid.tile == 0) {
        routine("U", &n, A->local, &r, &c, A->desc, &info);
        return info;
    }
    tiles copy = tiles_make(count, count);
    Cpdgemr2d(n, n, A->local, r, c, A->desc, copy.local, 1, 1, copy.desc, grid.context);
    routine("U", &n, copy.local, &begin, &begin, copy.desc, &info);
    Cpdgemr2d(n, n, copy.local, 1, 1, copy.desc, A->local, r, c, A->desc, grid.context);
    free(copy.local);
    return info;
}

static void trsm(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage)
{
    if (count <= 0 || to <= from)
        return;
    tiles T = tiles_of(L.data, L.ld);
    int rows = (int)(to - from), cols = (int)count, known = (int)from;
    int r0 = row_of(&T, 0), r = row_of(&T, from), c = col_of(&T, first), corner = col_of(&T, from);
    if (known > 0)
        pdgemm_("T", "N", &rows, &cols, &known, &minus_one, T.local, &r0, &corner, T.desc, T.local, &r0, &c,
                T.desc, &one, T.local, &r, &c, T.desc);
    pdtrsm_("L", "U", "T", "N", &rows, &cols, &one, T.local, &r, &corner, T.desc, T.local, &r, &c, T.desc);
    advance(stage, (double)count * (double)rows * (double)(2 * from + rows));
}

static void potrf(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot)
{
    tiles T = tiles_of(L.data, L.ld);
    int rows = (int)(to - from), known = (int)from;
    int r0 = row_of(&T, 0), r = row_of(&T, from), c = col_of(&T, from);
    if (known > 0)
        pdsyrk_("U", "T", &rows, &known, &minus_one, T.local, &r0, &c, T.desc, &one, T.local, &r, &c, T.desc);
    int info = on_triangle(pdpotrf_, &T, from, rows);
    *pivot = info > 0 ? from + info : 0;
    advance(stage, (double)rows * (double)rows * ((double)from + (double)rows / 3));
}

static void invert(volt_matrix L, volt_stage *stage)
{
    tiles T = tiles_of(L.data, L.ld);
    on_triangle(pdpotri_, &T, 0, L.rows);
    advance(stage, 2.0 / 3 * pow((double)L.rows, 3));
}

/* ---- large times thin ------------------------------------------------------------------------- */

/* The rows of B, distributed like the rows of the triangle T, starting at the process that holds its first
 * row. */
typedef struct thin {
    double *local;
    int desc[9];
    int first; /* first row, 1-based */
    int64_t rows, cols, row_place, col_place, held_rows, held_cols;
    int process; /* this process, relative to the one with the first row */
} thin;

static thin thin_make(const tiles *T, int64_t rows, int64_t cols)
{
    int source = (int)(T->j / grid.tile % grid.rows), shift_in_tile = (int)(T->j % grid.tile);
    int64_t unused;
    thin B = {.first = shift_in_tile + 1, .rows = rows, .cols = cols};
    B.process = (grid.row - source + grid.rows) % grid.rows;
    B.held_rows = local_entries(shift_in_tile, rows, B.process, grid.rows, &B.row_place);
    B.held_cols = local_entries(0, cols, grid.col, grid.cols, &B.col_place);
    int64_t ld = local_entries(0, shift_in_tile + rows, B.process, grid.rows, &unused);
    int desc[9] = {1, grid.context,        shift_in_tile + (int)rows, (int)cols, grid.tile, grid.tile, source,
                   0, (int)volt_max(1, ld)};
    memcpy(B.desc, desc, sizeof desc);
    B.local = job_doubles(volt_max(1, ld) * volt_max(1, B.held_cols));
    return B;
}

/* Copy the local rows from `local` to the thin matrix, or back. */
static void thin_copy(thin *B, volt_matrix local, bool back)
{
    for (int64_t b = 0; b < B->held_cols; b++)
        for (int64_t a = 0; a < B->held_rows; a++) {
            int64_t i = entry_at(B->row_place + a, B->process, grid.rows) - (B->first - 1);
            int64_t k = entry_at(B->col_place + b, grid.col, grid.cols);
            double *distributed = B->local + B->row_place + a + (B->col_place + b) * B->desc[8];
            if (back)
                local.data[i * local.ld + k] = *distributed;
            else
                *distributed = local.data[i * local.ld + k];
        }
}

/* Gather rows first .. first + count - 1 of the thin matrix into B, in every process. */
static void thin_collect(thin *from, int64_t first, int64_t count, volt_matrix B)
{
    double *all = job_doubles(from->rows * from->cols);
    thin_copy(from, volt_matrix_of(all, from->rows, from->cols), true);
    sum_over_processes(all + first * from->cols, count * from->cols);
    for (int64_t i = first; i < first + count; i++)
        memcpy(B.data + i * B.ld, all + i * from->cols, (size_t)from->cols * sizeof(double));
    free(all);
    free(from->local);
}

static void forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B)
{
    (void)steady; /* results never depend on the number of threads */
    if (to <= from)
        return;
    tiles T = tiles_of(L.data, L.ld);
    thin X = thin_make(&T, to, B.cols);
    thin_copy(&X, B, false);
    int rows = (int)(to - from), known = (int)from, q = (int)B.cols, begin = 1;
    int r0 = row_of(&T, 0), r = row_of(&T, from), c = col_of(&T, from), x = X.first + known;
    if (known > 0)
        pdgemm_("T", "N", &rows, &q, &known, &minus_one, T.local, &r0, &c, T.desc, X.local, &X.first, &begin,
                X.desc, &one, X.local, &x, &begin, X.desc);
    pdtrsm_("L", "U", "T", "N", &rows, &q, &one, T.local, &r, &c, T.desc, X.local, &x, &begin, X.desc);
    thin_collect(&X, from, rows, B);
}

static void backward(volt_matrix L, bool steady, volt_matrix B)
{
    (void)steady;
    tiles T = tiles_of(L.data, L.ld);
    thin X = thin_make(&T, B.rows, B.cols);
    thin_copy(&X, B, false);
    int rows = (int)B.rows, q = (int)B.cols, begin = 1, r = row_of(&T, 0), c = col_of(&T, 0);
    pdtrsm_("L", "U", "N", "N", &rows, &q, &one, T.local, &r, &c, T.desc, X.local, &X.first, &begin, X.desc);
    thin_collect(&X, 0, rows, B);
}

/* Each process multiplies its local block; the products are summed. */
static void gemm(volt_view A, bool transposed, volt_view B, const double *add, bool steady, volt_matrix C)
{
    (void)steady;
    tiles T = tiles_of(A.data, A.ld);
    held part = held_part(&T, 0, A.rows, A.cols);
    int64_t q = B.cols, m = transposed ? part.A.rows : part.A.cols, n = transposed ? part.A.cols : part.A.rows;
    double *in = job_doubles(m * q), *out = job_doubles(n * q), *all = job_doubles(C.rows * q);
    for (int64_t a = 0; a < m; a++)
        memcpy(in + a * q, B.data + (transposed ? held_row(&part, a) : held_col(&part, a)) * B.ld,
               (size_t)q * sizeof(double));
    if (m > 0 && n > 0)
        cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, (volt_blas_int)n,
                    (volt_blas_int)q, (volt_blas_int)m, 1, part.A.data, (volt_blas_int)part.A.ld, in,
                    (volt_blas_int)q, 0, out, (volt_blas_int)q);
    for (int64_t a = 0; a < n; a++)
        memcpy(all + (transposed ? held_col(&part, a) : held_row(&part, a)) * q, out + a * q,
               (size_t)q * sizeof(double));
    sum_over_processes(all, C.rows * q);
    for (int64_t i = 0; i < C.rows; i++)
        for (int64_t k = 0; k < q; k++)
            C.data[i * C.ld + k] = all[i * q + k] + (add ? add[k] : 0);
    free(all);
    free(out);
    free(in);
}

/* ---- condition -------------------------------------------------------------------------------- */

extern void dlacn2_(const volt_blas_int *n, double *v, double *x, volt_blas_int *sign, double *estimate,
                    volt_blas_int *kase, volt_blas_int *save);

/* Higham's estimate of the 1-norm of the inverse, from solutions of linear systems. */
static volt_status rcond(volt_matrix L, double of, double *value)
{
    volt_blas_int n = (volt_blas_int)L.rows, kase = 0, save[3] = {0};
    double *v = job_doubles(L.rows), *x = job_doubles(L.rows), inverse = 0;
    volt_blas_int *sign = (volt_blas_int *)(void *)job_doubles(L.rows); /* large enough for these integers */
    for (;;) {
        dlacn2_(&n, v, x, sign, &inverse, &kase, save);
        if (kase == 0)
            break;
        volt_matrix right = volt_matrix_of(x, L.rows, 1);
        forward(L, 0, L.rows, true, right);
        backward(L, true, right);
    }
    *value = of > 0 && inverse > 0 ? 1 / of / inverse : 0;
    free(sign);
    free(x);
    free(v);
    return VOLT_OK;
}

static double bytes(double n)
{
    return 8 * n * n / grid.size;
}

const volt_backend mpi_backend = {
    .name = "mpi",
    .alloc = tiles_alloc,
    .release = tiles_release,
    .put = tiles_put,
    .get = tiles_get,
    .block = 1 << 26,
    .shift = shift,
    .mirror = mirror,
    .isolate = isolate,
    .trsm = trsm,
    .potrf = potrf,
    .norm = norm,
    .rcond = rcond,
    .invert = invert,
    .update = update,
    .forward = forward,
    .backward = backward,
    .gemm = gemm,
    .bytes = bytes,
};
