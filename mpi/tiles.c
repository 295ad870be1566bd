/* mpi/tiles.c: memory of distributed matrices, and copies to and from local memory. */
#define _GNU_SOURCE
#include "tiles.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "scalapack.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

process_grid grid;

void end_job(const char *sentence)
{
    fprintf(stderr, "volterra-mpi: process %d: %s\n", grid.rank, sentence);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

double *job_doubles(int64_t count)
{
    double *numbers = calloc((size_t)volt_max(count, 1), sizeof *numbers);
    if (!numbers)
        end_job("not enough memory for replicated data");
    return numbers;
}

void grid_begin(int tile)
{
    grid.tile = tile;
    int shape[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &grid.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &grid.size);
    MPI_Dims_create(grid.size, 2, shape);
    grid.context = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridinit(&grid.context, "Row", shape[0], shape[1]);
    Cblacs_gridinfo(grid.context, &grid.rows, &grid.cols, &grid.row, &grid.col);
}

void grid_end(void)
{
    Cblacs_gridexit(grid.context);
}

/* ---- who holds what --------------------------------------------------------------------------- */

/* Number of entries before `end` held by process `process`. */
static int64_t held_before(int64_t end, int process, int processes)
{
    int64_t tile = end / grid.tile, whole = tile / processes * grid.tile, rest = tile % processes;
    return whole + (process < rest ? grid.tile : process == rest ? end % grid.tile : 0);
}

int64_t local_entries(int64_t first, int64_t count, int process, int processes, int64_t *place)
{
    *place = held_before(first, process, processes);
    return held_before(first + count, process, processes) - *place;
}

int64_t entry_at(int64_t place, int process, int processes)
{
    return (place / grid.tile * processes + process) * grid.tile + place % grid.tile;
}

static bool is_held(int64_t entry, int process, int processes)
{
    return entry / grid.tile % processes == process;
}

/* ---- memory ----------------------------------------------------------------------------------- */

typedef struct region {
    char *seen; /* address range given to callers, without access */
    size_t size;
    int64_t ld; /* leading dimension of the matrix stored last */
    double *local;
    struct region *next;
} region;

static region *regions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t held_numbers(int64_t rows, int64_t cols)
{
    return held_before(rows, grid.col, grid.cols) * held_before(cols, grid.row, grid.rows);
}

double *tiles_alloc(int64_t rows, int64_t cols)
{
    region *fresh = volt_alloc_zero(1, sizeof *fresh);
    double *local = volt_alloc_doubles(volt_max(held_numbers(rows, cols), 1), 1);
    size_t size = ((size_t)rows * (size_t)cols + 1) * sizeof(double);
    void *seen = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int well = fresh && local && seen != MAP_FAILED;
    MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!well) {
        if (seen != MAP_FAILED)
            munmap(seen, size);
        volt_free(local);
        volt_free(fresh);
        volt_fail(VOLT_ERR_MEMORY,
                  "not enough memory in every process for its part of %" PRId64 " x %" PRId64 " numbers", rows,
                  cols);
        return NULL;
    }
    *fresh = (region){.seen = seen, .size = size, .ld = cols, .local = local};
    pthread_mutex_lock(&lock);
    fresh->next = regions;
    regions = fresh;
    pthread_mutex_unlock(&lock);
    return (double *)(void *)fresh->seen;
}

void tiles_release(double *memory)
{
    region *found = NULL;
    pthread_mutex_lock(&lock);
    for (region **at = &regions; memory && *at; at = &(*at)->next)
        if ((*at)->seen == (char *)memory) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (!found)
        return;
    munmap(found->seen, found->size);
    volt_free(found->local);
    volt_free(found);
}

static region *region_of(const double *data)
{
    const char *at = (const char *)data;
    region *found = NULL;
    pthread_mutex_lock(&lock);
    for (region *r = regions; r && !found; r = r->next)
        if (at >= r->seen && at < r->seen + r->size)
            found = r;
    pthread_mutex_unlock(&lock);
    if (!found)
        end_job("an address outside the distributed matrices was given");
    return found;
}

static int64_t offset_in(const region *r, const double *data)
{
    return data - (const double *)(const void *)r->seen;
}

/* ScaLAPACK description with `ld` rows, which are the columns here. */
static tiles describe(double *local, int64_t rows, int64_t ld)
{
    int64_t unused, local_ld = local_entries(0, ld, grid.row, grid.rows, &unused);
    if (ld > INT_MAX || rows > INT_MAX)
        end_job("a matrix has more rows than ScaLAPACK can count");
    return (tiles){
        .local = local,
        .desc = {1, grid.context, (int)ld, (int)rows, grid.tile, grid.tile, 0, 0, (int)volt_max(1, local_ld)},
    };
}

tiles tiles_of(const double *data, int64_t ld)
{
    region *r = region_of(data);
    tiles A = describe(r->local, (int64_t)(r->size / sizeof(double)) / ld, ld);
    int64_t offset = offset_in(r, data);
    A.i = offset / ld;
    A.j = offset % ld;
    r->ld = ld;
    return A;
}

tiles tiles_make(int64_t rows, int64_t cols)
{
    return describe(job_doubles(held_numbers(rows, cols)), rows, cols);
}

/* ---- to and fro ------------------------------------------------------------------------------- */

static double *place_of(const tiles *A, int64_t i, int64_t j)
{
    return A->local + held_before(j, grid.row, grid.rows) +
           held_before(i, grid.col, grid.cols) * (int64_t)A->desc[8];
}

/* A single column may be a diagonal, whose leading dimension differs from that of its matrix. */
static double *place_in_column(volt_view distributed, int64_t row)
{
    region *r = region_of(distributed.data);
    int64_t at = offset_in(r, distributed.data) + row * distributed.ld, i = at / r->ld, j = at % r->ld;
    if (!is_held(i, grid.col, grid.cols) || !is_held(j, grid.row, grid.rows))
        return NULL;
    tiles A = tiles_of((const double *)(const void *)r->seen, r->ld);
    return place_of(&A, i, j);
}

/* Calls `copy` with each local piece of a row. */
static void for_each_piece(volt_matrix local, volt_view distributed,
                           void (*copy)(double *local, double *distributed, int64_t))
{
    if (distributed.cols == 1) {
        for (int64_t i = 0; i < distributed.rows; i++) {
            double *held = place_in_column(distributed, i);
            if (held)
                copy(local.data + i * local.ld, held, 1);
        }
        return;
    }
    tiles A = tiles_of(distributed.data, distributed.ld);
    for (int64_t i = 0; i < distributed.rows; i++)
        for (int64_t j = 0, next = 0; is_held(A.i + i, grid.col, grid.cols) && j < distributed.cols; j = next) {
            next = volt_min(distributed.cols, ((A.j + j) / grid.tile + 1) * grid.tile - A.j);
            if (is_held(A.j + j, grid.row, grid.rows))
                copy(local.data + i * local.ld + j, place_of(&A, A.i + i, A.j + j), next - j);
        }
}

static void copy_to_tile(double *local, double *distributed, int64_t count)
{
    memcpy(distributed, local, (size_t)count * sizeof(double));
}

static void copy_from_tile(double *local, double *distributed, int64_t count)
{
    memcpy(local, distributed, (size_t)count * sizeof(double));
}

void tiles_put(volt_view local, volt_matrix distributed)
{
    volt_matrix from = {(double *)(size_t)local.data, local.rows, local.cols, local.ld};
    for_each_piece(from, volt_as_view(distributed), copy_to_tile);
}

void tiles_get(volt_view distributed, volt_matrix local)
{
    double *all = job_doubles(distributed.rows * distributed.cols);
    for_each_piece(volt_matrix_of(all, distributed.rows, distributed.cols), distributed, copy_from_tile);
    sum_over_processes(all, distributed.rows * distributed.cols);
    for (int64_t i = 0; i < distributed.rows; i++)
        memcpy(local.data + i * local.ld, all + i * distributed.cols,
               (size_t)distributed.cols * sizeof(double));
    free(all);
}

/* Sums with zeros are exact, so gathering is exact. One process adds, and all receive the same bits. */
void sum_over_processes(double *numbers, int64_t count)
{
    enum { MOST = 1 << 24 };
    for (int64_t at = 0; at < count; at += MOST) {
        int now = (int)volt_min(MOST, count - at);
        if (grid.rank == 0)
            MPI_Reduce(MPI_IN_PLACE, numbers + at, now, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        else
            MPI_Reduce(numbers + at, NULL, now, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(numbers + at, now, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}
