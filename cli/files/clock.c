/* cli/files/clock.c: the time of rows in a column of numbers, such as t or "Time (s)". */
#define _POSIX_C_SOURCE 200809L
#include "files/clock.h"

#include "files/row_times.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns whether a name is that of a time: t, Time, "time [s]", but not t1 or t_oil. */
static bool is_clock_name(const char *name)
{
    static const char *const words[] = {"t", "time", "timestamp", "date", "datetime"};
    size_t length = strcspn(name, " ([");
    const char *unit = name + length + strspn(name + length, " ");
    if (*unit && *unit != '(' && *unit != '[')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(name, words[i], length) == 0)
            return true;
    return false;
}

/* Returns a copy of the name of the clock in the header of a file, or NULL. */
static char *find_name(const char *path)
{
    char *line = NULL, *found = NULL, **cells = NULL;
    size_t size = 0;
    int64_t count = 0;
    FILE *file = fopen(path, "r");
    if (file && getline(&line, &size, file) > 0 && !volt_csv_split_line(line, NULL, &cells, &count))
        for (int64_t j = 0; j < count && !found; j++)
            found = is_clock_name(cells[j]) ? strdup(cells[j]) : NULL;
    volt_free(cells);
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* Copies the values of the rows of `data`; false if they do not increase within each record. */
static bool take_values(row_clock *clock, const dataset *data, const volt_table *table, const int64_t *records,
                        int64_t n_records)
{
    int64_t begin = 0, r = 0;
    for (int64_t i = 0; i < data->table->rows; i++) {
        int64_t row = data->table->row_numbers[i] - table->row_numbers[0];
        bool begins = i == 0 || (n_records > 0 && r < n_records && i == begin + records[r]);
        if (begins && i > 0)
            begin += records[r++];
        if (row < 0 || row >= table->rows || !isfinite(table->values[row]))
            return false;
        clock->values[i] = table->values[row];
        if (!begins && !(clock->values[i] > clock->values[i - 1]))
            return false;
    }
    return true;
}

/* Warns about the first gap of the rows from `begin` on; returns false if there is none. */
static bool warn_gap(const row_clock *clock, const dataset *data, int64_t begin, int64_t n)
{
    volt_times_report report = {.struct_size = sizeof report};
    volt_time *times = malloc((size_t)n * sizeof *times + 1);
    for (int64_t i = 0; times && i < n; i++)
        times[i] = (volt_time){clock->values[begin + i], clock->values[begin + i]};
    bool known = times && !volt_times_check(times, n, NULL, (volt_time){NAN, NAN}, &report);
    const volt_warning *gap = known ? row_times_warning(&report, VOLT_WARNING_ROWS_MISSING) : NULL;
    free(times);
    if (!gap)
        return false;
    int64_t row = begin + gap->row;
    warn("%s: %.0f row%s missing between row %lld (%s = %.9g) and row %lld (%.9g); the row after a gap is used "
         "as the "
         "next step",
         data->source, gap->value, gap->value == 1 ? "" : "s", (long long)data->table->row_numbers[row - 1],
         clock->name, clock->values[row - 1], (long long)data->table->row_numbers[row], clock->values[row]);
    return true;
}

int clock_read(row_clock *clock, const dataset *data, const char *path, const int64_t *records,
               int64_t n_records)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = VOLT_MISSING_KEEP;
    bool is_dated = data->table->time_texts != NULL;
    *clock = (row_clock){.name = is_dated || !path || data->table->rows < 3 ? NULL : find_name(path)};
    int failed = row_times_check_training(data, records, n_records);
    options.names = (const char *const *)&clock->name;
    options.n_names = 1;
    if (failed || !clock->name || volt_table_read(path, &options, &table) || table->cols != 1) {
        volt_table_free(table);
        return failed;
    }
    clock->values = malloc((size_t)data->table->rows * sizeof *clock->values);
    failed = clock->values ? 0 : complain(EXIT_FAILED, "not enough memory for the times of %s", path);
    if (!failed && !take_values(clock, data, table, records, n_records)) {
        free(clock->values);
        clock->values = NULL;
    }
    volt_table_free(table);
    bool warned = false;
    for (int64_t r = 0, begin = 0; clock->values && !warned && r < (n_records > 0 ? n_records : 1); r++) {
        int64_t n = n_records > 0 ? records[r] : data->table->rows;
        warned = warn_gap(clock, data, begin, n);
        begin += n;
    }
    return failed;
}

void clock_release(row_clock *clock)
{
    free(clock->name);
    free(clock->values);
    *clock = (row_clock){0};
}
