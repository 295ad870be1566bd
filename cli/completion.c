/* cli/completion.c: completion scripts for commands, options and option values. The shell completes all
 * other words as file names. */
#include "program.h"

#include "terminal/messages.h"
#include "volterra.h"

#include <stdio.h>
#include <string.h>

/* ---- words to complete ------------------------------------------------------------------------ */

static bool takes_value(const option *row)
{
    return row->kind != OPTION_FLAG && row->kind != OPTION_SWITCH && !row->is_positional;
}

static bool is_plain_word(const char *word)
{
    return word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")] == '\0';
}

/* Returns the possible values of an option. The list is empty for a file, a number or free text. */
static name_list values_of(const option *row)
{
    name_list list = {0};
    if (row->kind == OPTION_CHOICE)
        return choice_names(row->choices);
    if (row->names)
        list = row->names();
    if (strcmp(row->name, "kernel") == 0)
        for (int64_t i = 0; volt_kernel_at(i); i++)
            names_add(&list, volt_kernel_at(i)->name);
    for (int i = 0; i < list.count; i++)
        if (!is_plain_word(list.names[i])) /* a placeholder */
            list.count = 0;
    return list;
}

/* Returns the name of the first positional argument of a command, and its possible values in *values. */
static const char *positional_of(const cli_command *command, name_list *values)
{
    option rows[MAX_OPTIONS];
    int count = options_expand(&command->options, false, rows);
    *values = (name_list){0};
    for (int i = 0; i < count; i++)
        if (rows[i].is_positional) {
            *values = values_of(&rows[i]);
            return rows[i].name;
        }
    return "file";
}

static void print_names(const name_list *list, const char *before_each)
{
    for (int i = 0; i < list->count; i++)
        printf("%s%s", before_each, list->names[i]);
}

/* Prints the first words of an option's meaning without quotes and shell metacharacters. */
static void print_label(const char *text)
{
    size_t length = strcspn(text, ";:([\n");
    while (length > 0 && strchr(" ,", text[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        if (!strchr("'\\]`$\"", text[i]))
            putchar(text[i]);
}

static void print_meaning(const option *row)
{
    char meaning[MEANING_LENGTH];
    print_label(option_meaning(row, meaning));
}

static void print_summary(const cli_command *command)
{
    char summary[MEANING_LENGTH];
    name_list names = {0};
    if (command->names)
        names = command->names();
    print_label(names_expand(command->summary, &names, summary, sizeof summary));
}

/* Calls `print` for each option of the command and each common option. */
static void each_option(const cli_command *command, void (*print)(const option *))
{
    option rows[MAX_OPTIONS];
    int count = options_expand(&command->options, true, rows);
    for (int i = 0; i < count; i++)
        if (!rows[i].is_positional)
            print(&rows[i]);
}

static void print_commands(void)
{
    for (int i = 0; i < n_commands; i++)
        printf("%s ", commands[i]->name);
    printf("help");
}

/* ---- bash ------------------------------------------------------------------------------------- */

static void bash_name(const option *row)
{
    printf(" --%s", row->name);
    if (row->letter)
        printf(" -%c", row->letter);
}

static void bash_values(const option *row)
{
    if (!takes_value(row))
        return;
    name_list values = values_of(row);
    printf("                --%s", row->name);
    if (row->letter)
        printf(" | -%c", row->letter);
    printf(") words='");
    print_names(&values, " ");
    printf("' ;;\n");
}

static void bash_script(void)
{
    printf("# Completion for bash; made by `volterra completion bash`.\n"
           "_volterra()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options='' words=''\n"
           "    COMPREPLY=()\n"
           "    # --option=value comes as three words.\n"
           "    if [ \"$word\" = = ]; then\n"
           "        word=''\n"
           "    elif [ \"$before\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '");
    print_commands();
    printf(" completion --help --version' -- \"$word\"))\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n"
           "        help) words='");
    print_commands();
    printf(" " HELP_TOPICS "' ;;\n        completion) words='bash zsh' ;;\n");
    for (int i = 0; i < n_commands; i++) {
        name_list values;
        positional_of(commands[i], &values);
        printf("        %s)\n            options='", commands[i]->name);
        each_option(commands[i], bash_name);
        printf(" --help'\n            case $before in\n");
        each_option(commands[i], bash_values);
        printf("                *) words='");
        print_names(&values, " ");
        printf("' ;;\n            esac\n            ;;\n");
    }
    printf("    esac\n"
           "    [[ $word != -* ]] || words=$options\n"
           "    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -o bashdefault -F _volterra volterra\n");
}

/* ---- zsh -------------------------------------------------------------------------------------- */

/* Colons separate the fields of an argument: those of a label are escaped. */
static void zsh_value(const char *label, const name_list *values)
{
    printf(":");
    for (; *label; label++)
        printf(*label == ':' ? "\\%c" : "%c", *label);
    printf(":");
    if (values->count == 0) {
        printf("_files");
        return;
    }
    printf("(");
    print_names(values, " ");
    printf(")");
}

static void zsh_option(const option *row)
{
    char letter[3] = {'-', row->letter, '\0'};
    for (int form = 0; form < (row->letter ? 2 : 1); form++) {
        printf("                '%s%s%s%s[", row->kind == OPTION_TEXTS ? "*" : "", form ? letter : "--",
               form ? "" : row->name, takes_value(row) && !form ? "=" : "");
        print_meaning(row);
        printf("]");
        if (takes_value(row)) {
            name_list values = values_of(row);
            zsh_value(row->kind == OPTION_CHOICE ? "choice" : row->argument, &values);
        }
        printf("' \\\n");
    }
}

static void zsh_script(void)
{
    printf("#compdef volterra\n"
           "# Completion for zsh; made by `volterra completion zsh`.\n"
           "_volterra()\n{\n"
           "    local -a names\n"
           "    if (( CURRENT == 2 )); then\n"
           "        names=(\n");
    for (int i = 0; i < n_commands; i++) {
        printf("            '%s:", commands[i]->name);
        print_summary(commands[i]);
        printf("'\n");
    }
    printf("            'help:list commands, kernels and systems'\n"
           "        )\n"
           "        _describe command names\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $words[1] in\n"
           "        help) _arguments '1:command:(");
    print_commands();
    printf(" " HELP_TOPICS ")' ;;\n        completion) _arguments '1:shell:(bash zsh)' ;;\n");
    for (int i = 0; i < n_commands; i++) {
        name_list values;
        const char *positional = positional_of(commands[i], &values);
        printf("        %s)\n            _arguments \\\n", commands[i]->name);
        each_option(commands[i], zsh_option);
        printf("                '--help[help for this command]' \\\n                '*");
        zsh_value(positional, &values);
        printf("'\n            ;;\n");
    }
    printf("    esac\n"
           "}\n"
           "_volterra \"$@\"\n");
}

/* ---- the command ------------------------------------------------------------------------------ */

void completion_help(void)
{
    printf("volterra completion: completion scripts for bash and zsh\n\n"
           "usage: volterra completion bash|zsh\n\n"
           "Completes commands, options and their values. Installed with the program; for the current shell "
           "only:\n"
           "  source <(volterra completion bash)\n");
}

int completion_run(int argc, char *const *argv)
{
    if (argc != 1)
        return complain(EXIT_USAGE, "the name of a shell is missing: bash or zsh");
    if (strcmp(argv[0], "bash") == 0)
        bash_script();
    else if (strcmp(argv[0], "zsh") == 0)
        zsh_script();
    else
        return complain(EXIT_USAGE, "unknown shell '%s' (must be bash or zsh)", argv[0]);
    return EXIT_DONE;
}
