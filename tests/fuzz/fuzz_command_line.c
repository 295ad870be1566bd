/* tests/fuzz/fuzz_command_line.c: libFuzzer target for the command-line parser.
 *
 * Each line of the input is an argument. The table has an option of every kind. The parsed options are used
 * as in a command: to select rows of a small table, to draw from ranges and to select columns. */
#define _GNU_SOURCE
#include "fuzz/fuzz_input.h"
#include "kernel/kernel_entry.h"

#include "args/options.h"
#include "files/inputs.h"
#include "fuzz/fuzz_lines.h"
#include "fuzz/fuzz_mute.h"
#include "io/table/table.h"
#include "search/search_space.h"
#include "volterra.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 12, ROWS = 10, DRAWS = 3 };

typedef struct fuzz_arguments {
    common_arguments common;
    bool flag;
    const char *file, *alpha, *columns;
    int64_t count;
    double positive, share, budget;
    int choice;
    row_range rows;
    number_list numbers;
    text_list ranges;
} fuzz_arguments;

static const choice ordinals[] = {{"first", 0, NULL}, {"second", 1, NULL}, {"third", 2, NULL}, {NULL, 0, NULL}};

#define ROW(...) OPTION(fuzz_arguments, __VA_ARGS__)
static const option table_rows[] = {
    ROW("FILE", NULL, file, "", .is_positional = true),
    ROW("flag", NULL, flag, ""),
    ROW("alpha", "A", alpha, ""),
    ROW("columns", "C", columns, ""),
    ROW("count", "N", count, "", .letter = 'n', .range = AT_LEAST(-2), .fallback = "4"),
    ROW("positive", "P", positive, "", .fallback = "0.5"),
    ROW("share", "S", share, "", .range = BETWEEN(0, 1), .fallback = "0.5"),
    ROW("budget", "TIME", budget, "", .is_duration = true, .fallback = "1m"),
    ROW("choice", NULL, choice, "", .choices = ordinals, .fallback = "first"),
    ROW("rows", "A:B", rows, ""),
    ROW("numbers", "X", numbers, ""),
    ROW("range", "R", ranges, ""),
};
static const option_table table = OPTION_TABLE(table_rows);

/* ---- parsed options --------------------------------------------------------------------------- */

static void check_values(const fuzz_arguments *arguments)
{
    FUZZ_CHECK(arguments->count >= -2 && arguments->count <= INT64_C(1) << 53);
    FUZZ_CHECK(arguments->positive > 0 && isfinite(arguments->positive));
    FUZZ_CHECK(arguments->share > 0 && arguments->share < 1);
    FUZZ_CHECK(arguments->budget > 0 && isfinite(arguments->budget));
    FUZZ_CHECK(arguments->choice >= 0 && arguments->choice < 3);
    FUZZ_CHECK(arguments->numbers.count >= 0 && arguments->numbers.count <= NUMBER_LIST_CAPACITY);
    for (int i = 0; i < arguments->numbers.count; i++)
        FUZZ_CHECK(isfinite(arguments->numbers.values[i]));
    FUZZ_CHECK(!arguments->file || *arguments->file);
}

/* A table whose row i holds i, made at the first call and removed at the end. */
static char table_path[] = "/tmp/volterra_fuzz_XXXXXX.csv";

static void remove_table(void)
{
    unlink(table_path);
}

static void make_table(void)
{
    static bool made;
    if (made)
        return;
    made = true;
    int file = mkstemps(table_path, 4);
    FUZZ_CHECK(file >= 0);
    for (int i = 0; i < ROWS; i++)
        FUZZ_CHECK(dprintf(file, "%d\n", i) > 0);
    close(file);
    atexit(remove_table);
}

/* The selected rows lie within the table, and there is at least one. */
static void check_rows(const row_range *rows)
{
    dataset data = {0};
    make_table();
    if (!dataset_read_rows(&data, table_path, VOLT_MISSING_ERROR, rows, "--rows")) {
        int64_t start = (int64_t)data.view.data[0];
        FUZZ_CHECK(start >= 0 && data.view.rows >= 1 && start + data.view.rows <= ROWS);
        if (rows->has_start)
            FUZZ_CHECK(start == (rows->start < 0 ? rows->start + ROWS : rows->start));
        if (rows->has_stop)
            FUZZ_CHECK(start + data.view.rows == (rows->stop < 0 ? rows->stop + ROWS : rows->stop));
    }
    dataset_release(&data);
}

static void check_range(const volt_range *range)
{
    FUZZ_CHECK(*range->name);
    if (!range->choices) {
        FUZZ_CHECK(isfinite(range->low) && isfinite(range->high) && range->low <= range->high);
        return;
    }
    FUZZ_CHECK(range->n_choices >= 1);
    for (int64_t i = 0; i < range->n_choices; i++)
        FUZZ_CHECK(*range->choices[i]);
}

/* Every draw is a kernel and an alpha in its range, or the ranges are rejected. */
static void draw(const search_space *space, const char *kernel)
{
    static const double values[ROWS] = {0.5, -1, 2, 0.25, -0.75, 1.5, 1, -2, 0.125, 3};
    volt_draw_options options = volt_draw_options_default();
    volt_candidates *candidates = NULL;
    options.ranges = space->ranges;
    options.n_ranges = space->count;
    if (volt_candidates_draw(kernel, volt_view_of(values, ROWS, 1), &options, &candidates)) {
        FUZZ_CHECK(!candidates && *volt_error_detail());
        return;
    }
    for (int64_t i = 0; i < DRAWS; i++) {
        char text[VOLT_KERNEL_LENGTH];
        double alpha = NAN;
        volt_kernel *parsed = NULL;
        if (volt_candidates_get(candidates, i, text, &alpha, NULL))
            continue; /* owned by this draw */
        FUZZ_CHECK(alpha > 0 && isfinite(alpha));
        FUZZ_CHECK(volt_kernel_parse(text, &parsed) == VOLT_OK && strcmp(volt_kernel_text(parsed), text) == 0);
        volt_kernel_free(parsed);
        for (int64_t a = 0; a < space->count; a++)
            if (strcmp(space->ranges[a].name, "alpha") == 0 && !space->ranges[a].choices)
                FUZZ_CHECK(alpha >= space->ranges[a].low && alpha <= space->ranges[a].high);
    }
    volt_candidates_free(candidates);
}

static void check_ranges(const text_list *specs, const char *alpha)
{
    search_space space = {0};
    if (search_space_read(&space, specs, alpha, NULL) == 0) {
        FUZZ_CHECK(space.count == specs->count + (alpha != NULL));
        for (int64_t i = 0; i < space.count; i++)
            check_range(&space.ranges[i]);
        draw(&space, "volterra");
        draw(&space, "rbf");
        draw(&space, "sig");
    }
    search_space_release(&space);
}

/* The selected columns exist, are unique and contain data. */
static void check_columns(const char *selection)
{
    static const char *const names[] = {"date", "a", "b", "c", "h1", "h2", "twice", "twice", "x y", "1"};
    static const char *const families[] = {NULL, NULL, NULL, NULL, "h", "h", NULL, NULL, NULL, NULL};
    static const char *const refusals[] = {
        "is a date column", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    enum { COLUMNS = sizeof names / sizeof names[0] };
    const volt_column_list columns = {
        .count = COLUMNS, .names = names, .families = families, .refusals = refusals};
    int64_t *chosen = NULL, count = 0;
    if (volt_choose_columns(&columns, selection, &chosen, &count)) {
        FUZZ_CHECK(!chosen && *volt_error_detail());
        return;
    }
    bool seen[COLUMNS] = {false};
    FUZZ_CHECK(count >= 1 && count <= COLUMNS);
    for (int64_t i = 0; i < count; i++) {
        FUZZ_CHECK(chosen[i] > 0 && chosen[i] < COLUMNS && !seen[chosen[i]]);
        seen[chosen[i]] = true;
    }
    volt_free(chosen);
}

/* ---- the words -------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *words[FUZZ_LINES] = {NULL};
    fuzz_arguments arguments = {.file = NULL};
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    fuzz_mute();
    int count = fuzz_lines_split(bytes, size, words);
    options_ask_help(count, words);
    /* --threads takes effect at once, and a fuzzer would request thousands. */
    bool sets_threads = false;
    for (int i = 0; i < count; i++)
        sets_threads |= strncmp(words[i], "--threads", 9) == 0;
    if (!sets_threads && options_parse(&table, count, words, &arguments) == 0) {
        check_values(&arguments);
        if (arguments.rows.given)
            check_rows(&arguments.rows);
        if (arguments.columns)
            check_columns(arguments.columns);
        check_ranges(&arguments.ranges, arguments.alpha);
    }
    text_list_free(&arguments.ranges);
    fuzz_lines_free(words, count);
    return 0;
}
