/* src/solve/landmark/solver_nystrom.c: Nystrom approximation: ridge regression on features of landmarks.
 *
 * The operator has landmarks (landmark_operator.h), with states B = K_nm L^{-T} and K approximated by B B'.
 * Normal equations in B are as accurate as a QR factorisation of B; normal equations in K_nm are not
 * (docs/math.md, "Large n"). The cost is n m^2 operations for B and as many for B'B, and memory of m^2
 * numbers and a block of rows. */
#include "backend/backend.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/landmark/feature_fit.h"
#include "solve/landmark/landmark_operator.h"

#include <math.h>
#include <string.h>

/* ---- fits on the first landmarks of a nested set, from one pass over the rows ------------------------ */

/* With L the factor of K_MM, the features B = K_nM L^{-T} of the first m landmarks are the first m columns, because L is
 * lower triangular. The sums of m landmarks are leading blocks of the sums of M. What the first m leave over,
 *
 *     B B' - B_m B_m' = B_r B_r',
 *
 * has the largest eigenvalue of B_r' B_r, the trailing block of the sums. Divided by alpha and plus 1 it bounds the condition
 * number of the system preconditioned with m landmarks. */

enum { POWER_STEPS = 20 };

/* The sums of the first states, in the memory of the others. */
static void take_leading(const volt_state_sums *all, volt_state_sums *first)
{
    size_t m = (size_t)first->states, q = (size_t)first->columns;
    first->counted = all->counted;
    memcpy(first->about, all->about, m * sizeof(double));
    memcpy(first->total, all->total, m * sizeof(double));
    memcpy(first->H, all->H, m * q * sizeof(double));
    memcpy(first->y, all->y, q * sizeof(double));
    for (size_t a = 0; a < m && !all->backend; a++)
        memcpy(first->G + a * m, all->G + a * (size_t)all->states, (a + 1) * sizeof(double));
    if (!all->backend)
        return;
    volt_view block = {all->G, first->states, first->states, all->states};
    memset(first->thin, 0, m * sizeof(double));
    all->backend->gather(block, first->all_columns, first->thin,
                         volt_matrix_of(first->G, first->states, first->states));
    first->has_rows = all->has_rows;
}

/* Sums of the first m states; those of all states are not copied. Release them if they differ from `all`. */
static volt_status make_leading(volt_state_sums *all, int64_t m, volt_state_sums **first)
{
    *first = all;
    if (m == all->states)
        return VOLT_OK;
    *first = NULL;
    VOLT_TRY(all->backend ? volt_state_sums_create_at(all->backend, m, all->columns, first)
                          : volt_state_sums_create(m, all->columns, first));
    take_leading(all, *first);
    return all->backend ? volt_backend_state(all->backend) : VOLT_OK;
}

/* Sum of the mean squared errors of the outputs, with the first m landmarks. */
static volt_status error_of_first(const volt_feature_fit *fit, int64_t m, double *mse)
{
    const volt_held_out *held = fit->task->choice ? &fit->task->choice->held : fit->task->held_out;
    volt_feature_fit first = *fit;
    double *memory = volt_alloc_doubles(held->rows, fit->columns + fit->q);
    first.early = NULL;
    volt_status status = memory ? make_leading(fit->early, m, &first.early) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_matrix workspace = volt_matrix_of(memory, held->rows, fit->columns),
                    e = volt_matrix_of(memory + held->rows * fit->columns, held->rows, fit->q);
        first.states = m;
        status = volt_feature_chosen_errors(&first, workspace, e);
        *mse = 0;
        for (int64_t i = 0; status == VOLT_OK && i < held->rows * fit->q; i++)
            *mse += e.data[i] * e.data[i] / (double)held->counted;
    }
    if (first.early != fit->early)
        volt_state_sums_free(first.early);
    volt_free(memory);
    return status;
}

/* The largest eigenvalue of the trailing block of G from state m on, by power iteration; a lower bound. */
static volt_status largest_of_rest(const volt_state_sums *sums, int64_t m, double *largest)
{
    int64_t rest = sums->states - m;
    double *memory = volt_alloc_doubles(sums->backend ? rest + 2 : 2, rest);
    if (!memory)
        return VOLT_ERR_MEMORY;
    double *v = memory, *w = memory + rest;
    volt_view block = {sums->G + m * sums->states + m, rest, rest, sums->states};
    if (sums->backend) {
        sums->backend->get(block, volt_matrix_of(w + rest, rest, rest));
        block = volt_view_of(w + rest, rest, rest);
    }
    for (int64_t i = 0; i < rest; i++)
        v[i] = 1 / sqrt((double)rest);
    for (int step = 0; step < POWER_STEPS; step++) {
        cblas_dsymv(CblasRowMajor, CblasLower, (volt_blas_int)rest, 1, block.data, (volt_blas_int)block.ld, v,
                    1, 0, w, 1);
        *largest = cblas_dnrm2((volt_blas_int)rest, w, 1);
        if (!(*largest > 0))
            break;
        for (int64_t i = 0; i < rest; i++)
            v[i] = w[i] / *largest;
    }
    volt_free(memory);
    return VOLT_OK;
}

/* The least alpha of an output that uses the kernel; infinite: none. */
static double least_alpha(const volt_feature_fit *fit)
{
    double least = INFINITY;
    for (int64_t k = 0; k < fit->q; k++)
        least = fmin(least, volt_feature_chosen(fit->task, k).alpha);
    return least;
}

static volt_status find_levels(volt_feature_fit *fit, volt_landmark_levels *levels)
{
    double alpha = least_alpha(fit);
    for (int64_t i = 0; i < levels->count; i++) {
        double largest = 0;
        levels->mse[i] = NAN;
        if (fit->early)
            VOLT_TRY(error_of_first(fit, levels->m[i], &levels->mse[i]));
        if (levels->m[i] < fit->states && levels->conditions)
            VOLT_TRY(largest_of_rest(fit->sums, levels->m[i], &largest));
        levels->condition[i] = 1 + largest / alpha;
    }
    return VOLT_OK;
}

/* The results of `levels`, from one pass over the rows with all landmarks (solver_nystrom.c). */
static volt_status feature_fit_levels(const volt_solver_task *task, volt_view targets,
                                      volt_landmark_levels *levels)
{
    volt_feature_fit fit = volt_feature_fit_of(task, volt_feature_held_out(task, targets.rows), targets);
    volt_feature_shares share = volt_feature_fit_shares(&fit);
    double all = share.states + share.choose + share.solve;
    volt_status status =
        volt_feature_fit_sum(&fit, volt_feature_predict_held_out, share.states / all, share.choose / all);
    if (status == VOLT_OK)
        status = find_levels(&fit, levels);
    volt_feature_fit_release(&fit);
    return status;
}

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

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    VOLT_REQUIRE(task->kernel->n_states > 0, VOLT_ERR_ARGUMENT, "the solver \"nystrom\" requires landmarks");
    readout->log_likelihood = NAN;
    if (task->levels)
        return feature_fit_levels(task, volt_as_view(readout->A), task->levels);
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
