/* src/io/series/dimensions.c: one series of a .ts or .arff file, read dimension by dimension. */
#include "io/series/series_list.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/text_lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void volt_dimensions_begin(volt_dimensions *series, int64_t line)
{
    series->line = line;
    series->count = series->length = series->position = series->n_numbers = 0;
}

volt_status volt_dimensions_number(volt_dimensions *series, char *text, int64_t length)
{
    double value = NAN;
    text[length] = '\0';
    const char *problem = NULL;
    volt_cell kind = volt_cell_read(text, &value); /* before its value is used */
    volt_status status = volt_cell_check(kind, value, &problem);
    char shown[VOLT_EXCERPT_LENGTH];
    VOLT_REQUIRE(!status, status, "line %" PRId64 ", dimension %" PRId64 ", position %" PRId64 ": '%s' %s",
                 series->line, series->count + 1, series->position + 1, volt_excerpt(text, strlen(text), shown),
                 problem);
    VOLT_TRY(volt_grow((void **)&series->numbers, &series->capacity, series->n_numbers + 1, sizeof value));
    series->numbers[series->n_numbers++] = value;
    series->position++;
    return VOLT_OK;
}

volt_status volt_dimensions_end(volt_dimensions *series)
{
    if (series->count == 0)
        series->length = series->position;
    VOLT_REQUIRE(series->position == series->length, VOLT_ERR_FORMAT,
                 "line %" PRId64 ": dimension %" PRId64 " has %" PRId64 " values, dimension 1 has %" PRId64,
                 series->line, series->count + 1, series->position, series->length);
    series->count++;
    series->position = 0;
    return VOLT_OK;
}

volt_status volt_dimensions_add(volt_dimensions *series, char *text, int64_t length)
{
    char *end = text + length;
    for (char *comma; (comma = memchr(text, ',', (size_t)(end - text))); text = comma + 1)
        VOLT_TRY(volt_dimensions_number(series, text, comma - text));
    VOLT_TRY(volt_dimensions_number(series, text, end - text));
    return volt_dimensions_end(series);
}

volt_status volt_dimensions_store(const volt_dimensions *series, volt_series_list *list)
{
    double *values = NULL;
    if (list->channels == 0)
        list->channels = series->count;
    VOLT_REQUIRE(series->count == list->channels, VOLT_ERR_FORMAT,
                 "line %" PRId64 ": the number of dimensions is %" PRId64 ", expected %" PRId64, series->line,
                 series->count, list->channels);
    VOLT_TRY(volt_series_add(list, series->length, &values));
    for (int64_t k = 0; k < series->count; k++)
        for (int64_t i = 0; i < series->length; i++)
            values[i * series->count + k] = series->numbers[k * series->length + i];
    return VOLT_OK;
}
