/* mpi/mpi_workers.h: the processes of a job as workers of a search (select/search/worker_pool.h). The first
 * process leads; the others serve.
 *
 * Every process announces itself once, or reports why it does not serve. The first process tells all others
 * when the search is over, also after a failure, so no process waits forever. Several threads call MPI, one
 * at a time. */
#ifndef MPI_WORKERS_H
#define MPI_WORKERS_H

#include <stdbool.h>

struct volt_worker_pool;

/* The pool of this process. */
const struct volt_worker_pool *mpi_workers(void);

/* Call after the search, or without one. In the first process: waits for the announcements of all others and
 * ends the search for those that still serve; returns false if some do not arrive within a few seconds and
 * `patiently` is false. In other processes: reports `reason` if the process has not joined the search. */
bool mpi_workers_end(bool patiently, const char *reason);

/* Returns whether this process has served until the end of the search. */
bool mpi_workers_have_served(void);

/* Receive and discard pending messages. */
void mpi_workers_drain(void);

#endif
