/* src/solve/landmark/device_sums.c: the systems of state_sums.h at a back end.
 *
 * The sums about the centre a, with the total t of n centred rows, become those about the mean or about 0 by two
 * symmetric updates, S <- b b' - S:
 *
 *     about the mean   G - t t' / n                          b = t / sqrt(n), then 0
 *     about 0          G - t t' / n + u u'                   b = t / sqrt(n), then u = t / sqrt(n) + sqrt(n) a */
#include "backend/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/exact/ridge.h"
#include "solve/landmark/state_sums.h"

#include <math.h>
#include <string.h>

double volt_state_sums_device_bytes(double states)
{
    enum { MATRICES = 3, ROWS = 1024 }; /* sums, a system, and the inverse of one */
    return 8 * (MATRICES * states + ROWS) * states;
}

void volt_device_sums_free(volt_state_sums *sums)
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

void volt_device_sums_copy(const volt_state_sums *from, volt_state_sums *to)
{
    copy(from, from->G, to->G);
    to->has_rows = from->has_rows;
}

double *volt_device_sums_copy_factor(const volt_state_sums *sums)
{
    double *S = sums->backend->alloc(sums->states, sums->states);
    if (S)
        copy(sums, sums->S, S);
    return S;
}

/* S <- G about the mean, or about 0. */
static void make_system(const volt_state_sums *s, bool constant)
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

volt_status volt_device_sums_factor(volt_state_sums *sums, double alpha, bool constant, double *rcond)
{
    const volt_backend *backend = sums->backend;
    int64_t n = sums->states, pivot = 0;
    volt_matrix S = volt_matrix_of(sums->S, n, n);
    double size = -INFINITY, norm = 0;
    make_system(sums, constant);
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
void volt_device_sums_leverages(const volt_state_sums *sums, volt_matrix F)
{
    int64_t n = sums->states;
    volt_matrix below = volt_matrix_of(sums->S + n * n, F.rows, n);
    sums->backend->put(volt_as_view(F), below);
    sums->backend->trsm(volt_matrix_of(sums->S, n + F.rows, n), n, F.rows, 0, n, NULL);
    sums->backend->get(volt_as_view(below), F);
}

/* The squares of S^{-1} are the trace of (S S')^{-1}. Overwrites the factor. */
double volt_device_sums_trace(volt_state_sums *sums)
{
    int64_t n = sums->states;
    double sum = 0;
    sums->backend->invert(volt_matrix_of(sums->S, n, n), NULL);
    sums->backend->get((volt_view){sums->S, n, 1, n + 1}, volt_matrix_of(sums->thin, n, 1));
    for (int64_t i = 0; i < n; i++)
        sum += sums->thin[i];
    return sum;
}
