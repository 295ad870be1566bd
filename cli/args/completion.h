/* cli/args/completion.h: scripts that complete the words of the program in a shell, made from the tables of commands
 * and options. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

/* What `volterra completion` knows, NULL ends the list. */
extern const char *const completion_shells[];

/* What `volterra help completion` says. */
void completion_help(void);

/* The script for a shell, on standard output. Returns 0, or the exit status after saying what is wrong. */
int completion_run(int argc, char *const *argv);

#endif
