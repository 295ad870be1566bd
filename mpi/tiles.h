/* mpi/tiles.h: matrices distributed in tiles over the processes of a job, in ScaLAPACK's block-cyclic
 * layout.
 *
 * The row-major matrix A is the transpose of ScaLAPACK's column-major matrix: entry i, j of A is its entry
 * j, i, and the lower triangle here is its upper one. Process (p, q) of the grid holds the tiles (a, b) of A
 * with b mod grid rows = p and a mod grid columns = q. Callers see addresses in pages without access. The
 * address data + i ld + j identifies entry (i, j); its value exists only in the process that holds it. */
#ifndef MPI_TILES_H
#define MPI_TILES_H

#include "volterra/base.h"

typedef struct process_grid {
    int context;    /* BLACS context */
    int rows, cols; /* size of the grid */
    int row, col;   /* position of this process */
    int rank, size;
    int tile; /* rows and columns of a tile */
} process_grid;

extern process_grid grid; /* of this process; set once by grid_begin */

/* Lay out a grid over all processes of MPI_COMM_WORLD, as square as possible, with tiles of `tile` rows (64
 * by default; tests use smaller tiles). */
void grid_begin(int tile);
void grid_end(void);

/* A distributed matrix, or a block of one. */
typedef struct tiles {
    double *local; /* local tiles, column-major for ScaLAPACK */
    int desc[9];   /* ScaLAPACK's descriptor */
    int64_t i, j;  /* position of the first entry in A */
} tiles;

/* Allocates rows x cols numbers. Returns NULL in all processes if one of them has too little memory. Leading
 * dimensions must not exceed cols. */
double *tiles_alloc(int64_t rows, int64_t cols);
void tiles_release(double *memory);

/* The matrix that a caller's address refers to. */
tiles tiles_of(const double *data, int64_t ld);

/* A temporary matrix without addresses; free its `local` with free(). */
tiles tiles_make(int64_t rows, int64_t cols);

/* The local entries of first .. first + count - 1 along a dimension distributed over `processes`. They are
 * contiguous in the memory of process `process`: returns the position of the first and sets the count. */
int64_t local_entries(int64_t first, int64_t count, int process, int processes, int64_t *place);
/* Global index of local entry `place` of process `process`. */
int64_t entry_at(int64_t place, int process, int processes);

/* Copy from local memory, equal in all processes, to the distributed matrix; and back to all processes. */
void tiles_put(volt_view local, volt_matrix distributed);
void tiles_get(volt_view distributed, volt_matrix local);

/* Sums `count` numbers over all processes, in place. All processes receive the same bits. */
void sum_over_processes(double *numbers, int64_t count);

/* End the job with a message, for errors that only this process detects. */
void end_job(const char *sentence);
/* Returns `count` zeros, for free(). Ends the job if there is too little memory. */
double *job_doubles(int64_t count);

#endif
