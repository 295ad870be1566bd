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
#include "base/progress.h"
#include "base/views.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

bool volt_columns_are_equal(volt_view losses, int64_t i, int64_t j)
{
    double largest = 0, difference = 0;
    for (int64_t t = 0; t < losses.rows; t++) {
        double first = losses.data[t * losses.ld + i], second = losses.data[t * losses.ld + j];
        largest = fmax(largest, fmax(fabs(first), fabs(second)));
        difference = fmax(difference, fabs(first - second));
    }
    return difference <= (double)losses.rows * DBL_EPSILON * largest;
}

static void find_equal_columns(mcs_work *work, volt_view losses)
{
    for (int64_t i = 0; i < losses.cols; i++) {
        int64_t a = 0;
        while (a < work->n_alive && !volt_columns_are_equal(losses, work->alive[a], i))
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
    VOLT_TRY(volt_bootstrap_means(volt_view_of(work->centred, work->rows, work->models), resampling, &stage,
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
