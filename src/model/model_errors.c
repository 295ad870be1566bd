/* src/model/model_errors.c: errors of the training rows, and half-widths of intervals (docs/math.md,
 * "Intervals").
 *
 *     half-width = the ceil((N + 1) p)-th smallest of the last N |e_t|,     N <= min(max(m / 2, 100), 300)
 *     e_t        = y_t less the prediction from the rows before min(t - ahead + 1, m - min(m / 4, 300))
 *
 * of m rows. It covers a share p of new observations if their errors are exchangeable with these (split
 * conformal prediction). */
#include "model/model_errors.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "model/model_internal.h"
#include "stats/stats_internal.h"

#include <inttypes.h>
#include <math.h>

enum { FEW_SCORES = 100 }; /* used even if this is more than half of the rows */

/* Number of last rows that are predicted by a model of the rows before them. With more, that model would be
 * worse than the one of all rows; with fewer, errors far from the last known row would be missing. */
static int64_t held_back(int64_t fitted_rows)
{
    return volt_min(fitted_rows / 4, VOLT_INTERVAL_SCORES);
}

/* Largest number of scores: the later half of the rows. The first rows are predicted by a worse model. */
static int64_t max_scores(int64_t fitted_rows)
{
    return volt_min(volt_max(fitted_rows / 2, FEW_SCORES), VOLT_INTERVAL_SCORES);
}

volt_status volt_error_list_allocate(int64_t rows, int64_t q, volt_error_list *list)
{
    list->e = volt_alloc_doubles(rows, q);
    list->scale = volt_alloc_doubles(rows, q);
    list->rows = rows;
    return list->e && list->scale ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_errors_release(volt_model_errors *errors)
{
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        volt_free(errors->lists[i].e);
        volt_free(errors->lists[i].scale);
    }
    *errors = (volt_model_errors){0};
}

volt_status volt_errors_prepare(int64_t fitted_rows, int64_t q, int64_t ahead, const bool *without,
                                int64_t most, volt_model_errors *errors,
                                volt_row_errors wanted[VOLT_ROW_ERRORS])
{
    int64_t first = fitted_rows;
    for (int64_t count = 0; first > 0 && count < max_scores(fitted_rows); first--)
        count += !(without && without[first - 1]);
    wanted[VOLT_ERRORS_NEAR] =
        (volt_row_errors){.ahead = ahead, .most = fitted_rows, .begin = volt_max(fitted_rows - most, 0)};
    wanted[VOLT_ERRORS_FAR] =
        (volt_row_errors){.ahead = ahead, .most = fitted_rows - held_back(fitted_rows), .begin = first};
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        volt_error_list *list = &errors->lists[i];
        int64_t rows = fitted_rows - wanted[i].begin;
        VOLT_TRY(volt_error_list_allocate(rows, q, list));
        wanted[i].e = volt_matrix_of(list->e, rows, q);
        wanted[i].scale = volt_matrix_of(list->scale, rows, q);
    }
    return VOLT_OK;
}

/* ---- scores ----------------------------------------------------------------------------------- */

int64_t volt_error_scores(const volt_model_errors *errors, int64_t q, int64_t k, double *scores)
{
    const volt_error_list *far = &errors->lists[VOLT_ERRORS_FAR];
    int64_t count = 0, first = far->rows;
    while (first > 0 && count < max_scores(errors->lists[VOLT_ERRORS_NEAR].rows))
        count += far->scale[--first * q + k] > 0;
    count = 0;
    for (int64_t t = first; t < far->rows; t++)
        if (far->scale[t * q + k] > 0)
            scores[count++] = fabs(far->e[t * q + k]);
    return count;
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* Rounding may put the product just above an integer: 0.9 * (9 + 1) is 9. */
static double rank_of(int64_t n, double coverage)
{
    return ceil((double)(n + 1) * coverage * (1 - 1e-12));
}

double volt_interval_quantile(const double *sorted, int64_t n, double coverage)
{
    double rank = rank_of(n, coverage);
    return rank > (double)n ? INFINITY : sorted[rank > 1 ? (int64_t)rank - 1 : 0];
}

volt_status volt_coverages_check(const double *coverages, int64_t count)
{
    VOLT_REQUIRE(count >= 0 && (count == 0 || coverages), VOLT_ERR_ARGUMENT,
                 "n_coverages must be at least 0, and 0 if coverages are NULL (got %" PRId64 ")", count);
    for (int64_t c = 0; c < count; c++)
        VOLT_REQUIRE(coverages[c] > 0 && coverages[c] < 1, VOLT_ERR_ARGUMENT,
                     "the coverage of an interval must be between 0 and 1, such as 0.9 (got %g)", coverages[c]);
    return VOLT_OK;
}

static volt_status check(const volt_model *model, const double *coverages, int64_t count, volt_matrix half)
{
    VOLT_REQUIRE(model && coverages && count > 0, VOLT_ERR_ARGUMENT,
                 "the model or the coverages are NULL or empty");
    VOLT_TRY(volt_model_require_single(model, "an interval from the training errors"));
    VOLT_TRY(volt_check_output(half, count, model->q, "the half-widths"));
    VOLT_TRY(volt_coverages_check(coverages, count));
    VOLT_TRY(volt_model_require_squares(model, "an interval from the training errors"));
    VOLT_REQUIRE(model->errors.lists[VOLT_ERRORS_FAR].rows > 0, VOLT_ERR_ARGUMENT,
                 "the model has no training errors for intervals: fit it again, with a "
                 "kernel that is not centred or with an intercept");
    return VOLT_OK;
}

/* The half-width from n sorted absolute errors: an order statistic (conformal), or, with fewer errors than it needs, the
 * larger of the largest error and the half-width for normal errors, as in forecasts of series. */
static double half_width(const double *scores, int64_t n, double coverage)
{
    double squares = 0;
    if (rank_of(n, coverage) <= (double)n)
        return volt_interval_quantile(scores, n, coverage);
    for (int64_t i = 0; i < n; i++)
        squares += scores[i] * scores[i];
    return fmax(scores[n - 1], volt_error_quantile(coverage, (double)n) * sqrt(squares / (double)n));
}

/* Half-widths of output k, one per coverage. */
static volt_status find_halves(const volt_model *model, int64_t k, const double *coverages, int64_t count,
                               double *half)
{
    enum { MIN_ERRORS = 3 };
    double scores[VOLT_INTERVAL_SCORES];
    int64_t n = volt_error_scores(&model->errors, model->q, k, scores);
    VOLT_REQUIRE(n >= MIN_ERRORS, VOLT_ERR_DATA,
                 "an interval requires the errors of %d training rows, but output %" PRId64 " has %" PRId64,
                 MIN_ERRORS, k + 1, n);
    volt_sort(scores, n);
    for (int64_t c = 0; c < count; c++) {
        half[c] = model->target_scale[k] * half_width(scores, n, coverages[c]);
        VOLT_REQUIRE(isfinite(half[c]), VOLT_ERR_NOT_FINITE,
                     "the interval of output %" PRId64 " with coverage %g is not finite", k + 1, coverages[c]);
    }
    return VOLT_OK;
}

volt_status volt_model_interval(const volt_model *model, const double *coverages, int64_t count,
                                volt_matrix half)
{
    VOLT_TRY(check(model, coverages, count, half));
    double *found = volt_alloc_doubles(model->q, count);
    volt_status status = found ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t k = 0; status == VOLT_OK && k < model->q; k++)
        status = find_halves(model, k, coverages, count, found + k * count);
    for (int64_t k = 0; status == VOLT_OK && k < model->q; k++)
        for (int64_t c = 0; c < count; c++)
            half.data[c * half.ld + k] = found[k * count + c];
    volt_free(found);
    return status;
}

int64_t volt_model_errors_read(const volt_model *model, volt_matrix out)
{
    if (!model)
        return 0;
    const volt_error_list *list = &model->errors.lists[VOLT_ERRORS_NEAR];
    for (int64_t i = 0; out.data && i < list->rows && i < out.rows; i++)
        for (int64_t k = 0; k < model->q; k++) {
            bool is_known = list->scale[i * model->q + k] > 0;
            out.data[i * out.ld + k] = is_known ? model->target_scale[k] * list->e[i * model->q + k] : NAN;
        }
    return list->rows;
}
