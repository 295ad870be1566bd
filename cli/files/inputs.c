/* cli/files/inputs.c: read matrices and pick their rows and columns. */
#include "files/inputs.h"

#include "terminal/messages.h"
#include "terminal/quantities.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool offers_missing; /* the command has the option --missing */

volt_missing missing_policy(int value)
{
    offers_missing = true;
    return (volt_missing)value;
}

int allocate_matrix(int64_t rows, int64_t cols, const char *what, volt_matrix *matrix)
{
    double bytes = 8.0 * (double)rows * (double)cols;
    double available = (double)volt_memory_available();
    double *data = NULL;
    if (bytes < 9e18 && !(available > 0 && bytes > available))
        data = malloc((size_t)rows * (size_t)cols * sizeof *data + 1); /* +1: no rows are no failure */
    if (!data) {
        char needed[QUANTITY_LENGTH], left[QUANTITY_LENGTH];
        format_bytes(bytes, needed);
        if (available > 0)
            return complain(EXIT_FAILED, "%s of %lld x %lld numbers needs %s of memory, %s is available", what,
                            (long long)rows, (long long)cols, needed, format_bytes(available, left));
        return complain(EXIT_FAILED, "%s of %lld x %lld numbers needs %s of memory: too much", what,
                        (long long)rows, (long long)cols, needed);
    }
    *matrix = volt_matrix_of(data, rows, cols);
    return 0;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Take over what was read. */
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

static const char few_left[] = "select columns with fewer holes, FILE:COLUMNS";

/* More of the file is gone than is left. */
static bool has_lost_most(const volt_table *table)
{
    return table->dropped > table->rows;
}

const char *dataset_hint(const dataset *data, char text[HINT_LENGTH])
{
    *text = '\0';
    if (data->table && has_lost_most(data->table))
        snprintf(text, HINT_LENGTH, " (--missing drop left out %lld of %lld rows: %s)",
                 (long long)data->table->dropped,
                 (long long)data->table->dropped + (long long)data->table->rows, few_left);
    return text;
}

static void mention_repairs(const dataset *data)
{
    long long dropped = data->table->dropped, interpolated = data->table->interpolated;
    if (has_lost_most(data->table))
        warn("%s: %lld of %lld rows have missing values and were left out: %s", data->source, dropped,
             dropped + (long long)data->table->rows, few_left);
    else if (dropped)
        warn("%s: %lld row%s with missing values left out", data->source, dropped, dropped == 1 ? "" : "s");
    if (interpolated)
        warn("%s: %lld missing value%s interpolated", data->source, interpolated, interpolated == 1 ? "" : "s");
}

/* The library's sentence, and for a hole what --missing could do about it. */
static int complain_reading(volt_status status)
{
    if (status == VOLT_ERR_NOT_FINITE && offers_missing && strstr(volt_error_detail(), "missing"))
        return complain_status_hint(status, " (or --missing drop, or --missing interpolate)");
    return complain_status(status);
}

int dataset_read(dataset *data, const char *source, volt_missing missing)
{
    volt_table *table = NULL;
    volt_status status = volt_table_read(source, missing, &table);
    if (status)
        return complain_reading(status);
    int failed = adopt_table(data, source, table);
    if (!failed && missing != VOLT_MISSING_KEEP)
        mention_repairs(data);
    return failed;
}

void dataset_release(dataset *data)
{
    volt_table_free(data->table);
    free(data->names);
    free(data->selected);
    memset(data, 0, sizeof *data);
}

int dataset_read_pair(dataset *first, const char *first_source, dataset *second, const char *second_source,
                      volt_missing missing)
{
    if (strcmp(first_source, "-") == 0 && strcmp(second_source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --y cannot both be read from standard input");

    /* Only dropping rows concerns both; an error names its line and column best while reading. */
    volt_missing each = missing == VOLT_MISSING_DROP ? VOLT_MISSING_KEEP : missing;
    int failed = dataset_read(first, first_source, each);
    if (!failed)
        failed = dataset_read(second, second_source, each);
    if (failed)
        return failed;
    if (first->view.rows != second->view.rows)
        return complain(EXIT_FAILED, "%s has %lld rows but %s has %lld; they must match row by row",
                        first_source, (long long)first->view.rows, second_source, (long long)second->view.rows);
    if (each == missing)
        return 0;

    volt_status status = volt_tables_clean(first->table, second->table, missing);
    if (status)
        return complain_status(status);
    first->view = volt_table_view(first->table);
    second->view = volt_table_view(second->table);
    mention_repairs(first);
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------- */

int dataset_take_rows(dataset *data, const row_range *rows, const char *option_name)
{
    if (!rows->given)
        return 0;
    int64_t n = data->view.rows;
    int64_t start = rows->has_start ? rows->start : 0, stop = rows->has_stop ? rows->stop : n;
    if (start < 0)
        start += n;
    if (stop < 0)
        stop += n;
    if (start < 0 || stop < 0 || start > n || stop > n)
        return complain(EXIT_USAGE, "%s %s reaches beyond the %lld rows of %s", option_name, rows->text,
                        (long long)n, data->source);
    if (start >= stop)
        return complain(EXIT_USAGE, "%s %s takes none of the %lld rows of %s", option_name, rows->text,
                        (long long)n, data->source);
    data->view = volt_view_rows(data->view, start, stop - start);
    return 0;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static int64_t find_name(const char *const *names, int64_t count, const char *name)
{
    for (int64_t j = 0; j < count; j++)
        if (strcmp(names[j], name) == 0)
            return j;
    return -1;
}

/* How many of `wanted` are among the columns. */
static int64_t count_found(const dataset *data, const char *const *wanted, int64_t count)
{
    int64_t found = 0;
    for (int64_t j = 0; data->names && j < count; j++)
        found += find_name((const char *const *)data->names, data->view.cols, wanted[j]) >= 0;
    return found;
}

/* Keep the columns called `wanted`, in that order; all of them are there. */
static int pick_columns(dataset *data, const char *const *wanted, int64_t count)
{
    bool is_same = count == data->view.cols;
    for (int64_t j = 0; is_same && j < count; j++)
        is_same = strcmp(data->names[j], wanted[j]) == 0;
    if (is_same)
        return 0;

    volt_matrix picked = {0};
    int failed = allocate_matrix(data->view.rows, count, "the selection of columns", &picked);
    if (failed)
        return failed;
    for (int64_t j = 0; j < count; j++) {
        int64_t from = find_name((const char *const *)data->names, data->view.cols, wanted[j]);
        for (int64_t i = 0; i < picked.rows; i++)
            picked.data[i * picked.ld + j] = data->view.data[i * data->view.ld + from];
    }
    const char **names = calloc((size_t)count + 1, sizeof *names);
    if (!names) {
        free(picked.data);
        return complain(EXIT_FAILED, "not enough memory for the column names of %s", data->source);
    }
    memcpy(names, wanted, (size_t)count * sizeof *names);
    free(data->names);
    free(data->selected);
    data->names = names;
    data->selected = picked.data;
    data->view = volt_as_view(picked);
    return 0;
}

int dataset_match_columns(dataset *data, const dataset *like)
{
    const char *const *wanted = (const char *const *)like->names;
    if (!wanted || count_found(data, wanted, like->view.cols) < like->view.cols)
        return 0;
    return pick_columns(data, wanted, like->view.cols);
}

/* "PATH:name,name,..." in *source, to be freed; NULL in it when the names cannot be written that way or
 * PATH already chooses its columns. */
static int source_with_columns(const char *path, const volt_model_info *model, char **source)
{
    *source = NULL;
    if (strcmp(path, "-") == 0 || strchr(path, ':'))
        return 0;
    size_t length = strlen(path) + 2;
    for (int64_t j = 0; j < model->d; j++) {
        const char *name = model->input_names[j];
        if (!*name || strpbrk(name, ",*?[:\"") || strstr(name, ".."))
            return 0;
        length += strlen(name) + 1;
    }
    char *text = malloc(length);
    if (!text)
        return complain(EXIT_FAILED, "not enough memory for the column names of the model");
    size_t used = (size_t)sprintf(text, "%s:", path);
    for (int64_t j = 0; j < model->d; j++)
        used += (size_t)sprintf(text + used, "%s%s", j ? "," : "", model->input_names[j]);
    *source = text;
    return 0;
}

/* The columns of the file are neither the model's names nor as many as it wants: say which lack. */
static int complain_columns(const dataset *data, const volt_model_info *model)
{
    char missing[512] = "";
    size_t used = 0;
    const char *const *names = model->input_names;
    if (names && data->names) {
        for (int64_t j = 0; j < model->d && used < sizeof missing; j++)
            if (find_name((const char *const *)data->names, data->view.cols, names[j]) < 0)
                used +=
                    (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "", names[j]);
        return complain(EXIT_FAILED, "%s lacks column%s of the model: %s", data->source,
                        strchr(missing, ',') ? "s" : "", missing);
    }
    return complain(EXIT_FAILED, "%s has %lld columns, the model has %lld inputs", data->source,
                    (long long)data->view.cols, (long long)model->d);
}

/* Try to read only the model's columns: other ones may hold text or holes. *done says whether that was
 * possible; a file without those columns is read whole by the caller. */
static int read_named_columns(dataset *data, const char *path, volt_missing missing,
                              const volt_model_info *model, bool *done)
{
    char *source = NULL;
    volt_table *table = NULL;
    *done = false;
    int failed = source_with_columns(path, model, &source);
    if (failed || !source)
        return failed;
    volt_status status = volt_table_read(source, missing, &table);
    free(source);
    if (status == VOLT_ERR_FORMAT)
        return 0;
    *done = true;
    if (status)
        return complain_reading(status);
    failed = adopt_table(data, path, table);
    if (!failed)
        mention_repairs(data);
    return failed;
}

int dataset_read_inputs(dataset *data, const char *source, volt_missing missing, const volt_model_info *model)
{
    bool done = false;
    int failed = model->input_names ? read_named_columns(data, source, missing, model, &done) : 0;
    if (failed || done)
        return failed;

    failed = dataset_read(data, source, missing);
    if (failed)
        return failed;
    if (model->input_names && count_found(data, model->input_names, model->d) == model->d)
        return pick_columns(data, model->input_names, model->d);
    if (data->view.cols != model->d)
        return complain_columns(data, model);
    return 0;
}
