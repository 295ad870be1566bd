/* src/kernel/kernel_text.c: the textual form of kernels, NAME:PARAMETER=VALUE,... read and printed for
 * every kernel of the table. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 1024 };

/* A piece of the text, without blanks around it. */
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
    return volt_fail(VOLT_ERR_KERNEL, "there is no kernel \"%.*s\"%s", name.length, name.at,
                     suggestion(name, names, count, hint, sizeof hint));
}

static volt_status find_parameter(const volt_kernel_info *info, piece name, int *index)
{
    const char *names[VOLT_MOST_PARAMETERS];
    for (int p = 0; p < info->n_parameters; p++) {
        names[p] = info->parameters[p].name;
        if (piece_is(name, names[p])) {
            *index = p;
            return VOLT_OK;
        }
    }
    char hint[128];
    return volt_fail(VOLT_ERR_KERNEL, "kernel %s has no parameter \"%.*s\"%s", info->name, name.length, name.at,
                     suggestion(name, names, info->n_parameters, hint, sizeof hint));
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
    return volt_fail(VOLT_ERR_KERNEL, "kernel %s: %s=%.*s is none of %s", info->name, parameter->name,
                     text.length, text.at, parameter->range);
}

static volt_status read_value(const volt_kernel_info *info, int p, piece text, volt_kernel *kernel)
{
    const volt_parameter_info *parameter = &info->parameters[p];
    if (parameter->kind == VOLT_PARAMETER_CHOICE)
        return read_choice(info, p, text, kernel);

    double value = 0;
    VOLT_TRY(read_number(info->name, parameter->name, text, &value));
    bool whole = parameter->kind == VOLT_PARAMETER_INTEGER;
    bool inside = whole ? value >= parameter->low && value <= parameter->high && value == floor(value)
                        : (parameter->closed ? value >= parameter->low : value > parameter->low) &&
                              value < parameter->high;
    VOLT_REQUIRE(inside && isfinite(value), VOLT_ERR_KERNEL, "kernel %s: %s=%.*s lies outside %s", info->name,
                 parameter->name, text.length, text.at, parameter->range);
    kernel->value[p] = value;
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
        VOLT_REQUIRE(!kernel->present[p], VOLT_ERR_KERNEL, "kernel %s: %s is given twice", info->name,
                     info->parameters[p].name);
        VOLT_TRY(read_value(info, p, trim(equals + 1, item.at + item.length), kernel));
        kernel->present[p] = true;
        from = comma ? comma + 1 : NULL;
    }
    return VOLT_OK;
}

/* A choice at its default is left out: the text says what differs from the plain kernel. */
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
    if (parameter->kind != VOLT_PARAMETER_CHOICE) {
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
    VOLT_TRY(kernel->entry->settle(kernel));
    return print_text(kernel);
}

volt_status volt_kernel_parse(const char *text, volt_kernel **kernel)
{
    VOLT_REQUIRE(text && kernel, VOLT_ERR_ARGUMENT, "the kernel's text is NULL");
    VOLT_REQUIRE(strlen(text) < LONGEST_TEXT / 2, VOLT_ERR_KERNEL,
                 "the kernel's text has %zu characters, and may have %d at most", strlen(text),
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

void volt_kernel_free(volt_kernel *kernel)
{
    if (kernel)
        volt_free(kernel->text);
    volt_free(kernel);
}

const char *volt_kernel_text(const volt_kernel *kernel)
{
    return kernel->text;
}

bool volt_kernel_text_add(char *text, size_t capacity, const char *name, const char *value)
{
    size_t used = strlen(text);
    int more = snprintf(text + used, capacity - used, "%c%s=%s", strchr(text, ':') ? ',' : ':', name, value);
    if (more >= 0 && (size_t)more < capacity - used)
        return true;
    text[used] = '\0';
    return false;
}

/* ---- parameters ------------------------------------------------------------------------------- */

const char *volt_kernel_parameter_name(const volt_kernel *kernel, int64_t index)
{
    const volt_kernel_info *info = &kernel->entry->info;
    return index >= 0 && index < info->n_parameters ? info->parameters[index].name : NULL;
}

volt_status volt_kernel_get(const volt_kernel *kernel, const char *name, volt_kernel_value *value)
{
    VOLT_REQUIRE(kernel && name && value, VOLT_ERR_ARGUMENT,
                 "the kernel, the name of a parameter or the place for its value is NULL");
    const volt_kernel_info *info = &kernel->entry->info;
    piece whole = {name, (int)strlen(name)};
    int p = 0;
    VOLT_TRY(find_parameter(info, whole, &p));
    volt_kernel_value found = {
        .info = &info->parameters[p], .given = kernel->given[p], .present = kernel->present[p]};
    if (found.present) {
        found.number = found.info->kind == VOLT_PARAMETER_CHOICE ? kernel->argument[p] : kernel->value[p];
        volt_kernel_value_text(kernel, p, found.text);
    }
    *value = found;
    return VOLT_OK;
}
