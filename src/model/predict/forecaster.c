/* src/model/predict/forecaster.c: forecasts of a sequence that comes in pieces. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "model/predict/predict_state.h"

struct volt_forecaster {
    const volt_model *model;
    volt_predict_options options;
    volt_predict_state state;
    bool is_lost; /* a piece failed: nobody knows where the sequence stands */
};

enum { MANY = 1 << 20 }; /* rows of a sequence that is long, whatever its pieces are */

volt_status volt_forecaster_create(const volt_model *model, const volt_predict_options *options,
                                   volt_forecaster **forecaster)
{
    VOLT_REQUIRE(model && forecaster, VOLT_ERR_ARGUMENT, "the model or the place for the forecaster is NULL");
    VOLT_REQUIRE(
        model->recipe.fed.n == 0, VOLT_ERR_ARGUMENT,
        "a model whose outputs come back beside the inputs does not forecast in pieces: a stream does");
    volt_predict_options own = volt_predict_options_default();
    VOLT_TRY(volt_options_take(&own, sizeof own, options, "volt_predict_options"));
    volt_forecaster *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->model = model;
    fresh->options = own;
    volt_status status = volt_predict_state_begin(model, fresh->options.start, MANY, 1, &fresh->state);
    if (status == VOLT_OK)
        *forecaster = fresh;
    else
        volt_forecaster_free(fresh);
    return status;
}

/* Products of a matrix may round otherwise where its rows are dealt out otherwise to the blocks. */
int64_t volt_forecaster_rows(const volt_forecaster *forecaster, int64_t most)
{
    int64_t block = forecaster ? forecaster->state.rows : 1;
    return most > block ? most / block * block : most;
}

volt_status volt_forecaster_predict(volt_forecaster *forecaster, volt_view X, volt_matrix out, int64_t *beyond)
{
    VOLT_REQUIRE(forecaster, VOLT_ERR_ARGUMENT, "the forecaster is NULL");
    VOLT_REQUIRE(!forecaster->is_lost, VOLT_ERR_ARGUMENT,
                 "a piece before this one failed: nothing can go on after it");
    VOLT_TRY(volt_predict_check_inputs(forecaster->model, X));
    VOLT_TRY(volt_predict_check_out(forecaster->model, out, X.rows));
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = volt_predict_rows(forecaster->model, X, NULL, &forecaster->options, &forecaster->state,
                                           out, (volt_matrix){0}, beyond);
    volt_blas_release(&use);
    forecaster->is_lost = status != VOLT_OK;
    return status;
}

void volt_forecaster_free(volt_forecaster *forecaster)
{
    if (!forecaster)
        return;
    volt_predict_state_release(&forecaster->state);
    volt_free(forecaster);
}
