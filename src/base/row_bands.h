/* src/base/row_bands.h: loops over rows, divided among the processes of a job.
 *
 * All processes run the same calls with the same numbers. Where rows only contribute to sums, each process
 * handles one band of rows, and the sums are added over processes; all processes repeat the rest. mpi/tiles.h
 * provides the sum. A single process has one band with all rows. */
#ifndef BASE_ROW_BANDS_H
#define BASE_ROW_BANDS_H

#include "volterra/base.h"

#include <stdint.h>

typedef struct volt_bands {
    int64_t parts, part; /* number of processes, and the index of this one */
    /* Adds `count` numbers over the processes in place; bit-identical in all processes and runs. */
    void (*sum)(double *numbers, int64_t count);
} volt_bands;

/* Sets the bands for later calls from this thread; they must remain valid. NULL: a single process. */
void volt_bands_use(const volt_bands *bands);
/* Never NULL. */
const volt_bands *volt_bands_current(void);

/* The band of this process in rows begin .. end - 1: rows *first .. *last - 1, whole blocks of `block` rows. */
void volt_bands_rows(const volt_bands *bands, int64_t begin, int64_t end, int64_t block, int64_t *first,
                     int64_t *last);

/* The band of this process in the rows of the lower triangle of an n x n matrix, with the same number of
 * entries for each process. */
void volt_bands_of_triangle(const volt_bands *bands, int64_t n, int64_t *first, int64_t *last);

/* Adds M over the processes; collective. */
void volt_bands_sum(const volt_bands *bands, volt_matrix M);
/* Completes the rows of M, which represent rows `from`, from + 1, ... of the whole. This process has
 * computed rows first .. last - 1 and receives the others, by sums with zeros. Collective; does nothing
 * without data. */
void volt_bands_gather(const volt_bands *bands, int64_t from, int64_t first, int64_t last, volt_matrix M);

#endif
