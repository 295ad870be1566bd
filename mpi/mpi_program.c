/* mpi/mpi_program.c: volterra-mpi, the program run by every process of a job.
 *
 *     mpirun -n 4 volterra-mpi fit  --x x.csv --y y.csv -o model.safetensors
 *     mpirun -n 4 volterra-mpi tune --x x.csv --y y.csv --draws 500 --log search.jsonl
 *
 * All processes run the command with the same arguments on the same files; only the first one prints and
 * writes. `fit` distributes the large matrix (mpi_backend.h) or the rows (base/row_bands.h), which each process
 * computes on its own GPU if all processes have one. An interrupt
 * ends the job; files are replaced atomically. In `tune` the first process leads the search and the others
 * evaluate candidates (mpi_workers.h). Other commands run in the first process. */
#define _GNU_SOURCE
#include "base/row_bands.h"
#include "io/file/atomic_file.h"
#include "mpi_backend.h"
#include "mpi_machine.h"
#include "mpi_workers.h"
#include "program.h"
#include "select/search/worker_pool.h"
#include "tiles.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TILE = 64, WAIT_SECONDS = 5, WORDS = 4096 };

/* How the processes cooperate. */
typedef enum job_mode { SINGLE, FIT, TUNE } job_mode;

static int saved_stderr = -1, error_file = -1;

/* Silence the other processes, which would repeat the output of the first. Their error output is kept and
 * printed if the first process has none. */
static void be_silent(void)
{
    int nowhere = memfd_create("output", MFD_CLOEXEC);
    error_file = memfd_create("complaints", MFD_CLOEXEC);
    saved_stderr = dup(STDERR_FILENO);
    if (nowhere < 0 || error_file < 0 || saved_stderr < 0)
        end_job("cannot redirect its output");
    dup2(nowhere, STDOUT_FILENO);
    dup2(error_file, STDERR_FILENO);
    close(nowhere);
    volt_atomic_discard_all();
}

/* The error output of this process, or an empty string. */
static const char *error_output(char words[WORDS])
{
    fflush(stderr);
    ssize_t length = error_file < 0 ? 0 : pread(error_file, words, WORDS - 1, 0);
    words[length > 0 ? length : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    return words;
}

static void speak_again(void)
{
    char words[WORDS];
    if (error_file < 0)
        return;
    error_output(words);
    dup2(saved_stderr, STDERR_FILENO);
    if (words[0])
        fprintf(stderr, "process %d: %s\n", grid.rank, words);
}

/* Wait for the others without busy waiting. A failed process waits only briefly: the others may be blocked
 * in an operation that needs it. */
static bool all_arrive(bool patiently)
{
    MPI_Request request;
    int done = 0;
    struct timespec pause = {.tv_nsec = 2000000};
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int64_t waited = 0; !done && (patiently || waited < WAIT_SECONDS * 1000 / 2); waited++) {
        mpi_workers_drain();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
    return done;
}

/* volterra-mpi prints its own help only without a command; the rest is left to `volterra help`. */
static bool asks_help(int argc, char **argv)
{
    const char *const words[] = {"help", "--help", "-h"};
    bool asks = argc == 1;
    for (int i = 0; argc == 2 && i < 3; i++)
        asks = asks || strcmp(argv[1], words[i]) == 0;
    return asks;
}

static int print_help(bool is_asked)
{
    fputs(
        "volterra-mpi: volterra over the processes of a job\n"
        "\n"
        "  mpirun -n N volterra-mpi fit ...     one fit: the matrix (--solver exact) or the rows\n"
        "                                       (--solver nystrom, pcg) are shared by N processes\n"
        "  mpirun -n N volterra-mpi tune ...    one search: N processes evaluate the candidates;\n"
        "                                       the first process writes the log and result\n"
        "\n"
        "Options and other commands are the same as in volterra (see volterra help, volterra help fit,\n"
        "volterra help tune). Other commands run in the first process. A process uses one GPU: by its rank on\n"
        "the machine, modulo the number of GPUs or the length of the list in --device.\n",
        is_asked ? stdout : stderr);
    return is_asked ? 0 : 2;
}

static job_mode mode_of(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    return strcmp(word, "fit") == 0 ? FIT : strcmp(word, "tune") == 0 ? TUNE : SINGLE;
}

static void join(job_mode mode, int provided)
{
    static volt_bands bands = {.sum = sum_over_processes};
    bool shares = mode == FIT && grid.size > 1; /* a single process behaves like volterra */
    bands.parts = grid.size;
    bands.part = grid.rank;
    if (shares)
        volt_bands_use(&bands);
    if (shares && volt_backend_register(&mpi_backend) != VOLT_OK)
        end_job(volt_error_detail());
    if (shares)
        volt_backend_share(&mpi_backend);
    if (mode == TUNE && provided < MPI_THREAD_SERIALIZED)
        end_job("tune requires an MPI library with MPI_THREAD_SERIALIZED");
    if (mode == TUNE)
        volt_worker_pool_use(mpi_workers());
}

/* Did all processes succeed? */
static bool part(job_mode mode, int status)
{
    char words[WORDS] = "";
    bool well = status == 0;
    if (mode == TUNE && !mpi_workers_end(well, error_output(words)))
        return false;
    if (mode == TUNE && grid.rank > 0) /* the process has reported its error */
        well = true;
    return all_arrive(well);
}

int main(int argc, char **argv)
{
    int provided = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    grid_begin(TILE);
    job_mode mode = mode_of(argc, argv);
    if (grid.rank > 0)
        be_silent();
    if (mode != SINGLE) {
        share_machine();
        share_input(argc, argv);
        join(mode, provided);
    }
    if (asks_help(argc, argv))
        status = grid.rank == 0 ? print_help(argc > 1) : 0;
    else if (mode != SINGLE || grid.rank == 0)
        status = program_main(argc, argv, mode == TUNE && grid.rank == 0);
    if (!part(mode, status)) {
        speak_again();
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    grid_end();
    MPI_Finalize();
    return grid.rank == 0 ? status : 0; /* one failing exit status per job is enough for the launcher */
}
