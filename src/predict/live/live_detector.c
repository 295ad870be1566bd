/* src/predict/live/live_detector.c: compares rows of a series with their one-step predictions.
 *
 *     score_t = max_k |x_tk - prediction_tk| / scale_tk,     scale_tk = 1.4826 median of the last |errors| of channel k
 *
 * The factor 1.4826 makes the scale a standard deviation for normal errors. The scale is bounded while fewer
 * than half of the errors are outliers.
 *
 * The alarm level is the ceil((N + 1)(1 - rate))-th smallest of the last N scores. If all ranks of the next
 * score are equally likely, it exceeds the level with probability at most rate and at least rate - 1 / (N +
 * 1), for any distribution. With fewer than 1 / rate scores that rank does not exist. Then the largest tenth
 * is modelled as an exponential tail above u with mean excess b: P(score > u + x) = (share of the tail)
 * exp(-x / b). */
#include "predict/live/live_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/model_errors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MIN_ERRORS = 10 }; /* required for a scale */
enum { MIN_SCORES = 30, MIN_CAPACITY = 1000, MAX_CAPACITY = 100000, MIN_TAIL_ROWS = 5 };

/* A score that raised an alarm is limited to this multiple of the threshold: larger values would mask the
 * next alarm. A threshold that is too low can still rise. */
static const double ceiling = 1.5;

/* The last errors of one channel. */
typedef struct channel_errors {
    int64_t n, next;
    double *ring, *sorted; /* scale_rows each */
    double largest;        /* |x|, for the rounding of its predictions */
} channel_errors;

struct volt_detector {
    int64_t d, scale_rows;
    double *errors; /* d: of the current row */
    channel_errors *channels;
    double *numbers; /* memory of the arrays */
    volt_alarm_level level;
};

/* ---- the level -------------------------------------------------------------------------------- */

volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate)
{
    int64_t capacity = (int64_t)fmin(fmax(ceil(20 / rate), MIN_CAPACITY), MAX_CAPACITY);
    *level = (volt_alarm_level){.rate = rate,
                                .capacity = capacity,
                                .ring = volt_alloc_doubles(capacity, 1),
                                .sorted = volt_alloc_doubles(capacity, 1)};
    return level->ring && level->sorted ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_alarm_level_release(volt_alarm_level *level)
{
    volt_free(level->ring);
    volt_free(level->sorted);
}

void volt_alarm_level_add(volt_alarm_level *level, double score)
{
    volt_sorted_ring_add(level->ring, level->sorted, level->capacity, &level->n, &level->next, score);
}

static double exponential_tail(const volt_alarm_level *level)
{
    int64_t n = level->n, tail = volt_max(n / 10, MIN_TAIL_ROWS);
    double edge = level->sorted[n - tail - 1], excess = 0;
    for (int64_t i = n - tail; i < n; i++)
        excess += (level->sorted[i] - edge) / (double)tail;
    return edge + excess * log((double)tail / ((double)(n + 1) * level->rate));
}

double volt_alarm_level_now(const volt_alarm_level *level)
{
    if (level->n < MIN_SCORES)
        return INFINITY;
    double place = volt_interval_quantile(level->sorted, level->n, 1 - level->rate);
    return isfinite(place) ? place : exponential_tail(level);
}

/* ---- scores ----------------------------------------------------------------------------------- */

/* 0 while there are too few errors. If all are 0, the rounding of the values is the scale. */
static double scale_of(const channel_errors *channel)
{
    if (channel->n < MIN_ERRORS)
        return 0;
    const double *middle = channel->sorted + (channel->n - 1) / 2;
    double median = channel->n % 2 ? middle[0] : (middle[0] + middle[1]) / 2;
    return fmax(1.4826 * median, fmax(8 * DBL_EPSILON * channel->largest, DBL_MIN));
}

static volt_detection no_score(const volt_detector *detector)
{
    return (volt_detection){.score = NAN, .threshold = volt_alarm_level_now(&detector->level), .channel = -1};
}

/* The score of a row with these errors, which are not added yet. */
static volt_detection judge(const volt_detector *detector, const double *errors)
{
    volt_detection row = no_score(detector);
    for (int64_t k = 0; k < detector->d; k++) {
        double scale = scale_of(&detector->channels[k]);
        if (scale == 0)
            return no_score(detector);
        double score = fmin(fabs(errors[k]) / scale, DBL_MAX);
        if (row.channel < 0 || score > row.score) {
            row.score = score;
            row.channel = k;
        }
    }
    row.alarm = row.score > row.threshold;
    return row;
}

static void remember(volt_detector *detector, const double *errors, const double *x, double score)
{
    for (int64_t k = 0; k < detector->d; k++) {
        channel_errors *channel = &detector->channels[k];
        channel->largest = fmax(channel->largest, x ? fabs(x[k]) : 0);
        volt_sorted_ring_add(channel->ring, channel->sorted, detector->scale_rows, &channel->n, &channel->next,
                             fabs(errors[k]));
    }
    if (!isnan(score))
        volt_alarm_level_add(&detector->level, score);
}

/* ---- creation --------------------------------------------------------------------------------- */

void volt_detector_free(volt_detector *detector)
{
    if (!detector)
        return;
    volt_free(detector->errors);
    volt_free(detector->channels);
    volt_free(detector->numbers);
    volt_alarm_level_release(&detector->level);
    volt_free(detector);
}

static volt_status check(const volt_model *model, double rate, int64_t scale_rows)
{
    VOLT_TRY(volt_model_require_single(model, "the detection of anomalies"));
    VOLT_REQUIRE(model->feedback && model->ahead == 1 && model->recipe.inputs == model->q, VOLT_ERR_ARGUMENT,
                 "the model predicts %" PRId64 " outputs of %" PRId64 " inputs, %" PRId64
                 " rows ahead: a detector requires one that predicts its own inputs one row ahead",
                 model->q, model->recipe.inputs, model->ahead);
    VOLT_REQUIRE(rate > 0 && rate < 1, VOLT_ERR_ARGUMENT, "the alarm rate must be between 0 and 1 (got %g)",
                 rate);
    VOLT_REQUIRE(scale_rows >= MIN_ERRORS, VOLT_ERR_ARGUMENT,
                 "scale_rows must be at least %d (got %" PRId64 ")", MIN_ERRORS, scale_rows);
    return VOLT_OK;
}

/* Creates a detector without errors. */
static volt_status allocate(const volt_model *model, double rate, int64_t scale_rows, volt_detector **detector)
{
    int64_t d = model->q;
    VOLT_TRY(check(model, rate, scale_rows));
    volt_detector *fresh = *detector = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->d = d;
    fresh->scale_rows = scale_rows;
    fresh->errors = volt_alloc_doubles(d, 1);
    fresh->channels = volt_alloc_zero(d, sizeof *fresh->channels);
    fresh->numbers = volt_alloc_doubles(d, 2 * scale_rows);
    if (!fresh->errors || !fresh->channels || !fresh->numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < d; k++) {
        fresh->channels[k].ring = fresh->numbers + k * 2 * scale_rows;
        fresh->channels[k].sorted = fresh->channels[k].ring + scale_rows;
    }
    return volt_alarm_level_begin(&fresh->level, rate);
}

/* Adds the errors of the later half of training, each predicted from the rows before it. */
static volt_status begin_errors(volt_detector *detector, const volt_model *model)
{
    volt_matrix none = {0};
    int64_t rows = volt_model_errors_read(model, none), d = detector->d;
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
            remember(detector, errors.data + t * d, NULL, judge(detector, errors.data + t * d).score);
    }
    volt_free(errors.data);
    return VOLT_OK;
}

/* *detector is NULL on failure. */
static volt_status end_creation(volt_status status, volt_detector **detector)
{
    if (status != VOLT_OK) {
        volt_detector_free(*detector);
        *detector = NULL;
    }
    return status;
}

volt_status volt_detector_create(const volt_model *model, double rate, int64_t scale_rows,
                                 volt_detector **detector)
{
    volt_status status = allocate(model, rate, scale_rows, detector);
    if (status == VOLT_OK)
        status = begin_errors(*detector, model);
    return end_creation(status, detector);
}

volt_status volt_detector_copy(const volt_detector *source, const volt_model *model, volt_detector **detector)
{
    volt_status status = allocate(model, source->level.rate, source->scale_rows, detector);
    for (int64_t k = 0; status == VOLT_OK && k < source->d; k++) {
        const channel_errors *from = &source->channels[k];
        channel_errors *to = &(*detector)->channels[k];
        to->n = from->n;
        to->next = from->next;
        to->largest = from->largest;
        memcpy(to->ring, from->ring, (size_t)from->n * sizeof *to->ring);
        memcpy(to->sorted, from->sorted, (size_t)from->n * sizeof *to->sorted);
    }
    if (status == VOLT_OK) {
        volt_alarm_level *to = &(*detector)->level;
        to->n = source->level.n;
        to->next = source->level.next;
        memcpy(to->ring, source->level.ring, (size_t)to->n * sizeof *to->ring);
        memcpy(to->sorted, source->level.sorted, (size_t)to->n * sizeof *to->sorted);
    }
    return end_creation(status, detector);
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Numbers of a ring, oldest first. */
static void put_ring(const double *ring, int64_t capacity, int64_t n, int64_t next, double *numbers)
{
    for (int64_t i = 0; i < n; i++)
        numbers[i] = ring[(n < capacity ? i : next + i) % capacity];
}

void volt_detector_put(const volt_detector *detector, volt_file_writer *writer)
{
    const volt_alarm_level *level = &detector->level;
    int64_t n = detector->channels[0].n;
    volt_put_number(writer, "alarm_rate", level->rate);
    volt_put_count(writer, "scale_rows", detector->scale_rows);
    double *largest = volt_put_buffer(writer, "detector_largest", detector->d, 0);
    double *errors = volt_put_buffer(writer, "detector_errors", detector->d * n, 0);
    double *scores = volt_put_buffer(writer, "detector_scores", level->n, 0);
    if (!largest || !errors || !scores)
        return;
    for (int64_t k = 0; k < detector->d; k++) {
        const channel_errors *channel = &detector->channels[k];
        largest[k] = channel->largest;
        put_ring(channel->ring, detector->scale_rows, n, channel->next, errors + k * n);
    }
    put_ring(level->ring, level->capacity, level->n, level->next, scores);
}

/* Reads numbers that must not be negative. */
static volt_status read_numbers(const volt_file_fields *fields, const char *key, int64_t rows,
                                const volt_tensor **numbers)
{
    VOLT_TRY(volt_fields_tensor(fields, key, rows, 0, numbers));
    for (int64_t i = 0; i < (*numbers)->rows; i++)
        VOLT_REQUIRE((*numbers)->data[i] >= 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" has a negative number",
                     fields->path, key);
    return VOLT_OK;
}

static volt_status fill(const volt_file_fields *fields, volt_detector *detector)
{
    const volt_tensor *largest = NULL, *errors = NULL, *scores = NULL;
    volt_alarm_level *level = &detector->level;
    int64_t d = detector->d;
    VOLT_TRY(read_numbers(fields, "detector_largest", d, &largest));
    VOLT_TRY(read_numbers(fields, "detector_errors", -1, &errors));
    VOLT_TRY(read_numbers(fields, "detector_scores", -1, &scores));
    int64_t n = errors->rows / d;
    VOLT_REQUIRE(n * d == errors->rows && n <= detector->scale_rows && scores->rows <= level->capacity,
                 VOLT_ERR_FORMAT, "%s: the detector has more numbers than its options allow", fields->path);
    for (int64_t k = 0; k < d; k++) {
        channel_errors *channel = &detector->channels[k];
        channel->largest = largest->data[k];
        for (int64_t i = 0; i < n; i++)
            volt_sorted_ring_add(channel->ring, channel->sorted, detector->scale_rows, &channel->n,
                                 &channel->next, errors->data[k * n + i]);
    }
    for (int64_t i = 0; i < scores->rows; i++)
        volt_alarm_level_add(level, scores->data[i]);
    return VOLT_OK;
}

volt_status volt_detector_read(const volt_file_fields *fields, const volt_model *model,
                               volt_detector **detector)
{
    enum { MAX_SCALE_ROWS = 1 << 24 }; /* limit for files, as memory is allocated for them */
    double rate = 0;
    int64_t scale_rows = 0;
    *detector = NULL;
    if (!volt_safetensors_tensor(fields->file, "detector_errors"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_number(fields, "alarm_rate", 0, &rate));
    VOLT_TRY(volt_fields_count(fields, "scale_rows", &scale_rows));
    VOLT_REQUIRE(scale_rows <= MAX_SCALE_ROWS, VOLT_ERR_FORMAT, "%s: \"scale_rows\" is %" PRId64, fields->path,
                 scale_rows);
    volt_status status = allocate(model, rate, scale_rows, detector);
    if (status == VOLT_ERR_ARGUMENT)
        status = volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    if (status == VOLT_OK)
        status = fill(fields, *detector);
    return end_creation(status, detector);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Feeds the row, which is the target of the previous row and is learned unless it raised an alarm. */
static volt_status take_row(volt_live *live, const double *x, bool alarm)
{
    int64_t pushed = live->pushed;
    bool learns = (live->learns || live->interval) && !alarm;
    volt_status status = learns ? volt_live_update(live, x, 1, x, NULL) : volt_live_feed(live, x, live->y);
    return status == VOLT_ERR_SINGULAR && live->pushed > pushed ? VOLT_OK : status;
}

volt_status volt_live_detect(volt_live *live, const double *x, double *expected, volt_detection *detection)
{
    VOLT_REQUIRE(live && x && detection, VOLT_ERR_ARGUMENT,
                 "the live object, the row or the output for its score is NULL");
    volt_detector *detector = live->detector;
    VOLT_REQUIRE(detector, VOLT_ERR_ARGUMENT, "there is no detector: set alarm_rate in the options");
    int64_t d = detector->d;
    for (int64_t k = 0; k < d; k++)
        VOLT_REQUIRE(isfinite(x[k]), VOLT_ERR_NOT_FINITE, "value %" PRId64 " of the row is %g", k + 1, x[k]);
    const double *made = volt_live_prediction(live, 0);
    bool known = made && made[0] != DBL_MAX;
    volt_detection judged = no_score(detector);
    for (int64_t k = 0; k < d; k++) {
        detector->errors[k] = known ? x[k] - made[k] : NAN;
        if (expected)
            expected[k] = known ? made[k] : NAN;
    }
    if (known)
        judged = judge(detector, detector->errors);
    VOLT_TRY(take_row(live, x, judged.alarm));
    if (known)
        remember(detector, detector->errors, x,
                 judged.alarm ? fmin(judged.score, ceiling * judged.threshold) : judged.score);
    return volt_result_copy(detection, &judged, sizeof judged, "volt_detection");
}
