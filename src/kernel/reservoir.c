/* src/kernel/reservoir.c: states of a reservoir, and its fixed point. */
#include "kernel/reservoir.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/fastmath.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/products.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CHUNK = VOLT_PRODUCT_CHUNK };

/* ---- life ------------------------------------------------------------------------------------- */

volt_reservoir *volt_reservoir_outline(int64_t size, int64_t d, int64_t length)
{
    volt_reservoir *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (fresh)
        *fresh = (volt_reservoir){.size = size,
                                  .d = d,
                                  .length = length,
                                  .ld = (size + CHUNK - 1) / CHUNK * CHUNK,
                                  .leak = 1,
                                  .degree = 1};
    return fresh;
}

volt_status volt_reservoir_allocate(volt_reservoir *reservoir)
{
    reservoir->matrix = volt_alloc_zero(reservoir->length * reservoir->ld, sizeof(double));
    reservoir->start = volt_alloc_zero(reservoir->ld, sizeof(double));
    return reservoir->matrix && reservoir->start ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_reservoir_free(volt_reservoir *reservoir)
{
    if (reservoir) {
        volt_free(reservoir->matrix);
        volt_free(reservoir->start);
    }
    volt_free(reservoir);
}

void volt_reservoir_put(volt_reservoir *reservoir, int64_t first, const double *weights, int64_t cols,
                        double scale)
{
    for (int64_t i = 0; i < reservoir->size; i++)
        for (int64_t k = 0; k < cols; k++)
            reservoir->matrix[(first + k) * reservoir->ld + i] = scale * weights[i * cols + k];
}

/* ---- steps ------------------------------------------------------------------------------------ */

VOLT_CLONES_WIDE
static void bend(double leak, const double *restrict v, double *restrict x, int64_t n)
{
    double keep = 1 - leak;
    for (int64_t i = 0; i < n; i++)
        x[i] = keep * x[i] + leak * volt_tanh(v[i]);
}

static void bend_erf(double leak, const double *v, double *x, int64_t n)
{
    static const double half = 0.88622692545275801365; /* sqrt(pi) / 2 */
    for (int64_t i = 0; i < n; i++)
        x[i] = (1 - leak) * x[i] + leak * erf(half * v[i]);
}

VOLT_CLONES
static void mix(double leak, const double *restrict v, double *restrict x, int64_t n)
{
    double keep = 1 - leak;
    for (int64_t i = 0; i < n; i++)
        x[i] = keep * x[i] + leak * v[i];
}

int64_t volt_reservoir_workspace_size(const volt_reservoir *reservoir)
{
    return reservoir->length + 2 * reservoir->ld;
}

/* One step of x, with workspace for u and the product. */
static void step(const volt_reservoir *r, double leak, const double *z, double *x, double *workspace)
{
    double *v = workspace, *u = workspace + 2 * r->ld;
    r->arrange(r, z, x, u);
    volt_products(1, u, r->length, r->length, r->matrix, r->ld, r->size, v, r->ld);
    if (r->bends && r->uses_erf)
        bend_erf(leak, v, x, r->size);
    else if (r->bends)
        bend(leak, v, x, r->size);
    else
        mix(leak, v, x, r->size);
}

void volt_reservoir_run(const volt_reservoir *reservoir, volt_view Z, double *state, double *workspace,
                        volt_matrix states)
{
    for (int64_t i = 0; i < Z.rows; i++) {
        step(reservoir, reservoir->leak, Z.data + i * Z.ld, state, workspace);
        if (states.data)
            memcpy(states.data + i * states.ld, state, (size_t)reservoir->size * sizeof(double));
    }
}

/* ---- the state for zero inputs ---------------------------------------------------------------- */

/* The fixed point of x = f(M' u(x, z)), which does not depend on the leak: iteration with leak 1, or 1/2 if
 * that cycles. */
bool volt_reservoir_settle(const volt_reservoir *r, const double *z, double *x, double *workspace)
{
    enum { MAX_STEPS = 20000, PATIENCE = 400 };
    static const double near = 1e-13; /* below this distance, iterate while the distance decreases */
    double *last = workspace + r->ld, least = INFINITY;
    int64_t since = 0;
    double leak = 1;
    for (int64_t i = 0; i < MAX_STEPS; i++) {
        double moved = 0, size = 1;
        memcpy(last, x, (size_t)r->size * sizeof *x);
        step(r, leak, z, x, workspace);
        for (int64_t k = 0; k < r->size; k++) {
            moved = fmax(moved, fabs(x[k] - last[k]));
            size = fmax(size, fabs(x[k]));
        }
        if (moved == 0 || (moved <= near * size && moved >= least))
            return true;
        since = moved < least ? 0 : since + 1;
        least = fmin(least, moved);
        if (since > PATIENCE && leak == 1) {
            leak = 0.5;
            since = 0;
        } else if (since > PATIENCE) {
            return false;
        }
    }
    return false;
}

/* Gaussian elimination with partial pivoting: S (n x n) is destroyed, b becomes the solution. False: S is
 * singular. */
static bool eliminate(double *S, double *b, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(S[i * n + k]) > fabs(S[pivot * n + k]))
                pivot = i;
        if (S[pivot * n + k] == 0)
            return false;
        for (int64_t j = k; j < n && pivot != k; j++) {
            double swap = S[k * n + j];
            S[k * n + j] = S[pivot * n + j];
            S[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = S[i * n + k] / S[k * n + k];
            for (int64_t j = k + 1; factor != 0 && j < n; j++)
                S[i * n + j] -= factor * S[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n; j++)
            b[k] -= S[k * n + j] * b[j];
        b[k] /= S[k * n + k];
    }
    return true;
}

/* Solve x = g(x) for affine g: columns of I - g' from the unit vectors. */
static volt_status solve_rest(const volt_reservoir *r, const double *zeros, double *workspace, bool *rests)
{
    int64_t n = r->size;
    double *S = volt_alloc_doubles(n, n), *x = volt_alloc_doubles(1, r->ld);
    volt_status status = S && x ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        double *b = r->start;
        memset(b, 0, (size_t)n * sizeof *b);
        step(r, 1, zeros, b, workspace);
        for (int64_t j = 0; j < n; j++) {
            memset(x, 0, (size_t)n * sizeof *x);
            x[j] = 1;
            step(r, 1, zeros, x, workspace);
            for (int64_t i = 0; i < n; i++)
                S[i * n + j] = (i == j) - (x[i] - b[i]);
        }
        *rests = eliminate(S, b, n);
    }
    volt_free(x);
    volt_free(S);
    return status;
}

volt_status volt_reservoir_rest_state(volt_reservoir *reservoir, const char *name)
{
    double *workspace = volt_alloc_doubles(1, volt_reservoir_workspace_size(reservoir));
    double *zeros = volt_alloc_zero(reservoir->d, sizeof(double));
    bool rests = true;
    volt_status status = workspace && zeros ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && reservoir->bends)
        rests = volt_reservoir_settle(reservoir, zeros, reservoir->start, workspace);
    else if (status == VOLT_OK)
        status = solve_rest(reservoir, zeros, workspace, &rests);
    volt_free(zeros);
    volt_free(workspace);
    VOLT_TRY(status);
    for (int64_t k = 0; rests && k < reservoir->size; k++)
        rests = isfinite(reservoir->start[k]);
    VOLT_REQUIRE(rests, VOLT_ERR_ARGUMENT,
                 "kernel %s: the reservoir does not converge for zero inputs, which start=rest requires; use a "
                 "smaller radius or start=zero",
                 name);
    return VOLT_OK;
}

volt_status volt_reservoir_start_at(volt_reservoir *reservoir, const double *z)
{
    double *workspace = volt_alloc_doubles(1, volt_reservoir_workspace_size(reservoir));
    if (!workspace)
        return VOLT_ERR_MEMORY;
    bool rests = volt_reservoir_settle(reservoir, z, reservoir->start, workspace);
    volt_free(workspace);
    VOLT_REQUIRE(rests, VOLT_ERR_ARGUMENT, "the reservoir does not converge for the initial input");
    return VOLT_OK;
}

/* ---- the echo state property ------------------------------------------------------------------ */

/* Rows of a check: more for a slow leak, with bounded cost. */
static int64_t echo_rows(const volt_reservoir *r)
{
    enum { MIN_ROWS = 200, MAX_ROWS = 4000 };
    static const double max_operations = 4e8;
    double wanted = fmin(fmax(100 / r->leak, MIN_ROWS), MAX_ROWS);
    return (int64_t)fmin(wanted, fmax(max_operations / ((double)r->length * (double)r->size), MIN_ROWS));
}

volt_status volt_reservoir_check_echo_state(const volt_reservoir *reservoir, volt_view Z, int64_t *rows,
                                            double *left)
{
    int64_t n = reservoir->size, h = echo_rows(reservoir);
    double *memory = volt_alloc_doubles(2 * reservoir->ld + volt_reservoir_workspace_size(reservoir), 1);
    if (!memory)
        return VOLT_ERR_MEMORY;
    double *one = memory, *other = memory + reservoir->ld, *workspace = other + reservoir->ld;
    double before = 0, after = 0;
    memcpy(one, reservoir->start, (size_t)n * sizeof *one);
    for (int64_t k = 0; k < n; k++) { /* a distant state: alternating signs */
        other[k] = k % 2 ? -1 : 1;
        before += (other[k] - one[k]) * (other[k] - one[k]);
    }
    for (int64_t i = 0; i < h; i++) {
        volt_view z = volt_view_rows(Z, i % Z.rows, 1);
        volt_reservoir_run(reservoir, z, one, workspace, (volt_matrix){0});
        volt_reservoir_run(reservoir, z, other, workspace, (volt_matrix){0});
    }
    for (int64_t k = 0; k < n; k++)
        after += (other[k] - one[k]) * (other[k] - one[k]);
    volt_free(memory);
    *rows = h;
    *left = sqrt(after / before);
    return VOLT_OK;
}

/* ---- weights ---------------------------------------------------------------------------------- */

void volt_reservoir_get(const volt_reservoir *reservoir, double *numbers)
{
    int64_t n = reservoir->size;
    for (int64_t k = 0; k <= reservoir->length; k++)
        memcpy(numbers + k * n,
               k < reservoir->length ? reservoir->matrix + k * reservoir->ld : reservoir->start,
               (size_t)n * sizeof(double));
}

volt_status volt_reservoir_set(volt_reservoir *reservoir, const volt_reservoir_matrix *matrix)
{
    int64_t n = reservoir->size;
    VOLT_REQUIRE(matrix->size == n && matrix->rows == reservoir->length + 1, VOLT_ERR_SHAPE,
                 "the weights must be %" PRId64 " x %" PRId64 " (got %" PRId64 " x %" PRId64 ")",
                 reservoir->length + 1, n, matrix->rows, matrix->size);
    for (int64_t k = 0; k <= reservoir->length; k++)
        memcpy(k < reservoir->length ? reservoir->matrix + k * reservoir->ld : reservoir->start,
               matrix->data + k * n, (size_t)n * sizeof(double));
    return VOLT_OK;
}

void volt_reservoir_draw_normal(uint64_t seed, uint64_t stream, double density, int64_t count, double *entries)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, stream);
    for (int64_t i = 0; i < count; i++) {
        bool is_nonzero = density >= 1 || volt_rng_uniform(&rng) < density;
        entries[i] = is_nonzero ? volt_rng_normal(&rng) : 0;
    }
}

void volt_reservoir_draw_uniform(uint64_t seed, uint64_t stream, int64_t count, double *entries)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, stream);
    for (int64_t i = 0; i < count; i++)
        entries[i] = 2 * volt_rng_uniform(&rng) - 1;
}
