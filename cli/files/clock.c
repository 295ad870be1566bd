/* cli/files/clock.c: the time of rows in a column of numbers, such as t or "Time (s)". */
#include "files/clock.h"

#include "files/row_times.h"
#include "terminal/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clock_warn_gap(const dataset *data, const volt_time_columns *found, const char *name, const double *first,
                    int64_t ld)
{
    const int64_t *numbers = data->table->row_numbers;
    for (int64_t i = 0; i < found->n_warnings; i++) {
        const volt_warning *gap = &found->warnings[i];
        char count[GAP_LENGTH];
        if (gap->code != VOLT_WARNING_ROWS_MISSING)
            continue;
        warn("%s: %s row %lld (%s = %.9g) and row %lld (%.9g); the row after a gap is used as "
             "the next step",
             data->source, row_times_count(gap, found->missing, count), (long long)numbers[gap->row - 1], name,
             first[(gap->row - 1) * ld], (long long)numbers[gap->row], first[gap->row * ld]);
    }
}

/* Copies the rows of `table`, which has all rows of the file, that are rows of `data`. */
static int take_rows(const dataset *data, const volt_table *table, volt_matrix *rows)
{
    int failed = allocate_matrix(data->table->rows, table->cols, "the times of the rows", rows);
    for (int64_t i = 0; !failed && i < rows->rows; i++)
        memcpy(rows->data + i * rows->ld, table->values + data->table->row_numbers[i] * table->cols,
               (size_t)table->cols * sizeof *rows->data);
    return failed;
}

/* Copies column `j` and its name. */
static int take_clock(row_clock *clock, volt_matrix rows, int64_t j, const char *name)
{
    clock->values = malloc((size_t)rows.rows * sizeof *clock->values);
    clock->name = malloc(strlen(name) + 1);
    if (!clock->values || !clock->name)
        return complain(EXIT_FAILED, "not enough memory for the times of %lld rows", (long long)rows.rows);
    strcpy(clock->name, name);
    for (int64_t i = 0; i < rows.rows; i++)
        clock->values[i] = rows.data[i * rows.ld + j];
    return 0;
}

int clock_read(row_clock *clock, const dataset *data, const char *path, const int64_t *records,
               int64_t n_records)
{
    volt_table *table = NULL;
    volt_matrix rows = {0};
    volt_time_columns found = {.struct_size = sizeof found};
    volt_read_options options = reading_options();
    options.missing = VOLT_MISSING_KEEP;
    options.keep_faults = 1;
    *clock = (row_clock){0};
    int failed = row_times_check_training(data, records, n_records);
    bool is_file = path && strcmp(path, "-") != 0;
    if (failed || data->table->time_texts || !is_file || volt_table_read(path, &options, &table))
        return failed;
    failed = take_rows(data, table, &rows);
    if (!failed) {
        volt_status status = volt_time_columns_find(
            volt_view_of(rows.data, rows.rows, rows.cols),
            table->has_header ? (const char *const *)table->names : NULL, records, n_records, NULL, &found);
        failed = status ? complain_status(status) : 0;
    }
    if (!failed && found.clock >= 0) {
        failed = take_clock(clock, rows, found.clock, table->names[found.clock]);
        if (!failed)
            clock_warn_gap(data, &found, clock->name, clock->values, 1);
    }
    free(rows.data);
    volt_table_free(table);
    return failed;
}

void clock_release(row_clock *clock)
{
    free(clock->name);
    free(clock->values);
    *clock = (row_clock){0};
}
