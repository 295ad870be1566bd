/* src/data/bekk/bekk_likelihood.c: log-likelihood of the BEKK model and its exact gradient.
 *
 *     forward    H_t = C C' + (a o r_{t-1})(a o r_{t-1})' + (b b') o H_{t-1},   H_1 fixed
 *     slope      S_t = -1/2 (H_t^{-1} - u u'),   u = H_t^{-1} r_t
 *     backward   G_t = S_t + (b b') o G_{t+1},   t = T .. 2
 *     gradient   dC = triu(2 (sum G_t) C),   da = 2 (sum G_t o r_{t-1} r_{t-1}') a,   db = 2 (sum G_t o H_{t-1}) b
 *
 * Forward and backward are recursions in time, independent for every entry of H; the slopes are independent
 * factorisations for every time. Threads therefore share the recursions by rows of H, and the slopes by blocks
 * of VOLT_BEKK_LANES time steps, which are factorised together, one per vector lane: matrices of this size are
 * too small for LAPACK. Every number is computed by one thread in a fixed order. */
#include "data/bekk/bekk_likelihood.h"

#include "base/clones.h"
#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { LANES = VOLT_BEKK_LANES };
static const double log_two_pi = 1.8378770664093454836;
static const int64_t min_parallel = 1000000; /* number of multiplications from which threads are used */

/* ---- setting up ------------------------------------------------------------------------------- */

void volt_bekk_sample_covariance(volt_view returns, double *packed)
{
    int64_t n = returns.rows, d = returns.cols;
    double mean[VOLT_BEKK_MAX_ASSETS];
    for (int64_t i = 0; i < d; i++) {
        double sum = 0;
        for (int64_t t = 0; t < n; t++)
            sum += returns.data[t * returns.ld + i];
        mean[i] = sum / (double)n;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t t = 0; t < n; t++) {
                const double *r = returns.data + t * returns.ld;
                sum += (r[i] - mean[i]) * (r[j] - mean[j]);
            }
            packed[volt_packed(i, j)] = sum / (double)(n - 1);
        }
}

volt_status volt_bekk_likelihood_create(volt_view returns, const double *first,
                                        volt_bekk_likelihood *likelihood)
{
    int64_t n = returns.rows, d = returns.cols, entries = volt_packed_count(d);
    int64_t blocks = (n + LANES - 1) / LANES;
    int64_t numbers = blocks * LANES * (2 * d + 2 * entries + 1) + (5 + 3 * LANES) * entries;
    double *memory = volt_start_threads() == VOLT_OK ? volt_alloc_zero(numbers, sizeof *memory) : NULL;
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_bekk_likelihood made = {.n = n, .d = d, .entries = entries, .blocks = blocks, .memory = memory};
    made.returns = memory; /* arrays of lanes first, to keep them aligned */
    made.solved = made.returns + blocks * LANES * d;
    made.covariances = made.solved + blocks * LANES * d;
    made.slopes = made.covariances + blocks * LANES * entries;
    made.terms = made.slopes + blocks * LANES * entries;
    made.lane_sums = made.terms + blocks * LANES;
    made.first = made.lane_sums + 3 * LANES * entries;
    made.intercept = made.first + entries;
    made.sums = made.intercept + entries;

    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < d; i++)
            made.returns[volt_bekk_lane_of(d, t, i)] = returns.data[t * returns.ld + i];
    if (first)
        memcpy(made.first, first, (size_t)entries * sizeof *first);
    else
        volt_bekk_sample_covariance(returns, made.first);
    *likelihood = made;
    return VOLT_OK;
}

void volt_bekk_likelihood_free(volt_bekk_likelihood *likelihood)
{
    volt_free(likelihood->memory);
    likelihood->memory = NULL;
}

/* ---- forward, by rows of H --------------------------------------------------------------------- */

/* All H_t(i, j), j <= i. The outer loop is over blocks of time and the inner over entries, whose chains are
 * independent. */
static void run_forward(const volt_bekk_likelihood *likelihood, int64_t i, const double *a, const double *b)
{
    int64_t d = likelihood->d, entries = likelihood->entries, first = volt_packed(i, 0);
    double *state = likelihood->sums + first; /* H(i, j) of the next step; unused between evaluations */
    memcpy(state, likelihood->first + first, (size_t)(i + 1) * sizeof *state);
    for (int64_t block = 0; block < likelihood->blocks; block++) {
        const double *r = likelihood->returns + block * d * LANES, *ri = r + i * LANES;
        double *H = likelihood->covariances + (block * entries + first) * LANES;
        for (int64_t j = 0; j <= i; j++) {
            const double *rj = r + j * LANES;
            double intercept = likelihood->intercept[first + j], alpha = a[i] * a[j], beta = b[i] * b[j];
            double value = state[j], shock[LANES];
            for (int lane = 0; lane < LANES; lane++)
                shock[lane] = intercept + alpha * (ri[lane] * rj[lane]);
            for (int lane = 0; lane < LANES; lane++) {
                H[j * LANES + lane] = value;
                value = shock[lane] + beta * value;
            }
            state[j] = value;
        }
    }
}

/* ---- slopes, by blocks of time steps ---------------------------------------------------------- */

/* The lanes as vectors of the machine's width: compilers do not vectorise the loops over lanes. */
#if defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
typedef double lane_vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
enum { VECTORS = LANES * (int)sizeof(double) / VECTOR_BYTES };

#define EACH_VECTOR for (int v = 0; v < VECTORS; v++)
#define LANE_FUNCTION static inline __attribute__((always_inline))

/* Entry k of an array of lanes, as VECTORS vectors. */
LANE_FUNCTION lane_vector *at(double *lanes, int64_t k)
{
    return (lane_vector *)(void *)(lanes + k * LANES);
}

LANE_FUNCTION const lane_vector *at_const(const double *lanes, int64_t k)
{
    return (const lane_vector *)(const void *)(lanes + k * LANES);
}

/* Replaces M (packed, lanes) by its factor L, with 1 / L_ii on the diagonal; log_det is log det M, NaN when
 * a pivot is not positive. */
LANE_FUNCTION void factorise(int64_t d, double *M, double *log_det)
{
    for (int lane = 0; lane < LANES; lane++)
        log_det[lane] = 0;
    for (int64_t i = 0; i < d; i++) {
        double *row = M + volt_packed(i, 0) * LANES;
        for (int64_t j = 0; j <= i; j++) {
            const double *above = M + volt_packed(j, 0) * LANES;
            lane_vector sum[VECTORS];
            EACH_VECTOR sum[v] = at(row, j)[v];
            for (int64_t k = 0; k < j; k++)
                EACH_VECTOR sum[v] -= at(row, k)[v] * at_const(above, k)[v];
            if (j < i)
                EACH_VECTOR sum[v] *= at_const(above, j)[v];
            EACH_VECTOR at(row, j)[v] = sum[v];
        }
        for (int lane = 0; lane < LANES; lane++) {
            double pivot = row[i * LANES + lane];
            log_det[lane] += pivot > 0 ? log(pivot) : NAN;
            row[i * LANES + lane] = 1 / sqrt(pivot);
        }
    }
}

/* X = L^{-1} in place, with L from factorise. Column by column, downwards: the entries of L still needed are
 * to the right. */
LANE_FUNCTION void invert_factor(int64_t d, double *L)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j + 1; i < d; i++) {
            double *row = L + volt_packed(i, 0) * LANES;
            lane_vector sum[VECTORS] = {{0}};
            for (int64_t k = j; k < i; k++)
                EACH_VECTOR sum[v] -= at(row, k)[v] * at(L, volt_packed(k, j))[v];
            EACH_VECTOR at(row, j)[v] = sum[v] * at(row, i)[v];
        }
}

/* y = X r, and its squared norm. */
LANE_FUNCTION void solve_forward(int64_t d, const double *X, const double *r, double *y, double *norm)
{
    lane_vector square[VECTORS] = {{0}};
    for (int64_t i = 0; i < d; i++) {
        const double *row = X + volt_packed(i, 0) * LANES;
        lane_vector sum[VECTORS] = {{0}};
        for (int64_t k = 0; k <= i; k++)
            EACH_VECTOR sum[v] += at_const(row, k)[v] * at_const(r, k)[v];
        EACH_VECTOR at(y, i)[v] = sum[v];
        EACH_VECTOR square[v] += sum[v] * sum[v];
    }
    memcpy(norm, square, sizeof square);
}

/* y <- X' y in place (row i of X' is zero left of i), then X <- -1/2 (X' X - y y') in place, row by row. */
LANE_FUNCTION void form_slope(int64_t d, double *X, double *y)
{
    for (int64_t i = 0; i < d; i++) {
        lane_vector sum[VECTORS] = {{0}};
        for (int64_t k = i; k < d; k++)
            EACH_VECTOR sum[v] += at(X, volt_packed(k, i))[v] * at(y, k)[v];
        EACH_VECTOR at(y, i)[v] = sum[v];
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            lane_vector sum[VECTORS];
            EACH_VECTOR sum[v] = -at(y, i)[v] * at(y, j)[v];
            for (int64_t k = i; k < d; k++) {
                double *row = X + volt_packed(k, 0) * LANES;
                EACH_VECTOR sum[v] += at(row, i)[v] * at(row, j)[v];
            }
            EACH_VECTOR at(X, volt_packed(i, j))[v] = -0.5 * sum[v];
        }
}

/* Terms of one block, and its slopes. */
VOLT_CLONES static void run_block(const volt_bekk_likelihood *likelihood, int64_t block, int with_slopes)
{
    int64_t d = likelihood->d, length = likelihood->entries * LANES;
    double *S = likelihood->slopes + block * length, *y = likelihood->solved + block * d * LANES;
    double log_det[LANES], norm[LANES];
    memcpy(S, likelihood->covariances + block * length, (size_t)length * sizeof *S);
    factorise(d, S, log_det);
    invert_factor(d, S);
    solve_forward(d, S, likelihood->returns + block * d * LANES, y, norm);
    for (int lane = 0; lane < LANES; lane++)
        likelihood->terms[block * LANES + lane] = -0.5 * ((double)d * log_two_pi + log_det[lane] + norm[lane]);
    if (with_slopes)
        form_slope(d, S, y);
}

/* Clears the slopes of steps after the last. */
static void clear_padding(const volt_bekk_likelihood *likelihood)
{
    for (int64_t t = likelihood->n; t < likelihood->blocks * LANES; t++)
        for (int64_t entry = 0; entry < likelihood->entries; entry++)
            likelihood->slopes[volt_bekk_lane_of(likelihood->entries, t, entry)] = 0;
}

/* ---- backward, by rows of H -------------------------------------------------------------------- */

/* The three sums for the entries (i, j), j <= i: at step t, G_{t+1} times 1, r_t r_t' and H_t. The lanes are
 * added at the end, always in the same order. */
static void run_backward(const volt_bekk_likelihood *likelihood, int64_t i, const double *b)
{
    int64_t d = likelihood->d, entries = likelihood->entries, first = volt_packed(i, 0);
    double *state = likelihood->intercept + first; /* G(i, j); C C' is no longer needed */
    double *sums = likelihood->lane_sums + 3 * first * LANES;
    memset(state, 0, (size_t)(i + 1) * sizeof *state);
    memset(sums, 0, (size_t)(3 * (i + 1) * LANES) * sizeof *sums);
    for (int64_t block = likelihood->blocks - 1; block >= 0; block--) {
        const double *r = likelihood->returns + block * d * LANES, *ri = r + i * LANES;
        const double *H = likelihood->covariances + (block * entries + first) * LANES;
        const double *S = likelihood->slopes + (block * entries + first) * LANES;
        for (int64_t j = 0; j <= i; j++) {
            const double *rj = r + j * LANES, *Hj = H + j * LANES, *Sj = S + j * LANES;
            double *sum = sums + 3 * j * LANES;
            double beta = b[i] * b[j], G = state[j], next[LANES];
            for (int lane = LANES - 1; lane >= 0; lane--) {
                next[lane] = G;
                G = Sj[lane] + beta * G;
            }
            state[j] = G;
            for (int lane = 0; lane < LANES; lane++) {
                sum[lane] += next[lane];
                sum[LANES + lane] += next[lane] * (ri[lane] * rj[lane]);
                sum[2 * LANES + lane] += next[lane] * Hj[lane];
            }
        }
    }
    for (int64_t j = 0; j <= i; j++)
        for (int kind = 0; kind < 3; kind++) {
            const double *lanes = sums + (3 * j + kind) * LANES;
            double sum = 0;
            for (int lane = 0; lane < LANES; lane++)
                sum += lanes[lane];
            likelihood->sums[kind * entries + first + j] = sum;
        }
}

/* out = 2 M v, M packed. */
static void multiply_twice(int64_t d, const double *M, const double *v, double *out)
{
    for (int64_t i = 0; i < d; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < d; j++)
            out[i] += 2 * M[volt_packed(i, j)] * v[j];
    }
}

static void assemble_gradient(const volt_bekk_likelihood *likelihood, const double *C, const double *a,
                              const double *b, double *gradient)
{
    int64_t d = likelihood->d, entries = likelihood->entries;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= j; k++)
                sum += likelihood->sums[volt_packed(i, k)] * C[k * d + j];
            *gradient++ = 2 * sum;
        }
    multiply_twice(d, likelihood->sums + entries, a, gradient);
    multiply_twice(d, likelihood->sums + 2 * entries, b, gradient + d);
}

/* ---- evaluation ------------------------------------------------------------------------------- */

static int64_t add_terms(const volt_bekk_likelihood *likelihood, double *loglik)
{
    double sum = 0;
    for (int64_t t = 0; t < likelihood->n; t++) {
        if (!isfinite(likelihood->terms[t]))
            return t;
        sum += likelihood->terms[t];
    }
    *loglik = sum;
    return -1;
}

int64_t volt_bekk_likelihood_evaluate(volt_bekk_likelihood *likelihood, const double *C, const double *a,
                                      const double *b, double *loglik, double *gradient)
{
    int64_t d = likelihood->d, blocks = likelihood->blocks;
    int threads = (int)volt_threads();
    int parallel = likelihood->n * likelihood->entries * d >= min_parallel;
    volt_bekk_intercept(d, C, likelihood->intercept);

/* Rows of H have increasing lengths: assign them to threads in turn. */
#pragma omp parallel for if (parallel) num_threads(threads) schedule(static, 1)
    for (int64_t i = 0; i < d; i++)
        run_forward(likelihood, i, a, b);
#pragma omp parallel for if (parallel) num_threads(threads) schedule(static)
    for (int64_t block = 0; block < blocks; block++)
        run_block(likelihood, block, gradient != NULL);
    int64_t broken = add_terms(likelihood, loglik);
    if (broken >= 0 || !gradient)
        return broken;

    clear_padding(likelihood);
#pragma omp parallel for if (parallel) num_threads(threads) schedule(static, 1)
    for (int64_t i = 0; i < d; i++)
        run_backward(likelihood, i, b);
    assemble_gradient(likelihood, C, a, b, gradient);
    return -1;
}
