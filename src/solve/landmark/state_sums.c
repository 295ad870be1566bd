/* src/solve/landmark/state_sums.c: the normal equations of explicit states.
 *
 * The matrices are divided into pieces that do not depend on the number of threads. One thread makes each
 * BLAS call. */
#include "solve/landmark/state_sums.h"
#include "base/threads.h"

#include "backend/backend.h"
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "solve/exact/factor.h"

#include <math.h>
#include <string.h>

/* ---- the systems of state_sums.h at a back end ------------------------------------------------------- */

/* The sums about the centre a, with the total t of n centred rows, become those about the mean or about 0 by two
 * symmetric updates, S <- b b' - S:
 *
 *     about the mean   G - t t' / n                          b = t / sqrt(n), then 0
 *     about 0          G - t t' / n + u u'                   b = t / sqrt(n), then u = t / sqrt(n) + sqrt(n) a */

double volt_state_sums_device_bytes(double states)
{
    enum { MATRICES = 3, ROWS = 1024 }; /* sums, a system, and the inverse of one */
    return 8 * (MATRICES * states + ROWS) * states;
}

static void device_sums_free(volt_state_sums *sums)
{
    sums->backend->release(sums->G);
    sums->backend->release(sums->S);
    sums->G = sums->S = NULL;
    volt_free(sums->all_columns);
    volt_free(sums->thin);
}

/* A copy within the memory of the back end. */
static void copy(const volt_state_sums *sums, const double *from, double *to)
{
    int64_t n = sums->states;
    memset(sums->thin, 0, (size_t)n * sizeof(double));
    sums->backend->gather(volt_view_of(from, n, n), sums->all_columns, sums->thin, volt_matrix_of(to, n, n));
}

static void device_sums_copy(const volt_state_sums *from, volt_state_sums *to)
{
    copy(from, from->G, to->G);
    to->has_rows = from->has_rows;
}

static double *device_sums_copy_factor(const volt_state_sums *sums)
{
    double *S = sums->backend->alloc(sums->states, sums->states);
    if (S)
        copy(sums, sums->S, S);
    return S;
}

/* S <- G about the mean, or about 0. */
static void make_device_system(const volt_state_sums *s, bool constant)
{
    int64_t n = s->states;
    double root = sqrt(s->counted);
    volt_matrix S = volt_matrix_of(s->S, n, n);
    copy(s, s->G, s->S);
    for (int64_t i = 0; i < n; i++) {
        s->thin[i] = s->total[i] / root;
        s->thin[n + i] = constant ? 0 : s->total[i] / root + root * s->about[i];
    }
    s->backend->update(S, volt_view_of(s->thin, n, 1), -1);
    s->backend->update(S, volt_view_of(s->thin + n, n, 1), -1);
}

static volt_status device_sums_factor(volt_state_sums *sums, double alpha, bool constant, double *rcond)
{
    const volt_backend *backend = sums->backend;
    int64_t n = sums->states, pivot = 0;
    volt_matrix S = volt_matrix_of(sums->S, n, n);
    double size = -INFINITY, norm = 0;
    make_device_system(sums, constant);
    backend->shift(S, 0, n, 0, alpha, &size);
    VOLT_TRY(backend->norm(volt_as_view(S), &norm));
    VOLT_REQUIRE(isfinite(norm), VOLT_ERR_NOT_FINITE, "the kernel of the rows is too large for a double");
    volt_stage inner;
    volt_stage_begin_inner(sums->stage, 1, volt_backend_potrf_units(n), &inner);
    backend->potrf(S, 0, n, &inner, &pivot);
    VOLT_TRY(volt_backend_state(backend));
    if (!volt_stage_end_inner(sums->stage, 1, &inner))
        return volt_stage_end(sums->stage);
    if (pivot > 0)
        return volt_ridge_singular(pivot, n, alpha, (double)n * 0x1p-52 * (size + alpha));
    return rcond ? backend->rcond(S, norm, rcond) : VOLT_OK;
}

/* F <- F S^{-T}, below the factor. */
static void device_sums_leverages(const volt_state_sums *sums, volt_matrix F)
{
    int64_t n = sums->states;
    volt_matrix below = volt_matrix_of(sums->S + n * n, F.rows, n);
    sums->backend->put(volt_as_view(F), below);
    sums->backend->trsm(volt_matrix_of(sums->S, n + F.rows, n), n, F.rows, 0, n, NULL);
    sums->backend->get(volt_as_view(below), F);
}

/* The squares of S^{-1} are the trace of (S S')^{-1}. Overwrites the factor. */
static double device_sums_trace(volt_state_sums *sums)
{
    int64_t n = sums->states;
    double sum = 0;
    sums->backend->invert(volt_matrix_of(sums->S, n, n), NULL);
    sums->backend->get((volt_view){sums->S, n, 1, n + 1}, volt_matrix_of(sums->thin, n, 1));
    for (int64_t i = 0; i < n; i++)
        sum += sums->thin[i];
    return sum;
}

enum {
    BLOCK = 512, /* rows added at a time */
    PIECE = 128  /* rows of G per task */
};

bool volt_state_sums_are_cheaper(int64_t rows, int64_t states)
{
    return states > 0 && states < rows / 2;
}

/* ---- life ------------------------------------------------------------------------------------- */

void volt_state_sums_free(volt_state_sums *sums)
{
    if (!sums)
        return;
    if (sums->backend)
        device_sums_free(sums);
    double *const memory[] = {sums->B, sums->c, sums->y, sums->about, sums->total,
                              sums->G, sums->H, sums->S, sums->block};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        volt_free(memory[i]);
    volt_free(sums);
}

double volt_state_sums_bytes(double states, double columns)
{
    return 8 * (2 * states * states + 2 * states * columns + (BLOCK + 2) * states + 2 * columns);
}

/* The part in host memory in any case. */
static volt_state_sums *create_thin(int64_t states, int64_t columns)
{
    volt_state_sums *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return NULL;
    fresh->states = states;
    fresh->columns = columns;
    fresh->B = volt_alloc_doubles(states, columns);
    fresh->c = volt_alloc_doubles(columns, 1);
    fresh->y = volt_alloc_doubles(columns, 1);
    fresh->about = volt_alloc_doubles(states, 1);
    fresh->total = volt_alloc_doubles(states, 1);
    fresh->H = volt_alloc_doubles(states, columns);
    if (fresh->B && fresh->c && fresh->y && fresh->about && fresh->total && fresh->H)
        return fresh;
    volt_state_sums_free(fresh);
    return NULL;
}

volt_status volt_state_sums_create(int64_t states, int64_t columns, volt_state_sums **sums)
{
    volt_state_sums *fresh = create_thin(states, columns);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->G = volt_alloc_doubles(states, states);
    fresh->S = volt_alloc_doubles(states, states);
    fresh->block = volt_alloc_doubles(BLOCK, states);
    if (!fresh->G || !fresh->S || !fresh->block) {
        volt_state_sums_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    volt_state_sums_clear(fresh);
    *sums = fresh;
    return VOLT_OK;
}

volt_status volt_state_sums_create_at(const volt_backend *backend, int64_t states, int64_t columns,
                                      volt_state_sums **sums)
{
    volt_state_sums *fresh = create_thin(states, columns);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->backend = backend;
    fresh->all_columns = volt_alloc(states, sizeof *fresh->all_columns);
    fresh->thin = volt_alloc_doubles(states, 2);
    fresh->G = backend->alloc(states, states);
    fresh->S = fresh->G ? backend->alloc(states + BLOCK, states) : NULL;
    if (!fresh->all_columns || !fresh->thin || !fresh->S) {
        volt_state_sums_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    for (int64_t i = 0; i < states; i++)
        fresh->all_columns[i] = i;
    volt_state_sums_clear(fresh);
    *sums = fresh;
    return VOLT_OK;
}

void volt_state_sums_clear(volt_state_sums *sums)
{
    size_t n = (size_t)sums->states, m = (size_t)sums->columns;
    sums->has_rows = false;
    if (!sums->backend)
        memset(sums->G, 0, n * n * sizeof(double));
    memset(sums->H, 0, n * m * sizeof(double));
    memset(sums->total, 0, n * sizeof(double));
    memset(sums->y, 0, m * sizeof(double));
    sums->counted = 0;
}

void volt_state_sums_copy(const volt_state_sums *from, volt_state_sums *to)
{
    size_t n = (size_t)from->states, m = (size_t)from->columns;
    to->counted = from->counted;
    memcpy(to->about, from->about, n * sizeof(double));
    memcpy(to->total, from->total, n * sizeof(double));
    if (from->backend)
        device_sums_copy(from, to);
    else
        memcpy(to->G, from->G, n * n * sizeof(double));
    memcpy(to->H, from->H, n * m * sizeof(double));
    memcpy(to->y, from->y, m * sizeof(double));
}

double *volt_state_sums_copy_factor(const volt_state_sums *sums)
{
    int64_t n = sums->states;
    if (sums->backend)
        return device_sums_copy_factor(sums);
    double *S = volt_alloc_doubles(n, n);
    if (S)
        memcpy(S, sums->S, (size_t)(n * n) * sizeof(double));
    return S;
}

/* ---- rows join -------------------------------------------------------------------------------- */

/* Sets the centre to the mean of the first states. */
static void choose_centre(volt_state_sums *s, volt_view F)
{
    memset(s->about, 0, (size_t)s->states * sizeof(double));
    for (int64_t i = 0; i < F.rows; i++)
        for (int64_t k = 0; k < s->states; k++)
            s->about[k] += F.data[i * F.ld + k] / (double)F.rows;
}

/* Update rows begin .. end - 1 of G and H with the rows in the block. */
static void add_piece(volt_state_sums *s, int64_t begin, int64_t end, int64_t rows, volt_view Y)
{
    volt_blas_int n = (volt_blas_int)s->states, m = (volt_blas_int)s->columns, count = (volt_blas_int)rows;
    volt_blas_int high = (volt_blas_int)(end - begin), before = (volt_blas_int)begin;
    const double *own = s->block + begin;
    if (begin > 0)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, high, before, count, 1, own, n, s->block, n, 1,
                    s->G + begin * s->states, n);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, high, count, 1, own, n, 1,
                s->G + begin * s->states + begin, n);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, high, m, count, 1, own, n, Y.data, (volt_blas_int)Y.ld,
                1, s->H + begin * s->columns, m);
}

/* Adds at most BLOCK rows; those without a target are set to zero. */
static void add_block(volt_state_sums *s, volt_view F, volt_view Y, const bool *without)
{
    for (int64_t i = 0; i < F.rows; i++) {
        double *f = s->block + i * s->states;
        bool known = !(without && without[i]);
        for (int64_t k = 0; k < s->states; k++) {
            f[k] = known ? F.data[i * F.ld + k] - s->about[k] : 0;
            s->total[k] += f[k];
        }
        for (int64_t k = 0; k < s->columns; k++)
            s->y[k] += Y.data[i * Y.ld + k];
        s->counted += known;
    }
    int64_t pieces = (s->states + PIECE - 1) / PIECE;
    double each = s->row_units * (double)F.rows / (double)(pieces * pieces); /* piece p has 2 p + 1 of these */
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t p = pieces - 1; p >= 0; p--) {
        if (volt_stage_should_continue(s->stage))
            add_piece(s, p * PIECE, volt_min((p + 1) * PIECE, s->states), F.rows, Y);
        volt_stage_advance(s->stage, (int64_t)(each * (double)(2 * p + 1)));
    }
}

void volt_state_sums_add(volt_state_sums *sums, volt_view F, volt_view Y, const bool *without)
{
    for (int64_t first = 0; first < F.rows; first += BLOCK) {
        int64_t count = volt_min(BLOCK, F.rows - first);
        if (sums->counted == 0)
            choose_centre(sums, volt_view_rows(F, first, count));
        add_block(sums, volt_view_rows(F, first, count), volt_view_rows(Y, first, count),
                  without ? without + first : NULL);
    }
}

/* ---- bands ------------------------------------------------------------------------------------ */

/* Move the sums to another centre: with d = about - centre, f - centre = (f - about) + d. */
static void move_centre(volt_state_sums *s, double *G, const double *centre)
{
    int64_t n = s->states, m = s->columns;
    for (int64_t i = 0; i < n; i++) {
        double d = s->about[i] - centre[i];
        for (int64_t j = 0; j <= i; j++)
            G[i * n + j] += d * s->total[j] + (s->about[j] - centre[j]) * (s->total[i] + s->counted * d);
        for (int64_t k = 0; k < m; k++)
            s->H[i * m + k] += d * s->y[k];
    }
    for (int64_t i = 0; i < n; i++)
        s->total[i] += s->counted * (s->about[i] - centre[i]);
}

/* All parts use the centre of the first band with targets. */
static void join(volt_state_sums *s, double *G, const volt_bands *bands)
{
    int64_t n = s->states, m = s->columns;
    double *centre = s->backend ? s->thin : s->block; /* unused at this point */
    bool is_first = s->counted > 0;
    for (int64_t part = 0; part < bands->parts; part++) {
        double has_targets = part == bands->part && s->counted > 0 ? 1 : 0;
        bands->sum(&has_targets, 1);
        is_first = is_first && !(part < bands->part && has_targets > 0);
    }
    for (int64_t i = 0; i < n; i++)
        centre[i] = is_first ? s->about[i] : 0;
    bands->sum(centre, n);
    if (s->counted > 0)
        move_centre(s, G, centre);
    memcpy(s->about, centre, (size_t)n * sizeof(double));
    bands->sum(G, n * n);
    bands->sum(s->H, n * m);
    bands->sum(s->total, n);
    bands->sum(s->y, m);
    bands->sum(&s->counted, 1);
}

volt_status volt_state_sums_join(volt_state_sums *s, const volt_bands *bands)
{
    int64_t n = s->states;
    if (bands->parts == 1)
        return VOLT_OK;
    if (!s->backend) {
        join(s, s->G, bands);
        return VOLT_OK;
    }
    double *G = volt_alloc_zero(n * n, sizeof *G);
    if (!G)
        return VOLT_ERR_MEMORY;
    if (s->has_rows)
        s->backend->get(volt_view_of(s->G, n, n), volt_matrix_of(G, n, n));
    join(s, G, bands);
    s->backend->put(volt_view_of(G, n, n), volt_matrix_of(s->G, n, n));
    s->has_rows = s->counted > 0;
    volt_free(G);
    return volt_backend_state(s->backend);
}

/* ---- one system ------------------------------------------------------------------------------- */

/* S <- G + alpha I about the mean, or about 0. The sums are about `about`. */
static void make_system(const volt_state_sums *s, double alpha, bool constant)
{
    int64_t n = s->states;
    double count = s->counted;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double shift = constant ? -s->total[i] * s->total[j] / count
                                    : s->total[i] * s->about[j] + s->about[i] * s->total[j] +
                                          count * s->about[i] * s->about[j];
            s->S[i * n + j] = s->G[i * n + j] + shift + (i == j ? alpha : 0);
        }
}

/* B <- H, about the same. */
static void make_right_side(const volt_state_sums *s, bool constant)
{
    for (int64_t i = 0; i < s->states; i++)
        for (int64_t k = 0; k < s->columns; k++)
            s->B[i * s->columns + k] =
                s->H[i * s->columns + k] + (constant ? -s->total[i] / s->counted : s->about[i]) * s->y[k];
}

static void find_intercepts(const volt_state_sums *s, bool constant)
{
    for (int64_t k = 0; k < s->columns; k++) {
        s->c[k] = constant ? s->y[k] : 0;
        for (int64_t i = 0; constant && i < s->states; i++)
            s->c[k] -= (s->total[i] + s->counted * s->about[i]) * s->B[i * s->columns + k];
        s->c[k] /= s->counted;
    }
}

static volt_status factor_system(volt_state_sums *sums, double alpha, bool constant, double *rcond)
{
    int64_t n = sums->states, pivot = 0;
    volt_matrix S = volt_matrix_of(sums->S, n, n);
    make_system(sums, alpha, constant);
    double size = 0, norm = volt_symmetric_norm(volt_as_view(S), sums->block);
    for (int64_t i = 0; i < n; i++)
        size = fmax(size, sums->S[i * n + i]);
    VOLT_REQUIRE(isfinite(norm), VOLT_ERR_NOT_FINITE, "the states of the reservoir are too large for a double");
    volt_stage inner;
    volt_stage_begin_inner(sums->stage, 1, volt_cholesky_units(n), &inner);
    volt_cholesky_factor(S, &inner, &pivot);
    if (!volt_stage_end_inner(sums->stage, 1, &inner))
        return volt_stage_end(sums->stage);
    if (pivot > 0)
        return volt_ridge_singular(pivot, n, alpha, (double)n * 0x1p-52 * size);
    return rcond ? volt_cholesky_rcond(S, norm, rcond) : VOLT_OK;
}

volt_status volt_state_sums_solve(volt_state_sums *sums, double alpha, bool constant, double *rcond)
{
    int64_t n = sums->states;
    const volt_backend *backend = sums->backend ? sums->backend : &volt_cpu_backend;
    volt_matrix S = volt_matrix_of(sums->S, n, n), B = volt_matrix_of(sums->B, n, sums->columns);
    VOLT_TRY(sums->backend ? device_sums_factor(sums, alpha, constant, rcond)
                           : factor_system(sums, alpha, constant, rcond));
    make_right_side(sums, constant);
    backend->forward(S, 0, n, true, B);
    backend->backward(S, true, B);
    find_intercepts(sums, constant);
    return volt_backend_state(backend);
}

double volt_state_sums_add_flops(const volt_state_sums *sums, double rows)
{
    return rows * (double)sums->states * ((double)sums->states + 2 * (double)sums->columns);
}

double volt_state_sums_solve_flops(const volt_state_sums *sums)
{
    double n = (double)sums->states;
    return n * n * (n / 3 + 2 * (double)sums->columns);
}

/* ---- leverages, from the factor of the system -------------------------------------------------- */

void volt_state_sums_leverages(const volt_state_sums *sums, volt_view S, bool constant, volt_matrix F,
                               double *h)
{
    int64_t n = sums->states;
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (F.rows * n > 100000)
    for (int64_t i = 0; i < F.rows; i++)
        for (int64_t k = 0; constant && k < n; k++)
            F.data[i * F.ld + k] -= sums->about[k] + sums->total[k] / sums->counted;
    if (sums->backend)
        device_sums_leverages(sums, F);
    else
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (volt_blas_int)F.rows,
                    (volt_blas_int)n, 1, S.data, (volt_blas_int)S.ld, F.data, (volt_blas_int)F.ld);
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (F.rows * n > 100000)
    for (int64_t i = 0; i < F.rows; i++) {
        h[i] = constant ? 1 / sums->counted : 0;
        for (int64_t k = 0; k < n; k++)
            h[i] += F.data[i * F.ld + k] * F.data[i * F.ld + k];
    }
}

/* tr G (G + alpha I)^{-1} = N - alpha |S^{-1}|^2, and 1 for the constant. */
double volt_state_sums_freedom(volt_state_sums *sums, double alpha, bool constant)
{
    int64_t n = sums->states;
    volt_blas_int order = (volt_blas_int)n, info = 0;
    if (sums->backend)
        return (constant ? 1 : 0) + (double)n - alpha * device_sums_trace(sums);
    dtrtri_("U", "N", &order, sums->S, &order, &info, 1, 1); /* row-major lower: column-major upper */
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            sum += sums->S[i * n + j] * sums->S[i * n + j];
    return (constant ? 1 : 0) + (double)n - alpha * sum;
}
