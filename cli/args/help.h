/* cli/args/help.h: the help texts, made from the tables of commands, options and kernels. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "args/command.h"

/* All on standard output. */
void help_overview(void);
void help_command(const cli_command *command);

/* Every command and option as JSON: the source of the man page, the site's reference and the docstrings of Python.
 * Returns the exit status. */
int help_json(void);

/* Every kernel, or the one called `name` (NULL: all). Returns 0, or the exit status after saying what is
 * wrong. */
int help_kernels(const char *name);

/* The text of `volterra help completion`. */
void completion_help(void);
/* The completion script of a shell, on standard output. Returns 0, or the exit status after an error message. */
int completion_run(int argc, char *const *argv);

/* The table of solvers. */
void help_solvers(void);

/* `text` from column `indent` on, wrapped between words; `column` is the position of the cursor. */
void help_print_wrapped(const char *text, int column, int indent);

#endif
