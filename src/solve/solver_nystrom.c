/* src/solve/solver_nystrom.c: Nystrom's approximation: ridge regression on what a few landmarks make of the rows.
 *
 * The operator is one of landmarks (landmark_operator.h), whose states B = K_nm L^{-T} stand for K = B B'. Normal equations
 * in B are as good as a QR factorisation of it; normal equations in K_nm are not (docs/math.md, "Large n"). n m^2 operations
 * for B and as many for B'B, m^2 numbers and a block of rows.
 *
 * What only held-out rows can tell is found on the later half of the last rows, which are forecast, all of them, from all
 * rows before: the sums over those are kept on the way. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/feature_fit.h"
#include "solve/landmark_operator.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    RUN_COLUMNS = 8
}; /* columns of a run for each landmark of it, at most, but for kernels with a long memory */

static double bytes(double n, double q, double landmarks)
{
    return volt_feature_fit_bytes(n, q, landmarks) + volt_state_sums_bytes(landmarks, 2 * q) +
           volt_landmark_bytes(landmarks, RUN_COLUMNS * landmarks) + 8 * 8 * fmin(n, VOLT_FEATURE_LAST) * q;
}

static bool takes(int64_t n, int64_t q, int64_t landmarks, double available)
{
    return landmarks > 0 && landmarks <= n &&
           (available == 0 || bytes((double)n, (double)q, (double)landmarks) <= available);
}

/* TRSM and SYRK of n rows, and factors of m. */
static volt_status seconds(double n, double landmarks, double *value)
{
    VOLT_TRY(volt_solver_features.seconds(n, landmarks, value));
    *value *= 2;
    return VOLT_OK;
}

/* ---- rows held out ---------------------------------------------------------------------------- */

/* Which: the later half of the last rows. */
static void find_held_out(const volt_solver_task *task, int64_t rows, volt_held_out *held)
{
    int64_t some = volt_min(rows, 2 * VOLT_FEATURE_LAST), skipped = rows - some;
    volt_held_out_rows(held, some, task->without ? task->without + skipped : NULL);
    held->begin += skipped;
    int64_t known = 0; /* targets before: a fit needs some */
    for (int64_t i = 0; held->rows > 0 && i <= held->begin - held->ahead && known < 2; i++)
        known += !(task->without && task->without[i]);
    if (known < 2)
        held->rows = 0;
}

static volt_held_out *held_of(const volt_feature_fit *fit)
{
    return fit->task->choice ? &fit->task->choice->held : fit->task->held_out;
}

static volt_view held_features(const volt_feature_fit *fit)
{
    const volt_held_out *held = held_of(fit);
    int64_t skipped = held->begin - (fit->rows - fit->n_last);
    return volt_view_of(fit->last + skipped * fit->states, held->rows, fit->states);
}

/* Errors of all columns in the system of the early rows that was solved last. */
static void early_errors(const volt_feature_fit *fit, volt_matrix e)
{
    volt_view F = held_features(fit);
    int64_t begin = held_of(fit)->begin;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)F.rows, (volt_blas_int)e.cols,
                (volt_blas_int)F.cols, 1, F.data, (volt_blas_int)F.ld, fit->early->B, (volt_blas_int)e.cols, 0,
                e.data, (volt_blas_int)e.ld);
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t k = 0; k < e.cols; k++) {
            double *at = &e.data[i * e.ld + k];
            *at = volt_feature_has_target(fit, begin + i)
                      ? volt_feature_target(fit, begin + i, k) - fit->early->c[k] - *at
                      : 0;
        }
}

static volt_status candidate_errors(void *context, double alpha, bool constant, volt_matrix e)
{
    volt_feature_fit *fit = context;
    VOLT_TRY(volt_state_sums_solve(fit->early, alpha, constant, NULL));
    early_errors(fit, e);
    return VOLT_OK;
}

/* Mean and largest |b_t|^2 of the last rows: the diagonal of K as far as the landmarks see it. */
static void measure_diagonal(const volt_feature_fit *fit, double *mean, double *largest)
{
    *mean = *largest = 0;
    for (int64_t i = 0; i < fit->n_last; i++) {
        const double *f = fit->last + i * fit->states;
        double square = cblas_ddot((volt_blas_int)fit->states, f, 1, f, 1);
        *mean += square / (double)fit->n_last;
        *largest = fmax(*largest, square);
    }
}

/* Targets and levels side by side, where there are both. */
static volt_status join_targets(const volt_feature_fit *fit, volt_matrix *joined)
{
    *joined = volt_matrix_of(volt_alloc_doubles(fit->rows, fit->columns), fit->rows, fit->columns);
    if (!joined->data)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < fit->rows; i++)
        for (int64_t k = 0; k < fit->columns; k++)
            joined->data[i * joined->ld + k] = volt_feature_target(fit, i, k);
    return VOLT_OK;
}

static volt_status choose(volt_feature_fit *fit, double from, double share)
{
    double mean, largest;
    volt_matrix joined = {0};
    measure_diagonal(fit, &mean, &largest);
    VOLT_REQUIRE(isfinite(mean), VOLT_ERR_NOT_FINITE, "the kernel of the rows is too large for a double");
    volt_choice_source source = {
        .errors = candidate_errors,
        .context = fit,
        .mean = mean,
        .least = 10 * (double)fit->states * DBL_EPSILON * largest,
    };
    if (fit->columns > fit->q)
        VOLT_TRY(join_targets(fit, &joined));
    volt_status status =
        volt_choice_pick(&source, joined.data ? volt_as_view(joined) : fit->first, fit->task->without,
                         fit->task->intercept, fit->task->choice, fit->task->progress, from, share);
    volt_free(joined.data);
    return status;
}

/* Errors of output k, as chosen, into e[i * ld]: of a column of errors that the kernel made, or of none. */
static void output_errors(const volt_feature_fit *fit, int64_t k, const volt_chosen *chosen, volt_view learned,
                          double *e, int64_t ld)
{
    int64_t column = chosen->level ? fit->q + k : k, begin = held_of(fit)->begin;
    bool is_constant = !(chosen->share > 0) || isinf(chosen->alpha);
    double mean = chosen->share > 0 && chosen->constant ? fit->early->y[column] / fit->early->counted : 0;
    for (int64_t i = 0; i < learned.rows; i++) {
        double y = volt_feature_has_target(fit, begin + i) ? volt_feature_target(fit, begin + i, column) : 0;
        double own = is_constant ? y - mean : learned.data[i * learned.ld + column];
        e[i * ld] = chosen->share > 0 ? chosen->share * own + (1 - chosen->share) * y : y;
        if (!volt_feature_has_target(fit, begin + i))
            e[i * ld] = 0;
    }
}

/* Of every output, as chosen: e is held x q. `room` is held x columns. */
static volt_status chosen_errors(volt_feature_fit *fit, volt_matrix room, volt_matrix e)
{
    double alpha = 0;
    bool constant = false;
    for (int64_t k = 0; k < fit->q; k++) {
        volt_chosen chosen = volt_feature_chosen(fit->task, k);
        bool learns = chosen.share > 0 && !isinf(chosen.alpha);
        if (learns && (chosen.alpha != alpha || chosen.constant != constant)) {
            alpha = chosen.alpha;
            constant = chosen.constant;
            VOLT_TRY(candidate_errors(fit, alpha, constant, room));
        }
        output_errors(fit, k, &chosen, volt_as_view(room), e.data + k, e.ld);
    }
    return VOLT_OK;
}

static void take_mean_squares(const volt_feature_fit *fit, volt_view e, volt_held_out *held)
{
    for (int64_t k = 0; k < fit->q; k++) {
        held->mse[k] = 0;
        for (int64_t i = 0; i < e.rows; i++)
            held->mse[k] += e.data[i * e.ld + k] * e.data[i * e.ld + k] / (double)held->counted;
    }
}

/* Into a list of errors of rows, of which those that were not held out have none. */
static void put_errors(const volt_feature_fit *fit, volt_view e, volt_row_errors *list)
{
    int64_t begin = held_of(fit)->begin;
    for (int64_t t = list->begin; t < fit->rows; t++) {
        double *to = list->e.data + (t - list->begin) * list->e.ld;
        double *scale = list->scale.data + (t - list->begin) * list->scale.ld;
        bool there = e.rows > 0 && t >= begin && volt_feature_has_target(fit, t);
        for (int64_t k = 0; k < fit->q; k++) {
            to[k] = there ? e.data[(t - begin) * e.ld + k] : 0;
            scale[k] = there ? 1 : 0;
        }
    }
}

static volt_status hold_out(volt_feature_fit *fit, double from, double share)
{
    const volt_solver_task *task = fit->task;
    if (task->choice)
        VOLT_TRY(choose(fit, from, share));
    if (!held_of(fit))
        return VOLT_OK;
    int64_t held = held_of(fit)->rows;
    double *memory = volt_alloc_doubles(held, fit->columns + fit->q);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_matrix room = volt_matrix_of(memory, held, fit->columns),
                e = volt_matrix_of(memory + held * fit->columns, held, fit->q);
    volt_status status = held > 0 ? chosen_errors(fit, room, e) : VOLT_OK;
    if (status == VOLT_OK && task->held_out && held > 0 && !task->choice)
        take_mean_squares(fit, volt_as_view(e), task->held_out);
    for (int i = 0; status == VOLT_OK && task->errors && i < VOLT_ROW_ERRORS; i++)
        put_errors(fit, volt_as_view(e), &task->errors[i]);
    volt_free(memory);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* The rows held out, where some are wanted; returns how many rows come before them, 0: none are. */
static int64_t begin_held_out(const volt_solver_task *task, int64_t rows)
{
    volt_held_out *held = task->choice ? &task->choice->held : task->held_out;
    if (!held)
        return 0;
    if (task->choice)
        held->ahead = task->choice->ahead;
    find_held_out(task, rows, held);
    return held->rows > 0 ? held->begin - held->ahead + 1 : 0;
}

volt_status volt_nystrom_sum(const volt_solver_task *task, volt_view targets, int64_t kept_first,
                             volt_matrix kept, double share, double of_choice, volt_feature_fit *fit)
{
    *fit = volt_feature_fit_of(task, begin_held_out(task, targets.rows), targets);
    fit->kept = kept;
    fit->kept_first = kept_first;
    return volt_feature_fit_sum(fit, hold_out, share, of_choice);
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    VOLT_REQUIRE(task->kernel->n_states > 0, VOLT_ERR_ARGUMENT, "the solver \"nystrom\" needs landmarks");
    readout->log_likelihood = NAN;
    return volt_feature_fit_run(task, begin_held_out(task, readout->A.rows), hold_out, readout);
}

const volt_solver volt_solver_nystrom = {
    .name = "nystrom",
    .meaning = "approximate: a readout of a few landmarks, from sums over all rows",
    .on_states = true,
    .on_landmarks = true,
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
