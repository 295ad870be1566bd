/* mpi/mpi_program.c: volterra-mpi, the program in every process of a job.
 *
 *     mpirun -n 4 volterra-mpi fit  --x x.csv --y y.csv -o model.safetensors
 *     mpirun -n 4 volterra-mpi tune --x x.csv --y y.csv --draws 500 --log search.jsonl
 *
 * All processes run these commands with the same words on the same files, and the first one reports and writes. In `fit`
 * they hold the large matrix together (mpi_backend.h) or share the rows (base/row_bands.h), so an interrupt ends the job: files are
 * replaced as a whole or not at all. In `tune` the first one leads the search and the others evaluate candidates (mpi_crew.h). Other commands have
 * nothing that is worth it, and run in the first process. */
#define _GNU_SOURCE
#include "base/row_bands.h"
#include "io/file/atomic_file.h"
#include "mpi_backend.h"
#include "mpi_crew.h"
#include "mpi_machine.h"
#include "program.h"
#include "select/search/crew.h"
#include "tiles.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TILE = 64, WAIT_SECONDS = 5, WORDS = 4096 };

/* What the processes do together. */
typedef enum way { ALONE, FIT, TUNE } way;

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

/* What this process complained of, if anything. */
static const char *own_words(char words[WORDS])
{
    fflush(stderr);
    ssize_t length = kept_words < 0 ? 0 : pread(kept_words, words, WORDS - 1, 0);
    words[length > 0 ? length : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    return words;
}

static void speak_again(void)
{
    char words[WORDS];
    if (kept_words < 0)
        return;
    own_words(words);
    dup2(saved_stderr, STDERR_FILENO);
    if (words[0])
        fprintf(stderr, "process %d: %s\n", grid.rank, words);
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
        mpi_crew_drain();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
    return done;
}

/* What is different here: everything else `volterra help` says. */
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
    fputs("volterra-mpi: volterra over the processes of a job\n"
          "\n"
          "  mpirun -n N volterra-mpi fit ...     one fit: the matrix (--solver exact) or the rows\n"
          "                                       (--solver nystrom, pcg) are shared by N processes\n"
          "  mpirun -n N volterra-mpi tune ...    one search: candidates are evaluated by N processes,\n"
          "                                       with the log and the winner of one\n"
          "\n"
          "Options and other commands, which run in the first process, are those of volterra:\n"
          "volterra help, volterra help fit, volterra help tune.\n",
          is_asked ? stdout : stderr);
    return is_asked ? 0 : 2;
}

static way way_of(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    return strcmp(word, "fit") == 0 ? FIT : strcmp(word, "tune") == 0 ? TUNE : ALONE;
}

static void join(way together, int provided)
{
    static volt_bands bands = {.sum = sum_over_processes};
    bool shares = together == FIT && grid.size > 1; /* one process alone is volterra */
    bands.parts = grid.size;
    bands.part = grid.rank;
    if (shares)
        volt_bands_use(&bands);
    if (shares && (volt_backend_register(&mpi_backend) != VOLT_OK || volt_backend_use("mpi") != VOLT_OK))
        end_job(volt_error_detail());
    if (together == TUNE && provided < MPI_THREAD_SERIALIZED)
        end_job("this MPI does not take calls from several threads, which tune needs");
    if (together == TUNE)
        volt_crew_use(mpi_crew());
}

/* Have all ended well, as far as the others are concerned? */
static bool part(way together, int status)
{
    char words[WORDS] = "";
    bool well = status == 0;
    if (together == TUNE && !mpi_crew_end(well, own_words(words)))
        return false;
    if (together == TUNE && grid.rank > 0) /* it has said what happened to it */
        well = true;
    return all_arrive(well);
}

int main(int argc, char **argv)
{
    int provided = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    grid_begin(TILE);
    way together = way_of(argc, argv);
    if (grid.rank > 0)
        be_silent();
    if (together != ALONE) {
        share_machine();
        share_input(argc, argv);
        join(together, provided);
    }
    if (asks_help(argc, argv))
        status = grid.rank == 0 ? print_help(argc > 1) : 0;
    else if (together != ALONE || grid.rank == 0)
        status = program_main(argc, argv, together == TUNE && grid.rank == 0);
    if (!part(together, status)) {
        speak_again();
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    grid_end();
    MPI_Finalize();
    return grid.rank == 0 ? status : 0; /* one complaint of the launcher is enough */
}
