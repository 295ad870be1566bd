/* src/solve/choice/choice_solve.c: the readout of each output with its chosen alpha, constant and kind of
 * target. */
#include "solve/choice/choice.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/exact/cholesky.h"

#include <math.h>
#include <string.h>

typedef struct exact_choice {
    volt_factor *factor;
    volt_factor_task task; /* with all columns: q first targets, then q levels, if any */
    volt_choice *choice;
    bool intercept;
    int64_t q, columns;
    int64_t rows;     /* rows kept */
    int64_t first;    /* first screening row; 0: no screening */
    int64_t spoiled;  /* the lower triangle of K holds a factor from this row on; rows: none */
    double factored;  /* alpha of that factor; 0: none */
    double norm;      /* of the last factored matrix of all rows */
    double *diagonal; /* rows */
} exact_choice;

static bool has_target(const exact_choice *c, int64_t t)
{
    return !(c->task.without && c->task.without[t]);
}

/* Factors the rows from `first` on with `alpha`; the entries of K are preserved by volt_factor_keep. */
static volt_status factor_rows(exact_choice *c, int64_t first, double alpha)
{
    if (c->factored == alpha && c->spoiled == first)
        return VOLT_OK;
    if (c->spoiled < c->rows)
        volt_factor_restore(c->factor, c->spoiled);
    c->spoiled = first;
    c->factored = 0;
    volt_factor_restart(c->factor, &c->task, first, alpha, c->diagonal);
    if (first == 0)
        VOLT_TRY(volt_factor_norm(c->factor, &c->norm));
    VOLT_TRY(volt_factor_grow(c->factor, c->rows - first));
    c->factored = alpha;
    return VOLT_OK;
}

/* ---- the choice ------------------------------------------------------------------------------- */

static volt_status candidate_errors(void *context, double alpha, bool constant, volt_held_out_errors kind,
                                    volt_matrix e)
{
    exact_choice *c = context;
    int64_t first = kind == VOLT_HELD_OUT_SCREENED ? c->first : 0;
    VOLT_TRY(factor_rows(c, first, alpha));
    return volt_factor_held_out(c->factor, c->choice->ahead, c->choice->held.begin - first, constant,
                                kind == VOLT_HELD_OUT_FROZEN, e);
}

static volt_status choose(exact_choice *c, volt_progress progress, double from, double share)
{
    volt_choice_source source = {
        .errors = candidate_errors, .context = c, .refits = true, .screens = c->first > 0};
    int64_t counted = 0;
    for (int64_t i = 0; i < c->rows; i++)
        counted += has_target(c, i);
    source.unit = volt_alpha_unit(c->diagonal, c->rows, counted, &source.least);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "choose", from, share,
                     c->choice->alpha > 0 ? volt_cholesky_units(c->rows)
                                          : VOLT_MAX_ALPHAS * volt_cholesky_units(c->rows - c->first) +
                                                (c->first > 0 ? volt_cholesky_units(c->rows) : 0));
    c->task.stage = &stage;
    volt_view Y = {c->task.Y.data, c->rows, c->q, c->task.Y.ld};
    VOLT_TRY(volt_choice_pick(&source, Y, c->task.without, c->intercept, c->choice));
    c->task.stage = NULL;
    return volt_stage_end(&stage);
}

/* ---- the chosen readout ----------------------------------------------------------------------- */

static int64_t column_of(const exact_choice *c, int64_t output)
{
    return c->choice->outputs[output].level ? c->q + output : output;
}

static bool is_solved(const volt_chosen *chosen, double alpha)
{
    return chosen->share > 0 && chosen->alpha == alpha;
}

/* The largest alpha below `bound` required by an output; 0: none. */
static double next_alpha(const exact_choice *c, double bound)
{
    double next = 0;
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (chosen->share > 0 && chosen->alpha < bound)
            next = fmax(next, chosen->alpha);
    }
    return next;
}

/* Errors of a prediction with a share of the readout: between e and the errors of the naive forecast, which
 * are the changes. */
static void take_share(const exact_choice *c, int64_t k, volt_row_errors *errors)
{
    double share = c->choice->outputs[k].share;
    const double *y = c->task.Y.data + errors->begin * c->task.Y.ld + k;
    for (int64_t i = 0; share < 1 && i < errors->e.rows; i++) {
        double *e = &errors->e.data[i * errors->e.ld + k], change = y[i * c->task.Y.ld];
        if (errors->scale.data[i * errors->scale.ld + k] > 0)
            *e = change + share * (*e - change);
    }
}

/* Row errors of the outputs with this alpha. `column` has q numbers. */
static volt_status take_errors(exact_choice *c, double alpha, bool constant, int64_t *column)
{
    bool some = false;
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        column[k] = is_solved(chosen, alpha) && chosen->constant == constant ? column_of(c, k) : -1;
        some |= column[k] >= 0;
    }
    for (int i = 0; some && i < VOLT_ROW_ERRORS; i++) {
        volt_row_errors *errors = &c->choice->errors[i];
        VOLT_TRY(volt_factor_row_errors(c->factor, constant, column, errors));
        for (int64_t k = 0; k < c->q; k++)
            if (column[k] >= 0)
                take_share(c, k, errors);
    }
    return VOLT_OK;
}

static volt_status take_all_errors(exact_choice *c, double alpha)
{
    int64_t *column = volt_alloc(c->q, sizeof *column);
    volt_status status = column ? take_errors(c, alpha, false, column) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && c->intercept)
        status = take_errors(c, alpha, true, column);
    volt_free(column);
    return status;
}

/* The same for output k without the kernel: the target less the mean of the known targets, or less 0. */
static void take_constant_errors(const exact_choice *c, int64_t k, volt_row_errors *errors)
{
    const volt_chosen *chosen = &c->choice->outputs[k];
    const double *y = c->task.Y.data + column_of(c, k);
    bool constant = chosen->share > 0 && chosen->constant;
    double sum = 0;
    int64_t known = 0, counted = 0;
    for (int64_t t = errors->begin; t < c->rows; t++) {
        int64_t i = t - errors->begin;
        for (; constant && known < volt_min(t - errors->ahead + 1, errors->most); known++) {
            sum += y[known * c->task.Y.ld];
            counted += has_target(c, known);
        }
        bool has_error = t >= errors->ahead - 1 && has_target(c, t) && (!constant || counted > 0);
        double mean = counted > 0 ? sum / (double)counted : 0;
        errors->e.data[i * errors->e.ld + k] = has_error ? y[t * c->task.Y.ld] - mean : 0;
        errors->scale.data[i * errors->scale.ld + k] = has_error ? 1 : 0;
    }
}

/* Without the kernel: 0, or the mean of the targets. */
static void take_constants(const exact_choice *c, volt_matrix A, double *intercepts)
{
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        int64_t column = column_of(c, k);
        if (chosen->share > 0 && !isinf(chosen->alpha))
            continue;
        for (int i = 0; c->choice->errors && i < VOLT_ROW_ERRORS; i++)
            take_constant_errors(c, k, &c->choice->errors[i]);
        c->choice->log_likelihood = NAN;
        if (c->choice->dimension)
            c->choice->dimension[k] = c->choice->dimension_error[k] = 0;
        intercepts[k] = 0;
        int64_t counted = 0;
        for (int64_t i = 0; chosen->share > 0 && chosen->constant && i < c->rows; i++) {
            intercepts[k] += c->task.Y.data[i * c->task.Y.ld + column];
            counted += has_target(c, i);
        }
        if (counted > 0)
            intercepts[k] /= (double)counted;
        for (int64_t i = 0; i < c->rows; i++)
            A.data[i * A.ld + k] = 0;
    }
}

/* Store the factor of this alpha, and the outputs that use it. */
static volt_status keep_factor(const exact_choice *c, double alpha)
{
    volt_stored_factors *stored_factors = c->choice->stored_factors;
    VOLT_TRY(volt_stored_factor_fill(c->factor, alpha, &stored_factors->factors[stored_factors->count]));
    for (int64_t k = 0; k < c->q; k++)
        if (is_solved(&c->choice->outputs[k], alpha)) {
            stored_factors->of[k] = stored_factors->count;
            stored_factors->constant[k] = c->choice->outputs[k].constant;
        }
    stored_factors->count++;
    return VOLT_OK;
}

/* The log score of an output, as chosen, from the factor with its alpha. */
static double likelihood_of(const exact_choice *c, int64_t k)
{
    const volt_chosen *chosen = &c->choice->outputs[k];
    if (!c->choice->target_scale || chosen->share != 1)
        return NAN;
    double score =
        volt_factor_output_score(c->factor, column_of(c, k), chosen->constant, c->choice->target_scale[k]);
    return isfinite(score) ? score : NAN;
}

/* Effective dimensions of the outputs with this alpha. */
static volt_status take_dimensions(exact_choice *c, double alpha, bool constant)
{
    double dimension = NAN, error = 0;
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (!is_solved(chosen, alpha) || chosen->constant != constant)
            continue;
        if (isnan(dimension))
            VOLT_TRY(volt_factor_dimension(c->factor, constant, &dimension, &error));
        c->choice->dimension[k] = dimension;
        c->choice->dimension_error[k] = error;
    }
    return VOLT_OK;
}

static volt_status solve_alpha(exact_choice *c, double alpha, volt_matrix A, double *intercepts, double *rcond)
{
    volt_factor *f = c->factor;
    VOLT_TRY(factor_rows(c, 0, alpha));
    f->task.stage = c->task.stage;
    c->factored = 0; /* the forward solves become the coefficients */
    VOLT_TRY(volt_factor_rcond(f, c->norm, rcond));
    volt_factor_intercepts(f);
    for (int constant = 0; c->choice->dimension && constant <= (c->intercept ? 1 : 0); constant++)
        VOLT_TRY(take_dimensions(c, alpha, constant));
    if (c->choice->errors)
        VOLT_TRY(take_all_errors(c, alpha));
    if (c->choice->stored_factors)
        VOLT_TRY(keep_factor(c, alpha));
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (!chosen->constant)
            f->c[column_of(c, k)] = 0;
        if (is_solved(chosen, alpha))
            c->choice->log_likelihood += likelihood_of(c, k);
    }
    volt_matrix solved = volt_matrix_of(c->task.W.data, c->rows, c->columns);
    solved.ld = c->task.W.ld;
    volt_factor_coefficients(f, solved);
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (!is_solved(chosen, alpha))
            continue;
        int64_t column = column_of(c, k);
        double sum = 0;
        for (int64_t i = 0; i < c->rows; i++) {
            A.data[i * A.ld + k] = chosen->share * solved.data[i * solved.ld + column];
            sum += A.data[i * A.ld + k];
        }
        intercepts[k] = chosen->share * f->c[column] - c->task.common * sum;
    }
    return VOLT_OK;
}

static volt_status solve_alphas(exact_choice *c, volt_matrix A, double *intercepts, double *rcond)
{
    *rcond = 1;
    for (double alpha = next_alpha(c, INFINITY); alpha > 0; alpha = next_alpha(c, alpha))
        VOLT_TRY(solve_alpha(c, alpha, A, intercepts, rcond));
    take_constants(c, A, intercepts);
    return VOLT_OK;
}

static volt_status solve_chosen(exact_choice *c, volt_progress progress, double from, double share,
                                volt_matrix A, double *intercepts, double *rcond)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "factor", from, share, volt_cholesky_units(c->rows));
    c->task.stage = &stage;
    volt_status status = solve_alphas(c, A, intercepts, rcond);
    c->task.stage = NULL;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static volt_status allocate(exact_choice *c, volt_matrix *joined, volt_matrix *W)
{
    c->diagonal = volt_alloc_doubles(c->rows, 1);
    *W = volt_matrix_of(volt_alloc_doubles(c->rows, c->columns + 1), c->rows, c->columns);
    W->ld = c->columns + 1;
    bool needs_copy = c->columns > c->q;
    if (needs_copy)
        *joined = volt_matrix_of(volt_alloc_doubles(c->rows, c->columns), c->rows, c->columns);
    return c->diagonal && W->data && (!needs_copy || joined->data) ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* First targets and levels as columns of one matrix. */
static void join_targets(const exact_choice *c, volt_view first, volt_view level, volt_matrix joined)
{
    for (int64_t i = 0; i < c->rows; i++) {
        memcpy(joined.data + i * joined.ld, first.data + i * first.ld, (size_t)c->q * sizeof(double));
        memcpy(joined.data + i * joined.ld + c->q, level.data + i * level.ld, (size_t)c->q * sizeof(double));
    }
}

volt_status volt_choice_solve(volt_factor *factor, const volt_factor_task *task, bool intercept,
                              volt_choice *choice, volt_progress progress, double from, volt_matrix A,
                              double *intercepts, double *rcond)
{
    exact_choice c = {.factor = factor, .task = *task, .choice = choice, .intercept = intercept};
    volt_matrix joined = {0}, W = {0};
    c.q = A.cols;
    c.columns = factor->q;
    c.rows = A.rows;
    c.spoiled = c.rows;
    choice->held.ahead = choice->ahead;
    volt_held_out_rows(&choice->held, c.rows, task->without);
    /* the held-out rows, as many rows before them, and enough for the first prediction */
    c.first = volt_max(
        volt_min(c.rows - 2 * volt_max_held_out(&choice->held), choice->held.begin - (2 * choice->ahead + 2)),
        0);
    choice->tried = choice->failed = 0;
    choice->log_likelihood = 0;

    volt_status status = allocate(&c, &joined, &W);
    if (status == VOLT_OK) {
        if (joined.data)
            join_targets(&c, volt_as_view(A), choice->level, joined);
        c.task.Y = joined.data ? volt_as_view(joined) : volt_as_view(A);
        c.task.W = W;
        c.task.u = intercept ? W.data + c.columns : NULL;
        c.task.ld_u = W.ld;
        double norm = 0;
        status = volt_factor_norm(factor, &norm); /* a matrix that is not finite has no best alpha */
    }
    if (status == VOLT_OK) {
        volt_factor_keep(factor, 0, c.diagonal);
        double last = pow((double)c.rows, 3);
        double cost = VOLT_MAX_ALPHAS * pow((double)(c.rows - c.first), 3) + (c.first > 0 ? last : 0);
        double share = (1 - from) * cost / (cost + last);
        if (!choice->decided)
            status = choose(&c, progress, from, share);
        if (status == VOLT_OK)
            status = solve_chosen(&c, progress, from + share, 1 - from - share, A, intercepts, rcond);
    }
    volt_free(joined.data);
    volt_free(W.data);
    volt_free(c.diagonal);
    return status;
}
