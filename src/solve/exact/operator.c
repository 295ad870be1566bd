/* src/solve/exact/operator.c: products by blocks of rows, and the operator of a stored matrix. */
#include "solve/exact/operator.h"
#include "base/threads.h"

#include "base/blas.h"
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- K V from the lower triangle of K; each entry is used for both halves ---------------------------- */

/* C_block += K_block V_left,    C_left += K_block' V_block,    on the diagonal once
 *
 * for blocks of rows that are computed and discarded. V and C are stored transposed, so that loops run along
 * the columns of K. Threads share the columns in pieces of a fixed length. A piece owns its part of C_left,
 * and the sums of C_block are added piece by piece, so that the order of all sums does not depend on the
 * number of threads. */

enum {
    PIECE = 1024, /* columns: four rows of a piece stay in the first-level cache for all columns of V */
    GROUP = 4,    /* rows that share the loads and stores of V and C */
    LANES = 4,    /* parallel partial sums, for vectorisation */
    MIN_ROWS = 8,
    MAX_ROWS = 64 /* rows of a block */
};
static const double half_block_numbers = 1 << 21;

static int64_t half_block_rows(double n)
{
    return (int64_t)fmax(MIN_ROWS, fmin(MAX_ROWS, half_block_numbers / n)) / GROUP * GROUP;
}

typedef struct half_product {
    int64_t n, k;
    double *block;   /* rows of a block x n, at most */
    double *V, *C;   /* k x n: transposed */
    double *partial; /* pieces x rows of a block x k */
} half_product;

double volt_half_product_bytes(double n, double k)
{
    double rows = (double)half_block_rows(n);
    return 8 * (rows * n + 2 * n * k + (n / PIECE + 1) * rows * k);
}

/* c += K' s, sums = K v, of GROUP rows of `count` columns. */
VOLT_CLONES static void use_group(const double *restrict K, int64_t ld, int64_t count, const double *restrict v,
                                  const double *restrict s, double *restrict c, double *restrict sums)
{
    const double *restrict k0 = K, *restrict k1 = K + ld, *restrict k2 = K + 2 * ld, *restrict k3 = K + 3 * ld;
    double a0[LANES] = {0}, a1[LANES] = {0}, a2[LANES] = {0}, a3[LANES] = {0};
    double s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    int64_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++) {
            double value = v[j + l];
            c[j + l] += (k0[j + l] * s0 + k1[j + l] * s1) + (k2[j + l] * s2 + k3[j + l] * s3);
            a0[l] += k0[j + l] * value;
            a1[l] += k1[j + l] * value;
            a2[l] += k2[j + l] * value;
            a3[l] += k3[j + l] * value;
        }
    for (; j < count; j++) {
        c[j] += (k0[j] * s0 + k1[j] * s1) + (k2[j] * s2 + k3[j] * s3);
        a0[0] += k0[j] * v[j];
        a1[0] += k1[j] * v[j];
        a2[0] += k2[j] * v[j];
        a3[0] += k3[j] * v[j];
    }
    const double *const lanes[GROUP] = {a0, a1, a2, a3};
    for (int r = 0; r < GROUP; r++)
        sums[r] = (lanes[r][0] + lanes[r][1]) + (lanes[r][2] + lanes[r][3]);
}

/* The same of one row; returns the sum. */
VOLT_CLONES static double use_row(const double *restrict K, int64_t count, const double *restrict v, double s,
                                  double *restrict c)
{
    double sums[LANES] = {0};
    int64_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++) {
            c[j + l] += K[j + l] * s;
            sums[l] += K[j + l] * v[j + l];
        }
    for (; j < count; j++) {
        c[j] += K[j] * s;
        sums[0] += K[j] * v[j];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Columns begin .. begin + count - 1, all before row `first`, of a block of rows from there; sums: rows x k. */
static void use_piece(const half_product *h, volt_matrix K, int64_t first, int64_t begin, int64_t count,
                      double *sums)
{
    int64_t i = 0;
    for (; i + GROUP <= K.rows; i += GROUP)
        for (int64_t k = 0; k < h->k; k++) {
            double *row = h->V + k * h->n, of_rows[GROUP];
            use_group(K.data + i * K.ld + begin, K.ld, count, row + begin, row + first + i,
                      h->C + k * h->n + begin, of_rows);
            for (int r = 0; r < GROUP; r++)
                sums[(i + r) * h->k + k] = of_rows[r];
        }
    for (; i < K.rows; i++)
        for (int64_t k = 0; k < h->k; k++) {
            double *row = h->V + k * h->n;
            sums[i * h->k + k] =
                use_row(K.data + i * K.ld + begin, count, row + begin, row[first + i], h->C + k * h->n + begin);
        }
}

/* The triangle on the diagonal. */
static void use_corner(const half_product *h, volt_matrix K, int64_t first)
{
    for (int64_t k = 0; k < h->k; k++) {
        double *v = h->V + k * h->n + first, *c = h->C + k * h->n + first;
        for (int64_t i = 0; i < K.rows; i++) {
            const double *row = K.data + i * K.ld + first;
            c[i] += use_row(row, i, v, v[i], c) + row[i] * v[i];
        }
    }
}

static void use_block(const half_product *h, volt_matrix K, int64_t first)
{
    int64_t pieces = (first + PIECE - 1) / PIECE, each = K.rows * h->k;
    double work = (double)K.rows * (double)first * (double)h->k;
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (work > 100000)
    for (int64_t p = 0; p < pieces; p++)
        use_piece(h, K, first, p * PIECE, volt_min(PIECE, first - p * PIECE), h->partial + p * each);
    for (int64_t k = 0; k < h->k; k++)
        for (int64_t i = 0; i < K.rows; i++) {
            double sum = 0;
            for (int64_t p = 0; p < pieces; p++)
                sum += h->partial[p * each + i * h->k + k];
            h->C[k * h->n + first + i] += sum;
        }
    use_corner(h, K, first);
}

static volt_status use_rows(const half_product *h, volt_operator *op, int64_t first, int64_t end,
                            volt_stage *stage)
{
    int64_t most = half_block_rows((double)h->n);
    for (int64_t at = first; at < end; at += most) {
        int64_t count = volt_min(most, end - at);
        volt_matrix K = volt_matrix_of(h->block, count, at + count);
        VOLT_TRY(op->lower(op, at, K, stage));
        if (!volt_stage_should_continue(stage))
            return VOLT_OK;
        use_block(h, K, at);
    }
    return VOLT_OK;
}

static void transpose(volt_view from, double *to)
{
    for (int64_t i = 0; i < from.rows; i++)
        for (int64_t k = 0; k < from.cols; k++)
            to[k * from.rows + i] = from.data[i * from.ld + k];
}

volt_status volt_operator_add_lower(volt_operator *op, int64_t first, int64_t end, volt_view V, volt_matrix C,
                                    volt_stage *stage)
{
    int64_t n = op->n, rows = half_block_rows((double)n);
    half_product h = {.n = n,
                      .k = V.cols,
                      .block = volt_alloc_doubles(volt_min(rows, n), n),
                      .V = volt_alloc_doubles(V.cols, n),
                      .C = volt_alloc_doubles(V.cols, n),
                      .partial = volt_alloc_doubles((n / PIECE + 1) * rows, V.cols)};
    volt_status status = h.block && h.V && h.C && h.partial ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        transpose(V, h.V);
        transpose(volt_as_view(C), h.C);
        status = use_rows(&h, op, first, end, stage);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < V.cols; k++)
                C.data[i * C.ld + k] = h.C[k * n + i];
    }
    volt_free(h.block);
    volt_free(h.V);
    volt_free(h.C);
    volt_free(h.partial);
    return status;
}

static const double block_numbers = 1 << 20;

static int64_t rows_of_block(double numbers, int64_t rows, int64_t n)
{
    int64_t block = (int64_t)(numbers / (double)n) / VOLT_SCAN_ROWS * VOLT_SCAN_ROWS;
    return volt_min(volt_max(block, VOLT_SCAN_ROWS), rows);
}

int64_t volt_block_rows(int64_t rows, int64_t n)
{
    return rows_of_block(block_numbers, rows, n);
}

int64_t volt_block_rows_at(const volt_backend *backend, int64_t rows, int64_t n)
{
    return rows_of_block(backend->block > 0 ? (double)backend->block : block_numbers, rows, n);
}

void volt_operator_free(volt_operator *op)
{
    if (op)
        op->release(op);
}

/* Returns whether the flag is set in any process of the job. */
static bool any_fails(const volt_bands *bands, bool fails)
{
    double count = fails;
    bands->sum(&count, 1);
    return count > 0;
}

/* C <- the contribution of rows first .. end - 1, by the back end or else on the host, if that is preferred or the
 * only way; else *done is false. */
static volt_status multiply_band(volt_operator *op, const volt_backend *backend, int64_t first, int64_t end,
                                 volt_view V, volt_matrix C, volt_stage *stage, bool *done)
{
    *done = false;
    if (op->product && backend->product)
        VOLT_TRY(op->product(op, backend, first, end, V, C, stage, done));
    bool all = first == 0 && end == op->n;
    if (*done || !op->lower || (all && backend->cross))
        return VOLT_OK;
    *done = true;
    op->mark = first;
    for (int64_t i = 0; i < C.rows; i++)
        memset(C.data + i * C.ld, 0, (size_t)C.cols * sizeof(double));
    return volt_operator_add_lower(op, first, end, V, C, stage);
}

/* C <- K V; each part of a job computes a band. *done as above. */
static volt_status multiply_bands(volt_operator *op, const volt_backend *backend, volt_view V, volt_matrix C,
                                  volt_stage *stage, bool *done)
{
    const volt_bands *bands = volt_bands_current();
    int64_t first, end;
    volt_bands_of_triangle(bands, op->n, &first, &end);
    volt_status status = multiply_band(op, backend, first, end, V, C, stage, done);
    if (bands->parts == 1 || (status == VOLT_OK && !*done))
        return status;
    op->is_banded = true;
    bool fails = status != VOLT_OK || !volt_stage_should_continue(stage);
    if (any_fails(bands, fails))
        return fails ? status : volt_fail(VOLT_ERR_CANCELLED, "another process of the job has stopped");
    volt_bands_sum(bands, C);
    return VOLT_OK;
}

volt_status volt_operator_multiply(volt_operator *op, const volt_backend *backend, volt_view V, volt_matrix C,
                                   volt_stage *stage)
{
    bool done = false;
    VOLT_TRY(multiply_bands(op, backend, V, C, stage, &done));
    if (done)
        return VOLT_OK;
    /* Fewer rows than n: a request for all rows would omit the upper triangle. */
    int64_t most = volt_block_rows_at(backend, volt_max(op->n / 2, 1), op->n);
    double *block = backend->alloc(most, op->n);
    volt_status status = block ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t first = 0; status == VOLT_OK && first < op->n; first += most) {
        int64_t count = volt_min(most, op->n - first);
        volt_matrix K = volt_matrix_of(block, count, op->n);
        status = op->rows(op, first, backend, K, stage);
        if (!volt_stage_should_continue(stage))
            break;
        if (status == VOLT_OK)
            backend->gemm(volt_as_view(K), false, V, NULL, false, volt_matrix_rows(C, first, count));
        if (status == VOLT_OK)
            status = volt_backend_state(backend);
    }
    backend->release(block);
    return status;
}

volt_status volt_operator_fold(volt_operator *op, volt_view A, volt_matrix B, volt_progress progress)
{
    int64_t most = volt_block_rows(op->n, op->n_states);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "states", 1, 0, (double)op->n * (double)op->n_states);
    double *block = volt_alloc_doubles(most, op->n_states);
    volt_status status = block ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < B.rows; i++)
        memset(B.data + i * B.ld, 0, (size_t)B.cols * sizeof(double));
    for (int64_t first = 0; status == VOLT_OK && first < op->n && volt_stage_should_continue(&stage);
         first += most) {
        int64_t count = volt_min(most, op->n - first);
        volt_matrix F = volt_matrix_of(block, count, op->n_states);
        status = op->states(op, first, F, &stage);
        if (status == VOLT_OK && volt_stage_should_continue(&stage))
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (volt_blas_int)B.rows, (volt_blas_int)B.cols,
                        (volt_blas_int)count, 1, F.data, (volt_blas_int)F.ld, A.data + first * A.ld,
                        (volt_blas_int)A.ld, 1, B.data, (volt_blas_int)B.ld);
    }
    volt_free(block);
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- a matrix --------------------------------------------------------------------------------- */

typedef struct dense {
    volt_operator op;
    volt_view K;
} dense;

static volt_status dense_rows(volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                              volt_stage *stage)
{
    (void)stage;
    backend->put(volt_view_rows(((dense *)op)->K, first, K.rows), K);
    return VOLT_OK;
}

static void dense_release(volt_operator *op)
{
    volt_free(op);
}

volt_status volt_dense_operator(volt_view K, volt_operator **op)
{
    dense *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->op = (volt_operator){.n = K.rows, .entry_cost = 1, .rows = dense_rows, .release = dense_release};
    fresh->K = K;
    *op = &fresh->op;
    return VOLT_OK;
}

/* ---- the operator of a kernel on one sequence -------------------------------------------------------- */

/* A state moves along the sequence and computes the rows. It is positioned after the row requested last. An
 * earlier row restarts it; rows in between are skipped if the engine supports it, else computed. */

/* ---- rows to the back end --------------------------------------------------------------------- */

/* Returns true if no bound excludes overflow of K. */
static bool may_overflow(const volt_resolved *resolved)
{
    return !isfinite(resolved->facts.largest);
}

static volt_status check_rows(bool checks, const volt_state *state, volt_matrix K, bool lower)
{
    return checks && may_overflow(state->resolved) ? volt_check_finite(K, lower) : VOLT_OK;
}

/* The kernel as a kernel form, if the back end supports it. Rows that are checked are computed on the host. */
static bool form_for(const volt_backend *backend, bool has_entry, const volt_resolved *resolved, bool checks,
                     volt_kernel_form *form)
{
    static atomic_bool warned;
    if (!has_entry || (checks && may_overflow(resolved)))
        return false;
    bool known = volt_form_of(resolved, form);
    if (!known && !atomic_exchange(&warned, true))
        volt_log(VOLT_LOG_INFO,
                 "the kernel matrices are computed on the CPU: %s has no kernels between paths and no "
                 "reservoirs",
                 backend->name);
    return known;
}

/* Computes rows at the back end from the given state and updates the state; *done as below. */
static volt_status advance_on_device(const volt_backend *backend, volt_state *state, volt_view Z, bool checks,
                                     volt_matrix K, volt_stage *stage, bool *done)
{
    volt_kernel_form form;
    *done = false;
    if (!form_for(backend, backend->cross != NULL, state->resolved, checks, &form))
        return VOLT_OK;
    double *numbers = volt_alloc_doubles(volt_state_length(state), 1);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    volt_state_get(state, numbers);
    const volt_columns *columns = state->columns;
    *done = backend->cross(&form, volt_view_of(columns->given, columns->m, columns->d), Z, numbers, K, stage);
    if (*done)
        volt_state_set(state, numbers);
    volt_free(numbers);
    return VOLT_OK;
}

volt_status volt_state_advance_at(const volt_backend *backend, volt_state *state, volt_view Z, bool same,
                                  bool checks, volt_matrix K, volt_stage *stage)
{
    bool done = false;
    volt_matrix mapped = volt_backend_map(backend, K);
    if (mapped.data) {
        volt_state_advance(state, Z, same, mapped, stage);
        return volt_stage_should_continue(stage) ? check_rows(checks, state, mapped, same) : VOLT_OK;
    }
    VOLT_TRY(advance_on_device(backend, state, Z, checks, K, stage, &done));
    if (done)
        return VOLT_OK;
    int64_t most = volt_block_rows(Z.rows, K.cols);
    double *block = volt_alloc_doubles(most, K.cols);
    volt_status status = block ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t first = 0; status == VOLT_OK && first < Z.rows; first += most) {
        int64_t count = volt_min(most, Z.rows - first);
        volt_matrix rows = volt_matrix_of(block, count, K.cols);
        volt_state_advance(state, volt_view_rows(Z, first, count), false, rows, stage);
        if (!volt_stage_should_continue(stage))
            break;
        status = check_rows(checks, state, rows, false);
        backend->put(volt_as_view(rows), volt_matrix_rows(K, first, count));
    }
    volt_free(block);
    return status;
}

/* ---- operator --------------------------------------------------------------------------------- */

int64_t volt_operator_memory(const volt_resolved *resolved)
{
    const volt_resolved *r = resolved->records ? &resolved->records->each : resolved;
    int64_t most = 0;
    if (r->sum) {
        for (int64_t f = 0; f < r->sum->n_factors; f++) {
            int64_t own = volt_operator_memory(&r->sum->factor[f]);
            most = own < 0 || most < 0 ? -1 : volt_max(most, own);
        }
        return most;
    }
    if (!r->reservoir && (!r->scan.step || r->scan.state_size == 0))
        return r->window;
    double kept = r->facts.contraction;
    return kept > 0 && kept < 1 ? (int64_t)fmin(ceil(log(DBL_EPSILON) / log(kept)), 1e15) + r->window : -1;
}

typedef struct kernel_operator {
    volt_operator op;
    const volt_resolved *resolved;
    const volt_columns *columns;
    volt_view Z;
    bool checks;
    volt_state *state; /* or NULL */
    int64_t max_rows;  /* rows per call of the state ... */
    int64_t position;  /* ... and rows it has seen, ... */
    bool lower;   /* ... only up to the diagonal: it is then limited to such calls until it has seen all rows */
    double *kept; /* its state before row ... */
    int64_t kept_at;    /* ... kept_at, or NULL */
    double *before;     /* states of a back end before row ... */
    int64_t before_row; /* ... before_row, or NULL (volt_product_task) */

    const volt_columns *states; /* or NULL ... */
    volt_state *walk;           /* ... and the state against them, which has seen ... */
    int64_t walked;             /* ... this many rows */
} kernel_operator;

static const volt_records *records_of(const kernel_operator *k)
{
    return k->resolved->records ? &k->resolved->records->rows : NULL;
}

/* Start a state at the record that begins at row `position`, for `rows` rows at a time. */
static volt_status start(kernel_operator *k, int64_t position, int64_t rows)
{
    volt_state_free(k->state);
    k->state = NULL;
    k->position = position;
    k->max_rows = rows;
    return volt_state_create(k->resolved, k->columns, rows, &k->state);
}

/* Move the state to row `first`, ready for `rows` rows at a time, up to the diagonal (`lower`) or complete. */
static volt_status go_to(kernel_operator *k, int64_t first, int64_t rows, bool lower, volt_stage *stage)
{
    int64_t n = k->op.n, begin = volt_records_begin(records_of(k), volt_min(first, n - 1));
    bool knows_less = k->lower && !lower && k->position < n;
    if (!k->state || k->max_rows < rows) {
        VOLT_TRY(start(k, begin, rows));
    } else if (k->position > first || k->position <= begin || knows_less) { /* another record */
        volt_state_zero(k->state);
        k->position = begin;
    }
    if (k->position < n)
        k->lower = lower;
    if (k->position == first)
        return VOLT_OK;
    if (k->position == begin &&
        volt_state_seek(k->state, volt_view_rows(k->Z, begin, first - begin)) == VOLT_OK) {
        k->position = first;
        return VOLT_OK;
    }
    int64_t most = volt_min(volt_block_rows(first, k->op.n), k->max_rows);
    double *unused = volt_alloc_doubles(most, k->op.n);
    if (!unused)
        return VOLT_ERR_MEMORY;
    while (k->position < first) {
        int64_t count = volt_min(most, first - k->position);
        volt_view rows_between = volt_view_rows(k->Z, k->position, count);
        volt_matrix out = volt_matrix_of(unused, count, k->op.n);
        if (lower)
            volt_state_advance_lower(k->state, rows_between, k->position, out, stage);
        else
            volt_state_advance(k->state, rows_between, false, out, stage);
        k->position += count;
    }
    volt_free(unused);
    return VOLT_OK;
}

/* After the last row: keep the state and release its space for further rows. */
static volt_status shrink(kernel_operator *k)
{
    volt_state *large = k->state;
    volt_status status = volt_state_copy(large, 1, &k->state);
    if (status != VOLT_OK)
        return status;
    k->max_rows = 1;
    volt_state_free(large);
    return VOLT_OK;
}

/* After all rows were computed by a back end: take its final state. */
static volt_status take_end(kernel_operator *k, const double *end)
{
    VOLT_TRY(start(k, 0, 1));
    volt_state_set(k->state, end);
    k->position = k->op.n;
    return VOLT_OK;
}

/* All rows at once, computed by the back end into K. *done is false if it does not support the kernel. */
static volt_status all_on_device(kernel_operator *k, const volt_backend *backend, volt_matrix K,
                                 volt_stage *stage, bool *done)
{
    volt_kernel_form form;
    *done = false;
    if (!form_for(backend, backend->gram != NULL, k->resolved, k->checks, &form))
        return VOLT_OK;
    double *end = volt_alloc_doubles(volt_state_length_for(k->resolved, k->columns->m), 1);
    volt_status status = end ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *done = backend->gram(&form, k->Z, K, end, stage);
    if (status == VOLT_OK && *done && volt_stage_should_continue(stage))
        status = take_end(k, end);
    volt_free(end);
    return status;
}

/* Fills the states before a row with those of two zero sequences, for a scan that starts there. */
static void start_states(const volt_kernel_form *form, int64_t n, double *states)
{
    for (int64_t f = 0; f < form->n_factors; f++)
        for (int32_t i = 0; i < form->factor[f].state_size; i++, states += n)
            for (int64_t j = 0; j < n; j++)
                states[j] = form->factor[f].start[i];
}

/* Stores the states of the back end before row `first`. The first call computes them, in a scan of the earlier rows
 * that matter. */
static volt_status find_before(kernel_operator *k, const volt_backend *backend, const volt_kernel_form *form,
                               int64_t first, volt_stage *stage, bool *done)
{
    *done = true;
    if (first == 0 || (k->before && k->before_row == first))
        return VOLT_OK;
    volt_free(k->before);
    k->before = volt_alloc_doubles(volt_max(volt_form_states(form), 1), k->op.n);
    k->before_row = first;
    if (!k->before)
        return VOLT_ERR_MEMORY;
    int64_t memory = volt_operator_memory(k->resolved), begin = memory < 0 ? 0 : volt_max(first - memory, 0);
    volt_product_task task = {
        .Z = k->Z, .first = begin, .count = first - begin, .before = k->before, .after = k->before};
    start_states(form, k->op.n, k->before);
    *done = backend->product(form, &task, stage);
    volt_status status = *done ? volt_backend_state(backend) : VOLT_OK;
    if (status != VOLT_OK || !*done || !volt_stage_should_continue(stage)) {
        volt_free(k->before);
        k->before = NULL;
    }
    return status;
}

static volt_status kernel_product(volt_operator *op, const volt_backend *backend, int64_t first, int64_t end,
                                  volt_view V, volt_matrix C, volt_stage *stage, bool *done)
{
    kernel_operator *k = (kernel_operator *)op;
    volt_kernel_form form;
    *done = false;
    if (!form_for(backend, true, k->resolved, k->checks, &form))
        return VOLT_OK;
    VOLT_TRY(find_before(k, backend, &form, first, stage, done));
    if (!*done || !volt_stage_should_continue(stage))
        return VOLT_OK;
    double *state = volt_alloc_doubles(volt_state_length_for(k->resolved, k->columns->m), 1);
    if (!state)
        return VOLT_ERR_MEMORY;
    volt_product_task task = {
        .Z = k->Z, .first = first, .count = end - first, .V = V, .C = C, .before = k->before, .end = state};
    *done = backend->product(&form, &task, stage);
    volt_status status = *done ? volt_backend_state(backend) : VOLT_OK;
    if (status == VOLT_OK && *done && end == op->n && volt_stage_should_continue(stage))
        status = take_end(k, state);
    volt_free(state);
    return status;
}

static volt_status kernel_rows(volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                               volt_stage *stage)
{
    kernel_operator *k = (kernel_operator *)op;
    bool all = first == 0 && K.rows == op->n, done = false;
    if (all)
        VOLT_TRY(all_on_device(k, backend, K, stage, &done));
    if (done)
        return VOLT_OK;
    /* The engine handles the records of its own rows; for other rows a state ends with its record. */
    bool at_once = all && volt_backend_map(backend, K).data;
    for (int64_t at = first, end = first + K.rows, to = 0; at < end; at = to) {
        to = at_once ? end : volt_records_segment_end(records_of(k), at, end);
        VOLT_TRY(go_to(k, at, K.rows, false, stage));
        k->position = to;
        VOLT_TRY(volt_state_advance_at(backend, k->state, volt_view_rows(k->Z, at, to - at), at_once, k->checks,
                                       volt_matrix_rows(K, at - first, to - at), stage));
        if (!volt_stage_should_continue(stage))
            break;
    }
    bool whole = k->position == op->n && volt_stage_should_continue(stage);
    return whole ? shrink(k) : VOLT_OK;
}

/* Move to the stored state before op->mark. The first call computes and stores it. */
static volt_status go_to_mark(kernel_operator *k, int64_t rows, volt_stage *stage)
{
    int64_t mark = k->op.mark;
    if (k->kept && k->kept_at == mark) {
        if (!k->state || k->max_rows < rows)
            VOLT_TRY(start(k, mark, rows));
        volt_state_set(k->state, k->kept);
        k->position = mark;
        k->lower = true;
        return VOLT_OK;
    }
    VOLT_TRY(go_to(k, mark, rows, true, stage));
    if (!volt_stage_should_continue(stage)) /* the state is invalid then */
        return VOLT_OK;
    volt_free(k->kept);
    k->kept = volt_alloc_doubles(volt_state_length(k->state), 1);
    k->kept_at = mark;
    if (!k->kept)
        return VOLT_ERR_MEMORY;
    volt_state_get(k->state, k->kept);
    return VOLT_OK;
}

static volt_status kernel_lower(volt_operator *op, int64_t first, volt_matrix K, volt_stage *stage)
{
    kernel_operator *k = (kernel_operator *)op;
    if (first > 0 && first == op->mark)
        VOLT_TRY(go_to_mark(k, K.rows, stage));
    for (int64_t at = first, end = first + K.rows, to = 0; at < end; at = to) {
        to = volt_records_segment_end(records_of(k), at, end);
        VOLT_TRY(go_to(k, at, K.rows, true, stage));
        k->position = to;
        volt_state_advance_lower(k->state, volt_view_rows(k->Z, at, to - at), at,
                                 volt_matrix_rows(K, at - first, to - at), stage);
        if (!volt_stage_should_continue(stage))
            break;
    }
    return VOLT_OK;
}

/* ---- states ----------------------------------------------------------------------------------- */

/* Process rows from k->walked on, record by record. */
static void walk_on(kernel_operator *k, volt_matrix F, volt_stage *stage)
{
    for (int64_t end = k->walked + F.rows, at = k->walked, to = 0; at < end; at = to) {
        to = volt_records_segment_end(records_of(k), at, end);
        if (volt_records_begins(records_of(k), at))
            volt_state_zero(k->walk);
        volt_state_advance(k->walk, volt_view_rows(k->Z, at, to - at), false,
                           volt_matrix_rows(F, at - k->walked, to - at), stage);
        if (!volt_stage_should_continue(stage))
            return;
    }
    k->walked += F.rows;
}

static volt_status kernel_states(volt_operator *op, int64_t first, volt_matrix F, volt_stage *stage)
{
    kernel_operator *k = (kernel_operator *)op;
    if (!k->walk)
        VOLT_TRY(volt_state_create(k->resolved, k->states, op->n, &k->walk));
    int64_t begin = volt_records_begin(records_of(k), volt_min(first, op->n - 1));
    if (k->walked > first || k->walked <= begin) {
        volt_state_zero(k->walk);
        k->walked = begin;
    }
    if (k->walked < first) {
        VOLT_TRY(volt_state_seek(k->walk, volt_view_rows(k->Z, k->walked, first - k->walked)));
        k->walked = first;
    }
    walk_on(k, F, stage);
    return VOLT_OK;
}

void volt_kernel_operator_use_states(volt_operator *op, const volt_columns *states)
{
    kernel_operator *k = (kernel_operator *)op;
    k->states = states;
    op->n_states = states->m;
    op->states = kernel_states;
}

static void kernel_release(volt_operator *op)
{
    kernel_operator *k = (kernel_operator *)op;
    volt_state_free(k->state);
    volt_state_free(k->walk);
    volt_free(k->kept);
    volt_free(k->before);
    volt_free(k);
}

volt_status volt_kernel_operator(const volt_resolved *resolved, const volt_columns *columns, volt_view Z,
                                 bool checks, volt_operator **op)
{
    kernel_operator *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    *fresh = (kernel_operator){
        .op = {.n = Z.rows,
               .entry_cost = 2 * (double)Z.cols + 24,
               .rows = kernel_rows,
               .lower = kernel_lower,
               .product = kernel_product,
               .release = kernel_release},
        .resolved = resolved,
        .columns = columns,
        .Z = Z,
        .checks = checks,
    };
    *op = &fresh->op;
    return VOLT_OK;
}

/* Only one process has computed the last band; it sends the final state to all. */
static volt_status share_end(kernel_operator *k)
{
    const volt_bands *bands = volt_bands_current();
    int64_t n = k->op.n, length = volt_state_length_for(k->resolved, k->columns->m);
    double *numbers = volt_alloc_zero(length, sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    if (k->state && k->position == n)
        volt_state_get(k->state, numbers);
    bands->sum(numbers, length);
    volt_status status = start(k, n, 1);
    if (status == VOLT_OK)
        volt_state_set(k->state, numbers);
    volt_free(numbers);
    return status;
}

volt_status volt_kernel_operator_end(volt_operator *op, volt_state **state)
{
    kernel_operator *k = (kernel_operator *)op;
    if (k->states) {
        VOLT_TRY(kernel_states(op, op->n, (volt_matrix){0}, NULL));
        *state = k->walk;
        k->walk = NULL;
        return VOLT_OK;
    }
    if (op->is_banded)
        VOLT_TRY(share_end(k));
    VOLT_TRY(go_to(k, op->n, 1, false, NULL));
    if (k->max_rows > 1)
        VOLT_TRY(shrink(k));
    *state = k->state;
    k->state = NULL;
    return VOLT_OK;
}
