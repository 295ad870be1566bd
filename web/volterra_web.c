/* web/volterra_web.c: entry of the page in the browser. The worker writes the user's file to the file system in
 * memory, calls web_run, and reads the JSON that the command prints. */
#include "program.h"
#include "terminal/messages.h"
#include "volterra.h"
#include "web_table.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ARGUMENTS = 64 };

int web_run(char *line);

const cli_command *const commands[] = {&command_forecast, &command_identify};
const int n_commands = (int)(sizeof commands / sizeof commands[0]);

/* There are no other programs, such as gnuplot. */
int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
    (void)process, (void)file, (void)actions, (void)attributes, (void)arguments, (void)environment;
    return ENOSYS;
}

static int run(int count, char **words)
{
    set_command_name(count > 0 ? words[0] : NULL);
    if (count == 2 && strcmp(words[0], "table") == 0)
        return web_table(words[1]);
    for (int i = 0; count > 0 && i < n_commands; i++)
        if (strcmp(commands[i]->name, words[0]) == 0)
            return commands[i]->run(count - 1, words + 1);
    return complain(EXIT_USAGE, "unknown command '%s'", count > 0 ? words[0] : "");
}

/* Runs a command of the program, or `table` (web_table.h). `line` has its name and arguments, one on each line.
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
