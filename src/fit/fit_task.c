/* src/fit/fit_task.c: the task of a fit: rows without targets, solver, options with `auto` resolved, and losses. */
#include "fit/fit_task.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "fit/plan.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "solve/landmark/placement.h"
#include "text/text.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rows without targets ----------------------------------------------------------------------- */

/* Rows without targets. */

static bool is_excluded(volt_view Y, const double *weights, bool missing, int64_t i)
{
    bool out = weights && weights[i] == 0;
    for (int64_t k = 0; missing && !out && k < Y.cols; k++)
        out = isnan(Y.data[i * Y.ld + k]);
    return out;
}

volt_status volt_missing_targets_find(volt_view Y, const double *weights, bool missing, int64_t first,
                                      volt_missing_targets *missing_targets)
{
    int64_t excluded = 0, fitted = 0, kept = 0;
    *missing_targets = (volt_missing_targets){.present = Y};
    for (int64_t i = 0; i < Y.rows; i++) {
        bool is_missing = is_excluded(Y, weights, missing, i);
        excluded += is_missing;
        fitted += !is_missing && i >= first;
    }
    if (excluded == 0)
        return VOLT_OK;
    VOLT_REQUIRE(fitted > 0, VOLT_ERR_DATA,
                 weights ? "the weights of the %" PRId64 " rows to fit sum to 0, or their targets are missing"
                         : "a target is missing in each of the %" PRId64 " rows to fit",
                 Y.rows - first);
    missing_targets->without = volt_alloc_zero(Y.rows, sizeof *missing_targets->without);
    missing_targets->copy = volt_alloc_doubles(Y.rows - excluded, Y.cols);
    if (!missing_targets->without || !missing_targets->copy)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++) {
        missing_targets->without[i] = is_excluded(Y, weights, missing, i);
        if (!missing_targets->without[i])
            memcpy(missing_targets->copy + kept++ * Y.cols, Y.data + i * Y.ld, (size_t)Y.cols * sizeof(double));
    }
    missing_targets->present = volt_view_of(missing_targets->copy, kept, Y.cols);
    return VOLT_OK;
}

volt_status volt_missing_targets_add_washout(const volt_records *records, int64_t rows, int64_t washout,
                                             volt_missing_targets *missing_targets)
{
    int64_t fitted = 0;
    if (!missing_targets->without)
        missing_targets->without = volt_alloc_zero(rows, sizeof *missing_targets->without);
    if (!missing_targets->without)
        return VOLT_ERR_MEMORY;
    volt_records_mark_starts(records, rows, washout, missing_targets->without);
    for (int64_t i = 0; i < rows; i++)
        fitted += !missing_targets->without[i];
    VOLT_REQUIRE(fitted > 0, VOLT_ERR_ARGUMENT,
                 "a washout of %" PRId64 " rows at the start of each of %" PRId64
                 " records leaves no rows to fit",
                 washout, records->n);
    return VOLT_OK;
}

void volt_missing_targets_release(volt_missing_targets *missing_targets)
{
    volt_free(missing_targets->without);
    volt_free(missing_targets->copy);
}

/* ---- the solver --------------------------------------------------------------------------------- */

/* Chooses the solver of a fit: exact when memory and time allow, otherwise
 * approximate. */

static volt_solver_request request_of(const volt_kernel *kernel, const volt_fit_options *options, bool loss)
{
    return (volt_solver_request){.loss = loss,
                                 .factor = options->keep_factor,
                                 .centred = !options->intercept && volt_kernel_is_centred(kernel),
                                 .landmarks = options->landmarks != 0,
                                 .iterations = options->iterations > 0,
                                 .checkpoint = options->checkpoint != NULL,
                                 .tolerance = options->tolerance};
}

volt_status volt_fit_solver_check(const volt_kernel *kernel, bool loss, fit_task *task)
{
    const volt_fit_options *options = task->options;
    volt_solver_request request = request_of(kernel, options, loss);
    int64_t fitted_rows = task->X.rows - options->washout;
    VOLT_TRY(volt_solver_parse(options->solver, &request, &task->solver));
    VOLT_REQUIRE((int)options->landmark_choice >= VOLT_LANDMARKS_SPREAD &&
                     options->landmark_choice <= VOLT_LANDMARKS_RANDOM,
                 VOLT_ERR_ARGUMENT, "unknown landmark choice %d", (int)options->landmark_choice);
    VOLT_REQUIRE(options->landmarks >= VOLT_LANDMARKS_AUTO && options->landmarks <= fitted_rows,
                 VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be 1 to %" PRId64
                 ", the rows after the washout, or automatic (got %" PRId64 ")",
                 fitted_rows, options->landmarks);
    VOLT_REQUIRE(options->iterations >= 0, VOLT_ERR_ARGUMENT,
                 "the number of iterations must be at least 1, or 0 for the default (got %" PRId64 ")",
                 options->iterations);
    VOLT_REQUIRE(options->checkpoint_seconds >= 0 && isfinite(options->checkpoint_seconds), VOLT_ERR_ARGUMENT,
                 "checkpoint_seconds must be at least 0 (got %g)", options->checkpoint_seconds);
    return VOLT_OK;
}

/* Bytes of a fit in the Gram matrix or in states, as planned, plus what the options add. */
static double planned_bytes(const fit_task *task, const volt_plan *plan)
{
    enum { BESIDE_CHANGES = 6 }; /* naive errors, levels, both sets of targets, and the solves of the second */
    double n = (double)task->X.rows, q = (double)task->Y.cols;
    return plan->fit_bytes + (task->chooses && task->change ? 8.0 * BESIDE_CHANGES * n * q : 0) +
           (task->options->keep_factor ? plan->factor_bytes : 0);
}

/* Requires the planned memory. The error message includes the number of rows that would fit. */
static volt_status require_planned(const fit_task *task, double bytes, const volt_plan *plan)
{
    int64_t n = task->X.rows;
    char what[96], first[256];
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows", n);
    volt_status status = volt_memory_require(bytes, what);
    if (status == VOLT_OK)
        return plan->on_device ? volt_place_require(task->backend, n, what) : VOLT_OK;
    snprintf(first, sizeof first, "%s", volt_error_detail());
    return volt_fail(status, "%s; up to %" PRId64 " rows would fit", first, plan->n_that_fits);
}

/* Memory of a solver that reads the rows in blocks. */
static volt_status require_walk(const volt_kernel *kernel, const fit_task *task, int64_t columns,
                                const volt_solver *solver, volt_solver_choice *choice)
{
    enum { COLUMNS = 8 }; /* per landmark */
    int64_t n = task->X.rows, fitted_rows = n - task->options->washout;
    int64_t landmarks = volt_solver_landmarks(solver, task->options->landmarks, fitted_rows);
    bool keeps_landmarks = volt_solver_keeps_landmarks(solver);
    double width = (double)(columns * volt_kernel_slices(kernel));
    double bytes = volt_solver_fit_bytes(solver, (double)n, width, (double)task->Y.cols, (double)landmarks);
    if (task->options->feedback_weight > 0 && keeps_landmarks) /* fed-back targets require all rows */
        bytes += 8 * (double)n * width;
    *choice = (volt_solver_choice){.solver = solver,
                                   .landmarks = keeps_landmarks ? landmarks : 0,
                                   .preconditioner_landmarks = keeps_landmarks ? 0 : landmarks};
    bool on_device = !keeps_landmarks &&
                     volt_place_features(task->backend, n, landmarks, COLUMNS * landmarks) != &volt_cpu_backend;
    if (on_device) /* the features of all rows */
        bytes -= 8 * (double)n * (double)landmarks;
    char what[128];
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows by %s with %" PRId64 " landmarks", n,
             solver->info.name, landmarks);
    return volt_memory_require(bytes, what);
}

const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan)
{
    bool stores = !plan->on_device && bytes >= volt_solver_exact.bytes((double)n, q, 0);
    if (plan->available_bytes > 0 && bytes > plan->available_bytes)
        return "an exact fit does not fit in memory";
    return stores && n > VOLT_MAX_EXACT ? "an exact fit would take hours" : NULL;
}

volt_status volt_fit_solver_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                   volt_solver_choice *choice)
{
    const volt_fit_options *options = task->options;
    const volt_solver *solver = task->solver, *approximate = volt_solver_approximate();
    int64_t n = task->X.rows, q = task->Y.cols;
    if (solver && volt_solver_recomputes(solver))
        return require_walk(kernel, task, columns, solver, choice);
    if (!solver && (loss || options->keep_factor)) /* the factor belongs to rows, even when the kernel has
                                                    * states */
        solver = volt_solver_choose(n, q, 0, loss, volt_solver_available(task->backend, n));
    *choice = (volt_solver_choice){.solver = solver};
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(kernel, solver, n, columns, q, 0, task->backend, &plan));
    double bytes = planned_bytes(task, &plan);
    const char *why = volt_exact_is_too_much(n, (double)q, bytes, &plan);
    volt_solver_request request = request_of(kernel, options, loss);
    if (why && !task->solver && n >= VOLT_MIN_LARGE && volt_solver_check(approximate, &request) == VOLT_OK) {
        volt_solver_choice other;
        if (require_walk(kernel, task, columns, approximate, &other) == VOLT_OK) {
            volt_log(VOLT_LOG_WARNING, "the solver is %s, with %" PRId64 " landmarks: %s",
                     approximate->info.name, other.landmarks, why);
            *choice = other;
            return VOLT_OK;
        }
    }
    return require_planned(task, bytes, &plan);
}

/* ---- the task ----------------------------------------------------------------------------------- */

static volt_status check_feedback(const volt_fit_options *options)
{
    VOLT_REQUIRE(options->feedback_weight >= 0 && isfinite(options->feedback_weight), VOLT_ERR_ARGUMENT,
                 "the feedback weight must be positive and finite, or 0 for none (got %g)",
                 options->feedback_weight);
    if (options->feedback_weight == 0)
        return VOLT_OK;
    VOLT_REQUIRE(options->ahead == 0, VOLT_ERR_ARGUMENT,
                 "a feedback weight requires ahead = 0, so that the previous target is known (got ahead = "
                 "%" PRId64 ")",
                 options->ahead);
    VOLT_REQUIRE(!options->feedback, VOLT_ERR_ARGUMENT, "feedback and feedback_weight are mutually exclusive");
    return VOLT_OK;
}

static volt_status check_options(const volt_fit_options *options, volt_view X, volt_view Y)
{
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite, or 0 for automatic choice (got %g)", options->alpha);
    VOLT_REQUIRE(options->alpha_start >= 0, VOLT_ERR_ARGUMENT,
                 "alpha_start must be positive, or 0 for none (got %g)", options->alpha_start);
    VOLT_REQUIRE(options->tolerance >= 0 && options->tolerance < 1, VOLT_ERR_ARGUMENT,
                 "the tolerance must be above 0 and below 1, or 0 for the default (got %g)",
                 options->tolerance);
    VOLT_REQUIRE(options->target >= VOLT_TARGET_LEVEL && options->target <= VOLT_TARGET_AUTO, VOLT_ERR_ARGUMENT,
                 "target must be one of volt_target, 0 to %d (got %d)", (int)VOLT_TARGET_AUTO,
                 (int)options->target);
    VOLT_REQUIRE(options->input >= VOLT_INPUT_LEVEL && options->input <= VOLT_INPUT_AUTO, VOLT_ERR_ARGUMENT,
                 "input must be one of volt_input, 0 to %d (got %d)", (int)VOLT_INPUT_AUTO,
                 (int)options->input);
    VOLT_REQUIRE(options->washout >= 0 && options->washout < X.rows, VOLT_ERR_ARGUMENT,
                 "the washout must be 0 to %" PRId64 ", one less than the rows (got %" PRId64 ")", X.rows - 1,
                 options->washout);
    VOLT_REQUIRE(!options->scale_each || options->scale, VOLT_ERR_ARGUMENT, "scale_each requires scale");
    VOLT_REQUIRE(options->ahead >= 0 && options->ahead <= VOLT_MAX_AHEAD, VOLT_ERR_ARGUMENT,
                 "ahead must be 0 to %d (got %" PRId64 ")", VOLT_MAX_AHEAD, options->ahead);
    VOLT_REQUIRE(!options->feedback || X.cols == Y.cols, VOLT_ERR_ARGUMENT,
                 "feedback requires equal numbers of outputs and inputs (got %" PRId64 " and %" PRId64 ")",
                 Y.cols, X.cols);
    VOLT_TRY(check_feedback(options));
    VOLT_TRY(
        volt_initial_check(options->initial, options->initial_values, X.cols, options->feedback_weight > 0));
    VOLT_REQUIRE(options->season == VOLT_SEASON_AUTO || options->season == 0 ||
                     (options->season >= 2 && options->season < X.rows),
                 VOLT_ERR_ARGUMENT,
                 "the season must be 0 (none) or 2 to %" PRId64 ", one less than the rows (got %" PRId64
                 " rows)",
                 X.rows - 1, options->season);
    VOLT_REQUIRE(options->passthrough_columns >= 0 && options->passthrough_columns < X.cols, VOLT_ERR_ARGUMENT,
                 "passthrough_columns must be 0 to %" PRId64 ", one less than the inputs (got %" PRId64 ")",
                 X.cols - 1, options->passthrough_columns);
    for (int64_t k = 0; options->anchors && k < Y.cols; k++)
        VOLT_REQUIRE(options->anchors[k] >= -1 && options->anchors[k] < X.cols, VOLT_ERR_ARGUMENT,
                     "anchors must be -1 (none) or an input, 0 to %" PRId64 " (got %" PRId64
                     " for target %" PRId64 ")",
                     X.cols - 1, options->anchors[k], k);
    return VOLT_OK;
}

bool volt_fit_task_can_change(const volt_fit_options *options, int64_t q)
{
    bool can = options->anchors && options->ahead >= 1;
    for (int64_t k = 0; can && k < q; k++)
        can = options->anchors[k] >= 0;
    return can;
}

int64_t volt_fit_task_blocks(const volt_fit_options *options, int64_t q)
{
    bool has_targets = options->feedback != 0 || options->feedback_weight > 0;
    for (int64_t k = 0; options->anchors && k < q; k++)
        has_targets |= options->anchors[k] >= 0;
    return has_targets ? 0 : VOLT_HELD_OUT_BLOCKS;
}

/* Detects the season of the first target that has one, in the first of the longest records. */
static volt_status find_season(const fit_task *task, int64_t rows, int64_t *season)
{
    int64_t first = 0, count = 0;
    for (int64_t i = 0, end = 0; i < rows; i = end) {
        end = volt_records_segment_end(task->records, i, rows);
        if (end - i > count) {
            first = i;
            count = end - i;
        }
    }
    const double *x = task->X.data + first * task->X.ld;
    *season = 0;
    for (int64_t k = 0; k < task->Y.cols && *season == 0; k++)
        VOLT_TRY(volt_season_find(x + task->options->anchors[k], count, task->X.ld, season));
    return VOLT_OK;
}

volt_status volt_fit_task_resolve(volt_view X, volt_view Y, const volt_fit_options *options,
                                  const volt_records *records, int64_t learn_rows, fit_task *task)
{
    VOLT_TRY(check_options(options, X, Y));
    bool can = volt_fit_task_can_change(options, Y.cols), open = options->alpha == 0;
    *task = (fit_task){.X = X, .Y = Y, .options = options, .season = options->season, .records = records};
    VOLT_REQUIRE(options->target != VOLT_TARGET_CHANGE || can, VOLT_ERR_ARGUMENT,
                 "learning changes requires every target to be an input and at least one row ahead; "
                 "here %s",
                 options->ahead < 1 ? "targets are 0 rows ahead" : "a target is not an input");
    task->change =
        options->target == VOLT_TARGET_CHANGE || (options->target == VOLT_TARGET_AUTO && can && open);
    task->level = options->target == VOLT_TARGET_LEVEL ||
                  (options->target == VOLT_TARGET_AUTO && !task->change) ||
                  (options->target == VOLT_TARGET_AUTO && open);
    task->chooses = open || (options->guarded && task->change);
    task->input = options->input != VOLT_INPUT_AUTO ? options->input
                  : can && open                     ? VOLT_INPUT_BOTH
                                                    : VOLT_INPUT_LEVEL;
    if (task->input == VOLT_INPUT_LEVEL || !can)
        task->season = 0;
    else if (task->season == VOLT_SEASON_AUTO)
        VOLT_TRY(find_season(task, learn_rows, &task->season));
    return VOLT_OK;
}

volt_status volt_fit_task_recipe(const fit_task *task, int64_t learn_rows, volt_recipe *recipe)
{
    const volt_fit_options *options = task->options;
    volt_recipe_task wanted = {.kind = task->input,
                               .ahead = options->ahead,
                               .season = task->season,
                               .anchors = options->anchors,
                               .q = task->Y.cols,
                               .passthrough_columns = options->passthrough_columns,
                               .scale = options->scale != 0,
                               .scale_each = options->scale_each != 0,
                               .records = task->records};
    VOLT_TRY(volt_recipe_learn(volt_view_rows(task->X, 0, learn_rows), &wanted, recipe));
    return options->feedback_weight > 0 ? volt_recipe_feed_back(recipe, task->Y.cols, options->feedback_weight)
                                        : VOLT_OK;
}

void volt_fit_task_scale_targets(const fit_task *task, const volt_model *model, bool change, volt_matrix T)
{
    int64_t w = model->washout;
    for (int64_t i = 0; i < T.rows; i++)
        for (int64_t k = 0; k < T.cols; k++) {
            double y = task->Y.data[(w + i) * task->Y.ld + k];
            double from =
                change ? task->X.data[(w + i) * task->X.ld + task->options->anchors[k]] : model->target_mean[k];
            T.data[i * T.ld + k] = fit_task_has_target(task, w + i) ? (y - from) / model->target_scale[k] : 0;
        }
}

void volt_fit_task_take_change(const fit_task *task, int64_t k, volt_model *model)
{
    model->anchors[k] = task->options->anchors[k];
    model->target_mean[k] = 0;
}

/* Removes the anchors from the options when the loss does not learn changes (classes, counts).
 * VOLT_ERR_ARGUMENT when the options require changes. */
static volt_status loss_fit_anchors(volt_fit_options *options)
{
    volt_loss *loss = NULL;
    if (!options->loss)
        return VOLT_OK;
    VOLT_TRY(volt_loss_parse(options->loss, &loss));
    bool unscaled = loss->kind->info.unscaled != 0;
    volt_loss_free(loss);
    VOLT_REQUIRE(!unscaled || options->target != VOLT_TARGET_CHANGE, VOLT_ERR_ARGUMENT,
                 "loss %s cannot learn the change of a target", options->loss);
    if (unscaled)
        options->anchors = NULL;
    return VOLT_OK;
}

/* ---- prepared rows for comparisons -------------------------------------------------------------- */

/* Inputs and targets of a fit as matrices, for searches and comparisons that fit
 * many kernels to the same columns. */

/* A result, and whether its matrices are its own. */
typedef struct prepared {
    volt_prepared made; /* first: pointers to it are pointers to this struct */
    bool is_own;
} prepared;

/* Computes the columns of all rows. Rows after the first `learn_rows` are clipped to the range of those. */
static volt_status fill_columns(const fit_task *task, const volt_recipe *recipe, int64_t learn_rows,
                                double *columns)
{
    volt_view X = task->X;
    volt_recent recent = {0};
    VOLT_TRY(volt_recent_create(recipe, &recent));
    for (int64_t i = 0; i < X.rows; i++) {
        double *row = columns + i * recipe->columns;
        if (volt_records_begins(task->records, i))
            volt_recent_restart(&recent);
        volt_recipe_row(recipe, &recent, X.data + i * X.ld, row);
        volt_recent_push(recipe, &recent, X.data + i * X.ld);
        if (i >= learn_rows)
            volt_recipe_clip(recipe, row);
    }
    volt_recent_release(&recent);
    return VOLT_OK;
}

static void fill_targets(const fit_task *task, double *targets, double *base)
{
    int64_t q = task->Y.cols;
    for (int64_t i = 0; i < task->Y.rows; i++)
        for (int64_t k = 0; k < q; k++) {
            double now = task->change ? task->X.data[i * task->X.ld + task->options->anchors[k]] : 0;
            targets[i * q + k] = task->Y.data[i * task->Y.ld + k] - now;
            if (base)
                base[i * q + k] = now;
        }
}

/* The initial input as columns; recipe NULL: plain. The recipe uses it for its lags. */
static volt_status prepare_initial(const fit_task *task, volt_recipe *recipe, volt_prepared *made)
{
    const volt_fit_options *options = task->options;
    const volt_recent none = {0};
    double *values = NULL;
    VOLT_TRY(volt_initial_values(options->initial, options->initial_values, task->X, &values));
    made->initial = values ? VOLT_INITIAL_VALUES : options->initial;
    made->initial_values = values;
    if (!recipe || !values)
        return VOLT_OK;
    double *columns = volt_alloc_doubles(task->X.cols + recipe->columns, 1);
    if (!columns)
        return VOLT_ERR_MEMORY;
    memcpy(columns + recipe->columns, values, (size_t)task->X.cols * sizeof *values);
    recipe->initial = columns + recipe->columns;
    volt_recipe_row(recipe, &none, recipe->initial, columns);
    made->initial_values = columns;
    volt_free(values);
    return VOLT_OK;
}

static volt_status prepare(const fit_task *task, int64_t learn_rows, volt_recipe *recipe, prepared *whole)
{
    volt_prepared *made = &whole->made;
    int64_t n = task->X.rows, q = task->Y.cols;
    made->struct_size = sizeof *made;
    made->input = task->input;
    made->target = task->change ? VOLT_TARGET_CHANGE : VOLT_TARGET_LEVEL;
    made->season = task->season;
    made->guarded = task->change && !task->options->loss && !task->options->weights;
    whole->is_own = task->change || task->input != VOLT_INPUT_LEVEL || task->options->scale_each;
    if (!whole->is_own) {
        made->X = task->X;
        made->Y = task->Y;
        return prepare_initial(task, NULL, made);
    }
    VOLT_TRY(volt_fit_task_recipe(task, learn_rows, recipe));
    VOLT_TRY(prepare_initial(task, recipe, made));
    made->X = volt_view_of(volt_alloc_doubles(n, recipe->columns), n, recipe->columns);
    made->Y = volt_view_of(volt_alloc_doubles(n, q), n, q);
    if (task->change)
        made->base = volt_view_of(volt_alloc_doubles(n, q), n, q);
    if (!made->X.data || !made->Y.data || (task->change && !made->base.data))
        return VOLT_ERR_MEMORY;
    fill_targets(task, (double *)made->Y.data, (double *)made->base.data);
    return fill_columns(task, recipe, learn_rows, (double *)made->X.data);
}

volt_status volt_prepare(volt_view X, volt_view Y, const volt_fit_options *options, int64_t learn_rows,
                         volt_prepared **result)
{
    volt_fit_options without = volt_fit_options_default();
    VOLT_TRY(volt_options_take(&without, sizeof without, options, "volt_fit_options"));
    fit_task task;
    volt_recipe recipe = {0};
    without.feedback_weight = 0; /* a search weights fed-back columns for each candidate */
    options = &without;
    VOLT_REQUIRE(result, VOLT_ERR_ARGUMENT, "output argument is NULL");
    VOLT_TRY(volt_check_pairs(X, Y));
    VOLT_TRY(loss_fit_anchors(&without));
    VOLT_REQUIRE(learn_rows >= 1 && learn_rows <= X.rows, VOLT_ERR_ARGUMENT,
                 "learn_rows is %" PRId64 ", but there are %" PRId64 " rows", learn_rows, X.rows);
    volt_records records;
    VOLT_TRY(volt_records_make(options->records, options->n_records, X.rows, &records));
    volt_status status = volt_fit_task_resolve(X, Y, options, &records, learn_rows, &task);
    prepared *made = NULL;
    if (status == VOLT_OK)
        made = volt_alloc_zero(1, sizeof *made);
    if (status == VOLT_OK)
        status = made ? prepare(&task, learn_rows, &recipe, made) : VOLT_ERR_MEMORY;
    volt_recipe_release(&recipe);
    volt_records_release(&records);
    if (status == VOLT_OK)
        *result = &made->made;
    else if (made)
        volt_prepared_free(&made->made);
    return status;
}

void volt_prepared_free(volt_prepared *made)
{
    if (made && ((prepared *)made)->is_own) {
        volt_free((double *)made->X.data);
        volt_free((double *)made->Y.data);
        volt_free((double *)made->base.data);
    }
    if (made)
        volt_free((double *)made->initial_values);
    volt_free(made);
}

/* ---- losses ------------------------------------------------------------------------------------- */

/* Target columns, weights and readout of a fit with a loss. */

#define DEFAULT_TOLERANCE 1e-6

/* ---- options ---------------------------------------------------------------------------------- */

static volt_status check_loss_options(const volt_loss_fit *fit, volt_view Y)
{
    const volt_fit_options *options = &fit->options;
    const char *text = fit->loss->text;
    const volt_loss_info *info = &fit->loss->kind->info;
    VOLT_REQUIRE(options->tolerance > 0 && options->tolerance < 1, VOLT_ERR_ARGUMENT,
                 "the tolerance must be between 0 and 1 (got %g)", options->tolerance);
    VOLT_REQUIRE(!options->guarded, VOLT_ERR_ARGUMENT,
                 "the guard (naive forecast if better on held-out rows) requires squares without weights "
                 "(the loss is %s)",
                 text);
    VOLT_REQUIRE(options->target != VOLT_TARGET_CHANGE || !info->unscaled, VOLT_ERR_ARGUMENT,
                 "loss %s cannot learn the change of a target", text);
    VOLT_REQUIRE(!info->classes || Y.cols == 1, VOLT_ERR_SHAPE,
                 "loss %s requires one target, but there are %" PRId64, text, Y.cols);
    VOLT_REQUIRE(info->classes || options->n_classes == 0, VOLT_ERR_ARGUMENT,
                 "names of %" PRId64 " classes are given, but loss %s has no classes", options->n_classes,
                 text);
    VOLT_REQUIRE(!options->feedback || !info->classes, VOLT_ERR_ARGUMENT,
                 "outputs of loss %s are probabilities and cannot be the next inputs", text);
    VOLT_REQUIRE(options->feedback_weight == 0 || (!info->unscaled && fit->loss->count < 2), VOLT_ERR_ARGUMENT,
                 "outputs of loss %s differ from its targets and cannot be fed back", text);
    return VOLT_OK;
}

/* ---- columns of targets ----------------------------------------------------------------------- */

/* NAME.PART */
static volt_status join_name(const char *name, const char *part, char **joined)
{
    volt_text_buffer text = {0};
    volt_text_put(&text, name);
    volt_text_put(&text, ".");
    volt_text_put(&text, part);
    *joined = text.bytes;
    return text.failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

/* Repeats every target once per level. */
static volt_status repeat_targets(volt_view Y, volt_loss_fit *fit)
{
    const double *levels = fit->loss->values;
    const volt_fit_options *given = &fit->options;
    int64_t count = fit->loss->count, q = Y.cols * count;
    char part[VOLT_NUMBER_LENGTH + 1] = "q";
    fit->targets = volt_alloc_doubles(Y.rows, q);
    fit->anchors = given->anchors ? volt_alloc(q, sizeof *fit->anchors) : NULL;
    fit->names = given->output_names ? volt_alloc_zero(q, sizeof *fit->names) : NULL;
    if (!fit->targets || (given->anchors && !fit->anchors) || (given->output_names && !fit->names))
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < q; k++)
            fit->targets[i * q + k] = Y.data[i * Y.ld + k / count];
    fit->Y = volt_view_of(fit->targets, Y.rows, q);
    for (int64_t k = 0; k < q; k++) {
        if (fit->anchors)
            fit->anchors[k] = given->anchors[k / count];
        volt_format_number(levels[k % count], part + 1);
        if (fit->names)
            VOLT_TRY(join_name(given->output_names[k / count], part, &fit->names[k]));
    }
    return VOLT_OK;
}

/* Rows of weight 0 are not fitted, whatever their target. */
static bool counts(const volt_loss_fit *fit, int64_t row)
{
    return !fit->options.weights || fit->options.weights[row] != 0;
}

/* Finds the distinct values of the fitted rows, ascending, at most VOLT_MAX_LEVELS. */
static volt_status find_classes(volt_view Y, const volt_loss_fit *fit, double values[VOLT_MAX_LEVELS],
                                int64_t *count)
{
    *count = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        double y = Y.data[i * Y.ld];
        int64_t at = 0;
        while (at < *count && values[at] != y)
            at++;
        if (at < *count || isnan(y) || !counts(fit, i))
            continue;
        VOLT_REQUIRE(*count < VOLT_MAX_LEVELS, VOLT_ERR_DATA, "the target has more than %d classes (loss %s)",
                     VOLT_MAX_LEVELS, fit->loss->text);
        values[(*count)++] = y;
    }
    volt_sort(values, *count);
    return VOLT_OK;
}

static volt_status name_classes(volt_loss_fit *fit, const double *values, int64_t count)
{
    const volt_fit_options *given = &fit->options;
    char number[VOLT_NUMBER_LENGTH];
    fit->n_classes = count;
    fit->classes = volt_alloc_zero(count, sizeof *fit->classes);
    fit->names = volt_alloc_zero(count, sizeof *fit->names);
    if (!fit->classes || !fit->names)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        const char *name = given->n_classes > 0 ? given->classes[k] : volt_format_number(values[k], number);
        fit->classes[k] = volt_strdup(name);
        if (!fit->classes[k])
            return VOLT_ERR_MEMORY;
        if (given->output_names) {
            VOLT_TRY(join_name(given->output_names[0], name, &fit->names[k]));
        } else {
            fit->names[k] = volt_strdup(name);
            if (!fit->names[k])
                return VOLT_ERR_MEMORY;
        }
    }
    return VOLT_OK;
}

/* One column per class: 1 for rows of the class, else 0. A loss that fits one function for two classes has
 * -1 and 1 in the second column. */
static volt_status split_classes(volt_view Y, volt_loss_fit *fit)
{
    const char *text = fit->loss->text;
    int64_t first = volt_loss_first_column(fit->loss), most = fit->loss->kind->info.classes;
    double values[VOLT_MAX_LEVELS];
    int64_t q = fit->options.n_classes;
    VOLT_REQUIRE(q <= VOLT_MAX_LEVELS, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " classes are given, but the maximum is %d", q, VOLT_MAX_LEVELS);
    for (int64_t i = 0; i < Y.rows; i++)
        if (counts(fit, i)) {
            double y = Y.data[i * Y.ld];
            VOLT_REQUIRE(!isinf(y), VOLT_ERR_NOT_FINITE, "the class of row %" PRId64 " is not finite", i + 1);
            if (q > 0)
                VOLT_TRY(volt_loss_check_class(y, i, q));
        }
    if (q == 0)
        VOLT_TRY(find_classes(Y, fit, values, &q));
    for (int64_t k = 0; fit->options.n_classes > 0 && k < q; k++)
        values[k] = (double)k;
    VOLT_REQUIRE(q >= 2, VOLT_ERR_DATA, "all targets have the same class, but loss %s requires at least two",
                 text);
    VOLT_REQUIRE(q <= most, VOLT_ERR_DATA,
                 "the targets have %" PRId64 " classes, but loss %s supports at most %" PRId64
                 ": use multinomial",
                 q, text, most);
    VOLT_TRY(name_classes(fit, values, q));
    fit->targets = volt_alloc_doubles(Y.rows, q);
    fit->labels = volt_alloc_doubles(Y.rows, 1);
    if (!fit->targets || !fit->labels)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++) {
        double y = counts(fit, i) ? Y.data[i * Y.ld] : NAN, other = first > 0 ? -1 : 0;
        fit->labels[i] = NAN;
        for (int64_t k = 0; k < q; k++) {
            fit->targets[i * q + k] = isnan(y) ? NAN : k < first ? 0 : y == values[k] ? 1 : other;
            if (y == values[k])
                fit->labels[i] = (double)k;
        }
    }
    fit->Y = volt_view_of(fit->targets, Y.rows, q);
    fit->truth = volt_view_of(fit->labels, Y.rows, 1);
    return VOLT_OK;
}

static volt_status check_targets(const volt_loss_fit *fit, volt_view Y)
{
    const volt_loss_kind *kind = fit->loss->kind;
    for (int64_t i = 0; kind->check && i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            if (!isnan(Y.data[i * Y.ld + k]) && counts(fit, i))
                VOLT_TRY(kind->check(Y.data[i * Y.ld + k], i));
    return VOLT_OK;
}

volt_status volt_loss_fit_begin(volt_view Y, const volt_fit_options *options, volt_loss_fit *fit)
{
    *fit = (volt_loss_fit){.options = *options, .Y = Y, .truth = Y};
    if (volt_loss_is_squares(options->loss) && !options->weights)
        return VOLT_OK;
    VOLT_TRY(volt_loss_parse(options->loss ? options->loss : "squares", &fit->loss));
    if (fit->options.tolerance == 0)
        fit->options.tolerance = DEFAULT_TOLERANCE;
    VOLT_TRY(check_loss_options(fit, Y));
    if (!Y.data)
        return VOLT_OK; /* reported later, with all missing targets */
    VOLT_TRY(check_targets(fit, Y));
    const volt_loss_info *info = &fit->loss->kind->info;
    if (info->classes)
        VOLT_TRY(split_classes(Y, fit));
    else if (fit->loss->count > 1)
        VOLT_TRY(repeat_targets(Y, fit));
    if (info->unscaled)
        fit->options.anchors = NULL; /* changes are not learned for this loss */
    else if (fit->anchors)
        fit->options.anchors = fit->anchors;
    if (fit->names)
        fit->options.output_names = (const char *const *)fit->names;
    return VOLT_OK;
}

void volt_loss_fit_release(volt_loss_fit *fit)
{
    volt_names_free(fit->names, fit->n_classes > 0 ? fit->n_classes : fit->Y.cols);
    volt_names_free(fit->classes, fit->n_classes);
    volt_free(fit->targets);
    volt_free(fit->labels);
    volt_free(fit->anchors);
    volt_loss_free(fit->loss);
}

/* ---- weights ---------------------------------------------------------------------------------- */

bool volt_loss_fit_has_class(const volt_loss_fit *fit, const double *weights, int64_t begin, int64_t end,
                             int64_t k)
{
    for (int64_t i = begin; i < end; i++)
        if (fit->labels[i] == (double)k && (!weights || weights[i] > 0))
            return true;
    return false;
}

volt_status volt_loss_fit_weights(const volt_loss_fit *fit, const volt_missing_targets *missing_targets,
                                  double **weights)
{
    int64_t n = fit->Y.rows;
    const double *given = fit->options.weights;
    double sum = 0, *made = NULL;
    VOLT_TRY(volt_loss_check_weights(given, n));
    for (int64_t i = fit->options.washout; given && i < n; i++)
        sum += missing_targets->without && missing_targets->without[i] ? 0 : given[i];
    VOLT_REQUIRE(!given || sum > 0, VOLT_ERR_DATA,
                 "the weights of the fitted rows sum to 0; at least one must be positive");
    VOLT_REQUIRE(isfinite(sum), VOLT_ERR_ARGUMENT, "the sum of the weights is too large for a double");
    if (given || missing_targets->without) {
        made = volt_alloc_doubles(n, 1);
        if (!made)
            return VOLT_ERR_MEMORY;
        for (int64_t i = 0; i < n; i++)
            made[i] = missing_targets->without && missing_targets->without[i] ? 0 : given ? given[i] : 1;
    }
    for (int64_t k = 0; k < fit->n_classes; k++)
        if (!volt_loss_fit_has_class(fit, made, fit->options.washout, n, k)) {
            volt_free(made);
            return volt_fail(VOLT_ERR_DATA, "no fitted row has class \"%s\"; loss %s requires all classes",
                             fit->classes[k], fit->loss->text);
        }
    *weights = made;
    return VOLT_OK;
}

/* ---- the readout ------------------------------------------------------------------------------ */

/* Converts to predictions: K A of the washout rows, u of the others. */
static volt_status finish_fitted(const fit_task *task, const volt_model *model, volt_matrix fitted)
{
    volt_view X = task->X;
    for (int64_t i = 0; i < model->n; i++) {
        double *row = fitted.data + i * fitted.ld;
        for (int64_t k = 0; i >= model->washout && k < model->q; k++)
            row[k] -= model->intercepts[k];
        VOLT_TRY(volt_model_finish_output(model, i, X.data + i * X.ld, row));
    }
    return VOLT_OK;
}

/* Report without held-out rows. */
static void make_report(volt_model *model)
{
    int64_t q = model->q;
    double *numbers = model->report_numbers;
    for (int64_t k = 0; k < q; k++) {
        numbers[k] = numbers[q + k] = numbers[2 * q + k] = NAN;
        numbers[6 * q + k] = numbers[7 * q + k] = numbers[8 * q + k] = NAN;
        numbers[3 * q + k] = 1;
        for (int64_t j = 11; j < VOLT_REPORT_NUMBERS; j++)
            numbers[j * q + k] = NAN;
    }
    model->report = (volt_fit_report){.struct_size = sizeof(volt_fit_report),
                                      .heldout_r2 = NAN,
                                      .log_likelihood = NAN,
                                      .naive_r2 = NAN,
                                      .solver = volt_solver_exact.info.name,
                                      .residual = NAN};
    volt_fit_report_numbers(model);
    model->has_report = true;
}

volt_status volt_loss_fit_solve(const fit_task *task, volt_loss_fit *fit, const volt_solver *solver,
                                volt_view Z, volt_matrix fitted, volt_model *model)
{
    int64_t w = model->washout, q = model->q, fitted_rows = model->n - w;
    bool intercept = model->intercept || model->resolved.centred;
    volt_matrix A = volt_matrix_of(model->coefficients + w * q, fitted_rows, q);
    double *unlearned = volt_alloc_doubles(q, 1);
    if (!unlearned)
        return VOLT_ERR_MEMORY;
    memset(model->coefficients, 0, (size_t)(w * q) * sizeof(double));
    volt_fit_task_scale_targets(task, model, task->change, A);
    volt_loss_task loss = {.loss = fit->loss,
                           .units = model->target_scale,
                           .weights = task->weights ? task->weights + w : NULL,
                           .tolerance = task->options->tolerance};
    volt_solver_task solved = {.washout = w,
                               .alpha = task->options->alpha,
                               .intercept = intercept,
                               .common = intercept ? model->resolved.common : 0,
                               .centred = model->resolved.centred && !model->intercept,
                               .progress = task->options->progress,
                               .loss = &loss};
    volt_readout readout = {.A = A,
                            .intercepts = model->intercepts,
                            .unlearned = unlearned,
                            .washout_fitted = volt_matrix_rows(fitted, 0, w),
                            .fitted = volt_matrix_rows(fitted, w, fitted_rows)};
    volt_status status = volt_kernel_operator(&model->resolved, model->columns, Z, false, &solved.kernel);
    if (status == VOLT_OK)
        status = solver->solve(&solved, &readout);
    if (status == VOLT_OK)
        status = volt_kernel_operator_end(solved.kernel, &model->end);
    volt_operator_free(solved.kernel);
    volt_free(unlearned);
    VOLT_TRY(status);
    for (int64_t k = 0; k < q; k++) {
        model->alphas[k] = readout.alpha;
        if (task->change)
            volt_fit_task_take_change(task, k, model);
    }
    model->rcond = readout.rcond;
    model->objective = readout.objective;
    model->gap = readout.gap;
    model->tolerance = task->options->tolerance;
    model->loss = fit->loss;
    model->classes = fit->classes;
    model->n_classes = fit->n_classes;
    fit->loss = NULL;
    fit->classes = NULL;
    make_report(model);
    return fitted.data ? finish_fitted(task, model, fitted) : VOLT_OK;
}
