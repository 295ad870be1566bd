/* src/export/export_part.c: source code of a part of a model: tables, initial states, inputs and feedback. */
#include "export/export_c.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

bool volt_part_has_begun(const volt_export_part *part)
{
    return part->past_is_first || (part->lags_end && !part->lags_start);
}

bool volt_part_finds_first(const volt_export_part *part)
{
    return part->past_is_first && part->model->recipe.fed_outputs.n > 0;
}

/* ---- tables ------------------------------------------------------------------------------------- */

/* A table with a formatted name. */
static void table(volt_source *out, const double *numbers, int64_t rows, int64_t cols, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void table(volt_source *out, const double *numbers, int64_t rows, int64_t cols, const char *format, ...)
{
    char name[NAME];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    volt_source_table(out, name, numbers, rows, cols);
}

/* All numbers are equal. */
static bool is_constant(const double *numbers, int64_t rows, int64_t cols)
{
    for (int64_t i = cols; i < rows * cols; i++)
        if (numbers[i] != numbers[i - cols])
            return false;
    return true;
}

/* The tables of a state. A constant one is written as numbers where it is used. */
static void state_tables(const volt_export_part *part, int p, const char *when, bool at_end, volt_source *out)
{
    for (int f = 0; f < (int)part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        const volt_export_state *state = at_end ? &factor->end : &factor->start;
        bool known = at_end || !part->past_is_first;
        if (known && factor->state_size > 0 && !is_constant(state->diagonals, part->rows, factor->state_size))
            table(out, state->diagonals, part->rows, factor->state_size, "p%d_%s_a_%d", p, when, f);
        if (known && factor->state_size > 0)
            table(out, state->border, part->borders, factor->state_size, "p%d_%s_border_%d", p, when, f);
        if (known && factor->window > 1)
            table(out, state->window, factor->window - 1, part->columns, "p%d_%s_window_%d", p, when, f);
        if (factor->reservoir)
            table(out, known ? state->x : factor->reservoir->start, factor->reservoir->size, 0, "p%d_%s_x_%d",
                  p, when, f);
    }
}

/* M of a reservoir, without the padding of its rows. */
static void matrix_table(volt_source *out, int p, int64_t f, const volt_reservoir *r)
{
    char name[NAME], literal[VOLT_LITERAL_LENGTH];
    snprintf(name, sizeof name, "p%d_matrix_%d", p, (int)f);
    volt_source_put(out, "static const double %s[%d][%d] = {\n", name, (int)r->length, (int)r->size);
    for (int64_t k = 0; k < r->length; k++) {
        volt_source_put(out, "    {");
        for (int64_t i = 0; i < r->size; i++)
            volt_source_put(out, "%s%s",
                            i == 0       ? ""
                            : i % 4 == 0 ? ",\n     "
                                         : ", ",
                            volt_source_number(out, r->matrix[k * r->ld + i], literal));
        volt_source_put(out, "},\n");
    }
    volt_source_put(out, "};\n");
    out->table_bytes += r->length * r->size * (out->single ? 4 : 8);
}

static void kernel_tables(const volt_export_part *part, int p, volt_source *out)
{
    bool rows = false, scans = false;
    for (int64_t f = 0; f < part->n_factors; f++) {
        rows = rows || !part->factor[f].reservoir;
        scans = scans || part->factor[f].state_size > 0;
    }
    bool starts = part->past_is_first && scans;
    for (int64_t f = 0; f < part->n_factors && part->records > 1; f++)
        starts = starts || part->factor[f].state_size > 0 || part->factor[f].window > 1;
    if (starts) {
        char name[NAME];
        snprintf(name, sizeof name, "p%d_starts", p);
        volt_source_integers(out, name, part->starts, part->records + 1);
    }
    if (part->rows > 0 && rows)
        table(out, part->inputs, part->rows, part->d, "p%d_inputs", p);
    int64_t states = 0;
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        if (factor->own) {
            table(out, factor->own, part->rows, 0, "p%d_own_rows_%d", p, (int)f);
            table(out, factor->past_own, part->borders, 0, "p%d_past_own_%d", p, (int)f);
        }
        if (factor->reservoir) {
            states += factor->reservoir->size;
            matrix_table(out, p, f, factor->reservoir);
            if (factor->features)
                table(out, factor->features, part->rows, factor->reservoir->size, "p%d_states_%d", p, (int)f);
        }
        bool uses_origin = factor->window > 1 || (factor->state_size > 0 && factor->origin);
        if (!part->past_is_first && uses_origin) {
            if (factor->origin)
                table(out, factor->origin, part->columns, 0, "p%d_origin_%d", p, (int)f);
            else
                volt_source_put(out, "static const double p%d_origin_%d[%d] = {0.0};\n", p, (int)f,
                                (int)part->columns);
        }
    }
    table(out, part->coefficients, part->rows > 0 ? part->rows : states, part->model->q, "p%d_coefficients", p);
}

/* A bound without effect is the largest number. */
static void column_tables(const volt_export_part *part, int p, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    int64_t count = volt_recipe_input_columns(recipe);
    char name[NAME];
    volt_source_put(out,
                    "static const struct {\n    int source, plus, minus;\n    double weight, low, high;\n} ");
    snprintf(name, sizeof name, "p%d_column", p);
    volt_source_put(out, "%s[%d] = {\n", name, (int)count);
    for (int64_t k = 0; k < count; k++) {
        const volt_column *column = &recipe->column[k];
        double most = out->single ? FLT_MAX : DBL_MAX;
        char weight[VOLT_LITERAL_LENGTH], low[VOLT_LITERAL_LENGTH], high[VOLT_LITERAL_LENGTH];
        volt_source_put(out, "    {%d, %d, %d, %s, %s, %s},\n", (int)column->source, (int)column->plus,
                        (int)column->minus, volt_source_number(out, column->weight, weight),
                        volt_source_number(out, fmax(column->low, -most), low),
                        volt_source_number(out, fmin(column->high, most), high));
    }
    volt_source_put(out, "};\n");
    out->table_bytes += count * (out->single ? 24 : 40);
}

static void output_tables(const volt_export_part *part, int p, volt_source *out)
{
    const volt_model *model = part->model;
    const volt_feedback *fed = &model->recipe.fed_outputs;
    bool anchored = false;
    for (int64_t k = 0; k < model->q; k++)
        anchored |= model->anchors[k] >= 0;
    table(out, model->intercepts, model->q, 0, "p%d_intercept", p);
    table(out, model->target_mean, model->q, 0, "p%d_mean", p);
    table(out, model->target_scale, model->q, 0, "p%d_scale", p);
    if (anchored) {
        char name[NAME];
        snprintf(name, sizeof name, "p%d_anchor", p);
        volt_source_integers(out, name, model->anchors, model->q);
    }
    if (fed->n == 0)
        return;
    table(out, fed->offset, fed->n, 0, "p%d_fed_offset", p);
    table(out, fed->weight, fed->n, 0, "p%d_fed_weight", p);
    char literal[VOLT_LITERAL_LENGTH];
    for (int which = 0; which < 2; which++) {
        volt_source_put(out, "static const double p%d_%s[%d] = {", p, which ? "reach" : "middle", (int)fed->n);
        for (int64_t k = 0; k < fed->n; k++) {
            double middle, reach;
            volt_feedback_bounds(fed, k, &middle, &reach);
            volt_source_put(out, "%s%s", k > 0 ? ", " : "",
                            volt_source_number(
                                out, which ? fmin(reach, out->single ? FLT_MAX : DBL_MAX) : middle, literal));
        }
        volt_source_put(out, "};\n");
    }
}

void volt_part_tables(const volt_export_part *part, int p, const volt_export *made, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    kernel_tables(part, p, out);
    output_tables(part, p, out);
    table(out, part->model->input.shift, part->columns, 0, "p%d_shift", p);
    if (!recipe->plain)
        column_tables(part, p, out);
    state_tables(part, p, "start", false, out);
    if (made->can_continue)
        state_tables(part, p, "end", true, out);
    if (part->lags_start)
        table(out, part->lags_start, recipe->memory, recipe->inputs, "p%d_start_lags", p);
    if (part->lags_end && made->can_continue)
        table(out, part->lags_end, recipe->memory, recipe->inputs, "p%d_end_lags", p);
    if (part->filter_end && !part->past_is_first)
        table(out, part->filter_start, 4 * part->d, 0, "p%d_start_filter", p);
    if (part->filter_end && made->can_continue)
        table(out, part->filter_end, 4 * part->d, 0, "p%d_end_filter", p);
    if (recipe->fed_outputs.n > 0 && made->can_continue)
        table(out, part->model->recent.fed_outputs, recipe->fed_outputs.n, 0, "p%d_end_fed", p);
}

/* ---- initial states ------------------------------------------------------------------------------ */

static void copy_list(volt_source *out, int p, const char *to, const char *from, int64_t rows, int64_t cols)
{
    if (cols > 0)
        volt_source_put(out,
                        "    for (int i = 0; i < %d; i++)\n"
                        "        for (int k = 0; k < %d; k++)\n"
                        "            part->%s[i][k] = p%d_%s[i][k];\n",
                        (int)rows, (int)cols, to, p, from);
    else
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        part->%s[i] = p%d_%s[i];\n", (int)rows,
                        to, p, from);
}

static void set_factor(const volt_export_part *part, int p, int64_t f, bool at_end, volt_source *out)
{
    const volt_export_factor *factor = &part->factor[f];
    const volt_export_state *state = at_end ? &factor->end : &factor->start;
    const char *when = at_end ? "end" : "start";
    bool known = at_end || !part->past_is_first;
    char to[NAME], from[NAME], literal[VOLT_LITERAL_LENGTH];
    if (factor->reservoir) {
        snprintf(to, sizeof to, "x_%d", (int)f);
        snprintf(from, sizeof from, "%s_x_%d", when, (int)f);
        copy_list(out, p, to, from, factor->reservoir->size, 0);
    }
    if (!known)
        return;
    if (factor->state_size > 0) {
        snprintf(to, sizeof to, "a_%d", (int)f);
        snprintf(from, sizeof from, "%s_a_%d", when, (int)f);
        bool constant = is_constant(state->diagonals, part->rows, factor->state_size);
        if (!constant)
            copy_list(out, p, to, from, part->rows, factor->state_size);
        for (int64_t s = 0; constant && s < factor->state_size; s++)
            volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        part->%s[i][%d] = %s;\n",
                            (int)part->rows, to, (int)s, volt_source_number(out, state->diagonals[s], literal));
        snprintf(to, sizeof to, "border_%d", (int)f);
        snprintf(from, sizeof from, "%s_border_%d", when, (int)f);
        copy_list(out, p, to, from, part->borders, factor->state_size);
    }
    if (factor->own)
        volt_source_put(out, "    part->kept_%d = %s;\n", (int)f,
                        volt_source_number(out, state->kept, literal));
    if (factor->window > 1) {
        snprintf(to, sizeof to, "window_%d", (int)f);
        snprintf(from, sizeof from, "%s_window_%d", when, (int)f);
        copy_list(out, p, to, from, factor->window - 1, part->columns);
    }
}

static void put_start(const volt_export_part *part, int p, bool at_end, const volt_export *made,
                      const volt_c_names *names, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    volt_source_put(out, "\nstatic void p%d_%s(%s_part_%d *part)\n{\n", p, at_end ? "continue" : "reset",
                    names->name, p);
    for (int64_t f = 0; f < part->n_factors; f++)
        set_factor(part, p, f, at_end, out);
    if (part->lags_end && (at_end || part->lags_start))
        copy_list(out, p, "lags", at_end ? "end_lags" : "start_lags", recipe->memory, recipe->inputs);
    if (part->filter_end && (at_end || !part->past_is_first))
        copy_list(out, p, "filter", at_end ? "end_filter" : "start_filter", 4 * part->d, 0);
    if (recipe->fed_outputs.n > 0 && at_end)
        copy_list(out, p, "fed", "end_fed", recipe->fed_outputs.n, 0);
    else if (recipe->fed_outputs.n > 0)
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        part->fed[i] = 0.0;\n",
                        (int)recipe->fed_outputs.n);
    if (recipe->fed_outputs.n > 0)
        volt_source_put(out, "    part->diverged = 0;\n");
    if (volt_part_finds_first(part))
        volt_source_put(out, "    part->known = %d;\n", at_end ? 1 : 0);
    if (volt_part_keeps_outputs(made))
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        part->y[i] = 0.0;\n",
                        (int)part->model->q);
    if (volt_part_has_begun(part))
        volt_source_put(out, "    part->begun = %d;\n", at_end ? 1 : 0);
    volt_source_put(out, "    part->z[0] = 0.0;\n}\n");
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static void put_columns(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    int own = (int)volt_recipe_input_columns(recipe);
    char scale[VOLT_LITERAL_LENGTH];
    volt_source_number(out, part->model->input.scale, scale);
    if (recipe->plain)
        volt_source_put(out,
                        "    for (int k = 0; k < %d; k++)\n        column[k] = (x[k] - p%d_shift[k]) * %s;\n",
                        own, p, scale);
    else
        volt_source_put(
            out,
            "    for (int k = 0; k < %d; k++) {\n"
            "        const int source = p%d_column[k].source;\n"
            "        double value = p%d_lagged(part, x, source, p%d_column[k].plus);\n"
            "        if (p%d_column[k].minus >= 0)\n"
            "            value -= p%d_lagged(part, x, source, p%d_column[k].minus);\n"
            "        value *= p%d_column[k].weight;\n"
            "        if (!(fabs(value) <= DBL_MAX))\n"
            "            return %s_NOT_FINITE;\n"
            "        if (value < p%d_column[k].low || value > p%d_column[k].high) {\n"
            "            value = value < p%d_column[k].low ? p%d_column[k].low : p%d_column[k].high;\n"
            "            status = %s_CLIPPED;\n"
            "        }\n"
            "        column[k] = (value - p%d_shift[k]) * %s;\n"
            "    }\n",
            own, p, p, p, p, p, p, p, names->upper, p, p, p, p, p, names->upper, p, scale);
    if (recipe->fed_outputs.n > 0)
        volt_source_put(out,
                        "    for (int k = 0; k < %d; k++)\n"
                        "        column[%d + k] = (part->fed[k] - p%d_shift[%d + k]) * %s;\n",
                        (int)recipe->fed_outputs.n, own, p, own, scale);
}

/* Filter s of all columns: state numbers v, w, older w, u (kernel/filter.h). */
static void put_filter(const volt_export_part *part, const volt_filter *filter, int64_t s, volt_source *out)
{
    int d = (int)part->columns, at = (int)(4 * s * d);
    double turn = volt_filter_turn(filter), square = filter->pair * filter->pair;
    char a[VOLT_LITERAL_LENGTH], b[VOLT_LITERAL_LENGTH], c[VOLT_LITERAL_LENGTH];
    if (part->past_is_first) {
        double gain = filter->pole != 0 ? (1 - fabs(filter->pole)) / (1 - filter->pole) : 1;
        volt_source_put(out,
                        "    for (int k = 0; k < %d && part->begun == 0; k++) {\n"
                        "        const double value = %s * column[k];\n"
                        "        for (int i = 0; i < 3; i++)\n"
                        "            part->filter[%d + i * %d + k] = value;\n"
                        "        part->filter[%d + k] = value / %s;\n"
                        "    }\n",
                        d, volt_source_number(out, gain, a), at, d, at + 3 * d,
                        volt_source_number(out, 1 - filter->echo, b));
    }
    volt_source_put(out,
                    "    for (int k = 0; k < %d; k++) {\n"
                    "        const double *was = part->filter + %d + k;\n"
                    "        double *next = part->next_filter + %d + k;\n"
                    "        double value = column[k];\n"
                    "        for (int i = 0; i < 4; i++)\n"
                    "            next[i * %d] = was[i * %d];\n",
                    d, at, at, d, d);
    if (filter->pole != 0)
        volt_source_put(out, "        value = %s * was[0] + %s * value;\n        next[0] = value;\n",
                        volt_source_number(out, filter->pole, a),
                        volt_source_number(out, 1 - fabs(filter->pole), b));
    if (filter->pair != 0)
        volt_source_put(out,
                        "        value = %s * was[%d] - %s * was[%d] + %s * value;\n"
                        "        next[%d] = was[%d];\n"
                        "        next[%d] = value;\n",
                        volt_source_number(out, turn, a), d, volt_source_number(out, square, b), 2 * d,
                        volt_source_number(out, 1 - turn + square, c), 2 * d, d, d);
    if (filter->echo != 0)
        volt_source_put(out, "        value += %s * was[%d];\n        next[%d] = value;\n",
                        volt_source_number(out, filter->echo, a), 3 * d, 3 * d);
    volt_source_put(out, "        part->z[%d + k] = value;\n    }\n", (int)(s * d));
}

/* A row outside the ball of training is scaled to its radius. */
static void put_ball(const volt_export_part *part, int64_t s, const volt_c_names *names, volt_source *out)
{
    int d = (int)part->columns, at = (int)(s * part->columns);
    char limit[VOLT_LITERAL_LENGTH], radius[VOLT_LITERAL_LENGTH];
    double tolerance = out->single ? 4 * (d + 4) * (double)FLT_EPSILON : 0;
    volt_source_put(out,
                    "    squares = 0.0;\n"
                    "    for (int k = 0; k < %d; k++)\n"
                    "        squares += part->z[%d + k] * part->z[%d + k];\n"
                    "    if (!(squares <= DBL_MAX))\n"
                    "        return %s_NOT_FINITE;\n",
                    d, at, at, names->upper);
    if (part->clips[s])
        volt_source_put(out,
                        "    if (sqrt(squares) > %s) {\n"
                        "        const double ratio = %s / sqrt(squares);\n"
                        "        for (int k = 0; k < %d; k++)\n"
                        "            part->z[%d + k] *= ratio;\n"
                        "        status = %s_CLIPPED;\n"
                        "    }\n",
                        volt_source_number(out, part->limit[s] * (1 + tolerance), limit),
                        volt_source_number(out, part->radius[s], radius), d, at, names->upper);
}

static void put_take(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    volt_source_put(
        out,
        "\n/* Converts the inputs x to the row part->z of the kernel. The state does not change. */\n"
        "static int p%d_take(%s_part_%d *part, const double *x)\n{\n"
        "    int status = %s_OK;\n"
        "    double column[%d], squares;\n",
        p, names->name, p, names->upper, (int)part->columns);
    if (recipe->fed_outputs.n > 0)
        volt_source_put(out, "    if (part->diverged != 0)\n        return %s_DIVERGED;\n", names->upper);
    volt_source_put(out,
                    "    for (int k = 0; k < %d; k++)\n"
                    "        if (!(fabs(x[k]) <= DBL_MAX))\n"
                    "            return %s_NOT_FINITE;\n",
                    (int)recipe->inputs, names->upper);
    if (part->lags_end && !part->lags_start)
        volt_source_put(out,
                        "    for (int i = 0; i < %d && part->begun == 0; i++)\n"
                        "        for (int k = 0; k < %d; k++)\n"
                        "            part->lags[i][k] = x[k];\n",
                        (int)recipe->memory, (int)recipe->inputs);
    put_columns(part, p, names, out);
    for (int64_t s = 0; s < part->slices && part->filter_end; s++)
        put_filter(part, &recipe->filters[s], s, out);
    if (!part->filter_end)
        volt_source_put(out, "    for (int k = 0; k < %d; k++)\n        part->z[k] = column[k];\n",
                        (int)part->d);
    for (int64_t s = 0; s < part->slices; s++)
        put_ball(part, s, names, out);
    volt_source_put(out, "    return status;\n}\n");
}

void volt_part_inputs(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    if (!recipe->plain && recipe->memory > 0)
        volt_source_put(
            out,
            "\n/* Input `source`, `lag` rows ago. */\n"
            "static double p%d_lagged(const %s_part_%d *part, const double *x, int source, int lag)\n{\n"
            "    return lag == 0 ? x[source] : part->lags[%d - lag][source];\n}\n",
            p, names->name, p, (int)recipe->memory);
    else if (!recipe->plain)
        volt_source_put(
            out,
            "\n/* Input `source`; no column has a lag. */\n"
            "static double p%d_lagged(const %s_part_%d *part, const double *x, int source, int lag)\n{\n"
            "    (void)part;\n    (void)lag;\n    return x[source];\n}\n",
            p, names->name, p);
    put_take(part, p, names, out);
    if (recipe->fed_outputs.n > 0)
        volt_source_put(out,
                        "\n/* Sets the outputs that are fed back to the next row. */\n"
                        "static void p%d_feed(%s_part_%d *part, const double *y)\n{\n"
                        "    for (int i = 0; i < %d; i++)\n"
                        "        part->fed[i] = p%d_fed_weight[i] * (y[i] - p%d_fed_offset[i]);\n"
                        "%s    part->diverged = 0;\n}\n",
                        p, names->name, p, (int)recipe->fed_outputs.n, p, p,
                        volt_part_finds_first(part) ? "    part->known = 1;\n" : "");
}

/* As volt_model_stationary_output (model/initial.c). */
void volt_part_first(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    const volt_feedback *fed = &part->model->recipe.fed_outputs;
    char literal[VOLT_LITERAL_LENGTH];
    int q = (int)fed->n;
    if (!volt_part_finds_first(part))
        return;
    volt_source_put(out,
                    "\n/* Changes of the outputs that end the search for the first one. */\n"
                    "static const double p%d_near[%d] = {",
                    p, q);
    for (int k = 0; k < q; k++)
        volt_source_put(
            out, "%s%s", k ? ", " : "",
            volt_source_number(out, (out->single ? 1e-5 : 1e-9) * (fed->high[k] - fed->low[k]), literal));
    volt_source_put(
        out,
        "};\n\n/* The output before the first row, unless it is known: the one that the model approaches when "
        "the\n"
        " * input x persists. The state is that of a new sequence before and after. */\n"
        "static int p%d_first(%s_part_%d *part, const double *x)\n{\n"
        "    double y[%d] = {0.0}, before[%d] = {0.0};\n"
        "    int moves = 1;\n"
        "    if (part->begun != 0 || part->known != 0)\n"
        "        return %s_OK;\n"
        "    for (int i = 0; i < 2000 && moves != 0; i++) {\n"
        "        int status = p%d_take(part, x);\n"
        "        if (status >= 0)\n"
        "            status = p%d_advance(part, x, y);\n"
        "        if (status < 0) {\n"
        "            p%d_reset(part);\n"
        "            return status;\n"
        "        }\n"
        "        moves = i == 0 ? 1 : 0;\n"
        "        for (int k = 0; k < %d; k++) {\n"
        "            const double low = p%d_middle[k] - p%d_reach[k], high = p%d_middle[k] + p%d_reach[k];\n"
        "            y[k] = y[k] < low ? low : y[k] > high ? high : y[k];\n"
        "            if (fabs(y[k] - before[k]) > p%d_near[k])\n"
        "                moves = 1;\n"
        "            before[k] = y[k];\n"
        "        }\n"
        "        p%d_feed(part, y);\n"
        "    }\n"
        "    p%d_reset(part);\n"
        "    p%d_feed(part, y);\n"
        "    part->known = 0;\n"
        "    return %s_OK;\n}\n",
        p, names->name, p, q, q, names->upper, p, p, p, q, p, p, p, p, p, p, p, p, names->upper);
}

void volt_part_starts(const volt_export_part *part, int p, const volt_export *made, const volt_c_names *names,
                      volt_source *out)
{
    put_start(part, p, false, made, names, out);
    if (made->can_continue)
        put_start(part, p, true, made, names, out);
}
