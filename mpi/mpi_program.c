/* mpi/mpi_program.c: volterra-mpi, the program in every process of a job.
 *
 *     mpirun -n 4 volterra-mpi fit --x x.csv --y y.csv -o model.safetensors
 *
 * All processes run `fit` with the same words on the same files, and hold the large matrix together (mpi_backend.h); the
 * first one reports and writes. Other commands have no matrix that is worth it, and run in the first process. An
 * interrupt ends the job: files are replaced as a whole or not at all. */
#define _GNU_SOURCE
#include "io/file/atomic_file.h"
#include "mpi_backend.h"
#include "program.h"
#include "tiles.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TILE = 64, WAIT_SECONDS = 5 };

static int saved_stderr = -1, kept_words = -1;

/* What the other processes would print is what the first one prints; their complaints are kept for the case that the
 * first one has none. */
static void be_silent(void)
{
    int nowhere = memfd_create("output", MFD_CLOEXEC);
    kept_words = memfd_create("complaints", MFD_CLOEXEC);
    saved_stderr = dup(STDERR_FILENO);
    if (nowhere < 0 || kept_words < 0 || saved_stderr < 0)
        end_job("cannot put its output aside");
    dup2(nowhere, STDOUT_FILENO);
    dup2(kept_words, STDERR_FILENO);
    close(nowhere);
    volt_atomic_write_nothing();
}

static void speak_again(void)
{
    char words[4096];
    if (kept_words < 0)
        return;
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    ssize_t length = pread(kept_words, words, sizeof words - 1, 0);
    if (length > 0)
        fprintf(stderr, "process %d: %.*s", grid.rank, (int)length, words);
}

/* Wait for the others without keeping a processor busy. A process that failed does not wait for long: the others may be in
 * the middle of an operation that needs it. */
static bool all_arrive(bool patiently)
{
    MPI_Request request;
    int done = 0;
    struct timespec pause = {.tv_nsec = 2000000};
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int64_t waited = 0; !done && (patiently || waited < WAIT_SECONDS * 1000 / 2); waited++) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
    return done;
}

int main(int argc, char **argv)
{
    int provided = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    grid_begin(TILE);
    bool together = argc > 1 && strcmp(argv[1], "fit") == 0;
    if (grid.rank > 0)
        be_silent();
    if (together && (volt_backend_register(&mpi_backend) != VOLT_OK || volt_backend_use("mpi") != VOLT_OK))
        end_job(volt_error_detail());
    if (together || grid.rank == 0)
        status = program_main(argc, argv, false);
    if (!all_arrive(status == 0)) {
        speak_again();
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    grid_end();
    MPI_Finalize();
    return grid.rank == 0 ? status : 0; /* one complaint of the launcher is enough */
}
