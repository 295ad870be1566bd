/* src/predict/interval/prediction_std.c: standard deviations of new observations from the factor kept by the
 * model (stored_factor.h). */
#include "predict/interval/interval.h"

#include "base/error.h"
#include "base/memory.h"
#include "gram/engine/engine.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* s of every output. One step ahead, the sum of e^2 / v equals the sum of squares of D; its mean is s^2 of
 * docs/math.md. */
static volt_status measure_noise(const volt_model *model, double *s)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    for (int64_t k = 0; k < model->q; k++) {
        double squares = 0;
        int64_t count = 0;
        for (int64_t t = 0; t < near->rows; t++) {
            double scale = near->scale[t * model->q + k], e = near->e[t * model->q + k];
            if (scale > 0) {
                squares += e / scale * (e / scale);
                count++;
            }
        }
        VOLT_REQUIRE(count > 0, VOLT_ERR_DATA,
                     "no training row of output %" PRId64
                     " was predicted from earlier rows: its noise level is unknown",
                     k + 1);
        s[k] = model->target_scale[k] * sqrt(squares / (double)count);
    }
    return VOLT_OK;
}

/* Number of rows before the first: the training rows of the last record when the sequence continues. */
static int64_t rows_before(const volt_model *model, volt_start start)
{
    if (start == VOLT_START_RESET)
        return 0;
    return model->n_records > 0 ? model->records[model->n_records - 1] : model->n;
}

/* K(t, t) of all rows, record by record. */
static volt_status find_diagonal(const volt_model *model, volt_view Z, const volt_records *records,
                                 volt_start start, double *kk)
{
    int64_t before = rows_before(model, start);
    volt_status status = VOLT_OK;
    for (int64_t first = 0, end = 0; status == VOLT_OK && first < Z.rows; first = end, before = 0) {
        end = volt_records_segment_end(records, first, Z.rows);
        int64_t rows = end - first;
        double *all = volt_alloc_doubles(before + rows, model->d);
        if (!all)
            return VOLT_ERR_MEMORY;
        for (int64_t j = 0; j < before; j++)
            volt_columns_row(model->columns, model->n - before + j, all + j * model->d);
        for (int64_t i = 0; i < rows; i++)
            memcpy(all + (before + i) * model->d, Z.data + (first + i) * Z.ld,
                   (size_t)model->d * sizeof(double));
        status =
            volt_diagonal(&model->resolved, volt_view_of(all, before + rows, model->d), before, kk + first);
        volt_free(all);
    }
    return status;
}

volt_status volt_prediction_std_begin(const volt_model *model, volt_view Z, const volt_records *records,
                                      volt_start start, int64_t max_rows, volt_prediction_std *spread)
{
    *spread = (volt_prediction_std){.model = model, .max_rows = max_rows};
    VOLT_REQUIRE(
        model->stored_factors.of, VOLT_ERR_ARGUMENT,
        "standard deviations require the factor of the Gram matrix, which the model does not keep: fit with "
        "keep_factor (fit --keep-factor)");
    spread->kk = volt_alloc_doubles(Z.rows, 1);
    spread->s = volt_alloc_doubles(model->q, 1);
    spread->host = volt_alloc_doubles(max_rows, model->n);
    spread->used = volt_alloc_doubles(max_rows, model->n);
    spread->plain = volt_alloc_doubles(max_rows, 1);
    spread->with_constant = volt_alloc_doubles(max_rows, 1);
    if (!spread->kk || !spread->s || !spread->host || !spread->used || !spread->plain || !spread->with_constant)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(measure_noise(model, spread->s));
    return find_diagonal(model, Z, records, start, spread->kk);
}

void volt_prediction_std_release(volt_prediction_std *spread)
{
    volt_free(spread->kk);
    volt_free(spread->s);
    volt_free(spread->host);
    volt_free(spread->used);
    volt_free(spread->plain);
    volt_free(spread->with_constant);
}

volt_status volt_prediction_std_rows(const volt_prediction_std *spread, const volt_backend *backend,
                                     volt_view K, int64_t first, volt_matrix std)
{
    const volt_model *model = spread->model;
    const volt_stored_factors *stored_factors = &model->stored_factors;
    int64_t w = model->washout, m = model->n - w;
    volt_matrix host = volt_matrix_of(spread->host, K.rows, model->n);
    backend->get(K, host);
    for (int64_t k = 0; k < model->q; k++) /* for a mean, only the noise */
        for (int64_t i = 0; stored_factors->of[k] < 0 && i < K.rows; i++)
            std.data[i * std.ld + k] = spread->s[k];
    for (int64_t f = 0; f < stored_factors->count; f++) {
        for (int64_t i = 0; i < K.rows; i++)
            memcpy(spread->used + i * m, host.data + i * host.ld + w, (size_t)m * sizeof(double));
        const volt_stored_factor *stored = &stored_factors->factors[f];
        VOLT_TRY(volt_stored_factor_latent_variances(stored, 1, volt_matrix_of(spread->used, K.rows, m),
                                                     spread->kk + first, spread->plain, spread->with_constant));
        for (int64_t k = 0; k < model->q; k++)
            for (int64_t i = 0; stored_factors->of[k] == f && i < K.rows; i++)
                std.data[i * std.ld + k] =
                    spread->s[k] *
                    sqrt((stored_factors->constant[k] ? spread->with_constant[i] : spread->plain[i]) +
                         stored->alpha);
    }
    for (int64_t i = 0; i < K.rows; i++) /* finite numbers of a file may have infinite squares */
        for (int64_t k = 0; k < model->q; k++)
            VOLT_REQUIRE(isfinite(std.data[i * std.ld + k]), VOLT_ERR_NOT_FINITE,
                         "row %" PRId64 ": the standard deviation of output %" PRId64 " is not finite",
                         first + i, k + 1);
    return VOLT_OK;
}
