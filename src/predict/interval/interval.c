/* src/predict/interval/interval.c: standard deviations of new observations, and intervals that adapt to the errors of a live
 * object. */
#include "predict/interval/interval.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"
#include "model/model_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- standard deviations ------------------------------------------------------------------------ */

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

/* ---- adaptive intervals ------------------------------------------------------------------------- */

/* Intervals that adapt to the errors of a stream (adaptive conformal
 * inference).
 *
 * With a = 1 - coverage the nominal miss rate, and a_t the current target rate,
 *
 *     half-width   the ceil((N + 1)(1 - a_t))-th smallest of the last N = 300 |e|, infinite if there are fewer
 *     a_{t+1}      = a_t + STEP (a - miss_t)
 *
 * Then |mean miss - a| <= (max(a, 1 - a) + STEP) / (STEP T) after T rows, for any data (docs/math.md). */

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
