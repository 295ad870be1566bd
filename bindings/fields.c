/* bindings/fields.c: reads arguments, and sets the fields of option structs. */
#include "fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volt_status call_fail(call *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->message, sizeof c->message, format, arguments);
    va_end(arguments);
    return VOLT_ERR_ARGUMENT;
}

/* ---- names ------------------------------------------------------------------------------------ */

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

static bool is_known(const char *name, const field *const *tables, int count, const char **closest)
{
    int best = FAR;
    for (int t = 0; t < count; t++)
        for (const field *f = tables[t]; f->name; f++) {
            if (strcmp(f->name, name) == 0)
                return true;
            if (distance(name, f->name) < best) {
                best = distance(name, f->name);
                *closest = f->name;
            }
        }
    return false;
}

volt_status fields_check(call *c, const field *const *tables, int count)
{
    for (int64_t i = 0; i < c->arguments->rows; i++) {
        const char *closest = NULL, *name = c->arguments->names[i];
        if (is_known(name, tables, count, &closest))
            continue;
        return closest ? call_fail(c, "unknown argument '%s'; did you mean '%s'?", name, closest)
                       : call_fail(c, "unknown argument '%s'", name);
    }
    return VOLT_OK;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static volt_status one_number(call *c, const char *name, const value *given, double *number)
{
    if (given->kind != VALUE_NUMBERS || given->rows * given->cols != 1)
        return call_fail(c, "%s must be one number", name);
    *number = given->numbers[0];
    return VOLT_OK;
}

static volt_status whole_number(call *c, const char *name, const value *given, int64_t *count)
{
    double number = 0;
    volt_status status = one_number(c, name, given, &number);
    if (status)
        return status;
    if (!(number == floor(number)) || fabs(number) > 9007199254740992.0)
        return call_fail(c, "%s must be an integer (got %g)", name, number);
    *count = (int64_t)number;
    return VOLT_OK;
}

volt_status argument_number(call *c, const char *name, double fallback, double *number)
{
    const value *given = value_get(c->arguments, name);
    *number = fallback;
    return given ? one_number(c, name, given, number) : VOLT_OK;
}

volt_status argument_count(call *c, const char *name, int64_t fallback, int64_t *count)
{
    const value *given = value_get(c->arguments, name);
    *count = fallback;
    return given ? whole_number(c, name, given, count) : VOLT_OK;
}

volt_status argument_text(call *c, const char *name, const char **text)
{
    const value *given = value_get(c->arguments, name);
    *text = NULL;
    if (!given)
        return VOLT_OK;
    if (given->kind != VALUE_TEXTS || given->rows != 1)
        return call_fail(c, "%s must be one text", name);
    *text = given->texts[0];
    return VOLT_OK;
}

volt_status argument_view(call *c, const char *name, bool required, volt_view *view)
{
    const value *given = value_get(c->arguments, name);
    *view = value_as_view(given);
    if (given && given->kind != VALUE_NUMBERS)
        return call_fail(c, "%s must be numbers", name);
    return given || !required ? VOLT_OK : call_fail(c, "%s is missing", name);
}

volt_status argument_texts(call *c, const char *name, int64_t count, const char *const **texts, int64_t *found)
{
    const value *given = value_get(c->arguments, name);
    *texts = NULL;
    if (!given)
        return VOLT_OK;
    if (given->kind != VALUE_TEXTS || (count >= 0 && given->rows != count))
        return call_fail(c, "%s must be %lld texts", name, (long long)count);
    *texts = (const char *const *)given->texts;
    if (found)
        *found = given->rows;
    return VOLT_OK;
}

volt_status argument_lengths(call *c, const char *name, int64_t **lengths, int64_t *count)
{
    const value *given = value_get(c->arguments, name);
    *lengths = NULL;
    *count = 0;
    if (!given)
        return VOLT_OK;
    if (given->kind != VALUE_NUMBERS)
        return call_fail(c, "%s must be numbers", name);
    int64_t n = given->rows * given->cols;
    *lengths = malloc((size_t)(n + 1) * sizeof **lengths);
    if (!*lengths)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        double length = given->numbers[i];
        if (!(length >= 1) || length != floor(length) || length > 9007199254740992.0)
            return call_fail(c, "%s must be positive integers (got %g)", name, length);
        (*lengths)[i] = (int64_t)length;
    }
    *count = n;
    return VOLT_OK;
}

static volt_status read_handle(call *c, const char *name, const char *what, bool is_stream, handle **found)
{
    const value *given = value_get(c->arguments, name);
    if (!given || given->kind != VALUE_HANDLE || !given->object || (given->object->stream != NULL) != is_stream)
        return call_fail(c, "%s must be a %s of this session", name, what);
    *found = given->object;
    return VOLT_OK;
}

volt_status argument_model(call *c, const volt_model **model)
{
    handle *found = NULL;
    volt_status status = read_handle(c, "model", "fitted or loaded model", false, &found);
    *model = found ? found->model : NULL;
    return status;
}

volt_status argument_model_handle(call *c, handle **model)
{
    return read_handle(c, "model", "fitted or loaded model", false, model);
}

volt_status argument_stream(call *c, handle **stream)
{
    return read_handle(c, "stream", "stream", true, stream);
}

/* ---- fields ----------------------------------------------------------------------------------- */

static volt_status set_word(call *c, const field *f, const char *word, int *number)
{
    char known[512] = "";
    for (const field_word *w = f->words; w && w->word; w++) {
        if (strcmp(w->word, word) == 0) {
            *number = w->number;
            return VOLT_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", w->word);
    }
    return call_fail(c, "%s must be one of %s (got '%.80s')", f->name, known, word);
}

static volt_status set_field(call *c, const field *f, const value *given, char *at)
{
    volt_status status = VOLT_OK;
    double number = 0;
    int64_t count = 0;
    int word = 0;
    const char *text = NULL;
    bool is_word = given->kind == VALUE_TEXTS && given->rows == 1;
    switch (f->kind) {
    case FIELD_REAL:
        status = one_number(c, f->name, given, &number);
        if (!status)
            memcpy(at, &number, sizeof number);
        break;
    case FIELD_COUNT:
        if (is_word && f->words) {
            status = set_word(c, f, given->texts[0], &word);
            count = word;
        } else {
            status = whole_number(c, f->name, given, &count);
        }
        if (!status)
            memcpy(at, &count, sizeof count);
        break;
    case FIELD_SEED:
        status = whole_number(c, f->name, given, &count);
        if (!status && count < 0)
            status = call_fail(c, "%s must be at least 0 (got %lld)", f->name, (long long)count);
        if (!status)
            memcpy(at, &(uint64_t){(uint64_t)count}, sizeof(uint64_t));
        break;
    case FIELD_FLAG:
        status = one_number(c, f->name, given, &number);
        if (!status && number != 0 && number != 1)
            status = call_fail(c, "%s must be true or false (got %g)", f->name, number);
        if (!status)
            memcpy(at, &(int){(int)number}, sizeof(int));
        break;
    case FIELD_TEXT:
        if (!is_word)
            return call_fail(c, "%s must be one text", f->name);
        text = given->texts[0];
        memcpy(at, &text, sizeof text);
        break;
    case FIELD_CHOICE:
        if (!is_word)
            return call_fail(c, "%s must be one text", f->name);
        status = set_word(c, f, given->texts[0], &word);
        if (!status) /* enums have the size of int here, as in the table of the Python package */
            memcpy(at, &word, sizeof word);
        break;
    case FIELD_OTHER:
        break;
    }
    return status;
}

volt_status fields_set(call *c, const field *table, void *options)
{
    volt_status status = VOLT_OK;
    for (const field *f = table; f->name && !status; f++) {
        const value *given = value_get(c->arguments, f->name);
        if (given)
            status = set_field(c, f, given, (char *)options + f->offset);
    }
    return status;
}
