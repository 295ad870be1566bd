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
    REFIT_ROWS = 6000, /* most rows of the model, with draws */
    LARGEST_REFIT = 20000,
    CHECK_ROWS = 20000, /* most rows of the data check: its time must not depend on the record */
    LINEAR = VOLT_IDENTIFY_LINEAR
};

/* Nonlinear models whose NMSE is at most this many times that of the best, 1.1 in RMSE, are averaged with it.
 * The error of the average is at most the mean of theirs. */
static const double close_nmse = 1.21;

/* A linear model with less than this share of the squared error of the model on the test rows is reported. */
static const double better_share = 0.8;

/* Shares of the time budget, of which the searches have volt_identify_search_shares(). */
static const double final_share = 2.5;

volt_identify_options volt_identify_options_default(void)
{
    return (volt_identify_options){
        .struct_size = sizeof(volt_identify_options), .seconds = 300, .scale_each = 1};
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

double volt_identify_begin_stage(volt_identify_state *run, const char *name, double share)
{
    double left = fmax(0, run->options.seconds - (volt_seconds() - run->began));
    double part = share / run->shares;
    snprintf(run->stage, sizeof run->stage, "%s", name);
    run->done += run->fraction;
    run->fraction = (1 - run->done) * part;
    run->shares -= share;
    return fmax(1e-3, left * fmin(1, part)); /* 0 would be no limit */
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* Most rows that n_fits fits of this kernel and their tests can have in these seconds (0: no limit) and the
 * memory. */
static volt_status count_fit_rows(const volt_identify_state *run, const volt_kernel *kernel, int64_t n_fits,
                                  double seconds, int64_t *rows)
{
    int64_t least = run->found.search_rows;
    int64_t most = volt_min(run->found.train_rows, run->options.draws > 0 ? REFIT_ROWS : LARGEST_REFIT);
    volt_plan plan = {.struct_size = sizeof plan};
    *rows = most;
    VOLT_TRY(volt_plan_fit(kernel, most, run->U.cols + run->Y.cols, run->Y.cols, 0, run->options.draws == 0,
                           &plan, NULL));
    for (; *rows > least; *rows = volt_max(least, *rows - *rows / 8)) {
        double part = (double)*rows / (double)most;
        double needed = (double)n_fits * (plan.gram_seconds * part * part + plan.factor_seconds * pow(part, 3) +
                                          plan.stream_seconds * part * (double)run->found.test_rows);
        bool fits = plan.n_that_fits == 0 || *rows <= plan.n_that_fits;
        if (fits && (run->options.draws > 0 || needed <= seconds))
            break;
    }
    return VOLT_OK;
}

volt_status volt_identify_fit(volt_identify_state *run, const volt_identify_candidate *candidate, int64_t first,
                              int64_t count, volt_model **model)
{
    volt_kernel *kernel = NULL;
    int64_t *records = NULL;
    volt_fit_options options = volt_identify_fit_options(run);
    options.alpha = candidate->alpha;
    options.feedback_weight = candidate->feedback_weight;
    options.input_names = run->options.input_names;
    options.output_names = run->options.output_names;
    options.times = run->options.times;
    options.n_times = run->options.times ? first + count : 0;
    options.progress = volt_identify_progress(run);
    VOLT_TRY(volt_identify_records(run, first, count, &records, &options.n_records));
    options.records = records;
    volt_status status = volt_kernel_parse(candidate->kernel, &kernel);
    if (!status)
        status =
            volt_model_fit(kernel, volt_view_rows(run->U, first, count), volt_view_rows(run->Y, first, count),
                           &options, volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    volt_free(records);
    return status;
}

/* Fits a candidate on the rows of the model. A model that feeds its outputs back must be stable there. */
static volt_status fit_candidate(volt_identify_state *run, const volt_identify_candidate *candidate,
                                 volt_model **model)
{
    VOLT_TRY(volt_identify_fit(run, candidate, run->found.fit_begin, run->found.fit_rows, model));
    volt_status status = candidate->feedback_weight > 0 ? volt_identify_check_stable(run, *model) : VOLT_OK;
    if (status) {
        volt_model_free(*model);
        *model = NULL;
    }
    return status;
}

/* Root mean squared errors on the test rows: of all outputs, and of each in run->output_tests. */
static volt_status test_model(volt_identify_state *run, const volt_model *model, bool is_linear, double *rmse,
                              bool *is_bounded)
{
    int64_t q = run->Y.cols;
    double *out = volt_alloc_doubles(run->test_end - run->test_begin, q);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_identify_simulate_test(run, model, out, is_bounded);
    volt_squares errors = {0}, deviations = {0};
    for (int64_t k = 0; k < q && !status; k++) {
        volt_output_test *one = &run->output_tests[k];
        double *error = is_linear ? &one->linear_rmse : &one->rmse;
        volt_identify_test_output(run, out, k, error, &one->std);
        volt_squares_add(&errors, *error);
        volt_squares_add(&deviations, one->std);
    }
    if (!status) {
        *rmse = volt_squares_root_mean(&errors, q);
        run->found.test_std = volt_squares_root_mean(&deviations, q);
    }
    volt_free(out);
    return status;
}

/* ---- choice ----------------------------------------------------------------------------------- */

/* Whether the candidate is better than the linear model on every block, and not rejected. */
static bool passes_guard(const volt_identify_candidate *candidate, const volt_identify_candidate *linear)
{
    return volt_identify_is_better(candidate, linear) && !candidate->is_rejected;
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
    if (volt_identify_has_score(&found->candidates[1 - found->best_linear]))
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

/* Whether the candidate is averaged with the chosen one: order_candidates lists it. */
static bool is_close(const volt_identification *found, int64_t which, int64_t chosen)
{
    const volt_identify_candidate *one = &found->candidates[which], *best = &found->candidates[chosen];
    return which != chosen && !one->is_linear && !best->is_linear && one->nmse <= close_nmse * best->nmse;
}

/* Replaces the model of the chosen candidate by its average with those of close ones. One that cannot be fitted
 * or diverges is left out. */
static volt_status average_close(volt_identify_state *run, const int64_t *order, int64_t count,
                                 volt_model **model)
{
    volt_identification *found = &run->found;
    volt_model *members[VOLT_IDENTIFY_CANDIDATES] = {*model}, *sum = NULL;
    volt_status status = VOLT_OK;
    found->averaged[0] = found->chosen;
    found->n_averaged = 1;
    for (int64_t i = 0; i < count && !status; i++) {
        if (!is_close(found, order[i], found->chosen))
            continue;
        status = fit_candidate(run, &found->candidates[order[i]], &members[found->n_averaged]);
        if (!status)
            found->averaged[found->n_averaged++] = order[i];
        else if (!is_final(status))
            status = VOLT_OK;
    }
    if (!status && found->n_averaged > 1)
        status =
            volt_model_sum((const volt_model *const *)members, NULL, found->n_averaged, VOLT_SUM_AVERAGE, &sum);
    for (int64_t i = sum ? 0 : 1; i < found->n_averaged; i++)
        volt_model_free(members[i]);
    if (sum)
        *model = sum;
    else
        found->n_averaged = 1;
    return status;
}

/* Number of models of the average. */
static int64_t count_close(const volt_identification *found, const int64_t *order, int64_t count)
{
    int64_t close = 1;
    for (int64_t i = 1; i < count; i++)
        close += is_close(found, order[i], order[0]);
    return close;
}

/* Error of the chosen candidate, and of the model, which may be an average. */
static volt_status test_chosen(volt_identify_state *run, const int64_t *order, int64_t count,
                               volt_model **model)
{
    volt_identification *found = &run->found;
    bool is_bounded = false;
    VOLT_TRY(test_model(run, *model, false, &found->candidates[found->chosen].test_rmse, &is_bounded));
    found->test_rmse = found->candidates[found->chosen].test_rmse;
    VOLT_TRY(average_close(run, order, count, model));
    if (found->n_averaged > 1)
        VOLT_TRY(test_model(run, *model, false, &found->test_rmse, &is_bounded));
    if (is_bounded)
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_RUN_BOUNDED});
    return VOLT_OK;
}

/* Fits and tests the chosen model or average, and the linear one. */
static volt_status finish(volt_identify_state *run, volt_model **model)
{
    volt_identification *found = &run->found;
    int64_t order[VOLT_IDENTIFY_CANDIDATES], rows = 0, count = order_candidates(found, order);
    volt_kernel *kernel = NULL;
    volt_model *linear = NULL;
    double seconds = volt_identify_begin_stage(run, "fit and test", run->shares);
    VOLT_TRY(volt_kernel_parse(found->candidates[order[0]].kernel, &kernel));
    volt_status status = count_fit_rows(run, kernel, 1 + count_close(found, order, count), seconds, &rows);
    volt_kernel_free(kernel);
    VOLT_TRY(status);
    volt_identify_place_fit(run, rows);
    VOLT_TRY(fit_first(run, order, count, &found->chosen, model));
    VOLT_TRY(test_chosen(run, order, count, model));
    found->linear_test_rmse = found->test_rmse;
    if (found->candidates[found->chosen].is_linear) {
        found->best_linear = found->chosen;
        for (int64_t k = 0; k < run->Y.cols; k++)
            run->output_tests[k].linear_rmse = run->output_tests[k].rmse;
        return VOLT_OK;
    }
    int64_t linears = 1 + (order[count - 1] == 1 - found->best_linear);
    status = fit_first(run, order + count - linears, linears, &found->best_linear, &linear);
    bool is_bounded = false;
    if (!status)
        status = test_model(run, linear, true, &found->candidates[found->best_linear].test_rmse, &is_bounded);
    found->linear_test_rmse = found->candidates[found->best_linear].test_rmse;
    volt_model_free(linear);
    return is_final(status) ? status : VOLT_OK; /* without a linear model to compare with */
}

/* Data check, on the best excited stretch of many rows. */
static volt_status check_data(volt_identify_state *run)
{
    int64_t rows = volt_min(run->found.train_rows, CHECK_ROWS), first = 0;
    volt_records records = {0};
    if (rows < run->found.train_rows)
        first = volt_identify_stretch(run->U, run->Y, rows, NULL);
    VOLT_TRY(volt_records_from(&run->given.records, first, &records));
    volt_status status =
        volt_identify_check(volt_view_rows(run->U, first, rows), volt_view_rows(run->Y, first, rows), &records,
                            &run->options, first, volt_identify_progress(run), &run->found);
    volt_records_release(&records);
    return status;
}

/* All stages after the options are read. */
static volt_status run_stages(volt_identify_state *run, volt_view U, volt_view Y, volt_model **model)
{
    volt_identification *found = &run->found;
    double whole = volt_identify_search_shares() + final_share;
    found->struct_size = sizeof *found;
    found->scale_each = run->options.scale_each && U.cols > 1;
    volt_identify_begin_candidates(found);
    run->shares = whole;
    snprintf(run->stage, sizeof run->stage, "data check");
    VOLT_TRY(volt_identify_take_rows(run, U, Y));
    VOLT_TRY(check_data(run));
    VOLT_TRY(volt_identify_choose_search_rows(run, volt_identify_polish_share() / whole));
    VOLT_TRY(volt_identify_search(run));
    VOLT_TRY(volt_identify_validate(run));
    VOLT_TRY(finish(run, model));
    double chosen = found->candidates[found->chosen].nmse;
    double linear = pow(found->linear_test_rmse / found->test_rmse, 2);
    if (!(chosen < 1))
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_WORSE_THAN_CONSTANT, .value = chosen});
    if (linear < better_share)
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_BETTER_LINEAR, .value = linear});
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        if (!volt_identify_has_score(&found->candidates[i])) {
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
    if (!status)
        status = volt_result_copy(result, &run.found, sizeof run.found, "volt_identification");
    if (!status && run.options.output_tests)
        memcpy(run.options.output_tests, run.output_tests, (size_t)Y.cols * sizeof *run.output_tests);
    volt_identify_release_rows(&run);
    if (status) {
        volt_model_free(made);
        return status;
    }
    *model = made;
    return VOLT_OK;
}
