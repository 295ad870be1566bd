/* src/select/folds/problem.c: data shared by all candidates of a search: scaled inputs and targets, and
 * splits. */
#include "select/folds/problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/fit_task.h"
#include "fit/landmarks.h"
#include "gram/engine/engine.h"
#include "gram/engine/state.h"
#include "gram/gram.h"
#include "model/recipe.h"
#include "select/folds/cross_validation.h"
#include "select/folds/state_folds.h"
#include "solve/choice/choice.h"
#include "solve/landmark/placement.h"
#include "stats/stats_internal.h"
#include "volterra/select.h"

#include <inttypes.h>
#include <math.h>

/* ---- training and validation rows in time order ------------------------------------------------------ */

/* Validation blocks of equal length follow each other at the end of the rows. The remaining first rows are
 * used only for training. Without a minimum training length the blocks equal those of scikit-learn's
 * TimeSeriesSplit: n / (folds + 1) rows each. */

volt_split_options volt_split_options_default(void)
{
    volt_split_options options = {.folds = 5, .min_train = 1};
    return options;
}

volt_status volt_splits(int64_t n, const volt_split_options *options, volt_split *splits)
{
    volt_split_options standard = volt_split_options_default();
    if (!options)
        options = &standard;
    VOLT_REQUIRE(splits, VOLT_ERR_ARGUMENT, "the output for the splits is NULL");
    VOLT_REQUIRE(options->folds >= 1, VOLT_ERR_ARGUMENT,
                 "the number of folds must be at least 1 (got %" PRId64 ")", options->folds);
    VOLT_REQUIRE(options->gap >= 0, VOLT_ERR_ARGUMENT, "the gap must be at least 0 (got %" PRId64 " rows)",
                 options->gap);
    VOLT_REQUIRE(options->min_train >= 1, VOLT_ERR_ARGUMENT,
                 "the minimum training length must be at least 1 (got %" PRId64 ")", options->min_train);
    VOLT_REQUIRE(options->max_train >= 0, VOLT_ERR_ARGUMENT,
                 "the maximum training length must be at least 1, or 0 for all rows (got %" PRId64 ")",
                 options->max_train);
    VOLT_REQUIRE(!options->max_train || !options->rolling, VOLT_ERR_ARGUMENT,
                 "give a maximum training length or rolling, not both");

    /* The last condition leaves one row to each block and is written to avoid overflow. */
    VOLT_REQUIRE(options->gap < n && options->min_train < n && options->folds < n &&
                     n - options->gap - options->min_train >= options->folds,
                 VOLT_ERR_ARGUMENT,
                 "%" PRId64 " rows are too few for %" PRId64 " folds with a gap of %" PRId64
                 " and at least %" PRId64 " training rows",
                 n, options->folds, options->gap, options->min_train);
    int64_t block =
        volt_min(n / (options->folds + 1), (n - options->gap - options->min_train) / options->folds);

    int64_t longest = options->max_train;
    for (int64_t k = 0; k < options->folds; k++) {
        volt_split split = {.begin = n - (options->folds - k) * block};
        split.end = split.begin + block;
        split.train_end = split.begin - options->gap;
        if (options->rolling && k == 0)
            longest = split.train_end;
        if (longest > 0)
            split.train_begin = volt_max(0, split.train_end - longest);
        splits[k] = split;
    }
    return VOLT_OK;
}

/* Chooses the solver of the candidates: exact when memory and time allow,
 * otherwise landmarks. */

enum { MAX_EXACT = 32768 }; /* rows: beyond this, each candidate takes many minutes on the CPU */

/* Rows that may be landmarks: those after the washout of the shortest training part, before every block. */
static int64_t rows_before_blocks(const volt_problem *problem)
{
    int64_t least = problem->n;
    for (int64_t k = 0; k < problem->n_splits; k++)
        least = volt_min(least, problem->splits[k].train_end - problem->splits[k].train_begin);
    return least - problem->washout;
}

/* Reason why landmarks do not support the score, or NULL. */
static const char *needs_rows(const volt_problem *problem)
{
    if (problem->loss)
        return "a loss other than squares, or weights, are fitted exactly";
    if (problem->score == VOLT_SCORE_PREQUENTIAL)
        return "the score prequential fits every row from the rows before it, which takes the factor of all "
               "rows";
    if (problem->score == VOLT_SCORE_LOG)
        return "the score log is the likelihood of the exact fit";
    return NULL;
}

static volt_status use_landmarks(const volt_search_options *options, volt_problem *problem)
{
    int64_t most = rows_before_blocks(problem);
    const char *why = needs_rows(problem);
    VOLT_REQUIRE(!why, VOLT_ERR_ARGUMENT, "%s: the solver \"%s\" does not support it", why,
                 problem->solver->info.name);
    VOLT_REQUIRE(options->landmarks <= most, VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be 1 to %" PRId64
                 ", the rows between the washout and the first validation block (got %" PRId64 ")",
                 most, options->landmarks);
    problem->landmarks = volt_solver_landmarks(problem->solver, options->landmarks, most);
    problem->landmark_choice = options->landmark_choice;
    problem->backend = &volt_cpu_backend;
    return VOLT_OK;
}

/* Whether to use landmarks when the options do not name a solver. */
static bool exact_is_too_much(const volt_problem *problem, const char **why)
{
    volt_work work = {.n = problem->max_rows, .d = problem->d, .factors = 1};
    if (problem->max_rows < VOLT_MIN_LARGE || needs_rows(problem) || volt_backend_is_remote(volt_place(&work)))
        return false;
    double available = (double)volt_memory_available();
    bool lacks = available > 0 && volt_workspace_bytes(problem) > available;
    *why = lacks ? "an exact search does not fit in memory" : "an exact fit of every candidate would take long";
    return lacks || problem->max_rows > MAX_EXACT;
}

/* Sets problem->landmarks and related fields of a problem with splits: from the options, otherwise by memory
 * and time. *why is NULL, or the reason for landmarks. VOLT_ERR_ARGUMENT for incompatible options. */
static volt_status problem_choose_solver(const volt_search_options *options, volt_problem *problem,
                                         const char **why)
{
    const char *found = NULL;
    volt_solver_request request = {.landmarks = options->landmarks > 0};
    const volt_solver *solver;
    *why = NULL;
    VOLT_TRY(volt_solver_parse(options->solver, &request, &solver));
    VOLT_REQUIRE(
        !solver || solver->info.searches, VOLT_ERR_ARGUMENT,
        "the solver \"%s\" does not fit candidates of a search; use auto, %s (which takes the states of "
        "reservoirs where they are few) or %s",
        solver->info.name, volt_solver_exact.info.name, volt_solver_approximate()->info.name);
    VOLT_REQUIRE(options->landmarks >= 0, VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be at least 1 (got %" PRId64 ")", options->landmarks);
    VOLT_REQUIRE((int)options->landmark_choice >= VOLT_LANDMARKS_SPREAD &&
                     options->landmark_choice <= VOLT_LANDMARKS_RANDOM,
                 VOLT_ERR_ARGUMENT, "unknown landmark choice %d", (int)options->landmark_choice);
    problem->solver = solver ? solver : &volt_solver_exact;
    if (volt_solver_keeps_landmarks(problem->solver))
        return use_landmarks(options, problem);
    if (solver || !exact_is_too_much(problem, &found))
        return VOLT_OK;
    problem->solver = volt_solver_approximate();
    problem->prefers_states = true;
    VOLT_TRY(use_landmarks(options, problem));
    *why = found;
    return VOLT_OK;
}

volt_search_options volt_search_options_default(void)
{
    volt_search_options options = {.struct_size = sizeof(volt_search_options),
                                   .splits = volt_split_options_default(),
                                   .intercept = 1,
                                   .scale = 1,
                                   .tolerance = 1e-6};
    return options;
}

void volt_problem_free(volt_problem *problem)
{
    if (!problem)
        return;
    volt_free(problem->shifted.Z);
    volt_free(problem->unshifted.Z);
    volt_past_release(&problem->shifted.past);
    volt_past_release(&problem->unshifted.past);
    volt_free(problem->Y);
    volt_free(problem->fitted_Y);
    volt_free(problem->without);
    volt_free(problem->levels);
    volt_free(problem->target_mean);
    volt_free(problem->target_scale);
    volt_free(problem->splits);
    volt_records_release(&problem->records);
    volt_fold_loss_free(problem->loss);
    volt_free(problem);
}

static volt_status check_options(const volt_search_options *options)
{
    VOLT_REQUIRE(options->start == VOLT_START_CONTINUE || options->start == VOLT_START_RESET, VOLT_ERR_ARGUMENT,
                 "unknown start %d", (int)options->start);
    VOLT_REQUIRE(options->score >= VOLT_SCORE_R2 && options->score <= VOLT_SCORE_LOSS, VOLT_ERR_ARGUMENT,
                 "unknown score %d", (int)options->score);
    VOLT_REQUIRE(options->washout >= 0, VOLT_ERR_ARGUMENT, "the washout must be at least 0 (got %" PRId64 ")",
                 options->washout);
    if (options->score < VOLT_SCORE_PREQUENTIAL || options->score == VOLT_SCORE_LOSS)
        return VOLT_OK;
    const char *name = volt_score_name(options->score);
    VOLT_REQUIRE(options->start == VOLT_START_CONTINUE, VOLT_ERR_ARGUMENT,
                 "the score %s does not support the start reset", name);
    VOLT_REQUIRE(options->splits.max_train == 0 && !options->splits.rolling, VOLT_ERR_ARGUMENT,
                 "the score %s does not support a maximum training length", name);
    VOLT_REQUIRE(options->score == VOLT_SCORE_PREQUENTIAL || options->splits.gap == 0, VOLT_ERR_ARGUMENT,
                 "the score %s does not support a gap", name);
    return VOLT_OK;
}

static volt_status check(volt_view X, volt_view Y, const volt_search_options *options)
{
    VOLT_TRY(volt_check_pairs(X, Y));
    VOLT_TRY(check_options(options));
    VOLT_TRY(volt_initial_check(options->initial, options->initial_values, X.cols, false));
    if (options->base.data) {
        VOLT_REQUIRE(options->base.rows == Y.rows && options->base.cols == Y.cols, VOLT_ERR_SHAPE,
                     "the base is %" PRId64 " x %" PRId64 " and the targets are %" PRId64 " x %" PRId64
                     " (must be equal)",
                     options->base.rows, options->base.cols, Y.rows, Y.cols);
        VOLT_TRY(volt_require_finite("base", options->base));
    }
    return VOLT_OK;
}

/* At least one row must be left after the washout, two with an intercept. */
static volt_status check_kept(const volt_problem *problem, int64_t rows, const char *what)
{
    int64_t least = problem->intercept ? 2 : 1;
    VOLT_REQUIRE(rows - problem->washout >= least, VOLT_ERR_ARGUMENT,
                 "%s: there are %" PRId64 ", but a washout of %" PRId64 " leaves fewer than %" PRId64, what,
                 rows, problem->washout, least);
    return VOLT_OK;
}

/* Every training part must keep at least one row after the washout, two with an intercept. */
static volt_status check_training(const volt_problem *problem)
{
    int64_t least = problem->intercept ? 2 : 1;
    for (int64_t k = 0; k < problem->n_splits; k++) {
        int64_t rows = problem->splits[k].train_end - problem->splits[k].train_begin;
        VOLT_REQUIRE(rows - problem->washout >= least, VOLT_ERR_ARGUMENT,
                     "the training part of fold %" PRId64 " has %" PRId64 " rows, but a washout of %" PRId64
                     " leaves fewer than %" PRId64,
                     k + 1, rows, problem->washout, least);
    }
    return VOLT_OK;
}

/* Converts splits of records to splits of rows. The gap is in rows. */
static volt_status split_records(const volt_problem *problem, const volt_split_options *options,
                                 volt_split *splits)
{
    const volt_records *records = &problem->records;
    volt_split_options of_records = *options;
    of_records.gap = 0;
    VOLT_TRY(volt_splits(records->n, &of_records, splits));
    for (int64_t k = 0; k < options->folds; k++) {
        int64_t *at[] = {&splits[k].train_begin, &splits[k].train_end, &splits[k].begin, &splits[k].end};
        for (int i = 0; i < 4; i++)
            *at[i] = *at[i] > 0 ? records->ends[*at[i] - 1] : 0;
        splits[k].train_end -= options->gap;
    }
    return VOLT_OK;
}

static volt_status split_rows(const volt_problem *problem, const volt_search_options *options,
                              volt_split *splits)
{
    return options->folds_by_records ? split_records(problem, &options->splits, splits)
                                     : volt_splits(problem->n, &options->splits, splits);
}

static volt_status make_splits(const volt_search_options *options, volt_problem *problem)
{
    int64_t n = options->folds_by_records ? problem->records.n : problem->n;
    if (volt_score_is_of_all_rows(options->score)) {
        problem->folds = 1;
        problem->max_rows = problem->n;
        return check_kept(problem, problem->n, "the rows");
    }
    problem->n_splits = problem->folds = options->splits.folds;
    if (problem->n_splits < 1 || problem->n_splits > n) /* the error is already set */
        return split_rows(problem, options, &(volt_split){0});
    problem->splits = volt_alloc(problem->n_splits, sizeof *problem->splits);
    if (!problem->splits)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(split_rows(problem, options, problem->splits));
    VOLT_TRY(check_training(problem));
    for (int64_t k = 0; k < problem->n_splits; k++) {
        const volt_split *split = &problem->splits[k];
        int64_t end = problem->start == VOLT_START_RESET ? split->train_end : split->end;
        problem->max_rows = volt_max(problem->max_rows, end - split->train_begin);
    }
    return VOLT_OK;
}

/* The initial input, scaled. */
static volt_status scale_past(const volt_search_options *options, volt_view X, const volt_input_scale *scale,
                              volt_past *past)
{
    double *values = NULL;
    VOLT_TRY(volt_initial_values(options->initial, options->initial_values, X, &values));
    if (values)
        volt_input_scale_row(scale, X.cols, values, values);
    volt_status status = volt_initial_past(options->initial, values, X.cols, past);
    volt_free(values);
    return status;
}

static volt_status scale_inputs(volt_view X, bool centre, const volt_search_options *options,
                                volt_scaled_inputs *inputs)
{
    volt_input_scale scale = {.shift = volt_alloc_doubles(X.cols, 1)};
    inputs->Z = volt_alloc_doubles(X.rows, X.cols);
    volt_status status =
        scale.shift && inputs->Z ? volt_input_scale_learn(X, centre, !options->scale, &scale) : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        volt_input_scale_row(&scale, X.cols, X.data + i * X.ld, inputs->Z + i * X.cols);
    if (status == VOLT_OK)
        status = volt_extent_of(volt_view_of(inputs->Z, X.rows, X.cols), "the inputs", &inputs->extent);
    if (status == VOLT_OK)
        status = scale_past(options, X, &scale, &inputs->past);
    volt_free(scale.shift);
    return status;
}

/* Changes are in the units of a fit (fit/fit.c): about zero, in units of their root mean square. */
static void learn_change_scale(volt_view Y, double *mean, double *scale)
{
    for (int64_t k = 0; k < Y.cols; k++) {
        volt_squares squares = {0};
        for (int64_t i = 0; i < Y.rows; i++)
            volt_squares_add(&squares, Y.data[i * Y.ld + k]);
        double unit = volt_squares_root_mean(&squares, Y.rows);
        mean[k] = 0;
        scale[k] = unit > 0 && isfinite(1 / unit) ? unit : 1;
    }
}

static volt_status scale_targets(volt_view Y, bool identity, bool changes, volt_problem *problem)
{
    problem->target_mean = volt_alloc_doubles(Y.cols, 1);
    problem->target_scale = volt_alloc_doubles(Y.cols, 1);
    problem->Y = volt_alloc_doubles(Y.rows, Y.cols);
    if (!problem->target_mean || !problem->target_scale || !problem->Y)
        return VOLT_ERR_MEMORY;
    const volt_fold_loss *loss = problem->loss;
    bool unscaled = loss && loss->fit.loss->kind->info.unscaled;
    volt_missing_targets missing_targets; /* rows of weight 0 are not fitted, and their targets are ignored */
    const double *weights = loss ? loss->weights : NULL;
    volt_status status = volt_missing_targets_find(Y, weights, false, 0, &missing_targets);
    if (status == VOLT_OK) {
        volt_target_scale_learn(missing_targets.present, identity || unscaled, problem->target_mean,
                                problem->target_scale);
        if (identity && !unscaled)
            volt_target_scale_powers(missing_targets.present, problem->target_scale);
        if (changes && !identity)
            learn_change_scale(missing_targets.present, problem->target_mean, problem->target_scale);
        for (int64_t i = 0; i < Y.rows; i++)
            for (int64_t k = 0; k < Y.cols; k++)
                problem->Y[i * Y.cols + k] =
                    missing_targets.without && missing_targets.without[i]
                        ? 0
                        : (Y.data[i * Y.ld + k] - problem->target_mean[k]) / problem->target_scale[k];
    }
    for (int64_t i = 0; status == VOLT_OK && problem->without && i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols && !problem->without[i]; k++)
            problem->fitted_Y[i * Y.cols + k] = problem->Y[i * Y.cols + k];
    volt_missing_targets_release(&missing_targets);
    return status;
}

/* Targets plus base, in the units of the scaled targets; their offset is irrelevant. */
static volt_status add_base(volt_view base, volt_problem *problem)
{
    int64_t n = problem->n, q = problem->q;
    if (!base.data || problem->score == VOLT_SCORE_LOSS)
        return VOLT_OK; /* the loss of a difference equals the loss of levels */
    problem->levels = volt_alloc_doubles(n, q);
    if (!problem->levels)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            problem->levels[i * q + k] =
                problem->Y[i * q + k] + base.data[i * base.ld + k] / problem->target_scale[k];
    return VOLT_OK;
}

static volt_status check_records(const volt_search_options *options, const volt_problem *problem)
{
    int64_t n = problem->records.n;
    VOLT_REQUIRE(n > 0 || !options->folds_by_records, VOLT_ERR_ARGUMENT,
                 "folds by records require at least two records, but the rows are one sequence");
    if (n == 0 || options->washout == 0)
        return VOLT_OK;
    bool is_of_blocks = options->score < VOLT_SCORE_PREQUENTIAL && !problem->loss;
    bool is_nested = options->splits.max_train == 0 && !options->splits.rolling;
    VOLT_REQUIRE(is_of_blocks && is_nested, VOLT_ERR_ARGUMENT,
                 "the washout must be 0 for %" PRId64 " records (got %" PRId64
                 " rows) with %s: only r2, nmse and mse without a maximum training length support it",
                 n, options->washout,
                 !is_nested      ? "a maximum training length"
                 : problem->loss ? "a loss or weights"
                                 : volt_score_name(options->score));
    return VOLT_OK;
}

/* The washout of every record. The leading washout of training parts is then unused. */
static volt_status exclude_washouts(volt_problem *problem)
{
    int64_t n = problem->n, q = problem->q, washout = problem->washout;
    if (problem->records.n == 0 || washout == 0)
        return VOLT_OK;
    problem->washout = 0;
    problem->record_washout = washout;
    problem->without = volt_alloc_zero(n, sizeof *problem->without);
    problem->fitted_Y = volt_alloc_zero(n * q, sizeof *problem->fitted_Y);
    if (!problem->without || !problem->fitted_Y)
        return VOLT_ERR_MEMORY;
    volt_records_mark_starts(&problem->records, n, washout, problem->without);
    return VOLT_OK;
}

/* Every training part must keep a row, two with an intercept. */
static volt_status check_fitted(const volt_problem *problem)
{
    for (int64_t k = 0; problem->without && k < problem->n_splits; k++) {
        int64_t fitted = 0, scored = 0, least = problem->intercept ? 2 : 1;
        for (int64_t i = problem->splits[k].train_begin; i < problem->splits[k].train_end; i++)
            fitted += !problem->without[i];
        for (int64_t i = problem->splits[k].begin; i < problem->splits[k].end; i++)
            scored += !problem->without[i];
        VOLT_REQUIRE(fitted >= least && scored >= 1, VOLT_ERR_ARGUMENT,
                     "a washout of %" PRId64 " leaves %" PRId64 " training rows and %" PRId64
                     " validation rows of fold %" PRId64,
                     problem->record_washout, fitted, scored, k + 1);
    }
    return VOLT_OK;
}

/* The shape of the rows, and the options. */
static volt_problem shape_of(int64_t n, int64_t d, int64_t q, const volt_search_options *options)
{
    return (volt_problem){
        .n = n,
        .d = d,
        .q = q,
        .backend = options->loss || options->weights ? &volt_cpu_backend : volt_backend_current(),
        .start = options->start,
        .washout = options->washout,
        .initial = options->initial,
        .intercept = options->intercept != 0,
        .score = options->score,
        .gap = options->splits.gap,
        .simulates = options->validate == VOLT_VALIDATE_SIMULATE,
        .scaled = options->scale != 0,
    };
}

volt_status volt_problem_outline(int64_t n, int64_t d, int64_t q, const volt_search_options *options,
                                 volt_problem **problem, const char **why)
{
    VOLT_TRY(check_options(options));
    volt_problem *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    *fresh = shape_of(n, d, q, options);
    fresh->shifted.extent = fresh->unshifted.extent = (volt_extent){.radius = 0, .largest = 1};
    volt_status status = volt_records_make(NULL, 0, n, &fresh->records);
    if (status == VOLT_OK)
        status = make_splits(options, fresh);
    if (status == VOLT_OK)
        status = problem_choose_solver(options, fresh, why);
    if (status == VOLT_OK)
        *problem = fresh;
    else
        volt_problem_free(fresh);
    return status;
}

volt_status volt_problem_create(volt_view X, volt_view Y, const volt_search_options *options,
                                volt_problem **problem)
{
    VOLT_TRY(check(X, Y, options));
    volt_problem *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    *fresh = shape_of(X.rows, X.cols, Y.cols, options);
    bool identity = !options->scale;
    const char *why = NULL;
    volt_status status = volt_fold_loss_create(Y, options, &fresh->loss);
    if (fresh->loss) {
        Y = fresh->loss->fit.Y;
        fresh->q = Y.cols;
    }
    if (status == VOLT_OK)
        status = volt_records_make(options->records, options->n_records, X.rows, &fresh->records);
    if (status == VOLT_OK)
        status = check_records(options, fresh);
    if (status == VOLT_OK)
        status = exclude_washouts(fresh);
    if (status == VOLT_OK)
        status = make_splits(options, fresh);
    if (status == VOLT_OK)
        status = check_fitted(fresh);
    if (status == VOLT_OK)
        status = volt_fold_loss_check(fresh);
    if (status == VOLT_OK)
        status = problem_choose_solver(options, fresh, &why);
    if (status == VOLT_OK && why)
        volt_log(VOLT_LOG_WARNING, "the solver of the candidates is %s, with %" PRId64 " landmarks: %s",
                 fresh->solver->info.name, fresh->landmarks, why);
    if (status == VOLT_OK)
        status = scale_inputs(X, true, options, &fresh->shifted);
    if (status == VOLT_OK)
        status = scale_inputs(X, false, options, &fresh->unshifted);
    if (status == VOLT_OK)
        status = scale_targets(Y, identity, options->base.data != NULL, fresh);
    if (status == VOLT_OK)
        status = add_base(options->base, fresh);
    if (status == VOLT_OK)
        *problem = fresh;
    else
        volt_problem_free(fresh);
    return status;
}

int64_t volt_longest_block(const volt_problem *problem)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < problem->n_splits; k++)
        longest = volt_max(longest, problem->splits[k].end - problem->splits[k].begin);
    return longest;
}

/* Number of explicit states of the candidate, if it can be evaluated in them. */
static int64_t local_states(const volt_problem *problem, const volt_resolved *resolved)
{
    int64_t states = volt_states_count(resolved);
    bool blocks = problem->score < VOLT_SCORE_PREQUENTIAL && !problem->loss;
    return blocks && volt_state_sums_are_cheaper(problem->max_rows, states) ? states : 0;
}

const volt_solver *volt_candidate_solver(const volt_problem *problem, const volt_resolved *resolved)
{
    bool has_states = local_states(problem, resolved) > 0;
    return problem->landmarks > 0 && !(problem->prefers_states && has_states) ? problem->solver
           : has_states                                                       ? &volt_solver_features
                                                                              : &volt_solver_exact;
}

int64_t volt_candidate_states(const volt_problem *problem, const volt_resolved *resolved)
{
    return volt_candidate_solver(problem, resolved)->needs.landmarks ? problem->landmarks
                                                                     : local_states(problem, resolved);
}

/* Bytes that an evaluation allocates in addition to the workspace and the inputs. */
static double evaluation_bytes(const volt_problem *problem, const volt_resolved *resolved)
{
    return volt_candidate_states(problem, resolved) > 0
               ? volt_state_folds_bytes(problem, resolved)
               : volt_engine_bytes(resolved, problem->max_rows, problem->max_rows);
}

volt_status volt_candidate_bytes(const volt_problem *problem, const char *text, bool feeds, double *bytes)
{
    volt_kernel *kernel = NULL;
    volt_resolved resolved = {0};
    volt_extent extents[VOLT_MAX_FACTORS];
    *bytes = 0;
    volt_status status = volt_kernel_parse(text, &kernel);
    if (status != VOLT_OK)
        return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
    const volt_scaled_inputs *inputs =
        volt_kernel_keeps_origin(kernel) ? &problem->unshifted : &problem->shifted;
    int64_t slices = volt_kernel_slices(kernel), columns = problem->d + (feeds ? problem->q : 0);
    for (int64_t s = 0; s < slices; s++) /* a filter hardly changes norms and does not change memory */
        extents[s] = inputs->extent;
    status = volt_kernel_outline_slices(kernel, extents, columns, &resolved);
    if (status == VOLT_OK)
        *bytes = evaluation_bytes(problem, &resolved);
    if (volt_kernel_filters(kernel))
        *bytes += 8 * (double)problem->n * (double)(slices * columns);
    if (feeds)
        *bytes += 8 * (double)problem->n * (double)columns;
    volt_resolved_release(&resolved);
    volt_kernel_free(kernel);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* ---- workspace of an evaluation ---------------------------------------------------------------------- */

/* Numbers overwritten by a fit with a loss: a Gram matrix of the longest training part, and intercepts. */
static double part_numbers(const volt_problem *problem)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < problem->n_splits; k++)
        longest = volt_max(longest, problem->splits[k].train_end - problem->splits[k].train_begin);
    return (double)longest * (double)longest + (double)problem->q;
}

/* Rows of the stored Gram matrix. */
static int64_t stored_rows(const volt_problem *problem)
{
    return problem->landmarks > 0 ? 1 : problem->max_rows;
}

/* Whether a block after a reset requires a separate buffer. */
static bool has_cross(const volt_problem *problem)
{
    return problem->start == VOLT_START_RESET && problem->landmarks == 0;
}

void volt_workspace_free(volt_workspace *workspace)
{
    if (!workspace)
        return;
    if (workspace->factor)
        workspace->factor->backend->release(workspace->cross);
    volt_factor_free(workspace->factor);
    volt_free(workspace->W);
    volt_free(workspace->D);
    volt_free(workspace->forecast);
    volt_free(workspace->diagonal);
    volt_free(workspace->part);
    volt_free(workspace->precisions);
    volt_free(workspace->profile);
    volt_free(workspace);
}

int64_t volt_workspace_bind(const volt_workspace *workspace)
{
    return volt_backend_bind(workspace->factor->backend, workspace->device);
}

volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace)
{
    const volt_backend *backend = problem->backend;
    int64_t n = problem->max_rows, block = volt_longest_block(problem);
    bool resets = has_cross(problem);
    volt_workspace *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->device = volt_backend_bound();
    volt_status status = volt_factor_create(backend, NULL, stored_rows(problem), problem->q, &fresh->factor);
    if (status == VOLT_OK) {
        fresh->W = volt_alloc_doubles(n, problem->q + 1);
        fresh->D = volt_alloc_doubles(n, problem->q);
        fresh->forecast = volt_alloc_doubles(block, problem->q);
        fresh->diagonal = volt_alloc_doubles(n, 1);
        fresh->precisions = volt_alloc_doubles(n, 1);
        fresh->profile = volt_alloc_doubles(VOLT_MAX_ALPHAS, problem->folds);
        fresh->part = problem->loss ? volt_alloc_doubles((int64_t)part_numbers(problem), 1) : NULL;
        fresh->cross = resets ? backend->alloc(block, n) : NULL;
        if (!fresh->W || !fresh->D || !fresh->forecast || !fresh->diagonal || !fresh->precisions ||
            !fresh->profile || (resets && !fresh->cross) || (problem->loss && !fresh->part))
            status = VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK)
        *workspace = fresh;
    else
        volt_workspace_free(fresh);
    return status;
}

/* Bytes of a block after a reset against the training rows. */
static double cross_bytes(const volt_problem *problem)
{
    return has_cross(problem) ? 8 * (double)volt_longest_block(problem) * (double)problem->max_rows : 0;
}

double volt_workspace_bytes(const volt_problem *problem)
{
    double n = (double)problem->max_rows, q = (double)problem->q, block = (double)volt_longest_block(problem);
    double part = problem->loss ? part_numbers(problem) + volt_loss_numbers(n, q) : 0;
    double thin = 8 * (n * (2 * q + 3) + block * q + part);
    double large = volt_factor_bytes(stored_rows(problem), problem->q) + cross_bytes(problem);
    return large - volt_backend_remote_bytes(problem->backend, large) + thin;
}

double volt_workspace_device_bytes(const volt_problem *problem)
{
    double matrix = volt_backend_bytes(problem->backend, (double)problem->max_rows);
    return volt_backend_remote_bytes(problem->backend, matrix + cross_bytes(problem));
}
