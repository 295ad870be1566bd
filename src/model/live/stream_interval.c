/* src/model/live/stream_interval.c: a stream that keeps adaptive intervals of its forecasts.
 *
 * The truth of a forecast comes up to `ahead` rows later: until then the forecast waits in a ring. */
#include "base/error.h"
#include "base/memory.h"
#include "model/live/stream_internal.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

static int64_t ring_rows(const volt_stream *stream)
{
    return stream->model->ahead + 1;
}

void volt_stream_remember(volt_stream *stream, bool finite)
{
    int64_t q = stream->model->q;
    if (!stream->interval)
        return;
    double *made = stream->made + stream->n_made % ring_rows(stream) * q;
    for (int64_t k = 0; k < q; k++)
        made[k] = finite ? stream->y[k] : DBL_MAX;
    stream->n_made++;
}

/* Takes the interval over, in every case. */
static volt_status track_with(volt_stream *stream, volt_interval *interval)
{
    double *made = volt_alloc_zero(ring_rows(stream) * stream->model->q, sizeof *made);
    if (!made) {
        volt_interval_free(interval);
        return VOLT_ERR_MEMORY;
    }
    volt_interval_free(stream->interval);
    volt_free(stream->made);
    stream->interval = interval;
    stream->made = made;
    stream->n_made = 0;
    return VOLT_OK;
}

volt_status volt_stream_track(volt_stream *stream, const double *coverages, int64_t count)
{
    VOLT_REQUIRE(stream, VOLT_ERR_ARGUMENT, "the stream is NULL");
    volt_interval *interval = NULL;
    VOLT_TRY(volt_interval_create(stream->model, coverages, count, &interval));
    return track_with(stream, interval);
}

volt_status volt_stream_track_like(const volt_stream *source, volt_stream *stream)
{
    volt_interval *interval = NULL;
    if (!source->interval)
        return VOLT_OK;
    VOLT_TRY(volt_interval_copy(source->interval, &interval));
    VOLT_TRY(track_with(stream, interval));
    memcpy(stream->made, source->made, (size_t)(ring_rows(source) * source->model->q) * sizeof(double));
    stream->n_made = source->n_made;
    return VOLT_OK;
}

int64_t volt_stream_coverages(const volt_stream *stream, const double **coverages)
{
    if (!stream->interval)
        return 0;
    if (coverages)
        *coverages = stream->interval->coverages;
    return stream->interval->count;
}

volt_status volt_stream_interval(const volt_stream *stream, double *half)
{
    VOLT_REQUIRE(stream && half, VOLT_ERR_ARGUMENT, "the stream or the place for the half-widths is NULL");
    VOLT_REQUIRE(stream->interval, VOLT_ERR_ARGUMENT, "the stream tracks no intervals");
    volt_interval_half(stream->interval, half);
    return VOLT_OK;
}

volt_status volt_stream_observe(volt_stream *stream, int64_t back, const double *truth)
{
    VOLT_REQUIRE(stream && truth, VOLT_ERR_ARGUMENT, "the stream or the truth is NULL");
    VOLT_REQUIRE(stream->interval, VOLT_ERR_ARGUMENT, "the stream tracks no intervals");
    VOLT_REQUIRE(back >= 0 && back <= stream->model->ahead, VOLT_ERR_ARGUMENT,
                 "the forecast lies %" PRId64 " rows back, and must lie 0 to %" PRId64 " rows back", back,
                 stream->model->ahead);
    int64_t row = stream->n_made - 1 - back;
    const double *made = row < 0 ? NULL : stream->made + row % ring_rows(stream) * stream->model->q;
    if (!made || made[0] == DBL_MAX)
        return VOLT_OK;
    return volt_interval_learn(stream->interval, made, truth);
}
