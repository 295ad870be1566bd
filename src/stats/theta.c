/* src/stats/theta.c: the optimised Theta methods.
 *
 * After the season is removed, the Theta models of Fiorucci, Pellegrini, Louzada, Petropoulos and Koehler
 * (International Journal of Forecasting 32, 2016) combine a regression line a + b (t + 1) with simple
 * exponential smoothing. With r = 1 - alpha and the weight w = 1 - 1/theta of the line, row t is forecast by
 *
 *     m[t] = l[t] + w (a[t] r^t + b[t] (1 - r^(t+1))/alpha),     l[0] = level,  l[t+1] = r l[t] + alpha y[t].
 *
 * The line is fitted to all rows (OTM), or in the dynamic model (DOTM) to the rows before t. Forecasts continue
 * the recursions with y[t] = m[t]; those of the OTM have the slope w b. The parameters minimise the sum of
 * squares of y[t] - m[t] from row 3 on. For a given alpha the errors are linear in the first forecast c = m[0]
 * and in w,
 *
 *     y[t] - m[t] = (y[t] - p[t]) - r^t c - d[t] w,
 *     d[t] = (a[t] - a[0] - b[0]) r^t + b[t] (1 - r^(t+1))/alpha,
 *
 * with p[0] = 0 and p[t+1] = r p[t] + alpha y[t]. So c and w have a closed form, and the search is over alpha
 * only. */
#include "base/error.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "stats/classical.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- seasonal decomposition --------------------------------------------------------------------- */

/* The season of a series by classical decomposition, and naive forecasts.
 *
 * With the centred moving average over one season (even S: S + 1 rows, half weights at both ends),
 *
 *     T[t] = (1/S) sum_{|k| < S/2} y[t+k]  (+ (y[t-S/2] + y[t+S/2])/(2 S) for an even S),
 *
 * the effect of phase j is the mean of y[t] - T[t] or y[t]/T[t] over the rows t mod S = j that have a trend,
 * minus or divided by the mean over the phases. */

static const double significance_bound = 1.6448536269514722; /* normal quantile of 0.95 */
static const double smallest_effect = 0.01;

/* ---- shared by the methods ---------------------------------------------------------------------- */

volt_status volt_check_forecast(const double *y, int64_t n, int64_t rows_needed, int64_t season, int64_t h,
                                const double *mean)
{
    VOLT_REQUIRE(n >= rows_needed, VOLT_ERR_SHAPE,
                 "the series must have at least %" PRId64 " values (got %" PRId64 ")", rows_needed, n);
    VOLT_REQUIRE(h >= 1, VOLT_ERR_ARGUMENT, "the number of steps must be at least 1 (got %" PRId64 ")", h);
    VOLT_REQUIRE(season >= 0, VOLT_ERR_ARGUMENT, "the season must not be negative (got %" PRId64 ")", season);
    VOLT_REQUIRE(y && mean, VOLT_ERR_ARGUMENT, "the series or the forecasts are NULL");
    return volt_require_finite("series", volt_view_of(y, n, 1));
}

volt_status volt_finish_path(const char *name, double *path, int64_t h, int exponent, double *mean)
{
    for (int64_t i = 0; i < h; i++) {
        path[i] = ldexp(path[i], exponent);
        VOLT_REQUIRE(isfinite(path[i]), VOLT_ERR_NOT_FINITE, "the %s forecast %" PRId64 " rows ahead overflows",
                     name, i + 1);
    }
    memcpy(mean, path, (size_t)h * sizeof *mean);
    return VOLT_OK;
}

/* ---- season ------------------------------------------------------------------------------------- */

bool volt_season_significant(const double *y, int64_t n, int64_t season)
{
    if (n <= season)
        return false;
    double mean = 0, squares = 0, sum = 1, r = 0;
    for (int64_t t = 0; t < n; t++)
        mean += y[t] / (double)n;
    for (int64_t t = 0; t < n; t++)
        squares += (y[t] - mean) * (y[t] - mean);
    const double rounding = 4 * DBL_EPSILON; /* of y[t] - mean, as |y| < 1 */
    if (!(squares > (double)n * rounding * rounding))
        return false;
    for (int64_t k = 1; k <= season; k++) {
        sum += 2 * r * r;
        double product = 0;
        for (int64_t t = k; t < n; t++)
            product += (y[t] - mean) * (y[t - k] - mean);
        r = product / squares;
    }
    return fabs(r) > significance_bound * sqrt(sum / (double)n);
}

/* The mean of the rows around t: S/2 of them on either side. */
static double trend_at(const double *y, int64_t season, int64_t t)
{
    const int64_t half = season / 2;
    double sum = 0;
    for (int64_t k = t - half; k <= t + half; k++)
        sum += y[k];
    if (season % 2 == 0)
        sum -= (y[t - half] + y[t + half]) / 2;
    return sum / (double)season;
}

void volt_season_effects(const double *y, int64_t n, int64_t season, volt_season_form form, double *effects)
{
    const int64_t half = season / 2;
    double mean = 0;
    for (int64_t j = 0; j < season; j++) {
        double sum = 0;
        int64_t rows = 0;
        for (int64_t t = j < half ? j + season : j; t < n - half; t += season, rows++) {
            const double trend = trend_at(y, season, t);
            sum += form == VOLT_SEASON_ADDITIVE ? y[t] - trend : y[t] / trend;
        }
        effects[j] = sum / (double)rows;
        mean += effects[j] / (double)season;
    }
    for (int64_t j = 0; j < season; j++)
        effects[j] = form == VOLT_SEASON_ADDITIVE ? effects[j] - mean : effects[j] / mean;
}

/* Tests the season and removes it from y, in place; effects[S]. The season is multiplicative when y is positive
 * and no effect is below 0.01, otherwise additive; none when S < 2, n < S `seasons` or it is
 * not significant. */
static volt_season_form season_remove(double *y, int64_t n, int64_t season, int64_t seasons, double *effects)
{
    if (season < 2 || n / season < seasons || !volt_season_significant(y, n, season))
        return VOLT_SEASON_NONE;
    volt_season_form form = VOLT_SEASON_MULTIPLICATIVE;
    for (int64_t t = 0; t < n; t++)
        if (y[t] <= 0)
            form = VOLT_SEASON_ADDITIVE;
    volt_season_effects(y, n, season, form, effects);
    for (int64_t j = 0; j < season && form == VOLT_SEASON_MULTIPLICATIVE; j++)
        if (effects[j] < smallest_effect) {
            form = VOLT_SEASON_ADDITIVE;
            volt_season_effects(y, n, season, form, effects);
        }
    for (int64_t t = 0; t < n; t++)
        y[t] = form == VOLT_SEASON_ADDITIVE ? y[t] - effects[t % season] : y[t] / effects[t % season];
    return form;
}

double volt_season_apply(volt_season_form form, double value, const double *effects, int64_t season, int64_t t)
{
    if (form == VOLT_SEASON_NONE)
        return value;
    return form == VOLT_SEASON_ADDITIVE ? value + effects[t % season] : value * effects[t % season];
}

/* ---- forecasts without parameters --------------------------------------------------------------- */

volt_status volt_naive_forecast(volt_baseline kind, const double *y, int64_t n, int64_t season, int64_t h,
                                double *mean)
{
    const bool seasonal = kind == VOLT_BASELINE_SEASONAL;
    VOLT_REQUIRE(kind == VOLT_BASELINE_NAIVE || seasonal || kind == VOLT_BASELINE_DRIFT, VOLT_ERR_ARGUMENT,
                 "baseline %d has no path; must be naive, seasonal naive or drift", (int)kind);
    VOLT_REQUIRE(!seasonal || season >= 2, VOLT_ERR_ARGUMENT,
                 "the seasonal naive forecast requires a season of at least 2 rows (got %" PRId64 ")", season);
    VOLT_TRY(volt_check_forecast(y, n, seasonal ? season : 1, season, h, mean));
    const double last = y[n - 1];
    /* Halves: the difference of two finite values may overflow. */
    const double change = n > 1 ? 2 * ((last / 2 - y[0] / 2) / (double)(n - 1)) : 0;
    if (kind == VOLT_BASELINE_DRIFT) {
        VOLT_REQUIRE(isfinite(last + change * (double)h), VOLT_ERR_NOT_FINITE,
                     "the drift forecast %" PRId64 " rows ahead overflows", h);
        for (int64_t i = 0; i < h; i++)
            mean[i] = last + change * (double)(i + 1);
        return VOLT_OK;
    }
    for (int64_t i = 0; i < h; i++)
        mean[i] = seasonal ? y[n - season + i % season] : last;
    return VOLT_OK;
}

volt_status volt_naive2_forecast(const double *y, int64_t n, int64_t season, int64_t h, double *mean,
                                 volt_season_form *form)
{
    VOLT_TRY(volt_check_forecast(y, n, 1, season, h, mean));
    double *z = volt_alloc_doubles(1, n), *effects = volt_alloc_doubles(1, volt_min(season, n));
    double *path = volt_alloc_doubles(1, h);
    volt_status status = z && effects && path ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        const int exponent = volt_scale_to_unit(y, n, 1, z);
        const volt_season_form found = season_remove(z, n, season, 3, effects);
        for (int64_t i = 0; i < h; i++)
            path[i] = volt_season_apply(found, z[n - 1], effects, season, n + i);
        status = volt_finish_path("Naive2", path, h, exponent, mean);
        if (status == VOLT_OK && form)
            *form = found;
    }
    volt_free(path);
    volt_free(effects);
    volt_free(z);
    return status;
}

/* ---- Theta -------------------------------------------------------------------------------------- */

enum {
    ROWS_NEEDED = 3,
    ROWS_TO_FIT = 7, /* four errors for three parameters */
    FIRST_ERROR = 3, /* earlier errors depend mostly on the initial level */
    GRID = 24,
    GOLDEN_STEPS = 20
};

static const double alpha_low = 0.1, alpha_high = 0.99, weight_high = 1 - 1e-10;

/* A regression line through the rows before one. */
typedef struct theta_line {
    double intercept, slope, mean;
} theta_line;

/* The series without its season, shifted to end at 0. */
typedef struct theta_series {
    const double *y;
    int64_t n;
    bool dynamic;
    theta_line *lines;            /* n + 1: of row t, and of the first row to forecast */
    double first_low, first_high; /* bounds of c */
} theta_series;

typedef struct theta_fit {
    double alpha, weight, first;
    double squares; /* sum of squared errors */
    double level;   /* l[n] */
} theta_fit;

/* ---- lines -------------------------------------------------------------------------------------- */

/* The line through t + 1 rows, from that through the t rows before. */
static theta_line line_after(theta_line line, int64_t t, double y)
{
    const double rows = (double)t;
    const double slope = ((rows - 1) * line.slope + 6 * (y - line.mean) / (rows + 1)) / (rows + 2);
    const double mean = line.mean + (y - line.mean) / (rows + 1);
    return (theta_line){mean - slope * (rows + 2) / 2, slope, mean};
}

static void find_lines(theta_series *series)
{
    const double *y = series->y;
    theta_line line = {.intercept = y[0], .slope = 0, .mean = y[0]}; /* before row 1, and for row 0 */
    double low = y[0], high = y[0];
    series->lines[0] = series->lines[1] = line;
    for (int64_t t = 1; t < series->n; t++) {
        series->lines[t + 1] = line = line_after(line, t, y[t]);
        low = fmin(low, y[t]);
        high = fmax(high, y[t]);
    }
    for (int64_t t = 0; !series->dynamic && t < series->n; t++)
        series->lines[t] = line;
    /* Wide, but closed: for alpha near 1 no error depends on c. */
    series->first_low = low - 10 * (high - low);
    series->first_high = high + 10 * (high - low);
}

/* The forecast of the line of row 0: c = level + w of this. */
static double line_start(const theta_series *series)
{
    return series->lines[0].intercept + series->lines[0].slope;
}

/* a r^t + b (1 - r^(t+1))/alpha, with decay = r^t. */
static double line_part(theta_line line, double alpha, double decay)
{
    return line.intercept * decay + line.slope * (1 - (1 - alpha) * decay) / alpha;
}

/* ---- c and w for one alpha ---------------------------------------------------------------------- */

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* The quadratic form (1/2) z'Az - b'z of z = (c, w). */
typedef struct normal_equations {
    double cc, cw, ww, c, w;
} normal_equations;

static void offer(const normal_equations *q, double c, double w, theta_fit *fit, double *lowest)
{
    const double value = (q->cc * c / 2 + q->cw * w - q->c) * c + (q->ww * w / 2 - q->w) * w;
    if (value < *lowest) {
        *lowest = value;
        fit->first = c;
        fit->weight = w;
    }
}

/* The minimum of q in the box: inside, or on one of the four edges. Where w has no effect it is 1/2 (theta
 * = 2). */
static void solve_in_box(const normal_equations *q, const theta_series *series, theta_fit *fit)
{
    const double low = series->first_low, high = series->first_high;
    const double determinant = q->cc * q->ww - q->cw * q->cw;
    if (!(q->ww > 0)) {
        fit->weight = 0.5;
        fit->first = clamp(q->c / q->cc, low, high);
        return;
    }
    if (determinant > 1e-12 * q->cc * q->ww) {
        const double c = (q->c * q->ww - q->w * q->cw) / determinant;
        const double w = (q->w * q->cc - q->c * q->cw) / determinant;
        if (c >= low && c <= high && w >= 0 && w <= weight_high) {
            fit->first = c;
            fit->weight = w;
            return;
        }
    }
    double lowest = INFINITY;
    for (int edge = 0; edge < 2; edge++) {
        const double c = edge ? high : low, w = edge ? weight_high : 0;
        offer(q, c, clamp((q->w - q->cw * c) / q->ww, 0, weight_high), fit, &lowest);
        offer(q, clamp((q->c - q->cw * w) / q->cc, low, high), w, fit, &lowest);
    }
}

/* Runs the recursion with the parameters in `fit`. */
static void run(const theta_series *series, int64_t first_error, theta_fit *fit)
{
    double level = fit->first - fit->weight * line_start(series), decay = 1;
    fit->squares = 0;
    for (int64_t t = 0; t < series->n; t++) {
        const double line = line_part(series->lines[t], fit->alpha, decay);
        const double error = series->y[t] - (level + fit->weight * line);
        fit->squares += t >= first_error ? error * error : 0;
        level += fit->alpha * (series->y[t] - level);
        decay *= 1 - fit->alpha;
    }
    fit->level = level;
}

static theta_fit fit_with(const theta_series *series, double alpha)
{
    const double start = line_start(series);
    normal_equations q = {0};
    double p = 0, decay = 1;
    for (int64_t t = 0; t < series->n; t++) {
        if (t >= FIRST_ERROR) {
            const double target = series->y[t] - p;
            const double line = line_part(series->lines[t], alpha, decay) - start * decay;
            q.cc += decay * decay;
            q.cw += decay * line;
            q.ww += line * line;
            q.c += decay * target;
            q.w += line * target;
        }
        p += alpha * (series->y[t] - p);
        decay *= 1 - alpha;
    }
    theta_fit fit = {.alpha = alpha};
    solve_in_box(&q, series, &fit);
    run(series, FIRST_ERROR, &fit);
    return fit;
}

/* ---- alpha -------------------------------------------------------------------------------------- */

static double grid_alpha(int i)
{
    return alpha_low + (alpha_high - alpha_low) * clamp(i, 0, GRID - 1) / (GRID - 1);
}

/* The best of a grid, refined between its neighbours by golden section. */
static theta_fit fit_series(const theta_series *series)
{
    theta_fit best = fit_with(series, alpha_low);
    int at = 0;
    for (int i = 1; i < GRID; i++) {
        const theta_fit fit = fit_with(series, grid_alpha(i));
        if (fit.squares < best.squares) {
            best = fit;
            at = i;
        }
    }
    const double golden = 0.6180339887498949;
    double low = grid_alpha(at - 1), high = grid_alpha(at + 1);
    theta_fit left = fit_with(series, high - golden * (high - low));
    theta_fit right = fit_with(series, low + golden * (high - low));
    for (int k = 0; k < GOLDEN_STEPS; k++) {
        if (left.squares <= right.squares) {
            high = right.alpha;
            right = left;
            left = fit_with(series, high - golden * (high - low));
        } else {
            low = left.alpha;
            left = right;
            right = fit_with(series, low + golden * (high - low));
        }
    }
    const theta_fit refined = left.squares <= right.squares ? left : right;
    return refined.squares < best.squares ? refined : best;
}

/* alpha = 1/2, theta = 2 and level = y[0]/2. */
static theta_fit standard_fit(const theta_series *series)
{
    theta_fit fit = {.alpha = 0.5, .weight = 0.5, .first = (series->y[0] + line_start(series)) / 2};
    run(series, 0, &fit);
    return fit;
}

/* ---- forecast ----------------------------------------------------------------------------------- */

/* Continues the recursions, with each forecast in place of the value. */
static void continue_path(const theta_series *series, theta_fit fit, int64_t h, double *path)
{
    theta_line line = series->lines[series->n];
    double decay = pow(1 - fit.alpha, (double)series->n);
    for (int64_t i = 0; i < h; i++) {
        path[i] = fit.level + fit.weight * line_part(line, fit.alpha, decay);
        fit.level += fit.alpha * (path[i] - fit.level);
        decay *= 1 - fit.alpha;
        if (series->dynamic)
            line = line_after(line, series->n + i, path[i]);
    }
}

/* The season, the fit and the forecasts of z, which is in the unit 2^exponent and is changed. */
static volt_status forecast(theta_series *series, double *z, int64_t season, int64_t h, int exponent,
                            double *effects, double *path, double *mean, volt_theta_info *info)
{
    const int64_t n = series->n;
    const volt_season_form form = season_remove(z, n, season, 2, effects);
    const double centre = z[n - 1]; /* the methods are equivariant to shifts */
    for (int64_t t = 0; t < n; t++)
        z[t] -= centre;
    find_lines(series);
    const theta_fit fit = n < ROWS_TO_FIT ? standard_fit(series) : fit_series(series);
    continue_path(series, fit, h, path);
    for (int64_t i = 0; i < h; i++)
        path[i] = volt_season_apply(form, centre + path[i], effects, season, n + i);
    VOLT_TRY(volt_finish_path("Theta", path, h, exponent, mean));
    if (info) {
        const double errors = (double)(n < ROWS_TO_FIT ? n : n - FIRST_ERROR);
        const double level = fit.first - fit.weight * line_start(series) + (1 - fit.weight) * centre;
        *info = (volt_theta_info){.alpha = fit.alpha,
                                  .theta = 1 / (1 - fit.weight),
                                  .level = ldexp(level, exponent),
                                  .rmse = ldexp(sqrt(fit.squares / errors), exponent),
                                  .season = form};
    }
    return VOLT_OK;
}

volt_status volt_theta_forecast(volt_theta_kind kind, const double *y, int64_t n, int64_t season, int64_t h,
                                double *mean, volt_theta_info *info)
{
    VOLT_TRY(volt_check_forecast(y, n, ROWS_NEEDED, season, h, mean));
    double *z = volt_alloc_doubles(1, n), *effects = volt_alloc_doubles(1, volt_min(season, n));
    double *path = volt_alloc_doubles(1, h);
    theta_series series = {.y = z, .n = n, .dynamic = kind == VOLT_THETA_DYNAMIC};
    series.lines = volt_alloc(n + 1, sizeof *series.lines);
    volt_status status = VOLT_ERR_MEMORY;
    if (z && effects && path && series.lines) {
        const int exponent = volt_scale_to_unit(y, n, 1, z);
        status = forecast(&series, z, season, h, exponent, effects, path, mean, info);
    }
    volt_free(series.lines);
    volt_free(path);
    volt_free(effects);
    volt_free(z);
    return status;
}
