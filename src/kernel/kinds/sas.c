/* src/kernel/kinds/sas.c: the inner product of states of a state-affine system.
 *
 *     x_t = p(z_t) x_{t-1} + q(z_t),        K = <x_t, x'_s>
 *     p(z) = P0 + sum_{k <= degree} sum_c z_c^k Pk[c],        q(z) = q0 + sum_k sum_c z_c^k qk[c]
 *
 * (Grigoryeva and Ortega, J. Mach. Learn. Res. 19, 2018.) The memory fades if |p(z)| < 1 on the ball |z| <=
 * M. The sum over c of |z_c|^{2k} is at most M^{2k}, so a bound on |p| there is
 *
 *     |P0| + sum_k M^k s_k,        s_k^2 = sum_c |Pk[c]|^2
 *
 * Random matrices are scaled so that it equals `norm`. P0, which is symmetric so that its norm is attained,
 * has the share 1 - `share` of it; the powers of the inputs share the rest equally. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kind_parts.h"
#include "kernel/reservoir.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE, NORM, SHARE, DEGREE, DENSITY, SEED, START, WEIGHTS, N_PARAMETERS };
enum { MAX_DEGREE = 8 };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [SIZE] = VOLT_PARAMETER_SIZE,
    [NORM] = VOLT_PARAMETER_SHARE("norm", "bound on |p(z)|, the contraction rate", "0.95", 0.995),
    [SHARE] = {VOLT_REAL("share", "[0, 1]", 0, 1, 3), VOLT_SEARCHED(LINEAR, 0.01, 0.9), .fallback = "0.3",
               .meaning = "fraction of norm for the terms of p that depend on inputs; P0 gets the rest"},
    [DEGREE] = {VOLT_INTEGER("degree", "1 to 8", 1, MAX_DEGREE), .fallback = "1",
                .meaning = "degree of p and q in the inputs"},
    [DENSITY] = VOLT_PARAMETER_DENSITY,
    [SEED] = VOLT_PARAMETER_SEED,
    [START] = VOLT_PARAMETER_START,
    [WEIGHTS] = VOLT_PARAMETER_WEIGHTS("P0 (size x size), q0 (size), and for every power k up to degree Pk "
                                       "(inputs x size x size), qk (inputs x "
                                       "size)"),
};

static volt_status set_defaults(volt_kernel *kernel)
{
    VOLT_TRY(volt_reservoir_set_defaults(kernel));
    volt_kernel_use_fallback(kernel, DEGREE);
    return VOLT_OK;
}

/* u is (x, 1) times 1 and times every power of every input. */
static void arrange(const volt_reservoir *reservoir, const double *z, const double *x, double *u)
{
    int64_t n = reservoir->size, d = reservoir->d;
    for (int64_t m = 0; m <= reservoir->powers * d; m++) {
        double factor = 1, *part = u + m * (n + 1);
        for (int64_t k = 0; m > 0 && k <= (m - 1) / d; k++)
            factor *= z[(m - 1) % d];
        for (int64_t i = 0; i < n; i++)
            part[i] = factor * x[i];
        part[n] = factor;
    }
}

/* Offset of Pk[c] in u; qk[c] follows it. The first is P0. */
static int64_t place_of(const volt_reservoir *reservoir, int64_t k, int64_t c)
{
    return (k == 0 ? 0 : 1 + (k - 1) * reservoir->d + c) * (reservoir->size + 1);
}

static int64_t channels_of(const volt_reservoir *reservoir, int64_t k)
{
    return k == 0 ? 1 : reservoir->d;
}

/* ---- weights ---------------------------------------------------------------------------------- */

static volt_status take_weights(const volt_kernel *kernel, const volt_arrays *arrays, volt_reservoir *reservoir)
{
    const char *file = kernel->word[WEIGHTS];
    int64_t n = reservoir->size, d = reservoir->d;
    for (int64_t k = 0; k <= reservoir->powers; k++) {
        const int64_t first[][3] = {{n, n, 0}, {d, n, n}}, second[][3] = {{n, 0, 0}, {d, n, 0}};
        char P_name[8], q_name[8];
        const double *P = NULL, *q = NULL;
        snprintf(P_name, sizeof P_name, "P%d", (int)k);
        snprintf(q_name, sizeof q_name, "q%d", (int)k);
        VOLT_TRY(volt_reservoir_tensor(file, arrays, P_name, first[k > 0], false, &P));
        VOLT_TRY(volt_reservoir_tensor(file, arrays, q_name, second[k > 0], false, &q));
        for (int64_t c = 0; c < channels_of(reservoir, k); c++) {
            int64_t at = place_of(reservoir, k, c);
            volt_reservoir_put(reservoir, at, P + c * n * n, n, 1);
            volt_reservoir_put(reservoir, at + n, q + c * n, 1, 1);
        }
    }
    char next[16];
    snprintf(next, sizeof next, "P%d", (int)reservoir->powers + 1);
    VOLT_REQUIRE(!volt_arrays_find(arrays, next), VOLT_ERR_SHAPE,
                 "%s has a tensor %s, but the kernel has degree %d: use degree=%d", file, next,
                 (int)reservoir->powers, (int)reservoir->powers + 1);
    return VOLT_OK;
}

/* (G + G') / sqrt(2), in place. */
static void make_symmetric(double *G, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            G[i * n + j] = G[j * n + i] = (G[i * n + j] + G[j * n + i]) / sqrt(2);
}

/* Pk[c] of norm `norm`, and qk[c] with entries up to `size`. */
static volt_status draw_pair(const volt_kernel *kernel, int64_t k, int64_t c, double norm, double size,
                             double *P, double *q, volt_reservoir *reservoir)
{
    int64_t n = reservoir->size, at = place_of(reservoir, k, c);
    uint64_t seed = (uint64_t)kernel->value[SEED], stream = 2 * (uint64_t)(at / (n + 1));
    double found = 0;
    volt_reservoir_draw_normal(seed, stream, kernel->value[DENSITY], n * n, P);
    if (k == 0)
        make_symmetric(P, n);
    volt_reservoir_draw_uniform(seed, stream + 1, n, q);
    VOLT_TRY(volt_drawn_norm(&(volt_drawn_matrix){P, n, seed, stream, kernel->value[DENSITY]}, &found));
    VOLT_REQUIRE(
        norm == 0 || isfinite(norm / found), VOLT_ERR_ARGUMENT,
        "kernel sas: a matrix that was drawn is 0, and cannot be scaled to norm %g: use a larger density "
        "or another seed",
        norm);
    volt_reservoir_put(reservoir, at, P, n, norm == 0 ? 0 : norm / found);
    volt_reservoir_put(reservoir, at + n, q, 1, size);
    return VOLT_OK;
}

/* For inputs of norm up to M. */
static volt_status draw_weights(const volt_kernel *kernel, double M, volt_reservoir *reservoir)
{
    int64_t n = reservoir->size, powers = reservoir->powers;
    double norm = kernel->value[NORM], share = kernel->value[SHARE], channels = sqrt((double)reservoir->d);
    double *P = volt_alloc_doubles(n, n), *q = volt_alloc_doubles(n, 1);
    volt_status status = P && q ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t k = 0; k <= powers; k++)
        for (int64_t c = 0; c < channels_of(reservoir, k) && status == VOLT_OK; c++) {
            double unit = k == 0 ? 1 : 1 / (channels * pow(M, (double)k));
            double part = k == 0 ? 1 - share : share / (double)powers;
            status = draw_pair(kernel, k, c, norm * part * unit, unit, P, q, reservoir);
        }
    volt_free(q);
    volt_free(P);
    return status;
}

/* ---- on inputs -------------------------------------------------------------------------------- */

/* s_k of the random matrices. */
static void recall(const volt_kernel *kernel, double M, int64_t powers, double s[MAX_DEGREE + 1])
{
    double norm = kernel->value[NORM], share = kernel->value[SHARE];
    s[0] = norm * (1 - share);
    for (int64_t k = 1; k <= powers; k++)
        s[k] = norm * share / (double)powers / pow(M, (double)k);
}

/* s_k of the given matrices. */
static volt_status measure(const volt_reservoir *reservoir, double s[MAX_DEGREE + 1])
{
    int64_t n = reservoir->size;
    double *P = volt_alloc_doubles(n, n);
    if (!P)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    for (int64_t k = 0; k <= reservoir->powers; k++) {
        s[k] = 0;
        for (int64_t c = 0; c < channels_of(reservoir, k) && status == VOLT_OK; c++) {
            const double *block = reservoir->matrix + place_of(reservoir, k, c) * reservoir->ld;
            double norm = 0;
            for (int64_t i = 0; i < n; i++)
                memcpy(P + i * n, block + i * reservoir->ld, (size_t)n * sizeof *P);
            status = volt_spectral_norm(P, n, &norm);
            s[k] += norm * norm;
        }
        s[k] = sqrt(s[k]);
    }
    volt_free(P);
    return status;
}

/* The same for the vectors. */
static void measure_vectors(const volt_reservoir *reservoir, double t[MAX_DEGREE + 1])
{
    for (int64_t k = 0; k <= reservoir->powers; k++) {
        t[k] = 0;
        for (int64_t c = 0; c < channels_of(reservoir, k); c++) {
            const double *q = reservoir->matrix + (place_of(reservoir, k, c) + reservoir->size) * reservoir->ld;
            for (int64_t i = 0; i < reservoir->size; i++)
                t[k] += q[i] * q[i];
        }
        t[k] = sqrt(t[k]);
    }
}

static double bound_at(const double *s, int64_t powers, double norm)
{
    double sum = 0;
    for (int64_t k = powers; k >= 0; k--)
        sum = sum * norm + s[k];
    return sum;
}

/* Contraction rate for an input of this norm. */
static double gain(const volt_resolved *resolved, double norm)
{
    return bound_at(resolved->reservoir->bounds, resolved->reservoir->powers, norm);
}

static int64_t length(const volt_kernel *kernel, int64_t size, int64_t d)
{
    return (1 + (int64_t)kernel->value[DEGREE] * d) * (size + 1);
}

static const char arrange_code[] = "int m, k, i;\n"
                                   "for (m = 0; m <= powers * inputs; m++) {\n"
                                   "    double factor = 1.0;\n"
                                   "    for (k = 0; m > 0 && k <= (m - 1) / inputs; k++)\n"
                                   "        factor *= z[(m - 1) % inputs];\n"
                                   "    for (i = 0; i < size; i++)\n"
                                   "        u[m * (size + 1) + i] = factor * x[i];\n"
                                   "    u[m * (size + 1) + size] = factor;\n"
                                   "}\n";

static void describe(const volt_kernel *kernel, volt_reservoir *reservoir)
{
    reservoir->arrange = arrange;
    reservoir->arrange_code = arrange_code;
    reservoir->powers = (int64_t)kernel->value[DEGREE];
}

static volt_status conclude(const volt_kernel *kernel, double radius, volt_resolved *resolved)
{
    volt_reservoir *reservoir = resolved->reservoir;
    double t[MAX_DEGREE + 1] = {0};
    if (kernel->stored || kernel->present[WEIGHTS])
        VOLT_TRY(measure(reservoir, reservoir->bounds));
    else
        recall(kernel, radius > 0 ? radius : 1, reservoir->powers, reservoir->bounds);
    measure_vectors(reservoir, t);
    double kept = bound_at(reservoir->bounds, reservoir->powers, radius);
    double reach = bound_at(t, reservoir->powers, radius) / (1 - kept);
    bool fades = kept < 1;
    resolved->facts.contraction = fades ? kept : 0;
    resolved->facts.largest = fades ? reach * reach : INFINITY;
    resolved->gain = fades ? gain : NULL;
    return VOLT_OK;
}

static const int of_drawn_weights[] = {NORM, SHARE, -1};

static const volt_reservoir_kind kind = {
    .size = SIZE,
    .density = DENSITY,
    .seed = SEED,
    .start = START,
    .weights = WEIGHTS,
    .drawn = of_drawn_weights,
    .square = "P0",
    .length = length,
    .describe = describe,
    .draw = draw_weights,
    .take = take_weights,
    .conclude = conclude,
};

const volt_kernel_entry volt_kernel_sas = {
    .info =
        {VOLT_KERNEL_INFO, .name = "sas",
         .formula = "<x_i, y_j>, x_i = p(z_i) x_{i-1} + q(z_i), p and q polynomials",
         .cost = "O(size), and O(degree d size^2) for a row",
         .notes =
             "x and y are states of a state-affine system: polynomials of past inputs. Otherwise like esn."},
    .set_defaults = set_defaults,
    .resolve = volt_reservoir_resolve,
    .outline = volt_reservoir_sketch,
    .reservoir = &kind,
    .shares_ball = true,
};
