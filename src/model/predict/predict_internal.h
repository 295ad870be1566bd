/* src/model/predict/predict_internal.h: where a sequence stands that is being forecast, and its next rows. */
#ifndef MODEL_PREDICT_PREDICT_INTERNAL_H
#define MODEL_PREDICT_PREDICT_INTERNAL_H

#include "base/backend.h"
#include "kernel/engine/state.h"
#include "kernel/records.h"
#include "model/live/live_internal.h"
#include "model/model_internal.h"
#include "volterra/model.h"

typedef struct volt_predict_state {
    const volt_backend *backend; /* where kernels meet coefficients */
    int64_t rows;                /* that go past the training rows at a time */
    volt_state *past;
    volt_recent recent;
    int64_t done; /* rows that have gone by */
} volt_predict_state;

/* Before the first of `rows` rows, which are taken in blocks of `least` or more; NULL: a zero initial state. Release it in
 * every case. */
volt_status volt_predict_state_at(const volt_model *model, const volt_state *past, const volt_recent *recent,
                                  int64_t rows, int64_t least, volt_predict_state *state);
void volt_predict_state_release(volt_predict_state *state);

/* The forecasts of X into `out`, and into `std` where it has data; records (NULL: one sequence) are those of X. Everything is
 * checked but the values of the inputs, and BLAS is claimed. On failure `out` is untouched, and the state of no more use. */
volt_status volt_predict_rows(const volt_model *model, volt_view X, const volt_records *records,
                              const volt_predict_options *options, volt_predict_state *state, volt_matrix out,
                              volt_matrix std, int64_t *beyond);

/* ---- predictions of a model with a feedback weight, row by row --------------------------------- */

/* Do the known outputs and the warm-up of the options go with the model and the `rows` of the inputs? VOLT_ERR_ARGUMENT,
 * VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE for one that is missing. */
volt_status volt_model_check_known(const volt_model *model, int64_t rows, const volt_predict_options *options);

/* volt_model_predict of such a model; everything is checked but the values of inputs and known outputs and the start, and
 * BLAS is claimed. Rows that the back end does not run by itself, or better than a core here, are run here. */
volt_status volt_model_run_free(const volt_model *model, const volt_backend *backend, volt_view X,
                                const volt_records *records, const volt_predict_options *options,
                                volt_matrix out, int64_t *beyond);

/* ---- many rows of a live object at once, by a back end that runs free (base/run_form.h) -------- */

/* Rows to be fed. */
typedef struct volt_device_rows {
    volt_view X;         /* (rows x inputs) ... */
    volt_matrix out;     /* rows x q: ... and where their outputs go ... */
    bool chained;        /* ... which are the next row, X being the first row alone */
    const double *known; /* (optional) the outputs that come back after the first rows, q to a row, ... */
    int64_t known_ld;
    int64_t warm; /* ... of so many of them */
    bool watches; /* of the others, one that leaves the range of training ends the run */
} volt_device_rows;

/* Feeds as many of the rows as the back end takes: *done of them. The row that follows, if
 * there is one, is for volt_live_feed, and then the back end may be asked again. VOLT_ERR_NOT_FINITE as volt_live_feed, or
 * where a row that is watched has left the range; `first` (from 0) is the number of the first row, for the sentence. */
volt_status volt_device_run(volt_live *live, const volt_backend *backend, const volt_device_rows *rows,
                            int64_t first, volt_stage *stage, int64_t *done);

#endif
