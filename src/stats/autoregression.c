/* src/stats/autoregression.c: y[r] regressed on y[r - l] for a few lags l >= lag, with a constant and a small
 * ridge.
 *
 * Over the m training pairs, with z the p standardised regressors (standard deviations with divisor m),
 * C = Z'Z/m their correlations and a the ridge,
 *
 *     forecast = mean(y) + z' w,      w = (C + a I)^-1 Z'(y - mean(y))/m.
 *
 * Leave-one-out errors need no second fit: e_i / (1 - h_i), h_i = (1 + z_i' (C + a I)^-1 z_i)/m. */
#include "stats/stats_internal.h"

#include "base/alpha_grid.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

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

void volt_autoregression(const double *y, int64_t lag, int64_t season, int64_t learn_end, int64_t begin,
                         int64_t count, double *forecasts)
{
    if (learn_end > 0)
        forecast_once(y, lag, season, learn_end, begin, count, forecasts);
    else
        forecast_as_it_comes(y, lag, season, begin, count, forecasts);
}
