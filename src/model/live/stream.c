/* src/model/live/stream.c: one row in, one forecast out, in O(n (d + q)).
 *
 *     k_j <- 1 + lambda^2 kappa(z_t, z_j) k_{j-1},   y = c + A' k                (Volterra; section II.B)
 *
 * The coefficients are kept transposed, so that each output is one pass over contiguous memory. */
#include "base/blas.h"
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/file/state_lock.h"
#include "kernel/engine/engine.h"
#include "model/live/stream_internal.h"
#include "model/readout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

VOLT_CLONES
static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    double sum = 0;
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

static void transpose_coefficients(const volt_model *model, double *transposed)
{
    volt_model_reader reads = volt_model_reads(model);
    int64_t m = reads.columns->m;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < model->q; k++)
            transposed[k * m + j] = reads.coefficients[j * model->q + k];
}

/* A stream at the moment of `start` and `recent`; NULL both: after a zero past. */
static volt_status open_stream(const volt_model *model, volt_beyond policy, const volt_state *start,
                               const volt_recent *recent, volt_stream **stream)
{
    volt_stream *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    const volt_columns *columns = volt_model_reads(model).columns;
    fresh->model = model;
    fresh->policy = policy;
    fresh->last = volt_alloc_doubles(1, model->recipe.inputs);
    fresh->z = volt_alloc_doubles(1, model->d);
    fresh->y = volt_alloc_doubles(1, model->q);
    fresh->k = volt_alloc_doubles(1, columns->m);
    fresh->coefficients = volt_alloc_doubles(model->q, columns->m);
    bool has_room = fresh->last && fresh->z && fresh->y && fresh->k && fresh->coefficients;
    volt_status status = has_room ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = start ? volt_state_copy(start, 1, &fresh->past)
                       : volt_state_create(&model->resolved, columns, 1, &fresh->past);
    if (status == VOLT_OK)
        status = volt_recent_create(&model->recipe, &fresh->recent);
    if (status != VOLT_OK) {
        volt_stream_free(fresh);
        return status;
    }
    if (recent)
        volt_recent_copy(&model->recipe, recent, &fresh->recent);
    transpose_coefficients(model, fresh->coefficients);
    *stream = fresh;
    return VOLT_OK;
}

volt_status volt_stream_create(const volt_model *model, const volt_predict_options *options,
                               volt_stream **stream)
{
    volt_predict_options own = volt_predict_options_default();
    VOLT_TRY(volt_options_take(&own, sizeof own, options, "volt_predict_options"));
    options = &own;
    VOLT_REQUIRE(model && stream, VOLT_ERR_ARGUMENT, "the model or the place for the stream is NULL");
    bool reset = options->start == VOLT_START_RESET;
    VOLT_TRY(volt_model_check_start(model, options->start));
    return open_stream(model, options->beyond, reset ? NULL : model->end, reset ? NULL : &model->recent,
                       stream);
}

volt_status volt_stream_copy(const volt_stream *source, volt_stream **stream)
{
    VOLT_REQUIRE(source && stream, VOLT_ERR_ARGUMENT, "the stream or the place for its copy is NULL");
    VOLT_TRY(open_stream(source->model, source->policy, source->past, &source->recent, stream));
    (*stream)->pushed = source->pushed;
    (*stream)->beyond = source->beyond;
    (*stream)->strays = source->strays;
    if (source->strays)
        memcpy((*stream)->y, source->y, (size_t)source->model->q * sizeof(double));
    volt_stream_last(source, (*stream)->last);
    volt_status status = volt_stream_track_like(source, *stream);
    if (status != VOLT_OK) {
        volt_stream_free(*stream);
        *stream = NULL;
    }
    return status;
}

/* Of a stream that was read from a file the forecast is there to rounding: any output will do for the sentence. */
static volt_status refuse_stray(const volt_stream *stream)
{
    const volt_fed *fed = &stream->model->recipe.fed;
    int64_t k = volt_fed_strays(fed, stream->y);
    return volt_fed_diverged(fed, k < 0 ? 0 : k, stream->pushed - 1, stream->y);
}

volt_status volt_stream_push(volt_stream *stream, const double *x, double *y)
{
    VOLT_REQUIRE(stream && x && y, VOLT_ERR_ARGUMENT, "the stream, the input or the output is NULL");
    const volt_model *model = stream->model;
    const volt_fed *fed = &model->recipe.fed;
    if (stream->strays)
        return refuse_stray(stream);
    VOLT_TRY(volt_model_take_input(model, &stream->recent, x, stream->policy, stream->pushed, stream->z,
                                   &stream->beyond));
    volt_blas_use use;
    const volt_columns *columns = volt_model_reads(model).columns;
    bool multiplies = columns->engine->multiplies && !stream->claimed;
    if (multiplies)
        VOLT_TRY(volt_blas_claim(&use));
    memcpy(stream->last, x, (size_t)model->recipe.inputs * sizeof *x);
    volt_recent_push(&model->recipe, &stream->recent, x);
    volt_state_advance(stream->past, volt_view_of(stream->z, 1, model->d), false,
                       volt_matrix_of(stream->k, 1, columns->m), NULL);
    if (multiplies)
        volt_blas_release(&use);
    for (int64_t k = 0; k < model->q; k++)
        stream->y[k] = dot(stream->k, stream->coefficients + k * columns->m, columns->m);
    stream->strays = fed->n > 0; /* what is not finite does not come back either */
    volt_status status = volt_model_finish_output(model, stream->pushed++, x, stream->y);
    volt_stream_remember(stream, status == VOLT_OK);
    VOLT_TRY(status);
    volt_recent_feed(&model->recipe, &stream->recent, stream->y);
    stream->strays = volt_fed_strays(fed, stream->y) >= 0;
    memcpy(y, stream->y, (size_t)model->q * sizeof *y);
    return VOLT_OK;
}

volt_status volt_stream_feed(volt_stream *stream, const double *y)
{
    VOLT_REQUIRE(stream && y, VOLT_ERR_ARGUMENT, "the stream or the output is NULL");
    const volt_recipe *recipe = &stream->model->recipe;
    VOLT_REQUIRE(recipe->fed.n > 0, VOLT_ERR_ARGUMENT,
                 "the model was fitted without feedback: no output comes back to it");
    for (int64_t k = 0; k < recipe->fed.n; k++)
        VOLT_REQUIRE(isfinite(y[k]) && isfinite(volt_fed_column(&recipe->fed, k, y[k])), VOLT_ERR_NOT_FINITE,
                     "known output %" PRId64 " of row %" PRId64 " is not finite or too large", k + 1,
                     stream->pushed);
    volt_recent_feed(recipe, &stream->recent, y);
    stream->strays = false;
    return VOLT_OK;
}

void volt_stream_restart(volt_stream *stream)
{
    stream->strays = false;
    volt_state_zero(stream->past);
    volt_recent_restart(&stream->recent);
    stream->n_made = 0;
}

int64_t volt_stream_beyond(const volt_stream *stream)
{
    return stream->beyond;
}

int volt_stream_last(const volt_stream *stream, double *x)
{
    if (stream->pushed > 0)
        memcpy(x, stream->last, (size_t)stream->model->recipe.inputs * sizeof *x);
    return stream->pushed > 0;
}

volt_status volt_stream_get_info(const volt_stream *stream, volt_stream_info *info)
{
    VOLT_REQUIRE(stream && info, VOLT_ERR_ARGUMENT, "the stream or the place for its info is NULL");
    volt_stream_info now = {.beyond = stream->beyond, .last = stream->pushed > 0 ? stream->last : NULL};
    now.n_coverages = volt_stream_coverages(stream, &now.coverages);
    return volt_result_give(info, &now, sizeof now, "volt_stream_info");
}

void volt_stream_free(volt_stream *stream)
{
    if (stream) {
        volt_state_free(stream->past);
        volt_recent_release(&stream->recent);
        volt_free(stream->last);
        volt_free(stream->z);
        volt_free(stream->y);
        volt_free(stream->k);
        volt_free(stream->coefficients);
        volt_interval_free(stream->interval);
        volt_free(stream->made);
        volt_state_lock_free(stream->lock);
    }
    volt_free(stream);
}
