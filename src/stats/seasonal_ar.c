/* src/stats/seasonal_ar.c: an autoregression around a periodic mean.
 *
 * With the phases c[1..m] of the season (volt_season_phase) and y relative to its mean,
 *
 *     y[t] = b[0] + sum_j b[j] c[j](t) + sum_l a[l] y[t-l] + e[t],
 *
 * by least squares with a ridge of 1e-6 of the diagonal. The lags l are 1 to p, with or without S - 1, S and S + 1. All
 * candidates use the same rows. The sums of squares of all p come from one factorisation: with X'X = L L' and L z = X'y,
 * the first k columns leave y'y - z[1]^2 - ... - z[k]^2. The lags minimise AICc. Later steps use the forecasts of earlier ones. An unstable recursion stops at 10 times the largest
 * deviation from the mean. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/classical.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum {
    MAX_ORDER = 14,
    SEASON_LAGS = 3,
    MAX_LAGS = MAX_ORDER + SEASON_LAGS,
    MAX_PHASES = 24,
    SEASONS_NEEDED = 3,
    ROWS_PER_COLUMN = 4,
    MAX_COLUMNS = 1 + MAX_PHASES + MAX_LAGS
};

static const double ridge = 1e-6;

/* ---- phases of a season ------------------------------------------------------------------------- */

int64_t volt_season_phases(int64_t season, int64_t rows)
{
    return season >= 2 && rows >= SEASONS_NEEDED * season ? volt_min(season - 1, MAX_PHASES) : 0;
}

double volt_season_phase(int64_t season, int64_t j, int64_t t)
{
    const double pi = 3.14159265358979323846;
    int64_t k = j / 2 + 1; /* harmonic */
    double angle = 2 * pi * (double)(t % season * k % season) / (double)season;
    if (2 * k == season)
        return cos(angle);
    return sqrt(2) * (j % 2 == 0 ? cos(angle) : sin(angle));
}

/* ---- regression --------------------------------------------------------------------------------- */

typedef struct seasonal_ar {
    const double *y;  /* n values relative to their mean, and room for the forecasts */
    int64_t n, first; /* rows, and the first one that is fitted */
    int64_t season, phases;
    int64_t lags[MAX_LAGS], n_lags;
    double L[MAX_COLUMNS][MAX_COLUMNS], z[MAX_COLUMNS];
    double squares; /* y'y */
    double aicc;
} seasonal_ar;

static int64_t count_columns(const seasonal_ar *fit)
{
    return 1 + fit->phases + fit->n_lags;
}

/* The regressors of row t: constant, phases, lags. */
static void set_row(const seasonal_ar *fit, int64_t t, double *x)
{
    x[0] = 1;
    for (int64_t j = 0; j < fit->phases; j++)
        x[1 + j] = volt_season_phase(fit->season, j, t);
    for (int64_t i = 0; i < fit->n_lags; i++)
        x[1 + fit->phases + i] = fit->y[t - fit->lags[i]];
}

/* L := X'X, z := X'y. */
static void add_rows(seasonal_ar *fit)
{
    int64_t columns = count_columns(fit);
    for (int64_t t = fit->first; t < fit->n; t++) {
        double x[MAX_COLUMNS];
        set_row(fit, t, x);
        for (int64_t i = 0; i < columns; i++) {
            fit->z[i] += x[i] * fit->y[t];
            for (int64_t j = 0; j <= i; j++)
                fit->L[i][j] += x[i] * x[j];
        }
        fit->squares += fit->y[t] * fit->y[t];
    }
}

/* L := the factor of X'X with its ridge, z := L^-1 z. A column of zeros has no weight. */
static void factor(seasonal_ar *fit)
{
    int64_t columns = count_columns(fit);
    for (int64_t i = 0; i < columns; i++) {
        double diagonal = fit->L[i][i];
        for (int64_t j = 0; j <= i; j++) {
            double sum = fit->L[i][j] + (i == j ? ridge * diagonal : 0);
            for (int64_t k = 0; k < j; k++)
                sum -= fit->L[i][k] * fit->L[j][k];
            if (i == j)
                fit->L[i][i] = sqrt(fmax(sum, ridge / 2 * diagonal));
            else
                fit->L[i][j] = fit->L[j][j] > 0 ? sum / fit->L[j][j] : 0;
        }
        for (int64_t k = 0; k < i; k++)
            fit->z[i] -= fit->L[i][k] * fit->z[k];
        fit->z[i] = fit->L[i][i] > 0 ? fit->z[i] / fit->L[i][i] : 0;
    }
}

/* Keeps the first lags, at least `required` of them, with the smallest AICc. */
static void choose_lags(seasonal_ar *fit, int64_t required)
{
    double rows = (double)(fit->n - fit->first), least = fit->squares * DBL_EPSILON, squares = fit->squares;
    int64_t columns = count_columns(fit), before = 1 + fit->phases;
    fit->aicc = INFINITY;
    fit->n_lags = required;
    for (int64_t i = 0; i < columns; i++) {
        double k = (double)(i + 1);
        squares -= fit->z[i] * fit->z[i];
        if (i + 1 < before + required || rows - k - 1 < 1)
            continue;
        double aicc = rows * log(fmax(squares, least) / rows) + 2 * k * rows / (rows - k - 1);
        if (aicc < fit->aicc) {
            fit->aicc = aicc;
            fit->n_lags = i + 1 - before;
        }
    }
}

/* The regression with lags up to `order`, after the lags of the season if with_season. */
static void regress(seasonal_ar *fit, int64_t order, bool with_season)
{
    int64_t required = with_season ? SEASON_LAGS : 0;
    for (int64_t i = 0; i < required; i++)
        fit->lags[fit->n_lags++] = fit->season - 1 + i;
    for (int64_t lag = 1; lag <= (with_season ? volt_min(order, fit->season - 2) : order); lag++)
        fit->lags[fit->n_lags++] = lag;
    add_rows(fit);
    factor(fit);
    choose_lags(fit, required);
}

/* z := the coefficients L'^-1 z of the columns chosen. */
static void solve(seasonal_ar *fit)
{
    for (int64_t i = count_columns(fit) - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < count_columns(fit); k++)
            fit->z[i] -= fit->L[k][i] * fit->z[k];
        fit->z[i] = fit->L[i][i] > 0 ? fit->z[i] / fit->L[i][i] : 0;
    }
}

/* Forecasts up to a distance `bound` from the mean. */
static void forecast(const seasonal_ar *fit, int64_t h, double bound, double *path)
{
    for (int64_t t = fit->n; t < fit->n + h; t++) {
        double x[MAX_COLUMNS] = {0}, sum = 0;
        set_row(fit, t, x);
        for (int64_t i = 0; i < count_columns(fit); i++)
            sum += fit->z[i] * x[i];
        path[t] = fmin(fmax(sum, -bound), bound);
    }
}

/* Subtracts the mean of the n values and returns it; *largest receives the largest remainder. */
static double remove_mean(double *y, int64_t n, double *largest)
{
    double mean = 0;
    *largest = 0;
    for (int64_t t = 0; t < n; t++)
        mean += (y[t] - mean) / (double)(t + 1);
    for (int64_t t = 0; t < n; t++) {
        y[t] -= mean;
        *largest = fmax(*largest, fabs(y[t]));
    }
    return mean;
}

volt_status volt_seasonal_ar_forecast(const double *y, int64_t n, int64_t season, int64_t h, double *mean)
{
    VOLT_TRY(volt_check_forecast(y, n, VOLT_SEASONAL_AR_ROWS, season, h, mean));
    double *path = volt_alloc_doubles(n + h, 1), largest;
    if (!path)
        return VOLT_ERR_MEMORY;
    int exponent = volt_scale_to_unit(y, n, 1, path);
    double level = remove_mean(path, n, &largest);
    int64_t phases = volt_season_phases(season, n);
    int64_t order = volt_max(1, volt_min(MAX_ORDER, n / ROWS_PER_COLUMN - 1 - phases));
    bool can_season = season > 2 && phases > 0;
    seasonal_ar fit = {.y = path, .n = n, .season = season, .phases = phases};
    fit.first = can_season ? volt_max(order, season + 1) : order;
    seasonal_ar other = fit;
    regress(&fit, order, false);
    if (can_season) {
        regress(&other, order, true);
        fit = other.aicc < fit.aicc ? other : fit;
    }
    solve(&fit);
    forecast(&fit, h, 10 * largest, path);
    for (int64_t t = n; t < n + h; t++)
        path[t] += level;
    volt_status status = volt_finish_path("autoregression", path + n, h, exponent, mean);
    volt_free(path);
    return status;
}
