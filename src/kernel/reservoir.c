/* src/kernel/reservoir.c: states of a reservoir, and its fixed point. */
#include "kernel/reservoir.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/fastmath.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kind_parts.h"
#include "kernel/products.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { VOLT_STATE_REST, VOLT_STATE_ZERO };

/* ---- eigenvalues of the largest modulus, by the Arnoldi process without restarts --------------------- */

/* After k steps from a random vector A V = V H + h v e', with V orthonormal and H a Hessenberg matrix of k
 * rows. The outermost eigenvalues of H approximate those of A long before k is n (Golub and Van Loan,
 * section 10.5); with k = n they are the same. The process continues until the largest modulus has
 * converged. The eigenvalues of H are computed by the shifted QR iteration (the same, section 7.5). */

/* ---- vectors ---------------------------------------------------------------------------------- */

enum { SUMS = 8 }; /* parallel partial sums, for vectorisation */

VOLT_CLONES
static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    double sums[SUMS] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int s = 0; s < SUMS; s++)
            sums[s] += a[i + s] * b[i + s];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int s = 0; s < SUMS; s++)
        sum += sums[s];
    return sum;
}

VOLT_CLONES
static void subtract(double factor, const double *restrict from, double *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] -= factor * from[i];
}

static void multiply(const double *A, int64_t n, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = dot(A + i * n, x, n);
}

static void multiply_transposed(const double *A, int64_t n, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++)
        subtract(-x[i], A + i * n, y, n);
}

/* ---- eigenvalues of a Hessenberg matrix ------------------------------------------------------- */

/* The largest modulus of the two eigenvalues of rows and columns low, low + 1. */
static double pair_radius(const double *H, int64_t n, int64_t low)
{
    double a = H[low * n + low], b = H[low * n + low + 1];
    double c = H[(low + 1) * n + low], d = H[(low + 1) * n + low + 1];
    double half = (a - d) / 2, middle = (a + d) / 2, discriminant = half * half + b * c;
    if (discriminant < 0)
        return hypot(middle, sqrt(-discriminant));
    return fabs(middle) + sqrt(discriminant);
}

/* The last row l <= high whose element left of the diagonal is negligible; 0 if none is. */
static int64_t find_split(double *H, int64_t n, int64_t high)
{
    int64_t l = high;
    for (; l > 0; l--) {
        double neighbours = fabs(H[(l - 1) * n + l - 1]) + fabs(H[l * n + l]);
        if (fabs(H[l * n + l - 1]) <= DBL_EPSILON * neighbours || fabs(H[l * n + l - 1]) < DBL_MIN) {
            H[l * n + l - 1] = 0;
            break;
        }
    }
    return l;
}

/* The reflection I - beta v v' that maps x, y, z to a multiple of the first unit vector; v[0] is 1, and not
 * written. */
static double reflection(double x, double y, double z, double v[3])
{
    double norm = hypot(hypot(x, y), z);
    v[1] = v[2] = 0;
    if (norm == 0)
        return 0;
    double first = x + (x >= 0 ? norm : -norm);
    v[1] = y / first;
    v[2] = z / first;
    return 2 / (1 + v[1] * v[1] + v[2] * v[2]);
}

/* One double step of the QR iteration on rows low .. high, with sum and product of the shifts. */
static void double_step(double *H, int64_t n, int64_t low, int64_t high, double sum, double product)
{
    const double *top = H + low * n + low, *next = top + n;
    double x = top[0] * top[0] + top[1] * next[0] - sum * top[0] + product;
    double y = next[0] * (top[0] + next[1] - sum);
    double z = next[0] * next[n + 1]; /* there are at least three rows */
    for (int64_t k = low; k < high; k++) {
        bool three = k + 2 <= high;
        double v[3], beta = reflection(x, y, three ? z : 0, v);
        int64_t first = volt_max(k - 1, low), last = volt_min(k + 3, high);
        double *row0 = H + k * n, *row1 = row0 + n, *row2 = three ? row1 + n : row1;
        for (int64_t j = first; j <= high; j++) {
            double part = beta * (row0[j] + v[1] * row1[j] + (three ? v[2] * row2[j] : 0));
            row0[j] -= part;
            row1[j] -= part * v[1];
            if (three)
                row2[j] -= part * v[2];
        }
        for (int64_t i = low; i <= last; i++) {
            double *at = H + i * n + k, part = beta * (at[0] + v[1] * at[1] + (three ? v[2] * at[2] : 0));
            at[0] -= part;
            at[1] -= part * v[1];
            if (three)
                at[2] -= part * v[2];
        }
        x = H[(k + 1) * n + k];
        y = three ? H[(k + 2) * n + k] : 0;
        z = k + 3 <= high ? H[(k + 3) * n + k] : 0;
    }
    for (int64_t i = low + 2; i <= high; i++) /* the remainder of the bulge is rounding */
        for (int64_t j = volt_max(i - 3, low); j < i - 1; j++)
            H[i * n + j] = 0;
}

int volt_hessenberg_radius(double *H, int64_t n, double *radius)
{
    enum { MAX_STEPS = 60, EXCEPTIONAL = 10 };
    double largest = 0;
    int steps = 0;
    for (int64_t high = n - 1; high >= 0;) {
        int64_t low = find_split(H, n, high);
        if (high - low <= 1) {
            largest = fmax(largest, low == high ? fabs(H[high * n + high]) : pair_radius(H, n, low));
            high = low - 1;
            steps = 0;
            continue;
        }
        if (++steps > MAX_STEPS)
            return 0;
        const double *last = H + high * n + high, *before = last - n;
        double sum = before[-1] + last[0], product = before[-1] * last[0] - before[0] * last[-1];
        if (steps % EXCEPTIONAL == 0) { /* exceptional shift, to leave a cycle */
            double size = fabs(last[-1]) + fabs(H[(high - 1) * n + high - 2]);
            sum = 1.5 * size;
            product = size * size;
        }
        double_step(H, n, low, high, sum, product);
    }
    *radius = largest;
    return 1;
}

/* ---- Arnoldi ---------------------------------------------------------------------------------- */

typedef struct process {
    const double *A;
    int64_t n, most, k;
    bool squared;      /* of A' A */
    double *V;         /* (most + 1) x n, rows orthonormal */
    double *H;         /* most x most, of which k rows and columns are used */
    double *workspace; /* n, and most x most */
    double next;       /* the element below the last column of H */
} process;

static void apply(const process *p, const double *x, double *y)
{
    if (!p->squared) {
        multiply(p->A, p->n, x, y);
        return;
    }
    multiply(p->A, p->n, x, p->workspace);
    multiply_transposed(p->A, p->n, p->workspace, y);
}

/* One step; false: the vectors span an invariant subspace. */
static bool extend(process *p)
{
    int64_t n = p->n, k = p->k;
    double *fresh = p->V + (k + 1) * n;
    if (k > 0)
        p->H[k * p->most + k - 1] = p->next;
    apply(p, p->V + k * n, fresh);
    double before = sqrt(dot(fresh, fresh, n));
    for (int pass = 0; pass < 2; pass++) /* twice, for orthogonality */
        for (int64_t i = 0; i <= k; i++) {
            double part = dot(p->V + i * n, fresh, n);
            p->H[i * p->most + k] += part;
            subtract(part, p->V + i * n, fresh, n);
        }
    p->k++;
    p->next = sqrt(dot(fresh, fresh, n));
    if (p->next <= (double)n * DBL_EPSILON * before)
        return false;
    for (int64_t i = 0; i < n; i++)
        fresh[i] /= p->next;
    return true;
}

static bool current_radius(const process *p, double *radius)
{
    double *H = p->workspace + p->n;
    for (int64_t i = 0; i < p->k; i++)
        memcpy(H + i * p->k, p->H + i * p->most, (size_t)p->k * sizeof *H);
    return volt_hessenberg_radius(H, p->k, radius);
}

/* Two successive estimates, with a third more vectors, must agree: a single one may be on a plateau. */
static void run(process *p, double *radius)
{
    enum { FIRST_LOOK = 24, AGREEMENTS = 2 };
    static const double tolerance = 1e-13;
    int agreed = 0;
    bool continues = true;
    double last = -1;
    for (int64_t look = FIRST_LOOK; continues && p->k < p->most && agreed < AGREEMENTS; look += look / 3) {
        while (continues && p->k < volt_min(look, p->most))
            continues = extend(p);
        double now = 0;
        if (!current_radius(p, &now))
            continue;
        agreed = fabs(now - last) <= tolerance * now ? agreed + 1 : 0;
        last = now;
    }
    *radius = fmax(last, 0);
}

static volt_status outermost(const double *A, int64_t n, bool squared, double *radius)
{
    process p = {.A = A, .n = n, .most = n, .squared = squared};
    p.V = volt_alloc_doubles(n + 1, n);
    p.H = volt_alloc_zero(n * n, sizeof(double));
    p.workspace = volt_alloc_doubles(n + 1, n);
    volt_status status = p.V && p.H && p.workspace ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_rng rng;
        volt_rng_init(&rng, 0, 0);
        for (int64_t i = 0; i < n; i++)
            p.V[i] = volt_rng_normal(&rng);
        double norm = sqrt(dot(p.V, p.V, n));
        for (int64_t i = 0; i < n; i++)
            p.V[i] /= norm;
        run(&p, radius);
    }
    volt_free(p.workspace);
    volt_free(p.H);
    volt_free(p.V);
    return status;
}

volt_status volt_spectral_radius(const double *A, int64_t n, double *radius)
{
    return outermost(A, n, false, radius);
}

volt_status volt_spectral_norm(const double *A, int64_t n, double *norm)
{
    double square = 0;
    volt_status status = outermost(A, n, true, &square);
    if (status == VOLT_OK)
        *norm = sqrt(square);
    return status;
}

enum { CHUNK = VOLT_PRODUCT_CHUNK };

/* ---- life ------------------------------------------------------------------------------------- */

/* A reservoir of this shape without arrays, sufficient for memory estimates. NULL: out of memory. */
static volt_reservoir *reservoir_outline(int64_t size, int64_t d, int64_t length)
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

/* Allocates its arrays, all zero. VOLT_ERR_MEMORY. */
static volt_status reservoir_allocate(volt_reservoir *reservoir)
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

/* The limit state for zero inputs: by iteration of f, or exactly if f is the identity. VOLT_ERR_ARGUMENT if
 * there is none; `name` is used in the message. VOLT_ERR_MEMORY. */
static volt_status reservoir_rest_state(volt_reservoir *reservoir, const char *name)
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

/* ---- shared parameters and weights of reservoir kernels ---------------------------------------------- */

const char *const volt_start_words[] = {"rest", "zero", NULL};

/* With weights from a file, no parameter of random weights may be given. */
static volt_status set_drawn_default(volt_kernel *kernel, const volt_reservoir_kind *kind, int p)
{
    const volt_kernel_info *info = &kernel->entry->info;
    VOLT_REQUIRE(!(kernel->present[kind->weights] && kernel->present[p]), VOLT_ERR_KERNEL,
                 "kernel %s: %s applies to random weights, but weights=%s is given", info->name,
                 info->parameters[p].name, kernel->word[kind->weights]);
    if (!kernel->present[kind->weights])
        volt_kernel_use_fallback(kernel, p);
    return VOLT_OK;
}

volt_status volt_reservoir_set_defaults(volt_kernel *kernel)
{
    const volt_reservoir_kind *kind = kernel->entry->reservoir;
    const int common[] = {kind->size, kind->density, kind->seed};
    volt_kernel_use_fallback(kernel, kind->start);
    for (int i = 0; i < 3; i++)
        VOLT_TRY(set_drawn_default(kernel, kind, common[i]));
    for (const int *p = kind->drawn; p && *p >= 0; p++)
        VOLT_TRY(set_drawn_default(kernel, kind, *p));
    return VOLT_OK;
}

/* "7 x 2" */
static const char *shape_text(int dimensions, const int64_t *shape, char text[64])
{
    int used = 0;
    for (int k = 0; k < dimensions; k++)
        used += snprintf(text + used, 64 - (size_t)used, "%s%" PRId64, k ? " x " : "", shape[k]);
    return text;
}

volt_status volt_reservoir_tensor(const char *file, const volt_arrays *arrays, const char *name,
                                  const int64_t shape[VOLT_MAX_DIMENSIONS], bool optional, const double **data)
{
    const volt_array *array = volt_arrays_find(arrays, name);
    char found[64], wanted[64];
    int dimensions = 0;
    while (dimensions < VOLT_MAX_DIMENSIONS && shape[dimensions] > 0)
        dimensions++;
    *data = NULL;
    VOLT_REQUIRE(array || optional, VOLT_ERR_SHAPE, "%s has no tensor %s, which must be %s", file, name,
                 shape_text(dimensions, shape, wanted));
    if (!array)
        return VOLT_OK;
    bool fits = array->dimensions == dimensions;
    for (int k = 0; fits && k < dimensions; k++)
        fits = array->shape[k] == shape[k];
    VOLT_REQUIRE(fits, VOLT_ERR_SHAPE, "%s: tensor %s must be %s (got %s)", file, name,
                 shape_text(dimensions, shape, wanted), shape_text(array->dimensions, array->shape, found));
    *data = array->data;
    return VOLT_OK;
}

/* The size of a state: from saved weights, else from the file, which is read into *arrays, else from the
 * parameter. VOLT_ERR_SHAPE if the tensor is not square. */
static volt_status find_size(const volt_kernel *kernel, const volt_reservoir_kind *kind, volt_arrays **arrays,
                             int64_t *size)
{
    if (kernel->stored) {
        *size = kernel->stored->size;
        return VOLT_OK;
    }
    *size = (int64_t)kernel->value[kind->size];
    if (!kernel->present[kind->weights])
        return VOLT_OK;
    const char *file = kernel->word[kind->weights];
    VOLT_TRY(volt_arrays_read(file, arrays));
    const volt_array *array = volt_arrays_find(*arrays, kind->square);
    *size = array ? array->shape[0] : 1;
    const double *unused = NULL;
    return volt_reservoir_tensor(file, *arrays, kind->square, (const int64_t[]){*size, *size, 0}, false,
                                 &unused);
}

/* ---- radius and norm of drawn matrices -------------------------------------------------------- */

typedef struct known_matrix {
    volt_drawn_matrix drawn;
    bool is_norm;
    double value;
} known_matrix;

enum { MAX_KNOWN = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the two variables below */
static known_matrix known[MAX_KNOWN];
static int64_t n_known;

static bool is_same(const known_matrix *a, const known_matrix *b)
{
    return a->is_norm == b->is_norm && a->drawn.n == b->drawn.n && a->drawn.seed == b->drawn.seed &&
           a->drawn.stream == b->drawn.stream && a->drawn.density == b->drawn.density;
}

static bool recall(known_matrix *one)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int64_t i = 0; i < n_known && i < MAX_KNOWN && !found; i++)
        if (is_same(&known[i], one)) {
            one->value = known[i].value;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void remember(known_matrix one)
{
    pthread_mutex_lock(&lock);
    known[n_known++ % MAX_KNOWN] = one;
    pthread_mutex_unlock(&lock);
}

static volt_status measure(const volt_drawn_matrix *drawn, bool is_norm, double *value)
{
    known_matrix one = {.drawn = *drawn, .is_norm = is_norm};
    if (!recall(&one)) {
        VOLT_TRY((is_norm ? volt_spectral_norm : volt_spectral_radius)(drawn->A, drawn->n, &one.value));
        remember(one);
    }
    *value = one.value;
    return VOLT_OK;
}

volt_status volt_drawn_radius(const volt_drawn_matrix *drawn, double *radius)
{
    return measure(drawn, false, radius);
}

volt_status volt_drawn_norm(const volt_drawn_matrix *drawn, double *norm)
{
    return measure(drawn, true, norm);
}

/* ---- on inputs -------------------------------------------------------------------------------- */

static volt_status make_weights(const volt_kernel *kernel, const volt_reservoir_kind *kind,
                                const volt_arrays *arrays, double radius, volt_resolved *resolved)
{
    volt_reservoir *reservoir = resolved->reservoir;
    VOLT_TRY(reservoir_allocate(reservoir));
    if (kernel->stored)
        VOLT_TRY(volt_reservoir_set(reservoir, kernel->stored));
    else
        VOLT_TRY(arrays ? kind->take(kernel, arrays, reservoir)
                        : kind->draw(kernel, radius > 0 ? radius : 1, reservoir));
    VOLT_TRY(kind->conclude(kernel, radius, resolved));
    if (!kernel->stored && (int)kernel->value[kind->start] == VOLT_STATE_REST)
        return reservoir_rest_state(reservoir, kernel->entry->info.name);
    return VOLT_OK;
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, bool weights,
                           volt_resolved *resolved)
{
    const volt_reservoir_kind *kind = kernel->entry->reservoir;
    volt_arrays *arrays = NULL;
    int64_t size = 0;
    volt_resolved fresh = {.facts = {.radius = radius}, .window = 1};
    volt_status status = find_size(kernel, kind, &arrays, &size);
    if (status == VOLT_OK) {
        fresh.reservoir = reservoir_outline(size, d, kind->length(kernel, size, d));
        status = fresh.reservoir ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK)
        kind->describe(kernel, fresh.reservoir);
    if (status == VOLT_OK && weights)
        status = make_weights(kernel, kind, arrays, radius, &fresh);
    volt_arrays_free(arrays);
    if (status == VOLT_OK)
        *resolved = fresh;
    else
        volt_reservoir_free(fresh.reservoir);
    return status;
}

volt_status volt_reservoir_resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    return resolve(kernel, radius, d, true, resolved);
}

volt_status volt_reservoir_sketch(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    return resolve(kernel, radius, d, false, resolved);
}
