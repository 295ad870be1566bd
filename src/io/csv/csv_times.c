/* src/io/csv/csv_times.c: the times of the rows of a CSV file, kept as text. */
#include "io/csv/csv.h"

#include "base/memory.h"

#include <string.h>

volt_status volt_csv_texts_begin(volt_csv_texts *kept, int64_t column, int64_t rows, int64_t bytes)
{
    kept->column = column;
    kept->texts = volt_alloc(rows * (int64_t)sizeof *kept->texts + bytes, 1);
    if (!kept->texts)
        return VOLT_ERR_MEMORY;
    kept->next = (char *)(kept->texts + rows);
    kept->end = kept->next + bytes;
    return VOLT_OK;
}

bool volt_csv_texts_put(volt_csv_texts *kept, int64_t row, const char *text, size_t length)
{
    if ((size_t)(kept->end - kept->next) < length + 1)
        return false;
    kept->texts[row] = kept->next;
    memcpy(kept->next, text, length);
    kept->next[length] = '\0';
    kept->next += length + 1;
    return true;
}

/* "16/12/2006" and "17:24:00" become "16/12/2006 17:24:00". */
static volt_status join(volt_csv_texts *dates, const volt_csv_texts *clocks, int64_t rows)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < rows; i++)
        bytes += (int64_t)(strlen(dates->texts[i]) + strlen(clocks->texts[i])) + 2;
    volt_csv_texts both = {.column = -1};
    volt_status status = volt_csv_texts_begin(&both, dates->column, rows, bytes);
    if (status)
        return status;
    for (int64_t i = 0; i < rows; i++) {
        size_t length = strlen(dates->texts[i]);
        volt_csv_texts_put(&both, i, dates->texts[i], length);
        both.texts[i][length] = ' ';
        volt_csv_texts_put(&both, i, clocks->texts[i], strlen(clocks->texts[i]));
        both.texts[i] -= length + 1;
    }
    volt_free(dates->texts);
    *dates = both;
    return VOLT_OK;
}

volt_status volt_csv_times_finish(volt_csv_texts *dates, const volt_csv_texts *clocks, const char *name,
                                  volt_date_order order, volt_table *table)
{
    volt_status status = clocks->texts ? join(dates, clocks, table->rows) : VOLT_OK;
    if (status)
        return status;
    table->time_name = volt_strdup(name);
    table->times = volt_alloc(table->rows, sizeof *table->times);
    if (!table->time_name || !table->times)
        return VOLT_ERR_MEMORY;
    table->time_texts = dates->texts;
    dates->texts = NULL;
    if (volt_times_parse_as((const char *const *)table->time_texts, table->rows, order, table->times) !=
        VOLT_OK) {
        volt_free(table->times);
        table->times = NULL;
    }
    return VOLT_OK;
}
