/* mpi/mpi_backend.h: the back end of a job: the large matrix is dealt out over its processes (mpi/tiles.h).
 *
 * All processes run the same calls with the same numbers, so that each entry is one operation of them all; what is thin
 * is in each of them. Entries must not be called from several threads at a time. */
#ifndef MPI_BACKEND_H
#define MPI_BACKEND_H

#include "base/backend.h"

extern const volt_backend mpi_backend;

#endif
