/* cli/terminal/exit_status.h: how the program ends. */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#endif
