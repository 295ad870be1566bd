/* src/series/anomaly/anomaly.c: fits an anomaly detector to the Gram matrix of normal series, and scores new
 * series. */
#include "backend/cholesky.h"
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "model/model_errors.h"
#include "series/anomaly/variance_norm.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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
            scores[i] = volt_loo_distance(norm, kind, i, memory + omp_get_thread_num() * n);
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
