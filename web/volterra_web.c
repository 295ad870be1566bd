/* web/volterra_web.c: entry of the page in the browser. The worker writes the user's file to the file system in
 * memory, calls web_run, and reads the JSON that the command prints. */
#include "program.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 64, MAX_ROWS = 20000 };

int web_run(char *line);

const cli_command *const commands[] = {&command_forecast, &command_identify};
const int n_commands = (int)(sizeof commands / sizeof commands[0]);

/* There is no terminal. */
int isatty(int file)
{
    (void)file;
    return 0;
}

/* Names, times and values of the columns, for the plot of the data and the choice of columns: of the last MAX_ROWS rows.
 * Numbers that are missing are null; a column with a cell that is neither a number nor missing is faulty. */
static json_t *describe(const volt_table *table)
{
    int64_t first = table->rows > MAX_ROWS ? table->rows - MAX_ROWS : 0;
    json_t *names = json_array(), *columns = json_array(), *times = json_array(), *faulty = json_array();
    for (int64_t j = 0; j < table->cols; j++) {
        json_t *values = json_array();
        int has_fault = 0;
        for (int64_t i = 0; i < table->rows; i++) {
            double number = table->values[i * table->cols + j];
            has_fault |= isinf(number);
            if (i >= first)
                json_array_append_new(values, isfinite(number) ? json_real(number) : json_null());
        }
        json_array_append_new(names, json_string(table->names[j]));
        json_array_append_new(columns, values);
        json_array_append_new(faulty, json_boolean(has_fault));
    }
    for (int64_t i = first; table->time_texts && i < table->rows; i++)
        json_array_append_new(times, json_string(table->time_texts[i]));
    return json_pack("{s:I, s:I, s:b, s:s?, s:o, s:o, s:o, s:o}", "rows", (json_int_t)table->rows, "first",
                     (json_int_t)first, "header", table->has_header, "time", table->time_name, "times", times,
                     "names", names, "columns", columns, "faulty", faulty);
}

static int print_table(const char *path)
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
    int failed = !json || json_dumpf(json, stdout, JSON_COMPACT) != 0;
    json_decref(json);
    if (failed)
        return complain(EXIT_FAILED, "not enough memory to show %s", path);
    putchar('\n');
    return EXIT_DONE;
}

static int run(int count, char **words)
{
    set_command_name(count > 0 ? words[0] : NULL);
    if (count == 2 && strcmp(words[0], "table") == 0)
        return print_table(words[1]);
    for (int i = 0; count > 0 && i < n_commands; i++)
        if (strcmp(commands[i]->name, words[0]) == 0)
            return commands[i]->run(count - 1, words + 1);
    return complain(EXIT_USAGE, "unknown command '%s'", count > 0 ? words[0] : "");
}

/* Runs a command of the program, or `table FILE`. `line` has its name and arguments, one on each line.
 * Warnings follow the errors on stderr. Returns the exit status of the program. */
int web_run(char *line)
{
    char *words[MAX_ARGUMENTS + 1] = {NULL};
    int count = 0;
    for (char *word = strtok(line, "\n"); word && count < MAX_ARGUMENTS; word = strtok(NULL, "\n"))
        words[count++] = word;
    volt_set_log(hold_library_warning, NULL);
    int status = run(count, words);
    print_warnings();
    fflush(stdout);
    fflush(stderr);
    return status;
}
