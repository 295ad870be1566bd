/* src/kernel/spectrum.c: eigenvalues of the largest modulus, by the Arnoldi process without restarts.
 *
 * After k steps from a random vector A V = V H + h v e', with V orthonormal and H a Hessenberg matrix of k
 * rows. The outermost eigenvalues of H approximate those of A long before k is n (Golub and Van Loan,
 * section 10.5); with k = n they are the same. The process continues until the largest modulus has
 * converged. The eigenvalues of H are computed by the shifted QR iteration (the same, section 7.5). */
#include "kernel/reservoir.h"

#include "base/clones.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

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
