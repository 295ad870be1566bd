/* cli/program.h: entry point of the program, called by cli/main.c and by mpi/mpi_program.c in every process
 * of a job. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

/* Runs the command named in argv and returns the exit status. `interruptible`: an interrupt stops the work
 * and is reported instead of ending the process. */
int program_main(int argc, char **argv, bool interruptible);

#endif
