/* src/stats/ets_recursion.c: the recursions of exponential smoothing, their derivatives and forecasts.
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
#include "stats/classical.h"

#include <math.h>
#include <string.h>

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
