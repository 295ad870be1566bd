/* src/export/export_c.c: the header and the source file of an exported model.
 *
 * Each part has its own state and static functions p1_take, p1_advance, p1_feed. The public functions call those of all
 * parts. All parts take a row, or none. */

#include "base/memory.h"
#include "export/export_model.h"
#include "text/text.h"
#include "volterra/base.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A literal of the precision. */
enum { VOLT_LITERAL_LENGTH = 40 };

/* ---- source text ------------------------------------------------------------------------------------- */

enum { LINE = 100 }; /* width of a table */

/* Words of double precision, and those of single precision. */
static const char *const precision_words[][2] = {
    {"double", "float"}, {"exp", "expf"},        {"sqrt", "sqrtf"},
    {"tanh", "tanhf"},   {"erf", "erff"},        {"acos", "acosf"},
    {"fabs", "fabsf"},   {"DBL_MAX", "FLT_MAX"}, {"DBL_EPSILON", "FLT_EPSILON"},
};

static const char *translated(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof precision_words / sizeof *precision_words; i++)
        if (strlen(precision_words[i][0]) == length && memcmp(precision_words[i][0], word, length) == 0)
            return precision_words[i][1];
    return NULL;
}

/* Length of the word or number at `at`. */
static size_t token_length(const char *at)
{
    size_t length = 1;
    bool is_number = isdigit((unsigned char)*at) != 0;
    for (; isalnum((unsigned char)at[length]) || at[length] == '_' || (is_number && at[length] == '.') ||
           (is_number && strchr("+-", at[length]) && at[length] && at[length - 1] == 'e');
         length++) {
    }
    return length;
}

static void put_token(volt_source *source, const char *at, size_t length)
{
    const char *word = translated(at, length);
    if (word) {
        volt_text_put(&source->text, word);
        return;
    }
    volt_text_put_bytes(&source->text, at, length);
    bool is_real = isdigit((unsigned char)*at) && memchr(at, '.', length) && at[length - 1] != 'f';
    if (is_real)
        volt_text_put(&source->text, "f");
}

static void put_single(volt_source *source, const char *piece)
{
    bool in_line = false; /* a preprocessor line */
    while (*piece) {
        size_t length = 1;
        if (source->in_comment || in_line) {
            source->in_comment = source->in_comment && strncmp(piece, "*/", 2) != 0;
            in_line = in_line && *piece != '\n';
            volt_text_put_bytes(&source->text, piece, 1);
        } else if (strncmp(piece, "/*", 2) == 0 || *piece == '#') {
            source->in_comment = *piece == '/';
            in_line = *piece == '#';
            volt_text_put_bytes(&source->text, piece, 1);
        } else if (isalnum((unsigned char)*piece) || *piece == '_') {
            length = token_length(piece);
            put_token(source, piece, length);
        } else {
            volt_text_put_bytes(&source->text, piece, 1);
        }
        piece += length;
    }
}

static void put(volt_source *source, const char *piece)
{
    if (source->single)
        put_single(source, piece);
    else
        volt_text_put(&source->text, piece);
}

void volt_source_release(volt_source *source)
{
    volt_free(source->text.bytes);
    *source = (volt_source){0};
}

void volt_source_put(volt_source *source, const char *format, ...)
{
    char piece[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put(source, piece);
}

/* Appends the lines of `code`, each indented by `depth` times four spaces. */
static void source_code(volt_source *source, int depth, const char *code)
{
    char line[512];
    while (*code) {
        size_t length = strcspn(code, "\n");
        snprintf(line, sizeof line, "%*s%.*s\n", length > 0 ? 4 * depth : 0, "", (int)length, code);
        put(source, line);
        code += length + (code[length] == '\n');
    }
}

/* Appends text of a user inside a comment: without characters that could end it. */
static void source_comment(volt_source *source, const char *text)
{
    char shown[VOLT_CHARACTER_LENGTH];
    size_t left = strlen(text);
    while (left > 0) {
        size_t used = volt_show_character(text, left, shown);
        bool ends = *shown == '/' && source->text.size > 0 && source->text.bytes[source->text.size - 1] == '*';
        volt_text_put(&source->text, ends || *shown == '\\' ? "?" : shown);
        text += used;
        left -= used;
    }
}

static const char *source_number(volt_source *source, double value, char literal[VOLT_LITERAL_LENGTH])
{
    char number[VOLT_NUMBER_LENGTH];
    source->not_finite = source->not_finite || !isfinite(value);
    if (source->single) {
        source->overflows = source->overflows || fabs(value) > FLT_MAX;
        snprintf(number, sizeof number, "%.9g", (double)(float)value);
    } else {
        volt_format_number(value, number);
    }
    bool is_real = strpbrk(number, ".en") != NULL;
    snprintf(literal, VOLT_LITERAL_LENGTH, "%s%s%s", number, is_real ? "" : ".0", source->single ? "f" : "");
    return literal;
}

/* Appends an entry of a table and a comma, on a new line where the line is full. */
static void put_number(volt_source *source, const char *entry, int64_t *width)
{
    int64_t length = (int64_t)strlen(entry) + 2;
    if (*width + length > LINE) {
        volt_text_put(&source->text, "\n   ");
        *width = 3;
    }
    volt_text_put(&source->text, " ");
    volt_text_put(&source->text, entry);
    volt_text_put(&source->text, ",");
    *width += length;
}

/* "static const double NAME[rows][cols] = {...};", or NAME[rows] for cols of 0; and the same for integers. */
static void source_table(volt_source *source, const char *name, const double *numbers, int64_t rows,
                         int64_t cols)
{
    int64_t across = cols > 0 ? cols : 1, width = LINE;
    char literal[VOLT_LITERAL_LENGTH], entry[VOLT_LITERAL_LENGTH + 4];
    volt_source_put(source, "static const double %s[%" PRId64 "]", name, rows);
    if (cols > 0)
        volt_source_put(source, "[%" PRId64 "]", cols);
    volt_text_put(&source->text, " = {");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < across; k++) {
            snprintf(entry, sizeof entry, "%s%s%s", cols > 0 && k == 0 ? "{" : "",
                     source_number(source, numbers[i * across + k], literal),
                     cols > 0 && k == across - 1 ? "}" : "");
            put_number(source, entry, &width);
        }
    volt_text_put(&source->text, "\n};\n");
    source->table_bytes += rows * across * (source->single ? (int64_t)sizeof(float) : (int64_t)sizeof(double));
}

static void source_integers(volt_source *source, const char *name, const int64_t *numbers, int64_t count)
{
    int64_t width = LINE;
    char entry[VOLT_LITERAL_LENGTH];
    volt_source_put(source, "static const int %s[%" PRId64 "] = {", name, count);
    for (int64_t i = 0; i < count; i++) {
        snprintf(entry, sizeof entry, "%" PRId64, numbers[i]);
        put_number(source, entry, &width);
    }
    volt_text_put(&source->text, "\n};\n");
    source->table_bytes += count * 4;
}

/* ---- source code of the kernel of a part: its factors, their states and the outputs ------------------ */

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
                            source_number(out, factor->numbers[i], literal));
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
        source_code(out, 1, factor->code->rest);
    } else {
        volt_source_put(out, "    double before[%d];\n    int moves = 1;\n", (int)factor->state_size);
        for (int64_t s = 0; s < factor->state_size; s++)
            volt_source_put(out, "    a[%d] = %s;\n", (int)s, source_number(out, factor->first[s], literal));
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
    source_code(out, 1, factor->code->own);
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
                    p, f, source_number(out, factor->own_first, literal), p, f);
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
    source_code(out, 1, r->arrange_code);
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
        source_number(out, out->single ? 1e-5 : 1e-13, literal));
}

static void part_kernels(const volt_export_part *part, int p, volt_source *out)
{
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_export_factor *factor = &part->factor[f];
        if (factor->reservoir)
            put_reservoir(part, factor, p, (int)f, out);
        if (!factor->code)
            continue;
        volt_source_put(out, "\n/* ");
        source_comment(out, factor->text);
        volt_source_put(out, " */\nstatic double p%d_kernel_%d(double s%s)\n{\n", p, (int)f,
                        kernel_parameters(factor));
        put_constants(factor, factor->code->step, out);
        source_code(out, 1, factor->code->step);
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

static void part_begin(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
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
            volt_source_put(out, "%s * ", source_number(out, weight, literal));
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

static bool part_keeps_outputs(const volt_export *made)
{
    return made->feeds_back && made->n_parts > 1;
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
    if (part_keeps_outputs(made))
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

/* The part has a flag for its first row. */
static bool part_has_begun(const volt_export_part *part)
{
    return part->past_is_first || (part->lags_end && !part->lags_start);
}

static void part_advance(const volt_export_part *part, int p, const volt_export *made,
                         const volt_c_names *names, volt_source *out)
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
                            (int)f, at, source_number(out, factor->reservoir->leak, literal), (int)f, (int)f,
                            (int)f);
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
    if (part_has_begun(part))
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

static void part_cost(const volt_export_part *part, volt_c_cost *cost)
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

/* ---- source code of a part of a model: tables, initial states, inputs and feedback ------------------- */

enum { NAME = 64 };

/* The output before the first row of a sequence is found by iteration, unless it is known. */
static bool part_finds_first(const volt_export_part *part)
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
    source_table(out, name, numbers, rows, cols);
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
                            source_number(out, r->matrix[k * r->ld + i], literal));
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
        source_integers(out, name, part->starts, part->records + 1);
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
                        (int)column->minus, source_number(out, column->weight, weight),
                        source_number(out, fmax(column->low, -most), low),
                        source_number(out, fmin(column->high, most), high));
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
        source_integers(out, name, model->anchors, model->q);
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
            volt_source_put(
                out, "%s%s", k > 0 ? ", " : "",
                source_number(out, which ? fmin(reach, out->single ? FLT_MAX : DBL_MAX) : middle, literal));
        }
        volt_source_put(out, "};\n");
    }
}

static void part_tables(const volt_export_part *part, int p, const volt_export *made, volt_source *out)
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
                            (int)part->rows, to, (int)s, source_number(out, state->diagonals[s], literal));
        snprintf(to, sizeof to, "border_%d", (int)f);
        snprintf(from, sizeof from, "%s_border_%d", when, (int)f);
        copy_list(out, p, to, from, part->borders, factor->state_size);
    }
    if (factor->own)
        volt_source_put(out, "    part->kept_%d = %s;\n", (int)f, source_number(out, state->kept, literal));
    if (factor->window > 1) {
        snprintf(to, sizeof to, "window_%d", (int)f);
        snprintf(from, sizeof from, "%s_window_%d", when, (int)f);
        copy_list(out, p, to, from, factor->window - 1, part->columns);
    }
}

static void put_part_start(const volt_export_part *part, int p, bool at_end, const volt_export *made,
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
    if (part_finds_first(part))
        volt_source_put(out, "    part->known = %d;\n", at_end ? 1 : 0);
    if (part_keeps_outputs(made))
        volt_source_put(out, "    for (int i = 0; i < %d; i++)\n        part->y[i] = 0.0;\n",
                        (int)part->model->q);
    if (part_has_begun(part))
        volt_source_put(out, "    part->begun = %d;\n", at_end ? 1 : 0);
    volt_source_put(out, "    part->z[0] = 0.0;\n}\n");
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static void put_columns(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    const volt_recipe *recipe = &part->model->recipe;
    int own = (int)volt_recipe_input_columns(recipe);
    char scale[VOLT_LITERAL_LENGTH];
    source_number(out, part->model->input.scale, scale);
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
                        d, source_number(out, gain, a), at, d, at + 3 * d,
                        source_number(out, 1 - filter->echo, b));
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
                        source_number(out, filter->pole, a), source_number(out, 1 - fabs(filter->pole), b));
    if (filter->pair != 0)
        volt_source_put(out,
                        "        value = %s * was[%d] - %s * was[%d] + %s * value;\n"
                        "        next[%d] = was[%d];\n"
                        "        next[%d] = value;\n",
                        source_number(out, turn, a), d, source_number(out, square, b), 2 * d,
                        source_number(out, 1 - turn + square, c), 2 * d, d, d);
    if (filter->echo != 0)
        volt_source_put(out, "        value += %s * was[%d];\n        next[%d] = value;\n",
                        source_number(out, filter->echo, a), 3 * d, 3 * d);
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
                        source_number(out, part->limit[s] * (1 + tolerance), limit),
                        source_number(out, part->radius[s], radius), d, at, names->upper);
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

static void part_inputs(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
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
                        part_finds_first(part) ? "    part->known = 1;\n" : "");
}

/* As volt_model_stationary_output (model/recipe.c). */
static void part_first(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out)
{
    const volt_feedback *fed = &part->model->recipe.fed_outputs;
    char literal[VOLT_LITERAL_LENGTH];
    int q = (int)fed->n;
    if (!part_finds_first(part))
        return;
    volt_source_put(out,
                    "\n/* Changes of the outputs that end the search for the first one. */\n"
                    "static const double p%d_near[%d] = {",
                    p, q);
    for (int k = 0; k < q; k++)
        volt_source_put(
            out, "%s%s", k ? ", " : "",
            source_number(out, (out->single ? 1e-5 : 1e-9) * (fed->high[k] - fed->low[k]), literal));
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

static void part_starts(const volt_export_part *part, int p, const volt_export *made, const volt_c_names *names,
                        volt_source *out)
{
    put_part_start(part, p, false, made, names, out);
    if (made->can_continue)
        put_part_start(part, p, true, made, names, out);
}

/* ---- state ---------------------------------------------------------------------------------------- */

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
    if (part_keeps_outputs(made))
        member(out, "y", part->model->q, 0, "outputs of the last row", cost);
    int flags = (recipe->fed_outputs.n > 0) + part_has_begun(part) + part_finds_first(part);
    if (recipe->fed_outputs.n > 0)
        volt_source_put(out, "    int diverged; /* the output to be fed back has left its range */\n");
    if (part_finds_first(part))
        volt_source_put(out, "    int known; /* 1: the output before the next row is known */\n");
    if (part_has_begun(part))
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
        source_comment(out, all[i] ? all[i] : "");
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
        source_comment(out, volt_kernel_text(part->model->kernel));
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
        source_code(out, 0, written[k]);
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
    source_code(out, 1, loss->kind->link_code);
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
        if (part_finds_first(&made->parts[i - 1]))
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
                            source_number(out, made->parts[i - 1].weight, literal));
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
                            q, own, source_number(out, sum->weights[i], literal), (int)at);
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
    source_table(out, "half_width", made->half, made->n_coverages, q);
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
        source_comment(&body, volt_kernel_text(part->model->kernel));
        volt_source_put(&body, " ---- */\n\n");
        part_tables(part, p, made, &body);
        part_kernels(part, p, &body);
        part_starts(part, p, made, names, &body);
        part_inputs(part, p, names, &body);
        part_begin(part, p, names, &body);
        put_link(part, p, &body);
        part_advance(part, p, made, names, &body);
        part_first(part, p, names, &body);
        part_cost(part, cost);
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
