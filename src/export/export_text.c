/* src/export/export_text.c: C source as text: translation to single precision, tables of numbers. */
#include "export/export_text.h"

#include "base/memory.h"
#include "text/text.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 100 }; /* width of a table */

/* Words of double precision, and those of single precision. */
static const char *const words[][2] = {
    {"double", "float"}, {"exp", "expf"},        {"sqrt", "sqrtf"},
    {"tanh", "tanhf"},   {"erf", "erff"},        {"acos", "acosf"},
    {"fabs", "fabsf"},   {"DBL_MAX", "FLT_MAX"}, {"DBL_EPSILON", "FLT_EPSILON"},
};

static const char *translated(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == length && memcmp(words[i][0], word, length) == 0)
            return words[i][1];
    return NULL;
}

/* Length of the word or number at `at`. */
static size_t token_length(const char *at)
{
    size_t length = 1;
    bool is_number = isdigit((unsigned char)*at) != 0;
    for (; isalnum((unsigned char)at[length]) || at[length] == '_' || (is_number && at[length] == '.') ||
           (is_number && strchr("+-", at[length]) && at[length] && at[length - 1] == 'e');
         length++) {
    }
    return length;
}

static void put_token(volt_source *source, const char *at, size_t length)
{
    const char *word = translated(at, length);
    if (word) {
        volt_text_put(&source->text, word);
        return;
    }
    volt_text_put_bytes(&source->text, at, length);
    bool is_real = isdigit((unsigned char)*at) && memchr(at, '.', length) && at[length - 1] != 'f';
    if (is_real)
        volt_text_put(&source->text, "f");
}

static void put_single(volt_source *source, const char *piece)
{
    bool in_line = false; /* a preprocessor line */
    while (*piece) {
        size_t length = 1;
        if (source->in_comment || in_line) {
            source->in_comment = source->in_comment && strncmp(piece, "*/", 2) != 0;
            in_line = in_line && *piece != '\n';
            volt_text_put_bytes(&source->text, piece, 1);
        } else if (strncmp(piece, "/*", 2) == 0 || *piece == '#') {
            source->in_comment = *piece == '/';
            in_line = *piece == '#';
            volt_text_put_bytes(&source->text, piece, 1);
        } else if (isalnum((unsigned char)*piece) || *piece == '_') {
            length = token_length(piece);
            put_token(source, piece, length);
        } else {
            volt_text_put_bytes(&source->text, piece, 1);
        }
        piece += length;
    }
}

static void put(volt_source *source, const char *piece)
{
    if (source->single)
        put_single(source, piece);
    else
        volt_text_put(&source->text, piece);
}

void volt_source_release(volt_source *source)
{
    volt_free(source->text.bytes);
    *source = (volt_source){0};
}

void volt_source_put(volt_source *source, const char *format, ...)
{
    char piece[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put(source, piece);
}

void volt_source_code(volt_source *source, int depth, const char *code)
{
    char line[512];
    while (*code) {
        size_t length = strcspn(code, "\n");
        snprintf(line, sizeof line, "%*s%.*s\n", length > 0 ? 4 * depth : 0, "", (int)length, code);
        put(source, line);
        code += length + (code[length] == '\n');
    }
}

void volt_source_comment(volt_source *source, const char *text)
{
    char shown[VOLT_CHARACTER_LENGTH];
    size_t left = strlen(text);
    while (left > 0) {
        size_t used = volt_show_character(text, left, shown);
        bool ends = *shown == '/' && source->text.size > 0 && source->text.bytes[source->text.size - 1] == '*';
        volt_text_put(&source->text, ends || *shown == '\\' ? "?" : shown);
        text += used;
        left -= used;
    }
}

const char *volt_source_number(volt_source *source, double value, char literal[VOLT_LITERAL_LENGTH])
{
    char number[VOLT_NUMBER_LENGTH];
    source->not_finite = source->not_finite || !isfinite(value);
    if (source->single) {
        source->overflows = source->overflows || fabs(value) > FLT_MAX;
        snprintf(number, sizeof number, "%.9g", (double)(float)value);
    } else {
        volt_format_number(value, number);
    }
    bool is_real = strpbrk(number, ".en") != NULL;
    snprintf(literal, VOLT_LITERAL_LENGTH, "%s%s%s", number, is_real ? "" : ".0", source->single ? "f" : "");
    return literal;
}

/* Appends an entry of a table and a comma, on a new line where the line is full. */
static void put_entry(volt_source *source, const char *entry, int64_t *width)
{
    int64_t length = (int64_t)strlen(entry) + 2;
    if (*width + length > LINE) {
        volt_text_put(&source->text, "\n   ");
        *width = 3;
    }
    volt_text_put(&source->text, " ");
    volt_text_put(&source->text, entry);
    volt_text_put(&source->text, ",");
    *width += length;
}

void volt_source_table(volt_source *source, const char *name, const double *numbers, int64_t rows, int64_t cols)
{
    int64_t across = cols > 0 ? cols : 1, width = LINE;
    char literal[VOLT_LITERAL_LENGTH], entry[VOLT_LITERAL_LENGTH + 4];
    volt_source_put(source, "static const double %s[%" PRId64 "]", name, rows);
    if (cols > 0)
        volt_source_put(source, "[%" PRId64 "]", cols);
    volt_text_put(&source->text, " = {");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < across; k++) {
            snprintf(entry, sizeof entry, "%s%s%s", cols > 0 && k == 0 ? "{" : "",
                     volt_source_number(source, numbers[i * across + k], literal),
                     cols > 0 && k == across - 1 ? "}" : "");
            put_entry(source, entry, &width);
        }
    volt_text_put(&source->text, "\n};\n");
    source->table_bytes += rows * across * (source->single ? (int64_t)sizeof(float) : (int64_t)sizeof(double));
}

void volt_source_integers(volt_source *source, const char *name, const int64_t *numbers, int64_t count)
{
    int64_t width = LINE;
    char entry[VOLT_LITERAL_LENGTH];
    volt_source_put(source, "static const int %s[%" PRId64 "] = {", name, count);
    for (int64_t i = 0; i < count; i++) {
        snprintf(entry, sizeof entry, "%" PRId64, numbers[i]);
        put_entry(source, entry, &width);
    }
    volt_text_put(&source->text, "\n};\n");
    source->table_bytes += count * 4;
}
