/* src/predict/predict.c: predictions for a sequence of inputs: plain, of sums of models, in free runs and closed loops. */
#include "base/blas.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/views.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "predict/interval/interval.h"
#include "predict/live/live_internal.h"
#include "predict/predict_internal.h"
#include "solve/exact/operator.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the range of the inputs -------------------------------------------------------------------- */

/* Rows outside the range of the training inputs.
 *
 * A row may lie inside the ball of training and still have an input that training never reached, such as a
 * negative input after training on positive ones. Each input is compared with its own range. A recipe of
 * changes has ranges of its own, to which it clips. Ranges are those of the inputs before any weight. */

/* Share of the range by which an input may leave it without a warning. */
static const double margin = 0.1;

/* The model, or the first member of a sum, whose input j has a range that x leaves by more than the margin;
 * NULL: none. */
static const volt_model *find_left(const volt_model *model, int64_t j, double x)
{
    const volt_model *found = NULL;
    for (int64_t i = 0; model->sum && !found && i < model->sum->n; i++)
        found = find_left(model->sum->models[i], j, x);
    if (!model->input_range)
        return found;
    double low = model->input_range[j], high = model->input_range[model->recipe.inputs + j];
    double reach = margin * (high - low);
    return x < low - reach || x > high + reach ? model : NULL;
}

/* The first input of row x outside its range and margin, or -1. */
static int64_t find_outside(const volt_model *model, const double *x)
{
    for (int64_t j = 0; j < model->recipe.inputs; j++)
        if (find_left(model, j, x[j]))
            return j;
    return -1;
}

static void describe(const volt_model *model, double x, volt_predict_warning *warning)
{
    int64_t d = model->recipe.inputs, j = warning->column;
    double low = model->input_range[j], high = model->input_range[d + j];
    const char *name = model->input_names ? model->input_names[j] : "";
    snprintf(warning->text, sizeof warning->text,
             "%" PRId64
             " input row%s the range of the training inputs by more than %g %% of it, first row %" PRId64
             ": input %" PRId64 "%s%.40s%s is %g, %s (training: %g to %g)",
             warning->rows, warning->rows == 1 ? " leaves" : "s leave", 100 * margin, warning->row + 1, j + 1,
             *name ? " (" : "", name, *name ? ")" : "", x, x < low ? "below" : "above", low, high);
}

volt_status volt_model_check_range(const volt_model *model, volt_view X, int64_t row,
                                   volt_predict_warning *warning)
{
    VOLT_REQUIRE(model && warning, VOLT_ERR_ARGUMENT, "the model or the warning is NULL");
    VOLT_TRY(volt_model_check_inputs(model, X));
    int64_t before = warning->rows;
    for (int64_t i = 0; i < X.rows; i++) {
        int64_t j = find_outside(model, X.data + i * X.ld);
        if (j < 0)
            continue;
        if (warning->rows++ == 0) {
            warning->code = VOLT_WARNING_INPUT_RANGE;
            warning->row = row + i;
            warning->column = j;
            warning->value = X.data[i * X.ld + j];
        }
    }
    const volt_model *left = warning->rows > before ? find_left(model, warning->column, warning->value) : NULL;
    if (left)
        describe(left, warning->value, warning);
    return VOLT_OK;
}

/* ---- runs on a device --------------------------------------------------------------------------- */

/* Runs rows of a live object on a device: converts model, state and rows to
 * arrays and back. */

/* Rows between two progress reports; rows that a back end may return unprocessed before it is no longer
 * used. */
enum { MAX_ROWS = 16384, MAX_RETURNED = 32 };

/* ---- the model as arrays ------------------------------------------------------------------------- */

/* The model as a volt_run_form, with arrays that the model does not have in that layout. */
typedef struct run_numbers {
    volt_run_form form;
    double limit[VOLT_FORM_FACTORS], radius[VOLT_FORM_FACTORS];
    volt_outside ball[VOLT_FORM_FACTORS];
    volt_run_filter filter[VOLT_FORM_FACTORS];
    double *bounds; /* 2 x fed: centres, and largest distances from them */
} run_numbers;

/* Policy for a slice outside its ball, as in take_slice (model.c). */
static volt_outside outside_ball(const volt_model *model, int64_t s, volt_beyond policy)
{
    double radius = volt_slice_radius(&model->resolved, s);
    bool takes_any = volt_slice_gain(&model->resolved, s, radius) < 0;
    if (policy == VOLT_BEYOND_CLIP)
        return takes_any ? VOLT_OUTSIDE_IGNORED : VOLT_OUTSIDE_CLIPPED;
    return policy == VOLT_BEYOND_ALLOW && takes_any ? VOLT_OUTSIDE_COUNTED : VOLT_OUTSIDE_HOST;
}

static void take_slices(const volt_model *model, volt_beyond policy, run_numbers *numbers)
{
    const volt_recipe *recipe = &model->recipe;
    for (int64_t s = 0; s < numbers->form.slices; s++) {
        double radius = volt_slice_radius(&model->resolved, s);
        numbers->radius[s] = radius;
        numbers->limit[s] = radius * (1 + volt_norm_tolerance(recipe->columns));
        numbers->ball[s] = outside_ball(model, s, policy);
        if (recipe->filters)
            numbers->filter[s] = (volt_run_filter){.pole = recipe->filters[s].pole,
                                                   .pair = recipe->filters[s].pair,
                                                   .turn = volt_filter_turn(&recipe->filters[s]),
                                                   .echo = recipe->filters[s].echo};
    }
}

/* Returns false if the model cannot run on a device. */
static bool take_model(const volt_model *model, volt_beyond policy, bool chained, run_numbers *numbers)
{
    const volt_recipe *recipe = &model->recipe;
    int64_t slices = model->d / recipe->columns;
    if (model->loss || slices > VOLT_FORM_FACTORS || !volt_form_of(&model->resolved, &numbers->form.kernel))
        return false;
    volt_run_form *form = &numbers->form;
    form->inputs = recipe->inputs;
    form->input_columns = volt_recipe_input_columns(recipe);
    form->fed_outputs = recipe->fed_outputs.n;
    form->q = model->q;
    form->chained = chained;
    form->column = recipe->column;
    form->memory = recipe->memory;
    form->range = policy == VOLT_BEYOND_CLIP    ? VOLT_OUTSIDE_CLIPPED
                  : policy == VOLT_BEYOND_ALLOW ? VOLT_OUTSIDE_IGNORED
                                                : VOLT_OUTSIDE_HOST;
    form->shift = model->input.shift;
    form->scale = model->input.scale;
    form->slices = slices;
    form->filters = recipe->filters ? numbers->filter : NULL;
    form->limit = numbers->limit;
    form->radius = numbers->radius;
    form->ball = numbers->ball;
    form->intercept = model->intercepts;
    form->mean = model->target_mean;
    form->deviation = model->target_scale;
    form->anchor = model->anchors;
    form->offset = recipe->fed_outputs.offset;
    form->weight = recipe->fed_outputs.weight;
    form->middle = numbers->bounds;
    form->reach = numbers->bounds + form->fed_outputs;
    for (int64_t k = 0; k < form->fed_outputs; k++)
        volt_feedback_bounds(&recipe->fed_outputs, k, &numbers->bounds[k],
                             &numbers->bounds[form->fed_outputs + k]);
    take_slices(model, policy, numbers);
    return true;
}

/* ---- the state -------------------------------------------------------------------------------- */

/* The recent rows that lags reach when the next row is x, and the states of kernel and filters. */
static void take_state(const volt_live *live, const double *x, double *numbers, double *state)
{
    const volt_recipe *recipe = &live->model->recipe;
    if (live->recent.begun)
        volt_recent_get(recipe, &live->recent, numbers);
    else {
        memset(numbers, 0, (size_t)volt_recent_length(recipe) * sizeof *numbers);
        for (int64_t i = 0; i < recipe->memory * recipe->inputs; i++)
            numbers[i] = x[i % recipe->inputs];
    }
    volt_state_get(live->kernel_state, state);
}

/* Updates the object after `done` rows with inputs `X`, from the final `bank` and `state`. */
static void set_state(volt_live *live, const volt_device_rows *rows, int64_t at, int64_t done,
                      const double *bank, const double *state)
{
    const volt_recipe *recipe = &live->model->recipe;
    int64_t inputs = recipe->inputs, last = at + done - 1;
    const double *x = rows->X.data, *y = rows->out.data + last * rows->out.ld;
    for (int64_t i = at; i <= last; i++) {
        x = !rows->chained ? rows->X.data + i * rows->X.ld
            : i == 0       ? rows->X.data
                           : rows->out.data + (i - 1) * rows->out.ld;
        volt_recent_push(recipe, &live->recent, x);
    }
    memcpy(live->last, x, (size_t)inputs * sizeof *x);
    if (recipe->filters)
        memcpy(live->recent.bank.state, bank,
               (size_t)volt_filter_bank_length(recipe->slices, recipe->columns) * sizeof *bank);
    volt_recent_feed(recipe, &live->recent, last < rows->warm ? rows->known + last * rows->known_ld : y);
    memcpy(live->y, y, (size_t)live->model->q * sizeof *y);
    volt_state_set(live->kernel_state, state);
    live->pushed += done;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Reports the row that ended the run. */
static volt_status refuse(const volt_live *live, int64_t row, const double *y)
{
    const volt_feedback *fed_outputs = &live->model->recipe.fed_outputs;
    VOLT_TRY(volt_model_check_output(live->model, row, y));
    return volt_feedback_report_diverged(fed_outputs, volt_max(volt_feedback_find_diverged(fed_outputs, y), 0),
                                         row, y);
}

/* Runs rows from `at` on, at most MAX_ROWS. *ended: the back end stopped. */
static volt_status run_part(volt_live *live, const volt_backend *backend, const run_numbers *numbers,
                            const volt_device_rows *rows, int64_t first, int64_t at, double *saved_recent,
                            double *state, int64_t *done, bool *ended)
{
    const volt_model *model = live->model;
    const volt_recipe *recipe = &model->recipe;
    const volt_columns *columns = volt_model_reader_of(model).columns;
    int64_t count = volt_min(rows->out.rows - at, MAX_ROWS),
            warm = volt_min(volt_max(rows->warm - at, 0), count);
    const double *x = !rows->chained ? rows->X.data + at * rows->X.ld
                      : at == 0      ? rows->X.data
                                     : rows->out.data + (at - 1) * rows->out.ld;
    volt_run_result result = {0};
    take_state(live, x, saved_recent, state);
    double *bank = saved_recent + recipe->memory * recipe->inputs;
    volt_run_task task = {
        .X = {x, rows->chained ? 1 : count, recipe->inputs, rows->X.ld},
        .before = volt_view_of(saved_recent, recipe->memory, recipe->inputs),
        .known = {warm > 0 ? rows->known + at * rows->known_ld : NULL, warm, model->q, rows->known_ld},
        .watches = rows->watches,
        .state = state,
        .bank = bank,
        .fed_outputs = live->recent.fed_outputs};
    *ended = true;
    if (!backend->run(&numbers->form, volt_view_of(columns->given, columns->m, columns->d),
                      volt_view_of(live->coefficients, model->q, columns->m), &task,
                      volt_matrix_rows(rows->out, at, count), &result)) {
        live->handed_back = MAX_RETURNED;
        return volt_backend_state(backend);
    }
    VOLT_TRY(volt_backend_state(backend));
    if (result.end == VOLT_RUN_DIVERGED && rows->bounds) {
        live->handed_back = MAX_RETURNED;
        return VOLT_OK;
    }
    if (result.end == VOLT_RUN_DIVERGED)
        return refuse(live, first + at + result.done - 1,
                      rows->out.data + (at + result.done - 1) * rows->out.ld);
    live->handed_back += result.end == VOLT_RUN_NEEDS_HOST;
    live->beyond += result.outside;
    if (result.done > 0)
        set_state(live, rows, at, result.done, bank, state);
    *done += result.done;
    *ended = result.done < count;
    return VOLT_OK;
}

static volt_status run_rows(volt_live *live, const volt_backend *backend, run_numbers *numbers,
                            const volt_device_rows *rows, int64_t first, volt_stage *stage, int64_t *done)
{
    double *saved_recent = volt_alloc_doubles(volt_recent_length(&live->model->recipe), 1);
    double *state = volt_alloc_doubles(volt_state_length(live->kernel_state), 1);
    volt_status status = saved_recent && state ? VOLT_OK : VOLT_ERR_MEMORY;
    for (bool ended = false; status == VOLT_OK && !ended && *done < rows->out.rows;) {
        int64_t before = *done;
        status = run_part(live, backend, numbers, rows, first, before, saved_recent, state, done, &ended);
        if (!volt_stage_advance(stage, *done - before))
            break;
    }
    volt_free(state);
    volt_free(saved_recent);
    return status;
}

/* Feeds rows until the back end stops; *done is their number. The next row, if any, is for volt_live_feed;
 * then the back end may be tried again. VOLT_ERR_NOT_FINITE as in volt_live_feed, or if a watched row leaves
 * the range. `first` (from 0) is the number of the first row, for messages. */
static volt_status device_run(volt_live *live, const volt_backend *backend, const volt_device_rows *rows,
                              int64_t first, volt_stage *stage, int64_t *done)
{
    const volt_model *model = live->model;
    int64_t m = volt_model_reader_of(model).columns->m;
    *done = 0;
    if (!backend->run || live->handed_back >= MAX_RETURNED || live->diverged)
        return VOLT_OK;
    if (!volt_run_is_faster(backend, rows->out.rows, m, model->d)) {
        live->handed_back = MAX_RETURNED; /* nor will fewer rows */
        return VOLT_OK;
    }
    run_numbers numbers = {.bounds = volt_alloc_doubles(2 * model->recipe.fed_outputs.n, 1)};
    if (!numbers.bounds)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    if (take_model(model, live->policy, rows->chained, &numbers))
        status = run_rows(live, backend, &numbers, rows, first, stage, done);
    else
        live->handed_back = MAX_RETURNED;
    volt_free(numbers.bounds);
    return status;
}

/* ---- closed loop -------------------------------------------------------------------------------- */

/* A model in closed loop, once or along many noisy paths.
 *
 * On a noisy path each output is the prediction plus the error of a training row, and that sum is fed back.
 * The row is one of the last rows predicted one step ahead, and all outputs use the same row. The inputs of
 * the model are thus noisy, as in training.
 *
 * Errors are drawn in runs of consecutive rows, 10 on average (the stationary bootstrap of Politis and
 * Romano, 1994). Model errors are autocorrelated; independent draws would cancel (docs/math.md, "Closed
 * loop"). */

/* A first row equal to the last training target is taken as that target, any other as the next row. */
static bool begins_with_last_target(const volt_model *model, volt_view X)
{
    bool same = X.rows > 0;
    for (int64_t k = 0; same && k < model->q; k++)
        same = X.data[k] == model->last_target[k];
    if (same)
        volt_log(VOLT_LOG_WARNING,
                 "the first row equals the last training row and is taken as that row, not as a new one: if it "
                 "is new, give dates, or put the last training row before it");
    return same;
}

/* Whether the last training target is pushed before the rows of X. */
static bool pushes_target(const volt_model *model, volt_view X, volt_start start)
{
    if (model->no_last_target)
        return false;
    if (X.rows == 0 || start == VOLT_START_AFTER_TARGET)
        return true;
    return start == VOLT_START_CONTINUE && !begins_with_last_target(model, X);
}

static volt_status check(const volt_model *model, volt_view X, volt_start start, volt_matrix out)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_require_single(model, "a closed loop"));
    VOLT_REQUIRE(start >= VOLT_START_CONTINUE && start <= VOLT_START_AFTER_TARGET, VOLT_ERR_ARGUMENT,
                 "the start must be one of volt_start, 0 to %d (got %d)", (int)VOLT_START_AFTER_TARGET,
                 (int)start);
    VOLT_REQUIRE(model->feedback, VOLT_ERR_ARGUMENT,
                 model->recipe.fed_outputs.n > 0
                     ? "a model with a feedback weight requires inputs: use predict"
                     : "a closed loop requires outputs that are the inputs one step later: "
                       "fit on a series without other inputs, one step "
                       "ahead");
    VOLT_REQUIRE(out.rows > 0, VOLT_ERR_ARGUMENT, "the number of steps must be at least 1 (got %" PRId64 ")",
                 out.rows);
    VOLT_REQUIRE(!model->no_last_target || X.rows > 0, VOLT_ERR_ARGUMENT,
                 "the last training row has no target: give the rows observed since "
                 "training");
    VOLT_REQUIRE(
        !model->no_last_target || start != VOLT_START_AFTER_TARGET, VOLT_ERR_ARGUMENT,
        "the last training row has no target: the rows must begin with the row after the last training "
        "input");
    VOLT_TRY(volt_check_output(out, out.rows, model->q, "the predictions"));
    return X.rows > 0 ? volt_model_check_inputs(model, X) : VOLT_OK;
}

/* Creates a live object that has taken the known rows. `next` (q numbers) receives the prediction of the
 * last. */
static volt_status take_known(const volt_model *model, volt_view X, const volt_predict_options *options,
                              volt_stage *stage, volt_live **live, double *next)
{
    volt_start start = options->start == VOLT_START_RESET ? VOLT_START_RESET : VOLT_START_CONTINUE;
    VOLT_TRY(volt_live_open(model, start, options->beyond, live));
    if (pushes_target(model, X, options->start))
        VOLT_TRY(volt_live_feed(*live, model->last_target, next));
    for (int64_t i = 0; i < X.rows && volt_stage_advance(stage, 1); i++)
        VOLT_TRY(volt_live_feed(*live, X.data + i * X.ld, next));
    return VOLT_OK;
}

static void copy_rows(volt_view from, volt_matrix to)
{
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)from.cols * sizeof(double));
}

/* ---- one path --------------------------------------------------------------------------------- */

/* Computes the rows of the path after the first, each from the previous one. */
static volt_status run_on(volt_live *live, volt_matrix path, volt_stage *stage)
{
    const volt_model *model = live->model;
    const volt_backend *backend = volt_place_run(path.rows, volt_model_reader_of(model).columns->m, model->d);
    int64_t done = 0;
    for (int64_t i = 1; i < path.rows; i++) {
        double *output = path.data + (i - 1) * path.ld;
        volt_device_rows rows = {.X = volt_view_of(output, 1, path.cols),
                                 .out = volt_matrix_rows(path, i, path.rows - i),
                                 .chained = true};
        VOLT_TRY(device_run(live, backend, &rows, live->pushed, stage, &done));
        i += done;
        if (i == path.rows || !volt_stage_advance(stage, 1))
            break;
        VOLT_TRY(volt_live_feed(live, path.data + (i - 1) * path.ld, path.data + i * path.ld));
    }
    return VOLT_OK;
}

static volt_status run_one(const volt_model *model, volt_view X, const volt_predict_options *options,
                           volt_matrix result, int64_t *beyond)
{
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "continue", 0, 1, (double)X.rows + (double)result.rows);
    volt_live *live = NULL;
    volt_status status = take_known(model, X, options, &stage, &live, result.data);
    if (status == VOLT_OK)
        status = run_on(live, result, &stage);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        *beyond = live->beyond;
    volt_live_free(live);
    return status;
}

/* ---- noisy paths ------------------------------------------------------------------------------ */

static bool has_all_errors(const volt_model *model, int64_t t)
{
    bool whole = true;
    for (int64_t k = 0; k < model->q; k++)
        whole = whole && model->errors.lists[VOLT_ERRORS_NEAR].scale[t * model->q + k] > 0;
    return whole;
}

/* Finds the last rows, at most VOLT_INTERVAL_SCORES, with errors in all outputs, in time order. Returns
 * their number. */
static int64_t rows_with_errors(const volt_model *model, int64_t rows[VOLT_INTERVAL_SCORES])
{
    int64_t count = 0, t = model->errors.lists[VOLT_ERRORS_NEAR].rows;
    while (t > 0 && count < VOLT_INTERVAL_SCORES)
        if (has_all_errors(model, --t))
            rows[VOLT_INTERVAL_SCORES - ++count] = t;
    memmove(rows, rows + VOLT_INTERVAL_SCORES - count, (size_t)count * sizeof *rows);
    return count;
}

/* The row after `last` (index among n, cyclic), or any row with probability 1 / RUN. */
static int64_t next_drawn(volt_rng *rng, int64_t last, int64_t n)
{
    enum { RUN = 10 };
    if (last >= 0 && volt_rng_uniform(rng) * RUN >= 1)
        return (last + 1) % n;
    return volt_min((int64_t)(volt_rng_uniform(rng) * (double)n), n - 1);
}

/* Computes one path from `start`, whose last prediction is `next`, into `path` (steps x q). Consumes the
 * object. */
static volt_status run_path(const volt_model *model, volt_live *live, const double *next, const int64_t *rows,
                            int64_t n_rows, volt_rng *rng, volt_stage *stage, volt_matrix path)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    int64_t drawn = -1;
    for (int64_t i = 0; i < path.rows && volt_stage_advance(stage, 1); i++) {
        double *output = path.data + i * path.ld;
        if (i == 0)
            memcpy(output, next, (size_t)model->q * sizeof *output);
        else
            VOLT_TRY(volt_live_feed(live, output - path.ld, output));
        drawn = next_drawn(rng, drawn, n_rows);
        for (int64_t k = 0; k < model->q; k++)
            output[k] += model->target_scale[k] * near->e[rows[drawn] * model->q + k];
    }
    return VOLT_OK;
}

static volt_status run_paths(const volt_model *model, volt_view X, const volt_predict_options *options,
                             volt_matrix result, int64_t *beyond)
{
    int64_t rows[VOLT_INTERVAL_SCORES], n_rows = rows_with_errors(model, rows);
    int64_t paths = options->paths, steps = result.rows / paths;
    VOLT_REQUIRE(n_rows > 0, VOLT_ERR_DATA,
                 "the model has no training errors to draw noise from: too few rows");
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "continue", 0, 1, (double)X.rows + (double)result.rows);
    volt_live *known = NULL;
    double *next = volt_alloc_doubles(model->q, 1);
    volt_status status = next ? take_known(model, X, options, &stage, &known, next) : VOLT_ERR_MEMORY;
    *beyond = status == VOLT_OK ? known->beyond : 0;
    for (int64_t p = 0; status == VOLT_OK && p < paths && volt_stage_should_continue(&stage); p++) {
        volt_live *live = NULL;
        volt_rng rng;
        volt_rng_init(&rng, options->seed, (uint64_t)p); /* path p does not depend on the number of paths */
        status = volt_live_copy(known, &live);
        if (status == VOLT_OK)
            status = run_path(model, live, next, rows, n_rows, &rng, &stage,
                              volt_matrix_rows(result, p * steps, steps));
        if (status == VOLT_OK)
            *beyond += live->beyond - known->beyond;
        volt_live_free(live);
    }
    volt_live_free(known);
    volt_free(next);
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- public ----------------------------------------------------------------------------------- */

volt_status volt_model_continue(const volt_model *model, volt_view X, const volt_predict_options *options,
                                volt_matrix out, int64_t *beyond)
{
    volt_predict_options opts = volt_predict_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_predict_options"));
    options = &opts;
    VOLT_REQUIRE(options->paths >= 0 && out.rows % volt_max(options->paths, 1) == 0, VOLT_ERR_ARGUMENT,
                 "the number of rows must be a multiple of the %" PRId64 " paths (got %" PRId64 ")",
                 options->paths, out.rows);
    VOLT_TRY(check(model, X, options->start, out));
    VOLT_TRY(volt_beyond_check(options->beyond));
    int64_t counted = 0;
    volt_matrix result = volt_matrix_of(volt_alloc_doubles(out.rows, out.cols), out.rows, out.cols);
    volt_status status = !result.data         ? VOLT_ERR_MEMORY
                         : options->paths > 0 ? run_paths(model, X, options, result, &counted)
                                              : run_one(model, X, options, result, &counted);
    if (status == VOLT_OK) {
        copy_rows(volt_as_view(result), out);
        if (beyond)
            *beyond = counted;
    }
    volt_free(result.data);
    return status;
}

/* ---- free runs ---------------------------------------------------------------------------------- */

/* Predictions of a model with a feedback weight, row by row. */

/* Checks known outputs and warm-up of the options against the model and the `rows` of the inputs.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE for a missing value. */
static volt_status model_check_known(const volt_model *model, int64_t rows, const volt_predict_options *options)
{
    volt_view known = options->known;
    VOLT_REQUIRE(options->warm_up >= 0, VOLT_ERR_ARGUMENT,
                 "the warm-up must be at least 1, or 0 for all (got %" PRId64 " rows)", options->warm_up);
    VOLT_REQUIRE(options->warm_up == 0 || known.data, VOLT_ERR_ARGUMENT,
                 "a warm-up of %" PRId64 " rows requires known outputs", options->warm_up);
    if (!known.data)
        return VOLT_OK;
    VOLT_REQUIRE(volt_model_feedback_weight(model) > 0, VOLT_ERR_ARGUMENT,
                 "known outputs require a model with feedback");
    VOLT_REQUIRE(known.rows == rows && known.cols == model->q && known.ld >= known.cols, VOLT_ERR_SHAPE,
                 "the known outputs must be %" PRId64 " x %" PRId64
                 ": one row per input row, one column per output (got %" PRId64 " x %" PRId64 ")",
                 rows, model->q, known.rows, known.cols);
    return VOLT_OK;
}

/* Number of rows of the record `first` .. `end` - 1 whose known outputs are fed back. */
static volt_status count_warm(const volt_predict_options *options, int64_t first, int64_t end, int64_t *warm)
{
    int64_t rows = end - first;
    VOLT_REQUIRE(options->warm_up <= rows, VOLT_ERR_ARGUMENT,
                 "the warm-up is %" PRId64 " rows, but the sequence that begins with row %" PRId64
                 " has %" PRId64,
                 options->warm_up, first + 1, rows);
    *warm = !options->known.data ? 0 : options->warm_up > 0 ? options->warm_up : rows;
    *warm = volt_min(*warm, rows - 1); /* no row follows the last one */
    volt_view known = options->known;
    for (int64_t i = first; i < first + *warm; i++)
        for (int64_t k = 0; k < known.cols; k++)
            VOLT_REQUIRE(isfinite(known.data[i * known.ld + k]), VOLT_ERR_NOT_FINITE,
                         "known output %" PRId64 " of row %" PRId64 " is missing or not finite", k + 1, i + 1);
    return VOLT_OK;
}

/* Bounds the outputs y of row i, which the live object has predicted last. */
static void bound_outputs(volt_live *live, int64_t i, double *y, volt_run_bounded *bounded)
{
    const volt_recipe *recipe = &live->model->recipe;
    if (bounded->rows++ == 0) {
        bounded->first = i;
        bounded->output = volt_feedback_find_diverged(&recipe->fed_outputs, y);
        bounded->value = y[bounded->output];
    }
    volt_feedback_clip(&recipe->fed_outputs, y);
    memcpy(live->y, y, (size_t)live->model->q * sizeof *y);
    volt_recent_feed(recipe, &live->recent, y);
    live->diverged = false;
}

/* Runs the record of rows first .. end - 1, continuing from the state of the object. */
static volt_status run_record(volt_live *live, const volt_backend *backend, volt_view X, int64_t first,
                              int64_t end, const volt_predict_options *options, volt_stage *stage,
                              volt_run_bounded *bounded, volt_matrix out)
{
    const volt_feedback *fed_outputs = &live->model->recipe.fed_outputs;
    volt_view known = options->known;
    int64_t warm = 0, done = 0;
    bool all_known = known.data && (options->warm_up == 0 || options->warm_up == end - first);
    bool watches = !all_known; /* one-step predictions are not fed back */
    VOLT_TRY(count_warm(options, first, end, &warm));
    for (int64_t i = first; i < end; i++) {
        volt_device_rows rows = {.X = volt_view_rows(X, i, end - i),
                                 .out = volt_matrix_rows(out, i, end - i),
                                 .known = known.data ? known.data + i * known.ld : NULL,
                                 .known_ld = known.ld,
                                 .warm = volt_max(first + warm - i, 0),
                                 .watches = watches,
                                 .bounds = bounded != NULL};
        VOLT_TRY(device_run(live, backend, &rows, i, stage, &done));
        i += done;
        if (i == end || !volt_stage_advance(stage, 1))
            break;
        double *y = out.data + i * out.ld;
        VOLT_TRY(volt_live_feed(live, X.data + i * X.ld, y));
        if (i < first + warm)
            VOLT_TRY(volt_live_learn(live, 0, known.data + i * known.ld));
        else if (live->diverged && watches && bounded)
            bound_outputs(live, i, y, bounded);
        else if (live->diverged && watches)
            return volt_feedback_report_diverged(fed_outputs, volt_feedback_find_diverged(fed_outputs, y), i,
                                                 y);
    }
    return VOLT_OK;
}

static volt_status run_records(volt_live *live, const volt_backend *backend, volt_view X,
                               const volt_records *records, const volt_predict_options *options,
                               volt_run_bounded *bounded, volt_matrix out)
{
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "predict", 0, 1, (double)X.rows);
    for (int64_t first = 0, end = 0; first < X.rows; first = end) {
        end = volt_records_segment_end(records, first, X.rows);
        bool begins = first > 0 || options->start == VOLT_START_RESET;
        const double *known = options->known.data ? options->known.data + first * options->known.ld : NULL;
        if (first > 0)
            VOLT_TRY(volt_live_restart(live));
        if (begins && known && live->model->initial == VOLT_INITIAL_FIRST && isfinite(known[0]))
            volt_recent_feed(&live->model->recipe, &live->recent, known);
        VOLT_TRY(run_record(live, backend, X, first, end, options, &stage, bounded, out));
    }
    return volt_stage_end(&stage);
}

volt_status volt_model_run_free(const volt_model *model, const volt_backend *backend, volt_view X,
                                const volt_records *records, const volt_predict_options *options,
                                volt_run_bounded *bounded, volt_matrix out, int64_t *beyond)
{
    volt_live *live = NULL;
    volt_matrix path = volt_matrix_of(volt_alloc_doubles(X.rows, model->q), X.rows, model->q);
    volt_status status =
        path.data ? volt_live_open(model, options->start, options->beyond, &live) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        live->claimed = true;
        status = run_records(live, backend, X, records, options, bounded, path);
    }
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < X.rows; i++)
            memcpy(out.data + i * out.ld, path.data + i * path.ld, (size_t)path.cols * sizeof(double));
        if (beyond)
            *beyond = live->beyond;
    }
    volt_live_free(live);
    volt_free(path.data);
    return status;
}

/* ---- warnings --------------------------------------------------------------------------------- */

static volt_predict_warning *add_warning(volt_predict_report *report, volt_predict_warning warning)
{
    volt_predict_warning *added = &report->warnings[report->n_warnings++];
    *added = warning;
    return added;
}

/* Adds the warnings of a free run to the report. */
static void model_warn_free_run(const volt_model *model, const volt_records *records,
                                const volt_predict_options *options, const volt_run_bounded *bounded,
                                volt_predict_report *report)
{
    const volt_feedback *fed_outputs = &model->recipe.fed_outputs;
    int64_t continued = options->start == VOLT_START_CONTINUE, starts = volt_max(records->n, 1) - continued;
    if (!options->known.data && starts > 0) {
        int64_t row = continued ? volt_records_segment_end(records, 0, INT64_MAX) : 0;
        volt_predict_warning *added =
            add_warning(report, (volt_predict_warning){.code = VOLT_WARNING_NO_FIRST_OUTPUT,
                                                       .row = row,
                                                       .rows = starts,
                                                       .value = fed_outputs->offset[0]});
        if (model->initial == VOLT_INITIAL_FIRST)
            snprintf(added->text, sizeof added->text,
                     "the free run from row %" PRId64
                     " starts without a measured output and uses the stationary "
                     "output for its first input: give the first measured outputs",
                     row + 1);
        else
            snprintf(added->text, sizeof added->text,
                     "the free run from row %" PRId64
                     " starts without a measured output and uses %g%s: give the first "
                     "measured outputs",
                     row + 1, fed_outputs->offset[0],
                     fed_outputs->offset[0] != 0 ? ", the mean of the training targets" : "");
    }
    if (bounded->rows > 0) {
        double middle, reach;
        volt_feedback_bounds(fed_outputs, bounded->output, &middle, &reach);
        volt_predict_warning *added =
            add_warning(report, (volt_predict_warning){.code = VOLT_WARNING_RUN_BOUNDED,
                                                       .row = bounded->first,
                                                       .rows = bounded->rows,
                                                       .column = bounded->output,
                                                       .value = bounded->value});
        snprintf(added->text, sizeof added->text,
                 "the free run diverges: output %" PRId64 " of row %" PRId64
                 " is %g (training targets: %g to %g); %" PRId64
                 " row%s bounded to %g to %g, and rows from this one on are not reliable",
                 bounded->output + 1, bounded->first + 1, bounded->value, fed_outputs->low[bounded->output],
                 fed_outputs->high[bounded->output], bounded->rows, bounded->rows == 1 ? " was" : "s were",
                 middle - reach, middle + reach);
    }
}

/* ---- sums of models ----------------------------------------------------------------------------- */

/* Predictions of a sum of models, member by member. */

/* Adds the warnings of member i. Of each kind the one with the first row is kept. */
static void add_warnings(const volt_predict_report *member, int64_t i, volt_predict_report *report)
{
    for (int64_t w = 0; w < member->n_warnings; w++) {
        const volt_predict_warning *from = &member->warnings[w];
        int64_t at = 0, rows = from->rows;
        while (at < report->n_warnings && report->warnings[at].code != from->code)
            at++;
        volt_predict_warning *to = &report->warnings[at];
        bool is_new = at == report->n_warnings;
        if (from->code == VOLT_WARNING_INPUT_RANGE) /* found for all members together */
            continue;
        if (!is_new)
            rows = volt_max(rows, to->rows);
        if (is_new || from->row < to->row) {
            *to = *from;
            snprintf(to->text, sizeof to->text, "member %" PRId64 ": %.280s", i + 1, from->text);
        }
        to->rows = rows;
        report->n_warnings += is_new;
    }
}

/* Predicts with member i into `part`. `known` (X.rows x q) are the known outputs of the member; NULL: none. */
static volt_status predict_member(const volt_model *model, int64_t i, volt_view X,
                                  const volt_predict_options *options, const double *known,
                                  volt_predict_report *report, volt_matrix part, int64_t *beyond)
{
    const volt_model *member = model->sum->models[i];
    volt_predict_report found = {.struct_size = sizeof found};
    volt_predict_options own = *options;
    bool feeds_back = known && volt_model_feedback_weight(member) > 0;
    int64_t counted = 0;
    own.report = &found;
    own.known = volt_view_of(feeds_back ? known : NULL, X.rows, model->q);
    own.warm_up = feeds_back ? options->warm_up : 0;
    volt_status status = volt_model_predict(member, X, &own, part, &counted);
    if (status != VOLT_OK)
        return volt_fail_prefix(status, "member %" PRId64, i + 1);
    add_warnings(&found, i, report);
    *beyond = volt_max(*beyond, counted);
    return VOLT_OK;
}

/* `known` is overwritten with what the members leave of it. */
static volt_status predict_members(const volt_model *model, volt_view X, const volt_predict_options *options,
                                   double *known, volt_predict_report *report, double *part, double *total,
                                   int64_t *beyond)
{
    const volt_members *sum = model->sum;
    int64_t count = X.rows * model->q;
    for (int64_t i = 0; i < sum->n; i++) {
        VOLT_TRY(predict_member(model, i, X, options, known, report, volt_matrix_of(part, X.rows, model->q),
                                beyond));
        volt_sum_add(sum->weights[i], part, count, i == 0, total);
        if (known && sum->kind == VOLT_SUM_RESIDUAL)
            volt_sum_add(-sum->weights[i], part, count, false, known);
    }
    for (int64_t t = 0; t < X.rows; t++)
        VOLT_TRY(volt_model_check_output(model, t, total + t * model->q));
    return VOLT_OK;
}

/* volt_model_predict of a sum (sum_predict.c). Adds the warnings of the members, except those about the range
 * of the inputs. */
static volt_status sum_predict(const volt_model *model, volt_view X, const volt_predict_options *options,
                               volt_predict_report *report, volt_matrix out, int64_t *beyond)
{
    int64_t q = model->q, counted = 0;
    volt_view given = options->known;
    double *total = volt_alloc_doubles(X.rows, q), *part = volt_alloc_doubles(X.rows, q);
    double *known = given.data ? volt_alloc_doubles(X.rows, q) : NULL;
    volt_status status = total && part && (known || !given.data) ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t t = 0; status == VOLT_OK && known && t < X.rows; t++)
        memcpy(known + t * q, given.data + t * given.ld, (size_t)q * sizeof *known);
    if (status == VOLT_OK)
        status = predict_members(model, X, options, known, report, part, total, &counted);
    for (int64_t t = 0; status == VOLT_OK && t < X.rows; t++)
        memcpy(out.data + t * out.ld, total + t * q, (size_t)q * sizeof *total);
    if (status == VOLT_OK && beyond)
        *beyond = counted;
    volt_free(known);
    volt_free(part);
    volt_free(total);
    return status;
}

/* ---- predictions -------------------------------------------------------------------------------- */

static volt_status check_spread(const volt_model *model, volt_matrix std, int64_t rows)
{
    VOLT_TRY(volt_check_output(std, rows, model->q, "the predictions"));
    VOLT_TRY(volt_model_require_single(model, "a standard deviation"));
    VOLT_REQUIRE(model->recipe.fed_outputs.n == 0, VOLT_ERR_ARGUMENT,
                 "standard deviations are not supported for models with a feedback weight");
    return VOLT_OK;
}

/* Runs rows Z (scaled) in blocks on the back end: v = K A, then converts to target units. */
static volt_status forecast(const volt_model *model, const volt_predict_state *state, volt_view X, volt_view Z,
                            const volt_records *records, int64_t rows, volt_progress progress, double *block,
                            const volt_prediction_std *spread, volt_matrix std, volt_matrix result)
{
    const volt_backend *backend = state->backend;
    volt_state *kernel_state = state->kernel_state;
    volt_model_reader reads = volt_model_reader_of(model);
    int64_t m = reads.columns->m;
    volt_view A = volt_view_of(reads.coefficients, m, model->q);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "predict", 0, 1, (double)Z.rows * (double)m);
    for (int64_t first = 0, count = 0; first < Z.rows; first += count) {
        count = volt_min(rows, volt_records_segment_end(records, first, Z.rows) - first);
        if (first > 0 && volt_records_begins(records, first))
            volt_state_zero(kernel_state);
        volt_matrix K = volt_matrix_of(block, count, m);
        VOLT_TRY(volt_state_advance_at(backend, kernel_state, volt_view_rows(Z, first, count), false, false, K,
                                       &stage));
        if (!volt_stage_should_continue(&stage))
            break;
        backend->gemm(volt_as_view(K), false, A, NULL, false, volt_matrix_rows(result, first, count));
        VOLT_TRY(volt_backend_state(backend));
        if (spread)
            VOLT_TRY(volt_prediction_std_rows(spread, backend, volt_as_view(K), first,
                                              volt_matrix_rows(std, first, count)));
    }
    VOLT_TRY(volt_stage_end(&stage));
    VOLT_TRY(volt_backend_state(backend));
    for (int64_t i = 0; i < Z.rows; i++)
        VOLT_TRY(
            volt_model_finish_output(model, state->done + i, X.data + i * X.ld, result.data + i * result.ld));
    return VOLT_OK;
}

volt_status volt_predict_state_at(const volt_model *model, const volt_state *kernel_state,
                                  const volt_recent *recent, int64_t rows, int64_t least,
                                  volt_predict_state *state)
{
    *state = (volt_predict_state){.backend = volt_backend_current()};
    int64_t m = volt_model_reader_of(model).columns->m;
    state->rows = volt_max(volt_block_rows_at(state->backend, rows, m), volt_min(rows, least));
    VOLT_TRY(volt_recent_create(&model->recipe, &state->recent));
    if (recent)
        volt_recent_copy(&model->recipe, recent, &state->recent);
    return kernel_state ? volt_state_copy(kernel_state, state->rows, &state->kernel_state)
                        : volt_state_create(&model->resolved, volt_model_reader_of(model).columns, state->rows,
                                            &state->kernel_state);
}

void volt_predict_state_release(volt_predict_state *state)
{
    volt_recent_release(&state->recent);
    volt_state_free(state->kernel_state);
}

/* Checks all inputs before the first prediction. */
static volt_status take_inputs(const volt_model *model, volt_view X, const volt_records *records,
                               volt_beyond policy, volt_predict_state *state, double *Z, int64_t *beyond)
{
    volt_status status = VOLT_OK;
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++) {
        const double *x = X.data + i * X.ld;
        if (i > 0 && volt_records_begins(records, i))
            volt_recent_restart(&state->recent);
        status =
            volt_model_take_input(model, &state->recent, x, policy, state->done + i, Z + i * model->d, beyond);
        volt_recent_push(&model->recipe, &state->recent, x);
    }
    return status;
}

volt_status volt_predict_rows(const volt_model *model, volt_view X, const volt_records *records,
                              const volt_predict_options *options, volt_predict_state *state, volt_matrix out,
                              volt_matrix std, int64_t *beyond)
{
    const volt_backend *backend = state->backend;
    int64_t rows = volt_min(state->rows, X.rows), counted = 0;
    double *Z = volt_alloc_doubles(X.rows, model->d);
    double *block = backend->alloc(rows, volt_model_reader_of(model).columns->m);
    volt_matrix result = volt_matrix_of(volt_alloc_doubles(X.rows, model->q), X.rows, model->q);
    volt_matrix spreads =
        volt_matrix_of(std.data ? volt_alloc_doubles(X.rows, model->q) : NULL, X.rows, model->q);
    volt_prediction_std spread = {0};
    volt_status status = Z && block && result.data && (spreads.data || !std.data)
                             ? take_inputs(model, X, records, options->beyond, state, Z, &counted)
                             : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && std.data)
        status = volt_prediction_std_begin(model, volt_view_of(Z, X.rows, model->d), records, options->start,
                                           rows, &spread);
    if (status == VOLT_OK)
        status = forecast(model, state, X, volt_view_of(Z, X.rows, model->d), records, rows, options->progress,
                          block, std.data ? &spread : NULL, spreads, result);
    if (status == VOLT_OK) {
        copy_rows(volt_as_view(result), out);
        if (std.data)
            copy_rows(volt_as_view(spreads), std);
        if (beyond)
            *beyond = counted;
        state->done += X.rows;
    }
    volt_prediction_std_release(&spread);
    volt_free(spreads.data);
    volt_free(result.data);
    backend->release(block);
    volt_free(Z);
    return status;
}

/* std without data: not computed. */
static volt_status predict(const volt_model *model, volt_view X, const volt_records *records,
                           const volt_predict_options *options, volt_matrix out, volt_matrix std,
                           int64_t *beyond)
{
    enum { SPREAD_ROWS = 64 }; /* rows per unpacking of the factor */
    bool reset = options->start == VOLT_START_RESET;
    volt_predict_state state;
    VOLT_TRY(volt_model_check_start(model, options->start));
    VOLT_TRY(volt_beyond_check(options->beyond));
    volt_status status = volt_predict_state_at(model, reset ? NULL : model->end, reset ? NULL : &model->recent,
                                               X.rows, std.data ? SPREAD_ROWS : 1, &state);
    if (status == VOLT_OK)
        status = volt_predict_rows(model, X, records, options, &state, out, std, beyond);
    volt_predict_state_release(&state);
    return status;
}

static volt_status run_free(const volt_model *model, volt_view X, const volt_records *records,
                            const volt_predict_options *options, volt_predict_report *report, volt_matrix out,
                            int64_t *beyond)
{
    const volt_backend *backend = volt_place_run(X.rows, volt_model_reader_of(model).columns->m, model->d);
    bool fails = options->beyond == VOLT_BEYOND_ERROR;
    volt_run_bounded bounded = {0};
    VOLT_TRY(volt_model_run_free(model, backend, X, records, options, fails ? NULL : &bounded, out, beyond));
    model_warn_free_run(model, records, options, &bounded, report);
    return VOLT_OK;
}

/* Copies the warnings to the report of the caller, or logs them. */
static volt_status deliver(const volt_predict_report *report, volt_predict_report *given)
{
    if (given)
        return volt_result_copy(given, report, sizeof *report, "volt_predict_report");
    for (int64_t i = 0; i < report->n_warnings; i++)
        volt_log(VOLT_LOG_WARNING, "%s", report->warnings[i].text);
    return VOLT_OK;
}

volt_status volt_model_predict(const volt_model *model, volt_view X, const volt_predict_options *options,
                               volt_matrix out, int64_t *beyond)
{
    volt_predict_options opts = volt_predict_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_predict_options"));
    options = &opts;
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_check_inputs(model, X));
    VOLT_TRY(volt_check_output(out, X.rows, model->q, "the predictions"));
    VOLT_TRY(model_check_known(model, X.rows, options));
    volt_predict_report report = {.struct_size = sizeof report};
    if (options->report) /* before any output is written */
        VOLT_TRY(deliver(&report, options->report));
    if (options->std.data)
        VOLT_TRY(check_spread(model, options->std, X.rows));

    volt_records records;
    VOLT_TRY(volt_records_make(options->records, options->n_records, X.rows, &records));
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = model->sum ? sum_predict(model, X, options, &report, out, beyond)
                 : model->recipe.fed_outputs.n > 0
                     ? run_free(model, X, &records, options, &report, out, beyond)
                     : predict(model, X, &records, options, out, options->std, beyond);
        volt_blas_release(&use);
    }
    volt_records_release(&records);
    if (status == VOLT_OK && options->report) {
        volt_predict_warning range = {.rows = 0};
        status = volt_model_check_range(model, X, 0, &range);
        if (range.rows > 0)
            report.warnings[report.n_warnings++] = range;
    }
    return status == VOLT_OK ? deliver(&report, options->report) : status;
}
