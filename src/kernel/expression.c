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
    volt_status status = volt_factor_parse(text, &kernel->factors[f]);
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
            const char *name = p < 0 ? weight_info.name : volt_factor_parameter_name(kernel->factors[f], p);
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
        return volt_factor_parse(text, &kernel->factors[0]); /* reports the unknown kernel "" */
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
        return index < kernel->entry->info.n_parameters ? volt_factor_parameter_name(kernel, index) : NULL;
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
