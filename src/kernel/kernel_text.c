/* src/kernel/kernel_text.c: parsing and printing of one factor, NAME:PARAMETER=VALUE,..., for every kernel
 * of the table. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 1024 };

static const char *const filter_names[VOLT_FILTER_PARAMETERS] = {"pole", "pair", "angle"};

/* A piece of the text, without surrounding blanks. */
typedef struct piece {
    const char *at;
    int length;
} piece;

static piece trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    piece p = {from, (int)(to - from)};
    return p;
}

static bool piece_is(piece p, const char *word)
{
    return strlen(word) == (size_t)p.length && strncmp(p.at, word, (size_t)p.length) == 0;
}

/* "; did you mean X?" or nothing, into buffer. */
static const char *suggestion(piece p, const char *const *names, int64_t count, char *buffer, size_t size)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", p.length, p.at);
    const char *nearest = volt_nearest_name(word, names, count);
    if (nearest)
        snprintf(buffer, size, "; did you mean \"%s\"?", nearest);
    else
        buffer[0] = 0;
    return buffer;
}

/* A hint for a character that no name contains, or NULL. */
static const char *foreign_sign(piece name)
{
    if (memchr(name.at, '|', (size_t)name.length))
        return "; \"A | B\" is only allowed in a search";
    if (memchr(name.at, '(', (size_t)name.length) || memchr(name.at, ')', (size_t)name.length))
        return "; an expression is a sum of products, without parentheses";
    if (memchr(name.at, ',', (size_t)name.length))
        return "; parameters follow a colon, and spaces separate kernels";
    return NULL;
}

static volt_status find_entry(piece name, const volt_kernel_entry **entry)
{
    const char *names[64];
    int64_t count = volt_kernel_count();
    for (int64_t i = 0; i < count; i++) {
        names[i] = volt_kernel_table[i]->info.name;
        if (piece_is(name, names[i])) {
            *entry = volt_kernel_table[i];
            return VOLT_OK;
        }
    }
    char hint[128];
    const char *meant = foreign_sign(name);
    return volt_fail(VOLT_ERR_KERNEL, "unknown kernel \"%.*s\"%s", name.length, name.at,
                     meant ? meant : suggestion(name, names, count, hint, sizeof hint));
}

/* Searches the parameters of the kernel, then those of its filter. */
static volt_status find_parameter(const volt_kernel_info *info, piece name, int *index)
{
    const char *names[VOLT_MAX_PARAMETERS + VOLT_FILTER_PARAMETERS];
    int count = (int)info->n_parameters;
    for (int p = 0; p < count + VOLT_FILTER_PARAMETERS; p++) {
        names[p] = p < count ? info->parameters[p].name : filter_names[p - count];
        if (piece_is(name, names[p])) {
            *index = p;
            return VOLT_OK;
        }
    }
    char hint[128];
    return volt_fail(VOLT_ERR_KERNEL, "kernel %s has no parameter \"%.*s\"%s", info->name, name.length, name.at,
                     suggestion(name, names, count + VOLT_FILTER_PARAMETERS, hint, sizeof hint));
}

static volt_status read_number(const char *kernel, const char *name, piece text, double *value)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", text.length, text.at);
    if (text.length == 0 || text.length >= (int)sizeof copy || !volt_parse_number(copy, value))
        return volt_fail(VOLT_ERR_KERNEL, "kernel %s: %s=%.*s is not a number", kernel, name, text.length,
                         text.at);
    return VOLT_OK;
}

static bool takes_number(const char *word)
{
    return word[strlen(word) - 1] == ':';
}

static volt_status read_choice(const volt_kernel_info *info, int p, piece text, volt_kernel *kernel)
{
    const volt_parameter_info *parameter = &info->parameters[p];
    for (int w = 0; parameter->words[w]; w++) {
        const char *word = parameter->words[w];
        size_t length = strlen(word);
        if (takes_number(word) ? (size_t)text.length > length && strncmp(text.at, word, length) == 0
                               : piece_is(text, word)) {
            kernel->value[p] = w;
            if (!takes_number(word))
                return VOLT_OK;
            piece number = {text.at + length, text.length - (int)length};
            double value = 0;
            VOLT_TRY(read_number(info->name, parameter->name, number, &value));
            VOLT_REQUIRE(value >= 1 && value <= 64 && value == floor(value), VOLT_ERR_KERNEL,
                         "kernel %s: the number in %s=%.*s must be a whole number from 1 to 64", info->name,
                         parameter->name, text.length, text.at);
            kernel->argument[p] = value;
            return VOLT_OK;
        }
    }
    return volt_fail(VOLT_ERR_KERNEL, "kernel %s: %s=%.*s is not one of %s", info->name, parameter->name,
                     text.length, text.at, parameter->range);
}

static volt_status read_word(const volt_kernel_info *info, int p, piece text, volt_kernel *kernel)
{
    const volt_parameter_info *parameter = &info->parameters[p];
    VOLT_REQUIRE(text.length > 0 && text.length < VOLT_VALUE_LENGTH, VOLT_ERR_KERNEL,
                 "kernel %s: %s must have 1 to %d characters (got %d)", info->name, parameter->name,
                 VOLT_VALUE_LENGTH - 1, text.length);
    for (int i = 0; i < text.length; i++)
        VOLT_REQUIRE(!isspace((unsigned char)text.at[i]), VOLT_ERR_KERNEL,
                     "kernel %s: %s=%.*s contains a blank, which is not allowed", info->name, parameter->name,
                     text.length, text.at);
    char copy[VOLT_VALUE_LENGTH];
    snprintf(copy, sizeof copy, "%.*s", text.length, text.at);
    kernel->word[p] = volt_strdup(copy);
    return kernel->word[p] ? VOLT_OK : VOLT_ERR_MEMORY;
}

static volt_status read_value(const volt_kernel_info *info, int p, piece text, volt_kernel *kernel)
{
    const volt_parameter_info *parameter = &info->parameters[p];
    if (parameter->kind == VOLT_PARAMETER_CHOICE)
        return read_choice(info, p, text, kernel);
    if (parameter->kind == VOLT_PARAMETER_TEXT)
        return read_word(info, p, text, kernel);

    double value = 0;
    VOLT_TRY(read_number(info->name, parameter->name, text, &value));
    bool whole = parameter->kind == VOLT_PARAMETER_INTEGER;
    bool inside = (whole || parameter->closed & 1 ? value >= parameter->low : value > parameter->low) &&
                  (whole || parameter->closed & 2 ? value <= parameter->high : value < parameter->high) &&
                  (!whole || value == floor(value));
    VOLT_REQUIRE(inside && isfinite(value), VOLT_ERR_KERNEL, "kernel %s: %s=%.*s lies outside %s", info->name,
                 parameter->name, text.length, text.at, parameter->range);
    kernel->value[p] = value;
    return VOLT_OK;
}

/* ---- filters ---------------------------------------------------------------------------------- */

static double *filter_number(volt_filter *filter, int p)
{
    return p == 0 ? &filter->pole : p == 1 ? &filter->pair : &filter->angle;
}

static volt_status read_filter(const volt_kernel_info *info, int p, piece text, volt_kernel *kernel)
{
    static const char *const ranges[VOLT_FILTER_PARAMETERS] = {"(-1, 1)", "[0, 1)", "[0, 1]"};
    double value = 0;
    VOLT_TRY(read_number(info->name, filter_names[p], text, &value));
    bool inside = p == 0 ? fabs(value) < 1 : value >= 0 && (p == 1 ? value < 1 : value <= 1);
    VOLT_REQUIRE(inside, VOLT_ERR_KERNEL, "kernel %s: %s=%.*s lies outside %s", info->name, filter_names[p],
                 text.length, text.at, ranges[p]);
    *filter_number(&kernel->filter, p) = value;
    return VOLT_OK;
}

static volt_status set_filter_defaults(volt_kernel *kernel)
{
    VOLT_REQUIRE(kernel->filter.angle == 0 || kernel->filter.pair > 0, VOLT_ERR_KERNEL,
                 "kernel %s: angle=%g requires pair", kernel->entry->info.name, kernel->filter.angle);
    kernel->filter.echo = kernel->entry->echo ? kernel->entry->echo(kernel) : 0;
    return VOLT_OK;
}

void volt_kernel_use_fallback(volt_kernel *kernel, int p)
{
    const volt_parameter_info *parameter = &kernel->entry->info.parameters[p];
    if (kernel->present[p] || !parameter->fallback)
        return;
    piece text = {parameter->fallback, (int)strlen(parameter->fallback)};
    kernel->present[p] = read_value(&kernel->entry->info, p, text, kernel) == VOLT_OK;
}

volt_status volt_kernel_refuse_both(const volt_kernel *kernel, int a, int b)
{
    const volt_kernel_info *info = &kernel->entry->info;
    VOLT_REQUIRE(!(kernel->present[a] && kernel->present[b]), VOLT_ERR_KERNEL,
                 "kernel %s: give %s or %s, not both", info->name, info->parameters[a].name,
                 info->parameters[b].name);
    return VOLT_OK;
}

volt_status volt_kernel_use_fallbacks(volt_kernel *kernel)
{
    for (int p = 0; p < kernel->entry->info.n_parameters; p++)
        volt_kernel_use_fallback(kernel, p);
    return VOLT_OK;
}

static volt_status read_parameters(const char *from, volt_kernel *kernel)
{
    const volt_kernel_info *info = &kernel->entry->info;
    while (from) {
        const char *comma = strchr(from, ',');
        piece item = trim(from, comma ? comma : from + strlen(from));
        const char *equals = memchr(item.at, '=', (size_t)item.length);
        VOLT_REQUIRE(equals, VOLT_ERR_KERNEL, "kernel %s: \"%.*s\" is not of the form parameter=value",
                     info->name, item.length, item.at);

        int p = 0;
        VOLT_TRY(find_parameter(info, trim(item.at, equals), &p));
        piece value = trim(equals + 1, item.at + item.length);
        int filter = p - (int)info->n_parameters;
        VOLT_REQUIRE(!(filter < 0 ? kernel->present[p] : kernel->filter_given[filter]), VOLT_ERR_KERNEL,
                     "kernel %s: %s is given twice", info->name,
                     filter < 0 ? info->parameters[p].name : filter_names[filter]);
        VOLT_REQUIRE(!piece_is(value, "?"), VOLT_ERR_KERNEL, "kernel %s: %.*s=? is only allowed in a search",
                     info->name, (int)(equals - item.at), item.at);
        VOLT_TRY(filter < 0 ? read_value(info, p, value, kernel) : read_filter(info, filter, value, kernel));
        *(filter < 0 ? &kernel->present[p] : &kernel->filter_given[filter]) = true;
        from = comma ? comma + 1 : NULL;
    }
    return VOLT_OK;
}

/* Choices at their default are omitted from the text. */
static bool is_default_choice(const volt_kernel *kernel, int p)
{
    const volt_parameter_info *parameter = &kernel->entry->info.parameters[p];
    return parameter->kind == VOLT_PARAMETER_CHOICE && parameter->fallback &&
           strcmp(parameter->words[(int)kernel->value[p]], parameter->fallback) == 0;
}

char *volt_kernel_value_text(const volt_kernel *kernel, int p, char text[VOLT_VALUE_LENGTH])
{
    const volt_parameter_info *parameter = &kernel->entry->info.parameters[p];
    char number[VOLT_NUMBER_LENGTH] = "";
    const char *word = "";
    if (parameter->kind == VOLT_PARAMETER_TEXT) {
        word = kernel->word[p];
    } else if (parameter->kind != VOLT_PARAMETER_CHOICE) {
        volt_format_number(kernel->value[p], number);
    } else {
        word = parameter->words[(int)kernel->value[p]];
        if (takes_number(word))
            volt_format_number(kernel->argument[p], number);
    }
    snprintf(text, VOLT_VALUE_LENGTH, "%s%s", word, number);
    return text;
}

static volt_status print_text(volt_kernel *kernel)
{
    const volt_kernel_info *info = &kernel->entry->info;
    char text[LONGEST_TEXT], value[VOLT_VALUE_LENGTH];
    int used = snprintf(text, sizeof text, "%s", info->name);
    char separator = ':';
    for (int p = 0; p < info->n_parameters; p++) {
        if (!kernel->present[p] || is_default_choice(kernel, p))
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "%c%s=%s", separator,
                         info->parameters[p].name, volt_kernel_value_text(kernel, p, value));
        separator = ',';
    }
    for (int p = 0; p < VOLT_FILTER_PARAMETERS; p++) {
        char number[VOLT_NUMBER_LENGTH];
        double filter = *filter_number(&kernel->filter, p);
        if (filter == 0)
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "%c%s=%s", separator, filter_names[p],
                         volt_format_number(filter, number));
        separator = ',';
    }
    kernel->text = volt_strdup(text);
    return kernel->text ? VOLT_OK : VOLT_ERR_MEMORY;
}

static volt_status read_kernel(const char *text, volt_kernel *kernel)
{
    const char *colon = strchr(text, ':');
    VOLT_TRY(find_entry(trim(text, colon ? colon : text + strlen(text)), &kernel->entry));
    if (colon)
        VOLT_TRY(read_parameters(colon + 1, kernel));
    memcpy(kernel->given, kernel->present, sizeof kernel->given);
    VOLT_TRY(kernel->entry->set_defaults(kernel));
    VOLT_TRY(set_filter_defaults(kernel));
    return print_text(kernel);
}

volt_status volt_factor_parse(const char *text, volt_kernel **kernel)
{
    VOLT_REQUIRE(strlen(text) < LONGEST_TEXT / 2, VOLT_ERR_KERNEL,
                 "the kernel's text has %zu characters, but may have %d at most", strlen(text),
                 LONGEST_TEXT / 2 - 1);
    volt_kernel *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = read_kernel(text, fresh);
    if (status == VOLT_OK)
        *kernel = fresh;
    else
        volt_kernel_free(fresh);
    return status;
}

/* ---- parameters of a factor ------------------------------------------------------------------- */

static const volt_parameter_info filter_infos[VOLT_FILTER_PARAMETERS] = {
    {.name = "pole",
     .meaning = "real pole of a filter before the kernel, 0: none",
     .fallback = "0",
     .range = "(-1, 1)",
     .kind = VOLT_PARAMETER_REAL,
     .low = -1,
     .high = 1},
    {.name = "pair",
     .meaning = "modulus of a pair of poles before the kernel, 0: none",
     .fallback = "0",
     .range = "[0, 1)",
     .kind = VOLT_PARAMETER_REAL,
     .low = 0,
     .high = 1,
     .closed = 1},
    {.name = "angle",
     .meaning = "angle of the pair, in units of pi",
     .fallback = "0",
     .range = "[0, 1]",
     .kind = VOLT_PARAMETER_REAL,
     .low = 0,
     .high = 1,
     .closed = 1},
};

const char *volt_factor_parameter_name(const volt_kernel *factor, int64_t index)
{
    const volt_kernel_info *info = &factor->entry->info;
    if (index < 0 || index >= info->n_parameters + VOLT_FILTER_PARAMETERS)
        return NULL;
    return index < info->n_parameters ? info->parameters[index].name : filter_names[index - info->n_parameters];
}

volt_status volt_factor_get(const volt_kernel *factor, const char *name, volt_kernel_value *value)
{
    const volt_kernel_info *info = &factor->entry->info;
    piece whole = {name, (int)strlen(name)};
    int p = 0;
    VOLT_TRY(find_parameter(info, whole, &p));
    int filter = p - (int)info->n_parameters;
    if (filter >= 0) {
        volt_filter numbers = factor->filter;
        volt_kernel_value found = {.struct_size = sizeof(volt_kernel_value),
                                   .info = &filter_infos[filter],
                                   .given = factor->filter_given[filter],
                                   .present = 1};
        found.number = *filter_number(&numbers, filter);
        volt_format_number(found.number, found.text);
        *value = found;
        return VOLT_OK;
    }
    volt_kernel_value found = {.struct_size = sizeof(volt_kernel_value),
                               .info = &info->parameters[p],
                               .given = factor->given[p],
                               .present = factor->present[p]};
    if (found.present) {
        found.number = found.info->kind == VOLT_PARAMETER_CHOICE ? factor->argument[p] : factor->value[p];
        volt_kernel_value_text(factor, p, found.text);
    }
    *value = found;
    return VOLT_OK;
}
