/* cli/program.h: the table of commands, its help texts, and the entry point of the program. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "args/command.h"

/* Runs the command named in argv and returns the exit status. `interruptible`: an interrupt stops the work
 * and is reported instead of ending the process. */
int program_main(int argc, char **argv, bool interruptible);

/* The commands in the order of the help: those of a group follow each other. */
extern const cli_command *const commands[];
extern const int n_commands;

/* ---- help texts, generated from the tables of commands, options and kernels -------------------- */

/* Print to standard output: the list of commands, the page of a command for --help, the whole text about it, and what every
 * command has in common. */
void help_overview(void);
void help_command_short(const cli_command *command);
void help_command(const cli_command *command);
void help_options(void);

/* Prints every command and option as JSON, the source of the man page, the site's reference and the Python
 * docstrings. Returns the exit status. */
int help_json(void);

/* Prints every kernel, or only the kernel `name` (NULL: all). Returns 0, or the exit status after an error
 * message. */
int help_kernels(const char *name);

/* Prints the text of `volterra help completion`. */
void completion_help(void);
/* Prints the completion script of a shell to standard output. Returns 0, or the exit status after an error
 * message. */
int completion_run(int argc, char *const *argv);

/* Print the tables of solvers and of systems. */
void help_solvers(void);
void help_systems(void);

/* Arguments of `volterra help` besides the commands. */
#define HELP_TOPICS "options kernels solvers systems"

/* Prints `text` indented by `indent` columns and wrapped between words. `column` is the current cursor
 * position. */
void help_print_wrapped(const char *text, int column, int indent);

#endif
