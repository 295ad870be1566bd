/* cli/help.c: help texts, printed from the tables of the parser and the library. */
#include "program.h"

#include "terminal/results.h"
#include "volterra.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 100, MEANING_COLUMN = 30, SUMMARY_LENGTH = 256 };

/* ---- options ---------------------------------------------------------------------------------- */

/* Writes "-o FILE", "--kernel K" or "--quiet", as shown in the synopsis. */
static void describe_use(const option *row, char form, char *text, size_t capacity)
{
    char word[64], choices[CHOICES_LENGTH];
    const char *value = option_value_name(row, choices);
    bool is_required = row->required && (!row->required_form || row->required_form == form);
    if (row->is_positional)
        snprintf(word, sizeof word, "%s", row->name);
    else if (row->letter)
        snprintf(word, sizeof word, "-%c", row->letter);
    else
        snprintf(word, sizeof word, "--%s", row->name);

    snprintf(text, capacity, "%s%s%s%s%s", is_required ? "" : "[", word, value ? " " : "", value ? value : "",
             is_required ? "" : "]");
}

/* Prints the synopsis of one form of the command. */
static void print_form(const char *name, const option *rows, int count, char form)
{
    int indent = printf("%s volterra %s", form == 1 ? "usage:" : "      ", name);
    int column = indent;
    for (int i = 0; i < count; i++) {
        char use[128];
        if (rows[i].form && rows[i].form != form)
            continue;
        describe_use(&rows[i], form, use, sizeof use);
        if (column + 1 + (int)strlen(use) > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf(" %s", use);
    }
    printf("\n");
}

static void print_synopsis(const char *name, const option *rows, int count)
{
    bool has_second = false;
    for (int i = 0; i < count; i++)
        has_second = has_second || rows[i].form == 2;
    print_form(name, rows, count, 1);
    if (has_second)
        print_form(name, rows, count, 2);
}

void help_print_wrapped(const char *text, int column, int indent)
{
    if (column + 2 > indent) {
        printf("\n");
        column = 0;
    }
    column += printf("%*s", indent - column, "");
    bool is_first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!is_first && column + 1 + length > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        column += printf("%s%.*s", is_first ? "" : " ", length, text);
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void print_option(const option *row)
{
    char text[MEANING_LENGTH], choices[CHOICES_LENGTH];
    const char *value = option_value_name(row, choices);
    int column;
    if (row->is_positional)
        column = printf("  %s", row->name);
    else if (row->letter)
        column = printf("  -%c, --%s", row->letter, row->name);
    else
        column = printf("  --%s", row->name);
    if (value)
        column += printf(" %s", value);
    help_print_wrapped(option_help(row, text), column, MEANING_COLUMN);
}

static const char *heading_of(const option *row)
{
    return row->heading ? row->heading : "options";
}

static void print_options(const option *rows, int count)
{
    for (int i = 0; i < count; i++) {
        if (i == 0 || strcmp(heading_of(&rows[i]), heading_of(&rows[i - 1])) != 0)
            printf("%s%s:\n", i == 0 ? "" : "\n", heading_of(&rows[i]));
        print_option(&rows[i]);
    }
    if (count > 0)
        printf("\n");
}

/* ---- commands --------------------------------------------------------------------------------- */

static char *summary_of(const cli_command *command, char text[SUMMARY_LENGTH])
{
    name_list names = {0};
    if (command->names)
        names = command->names();
    return names_expand(command->summary, &names, text, SUMMARY_LENGTH);
}

void help_command(const cli_command *command)
{
    char summary[SUMMARY_LENGTH];
    option rows[MAX_OPTIONS];
    int count = options_expand(&command->options, false, rows);
    printf("volterra %s: %s\n\n", command->name, summary_of(command, summary));
    print_synopsis(command->name, rows, count);
    printf("\n%s\n", command->description);
    print_options(rows, count);
    printf("options of every command:\n");
    for (int i = 0; i < common_options.count; i++)
        print_option(&common_options.options[i]);
    help_print_wrapped("this text", printf("  --help"), MEANING_COLUMN);
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
}

/* ---- the tables as JSON, for generated documentation ------------------------------------------ */

static const char *const kind_words[] = {
    [OPTION_FLAG] = "flag",     [OPTION_TEXT] = "text",       [OPTION_COUNT] = "integer",
    [OPTION_NUMBER] = "number", [OPTION_CHOICE] = "choice",   [OPTION_SEED] = "integer",
    [OPTION_ROWS] = "rows",     [OPTION_NUMBERS] = "numbers", [OPTION_TEXTS] = "texts",
};

static json_t *option_json(json_build *build, const option *row)
{
    char text[MEANING_LENGTH], choices[CHOICES_LENGTH], python[64];
    json_t *object = build_object(build);
    snprintf(python, sizeof python, "%s", row->python ? row->python : row->name);
    for (char *at = python; *at; at++)
        *at = *at == '-' ? '_' : *at;
    if (row->letter)
        build_set(build, object, "letter", build_text(build, (char[]){row->letter, '\0'}));
    build_set(build, object, row->is_positional ? "positional" : "name", build_text(build, row->name));
    build_set(build, object, "group", build_text(build, heading_of(row)));
    build_set(build, object, "type", build_text(build, row->is_duration ? "duration" : kind_words[row->kind]));
    build_set(build, object, "value", build_text(build, option_value_name(row, choices)));
    build_set(build, object, "default", build_text(build, row->fallback));
    build_set(build, object, "range", build_text(build, option_range(row, text)));
    build_set(build, object, "meaning", build_text(build, option_meaning(row, text)));
    build_set(build, object, "help", build_text(build, option_help(row, text)));
    build_set(build, object, "form", build_count(build, row->form));
    build_set(build, object, "required",
              build_count(build, !row->required       ? 0
                                 : row->required_form ? row->required_form
                                                      : -1));
    build_set(build, object, "python", build_text(build, python[0] ? python : NULL));
    return object;
}

static json_t *options_json(json_build *build, const option *rows, int count)
{
    json_t *list = build_array(build);
    for (int i = 0; i < count; i++)
        build_append(build, list, option_json(build, &rows[i]));
    return list;
}

int help_json(void)
{
    char summary[SUMMARY_LENGTH];
    option rows[MAX_OPTIONS];
    json_build build = {0};
    json_t *document = build_object(&build), *list = build_array(&build);
    for (int i = 0; i < n_commands; i++) {
        json_t *object = build_object(&build);
        int count = options_expand(&commands[i]->options, false, rows);
        build_set(&build, object, "name", build_text(&build, commands[i]->name));
        build_set(&build, object, "summary", build_text(&build, summary_of(commands[i], summary)));
        build_set(&build, object, "description", build_text(&build, commands[i]->description));
        build_set(&build, object, "options", options_json(&build, rows, count));
        build_set(&build, object, "examples", build_text(&build, commands[i]->examples));
        build_append(&build, list, object);
    }
    build_set(&build, document, "commands", list);
    build_set(&build, document, "options", options_json(&build, common_options.options, common_options.count));
    return build_print(&build, document, JSON_INDENT(1));
}

void help_overview(void)
{
    printf("volterra %s: learn systems with fading memory from one sequence of observations,\n"
           "with the Volterra reservoir kernel\n\n"
           "usage: volterra COMMAND [options]\n\ncommands:\n",
           volt_version());
    char summary[SUMMARY_LENGTH];
    for (int i = 0; i < n_commands; i++)
        printf("  %-10s %s\n", commands[i]->name, summary_of(commands[i], summary));
    printf("  %-10s %s\n", "help", "this list; help COMMAND, help kernels [NAME], help solvers, help systems");
    printf("  %-10s %s\n", "completion", "completion scripts for bash, zsh and fish");
    printf("\n"
           "first steps: forecast a series\n"
           "  volterra forecast series.csv\n"
           "or simulate a chaotic system, fit a model and continue it\n"
           "  volterra simulate lorenz --length 7501 -o lorenz.csv\n"
           "  volterra fit --x lorenz.csv --rows :5001 --kernel volterra:tau_coef=0.3,lambda_coef=0.3 \\\n"
           "               --alpha 1e-10 --washout 100 -o lorenz.safetensors\n"
           "  volterra continue lorenz.safetensors --steps 2500 -o path.csv\n"
           "  volterra score --truth lorenz.csv --truth-rows 5001: --pred path.csv \\\n"
           "                 --lyapunov 0.9 --dt 0.005\n"
           "\n"
           "files: .csv (also .txt, .tsv, .dat), .npy or .mat; - is CSV on standard input or output\n"
           "columns: 'FILE:name,first..last,h*' selects columns of a file\n"
           "exit status: 0 success, 1 invalid file or failed computation, 2 invalid option, 130 interrupted\n");
}
