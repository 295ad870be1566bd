/* src/base/row_bands.h: loops over rows, divided among the parts of a job: processes, or devices of one process.
 *
 * All parts run the same calls with the same numbers. Where rows only contribute to sums, each part handles one
 * band of rows, and the sums are added over the parts; all parts repeat the rest. mpi/tiles.h provides the sum over
 * processes, backend/backend.h the sum over the threads of several devices. Otherwise there is one band with all
 * rows. Devices of different parts may round differently: results that decide what follows are those of part 0
 * (volt_bands_broadcast). */
#ifndef BASE_ROW_BANDS_H
#define BASE_ROW_BANDS_H

#include "volterra/base.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct volt_bands {
    int64_t parts, part; /* number of parts, and the index of this one */
    bool in_process;     /* the parts are devices of one process */
    /* Adds `count` numbers over the parts in place; bit-identical in all parts and runs. */
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
/* Replaces the numbers by those of part 0; collective. */
void volt_bands_broadcast(const volt_bands *bands, double *numbers, int64_t count);
/* Completes the rows of M, which represent rows `from`, from + 1, ... of the whole. This process has
 * computed rows first .. last - 1 and receives the others, by sums with zeros. Collective; does nothing
 * without data. */
void volt_bands_gather(const volt_bands *bands, int64_t from, int64_t first, int64_t last, volt_matrix M);

#endif
