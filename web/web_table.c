/* web/web_table.c: the columns of a file as JSON, for the plot of the data and the choice of columns. */
#include "web_table.h"

#include "terminal/messages.h"
#include "volterra.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ROWS = 20000 }; /* shown: the last ones */

/* Numbers that are missing are null. */
static json_t *column_of(const volt_table *table, int64_t j, int64_t first)
{
    json_t *values = json_array();
    for (int64_t i = first; i < table->rows; i++) {
        double value = table->values[i * table->cols + j];
        json_array_append_new(values, isfinite(value) ? json_real(value) : json_null());
    }
    return values;
}

/* Whether a cell is neither a number nor missing. */
static int has_fault(const volt_table *table, int64_t j)
{
    for (int64_t i = 0; i < table->rows; i++)
        if (isinf(table->values[i * table->cols + j]))
            return 1;
    return 0;
}

static json_t *describe(const volt_table *table)
{
    int64_t first = table->rows > MAX_ROWS ? table->rows - MAX_ROWS : 0;
    json_t *names = json_array(), *columns = json_array(), *times = json_array(), *faulty = json_array();
    for (int64_t j = 0; j < table->cols; j++) {
        json_array_append_new(names, json_string(table->names[j]));
        json_array_append_new(columns, column_of(table, j, first));
        json_array_append_new(faulty, json_boolean(has_fault(table, j)));
    }
    for (int64_t i = first; table->time_texts && i < table->rows; i++)
        json_array_append_new(times, json_string(table->time_texts[i]));
    return json_pack("{s:I, s:I, s:b, s:s?, s:o, s:o, s:o, s:o}", "rows", (json_int_t)table->rows, "first",
                     (json_int_t)first, "header", table->has_header, "time", table->time_name, "times", times,
                     "names", names, "columns", columns, "faulty", faulty);
}

int web_table(const char *path)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = VOLT_MISSING_KEEP;
    options.keep_faults = 1;
    volt_status status = volt_table_read(path, &options, &table);
    if (status)
        return complain_status(status);
    json_t *json = describe(table);
    volt_table_free(table);
    if (!json || json_dumpf(json, stdout, JSON_COMPACT) != 0) {
        json_decref(json);
        return complain(EXIT_FAILED, "not enough memory to show %s", path);
    }
    json_decref(json);
    putchar('\n');
    return EXIT_DONE;
}
