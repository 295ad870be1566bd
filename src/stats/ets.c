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
#include "stats/box_minimum.h"
#include "stats/classical.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- recursion ---------------------------------------------------------------------------------- */

/* The recursions of exponential smoothing, their derivatives and forecasts.
 *
 * States: level l, slope b (0 without trend) and the effect s of the phase of the row. With the damping phi,
 *
 *     q = l + phi b,      m = q, q + s or q s  (forecast),      e = y - m,
 *     l := q + alpha e/u,     b := phi b + beta e/u,     s := s + gamma e/v,
 *
 * u = v = 1 without or with additive effects, and u = s, v = q for multiplicative ones (Hyndman, Koehler, Ord
 * and Snyder, Forecasting with Exponential Smoothing, 2008, tables 2.2 and 2.3). The states do not depend on
 * the kind of the errors: these are e, or e/m when they are relative. The derivatives follow from the recursion
 * in reverse. */

/* A factor outside these bounds is added to the sum of logarithms. */
static const double product_low = 1e-100, product_high = 1e100;

bool volt_ets_run(volt_ets_form form, const double *y, int64_t n, int64_t season, volt_ets_state *state,
                  const volt_ets_trace *trace, double *squares, double *logs)
{
    const bool additive = form.season == VOLT_SEASON_ADDITIVE,
               times = form.season == VOLT_SEASON_MULTIPLICATIVE;
    const double alpha = state->alpha, beta = state->beta, gamma = state->gamma;
    const double phi = form.trend == VOLT_ETS_LEVEL ? 0 : state->phi;
    double l = state->level, b = state->slope, s = 0, sum = 0, sum_logs = 0, product = 1;
    int64_t phase = 0;
    for (int64_t t = 0; t < n; t++) {
        const double q = l + phi * b;
        double m = q;
        if (additive)
            m += s = state->effects[phase];
        else if (times)
            m *= s = state->effects[phase];
        const double e = y[t] - m;
        if (trace) {
            trace->slope[t] = b;
            trace->trend[t] = q;
            trace->effect[t] = s;
            trace->error[t] = e;
        }
        if ((form.relative && !(m > 0)) || (times && !(s > 0)))
            return false;
        if (form.relative) {
            const double relative = e / m;
            sum += relative * relative;
            product *= m;
            if (product < product_low || product > product_high) {
                sum_logs += log(product);
                product = 1;
            }
        } else {
            sum += e * e;
        }
        const double step = times ? e / s : e;
        l = q + alpha * step;
        b = phi * b + beta * step;
        if (additive || times) {
            state->effects[phase] = s + gamma * (times ? e / q : e);
            phase = phase + 1 < season ? phase + 1 : 0;
        }
    }
    state->level = l;
    state->slope = b;
    *squares = sum;
    *logs = form.relative ? sum_logs + log(product) : 0;
    return true;
}

void volt_ets_gradient(volt_ets_form form, const double *y, int64_t n, int64_t season,
                       const volt_ets_state *state, const volt_ets_trace *trace, double weight,
                       volt_ets_state *gradient)
{
    const bool additive = form.season == VOLT_SEASON_ADDITIVE,
               times = form.season == VOLT_SEASON_MULTIPLICATIVE;
    const double alpha = state->alpha, beta = state->beta, gamma = state->gamma;
    const double phi = form.trend == VOLT_ETS_LEVEL ? 0 : state->phi;
    double *ds = gradient->effects, dl = 0, db = 0, dalpha = 0, dbeta = 0, dgamma = 0, dphi = 0;
    int64_t phase = 0;
    if (additive || times) {
        memset(ds, 0, (size_t)season * sizeof *ds);
        phase = n % season;
    }
    for (int64_t t = n - 1; t >= 0; t--) {
        const double b = trace->slope[t], q = trace->trend[t], s = trace->effect[t], e = trace->error[t];
        const double step = times ? e / s : e, m = y[t] - e;
        dalpha += dl * step;
        dbeta += db * step;
        dphi += db * b;
        const double dstep = alpha * dl + beta * db;
        /* Derivatives by q, m and s; those by e enter m. */
        double dq = dl, dm = form.relative ? (2 - 2 * weight * e * y[t] / (m * m)) / m : -2 * weight * e;
        db *= phi;
        if (additive || times) {
            phase = phase > 0 ? phase - 1 : season - 1;
            const double later = ds[phase], dturn = gamma * later;
            dgamma += later * (times ? e / q : e);
            if (times) {
                dm -= dstep / s + dturn / q;
                ds[phase] += dm * q - dstep * step / s;
                dq += dm * s - dturn * e / (q * q);
            } else {
                dm -= dstep + dturn;
                ds[phase] += dm;
                dq += dm;
            }
        } else {
            dm -= dstep;
            dq += dm;
        }
        dl = dq;
        db += phi * dq;
        dphi += dq * b;
    }
    gradient->alpha = dalpha;
    gradient->beta = dbeta;
    gradient->gamma = dgamma;
    gradient->phi = dphi;
    gradient->level = dl;
    gradient->slope = db;
}

/* ---- forecasts ---------------------------------------------------------------------------------- */

void volt_ets_path(volt_ets_form form, const volt_ets_state *state, int64_t n, int64_t season, int64_t h,
                   double *mean)
{
    double power = 1, sum = 0; /* phi^(i+1), and the sum of these */
    for (int64_t i = 0; i < h; i++) {
        power *= state->phi;
        sum += power;
        const double trend = form.trend == VOLT_ETS_LEVEL ? state->level : state->level + sum * state->slope;
        mean[i] = volt_season_apply(form.season, trend, state->effects, season, n + i);
    }
}

/* Weights of the error j = 1, 2, ... steps earlier in the forecast: alpha + beta (phi + ... + phi^j), and gamma
 * on multiples of an additive season. */
typedef struct error_weights {
    const volt_ets_state *state;
    int64_t season, steps; /* season 0: no additive effects */
    double power, sum;
} error_weights;

static error_weights first_weights(volt_ets_form form, const volt_ets_state *state, int64_t season)
{
    return (error_weights){
        .state = state, .season = form.season == VOLT_SEASON_ADDITIVE ? season : 0, .power = 1};
}

static double next_squared_weight(error_weights *at)
{
    const volt_ets_state *state = at->state;
    at->power *= state->phi;
    at->sum += at->power;
    at->steps++;
    const bool season_later = at->season > 0 && at->steps % at->season == 0;
    const double weight = state->alpha + state->beta * at->sum + (season_later ? state->gamma : 0);
    return weight * weight;
}

void volt_ets_variances(volt_ets_form form, const volt_ets_state *state, int64_t n, int64_t season,
                        double sigma, int64_t h, const double *mean, double *variance)
{
    const double v = sigma * sigma;
    if (!form.relative) {
        error_weights at = first_weights(form, state, season);
        double sum = 1;
        for (int64_t i = 0; i < h; i++) {
            variance[i] = v * sum;
            sum += next_squared_weight(&at);
        }
        return;
    }
    const bool times = form.season == VOLT_SEASON_MULTIPLICATIVE;
    for (int64_t i = 0; i < h; i++) { /* theta_h */
        const double m = times ? mean[i] / state->effects[(n + i) % season] : mean[i];
        error_weights at = first_weights(form, state, season);
        double theta = m * m;
        for (int64_t j = 1; j <= i; j++)
            theta += v * next_squared_weight(&at) * variance[i - j];
        variance[i] = theta;
    }
    for (int64_t i = 0; i < h; i++) {
        const double effect = times ? state->effects[(n + i) % season] : 1;
        const double growth = times ? pow(1 + state->gamma * state->gamma * v, (double)(i / season)) : 1;
        variance[i] = effect * effect * variance[i] * (1 + v) * growth - mean[i] * mean[i];
    }
}

/* ---- fit ---------------------------------------------------------------------------------------- */

/* The fit of one form of exponential smoothing.
 *
 * The smoothing parameters and all initial states minimise
 *
 *     n log(sum of squared errors) + 2 sum log m + 16 (beta/alpha)^2,
 *
 * -2 log L (the second term for relative errors only) with a prior: half-normal for beta/alpha, with standard
 * deviation 1/4. Without it, short series get slopes that follow the noise. It lowers the mean MASE of
 * exponential smoothing from 1.429 to 1.389 on the 3003 series of the M3 competition and from 1.698 to 1.689 on
 * the 1001 series of the first one.
 *
 * The derivatives come from the reversed recursion. The variables of the search are
 * alpha, beta/alpha, gamma/(1 - alpha), phi and the states in units of the errors. The bounds equal those of
 * R's forecast::ets: alpha, beta/alpha and gamma/(1 - alpha) in [0.0001, 0.9999], phi in [0.8, 0.98].
 *
 * Adding a constant to all effects and subtracting it from the level (or multiplying and dividing) changes no
 * forecast, so that the effects need no constraint during the search. */

/* Parameters and initial states of a form. */
typedef struct ets_fit {
    volt_ets_form form;
    volt_ets_state state; /* effects: S values of the caller */
    double likelihood;    /* as in volt_ets_info, with the rounding of the series added to the squares */
    double criterion;     /* likelihood with the prior; infinite: no fit */
    double squares;
} ets_fit;

typedef struct volt_ets_fitter volt_ets_fitter;

static const double share_low = 1e-4, share_high = 0.9999, phi_low = 0.8, phi_high = 0.98;
static const double effect_low = 1e-3, effect_high = 1e3; /* multiplicative */

static const double prior = 16; /* of (beta/alpha)^2 */

enum { MAX_SMOOTHING = 4, MAX_ITERATIONS = 200 };
static const double tolerance = 1e-4; /* in units of -2 log L */

struct volt_ets_fitter {
    const double *y;
    int64_t n, season;                 /* season 0: none */
    double floor;                      /* added to sums of squares: the rounding of the series */
    double *additive, *multiplicative; /* effects of the decomposition; NULL without a season */
    volt_ets_trace trace;
    double *run_effects, *effect_gradient;
    double *x, *low, *high, *workspace;
    double *memory;
};

/* One search. */
typedef struct ets_search {
    const volt_ets_fitter *fitter;
    volt_ets_form form;
    double unit, effect_unit; /* of level and slope, of effects */
    double squares;           /* of the last evaluation */
} ets_search;

/* ---- fitter ------------------------------------------------------------------------------------- */

/* Prepares fits of y, |y| < 1, which is not copied. season: 0 for none, or 2 to n / 2. NULL when memory is
 * exhausted. */
static volt_ets_fitter *ets_fitter_create(const double *y, int64_t n, int64_t season)
{
    const int64_t count = MAX_SMOOTHING + 2 + season;
    volt_ets_fitter *fitter = volt_alloc_zero(1, sizeof *fitter);
    double *memory = volt_alloc_doubles(1, 4 * (n + season) + (VOLT_BOX_WORKSPACE + 3) * count);
    if (!fitter || !memory) {
        volt_free(memory);
        volt_free(fitter);
        return NULL;
    }
    fitter->y = y;
    fitter->n = n;
    fitter->season = season;
    fitter->floor = (double)n * DBL_EPSILON * DBL_EPSILON;
    fitter->memory = memory;
    fitter->trace = (volt_ets_trace){memory, memory + n, memory + 2 * n, memory + 3 * n};
    memory += 4 * n;
    fitter->additive = memory;
    fitter->multiplicative = memory + season;
    fitter->run_effects = memory + 2 * season;
    fitter->effect_gradient = memory + 3 * season;
    memory += 4 * season;
    fitter->x = memory;
    fitter->low = memory + count;
    fitter->high = memory + 2 * count;
    fitter->workspace = memory + 3 * count;
    if (season > 0) {
        volt_season_effects(y, n, season, VOLT_SEASON_ADDITIVE, fitter->additive);
        volt_season_effects(y, n, season, VOLT_SEASON_MULTIPLICATIVE, fitter->multiplicative);
        for (int64_t j = 0; j < season; j++)
            fitter->multiplicative[j] = fmax(fitter->multiplicative[j], 10 * effect_low);
    }
    return fitter;
}

static void ets_fitter_free(volt_ets_fitter *fitter)
{
    if (fitter)
        volt_free(fitter->memory);
    volt_free(fitter);
}

/* ---- the objective ------------------------------------------------------------------------------ */

static bool has_trend(volt_ets_form form)
{
    return form.trend != VOLT_ETS_LEVEL;
}

/* The likelihood of a state, with a trace; infinite where it is not defined. The state is unchanged. */
static double likelihood_of(const volt_ets_fitter *fitter, volt_ets_form form, const volt_ets_state *state,
                            double *squares)
{
    volt_ets_state run = *state;
    double logs;
    run.effects = fitter->run_effects;
    if (form.season != VOLT_SEASON_NONE)
        memcpy(run.effects, state->effects, (size_t)fitter->season * sizeof *run.effects);
    if (!volt_ets_run(form, fitter->y, fitter->n, fitter->season, &run, &fitter->trace, squares, &logs))
        return INFINITY;
    return (double)fitter->n * log(*squares + fitter->floor) + 2 * logs;
}

static double prior_of(volt_ets_form form, double beta_share)
{
    return has_trend(form) ? prior * beta_share * beta_share : 0;
}

/* The state of a vector; `effects` receives the effects. */
static volt_ets_state state_of(const ets_search *search, const double *x, double *effects)
{
    volt_ets_state state = {.alpha = *x++, .phi = 1, .effects = effects};
    if (has_trend(search->form))
        state.beta = state.alpha * *x++;
    if (search->form.season != VOLT_SEASON_NONE)
        state.gamma = (1 - state.alpha) * *x++;
    if (search->form.trend == VOLT_ETS_DAMPED)
        state.phi = *x++;
    state.level = search->unit * *x++;
    if (has_trend(search->form))
        state.slope = search->unit * *x++;
    if (search->form.season != VOLT_SEASON_NONE)
        for (int64_t j = 0; j < search->fitter->season; j++)
            effects[j] = search->effect_unit * *x++;
    return state;
}

static double objective(void *context, const double *x, double *gradient)
{
    ets_search *search = context;
    const volt_ets_fitter *fitter = search->fitter;
    const volt_ets_form form = search->form;
    const bool seasonal = form.season != VOLT_SEASON_NONE;
    volt_ets_state state = state_of(search, x, fitter->effect_gradient),
                   d = {.effects = fitter->effect_gradient};
    const double value = likelihood_of(fitter, form, &state, &search->squares) + prior_of(form, x[1]);
    if (!isfinite(value))
        return value;
    volt_ets_gradient(form, fitter->y, fitter->n, fitter->season, &state, &fitter->trace,
                      (double)fitter->n / (search->squares + fitter->floor), &d);
    *gradient++ =
        d.alpha + (has_trend(form) ? d.beta * x[1] : 0) - (seasonal ? d.gamma * x[has_trend(form) ? 2 : 1] : 0);
    if (has_trend(form))
        *gradient++ = d.beta * state.alpha + 2 * prior * x[1];
    if (seasonal)
        *gradient++ = d.gamma * (1 - state.alpha);
    if (form.trend == VOLT_ETS_DAMPED)
        *gradient++ = d.phi;
    *gradient++ = d.level * search->unit;
    if (has_trend(form))
        *gradient++ = d.slope * search->unit;
    if (seasonal)
        for (int64_t j = 0; j < fitter->season; j++)
            *gradient++ = d.effects[j] * search->effect_unit;
    return value;
}

/* ---- starts ------------------------------------------------------------------------------------- */

static const double *first_effects(const volt_ets_fitter *fitter, volt_ets_form form)
{
    return form.season == VOLT_SEASON_ADDITIVE ? fitter->additive : fitter->multiplicative;
}

/* The first 10 rows or two seasons. */
static int64_t first_rows(const volt_ets_fitter *fitter, volt_ets_form form)
{
    return volt_min(fitter->n, volt_max(10, form.season == VOLT_SEASON_NONE ? 0 : 2 * fitter->season));
}

/* Initial states from the decomposition: the mean, or the regression line, of the first `rows` rows without
 * their effects. */
static void set_first_states(const volt_ets_fitter *fitter, volt_ets_form form, int64_t rows,
                             volt_ets_state *state)
{
    const int64_t S = form.season == VOLT_SEASON_NONE ? 0 : fitter->season;
    const double *effects = first_effects(fitter, form), centre = (double)(rows - 1) / 2;
    double mean = 0, product = 0;
    for (int64_t t = 0; t < rows; t++) {
        double value = fitter->y[t];
        if (form.season == VOLT_SEASON_ADDITIVE)
            value -= effects[t % S];
        else if (form.season == VOLT_SEASON_MULTIPLICATIVE)
            value /= effects[t % S];
        mean += value / (double)rows;
        product += ((double)t - centre) * value;
    }
    state->slope = has_trend(form) ? 12 * product / ((double)rows * ((double)rows * (double)rows - 1)) : 0;
    state->level = mean - state->slope * (centre + 1);
    if (S > 0)
        memcpy(state->effects, effects, (size_t)S * sizeof *effects);
}

/* Keeps `state` in `fit` when its criterion is better. */
static void offer(const volt_ets_fitter *fitter, const volt_ets_state *state, ets_fit *fit)
{
    double squares;
    const double value = likelihood_of(fitter, fit->form, state, &squares);
    const double criterion = value + prior_of(fit->form, state->beta / state->alpha);
    if (!(criterion < fit->criterion))
        return;
    double *effects = fit->state.effects;
    fit->likelihood = value;
    fit->criterion = criterion;
    fit->squares = squares;
    fit->state = *state;
    fit->state.effects = effects;
    if (fit->form.season != VOLT_SEASON_NONE && effects != state->effects)
        memcpy(effects, state->effects, (size_t)fitter->season * sizeof *effects);
}

/* Smoothing parameters of the form; shares of 0 where it has none. */
static void set_smoothing(volt_ets_form form, double alpha, double beta_share, double gamma_share, double phi,
                          volt_ets_state *state)
{
    state->alpha = alpha;
    state->beta = has_trend(form) ? alpha * beta_share : 0;
    state->gamma = form.season != VOLT_SEASON_NONE ? (1 - alpha) * gamma_share : 0;
    state->phi = form.trend == VOLT_ETS_DAMPED ? phi : 1;
}

static void offer_grid(const volt_ets_fitter *fitter, int64_t rows, ets_fit *fit)
{
    static const double alphas[] = {0.02, 0.1, 0.3, 0.6, 0.95}, shares[] = {0.02, 0.2};
    const int betas = has_trend(fit->form) ? 2 : 1, gammas = fit->form.season != VOLT_SEASON_NONE ? 2 : 1;
    volt_ets_state state = {.effects = fit->state.effects};
    set_first_states(fitter, fit->form, rows, &state);
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < betas; b++)
            for (int c = 0; c < gammas; c++) {
                set_smoothing(fit->form, alphas[a], shares[b], shares[c], 0.95, &state);
                offer(fitter, &state, fit);
            }
}

/* A fit of another form, with the components that it lacks. */
static void offer_near(const volt_ets_fitter *fitter, const ets_fit *near, ets_fit *fit)
{
    volt_ets_state state = near->state;
    if (has_trend(fit->form) && !has_trend(near->form))
        state.beta = 0.02 * state.alpha;
    if (fit->form.trend == VOLT_ETS_DAMPED && near->form.trend != VOLT_ETS_DAMPED)
        state.phi = phi_high;
    offer(fitter, &state, fit);
}

/* ---- search ------------------------------------------------------------------------------------- */

static double *put(double value, double low, double high, double *x, double *lows, double *highs)
{
    *x = fmin(fmax(value, low), high);
    lows[0] = low;
    highs[0] = high;
    return x + 1;
}

/* The vector of a state and its bounds; returns the number of variables. */
static int64_t pack(const volt_ets_fitter *fitter, const ets_search *search, const volt_ets_state *state)
{
    const volt_ets_form form = search->form;
    double *const x = fitter->x, *const low = fitter->low, *const high = fitter->high, *end = x;
#define PUT(value, least, most) end = put((value), (least), (most), end, low + (end - x), high + (end - x))
    PUT(state->alpha, share_low, share_high);
    if (has_trend(form))
        PUT(state->beta / state->alpha, share_low, share_high);
    if (form.season != VOLT_SEASON_NONE)
        PUT(state->gamma / (1 - state->alpha), share_low, share_high);
    if (form.trend == VOLT_ETS_DAMPED)
        PUT(state->phi, phi_low, phi_high);
    PUT(state->level / search->unit, -INFINITY, INFINITY);
    if (has_trend(form))
        PUT(state->slope / search->unit, -INFINITY, INFINITY);
    const bool times = form.season == VOLT_SEASON_MULTIPLICATIVE;
    for (int64_t j = 0; form.season != VOLT_SEASON_NONE && j < fitter->season; j++)
        PUT(state->effects[j] / search->effect_unit, times ? effect_low / search->effect_unit : -INFINITY,
            times ? effect_high / search->effect_unit : INFINITY);
#undef PUT
    return end - x;
}

/* Shifts or scales the effects to mean 0 or 1, with the level and the slope; no forecast changes. */
static void normalise(const volt_ets_fitter *fitter, ets_fit *fit)
{
    const int64_t S = fitter->season;
    double mean = 0;
    if (fit->form.season == VOLT_SEASON_NONE)
        return;
    for (int64_t j = 0; j < S; j++)
        mean += fit->state.effects[j] / (double)S;
    if (fit->form.season == VOLT_SEASON_ADDITIVE) {
        fit->state.level += mean;
        for (int64_t j = 0; j < S; j++)
            fit->state.effects[j] -= mean;
        return;
    }
    fit->state.level *= mean;
    fit->state.slope *= mean;
    for (int64_t j = 0; j < S; j++)
        fit->state.effects[j] /= mean;
}

/* From the state in `fit`, whose criterion is finite. */
static void climb(volt_ets_fitter *fitter, ets_fit *fit)
{
    const double rows = (double)fitter->n, error = sqrt((fit->squares + fitter->floor) / rows);
    double size = 0;
    for (int64_t t = 0; t < fitter->n; t++)
        size += fabs(fitter->y[t]) / rows;
    ets_search search = {.fitter = fitter, .form = fit->form};
    search.unit = fit->form.relative ? error * size : error;
    search.effect_unit = fit->form.season == VOLT_SEASON_MULTIPLICATIVE ? error : search.unit;
    const volt_box_problem problem = {
        .function = objective,
        .context = &search,
        .count = pack(fitter, &search, &fit->state),
        .low = fitter->low,
        .high = fitter->high,
        .tolerance = tolerance,
        .max_iterations = MAX_ITERATIONS,
    };
    volt_box_minimise(&problem, fitter->x, fitter->workspace);
    volt_ets_state found = state_of(&search, fitter->x, fitter->effect_gradient);
    offer(fitter, &found, fit);
    normalise(fitter, fit);
}

/* Fits fit->form. The search begins at the best of a grid of smoothing parameters and of the `count` other fits
 * `near`, whose forms may lack components of this one. */
static void ets_fit_form(volt_ets_fitter *fitter, const ets_fit *const *near, int count, ets_fit *fit)
{
    fit->criterion = INFINITY;
    offer_grid(fitter, first_rows(fitter, fit->form), fit);
    if (has_trend(fit->form)) /* for slow smoothing, the line of all rows */
        offer_grid(fitter, fitter->n, fit);
    for (int i = 0; i < count; i++)
        offer_near(fitter, near[i], fit);
    if (isfinite(fit->criterion))
        climb(fitter, fit);
}

/* Fits fit->form from the smoothing parameters in `start`. */
static void ets_fit_from(volt_ets_fitter *fitter, const volt_ets_info *start, ets_fit *fit)
{
    volt_ets_state state = {start->alpha, start->beta, start->gamma, start->phi, 0, 0, fit->state.effects};
    fit->criterion = INFINITY;
    set_first_states(fitter, fit->form, first_rows(fitter, fit->form), &state);
    offer(fitter, &state, fit);
    if (isfinite(fit->criterion))
        climb(fitter, fit);
    else
        ets_fit_form(fitter, NULL, 0, fit);
}

/* ---- the forecast ------------------------------------------------------------------------------- */

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

static double aicc_of(const ets_series *series, const ets_fit *fit)
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
static void fit_from_others(volt_ets_fitter *fitter, ets_fit *fits, ets_fit *fit)
{
    const ets_fit *near[2];
    int count = 0;
    if (fit->form.trend != VOLT_ETS_LEVEL)
        near[count++] = fit - 2; /* the trend before, in the order of form_index */
    if (fit->form.relative && fit->form.season != VOLT_SEASON_MULTIPLICATIVE)
        near[count++] = &fits[form_index(fit->form) - 1];
    ets_fit_form(fitter, near, count, fit);
}

/* Fits all candidates; effects: FORMS x S numbers. Returns the best; ETS(A,N,N) is always a candidate. */
static const ets_fit *choose(const ets_series *series, volt_ets_fitter *fitter, ets_fit fits[FORMS],
                             double *effects)
{
    const ets_fit *best = &fits[0];
    for (int i = 0; i < FORMS; i++) {
        ets_fit *fit = &fits[i];
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

static volt_ets_info info_of(const ets_series *series, const ets_fit *fit)
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
static volt_status forecast_with(const ets_series *series, ets_fit *fit, int64_t h, double *path, double *mean,
                                 double *variance, volt_ets_info *info)
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
static void forecast_constant(const ets_series *series, ets_fit *fit)
{
    fit->form = (volt_ets_form){.relative = false};
    fit->state = (volt_ets_state){.alpha = 0.5, .phi = 1, .level = series->y[0]};
    fit->squares = 0;
    fit->likelihood = (double)series->n * log((double)series->n) + 2 * (double)series->n * log(DBL_EPSILON);
}

static volt_status forecast(const ets_series *series, int64_t h, const volt_ets_info *start, double *effects,
                            double *path, double *mean, double *variance, volt_ets_info *info)
{
    ets_fit fits[FORMS] = {0};
    if (series->constant) {
        forecast_constant(series, &fits[0]);
        return forecast_with(series, &fits[0], h, path, mean, variance, info);
    }
    volt_ets_fitter *fitter = ets_fitter_create(series->y, series->n, series->season);
    if (!fitter)
        return VOLT_ERR_MEMORY;
    ets_fit chosen = {.criterion = INFINITY};
    if (start && is_candidate(series, start->form)) {
        chosen.form = start->form;
        chosen.state.effects = effects;
        ets_fit_from(fitter, start, &chosen);
    }
    if (!isfinite(chosen.criterion))
        chosen = *choose(series, fitter, fits, effects);
    ets_fitter_free(fitter);
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
