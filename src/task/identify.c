/* src/task/identify.c: a simulation model of a system: searches, choice, fit and test. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "task/identify_check.h"
#include "task/identify_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CMA_ROWS = 1000,   /* fewer rows: a lower error on the blocks does not carry over to the test */
    REFIT_ROWS = 6000, /* most rows of the model, with draws */
    LARGEST_REFIT = 20000,
    LINEAR = 2,
    FAMILIES = VOLT_IDENTIFY_CANDIDATES - LINEAR,
    REFINED = 2
};

/* Shares of the time budget. */
static const double linear_share = 0.5, family_share = 1.25, refine_share = 3, final_share = 2.5;

typedef struct family {
    const char *name, *kernel;
    bool feeds;
} family;

static const family families[VOLT_IDENTIFY_CANDIDATES] = {
    {"linear", "fir:corr=?", false},
    {"linear, feedback", "fir:corr=?", true},
    {"volterra", "volterra:lift=rbf,pole=? + ?*fir:corr=?", false},
    {"memory", "memory:pole=?,pair=?,angle=? + ?*fir:corr=?", false},
    {"fading, feedback", "fading + ?*fir:corr=?", true},
    {"volterra, feedback", "volterra:lift=rbf + ?*fir:corr=?", true},
};

volt_identify_options volt_identify_options_default(void)
{
    return (volt_identify_options){.struct_size = sizeof(volt_identify_options), .seconds = 300};
}

/* ---- stages ----------------------------------------------------------------------------------- */

static int report(const char *stage, double fraction, void *context)
{
    const volt_identify_state *run = context;
    volt_progress progress = run->options.progress;
    (void)stage;
    return progress.report &&
           progress.report(run->stage, fmin(1, run->done + run->fraction * fraction), progress.context);
}

volt_progress volt_identify_progress(volt_identify_state *run)
{
    return (volt_progress){report, run};
}

/* Begins a stage with this share of the work; returns its part of the time that is left. */
static double begin_stage(volt_identify_state *run, const char *name, double share)
{
    double left = fmax(0, run->options.seconds - (volt_seconds() - run->began));
    double part = share / run->shares;
    snprintf(run->stage, sizeof run->stage, "%s", name);
    run->done += run->fraction;
    run->fraction = (1 - run->done) * part;
    run->shares -= share;
    return fmax(1e-3, left * fmin(1, part)); /* 0 would be no limit */
}

/* ---- searches --------------------------------------------------------------------------------- */

static void keep_trial(const volt_search *search, volt_identify_candidate *candidate)
{
    const volt_trial *best = search ? volt_search_trial(search, VOLT_TRIAL_BEST) : NULL;
    volt_search_info info = {.struct_size = sizeof info};
    if (!search || volt_search_get_info(search, &info))
        return;
    candidate->trials += info.trials;
    if (!best || best->n_folds < VOLT_IDENTIFY_BLOCKS || !isfinite(best->score) ||
        best->score >= candidate->nmse)
        return;
    snprintf(candidate->kernel, sizeof candidate->kernel, "%s", best->kernel);
    candidate->alpha = best->alpha;
    candidate->feedback_weight = best->feedback;
    candidate->nmse = best->score;
    memcpy(candidate->block_nmse, best->folds, sizeof candidate->block_nmse);
}

/* Searches a family and keeps its best trial, if it is better than the candidate so far. */
static volt_status search_family(volt_identify_state *run, int64_t which, volt_strategy strategy, double share)
{
    volt_identify_candidate *candidate = &run->found.candidates[which];
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_draw_options drawing = volt_draw_options_default();
    volt_search_options options = volt_identify_search_options(run, run->found.search_rows);
    double began = volt_seconds();
    drawing.seed = run->options.seed + (strategy == VOLT_STRATEGY_CMA);
    drawing.scale = drawing.from_defaults = 1;
    if (families[which].feeds)
        drawing.fed_outputs = run->search_Y;
    options.records = run->search_records;
    options.n_records = run->n_records;
    options.seconds = begin_stage(run, candidate->name, share);
    if (run->options.draws > 0)
        options.seconds = 0;
    options.draws = run->options.draws;
    options.strategy = strategy;
    options.progress = volt_identify_progress(run);
    VOLT_TRY(volt_candidates_draw(families[which].kernel, run->search_U, &drawing, &candidates));
    volt_status status = volt_search_run(candidates, run->search_U, run->search_Y, &options, &search);
    if (status != VOLT_ERR_CANCELLED)
        keep_trial(search, candidate);
    candidate->seconds += volt_seconds() - began;
    volt_search_free(search);
    volt_candidates_free(candidates);
    return status == VOLT_ERR_DATA ? VOLT_OK : status; /* a family without a score takes no part */
}

static bool has_score(const volt_identify_candidate *candidate)
{
    return isfinite(candidate->nmse) != 0;
}

/* Number of the best candidate of first .. end - 1 other than `skipped`; -1: none has a score. */
static int64_t best_of(const volt_identification *found, int64_t first, int64_t end, int64_t skipped)
{
    int64_t best = -1;
    for (int64_t i = first; i < end; i++)
        if (i != skipped && has_score(&found->candidates[i]) &&
            (best < 0 || found->candidates[i].nmse < found->candidates[best].nmse))
            best = i;
    return best;
}

static volt_status search_families(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    bool refines = found->search_rows >= CMA_ROWS;
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        VOLT_TRY(search_family(run, i, VOLT_STRATEGY_ADAPTIVE, i < LINEAR ? linear_share : family_share));
        VOLT_REQUIRE(i != LINEAR - 1 || best_of(found, 0, LINEAR, -1) >= 0, VOLT_ERR_DATA,
                     "no linear model has a score after %" PRId64
                     " trials: increase the budget, or check the data",
                     found->candidates[0].trials + found->candidates[1].trials);
    }
    int64_t first = best_of(found, LINEAR, VOLT_IDENTIFY_CANDIDATES, -1);
    int64_t second = best_of(found, LINEAR, VOLT_IDENTIFY_CANDIDATES, first);
    if (refines && first >= 0)
        VOLT_TRY(search_family(run, first, VOLT_STRATEGY_CMA, refine_share));
    if (refines && second >= 0)
        VOLT_TRY(search_family(run, second, VOLT_STRATEGY_CMA, refine_share));
    found->best_linear = best_of(found, 0, LINEAR, -1);
    return VOLT_OK;
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* Most rows that a fit of this kernel and its test can have in these seconds (0: no limit) and the memory. */
static volt_status count_fit_rows(const volt_identify_state *run, const volt_kernel *kernel, double seconds,
                                  int64_t *rows)
{
    int64_t least = run->found.search_rows;
    int64_t most = volt_min(run->found.train_rows, run->options.draws > 0 ? REFIT_ROWS : LARGEST_REFIT);
    volt_plan plan = {.struct_size = sizeof plan};
    *rows = most;
    VOLT_TRY(volt_plan_fit(kernel, most, run->U.cols + run->Y.cols, run->Y.cols, 0, run->options.draws == 0,
                           &plan, NULL));
    for (; *rows > least; *rows = volt_max(least, *rows - *rows / 8)) {
        double part = (double)*rows / (double)most;
        /* Two fits and their tests. */
        double needed = 2 * (plan.gram_seconds * part * part + plan.factor_seconds * pow(part, 3) +
                             plan.stream_seconds * part * (double)run->found.test_rows);
        bool fits = plan.n_that_fits == 0 || *rows <= plan.n_that_fits;
        if (fits && (run->options.draws > 0 || needed <= seconds))
            break;
    }
    return VOLT_OK;
}

static volt_status fit_rows(volt_identify_state *run, const volt_kernel *kernel, volt_fit_options *options,
                            volt_model **model)
{
    int64_t *records = NULL, first = run->found.fit_begin, count = run->found.fit_rows;
    VOLT_TRY(volt_identify_records(run, first, count, &records, &options->n_records));
    options->records = records;
    volt_status status =
        volt_model_fit(kernel, volt_view_rows(run->U, first, count), volt_view_rows(run->Y, first, count),
                       options, volt_matrix_of(NULL, 0, 0), model);
    volt_free(records);
    return status;
}

static volt_status fit_candidate(volt_identify_state *run, const volt_identify_candidate *candidate,
                                 volt_model **model)
{
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = candidate->alpha;
    options.feedback_weight = candidate->feedback_weight;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.washout = run->found.washout;
    options.input_names = run->options.input_names;
    options.output_names = run->options.output_names;
    options.times = run->options.times;
    options.n_times = run->options.times ? run->found.fit_begin + run->found.fit_rows : 0;
    options.progress = volt_identify_progress(run);
    VOLT_TRY(volt_kernel_parse(candidate->kernel, &kernel));
    volt_status status = fit_rows(run, kernel, &options, model);
    volt_kernel_free(kernel);
    if (!status && candidate->feedback_weight > 0) {
        status = volt_identify_check_stable(run, *model);
        if (status) {
            volt_model_free(*model);
            *model = NULL;
        }
    }
    return status;
}

/* Root mean squared error on the test rows. */
static volt_status test_model(volt_identify_state *run, const volt_model *model, double *rmse, bool *is_bounded)
{
    double *out = volt_alloc_doubles(run->test_end - run->test_begin, run->Y.cols);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_identify_simulate_test(run, model, out, is_bounded);
    if (!status)
        *rmse = volt_identify_test_error(run, out);
    volt_free(out);
    return status;
}

/* ---- choice ----------------------------------------------------------------------------------- */

/* Whether the candidate is better than the linear model on every block. */
static bool passes_guard(const volt_identify_candidate *candidate, const volt_identify_candidate *linear)
{
    for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
        if (!(candidate->block_nmse[b] < linear->block_nmse[b]))
            return false;
    return has_score(candidate);
}

/* Lists the candidates in the order of choice: nonlinear ones that pass the guard, the linear ones. */
static int64_t order_candidates(const volt_identification *found, int64_t order[VOLT_IDENTIFY_CANDIDATES])
{
    int64_t count = 0;
    for (int64_t i = LINEAR; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        if (!passes_guard(&found->candidates[i], &found->candidates[found->best_linear]))
            continue;
        int64_t at = count++;
        for (; at > 0 && found->candidates[i].nmse < found->candidates[order[at - 1]].nmse; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    order[count++] = found->best_linear;
    if (has_score(&found->candidates[1 - found->best_linear]))
        order[count++] = 1 - found->best_linear;
    return count;
}

static bool is_final(volt_status status)
{
    return status == VOLT_OK || status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY;
}

/* Fits candidates in order until one succeeds and is stable. */
static volt_status fit_first(volt_identify_state *run, const int64_t *order, int64_t count, int64_t *which,
                             volt_model **model)
{
    volt_status status = VOLT_ERR_DATA;
    for (int64_t i = 0; i < count; i++) {
        *which = order[i];
        status = fit_candidate(run, &run->found.candidates[order[i]], model);
        if (is_final(status))
            break;
    }
    return status;
}

static volt_status test_candidate(volt_identify_state *run, int64_t which, const volt_model *model,
                                  double *rmse)
{
    bool is_bounded = false;
    VOLT_TRY(test_model(run, model, rmse, &is_bounded));
    if (is_bounded && which == run->found.chosen)
        volt_identify_warn(&run->found, (volt_warning){.code = VOLT_WARNING_RUN_BOUNDED});
    run->found.candidates[which].test_rmse = *rmse;
    return VOLT_OK;
}

/* Fits and tests the chosen model, and the linear one. */
static volt_status finish(volt_identify_state *run, volt_model **model)
{
    volt_identification *found = &run->found;
    int64_t order[VOLT_IDENTIFY_CANDIDATES], rows = 0, count = order_candidates(found, order);
    volt_kernel *kernel = NULL;
    volt_model *linear = NULL;
    double seconds = begin_stage(run, "fit and test", run->shares);
    VOLT_TRY(volt_kernel_parse(found->candidates[order[0]].kernel, &kernel));
    volt_status status = count_fit_rows(run, kernel, seconds, &rows);
    volt_kernel_free(kernel);
    VOLT_TRY(status);
    volt_identify_place_fit(run, rows);
    VOLT_TRY(fit_first(run, order, count, &found->chosen, model));
    VOLT_TRY(test_candidate(run, found->chosen, *model, &found->test_rmse));
    found->linear_test_rmse = found->test_rmse;
    if (found->candidates[found->chosen].is_linear) {
        found->best_linear = found->chosen;
        return VOLT_OK;
    }
    int64_t linears = 1 + (order[count - 1] == 1 - found->best_linear);
    status = fit_first(run, order + count - linears, linears, &found->best_linear, &linear);
    found->linear_test_rmse = NAN;
    if (!status)
        status = test_candidate(run, found->best_linear, linear, &found->linear_test_rmse);
    volt_model_free(linear);
    return is_final(status) ? status : VOLT_OK; /* without a linear model to compare with */
}

/* All stages after the options are read. */
static volt_status run_stages(volt_identify_state *run, volt_view U, volt_view Y, volt_model **model)
{
    volt_identification *found = &run->found;
    double whole = LINEAR * linear_share + FAMILIES * family_share + REFINED * refine_share + final_share;
    found->struct_size = sizeof *found;
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        found->candidates[i] = (volt_identify_candidate){
            .name = families[i].name, .is_linear = i < LINEAR, .nmse = INFINITY, .test_rmse = NAN};
    run->shares = whole;
    snprintf(run->stage, sizeof run->stage, "data check");
    VOLT_TRY(volt_identify_take_rows(run, U, Y));
    VOLT_TRY(volt_identify_check(run->U, run->Y, &run->given.records, run->options.times,
                                 volt_identify_progress(run), found));
    VOLT_TRY(volt_identify_choose_search_rows(run, family_share / whole));
    if (found->search_rows < CMA_ROWS)
        run->shares -= REFINED * refine_share;
    VOLT_TRY(search_families(run));
    VOLT_TRY(finish(run, model));
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        if (!has_score(&found->candidates[i])) {
            found->candidates[i].nmse = NAN;
            for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
                found->candidates[i].block_nmse[b] = NAN;
        }
    found->seconds = volt_seconds() - run->began;
    return VOLT_OK;
}

volt_status volt_identify(volt_view U, volt_view Y, const volt_identify_options *options, volt_model **model,
                          volt_identification *result)
{
    volt_identify_state run = {.options = volt_identify_options_default(), .began = volt_seconds()};
    volt_model *made = NULL;
    VOLT_REQUIRE(model && result, VOLT_ERR_ARGUMENT, "the output for the model or the result is NULL");
    VOLT_TRY(volt_options_take(&run.options, sizeof run.options, options, "volt_identify_options"));
    volt_status status = run_stages(&run, U, Y, &made);
    volt_identify_release_rows(&run);
    if (!status)
        status = volt_result_copy(result, &run.found, sizeof run.found, "volt_identification");
    if (status) {
        volt_model_free(made);
        return status;
    }
    *model = made;
    return VOLT_OK;
}
