/* src/stats/ets.c: exponential smoothing in the form with the smallest AICc.
 *
 * With k parameters (smoothing parameters, initial states of which S - 1 for a season, and sigma) and the
 * likelihood L of volt_ets_info,
 *
 *     AICc = L + 2 k + 2 k (k + 1)/(n - k - 1)
 *
 * (Hyndman, Koehler, Ord and Snyder, Forecasting with Exponential Smoothing, 2008, section 7.2). */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/ets_fit.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { ROWS_NEEDED = 3, ROWS_TO_CHOOSE = 7, SEASONS = 3, TRENDS = 3, FORMS = 2 * SEASONS * TRENDS };

/* A series in the unit 2^exponent. */
typedef struct ets_series {
    double *y;
    int64_t n, season; /* season: 0 unless the series has two */
    int exponent;
    bool positive, constant;
} ets_series;

static int64_t parameters_of(volt_ets_form form, int64_t season)
{
    const int64_t of_trend = form.trend == VOLT_ETS_LEVEL ? 0 : form.trend == VOLT_ETS_TREND ? 2 : 3;
    return 3 + of_trend + (form.season == VOLT_SEASON_NONE ? 0 : season);
}

static bool is_candidate(const ets_series *series, volt_ets_form form)
{
    if (form.relative && !series->positive)
        return false;
    if (form.season == VOLT_SEASON_MULTIPLICATIVE && !form.relative)
        return false;
    if (form.season != VOLT_SEASON_NONE && series->season == 0)
        return false;
    if (!form.relative && form.trend == VOLT_ETS_LEVEL && form.season == VOLT_SEASON_NONE)
        return true;
    return series->n >= ROWS_TO_CHOOSE && series->n > parameters_of(form, series->season) + 1;
}

static double aicc_of(const ets_series *series, const volt_ets_fit *fit)
{
    const double k = (double)parameters_of(fit->form, series->season), left = (double)series->n - k - 1;
    return left > 0 ? fit->likelihood + 2 * k + 2 * k * (k + 1) / left : INFINITY;
}

/* ---- the choice --------------------------------------------------------------------------------- */

static int form_index(volt_ets_form form)
{
    return ((int)form.season * TRENDS + (int)form.trend) * 2 + (form.relative ? 1 : 0);
}

/* Fits a form from the fits of forms with fewer components. */
static void fit_from_others(volt_ets_fitter *fitter, volt_ets_fit *fits, volt_ets_fit *fit)
{
    const volt_ets_fit *near[2];
    int count = 0;
    if (fit->form.trend != VOLT_ETS_LEVEL)
        near[count++] = fit - 2; /* the trend before, in the order of form_index */
    if (fit->form.relative && fit->form.season != VOLT_SEASON_MULTIPLICATIVE)
        near[count++] = &fits[form_index(fit->form) - 1];
    volt_ets_fit_form(fitter, near, count, fit);
}

/* Fits all candidates; effects: FORMS x S numbers. Returns the best; ETS(A,N,N) is always a candidate. */
static const volt_ets_fit *choose(const ets_series *series, volt_ets_fitter *fitter, volt_ets_fit fits[FORMS],
                                  double *effects)
{
    const volt_ets_fit *best = &fits[0];
    for (int i = 0; i < FORMS; i++) {
        volt_ets_fit *fit = &fits[i];
        fit->form = (volt_ets_form){.relative = i % 2 == 1,
                                    .trend = (volt_ets_trend)(i / 2 % TRENDS),
                                    .season = (volt_season_form)(i / 2 / TRENDS)};
        fit->criterion = fit->likelihood = INFINITY;
        if (!is_candidate(series, fit->form))
            continue;
        fit->state.effects = effects + i * series->season;
        fit_from_others(fitter, fits, fit);
        if (aicc_of(series, fit) < aicc_of(series, best))
            best = fit;
    }
    return best;
}

/* ---- forecast ----------------------------------------------------------------------------------- */

void volt_ets_name(volt_ets_form form, char name[VOLT_ETS_NAME_SIZE])
{
    static const char *const trends[TRENDS] = {"N", "A", "Ad"};
    static const char seasons[SEASONS] = {'N', 'A', 'M'};
    snprintf(name, VOLT_ETS_NAME_SIZE, "ETS(%c,%s,%c)", form.relative ? 'M' : 'A', trends[form.trend],
             seasons[form.season]);
}

static volt_ets_info info_of(const ets_series *series, const volt_ets_fit *fit)
{
    const int64_t k = parameters_of(fit->form, series->season), n = series->n;
    const double unit = 2 * (double)n * series->exponent * log(2); /* the likelihood in the unit of y */
    const double sigma = sqrt(fit->squares / (double)(n > k - 1 ? n - k + 1 : n));
    return (volt_ets_info){
        .form = fit->form,
        .alpha = fit->state.alpha,
        .beta = fit->state.beta,
        .gamma = fit->state.gamma,
        .phi = fit->form.trend == VOLT_ETS_LEVEL ? 0 : fit->state.phi,
        .level = ldexp(fit->state.level, series->exponent),
        .slope = ldexp(fit->state.slope, series->exponent),
        .likelihood = fit->likelihood + unit,
        .aicc = aicc_of(series, fit) + unit,
        .sigma = fit->form.relative ? sigma : ldexp(sigma, series->exponent),
        .parameters = k,
    };
}

/* Forecasts with a fit; its states are moved to the end of the series. */
static volt_status forecast_with(const ets_series *series, volt_ets_fit *fit, int64_t h, double *path,
                                 double *mean, double *variance, volt_ets_info *info)
{
    const volt_ets_info found = info_of(series, fit);
    volt_ets_state *state = &fit->state;
    double squares, logs;
    volt_ets_run(fit->form, series->y, series->n, series->season, state, NULL, &squares, &logs);
    volt_ets_path(fit->form, state, series->n, series->season, h, path);
    double *spread = path + h;
    const double sigma = fit->form.relative ? found.sigma : ldexp(found.sigma, -series->exponent);
    if (variance)
        volt_ets_variances(fit->form, state, series->n, series->season, sigma, h, path, spread);
    VOLT_TRY(volt_finish_path("exponential smoothing", path, h, series->exponent, mean));
    for (int64_t i = 0; variance && i < h; i++)
        variance[i] = ldexp(spread[i], 2 * series->exponent);
    if (info)
        *info = found;
    return VOLT_OK;
}

/* Forecasts of a constant series: exact. */
static void forecast_constant(const ets_series *series, volt_ets_fit *fit)
{
    fit->form = (volt_ets_form){.relative = false};
    fit->state = (volt_ets_state){.alpha = 0.5, .phi = 1, .level = series->y[0]};
    fit->squares = 0;
    fit->likelihood = (double)series->n * log((double)series->n) + 2 * (double)series->n * log(DBL_EPSILON);
}

static volt_status forecast(const ets_series *series, int64_t h, const volt_ets_info *start, double *effects,
                            double *path, double *mean, double *variance, volt_ets_info *info)
{
    volt_ets_fit fits[FORMS] = {0};
    if (series->constant) {
        forecast_constant(series, &fits[0]);
        return forecast_with(series, &fits[0], h, path, mean, variance, info);
    }
    volt_ets_fitter *fitter = volt_ets_fitter_create(series->y, series->n, series->season);
    if (!fitter)
        return VOLT_ERR_MEMORY;
    volt_ets_fit chosen = {.criterion = INFINITY};
    if (start && is_candidate(series, start->form)) {
        chosen.form = start->form;
        chosen.state.effects = effects;
        volt_ets_fit_from(fitter, start, &chosen);
    }
    if (!isfinite(chosen.criterion))
        chosen = *choose(series, fitter, fits, effects);
    volt_ets_fitter_free(fitter);
    return forecast_with(series, &chosen, h, path, mean, variance, info);
}

volt_status volt_ets_forecast(const double *y, int64_t n, int64_t season, int64_t h, const volt_ets_info *start,
                              double *mean, double *variance, volt_ets_info *info)
{
    VOLT_TRY(volt_check_forecast(y, n, ROWS_NEEDED, season, h, mean));
    ets_series series = {.y = volt_alloc_doubles(1, n), .n = n, .positive = true, .constant = true};
    series.season = season >= 2 && n / season >= 2 ? season : 0;
    double *effects = volt_alloc_doubles(FORMS, series.season), *path = volt_alloc_doubles(2, h);
    volt_status status = VOLT_ERR_MEMORY;
    if (series.y && effects && path) {
        series.exponent = volt_scale_to_unit(y, n, 1, series.y);
        for (int64_t t = 0; t < n; t++) {
            series.positive = series.positive && y[t] > 0;
            series.constant = series.constant && y[t] == y[0];
        }
        status = forecast(&series, h, start, effects, path, mean, variance, info);
    }
    volt_free(path);
    volt_free(effects);
    volt_free(series.y);
    return status;
}
