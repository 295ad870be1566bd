/* src/task/identify.c: a simulation model of a system: searches, choice, fit and test. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "stats/stats_internal.h"
#include "task/identify_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TEST_SHARE = 5,      /* the last fifth of the rows is the test part */
    BLOCK_SHARE = 6,     /* a validation block is a sixth of the rows of the search */
    WASHOUT_SHARE = 20,  /* washout: a twentieth of the rows of the search ... */
    MOST_WASHOUT = 100,  /* ... at most this many */
    CMA_ROWS = 1000,     /* fewer rows: a lower error on the blocks does not carry over to the test */
    FEWEST_TRIALS = 300, /* trials of a family that a time budget should allow */
    REFIT_ROWS = 6000,   /* most rows of the model, with draws */
    LARGEST_REFIT = 20000,
    MOST_TEST_ROWS = 20000,
    TEST_WASHOUT_SHARE = 10, /* washout of a separate test: at most a tenth of its rows */
    WARM_UP = 500,           /* measured rows that set the state before test rows that do not follow the fit */
    LINEAR = 2,
    FAMILIES = VOLT_IDENTIFY_CANDIDATES - LINEAR,
    REFINED = 2
};

/* Shares of the time budget. */
static const double linear_share = 0.5, family_share = 1.25, refine_share = 3, final_share = 2.5;
/* The last rows are fitted instead of the best-excited ones if they cover this share of their product. */
static const double nearly_covers = 0.8;

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

typedef struct identifying {
    volt_identify_options options;
    volt_view U, Y;               /* all rows given */
    volt_view test_U, test_Y;     /* test rows */
    volt_view before_U, before_Y; /* measured rows before them */
    volt_view search_U, search_Y;
    volt_identification found;
    double began;
    double shares;         /* of the stages that are left */
    double done, fraction; /* of the call: before this stage, and of it */
    char stage[64];
} identifying;

volt_identify_options volt_identify_options_default(void)
{
    return (volt_identify_options){.struct_size = sizeof(volt_identify_options), .seconds = 300};
}

/* ---- stages ----------------------------------------------------------------------------------- */

static int report(const char *stage, double fraction, void *context)
{
    const identifying *run = context;
    volt_progress progress = run->options.progress;
    (void)stage;
    return progress.report &&
           progress.report(run->stage, fmin(1, run->done + run->fraction * fraction), progress.context);
}

static volt_progress progress_of(identifying *run)
{
    return (volt_progress){report, run};
}

/* Begins a stage with this share of the work; returns its part of the time that is left. */
static double begin_stage(identifying *run, const char *name, double share)
{
    double left = fmax(0, run->options.seconds - (volt_seconds() - run->began));
    double part = share / run->shares;
    snprintf(run->stage, sizeof run->stage, "%s", name);
    run->done += run->fraction;
    run->fraction = (1 - run->done) * part;
    run->shares -= share;
    return fmax(1e-3, left * fmin(1, part)); /* 0 would be no limit */
}

/* ---- rows ------------------------------------------------------------------------------------- */

static volt_status check_shapes(const identifying *run)
{
    volt_view U = run->U, Y = run->Y, V = run->options.test_inputs, Z = run->options.test_outputs;
    VOLT_REQUIRE(U.data && Y.data, VOLT_ERR_ARGUMENT, "the inputs or the outputs are NULL");
    VOLT_REQUIRE(U.rows == Y.rows && U.cols > 0 && Y.cols > 0, VOLT_ERR_SHAPE,
                 "the inputs are %" PRId64 " x %" PRId64 " and the outputs %" PRId64 " x %" PRId64
                 ": both need the same rows and at least one column",
                 U.rows, U.cols, Y.rows, Y.cols);
    VOLT_REQUIRE(U.rows >= VOLT_IDENTIFY_MIN_ROWS, VOLT_ERR_DATA,
                 "there are %" PRId64 " rows, and an identification requires at least %d", U.rows,
                 VOLT_IDENTIFY_MIN_ROWS);
    VOLT_REQUIRE(!V.data == !Z.data, VOLT_ERR_ARGUMENT, "test inputs and test outputs must be given together");
    VOLT_REQUIRE(!V.data || (V.rows == Z.rows && V.rows > 0 && V.cols == U.cols && Z.cols == Y.cols),
                 VOLT_ERR_SHAPE,
                 "the test inputs are %" PRId64 " x %" PRId64 " and the test outputs %" PRId64 " x %" PRId64
                 ": both need the same rows, and the %" PRId64 " and %" PRId64 " columns of the training rows",
                 V.rows, V.cols, Z.rows, Z.cols, U.cols, Y.cols);
    VOLT_REQUIRE(run->options.draws >= 0, VOLT_ERR_ARGUMENT, "draws must be at least 0 (got %" PRId64 ")",
                 run->options.draws);
    VOLT_REQUIRE(run->options.draws > 0 || (run->options.seconds > 0 && isfinite(run->options.seconds)),
                 VOLT_ERR_ARGUMENT, "seconds must be positive (got %g)", run->options.seconds);
    VOLT_TRY(volt_require_finite("inputs", U));
    VOLT_TRY(volt_require_finite("outputs", Y));
    if (V.data) {
        VOLT_TRY(volt_require_finite("test inputs", V));
        VOLT_TRY(volt_require_finite("test outputs", Z));
    }
    return VOLT_OK;
}

/* Measured rows before row `at` of the training rows that set the state. */
static volt_view rows_before(volt_view rows, int64_t at)
{
    int64_t count = volt_min(WARM_UP, at);
    return volt_view_rows(rows, at - count, count);
}

/* The test part: its rows, and measured rows before them that set the state. */
static void divide_rows(identifying *run)
{
    volt_identification *found = &run->found;
    volt_view V = run->options.test_inputs, Z = run->options.test_outputs;
    found->rows = run->U.rows;
    found->test_is_separate = V.data != NULL;
    found->train_rows = V.data ? found->rows : found->rows - found->rows / TEST_SHARE;
    found->washout = volt_min(MOST_WASHOUT, found->train_rows / WASHOUT_SHARE);
    found->test_washout = V.data ? volt_min(found->washout, V.rows / TEST_WASHOUT_SHARE) : 0;
    int64_t first = V.data ? found->test_washout : found->train_rows;
    if (!V.data) {
        V = run->U;
        Z = run->Y;
    }
    found->test_rows = volt_min(MOST_TEST_ROWS, V.rows - first);
    run->before_U = rows_before(V, first);
    run->before_Y = rows_before(Z, first);
    run->test_U = volt_view_rows(V, first, found->test_rows);
    run->test_Y = volt_view_rows(Z, first, found->test_rows);
    run->U = volt_view_rows(run->U, 0, found->train_rows);
    run->Y = volt_view_rows(run->Y, 0, found->train_rows);
}

static volt_search_options search_options(const identifying *run, int64_t rows)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = VOLT_IDENTIFY_BLOCKS;
    options.splits.min_train = rows - VOLT_IDENTIFY_BLOCKS * (rows / BLOCK_SHARE);
    options.washout = run->found.washout;
    options.score = VOLT_SCORE_NMSE;
    options.solver = "exact";
    return options;
}

/* Rows of the searches: at most 3000. A time budget shortens them while a family would have too few trials. */
static volt_status count_search_rows(const identifying *run, int64_t *rows)
{
    static const int64_t lengths[] = {VOLT_IDENTIFY_SEARCH_ROWS, 2000, 1500, 1000};
    volt_kernel *kernel = NULL;
    double whole = LINEAR * linear_share + FAMILIES * family_share + REFINED * refine_share + final_share;
    *rows = volt_min(run->found.train_rows, lengths[0]);
    if (run->options.draws > 0)
        return VOLT_OK;
    VOLT_TRY(volt_kernel_parse("memory:pole=0.5,pair=0.5,angle=0.5 + fir", &kernel));
    volt_status status = VOLT_OK;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && !status; i++) {
        volt_search_plan plan = {.struct_size = sizeof plan};
        *rows = volt_min(run->found.train_rows, lengths[i]);
        volt_search_options options = search_options(run, *rows);
        options.draws = 1;
        status = volt_plan_search(kernel, *rows, run->U.cols + run->Y.cols, run->Y.cols, 1, &options, 1, &plan);
        if (plan.candidate_seconds * FEWEST_TRIALS < run->options.seconds * family_share / whole ||
            *rows < lengths[i])
            break;
    }
    volt_kernel_free(kernel);
    return status;
}

static volt_status choose_search_rows(identifying *run)
{
    volt_identification *found = &run->found;
    VOLT_TRY(count_search_rows(run, &found->search_rows));
    found->search_begin = volt_identify_stretch(run->U, run->Y, found->search_rows, NULL);
    run->search_U = volt_view_rows(run->U, found->search_begin, found->search_rows);
    run->search_Y = volt_view_rows(run->Y, found->search_begin, found->search_rows);
    return VOLT_OK;
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
static volt_status search_family(identifying *run, int64_t which, volt_strategy strategy, double share)
{
    volt_identify_candidate *candidate = &run->found.candidates[which];
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_draw_options drawing = volt_draw_options_default();
    volt_search_options options = search_options(run, run->found.search_rows);
    double began = volt_seconds();
    drawing.seed = run->options.seed + (strategy == VOLT_STRATEGY_CMA);
    drawing.scale = drawing.from_defaults = 1;
    if (families[which].feeds)
        drawing.fed_outputs = run->search_Y;
    options.seconds = begin_stage(run, candidate->name, share);
    if (run->options.draws > 0)
        options.seconds = 0;
    options.draws = run->options.draws;
    options.strategy = strategy;
    options.progress = progress_of(run);
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

static volt_status search_families(identifying *run)
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
static volt_status count_fit_rows(const identifying *run, const volt_kernel *kernel, double seconds,
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

/* Of more than `rows` training rows, the last ones if they are as well excited as the best stretch and the test
 * follows them. */
static void place_fit(identifying *run, int64_t rows)
{
    volt_identification *found = &run->found;
    double best = 0;
    found->fit_rows = rows;
    found->fit_begin = volt_identify_stretch(run->U, run->Y, rows, &best);
    double last = volt_identify_coverage(run->U, run->Y, found->train_rows - rows, rows);
    if (!found->test_is_separate && last >= nearly_covers * best)
        found->fit_begin = found->train_rows - rows;
}

/* Free run over the rows X, after the measured rows U and Y before them, which set the state from zero.
 * Without data in U, X follows the rows of the fit. *is_bounded: the run diverges. */
static volt_status simulate(identifying *run, const volt_model *model, volt_view X, volt_view U, volt_view Y,
                            double *out, bool *is_bounded)
{
    volt_predict_options options = volt_predict_options_default();
    volt_predict_report said = {.struct_size = sizeof said};
    volt_model_info info = {.struct_size = sizeof info};
    int64_t d = X.cols, q = run->Y.cols, before = U.data ? U.rows : 0, rows = before + X.rows;
    VOLT_TRY(volt_model_get_info(model, &info));
    double *inputs = volt_alloc_doubles(rows, d), *known = volt_alloc_doubles(rows, q);
    double *outputs = volt_alloc_doubles(rows, q);
    volt_status status = inputs && known && outputs ? VOLT_OK : VOLT_ERR_MEMORY;
    options.start = U.data ? VOLT_START_RESET : VOLT_START_CONTINUE;
    options.progress = progress_of(run);
    options.report = &said;
    for (int64_t t = 0; t < rows && !status; t++) {
        const double *from = t < before ? U.data + t * U.ld : X.data + (t - before) * X.ld;
        memcpy(inputs + t * d, from, (size_t)d * sizeof *inputs);
        for (int64_t k = 0; k < q; k++)
            known[t * q + k] = t < before ? Y.data[t * Y.ld + k] : 0;
    }
    if (before > 0 && info.feedback_weight > 0) {
        options.known = volt_view_of(known, rows, q);
        options.warm_up = before;
    }
    if (!status)
        status = volt_model_predict(model, volt_view_of(inputs, rows, d), &options,
                                    volt_matrix_of(outputs, rows, q), NULL);
    *is_bounded = false;
    for (int64_t i = 0; i < said.n_warnings; i++)
        *is_bounded = *is_bounded || said.warnings[i].code == VOLT_WARNING_RUN_BOUNDED;
    if (!status)
        memcpy(out, outputs + before * q, (size_t)(X.rows * q) * sizeof *out);
    volt_free(inputs);
    volt_free(known);
    volt_free(outputs);
    return status;
}

/* VOLT_ERR_NOT_FINITE if the model, which feeds its outputs back, diverges on the last sixth of its rows. */
static volt_status check_stable(identifying *run, const volt_model *model)
{
    int64_t end = run->found.fit_begin + run->found.fit_rows, block = run->found.fit_rows / BLOCK_SHARE;
    bool is_bounded = false;
    double *out = volt_alloc_doubles(block, run->Y.cols);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status =
        simulate(run, model, volt_view_rows(run->U, end - block, block), rows_before(run->U, end - block),
                 rows_before(run->Y, end - block), out, &is_bounded);
    volt_free(out);
    VOLT_TRY(status);
    VOLT_REQUIRE(!is_bounded, VOLT_ERR_NOT_FINITE, "the simulation of the training rows diverges");
    return VOLT_OK;
}

static volt_status fit_candidate(identifying *run, const volt_identify_candidate *candidate, volt_model **model)
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
    options.progress = progress_of(run);
    VOLT_TRY(volt_kernel_parse(candidate->kernel, &kernel));
    volt_status status =
        volt_model_fit(kernel, volt_view_rows(run->U, run->found.fit_begin, run->found.fit_rows),
                       volt_view_rows(run->Y, run->found.fit_begin, run->found.fit_rows), &options,
                       volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    if (!status && candidate->feedback_weight > 0) {
        status = check_stable(run, *model);
        if (status) {
            volt_model_free(*model);
            *model = NULL;
        }
    }
    return status;
}

/* Root mean squared error on the test rows. */
static volt_status test_model(identifying *run, const volt_model *model, double *rmse, bool *is_bounded)
{
    const volt_identification *found = &run->found;
    bool follows = !found->test_is_separate && found->fit_begin + found->fit_rows == found->train_rows;
    int64_t q = run->Y.cols;
    volt_view U = follows ? volt_view_of(NULL, 0, 0) : run->before_U;
    volt_squares squares = {0};
    double *out = volt_alloc_doubles(found->test_rows, q);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status = simulate(run, model, run->test_U, U, run->before_Y, out, is_bounded);
    for (int64_t t = 0; t < found->test_rows && !status; t++)
        for (int64_t k = 0; k < q; k++)
            volt_squares_add(&squares, out[t * q + k] - run->test_Y.data[t * run->test_Y.ld + k]);
    *rmse = volt_squares_root_mean(&squares, found->test_rows * q);
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
static volt_status fit_first(identifying *run, const int64_t *order, int64_t count, int64_t *which,
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

static volt_status test_candidate(identifying *run, int64_t which, const volt_model *model, double *rmse)
{
    bool is_bounded = false;
    VOLT_TRY(test_model(run, model, rmse, &is_bounded));
    if (is_bounded && which == run->found.chosen)
        volt_identify_warn(&run->found, (volt_warning){.code = VOLT_WARNING_RUN_BOUNDED});
    run->found.candidates[which].test_rmse = *rmse;
    return VOLT_OK;
}

/* Fits and tests the chosen model, and the linear one. */
static volt_status finish(identifying *run, volt_model **model)
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
    place_fit(run, rows);
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

volt_status volt_identify(volt_view U, volt_view Y, const volt_identify_options *options, volt_model **model,
                          volt_identification *result)
{
    identifying run = {.options = volt_identify_options_default(), .U = U, .Y = Y, .began = volt_seconds()};
    volt_identification *found = &run.found;
    volt_model *made = NULL;
    VOLT_REQUIRE(model && result, VOLT_ERR_ARGUMENT, "the output for the model or the result is NULL");
    VOLT_TRY(volt_options_take(&run.options, sizeof run.options, options, "volt_identify_options"));
    VOLT_TRY(check_shapes(&run));
    found->struct_size = sizeof *found;
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        found->candidates[i] = (volt_identify_candidate){
            .name = families[i].name, .is_linear = i < LINEAR, .nmse = INFINITY, .test_rmse = NAN};
    run.shares = LINEAR * linear_share + FAMILIES * family_share + REFINED * refine_share + final_share;
    snprintf(run.stage, sizeof run.stage, "data check");
    divide_rows(&run);
    VOLT_TRY(volt_identify_check(run.U, run.Y, progress_of(&run), found));
    VOLT_TRY(choose_search_rows(&run));
    if (found->search_rows < CMA_ROWS)
        run.shares -= REFINED * refine_share;
    VOLT_TRY(search_families(&run));
    volt_status status = finish(&run, &made);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        if (!has_score(&found->candidates[i])) {
            found->candidates[i].nmse = NAN;
            for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
                found->candidates[i].block_nmse[b] = NAN;
        }
    found->seconds = volt_seconds() - run.began;
    if (!status)
        status = volt_result_copy(result, found, sizeof *found, "volt_identification");
    if (status) {
        volt_model_free(made);
        return status;
    }
    *model = made;
    return VOLT_OK;
}
