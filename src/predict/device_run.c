/* src/predict/device_run.c: runs rows of a live object on a device: converts model, state and rows to
 * arrays and back. */
#include "predict/predict_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "solve/landmark/placement.h"

#include <math.h>
#include <string.h>

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

volt_status volt_device_run(volt_live *live, const volt_backend *backend, const volt_device_rows *rows,
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
