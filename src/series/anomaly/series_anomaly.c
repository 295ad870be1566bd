/* src/series/anomaly/series_anomaly.c: anomaly scores of series: preparation, choice of a kernel, detector. */
#include "backend/cholesky.h"
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "select/search/search_run.h"
#include "series/anomaly/variance_norm.h"
#include "series/gram/objects_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- distances in the variance norm, from one inverse ------------------------------------------------ */

/* ---- the inverse ------------------------------------------------------------------------------ */

/* K_c + s I + t 11'/n in the lower triangle: positive definite, and equal to K_c + s I on vectors of sum 0.
 * A t as large as the trace keeps the contribution of the constant to P below the rest, so that no digits
 * are lost. */
static void add_ridges(volt_view centred, double s, double t, volt_matrix A)
{
    double constant = t / (double)A.rows;
    for (int64_t i = 0; i < A.rows; i++) {
        for (int64_t j = 0; j <= i; j++)
            A.data[i * A.ld + j] = centred.data[i * centred.ld + j] + constant;
        A.data[i * A.ld + i] += s;
    }
}

static double log_determinant(volt_matrix L)
{
    double sum = 0;
    for (int64_t i = 0; i < L.rows; i++)
        sum += 2 * log(L.data[i * L.ld + i]);
    return sum;
}

/* Removes the constant, and fills the upper triangle. */
static void finish_inverse(volt_matrix P, double constant)
{
    for (int64_t i = 0; i < P.rows; i++)
        for (int64_t j = 0; j <= i; j++)
            P.data[j * P.ld + i] = P.data[i * P.ld + j] -= constant;
}

/* Sum over i of the log density of phi_i - m_i, m_i the mean of the others and (S_i + s) / (n - 1) the
 * covariance, without terms independent of s. `log_det` is the log determinant of S + s on vectors of sum 0. */
static double loo_log_score(const volt_variance_norm *norm, double log_det)
{
    double n = (double)norm->n, sum = n * log_det;
    for (int64_t i = 0; i < norm->n; i++) {
        double own = norm->s * norm->P[i * norm->n + i];
        sum += log(own) + (n - 1) / own;
    }
    return -sum / 2;
}

void volt_variance_norm_make(volt_view centred, double trace, double s, volt_stage *stage,
                             volt_variance_norm *norm, int64_t *pivot)
{
    int64_t n = centred.rows;
    volt_matrix P = volt_matrix_of(norm->P, n, n);
    norm->n = n;
    norm->s = s;
    add_ridges(centred, s, trace, P);
    volt_cholesky_factor(P, stage, pivot);
    if (*pivot != 0 || !volt_stage_should_continue(stage))
        return;
    double log_det = log_determinant(P) - log(s + trace);
    volt_cholesky_invert(P, stage);
    if (!volt_stage_should_continue(stage))
        return;
    finish_inverse(P, 1 / ((double)n * (s + trace)));
    norm->log_score = loo_log_score(norm, log_det);
}

void volt_variance_norm_leave(const volt_variance_norm *norm, int64_t out, volt_variance_norm *less)
{
    int64_t n = norm->n;
    const double *left = norm->P + out * n;
    *less = (volt_variance_norm){.n = n - 1, .s = norm->s, .P = less->P};
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; k != out && l < n; l++)
            if (l != out)
                less->P[(k - (k > out)) * (n - 1) + l - (l > out)] =
                    norm->P[k * n + l] - left[k] * left[l] / left[out];
}

/* ---- distances -------------------------------------------------------------------------------- */

/* b: the coefficients of the others in the left-out series, sum 1. */
static double mean_distance2(const double *b, int64_t n, int64_t out)
{
    double sum = 0, mean = 1 / (double)(n - 1);
    for (int64_t k = 0; k < n; k++)
        if (k != out)
            sum += (b[k] - mean) * (b[k] - mean);
    return sum;
}

/* Between the left-out series `out` and series m, divided by n - 1: the coordinates of m without it are e_m
 * - 1/(n-1) - s (P_km + b_k P_im). */
static double pair_distance2(const volt_variance_norm *norm, const double *b, int64_t out, int64_t m)
{
    const double *column = norm->P + m * norm->n; /* P is symmetric */
    double s = norm->s, weight = 1 + s * column[out], sum = 0;
    for (int64_t k = 0; k < norm->n; k++) {
        double difference = b[k] * weight + s * column[k];
        if (k != out && k != m)
            sum += difference * difference;
    }
    double own = b[m] * weight + s * column[m] - 1;
    return sum + own * own;
}

/* The distance of the left-out series from the mean of the others, or from the nearest of them. `scratch`: n
 * numbers. */
static double loo_distance(const volt_variance_norm *norm, volt_anomaly_kind kind, int64_t i, double *scratch)
{
    int64_t n = norm->n;
    double least = INFINITY;
    for (int64_t k = 0; k < n; k++)
        scratch[k] = -norm->P[i * n + k] / norm->P[i * n + i];
    if (kind == VOLT_ANOMALY_MAHALANOBIS)
        return sqrt((double)(n - 1) * mean_distance2(scratch, n, i));
    for (int64_t m = 0; m < n; m++)
        if (m != i)
            least = fmin(least, pair_distance2(norm, scratch, i, m));
    return sqrt((double)(n - 1) * least);
}

double volt_new_distance(const volt_variance_norm *norm, volt_anomaly_kind kind, const double *centred,
                         double *scratch)
{
    int64_t n = norm->n;
    double mean = 1 / (double)n, size2 = 0, least = INFINITY;
    for (int64_t j = 0; j < n; j++)
        scratch[j] = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++)
            scratch[j] += centred[k] * norm->P[k * n + j];
    for (int64_t j = 0; j < n; j++)
        size2 += scratch[j] * scratch[j];
    if (kind == VOLT_ANOMALY_MAHALANOBIS)
        return sqrt((double)n * size2);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) {
            double own = (i == j ? 1 : 0) - mean - norm->s * norm->P[i * n + j];
            sum += (scratch[j] - own) * (scratch[j] - own);
        }
        least = fmin(least, sum);
    }
    return sqrt((double)n * least);
}

/* Fits an anomaly detector to the Gram matrix of normal series, and scores new
 * series. */

struct volt_anomaly {
    volt_anomaly_info info;
    volt_variance_norm norm;
    double *means, grand; /* of the columns of K (n), and of all of it */
    double *loo_scores;   /* 2 n: leave-one-out scores, then the same times the growth */
    volt_warning warning; /* listed by info */
};

volt_anomaly_options volt_anomaly_options_default(void)
{
    return (volt_anomaly_options){.score = VOLT_ANOMALY_CONFORMANCE, .rate = 0.05};
}

void volt_anomaly_free(volt_anomaly *anomaly)
{
    if (!anomaly)
        return;
    volt_free(anomaly->norm.P);
    volt_free(anomaly->means);
    volt_free(anomaly->loo_scores);
    volt_free(anomaly);
}

void volt_anomaly_get_info(const volt_anomaly *anomaly, volt_anomaly_info *info)
{
    *info = anomaly->info;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static volt_status check_finite(volt_view A, bool is_triangle, const char *what)
{
    for (int64_t i = 0; i < A.rows; i++)
        for (int64_t j = 0; j < (is_triangle ? i + 1 : A.cols); j++)
            VOLT_REQUIRE(isfinite(A.data[i * A.ld + j]), VOLT_ERR_NOT_FINITE,
                         "%s: entry (%" PRId64 ", %" PRId64 ") is %g", what, i, j, A.data[i * A.ld + j]);
    return VOLT_OK;
}

static volt_status check(volt_view K, const volt_anomaly_options *options)
{
    VOLT_REQUIRE(K.data, VOLT_ERR_ARGUMENT, "the Gram matrix is NULL");
    VOLT_REQUIRE(K.rows == K.cols, VOLT_ERR_SHAPE,
                 "the Gram matrix is %" PRId64 " x %" PRId64 ", and not square", K.rows, K.cols);
    VOLT_REQUIRE(K.rows >= 3, VOLT_ERR_SHAPE, "at least 3 normal series are required (got %" PRId64 ")",
                 K.rows);
    VOLT_REQUIRE(options->score == VOLT_ANOMALY_MAHALANOBIS || options->score == VOLT_ANOMALY_CONFORMANCE,
                 VOLT_ERR_ARGUMENT, "unknown score %d", (int)options->score);
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be above 0, or 0 to be chosen (got %g)", options->alpha);
    VOLT_REQUIRE(options->rate > 0 && options->rate < 1, VOLT_ERR_ARGUMENT,
                 "the rate must be between 0 and 1 (got %g)", options->rate);
    VOLT_REQUIRE(!options->examples.data || options->examples.cols == K.rows, VOLT_ERR_SHAPE,
                 "the examples have %" PRId64 " columns, but there are %" PRId64 " normal series",
                 options->examples.cols, K.rows);
    VOLT_TRY(check_finite(K, true, "the Gram matrix"));
    return options->examples.data ? check_finite(options->examples, false, "the examples") : VOLT_OK;
}

/* ---- centring --------------------------------------------------------------------------------- */

/* Entry (i, j), read from the lower triangle. */
static double entry(volt_view K, int64_t i, int64_t j)
{
    return i >= j ? K.data[i * K.ld + j] : K.data[j * K.ld + i];
}

/* H K H in the lower triangle, its trace, and the means used to centre new rows. */
static void centre(volt_view K, volt_anomaly *anomaly, volt_matrix centred, double *trace)
{
    int64_t n = K.rows;
    double *means = anomaly->means;
    anomaly->grand = 0;
    for (int64_t j = 0; j < n; j++) {
        means[j] = 0;
        for (int64_t i = 0; i < n; i++)
            means[j] += entry(K, i, j) / (double)n;
        anomaly->grand += means[j] / (double)n;
    }
    *trace = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++)
            centred.data[i * centred.ld + j] = K.data[i * K.ld + j] - means[i] - means[j] + anomaly->grand;
        *trace += centred.data[i * centred.ld + i];
    }
}

/* Checks that the spread of the series exceeds rounding. */
static volt_status check_spread(volt_view K, double trace)
{
    double largest = 0;
    for (int64_t i = 0; i < K.rows; i++)
        largest = fmax(largest, fabs(K.data[i * K.ld + i]));
    double n = (double)K.rows;
    VOLT_REQUIRE(trace > 8 * n * DBL_EPSILON * largest, VOLT_ERR_DATA,
                 "the kernel does not distinguish the %" PRId64 " normal series: their spread is %.3g of %.3g",
                 K.rows, trace, n * largest);
    return VOLT_OK;
}

/* ---- scores ----------------------------------------------------------------------------------- */

/* Scores rows of C, each centred with the means of K; `norm` may exclude series `out` (-1: none). Each row
 * is computed by one thread, so the results do not depend on their number. */
static volt_status score_rows(const volt_anomaly *anomaly, const volt_variance_norm *norm, int64_t out,
                              volt_view C, double *scores)
{
    int64_t n = anomaly->info.n;
    double *memory = volt_alloc_doubles(volt_threads(), 2 * n);
    if (!memory)
        return VOLT_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i = 0; i < C.rows; i++) {
        double *scratch = memory + omp_get_thread_num() * 2 * n, *centred = scratch + n, mean = 0;
        const double *row = C.data + i * C.ld;
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            mean += row[j] / (double)n;
        for (int64_t j = 0; j < n; j++)
            if (j != out) /* centring by another mean adds a constant, which P maps to 0 */
                centred[count++] = row[j] - mean - anomaly->means[j] + anomaly->grand;
        scores[i] = volt_new_distance(norm, anomaly->info.score, centred, scratch);
    }
    volt_free(memory);
    return VOLT_OK;
}

static volt_status score_loo(const volt_variance_norm *norm, volt_anomaly_kind kind, volt_stage *stage,
                             double *scores)
{
    int64_t n = norm->n;
    double *memory = volt_alloc_doubles(volt_threads(), n);
    if (!memory)
        return VOLT_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i = 0; i < n; i++)
        if (volt_stage_poll(stage))
            scores[i] = loo_distance(norm, kind, i, memory + omp_get_thread_num() * n);
    volt_free(memory);
    return volt_stage_should_continue(stage) ? VOLT_OK : volt_stage_end(stage);
}

/* ---- alpha ------------------------------------------------------------------------------------ */

enum { HELD_OUT = 5 };

typedef struct fitting {
    const volt_anomaly_options *options;
    volt_anomaly *best;  /* of the alphas tried */
    volt_matrix centred; /* K_c */
    double trace;
    volt_variance_norm norm; /* of the current alpha; P is swapped with the best one's */
    volt_variance_norm less; /* the same without one series */
    double *scores;          /* n + 2 e, at least 6 n: of left-out normal series, and of the examples */
    int *marks;              /* n + e */
    int64_t pivot;           /* of the last failed factorisation; 0: none */
    volt_stage stage;
} fitting;

/* Series to leave out, evenly spaced, when leaving out each of them would take too long. */
static int64_t held_out(int64_t n, int64_t h)
{
    int64_t count = volt_min(n, HELD_OUT);
    return h < count ? h * n / count : -1;
}

/* Both areas for the current norm. A detector with one series less gives different scores (smaller ones for
 * a kernel to which all series are equally far apart), so examples are also scored with one series left out,
 * averaged over some series. */
static volt_status rank_examples(fitting *fit, volt_ranking *areas)
{
    int64_t n = fit->norm.n, count = fit->options->examples.rows, held = 0;
    double *scores = fit->scores, *once = scores + n + count;
    VOLT_TRY(score_loo(&fit->norm, fit->options->score, &fit->stage, scores));
    for (int64_t e = 0; e < count; e++)
        scores[n + e] = 0;
    for (int64_t h = 0, out; (out = held_out(n, h)) >= 0; h++, held++) {
        volt_variance_norm_leave(&fit->norm, out, &fit->less);
        VOLT_TRY(score_rows(fit->best, &fit->less, out, fit->options->examples, once));
        for (int64_t e = 0; e < count; e++)
            scores[n + e] += once[e];
    }
    for (int64_t i = 0; i < n + count; i++) {
        fit->marks[i] = i >= n;
        scores[i] /= i >= n ? (double)held : 1;
    }
    return volt_ranking_compute(scores, fit->marks, n + count, areas);
}

/* The norm of this alpha, kept if it is the best so far. */
static volt_status try_alpha(void *context, volt_alpha_choice *choice)
{
    fitting *fit = context;
    volt_ranking areas = {.struct_size = sizeof areas};
    volt_variance_norm_make(volt_as_view(fit->centred), fit->trace, choice->alpha * fit->trace, &fit->stage,
                            &fit->norm, &fit->pivot);
    if (!volt_stage_should_continue(&fit->stage))
        return volt_stage_end(&fit->stage);
    if (fit->pivot != 0)
        return VOLT_OK;
    if (fit->options->examples.data)
        VOLT_TRY(rank_examples(fit, &areas));
    double merit = fit->options->examples.data ? areas.roc_auc + areas.pr_auc : fit->norm.log_score;
    if (!volt_alpha_offer(choice, 0, -merit, 0))
        return VOLT_OK;
    volt_variance_norm former = fit->best->norm;
    fit->best->norm = fit->norm;
    fit->norm.P = former.P;
    fit->best->info.alpha = choice->alpha;
    fit->best->info.areas = areas;
    return VOLT_OK;
}

static volt_status choose_alpha(fitting *fit)
{
    volt_alpha_best best;
    VOLT_TRY(volt_alpha_choose_one(VOLT_ALPHA_ANOMALY, fit->options->alpha, try_alpha, fit, &best));
    VOLT_REQUIRE(best.alpha > 0, VOLT_ERR_SINGULAR,
                 "alpha = %g is too small for the rounding of the Gram matrix, or the kernel is not positive "
                 "definite (pivot %" PRId64 " of %" PRId64 ")",
                 fit->options->alpha > 0 ? fit->options->alpha : volt_alpha_high(VOLT_ALPHA_ANOMALY),
                 fit->pivot, fit->centred.rows);
    return VOLT_OK;
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* The ratio of scores with n - 1 known series to those with n - 2: the median over left-out series. */
static volt_status find_growth(fitting *fit)
{
    volt_anomaly *best = fit->best;
    int64_t n = best->info.n, count = 0;
    double *once = fit->scores, *ratios = once + n;
    best->info.growth = 1;
    if (n < 5)
        return VOLT_OK;
    for (int64_t h = 0, out; (out = held_out(n, h)) >= 0; h++) {
        volt_variance_norm_leave(&best->norm, out, &fit->less);
        VOLT_TRY(score_loo(&fit->less, best->info.score, &fit->stage, once));
        for (int64_t j = 0; j < n - 1; j++)
            if (once[j] > 0)
                ratios[count++] = best->loo_scores[j + (j >= out)] / once[j];
    }
    if (count == 0)
        return VOLT_OK;
    volt_sort(ratios, count);
    best->info.growth = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
    return VOLT_OK;
}

static volt_status find_threshold(volt_anomaly *anomaly)
{
    volt_anomaly_info *info = &anomaly->info;
    double *sorted = volt_alloc_doubles(info->n, 1);
    if (!sorted)
        return VOLT_ERR_MEMORY;
    memcpy(sorted, anomaly->loo_scores, (size_t)info->n * sizeof *sorted);
    volt_sort(sorted, info->n);
    info->threshold =
        info->growth * fmin(volt_interval_quantile(sorted, info->n, 1 - info->rate), sorted[info->n - 1]);
    volt_free(sorted);
    for (int64_t i = 0; i < info->n; i++)
        anomaly->loo_scores[info->n + i] = info->growth * anomaly->loo_scores[i];
    info->scores = anomaly->loo_scores + info->n;
    anomaly->warning = (volt_warning){.code = VOLT_WARNING_RATE_TOO_SMALL, .value = info->least};
    info->warnings = &anomaly->warning;
    info->n_warnings = info->rate < info->least;
    return VOLT_OK;
}

static volt_status fit_all(volt_view K, fitting *fit)
{
    volt_anomaly *best = fit->best;
    volt_blas_use use;
    centre(K, best, fit->centred, &fit->trace);
    VOLT_TRY(check_spread(K, fit->trace));
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = choose_alpha(fit);
    volt_blas_release(&use);
    if (status == VOLT_OK)
        status = score_loo(&best->norm, best->info.score, &fit->stage, best->loo_scores);
    if (status == VOLT_OK)
        status = find_growth(fit);
    if (status == VOLT_OK)
        status = volt_stage_end(&fit->stage);
    return status == VOLT_OK ? find_threshold(best) : status;
}

/* Allocates all memory of a fit, or returns VOLT_ERR_MEMORY. */
static volt_status allocate(int64_t n, fitting *fit)
{
    int64_t count = fit->options->examples.data ? n + fit->options->examples.rows : 0;
    VOLT_TRY(volt_memory_require(32.0 * (double)n * (double)n, "four matrices of the normal series"));
    volt_anomaly *fresh = fit->best = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->norm.P = volt_alloc_doubles(n, n);
    fresh->means = volt_alloc_doubles(n, 1);
    fresh->loo_scores = volt_alloc_doubles(2, n);
    fit->centred = volt_matrix_of(volt_alloc_doubles(n, n), n, n);
    fit->norm.P = volt_alloc_doubles(n, n);
    fit->less.P = volt_alloc_doubles(n, n);
    fit->scores = volt_alloc_doubles(volt_max(2 * count, (1 + HELD_OUT) * n), 1);
    fit->marks = volt_alloc(count, sizeof *fit->marks);
    return fresh->norm.P && fresh->means && fresh->loo_scores && fit->centred.data && fit->norm.P &&
                   fit->less.P && fit->scores && fit->marks
               ? VOLT_OK
               : VOLT_ERR_MEMORY;
}

volt_status volt_anomaly_fit(volt_view K, const volt_anomaly_options *options, volt_anomaly **anomaly)
{
    volt_anomaly_options standard = volt_anomaly_options_default();
    if (!options)
        options = &standard;
    VOLT_REQUIRE(anomaly, VOLT_ERR_ARGUMENT, "the output for the detector is NULL");
    VOLT_TRY(check(K, options));
    fitting fit = {.options = options};
    volt_status status = allocate(K.rows, &fit);
    if (status == VOLT_OK) {
        fit.best->info = (volt_anomaly_info){.struct_size = sizeof(volt_anomaly_info),
                                             .n = K.rows,
                                             .score = options->score,
                                             .rate = options->rate,
                                             .least = 1 / (double)(K.rows + 1),
                                             .left_out = fit.best->loo_scores};
        volt_stage_begin(&fit.stage, options->progress, "factor", 0, 1,
                         3 * volt_cholesky_units(K.rows) *
                             (options->alpha > 0 ? 1 : volt_alpha_count(VOLT_ALPHA_ANOMALY)));
        status = fit_all(K, &fit);
    }
    volt_free(fit.centred.data);
    volt_free(fit.norm.P);
    volt_free(fit.less.P);
    volt_free(fit.scores);
    volt_free(fit.marks);
    if (status == VOLT_OK)
        *anomaly = fit.best;
    else
        volt_anomaly_free(fit.best);
    return status;
}

volt_status volt_anomaly_score(const volt_anomaly *anomaly, volt_view C, double *scores)
{
    VOLT_REQUIRE(anomaly && scores && C.data, VOLT_ERR_ARGUMENT,
                 "the detector, the kernels or the output for the scores is NULL");
    VOLT_REQUIRE(C.cols == anomaly->info.n, VOLT_ERR_SHAPE,
                 "the kernels have %" PRId64 " columns, but the detector has %" PRId64 " normal series", C.cols,
                 anomaly->info.n);
    VOLT_TRY(check_finite(C, false, "the kernels"));
    VOLT_TRY(volt_start_threads());
    return score_rows(anomaly, &anomaly->norm, -1, C, scores);
}

struct volt_series_anomaly {
    volt_objects *objects;
    volt_kernel *kernel;
    volt_anomaly *detector;
    int64_t tried;
};

volt_series_anomaly_options volt_series_anomaly_options_default(void)
{
    return (volt_series_anomaly_options){.struct_size = sizeof(volt_series_anomaly_options),
                                         .normalise = 1,
                                         .score = VOLT_ANOMALY_CONFORMANCE,
                                         .rate = 0.05};
}

void volt_series_anomaly_free(volt_series_anomaly *anomaly)
{
    if (!anomaly)
        return;
    volt_objects_free(anomaly->objects);
    volt_kernel_free(anomaly->kernel);
    volt_anomaly_free(anomaly->detector);
    volt_free(anomaly);
}

volt_status volt_series_anomaly_get_info(const volt_series_anomaly *anomaly, volt_anomaly_info *info)
{
    VOLT_REQUIRE(anomaly && info, VOLT_ERR_ARGUMENT, "the detector or the output for its info is NULL");
    volt_anomaly_info full = {.struct_size = sizeof full};
    volt_anomaly_get_info(anomaly->detector, &full);
    full.kernel = volt_kernel_text(anomaly->kernel);
    full.tried = anomaly->tried;
    return volt_result_copy(info, &full, sizeof full, "volt_anomaly_info");
}

/* ---- one kernel ------------------------------------------------------------------------------- */

typedef struct series_fit {
    volt_evaluator evaluator; /* first: the search uses it */
    const volt_series_anomaly_options *options;
    const char *kernel;
    const volt_view *examples;
    int64_t n, n_examples;
    volt_series_anomaly *best;
    volt_matrix K, C; /* of the normal series, and of the examples with them */
    volt_candidates *drawn;
    int64_t given; /* 1: the kernel as given is tried before the draws */
} series_fit;

static volt_status detect(const series_fit *fit, const volt_kernel *kernel, volt_progress progress,
                          volt_anomaly **detector)
{
    volt_anomaly_options options = {.score = fit->options->score,
                                    .alpha = fit->options->alpha,
                                    .rate = fit->options->rate,
                                    .examples =
                                        fit->n_examples > 0 ? volt_as_view(fit->C) : volt_view_of(NULL, 0, 0),
                                    .progress = progress};
    VOLT_TRY(volt_objects_gram(fit->best->objects, kernel, &progress, fit->K));
    if (fit->n_examples > 0)
        VOLT_TRY(volt_objects_cross(fit->best->objects, kernel, fit->examples, fit->n_examples, &progress,
                                    fit->C, NULL));
    return volt_anomaly_fit(volt_as_view(fit->K), &options, detector);
}

static double merit_of(const volt_anomaly *detector)
{
    volt_anomaly_info info = {.struct_size = sizeof info};
    volt_anomaly_get_info(detector, &info);
    return info.areas.roc_auc + info.areas.pr_auc;
}

/* Keeps the kernel if it is the first or better than the best so far. */
static volt_status try_kernel(series_fit *fit, const char *text, volt_progress progress, double *merit)
{
    volt_kernel *kernel = NULL;
    volt_anomaly *detector = NULL;
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    volt_status status = detect(fit, kernel, progress, &detector);
    volt_series_anomaly *best = fit->best;
    if (status == VOLT_OK) {
        *merit = merit_of(detector);
        best->tried++;
    }
    if (status == VOLT_OK && (!best->detector || *merit > merit_of(best->detector))) {
        volt_anomaly *former = best->detector;
        volt_kernel *former_kernel = best->kernel;
        best->detector = detector;
        best->kernel = kernel;
        detector = former;
        kernel = former_kernel;
    }
    volt_anomaly_free(detector);
    volt_kernel_free(kernel);
    return status;
}

/* ---- draws ------------------------------------------------------------------------------------ */

/* The kernel as given, then the draws. */
static volt_status get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       volt_setting *setting)
{
    const series_fit *fit = candidates->context;
    *setting = (volt_setting){0};
    if (index >= fit->given)
        return volt_candidates_get(fit->drawn, index - fit->given, kernel, &setting->alpha, NULL);
    int length = snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", fit->kernel);
    VOLT_REQUIRE(length < VOLT_KERNEL_LENGTH, VOLT_ERR_KERNEL,
                 "the text of the kernel is longer than %d characters", VOLT_KERNEL_LENGTH - 1);
    return VOLT_OK;
}

static volt_status evaluate(volt_evaluator *evaluator, int64_t position, const char *kernel,
                            volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    (void)position;
    (void)setting;
    (void)cost;
    VOLT_TRY(try_kernel((series_fit *)evaluator, kernel, volt_run_progress(evaluator), folds));
    *done = 1;
    return VOLT_OK;
}

static bool is_own(const volt_evaluator *evaluator, volt_status status)
{
    (void)evaluator;
    return volt_objects_is_kernel_failure(status);
}

static volt_status search_kernels(series_fit *fit)
{
    bool is_open = strchr(fit->kernel, '?') || strchr(fit->kernel, '|');
    volt_draw_options drawing = volt_draw_options_default();
    volt_search_options options = volt_search_options_default();
    volt_candidates candidates = {.get = get, .context = fit};
    volt_evaluator *evaluator = &fit->evaluator;
    volt_search *search = NULL;
    fit->given = is_open ? 0 : 1;
    candidates.count = fit->given + volt_min(fit->options->draws, INT64_MAX - fit->given);
    drawing.seed = fit->options->seed;
    options.race = VOLT_RACE_NONE;
    options.progress = fit->options->progress;
    *evaluator = (volt_evaluator){.evaluate = evaluate, .is_own = is_own};
    VOLT_TRY(volt_objects_candidates(fit->best->objects, fit->kernel, &drawing, &fit->drawn));
    volt_status status = volt_search_with(&candidates, &options, 1, &evaluator, 1, &search);
    volt_search_free(search);
    volt_candidates_free(fit->drawn);
    return status;
}

/* ---- fit and score ---------------------------------------------------------------------------- */

static volt_status run(series_fit *fit, const volt_view *normal)
{
    const volt_series_anomaly_options *options = fit->options;
    volt_objects_options way = {options->scale, options->input, options->normalise, options->compare};
    double merit;
    VOLT_TRY(volt_objects_create(normal, fit->n, &way, &fit->best->objects));
    fit->K = volt_matrix_of(volt_alloc_doubles(fit->n, fit->n), fit->n, fit->n);
    fit->C = volt_matrix_of(volt_alloc_doubles(fit->n_examples, fit->n), fit->n_examples, fit->n);
    if (!fit->K.data || !fit->C.data)
        return VOLT_ERR_MEMORY;
    return options->draws > 0 ? search_kernels(fit) : try_kernel(fit, fit->kernel, options->progress, &merit);
}

volt_status volt_series_anomaly_fit(const char *kernel, const volt_view *normal, int64_t n,
                                    const volt_view *examples, int64_t n_examples,
                                    const volt_series_anomaly_options *given, volt_series_anomaly **anomaly)
{
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    VOLT_TRY(volt_options_take(&options, sizeof options, given, "volt_series_anomaly_options"));
    VOLT_REQUIRE(kernel && normal && anomaly && (examples || n_examples == 0), VOLT_ERR_ARGUMENT,
                 "the kernel, the series or the output for the detector is NULL");
    VOLT_REQUIRE(n >= 3, VOLT_ERR_SHAPE, "at least 3 normal series are required (got %" PRId64 ")", n);
    VOLT_REQUIRE(n_examples >= 0 && options.draws >= 0, VOLT_ERR_ARGUMENT,
                 "the numbers of examples and draws must be at least 0 (got %" PRId64 " and %" PRId64 ")",
                 n_examples, options.draws);
    VOLT_REQUIRE(options.draws == 0 || n_examples > 0, VOLT_ERR_ARGUMENT,
                 "draws require examples: normal series are not enough to choose a kernel");
    series_fit fit = {.options = &options,
                      .kernel = kernel,
                      .examples = examples,
                      .n = n,
                      .n_examples = n_examples,
                      .best = volt_alloc_zero(1, sizeof *fit.best)};
    volt_status status = fit.best ? run(&fit, normal) : VOLT_ERR_MEMORY;
    volt_free(fit.K.data);
    volt_free(fit.C.data);
    if (status == VOLT_OK)
        *anomaly = fit.best;
    else
        volt_series_anomaly_free(fit.best);
    return status;
}

volt_status volt_series_anomaly_score(const volt_series_anomaly *anomaly, const volt_view *series,
                                      int64_t count, volt_progress progress, double *scores)
{
    VOLT_REQUIRE(anomaly && series && scores && count > 0, VOLT_ERR_ARGUMENT,
                 "the detector, the series or the output for their scores is NULL, or there are no series");
    int64_t n = anomaly->objects->prepared.count;
    volt_matrix C = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    if (!C.data)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_objects_cross(anomaly->objects, anomaly->kernel, series, count, &progress, C, NULL);
    if (status == VOLT_OK)
        status = volt_anomaly_score(anomaly->detector, volt_as_view(C), scores);
    volt_free(C.data);
    return status;
}
