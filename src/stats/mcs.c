/* src/stats/mcs.c: the model confidence set of Hansen, Lunde and Nason (Econometrica 79, 2011).
 *
 * Losses L_ti of model i at time t, means L_i, differences d_ij = L_i - L_j. The bootstrap gives errors
 * e_ib = (mean of L_i in replication b) - L_i. While more than one model remains:
 *
 *     R:    T = max_ij d_ij / sqrt(V_ij),  T*_b = max_ij (e_ib - e_jb) / sqrt(V_ij),
 *           V_ij = mean_b (e_ib - e_jb)^2
 *     max:  T = max_i c_i / s_i,           T*_b = max_i c_ib / s_i,   s_i^2 = mean_b c_ib^2,
 *           c_i = mean_j d_ij,             c_ib = mean_j (e_ib - e_jb)
 *
 * over the remaining models i, j. p is the share of the T*_b above T. The model i of the maximum (the first of
 * several) is eliminated; its p-value is the largest p so far. The last model has the p-value 1.
 *
 * All statistics are computed from differences of two models, never by subtracting from a mean.
 *
 * Equal columns are one model: it takes part once, and its result is that of all of them. Columns count as equal if no row
 * differs by more than T eps times the largest of their losses, the bound of the rounding error of a sum of T losses:
 * statistics of smaller differences are quotients of two rounding errors. */
#include "base/error.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/views.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns i and j of T losses that no row tells apart: differences of at most T eps times the largest of them (mcs.c). */
static bool columns_are_equal(volt_view losses, int64_t i, int64_t j)
{
    double largest = 0, difference = 0;
    for (int64_t t = 0; t < losses.rows; t++) {
        double first = losses.data[t * losses.ld + i], second = losses.data[t * losses.ld + j];
        largest = fmax(largest, fmax(fabs(first), fabs(second)));
        difference = fmax(difference, fabs(first - second));
    }
    return difference <= (double)losses.rows * DBL_EPSILON * largest;
}

/* ---- block length ------------------------------------------------------------------------------- */

/* The block length of a stationary bootstrap.
 *
 * The mean block length that minimises the mean squared error of the bootstrap variance of a mean is
 * (Politis and White, Econometric Reviews 23, 2004, with the constant D of the correction by Patton, Politis
 * and White, Econometric Reviews 28, 2009)
 *
 *     b = (2 G^2 / D)^(1/3) T^(1/3),   G = sum_k w(k/m) |k| R(k),   D = 2 (sum_k w(k/m) R(k))^2,
 *
 * with sums over |k| <= m, R(k) the autocovariance at lag k, and the flat-top window w(s) = 1 for |s| <= 1/2,
 * else 2 (1 - |s|). The bandwidth is m = 2 l, where l is the smallest lag, at least 1, after which K = max(5,
 * sqrt(log10 T)) consecutive autocorrelations stay within 2 sqrt(log10(T) / T). The maximum of m is ceil(sqrt
 * T) + K, also used when no l is found. b is restricted to 1 <= b <= ceil(min(3 sqrt T, T/3)). */

static int64_t lags_in_a_row(int64_t count)
{
    return volt_max(5, (int64_t)ceil(sqrt(log10((double)count))));
}

/* At most count - 1 when count >= VOLT_BLOCK_ROWS. */
static int64_t largest_bandwidth(int64_t count)
{
    return (int64_t)ceil(sqrt((double)count)) + lags_in_a_row(count);
}

/* Subtracts the mean from the values, after scaling them by a power of two so that squares neither overflow
 * nor underflow; the block length is scale-free. */
static void centre(double *values, int64_t count)
{
    double largest = 0, mean = 0;
    int exponent = 0;
    for (int64_t t = 0; t < count; t++)
        largest = fmax(largest, fabs(values[t]));
    frexp(largest, &exponent);
    for (int64_t t = 0; t < count; t++) {
        values[t] = ldexp(values[t], -exponent);
        mean += values[t] / (double)count;
    }
    for (int64_t t = 0; t < count; t++)
        values[t] -= mean;
}

static double autocovariance(const double *centred, int64_t count, int64_t lag)
{
    double sum = 0;
    for (int64_t t = lag; t < count; t++)
        sum += centred[t] * centred[t - lag];
    return sum / (double)count;
}

/* The bandwidth m, and R(0) .. R(m) into R. Later lags are not computed. */
static int64_t choose_bandwidth(const double *centred, int64_t count, double *R)
{
    const int64_t most = largest_bandwidth(count), needed = lags_in_a_row(count);
    int64_t k = 0, run = 0; /* run: consecutive small autocorrelations, up to lag k */
    R[0] = autocovariance(centred, count, 0);
    const double bound = 2 * sqrt(log10((double)count) / (double)count) * R[0];
    while (run < needed && k < most) {
        k++;
        R[k] = autocovariance(centred, count, k);
        run = fabs(R[k]) < bound ? run + 1 : 0;
    }
    const int64_t m = run == needed ? volt_min(most, 2 * volt_max(1, k - needed)) : most;
    for (k++; k <= m; k++)
        R[k] = autocovariance(centred, count, k);
    return m;
}

/* The rule for one series, which is overwritten; R has space for largest_bandwidth(count) + 1 numbers. */
static double block_length(double *values, int64_t count, double *R)
{
    double low = values[0], high = values[0];
    for (int64_t t = 1; t < count; t++) {
        low = fmin(low, values[t]);
        high = fmax(high, values[t]);
    }
    if (low == high)
        return 1;
    centre(values, count);
    const int64_t m = choose_bandwidth(values, count, R);
    double weighted = 0, spectrum = R[0];
    for (int64_t k = 1; k <= m; k++) {
        double share = (double)k / (double)m, window = share <= 0.5 ? 1 : 2 * (1 - share);
        weighted += 2 * window * (double)k * R[k];
        spectrum += 2 * window * R[k];
    }
    /* b^3 = T (G / sum w R)^2. A spectrum of 0 gives an infinite block length, limited by the bound below. */
    const double T = (double)count, most = ceil(fmin(3 * sqrt(T), T / 3));
    double ratio = fabs(weighted) / fabs(spectrum);
    double best = ratio > 0 ? cbrt(T * ratio * ratio) : 1; /* 0/0 is not above 0 */
    return fmax(1, fmin(best, most));
}

volt_status volt_block_length_of_differences(volt_view values, volt_progress progress, double *block)
{
    const int64_t count = values.rows;
    VOLT_REQUIRE(count >= VOLT_BLOCK_ROWS, VOLT_ERR_SHAPE,
                 "estimating the block length requires at least %d rows, not %" PRId64, VOLT_BLOCK_ROWS, count);
    double *difference = volt_alloc(count, sizeof *difference);
    double *R = difference ? volt_alloc(largest_bandwidth(count) + 1, sizeof *R) : NULL;
    if (!R) {
        volt_free(difference);
        return VOLT_ERR_MEMORY;
    }
    double longest = 1;
    volt_stage stage; /* A small part of a bootstrap: progress stays at 0, only cancellation is checked. */
    volt_stage_begin(&stage, progress, "block length", 0, 0, 1);
    for (int64_t i = 0; i < values.cols; i++)
        for (int64_t j = 0; j < i && volt_stage_poll(&stage); j++) {
            if (columns_are_equal(values, i, j))
                continue;
            for (int64_t t = 0; t < count; t++)
                difference[t] = values.data[t * values.ld + i] - values.data[t * values.ld + j];
            longest = fmax(longest, block_length(difference, count, R));
        }
    volt_free(R);
    volt_free(difference);
    VOLT_TRY(volt_stage_end(&stage));
    *block = longest;
    return VOLT_OK;
}

/* ---- bootstrap ---------------------------------------------------------------------------------- */

/* The stationary bootstrap of column means.
 *
 * Replication b draws from Philox stream b and sums its rows in the order of the draws, so the result does not
 * depend on the number of threads, and equal columns have bit-identical means. The cost is T x M additions per
 * replication; memory beyond the means is one row of indices per thread. */

enum { CHUNK = 32 }; /* replications between two reports of progress */

void volt_stationary_indices(volt_rng *rng, double block, int64_t count, int64_t *indices)
{
    const double jump = 1 / block;
    for (int64_t t = 0; t < count; t++) {
        if (t == 0 || volt_rng_uniform(rng) < jump)
            indices[t] = (int64_t)(volt_rng_uniform(rng) * (double)count);
        else
            indices[t] = indices[t - 1] + 1 < count ? indices[t - 1] + 1 : 0;
    }
}

/* Sums the columns of `values` over the rows in `indices`. */
static void sum_rows(volt_view values, const int64_t *restrict indices, double *restrict sums)
{
    for (int64_t i = 0; i < values.cols; i++)
        sums[i] = 0;
    for (int64_t t = 0; t < values.rows; t++) {
        const double *row = values.data + indices[t] * values.ld;
        for (int64_t i = 0; i < values.cols; i++)
            sums[i] += row[i];
    }
}

static void run_replication(volt_view values, const volt_resampling *resampling, int64_t b, int64_t *scratch,
                            double *sums, double *means)
{
    const int64_t *indices = scratch;
    if (resampling->indices) {
        indices = resampling->indices + b * values.rows;
    } else {
        volt_rng rng;
        volt_rng_init(&rng, resampling->seed, (uint64_t)b);
        volt_stationary_indices(&rng, resampling->block, values.rows, scratch);
    }
    sum_rows(values, indices, sums);
    for (int64_t i = 0; i < values.cols; i++)
        means[i * resampling->reps + b] = sums[i] / (double)values.rows;
}

/* means[i * reps + b]: the mean of column i over the rows of replication b. `values` is T x M. */
static volt_status bootstrap_means(volt_view values, const volt_resampling *resampling, volt_stage *stage,
                                   double *means)
{
    const int64_t reps = resampling->reps, chunks = (reps + CHUNK - 1) / CHUNK;
    const int64_t threads = volt_min(volt_threads(), chunks);
    VOLT_TRY(volt_start_threads());
    int64_t *indices = volt_alloc(threads * values.rows, sizeof *indices);
    double *sums = indices ? volt_alloc_doubles(threads, values.cols) : NULL;
    if (!sums) {
        volt_free(indices);
        return VOLT_ERR_MEMORY;
    }

#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        if (!volt_stage_should_continue(stage))
            continue;
        const int64_t thread = omp_get_thread_num(), end = volt_min((chunk + 1) * CHUNK, reps);
        for (int64_t b = chunk * CHUNK; b < end; b++)
            run_replication(values, resampling, b, indices + thread * values.rows, sums + thread * values.cols,
                            means);
        volt_stage_advance(stage, end - chunk * CHUNK);
    }
    volt_free(sums);
    volt_free(indices);
    return volt_stage_end(stage);
}

/* ---- model confidence set ----------------------------------------------------------------------- */

typedef struct mcs_work {
    int64_t rows, models, reps;
    double *centred;       /* rows x models: the losses minus their means */
    double *means;         /* models; in units of 2^exponent, as `centred` and `errors` are */
    double *errors;        /* models x reps: e_ib */
    double *inverse_error; /* models x models: 1 / sqrt(V_ij), 0 where V_ij = 0; method R */
    double *highest;       /* reps: T*_b */
    double *column;        /* reps: c_ib of one model; method max */
    int64_t *alive;        /* the remaining columns, in column order, the first of equal ones */
    int64_t n_alive;
    int64_t *same; /* models: the first column that equals column i */
    int exponent;
    volt_stage *stage; /* of the elimination: polled once for each model in a step */
} mcs_work;

/* The eliminated model, its statistic, and the difference of losses in it. */
typedef struct mcs_loser {
    int64_t model;
    double statistic, difference;
} mcs_loser;

/* ---- the two statistics ----------------------------------------------------------------------- */

static double inverse_root_mean_square(double squares, int64_t count)
{
    return squares > 0 ? 1 / sqrt(squares / (double)count) : 0;
}

/* A difference divided by its error; 0 for equal models, infinite for a difference that never varies. */
static double studentised(double difference, double inverse_error)
{
    if (difference == 0 || inverse_error > 0)
        return difference * inverse_error;
    return copysign(INFINITY, difference);
}

/* Keeps the model with the larger statistic, the first of equals; among infinite ones the larger difference. */
static void compare(mcs_loser *loser, int64_t model, double difference, double inverse_error)
{
    double statistic = studentised(difference, inverse_error);
    if (statistic > loser->statistic ||
        (isinf(statistic) && statistic == loser->statistic && difference > loser->difference))
        *loser = (mcs_loser){model, statistic, difference};
}

/* 1 / sqrt(V_ij) for all pairs, once for the whole elimination. */
static void prepare_pairs(mcs_work *work)
{
    const int64_t M = work->models, reps = work->reps;
    for (int64_t i = 0; i < M && volt_stage_poll(work->stage); i++)
        for (int64_t j = 0; j < i; j++) {
            const double *first = work->errors + i * reps, *second = work->errors + j * reps;
            double squares = 0;
            for (int64_t b = 0; b < reps; b++)
                squares += (first[b] - second[b]) * (first[b] - second[b]);
            double inverse = inverse_root_mean_square(squares, reps);
            work->inverse_error[i * M + j] = work->inverse_error[j * M + i] = inverse;
        }
    for (int64_t i = 0; i < M; i++)
        work->inverse_error[i * M + i] = 0;
}

/* highest_b = max(highest_b, |e_ib - e_jb| scale): both signs of the pair. */
static void raise_by_pair(const double *restrict first, const double *restrict second, double scale,
                          int64_t reps, double *restrict highest)
{
    for (int64_t b = 0; b < reps; b++) {
        double value = fabs(first[b] - second[b]) * scale;
        highest[b] = value > highest[b] ? value : highest[b];
    }
}

static mcs_loser test_pairs(mcs_work *work)
{
    const int64_t M = work->models, reps = work->reps;
    mcs_loser loser = {work->alive[0], 0, 0};
    for (int64_t a = 0; a < work->n_alive && volt_stage_poll(work->stage); a++)
        for (int64_t c = 0; c < work->n_alive; c++) {
            const int64_t i = work->alive[a], j = work->alive[c];
            const double scale = work->inverse_error[i * M + j];
            compare(&loser, i, work->means[i] - work->means[j], scale);
            if (c < a)
                raise_by_pair(work->errors + i * reps, work->errors + j * reps, scale, reps, work->highest);
        }
    return loser;
}

/* column_b = mean_j (e_ib - e_jb) over the remaining models; returns the sum of its squares. */
static double centre_errors(const mcs_work *work, int64_t i, double *restrict column)
{
    const int64_t reps = work->reps;
    const double *first = work->errors + i * reps;
    double squares = 0;
    for (int64_t b = 0; b < reps; b++)
        column[b] = 0;
    for (int64_t c = 0; c < work->n_alive; c++) {
        const double *other = work->errors + work->alive[c] * reps;
        for (int64_t b = 0; b < reps; b++)
            column[b] += first[b] - other[b];
    }
    for (int64_t b = 0; b < reps; b++) {
        column[b] /= (double)work->n_alive;
        squares += column[b] * column[b];
    }
    return squares;
}

static mcs_loser test_centres(mcs_work *work)
{
    mcs_loser loser = {work->alive[0], 0, 0};
    for (int64_t a = 0; a < work->n_alive && volt_stage_poll(work->stage); a++) {
        const int64_t i = work->alive[a];
        double scale = inverse_root_mean_square(centre_errors(work, i, work->column), work->reps);
        double difference = 0;
        for (int64_t c = 0; c < work->n_alive; c++)
            difference += work->means[i] - work->means[work->alive[c]];
        compare(&loser, i, difference / (double)work->n_alive, scale);
        for (int64_t b = 0; b < work->reps; b++) {
            double value = work->column[b] * scale;
            work->highest[b] = value > work->highest[b] ? value : work->highest[b];
        }
    }
    return loser;
}

/* ---- elimination ------------------------------------------------------------------------------ */

static void find_equal_columns(mcs_work *work, volt_view losses)
{
    for (int64_t i = 0; i < losses.cols; i++) {
        int64_t a = 0;
        while (a < work->n_alive && !columns_are_equal(losses, work->alive[a], i))
            a++;
        if (a == work->n_alive)
            work->alive[work->n_alive++] = i;
        work->same[i] = work->alive[a];
    }
}

static double share_above(const double *values, int64_t count, double bound)
{
    int64_t above = 0;
    for (int64_t b = 0; b < count; b++)
        above += values[b] > bound;
    return (double)above / (double)count;
}

static void drop(mcs_work *work, int64_t model)
{
    int64_t kept = 0;
    for (int64_t a = 0; a < work->n_alive; a++)
        if (work->alive[a] != model)
            work->alive[kept++] = work->alive[a];
    work->n_alive = kept;
}

/* Stores the result of a model for all of its columns, from `step` on; returns the step after them. The last column has no
 * statistic. */
static int64_t record(const mcs_work *work, mcs_loser loser, double share, double pvalue, int64_t step,
                      volt_mcs *mcs)
{
    for (int64_t i = 0; i < work->models; i++) {
        if (work->same[i] != loser.model)
            continue;
        mcs->pvalues[i] = pvalue;
        if (step < work->models - 1) {
            mcs->statistics[step] = loser.statistic;
            mcs->step_shares[step] = share;
        }
        mcs->order[step++] = i;
    }
    return step;
}

static volt_status eliminate(mcs_work *work, volt_mcs_method method, volt_progress progress, volt_mcs *mcs)
{
    double pvalue = 0;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "eliminate", 0.9, 0.1, (double)work->models);
    work->stage = &stage;
    if (method == VOLT_MCS_R)
        prepare_pairs(work);
    int64_t step = 0;
    while (work->n_alive > 1 && volt_stage_advance(&stage, 1)) {
        memset(work->highest, 0, (size_t)work->reps * sizeof *work->highest);
        mcs_loser loser = method == VOLT_MCS_R ? test_pairs(work) : test_centres(work);
        double share = share_above(work->highest, work->reps, loser.statistic);
        pvalue = fmax(pvalue, share);
        step = record(work, loser, share, pvalue, step, mcs);
        drop(work, loser.model);
    }
    record(work, (mcs_loser){work->alive[0], 0, 0}, 1, 1, step, mcs);
    work->stage = NULL;
    return volt_stage_end(&stage);
}

/* ---- set-up and result ------------------------------------------------------------------------ */

/* Means and centred losses, scaled by one power of two so that squares do not overflow or, for typical
 * values, underflow; the statistics are scale-free. */
static void centre_losses(mcs_work *work, volt_view losses)
{
    double largest = 0;
    for (int64_t t = 0; t < losses.rows; t++)
        for (int64_t i = 0; i < losses.cols; i++)
            largest = fmax(largest, fabs(losses.data[t * losses.ld + i]));
    frexp(largest, &work->exponent);
    for (int64_t i = 0; i < losses.cols; i++) {
        /* Relative to the first value: the mean of equal values is exact. */
        double first = ldexp(losses.data[i], -work->exponent), sum = 0;
        for (int64_t t = 0; t < losses.rows; t++)
            sum += ldexp(losses.data[t * losses.ld + i], -work->exponent) - first;
        work->means[i] = first + sum / (double)losses.rows;
        for (int64_t t = 0; t < losses.rows; t++)
            work->centred[t * losses.cols + i] =
                ldexp(losses.data[t * losses.ld + i], -work->exponent) - work->means[i];
    }
}

static volt_status run(mcs_work *work, volt_view losses, const volt_mcs_options *options,
                       const volt_resampling *resampling, volt_mcs *mcs)
{
    volt_stage stage;
    find_equal_columns(work, losses);
    centre_losses(work, losses);
    volt_stage_begin(&stage, options->progress, "bootstrap", 0, 0.9, (double)work->reps);
    VOLT_TRY(bootstrap_means(volt_view_of(work->centred, work->rows, work->models), resampling, &stage,
                             work->errors));
    VOLT_TRY(eliminate(work, options->method, options->progress, mcs));
    for (int64_t i = 0; i < work->models; i++) {
        mcs->included[i] = mcs->pvalues[i] > options->size;
        mcs->mean_losses[i] = ldexp(work->means[i], work->exponent);
    }
    mcs->block = resampling->indices ? 0 : resampling->block;
    return VOLT_OK;
}

static volt_status work_allocate(mcs_work *work, volt_view losses, int64_t reps)
{
    const int64_t M = losses.cols;
    char what[80];
    snprintf(what, sizeof what, "the bootstrap of %" PRId64 " models, %" PRId64 " replications,", M, reps);
    VOLT_TRY(volt_memory_require(8 * ((double)M + 2) * (double)reps, what));
    *work = (mcs_work){.rows = losses.rows, .models = M, .reps = reps};
    work->centred = volt_alloc_doubles(losses.rows, M);
    work->means = work->centred ? volt_alloc_doubles(M, 1) : NULL;
    work->errors = work->means ? volt_alloc_doubles(M, reps) : NULL;
    work->inverse_error = work->errors ? volt_alloc_doubles(M, M) : NULL;
    work->highest = work->inverse_error ? volt_alloc_doubles(reps, 1) : NULL;
    work->column = work->highest ? volt_alloc_doubles(reps, 1) : NULL;
    work->alive = work->column ? volt_alloc(M, sizeof *work->alive) : NULL;
    work->same = work->alive ? volt_alloc(M, sizeof *work->same) : NULL;
    return work->same ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void work_release(mcs_work *work)
{
    volt_free(work->same);
    volt_free(work->alive);
    volt_free(work->column);
    volt_free(work->highest);
    volt_free(work->inverse_error);
    volt_free(work->errors);
    volt_free(work->means);
    volt_free(work->centred);
}

static volt_mcs *mcs_create(int64_t models)
{
    volt_mcs *mcs = volt_alloc_zero(1, sizeof *mcs);
    if (!mcs)
        return NULL;
    mcs->struct_size = sizeof *mcs;
    mcs->models = models;
    mcs->pvalues = volt_alloc_doubles(models, 1);
    mcs->included = mcs->pvalues ? volt_alloc(models, sizeof *mcs->included) : NULL;
    mcs->order = mcs->included ? volt_alloc(models, sizeof *mcs->order) : NULL;
    mcs->statistics = mcs->order ? volt_alloc_doubles(models - 1, 1) : NULL;
    mcs->step_shares = mcs->statistics ? volt_alloc_doubles(models - 1, 1) : NULL;
    mcs->mean_losses = mcs->step_shares ? volt_alloc_doubles(models, 1) : NULL;
    if (mcs->mean_losses)
        return mcs;
    volt_mcs_free(mcs);
    return NULL;
}

static volt_status compute(volt_view losses, const volt_mcs_options *options, const volt_resampling *resampling,
                           volt_mcs **mcs)
{
    mcs_work work = {0};
    volt_mcs *made = mcs_create(losses.cols);
    volt_status status = made ? work_allocate(&work, losses, resampling->reps) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = run(&work, losses, options, resampling, made);
    work_release(&work);
    if (status == VOLT_OK)
        *mcs = made;
    else
        volt_mcs_free(made);
    return status;
}

/* ---- checks ----------------------------------------------------------------------------------- */

static volt_status check_losses(volt_view losses, const volt_mcs_options *options, volt_mcs **mcs)
{
    VOLT_REQUIRE(mcs, VOLT_ERR_ARGUMENT, "the model confidence set is NULL");
    VOLT_REQUIRE(losses.rows >= 2 && losses.cols >= 1, VOLT_ERR_SHAPE,
                 "the losses must have at least two rows (time) and one column (models), got %" PRId64
                 " x %" PRId64,
                 losses.rows, losses.cols);
    VOLT_TRY(volt_check_shape(losses, "the losses"));
    VOLT_REQUIRE(options->method == VOLT_MCS_R || options->method == VOLT_MCS_MAX, VOLT_ERR_ARGUMENT,
                 "unknown method %d of the model confidence set", (int)options->method);
    VOLT_REQUIRE(options->size > 0 && options->size < 1, VOLT_ERR_ARGUMENT,
                 "the size must be above 0 and below 1 (got %g)", options->size);
    return volt_require_finite("losses", losses);
}

static volt_status check_reps(int64_t reps)
{
    VOLT_REQUIRE(reps >= 1, VOLT_ERR_ARGUMENT,
                 "the number of bootstrap replications must be at least 1 (got %" PRId64 ")", reps);
    return VOLT_OK;
}

static volt_status choose_block(volt_view losses, double requested, volt_progress progress, double *block)
{
    if (requested == VOLT_BLOCK_AUTO)
        return volt_block_length_of_differences(losses, progress, block);
    if (requested == VOLT_BLOCK_SQRT) {
        *block = floor(sqrt((double)losses.rows));
        return VOLT_OK;
    }
    VOLT_REQUIRE(requested >= 1 && requested <= (double)losses.rows, VOLT_ERR_ARGUMENT,
                 "the mean block length must be between 1 and the %" PRId64 " rows of the losses (got %g)",
                 losses.rows, requested);
    *block = requested;
    return VOLT_OK;
}

/* ---- public ----------------------------------------------------------------------------------- */

volt_mcs_options volt_mcs_options_default(void)
{
    volt_mcs_options options = {.struct_size = sizeof(volt_mcs_options),
                                .method = VOLT_MCS_R,
                                .size = 0.25,
                                .block = VOLT_BLOCK_SQRT,
                                .reps = 10000};
    return options;
}

static volt_status check_indices(const int64_t *indices, int64_t reps, int64_t rows)
{
    for (int64_t b = 0; b < reps; b++)
        for (int64_t t = 0; t < rows; t++)
            VOLT_REQUIRE(indices[b * rows + t] >= 0 && indices[b * rows + t] < rows, VOLT_ERR_ARGUMENT,
                         "index %" PRId64 " of replication %" PRId64 " must be 0 to %" PRId64 " (got %" PRId64
                         ")",
                         t, b, rows - 1, indices[b * rows + t]);
    return VOLT_OK;
}

volt_status volt_mcs_compute(volt_view losses, const volt_mcs_options *options, volt_mcs **mcs)
{
    volt_mcs_options opts = volt_mcs_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_mcs_options"));
    options = &opts;
    VOLT_TRY(check_losses(losses, options, mcs));
    VOLT_TRY(check_reps(options->reps));
    volt_resampling resampling = {.reps = options->reps, .seed = options->seed, .indices = options->indices};
    if (options->indices)
        VOLT_TRY(check_indices(options->indices, options->reps, losses.rows));
    else
        VOLT_TRY(choose_block(losses, options->block, options->progress, &resampling.block));
    return compute(losses, options, &resampling, mcs);
}

void volt_mcs_free(volt_mcs *mcs)
{
    if (!mcs)
        return;
    volt_free(mcs->mean_losses);
    volt_free(mcs->step_shares);
    volt_free(mcs->statistics);
    volt_free(mcs->order);
    volt_free(mcs->included);
    volt_free(mcs->pvalues);
    volt_free(mcs);
}
