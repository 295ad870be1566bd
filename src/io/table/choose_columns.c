/* src/io/table/choose_columns.c: selects columns by name, range and pattern.
 *
 *     name          that column; an exact match takes precedence over a range or pattern
 *     first..last   those two and all between
 *     h*, z?, [ab]  every column that the pattern matches (fnmatch)
 *
 * Items are separated by commas; use a pattern to select a name that contains a comma. */
#define _POSIX_C_SOURCE 200809L
#include "io/table/table.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/text_lines.h"
#include "text/text.h"
#include "volterra/base.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct column_choice {
    const volt_column_list *columns;
    int64_t *chosen;
    int64_t count;
    unsigned char *taken;
} column_choice;

static const char *refusal(const volt_column_list *columns, int64_t j)
{
    return columns->refusals ? columns->refusals[j] : NULL;
}

static const char *family(const volt_column_list *columns, int64_t j)
{
    return columns->families ? columns->families[j] : NULL;
}

static void take(column_choice *choice, int64_t j)
{
    if (choice->taken[j] || refusal(choice->columns, j))
        return;
    choice->taken[j] = 1;
    choice->chosen[choice->count++] = j;
}

/* Lists the names of a few short columns; false: too many. */
static int list_names(const volt_column_list *columns, char *text, size_t size)
{
    size_t used = 0;
    char shown[VOLT_EXCERPT_LENGTH];
    for (int64_t j = 0; j < columns->count && used < size; j++)
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", j > 0 ? ", " : "",
                                 volt_excerpt(columns->names[j], strlen(columns->names[j]), shown));
    return used < size;
}

static volt_status unknown_name(const volt_column_list *columns, const char *name)
{
    enum { LIST = 160 };
    char requested[VOLT_EXCERPT_LENGTH], near[VOLT_EXCERPT_LENGTH], all[LIST];
    volt_excerpt(name, strlen(name), requested);
    if (list_names(columns, all, sizeof all))
        return volt_fail(VOLT_ERR_FORMAT, "there is no column '%s'; the columns are %s", requested, all);
    const char *nearest = volt_nearest_name(name, columns->names, columns->count);
    if (nearest)
        return volt_fail(VOLT_ERR_FORMAT, "there is no column '%s'; the nearest is '%s'", requested,
                         volt_excerpt(nearest, strlen(nearest), near));
    return volt_fail(VOLT_ERR_FORMAT, "there is no column '%s' among %" PRId64 " columns from '%s' on",
                     requested, columns->count,
                     volt_excerpt(columns->names[0], strlen(columns->names[0]), near));
}

/* The only column of this name; -1 in *found when there is none. */
static volt_status find_name(const volt_column_list *columns, const char *name, int64_t *found)
{
    char requested[VOLT_EXCERPT_LENGTH];
    int64_t first = -1;
    for (int64_t j = 0; j < columns->count; j++) {
        if (strcmp(columns->names[j], name) != 0)
            continue;
        if (first >= 0)
            return volt_fail(VOLT_ERR_FORMAT,
                             "'%s' names both column %" PRId64 " and column %" PRId64 " of the file",
                             volt_excerpt(name, strlen(name), requested), first + 1, j + 1);
        first = j;
    }
    if (first >= 0 && refusal(columns, first))
        return volt_fail(VOLT_ERR_FORMAT, "column '%s' %s", volt_excerpt(name, strlen(name), requested),
                         refusal(columns, first));
    *found = first;
    return VOLT_OK;
}

static int choose_family(column_choice *choice, const char *name)
{
    int is_known = 0;
    for (int64_t j = 0; j < choice->columns->count; j++) {
        const char *of_column = family(choice->columns, j);
        if (of_column && strcmp(of_column, name) == 0 && !refusal(choice->columns, j)) {
            is_known = 1;
            take(choice, j);
        }
    }
    return is_known;
}

/* first..last, with `dots` between them. */
static volt_status choose_range(column_choice *choice, char *item, char *dots)
{
    const volt_column_list *columns = choice->columns;
    char *ends[2] = {item, dots + 2};
    int64_t index[2] = {-1, -1};
    *dots = '\0';
    for (int i = 0; i < 2; i++) {
        VOLT_TRY(find_name(columns, ends[i], &index[i]));
        if (index[i] < 0)
            return unknown_name(columns, ends[i]);
    }
    if (index[0] > index[1]) {
        char first[VOLT_EXCERPT_LENGTH], last[VOLT_EXCERPT_LENGTH];
        return volt_fail(VOLT_ERR_FORMAT,
                         "the range %s..%s is in reverse order: '%s' is column %" PRId64
                         ", '%s' is column %" PRId64,
                         volt_excerpt(ends[0], strlen(ends[0]), first),
                         volt_excerpt(ends[1], strlen(ends[1]), last), first, index[0] + 1, last, index[1] + 1);
    }
    for (int64_t j = index[0]; j <= index[1]; j++)
        take(choice, j);
    return VOLT_OK;
}

static volt_status choose_pattern(column_choice *choice, const char *pattern)
{
    int has_matched = 0;
    for (int64_t j = 0; j < choice->columns->count; j++)
        if (!refusal(choice->columns, j) && fnmatch(pattern, choice->columns->names[j], 0) == 0) {
            has_matched = 1;
            take(choice, j);
        }
    char shown[VOLT_EXCERPT_LENGTH];
    VOLT_REQUIRE(has_matched, VOLT_ERR_FORMAT, "no column matches '%s'",
                 volt_excerpt(pattern, strlen(pattern), shown));
    return VOLT_OK;
}

static volt_status choose_item(column_choice *choice, char *item)
{
    int64_t found = -1;
    VOLT_REQUIRE(*item, VOLT_ERR_FORMAT, "the list of columns has an empty item");
    VOLT_TRY(find_name(choice->columns, item, &found));
    if (found >= 0) {
        take(choice, found);
        return VOLT_OK;
    }
    if (choose_family(choice, item))
        return VOLT_OK;
    char *dots = strstr(item, "..");
    if (dots && dots > item && dots[2])
        return choose_range(choice, item, dots);
    if (strpbrk(item, "*?["))
        return choose_pattern(choice, item);
    return unknown_name(choice->columns, item);
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

static volt_status choose_items(column_choice *choice, char *items)
{
    while (items) {
        char *comma = strchr(items, ',');
        if (comma)
            *comma = '\0';
        VOLT_TRY(choose_item(choice, trim(items)));
        items = comma ? comma + 1 : NULL;
    }
    return VOLT_OK;
}

volt_status volt_choose_columns(const volt_column_list *columns, const char *selection, int64_t **chosen,
                                int64_t *n_chosen)
{
    VOLT_REQUIRE(columns->count > 0, VOLT_ERR_FORMAT, "there is no column of numbers");
    column_choice choice = {.columns = columns};
    volt_status status = VOLT_ERR_MEMORY;
    char *items = volt_strdup(selection ? selection : "");
    choice.chosen = volt_alloc(columns->count, sizeof *choice.chosen);
    choice.taken = volt_alloc_zero(columns->count, 1);
    if (items && choice.chosen && choice.taken) {
        status = VOLT_OK;
        if (selection)
            status = choose_items(&choice, items);
        else
            for (int64_t j = 0; j < columns->count; j++)
                take(&choice, j);
        if (!status && choice.count == 0)
            status = volt_fail(VOLT_ERR_FORMAT, "there is no column of numbers");
    }
    volt_free(choice.taken);
    volt_free(items);
    if (status) {
        volt_free(choice.chosen);
        return status;
    }
    *chosen = choice.chosen;
    *n_chosen = choice.count;
    return VOLT_OK;
}

/* ---- columns of later data -------------------------------------------------------------------- */

/* Index of the column for wanted[k]: of several columns with one name, in their order. -1: there is none. */
static int64_t place_of(const char *const *names, int64_t n, const char *const *wanted, int64_t k)
{
    int64_t before = 0;
    for (int64_t i = 0; i < k; i++)
        before += strcmp(wanted[i], wanted[k]) == 0;
    for (int64_t i = 0; names && i < n; i++)
        if (strcmp(names[i], wanted[k]) == 0 && before-- == 0)
            return i;
    return -1;
}

enum { NAMES = 200 };

/* Lists names, the first ones of a long list. Returns `text`. */
static const char *join_names(const char *const *names, int64_t n, char text[NAMES])
{
    enum { ROOM = 24 }; /* for the number of others */
    char shown[VOLT_EXCERPT_LENGTH];
    size_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        volt_excerpt(names[i], strlen(names[i]), shown);
        if (used + strlen(shown) + ROOM > NAMES) {
            snprintf(text + used, NAMES - used, " and %" PRId64 " more", n - i);
            break;
        }
        used += (size_t)snprintf(text + used, NAMES - used, "%s%s", i > 0 ? ", " : "", shown);
    }
    return text;
}

volt_status volt_columns_match(const char *const *names, int64_t n, const char *const *wanted, int64_t n_wanted,
                               int64_t *from, int *by_position)
{
    VOLT_REQUIRE(n >= 1 && n_wanted >= 1 && from && by_position, VOLT_ERR_ARGUMENT,
                 "volt_columns_match requires columns and outputs (got %" PRId64 " and %" PRId64 " columns)", n,
                 n_wanted);
    int64_t known = 0;
    bool has_names = names && wanted;
    char given[NAMES], required[NAMES];
    for (int64_t k = 0; has_names && k < n_wanted; k++)
        known += place_of(names, n, wanted, k) >= 0;
    VOLT_REQUIRE(known > 0 || n == n_wanted || has_names, VOLT_ERR_FORMAT,
                 "the data have %" PRId64 " columns, but %" PRId64 " are required%s%s%s", n, n_wanted,
                 wanted ? ": '" : "", wanted ? join_names(wanted, n_wanted, required) : "", wanted ? "'" : "");
    VOLT_REQUIRE(known == n_wanted || (known == 0 && n == n_wanted), VOLT_ERR_FORMAT,
                 "%s of the %" PRId64 " required columns '%s' are among the %" PRId64
                 " columns '%s': rename or select the columns",
                 known > 0 ? "only some" : "none", n_wanted, join_names(wanted, n_wanted, required), n,
                 join_names(names, n, given));
    for (int64_t k = 0; k < n_wanted; k++)
        from[k] = known > 0 ? place_of(names, n, wanted, k) : k;
    *by_position = has_names && known == 0;
    return VOLT_OK;
}

volt_status volt_narrow_columns(const volt_column_list *columns, const char *const *names, int64_t n_names,
                                int64_t *chosen, int64_t *n_chosen, bool *narrowed)
{
    *narrowed = false;
    if (n_names < 1)
        return VOLT_OK;
    int by_position = 0;
    int64_t *from = volt_alloc(n_names, sizeof *from);
    const char **given = volt_alloc(*n_chosen, sizeof *given);
    volt_status status = from && given ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; !status && i < *n_chosen; i++)
        given[i] = columns->names[chosen[i]];
    if (!status)
        status =
            volt_columns_match(columns->unnamed ? NULL : given, *n_chosen, names, n_names, from, &by_position);
    if (!status && by_position) {
        char has[NAMES], required[NAMES];
        volt_log(VOLT_LOG_WARNING,
                 "%s%sthe columns '%s' are used by position as '%s': none has one of these names",
                 columns->path ? columns->path : "", columns->path ? ": " : "",
                 join_names(given, *n_chosen, has), join_names(names, n_names, required));
    }
    for (int64_t k = 0; !status && k < n_names; k++)
        from[k] = chosen[from[k]];
    if (!status) {
        memcpy(chosen, from, (size_t)n_names * sizeof *chosen);
        *n_chosen = n_names;
        *narrowed = !by_position && !columns->unnamed;
    }
    volt_free(given);
    volt_free(from);
    return status;
}
