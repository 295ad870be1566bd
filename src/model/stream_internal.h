/* src/model/stream_internal.h: what a stream holds. */
#ifndef MODEL_STREAM_INTERNAL_H
#define MODEL_STREAM_INTERNAL_H

#include "model/model_internal.h"

struct volt_stream {
    const volt_model *model;
    volt_past *past;
    volt_recent recent; /* rows before the next one, as far as the recipe looks back */
    volt_beyond policy;
    int64_t pushed, beyond;
    double *last;         /* recipe.inputs: the last row as it was given, once one is pushed */
    double *z;            /* d: the scaled columns */
    double *y;            /* q: the forecast, until it is known to be finite */
    double *k;            /* n: the kernel of the past against each training row */
    double *coefficients; /* q x n */
};

#endif
