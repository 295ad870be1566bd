/* tests/mpi/backend_of_job.c: linked into the programs of tests/backend. Before main() the processes of the
 * job form their grid and register its back end. Every case runs only on this back end. The first process
 * prints the results. */
#define _GNU_SOURCE
#include "mpi_backend.h"
#include "support/far_backend.h"
#include "tiles.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void leave(void)
{
    grid_end();
    MPI_Finalize();
}

__attribute__((constructor)) static void join(void)
{
    int provided = 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    grid_begin(4);
    if (volt_backend_register(&mpi_backend) != VOLT_OK)
        end_job(volt_error_detail());
    only_backend(mpi_backend.name);
    int nowhere = grid.rank ? open("/dev/null", O_WRONLY) : -1;
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    atexit(leave);
}
