/* cli/args/help.c: print the help texts from the same tables that the parser and the library use. */
#include "args/help.h"

#include "volterra.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 100, MEANING_COLUMN = 30, SUMMARY_LENGTH = 256 };

/* ---- options ---------------------------------------------------------------------------------- */

/* What the help calls the value: the argument, or "first|second|third". */
static const char *value_name(const option *row, char choices[CHOICES_LENGTH])
{
    return row->kind == OPTION_CHOICE ? choices_text(row->choices, choices) : row->argument;
}

/* "-o FILE", "--kernel K" or "--quiet", as the synopsis of a form shows it. */
static void describe_use(const option *row, char form, char *text, size_t capacity)
{
    char word[64], choices[CHOICES_LENGTH];
    bool is_required = row->required && (!row->required_form || row->required_form == form);
    if (row->kind == OPTION_POSITIONAL)
        snprintf(word, sizeof word, "%s", row->name);
    else if (row->letter)
        snprintf(word, sizeof word, "-%c", row->letter);
    else
        snprintf(word, sizeof word, "--%s", row->name);

    bool takes_value = row->kind != OPTION_FLAG && row->kind != OPTION_POSITIONAL;
    snprintf(text, capacity, "%s%s%s%s%s", is_required ? "" : "[", word, takes_value ? " " : "",
             takes_value ? value_name(row, choices) : "", is_required ? "" : "]");
}

/* One form of the command. */
static void print_form(const char *name, const option_table *table, char form)
{
    int indent = printf("%s volterra %s", form == 1 ? "usage:" : "      ", name);
    int column = indent;
    for (int i = 0; i < table->count; i++) {
        char use[128];
        if (table->options[i].form && table->options[i].form != form)
            continue;
        describe_use(&table->options[i], form, use, sizeof use);
        if (column + 1 + (int)strlen(use) > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf(" %s", use);
    }
    printf("\n");
}

static void print_synopsis(const char *name, const option_table *table)
{
    bool has_second = false;
    for (int i = 0; i < table->count; i++)
        has_second = has_second || table->options[i].form == 2;
    print_form(name, table, 1);
    if (has_second)
        print_form(name, table, 2);
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
    char meaning[MEANING_LENGTH], choices[CHOICES_LENGTH];
    int column;
    if (row->kind == OPTION_POSITIONAL)
        column = printf("  %s", row->name);
    else if (row->letter)
        column = printf("  -%c, --%s", row->letter, row->name);
    else
        column = printf("  --%s", row->name);
    if (row->kind != OPTION_FLAG && row->kind != OPTION_POSITIONAL)
        column += printf(" %s", value_name(row, choices));
    option_meaning(row, meaning);
    size_t length = strlen(meaning);
    if (row->fallback)
        snprintf(meaning + length, sizeof meaning - length, " (default %s)", row->fallback);
    help_print_wrapped(meaning, column, MEANING_COLUMN);
}

static void print_options(const option_table *table)
{
    for (int i = 0; i < table->count; i++)
        print_option(&table->options[i]);
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
    printf("volterra %s: %s\n\n", command->name, summary_of(command, summary));
    print_synopsis(command->name, &command->options);
    printf("\n%s\n", command->description);
    if (command->options.count > 0) {
        printf("options:\n");
        print_options(&command->options);
        printf("\n");
    }
    printf("options of every command:\n");
    print_options(&common_options);
    help_print_wrapped("this text", printf("  --help"), MEANING_COLUMN);
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
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
    printf("  %-10s %s\n", "help", "this text; help COMMAND and help kernels [NAME] say more");
    printf("  %-10s %s\n", "completion",
           "completion bash, zsh or fish: a script that completes words in that shell");
    printf("\n"
           "first steps: the next values of a series of your own, with a picture and the error to expect\n"
           "  volterra forecast series.csv\n"
           "or simulate a chaotic system, learn it, and let the model go on by itself\n"
           "  volterra simulate lorenz --length 7501 -o lorenz.csv\n"
           "  volterra fit --x lorenz.csv --rows :5001 --kernel volterra:tau_coef=0.3,lambda_coef=0.3 \\\n"
           "               --alpha 1e-10 --washout 100 -o lorenz.safetensors\n"
           "  volterra continue lorenz.safetensors --steps 2500 -o path.csv\n"
           "  volterra score --truth lorenz.csv --truth-rows 5001: --pred path.csv \\\n"
           "                 --lyapunov 0.9 --dt 0.005\n"
           "\n"
           "files: .csv (also .txt, .tsv, .dat), .npy or .mat; - is CSV on standard input or output\n"
           "columns: 'FILE:name,first..last,h*' takes those columns of a file\n"
           "exit status: 0 done, 1 a file or the work failed, 2 an option is wrong, 130 interrupted\n");
}
