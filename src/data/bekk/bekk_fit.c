/* src/data/bekk/bekk_fit.c: quasi maximum likelihood of the diagonal BEKK model.
 *
 * Returns are centred and scaled to unit variance (H_1 becomes their correlation matrix), the likelihood is
 * maximised from several starts, and the best result is transformed back: the rows of C are multiplied by the
 * standard deviations, and n times the sum of their logarithms is subtracted from the log-likelihood. On
 * consistency: McAleer, Chan, Hoti, Lieberman, Econometric Theory 24 (2008); Pedersen, Rahbek, Econometrics
 * Journal 17 (2014). */
#include "base/blas.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/symmetric_eigen.h"
#include "base/threads.h"
#include "base/views.h"
#include "data/bekk/bekk.h"
#include "data/bekk/bekk_likelihood.h"
#include "volterra/data.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <nlopt.h>
#include <stdbool.h>
#include <string.h>

/* ---- returns ------------------------------------------------------------------------------------ */

/* Log-returns of prices. */

/* "row 3, column 2", counted from 1. */
#define PLACE "row %" PRId64 ", column %" PRId64

/* Checks for a non-empty, finite view: VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE with row and column. */
static volt_status returns_check(volt_view returns)
{
    VOLT_TRY(volt_check_shape(returns, "the returns"));
    for (int64_t t = 0; t < returns.rows; t++)
        for (int64_t j = 0; j < returns.cols; j++)
            VOLT_REQUIRE(isfinite(returns.data[t * returns.ld + j]), VOLT_ERR_NOT_FINITE,
                         "the return in " PLACE " is not finite", t + 1, j + 1);
    return VOLT_OK;
}

volt_status volt_log_returns(volt_view prices, volt_matrix returns)
{
    VOLT_TRY(volt_check_shape(prices, "the prices"));
    VOLT_REQUIRE(prices.rows >= 2, VOLT_ERR_DATA, "at least two rows of prices are required (got %" PRId64 ")",
                 prices.rows);
    VOLT_TRY(volt_check_output(returns, prices.rows - 1, prices.cols, "the returns"));
    for (int64_t t = 0; t < prices.rows; t++)
        for (int64_t j = 0; j < prices.cols; j++) {
            double price = prices.data[t * prices.ld + j];
            VOLT_REQUIRE(isfinite(price), VOLT_ERR_NOT_FINITE,
                         "the price in " PLACE " is missing or not finite", t + 1, j + 1);
            VOLT_REQUIRE(price > 0, VOLT_ERR_DATA, "the price in " PLACE " must be above 0 (got %g)", t + 1,
                         j + 1, price);
        }
    for (int64_t t = 1; t < prices.rows; t++)
        for (int64_t j = 0; j < prices.cols; j++)
            returns.data[(t - 1) * returns.ld + j] =
                log(prices.data[t * prices.ld + j]) - log(prices.data[(t - 1) * prices.ld + j]);
    return VOLT_OK;
}

/* ---- packed matrices ---------------------------------------------------------------------------- */

/* Packed matrices of the BEKK model, C and the undetermined signs.
 *
 * The sign of a, of b and of every column of C does not affect H_t: sum a > 0, sum b > 0 and diag C > 0 select
 * one of the equivalent parameters. */

void volt_bekk_intercept(int64_t d, const double *C, double *packed)
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = i; k < d; k++)
                sum += C[i * d + k] * C[j * d + k];
            packed[volt_packed(i, j)] = sum;
        }
}

/* A Cholesky factorisation that begins at the last row and column: column k of C from entry (k, k) up. */
int volt_bekk_upper_factor(int64_t d, const double *packed, double *C)
{
    memset(C, 0, (size_t)(d * d) * sizeof *C);
    for (int64_t k = d - 1; k >= 0; k--) {
        double pivot = packed[volt_packed(k, k)];
        for (int64_t l = k + 1; l < d; l++)
            pivot -= C[k * d + l] * C[k * d + l];
        if (!(pivot > 0) || !isfinite(pivot))
            return 0;
        C[k * d + k] = sqrt(pivot);
        for (int64_t i = 0; i < k; i++) {
            double rest = packed[volt_packed(k, i)];
            for (int64_t l = k + 1; l < d; l++)
                rest -= C[i * d + l] * C[k * d + l];
            C[i * d + k] = rest / C[k * d + k];
        }
    }
    return 1;
}

void volt_packed_to_vech(int64_t d, const double *packed, double *vech)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j; i < d; i++)
            *vech++ = packed[volt_packed(i, j)];
}

static void fix_sign(double *values, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    for (int64_t i = 0; sum < 0 && i < count; i++)
        values[i] = -values[i];
}

void volt_bekk_fix_signs(volt_bekk *bekk)
{
    int64_t d = bekk->d;
    fix_sign(bekk->a, d);
    fix_sign(bekk->b, d);
    for (int64_t k = 0; k < d; k++)
        for (int64_t i = 0; bekk->C[k * d + k] < 0 && i <= k; i++)
            bekk->C[i * d + k] = -bekk->C[i * d + k]; /* the diagonal last */
}

/* ---- likelihood --------------------------------------------------------------------------------- */

/* Log-likelihood of the BEKK model and its exact gradient.
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

enum { LANES = VOLT_BEKK_LANES };
static const double log_two_pi = 1.8378770664093454836;
static const int64_t min_parallel = 1000000; /* number of multiplications from which threads are used */

/* ---- setting up ------------------------------------------------------------------------------- */

/* Packed sample covariance with divisor n - 1. */
static void bekk_sample_covariance(volt_view returns, double *packed)
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
        bekk_sample_covariance(returns, made.first);
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

/* ---- starts ------------------------------------------------------------------------------------- */

/* Starting points of the BEKK estimator: variance targeting.
 *
 * The stationary covariance of the returns is (C C')_ij / (1 - a_i a_j - b_i b_j). Setting it to the sample
 * covariance S determines C from a and b, which leaves 2 d parameters to choose. */

/* ---- variance targeting ----------------------------------------------------------------------- */

static int target(const volt_bekk_likelihood *likelihood, const double *a, const double *b, double *C)
{
    int64_t d = likelihood->d;
    double *packed = likelihood->intercept; /* free between evaluations */
    for (int64_t i = 0, e = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++, e++)
            packed[e] = likelihood->first[e] * (1 - a[i] * a[j] - b[i] * b[j]);
    return volt_bekk_upper_factor(d, packed, C);
}

/* Moves the values towards their mean; the disc is convex, so they stay inside. */
static void shrink(double *values, int64_t count)
{
    double mean = 0;
    for (int64_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        values[i] = mean + 0.8 * (values[i] - mean);
}

int volt_bekk_target_variance(const volt_bekk_likelihood *likelihood, double *a, double *b, double *C)
{
    enum { MAX_STEPS = 200 }; /* 0.8^200 is below rounding */
    for (int step = 0; step < MAX_STEPS; step++) {
        if (target(likelihood, a, b, C))
            return 1;
        shrink(a, likelihood->d);
        shrink(b, likelihood->d);
    }
    return 0;
}

/* ---- starts ----------------------------------------------------------------------------------- */

volt_status volt_bekk_start_common(volt_bekk_likelihood *likelihood, double *a, double *b, double *C)
{
    static const double values[][2] = {{0.2, 0.97}, {0.15, 0.98}, {0.25, 0.95}, {0.3, 0.93},
                                       {0.3, 0.85}, {0.4, 0.85},  {0.2, 0.9},   {0.3, 0.5}};
    enum { N_VALUES = sizeof values / sizeof values[0] };
    int64_t d = likelihood->d;
    double best = -INFINITY;
    int chosen = -1;
    for (int k = 0; k <= N_VALUES; k++) {
        int which = k < N_VALUES ? k : chosen; /* the last iteration: the best again */
        if (which < 0)
            break;
        for (int64_t i = 0; i < d; i++) {
            a[i] = values[which][0];
            b[i] = values[which][1];
        }
        double loglik = 0;
        if (!target(likelihood, a, b, C) ||
            volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, NULL) >= 0)
            continue;
        if (k < N_VALUES && loglik > best) {
            best = loglik;
            chosen = which;
        }
    }
    VOLT_REQUIRE(chosen >= 0, VOLT_ERR_DATA,
                 "the covariance of the returns is singular: some columns depend on the others");
    return VOLT_OK;
}

/* a and b of every asset, each estimated separately: the diagonal of the model is a model of one asset. A
 * unit of `stage` for each. Adds to *evaluations. */
static volt_status bekk_start_alone(volt_view returns, volt_stage *stage, double *a, double *b,
                                    int64_t *evaluations)
{
    enum { ROUNDS = 20 };
    const double enough = 1e-3; /* a start need not be more accurate */
    for (int64_t i = 0; i < returns.cols && volt_stage_should_continue(stage); i++) {
        volt_view column = {returns.data + i, returns.rows, 1, returns.ld};
        volt_bekk_likelihood alone;
        volt_bekk_ascent ascent = {0};
        double point[3] = {0, 0, 0}; /* C, a, b */
        VOLT_TRY(volt_bekk_likelihood_create(column, NULL, &alone));
        volt_stage asset; /* Does not advance the outer stage, but checks for cancellation. */
        double from = stage->from + stage->share * (double)i / (double)returns.cols;
        volt_stage_begin(&asset, stage->progress, stage->name, from, 0, 1);
        volt_status status = volt_bekk_start_common(&alone, point + 1, point + 2, point);
        if (status == VOLT_OK)
            status = volt_bekk_climb(&alone, ROUNDS, enough, &asset, point, &ascent);
        volt_bekk_likelihood_free(&alone);
        VOLT_TRY(status);
        a[i] = fabs(point[1]);
        b[i] = fabs(point[2]);
        *evaluations += ascent.evaluations;
        volt_stage_advance(stage, 1);
    }
    return volt_stage_end(stage);
}

/* Perturbs a and b at random, inside the disc. */
static void bekk_perturb(int64_t d, volt_rng *rng, double *a, double *b)
{
    for (int64_t i = 0; i < d; i++) {
        double stretch = 1 / sqrt(1 - a[i] * a[i] - b[i] * b[i]);
        double u = a[i] * stretch * exp(0.5 * volt_rng_normal(rng));
        double v = b[i] * stretch * exp(0.5 * volt_rng_normal(rng));
        double length = sqrt(1 + u * u + v * v);
        a[i] = u / length;
        b[i] = v / length;
    }
}

/* ---- curvature ---------------------------------------------------------------------------------- */

/* Second derivatives of the log-likelihood, and the resulting standard errors.
 *
 * The distribution may be misspecified: the covariance of the estimate is then the sandwich (-H)^{-1} J
 * (-H)^{-1}, H the Hessian, J = sum_t s_t s_t' of the scores (White, Econometrica 50, 1982). With the scores
 * as rows of an n x P matrix, its diagonal contains the squared norms of the columns of (scores) (-H)^{-1}. */

/* The address of parameter k in C, a, b. */
static double *parameter_at(double *point, int64_t d, int64_t k)
{
    int64_t entries = volt_packed_count(d);
    if (k >= entries)
        return point + d * d + (k - entries);
    int64_t i = 0;
    while (k >= d - i) {
        k -= d - i;
        i++;
    }
    return point + i * d + i + k;
}

/* Minus the Hessian (P x P, in the order of the gradient) by central differences of the exact gradient, at
 * `point`: C (d x d), then a, then b, which are modified and restored. `scores` (n x P) are the scores at
 * the point; `workspace` has 2 P numbers. Adds `units` to the stage for each parameter. Returns 0 when the
 * likelihood cannot be computed or the user cancelled. */
static int bekk_minus_hessian(volt_bekk_likelihood *likelihood, double *point, const double *scores,
                              volt_stage *stage, int64_t units, double *workspace, double *minus_hessian)
{
    int64_t d = likelihood->d, P = volt_bekk_parameter_count(d);
    const double *C = point, *a = point + d * d, *b = a + d;
    double *above = workspace, *below = workspace + P, loglik;
    for (int64_t k = 0; k < P; k++) {
        /* A thousandth of the standard error estimated from the scores: the differences then have a relative
         * error of about 1e-6, and a much smaller rounding error. */
        double norm = cblas_dnrm2((int)likelihood->n, scores + k, (int)P), step = 1e-3 / fmax(norm, 1);
        double *parameter = parameter_at(point, d, k), kept = *parameter;
        if (!volt_stage_advance(stage, units))
            return 0;
        *parameter = kept + step;
        int64_t broken = volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, above);
        *parameter = kept - step;
        if (broken < 0)
            broken = volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, below);
        *parameter = kept;
        if (broken >= 0)
            return 0;
        for (int64_t l = 0; l < P; l++)
            minus_hessian[k * P + l] = (below[l] - above[l]) / (2 * step);
    }
    for (int64_t k = 0; k < P; k++)
        for (int64_t l = 0; l < k; l++)
            minus_hessian[k * P + l] = minus_hessian[l * P + k] =
                0.5 * (minus_hessian[k * P + l] + minus_hessian[l * P + k]);
    return 1;
}

/* ---- sandwich --------------------------------------------------------------------------------- */

typedef struct curve_workspace {
    double *point;         /* C, a, b, modified and restored */
    double *gradient;      /* P */
    double *differences;   /* 2 P */
    double *minus_hessian; /* P x P, then its factor */
    double *scores;        /* n x P */
    double *of_scores;     /* workspace of volt_bekk_scores */
} curve_workspace;

static double *make_workspace(const volt_bekk_likelihood *likelihood, curve_workspace *made)
{
    int64_t d = likelihood->d, P = volt_bekk_parameter_count(d);
    double *memory =
        volt_alloc_doubles(d * (d + 2) + 3 * P + P * P + likelihood->n * P + volt_bekk_scores_workspace(d), 1);
    if (!memory)
        return NULL;
    made->point = memory;
    made->gradient = made->point + d * (d + 2);
    made->differences = made->gradient + P;
    made->minus_hessian = made->differences + 2 * P;
    made->scores = made->minus_hessian + P * P;
    made->of_scores = made->scores + likelihood->n * P;
    return memory;
}

/* With L L' = -H: gain_left = |L^{-1} g|^2 / 2, and two triangular solves from the right for the errors. */
static void sandwich(int64_t n_rows, int64_t n_parameters, curve_workspace *workspace, double *errors,
                     volt_bekk_curvature *curvature)
{
    volt_blas_int order = (volt_blas_int)n_parameters, info = 0;
    dpotrf_("U", &order, workspace->minus_hessian, &order, &info, 1);
    if (info != 0)
        return;
    int p = (int)n_parameters, n = (int)n_rows;
    const double *L = workspace->minus_hessian;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, p, L, p, workspace->gradient, 1);
    curvature->is_maximum = 1;
    curvature->gain_left = 0.5 * cblas_ddot(p, workspace->gradient, 1, workspace->gradient, 1);
    if (!errors)
        return;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, p, 1, L, p,
                workspace->scores, p);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, n, p, 1, L, p,
                workspace->scores, p);
    for (int64_t k = 0; k < n_parameters; k++)
        errors[k] = cblas_dnrm2(n, workspace->scores + k, p);
}

volt_status volt_bekk_curve(volt_bekk_likelihood *likelihood, const double *point, volt_stage *stage,
                            double *errors, volt_bekk_curvature *curvature)
{
    int64_t d = likelihood->d;
    const double *C = point, *a = point + d * d, *b = a + d;
    double loglik;
    curve_workspace workspace;
    double *memory = make_workspace(likelihood, &workspace);
    if (!memory)
        return VOLT_ERR_MEMORY;
    memcpy(workspace.point, point, (size_t)(d * (d + 2)) * sizeof *point);

    volt_bekk_curvature found = {.is_maximum = 0, .gain_left = INFINITY};
    if (volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, workspace.gradient) < 0) {
        volt_bekk_scores(likelihood, C, a, b, workspace.of_scores, workspace.scores);
        if (bekk_minus_hessian(likelihood, workspace.point, workspace.scores, stage, 1, workspace.differences,
                               workspace.minus_hessian))
            sandwich(likelihood->n, volt_bekk_parameter_count(d), &workspace, errors, &found);
    }
    volt_free(memory);
    volt_status status = volt_stage_end(stage);
    if (status == VOLT_OK)
        *curvature = found;
    return status;
}

/* ---- ascent ------------------------------------------------------------------------------------- */

/* Maximises the log-likelihood of the BEKK model from a given point.
 *
 * Unbounded coordinates: the upper triangle of C, and for every asset the image of the open disc a^2 + b^2 < 1
 * in the plane,
 *
 *     a = u / sqrt(1 + u^2 + v^2),   b = v / sqrt(1 + u^2 + v^2).
 *
 * In these the curvature differs by orders of magnitude between directions. A round therefore begins with a
 * matrix J = R R' that approximates minus the Hessian, and optimises over y with x = x_0 + R'^{-1} y, where
 * the curvature is about 1 in all directions. The limited-memory BFGS of NLopt (Nocedal 1980, Liu and Nocedal
 * 1989) then needs few iterations. J is the sum of outer products of the scores, plus the contribution of C C'
 * (below). When that stalls, J is the Hessian itself, by differences, which costs 2 P evaluations. Rounds are
 * repeated until 1/2 g' J^{-1} g, the second-order estimate of the remaining gain, is negligible. */

enum { EVALUATIONS_A_ROUND = 100, ROUNDS_BY_SCORES = 12 };

typedef struct climber {
    volt_bekk_likelihood *likelihood;
    volt_stage *stage;
    nlopt_opt optimiser;
    int64_t d, entries, count; /* count: parameters */
    double *point, *C, *a, *b; /* of the last evaluation, in one block */
    double *gradient;          /* P: with respect to C, a, b, then with respect to x */
    double *centre, *x;        /* P: start of the round, and the current point */
    double *scale;             /* P x P: R */
    double *y, *differences;   /* P, 2 P */
    double *scores, *workspace;
    double *eigen; /* 2 x d x d */
    double *memory;
    int64_t evaluations;
} climber;

static volt_status make_climber(volt_bekk_likelihood *likelihood, volt_stage *stage, climber *made)
{
    int64_t d = likelihood->d, P = volt_bekk_parameter_count(d);
    double *memory = volt_alloc_zero(d * d + 2 * d + 6 * P + P * P + likelihood->n * P +
                                         volt_bekk_scores_workspace(d) + 2 * d * d,
                                     sizeof *memory);
    if (!memory)
        return VOLT_ERR_MEMORY;
    climber fresh = {
        .likelihood = likelihood, .stage = stage, .d = d, .entries = likelihood->entries, .count = P};
    fresh.memory = fresh.point = fresh.C = memory;
    fresh.a = fresh.C + d * d;
    fresh.b = fresh.a + d;
    fresh.gradient = fresh.b + d;
    fresh.centre = fresh.gradient + P;
    fresh.x = fresh.centre + P;
    fresh.y = fresh.x + P;
    fresh.differences = fresh.y + P;
    fresh.scale = fresh.differences + 2 * P;
    fresh.scores = fresh.scale + P * P;
    fresh.workspace = fresh.scores + likelihood->n * P;
    fresh.eigen = fresh.workspace + volt_bekk_scores_workspace(d);
    *made = fresh;
    return VOLT_OK;
}

/* ---- coordinates ------------------------------------------------------------------------------ */

static void to_coordinates(const climber *climb, const double *C, const double *a, const double *b, double *x)
{
    int64_t d = climb->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++)
            *x++ = C[i * d + j];
    for (int64_t i = 0; i < d; i++) {
        double stretch = 1 / sqrt(1 - a[i] * a[i] - b[i] * b[i]);
        x[i] = a[i] * stretch;
        x[d + i] = b[i] * stretch;
    }
}

static void from_coordinates(const climber *climb, const double *x, double *C, double *a, double *b)
{
    int64_t d = climb->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++)
            C[i * d + j] = *x++;
    for (int64_t i = 0; i < d; i++) {
        double length = sqrt(1 + x[i] * x[i] + x[d + i] * x[d + i]);
        a[i] = x[i] / length;
        b[i] = x[d + i] / length;
    }
}

/* Transforms derivatives with respect to C, a, b to derivatives with respect to x, in place. */
static void turn_derivatives(const climber *climb, const double *x, double *derivatives)
{
    int64_t d = climb->d;
    const double *u = x + climb->entries, *v = u + d;
    double *by_a = derivatives + climb->entries, *by_b = by_a + d;
    for (int64_t i = 0; i < d; i++) {
        double square = 1 + u[i] * u[i] + v[i] * v[i], cube = square * sqrt(square);
        double ga = by_a[i], gb = by_b[i];
        by_a[i] = (ga * (1 + v[i] * v[i]) - gb * u[i] * v[i]) / cube;
        by_b[i] = (gb * (1 + u[i] * u[i]) - ga * u[i] * v[i]) / cube;
    }
}

/* Log-likelihood at x, and climb->gradient with respect to x; false when a covariance is not positive
 * definite. */
static int evaluate(climber *climb, const double *x, double *loglik)
{
    from_coordinates(climb, x, climb->C, climb->a, climb->b);
    climb->evaluations++;
    if (volt_bekk_likelihood_evaluate(climb->likelihood, climb->C, climb->a, climb->b, loglik,
                                      climb->gradient) >= 0)
        return 0;
    turn_derivatives(climb, x, climb->gradient);
    return 1;
}

/* The index of entry (i, j) of C, j >= i, among the parameters. */
static int64_t index_in_C(int64_t d, int64_t i, int64_t j)
{
    return i * d - i * (i - 1) / 2 + j - i;
}

/* ---- one round -------------------------------------------------------------------------------- */

/* The log-likelihood depends on C through C C', which adds curvature: minus its Hessian has -2 sum G_t
 * between the entries of a column of C. Where C C' tends to a singular matrix the scores vanish, and this is
 * the only curvature. Adds its positive part to J. */
static void add_product_curvature(climber *climb)
{
    int64_t d = climb->d, P = climb->count;
    double *values = climb->eigen, *vectors = values + d * d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            values[i * d + j] = -2 * climb->likelihood->sums[volt_packed(i, j)];
    if (!volt_symmetric_eigen(d, values, vectors))
        return;
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k <= i; k++) {
            double part = 0;
            for (int64_t l = 0; l < d; l++)
                part += fmax(values[l * d + l], 0) * vectors[l * d + i] * vectors[l * d + k];
            for (int64_t j = i; j < d; j++)
                climb->scale[index_in_C(d, i, j) * P + index_in_C(d, k, j)] += part;
        }
}

/* J of the scores at x, lower triangle. Directions in which all scores vanish get a small curvature, so that
 * J is invertible. */
static void outer_product(climber *climb, const double *x)
{
    int64_t P = climb->count, n = climb->likelihood->n;
    for (int64_t t = 0; t < n; t++)
        turn_derivatives(climb, x, climb->scores + t * P);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)P, (int)n, 1, climb->scores, (int)P, 0,
                climb->scale, (int)P);
    add_product_curvature(climb);
    for (int64_t k = 0; k < P; k++)
        climb->scale[k * P + k] = climb->scale[k * P + k] * (1 + 1e-8) + 1e-8;
}

/* Minus the Hessian with respect to x, without terms that vanish with the gradient. */
static int minus_hessian(climber *climb, const double *x)
{
    int64_t P = climb->count;
    if (!bekk_minus_hessian(climb->likelihood, climb->point, climb->scores, climb->stage, 0, climb->differences,
                            climb->scale))
        return 0;
    climb->evaluations += 2 * P;
    for (int side = 0; side < 2; side++) { /* transform the rows, transpose, transform the rows */
        for (int64_t k = 0; k < P; k++)
            turn_derivatives(climb, x, climb->scale + k * P);
        for (int64_t k = 0; k < P; k++)
            for (int64_t l = 0; l < k; l++) {
                double kept = climb->scale[k * P + l];
                climb->scale[k * P + l] = climb->scale[l * P + k];
                climb->scale[l * P + k] = kept;
            }
    }
    return 1;
}

static int factorise_scale(climber *climb)
{
    volt_blas_int order = (volt_blas_int)climb->count, info = 0;
    dpotrf_("U", &order, climb->scale, &order, &info, 1);
    return info == 0;
}

/* R at x, just evaluated; returns 1/2 g' J^{-1} g. */
static double measure_scale(climber *climb, const double *x, int by_scores)
{
    int64_t P = climb->count;
    volt_bekk_scores(climb->likelihood, climb->C, climb->a, climb->b, climb->workspace, climb->scores);
    if (by_scores || !minus_hessian(climb, x) || !factorise_scale(climb)) {
        outer_product(climb, x);
        if (!factorise_scale(climb)) { /* rounding: use a scale without directions */
            memset(climb->scale, 0, (size_t)(P * P) * sizeof *climb->scale);
            for (int64_t k = 0; k < P; k++)
                climb->scale[k * P + k] =
                    fmax(cblas_dnrm2((int)climb->likelihood->n, climb->scores + k, (int)P), 1e-4);
        }
    }
    memcpy(climb->y, climb->gradient, (size_t)P * sizeof *climb->y);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)P, climb->scale, (int)P, climb->y,
                1);
    return 0.5 * cblas_ddot((int)P, climb->y, 1, climb->y, 1);
}

/* x = centre + R'^{-1} y. */
static void move(const climber *climb, const double *y, double *x)
{
    int p = (int)climb->count;
    memcpy(x, y, (size_t)climb->count * sizeof *x);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, p, climb->scale, p, x, 1);
    for (int64_t k = 0; k < climb->count; k++)
        x[k] += climb->centre[k];
}

/* Objective for NLopt, which always requests the gradient: minus the log-likelihood at y. */
static double objective(unsigned count, const double *y, double *gradient, void *context)
{
    climber *climb = context;
    double loglik = 0;
    if (!volt_stage_advance(climb->stage, 0))
        nlopt_force_stop(climb->optimiser);
    move(climb, y, climb->x);
    if (!evaluate(climb, climb->x, &loglik)) {
        memset(gradient, 0, count * sizeof *gradient);
        return HUGE_VAL;
    }
    int p = (int)climb->count;
    for (int64_t k = 0; k < climb->count; k++)
        gradient[k] = -climb->gradient[k];
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, p, climb->scale, p, gradient, 1);
    return -loglik;
}

/* Runs the optimiser from the centre, and moves the centre to the best point found. */
static volt_status run_round(climber *climb, double *loglik)
{
    nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)climb->count);
    if (!optimiser)
        return volt_fail(VOLT_ERR_MEMORY, "could not allocate the optimiser of %" PRId64 " parameters",
                         climb->count);
    climb->optimiser = optimiser;
    double lowest = 0;
    memset(climb->y, 0, (size_t)climb->count * sizeof *climb->y);
    nlopt_set_min_objective(optimiser, objective, climb);
    nlopt_set_maxeval(optimiser, EVALUATIONS_A_ROUND);
    nlopt_set_ftol_abs(optimiser, 1e-10);
    nlopt_result result = nlopt_optimize(optimiser, climb->y, &lowest);
    nlopt_destroy(optimiser);
    climb->optimiser = NULL;
    VOLT_REQUIRE(result != NLOPT_OUT_OF_MEMORY, VOLT_ERR_MEMORY,
                 "not enough memory to optimise %" PRId64 " parameters", climb->count);

    double reached = 0; /* a better point is used whatever the status */
    move(climb, climb->y, climb->x);
    if (evaluate(climb, climb->x, &reached) && reached > *loglik) {
        memcpy(climb->centre, climb->x, (size_t)climb->count * sizeof *climb->x);
        *loglik = reached;
    }
    return VOLT_OK;
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static volt_status climb_rounds(climber *climb, int64_t rounds, double enough, volt_bekk_ascent *ascent)
{
    double loglik = 0, gain_left = INFINITY;
    VOLT_REQUIRE(evaluate(climb, climb->centre, &loglik), VOLT_ERR_SINGULAR,
                 "the likelihood cannot be computed at the starting point");
    int by_scores = 1;
    for (int64_t round = 0; round < rounds; round++) {
        by_scores = by_scores && round < ROUNDS_BY_SCORES;
        gain_left = measure_scale(climb, climb->centre, by_scores);
        if (gain_left < enough)
            break;
        double before = loglik, value = 0;
        VOLT_TRY(run_round(climb, &loglik));
        if (!volt_stage_advance(climb->stage, 1))
            return volt_stage_end(climb->stage);
        if (!(loglik > before) && !by_scores)
            break;
        by_scores = by_scores && loglik > before; /* stalled: use the Hessian */
        evaluate(climb, climb->centre,
                 &value); /* slopes for the scores at the centre, where the evaluation succeeded before */
    }
    ascent->loglik = loglik;
    ascent->gain_left = gain_left;
    ascent->evaluations = climb->evaluations;
    return VOLT_OK;
}

volt_status volt_bekk_climb(volt_bekk_likelihood *likelihood, int64_t rounds, double enough, volt_stage *stage,
                            double *point, volt_bekk_ascent *ascent)
{
    climber climb;
    VOLT_TRY(make_climber(likelihood, stage, &climb));
    int64_t d = likelihood->d;
    double *C = point, *a = C + d * d, *b = a + d;
    to_coordinates(&climb, C, a, b, climb.centre);
    volt_status status = climb_rounds(&climb, rounds, enough, ascent);
    if (status == VOLT_OK)
        from_coordinates(&climb, climb.centre, C, a, b);
    volt_free(climb.memory);
    return status;
}

/* ---- standard errors ---------------------------------------------------------------------------- */

/* Exact derivatives of single terms of the log-likelihood.
 *
 * In the diagonal model H_t(i, j) depends only on a_i, a_j, b_i, b_j and (C C')(i, j), so derivatives can be
 * propagated forward in O(d^2) a step. With S_t the derivative of term t with respect to H_t,
 *
 *     c_t(i, j)  = 1 + b_i b_j c_{t-1}(i, j)                          of H_t(i, j) by (C C')(i, j)
 *     Da_t(i, j) = a_j r_i r_j + b_i b_j Da_{t-1}(i, j)               by a_i (half of it for i = j)
 *     Db_t(i, j) = b_j H_{t-1}(i, j) + b_i b_j Db_{t-1}(i, j)         by b_i (half of it for i = j)
 *
 *     dC = triu(2 (S_t o c_t) C),   da_i = 2 sum_j S_t(i, j) Da_t(i, j),   db_i = 2 sum_j S_t(i, j) Db_t(i, j)
 *
 * Their sum over t equals the gradient of the adjoint method. */

int64_t volt_bekk_scores_workspace(int64_t d)
{
    return 4 * d * d;
}

/* One step of the three recursions, full d x d matrices, from the state at t - 1. */
static void advance(const volt_bekk_likelihood *likelihood, const double *a, const double *b, int64_t t,
                    double *c, double *Da, double *Db)
{
    int64_t d = likelihood->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t at = i * d + j;
            double beta = b[i] * b[j];
            double product = likelihood->returns[volt_bekk_lane_of(d, t - 1, i)] *
                             likelihood->returns[volt_bekk_lane_of(d, t - 1, j)];
            double H =
                likelihood->covariances[volt_bekk_lane_of(likelihood->entries, t - 1, volt_packed(i, j))];
            c[at] = 1 + beta * c[at];
            Da[at] = a[j] * product + beta * Da[at];
            Db[at] = b[j] * H + beta * Db[at];
        }
}

static void score_of_step(const volt_bekk_likelihood *likelihood, const double *C, int64_t t, const double *c,
                          const double *Da, const double *Db, double *S, double *score)
{
    int64_t d = likelihood->d;
    double *by_a = score + likelihood->entries, *by_b = by_a + d;
    for (int64_t i = 0; i < d; i++) {
        double sum_a = 0, sum_b = 0;
        for (int64_t j = 0; j < d; j++) {
            int64_t at = i * d + j;
            double slope = likelihood->slopes[volt_bekk_lane_of(likelihood->entries, t, volt_packed(i, j))];
            sum_a += slope * Da[at];
            sum_b += slope * Db[at];
            S[at] = slope * c[at];
        }
        by_a[i] = 2 * sum_a;
        by_b[i] = 2 * sum_b;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= j; k++)
                sum += S[i * d + k] * C[k * d + j];
            *score++ = 2 * sum;
        }
}

void volt_bekk_scores(const volt_bekk_likelihood *likelihood, const double *C, const double *a, const double *b,
                      double *workspace, double *scores)
{
    int64_t d = likelihood->d, n_parameters = volt_bekk_parameter_count(d);
    double *c = workspace, *Da = c + d * d, *Db = Da + d * d, *S = Db + d * d;
    memset(workspace, 0, (size_t)(3 * d * d) * sizeof *workspace);
    memset(scores, 0, (size_t)n_parameters * sizeof *scores);
    for (int64_t t = 1; t < likelihood->n; t++) {
        advance(likelihood, a, b, t, c, Da, Db);
        score_of_step(likelihood, C, t, c, Da, Db, S, scores + t * n_parameters);
    }
}

/* ---- the log-likelihood of given parameters on given returns ----------------------------------- */

static volt_status check_scores_call(const volt_bekk *bekk, volt_view returns, volt_matrix covariances,
                                     const double *loglik)
{
    VOLT_TRY(volt_bekk_check(bekk));
    VOLT_REQUIRE(loglik, VOLT_ERR_ARGUMENT, "the output for the log-likelihood is NULL");
    VOLT_TRY(returns_check(returns));
    VOLT_REQUIRE(returns.cols == bekk->d, VOLT_ERR_SHAPE,
                 "the returns have %" PRId64 " columns, but the BEKK parameters have %" PRId64 " assets",
                 returns.cols, bekk->d);
    VOLT_REQUIRE(returns.rows > bekk->d, VOLT_ERR_DATA,
                 "there are %" PRId64 " returns of %" PRId64
                 " assets, but their covariance requires at least %" PRId64,
                 returns.rows, bekk->d, bekk->d + 1);
    return covariances.data
               ? volt_check_output(covariances, returns.rows, volt_packed_count(bekk->d), "the covariances")
               : VOLT_OK;
}

static void copy_covariances(const volt_bekk_likelihood *likelihood, double *packed, volt_matrix out)
{
    for (int64_t t = 0; t < likelihood->n; t++) {
        for (int64_t e = 0; e < likelihood->entries; e++)
            packed[e] = likelihood->covariances[volt_bekk_lane_of(likelihood->entries, t, e)];
        volt_packed_to_vech(likelihood->d, packed, out.data + t * out.ld);
    }
}

volt_status volt_bekk_loglik(const volt_bekk *bekk, volt_view returns, double *terms, volt_matrix covariances,
                             double *loglik)
{
    VOLT_TRY(check_scores_call(bekk, returns, covariances, loglik));
    volt_bekk_likelihood likelihood;
    VOLT_TRY(volt_bekk_likelihood_create(returns, NULL, &likelihood));
    double value = 0;
    int64_t broken = volt_bekk_likelihood_evaluate(&likelihood, bekk->C, bekk->a, bekk->b, &value, NULL);
    bool finite = broken < 0 && isfinite(value); /* every term is finite; their sum may not be */
    if (finite) {
        if (terms)
            memcpy(terms, likelihood.terms, (size_t)likelihood.n * sizeof *terms);
        if (covariances.data)
            copy_covariances(&likelihood, likelihood.sums, covariances);
        *loglik = value;
    }
    volt_bekk_likelihood_free(&likelihood);
    VOLT_REQUIRE(broken < 0, VOLT_ERR_SINGULAR, "the covariance of row %" PRId64 " is not positive definite",
                 broken + 1);
    VOLT_REQUIRE(finite, VOLT_ERR_NOT_FINITE, "the log-likelihood overflows");
    return VOLT_OK;
}

/* ---- fit ---------------------------------------------------------------------------------------- */

static const double enough = 1e-8;      /* gain_left at which an ascent ends */
static const double negligible = 1e-5;  /* gain_left, by the Hessian, of a converged estimate */
static const double same_summit = 0.01; /* log-likelihoods this close count as the same maximum */

/* Shares of the whole call. */
static const double share_alone = 0.1, share_climb = 0.7, share_errors = 0.2;

enum { MAX_STARTS = 1000000 };

volt_bekk_fit_options volt_bekk_fit_options_default(void)
{
    volt_bekk_fit_options options = {.struct_size = sizeof(volt_bekk_fit_options),
                                     .starts = 2,
                                     .seed = 0,
                                     .rounds = 40,
                                     .standard_errors = 1};
    return options;
}

/* A point, in one block: C (d x d), a, b. */
typedef struct bekk_point {
    double *C, *a, *b;
} bekk_point;

static bekk_point point_in(double *memory, int64_t d)
{
    bekk_point point = {memory, memory + d * d, memory + d * d + d};
    return point;
}

static void copy_point(int64_t d, bekk_point from, bekk_point to)
{
    memcpy(to.C, from.C, (size_t)(d * (d + 2)) * sizeof(double));
}

/* ---- data ------------------------------------------------------------------------------------- */

static volt_status check_fit_call(volt_view returns, const volt_bekk_fit_options *options, volt_bekk **bekk)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the output for the BEKK parameters is NULL");
    VOLT_TRY(returns_check(returns));
    int64_t d = returns.cols, P = volt_bekk_parameter_count(d);
    VOLT_REQUIRE(d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets must be 1 to %d (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    VOLT_REQUIRE(options->starts >= 1 && options->starts <= MAX_STARTS, VOLT_ERR_ARGUMENT,
                 "starts must be 1 to %d (got %" PRId64 ")", MAX_STARTS, options->starts);
    VOLT_REQUIRE(options->rounds >= 1, VOLT_ERR_ARGUMENT, "rounds must be at least 1 (got %" PRId64 ")",
                 options->rounds);
    int64_t least = 2 * P > 50 ? 2 * P : 50;
    VOLT_REQUIRE(returns.rows >= least, VOLT_ERR_DATA,
                 "there are %" PRId64 " returns, but %" PRId64 " assets (%" PRId64
                 " parameters) require at least %" PRId64,
                 returns.rows, d, P, least);
    return VOLT_OK;
}

/* (r - mean) / sd of every column into `scaled`, contiguous. */
static volt_status scale_returns(volt_view returns, double *scaled, double *sd)
{
    int64_t n = returns.rows, d = returns.cols;
    for (int64_t i = 0; i < d; i++) {
        double mean = 0, sum = 0, largest = 0;
        for (int64_t t = 0; t < n; t++) {
            mean += returns.data[t * returns.ld + i] / (double)n;
            largest = fmax(largest, fabs(returns.data[t * returns.ld + i]));
        }
        for (int64_t t = 0; t < n; t++) {
            double gap = returns.data[t * returns.ld + i] - mean;
            sum += gap * gap;
        }
        sd[i] = sqrt(sum / (double)(n - 1));
        VOLT_REQUIRE(isfinite(sd[i]), VOLT_ERR_DATA, "the returns of column %" PRId64 " are too large", i + 1);
        VOLT_REQUIRE(sd[i] > 1e-12 * largest, VOLT_ERR_DATA, "the returns of column %" PRId64 " are constant",
                     i + 1);
        for (int64_t t = 0; t < n; t++)
            scaled[t * d + i] = (returns.data[t * returns.ld + i] - mean) / sd[i];
    }
    return VOLT_OK;
}

/* Checks that no column is a linear combination of the others up to rounding: the likelihood would be
 * undefined. */
static volt_status check_independent(const volt_bekk_likelihood *likelihood, double *C)
{
    int64_t d = likelihood->d;
    int fine = volt_bekk_upper_factor(d, likelihood->first, C);
    for (int64_t i = 0; fine && i < d; i++)
        fine = C[i * d + i] > 1e-6; /* the share of sd that the other columns do not explain */
    VOLT_REQUIRE(fine, VOLT_ERR_DATA,
                 "the covariance of the returns is singular: some columns depend on the others");
    return VOLT_OK;
}

/* ---- climbing --------------------------------------------------------------------------------- */

typedef struct bekk_search {
    const volt_bekk_fit_options *options;
    volt_view scaled;
    volt_bekk_likelihood likelihood;
    bekk_point alone, point, best;
    volt_bekk_fit_info info; /* loglik on the scale of unit variance until the end */
} bekk_search;

/* The starting point of ascent number `start`. */
static volt_status begin_start(bekk_search *search, int64_t start)
{
    int64_t d = search->likelihood.d;
    bekk_point point = search->point;
    if (start == 1)
        return volt_bekk_start_common(&search->likelihood, point.a, point.b, point.C);
    copy_point(d, search->alone, point);
    if (start >= 2) {
        volt_rng rng;
        volt_rng_init(&rng, search->options->seed, (uint64_t)start);
        bekk_perturb(d, &rng, point.a, point.b);
    }
    VOLT_REQUIRE(volt_bekk_target_variance(&search->likelihood, point.a, point.b, point.C), VOLT_ERR_DATA,
                 "the covariance of the returns is singular: some columns depend on the others");
    return VOLT_OK;
}

/* Runs one ascent; keeps the result when it is the best so far. */
static volt_status climb_once(bekk_search *search, int64_t start, double *reached)
{
    const volt_bekk_fit_options *options = search->options;
    bekk_point point = search->point;
    double share = share_climb / (double)options->starts, from = share_alone + share * (double)start;
    double begin = -INFINITY;
    volt_bekk_ascent ascent = {0};
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "maximise", from, share, (double)options->rounds);
    VOLT_TRY(begin_start(search, start));
    volt_bekk_likelihood_evaluate(&search->likelihood, point.C, point.a, point.b, &begin, NULL);
    VOLT_TRY(volt_bekk_climb(&search->likelihood, options->rounds, enough, &stage, point.C, &ascent));
    VOLT_TRY(volt_stage_end(&stage));

    volt_bekk_fit_info *info = &search->info;
    info->evaluations += ascent.evaluations + 1;
    info->starts++;
    if (start < 2)
        info->start_loglik = fmax(info->start_loglik, begin);
    *reached = ascent.loglik;
    if (ascent.loglik > info->loglik) {
        info->loglik = ascent.loglik;
        info->gain_left = ascent.gain_left;
        copy_point(search->likelihood.d, point, search->best);
    }
    return VOLT_OK;
}

static volt_status climb_all(bekk_search *search, double *ends)
{
    const volt_bekk_fit_options *options = search->options;
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "start", 0, share_alone, (double)search->scaled.cols);
    VOLT_TRY(
        bekk_start_alone(search->scaled, &stage, search->alone.a, search->alone.b, &search->info.evaluations));
    for (int64_t start = 0; start < options->starts; start++)
        VOLT_TRY(climb_once(search, start, ends + start));
    for (int64_t start = 0; start < options->starts; start++)
        search->info.reached += search->info.loglik - ends[start] < same_summit;
    return VOLT_OK;
}

/* ---- the estimate ----------------------------------------------------------------------------- */

/* Checks the best result by the Hessian; computes standard errors (P) if requested and defined. */
static volt_status judge(bekk_search *search, double *errors, int *has_errors)
{
    volt_bekk_fit_info *info = &search->info;
    volt_bekk_curvature curvature;
    volt_stage stage;
    volt_stage_begin(&stage, search->options->progress, "standard errors", share_alone + share_climb,
                     share_errors, (double)volt_bekk_parameter_count(search->likelihood.d));
    VOLT_TRY(volt_bekk_curve(&search->likelihood, search->best.C, &stage, errors, &curvature));
    info->gain_left = curvature.gain_left;
    info->converged = curvature.is_maximum && curvature.gain_left < negligible;
    *has_errors = errors && curvature.is_maximum;
    if (!curvature.is_maximum)
        volt_log(VOLT_LOG_WARNING, "the estimate of the BEKK model is not a maximum: the Hessian of the "
                                   "log-likelihood is not negative definite; there are no standard errors");
    else if (!info->converged)
        volt_log(VOLT_LOG_WARNING,
                 "the estimator of the BEKK model did not converge: the log-likelihood could still gain %.3g",
                 info->gain_left);
    return VOLT_OK;
}

/* Transforms back to the units of the returns. */
static volt_status hand_over(const bekk_search *search, const double *sd, const double *errors, int has_errors,
                             volt_bekk *bekk)
{
    int64_t d = bekk->d;
    if (has_errors)
        VOLT_TRY(volt_bekk_allocate_errors(bekk));
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = i; j < d; j++) {
            bekk->C[i * d + j] = sd[i] * search->best.C[i * d + j];
            if (has_errors)
                bekk->C_error[i * d + j] = sd[i] * *errors++;
        }
        bekk->a[i] = search->best.a[i];
        bekk->b[i] = search->best.b[i];
    }
    for (int64_t i = 0; has_errors && i < d; i++) {
        bekk->a_error[i] = errors[i];
        bekk->b_error[i] = errors[d + i];
    }
    volt_bekk_fix_signs(bekk);
    bekk->observations = search->likelihood.n;
    bekk->loglik = search->info.loglik;
    bekk->converged = search->info.converged;
    return VOLT_OK;
}

static volt_status search_and_judge(bekk_search *search, const double *sd, double *errors, double *ends,
                                    volt_bekk *bekk)
{
    VOLT_TRY(check_independent(&search->likelihood, search->point.C));
    VOLT_TRY(climb_all(search, ends));
    int has_errors = 0;
    VOLT_TRY(judge(search, search->options->standard_errors ? errors : NULL, &has_errors));
    double scale = 0;
    for (int64_t i = 0; i < bekk->d; i++)
        scale += log(sd[i]);
    search->info.loglik -= (double)search->likelihood.n * scale;
    search->info.start_loglik -= (double)search->likelihood.n * scale;
    return hand_over(search, sd, errors, has_errors, bekk);
}

volt_status volt_bekk_fit(volt_view returns, const volt_bekk_fit_options *options, volt_bekk **bekk,
                          volt_bekk_fit_info *info)
{
    volt_bekk_fit_options opts = volt_bekk_fit_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_bekk_fit_options"));
    options = &opts;
    VOLT_TRY(check_fit_call(returns, options, bekk));
    int64_t n = returns.rows, d = returns.cols, P = volt_bekk_parameter_count(d), size = d * (d + 2);

    volt_bekk *made = NULL;
    bekk_search search = {.options = options, .info = {.loglik = -INFINITY, .start_loglik = -INFINITY}};
    double *scaled = volt_alloc_doubles(n, d);
    double *points = volt_alloc_zero(3 * size + d + P + options->starts, sizeof *points);
    volt_status status = scaled && points ? volt_bekk_create(d, &made) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        double *sd = points + 3 * size, *errors = sd + d, *ends = errors + P;
        search.alone = point_in(points, d);
        search.point = point_in(points + size, d);
        search.best = point_in(points + 2 * size, d);
        search.scaled = volt_view_of(scaled, n, d);
        status = scale_returns(returns, scaled, sd);
        if (status == VOLT_OK)
            status = volt_bekk_likelihood_create(search.scaled, NULL, &search.likelihood);
        volt_blas_use use;
        if (status == VOLT_OK)
            status = volt_blas_claim(&use);
        if (status == VOLT_OK) {
            status = search_and_judge(&search, sd, errors, ends, made);
            volt_blas_release(&use);
        }
    }
    volt_bekk_likelihood_free(&search.likelihood);
    volt_free(points);
    volt_free(scaled);
    if (status == VOLT_OK && info)
        status = volt_result_copy(info, &search.info, sizeof search.info, "volt_bekk_fit_info");
    if (status == VOLT_OK)
        *bekk = made;
    else
        volt_bekk_free(made);
    return status;
}
