/* src/solve/landmark/solver_nystrom.c: Nystrom approximation: ridge regression on features of landmarks.
 *
 * The operator has landmarks (landmark_operator.h), with states B = K_nm L^{-T} and K approximated by B B'.
 * Normal equations in B are as accurate as a QR factorisation of B; normal equations in K_nm are not
 * (docs/math.md, "Large n"). The cost is n m^2 operations for B and as many for B'B, and memory of m^2
 * numbers and a block of rows. */
#include "base/error.h"
#include "base/numbers.h"
#include "solve/landmark/feature_fit.h"
#include "solve/landmark/landmark_operator.h"

#include <math.h>

enum {
    RUN_COLUMNS = 8
}; /* maximum number of columns of a run per landmark, except for kernels with a long memory */

static double bytes(double n, double q, double landmarks)
{
    return volt_feature_fit_bytes(n, q, landmarks) + volt_state_sums_bytes(landmarks, 2 * q) +
           volt_landmark_bytes(landmarks, RUN_COLUMNS * landmarks) + 8 * 8 * fmin(n, VOLT_MAX_HELD_OUT) * q;
}

static bool takes(int64_t n, int64_t q, int64_t landmarks, double available)
{
    return landmarks > 0 && landmarks <= n &&
           (available == 0 || bytes((double)n, (double)q, (double)landmarks) <= available);
}

/* TRSM and SYRK of n rows, and factorisations of m. */
static volt_status seconds(double n, double landmarks, double *value)
{
    VOLT_TRY(volt_solver_features.seconds(n, landmarks, value));
    *value *= 2;
    return VOLT_OK;
}

static int64_t default_landmarks(int64_t rows)
{
    enum { USUAL = 2000 };
    return volt_min(rows, USUAL);
}

/* Relative increase of the RMSE over the exact fit (docs/math.md, "Large n"): the maximum over 20,000 rows
 * of a noisy and of a smooth system, and the value for a system with almost no noise. Nothing was measured
 * below the last number. */
static void expect_errors(int64_t n, int64_t landmarks, double *usual, double *noise_free)
{
    static const double measured[][3] = {
        {4000, 0.04, 0.17}, {2000, 0.09, 0.32}, {1000, 0.19, 0.44}, {500, 0.47, 0.79}};
    *usual = *noise_free = landmarks >= n ? 0 : NAN;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (isnan(*usual) && (double)landmarks >= measured[i][0]) {
            *usual = measured[i][1];
            *noise_free = measured[i][2];
        }
}

/* ---- the whole -------------------------------------------------------------------------------- */

volt_status volt_nystrom_sum(const volt_solver_task *task, volt_view targets, int64_t kept_first,
                             volt_matrix kept, double share, double of_choice, volt_feature_fit *fit)
{
    *fit = volt_feature_fit_of(task, volt_feature_held_out(task, targets.rows), targets);
    fit->kept = kept;
    fit->kept_first = kept_first;
    return volt_feature_fit_sum(fit, volt_feature_predict_held_out, share, of_choice);
}

static volt_status solve(const volt_solver_task *task, void *workspace, volt_readout *readout)
{
    (void)workspace;
    VOLT_REQUIRE(task->kernel->n_states > 0, VOLT_ERR_ARGUMENT, "the solver \"nystrom\" requires landmarks");
    readout->log_likelihood = NAN;
    if (task->levels)
        return volt_feature_fit_levels(task, volt_as_view(readout->A), task->levels);
    return volt_feature_fit_run(task, volt_feature_held_out(task, readout->A.rows),
                                volt_feature_predict_held_out, readout);
}

const volt_solver volt_solver_nystrom = {
    .info = {.name = "nystrom",
             .meaning = "approximate: a readout of landmarks, from sums over all rows",
             .searches = 1},
    .accuracy = VOLT_ACCURACY_APPROXIMATE,
    .needs = {.landmarks = true},
    .accepts = {.device = true},
    .offers = {.leverages = true},
    .landmarks = default_landmarks,
    .errors = expect_errors,
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
