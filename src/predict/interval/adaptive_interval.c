/* src/predict/interval/adaptive_interval.c: intervals that adapt to the errors of a stream (adaptive conformal
 * inference).
 *
 * With a = 1 - coverage the nominal miss rate, and a_t the current target rate,
 *
 *     half-width   the ceil((N + 1)(1 - a_t))-th smallest of the last N = 300 |e|, infinite if there are fewer
 *     a_{t+1}      = a_t + STEP (a - miss_t)
 *
 * Then |mean miss - a| <= (max(a, 1 - a) + STEP) / (STEP T) after T rows, for any data (docs/math.md). */
#include "predict/interval/interval.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/model_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double step = 0.02;

/* The list of output k. */
static double *list_of(double *lists, int64_t k)
{
    return lists + k * VOLT_INTERVAL_SCORES;
}

static volt_status allocate(int64_t q, int64_t count, volt_interval **interval)
{
    volt_interval *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->q = q;
    fresh->count = count;
    fresh->coverages = volt_alloc_doubles(count, 1);
    fresh->miss = volt_alloc_doubles(count, q);
    fresh->scores = volt_alloc_zero(q * VOLT_INTERVAL_SCORES, sizeof(double));
    fresh->sorted = volt_alloc_zero(q * VOLT_INTERVAL_SCORES, sizeof(double));
    fresh->n = volt_alloc_zero(q, sizeof *fresh->n);
    fresh->next = volt_alloc_zero(q, sizeof *fresh->next);
    if (!fresh->coverages || !fresh->miss || !fresh->scores || !fresh->sorted || !fresh->n || !fresh->next) {
        volt_interval_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    *interval = fresh;
    return VOLT_OK;
}

/* Takes n scores of output k, in time order. */
static void take_scores(volt_interval *interval, int64_t k, const double *scores, int64_t n)
{
    memcpy(list_of(interval->scores, k), scores, (size_t)n * sizeof *scores);
    memcpy(list_of(interval->sorted, k), scores, (size_t)n * sizeof *scores);
    volt_sort(list_of(interval->sorted, k), n);
    interval->n[k] = n;
    interval->next[k] = n % VOLT_INTERVAL_SCORES;
}

volt_status volt_interval_create(const volt_model *model, const double *coverages, int64_t count,
                                 volt_interval **interval)
{
    VOLT_REQUIRE(model && coverages && interval && count > 0, VOLT_ERR_ARGUMENT,
                 "the model, the coverages or the interval is NULL or empty");
    VOLT_TRY(volt_coverages_check(coverages, count));
    VOLT_TRY(volt_model_require_squares(model, "an interval"));
    volt_interval *fresh = NULL;
    VOLT_TRY(allocate(model->q, count, &fresh));
    double scores[VOLT_INTERVAL_SCORES];
    for (int64_t c = 0; c < count; c++) {
        fresh->coverages[c] = coverages[c];
        for (int64_t k = 0; k < model->q; k++)
            fresh->miss[c * model->q + k] = 1 - coverages[c];
    }
    for (int64_t k = 0; k < model->q; k++) {
        int64_t n = volt_error_scores(&model->errors, model->q, k, scores);
        for (int64_t i = 0; i < n; i++)
            scores[i] *= model->target_scale[k];
        take_scores(fresh, k, scores, n);
    }
    *interval = fresh;
    return VOLT_OK;
}

volt_status volt_interval_copy(const volt_interval *source, volt_interval **interval)
{
    volt_interval *fresh = NULL;
    int64_t q = source->q;
    VOLT_TRY(allocate(q, source->count, &fresh));
    memcpy(fresh->coverages, source->coverages, (size_t)source->count * sizeof(double));
    memcpy(fresh->miss, source->miss, (size_t)(source->count * q) * sizeof(double));
    memcpy(fresh->scores, source->scores, (size_t)(q * VOLT_INTERVAL_SCORES) * sizeof(double));
    memcpy(fresh->sorted, source->sorted, (size_t)(q * VOLT_INTERVAL_SCORES) * sizeof(double));
    memcpy(fresh->n, source->n, (size_t)q * sizeof *fresh->n);
    memcpy(fresh->next, source->next, (size_t)q * sizeof *fresh->next);
    *interval = fresh;
    return VOLT_OK;
}

void volt_interval_free(volt_interval *interval)
{
    if (!interval)
        return;
    volt_free(interval->coverages);
    volt_free(interval->miss);
    volt_free(interval->scores);
    volt_free(interval->sorted);
    volt_free(interval->n);
    volt_free(interval->next);
    volt_free(interval);
}

/* Below 0: the interval is empty. */
static double half_width(const volt_interval *interval, int64_t c, int64_t k)
{
    double miss = interval->miss[c * interval->q + k];
    if (miss >= 1)
        return -1;
    return miss <= 0 ? INFINITY
                     : volt_interval_quantile(list_of(interval->sorted, k), interval->n[k], 1 - miss);
}

void volt_interval_half_widths(const volt_interval *interval, double *half)
{
    for (int64_t c = 0; c < interval->count; c++)
        for (int64_t k = 0; k < interval->q; k++)
            half[c * interval->q + k] = fmax(half_width(interval, c, k), 0);
}

/* Replaces the oldest score of output k. */
static void add_score(volt_interval *interval, int64_t k, double score)
{
    volt_sorted_ring_add(list_of(interval->scores, k), list_of(interval->sorted, k), VOLT_INTERVAL_SCORES,
                         &interval->n[k], &interval->next[k], score);
}

volt_status volt_interval_learn(volt_interval *interval, const double *forecast, const double *truth)
{
    VOLT_REQUIRE(interval && forecast && truth, VOLT_ERR_ARGUMENT, "the interval or a row is NULL");
    for (int64_t k = 0; k < interval->q; k++)
        VOLT_REQUIRE(isfinite(forecast[k]) && !isinf(truth[k]) && !isinf(truth[k] - forecast[k]),
                     VOLT_ERR_NOT_FINITE,
                     "output %" PRId64 ": the forecast is %g and the truth %g, which is not finite", k + 1,
                     forecast[k], truth[k]);
    for (int64_t k = 0; k < interval->q; k++) {
        if (isnan(truth[k]))
            continue;
        double score = fabs(truth[k] - forecast[k]);
        for (int64_t c = 0; c < interval->count; c++) {
            double missed = score <= half_width(interval, c, k) ? 0 : 1;
            interval->miss[c * interval->q + k] += step * (1 - interval->coverages[c] - missed);
        }
        add_score(interval, k, score);
    }
    return VOLT_OK;
}

/* ---- numbers for a file ----------------------------------------------------------------------- */

int64_t volt_interval_length(const volt_interval *interval)
{
    return interval->q * (1 + VOLT_INTERVAL_SCORES + interval->count);
}

void volt_interval_get(const volt_interval *interval, double *numbers)
{
    for (int64_t k = 0; k < interval->q; k++) {
        int64_t n = interval->n[k], oldest = n < VOLT_INTERVAL_SCORES ? 0 : interval->next[k];
        *numbers++ = (double)n;
        for (int64_t i = 0; i < VOLT_INTERVAL_SCORES; i++)
            *numbers++ = i < n ? list_of(interval->scores, k)[(oldest + i) % VOLT_INTERVAL_SCORES] : 0;
        for (int64_t c = 0; c < interval->count; c++)
            *numbers++ = interval->miss[c * interval->q + k];
    }
}

bool volt_interval_set(volt_interval *interval, const double *numbers)
{
    int64_t each = 1 + VOLT_INTERVAL_SCORES + interval->count;
    for (int64_t k = 0; k < interval->q; k++) {
        const double *own = numbers + k * each;
        if (!(own[0] == floor(own[0]) && own[0] >= 0 && own[0] <= VOLT_INTERVAL_SCORES))
            return false;
        for (int64_t i = 0; i < VOLT_INTERVAL_SCORES; i++)
            if (!(own[1 + i] >= 0))
                return false;
    }
    for (int64_t k = 0; k < interval->q; k++) {
        const double *own = numbers + k * each;
        take_scores(interval, k, own + 1, (int64_t)own[0]);
        for (int64_t c = 0; c < interval->count; c++)
            interval->miss[c * interval->q + k] = own[1 + VOLT_INTERVAL_SCORES + c];
    }
    return true;
}
