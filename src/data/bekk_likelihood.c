/* src/data/bekk_likelihood.c: log-likelihood of the BEKK model and its exact gradient.
 *
 *     forward    H_t = C C' + (a o r_{t-1})(a o r_{t-1})' + (b b') o H_{t-1},   H_1 fixed
 *     slope      S_t = -1/2 (H_t^{-1} - u u'),   u = H_t^{-1} r_t
 *     backward   G_t = S_t + (b b') o G_{t+1},   t = T .. 2
 *     gradient   dC = triu(2 (sum G_t) C),   da = 2 (sum G_t o r_{t-1} r_{t-1}') a,   db = 2 (sum G_t o H_{t-1}) b
 *
 * Forward and backward are recursions in time for every entry of H alone; the slopes are a factorisation for every
 * time alone. So the first and the last are shared among threads by entries, the slopes by blocks of VOLT_BEKK_LANES time
 * steps that are factorised side by side, one a lane: matrices of this size are too small for LAPACK. Every number
 * is computed by one thread in a fixed order. */
#include "data/bekk_likelihood.h"

#include "base/clones.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { LANES = VOLT_BEKK_LANES };
static const double log_two_pi = 1.8378770664093454836;
static const int64_t least_parallel = 20000; /* multiplications that are worth waking the threads */

/* ---- setting up ------------------------------------------------------------------------------- */

void volt_bekk_sample_covariance(volt_view returns, double *packed)
{
    int64_t n = returns.rows, d = returns.cols;
    double mean[VOLT_BEKK_MOST_ASSETS];
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
    int64_t numbers = blocks * LANES * (2 * d + 2 * entries + 1) + 5 * entries;
    double *memory = volt_alloc_zero(numbers, sizeof *memory);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_bekk_likelihood made = {.n = n, .d = d, .entries = entries, .blocks = blocks, .memory = memory};
    made.returns = memory; /* arrays of lanes first: they stay aligned */
    made.solved = made.returns + blocks * LANES * d;
    made.covariances = made.solved + blocks * LANES * d;
    made.slopes = made.covariances + blocks * LANES * entries;
    made.terms = made.slopes + blocks * LANES * entries;
    made.first = made.terms + blocks * LANES;
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

/* ---- forward, by entries ---------------------------------------------------------------------- */

/* All H_t(i, j): `intercept` is that of C C', alpha = a_i a_j, beta = b_i b_j. */
static void run_forward(const volt_bekk_likelihood *likelihood, int64_t i, int64_t j, double alpha, double beta)
{
    int64_t d = likelihood->d, entries = likelihood->entries, entry = volt_packed(i, j);
    double intercept = likelihood->intercept[entry], H = likelihood->first[entry];
    for (int64_t block = 0; block < likelihood->blocks; block++) {
        const double *ri = likelihood->returns + (block * d + i) * LANES;
        const double *rj = likelihood->returns + (block * d + j) * LANES;
        double *out = likelihood->covariances + (block * entries + entry) * LANES;
        double shock[LANES];
        for (int lane = 0; lane < LANES; lane++)
            shock[lane] = intercept + alpha * (ri[lane] * rj[lane]);
        for (int lane = 0; lane < LANES; lane++) {
            out[lane] = H;
            H = shock[lane] + beta * H;
        }
    }
}

/* ---- slopes, by blocks of time steps ---------------------------------------------------------- */

/* sum -= x o y, and the like, for all lanes. */
#define EACH_LANE for (int lane = 0; lane < LANES; lane++)

/* L, the factor of M (packed, lanes), in place, with 1 / L_ii on its diagonal; log_det is log det M. A pivot that is
 * not above 0 leaves a NaN there. */
static inline __attribute__((always_inline)) void factorise(int64_t d, double *M, double *log_det)
{
    EACH_LANE log_det[lane] = 0;
    for (int64_t i = 0; i < d; i++) {
        double *row = M + volt_packed(i, 0) * LANES;
        for (int64_t j = 0; j <= i; j++) {
            const double *above = M + volt_packed(j, 0) * LANES;
            double sum[LANES];
            EACH_LANE sum[lane] = row[j * LANES + lane];
            for (int64_t k = 0; k < j; k++)
                EACH_LANE sum[lane] -= row[k * LANES + lane] * above[k * LANES + lane];
            if (j < i)
                EACH_LANE row[j * LANES + lane] = sum[lane] * above[j * LANES + lane];
            else
                EACH_LANE
                {
                    row[j * LANES + lane] = 1 / sqrt(sum[lane]);
                    log_det[lane] += sum[lane] > 0 ? log(sum[lane]) : NAN;
                }
        }
    }
}

/* X = L^{-1} in place, L as factorise leaves it. Column by column, downwards: what is still needed of L stands to
 * the right. */
static inline __attribute__((always_inline)) void invert_factor(int64_t d, double *L)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j + 1; i < d; i++) {
            double *row = L + volt_packed(i, 0) * LANES;
            double sum[LANES];
            EACH_LANE sum[lane] = 0;
            for (int64_t k = j; k < i; k++) {
                const double *x = L + volt_packed(k, j) * LANES;
                EACH_LANE sum[lane] -= row[k * LANES + lane] * x[lane];
            }
            EACH_LANE row[j * LANES + lane] = sum[lane] * row[i * LANES + lane];
        }
}

/* y = X r, and its squared norm. */
static inline __attribute__((always_inline)) void solve_forward(int64_t d, const double *X, const double *r,
                                                                double *y, double *norm)
{
    EACH_LANE norm[lane] = 0;
    for (int64_t i = 0; i < d; i++) {
        const double *row = X + volt_packed(i, 0) * LANES;
        double sum[LANES];
        EACH_LANE sum[lane] = 0;
        for (int64_t k = 0; k <= i; k++)
            EACH_LANE sum[lane] += row[k * LANES + lane] * r[k * LANES + lane];
        EACH_LANE y[i * LANES + lane] = sum[lane];
        EACH_LANE norm[lane] += sum[lane] * sum[lane];
    }
}

/* y <- X' y in place (row i of X' has nothing left of i), then X <- -1/2 (X' X - y y') in place, row by row. */
static inline __attribute__((always_inline)) void form_slope(int64_t d, double *X, double *y)
{
    for (int64_t i = 0; i < d; i++) {
        double sum[LANES];
        EACH_LANE sum[lane] = 0;
        for (int64_t k = i; k < d; k++) {
            const double *x = X + volt_packed(k, i) * LANES;
            EACH_LANE sum[lane] += x[lane] * y[k * LANES + lane];
        }
        EACH_LANE y[i * LANES + lane] = sum[lane];
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum[LANES];
            EACH_LANE sum[lane] = -y[i * LANES + lane] * y[j * LANES + lane];
            for (int64_t k = i; k < d; k++) {
                const double *row = X + volt_packed(k, 0) * LANES;
                EACH_LANE sum[lane] += row[i * LANES + lane] * row[j * LANES + lane];
            }
            EACH_LANE X[volt_packed(i, j) * LANES + lane] = -0.5 * sum[lane];
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
    EACH_LANE likelihood->terms[block * LANES + lane] =
        -0.5 * ((double)d * log_two_pi + log_det[lane] + norm[lane]);
    if (with_slopes)
        form_slope(d, S, y);
}

/* ---- backward, by entries --------------------------------------------------------------------- */

/* The three sums of entry (i, j) over t = T .. 2. */
static void run_backward(const volt_bekk_likelihood *likelihood, int64_t i, int64_t j, double beta)
{
    int64_t d = likelihood->d, entries = likelihood->entries, entry = volt_packed(i, j);
    double G = 0, sum = 0, with_returns = 0, with_covariance = 0;
    for (int64_t t = likelihood->n - 1; t >= 1; t--) {
        G = likelihood->slopes[volt_bekk_lane_of(entries, t, entry)] + beta * G;
        sum += G;
        with_returns += G * (likelihood->returns[volt_bekk_lane_of(d, t - 1, i)] *
                             likelihood->returns[volt_bekk_lane_of(d, t - 1, j)]);
        with_covariance += G * likelihood->covariances[volt_bekk_lane_of(entries, t - 1, entry)];
    }
    likelihood->sums[entry] = sum;
    likelihood->sums[entries + entry] = with_returns;
    likelihood->sums[2 * entries + entry] = with_covariance;
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

/* ---- all of it -------------------------------------------------------------------------------- */

/* Row and column of a packed entry. */
static int64_t row_of_entry(int64_t entry)
{
    int64_t i = (int64_t)((sqrt(8.0 * (double)entry + 1) - 1) / 2);
    while (volt_packed_count(i) > entry)
        i--;
    while (volt_packed_count(i + 1) <= entry)
        i++;
    return i;
}

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
    int64_t entries = likelihood->entries, blocks = likelihood->blocks;
    int threads = (int)volt_threads();
    int parallel = likelihood->n * entries >= least_parallel;
    volt_bekk_intercept(likelihood->d, C, likelihood->intercept);

#pragma omp parallel for if (parallel) num_threads(threads) schedule(static)
    for (int64_t entry = 0; entry < entries; entry++) {
        int64_t i = row_of_entry(entry), j = entry - volt_packed_count(i);
        run_forward(likelihood, i, j, a[i] * a[j], b[i] * b[j]);
    }
#pragma omp parallel for if (parallel) num_threads(threads) schedule(static)
    for (int64_t block = 0; block < blocks; block++)
        run_block(likelihood, block, gradient != NULL);
    int64_t broken = add_terms(likelihood, loglik);
    if (broken >= 0 || !gradient)
        return broken;

#pragma omp parallel for if (parallel) num_threads(threads) schedule(static)
    for (int64_t entry = 0; entry < entries; entry++) {
        int64_t i = row_of_entry(entry), j = entry - volt_packed_count(i);
        run_backward(likelihood, i, j, b[i] * b[j]);
    }
    assemble_gradient(likelihood, C, a, b, gradient);
    return -1;
}
