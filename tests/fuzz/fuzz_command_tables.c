/* tests/fuzz/fuzz_command_tables.c: libFuzzer target for the option tables of all commands.
 *
 * The first line is a command, each further line an argument. Values that are accepted are in the range of the table. The
 * landmarks of a solver survive the way to a command line and back. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_lines.h"
#include "fuzz/fuzz_mute.h"

#include "args/options.h"
#include "args/shell_words.h"
#include "program.h"
#include "search/training_solver.h"
#include "volterra.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 12 };

/* The structs of the commands are known only to them; the last option of each ends within this size. */
enum { ARGUMENTS_BYTES = 1 << 14 };
typedef union any_arguments {
    common_arguments common;
    char bytes[ARGUMENTS_BYTES];
} any_arguments;

static const cli_command *find(const char *name)
{
    for (int i = 0; i < n_commands; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void check_number(const option *row, double number)
{
    bool has_range = row->range.low != 0 || row->range.high != 0;
    FUZZ_CHECK(isfinite(number));
    if (has_range)
        FUZZ_CHECK(number >= row->range.low && number <= row->range.high);
}

static bool is_choice(const option *row, int value)
{
    for (const choice *one = row->choices; one->word; one++)
        if (one->value == value)
            return true;
    return false;
}

/* Checks a value that the words gave; others keep what the command had before. */
static void check_value(const option *row, const any_arguments *arguments)
{
    const void *at = arguments->bytes + row->offset;
    const number_list *numbers = at;
    const text_list *texts = at;
    const char *text = NULL;
    FUZZ_CHECK(row->offset < ARGUMENTS_BYTES - sizeof *numbers);
    switch (row->kind) {
    case OPTION_TEXT:
        memcpy(&text, at, sizeof text);
        FUZZ_CHECK(!text || *text);
        break;
    case OPTION_COUNT:
        if (*(const int64_t *)at != 0)
            check_number(row, (double)*(const int64_t *)at);
        break;
    case OPTION_NUMBER:
        if (*(const double *)at != 0)
            check_number(row, *(const double *)at);
        break;
    case OPTION_CHOICE:
        FUZZ_CHECK(*(const int *)at == 0 || is_choice(row, *(const int *)at));
        break;
    case OPTION_NUMBERS:
        FUZZ_CHECK(numbers->count >= 0 && numbers->count <= NUMBER_LIST_CAPACITY);
        for (int i = 0; i < numbers->count; i++)
            check_number(row, numbers->values[i]);
        break;
    case OPTION_TEXTS:
        for (int64_t i = 0; i < texts->count; i++)
            FUZZ_CHECK(*texts->texts[i]);
        break;
    default:
        break;
    }
}

/* The word of --landmarks, read, printed and read again. */
static void check_landmarks(const char *text)
{
    training_arguments arguments = {.landmarks = text};
    volt_fit_options options = volt_fit_options_default();
    options.solver = "nystrom";
    volt_fit_options again = options;
    volt_search_options search = volt_search_options_default();
    if (solver_landmarks(text, &options))
        return;
    FUZZ_CHECK(options.landmarks >= 1 || options.landmarks == VOLT_LANDMARKS_AUTO);
    FUZZ_CHECK((solver_search_options(&arguments, &search, &again) == 0) == (options.landmarks >= 1));
    shell_words words = {0};
    solver_words(&options, &words);
    char *line = shell_words_take(&words);
    const char *printed = line ? strstr(line, "--landmarks ") : NULL;
    FUZZ_CHECK(printed);
    again = volt_fit_options_default();
    FUZZ_CHECK(solver_landmarks(printed + strlen("--landmarks "), &again) == 0);
    FUZZ_CHECK(again.landmarks == options.landmarks && again.landmark_choice == options.landmark_choice);
    free(line);
}

static void parse(const cli_command *command, int count, char *const *words)
{
    option rows[MAX_OPTIONS];
    int n_rows = options_expand(&command->options, false, rows);
    any_arguments *arguments = calloc(1, sizeof *arguments);
    FUZZ_CHECK(arguments);
    int failed = options_parse(&command->options, count, words, arguments);
    for (int i = 0; i < n_rows; i++) {
        char *at = arguments->bytes + rows[i].offset;
        if (!failed)
            check_value(&rows[i], arguments);
        if (!failed && rows[i].kind == OPTION_TEXT && strcmp(rows[i].name, "landmarks") == 0 && *(char **)at)
            check_landmarks(*(char **)at);
        if (rows[i].kind == OPTION_TEXTS)
            text_list_free((text_list *)at);
    }
    free(arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *words[FUZZ_LINES] = {NULL};
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    fuzz_mute();
    int count = fuzz_lines_split(bytes, size, words);
    const cli_command *command = count > 0 ? find(words[0]) : NULL;
    /* These take effect at once. */
    bool has_effect = false;
    for (int i = 1; i < count; i++)
        has_effect |= strncmp(words[i], "--threads", 9) == 0 || strncmp(words[i], "--device", 8) == 0;
    if (command && !has_effect)
        parse(command, count - 1, words + 1);
    fuzz_lines_free(words, count);
    return 0;
}
