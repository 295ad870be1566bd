/* src/objects/objects_internal.h: what a prepared collection is made of. */
#ifndef OBJECTS_INTERNAL_H
#define OBJECTS_INTERNAL_H

#include "volterra/objects.h"

#include <stdbool.h>

/* Series in memory of their own, one behind the other. */
typedef struct volt_series_block {
    int64_t count;
    volt_view *series;
    double *numbers;
} volt_series_block;

struct volt_objects {
    volt_objects_options options;
    int64_t channels;       /* as given */
    int64_t d;              /* numbers in a prepared step */
    double *shift, *factor; /* d each: a number x of a step becomes (x - shift) factor; by channels alone */
    double scale;           /* then all of them are multiplied by this */
    double radius;          /* largest norm of a prepared training step */
    double steps;           /* the median length */
    bool equally_long;      /* every series has `steps` of them */
    volt_series_block prepared;
};

/* New series as the training series were prepared, with steps beyond the radius drawn in to it where `hold`. The caller
 * releases the block, also after a failure. */
volt_status volt_objects_prepare(const volt_objects *objects, const volt_view *series, int64_t count, bool hold,
                                 volt_series_block *block);
void volt_series_block_release(volt_series_block *block);

/* m of the training series, prepared as all of them were. */
volt_status volt_objects_select(const volt_objects *objects, const int64_t *rows, int64_t m,
                                volt_objects **selected);
/* About how many operations the Gram matrix of a kernel takes. */
double volt_objects_work(const volt_objects *objects, const volt_kernel *kernel);

#endif
