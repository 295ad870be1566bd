/* tests/fuzz/fuzz_bindings.c: libFuzzer target for the calls of R and MATLAB with named arguments.
 *
 * The first line is the name of the function, each further line an argument: its name, a letter for the kind and the value.
 *
 *     X v 1 2 3          vector                  kernel t rbf|linear    texts
 *     X m 2 1 2 3 4      matrix of 2 columns     model f, stream s      handles
 *     ranges l           list, whose items are the following lines that begin with "> "
 *     gap n              none
 *
 * A call returns results, or a message and no results. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_lines.h"
#include "fuzz/fuzz_own_file.h"

#include "base/progress.h"
#include "call.h"
#include "volterra.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 2048, MAX_NUMBERS = 256, MAX_TEXTS = 16, LARGEST = 64 };

/* ---- values ----------------------------------------------------------------------------------- */

/* Sizes that are valid but slow are reduced. Larger ones must be rejected. */
static double small(double number)
{
    return fabs(number) > LARGEST && fabs(number) < 2e9 ? fmod(number, LARGEST) : number;
}

static value *read_numbers(char *text, bool has_columns)
{
    double numbers[MAX_NUMBERS];
    int64_t count = 0, cols = has_columns ? strtoll(text, &text, 10) % LARGEST : 1;
    for (char *end = text; count < MAX_NUMBERS; count++, text = end) {
        double number = strtod(text, &end);
        if (end == text)
            break;
        numbers[count] = small(number);
    }
    if (cols < 1 || !has_columns)
        return value_vector(numbers, count);
    value *matrix = value_matrix(count / cols, cols);
    if (matrix)
        memcpy(matrix->numbers, numbers, (size_t)(matrix->rows * cols) * sizeof *numbers);
    return matrix;
}

static value *read_texts(char *text)
{
    const char *texts[MAX_TEXTS];
    int64_t count = 0;
    for (char *next = text; next && count < MAX_TEXTS; text = next) {
        next = strchr(text, '|');
        if (next)
            *next++ = '\0';
        texts[count++] = text;
    }
    return value_texts(texts, count);
}

static value *read_value(char kind, char *text, handle *model, handle *stream)
{
    switch (kind) {
    case 'v':
    case 'm':
        return read_numbers(text, kind == 'm');
    case 't':
        return read_texts(text);
    case 'f':
        return value_handle(model, false);
    case 's':
        return value_handle(stream, false);
    case 'l':
        return value_list();
    default:
        return value_none();
    }
}

/* Arguments that name a file have the path of a file of the target. */
static void add_argument(value *list, char *line, handle *model, handle *stream)
{
    char *kind = strchr(line, ' '), none[] = "", *text = none;
    if (kind)
        *kind++ = '\0';
    if (kind && kind[0] && kind[1])
        text = kind + 2;
    bool is_path = strcmp(line, "path") == 0 || strcmp(line, "log") == 0 || strcmp(line, "checkpoint") == 0 ||
                   strcmp(line, "state") == 0;
    value_add(list, line,
              is_path ? value_text(fuzz_own_path()) : read_value(kind ? *kind : 'n', text, model, stream));
}

static value *read_arguments(char **lines, int count, handle *model, handle *stream)
{
    value *arguments = value_list(), *list = NULL;
    for (int i = 0; i < count; i++) {
        if (lines[i][0] == '>' && lines[i][1] == ' ' && list) {
            add_argument(list, lines[i] + 2, model, stream);
            continue;
        }
        add_argument(arguments, lines[i], model, stream);
        value *last = arguments->items[arguments->rows - 1];
        list = last->kind == VALUE_LIST ? last : NULL;
    }
    FUZZ_CHECK(value_list_ok(arguments));
    return arguments;
}

/* Kernels and systems of thousands of units are valid but slow. */
static bool has_large_number(const char *line)
{
    int digits = 0;
    for (const char *at = line; *at; at++) {
        digits = isdigit((unsigned char)*at) ? digits + 1 : 0;
        bool is_power = (*at == 'e' || *at == 'E') && at > line && isdigit((unsigned char)at[-1]);
        if (digits > 2 || is_power)
            return true;
    }
    return false;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static int give_up(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return volt_seconds() - *(double *)context > 0.05;
}

static volt_status run(const char *function, const value *arguments, value **result, char message[CALL_MESSAGE])
{
    double begun = volt_seconds();
    return volterra_call(function, arguments, (volt_progress){.report = give_up, .context = &begun}, result,
                         message);
}

/* Returns the handle of a model, which is fitted once. */
static handle *a_model(void)
{
    static value *fitted; /* reachable: not a leak */
    if (!fitted) {
        char message[CALL_MESSAGE] = "", data[] = "0.5 -1 2 0.25 -0.75 1.5 1 -2 0.125 0.5 -0.5 1";
        value *arguments = value_list();
        FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
        value_add(arguments, "X", read_numbers(data, false));
        value_add(arguments, "alpha", value_number(0.1));
        FUZZ_CHECK(volterra_call("fit", arguments, (volt_progress){0}, &fitted, message) == VOLT_OK);
        value_free(arguments);
    }
    return value_get(fitted, "model")->object;
}

/* Results that are documented as finite. */
static void check_finite(const value *result, const char *name)
{
    const value *found = value_get(result, name);
    for (int64_t i = 0; found && i < found->rows * found->cols; i++)
        FUZZ_CHECK(isfinite(found->numbers[i]));
}

static void check_result(volt_status status, const value *result, const char message[CALL_MESSAGE])
{
    FUZZ_CHECK(memchr(message, '\0', CALL_MESSAGE));
    FUZZ_CHECK(strcmp(volterra_status_id(status), "unknown") != 0);
    if (status) {
        FUZZ_CHECK(!result && *message);
        return;
    }
    FUZZ_CHECK(value_list_ok(result) && !*message);
    check_finite(result, "prediction");
    check_finite(result, "forecast");
    check_finite(result, "data");
    const value *warnings = value_get(result, "warnings");
    for (int64_t i = 0; warnings && i < warnings->rows; i++)
        FUZZ_CHECK(warnings->items[i]->kind == VALUE_TEXTS && *warnings->items[i]->texts[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *lines[FUZZ_LINES] = {NULL}, message[CALL_MESSAGE] = "";
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    handle *model = a_model();
    int count = fuzz_lines_split(bytes, size, lines);
    bool is_slow = count == 0 || strcmp(lines[0], "threads") == 0;
    for (int i = 0; i < count; i++)
        is_slow |= strstr(lines[i], " t ") && has_large_number(lines[i]);
    if (!is_slow) {
        value *made = NULL, *result = NULL, *arguments = value_list();
        value_add(arguments, "model", value_handle(model, false));
        value_add(arguments, "learn", value_number(1));
        FUZZ_CHECK(volterra_call("stream", arguments, (volt_progress){0}, &made, message) == VOLT_OK);
        value_free(arguments);
        arguments = read_arguments(lines + 1, count - 1, model, value_get(made, "stream")->object);
        volt_status status = run(lines[0], arguments, &result, message);
        check_result(status, result, message);
        value_free(result);
        value_free(arguments);
        value_free(made);
        unlink(fuzz_own_path());
    }
    fuzz_lines_free(lines, count);
    return 0;
}
