/* src/solve/landmark/feature_fit.c: a readout of features, in two passes over the rows.
 *
 * The first pass computes the sums from which the readout B follows (state_sums.h), the second A = (Y - F B
 * - 1 c) / alpha. Rows are processed in blocks that are not stored. */
#include "solve/landmark/feature_fit.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"

#include <float.h>
#include <math.h>
#include <string.h>

static inline bool volt_feature_has_target(const volt_feature_fit *fit, int64_t i)
{
    return !(fit->task->without && fit->task->without[i]);
}

/* Row i of column k of the targets. */
static inline double volt_feature_target(const volt_feature_fit *fit, int64_t i, int64_t k)
{
    return k < fit->q ? fit->first.data[i * fit->first.ld + k]
                      : fit->level.data[i * fit->level.ld + k - fit->q];
}

enum {
    BLOCK = 512,    /* rows per block */
    SOLVE_UNITS = 3 /* of a system in progress: its factor, and the leverages with the effective dimension */
};

double volt_feature_fit_bytes(double n, double q, double states)
{
    double last = fmin(n, VOLT_MAX_HELD_OUT);
    return volt_state_sums_bytes(states, 2 * q) +
           8 * ((BLOCK + last) * states + (states + BLOCK) * 4 * q + last + 2 * n * q);
}

/* Number of rows predicted at a time. */
static int64_t rows_at_once(const volt_operator *op)
{
    return op->combine ? volt_max(BLOCK, op->block_rows) : BLOCK;
}

/* ---- operations ------------------------------------------------------------------------------- */

/* The product f f' of a row, in entries of K. */
static double product_units(const volt_feature_fit *s)
{
    return (double)s->states * (double)s->states / s->task->kernel->entry_cost;
}

/* Entries of K per row of features or of their product with a readout. */
static double row_entries(const volt_feature_fit *s)
{
    const volt_operator *op = s->task->kernel;
    return op->row_units > 0 ? op->row_units : (double)s->states;
}

/* A row of the first pass: its features, of landmarks by a triangular solve, and their sums. */
static double units_of_row(const volt_feature_fit *s)
{
    return row_entries(s) + (s->task->kernel->row_units > 0 ? 2 : 1) * product_units(s);
}

/* Systems that the choice of alpha solves. */
static double expected_systems(const volt_feature_fit *s)
{
    return s->task->choice ? VOLT_MAX_ALPHAS : s->task->held_out ? 1 : 0;
}

volt_feature_shares volt_feature_fit_shares(const volt_feature_fit *s)
{
    double system = product_units(s) * (double)s->states / 3, rows = (double)s->task->kernel->n;
    double states = rows * units_of_row(s), choose = expected_systems(s) * system,
           solve = 3 * system + (s->task->loo_errors ? (double)s->n_last * product_units(s) : 0),
           readout = rows * (row_entries(s) + (double)(s->states * s->q) / s->task->kernel->entry_cost),
           all = states + choose + solve + readout;
    return (volt_feature_shares){states / all, choose / all, solve / all, readout / all};
}

/* ---- sums over the rows ----------------------------------------------------------------------- */

/* Copy the targets of rows first .. first + count - 1, both kinds. */
static void take_targets(const volt_feature_fit *s, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double *to = s->targets + i * s->columns;
        memcpy(to, s->first.data + (first + i) * s->first.ld, (size_t)s->q * sizeof *to);
        if (s->columns > s->q)
            memcpy(to + s->q, s->level.data + (first + i) * s->level.ld, (size_t)s->q * sizeof *to);
    }
}

/* Keep the features of a block that are needed later: those of the last rows, and `kept`. */
static void keep_block(const volt_feature_fit *s, int64_t first, int64_t count)
{
    int64_t before =
        volt_max(s->rows - s->n_last - first, 0); /* rows of the block that are not among the last */
    if (before < count)
        memcpy(s->last + (first + before - (s->rows - s->n_last)) * s->states, s->block + before * s->states,
               (size_t)((count - before) * s->states) * sizeof(double));
    int64_t kept_end = s->kept_first + s->kept.rows;
    for (int64_t t = volt_max(first, s->kept_first); s->kept.data && t < volt_min(first + count, kept_end); t++)
        memcpy(s->kept.data + (t - s->kept_first) * s->kept.ld, s->block + (t - first) * s->states,
               (size_t)s->states * sizeof(double));
}

/* Add a block of rows to the sums. */
static void add_block(volt_feature_fit *s, int64_t first, int64_t count)
{
    take_targets(s, first, count);
    volt_state_sums_add(s->sums, volt_view_of(s->block, count, s->states),
                        volt_view_of(s->targets, count, s->columns),
                        s->task->without ? s->task->without + first : NULL);
}

/* Add rows first .. end - 1 on the device that holds their features. */
static volt_status add_on_device(volt_feature_fit *s, int64_t first, int64_t end, volt_stage *stage)
{
    volt_operator *op = s->task->kernel;
    int64_t count = end - first;
    double *both = s->columns > s->q ? volt_alloc_doubles(count, s->columns) : NULL;
    if (s->columns > s->q && !both)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; both && i < count; i++)
        for (int64_t k = 0; k < s->columns; k++)
            both[i * s->columns + k] = volt_feature_target(s, first + i, k);
    volt_view Y = both ? volt_view_of(both, count, s->columns) : volt_view_rows(s->first, first, count);
    volt_status status = op->add(op, s->task->washout + first, Y,
                                 s->task->without ? s->task->without + first : NULL, s->sums, stage);
    volt_free(both);
    return status;
}

/* Report rows that were added. */
static void count_rows(volt_feature_fit *s, int64_t count, volt_stage *stage)
{
    s->added += (double)count;
    volt_stage_reach(stage, s->added * units_of_row(s));
}

/* Add rows begin .. end - 1. Washout rows are skipped. If the operator keeps features on a device, only those of
 * the last rows, and those in `kept`, are copied to the host: the last rows directly to their place. */
static volt_status add_rows(volt_feature_fit *s, int64_t begin, int64_t end, volt_stage *stage)
{
    volt_operator *op = s->task->kernel;
    bool on_device = op->add && !s->kept.data;
    int64_t last = s->rows - s->n_last, device_end = on_device ? volt_min(end, last) : begin;
    if (device_end > begin) {
        VOLT_TRY(add_on_device(s, begin, device_end, stage));
        count_rows(s, device_end - begin, stage);
    }
    for (int64_t first = volt_max(begin, device_end), count = 0;
         first < end && volt_stage_should_continue(stage); first += count) {
        count = volt_min(on_device ? rows_at_once(op) : BLOCK, end - first);
        double *F = on_device ? s->last + (first - last) * s->states : s->block;
        VOLT_TRY(op->states(op, s->task->washout + first, volt_matrix_of(F, count, s->states), stage));
        if (!volt_stage_should_continue(stage))
            break;
        if (!on_device)
            keep_block(s, first, count);
        if (op->add)
            VOLT_TRY(add_on_device(s, first, first + count, stage));
        else
            add_block(s, first, count);
        count_rows(s, count, stage);
    }
    return VOLT_OK;
}

void volt_feature_band(const volt_bands *bands, int64_t rows, int64_t *first, int64_t *last)
{
    volt_bands_rows(bands, 0, rows, BLOCK, first, last);
}

/* The processes of a job share the rows before the last ones. Every process computes the last rows, whose
 * features are stored. If each process stores the features of a band, it computes that band. */
static volt_status add_bands(volt_feature_fit *s, volt_stage *stage)
{
    const volt_bands *bands = volt_bands_current();
    int64_t early = s->early ? s->n_early : s->rows, first, last;
    int64_t shared = bands->parts > 1 ? volt_min(early, s->rows - s->n_last) : 0;
    if (s->kept.data || s->task->kernel->fold)
        volt_feature_band(bands, s->rows, &first, &last);
    else
        volt_bands_rows(bands, 0, shared, BLOCK, &first, &last);
    VOLT_TRY(add_rows(s, first, volt_min(last, shared), stage));
    if (volt_stage_should_continue(stage) && shared > 0)
        VOLT_TRY(volt_state_sums_join(s->sums, bands));
    VOLT_TRY(add_rows(s, shared, early, stage));
    if (s->early)
        volt_state_sums_copy(s->sums, s->early);
    return add_rows(s, early, s->rows, stage);
}

static volt_status add_all(volt_feature_fit *s, double share)
{
    volt_stage stage;
    volt_stage_begin(&stage, s->task->progress, "states", 0, share,
                     (double)s->task->kernel->n * units_of_row(s));
    s->sums->stage = &stage;
    s->sums->row_units = product_units(s);
    volt_status status = add_bands(s, &stage);
    s->sums->stage = NULL;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- the chosen readout ----------------------------------------------------------------------- */

volt_chosen volt_feature_chosen(const volt_solver_task *task, int64_t k)
{
    if (task->choice)
        return task->choice->outputs[k];
    return (volt_chosen){.constant = task->intercept, .alpha = task->alpha, .share = 1};
}

/* Output k from the last solved system. */
static void take_output(const volt_feature_fit *s, int64_t k, const volt_chosen *chosen, volt_readout *readout)
{
    int64_t column = chosen->level ? s->q + k : k;
    for (int64_t i = 0; i < s->states; i++)
        readout->states.data[i * readout->states.ld + k] = chosen->share * s->sums->B[i * s->columns + column];
    readout->intercepts[k] = chosen->share * s->sums->c[column];
}

/* If the kernel is not used: 0, or the mean of the targets. */
static void take_constant(const volt_feature_fit *s, int64_t k, const volt_chosen *chosen,
                          volt_readout *readout)
{
    for (int64_t i = 0; i < s->states; i++)
        readout->states.data[i * readout->states.ld + k] = 0;
    bool mean = chosen->constant && s->sums->counted > 0;
    readout->intercepts[k] = mean ? s->sums->y[chosen->level ? s->q + k : k] / s->sums->counted : 0;
}

/* Leverages of the last rows, and the sum of all. Overwrites the factor. */
static volt_status take_leverages(volt_feature_fit *s, double alpha, bool constant)
{
    for (int64_t first = 0, count = 0; first < s->n_last; first += count) {
        count = volt_min(BLOCK, s->n_last - first);
        memcpy(s->block, s->last + first * s->states, (size_t)(count * s->states) * sizeof(double));
        volt_state_sums_leverages(s->sums, volt_view_of(s->sums->S, s->states, s->states), constant,
                                  volt_matrix_of(s->block, count, s->states), s->leverage + first);
    }
    s->freedom = volt_state_sums_freedom(s->sums, alpha, constant);
    return s->sums->backend ? volt_backend_state(s->sums->backend) : VOLT_OK;
}

/* Leave-one-out error: mean square of (y - prediction) / (1 - h) over the last rows, and the denominator of
 * generalised cross-validation. Undefined for half of a readout. */
static void leave_one_out(volt_feature_fit *s, int64_t k, const volt_chosen *chosen)
{
    int64_t column = chosen->level ? s->q + k : k, counted = 0, skipped = s->rows - s->n_last;
    double sum = 0;
    for (int64_t i = 0; i < s->n_last; i++) {
        if (!volt_feature_has_target(s, skipped + i))
            continue;
        double e = volt_feature_target(s, skipped + i, column) - s->sums->c[column] -
                   cblas_ddot((volt_blas_int)s->states, s->last + i * s->states, 1, s->sums->B + column,
                              (volt_blas_int)s->columns);
        e /= 1 - s->leverage[i];
        sum += e * e;
        counted++;
    }
    double left = s->sums->counted - s->freedom;
    s->task->loo_errors->loo[k] = chosen->share == 1 && counted > 0 ? sum / (double)counted : NAN;
    s->task->loo_errors->gcv[k] = chosen->share == 1 && left > 0 ? s->sums->counted / (left * left) : NAN;
    s->task->loo_errors->rows = counted;
}

/* One system for every alpha required by an output, with and without a constant. */
static volt_status solve_outputs(volt_feature_fit *s, volt_readout *readout)
{
    double alpha = 0, rcond = 1;
    bool constant = false;
    readout->rcond = 1;
    for (int64_t k = 0; k < s->q; k++) {
        volt_chosen chosen = volt_feature_chosen(s->task, k);
        readout->unlearned[k] = 0;
        if (s->task->loo_errors)
            s->task->loo_errors->loo[k] = s->task->loo_errors->gcv[k] = NAN;
        if (readout->dimension)
            readout->dimension[k] = readout->dimension_error[k] = 0;
        if (isinf(chosen.alpha)) {
            take_constant(s, k, &chosen, readout);
            continue;
        }
        if (chosen.alpha != alpha || chosen.constant != constant) {
            alpha = chosen.alpha;
            constant = chosen.constant;
            VOLT_TRY(volt_state_sums_solve(s->sums, alpha, constant, &rcond));
            if (!volt_stage_poll(s->sums->stage))
                return volt_stage_end(s->sums->stage);
            readout->rcond = fmin(readout->rcond, rcond);
            if (s->task->loo_errors)
                VOLT_TRY(take_leverages(s, alpha, constant));
            else if (readout->dimension)
                s->freedom = volt_state_sums_freedom(s->sums, alpha, constant);
            volt_stage_advance(s->sums->stage, SOLVE_UNITS - 1);
        }
        take_output(s, k, &chosen, readout);
        if (s->task->loo_errors)
            leave_one_out(s, k, &chosen);
        if (readout->dimension)
            readout->dimension[k] = s->freedom - (constant ? 1 : 0);
    }
    return VOLT_OK;
}

static volt_status solve_all(volt_feature_fit *s, double from, double share, volt_readout *readout)
{
    volt_stage stage;
    volt_stage_begin(&stage, s->task->progress, "solve", from, share, SOLVE_UNITS * (double)s->q);
    s->sums->stage = &stage;
    volt_status status = solve_outputs(s, readout);
    s->sums->stage = NULL;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- coefficients of the rows ----------------------------------------------------------------- */

/* From a row of fitted values, without the intercept, computes the row (share y - f B - c) / alpha of A. */
static void finish_row(const volt_feature_fit *s, int64_t i, const double *fitted, volt_readout *readout)
{
    for (int64_t k = 0; k < s->q; k++) {
        volt_chosen chosen = volt_feature_chosen(s->task, k);
        double *a = &readout->A.data[i * readout->A.ld + k];
        double y = chosen.level ? s->level.data[i * s->level.ld + k] : *a;
        bool takes_part = !isinf(chosen.alpha) && volt_feature_has_target(s, i);
        double e = takes_part ? chosen.share * y - fitted[k] - readout->intercepts[k] : 0;
        *a = takes_part ? e / chosen.alpha : 0;
        s->squares[k] += e * e;
    }
}

/* F B of rows of the operator. */
static volt_status forecast_block(const volt_feature_fit *s, int64_t first, volt_view B, volt_matrix out,
                                  volt_stage *stage)
{
    volt_operator *op = s->task->kernel;
    if (op->combine)
        return op->combine(op, first, B, out, stage);
    VOLT_TRY(op->states(op, first, volt_matrix_of(s->block, out.rows, s->states), stage));
    if (volt_stage_should_continue(stage))
        volt_product(volt_view_of(s->block, out.rows, s->states), B, NULL, out);
    return VOLT_OK;
}

/* The second pass over all rows, including the washout. */
static volt_status finish_rows(const volt_feature_fit *s, double share, volt_readout *readout)
{
    volt_operator *op = s->task->kernel;
    const volt_bands *bands = volt_bands_current();
    int64_t w = s->task->washout, begin, end;
    volt_stage stage;
    volt_stage_begin(&stage, s->task->progress, "readout", 1 - share, share, (double)op->n * row_entries(s));
    int64_t most = rows_at_once(op);
    volt_feature_band(bands, s->rows, &begin, &end); /* the features of these rows may be stored */
    begin = bands->part == 0 ? 0 : begin + w;
    end += w;
    for (int64_t first = begin; first < end && volt_stage_should_continue(&stage); first += most) {
        int64_t count = volt_min(most, end - first);
        VOLT_TRY(forecast_block(s, first, volt_as_view(readout->states),
                                volt_matrix_of(s->targets, count, s->q), &stage));
        if (!volt_stage_should_continue(&stage))
            break;
        for (int64_t i = 0; i < count; i++) {
            const double *fitted = s->targets + i * s->q;
            if (first + i >= w)
                finish_row(s, first + i - w, fitted, readout);
            else if (readout->washout_fitted.data)
                memcpy(readout->washout_fitted.data + (first + i) * readout->washout_fitted.ld, fitted,
                       (size_t)s->q * sizeof *fitted);
        }
        volt_stage_reach(&stage, (double)(first + count - begin) * row_entries(s));
    }
    if (volt_stage_should_continue(&stage) && bands->parts > 1) {
        volt_bands_gather(bands, w, begin, end, readout->A);
        volt_bands_gather(bands, 0, begin, end, readout->washout_fitted);
        bands->sum(s->squares, s->q);
    }
    return volt_stage_end(&stage);
}

/* ---- the whole -------------------------------------------------------------------------------- */

void volt_feature_fit_release(volt_feature_fit *s)
{
    volt_free(s->block);
    volt_free(s->targets);
    volt_free(s->last);
    volt_free(s->leverage);
    volt_free(s->squares);
    volt_state_sums_free(s->sums);
    volt_state_sums_free(s->early);
}

static volt_status create_sums(const volt_feature_fit *s, volt_state_sums **sums)
{
    const volt_backend *backend = s->task->kernel->sums_backend;
    return backend ? volt_state_sums_create_at(backend, s->states, s->columns, sums)
                   : volt_state_sums_create(s->states, s->columns, sums);
}

static volt_status allocate(volt_feature_fit *s)
{
    s->block = volt_alloc_doubles(BLOCK, s->states);
    s->targets = volt_alloc_doubles(rows_at_once(s->task->kernel), s->columns);
    s->last = volt_alloc_doubles(s->n_last, s->states);
    s->leverage = volt_alloc_doubles(s->n_last, 1);
    s->squares = volt_alloc_zero(s->q, sizeof(double));
    if (!s->block || !s->targets || !s->last || !s->leverage || !s->squares)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(create_sums(s, &s->sums));
    return s->n_early > 0 ? create_sums(s, &s->early) : VOLT_OK;
}

int64_t volt_feature_last(const volt_solver_task *task, int64_t rows)
{
    static const volt_held_out usual = {0};
    const volt_held_out *held = task->choice ? &task->choice->held : task->held_out ? task->held_out : &usual;
    return volt_min(rows, volt_max_held_out(held));
}

volt_feature_fit volt_feature_fit_of(const volt_solver_task *task, int64_t n_early, volt_view targets)
{
    bool levels = task->choice && task->choice->level.data;
    return (volt_feature_fit){.task = task,
                              .rows = targets.rows,
                              .states = task->kernel->n_states,
                              .q = targets.cols,
                              .columns = targets.cols * (levels ? 2 : 1),
                              .n_last = volt_feature_last(task, targets.rows),
                              .ld_last = task->kernel->n_states,
                              .n_early = n_early,
                              .first = targets,
                              .level = levels ? task->choice->level : (volt_view){0}};
}

/* All parts of a job continue with the choice of the first. */
static volt_status share_choice(const volt_feature_fit *s)
{
    enum { NUMBERS = 4 };
    double *numbers = volt_alloc_doubles(s->q, NUMBERS);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < s->q; k++) {
        const volt_chosen *chosen = &s->task->choice->outputs[k];
        const double own[NUMBERS] = {chosen->level, chosen->constant, chosen->alpha, chosen->share};
        memcpy(numbers + k * NUMBERS, own, sizeof own);
    }
    volt_bands_broadcast(volt_bands_current(), numbers, s->q * NUMBERS);
    for (int64_t k = 0; k < s->q; k++) {
        volt_chosen *chosen = &s->task->choice->outputs[k];
        chosen->level = numbers[k * NUMBERS] > 0;
        chosen->constant = numbers[k * NUMBERS + 1] > 0;
        chosen->alpha = numbers[k * NUMBERS + 2];
        chosen->share = numbers[k * NUMBERS + 3];
    }
    volt_free(numbers);
    return VOLT_OK;
}

volt_status volt_feature_fit_sum(volt_feature_fit *s, volt_feature_hold_out hold_out, double share,
                                 double of_choice)
{
    VOLT_TRY(allocate(s));
    VOLT_TRY(add_all(s, share));
    bool holds_out = s->task->choice || s->task->held_out || s->task->errors;
    if (holds_out)
        VOLT_TRY(hold_out(s, share, of_choice));
    return s->task->choice ? share_choice(s) : VOLT_OK;
}

volt_status volt_feature_fit_run(const volt_solver_task *task, int64_t n_early, volt_feature_hold_out hold_out,
                                 volt_readout *readout)
{
    volt_feature_fit s = volt_feature_fit_of(task, n_early, volt_as_view(readout->A));
    volt_feature_shares share = volt_feature_fit_shares(&s);
    volt_status status = volt_feature_fit_sum(&s, hold_out, share.states, share.choose);
    if (status == VOLT_OK)
        status = solve_all(&s, share.states + share.choose, share.solve, readout);
    if (status == VOLT_OK)
        status = finish_rows(&s, share.readout, readout);
    for (int64_t k = 0; status == VOLT_OK && task->loo_errors && k < s.q; k++)
        task->loo_errors->gcv[k] *= s.squares[k];
    volt_feature_fit_release(&s);
    return status;
}

/* ---- alpha and errors of held-out rows for a readout of features ------------------------------------- */

/* The sums over the rows before the first held-out row are stored during the pass (feature_fit.h). Every
 * candidate is fitted on these sums and predicts all held-out rows. */

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
