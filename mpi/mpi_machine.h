/* mpi/mpi_machine.h: resources shared by the processes of one machine, and standard input. */
#ifndef MPI_MACHINE_H
#define MPI_MACHINE_H

/* Restrict memory and processors to the share of this process among those on its machine. */
void share_machine(void);

/* Broadcast standard input, which the launcher gives only to the first process, if an argument is "-". */
void share_input(int argc, char **argv);

#endif
