/* mpi/mpi_machine.h: what the processes of a job on one machine share, and the input that all must see. */
#ifndef MPI_MACHINE_H
#define MPI_MACHINE_H

/* Of memory and of processors, count on the part of this process among those on its machine. */
void share_machine(void);

/* The launcher gives standard input to the first process alone: where a word of the command asks for it ("-"), all receive
 * it. */
void share_input(int argc, char **argv);

#endif
