/* src/base/row_bands.h: long walks over rows, shared by the processes of a job.
 *
 * All processes run the same calls with the same numbers. Where rows only join sums, each walks a band of them, and the sums
 * of all are added; whatever follows from the sums they do alike. What adds over processes comes from outside
 * (mpi/tiles.h); a process alone has one band, of all rows. */
#ifndef BASE_ROW_BANDS_H
#define BASE_ROW_BANDS_H

#include "volterra/base.h"

#include <stdint.h>

typedef struct volt_bands {
    int64_t parts, part; /* how many processes, and which one this is */
    /* `count` numbers, added over the processes in place, the same bits in all of them and in every run. */
    void (*sum)(double *numbers, int64_t count);
} volt_bands;

/* Those of calls from this thread from now on, which must stay where they are; NULL: the process is alone. */
void volt_bands_use(const volt_bands *bands);
/* Never NULL. */
const volt_bands *volt_bands_current(void);

/* The band of this process among rows begin .. end - 1: rows *first .. *last - 1, whole blocks of `block` rows. */
void volt_bands_rows(const volt_bands *bands, int64_t begin, int64_t end, int64_t block, int64_t *first,
                     int64_t *last);

/* The band of this process among the rows of the lower triangle of an n x n matrix: as many entries as the others have. */
void volt_bands_of_triangle(const volt_bands *bands, int64_t n, int64_t *first, int64_t *last);

/* M, added over the processes; collective. */
void volt_bands_sum(const volt_bands *bands, volt_matrix M);
/* The rows of M, which stand for rows `from`, from + 1, ... of all: of those this process has found first .. last - 1, and
 * receives the others, by sums with zeros. Collective; without data nothing happens, in any process. */
void volt_bands_gather(const volt_bands *bands, int64_t from, int64_t first, int64_t last, volt_matrix M);

#endif
