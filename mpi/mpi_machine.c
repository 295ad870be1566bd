/* mpi/mpi_machine.c: division of one machine among its processes, and standard input for all of them. */
#define _GNU_SOURCE
#include "mpi_machine.h"

#include "backend/backend.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "tiles.h"

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Number of processes on this machine with the same processor affinity. A process with its own binding does
 * not share. */
static int64_t processor_sharers(MPI_Comm machine, int size)
{
    cpu_set_t affinity, *all = calloc((size_t)size, sizeof *all);
    int64_t sharers = 0;
    CPU_ZERO(&affinity);
    if (!all)
        end_job("not enough memory for the list of processes on its machine");
    /* fails on very large machines; then all sets are empty and equal */
    sched_getaffinity(0, sizeof affinity, &affinity);
    MPI_Allgather(&affinity, (int)sizeof affinity, MPI_BYTE, all, (int)sizeof affinity, MPI_BYTE, machine);
    for (int i = 0; i < size; i++)
        sharers += memcmp(&all[i], &affinity, sizeof affinity) == 0;
    free(all);
    return sharers;
}

void share_machine(void)
{
    MPI_Comm machine;
    int size = 1, index = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, grid.rank, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &size);
    MPI_Comm_rank(machine, &index);
    volt_memory_set_sharers(size);
    volt_device_own(index);
    volt_processors_set_sharers(processor_sharers(machine, size));
    MPI_Comm_free(&machine);
}

/* ---- standard input --------------------------------------------------------------------------- */

static bool asks_for_input(int argc, char **argv)
{
    bool asks = false;
    for (int i = 2; i < argc; i++) {
        bool is_output = strcmp(argv[i - 1], "-o") == 0 || strcmp(argv[i - 1], "--output") == 0 ||
                         strcmp(argv[i - 1], "--plot") == 0;
        const char *value = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        const char *word = value ? value + 1 : argv[i];
        asks = asks || (!is_output && (strcmp(word, "-") == 0 || strncmp(word, "-:", 2) == 0));
    }
    return asks;
}

void share_input(int argc, char **argv)
{
    enum { PIECE = 1 << 20 };
    if (!asks_for_input(argc, argv))
        return;
    char *piece = malloc(PIECE);
    int input = memfd_create("input", MFD_CLOEXEC);
    if (!piece || input < 0)
        end_job("cannot store standard input");
    for (long long size = 1; size > 0;) {
        if (grid.rank == 0)
            size = (long long)fread(piece, 1, PIECE, stdin);
        MPI_Bcast(&size, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
        MPI_Bcast(piece, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (long long at = 0; at < size;) {
            ssize_t written = write(input, piece + at, (size_t)(size - at));
            if (written <= 0)
                end_job("cannot store standard input");
            at += written;
        }
    }
    lseek(input, 0, SEEK_SET);
    dup2(input, STDIN_FILENO);
    close(input);
    free(piece);
    clearerr(stdin);
}
