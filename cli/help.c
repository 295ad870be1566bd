/* cli/help.c: help texts, printed from the tables of the parser and the library. */
#include "program.h"

#include "terminal/results.h"
#include "volterra.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 100, MEANING_COLUMN = 30, SUMMARY_LENGTH = 256 };

/* ---- options ---------------------------------------------------------------------------------- */

/* Writes "-o FILE", "--kernel K" or "--quiet", as shown in the synopsis. */
static void describe_use(const option *row, char *text, size_t capacity)
{
    char word[64], choices[CHOICES_LENGTH];
    const char *value = option_value_name(row, choices);
    bool needed = row->required;
    if (row->is_positional)
        snprintf(word, sizeof word, "%s", row->name);
    else if (row->letter)
        snprintf(word, sizeof word, "-%c", row->letter);
    else
        snprintf(word, sizeof word, "--%s", row->name);

    snprintf(text, capacity, "%s%s%s%s%s", needed ? "" : "[", word, value ? " " : "", value ? value : "",
             needed ? "" : "]");
}

/* Prints the synopsis of one form of the command: all options, or those that are required. */
static void print_form(const char *name, const option *rows, int count, char form, bool is_short)
{
    int indent = printf("%s volterra %s", form == 1 ? "usage:" : "      ", name);
    int column = indent;
    for (int i = 0; i < count; i++) {
        char use[128];
        if ((rows[i].form && rows[i].form != form) || (is_short && !rows[i].is_positional && !rows[i].required))
            continue;
        describe_use(&rows[i], use, sizeof use);
        if (column + 1 + (int)strlen(use) > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf(" %s", use);
    }
    printf(is_short ? " [options]\n" : "\n");
}

static void print_synopsis(const char *name, const option *rows, int count, bool is_short)
{
    bool has_second = false;
    for (int i = 0; i < count; i++)
        has_second = has_second || rows[i].form == 2;
    print_form(name, rows, count, 1, is_short);
    if (has_second)
        print_form(name, rows, count, 2, is_short);
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

/* Prints "  -o, --output FILE" and returns its length. */
static int print_option_name(const option *row)
{
    char choices[CHOICES_LENGTH];
    const char *value = option_value_name(row, choices);
    int column;
    if (row->is_positional)
        column = printf("  %s", row->name);
    else if (row->letter)
        column = printf("  -%c, --%s", row->letter, row->name);
    else
        column = printf("  --%s", row->name);
    return value ? column + printf(" %s", value) : column;
}

static void print_option(const option *row)
{
    char text[MEANING_LENGTH];
    int column = print_option_name(row);
    help_print_wrapped(option_help(row, text), column, MEANING_COLUMN);
}

/* Prints the option in one line. */
static void print_option_short(const option *row)
{
    char text[MEANING_LENGTH];
    int column = print_option_name(row), indent = column + 2 > MEANING_COLUMN ? column + 2 : MEANING_COLUMN;
    printf("%*s%s\n", indent - column, "", option_clause(row, LINE_WIDTH - indent, text));
}

/* Prints the names of the options with this `is_rare`, after the text `before`. */
static void print_option_names(const char *before, const option *rows, int count, bool is_rare)
{
    int indent = 0, column = 0;
    for (int i = 0; i < count; i++) {
        if (rows[i].is_rare != is_rare)
            continue;
        if (indent == 0) {
            indent = column = printf("%s", before);
        } else {
            column += printf(",");
        }
        if (column + 3 + (int)strlen(rows[i].name) + 1 > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf(" --%s", rows[i].name);
    }
    if (indent > 0)
        printf("\n");
}

static const char *heading_of(const option *row)
{
    return row->heading ? row->heading : "options";
}

static void print_options(const option *rows, int count, bool is_short)
{
    for (int first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && strcmp(heading_of(&rows[end]), heading_of(&rows[first])) == 0)
            end++;
        printf("%s%s:\n", first == 0 || is_short ? "" : "\n", heading_of(&rows[first]));
        for (int i = first; i < end; i++) {
            if (!is_short)
                print_option(&rows[i]);
            else if (!rows[i].is_rare)
                print_option_short(&rows[i]);
        }
        if (is_short)
            print_option_names("  also", rows + first, end - first, true);
    }
    if (count > 0 && !is_short)
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

static void print_common_options(void)
{
    printf("options of every command:\n");
    for (int i = 0; i < common_options.count; i++)
        print_option(&common_options.options[i]);
    help_print_wrapped("usage, examples and the options in one line each", printf("  --help"), MEANING_COLUMN);
}

void help_command(const cli_command *command)
{
    char summary[SUMMARY_LENGTH];
    option rows[MAX_OPTIONS];
    int count = options_expand(&command->options, false, rows);
    printf("volterra %s: %s\n\n", command->name, summary_of(command, summary));
    print_synopsis(command->name, rows, count, false);
    printf("\n%s\n", command->description);
    print_options(rows, count, false);
    print_common_options();
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
}

/* The length of the first `most` examples: commands with the lines that continue them. */
static int first_examples(const char *examples, int most)
{
    const char *at = examples;
    for (int count = 0; *at; at = strchr(at, '\n') + 1) {
        bool continues = at > examples + 1 && at[-2] == '\\';
        if (!continues && count++ == most)
            break;
    }
    return (int)(at - examples);
}

void help_command_short(const cli_command *command)
{
    enum { MOST_EXAMPLES = 3 };
    char summary[SUMMARY_LENGTH];
    option rows[MAX_OPTIONS];
    int count = options_expand(&command->options, false, rows);
    const char *text = command->description, *rest = strstr(text, "\n\n");
    printf("volterra %s: %s\n\n", command->name, summary_of(command, summary));
    print_synopsis(command->name, rows, count, true);
    printf("\n%.*s\n", (int)(rest ? (size_t)(rest - text) + 1 : strlen(text)), text);
    if (command->examples)
        printf("examples:\n%.*s\n", first_examples(command->examples, MOST_EXAMPLES), command->examples);
    print_options(rows, count, true);
    print_option_names("every command:", common_options.options, common_options.count, false);
    printf("\nvolterra help %s prints the whole text, volterra help options the options of every command\n",
           command->name);
}

void help_options(void)
{
    print_common_options();
    printf("\nfiles: .csv (also .txt, .tsv, .dat), .npy or .mat; - is CSV on standard input or output\n"
           "columns: 'FILE:name,first..last,h*' selects columns of a file\n"
           "exit status: 0 success, 1 invalid file or failed computation, 2 invalid option, 130 interrupted\n");
}

/* ---- the tables as JSON, for generated documentation ------------------------------------------ */

static const char *const kind_words[] = {
    [OPTION_FLAG] = "flag",     [OPTION_SWITCH] = "flag",   [OPTION_TEXT] = "text",
    [OPTION_COUNT] = "integer", [OPTION_NUMBER] = "number", [OPTION_CHOICE] = "choice",
    [OPTION_SEED] = "integer",  [OPTION_ROWS] = "rows",     [OPTION_NUMBERS] = "numbers",
    [OPTION_TEXTS] = "texts",
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
    build_set(build, object, "required", build_count(build, row->required));
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
        build_set(&build, object, "group", build_text(&build, commands[i]->group));
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
    char summary[SUMMARY_LENGTH];
    printf("volterra %s: forecast series, identify systems and continue chaotic paths\n"
           "with the Volterra reservoir kernel\n\n"
           "usage: volterra COMMAND [options]\n",
           volt_version());
    for (int i = 0; i < n_commands; i++) {
        if (i == 0 || strcmp(commands[i]->group, commands[i - 1]->group) != 0)
            printf("\n%s:\n", commands[i]->group);
        printf("  %-10s %s\n", commands[i]->name, summary_of(commands[i], summary));
    }
    printf("  %-10s %s\n", "completion", "completion scripts for bash and zsh");
    printf("  %-10s %s\n", "help",
           "this list; help COMMAND, help options, help kernels [NAME], help solvers, help systems");
    printf(
        "\nfirst steps:\n"
        "  volterra forecast series.csv\n"
        "  volterra identify data.csv --x u --y y -o model.safetensors\n\n"
        "volterra COMMAND --help prints usage, examples and options, volterra help COMMAND the whole text\n");
}
