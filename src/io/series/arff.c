/* src/io/series/arff.c: .arff files (Weka's format) of the UEA and UCR archives of series with classes.
 *
 *     % comment                                          @relation univariate
 *     @relation multivariate                             @attribute att1 numeric
 *     @attribute bag relational                          @attribute att2 numeric
 *         @attribute att1 numeric                        @attribute class {a,b}
 *         @attribute att2 numeric                        @data
 *     @end bag                                           0.1,0.2,a
 *     @attribute class {a,b}
 *     @data
 *     '0.1,0.2\n1,2\n-1,-2',a
 *
 * One line is one series. With a relational attribute, the quoted cell contains the dimensions, separated by
 * the two characters \n, and the inner attributes are the points in time. Otherwise the numeric attributes are
 * the points in time. The other attribute, if any, is the label. Reference: Weka manual, "ARFF" and
 * "Multi-instance classification". */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/file/text_lines.h"
#include "io/series/series_list.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { NONE = -1 };

typedef struct arff_reader {
    volt_text_lines lines;
    int64_t n_attributes; /* a relational attribute counts as one */
    int64_t n_points;     /* attributes that are points in time */
    int64_t bag;          /* the relational attribute, or NONE */
    int64_t label;        /* the attribute that is the label, or NONE */
    char *classes;        /* the list of a nominal label without its braces; NULL: any text */
    int in_bag;           /* between @attribute ... relational and @end */
    volt_dimensions series;
    volt_series_list list;
} arff_reader;

typedef struct arff_cell {
    char *text;
    int64_t length;
} arff_cell;

static char *skip_blanks(char *text)
{
    return text + strspn(text, " \t");
}

/* Reads the cell at *at, without quotes and surrounding blanks, and advances *at past its comma, to NULL
 * after the last cell of the line. A backslash in quotes escapes the next character. Returns 0 when a quote
 * is never closed or text follows it. */
static int next_cell(char **at, arff_cell *cell)
{
    char *begin = skip_blanks(*at), *end;
    if (*begin == '\'' || *begin == '"') {
        for (end = begin + 1; *end && *end != *begin; end++)
            if (*end == '\\' && end[1])
                end++;
        if (!*end)
            return 0;
        *cell = (arff_cell){begin + 1, end - begin - 1};
        end = skip_blanks(end + 1);
    } else {
        end = begin + strcspn(begin, ",");
        int64_t length = end - begin;
        while (length > 0 && (begin[length - 1] == ' ' || begin[length - 1] == '\t'))
            length--;
        *cell = (arff_cell){begin, length};
    }
    if (*end && *end != ',')
        return 0;
    *at = *end ? end + 1 : NULL;
    return 1;
}

/* ---- the header ------------------------------------------------------------------------------- */

static int begins_with(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncasecmp(text, word, length) == 0 && (!text[length] || strchr(" \t{", text[length]));
}

/* Skips the name of an attribute, quoted or not, to its type. NULL: a quote is never closed. */
static char *skip_name(char *text)
{
    if (*text != '\'' && *text != '"')
        return skip_blanks(text + strcspn(text, " \t"));
    char *end = text + 1;
    while (*end && *end != *text)
        end += *end == '\\' && end[1] ? 2 : 1;
    return *end ? skip_blanks(end + 1) : NULL;
}

static volt_status add_label(arff_reader *reader)
{
    VOLT_REQUIRE(reader->label == NONE, VOLT_ERR_FORMAT,
                 "line %" PRId64
                 ": this is a second attribute that is not part of the series; only one label is supported",
                 reader->lines.line);
    reader->label = reader->n_attributes++;
    return VOLT_OK;
}

static volt_status add_nominal(arff_reader *reader, char *type)
{
    char *brace = strrchr(type, '}');
    VOLT_REQUIRE(brace, VOLT_ERR_FORMAT, "line %" PRId64 ": the list of classes has no closing '}'",
                 reader->lines.line);
    *brace = '\0';
    reader->classes = type + 1;
    return add_label(reader);
}

static volt_status read_attribute(arff_reader *reader, char *text)
{
    char shown[VOLT_EXCERPT_LENGTH];
    int64_t line = reader->lines.line;
    char *type = skip_name(text);
    VOLT_REQUIRE(type && *type, VOLT_ERR_FORMAT, "line %" PRId64 ": an attribute requires a name and a type",
                 line);
    volt_excerpt(type, strlen(type), shown);
    int is_number = begins_with(type, "numeric") || begins_with(type, "real") || begins_with(type, "integer");
    if (reader->in_bag) {
        VOLT_REQUIRE(is_number, VOLT_ERR_FORMAT,
                     "line %" PRId64 ": attributes of a series must be numeric, found '%s'", line, shown);
        reader->n_points++;
        return VOLT_OK;
    }
    if (begins_with(type, "relational")) {
        VOLT_REQUIRE(reader->bag == NONE && reader->n_points == 0, VOLT_ERR_FORMAT,
                     "line %" PRId64 ": a series is one relational attribute or several numeric ones, not both",
                     line);
        reader->bag = reader->n_attributes++;
        reader->in_bag = 1;
        return VOLT_OK;
    }
    if (is_number && reader->bag == NONE) {
        reader->n_points++;
        reader->n_attributes++;
        return VOLT_OK;
    }
    if (*type == '{')
        return add_nominal(reader, type);
    VOLT_REQUIRE(is_number || begins_with(type, "string"), VOLT_ERR_FORMAT,
                 "line %" PRId64 ": attributes of type '%s' are not supported", line, shown);
    return add_label(reader);
}

static volt_status check_header(const arff_reader *reader)
{
    VOLT_REQUIRE(!reader->in_bag, VOLT_ERR_FORMAT, "the relational attribute has no @end before @data");
    VOLT_REQUIRE(reader->n_points > 0, VOLT_ERR_FORMAT, "there is no numeric attribute before @data");
    return VOLT_OK;
}

static volt_status read_header(arff_reader *reader)
{
    char shown[VOLT_EXCERPT_LENGTH];
    for (char *text; (text = volt_text_lines_next(&reader->lines, '%'));) {
        if (begins_with(text, "@data"))
            return check_header(reader);
        if (begins_with(text, "@attribute")) {
            VOLT_TRY(read_attribute(reader, skip_blanks(text + strlen("@attribute"))));
        } else if (begins_with(text, "@end")) {
            VOLT_REQUIRE(reader->in_bag, VOLT_ERR_FORMAT,
                         "line %" PRId64 ": @end without a relational attribute", reader->lines.line);
            reader->in_bag = 0;
        } else {
            VOLT_REQUIRE(begins_with(text, "@relation"), VOLT_ERR_FORMAT,
                         "line %" PRId64 ": expected @relation, @attribute or @data, found '%s'",
                         reader->lines.line, volt_excerpt(text, strlen(text), shown));
        }
    }
    return volt_fail(VOLT_ERR_FORMAT,
                     "the file ends before @data: this is not an .arff file, or it is truncated");
}

/* ---- the data --------------------------------------------------------------------------------- */

/* Whether the label is one of the nominal attribute's values. */
static int is_listed(char *classes, arff_cell label)
{
    arff_cell listed;
    while (classes && next_cell(&classes, &listed))
        if (listed.length == label.length && memcmp(listed.text, label.text, (size_t)label.length) == 0)
            return 1;
    return 0;
}

static volt_status store_label(arff_reader *reader, arff_cell label)
{
    char shown[VOLT_EXCERPT_LENGTH];
    VOLT_REQUIRE(label.length > 0, VOLT_ERR_FORMAT, "line %" PRId64 " has no label", reader->lines.line);
    VOLT_REQUIRE(!reader->classes || is_listed(reader->classes, label), VOLT_ERR_FORMAT,
                 "line %" PRId64 ": the label '%s' is not among the classes in the header", reader->lines.line,
                 volt_excerpt(label.text, (size_t)label.length, shown));
    return volt_series_label(&reader->list, label.text, (size_t)label.length);
}

/* Reads all dimensions of a relational cell. */
static volt_status read_bag(arff_reader *reader, arff_cell cell)
{
    volt_dimensions *series = &reader->series;
    char *text = cell.text, *end = cell.text + cell.length;
    *end = '\0'; /* the closing quote or a comma: strstr stops here */
    for (char *mark; text; text = mark ? mark + 2 : NULL) {
        mark = strstr(text, "\\n");
        VOLT_TRY(volt_dimensions_add(series, text, (mark ? mark : end) - text));
    }
    return VOLT_OK;
}

static volt_status read_series(arff_reader *reader, char *text)
{
    volt_dimensions *series = &reader->series;
    int64_t line = reader->lines.line, n_cells = 0;
    arff_cell cell, label = {NULL, 0};
    VOLT_REQUIRE(*text != '{', VOLT_ERR_FORMAT, "line %" PRId64 ": sparse data ('{...}') are not supported",
                 line);
    volt_dimensions_begin(series, line);
    for (char *at = text; at; n_cells++) {
        VOLT_REQUIRE(next_cell(&at, &cell), VOLT_ERR_FORMAT,
                     "line %" PRId64 ", cell %" PRId64 ": a quotation mark is not closed, or text follows it",
                     line, n_cells + 1);
        VOLT_REQUIRE(n_cells < reader->n_attributes, VOLT_ERR_FORMAT,
                     "line %" PRId64 " has more than the %" PRId64 " cells that the header declares", line,
                     reader->n_attributes);
        if (n_cells == reader->label)
            label = cell;
        else if (n_cells == reader->bag)
            VOLT_TRY(read_bag(reader, cell));
        else
            VOLT_TRY(volt_dimensions_number(series, cell.text, cell.length));
    }
    VOLT_REQUIRE(n_cells == reader->n_attributes, VOLT_ERR_FORMAT,
                 "line %" PRId64 " has %" PRId64 " cells, but the header declares %" PRId64, line, n_cells,
                 reader->n_attributes);
    if (reader->bag == NONE)
        VOLT_TRY(volt_dimensions_end(series));
    VOLT_REQUIRE(series->length == reader->n_points, VOLT_ERR_FORMAT,
                 "line %" PRId64 ": a dimension has %" PRId64 " values, but the header declares %" PRId64, line,
                 series->length, reader->n_points);
    VOLT_TRY(volt_dimensions_store(series, &reader->list));
    return reader->label == NONE ? VOLT_OK : store_label(reader, label);
}

static volt_status read_data(arff_reader *reader)
{
    /* A number is followed by a comma, a \n or the end of a line. */
    int64_t n_ends = volt_text_lines_count(&reader->lines, ',') + volt_text_lines_count(&reader->lines, '\\') +
                     volt_text_lines_count(&reader->lines, '\n');
    VOLT_TRY(volt_series_reserve(&reader->list, n_ends + 1));
    for (char *text; (text = volt_text_lines_next(&reader->lines, '%'));)
        VOLT_TRY(read_series(reader, text));
    VOLT_REQUIRE(reader->list.count > 0, VOLT_ERR_FORMAT, "there are no series after @data");
    return VOLT_OK;
}

volt_status volt_arff_read(const char *path, volt_collection **collection)
{
    arff_reader reader = {.bag = NONE, .label = NONE};
    VOLT_TRY(volt_text_lines_open(path, &reader.lines));
    volt_status status = read_header(&reader);
    if (!status)
        status = read_data(&reader);
    status = volt_series_finish(&reader.list, status, collection);
    volt_free(reader.series.numbers);
    volt_text_lines_close(&reader.lines);
    return status;
}
