/* src/model/predict/free_run.h: predictions of a model with a feedback weight, row by row. */
#ifndef MODEL_FREE_RUN_H
#define MODEL_FREE_RUN_H

#include "base/backend.h"
#include "kernel/records.h"
#include "volterra/model.h"

/* Do the known outputs and the warm-up of the options go with the model and the `rows` of the inputs? VOLT_ERR_ARGUMENT,
 * VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE for one that is missing. */
volt_status volt_model_check_known(const volt_model *model, int64_t rows, const volt_predict_options *options);

/* volt_model_predict of such a model; everything is checked but the values of inputs and known outputs and the start, and
 * BLAS is claimed. Rows that the back end does not run by itself, or better than a core here, are run here. */
volt_status volt_model_run_free(const volt_model *model, const volt_backend *backend, volt_view X,
                                const volt_records *records, const volt_predict_options *options,
                                volt_matrix out, int64_t *beyond);

#endif
