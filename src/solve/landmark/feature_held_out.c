/* src/solve/landmark/feature_held_out.c: alpha and errors of held-out rows for a readout of features.
 *
 * The sums over the rows before the first held-out row are stored during the pass (feature_fit.h). Every
 * candidate is fitted on these sums and predicts all held-out rows. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/landmark/feature_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The held-out rows; none if fewer than two targets are known before them. */
static void find_held_out(const volt_solver_task *task, int64_t rows, volt_held_out *held)
{
    volt_held_out_rows(held, rows, task->without);
    int64_t known = 0;
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
    return (volt_view){fit->last + skipped * fit->ld_last, held->rows, fit->states, fit->ld_last};
}

/* Errors of all columns with the last solved system of the early rows. */
static void early_errors(const volt_feature_fit *fit, volt_matrix e)
{
    volt_view F = held_features(fit);
    int64_t begin = held_of(fit)->begin;
    volt_product(F, volt_view_of(fit->early->B, F.cols, e.cols), fit->early->c, e);
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t k = 0; k < e.cols; k++) {
            double *at = &e.data[i * e.ld + k];
            *at = volt_feature_has_target(fit, begin + i) ? volt_feature_target(fit, begin + i, k) - *at : 0;
        }
}

static volt_status solve_early(volt_feature_fit *fit, double alpha, bool constant, volt_matrix e)
{
    fit->early->stage = fit->choosing;
    volt_status status = volt_state_sums_solve(fit->early, alpha, constant, NULL);
    fit->early->stage = NULL;
    VOLT_TRY(status);
    early_errors(fit, e);
    return VOLT_OK;
}

/* All held-out rows are predicted from one fit, because one fit per row is too expensive. */
static volt_status candidate_errors(void *context, double alpha, bool constant, volt_held_out_errors kind,
                                    volt_matrix e)
{
    volt_feature_fit *fit = context;
    (void)kind;
    return solve_early(fit, alpha, constant, e);
}

/* Mean and largest |b_t|^2 of the last rows: the diagonal of K as approximated by the landmarks. */
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

static volt_status choose(volt_feature_fit *fit, double from, double share)
{
    double mean, largest;
    measure_diagonal(fit, &mean, &largest);
    VOLT_REQUIRE(isfinite(mean), VOLT_ERR_NOT_FINITE, "the kernel of the rows is too large for a double");
    volt_choice_source source = {
        .errors = candidate_errors,
        .context = fit,
        .unit = mean,
        .least = 10 * (double)fit->states * DBL_EPSILON * largest,
    };
    volt_stage stage;
    volt_stage_begin(&stage, fit->task->progress, "choose", from, share, VOLT_MAX_ALPHAS);
    fit->choosing = &stage;
    volt_status status =
        volt_choice_pick(&source, fit->first, fit->task->without, fit->task->intercept, fit->task->choice);
    fit->choosing = NULL;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* Errors of output k, as chosen, into e[i * ld]: from a column of kernel errors, or without the kernel. */
static void output_errors(const volt_feature_fit *fit, int64_t k, const volt_chosen *chosen, volt_view learned,
                          double *e, int64_t ld)
{
    int64_t column = chosen->level ? fit->q + k : k, begin = held_of(fit)->begin;
    double mean = chosen->constant ? fit->early->y[column] / fit->early->counted : 0;
    for (int64_t i = 0; i < learned.rows; i++) {
        double y = volt_feature_has_target(fit, begin + i) ? volt_feature_target(fit, begin + i, column) : 0;
        double own = isinf(chosen->alpha) ? y - mean : learned.data[i * learned.ld + column];
        e[i * ld] = chosen->share * own + (1 - chosen->share) * y;
        if (!volt_feature_has_target(fit, begin + i))
            e[i * ld] = 0;
    }
}

volt_status volt_feature_chosen_errors(volt_feature_fit *fit, volt_matrix workspace, volt_matrix e)
{
    double alpha = 0;
    bool constant = false;
    for (int64_t k = 0; k < fit->q; k++) {
        volt_chosen chosen = volt_feature_chosen(fit->task, k);
        if (!isinf(chosen.alpha) && (chosen.alpha != alpha || chosen.constant != constant)) {
            alpha = chosen.alpha;
            constant = chosen.constant;
            VOLT_TRY(solve_early(fit, alpha, constant, workspace));
        }
        output_errors(fit, k, &chosen, volt_as_view(workspace), e.data + k, e.ld);
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

/* Store the errors in a list of row errors; rows that were not held out have none. */
static void put_errors(const volt_feature_fit *fit, volt_view e, volt_row_errors *list)
{
    int64_t begin = held_of(fit)->begin;
    for (int64_t t = list->begin; t < fit->rows; t++) {
        double *to = list->e.data + (t - list->begin) * list->e.ld;
        double *scale = list->scale.data + (t - list->begin) * list->scale.ld;
        bool has_error = e.rows > 0 && t >= begin && volt_feature_has_target(fit, t);
        for (int64_t k = 0; k < fit->q; k++) {
            to[k] = has_error ? e.data[(t - begin) * e.ld + k] : 0;
            scale[k] = has_error ? 1 : 0;
        }
    }
}

volt_status volt_feature_predict_held_out(volt_feature_fit *fit, double from, double share)
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
    volt_matrix workspace = volt_matrix_of(memory, held, fit->columns),
                e = volt_matrix_of(memory + held * fit->columns, held, fit->q);
    volt_status status = held > 0 ? volt_feature_chosen_errors(fit, workspace, e) : VOLT_OK;
    if (status == VOLT_OK && task->held_out && held > 0 && !task->choice)
        take_mean_squares(fit, volt_as_view(e), task->held_out);
    for (int i = 0; status == VOLT_OK && task->errors && i < VOLT_ROW_ERRORS; i++)
        put_errors(fit, volt_as_view(e), &task->errors[i]);
    volt_free(memory);
    return status;
}

int64_t volt_feature_held_out(const volt_solver_task *task, int64_t rows)
{
    volt_held_out *held = task->choice ? &task->choice->held : task->held_out;
    if (!held)
        return 0;
    if (task->choice)
        held->ahead = task->choice->ahead;
    find_held_out(task, rows, held);
    held->blocks = 1;
    return held->rows > 0 ? held->begin - held->ahead + 1 : 0;
}
