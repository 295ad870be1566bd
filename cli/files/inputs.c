/* cli/files/inputs.c: read matrices and select rows and columns. */
#include "files/inputs.h"

#include "terminal/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int allocate_matrix(int64_t rows, int64_t cols, const char *what, volt_matrix *matrix)
{
    double bytes = 8.0 * (double)rows * (double)cols;
    volt_build_info build = {.struct_size = sizeof build};
    volt_build_info_get(&build);
    double available = (double)build.memory;
    double *data = NULL;
    if (bytes < 9e18 && !(available > 0 && bytes > available))
        data = malloc((size_t)rows * (size_t)cols * sizeof *data + 1); /* +1: zero rows are valid */
    if (!data) {
        char needed[QUANTITY_LENGTH], left[QUANTITY_LENGTH];
        format_bytes(bytes, needed);
        if (available > 0)
            return complain(EXIT_FAILED, "%s of %lld x %lld numbers requires %s of memory (available: %s)",
                            what, (long long)rows, (long long)cols, needed, format_bytes(available, left));
        return complain(EXIT_FAILED, "%s of %lld x %lld numbers requires %s of memory, which is too much", what,
                        (long long)rows, (long long)cols, needed);
    }
    *matrix = volt_matrix_of(data, rows, cols);
    return 0;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Takes ownership of the table. */
static int adopt_table(dataset *data, const char *source, volt_table *table)
{
    data->source = source;
    data->table = table;
    data->view = volt_table_view(table);
    if (table->has_header) {
        data->names = calloc((size_t)table->cols + 1, sizeof *data->names);
        if (!data->names)
            return complain(EXIT_FAILED, "not enough memory for the column names of %s", source);
        for (int64_t j = 0; j < table->cols; j++)
            data->names[j] = table->names[j];
    }
    return 0;
}

static const char few_left[] = "select columns with fewer missing values (FILE:COLUMNS)";

/* Returns whether more than half of the file's rows were dropped. */
static bool has_lost_most(const volt_table *table)
{
    return table->dropped > table->rows;
}

const char *dataset_hint(const dataset *data, char text[HINT_LENGTH])
{
    *text = '\0';
    if (data->table && has_lost_most(data->table))
        snprintf(text, HINT_LENGTH, " (--missing drop removed %lld of %lld rows: %s)",
                 (long long)data->table->dropped,
                 (long long)data->table->dropped + (long long)data->table->rows, few_left);
    return text;
}

static void mention_filled(const dataset *data)
{
    const volt_table *table = data->table;
    long long before = table->filled_before, behind = table->filled_behind, count = before + behind;
    char where[96];
    if (!before || !behind)
        snprintf(where, sizeof where, "%s", before ? "before the first value" : "after the last value");
    else
        snprintf(where, sizeof where, "%lld before the first, %lld after the last", before, behind);
    if (count)
        warn("%s: %lld missing value%s at the ends of columns filled with the nearest value (%s; %s column "
             "'%.64s')",
             data->source, count, count == 1 ? "" : "s", where, table->cols > 1 && count > 1 ? "most in" : "in",
             table->names[table->filled_column]);
}

void dataset_mention_repairs(const dataset *data)
{
    long long dropped = data->table->dropped, inserted = data->table->inserted,
              interpolated = data->table->interpolated - inserted * data->table->cols;
    if (has_lost_most(data->table))
        warn("%s: %lld of %lld rows with missing values dropped: %s", data->source, dropped,
             dropped + (long long)data->table->rows, few_left);
    else if (dropped)
        warn("%s: %lld row%s with missing values dropped", data->source, dropped, dropped == 1 ? "" : "s");
    if (inserted)
        warn("%s: %lld row%s missing between the times, filled in", data->source, inserted,
             inserted == 1 ? "" : "s");
    if (interpolated > 0)
        warn("%s: %lld missing value%s interpolated", data->source, interpolated, interpolated == 1 ? "" : "s");
    mention_filled(data);
}

/* Prints the library's error message, with a hint about --missing if the command has it. */
static int complain_reading(volt_status status)
{
    if (status == VOLT_ERR_NOT_FINITE && options_offer("missing"))
        return complain_status_hint(status, " (missing values: --missing drop or --missing interpolate)");
    return complain_status(status);
}

/* Returns the read options for `rows`, if given. */
static volt_read_options options_of(volt_missing missing, const row_range *rows)
{
    volt_read_options options = reading_options();
    options.missing = missing;
    if (rows && rows->given && rows->has_start)
        options.first = rows->start;
    if (rows && rows->given && rows->has_stop)
        options.end = rows->stop;
    return options;
}

/* Reads the source. `option_name` names the row range in an error message. */
static int read_part(dataset *data, const char *source, const volt_read_options *options,
                     const char *option_name)
{
    volt_table *table = NULL;
    volt_status status = volt_table_read(source, options, &table);
    if (status == VOLT_ERR_SHAPE && option_name)
        return complain(EXIT_USAGE, "%s %s", option_name, volt_error_detail());
    if (status)
        return complain_reading(status);
    int failed = adopt_table(data, source, table);
    if (!failed && options->missing != VOLT_MISSING_KEEP)
        dataset_mention_repairs(data);
    return failed;
}

int dataset_read_with(dataset *data, const char *source, const volt_read_options *options)
{
    return read_part(data, source, options, NULL);
}

int dataset_read(dataset *data, const char *source, volt_missing missing)
{
    return dataset_read_rows(data, source, missing, NULL, NULL);
}

int dataset_read_rows(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                      const char *option_name)
{
    volt_read_options options = options_of(missing, rows);
    return read_part(data, source, &options, option_name);
}

void dataset_release(dataset *data)
{
    volt_table_free(data->table);
    free(data->names);
    free(data->widened);
    memset(data, 0, sizeof *data);
}

void dataset_pass_over_first(dataset *data, const char *name)
{
    if (!data->names || data->view.cols < 2 || strcmp(data->names[0], name) != 0)
        return;
    data->view.data++;
    data->view.cols--;
    memmove(data->names, data->names + 1, (size_t)data->view.cols * sizeof *data->names);
}

/* Returns whether `name` is the name of column j followed by .lo90, .hi90, .std or .error. */
static bool describes_column(const dataset *data, int64_t j, const char *name)
{
    size_t length = strlen(data->names[j]);
    const char *end = name + length;
    if (strncmp(name, data->names[j], length) != 0)
        return false;
    if (strncmp(end, ".lo", 3) == 0 || strncmp(end, ".hi", 3) == 0)
        return end[3 + strspn(end + 3, "0123456789.")] == '\0';
    return strcmp(end, ".std") == 0 || strcmp(end, ".error") == 0;
}

/* Moves column `from` of the table and its name to the left. */
static void move_column(dataset *data, int64_t from, int64_t to)
{
    double *values = (double *)data->view.data; /* owned by the table of the dataset */
    for (int64_t i = 0; i < data->view.rows && from != to; i++)
        values[i * data->view.ld + to] = values[i * data->view.ld + from];
    data->names[to] = data->names[from];
}

void dataset_pass_over_bands(dataset *data)
{
    int64_t kept = 0;
    for (int64_t j = 0; data->names && j < data->view.cols; j++) {
        bool describes = false;
        for (int64_t i = 0; i < kept && !describes; i++)
            describes = describes_column(data, i, data->names[j]);
        if (!describes)
            move_column(data, j, kept++);
    }
    if (data->names)
        data->view.cols = kept;
}

/* Complains if `second` is not a file but may be the name of a column. */
static int check_second(const char *first, const char *second)
{
    if (strpbrk(second, "./:") || strcmp(second, "-") == 0 || access(second, F_OK) == 0)
        return 0;
    int length = (int)strcspn(first, ":");
    return complain(EXIT_FAILED,
                    "cannot read %s: there is no such file; a column is selected by FILE:COLUMN, as in %.*s:%s",
                    second, length, first, second);
}

int dataset_read_pair(dataset *first, const char *first_source, dataset *second, const char *second_source,
                      volt_missing missing, bool keep_targets, const row_range *rows)
{
    if (strcmp(first_source, "-") == 0 && strcmp(second_source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --y cannot both be read from standard input");

    /* Only dropping rows affects both files. Other policies apply while reading, where errors can name line
     * and column. */
    volt_missing each = missing == VOLT_MISSING_DROP ? VOLT_MISSING_KEEP : missing;
    int failed = dataset_read_rows(first, first_source, each, rows, "--rows");
    if (!failed)
        failed = check_second(first_source, second_source);
    if (!failed)
        failed = dataset_read_rows(second, second_source, each, rows, "--rows");
    if (!failed)
        failed = dataset_align((dataset *const[]){first, second}, 2);
    if (failed || each == missing)
        return failed;
    return dataset_clean_pair(first, second, keep_targets ? VOLT_MISSING_DROP_FIRST : missing);
}

/* ---- rows of several files -------------------------------------------------------------------- */

int dataset_read_texts(dataset *data, const char *source, char ***texts)
{
    int64_t count = 0;
    volt_table *table = NULL;
    volt_status status = volt_texts_read(source, texts, &count, &table);
    return status ? complain_status(status) : adopt_table(data, source, table);
}

/* Warns that rows were left out. A file of which all rows are read may have further rows where the first has a selection. */
static void mention_common(const dataset *first, int64_t first_rows, const dataset *other, int64_t other_rows,
                           int64_t common)
{
    bool is_selection = first_rows < first->table->file_rows;
    if (common < first_rows || (common < other_rows && !is_selection))
        warn("%s and %s have %lld dates in common: %lld of %lld rows and %lld of %lld rows are used",
             first->source, other->source, (long long)common, (long long)common, (long long)first_rows,
             (long long)common, (long long)other_rows);
}

int dataset_align(dataset *const *sets, int count)
{
    enum { MOST = 8 };
    const dataset *used[MOST];
    volt_table *tables[MOST];
    const char *names[MOST];
    int64_t rows[MOST], common[MOST];
    int n = 0;
    for (int i = 0; i < count && n < MOST; i++)
        if (sets[i]->table) {
            used[n] = sets[i];
            names[n] = sets[i]->source;
            rows[n] = sets[i]->table->rows;
            tables[n++] = sets[i]->table;
        }
    volt_status status = n > 1 ? volt_tables_align(tables, names, n, common, NULL) : VOLT_OK;
    if (status)
        return complain_status(status);
    for (int i = 0; i < count; i++)
        if (sets[i]->table)
            sets[i]->view.rows = sets[i]->table->rows;
    for (int t = 1; t < n; t++)
        mention_common(used[0], rows[0], used[t], rows[t], common[t]);
    return 0;
}

int dataset_clean_pair(dataset *first, dataset *second, volt_missing missing)
{
    volt_status status = volt_tables_clean(first->table, second ? second->table : NULL, missing, NULL, 0);
    if (status)
        return complain_status_hint(status, " (%.120s; --missing drop or --missing interpolate accepts it)",
                                    first->source);
    first->view = volt_table_view(first->table);
    if (second)
        second->view = volt_table_view(second->table);
    dataset_mention_repairs(first);
    return 0;
}

/* ---- columns ---------------------------------------------------------------------------------- */

int dataset_read_like(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                      const char *option_name, const dataset *like)
{
    volt_read_options options = options_of(missing, rows);
    options.names = (const char *const *)like->names;
    options.n_names = like->names ? like->view.cols : 0;
    return read_part(data, source, &options, option_name);
}

int dataset_read_named(dataset *data, const char *source, const row_range *rows, const char *const *names,
                       int64_t n_names)
{
    volt_read_options options = options_of(VOLT_MISSING_KEEP, rows);
    options.names = names;
    options.n_names = names ? n_names : 0;
    return read_part(data, source, &options, "--rows");
}

int dataset_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                        const volt_model_info *model)
{
    volt_read_options options = options_of(missing, rows);
    options.names = model->input_names;
    options.n_names = model->input_names ? model->d : 0;
    int failed = read_part(data, source, &options, "--rows");
    if (!failed && data->view.cols != model->d)
        failed = complain(EXIT_FAILED, "%s has %lld columns, but the model has %lld inputs", data->source,
                          (long long)data->view.cols, (long long)model->d);
    return failed;
}
