/* bindings/call.c: finds and runs the functions of the languages; reads their arguments and adds their results. */
#include "call.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- calls ------------------------------------------------------------------------------------ */

const char *volterra_status_id(volt_status status)
{
    static const char *const ids[] = {"ok",     "argument", "kernel", "shape",  "not_finite", "data",  "domain",
                                      "memory", "singular", "io",     "format", "cancelled",  "device"};
    return (size_t)status < sizeof ids / sizeof *ids ? ids[status] : "unknown";
}

void call_fail(call *c, const char *format, ...)
{
    va_list arguments;
    if (c->status)
        return;
    va_start(arguments, format);
    vsnprintf(c->message, sizeof c->message, format, arguments);
    va_end(arguments);
    c->status = VOLT_ERR_ARGUMENT;
}

void *call_array(call *c, int64_t count, size_t size)
{
    if (c->status)
        return NULL;
    /* numbers of a value, which are aligned for all types */
    value *held = value_vector(NULL, count * (int64_t)((size + sizeof(double) - 1) / sizeof(double)));
    value_add(c->scratch, "", held);
    if (!value_list_ok(c->scratch))
        c->status = VOLT_ERR_MEMORY;
    return c->status ? NULL : held->numbers;
}

static const call_entry *find(const char *name)
{
    const call_entry *const tables[] = {model_functions, task_functions};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const call_entry *entry = tables[t]; entry->name; entry++)
            if (strcmp(entry->name, name) == 0)
                return entry;
    return NULL;
}

volt_status volterra_call(const char *function, const value *arguments, volt_progress progress, value **result,
                          char message[CALL_MESSAGE])
{
    call c = {.arguments = arguments, .result = value_list(), .scratch = value_list(), .progress = progress};
    const call_entry *entry = find(function);
    if (!c.result || !c.scratch)
        c.status = VOLT_ERR_MEMORY;
    else if (!entry)
        call_fail(&c, "unknown function '%.80s'", function);
    else
        entry->run(&c);
    if (!c.status && !value_list_ok(c.result))
        c.status = VOLT_ERR_MEMORY;
    if (c.status) {
        const char *detail = c.message[0] ? c.message : volt_error_detail();
        snprintf(message, CALL_MESSAGE, "%s",
                 c.status == VOLT_ERR_MEMORY || !detail[0] ? volt_status_message(c.status) : detail);
        value_free(c.result);
        c.result = NULL;
    }
    value_free(c.scratch);
    *result = c.result;
    return c.status;
}

/* ---- names of arguments ----------------------------------------------------------------------- */

enum { NAME_LENGTH = 32, FAR = 3 };

/* Number of single-letter edits between two names, at most FAR. */
static int distance(const char *a, const char *b)
{
    int row[NAME_LENGTH + 1], n = (int)strlen(b);
    if (strlen(a) > NAME_LENGTH || n > NAME_LENGTH)
        return FAR;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int above = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int replaced = above + (a[i - 1] != b[j - 1]);
            above = row[j];
            int fewest = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = replaced < fewest ? replaced : fewest;
        }
    }
    return row[n] < FAR ? row[n] : FAR;
}

bool taken(call *c)
{
    for (int64_t i = 0; i < c->arguments->rows; i++) {
        const char *closest = NULL, *name = c->arguments->names[i];
        int best = FAR;
        for (int j = 0; j < c->n_names && best > 0; j++)
            if (distance(name, c->names[j]) < best) {
                best = distance(name, c->names[j]);
                closest = c->names[j];
            }
        if (best == 0)
            continue;
        c->status = VOLT_OK; /* replaces the errors of the values */
        if (closest)
            call_fail(c, "unknown argument '%s'; did you mean '%s'?", name, closest);
        else
            call_fail(c, "unknown argument '%s'", name);
        break;
    }
    return call_ok(c);
}

/* ---- arguments -------------------------------------------------------------------------------- */

const value *take(call *c, const char *name)
{
    if (c->n_names < MAX_NAMES)
        c->names[c->n_names++] = name;
    return value_get(c->arguments, name);
}

static double one_number(call *c, const char *name, const value *given)
{
    if (given->kind == VALUE_NUMBERS && given->rows * given->cols == 1)
        return given->numbers[0];
    call_fail(c, "%s must be one number", name);
    return 0;
}

static int64_t whole_number(call *c, const char *name, double number, int64_t smallest)
{
    if (!(number == floor(number)) || fabs(number) > 9007199254740992.0)
        call_fail(c, "%s must be an integer (got %g)", name, number);
    else if (number < (double)smallest)
        call_fail(c, "%s must be at least %lld (got %g)", name, (long long)smallest, number);
    return call_ok(c) ? (int64_t)number : 0;
}

static int word_number(call *c, const char *name, const volt_word *words, const char *word)
{
    char known[512] = "";
    if (strcmp(word, "evidence") == 0) /* as in the program */
        word = "log";
    for (const volt_word *w = words; w->text; w++) {
        if (strcasecmp(w->text, word) == 0) /* "R" of confidence sets */
            return w->value;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", w->text);
    }
    call_fail(c, "%s must be one of %s (got '%.80s')", name, known, word);
    return 0;
}

double take_number(call *c, const char *name, double fallback)
{
    const value *given = take(c, name);
    return given ? one_number(c, name, given) : fallback;
}

int64_t take_count(call *c, const char *name, int64_t fallback, int64_t smallest)
{
    const value *given = take(c, name);
    return given ? whole_number(c, name, one_number(c, name, given), smallest) : fallback;
}

int64_t take_rows(call *c, const char *name, int64_t fallback)
{
    int64_t rows = take_count(c, name, fallback, 1);
    if (rows > 1000000000)
        call_fail(c, "%s must be at most 1e9 (got %lld)", name, (long long)rows);
    return rows;
}

const char *take_text(call *c, const char *name, bool required)
{
    int64_t count = 0;
    const char *const *texts = take_texts(c, name, -1, &count);
    if (!texts && required)
        call_fail(c, "%s is missing", name);
    if (texts && count != 1)
        call_fail(c, "%s must be one text", name);
    return texts ? texts[0] : NULL;
}

volt_view take_view(call *c, const char *name, bool required)
{
    const value *given = take(c, name);
    if (given && given->kind != VALUE_NUMBERS)
        call_fail(c, "%s must be numbers", name);
    if (!given && required)
        call_fail(c, "%s is missing", name);
    return given && call_ok(c) ? volt_view_of(given->numbers, given->rows, given->cols) : (volt_view){0};
}

const char *const *take_texts(call *c, const char *name, int64_t count, int64_t *found)
{
    const value *given = take(c, name);
    if (given && given->kind != VALUE_TEXTS)
        call_fail(c, "%s must be text", name);
    if (!given || given->kind != VALUE_TEXTS)
        return NULL;
    if (count >= 0 && given->rows != count)
        call_fail(c, "%s must be %lld texts (got %lld)", name, (long long)count, (long long)given->rows);
    if (found)
        *found = given->rows;
    return (const char *const *)given->texts;
}

void take_season(call *c, int64_t *season)
{
    const value *given = value_get(c->arguments, "season");
    const volt_word words[] = {{"auto", VOLT_SEASON_AUTO}, {"none", 0}, {NULL, 0}};
    if (given && given->kind == VALUE_TEXTS && given->rows == 1)
        *season = word_number(c, "season", words, take(c, "season")->texts[0]);
    else
        *season = take_count(c, "season", *season, INT64_MIN);
}

int64_t *take_lengths(call *c, const char *name, int64_t *count)
{
    volt_view given = take_view(c, name, false);
    int64_t n = given.rows * given.cols, *lengths = given.data ? call_array(c, n, sizeof *lengths) : NULL;
    for (int64_t i = 0; lengths && i < n; i++) {
        if (!(given.data[i] >= 1))
            call_fail(c, "%s must be positive integers (got %g)", name, given.data[i]);
        lengths[i] = whole_number(c, name, given.data[i], 1);
    }
    *count = n;
    return lengths;
}

static handle *take_handle(call *c, const char *name, const char *what)
{
    const value *given = take(c, name);
    handle *found = given && given->kind == VALUE_HANDLE ? given->object : NULL;
    if (found && (found->stream != NULL) == (strcmp(name, "stream") == 0))
        return found;
    call_fail(c, "%s must be a %s of this session", name, what);
    return NULL;
}

handle *take_stream(call *c)
{
    return take_handle(c, "stream", "stream");
}

handle *take_model(call *c)
{
    return take_handle(c, "model", "fitted or loaded model");
}

volt_model_info model_info(const handle *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model->model, &info);
    return info;
}

/* ---- fields of structs ------------------------------------------------------------------------ */

/* Returns the name of a field for the languages; NULL for counts of arrays and others that JSON does not have. */
static const char *renamed(const volt_field *f, const char *const *names)
{
    for (int i = 0; names && names[i]; i += 2)
        if (strcmp(f->name, names[i]) == 0)
            return names[i + 1];
    return f->json ? f->name : NULL;
}

/* The same; NULL also for arrays, views and fields left out. */
static const char *name_of(const volt_field *f, const char *const *names)
{
    if (f->kind >= VOLT_KIND_STRUCT || f->is_pointer || f->n_dimensions > 0)
        return NULL;
    const char *name = renamed(f, names);
    return name && name[0] ? name : NULL;
}

static void set_field(call *c, const volt_field *f, const char *name, const value *given, char *at)
{
    if (f->kind == VOLT_KIND_TEXT || f->kind == VOLT_KIND_WORD) {
        const char *text = given->kind == VALUE_TEXTS && given->rows == 1 ? given->texts[0] : NULL;
        if (!text)
            call_fail(c, "%s must be one text", name);
        else if (f->kind == VOLT_KIND_TEXT)
            memcpy(at, &text, sizeof text);
        else /* enums have the size of int here, as in the table of the Python package */
            memcpy(at, &(int){word_number(c, name, f->words, text)}, sizeof(int));
        return;
    }
    double number = one_number(c, name, given);
    if (f->kind == VOLT_KIND_DOUBLE)
        memcpy(at, &number, sizeof number);
    else if (f->kind == VOLT_KIND_FLAG && number != 0 && number != 1)
        call_fail(c, "%s must be true or false (got %g)", name, number);
    else if (f->kind == VOLT_KIND_INT64 || f->kind == VOLT_KIND_UINT64)
        memcpy(at, &(int64_t){whole_number(c, name, number, f->kind == VOLT_KIND_INT64 ? INT64_MIN : 0)},
               sizeof(int64_t));
    else
        memcpy(at, &(int){(int)whole_number(c, name, number, INT_MIN)}, sizeof(int));
}

void take_options(call *c, const char *type, void *options, const char *const *names)
{
    const volt_struct *table = volt_struct_find(type);
    int n_before = c->n_names;
    for (const volt_field *f = table->fields; f < table->fields + table->n_fields; f++) {
        const char *name = name_of(f, names);
        bool is_read = !name;
        for (int i = 0; i < n_before && !is_read; i++)
            is_read = strcmp(c->names[i], name) == 0;
        const value *given = is_read ? NULL : take(c, name);
        if (given)
            set_field(c, f, name, given, (char *)options + f->offset);
    }
}

/* Returns the number at an address. */
static double number_at(const volt_field *f, const char *at)
{
    return f->kind == VOLT_KIND_DOUBLE   ? *(const double *)at
           : f->kind == VOLT_KIND_INT64  ? (double)*(const int64_t *)at
           : f->kind == VOLT_KIND_UINT64 ? (double)*(const uint64_t *)at
                                         : (double)*(const int *)at;
}

/* Returns the text of a field, "" for NULL; NULL for numbers. */
static const char *text_at(const volt_field *f, const char *at)
{
    if (f->kind == VOLT_KIND_TEXT)
        return *(const char *const *)at ? *(const char *const *)at : "";
    for (const volt_word *w = f->kind == VOLT_KIND_WORD ? f->words : NULL; w && w->text; w++)
        if (w->value == *(const int *)at)
            return w->text;
    return f->kind == VOLT_KIND_CHARS ? at : NULL;
}

/* ---- results ---------------------------------------------------------------------------------- */

void add_number(call *c, const char *name, double number)
{
    value_add(c->result, name, value_number(number));
}

void add_text(call *c, const char *name, const char *text)
{
    value_add(c->result, name, value_text(text));
}

/* Adds a value with numbers, and returns them as a matrix. */
static volt_matrix add_numbers(call *c, value *list, const char *name, value *made)
{
    if (made)
        value_add(list, name, made);
    if (!made || !value_list_ok(list))
        c->status = c->status ? c->status : VOLT_ERR_MEMORY;
    return c->status ? (volt_matrix){0} : volt_matrix_of(made->numbers, made->rows, made->cols);
}

volt_matrix add_matrix(call *c, const char *name, int64_t rows, int64_t cols)
{
    return add_numbers(c, c->result, name, call_ok(c) ? value_matrix(rows, cols) : NULL);
}

double *add_vector(call *c, const char *name, int64_t count)
{
    return add_numbers(c, c->result, name, call_ok(c) ? value_vector(NULL, count) : NULL).data;
}

void add_matrices(call *c, const char *name, int64_t count, int64_t rows, int64_t cols, volt_matrix *matrices)
{
    value *list = value_list();
    for (int64_t k = 0; k < count && call_ok(c); k++)
        matrices[k] = add_numbers(c, list, "", value_matrix(rows, cols));
    value_add(c->result, name, list);
}

void add_fields(call *c, const char *type, const void *object, const char *const *names)
{
    const volt_struct *table = volt_struct_find(type);
    for (const volt_field *f = table->fields; f < table->fields + table->n_fields; f++) {
        const char *name = name_of(f, names), *at = (const char *)object + f->offset;
        const char *text = name ? text_at(f, at) : NULL;
        if (name)
            value_add(c->result, name, text ? value_text(text) : value_number(number_at(f, at)));
    }
}

void add_arrays(call *c, const char *type, const void *object, const char *const *names)
{
    const volt_struct *table = volt_struct_find(type);
    for (const volt_field *f = table->fields; f < table->fields + table->n_fields; f++) {
        if (f->n_dimensions == 0 || !f->is_pointer || f->kind > VOLT_KIND_FLAG)
            continue;
        const char *at = *(const char *const *)(const void *)((const char *)object + f->offset);
        int64_t rows = volt_dimension_of(&f->shape[0], object), cols = 1;
        for (int64_t k = 1; k < f->n_dimensions; k++)
            cols *= volt_dimension_of(&f->shape[k], object);
        const char *name = renamed(f, names);
        if (!at || !name || rows < 0 || cols < 0)
            continue;
        /* more than two dimensions: a vector */
        double *out =
            f->n_dimensions == 2 ? add_matrix(c, name, rows, cols).data : add_vector(c, name, rows * cols);
        for (int64_t k = 0; out && k < rows * cols; k++)
            out[k] = number_at(f, at + (size_t)k * f->size);
    }
}

void add_table(call *c, const char *name, const char *type, const void *const *rows, int64_t count,
               const char *const *names)
{
    const volt_struct *struct_table = volt_struct_find(type);
    value *table = value_list();
    for (const volt_field *f = struct_table->fields; f < struct_table->fields + struct_table->n_fields; f++) {
        const char *column_name = name_of(f, names);
        bool is_text = f->kind == VOLT_KIND_TEXT || f->kind == VOLT_KIND_CHARS || f->kind == VOLT_KIND_WORD;
        value *column = !column_name || !call_ok(c) ? NULL : is_text ? value_list() : value_vector(NULL, count);
        for (int64_t i = 0; column && i < count; i++) {
            const char *at = (const char *)rows[i] + f->offset;
            if (is_text)
                value_add(column, "", value_text(text_at(f, at)));
            else
                column->numbers[i] = number_at(f, at);
        }
        if (column_name)
            value_add(table, column_name, column);
    }
    value_add(c->result, name, table);
}

void add_warning(call *c, const char *text)
{
    value *warnings = (value *)value_get(c->result, "warnings");
    if (!warnings) {
        warnings = value_list();
        value_add(c->result, "warnings", warnings);
    }
    value_add(warnings, "", value_text(text));
}

void add_warning_codes(call *c, const volt_warning *warnings, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        volt_warning_code code = warnings[i].code;
        if (code != VOLT_WARNING_PAST_TARGETS && code != VOLT_WARNING_FREE_RUN) /* remarks on the baselines */
            add_warning(c, volt_warning_text(code));
    }
}
