/* src/io/series/ts.c: .ts files, the format of the UEA and UCR archives of series with classes.
 *
 *     # comment
 *     @problemName BasicMotions
 *     @univariate false
 *     @dimensions 2
 *     @equalLength true
 *     @seriesLength 3
 *     @classLabel true Standing Running
 *     @data
 *     0.1,0.2,0.3:1,2,3:Standing
 *
 * One line is one series: its dimensions separated by colons, each with numbers separated by commas, and last
 * the label, or with @targetLabel true the target of a regression. Directives are case-insensitive; those
 * without relevance for the data are ignored. The header is checked against the data. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/text_lines.h"
#include "io/series/series_list.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* One series. The file has one dimension (channel) after the other, a collection has rows (time) x channels. */
typedef struct ts_dimensions {
    int64_t line;     /* of the file, for error messages */
    int64_t count;    /* complete dimensions */
    int64_t length;   /* numbers of each */
    int64_t position; /* numbers of the current dimension */
    double *numbers;  /* consecutive dimensions */
    int64_t n_numbers, capacity;
} ts_dimensions;

typedef struct ts_reader {
    volt_text_lines lines;
    int is_univariate;
    int is_equal;          /* the header declares that all series have the same length */
    int64_t series_length; /* from the header, or else from the first series; 0: unknown */
    int has_classes, has_target;
    const char *classes; /* names separated by blanks, "" when the header does not list them */
    ts_dimensions series;
    volt_series_list list;
} ts_reader;

/* ---- the header ------------------------------------------------------------------------------- */

/* The length of the word at text; *rest is the text after the following blanks. */
static size_t split_word(const char *text, const char **rest)
{
    size_t length = strcspn(text, " \t");
    *rest = text + length + strspn(text + length, " \t");
    return length;
}

static int is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* Reads true or false; *rest is the text after it. */
static volt_status read_flag(int64_t line, const char *name, const char *text, int *flag, const char **rest)
{
    char shown[VOLT_EXCERPT_LENGTH];
    size_t length = split_word(text, rest);
    *flag = is_word(text, length, "true");
    VOLT_REQUIRE(*flag || is_word(text, length, "false"), VOLT_ERR_FORMAT,
                 "line %" PRId64 ": @%s must be true or false, found '%s'", line, name,
                 volt_excerpt(text, strlen(text), shown));
    return VOLT_OK;
}

static volt_status read_count(int64_t line, const char *name, const char *text, int64_t *count)
{
    const double largest = 1e15; /* well within the integers that a double represents exactly */
    char shown[VOLT_EXCERPT_LENGTH];
    double value = 0;
    VOLT_REQUIRE(volt_parse_number(text, &value) && value >= 1 && value <= largest && value == floor(value),
                 VOLT_ERR_FORMAT, "line %" PRId64 ": @%s must be a whole number from 1 on, found '%s'", line,
                 name, volt_excerpt(text, strlen(text), shown));
    *count = (int64_t)value;
    return VOLT_OK;
}

typedef enum ts_directive {
    TS_TIME_STAMPS,
    TS_UNIVARIATE,
    TS_DIMENSIONS,
    TS_EQUAL_LENGTH,
    TS_SERIES_LENGTH,
    TS_CLASS_LABEL,
    TS_TARGET_LABEL,
    TS_DATA,
    TS_OTHER
} ts_directive;

static ts_directive directive_of(const char *word, size_t length)
{
    static const struct {
        const char *name;
        ts_directive directive;
    } known[] = {
        {"timestamps", TS_TIME_STAMPS},   {"univariate", TS_UNIVARIATE},
        {"dimensions", TS_DIMENSIONS},    {"dimension", TS_DIMENSIONS},
        {"equallength", TS_EQUAL_LENGTH}, {"serieslength", TS_SERIES_LENGTH},
        {"classlabel", TS_CLASS_LABEL},   {"classlabels", TS_CLASS_LABEL},
        {"targetlabel", TS_TARGET_LABEL}, {"data", TS_DATA},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_word(word, length, known[i].name))
            return known[i].directive;
    return TS_OTHER;
}

/* Reads one line of the header, after its '@'. */
static volt_status read_directive(ts_reader *reader, const char *text, int *is_data)
{
    const char *rest;
    int64_t line = reader->lines.line;
    int flag;
    switch (directive_of(text, split_word(text, &rest))) {
    case TS_TIME_STAMPS:
        VOLT_TRY(read_flag(line, "timeStamps", rest, &flag, &rest));
        VOLT_REQUIRE(!flag, VOLT_ERR_FORMAT,
                     "line %" PRId64 ": @timeStamps true: values with time stamps are not supported; write "
                     "only the values, evenly spaced in time",
                     line);
        return VOLT_OK;
    case TS_UNIVARIATE:
        return read_flag(line, "univariate", rest, &reader->is_univariate, &rest);
    case TS_DIMENSIONS:
        return read_count(line, "dimensions", rest, &reader->list.channels);
    case TS_EQUAL_LENGTH:
        return read_flag(line, "equalLength", rest, &reader->is_equal, &rest);
    case TS_SERIES_LENGTH:
        return read_count(line, "seriesLength", rest, &reader->series_length);
    case TS_CLASS_LABEL:
        return read_flag(line, "classLabel", rest, &reader->has_classes, &reader->classes);
    case TS_TARGET_LABEL:
        return read_flag(line, "targetLabel", rest, &reader->has_target, &rest);
    case TS_DATA:
        *is_data = 1;
        return VOLT_OK;
    default:
        return VOLT_OK;
    }
}

static volt_status read_header(ts_reader *reader)
{
    char shown[VOLT_EXCERPT_LENGTH];
    int is_data = 0;
    while (!is_data) {
        const char *text = volt_text_lines_next(&reader->lines, '#');
        VOLT_REQUIRE(text, VOLT_ERR_FORMAT,
                     "the file ends before @data: this is not a .ts file, or it is truncated");
        VOLT_REQUIRE(*text == '@', VOLT_ERR_FORMAT,
                     "line %" PRId64 ": expected a line that begins with @ before @data, found '%s'",
                     reader->lines.line, volt_excerpt(text, strlen(text), shown));
        VOLT_TRY(read_directive(reader, text + 1, &is_data));
    }
    if (!reader->is_univariate)
        return VOLT_OK;
    VOLT_REQUIRE(reader->list.channels <= 1, VOLT_ERR_FORMAT,
                 "the header declares @univariate true and @dimensions %" PRId64, reader->list.channels);
    reader->list.channels = 1;
    return VOLT_OK;
}

/* ---- the dimensions of a series --------------------------------------------------------------- */

/* Begins the series on this line. The buffer of the previous series is reused. */
static void begin_dimensions(ts_dimensions *series, int64_t line)
{
    series->line = line;
    series->count = series->length = series->position = series->n_numbers = 0;
}

/* Reads a number of the current dimension from text[0 .. length-1]; text[length] is overwritten. */
static volt_status read_number(ts_dimensions *series, char *text, int64_t length)
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

static volt_status end_dimension(ts_dimensions *series)
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

static volt_status read_dimension(ts_dimensions *series, char *text, int64_t length)
{
    char *end = text + length;
    for (char *comma; (comma = memchr(text, ',', (size_t)(end - text))); text = comma + 1)
        VOLT_TRY(read_number(series, text, comma - text));
    VOLT_TRY(read_number(series, text, end - text));
    return end_dimension(series);
}

/* Adds the complete series to the list. The first one sets the number of channels, unless known. */
static volt_status store_dimensions(const ts_dimensions *series, volt_series_list *list)
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

/* ---- the data --------------------------------------------------------------------------------- */

static int is_listed(const char *classes, const char *label, size_t length)
{
    for (const char *rest; *classes; classes = rest)
        if (split_word(classes, &rest) == length && memcmp(classes, label, length) == 0)
            return 1;
    return 0;
}

static volt_status read_label(ts_reader *reader, const char *text)
{
    char shown[VOLT_EXCERPT_LENGTH];
    size_t length = strlen(text);
    double target;
    volt_excerpt(text, length, shown);
    VOLT_REQUIRE(length > 0, VOLT_ERR_FORMAT, "line %" PRId64 " has no label", reader->lines.line);
    if (reader->has_target)
        VOLT_REQUIRE(volt_parse_number(text, &target) && isfinite(target), VOLT_ERR_FORMAT,
                     "line %" PRId64 ": the target '%s' is not a number", reader->lines.line, shown);
    else
        VOLT_REQUIRE(!*reader->classes || is_listed(reader->classes, text, length), VOLT_ERR_FORMAT,
                     "line %" PRId64 ": the label '%s' is not among the classes of @classLabel",
                     reader->lines.line, shown);
    return volt_series_label(&reader->list, text, length);
}

static volt_status check_length(ts_reader *reader)
{
    if (!reader->is_equal)
        return VOLT_OK;
    if (reader->series_length == 0)
        reader->series_length = reader->series.length;
    VOLT_REQUIRE(reader->series.length == reader->series_length, VOLT_ERR_FORMAT,
                 "line %" PRId64 ": the series has %" PRId64
                 " values, but with @equalLength true it must have %" PRId64,
                 reader->lines.line, reader->series.length, reader->series_length);
    return VOLT_OK;
}

static volt_status read_series(ts_reader *reader, char *text)
{
    ts_dimensions *series = &reader->series;
    begin_dimensions(series, reader->lines.line);
    for (char *colon; (colon = strchr(text, ':')); text = colon + 1)
        VOLT_TRY(read_dimension(series, text, colon - text));
    if (!reader->has_classes && !reader->has_target) {
        VOLT_TRY(read_dimension(series, text, (int64_t)strlen(text)));
        VOLT_TRY(check_length(reader));
        return store_dimensions(series, &reader->list);
    }
    VOLT_REQUIRE(series->count > 0, VOLT_ERR_FORMAT, "line %" PRId64 ": there is no ':' followed by a label",
                 reader->lines.line);
    VOLT_TRY(check_length(reader));
    VOLT_TRY(store_dimensions(series, &reader->list));
    return read_label(reader, text + strspn(text, " \t"));
}

static volt_status read_data(ts_reader *reader)
{
    int64_t n_separators =
        volt_text_lines_count(&reader->lines, ',') + volt_text_lines_count(&reader->lines, ':');
    int64_t n_lines = volt_text_lines_count(&reader->lines, '\n');
    VOLT_TRY(volt_series_reserve(&reader->list, n_separators + n_lines + 1));
    for (char *text; (text = volt_text_lines_next(&reader->lines, '#'));)
        VOLT_TRY(read_series(reader, text));
    VOLT_REQUIRE(reader->list.count > 0, VOLT_ERR_FORMAT, "there are no series after @data");
    return VOLT_OK;
}

volt_status volt_ts_read(const char *path, volt_collection **collection)
{
    ts_reader reader = {.classes = ""};
    VOLT_TRY(volt_text_lines_open(path, &reader.lines));
    volt_status status = read_header(&reader);
    if (!status)
        status = read_data(&reader);
    status = volt_series_finish(&reader.list, status, collection);
    volt_free(reader.series.numbers);
    volt_text_lines_close(&reader.lines);
    return status;
}
