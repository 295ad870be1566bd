/* src/io/table/table.c: tables of any file format. */
#include "io/table/table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "io/file/text_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

volt_table *volt_table_new(int64_t rows, int64_t cols)
{
    volt_table *table = volt_alloc_zero(1, sizeof *table);
    if (!table)
        return NULL;
    table->struct_size = sizeof *table;
    table->rows = rows;
    table->cols = cols;
    table->values = volt_alloc_doubles(rows, cols);
    table->names = volt_alloc_zero(cols, sizeof *table->names);
    table->row_numbers = volt_alloc(rows, sizeof *table->row_numbers);
    if (!table->values || !table->names || !table->row_numbers) {
        volt_table_free(table);
        return NULL;
    }
    volt_table_set_first_row(table, 0, rows);
    return table;
}

void volt_table_drop_fault(volt_table *table, int64_t row)
{
    if (!table || !table->faults)
        return;
    volt_free(table->faults[row]);
    table->faults[row] = NULL;
}

void volt_table_free(volt_table *table)
{
    if (!table)
        return;
    volt_names_free(table->names, table->cols);
    volt_free(table->values);
    volt_free(table->row_numbers);
    volt_free(table->time_name);
    volt_free(table->time_texts);
    volt_free(table->times);
    volt_free(table->lines);
    for (int64_t i = 0; i < table->rows; i++)
        volt_table_drop_fault(table, i);
    volt_free(table->faults);
    volt_free(table);
}

void volt_table_move_row(volt_table *table, int64_t from, int64_t to)
{
    memmove(table->values + to * table->cols, table->values + from * table->cols,
            (size_t)table->cols * sizeof *table->values);
    table->row_numbers[to] = table->row_numbers[from];
    if (table->time_texts)
        table->time_texts[to] = table->time_texts[from];
    if (table->times)
        table->times[to] = table->times[from];
    if (table->lines)
        table->lines[to] = table->lines[from];
    if (table->faults) {
        volt_table_drop_fault(table, to);
        table->faults[to] = table->faults[from];
        table->faults[from] = NULL;
    }
}

void volt_table_set_first_row(volt_table *table, int64_t first, int64_t file_rows)
{
    table->file_rows = file_rows;
    for (int64_t i = 0; i < table->rows; i++)
        table->row_numbers[i] = first + i;
}

static volt_status check_values(const volt_table *table, const char *path, volt_missing missing)
{
    char name[VOLT_EXCERPT_LENGTH];
    for (int64_t i = 0; i < table->rows; i++)
        for (int64_t j = 0; j < table->cols; j++) {
            double value = table->values[i * table->cols + j];
            if (isfinite(value) || (isnan(value) && missing != VOLT_MISSING_ERROR))
                continue;
            volt_excerpt(table->names[j], strlen(table->names[j]), name);
            return volt_fail(VOLT_ERR_NOT_FINITE, "%s, row %" PRId64 ", column '%s': the value is %s", path,
                             table->row_numbers[i] + 1, name, isnan(value) ? "missing (NaN)" : "infinite");
        }
    return VOLT_OK;
}

volt_status volt_select_columns(const volt_column_list *columns, const char *selection,
                                const volt_read_options *options, int64_t **chosen, int64_t *n_chosen,
                                bool *narrowed)
{
    *narrowed = false;
    VOLT_TRY(volt_choose_columns(columns, selection, chosen, n_chosen));
    volt_status status =
        volt_narrow_columns(columns, options->names, options->n_names, *chosen, n_chosen, narrowed);
    if (status) {
        volt_free(*chosen);
        *chosen = NULL;
    }
    return status;
}

/* A row of a range, from 0; a negative row counts backwards from the end. */
static int64_t row_of(int64_t row, int64_t rows)
{
    return row < 0 ? row + rows : row;
}

volt_status volt_select_rows(const volt_read_options *options, int64_t rows, const char *path, int64_t *first,
                             int64_t *count)
{
    bool to_the_end = options->end == VOLT_LAST_ROW;
    int64_t start = row_of(options->first, rows), end = to_the_end ? rows : row_of(options->end, rows);
    char last[24] = "";
    if (!to_the_end)
        snprintf(last, sizeof last, "%" PRId64, options->end);
    VOLT_REQUIRE(start >= 0 && end >= 0 && start <= rows && end <= rows, VOLT_ERR_SHAPE,
                 "%" PRId64 ":%s reaches beyond the %" PRId64 " rows of %s", options->first, last, rows, path);
    VOLT_REQUIRE(start < end || (rows == 0 && to_the_end), VOLT_ERR_SHAPE,
                 "%" PRId64 ":%s selects none of the %" PRId64 " rows of %s", options->first, last, rows, path);
    *first = start;
    *count = end - start;
    return VOLT_OK;
}

volt_status volt_table_keep_rows(volt_table *table, const volt_read_options *options, const char *path)
{
    int64_t first = 0, count = 0;
    VOLT_TRY(volt_select_rows(options, table->rows, path, &first, &count));
    for (int64_t i = 0; first > 0 && i < count; i++)
        volt_table_move_row(table, first + i, i);
    table->rows = count;
    return VOLT_OK;
}

volt_status volt_table_of_columns(const volt_column_list *columns, const char *selection,
                                  const volt_read_options *options, int64_t rows, int64_t *place,
                                  volt_table **table)
{
    int64_t *chosen = NULL, n_chosen = 0;
    bool narrowed = false;
    VOLT_TRY(volt_select_columns(columns, selection, options, &chosen, &n_chosen, &narrowed));
    for (int64_t j = 0; j < columns->count; j++)
        place[j] = -1;
    volt_table *made = volt_table_new(rows, n_chosen);
    volt_status status = made ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; !status && i < n_chosen; i++) {
        place[chosen[i]] = i;
        made->names[i] = volt_strdup(columns->names[chosen[i]]);
        status = made->names[i] ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    volt_free(chosen);
    if (status) {
        volt_table_free(made);
        return status;
    }
    *table = made;
    return VOLT_OK;
}

volt_status volt_table_finish(volt_table *read, volt_status status, const char *path,
                              const volt_read_options *options, volt_table **table)
{
    if (status && status != VOLT_ERR_MEMORY && status != VOLT_ERR_SHAPE)
        volt_fail_prefix(status, "%s", path);
    if (!status)
        status = check_values(read, path, options->missing);
    if (status) {
        volt_table_free(read);
        return status;
    }
    *table = read;
    return VOLT_OK;
}
