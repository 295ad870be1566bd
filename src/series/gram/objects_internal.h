/* src/series/gram/objects_internal.h: whole series as objects: a collection, prepared, and its Gram matrices.
 *
 *     volt_objects *objects = NULL;
 *     volt_status status = volt_objects_create(train->series, train->count, NULL, &objects);
 *     if (!status)
 *         status = volt_objects_gram(objects, kernel, NULL, K);                                   // n x n
 *     if (!status)
 *         status = volt_objects_cross(objects, kernel, test->series, test->count, NULL, C, NULL); // tests x n
 *     volt_objects_free(objects); */
#ifndef OBJECTS_INTERNAL_H
#define OBJECTS_INTERNAL_H

#include "volterra/kernel.h"
#include "volterra/select.h"
#include "volterra/series.h"

#include <stdbool.h>

typedef struct volt_objects_options {
    volt_object_scale scale;     /* VOLT_OBJECT_SCALE_CHANNELS */
    volt_object_input input;     /* VOLT_OBJECT_INPUT_LEVEL */
    int normalise;               /* 1: K(x, x) = 1 for every series */
    volt_object_compare compare; /* VOLT_OBJECT_COMPARE_SERIES */
} volt_objects_options;

/* Contiguous copies of series. */
typedef struct volt_series_block {
    int64_t count;
    volt_view *series;
    double *numbers;
} volt_series_block;

/* Training series, prepared and copied. Constant after volt_objects_create: several threads may use it. */
typedef struct volt_objects {
    volt_objects_options options;
    int64_t channels;       /* as given */
    int64_t d;              /* numbers in a prepared step */
    double *shift, *factor; /* d each: a number x of a step becomes (x - shift) factor; only by channels */
    double scale;           /* then all are multiplied by this */
    double radius;          /* largest norm of a prepared training step */
    double steps;           /* the median length */
    bool equally_long;      /* every series has `steps` steps */
    volt_series_block prepared;
} volt_objects;

volt_objects_options volt_objects_options_default(void);

/* Prepares and copies `count` training series, each rows (time) x channels; lengths may differ. options may
 * be NULL. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA when all steps are equal; VOLT_ERR_MEMORY. */
volt_status volt_objects_create(const volt_view *series, int64_t count, const volt_objects_options *options,
                                volt_objects **objects);
void volt_objects_free(volt_objects *objects);

/* K (n x n, both triangles) of the training series with themselves. Supports the kernels of
 * volt_gram_collection and, if all series have the same length, the static ones (linear, rbf, poly, sigmoid,
 * cauchy), for which a series is one row of steps x channels numbers; with compared steps, the kernels of
 * volt_gram. progress may be NULL. VOLT_ERR_KERNEL: a kernel that does not compare series, is centred, or
 * uses windows; VOLT_ERR_SHAPE, VOLT_ERR_DATA (normalising a series with K(x, x) = 0), VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. */
volt_status volt_objects_gram(const volt_objects *objects, const volt_kernel *kernel,
                              const volt_progress *progress, volt_matrix K);

/* K[i][j] of new series i and training series j (count x n). New series are prepared as the training series
 * were; for kernels defined on a ball, steps outside the ball of the training series are projected to it.
 * self (optional) receives `count` numbers, K(x, x) of each new series: 1 if normalised. Otherwise as above. */
volt_status volt_objects_cross(const volt_objects *objects, const volt_kernel *kernel, const volt_view *series,
                               int64_t count, const volt_progress *progress, volt_matrix K, double *self);

/* Candidates for these series as in volt_candidates_draw: open parameters of `kernel` are drawn, widths in
 * units of the prepared steps, and no windows unless steps are compared. Only seed and ranges of options
 * (may be NULL) are used; alpha is drawn too. */
volt_status volt_objects_candidates(const volt_objects *objects, const char *kernel,
                                    const volt_draw_options *options, volt_candidates **candidates);

/* m of the training series, prepared as all of them were. */
volt_status volt_objects_select(const volt_objects *objects, const int64_t *rows, int64_t m,
                                volt_objects **selected);
/* Whether the failure of a Gram matrix, or of a fit with it, concerns one kernel only. */
static inline bool volt_objects_is_kernel_failure(volt_status status)
{
    return status == VOLT_ERR_SINGULAR || status == VOLT_ERR_DATA || status == VOLT_ERR_NOT_FINITE ||
           status == VOLT_ERR_ARGUMENT;
}

/* Estimated number of operations of the Gram matrix of a kernel. */
double volt_objects_work(const volt_objects *objects, const volt_kernel *kernel);

/* ---- steps compared with each other (objects.c) ---- */

#endif
