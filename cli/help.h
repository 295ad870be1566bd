/* cli/help.h: the help texts, made from the tables of commands, options and kernels. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

/* All on standard output. */
void help_overview(void);
void help_command(const cli_command *command);
void help_kernels(void);

#endif
