/* src/model/live/stream_file.c: the moment of a stream as a safetensors file: the state of its past, how rows were taken, and the
 * intervals that it tracks. */
#include "base/error.h"
#include "base/numbers.h"
#include "model/live/moment_file.h"
#include "model/live/stream_internal.h"

#include <inttypes.h>
#include <string.h>

static const volt_moment_kind stream_kind = {
    .format = "volterra-stream", .version = 1, .name = "stream", .kind = "the state of a volterra stream"};

static volt_moment moment_of(volt_stream *stream)
{
    return (volt_moment){.model = stream->model,
                         .recent = &stream->recent,
                         .last = stream->last,
                         .pushed = &stream->pushed,
                         .beyond = &stream->beyond};
}

/* ---- save ------------------------------------------------------------------------------------- */

/* Forecasts whose truth is to come, the oldest first. */
static void put_waiting(const volt_stream *stream, volt_file_writer *writer)
{
    int64_t q = stream->model->q, rows = stream->model->ahead + 1;
    int64_t waiting = volt_min(stream->n_made, rows), first = stream->n_made - waiting;
    double *made = volt_put_room(writer, "made", waiting * q, 0);
    for (int64_t i = 0; made && i < waiting; i++)
        memcpy(made + i * q, stream->made + (first + i) % rows * q, (size_t)q * sizeof *made);
}

volt_status volt_stream_save(const volt_stream *stream, const char *path)
{
    VOLT_REQUIRE(stream && path, VOLT_ERR_ARGUMENT, "the stream or the path is NULL");
    volt_file_writer writer = {0};
    const volt_moment moment = moment_of((volt_stream *)stream); /* which is read only */
    volt_moment_put(&stream_kind, &moment, &writer);
    if (stream->recent.n_fed > 0)
        volt_put_flag(&writer, "strays", stream->strays);
    double *state = volt_put_room(&writer, "state", volt_state_length(stream->past), 0);
    if (state)
        volt_state_get(stream->past, state);
    volt_moment_put_interval(stream->interval, &writer);
    if (stream->interval)
        put_waiting(stream, &writer);
    return volt_moment_finish(&stream_kind, &writer, stream->lock, path);
}

void volt_stream_hold(volt_stream *stream, volt_state_lock *lock)
{
    if (!stream) {
        volt_state_lock_free(lock);
        return;
    }
    volt_state_lock_free(stream->lock);
    stream->lock = lock;
}

/* ---- load ------------------------------------------------------------------------------------- */

/* The intervals that the stream of the file tracked, if it did; the ring of forecasts begins with the oldest. */
static volt_status read_interval(const volt_file_fields *fields, volt_stream *stream)
{
    const volt_tensor *coverages = NULL, *made = NULL;
    VOLT_TRY(volt_moment_coverages(fields, &coverages));
    if (!coverages)
        return VOLT_OK;
    volt_status status = volt_stream_track(stream, coverages->data, coverages->rows);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(volt_moment_errors(fields, stream->interval));
    VOLT_TRY(volt_fields_tensor(fields, "made", -1, 0, &made));
    int64_t q = stream->model->q, rows = made->rows / q;
    VOLT_REQUIRE(made->rows == rows * q && rows <= stream->model->ahead + 1, VOLT_ERR_FORMAT,
                 "%s: tensor \"made\" has %" PRId64 " numbers, which are not forecasts of %" PRId64
                 " outputs that wait %" PRId64 " rows",
                 fields->path, made->rows, q, stream->model->ahead);
    memcpy(stream->made, made->data, (size_t)made->rows * sizeof *stream->made);
    stream->n_made = rows;
    return VOLT_OK;
}

/* Into a stream that is there, and stands anywhere. */
static volt_status read_moment(const volt_file_fields *fields, volt_stream *stream)
{
    const volt_moment moment = moment_of(stream);
    const volt_tensor *state = NULL;
    VOLT_TRY(volt_moment_read(fields, &moment));
    VOLT_TRY(volt_fields_tensor(fields, "state", volt_state_length(stream->past), 0, &state));
    volt_state_set(stream->past, state->data);
    for (int64_t k = 0; k < stream->recent.n_fed; k++)
        stream->y[k] = volt_fed_output(&stream->model->recipe.fed, k, stream->recent.fed[k]);
    if (stream->recent.n_fed > 0)
        VOLT_TRY(volt_fields_flag(fields, "strays", &stream->strays));
    return read_interval(fields, stream);
}

volt_status volt_stream_load(const volt_model *model, const volt_predict_options *options, const char *path,
                             volt_stream **stream)
{
    VOLT_REQUIRE(model && path && stream, VOLT_ERR_ARGUMENT,
                 "the model, the path or the place for the stream is NULL");
    volt_safetensors *file = NULL;
    volt_file_fields fields;
    volt_stream *fresh = NULL;
    VOLT_TRY(volt_moment_open(&stream_kind, model, path, &file, &fields));
    volt_status status = volt_stream_create(model, options, &fresh);
    if (status == VOLT_OK)
        status = read_moment(&fields, fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *stream = fresh;
    else
        volt_stream_free(fresh);
    return status;
}
