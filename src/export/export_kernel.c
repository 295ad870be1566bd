/* src/export/export_kernel.c: source code of the kernel of a part: its factors, their states and the outputs. */
#include "export/export_c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 256 };

/* ---- functions of the factors ------------------------------------------------------------------ */

/* Whether `code` contains `word` as a whole word. */
static bool uses_word(const char *code, const char *word)
{
    size_t length = strlen(word);
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *at = code; at && (at = strstr(at, word)); at++)
        if ((at == code || !strchr(letters, at[-1])) && (!at[length] || !strchr(letters, at[length])))
            return true;
    return false;
}

/* The constants that the code uses, as local ones. */
static void put_constants(const volt_export_factor *factor, const char *code, volt_source *out)
{
    char literal[VOLT_LITERAL_LENGTH];
    for (int i = 0; factor->code->constants[i]; i++) {
        const char *name = factor->code->constants[i];
        bool is_integer = strncmp(name, "int ", 4) == 0;
        if (is_integer && uses_word(code, name + 4))
            volt_source_put(out, "    const %s = %d;\n", name, (int)factor->numbers[i]);
        else if (!is_integer && uses_word(code, name))
            volt_source_put(out, "    const double %s = %s;\n", name,
                            volt_source_number(out, factor->numbers[i], literal));
    }
}

/* The arguments of a kernel function after the local value. */
static const char *kernel_parameters(const volt_export_factor *factor)
{
    return factor->own ? ", double own, double *a" : factor->state_size > 0 ? ", double *a" : "";
}

static void put_rest(const volt_export_factor *factor, int p, int f, volt_source *out)
{
    char literal[VOLT_LITERAL_LENGTH];
    volt_source_put(out,
                    "\n/* The state after a constant local value. */\nstatic void p%d_rest_%d(double s%s)\n{\n",
                    p, f, kernel_parameters(factor));
    if (factor->code->rest) {
        put_constants(factor, factor->code->rest, out);
        volt_source_code(out, 1, factor->code->rest);
    } else {
        volt_source_put(out, "    double before[%d];\n    int moves = 1;\n", (int)factor->state_size);
        for (int64_t s = 0; s < factor->state_size; s++)
            volt_source_put(out, "    a[%d] = %s;\n", (int)s,
                            volt_source_number(out, factor->first[s], literal));
        volt_source_put(out,
                        "    for (int i = 0; i < 1000000 && moves != 0; i++) {\n"
                        "        moves = 0;\n"
                        "        for (int k = 0; k < %d; k++)\n"
                        "            before[k] = a[k];\n"
                        "        (void)p%d_kernel_%d(s%s, a);\n"
                        "        for (int k = 0; k < %d; k++)\n"
                        "            if (fabs(a[k] - before[k]) > 0.5 * DBL_EPSILON * fabs(a[k]))\n"
                        "                moves = 1;\n"
                        "    }\n",
                        (int)factor->state_size, p, f, factor->own ? ", own" : "", (int)factor->state_size);
    }
    volt_source_put(out, "}\n");
}

static void put_own(const volt_export_part *part, const volt_export_factor *factor, int p, int f,
                    volt_source *out)
{
    char literal[VOLT_LITERAL_LENGTH];
    volt_source_put(out,
                    "\n/* The number of a row with |z|^2 = square; *kept is the state of its recursion. */\n"
                    "static double p%d_own_%d(double square, double *kept)\n{\n",
                    p, f);
    put_constants(factor, factor->code->own, out);
    volt_source_code(out, 1, factor->code->own);
    volt_source_put(out, "}\n");
    if (!part->past_is_first)
        return;
    volt_source_put(out,
                    "\n/* The same after a constant input. */\n"
                    "static double p%d_own_rest_%d(double square, double *kept)\n{\n"
                    "    double before = -1.0, own = 0.0;\n"
                    "    *kept = %s;\n"
                    "    for (int i = 0; i < 1000000 && fabs(*kept - before) > 0.0; i++) {\n"
                    "        before = *kept;\n"
                    "        own = p%d_own_%d(square, kept);\n"
                    "    }\n"
                    "    return own;\n}\n",
                    p, f, volt_source_number(out, factor->own_first, literal), p, f);
}

static void put_reservoir(const volt_export_part *part, const volt_export_factor *factor, int p, int f,
                          volt_source *out)
{
    const volt_reservoir *r = factor->reservoir;
    char literal[VOLT_LITERAL_LENGTH];
    const char *value = !r->bends ? "v[i]" : r->uses_erf ? "erf(0.88622692545275801 * v[i])" : "tanh(v[i])";
    volt_source_put(out,
                    "\n/* u of the reservoir, from its state x and the input z. */\n"
                    "static void p%d_arrange_%d(const double *z, const double *x, double *u)\n{\n",
                    p, f);
    const char *const words[] = {"size", "inputs", "powers"};
    const int64_t numbers[] = {r->size, r->d, r->powers};
    for (int i = 0; i < 3; i++)
        if (uses_word(r->arrange_code, words[i]))
            volt_source_put(out, "    const int %s = %d;\n", words[i], (int)numbers[i]);
    volt_source_code(out, 1, r->arrange_code);
    volt_source_put(
        out,
        "}\n\n/* One step of the reservoir: x <- (1 - leak) x + leak f(M' u). */\n"
        "static void p%d_reservoir_%d(const double *z, double leak, double *x, double *u, double *v)\n{\n"
        "    p%d_arrange_%d(z, x, u);\n"
        "    for (int i = 0; i < %d; i++)\n"
        "        v[i] = 0.0;\n"
        "    for (int k = 0; k < %d; k++)\n"
        "        for (int i = 0; i < %d; i++)\n"
        "            v[i] += p%d_matrix_%d[k][i] * u[k];\n"
        "    for (int i = 0; i < %d; i++)\n"
        "        x[i] = (1.0 - leak) * x[i] + leak * %s;\n"
        "}\n",
        p, f, p, f, (int)r->size, (int)r->length, (int)r->size, p, f, (int)r->size, value);
    if (!part->past_is_first)
        return;
    volt_source_put(
        out,
        "\n/* The limit state for a constant input: iteration with leak 1, or 0.5 if that cycles. */\n"
        "static void p%d_settle_%d(const double *z, double *x, double *u, double *v)\n{\n"
        "    double leak = 1.0, least = DBL_MAX;\n"
        "    int since = 0;\n"
        "    for (int i = 0; i < 20000; i++) {\n"
        "        double moved = 0.0, size = 1.0, before[%d];\n"
        "        for (int k = 0; k < %d; k++)\n"
        "            before[k] = x[k];\n"
        "        p%d_reservoir_%d(z, leak, x, u, v);\n"
        "        for (int k = 0; k < %d; k++) {\n"
        "            moved = fabs(x[k] - before[k]) > moved ? fabs(x[k] - before[k]) : moved;\n"
        "            size = fabs(x[k]) > size ? fabs(x[k]) : size;\n"
        "        }\n"
        "        if (moved <= %s * size && moved >= least)\n"
        "            return;\n"
        "        since = moved < least ? 0 : since + 1;\n"
        "        least = moved < least ? moved : least;\n"
        "        if (since > 400 && leak < 1.0)\n"
        "            return;\n"
        "        if (since > 400) {\n"
        "            leak = 0.5;\n"
        "            since = 0;\n"
        "        }\n"
        "        if (moved <= 0.0)\n"
        "            return;\n"
        "    }\n"
        "}\n",
        p, f, (int)r->size, (int)r->size, p, f, (int)r->size,
        volt_source_number(out, out->single ? 1e-5 : 1e-13, literal));
}

void volt_part_kernels(const volt_export_part *part, int p, volt_source *out)
{
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        if (factor->reservoir)
            put_reservoir(part, factor, p, (int)f, out);
        if (!factor->code)
            continue;
        volt_source_put(out, "\n/* ");
        volt_source_comment(out, factor->text);
        volt_source_put(out, " */\nstatic double p%d_kernel_%d(double s%s)\n{\n", p, (int)f,
                        kernel_parameters(factor));
        put_constants(factor, factor->code->step, out);
        volt_source_code(out, 1, factor->code->step);
        volt_source_put(out, "}\n");
        if (factor->own)
            put_own(part, factor, p, (int)f, out);
        if (part->past_is_first && factor->state_size > 0)
            put_rest(factor, p, (int)f, out);
    }
}

/* ---- local values ------------------------------------------------------------------------------- */

static const char *local_name(const volt_export_factor *factor)
{
    return factor->distance ? "distance" : "product";
}

/* Offset of the slice of a factor in a row. */
static int offset_of(const volt_export_part *part, const volt_export_factor *factor)
{
    return (int)(factor->slice * part->columns);
}

/* "first" of a record: the first row of the record of row j. */
static bool needs_first(const volt_export_part *part)
{
    bool needs = false;
    for (int64_t f = 0; f < part->n_factors; f++)
        needs = needs || part->factor[f].state_size > 0 || part->factor[f].window > 1;
    return needs;
}

/* ---- the first row of a sequence, where it is also its past --------------------------------------- */

static void begin_factor(const volt_export_part *part, const volt_export_factor *factor, int p, int f,
                         volt_source *out)
{
    int size = (int)factor->state_size, columns = (int)part->columns, at = offset_of(part, factor);
    char own[TEXT] = "", own_row[TEXT] = "";
    if (factor->own) {
        volt_source_put(
            out, "    const double own_%d = p%d_own_rest_%d(product(z + %d, z + %d, %d), &part->kept_%d);\n", f,
            p, f, at, at, columns, f);
        snprintf(own, sizeof own, ", own_%d * p%d_past_own_%d[r]", f, p, f);
        snprintf(own_row, sizeof own_row, ", own_%d * p%d_own_rows_%d[j]", f, p, f);
    }
    volt_source_put(out,
                    "    for (int r = 0; r < %d; r++) {\n"
                    "        const int start = p%d_starts[r];\n"
                    "        double a[%d];\n"
                    "        p%d_rest_%d(%s(z + %d, p%d_inputs[start] + %d, %d)%s, a);\n"
                    "        for (int i = 0; i < %d; i++)\n"
                    "            part->border_%d[r][i] = a[i];\n"
                    "        for (int j = start; j < p%d_starts[r + 1]; j++) {\n"
                    "            (void)p%d_kernel_%d(%s(z + %d, p%d_inputs[j] + %d, %d)%s, a);\n"
                    "            for (int i = 0; i < %d; i++)\n"
                    "                part->a_%d[j][i] = a[i];\n"
                    "        }\n"
                    "    }\n",
                    (int)part->records, p, size, p, f, local_name(factor), at, p, at, columns, own, size, f, p,
                    p, f, local_name(factor), at, p, at, columns, own_row, size, f);
}

void volt_part_begin(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    bool any = false;
    for (int64_t f = 0; f < part->n_factors; f++)
        any = any || part->factor[f].reservoir;
    if (!part->past_is_first || !(any || needs_first(part)))
        return;
    volt_source_put(out,
                    "\n/* The state before the first row, whose input was constant before. */\n"
                    "static void p%d_begin(%s_part_%d *part)\n{\n"
                    "    const double *z = part->z;\n",
                    p, names->name, p);
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        int at = offset_of(part, factor);
        if (factor->state_size > 0)
            begin_factor(part, factor, p, (int)f, out);
        if (factor->window > 1)
            volt_source_put(out,
                            "    for (int i = 0; i < %d; i++)\n"
                            "        for (int k = 0; k < %d; k++)\n"
                            "            part->window_%d[i][k] = z[%d + k];\n",
                            (int)factor->window - 1, (int)part->columns, (int)f, at);
        if (factor->reservoir)
            volt_source_put(out, "    p%d_settle_%d(z + %d, part->x_%d, part->u_%d, part->v_%d);\n", p, (int)f,
                            at, (int)f, (int)f, (int)f);
    }
    volt_source_put(out, "}\n");
}

/* ---- a row -------------------------------------------------------------------------------------- */

/* The entry of factor f against row j, into k_f. */
static void put_entry(const volt_export_part *part, const volt_export_factor *factor, int p, int f,
                      volt_source *out)
{
    int columns = (int)part->columns, at = offset_of(part, factor);
    char own[TEXT] = "", state[TEXT] = "", origin[TEXT];
    if (factor->reservoir) {
        volt_source_put(
            out, "        const double k_%d = p%d_kernel_%d(product(part->x_%d, p%d_states_%d[j], %d));\n", f,
            p, f, f, p, f, (int)factor->reservoir->size);
        return;
    }
    if (factor->window > 1) {
        snprintf(origin, sizeof origin, part->past_is_first ? "p%d_inputs[first] + %d" : "p%d_origin_%d", p,
                 part->past_is_first ? at : f);
        volt_source_put(out,
                        "        double s_%d = %s(z + %d, row + %d, %d);\n"
                        "        for (int i = 1; i < %d; i++)\n"
                        "            s_%d += %s(part->window_%d[%d - i], j - i >= first ? p%d_inputs[j - i] + "
                        "%d : %s, %d);\n"
                        "        const double k_%d = p%d_kernel_%d(s_%d);\n",
                        f, local_name(factor), at, at, columns, (int)factor->window, f, local_name(factor), f,
                        (int)factor->window - 1, p, at, origin, columns, f, p, f, f);
        return;
    }
    if (factor->own)
        snprintf(own, sizeof own, ", own_%d * p%d_own_rows_%d[j]", f, p, f);
    if (factor->state_size > 0)
        snprintf(state, sizeof state, ", part->a_%d[j]", f);
    for (int s = 0; s < (int)factor->state_size; s++)
        volt_source_put(
            out, "        part->a_%d[j][%d] = j > first ? part->a_%d[j - 1][%d] : part->border_%d[%s][%d];\n",
            f, s, f, s, f, part->borders > 1 ? "record" : "0", s);
    volt_source_put(out, "        const double k_%d = p%d_kernel_%d(%s(z + %d, row + %d, %d)%s%s);\n", f, p, f,
                    local_name(factor), at, at, columns, own, state);
}

/* k = w (k_0 k_1) + w (k_2) ... */
static void put_entries(const volt_export_part *part, volt_source *out)
{
    char literal[VOLT_LITERAL_LENGTH];
    volt_source_put(out, "        const double k =");
    for (int64_t f = 0; f < part->n_factors; f++) {
        bool begins = f == 0 || part->factor[f - 1].term != part->factor[f].term;
        double weight = part->term_weight[part->factor[f].term];
        volt_source_put(out, "%s", !begins ? " * " : f > 0 ? " + " : " ");
        if (begins && weight != 1)
            volt_source_put(out, "%s * ", volt_source_number(out, weight, literal));
        volt_source_put(out, "k_%d", (int)f);
    }
    volt_source_put(out, ";\n");
}

/* The border of a factor: the new row against the past of the rows. */
static void put_border(const volt_export_part *part, const volt_export_factor *factor, int p, int f,
                       volt_source *out)
{
    int columns = (int)part->columns, at = offset_of(part, factor);
    char local[TEXT], own[TEXT] = "";
    if (factor->state_size == 0)
        return;
    if (part->past_is_first)
        snprintf(local, sizeof local, "%s(z + %d, p%d_inputs[p%d_starts[r]] + %d, %d)", local_name(factor), at,
                 p, p, at, columns);
    else if (factor->origin)
        snprintf(local, sizeof local, "%s(z + %d, p%d_origin_%d, %d)", local_name(factor), at, p, f, columns);
    else if (factor->distance)
        snprintf(local, sizeof local, "product(z + %d, z + %d, %d)", at, at, columns);
    else
        snprintf(local, sizeof local, "0.0");
    if (factor->own)
        snprintf(own, sizeof own, ", own_%d * p%d_past_own_%d[%s]", f, p, f, part->past_is_first ? "r" : "0");
    if (part->past_is_first)
        volt_source_put(out, "    for (int r = 0; r < %d; r++)\n    ", (int)part->borders);
    volt_source_put(out, "    (void)p%d_kernel_%d(%s%s, part->border_%d[%s]);\n", p, f, local, own, f,
                    part->past_is_first ? "r" : "0");
}

static void put_rows(const volt_export_part *part, int p, volt_source *out)
{
    bool first = needs_first(part), records = part->records > 1 && first;
    bool row = false;
    for (int64_t f = 0; f < part->n_factors; f++)
        row = row || !part->factor[f].reservoir;
    if (records)
        volt_source_put(out, "    int record = %d;\n", (int)part->records - 1);
    volt_source_put(out, "    for (int j = %d; j >= 0; j--) {\n", (int)part->rows - 1);
    if (row)
        volt_source_put(out, "        const double *row = p%d_inputs[j];\n", p);
    if (records)
        volt_source_put(out, "        const int first = p%d_starts[record];\n", p);
    else if (first)
        volt_source_put(out, "        const int first = 0;\n");
    for (int64_t f = 0; f < part->n_factors; f++)
        put_entry(part, &part->factor[f], p, (int)f, out);
    put_entries(part, out);
    volt_source_put(out,
                    "        for (int i = 0; i < %d; i++)\n"
                    "            sum[i] += p%d_coefficients[j][i] * k;\n",
                    (int)part->model->q, p);
    if (records)
        volt_source_put(out, "        if (j == first)\n            record--;\n");
    volt_source_put(out, "    }\n");
}

static void put_states(const volt_export_part *part, int p, volt_source *out)
{
    for (int64_t f = 0, at = 0; f < part->n_factors && part->factor[f].reservoir;
         at += part->factor[f++].reservoir->size)
        volt_source_put(out,
                        "    for (int j = 0; j < %d; j++)\n"
                        "        for (int i = 0; i < %d; i++)\n"
                        "            sum[i] += p%d_coefficients[%d + j][i] * part->x_%d[j];\n",
                        (int)part->factor[f].reservoir->size, (int)part->model->q, p, (int)at, (int)f);
}

static bool is_anchored(const volt_model *model)
{
    bool anchored = false;
    for (int64_t k = 0; k < model->q; k++)
        anchored |= model->anchors[k] >= 0;
    return anchored;
}

/* The inputs are used after their conversion to part->z. */
static bool uses_inputs(const volt_export_part *part)
{
    return part->model->recipe.memory > 0 || is_anchored(part->model);
}

static void put_outputs(const volt_export_part *part, int p, const volt_export *made, const volt_c_names *names,
                        volt_source *out)
{
    const volt_model *model = part->model;
    int q = (int)model->q;
    volt_source_put(out,
                    "    for (int i = 0; i < %d; i++)\n"
                    "        y[i] = p%d_mean[i] + p%d_scale[i] * (sum[i] + p%d_intercept[i]);\n",
                    q, p, p, p);
    if (is_anchored(model))
        volt_source_put(out,
                        "    for (int i = 0; i < %d; i++)\n"
                        "        if (p%d_anchor[i] >= 0)\n"
                        "            y[i] += x[p%d_anchor[i]];\n",
                        q, p, p);
    if (model->loss && model->loss->kind->link) {
        int64_t group = volt_loss_group(model->loss, q);
        volt_source_put(out, "    for (int i = 0; i < %d; i += %d)\n        p%d_link(%d, y + i);\n", q,
                        (int)group, p, (int)group);
    }
    if (model->recipe.fed_outputs.n > 0)
        volt_source_put(out, "    part->diverged = 1;\n");
    volt_source_put(out,
                    "    for (int i = 0; i < %d; i++)\n"
                    "        if (!(fabs(y[i]) <= DBL_MAX))\n"
                    "            return %s_NOT_FINITE;\n",
                    q, names->upper);
    if (volt_part_keeps_outputs(made))
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        part->y[i] = y[i];\n", q);
    if (model->recipe.fed_outputs.n > 0)
        volt_source_put(out,
                        "    p%d_feed(part, y);\n"
                        "    for (int i = 0; i < %d; i++)\n"
                        "        if (fabs(y[i] - p%d_middle[i]) > p%d_reach[i])\n"
                        "            part->diverged = 1;\n",
                        p, q, p, p);
    volt_source_put(out, "    return %s_OK;\n}\n", names->upper);
}

void volt_part_advance(const volt_export_part *part, int p, const volt_export *made, const volt_c_names *names,
                       volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    bool begins = part->past_is_first && needs_first(part);
    for (int64_t f = 0; f < part->n_factors; f++)
        begins |= part->past_is_first && part->factor[f].reservoir;
    volt_source_put(out,
                    "\n/* Advances the state by the row in part->z, with inputs x; y receives its outputs. */\n"
                    "static int p%d_advance(%s_part_%d *part, const double *x, double *y)\n{\n"
                    "    const double *z = part->z;\n"
                    "    double sum[%d] = {0.0};\n",
                    p, names->name, p, (int)part->model->q);
    if (!uses_inputs(part))
        volt_source_put(out, "    (void)x;\n");
    if (begins)
        volt_source_put(out, "    if (part->begun == 0)\n        p%d_begin(part);\n", p);
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        int at = offset_of(part, factor), columns = (int)part->columns;
        char literal[VOLT_LITERAL_LENGTH];
        if (factor->own)
            volt_source_put(
                out, "    const double own_%d = p%d_own_%d(product(z + %d, z + %d, %d), &part->kept_%d);\n",
                (int)f, p, (int)f, at, at, columns, (int)f);
        if (factor->reservoir)
            volt_source_put(out, "    p%d_reservoir_%d(z + %d, %s, part->x_%d, part->u_%d, part->v_%d);\n", p,
                            (int)f, at, volt_source_number(out, factor->reservoir->leak, literal), (int)f,
                            (int)f, (int)f);
    }
    if (part->rows > 0)
        put_rows(part, p, out);
    else
        put_states(part, p, out);
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        put_border(part, factor, p, (int)f, out);
        if (factor->window > 1)
            volt_source_put(out,
                            "    for (int k = 0; k < %d; k++) {\n"
                            "        for (int i = 0; i < %d; i++)\n"
                            "            part->window_%d[i][k] = part->window_%d[i + 1][k];\n"
                            "        part->window_%d[%d][k] = z[%d + k];\n"
                            "    }\n",
                            (int)part->columns, (int)factor->window - 2, (int)f, (int)f, (int)f,
                            (int)factor->window - 2, offset_of(part, factor));
    }
    if (part->filter_end)
        volt_source_put(out,
                        "    for (int i = 0; i < %d; i++)\n"
                        "        part->filter[i] = part->next_filter[i];\n",
                        (int)(4 * part->d));
    if (recipe->memory > 0)
        volt_source_put(out,
                        "    for (int k = 0; k < %d; k++) {\n"
                        "        for (int i = 0; i < %d; i++)\n"
                        "            part->lags[i][k] = part->lags[i + 1][k];\n"
                        "        part->lags[%d][k] = x[k];\n"
                        "    }\n",
                        (int)recipe->inputs, (int)recipe->memory - 1, (int)recipe->memory - 1);
    if (volt_part_has_begun(part))
        volt_source_put(out, "    part->begun = 1;\n");
    put_outputs(part, p, made, names, out);
}

/* ---- cost --------------------------------------------------------------------------------------- */

static int64_t count_text(const char *code, const char *piece)
{
    int64_t count = 0;
    for (const char *at = code; (at = strstr(at, piece)); at += strlen(piece))
        count++;
    return count;
}

/* Operators and function calls of a step; of a loop, once per degree. */
static void step_cost(const volt_export_factor *factor, double *operations, double *calls)
{
    const char *step = factor->code->step, *const operators[] = {" + ", " - ", " * ", " / ", " *= "};
    const char *const functions[] = {"exp(", "tanh(", "acos(", "sqrt(", "_share(", "_mean("};
    double times = 1;
    for (int i = 0; factor->code->constants[i]; i++)
        if (strncmp(factor->code->constants[i], "int ", 4) == 0)
            times = factor->numbers[i] > 1 ? factor->numbers[i] : 1;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        *operations += times * (double)count_text(step, operators[i]);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        *calls += (double)count_text(step, functions[i]);
}

void volt_part_cost(const volt_export_part *part, volt_c_cost *cost)
{
    double rows = (double)part->rows, q = (double)part->model->q, states = 0;
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        double operations = 1, calls = 0, d = (double)part->columns;
        if (factor->reservoir) {
            const volt_reservoir *r = factor->reservoir;
            cost->operations += 2 * (double)r->length * (double)r->size + 3 * (double)r->size;
            cost->calls += r->bends ? (double)r->size : 0;
            states += (double)r->size;
            d = (double)r->size;
        }
        if (factor->code)
            step_cost(factor, &operations, &calls);
        operations += (double)factor->window * (factor->distance ? 3 : 2) * d;
        cost->operations += rows * operations;
        cost->calls += rows * calls;
    }
    cost->operations += 2 * q * (rows > 0 ? rows : states);
}
