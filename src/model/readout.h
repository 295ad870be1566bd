/* src/model/readout.h: what the forecasts of a model are made of.
 *
 * Against the rows of training a forecast is a row of K times n coefficients. Where the kernel has explicit states
 * (kernel/engine/state.h) it is a state times the readout of states, F' A, which every such model has: a forecast then
 * costs one step of the reservoir, whatever n is, and a model need not run its training rows again. */
#ifndef MODEL_READOUT_H
#define MODEL_READOUT_H

#include "model/model_internal.h"

/* Columns that a past of the model is against, and what its rows are multiplied by: columns->m x q. */
typedef struct volt_model_reader {
    const volt_columns *columns;
    const double *coefficients;
} volt_model_reader;

volt_model_reader volt_model_reads(const volt_model *model);

/* Does the kernel, resolved, have states? Then make room for their readout, which the caller fills in. */
volt_status volt_readout_allocate(volt_model *model);

/* Numbers in the state at the end of training. */
int64_t volt_readout_state_length(const volt_model *model);

#endif
