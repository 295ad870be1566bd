/* cli/program.h: the program, for those who start it: cli/main.c, and mpi/mpi_program.c in every process of a job. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

/* Run the command that the words name; the exit status. `interruptible`: an interrupt stops the work and is reported,
 * instead of ending the process. */
int program_main(int argc, char **argv, bool interruptible);

#endif
