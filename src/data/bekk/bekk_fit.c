/* src/data/bekk/bekk_fit.c: quasi maximum likelihood of the diagonal BEKK model.
 *
 * Returns are centred and scaled to unit variance (H_1 becomes their correlation matrix), the likelihood is
 * maximised from several starts, and the best result is transformed back: the rows of C are multiplied by the
 * standard deviations, and n times the sum of their logarithms is subtracted from the log-likelihood. On
 * consistency: McAleer, Chan, Hoti, Lieberman, Econometric Theory 24 (2008); Pedersen, Rahbek, Econometrics
 * Journal 17 (2014). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/bekk/bekk.h"
#include "data/bekk/bekk_likelihood.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static volt_status check_call(volt_view returns, const volt_bekk_fit_options *options, volt_bekk **bekk)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the output for the BEKK parameters is NULL");
    VOLT_TRY(volt_returns_check(returns));
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
        volt_bekk_perturb(d, &rng, point.a, point.b);
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
    VOLT_TRY(volt_bekk_start_alone(search->scaled, &stage, search->alone.a, search->alone.b,
                                   &search->info.evaluations));
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
    VOLT_TRY(check_call(returns, options, bekk));
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
