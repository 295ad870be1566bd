/* src/model/live/learner_predict.c: forecasts of rows that follow, by a learner that stays where it is. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/gram/gram.h"
#include "model/live/learner_internal.h"

#include <inttypes.h>
#include <string.h>

/* What a run of forecasts needs beside the learner. */
typedef struct forecast_run {
    volt_moving *moving; /* of its own */
    volt_recent recent;
    double *A, *c; /* n x q and q: the readout of the window */
    double *k;     /* against the columns */
    double *result;
    int64_t beyond;
} forecast_run;

static void release(forecast_run *run)
{
    volt_moving_free(run->moving);
    volt_recent_release(&run->recent);
    volt_free(run->A);
    volt_free(run->c);
    volt_free(run->k);
    volt_free(run->result);
}

static volt_status begin(const volt_learner *learner, int64_t rows, forecast_run *run)
{
    const volt_model *model = learner->model;
    int64_t columns = volt_moving_next(learner->moving) - volt_moving_begin(learner->moving);
    run->A = volt_alloc_doubles(learner->n, model->q);
    run->c = volt_alloc_doubles(model->q, 1);
    run->k = volt_alloc_doubles(columns, 1);
    run->result = volt_alloc_doubles(rows, model->q);
    if (!run->A || !run->c || !run->k || !run->result)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(volt_recent_create(&model->recipe, &run->recent));
    volt_recent_copy(&model->recipe, &learner->recent, &run->recent);
    VOLT_TRY(volt_moving_copy(learner->moving, &run->moving));
    return volt_learner_coefficients(learner, volt_matrix_of(run->A, learner->n, model->q), run->c, NULL);
}

/* Row i of X, so many rows after the last that the learner knows. */
static volt_status forecast(const volt_learner *learner, forecast_run *run, int64_t i, const double *x,
                            double *z)
{
    const volt_model *model = learner->model;
    int64_t q = model->q, first = volt_moving_begin(run->moving);
    int64_t now = volt_moving_next(run->moving) + i;
    double *v = run->result + i * q;
    VOLT_TRY(volt_model_take_input(model, &run->recent, x, learner->policy, i, z, &run->beyond));
    VOLT_TRY(volt_moving_prepare(run->moving, z, false, true));
    volt_moving_push(run->moving, z, false, run->k);
    volt_recent_push(&model->recipe, &run->recent, x);
    memcpy(v, run->c, (size_t)q * sizeof *v);
    for (int64_t j = 0; j < learner->n; j++) {
        int64_t row = learner->numbers[j];
        double k = volt_learner_faded(learner, run->k[row - first], now - row);
        for (int64_t output = 0; output < q; output++)
            v[output] += k * run->A[j * q + output];
    }
    VOLT_TRY(volt_model_unscale_output(model, i, x, v));
    int64_t stray = volt_fed_strays(&model->recipe.fed, v);
    if (stray >= 0)
        return volt_fed_diverged(&model->recipe.fed, stray, i, v);
    volt_recent_feed(&model->recipe, &run->recent, v); /* a free run where outputs come back */
    return VOLT_OK;
}

static volt_status predict(const volt_learner *learner, volt_view X, double *z, forecast_run *run)
{
    VOLT_TRY(begin(learner, X.rows, run));
    for (int64_t i = 0; i < X.rows; i++)
        VOLT_TRY(forecast(learner, run, i, X.data + i * X.ld, z));
    return VOLT_OK;
}

volt_status volt_learner_predict(const volt_learner *learner, volt_view X, volt_matrix out, int64_t *beyond)
{
    VOLT_REQUIRE(learner, VOLT_ERR_ARGUMENT, "the learner is NULL");
    const volt_model *model = learner->model;
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_REQUIRE(X.cols == model->recipe.inputs, VOLT_ERR_SHAPE,
                 "the inputs have %" PRId64 " columns, and the model takes %" PRId64, X.cols,
                 model->recipe.inputs);
    VOLT_REQUIRE(out.data && out.rows == X.rows && out.cols == model->q && out.ld >= out.cols, VOLT_ERR_SHAPE,
                 "the forecasts are %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64, out.rows,
                 out.cols, X.rows, model->q);
    forecast_run run = {0};
    volt_blas_use use;
    double *z = volt_alloc_doubles(model->d, 1);
    volt_status status = z ? volt_blas_claim(&use) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        status = predict(learner, X, z, &run);
        volt_blas_release(&use);
    }
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        memcpy(out.data + i * out.ld, run.result + i * model->q, (size_t)model->q * sizeof(double));
    if (status == VOLT_OK && beyond)
        *beyond = run.beyond;
    release(&run);
    volt_free(z);
    return status;
}
