/* cli/program.c: the table of commands, program start and exit. */
#define _POSIX_C_SOURCE 200809L
#include "program.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/text_stream.h"
#include "text/text.h"
#include "volterra.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const cli_command *const commands[] = {
    &command_forecast, &command_identify, &command_fit,      &command_tune,    &command_predict,
    &command_continue, &command_stream,   &command_explain,  &command_combine, &command_export,
    &command_score,    &command_compare,  &command_curve,    &command_mcs,     &command_capacity,
    &command_classify, &command_anomaly,  &command_simulate, &command_gram,    &command_bekk,
    &command_plan,     &command_info,
};
const int n_commands = (int)(sizeof commands / sizeof commands[0]);

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < n_commands; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Words that are not commands, and what to write for them. */
static const struct {
    const char *word, *meant;
} other_words[] = {
    {"help", "help"},
    {"options", "help options"},
    {"kernels", "help kernels"},
    {"solvers", "help solvers"},
    {"systems", "help systems"},
    {"list", "help"},
    {"completion", "completion"},
    {"version", "--version"},
    {"v", "--version"},
    {"V", "--version"},
    {"train", "fit"},
    {"learn", "fit"},
    {"search", "tune"},
    {"optimize", "tune"},
    {"evaluate", "score"},
    {"test", "score"},
    {"detect", "anomaly"},
    {"generate", "simulate"},
};

/* Reports an unknown first argument, and suggests the nearest known one. */
static int complain_unknown(const char *what, const char *name)
{
    enum { MOST = 64, WORDS = sizeof other_words / sizeof *other_words };
    const char *names[MOST], *word = name + strspn(name, "-"), *nearest = NULL;
    int count = 0;
    for (int i = 0; i < n_commands && i < MOST - WORDS; i++)
        names[count++] = commands[i]->name;
    for (int i = 0; i < WORDS; i++) {
        names[count++] = other_words[i].word;
        nearest = strcmp(word, other_words[i].word) == 0 ? word : nearest;
    }
    if (!nearest && strlen(word) > 1) /* a single letter is near to any name */
        nearest = volt_nearest_name(word, names, count);
    for (int i = 0; i < WORDS && nearest; i++)
        if (strcmp(nearest, other_words[i].word) == 0) {
            nearest = other_words[i].meant;
            break;
        }
    if (nearest)
        return complain(EXIT_USAGE, "unknown %s '%s'; did you mean %s?", what, name, nearest);
    if (name[0] == '-')
        return complain(EXIT_USAGE,
                        "options follow the command (got '%s' first; volterra help lists the commands)", name);
    return complain(EXIT_USAGE, "unknown %s '%s' (volterra help lists the commands)", what, name);
}

static const struct {
    const char *word;
    void (*print)(void);
} help_topics[] = {
    {"help", help_overview},   {"--help", help_overview}, {"options", help_options},
    {"solvers", help_solvers}, {"systems", help_systems}, {"completion", completion_help},
};

static int run_help(int argc, char *const *argv)
{
    bool asks_kernels = argc > 0 && strcmp(argv[0], "kernels") == 0;
    if (argc > 1 + asks_kernels)
        return complain(EXIT_USAGE, "help takes one %s at a time (got '%s %s')",
                        asks_kernels ? "kernel" : "command", argv[argc - 2], argv[argc - 1]);
    const char *topic = argc > 0 ? argv[0] : "help";
    for (size_t i = 0; i < sizeof help_topics / sizeof *help_topics; i++)
        if (strcmp(topic, help_topics[i].word) == 0) {
            help_topics[i].print();
            return EXIT_DONE;
        }
    if (strcmp(topic, "--json") == 0)
        return help_json();
    if (asks_kernels)
        return help_kernels(argv[1]); /* NULL without a kernel */
    const cli_command *command = find_command(topic);
    if (!command)
        return complain_unknown("command", topic);
    help_command(command);
    return EXIT_DONE;
}

static int print_usage(void)
{
    fputs("usage: volterra COMMAND [options]\n"
          "try:   volterra forecast series.csv\n"
          "       volterra simulate lorenz --length 5001 -o lorenz.csv\n"
          "       volterra fit --x lorenz.csv -o lorenz.safetensors\n"
          "volterra help lists the commands\n",
          stderr);
    return EXIT_USAGE;
}

static int run(int argc, char *const *argv)
{
    if (argc == 0)
        return print_usage();
    const char *word = argv[0];
    if (strcmp(word, "--version") == 0) {
        printf("volterra %s\n", volt_version());
        return EXIT_DONE;
    }
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return run_help(argc - 1, argv + 1);
    if (strcmp(word, "completion") == 0 && options_ask_help(argc - 1, argv + 1))
        return run_help(1, argv);
    if (strcmp(word, "completion") == 0)
        return completion_run(argc - 1, argv + 1);
    const cli_command *command = find_command(word);
    if (!command)
        return complain_unknown("command", word);

    set_command_name(command->name);
    if (options_ask_help(argc - 1, argv + 1)) {
        help_command_short(command);
        return EXIT_DONE;
    }
    return command->run(argc - 1, argv + 1);
}

/* Opens /dev/null on closed standard descriptors, so that no data file gets descriptor 0, 1 or 2. */
static void fill_closed_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* A write error on standard output, such as a full disk, is a failure. */
static int close_output(int exit_status)
{
    errno = 0;
    bool failed = ferror(stdout) != 0;
    failed = fclose(stdout) != 0 || failed;
    if (!failed || exit_status != EXIT_DONE)
        return exit_status;
    return complain(EXIT_FAILED, "cannot write to standard output%s%s", errno ? ": " : "",
                    errno ? strerror(errno) : "");
}

int program_main(int argc, char **argv, bool interruptible)
{
    fill_closed_descriptors();
    safe_output_begin();
    if (interruptible)
        interrupt_install();
    volt_set_log(hold_library_warning, NULL);

    int exit_status = run(argc > 0 ? argc - 1 : 0, argv + 1);
    if (exit_status == EXIT_DONE && interrupt_seen()) /* the work is already complete */
        exit_status = complain(interrupt_exit_status(), "interrupted");
    if (exit_status == EXIT_DONE && memory_was_out())
        exit_status = complain(EXIT_FAILED, "not enough memory for the result table");
    exit_status = close_output(exit_status);
    if (exit_status == EXIT_DONE)
        print_warnings();
    return exit_status;
}
