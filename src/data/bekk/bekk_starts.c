/* src/data/bekk/bekk_starts.c: starting points of the BEKK estimator: variance targeting.
 *
 * The stationary covariance of the returns is (C C')_ij / (1 - a_i a_j - b_i b_j). Setting it to the sample
 * covariance S determines C from a and b, which leaves 2 d parameters to choose. */
#include "data/bekk/bekk_likelihood.h"

#include "base/error.h"

#include <math.h>

/* ---- variance targeting ----------------------------------------------------------------------- */

static int target(const volt_bekk_likelihood *likelihood, const double *a, const double *b, double *C)
{
    int64_t d = likelihood->d;
    double *packed = likelihood->intercept; /* free between evaluations */
    for (int64_t i = 0, e = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++, e++)
            packed[e] = likelihood->first[e] * (1 - a[i] * a[j] - b[i] * b[j]);
    return volt_bekk_upper_factor(d, packed, C);
}

/* Moves the values towards their mean; the disc is convex, so they stay inside. */
static void shrink(double *values, int64_t count)
{
    double mean = 0;
    for (int64_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        values[i] = mean + 0.8 * (values[i] - mean);
}

int volt_bekk_target_variance(const volt_bekk_likelihood *likelihood, double *a, double *b, double *C)
{
    enum { MAX_STEPS = 200 }; /* 0.8^200 is below rounding */
    for (int step = 0; step < MAX_STEPS; step++) {
        if (target(likelihood, a, b, C))
            return 1;
        shrink(a, likelihood->d);
        shrink(b, likelihood->d);
    }
    return 0;
}

/* ---- starts ----------------------------------------------------------------------------------- */

volt_status volt_bekk_start_common(volt_bekk_likelihood *likelihood, double *a, double *b, double *C)
{
    static const double values[][2] = {{0.2, 0.97}, {0.15, 0.98}, {0.25, 0.95}, {0.3, 0.93},
                                       {0.3, 0.85}, {0.4, 0.85},  {0.2, 0.9},   {0.3, 0.5}};
    enum { N_VALUES = sizeof values / sizeof values[0] };
    int64_t d = likelihood->d;
    double best = -INFINITY;
    int chosen = -1;
    for (int k = 0; k <= N_VALUES; k++) {
        int which = k < N_VALUES ? k : chosen; /* the last iteration: the best again */
        if (which < 0)
            break;
        for (int64_t i = 0; i < d; i++) {
            a[i] = values[which][0];
            b[i] = values[which][1];
        }
        double loglik = 0;
        if (!target(likelihood, a, b, C) ||
            volt_bekk_likelihood_evaluate(likelihood, C, a, b, &loglik, NULL) >= 0)
            continue;
        if (k < N_VALUES && loglik > best) {
            best = loglik;
            chosen = which;
        }
    }
    VOLT_REQUIRE(chosen >= 0, VOLT_ERR_DATA,
                 "the covariance of the returns is singular: some columns depend on the others");
    return VOLT_OK;
}

volt_status volt_bekk_start_alone(volt_view returns, volt_stage *stage, double *a, double *b,
                                  int64_t *evaluations)
{
    enum { ROUNDS = 20 };
    const double enough = 1e-3; /* a start need not be more accurate */
    for (int64_t i = 0; i < returns.cols && volt_stage_should_continue(stage); i++) {
        volt_view column = {returns.data + i, returns.rows, 1, returns.ld};
        volt_bekk_likelihood alone;
        volt_bekk_ascent ascent = {0};
        double point[3] = {0, 0, 0}; /* C, a, b */
        VOLT_TRY(volt_bekk_likelihood_create(column, NULL, &alone));
        volt_stage asset; /* Does not advance the outer stage, but checks for cancellation. */
        double from = stage->from + stage->share * (double)i / (double)returns.cols;
        volt_stage_begin(&asset, stage->progress, stage->name, from, 0, 1);
        volt_status status = volt_bekk_start_common(&alone, point + 1, point + 2, point);
        if (status == VOLT_OK)
            status = volt_bekk_climb(&alone, ROUNDS, enough, &asset, point, &ascent);
        volt_bekk_likelihood_free(&alone);
        VOLT_TRY(status);
        a[i] = fabs(point[1]);
        b[i] = fabs(point[2]);
        *evaluations += ascent.evaluations;
        volt_stage_advance(stage, 1);
    }
    return volt_stage_end(stage);
}

void volt_bekk_perturb(int64_t d, volt_rng *rng, double *a, double *b)
{
    for (int64_t i = 0; i < d; i++) {
        double stretch = 1 / sqrt(1 - a[i] * a[i] - b[i] * b[i]);
        double u = a[i] * stretch * exp(0.5 * volt_rng_normal(rng));
        double v = b[i] * stretch * exp(0.5 * volt_rng_normal(rng));
        double length = sqrt(1 + u * u + v * v);
        a[i] = u / length;
        b[i] = v / length;
    }
}
