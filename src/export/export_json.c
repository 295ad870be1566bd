/* src/export/export_json.c: the numbers of an exported model as JSON. */
#include "export/export_model.h"

#include "base/error.h"
#include "base/json.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An object under construction; `depth` is its indentation. */
typedef struct object {
    volt_text_buffer *text;
    volt_status *status;
    int depth;
    bool has_members;
} object;

/* ---- values -------------------------------------------------------------------------------------- */

static void put_number(volt_text_buffer *text, double value)
{
    char number[VOLT_NUMBER_LENGTH];
    volt_text_put(text, isfinite(value) ? volt_format_number(value, number) : "null");
}

static void put_text(const object *in, const char *word)
{
    volt_status status = volt_json_quote(in->text, word);
    if (*in->status == VOLT_OK)
        *in->status = status;
}

static void new_line(volt_text_buffer *text, int depth)
{
    char line[64];
    snprintf(line, sizeof line, "\n%*s", 2 * depth, "");
    volt_text_put(text, line);
}

static void key(object *in, const char *name)
{
    if (in->has_members)
        volt_text_put(in->text, ",");
    in->has_members = true;
    new_line(in->text, in->depth);
    put_text(in, name);
    volt_text_put(in->text, ": ");
}

static object open_object(const object *in)
{
    volt_text_put(in->text, "{");
    return (object){in->text, in->status, in->depth + 1, false};
}

static void close_object(const object *in)
{
    new_line(in->text, in->depth - 1);
    volt_text_put(in->text, "}");
}

static void add_number(object *in, const char *name, double value)
{
    key(in, name);
    put_number(in->text, value);
}

static void add_text(object *in, const char *name, const char *word)
{
    key(in, name);
    put_text(in, word);
}

static void add_flag(object *in, const char *name, bool value)
{
    key(in, name);
    volt_text_put(in->text, value ? "true" : "false");
}

static void put_list(volt_text_buffer *text, const double *numbers, int64_t count)
{
    volt_text_put(text, "[");
    for (int64_t i = 0; i < count; i++) {
        if (i > 0)
            volt_text_put(text, ", ");
        put_number(text, numbers[i]);
    }
    volt_text_put(text, "]");
}

static void add_list(object *in, const char *name, const double *numbers, int64_t count)
{
    key(in, name);
    put_list(in->text, numbers, count);
}

static void add_integers(object *in, const char *name, const int64_t *numbers, int64_t count)
{
    key(in, name);
    volt_text_put(in->text, "[");
    for (int64_t i = 0; i < count; i++) {
        if (i > 0)
            volt_text_put(in->text, ", ");
        put_number(in->text, (double)numbers[i]);
    }
    volt_text_put(in->text, "]");
}

/* A list of rows; `stride` apart. */
static void add_matrix(object *in, const char *name, const double *numbers, int64_t rows, int64_t cols,
                       int64_t stride)
{
    key(in, name);
    volt_text_put(in->text, "[");
    for (int64_t i = 0; i < rows; i++) {
        if (i > 0)
            volt_text_put(in->text, ",");
        new_line(in->text, in->depth + 1);
        put_list(in->text, numbers + i * stride, cols);
    }
    volt_text_put(in->text, "]");
}

static void add_names(object *in, const char *name, char *const *names, int64_t count)
{
    if (!names)
        return;
    key(in, name);
    volt_text_put(in->text, "[");
    for (int64_t i = 0; i < count; i++) {
        if (i > 0)
            volt_text_put(in->text, ", ");
        put_text(in, names[i] ? names[i] : "");
    }
    volt_text_put(in->text, "]");
}

/* ---- factors -------------------------------------------------------------------------------------- */

static void add_state(object *in, const char *name, const volt_export_part *part,
                      const volt_export_factor *factor, const volt_export_state *state)
{
    key(in, name);
    object own = open_object(in);
    if (factor->state_size > 0) {
        add_matrix(&own, "rows", state->diagonals, part->rows, factor->state_size, factor->state_size);
        add_matrix(&own, "border", state->border, part->borders, factor->state_size, factor->state_size);
    }
    if (factor->own)
        add_number(&own, "kept", state->kept);
    if (factor->window > 1)
        add_matrix(&own, "window", state->window, factor->window - 1, part->columns, part->columns);
    if (factor->reservoir)
        add_list(&own, "x", state->x, factor->reservoir->size);
    close_object(&own);
}

static void add_reservoir(object *in, const volt_reservoir *r)
{
    key(in, "reservoir");
    object own = open_object(in);
    add_number(&own, "size", (double)r->size);
    add_number(&own, "inputs", (double)r->d);
    add_number(&own, "powers", (double)r->powers);
    add_number(&own, "leak", r->leak);
    add_text(&own, "activation", !r->bends ? "identity" : r->uses_erf ? "erf" : "tanh");
    add_text(&own, "arrange", r->arrange_code);
    add_matrix(&own, "matrix", r->matrix, r->length, r->size, r->ld);
    close_object(&own);
}

static void add_constants(object *in, const volt_export_factor *factor)
{
    key(in, "constants");
    object own = open_object(in);
    for (int i = 0; factor->code->constants[i]; i++) {
        const char *name = factor->code->constants[i];
        add_number(&own, strncmp(name, "int ", 4) == 0 ? name + 4 : name, factor->numbers[i]);
    }
    close_object(&own);
}

static void put_factor(const object *in, const volt_export_part *part, const volt_export_factor *factor,
                       bool can_continue)
{
    object own = open_object(in);
    add_text(&own, "kernel", factor->text);
    add_number(&own, "term", (double)factor->term);
    add_number(&own, "slice", (double)factor->slice);
    add_number(&own, "window", (double)factor->window);
    add_text(&own, "local", factor->reservoir ? "states" : factor->distance ? "distance" : "product");
    if (factor->reservoir)
        add_reservoir(&own, factor->reservoir);
    if (factor->code) {
        add_constants(&own, factor);
        add_number(&own, "state_size", (double)factor->state_size);
        add_text(&own, "step", factor->code->step);
        if (factor->code->rest)
            add_text(&own, "rest", factor->code->rest);
        if (factor->code->functions)
            add_text(&own, "functions", factor->code->functions);
    }
    if (factor->origin)
        add_list(&own, "origin", factor->origin, part->columns);
    if (factor->reservoir && factor->features)
        add_matrix(&own, "states", factor->features, part->rows, factor->reservoir->size,
                   factor->reservoir->size);
    if (factor->code && factor->own) {
        add_text(&own, "own", factor->code->own);
        add_list(&own, "own_rows", factor->own, part->rows);
        add_list(&own, "past_own", factor->past_own, part->borders);
    }
    if (!part->past_is_first)
        add_state(&own, "start", part, factor, &factor->start);
    if (can_continue)
        add_state(&own, "end", part, factor, &factor->end);
    close_object(&own);
}

/* ---- parts ----------------------------------------------------------------------------------------- */

static void put_column(const object *in, const volt_column *column)
{
    object own = open_object(in);
    add_number(&own, "input", (double)column->source);
    add_number(&own, "lag", (double)column->plus);
    if (column->minus >= 0)
        add_number(&own, "minus_lag", (double)column->minus);
    add_number(&own, "weight", column->weight);
    if (isfinite(column->low) && isfinite(column->high)) {
        add_number(&own, "low", column->low);
        add_number(&own, "high", column->high);
    }
    close_object(&own);
}

static void put_filter(const object *in, const volt_filter *filter)
{
    object own = open_object(in);
    add_number(&own, "pole", filter->pole);
    add_number(&own, "pair", filter->pair);
    add_number(&own, "turn", volt_filter_turn(filter));
    add_number(&own, "echo", filter->echo);
    close_object(&own);
}

static void begin_item(const object *in, int64_t i)
{
    if (i > 0)
        volt_text_put(in->text, ",");
    new_line(in->text, in->depth + 1);
}

static void add_inputs(object *in, const volt_export_part *part, bool can_continue)
{
    const volt_model *model = part->model;
    const volt_recipe *recipe = &model->recipe;
    object inner = {in->text, in->status, in->depth + 1, false};
    if (!recipe->plain) {
        key(in, "columns");
        volt_text_put(in->text, "[");
        for (int64_t k = 0; k < volt_recipe_input_columns(recipe); k++) {
            begin_item(in, k);
            put_column(&inner, &recipe->column[k]);
        }
        volt_text_put(in->text, "]");
    }
    add_number(in, "lags", (double)recipe->memory);
    if (part->lags_start)
        add_matrix(in, "lags_start", part->lags_start, recipe->memory, recipe->inputs, recipe->inputs);
    if (part->lags_end && can_continue)
        add_matrix(in, "lags_end", part->lags_end, recipe->memory, recipe->inputs, recipe->inputs);
    add_list(in, "shift", model->input.shift, part->columns);
    add_number(in, "scale", model->input.scale);
    if (part->filter_end) {
        key(in, "filters");
        volt_text_put(in->text, "[");
        for (int64_t s = 0; s < part->slices; s++) {
            begin_item(in, s);
            put_filter(&inner, &recipe->filters[s]);
        }
        volt_text_put(in->text, "]");
        if (!part->past_is_first)
            add_list(in, "filters_start", part->filter_start, 4 * part->d);
        if (can_continue)
            add_list(in, "filters_end", part->filter_end, 4 * part->d);
    }
    double limits[VOLT_MAX_FACTORS];
    for (int64_t s = 0; s < part->slices; s++)
        limits[s] = part->clips[s] ? part->radius[s] : INFINITY;
    add_list(in, "radius", limits, part->slices);
}

static void add_feedback(object *in, const volt_export_part *part, bool can_continue)
{
    const volt_feedback *fed = &part->model->recipe.fed_outputs;
    if (fed->n == 0)
        return;
    key(in, "feedback");
    object own = open_object(in);
    add_list(&own, "offset", fed->offset, fed->n);
    add_list(&own, "weight", fed->weight, fed->n);
    add_list(&own, "low", fed->low, fed->n);
    add_list(&own, "high", fed->high, fed->n);
    if (can_continue)
        add_list(&own, "end", part->model->recent.fed_outputs, fed->n);
    close_object(&own);
}

static void put_part(const object *in, const volt_export_part *part, bool can_continue)
{
    const volt_model *model = part->model;
    object own = open_object(in), inner = {in->text, in->status, in->depth + 2, false};
    int64_t states = 0;
    add_number(&own, "weight", part->weight);
    add_text(&own, "kernel", volt_kernel_text(model->kernel));
    add_text(&own, "initial", part->past_is_first ? "first" : "fixed");
    add_inputs(&own, part, can_continue);
    add_feedback(&own, part, can_continue);
    if (part->rows > 0) {
        add_integers(&own, "records", part->starts, part->records);
        add_matrix(&own, "rows", part->inputs, part->rows, part->d, part->d);
    }
    add_list(&own, "term_weights", part->term_weight, part->n_terms);
    key(&own, "factors");
    volt_text_put(own.text, "[");
    for (int64_t f = 0; f < part->n_factors; f++) {
        begin_item(&own, f);
        put_factor(&inner, part, &part->factor[f], can_continue);
        states += part->factor[f].reservoir ? part->factor[f].reservoir->size : 0;
    }
    volt_text_put(own.text, "]");
    add_matrix(&own, "coefficients", part->coefficients, part->rows > 0 ? part->rows : states, model->q,
               model->q);
    add_list(&own, "intercept", model->intercepts, model->q);
    add_list(&own, "target_mean", model->target_mean, model->q);
    add_list(&own, "target_scale", model->target_scale, model->q);
    add_integers(&own, "added_input", model->anchors, model->q);
    if (model->loss && model->loss->kind->link) {
        add_text(&own, "loss", model->loss->text);
        add_number(&own, "link_outputs", (double)volt_loss_group(model->loss, model->q));
        add_text(&own, "link", model->loss->kind->link_code);
    }
    close_object(&own);
}

volt_status volt_export_json(const volt_export *made, volt_text_buffer *text)
{
    const volt_model *model = made->model;
    volt_status status = VOLT_OK;
    object in = {text, &status, 0, false}, own = open_object(&in), inner = {text, &status, 2, false};
    add_text(&own, "format", "volterra-export");
    add_number(&own, "format_version", 1);
    add_text(&own, "version", volt_version());
    add_number(&own, "inputs", (double)model->recipe.inputs);
    add_number(&own, "outputs", (double)model->q);
    add_number(&own, "ahead", (double)model->ahead);
    add_names(&own, "input_names", model->input_names, model->recipe.inputs);
    add_names(&own, "output_names", model->output_names, model->q);
    add_names(&own, "classes", model->classes, model->n_classes);
    add_flag(&own, "can_continue", made->can_continue);
    if (made->n_coverages > 0) {
        add_list(&own, "coverages", made->coverages, made->n_coverages);
        add_matrix(&own, "half_widths", made->half, made->n_coverages, model->q, model->q);
    }
    key(&own, "parts");
    volt_text_put(text, "[");
    for (int64_t i = 0; i < made->n_parts; i++) {
        begin_item(&own, i);
        put_part(&inner, &made->parts[i], made->can_continue);
    }
    volt_text_put(text, "]");
    close_object(&own);
    volt_text_put(text, "\n");
    return status != VOLT_OK ? status : text->failed ? VOLT_ERR_MEMORY : VOLT_OK;
}
