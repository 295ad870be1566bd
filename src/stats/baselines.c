/* src/stats/baselines.c: baseline forecasts that need no model. */
#include "base/error.h"

#include "base/alpha_grid.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- autoregression ----------------------------------------------------------------------------- */

/* Y[r] regressed on y[r - l] for a few lags l >= lag, with a constant and a small
 * ridge.
 *
 * Over the m training pairs, with z the p standardised regressors (standard deviations with divisor m),
 * C = Z'Z/m their correlations and a the ridge,
 *
 *     forecast = mean(y) + z' w,      w = (C + a I)^-1 Z'(y - mean(y))/m.
 *
 * Leave-one-out errors need no second fit: e_i / (1 - h_i), h_i = (1 + z_i' (C + a I)^-1 z_i)/m. */

enum {
    RECENT_LAGS = 10,
    MAX_LAGS = RECENT_LAGS + 3, /* and S - 1, S, S + 1 */
    PAIRS_EACH = 3              /* minimum number of training pairs per coefficient */
};

static const double fixed_ridge = 1e-3;

/* ---- lags ------------------------------------------------------------------------------------- */

typedef struct lag_set {
    int64_t lags[MAX_LAGS], longest;
    int count;
} lag_set;

static void add_lag(lag_set *set, int64_t lag)
{
    set->lags[set->count++] = lag;
    set->longest = lag > set->longest ? lag : set->longest;
}

/* `recent` lags from `lag` on and, with a season, the neighbouring seasonal lags not among them. */
static lag_set lags_of(int64_t lag, int recent, int64_t season)
{
    lag_set set = {.count = 0};
    for (int k = 0; k < recent; k++)
        add_lag(&set, lag + k);
    for (int64_t l = season - 1; season >= lag && l <= season + 1; l++)
        if (l >= lag + recent)
            add_lag(&set, l);
    return set;
}

/* The largest set for which `learned` rows give enough pairs, with lags up to `most`; the season is dropped
 * first, then the longest lags. Empty when no set fits. */
static lag_set choose_lags(int64_t lag, int64_t season, int64_t learned, int64_t most)
{
    for (int recent = RECENT_LAGS; recent >= 1; recent--)
        for (int with_season = recent == RECENT_LAGS && season > 0; with_season >= 0; with_season--) {
            lag_set set = lags_of(lag, recent, with_season ? season : 0);
            if (set.longest <= most && learned - set.longest >= PAIRS_EACH * (set.count + 1))
                return set;
        }
    lag_set none = {.count = 0};
    return none;
}

/* ---- moments ---------------------------------------------------------------------------------- */

/* Means of the regressors and, last, of the target, and the sums of products of their deviations. Updated
 * pair by pair (Welford), which avoids cancellation for a series far from 0. */
typedef struct pair_sums {
    int64_t pairs;
    double mean[MAX_LAGS + 1], scatter[MAX_LAGS + 1][MAX_LAGS + 1]; /* the lower triangle */
} pair_sums;

static void add_pair(pair_sums *sums, const lag_set *set, const double *y, int64_t row)
{
    const int p = set->count;
    const double before = (double)sums->pairs, now = (double)++sums->pairs;
    double deviation[MAX_LAGS + 1];
    for (int j = 0; j <= p; j++) {
        deviation[j] = (j < p ? y[row - set->lags[j]] : y[row]) - sums->mean[j];
        sums->mean[j] += deviation[j] / now;
    }
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= i; j++)
            sums->scatter[i][j] += deviation[i] * deviation[j] * (before / now);
}

/* ---- fit -------------------------------------------------------------------------------------- */

typedef struct regression {
    lag_set set;
    int64_t pairs;
    double mean[MAX_LAGS + 1];    /* of the regressors and, last, of the target */
    double scale[MAX_LAGS];       /* 1 over the standard deviation; 0 for a constant regressor */
    double L[MAX_LAGS][MAX_LAGS]; /* L L' = C + a I */
    double weights[MAX_LAGS];
} regression;

/* x := L^-1 x */
static void solve_lower(const regression *fit, double *x)
{
    for (int i = 0; i < fit->set.count; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= fit->L[i][j] * x[j];
        x[i] /= fit->L[i][i];
    }
}

/* x := L'^-1 x */
static void solve_upper(const regression *fit, double *x)
{
    for (int i = fit->set.count - 1; i >= 0; i--) {
        for (int j = i + 1; j < fit->set.count; j++)
            x[i] -= fit->L[j][i] * x[j];
        x[i] /= fit->L[i][i];
    }
}

/* A := its lower Cholesky factor. The ridge exceeds the rounding error of the smallest eigenvalue of C. */
static void factor(double A[MAX_LAGS][MAX_LAGS], int p)
{
    for (int i = 0; i < p; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (int k = 0; k < j; k++)
                sum -= A[i][k] * A[j][k];
            A[i][j] = i == j ? sqrt(sum) : sum / A[j][j];
        }
}

static regression regress(const pair_sums *sums, const lag_set *set, double ridge)
{
    const int p = set->count;
    const double m = (double)sums->pairs;
    regression fit = {.set = *set, .pairs = sums->pairs};
    memcpy(fit.mean, sums->mean, sizeof fit.mean);
    for (int i = 0; i < p; i++) {
        double variance = sums->scatter[i][i] / m;
        fit.scale[i] = variance > 0 ? 1 / sqrt(variance) : 0;
        for (int j = 0; j <= i; j++)
            fit.L[i][j] = sums->scatter[i][j] / m * fit.scale[i] * fit.scale[j] + (i == j ? ridge : 0);
        fit.weights[i] = sums->scatter[p][i] / m * fit.scale[i];
    }
    factor(fit.L, p);
    solve_lower(&fit, fit.weights);
    solve_upper(&fit, fit.weights);
    return fit;
}

/* The regressors of a row, standardised. */
static void regressors(const regression *fit, const double *y, int64_t row, double z[MAX_LAGS])
{
    for (int j = 0; j < fit->set.count; j++)
        z[j] = (y[row - fit->set.lags[j]] - fit->mean[j]) * fit->scale[j];
}

static double forecast(const regression *fit, const double z[MAX_LAGS])
{
    double sum = fit->mean[fit->set.count];
    for (int j = 0; j < fit->set.count; j++)
        sum += z[j] * fit->weights[j];
    return sum;
}

/* Sum of squared leave-one-out errors over the training pairs. */
static double loo_error(const regression *fit, const double *y)
{
    const int p = fit->set.count;
    double sum = 0, z[MAX_LAGS];
    for (int64_t row = fit->set.longest; row < fit->set.longest + fit->pairs; row++) {
        regressors(fit, y, row, z);
        double error = y[row] - forecast(fit, z), leverage = 1;
        solve_lower(fit, z);
        for (int j = 0; j < p; j++)
            leverage += z[j] * z[j];
        error /= fmax(1 - leverage / (double)fit->pairs, DBL_EPSILON);
        sum += error * error;
    }
    return sum;
}

/* ---- the two training schemes ----------------------------------------------------------------- */

/* A regression before its ridge is chosen. */
typedef struct open_regression {
    const pair_sums *sums;
    const lag_set *set;
    const double *y;
    regression best;
} open_regression;

static volt_status try_ridge(void *context, volt_alpha_choice *choice)
{
    open_regression *open = context;
    regression fit = regress(open->sums, open->set, choice->alpha);
    if (volt_alpha_offer(choice, 0, loo_error(&fit, open->y), 0))
        open->best = fit;
    return VOLT_OK;
}

/* The regression on rows < learn_end, with the ridge of the least leave-one-out error. The errors are finite, because the
 * series is scaled to 1. */
static regression learn_once(const lag_set *set, const double *y, int64_t learn_end)
{
    pair_sums sums = {.pairs = 0};
    for (int64_t row = set->longest; row < learn_end; row++)
        add_pair(&sums, set, y, row);

    open_regression open = {.sums = &sums, .set = set, .y = y};
    volt_alpha_best best;
    (void)volt_alpha_choose_one(VOLT_ALPHA_AUTOREGRESSION, 0, try_ridge, &open, &best); /* does not fail then */
    return open.best;
}

static void forecast_once(const double *y, int64_t lag, int64_t season, int64_t learn_end, int64_t begin,
                          int64_t count, double *forecasts)
{
    const lag_set set = choose_lags(lag, season, learn_end, begin);
    regression fit = {.pairs = 0};
    if (set.count > 0)
        fit = learn_once(&set, y, learn_end);
    for (int64_t i = 0; i < count; i++) {
        double z[MAX_LAGS];
        regressors(&fit, y, begin + i, z);
        forecasts[i] = set.count > 0 ? forecast(&fit, z) : y[begin + i - lag];
    }
}

/* Forecasts every row from the data known `lag` rows earlier; the sums are restarted when there are enough
 * rows for more lags. */
static void forecast_as_it_comes(const double *y, int64_t lag, int64_t season, int64_t begin, int64_t count,
                                 double *forecasts)
{
    lag_set set = {.count = 0};
    pair_sums sums; /* of the set; cleared with each larger one */
    for (int64_t row = begin; row < begin + count; row++) {
        const int64_t known = row - lag + 1; /* rows */
        const lag_set larger = choose_lags(lag, season, known, row);
        if (larger.count > set.count) {
            set = larger;
            memset(&sums, 0, sizeof sums);
        }
        if (set.count == 0) {
            forecasts[row - begin] = y[row - lag];
            continue;
        }
        while (set.longest + sums.pairs < known)
            add_pair(&sums, &set, y, set.longest + sums.pairs);
        const regression now = regress(&sums, &set, fixed_ridge);
        double z[MAX_LAGS];
        regressors(&now, y, row, z);
        forecasts[row - begin] = forecast(&now, z);
    }
}

/* VOLT_BASELINE_AR of volt_baseline_forecast for one series y with values up to 1 (squares must neither
 * overflow nor underflow): rows begin .. begin + count - 1, begin >= lag >= 1, into forecasts. Allocates no
 * memory. */
static void volt_autoregression(const double *y, int64_t lag, int64_t season, int64_t learn_end, int64_t begin,
                                int64_t count, double *forecasts)
{
    if (learn_end > 0)
        forecast_once(y, lag, season, learn_end, begin, count, forecasts);
    else
        forecast_as_it_comes(y, lag, season, begin, count, forecasts);
}

/* ---- baselines ---------------------------------------------------------------------------------- */

/* The largest lag and season; sums of them do not overflow. */
static const int64_t LONGEST = INT64_C(1) << 40;

/* The forecast to compute. */
typedef struct baseline_task {
    int64_t lag, season, learn_end, begin, count;
} baseline_task;

/* ---- one column ------------------------------------------------------------------------------- */
/* y is a column of `levels`, scaled to at most 1; f[i] receives the forecast of row begin + i. */

/* Distance in rows to the earlier row that the seasonal forecast repeats. */
static int64_t seasonal_lag(int64_t lag, int64_t season)
{
    return (lag + season - 1) / season * season;
}

static void repeat(const double *y, const baseline_task *task, int64_t behind, double *f)
{
    for (int64_t i = 0; i < task->count; i++)
        f[i] = y[task->begin + i - behind];
}

/* The mean change over rows 0 .. end - 1, determined by the first and last; 0 for a single row. */
static double mean_change(const double *y, int64_t end)
{
    return end > 1 ? (y[end - 1] - y[0]) / (double)(end - 1) : 0;
}

static void drift(const double *y, const baseline_task *task, double *f)
{
    for (int64_t i = 0; i < task->count; i++) {
        const int64_t last = task->begin + i - task->lag;
        f[i] = y[last] + (double)task->lag * mean_change(y, task->learn_end > 0 ? task->learn_end : last + 1);
    }
}

static void forecast_column(volt_baseline kind, const double *y, const baseline_task *task, double *f)
{
    switch (kind) {
    case VOLT_BASELINE_NAIVE:
        repeat(y, task, task->lag, f);
        break;
    case VOLT_BASELINE_SEASONAL:
        repeat(y, task, seasonal_lag(task->lag, task->season), f);
        break;
    case VOLT_BASELINE_DRIFT:
        drift(y, task, f);
        break;
    default:
        volt_autoregression(y, task->lag, task->season, task->learn_end, task->begin, task->count, f);
        break;
    }
}

/* ---- all columns ------------------------------------------------------------------------------ */

int volt_scale_to_unit(const double *y, int64_t n, int64_t stride, double *scaled)
{
    double largest = 0;
    int exponent = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(y[i * stride]));
    frexp(largest, &exponent);
    for (int64_t i = 0; i < n; i++)
        scaled[i] = ldexp(y[i * stride], -exponent);
    return exponent;
}

/* Computes all forecasts into `f`, column by column; `y` is workspace for one column of levels. */
static volt_status forecast_columns(volt_baseline kind, volt_view levels, const baseline_task *task, double *y,
                                    double *f)
{
    for (int64_t k = 0; k < levels.cols; k++, f += task->count) {
        const int exponent = volt_scale_to_unit(levels.data + k, levels.rows, levels.ld, y);
        forecast_column(kind, y, task, f);
        for (int64_t i = 0; i < task->count; i++) {
            f[i] = ldexp(f[i], exponent);
            VOLT_REQUIRE(isfinite(f[i]), VOLT_ERR_NOT_FINITE,
                         "the %s forecast of row %" PRId64 ", column %" PRId64 " overflows",
                         volt_baseline_name(kind), task->begin + i, k);
        }
    }
    return VOLT_OK;
}

/* Checks that every row to forecast has the earlier rows it needs. */
static volt_status check_rows(volt_baseline kind, volt_view levels, const baseline_task *task)
{
    const int64_t needed = kind == VOLT_BASELINE_SEASONAL ? seasonal_lag(task->lag, task->season) : task->lag;
    VOLT_REQUIRE(task->begin >= needed, VOLT_ERR_ARGUMENT,
                 "the %s forecast %" PRId64 " rows ahead begins at row %" PRId64
                 ", but the first row with enough earlier rows is row %" PRId64,
                 volt_baseline_name(kind), task->lag, task->begin, needed);
    VOLT_REQUIRE(task->begin - task->lag < levels.rows &&
                     task->count <= levels.rows - (task->begin - task->lag),
                 VOLT_ERR_ARGUMENT,
                 "%" PRId64 " rows from row %" PRId64 " on cannot be forecast %" PRId64
                 " rows ahead: the levels have %" PRId64 " rows, so the last possible row is row %" PRId64,
                 task->count, task->begin, task->lag, levels.rows, levels.rows - 1 + task->lag);
    return VOLT_OK;
}

static volt_status check_task(volt_baseline kind, volt_view levels, const baseline_task *task, volt_matrix out)
{
    VOLT_REQUIRE((unsigned)kind < VOLT_BASELINE_KINDS, VOLT_ERR_ARGUMENT,
                 "unknown baseline %d; must be 0 to %d", (int)kind, VOLT_BASELINE_KINDS - 1);
    VOLT_REQUIRE(levels.rows >= 1 && levels.cols >= 1, VOLT_ERR_SHAPE,
                 "the levels must have at least one row and one column (got %" PRId64 " x %" PRId64 ")",
                 levels.rows, levels.cols);
    VOLT_REQUIRE(out.rows >= 1 && out.cols == levels.cols, VOLT_ERR_SHAPE,
                 "the levels have %" PRId64 " columns and the forecasts are %" PRId64 " x %" PRId64
                 ": they must have at least one row and the same number of columns",
                 levels.cols, out.rows, out.cols);
    VOLT_REQUIRE(levels.data && out.data && levels.ld >= levels.cols && out.ld >= out.cols, VOLT_ERR_ARGUMENT,
                 "the levels or the forecasts have no data, or a leading dimension (%" PRId64 ", %" PRId64
                 ") below their %" PRId64 " columns",
                 levels.ld, out.ld, levels.cols);
    VOLT_REQUIRE(task->lag >= 1 && task->lag <= LONGEST, VOLT_ERR_ARGUMENT,
                 "the lag must be 1 to %" PRId64 " (got %" PRId64 ")", LONGEST, task->lag);
    VOLT_REQUIRE(task->season >= 0 && task->season != 1 && task->season <= LONGEST, VOLT_ERR_ARGUMENT,
                 "the season must be 2 to %" PRId64 ", or 0 for none (got %" PRId64 ")", LONGEST, task->season);
    VOLT_REQUIRE(kind != VOLT_BASELINE_SEASONAL || task->season > 0, VOLT_ERR_ARGUMENT,
                 "the seasonal naive forecast requires a season of at least 2 rows");
    VOLT_REQUIRE(task->learn_end >= 0 && task->learn_end <= levels.rows, VOLT_ERR_ARGUMENT,
                 "learn_end must be 0 to %" PRId64 " (got %" PRId64 ")", levels.rows, task->learn_end);
    return check_rows(kind, levels, task);
}

/* ---- public ----------------------------------------------------------------------------------- */

const char *volt_warning_text(volt_warning_code code)
{
    switch (code) {
    case VOLT_WARNING_CONSTANT_HELDOUT:
        return "the series is constant on the held-out rows";
    case VOLT_WARNING_NAIVE_FORECAST:
        return "the forecast is flat: no fit is clearly better than the last value on the held-out rows";
    case VOLT_WARNING_BETTER_BASELINE:
        return "a baseline has a lower error on the held-out rows";
    case VOLT_WARNING_FEW_ROWS:
        return "too few rows to hold any out: the errors are unknown";
    case VOLT_WARNING_SHORT_SEASON:
        return "fewer than two seasons of the calendar: the forecast has no season";
    case VOLT_WARNING_ROW_COUNTER:
        return "a column numbers the rows: it is a time, not a series";
    case VOLT_WARNING_UNEVEN_CLOCK:
        return "a column is a time without a regular step, not a series";
    case VOLT_WARNING_SERIAL_DATES:
        return "a column of times has dates as numbers: convert them to dates to use the calendar";
    case VOLT_WARNING_WORSE_THAN_CONSTANT:
        return "the mean of the targets has a lower error on the held-out rows";
    case VOLT_WARNING_PAST_TARGETS:
        return "the baselines use past targets, the model only its inputs";
    case VOLT_WARNING_SEARCH_CUT:
        return "the time budget ended the search: the selection depends on the speed of this machine";
    case VOLT_WARNING_SINGLE_SERIES_CLASS:
        return "a class has one training series: its leave-one-out prediction is wrong by construction";
    case VOLT_WARNING_RATE_TOO_SMALL:
        return "too few normal series for the false-alarm rate: the threshold is their largest score";
    case VOLT_WARNING_ROWS_UNORDERED:
        return "the rows are not in order of time";
    case VOLT_WARNING_ROWS_MISSING:
        return "rows are missing: the row after a gap is taken as the next step";
    case VOLT_WARNING_TRAINING_ROWS:
        return "rows are not later than the training rows";
    case VOLT_WARNING_RUN_BOUNDED:
        return "the free run diverges, and its outputs were bounded";
    case VOLT_WARNING_NO_FIRST_OUTPUT:
        return "the free run starts without a measured output";
    case VOLT_WARNING_INPUT_RANGE:
        return "inputs leave the range of the training inputs";
    case VOLT_WARNING_FREE_RUN:
        return "the baselines use measured past targets, the free runs only their own outputs: not comparable";
    case VOLT_WARNING_LITTLE_EXCITATION:
        return "the inputs hardly change";
    case VOLT_WARNING_CONSTANT_INPUT:
        return "an input is constant";
    case VOLT_WARNING_INTEGRATING:
        return "the outputs integrate the inputs, or respond slowly compared with the record";
    case VOLT_WARNING_REVERSED:
        return "past outputs explain the inputs better than past inputs explain the outputs";
    case VOLT_WARNING_DRIFT:
        return "the outputs drift, and the inputs do not explain it";
    case VOLT_WARNING_UNEVEN_STEPS:
        return "the time steps differ: rows are treated as equally spaced";
    case VOLT_WARNING_NO_RESPONSE:
        return "no output is correlated with past inputs: unrelated columns, or a long delay";
    case VOLT_WARNING_SATURATED:
        return "an output is often at an end of its range: it may be saturated";
    case VOLT_WARNING_FEW_FREQUENCIES:
        return "an input consists of few frequencies: the model is undetermined at others";
    case VOLT_WARNING_BETTER_LINEAR:
        return "the linear model has a lower error on the test rows";
    }
    return "unknown warning";
}

const char *volt_baseline_name(volt_baseline kind)
{
    static const char *const names[] = {"naive", "seasonal naive", "drift", "autoregression"};
    _Static_assert(sizeof names / sizeof *names == VOLT_BASELINE_KINDS, "a name for each");
    return (unsigned)kind < VOLT_BASELINE_KINDS ? names[kind] : NULL;
}

volt_status volt_baseline_forecast(volt_baseline kind, volt_view levels, int64_t lag, int64_t season,
                                   int64_t learn_end, int64_t begin, volt_matrix out)
{
    const baseline_task task = {lag, season, learn_end, begin, out.rows};
    VOLT_TRY(check_task(kind, levels, &task, out));
    levels.rows = volt_max(learn_end, begin - lag + out.rows); /* later rows are not used */
    VOLT_TRY(volt_require_finite("levels", levels));

    double *y = volt_alloc_doubles(1, levels.rows), *f = volt_alloc_doubles(out.cols, out.rows);
    volt_status status = y && f ? forecast_columns(kind, levels, &task, y, f) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        for (int64_t k = 0; k < out.cols; k++)
            for (int64_t i = 0; i < out.rows; i++)
                out.data[i * out.ld + k] = f[k * out.rows + i];
    volt_free(f);
    volt_free(y);
    return status;
}
