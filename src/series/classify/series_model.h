/* src/series/classify/series_model.h: the readout on series that fits of classes and of numbers make.
 *
 *     outputs = sum over the parts of K_p(x, training series) / divisor A + c                                        */
#ifndef CLASSIFY_SERIES_MODEL_H
#define CLASSIFY_SERIES_MODEL_H

#include "series/gram/objects_internal.h"
#include "solve/loss/loss.h"
#include "volterra/series.h"

enum { VOLT_MOST_PREPARATIONS = 8, VOLT_MOST_BLEND = 8 };

typedef struct volt_series_part {
    const volt_objects *objects; /* one of those that the model owns */
    volt_kernel *kernel;
} volt_series_part;

struct volt_series_model {
    volt_objects *objects[VOLT_MOST_PREPARATIONS]; /* NULL where no part needs it */
    volt_series_part parts[VOLT_MOST_BLEND];
    int64_t n_parts;
    double divisor;   /* number of parts, or the mean of K(x, x) over the training series */
    volt_loss *loss;  /* NULL: squares */
    int64_t columns;  /* series that carry the readout */
    double *A, *c;    /* columns x outputs, outputs */
    double *left_out; /* n x outputs: leave-one-out outputs */
    volt_series_kernel kernels[VOLT_MOST_BLEND]; /* the parts, as info lists them */
    volt_warning *warnings;
    volt_series_info info; /* its pointers are to the above */
};

/* Memory of the readout of n series with `columns` of them carrying it. */
volt_status volt_series_model_allocate(volt_series_model *model, int64_t n, int64_t columns, int64_t outputs);
/* The fields of info that follow from the parts. */
void volt_series_model_describe(volt_series_model *model);

#endif
