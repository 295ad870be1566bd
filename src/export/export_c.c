/* src/export/export_c.c: the header and the source file of an exported model.
 *
 * Each part has its own state and static functions p1_take, p1_advance, p1_feed. The public functions call those of all
 * parts. All parts take a row, or none. */
#include "export/export_c.h"

#include "volterra/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- state ---------------------------------------------------------------------------------------- */

bool volt_part_keeps_outputs(const volt_export *made)
{
    return made->feeds_back && made->n_parts > 1;
}

static void member(volt_source *out, const char *name, int64_t rows, int64_t cols, const char *comment,
                   volt_c_cost *cost)
{
    volt_source_put(out, "    double %s[%" PRId64 "]", name, rows);
    if (cols > 0)
        volt_source_put(out, "[%" PRId64 "]", cols);
    volt_source_put(out, "; /* %s */\n", comment);
    cost->state_bytes += rows * (cols > 0 ? cols : 1) * (out->single ? 4 : 8);
}

static void factor_members(const volt_export_part *part, int64_t f, volt_source *out, volt_c_cost *cost)
{
    const volt_export_factor *factor = &part->factor[f];
    char name[32];
    if (factor->state_size > 0) {
        snprintf(name, sizeof name, "a_%d", (int)f);
        member(out, name, part->rows, factor->state_size, "state of every row", cost);
        snprintf(name, sizeof name, "border_%d", (int)f);
        member(out, name, part->borders, factor->state_size, "state before the first row", cost);
    }
    if (factor->own) {
        volt_source_put(out, "    double kept_%d;\n", (int)f);
        cost->state_bytes += out->single ? 4 : 8;
    }
    if (factor->window > 1) {
        snprintf(name, sizeof name, "window_%d", (int)f);
        member(out, name, factor->window - 1, part->columns, "rows before the current one", cost);
    }
    if (factor->reservoir) {
        snprintf(name, sizeof name, "x_%d", (int)f);
        member(out, name, factor->reservoir->size, 0, "state of the reservoir", cost);
        snprintf(name, sizeof name, "u_%d", (int)f);
        member(out, name, factor->reservoir->length, 0, "workspace", cost);
        snprintf(name, sizeof name, "v_%d", (int)f);
        member(out, name, factor->reservoir->size, 0, "workspace", cost);
    }
}

static void part_struct(const volt_export *made, const volt_export_part *part, int p, const volt_c_names *names,
                        volt_source *out, volt_c_cost *cost)
{
    const volt_recipe *recipe = &part->model->recipe;
    volt_source_put(out, "\ntypedef struct %s_part_%d {\n", names->name, p);
    member(out, "z", part->d, 0, "the last row, scaled and filtered", cost);
    for (int64_t f = 0; f < part->n_factors; f++)
        factor_members(part, f, out, cost);
    if (part->lags_end)
        member(out, "lags", recipe->memory, recipe->inputs, "inputs before the current row, oldest first",
               cost);
    if (part->filter_end) {
        member(out, "filter", 4 * part->d, 0, "states of the filters", cost);
        member(out, "next_filter", 4 * part->d, 0, "the same after the last row", cost);
    }
    if (recipe->fed_outputs.n > 0)
        member(out, "fed", recipe->fed_outputs.n, 0, "outputs fed back to the next row", cost);
    if (volt_part_keeps_outputs(made))
        member(out, "y", part->model->q, 0, "outputs of the last row", cost);
    int flags = (recipe->fed_outputs.n > 0) + volt_part_has_begun(part) + volt_part_finds_first(part);
    if (recipe->fed_outputs.n > 0)
        volt_source_put(out, "    int diverged; /* the output to be fed back has left its range */\n");
    if (volt_part_finds_first(part))
        volt_source_put(out, "    int known; /* 1: the output before the next row is known */\n");
    if (volt_part_has_begun(part))
        volt_source_put(out, "    int begun; /* 0: the next row is the first of its sequence */\n");
    cost->state_bytes += 4 * flags;
    volt_source_put(out, "} %s_part_%d;\n", names->name, p);
}

/* ---- comments -------------------------------------------------------------------------------------- */

static void list_names(volt_source *out, const char *title, int64_t count, char *const *all)
{
    enum { MOST = 12 };
    volt_source_put(out, " *     %-12s %" PRId64, title, count);
    for (int64_t i = 0; all && i < count && i < MOST; i++) {
        volt_source_put(out, i ? ", " : ": ");
        volt_source_comment(out, all[i] ? all[i] : "");
    }
    volt_source_put(out, all && count > MOST ? ", ...\n" : "\n");
}

static void describe(const volt_export *made, const volt_c_names *names, volt_source *out)
{
    const volt_model *model = made->model;
    list_names(out, "inputs", model->recipe.inputs, model->input_names);
    list_names(out, "outputs", model->q, model->output_names);
    if (model->classes)
        list_names(out, "classes", model->n_classes, model->classes);
    if (model->ahead > 0)
        volt_source_put(out, " *     %-12s %" PRId64 " row%s ahead\n", "predicts", model->ahead,
                        model->ahead == 1 ? "" : "s");
    for (int64_t i = 0; i < made->n_parts; i++) {
        const volt_export_part *part = &made->parts[i];
        volt_source_put(out, " *     %-12s ", i == 0 ? "kernel" : "");
        volt_source_comment(out, volt_kernel_text(part->model->kernel));
        if (made->n_parts > 1)
            volt_source_put(out, " (weight %.6g)", part->weight);
        if (part->rows > 0)
            volt_source_put(out, ", %" PRId64 " rows\n", part->rows);
        else
            volt_source_put(out, ", readout of states\n");
    }
    volt_source_put(out, " *     %-12s %s\n", "precision", out->single ? "single" : "double");
    (void)names;
}

static void put_cost(const volt_c_cost *cost, volt_source *out)
{
    volt_source_put(out,
                    " *     %-12s %" PRId64 " bytes in the state struct, %" PRId64 " bytes of constants\n"
                    " *     %-12s about %.0f operations and %.0f calls of math.h per step\n",
                    "memory", cost->state_bytes, cost->table_bytes, "work", cost->operations, cost->calls);
}

/* The text of LICENSE: the source contains code of this library. */
static const char licence[] =
    " * Copyright (c) 2025, the volterra authors\n"
    " *\n"
    " * Redistribution and use in source and binary forms, with or without\n"
    " * modification, are permitted provided that the following conditions are met:\n"
    " *\n"
    " * 1. Redistributions of source code must retain the above copyright notice, this\n"
    " *    list of conditions and the following disclaimer.\n"
    " *\n"
    " * 2. Redistributions in binary form must reproduce the above copyright notice,\n"
    " *    this list of conditions and the following disclaimer in the documentation\n"
    " *    and/or other materials provided with the distribution.\n"
    " *\n"
    " * 3. Neither the name of the copyright holder nor the names of its\n"
    " *    contributors may be used to endorse or promote products derived from\n"
    " *    this software without specific prior written permission.\n"
    " *\n"
    " * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS \"AS IS\"\n"
    " * AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE\n"
    " * IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE\n"
    " * DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE\n"
    " * FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL\n"
    " * DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR\n"
    " * SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER\n"
    " * CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,\n"
    " * OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE\n"
    " * OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.\n";

/* ---- header ---------------------------------------------------------------------------------------- */

static void put_prototypes(const volt_export *made, const volt_c_names *names, volt_source *out)
{
    const char *name = names->name, *upper = names->upper;
    volt_source_put(out,
                    "\n/* Initial state of a new sequence. */\n"
                    "void %s_reset(%s_state *state);\n",
                    name, name);
    if (made->can_continue)
        volt_source_put(out,
                        "/* State after the last training row: the next row follows the training rows. */\n"
                        "void %s_continue(%s_state *state);\n",
                        name, name);
    volt_source_put(
        out,
        "\n/* Takes the next row of inputs x (%s_INPUTS) and predicts its outputs y (%s_OUTPUTS).\n"
        " *     %s_OK          done\n"
        " *     %s_CLIPPED     done; the inputs were outside the training range and were clipped\n"
        " *     %s_NOT_FINITE  an input is not finite or too large: the state is unchanged; or an output "
        "overflowed\n",
        upper, upper, upper, upper, upper);
    if (made->feeds_back)
        volt_source_put(
            out,
            " *     %s_DIVERGED    the previous output has left its range: call %s_feed or %s_reset\n"
            " * The outputs are fed back to the next row (simulation), unless %s_feed replaces them. */\n",
            upper, name, name, name);
    else
        volt_source_put(out, " */\n");
    volt_source_put(out, "int %s_step(%s_state *state, const double *x, double *y);\n", name, name);
    if (made->feeds_back)
        volt_source_put(
            out,
            "\n/* Feeds measured outputs y of the last row back to the next one, instead of the predicted ones "
            "(prediction).\n"
            " * %s_NOT_FINITE: an output is not finite; the predicted ones are kept. */\n"
            "int %s_feed(%s_state *state, const double *y);\n",
            upper, name, name);
    if (made->n_coverages > 0)
        volt_source_put(out,
                        "\n/* Interval `level` (from 0) about the outputs y: low and high (%s_OUTPUTS each). "
                        "The widths are "
                        "those of the\n"
                        " * training errors and do not change. */\n"
                        "void %s_interval(int level, const double *y, double *low, double *high);\n",
                        upper, name);
}

void volt_c_header(const volt_export *made, const volt_c_names *names, volt_source *out, volt_c_cost *cost)
{
    const char *upper = names->upper;
    volt_source_put(out, "/* %s: a fitted model, exported by volterra %s.\n *\n", names->file, volt_version());
    describe(made, names, out);
    volt_source_put(out,
                    " *\n"
                    " * SPDX-License-Identifier: BSD-3-Clause; the source file has its text.\n"
                    " *\n"
                    " *     %s_state state;\n"
                    " *     %s x[%s_INPUTS], y[%s_OUTPUTS];\n"
                    " *     %s_reset(&state);\n"
                    " *     %s_step(&state, x, y);     once per row\n"
                    " */\n"
                    "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n"
                    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                    "enum { %s_INPUTS = %" PRId64 ", %s_OUTPUTS = %" PRId64 "%s",
                    names->name, out->single ? "float" : "double", upper, upper, names->name, names->name,
                    upper, upper, upper, made->model->recipe.inputs, upper, made->model->q,
                    made->n_coverages > 0 ? "" : " };\n");
    if (made->n_coverages > 0)
        volt_source_put(out, ", %s_LEVELS = %" PRId64 " };\n", upper, made->n_coverages);
    volt_source_put(
        out, "enum { %s_OK = 0, %s_CLIPPED = 1, %s_NOT_FINITE = -1, %s_DIVERGED = -2 }; /* of %s_step */\n",
        upper, upper, upper, upper, names->name);
    for (int64_t i = 0; i < made->n_parts; i++)
        part_struct(made, &made->parts[i], (int)i + 1, names, out, cost);
    volt_source_put(out, "\ntypedef struct %s_state {\n", names->name);
    for (int64_t i = 0; i < made->n_parts; i++)
        volt_source_put(out, "    %s_part_%d part_%d;\n", names->name, (int)i + 1, (int)i + 1);
    volt_source_put(out, "} %s_state;\n", names->name);
    put_prototypes(made, names, out);
    volt_source_put(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- shared functions ------------------------------------------------------------------------------- */

static bool uses_product(const volt_export_part *part, const volt_export_factor *factor)
{
    if (factor->reservoir)
        return part->rows > 0;
    bool border = factor->state_size > 0 && factor->distance && !factor->origin && !part->past_is_first;
    return !factor->distance || border || factor->own;
}

static void put_helpers(const volt_export *made, volt_source *out)
{
    bool product = false, distance = false;
    const char *written[VOLT_MAX_FACTORS + 1] = {0};
    int count = 0;
    for (int64_t i = 0; i < made->n_parts; i++)
        for (int64_t f = 0; f < made->parts[i].n_factors; f++) {
            const volt_export_factor *factor = &made->parts[i].factor[f];
            product = product || uses_product(&made->parts[i], factor);
            distance = distance || factor->distance;
            const char *functions = factor->code ? factor->code->functions : NULL;
            bool known = !functions || count == VOLT_MAX_FACTORS;
            for (int k = 0; k < count; k++)
                known |= written[k] == functions;
            if (!known)
                written[count++] = functions;
        }
    if (product)
        volt_source_put(out, "\nstatic double product(const double *x, const double *y, int n)\n{\n"
                             "    double sum = 0.0;\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        sum += x[i] * y[i];\n"
                             "    return sum;\n}\n");
    if (distance)
        volt_source_put(out, "\n/* Squared distance. */\n"
                             "static double distance(const double *x, const double *y, int n)\n{\n"
                             "    double sum = 0.0;\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        sum += (x[i] - y[i]) * (x[i] - y[i]);\n"
                             "    return sum;\n}\n");
    for (int k = 0; k < count; k++) {
        volt_source_put(out, "\n");
        volt_source_code(out, 0, written[k]);
    }
}

static void put_link(const volt_export_part *part, int p, volt_source *out)
{
    const volt_loss *loss = part->model->loss;
    if (!loss || !loss->kind->link)
        return;
    volt_source_put(
        out, "\n/* Predictions of the loss %s from m outputs. */\nstatic void p%d_link(int m, double *u)\n{\n",
        loss->kind->info.name, p);
    volt_source_code(out, 1, loss->kind->link_code);
    volt_source_put(out, "}\n");
}

/* ---- public functions ------------------------------------------------------------------------------- */

static void put_start(const volt_export *made, const volt_c_names *names, const char *what, volt_source *out)
{
    volt_source_put(out, "\nvoid %s_%s(%s_state *state)\n{\n", names->name, what, names->name);
    for (int64_t i = 1; i <= made->n_parts; i++)
        volt_source_put(out, "    p%d_%s(&state->part_%d);\n", (int)i, what, (int)i);
    volt_source_put(out, "}\n");
}

static void put_step(const volt_export *made, const volt_c_names *names, volt_source *out)
{
    int q = (int)made->model->q;
    char literal[VOLT_LITERAL_LENGTH];
    bool plain = made->n_parts == 1 && made->parts[0].weight == 1;
    volt_source_put(out,
                    "\nint %s_step(%s_state *state, const double *x, double *y)\n{\n"
                    "    double out[%d];\n"
                    "    int status = %s_OK, taken;\n",
                    names->name, names->name, q, names->upper);
    for (int64_t i = 1; i <= made->n_parts; i++) {
        if (volt_part_finds_first(&made->parts[i - 1]))
            volt_source_put(out,
                            "    taken = p%d_first(&state->part_%d, x);\n"
                            "    if (taken < 0)\n"
                            "        return taken;\n",
                            (int)i, (int)i);
        volt_source_put(out,
                        "    taken = p%d_take(&state->part_%d, x);\n"
                        "    if (taken < 0)\n"
                        "        return taken;\n"
                        "    status = taken > status ? taken : status;\n",
                        (int)i, (int)i);
    }
    if (!plain)
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        y[i] = 0.0;\n", q);
    for (int64_t i = 1; i <= made->n_parts; i++) {
        volt_source_put(
            out,
            "    taken = p%d_advance(&state->part_%d, x, out);\n    status = taken < 0 ? taken : status;\n",
            (int)i, (int)i);
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n", q);
        if (plain)
            volt_source_put(out, "        y[i] = out[i];\n");
        else
            volt_source_put(out, "        y[i] += %s * out[i];\n",
                            volt_source_number(out, made->parts[i - 1].weight, literal));
    }
    if (!plain)
        volt_source_put(out,
                        "    for (int i = 0; i < %d; i++)\n"
                        "        if (!(fabs(y[i]) <= DBL_MAX))\n"
                        "            status = %s_NOT_FINITE;\n",
                        q, names->upper);
    volt_source_put(out, "    return status;\n}\n");
}

/* Feeds the outputs `known` to the parts of a model, the first of which is part `at`; returns the next one. Members
 * fitted on residuals receive the outputs less the weighted predictions of the members before them. */
static int64_t put_known(const volt_model *model, int64_t at, const char *known, volt_source *out)
{
    const volt_members *sum = model->sum;
    int q = (int)model->q;
    char literal[VOLT_LITERAL_LENGTH], own[32];
    if (!sum) {
        if (model->recipe.fed_outputs.n > 0)
            volt_source_put(out, "    p%d_feed(&state->part_%d, %s);\n", (int)at, (int)at, known);
        return at + 1;
    }
    bool residual = sum->kind == VOLT_SUM_RESIDUAL && volt_model_feedback_weight(model) > 0;
    snprintf(own, sizeof own, "rest_%d", (int)at);
    if (residual)
        volt_source_put(out,
                        "    double %s[%d];\n"
                        "    for (int i = 0; i < %d; i++)\n"
                        "        %s[i] = %s[i];\n",
                        own, q, q, own, known);
    for (int64_t i = 0; i < sum->n; i++) {
        int64_t next = put_known(sum->models[i], at, residual ? own : known, out);
        if (residual && i + 1 < sum->n) /* its members are fitted models */
            volt_source_put(out,
                            "    for (int i = 0; i < %d; i++)\n"
                            "        %s[i] -= %s * state->part_%d.y[i];\n",
                            q, own, volt_source_number(out, sum->weights[i], literal), (int)at);
        at = next;
    }
    return at;
}

static void put_feed(const volt_export *made, const volt_c_names *names, volt_source *out)
{
    if (!made->feeds_back)
        return;
    volt_source_put(out,
                    "\nint %s_feed(%s_state *state, const double *y)\n{\n"
                    "    for (int i = 0; i < %d; i++)\n"
                    "        if (!(fabs(y[i]) <= DBL_MAX))\n"
                    "            return %s_NOT_FINITE;\n",
                    names->name, names->name, (int)made->model->q, names->upper);
    put_known(made->model, 1, "y", out);
    volt_source_put(out, "    return %s_OK;\n}\n", names->upper);
}

static void put_interval(const volt_export *made, const volt_c_names *names, volt_source *out)
{
    int q = (int)made->model->q;
    if (made->n_coverages == 0)
        return;
    volt_source_put(out, "\n/* Half-widths for coverages");
    for (int64_t c = 0; c < made->n_coverages; c++)
        volt_source_put(out, "%s %.10g", c ? "," : "", made->coverages[c]);
    volt_source_put(out, ". */\n");
    volt_source_table(out, "half_width", made->half, made->n_coverages, q);
    volt_source_put(out,
                    "\nvoid %s_interval(int level, const double *y, double *low, double *high)\n{\n"
                    "    for (int i = 0; i < %d; i++) {\n"
                    "        low[i] = y[i] - half_width[level][i];\n"
                    "        high[i] = y[i] + half_width[level][i];\n"
                    "    }\n}\n",
                    names->name, q);
}

/* The functions follow the comment, which needs their size. */
void volt_c_source(const volt_export *made, const volt_c_names *names, volt_source *out, volt_c_cost *cost)
{
    volt_source body = {.single = out->single};
    put_helpers(made, &body);
    for (int64_t i = 0; i < made->n_parts; i++) {
        const volt_export_part *part = &made->parts[i];
        int p = (int)i + 1;
        volt_source_put(&body, "\n/* ---- part %d: ", p);
        volt_source_comment(&body, volt_kernel_text(part->model->kernel));
        volt_source_put(&body, " ---- */\n\n");
        volt_part_tables(part, p, made, &body);
        volt_part_kernels(part, p, &body);
        volt_part_starts(part, p, made, names, &body);
        volt_part_inputs(part, p, names, &body);
        volt_part_begin(part, p, names, &body);
        put_link(part, p, &body);
        volt_part_advance(part, p, made, names, &body);
        volt_part_first(part, p, names, &body);
        volt_part_cost(part, cost);
    }
    volt_source_put(&body, "\n/* ---- the model ---- */\n");
    put_start(made, names, "reset", &body);
    if (made->can_continue)
        put_start(made, names, "continue", &body);
    put_step(made, names, &body);
    put_feed(made, names, &body);
    put_interval(made, names, &body);
    cost->table_bytes = body.table_bytes;

    volt_source_put(out, "/* %.*s.c: a fitted model, exported by volterra %s; documented in %s.\n *\n",
                    (int)strlen(names->file) - 2, names->file, volt_version(), names->file);
    describe(made, names, out);
    put_cost(cost, out);
    volt_source_put(out, " *\n * SPDX-License-Identifier: BSD-3-Clause\n *\n%s", licence);
    volt_source_put(out, " */\n#include \"%s\"\n\n#include <float.h>\n#include <math.h>\n", names->file);
    if (body.text.bytes)
        volt_text_put(&out->text, body.text.bytes);
    out->text.failed = out->text.failed || body.text.failed;
    out->overflows |= body.overflows;
    out->not_finite |= body.not_finite;
    volt_source_release(&body);
}
