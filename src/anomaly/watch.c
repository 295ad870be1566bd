/* src/anomaly/watch.c: rows of a series, each against its forecast from those before it.
 *
 *     score_t = max_k |x_tk - forecast_tk| / scale_tk,     scale_tk = 1.4826 median of the last |errors| of channel k
 *
 * 1.4826 makes the scale a standard deviation where errors are normal; half of the errors may be anything before it moves
 * far. An alarm is a score above the level of alarm_level.h. */
#include "anomaly/alarm_level.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/sized.h"
#include "base/sorted_ring.h"
#include "volterra/anomaly.h"
#include "volterra/learner.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FEWEST_ERRORS = 10 }; /* that a scale is taken from */
enum { FEWEST_TRAIN = 50, MOST_TRAIN = 2000 };

/* A score that raised an alarm is remembered as at most so many times the threshold: it lies above, and that is what counts
 * for the rate; how far it does would hide the next one. A threshold that is too low can still rise. */
static const double ceiling = 1.5;

/* The last errors of one channel. */
typedef struct channel_errors {
    int64_t n, next;
    double *ring, *sorted; /* scale_rows each */
    double largest;        /* |x|, for what rounding does to forecasts of it */
} channel_errors;

struct volt_watch {
    int64_t d, scale_rows;
    volt_learner *learner; /* one of the two */
    volt_stream *stream;
    bool has_forecast;
    double *forecast, *next; /* d: of the row that comes, and of the one after it */
    double *errors;          /* d: of the row that comes */
    double *unknown;         /* d NaN: a row that is not learned */
    channel_errors *channels;
    double *numbers; /* theirs */
    volt_alarm_level level;
};

volt_watch_options volt_watch_options_default(void)
{
    return (volt_watch_options){
        .struct_size = sizeof(volt_watch_options), .rate = 0.001, .window = 500, .scale_rows = 300};
}

int64_t volt_watch_train_rows(int64_t rows)
{
    return volt_max(FEWEST_TRAIN, volt_min(rows / 3, MOST_TRAIN));
}

void volt_watch_free(volt_watch *watch)
{
    if (!watch)
        return;
    volt_learner_free(watch->learner);
    volt_stream_free(watch->stream);
    volt_free(watch->forecast);
    volt_free(watch->next);
    volt_free(watch->errors);
    volt_free(watch->unknown);
    volt_free(watch->channels);
    volt_free(watch->numbers);
    volt_alarm_level_release(&watch->level);
    volt_free(watch);
}

/* ---- scores ----------------------------------------------------------------------------------- */

/* 0 while there are too few errors. Where they are all 0, rounding is the unit. */
static double scale_of(const channel_errors *channel)
{
    if (channel->n < FEWEST_ERRORS)
        return 0;
    const double *middle = channel->sorted + (channel->n - 1) / 2;
    double median = channel->n % 2 ? middle[0] : (middle[0] + middle[1]) / 2;
    return fmax(1.4826 * median, fmax(8 * DBL_EPSILON * channel->largest, DBL_MIN));
}

/* The score of a row with these errors; what is seen now does not count yet. */
static volt_watch_row judge(const volt_watch *watch, const double *errors)
{
    volt_watch_row row = {
        .struct_size = sizeof(volt_watch_row), NAN, volt_alarm_level_now(&watch->level), 0, -1};
    for (int64_t k = 0; k < watch->d; k++) {
        double scale = scale_of(&watch->channels[k]);
        if (scale == 0)
            return (volt_watch_row){.struct_size = sizeof(volt_watch_row), NAN, row.threshold, 0, -1};
        double score = fmin(fabs(errors[k]) / scale, DBL_MAX);
        if (row.channel < 0 || score > row.score) {
            row.score = score;
            row.channel = k;
        }
    }
    row.alarm = row.score > row.threshold;
    return row;
}

static void remember(volt_watch *watch, const double *errors, const double *x, double score)
{
    for (int64_t k = 0; k < watch->d; k++) {
        channel_errors *channel = &watch->channels[k];
        channel->largest = fmax(channel->largest, x ? fabs(x[k]) : 0);
        volt_sorted_ring_add(channel->ring, channel->sorted, watch->scale_rows, &channel->n, &channel->next,
                             fabs(errors[k]));
    }
    if (!isnan(score))
        volt_alarm_level_add(&watch->level, score);
}

/* ---- create ----------------------------------------------------------------------------------- */

static volt_status check(const volt_model *model, const volt_watch_options *options, volt_watch **watch)
{
    VOLT_REQUIRE(model && watch, VOLT_ERR_ARGUMENT, "the model or the place for the watch is NULL");
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    VOLT_REQUIRE(info.feedback && info.ahead == 1 && info.d == info.q, VOLT_ERR_ARGUMENT,
                 "the model forecasts %" PRId64 " outputs of %" PRId64 " inputs, %" PRId64
                 " rows ahead: a watch needs one that forecasts its own inputs one row ahead",
                 info.q, info.d, info.ahead);
    VOLT_REQUIRE(options->rate > 0 && options->rate < 1, VOLT_ERR_ARGUMENT,
                 "the rate is %g, and must lie between 0 and 1", options->rate);
    VOLT_REQUIRE(options->window >= 0, VOLT_ERR_ARGUMENT,
                 "the window is %" PRId64 " rows, and must be at least 0", options->window);
    VOLT_REQUIRE(options->scale_rows >= FEWEST_ERRORS, VOLT_ERR_ARGUMENT,
                 "scale_rows is %" PRId64 ", and must be at least %d", options->scale_rows, FEWEST_ERRORS);
    return VOLT_OK;
}

/* A learner where there is something to learn, else the model as it is. */
static volt_status begin_forecasts(volt_watch *watch, const volt_model *model,
                                   const volt_watch_options *options)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    bool learns = false;
    for (int64_t k = 0; options->window > 0 && k < info.q; k++)
        learns = learns || isfinite(info.alphas[k]);
    if (!learns)
        return volt_stream_create(model, NULL, &watch->stream);
    volt_learner_options learner = volt_learner_options_default();
    learner.window = options->window;
    return volt_learner_create(model, &learner, &watch->learner);
}

/* What errors are like at the end of training: those of the later half, each of a forecast from the rows before it. */
static volt_status begin_errors(volt_watch *watch, const volt_model *model)
{
    volt_matrix none = {0};
    int64_t rows = volt_model_errors_read(model, none), d = watch->d;
    if (rows == 0)
        return VOLT_OK;
    volt_matrix errors = volt_matrix_of(volt_alloc_doubles(rows, d), rows, d);
    if (!errors.data)
        return VOLT_ERR_MEMORY;
    volt_model_errors_read(model, errors);
    for (int64_t t = rows / 2; t < rows; t++) {
        bool known = true;
        for (int64_t k = 0; k < d; k++)
            known = known && isfinite(errors.data[t * d + k]);
        if (known)
            remember(watch, errors.data + t * d, NULL, judge(watch, errors.data + t * d).score);
    }
    volt_free(errors.data);
    return VOLT_OK;
}

static volt_status begin(volt_watch *watch, const volt_model *model, const volt_watch_options *options)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    int64_t d = watch->d = info.d, rows = watch->scale_rows = options->scale_rows;
    watch->forecast = volt_alloc_doubles(d, 1);
    watch->next = volt_alloc_doubles(d, 1);
    watch->errors = volt_alloc_doubles(d, 1);
    watch->unknown = volt_alloc_doubles(d, 1);
    watch->channels = volt_alloc_zero(d, sizeof *watch->channels);
    watch->numbers = volt_alloc_doubles(d, 2 * rows);
    if (!watch->forecast || !watch->next || !watch->errors || !watch->unknown || !watch->channels ||
        !watch->numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < d; k++) {
        watch->unknown[k] = NAN;
        watch->channels[k].ring = watch->numbers + k * 2 * rows;
        watch->channels[k].sorted = watch->channels[k].ring + rows;
    }
    VOLT_TRY(volt_alarm_level_begin(&watch->level, options->rate));
    VOLT_TRY(begin_errors(watch, model));
    return begin_forecasts(watch, model, options);
}

volt_status volt_watch_create(const volt_model *model, const volt_watch_options *options, volt_watch **watch)
{
    volt_watch_options own = volt_watch_options_default();
    VOLT_TRY(volt_options_take(&own, sizeof own, options, "volt_watch_options"));
    options = &own;
    VOLT_TRY(check(model, options, watch));
    volt_watch *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = begin(fresh, model, options);
    if (status == VOLT_OK)
        *watch = fresh;
    else
        volt_watch_free(fresh);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* The row becomes the past; its target, the row itself, is learned unless it raised an alarm. */
static volt_status take_row(volt_watch *watch, const double *x, bool learn)
{
    if (watch->stream)
        return volt_stream_push(watch->stream, x, watch->next);
    volt_status status = volt_learner_advance(watch->learner, x, learn ? x : watch->unknown, watch->next);
    return status == VOLT_ERR_SINGULAR ? VOLT_OK
                                       : status; /* it brought nothing new: it is forecast all the same */
}

volt_status volt_watch_push(volt_watch *watch, const double *x, double *forecast, volt_watch_row *row)
{
    VOLT_REQUIRE(watch && x && row, VOLT_ERR_ARGUMENT, "the watch, the row or the place for its score is NULL");
    int64_t d = watch->d;
    for (int64_t k = 0; k < d; k++)
        VOLT_REQUIRE(isfinite(x[k]), VOLT_ERR_NOT_FINITE, "value %" PRId64 " of the row is %g", k + 1, x[k]);
    volt_watch_row judged = {
        .struct_size = sizeof(volt_watch_row), NAN, volt_alarm_level_now(&watch->level), 0, -1};
    if (forecast)
        for (int64_t k = 0; k < d; k++)
            forecast[k] = watch->has_forecast ? watch->forecast[k] : NAN;
    if (watch->has_forecast) {
        for (int64_t k = 0; k < d; k++)
            watch->errors[k] = x[k] - watch->forecast[k];
        judged = judge(watch, watch->errors);
    }
    VOLT_TRY(take_row(watch, x, !judged.alarm));
    if (watch->has_forecast)
        remember(watch, watch->errors, x,
                 judged.alarm ? fmin(judged.score, ceiling * judged.threshold) : judged.score);
    memcpy(watch->forecast, watch->next, (size_t)d * sizeof *x);
    watch->has_forecast = true;
    return volt_result_give(row, &judged, sizeof judged, "volt_watch_row");
}
