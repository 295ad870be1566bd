/* src/model/predict/predict_state.h: where a sequence stands that is being forecast, and its next rows. */
#ifndef MODEL_PREDICT_STATE_H
#define MODEL_PREDICT_STATE_H

#include "base/backend.h"
#include "kernel/engine/state.h"
#include "kernel/records.h"
#include "model/model_internal.h"

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

#endif
