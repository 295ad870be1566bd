/* mpi/mpi_backend.h: the MPI back end. The large matrix is distributed over the processes (mpi/tiles.h).
 *
 * All processes make the same calls with the same arguments, so each entry point is a collective operation.
 * Thin matrices are replicated in every process. Entry points must not be called from several threads at the
 * same time. */
#ifndef MPI_BACKEND_H
#define MPI_BACKEND_H

#include "backend/backend.h"

extern const volt_backend mpi_backend;

#endif
