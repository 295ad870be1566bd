/* src/kernel/expression.c: kernels as sums of products of factors.
 *
 *     kernel = term { "+" term }      term = [weight "*"] factor { "*" factor }      factor =
 * NAME[:PARAMETER=VALUE,...]
 *
 * A single factor without filter and weight is a plain kernel. In all other expressions parameters are
 * prefixed with the number of their factor, from 1: "2.gamma". The weight of the term that begins with
 * factor k is "k.weight". */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parsing and printing of one factor, NAME:PARAMETER=VALUE,..., for every kernel
 * of the table. */

enum { LONGEST_FACTOR = 1024 };

static const char *const filter_names[VOLT_FILTER_PARAMETERS] = {"pole", "pair", "angle"};

/* A piece of the text, without surrounding blanks. */
typedef struct text_piece {
    const char *at;
    int length;
} text_piece;

static text_piece trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    text_piece p = {from, (int)(to - from)};
    return p;
}

static bool piece_is(text_piece p, const char *word)
{
    return strlen(word) == (size_t)p.length && strncmp(p.at, word, (size_t)p.length) == 0;
}

/* "; did you mean X?" or nothing, into buffer. */
static const char *suggestion(text_piece p, const char *const *names, int64_t count, char *buffer, size_t size)
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
static const char *foreign_sign(text_piece name)
{
    if (memchr(name.at, '|', (size_t)name.length))
        return "; \"A | B\" is only allowed in a search";
    if (memchr(name.at, '(', (size_t)name.length) || memchr(name.at, ')', (size_t)name.length))
        return "; an expression is a sum of products, without parentheses";
    if (memchr(name.at, ',', (size_t)name.length))
        return "; parameters follow a colon, and spaces separate kernels";
    return NULL;
}

static volt_status find_entry(text_piece name, const volt_kernel_entry **entry)
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
static volt_status find_parameter(const volt_kernel_info *info, text_piece name, int *index)
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

static volt_status read_number(const char *kernel, const char *name, text_piece text, double *value)
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

static volt_status read_choice(const volt_kernel_info *info, int p, text_piece text, volt_kernel *kernel)
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
            text_piece number = {text.at + length, text.length - (int)length};
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

static volt_status read_word(const volt_kernel_info *info, int p, text_piece text, volt_kernel *kernel)
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

static volt_status read_value(const volt_kernel_info *info, int p, text_piece text, volt_kernel *kernel)
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

static volt_status read_filter(const volt_kernel_info *info, int p, text_piece text, volt_kernel *kernel)
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
    text_piece text = {parameter->fallback, (int)strlen(parameter->fallback)};
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
        text_piece item = trim(from, comma ? comma : from + strlen(from));
        const char *equals = memchr(item.at, '=', (size_t)item.length);
        VOLT_REQUIRE(equals, VOLT_ERR_KERNEL, "kernel %s: \"%.*s\" is not of the form parameter=value",
                     info->name, item.length, item.at);

        int p = 0;
        VOLT_TRY(find_parameter(info, trim(item.at, equals), &p));
        text_piece value = trim(equals + 1, item.at + item.length);
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

static volt_status print_factor(volt_kernel *kernel)
{
    const volt_kernel_info *info = &kernel->entry->info;
    char text[LONGEST_FACTOR], value[VOLT_VALUE_LENGTH];
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
    return print_factor(kernel);
}

/* One factor from its text, and its parameters, with those of the filter last. */
static volt_status factor_parse(const char *text, volt_kernel **kernel)
{
    VOLT_REQUIRE(strlen(text) < LONGEST_FACTOR / 2, VOLT_ERR_KERNEL,
                 "the kernel's text has %zu characters, but may have %d at most", strlen(text),
                 LONGEST_FACTOR / 2 - 1);
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

static const char *factor_parameter_name(const volt_kernel *factor, int64_t index)
{
    const volt_kernel_info *info = &factor->entry->info;
    if (index < 0 || index >= info->n_parameters + VOLT_FILTER_PARAMETERS)
        return NULL;
    return index < info->n_parameters ? info->parameters[index].name : filter_names[index - info->n_parameters];
}

volt_status volt_factor_get(const volt_kernel *factor, const char *name, volt_kernel_value *value)
{
    const volt_kernel_info *info = &factor->entry->info;
    text_piece whole = {name, (int)strlen(name)};
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

enum { LONGEST_TEXT = VOLT_EXPRESSION_LENGTH };

/* ---- weights ---------------------------------------------------------------------------------- */

static const volt_parameter_info weight_info = {
    .name = "weight",
    .meaning = "of the term that begins with the factor",
    .fallback = "1",
    .range = "(0, inf)",
    .kind = VOLT_PARAMETER_REAL,
    .low = 0,
    .high = INFINITY,
};

static bool begins_term(const volt_kernel *kernel, int64_t f)
{
    return f == 0 || kernel->term[f - 1] != kernel->term[f];
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Returns whether the sign at `at` is part of a number: of an exponent, or directly after "=". A "+" without a digit after
 * it is not: names of files may end in "=". */
static bool is_of_number(const char *text, const char *at)
{
    const char *before = at;
    if (!isdigit((unsigned char)at[1]) && at[1] != '.')
        return false;
    while (before > text && isspace((unsigned char)before[-1]))
        before--;
    if (before > text && before[-1] == '=')
        return true;
    return at - text >= 2 && (at[-1] == 'e' || at[-1] == 'E') &&
           (isdigit((unsigned char)at[-2]) || at[-2] == '.');
}

/* Returns whether a term begins at `at`: a weight and "*", or the name of a kernel. */
static bool begins_like_term(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    size_t length = 0;
    while (at[length] &&
           (!strchr("+*:, \t\n=", at[length]) || (at[length] == '+' && is_of_number(at, at + length))))
        length++;
    const char *behind = at + length + strspn(at + length, " \t\n");
    char word[64];
    double number;
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (*behind == '*' && (volt_parse_number(word, &number) || strcmp(word, "?") == 0))
        return true;
    for (int64_t i = 0; i < volt_kernel_count(); i++)
        if (strcmp(word, volt_kernel_table[i]->info.name) == 0)
            return *behind != '=';
    return false;
}

/* The end of the piece that begins at `from`: a "+" or "*" between factors, or the end of the text. Some
 * values contain a "+" (augment=time+basepoint): after "=" it ends the factor only if a term follows. */
static const char *piece_end(const char *text, const char *from)
{
    bool in_value = false;
    const char *at = from;
    for (; *at && *at != '*'; at++) {
        if (*at == '+' && !is_of_number(text, at) && (!in_value || begins_like_term(at + 1)))
            break;
        in_value = *at == '=' || (in_value && *at != ',');
    }
    return at;
}

/* Copies the piece without surrounding blanks into `copy`. False: it is empty. */
static bool copy_piece(const char *from, const char *to, char copy[LONGEST_TEXT])
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    snprintf(copy, LONGEST_TEXT, "%.*s", (int)(to - from), from);
    return to > from;
}

static volt_status read_weight(const char *text, double *weight, bool *is_weight)
{
    *is_weight = volt_parse_number(text, weight);
    VOLT_REQUIRE(strcmp(text, "?") != 0, VOLT_ERR_KERNEL, "a weight of ? is only allowed in a search");
    VOLT_REQUIRE(!*is_weight || (*weight > 0 && isfinite(*weight)), VOLT_ERR_KERNEL,
                 "the weight %s of a term must be positive and finite", text);
    return VOLT_OK;
}

static volt_status check_length(const volt_kernel *kernel)
{
    VOLT_REQUIRE(kernel->n_factors < VOLT_MAX_FACTORS, VOLT_ERR_KERNEL, "the kernel has more than %d factors",
                 VOLT_MAX_FACTORS);
    return VOLT_OK;
}

/* `alone`: the text has only one factor, and messages need not name it. */
static volt_status add_factor(const char *text, int64_t term, bool alone, volt_kernel *kernel)
{
    VOLT_TRY(check_length(kernel));
    int64_t f = kernel->n_factors;
    volt_status status = factor_parse(text, &kernel->factors[f]);
    if (status == VOLT_ERR_KERNEL && !alone)
        return volt_fail_prefix(status, "factor %" PRId64, f + 1);
    VOLT_TRY(status);
    kernel->term[f] = term;
    kernel->n_factors++;
    return VOLT_OK;
}

/* Reads one term, from *at to the next "+" or the end, and advances *at. */
static volt_status read_term(const char *text, const char **at, volt_kernel *kernel)
{
    char piece[LONGEST_TEXT];
    int64_t t = kernel->n_terms, first = kernel->n_factors;
    VOLT_TRY(check_length(kernel));
    kernel->weight[t] = 1;
    for (bool begins = true;; begins = false) {
        const char *end = piece_end(text, *at);
        bool is_weight = false;
        VOLT_REQUIRE(copy_piece(*at, end, piece), VOLT_ERR_KERNEL, "a factor is missing %s \"%.20s\"",
                     *end ? "before" : "behind", *end ? end : *at - 1); /* the text is not blank */
        if (begins)
            VOLT_TRY(read_weight(piece, &kernel->weight[t], &is_weight));
        if (is_weight)
            kernel->weight_given[t] = true;
        else
            VOLT_TRY(add_factor(piece, t, kernel->n_factors == 0 && !*end, kernel));
        *at = end;
        if (*end != '*') {
            VOLT_REQUIRE(kernel->n_factors > first, VOLT_ERR_KERNEL,
                         "the weight %s must be followed by a factor", piece);
            break;
        }
        ++*at;
    }
    kernel->n_terms++;
    return VOLT_OK;
}

/* Factors with the same filter share a slice. */
static void find_slices(volt_kernel *kernel)
{
    for (int64_t f = 0; f < kernel->n_factors; f++) {
        const volt_filter *filter = &kernel->factors[f]->filter;
        int64_t s = 0;
        while (s < kernel->n_slices && !volt_filter_is(&kernel->filters[s], filter))
            s++;
        if (s == kernel->n_slices)
            kernel->filters[kernel->n_slices++] = *filter;
        kernel->slice[f] = s;
    }
}

static volt_status check_factors(const volt_kernel *kernel)
{
    for (int64_t f = 0; f < kernel->n_factors; f++)
        VOLT_REQUIRE(!volt_kernel_is_centred(kernel->factors[f]), VOLT_ERR_KERNEL,
                     "factor %" PRId64 ": kernel %s is centred: not supported in an expression", f + 1,
                     kernel->factors[f]->entry->info.name);
    return VOLT_OK;
}

static volt_status print_text(volt_kernel *kernel)
{
    char text[LONGEST_TEXT], number[VOLT_NUMBER_LENGTH];
    size_t used = 0;
    for (int64_t f = 0; f < kernel->n_factors; f++) {
        int64_t t = kernel->term[f];
        bool begins = f == 0 || kernel->term[f - 1] != t;
        bool weighs = begins && kernel->weight[t] != 1;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s",
                                 f == 0   ? ""
                                 : begins ? " + "
                                          : "*",
                                 weighs ? volt_format_number(kernel->weight[t], number) : "", weighs ? "*" : "",
                                 kernel->factors[f]->text);
        VOLT_REQUIRE(used < sizeof text, VOLT_ERR_KERNEL,
                     "the kernel's text with all parameters has more than %d characters", LONGEST_TEXT - 1);
    }
    kernel->text = volt_strdup(text);
    return kernel->text ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* "1.weight" of a factor that begins a term, then the factor's parameters: all into kernel->names, one
 * block. */
static volt_status list_names(volt_kernel *kernel)
{
    enum { EACH = 40, MAX_NAMES = VOLT_MAX_PARAMETERS + VOLT_FILTER_PARAMETERS + 1 };
    kernel->names = volt_alloc_zero(kernel->n_factors * MAX_NAMES, sizeof *kernel->names + EACH);
    if (!kernel->names)
        return VOLT_ERR_MEMORY;
    char *text = (char *)(kernel->names + kernel->n_factors * MAX_NAMES);
    for (int64_t f = 0; f < kernel->n_factors; f++)
        for (int64_t p = begins_term(kernel, f) ? -1 : 0;; p++) {
            const char *name = p < 0 ? weight_info.name : factor_parameter_name(kernel->factors[f], p);
            if (!name)
                break;
            snprintf(text, EACH, "%" PRId64 ".%s", f + 1, name);
            kernel->names[kernel->n_names++] = text;
            text += EACH;
        }
    return VOLT_OK;
}

/* Names of a single kernel are not numbered. */
static volt_status list_plain_names(volt_kernel *kernel)
{
    kernel->names = volt_alloc_zero(kernel->entry->info.n_parameters + 1, sizeof *kernel->names);
    if (!kernel->names)
        return VOLT_ERR_MEMORY;
    for (; kernel->n_names < kernel->entry->info.n_parameters; kernel->n_names++)
        kernel->names[kernel->n_names] = kernel->entry->info.parameters[kernel->n_names].name;
    return VOLT_OK;
}

static volt_status read_expression(const char *text, volt_kernel *kernel)
{
    if (text[strspn(text, " \t\n\r\f\v")] == '\0')
        return factor_parse(text, &kernel->factors[0]); /* reports the unknown kernel "" */
    for (const char *at = text;; at++) {
        VOLT_TRY(read_term(text, &at, kernel));
        if (!*at)
            break;
    }
    kernel->entry = kernel->factors[0]->entry;
    if (kernel->n_factors > 1)
        VOLT_TRY(check_factors(kernel));
    find_slices(kernel);
    VOLT_TRY(list_names(kernel));
    return print_text(kernel);
}

/* Returns whether the kernel is a single factor without filter and weight. */
static bool is_plain(const volt_kernel *kernel)
{
    return kernel->n_factors == 1 && kernel->weight[0] == 1 && volt_filter_is_none(&kernel->factors[0]->filter);
}

volt_status volt_kernel_parse(const char *text, volt_kernel **kernel)
{
    VOLT_REQUIRE(text && kernel, VOLT_ERR_ARGUMENT, "the text or the output for the kernel is NULL");
    VOLT_REQUIRE(strlen(text) < LONGEST_TEXT, VOLT_ERR_KERNEL,
                 "the kernel's text has %zu characters, but may have %d at most", strlen(text),
                 LONGEST_TEXT - 1);
    volt_kernel *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = read_expression(text, fresh);
    if (status == VOLT_OK && is_plain(fresh)) {
        volt_kernel *alone = fresh->factors[0];
        fresh->n_factors = 0;
        volt_kernel_free(fresh);
        fresh = alone;
        status = list_plain_names(fresh);
    }
    if (status == VOLT_OK)
        *kernel = fresh;
    else
        volt_kernel_free(fresh);
    return status;
}

void volt_kernel_free(volt_kernel *kernel)
{
    if (!kernel)
        return;
    for (int64_t f = 0; f < VOLT_MAX_FACTORS && f < kernel->n_factors; f++)
        volt_kernel_free(kernel->factors[f]);
    for (int p = 0; p < VOLT_MAX_PARAMETERS; p++)
        volt_free(kernel->word[p]);
    volt_free(kernel->past.input);
    volt_free(kernel->names);
    volt_free(kernel->text);
    volt_free(kernel);
}

const char *volt_kernel_text(const volt_kernel *kernel)
{
    return kernel->text;
}

/* ---- editing a text --------------------------------------------------------------------------- */

/* The piece of factor `number` (from 1) in a text: from *from to *to. False: it does not exist. */
static bool find_piece(const char *text, int64_t number, const char **from, const char **to)
{
    char piece[LONGEST_TEXT];
    double weight;
    for (const char *at = text;; at++) {
        const char *end = piece_end(text, at);
        bool is_factor =
            copy_piece(at, end, piece) && !volt_parse_number(piece, &weight) && strcmp(piece, "?") != 0;
        if (is_factor && --number == 0) {
            *from = at;
            *to = end;
            return true;
        }
        if (!*end)
            return false;
        at = end;
    }
}

/* Inserts `words` before position `at` of the text. False, with the text unchanged, if `capacity` is too
 * small. */
static bool insert(char *text, size_t capacity, const char *at, const char *words)
{
    size_t length = strlen(text), more = strlen(words), place = (size_t)(at - text);
    if (length + more >= capacity)
        return false;
    memmove(text + place + more, text + place, length - place + 1);
    while (*words)
        text[place++] = *words++;
    return true;
}

bool volt_kernel_text_add(char *text, size_t capacity, const char *name, const char *value)
{
    char *end = NULL, words[128];
    long number = strtol(name, &end, 10);
    bool numbered = end > name && *end == '.';
    const char *from = text, *to = text + strlen(text), *rest = numbered ? end + 1 : name;
    if (numbered && !find_piece(text, number, &from, &to))
        return false;
    if (numbered && strcmp(rest, weight_info.name) == 0) {
        snprintf(words, sizeof words, "%s*", value);
        return insert(text, capacity, from, words);
    }
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    bool has_more = memchr(from, ':', (size_t)(to - from)) != NULL;
    snprintf(words, sizeof words, "%c%s=%s", has_more ? ',' : ':', rest, value);
    return insert(text, capacity, to, words);
}

/* Removes "NAME=?" and its comma from the factor between `from` and `to`; *name receives NAME. False: there
 * are no more. */
static bool take_question(char *from, const char *to, char name[VOLT_OPEN_NAME_LENGTH])
{
    for (char *at = from; at < to; at++) {
        if (*at != '?')
            continue;
        char *begin = at, *after = at + 1;
        while (begin > from && begin[-1] != ',' && begin[-1] != ':')
            begin--;
        snprintf(name, VOLT_OPEN_NAME_LENGTH, "%.*s", (int)strcspn(begin, "= \t"), begin);
        if (after < to && *after == ',')
            after++;
        else if (begin > from)
            begin--; /* the comma or colon before it */
        memmove(begin, after, strlen(after) + 1);
        return true;
    }
    return false;
}

int64_t volt_kernel_text_open_parameters(char *text, char names[][VOLT_OPEN_NAME_LENGTH], int64_t most)
{
    int64_t count = 0;
    const char *from = NULL, *to = NULL;
    bool several = find_piece(text, 2, &from, &to);
    for (int64_t f = 1; count < most && find_piece(text, f, &from, &to); f++) {
        char name[VOLT_OPEN_NAME_LENGTH];
        while (count < most && find_piece(text, f, &from, &to) &&
               take_question(text + (from - text), to, name)) {
            if (several)
                snprintf(names[count++], VOLT_OPEN_NAME_LENGTH, "%d.%.30s", (int)f, name);
            else
                snprintf(names[count++], VOLT_OPEN_NAME_LENGTH, "%s", name);
        }
        find_piece(text, f, &from, &to);
        char *weight = text + (from - text);
        while (weight > text && (isspace((unsigned char)weight[-1]) || weight[-1] == '*'))
            weight--;
        if (weight > text && weight[-1] == '?' && count < most) {
            memmove(weight - 1, from, strlen(from) + 1);
            snprintf(names[count++], VOLT_OPEN_NAME_LENGTH, "%d.%s", (int)f, weight_info.name);
        }
    }
    return count;
}

volt_status volt_kernel_parse_open(const char *text, volt_kernel **kernel)
{
    enum { MAX_OPEN_PARAMETERS = 64 };
    char names[MAX_OPEN_PARAMETERS][VOLT_OPEN_NAME_LENGTH], rest[LONGEST_TEXT];
    if (!text || strlen(text) >= sizeof rest)
        return volt_kernel_parse(text, kernel); /* reports the error */
    snprintf(rest, sizeof rest, "%s", text);
    volt_kernel_text_open_parameters(rest, names, MAX_OPEN_PARAMETERS);
    return volt_kernel_parse(rest, kernel);
}

/* ---- parameters ------------------------------------------------------------------------------- */

/* The factor that "2.gamma" refers to, and the name after the number. A kernel of one factor needs no
 * number. */
static volt_status find_factor(const volt_kernel *kernel, const char *name, int64_t *factor, const char **rest)
{
    char *end = NULL;
    long number = strtol(name, &end, 10);
    bool numbered = end > name && *end == '.';
    VOLT_REQUIRE(numbered || kernel->n_factors == 1, VOLT_ERR_KERNEL,
                 "the kernel has %" PRId64 " factors: name the factor of \"%s\", as in 1.%s", kernel->n_factors,
                 name, name);
    *factor = numbered ? number - 1 : 0;
    *rest = numbered ? end + 1 : name;
    VOLT_REQUIRE(*factor >= 0 && *factor < kernel->n_factors, VOLT_ERR_KERNEL,
                 "\"%s\": the kernel has factors 1 to %" PRId64, name, kernel->n_factors);
    return VOLT_OK;
}

static volt_status find_value(const volt_kernel *kernel, const char *name, volt_kernel_value *value)
{
    if (kernel->n_factors == 0)
        return volt_factor_get(kernel, name, value);
    int64_t f = 0;
    const char *rest = NULL;
    VOLT_TRY(find_factor(kernel, name, &f, &rest));
    if (strcmp(rest, weight_info.name) != 0) {
        volt_status status = volt_factor_get(kernel->factors[f], rest, value);
        return status == VOLT_ERR_KERNEL ? volt_fail_prefix(status, "factor %" PRId64, f + 1) : status;
    }
    VOLT_REQUIRE(begins_term(kernel, f), VOLT_ERR_KERNEL,
                 "factor %" PRId64 " does not begin a term: weights belong to the first factor of a term",
                 f + 1);
    volt_kernel_value found = {.struct_size = sizeof(volt_kernel_value),
                               .info = &weight_info,
                               .given = kernel->weight_given[kernel->term[f]],
                               .present = 1};
    found.number = kernel->weight[kernel->term[f]];
    volt_format_number(found.number, found.text);
    *value = found;
    return VOLT_OK;
}

volt_status volt_kernel_get(const volt_kernel *kernel, const char *name, volt_kernel_value *value)
{
    VOLT_REQUIRE(kernel && name && value, VOLT_ERR_ARGUMENT, "kernel, name or value is NULL");
    volt_kernel_value found = {.struct_size = sizeof found};
    VOLT_TRY(find_value(kernel, name, &found));
    return volt_result_copy(value, &found, sizeof found, "volt_kernel_value");
}

const char *volt_kernel_parameter_name(const volt_kernel *kernel, int64_t index)
{
    if (kernel->n_factors == 0) /* filters are listed only if present */
        return index < kernel->entry->info.n_parameters ? factor_parameter_name(kernel, index) : NULL;
    return index >= 0 && index < kernel->n_names ? kernel->names[index] : NULL;
}

volt_status volt_kernel_get_info(const volt_kernel *kernel, volt_kernel_info *info)
{
    VOLT_REQUIRE(kernel && info, VOLT_ERR_ARGUMENT, "the kernel or the output for its description is NULL");
    volt_kernel_info found = kernel->entry->info;
    found.text = kernel->text;
    found.names = kernel->names;
    found.n_names = kernel->n_names;
    return volt_result_copy(info, &found, sizeof found, "volt_kernel_info");
}
