/* mpi/tiles.h: a matrix whose tiles are dealt out over the processes of a job, as ScaLAPACK has them.
 *
 * The row-major matrix A is the transpose of ScaLAPACK's column-major one, entry i, j of A its entry j, i: the lower
 * triangle here is its upper one. Process (p, q) of the grid holds the tiles (a, b) of A with b mod grid rows = p and
 * a mod grid columns = q. What callers see of a matrix are addresses in pages without any access: address + i ld + j
 * says where an entry stands, and only the processes that hold it have the number. */
#ifndef MPI_TILES_H
#define MPI_TILES_H

#include "volterra/base.h"

typedef struct process_grid {
    int context;    /* of BLACS */
    int rows, cols; /* of the grid, and ... */
    int row, col;   /* ... where this process stands */
    int rank, size;
    int tile; /* rows and columns of a tile */
} process_grid;

extern process_grid grid; /* this process's; set once by grid_begin */

/* Lay out the grid over all processes of MPI_COMM_WORLD, as square as they permit, for tiles of `tile` rows (64 is a
 * good number; small ones deal out the small matrices of tests). */
void grid_begin(int tile);
void grid_end(void);

/* One matrix, or one inside of it: where its first entry stands. */
typedef struct tiles {
    double *local; /* the tiles of this process, column-major for ScaLAPACK */
    int desc[9];   /* ScaLAPACK's descriptor */
    int64_t i, j;  /* of the first entry, in A */
} tiles;

/* For rows x cols numbers; NULL, in all processes, when one of them has not the memory. Leading dimensions may be at most
 * cols. */
double *tiles_alloc(int64_t rows, int64_t cols);
void tiles_release(double *memory);

/* The matrix that an operation was given. */
tiles tiles_of(const double *data, int64_t ld);

/* One without addresses, for an operation's own use; its `local` is for free(). */
tiles tiles_make(int64_t rows, int64_t cols);

/* Of the entries first .. first + count - 1 of a side that is dealt out over `processes`, those that process `own`
 * holds are neighbours in its memory: the place of the first of them, and how many. */
int64_t own_entries(int64_t first, int64_t count, int own, int processes, int64_t *place);
/* Entry number `place` of process `own`, counted over the whole side. */
int64_t entry_at(int64_t place, int own, int processes);

/* Copy from here, where all processes have the same numbers, and to here, where all receive them. */
void tiles_put(volt_view here, volt_matrix there);
void tiles_get(volt_view there, volt_matrix here);

/* `count` numbers, summed over all processes, in place; the same bits in all of them. */
void sum_over_processes(double *numbers, int64_t count);

/* What happened to this process alone the others cannot know: the job ends with a sentence. */
void end_job(const char *sentence);
/* `count` zeros, for free(). A process that has not the memory ends the job: what is thin was to fit. */
double *job_doubles(int64_t count);

#endif
