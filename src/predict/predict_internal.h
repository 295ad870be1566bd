/* src/predict/predict_internal.h: state of a sequence during prediction, and functions that predict
 * its next rows. */
#ifndef MODEL_PREDICT_PREDICT_INTERNAL_H
#define MODEL_PREDICT_PREDICT_INTERNAL_H

#include "backend/backend.h"
#include "gram/engine/state.h"
#include "kernel/records.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"
#include "volterra/model.h"

typedef struct volt_predict_state {
    const volt_backend *backend; /* back end of the products with coefficients */
    int64_t rows;                /* block size */
    volt_state *kernel_state;
    volt_recent recent;
    int64_t done; /* rows done */
} volt_predict_state;

/* The state before the first of `rows` rows, which are processed in blocks of `least` or more. NULL: zero
 * initial state. Always release it. */
volt_status volt_predict_state_at(const volt_model *model, const volt_state *kernel_state,
                                  const volt_recent *recent, int64_t rows, int64_t least,
                                  volt_predict_state *state);
void volt_predict_state_release(volt_predict_state *state);

/* Writes the predictions of X to `out` and, if it has data, their standard deviations to `std`. `records`
 * (NULL: one sequence) are the records of X. The caller has checked everything except the values of the
 * inputs, and has claimed BLAS. On failure `out` is unchanged, and the state must not be used. */
volt_status volt_predict_rows(const volt_model *model, volt_view X, const volt_records *records,
                              const volt_predict_options *options, volt_predict_state *state, volt_matrix out,
                              volt_matrix std, int64_t *beyond);

/* ---- predictions of a model with a feedback weight, row by row --------------------------------- */

/* Outputs of a free run that were bounded. */
typedef struct volt_run_bounded {
    int64_t rows;          /* their number */
    int64_t first, output; /* the first row, from 0, and its output */
    double value;          /* that output before it was bounded */
} volt_run_bounded;

/* volt_model_predict of such a model. The caller has checked everything except the values of inputs and
 * known outputs and the start, and has claimed BLAS. Rows that the back end does not support, or runs more
 * slowly than one core, run on the CPU. `bounded` receives the bounded outputs; NULL: a run that diverges is
 * VOLT_ERR_NOT_FINITE. */
volt_status volt_model_run_free(const volt_model *model, const volt_backend *backend, volt_view X,
                                const volt_records *records, const volt_predict_options *options,
                                volt_run_bounded *bounded, volt_matrix out, int64_t *beyond);

/* ---- many rows of a live object on a back end with free runs (base/run_form.h) --------------------- */

/* Rows to feed. */
typedef struct volt_device_rows {
    volt_view X;         /* rows x inputs */
    volt_matrix out;     /* rows x q: their outputs */
    bool chained;        /* outputs are the next row; X holds only the first */
    const double *known; /* (optional) outputs fed back after the first rows, q per row */
    int64_t known_ld;
    int64_t warm; /* number of rows with known outputs */
    bool watches; /* other outputs that leave the bounds end the run */
    bool bounds;  /* the CPU runs these rows again and bounds such outputs */
} volt_device_rows;

#endif
