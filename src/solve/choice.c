/* src/solve/choice.c: the candidates of a choice one after the other, each on the same matrix. */
#include "solve/chooser.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/block_test.h"
#include "solve/cholesky.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LEAST_POWER = -8, MOST_POWER = 3 };

double volt_choice_rows(double n)
{
    return fmin(n, MOST_CHOSEN);
}

double volt_choice_numbers(double n, double q)
{
    return n * (q + 2) + 4 * (volt_choice_rows(n) / 2 + 1) * q;
}

/* ---- candidates ------------------------------------------------------------------------------- */

/* May column k be fitted with (without) a constant? A level needs the one that was asked for; a change may do without. */
static bool is_allowed(const volt_chooser *c, int64_t k, bool constant)
{
    bool change = c->choice->changes && k < c->q;
    return change ? !constant || c->intercept : constant == c->intercept;
}

/* Over the rows held out that have a target; the others hold 0. */
static double mean_square(const volt_chooser *c, volt_view e, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < e.rows; i++)
        sum += e.data[i * e.ld + k] * e.data[i * e.ld + k];
    return sum / (double)c->choice->held.counted;
}

static void copy_column(volt_matrix from, volt_matrix to, int64_t k)
{
    for (int64_t i = 0; i < from.rows; i++)
        to.data[i * to.ld + k] = from.data[i * from.ld + k];
}

/* Take over the columns in which the errors `e` are the least so far; true: some are, and frozen errors are wanted. */
bool volt_chooser_contend(volt_chooser *c, double alpha, bool constant)
{
    bool improved = false;
    for (int64_t k = 0; k < c->columns; k++) {
        double mse = is_allowed(c, k, constant) ? mean_square(c, volt_as_view(c->e), k) : INFINITY;
        if (!(mse < c->best[k].mse))
            continue;
        c->best[k] = (volt_contestant){.mse = mse, .alpha = alpha, .constant = constant};
        copy_column(c->e, c->best_e, k);
        improved = true;
    }
    return improved;
}

void volt_chooser_keep_frozen(volt_chooser *c, double alpha, bool constant)
{
    for (int64_t k = 0; k < c->columns; k++)
        if (c->best[k].alpha == alpha && c->best[k].constant == constant)
            copy_column(c->z, c->best_z, k);
}

/* Row t of those kept. */
static bool has_target(const volt_chooser *c, int64_t t)
{
    return !(c->task.without && c->task.without[t]);
}

/* alpha = infinity: 0, or the mean of the targets known. */
void volt_chooser_try_infinity(volt_chooser *c, bool constant)
{
    volt_view Y = volt_view_rows(c->task.Y, c->first, c->rows - c->first);
    int64_t ahead = c->choice->ahead;
    for (int64_t k = 0; k < c->columns; k++) {
        double sum = 0, frozen = 0;
        int64_t known = 0, counted = 0;
        for (int64_t i = 0; i < c->held; i++) {
            int64_t t = c->begin + i, h = t - ahead + 1;
            for (; constant && known < h; known++) {
                sum += Y.data[known * Y.ld + k];
                counted += has_target(c, c->first + known);
            }
            double mean = constant && counted > 0 ? sum / (double)counted : 0;
            bool there = has_target(c, c->first + t);
            frozen = i == 0 ? mean : frozen;
            c->e.data[i * c->e.ld + k] = there ? Y.data[t * Y.ld + k] - mean : 0;
            c->z.data[i * c->z.ld + k] = there ? Y.data[t * Y.ld + k] - frozen : 0;
        }
    }
    if (volt_chooser_contend(c, INFINITY, constant))
        volt_chooser_keep_frozen(c, INFINITY, constant);
}

static volt_status try_constants(volt_chooser *c, double alpha)
{
    for (int constant = 0; constant <= (int)c->intercept; constant++) {
        int64_t ahead = c->choice->ahead;
        VOLT_TRY(volt_factor_held_out(c->factor, ahead, c->begin, constant, false, c->e));
        if (!volt_chooser_contend(c, alpha, constant))
            continue;
        VOLT_TRY(volt_factor_held_out(c->factor, ahead, c->begin, constant, true, c->z));
        volt_chooser_keep_frozen(c, alpha, constant);
    }
    return VOLT_OK;
}

/* An alpha too small for the factorisation is left out. */
static volt_status try_alpha(volt_chooser *c, double alpha)
{
    if (c->choice->tried++ > 0)
        volt_factor_restore(c->factor, c->first);
    volt_factor_restart(c->factor, &c->task, c->first, alpha, c->diagonal);
    volt_status status = volt_factor_grow(c->factor, c->rows - c->first);
    if (status == VOLT_ERR_SINGULAR) {
        volt_log(VOLT_LOG_INFO, "alpha = %g is left out: %s", alpha, volt_error_detail());
        c->choice->failed++;
        return VOLT_OK;
    }
    if (status == VOLT_OK)
        status = try_constants(c, alpha);
    return status;
}

/* Of the `counted` rows that have a target; the others have a diagonal of 0. */
static double mean_diagonal(const double *diagonal, int64_t rows, int64_t counted, double *largest)
{
    double sum = 0;
    *largest = 0;
    for (int64_t i = 0; i < rows; i++) {
        sum += diagonal[i];
        *largest = fmax(*largest, diagonal[i]);
    }
    return counted > 0 ? sum / (double)counted : 0;
}

int64_t volt_choice_grid(const double *diagonal, int64_t rows, int64_t counted,
                         double alphas[VOLT_CHOICE_ALPHAS])
{
    double largest, mean = mean_diagonal(diagonal, rows, counted, &largest);
    return volt_choice_grid_of(mean, 10 * (double)rows * DBL_EPSILON * largest, alphas);
}

int64_t volt_choice_grid_of(double mean, double least, double alphas[VOLT_CHOICE_ALPHAS])
{
    int64_t count = 0;
    for (int power = MOST_POWER; power >= LEAST_POWER; power--) {
        double alpha = mean * pow(10, power);
        if (alpha > least && isfinite(alpha))
            alphas[count++] = alpha;
    }
    return count;
}

static int64_t count_targets(const volt_chooser *c)
{
    int64_t counted = 0;
    for (int64_t i = 0; i < c->rows; i++)
        counted += has_target(c, i);
    return counted;
}

/* From the largest to the smallest. */
static volt_status try_alphas(volt_chooser *c)
{
    double alphas[VOLT_CHOICE_ALPHAS];
    if (c->choice->alpha > 0)
        return try_alpha(c, c->choice->alpha);
    int64_t count = volt_choice_grid(c->diagonal, c->rows, count_targets(c), alphas);
    for (int64_t i = 0; i < count; i++)
        VOLT_TRY(try_alpha(c, alphas[i]));
    return VOLT_OK;
}

static volt_status try_all(volt_chooser *c, volt_progress progress, double from, double share)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "choose", from, share,
                     (c->choice->alpha > 0 ? 1 : VOLT_CHOICE_ALPHAS) * volt_cholesky_units(c->rows - c->first));
    for (int constant = 0; constant <= (int)c->intercept; constant++)
        volt_chooser_try_infinity(c, constant);
    c->task.stage = &stage;
    volt_status status = try_alphas(c);
    c->task.stage = NULL;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- verdict ---------------------------------------------------------------------------------- */

/* How sure one can be that column k's best candidate is better than naive, as time goes on and when frozen. */
static double confidence(const volt_chooser *c, int64_t k, int64_t output)
{
    const volt_choice *choice = c->choice;
    volt_view naive = volt_view_rows(choice->naive, c->first + c->begin, c->held);
    double *e0 = c->e.data; /* the rivals in the layout of the errors */
    for (int64_t i = 0; i < c->held; i++)
        e0[i * c->columns] = naive.data[i * naive.ld + output];
    double going = volt_block_test(c->best_e.data + k, e0, c->columns, c->held, choice->ahead);
    double frozen = volt_block_test(c->best_z.data + k, e0, c->columns, c->held, choice->ahead);
    return fmin(going, frozen);
}

static double half_way_error(const volt_chooser *c, int64_t k)
{
    volt_view naive = volt_view_rows(c->choice->naive, c->first + c->begin, c->held);
    double sum = 0;
    for (int64_t i = 0; i < c->held; i++) {
        double e = (c->best_e.data[i * c->columns + k] + naive.data[i * naive.ld + k]) / 2;
        sum += e * e;
    }
    return sum / (double)c->choice->held.counted;
}

volt_chosen volt_chooser_decide(const volt_chooser *c, int64_t output)
{
    const volt_choice *choice = c->choice;
    int64_t k = output;
    if (c->columns > c->q && c->best[c->q + output].mse < c->best[output].mse &&
        volt_block_test(c->best_e.data + c->q + output, c->best_e.data + output, c->columns, c->held,
                        choice->ahead) > 0.98)
        k = c->q + output;
    const volt_contestant *best = &c->best[k];
    volt_chosen chosen = {.level = k >= c->q,
                          .constant = best->constant,
                          .alpha = best->alpha,
                          .share = 1,
                          .mse = best->mse,
                          .best_mse = best->mse,
                          .best_alpha = best->alpha,
                          .naive_mse = NAN};
    if (choice->naive.data)
        chosen.naive_mse = mean_square(c, volt_view_rows(choice->naive, c->first + c->begin, c->held), output);
    if (!choice->changes)
        return chosen;
    double sure = isinf(best->alpha) && !best->constant ? 0 : confidence(c, k, output);
    if (sure > 0.98)
        return chosen;
    bool half_way = sure > 0 && choice->ahead == 1 && !chosen.level;
    chosen.level = false;
    chosen.share = half_way ? 0.5 : 0;
    chosen.mse = half_way ? half_way_error(c, k) : chosen.naive_mse;
    if (!half_way) {
        chosen.alpha = INFINITY;
        chosen.constant = false;
    }
    return chosen;
}

/* Too few rows to hold any out: naive where there is such a forecast, else an alpha of the kernel's own size. */
void volt_chooser_decide_blindly(const volt_chooser *c)
{
    for (int64_t k = 0; k < c->q; k++)
        c->choice->outputs[k] = (volt_chosen){.alpha = c->choice->changes     ? INFINITY
                                                       : c->choice->alpha > 0 ? c->choice->alpha
                                                       : c->mean > 0          ? c->mean
                                                                              : 1,
                                              .constant = !c->choice->changes && c->intercept,
                                              .share = c->choice->changes ? 0 : 1,
                                              .mse = NAN,
                                              .best_mse = NAN,
                                              .best_alpha = NAN,
                                              .naive_mse = NAN};
}

static volt_status choose(volt_chooser *c, volt_progress progress, double from, double share)
{
    if (c->choice->decided)
        return VOLT_OK;
    if (c->held == 0) {
        volt_chooser_decide_blindly(c);
        return VOLT_OK;
    }
    for (int64_t k = 0; k < c->columns; k++)
        c->best[k].mse = INFINITY;
    VOLT_TRY(try_all(c, progress, from, share));
    for (int64_t k = 0; k < c->q; k++)
        c->choice->outputs[k] = volt_chooser_decide(c, k);
    return VOLT_OK;
}

/* ---- the readout as chosen -------------------------------------------------------------------- */

static int64_t column_of(const volt_chooser *c, int64_t output)
{
    return c->choice->outputs[output].level ? c->q + output : output;
}

static bool is_solved(const volt_chosen *chosen, double alpha)
{
    return chosen->share > 0 && chosen->alpha == alpha;
}

/* The largest alpha below `bound` that an output wants; 0: none. */
static double next_alpha(const volt_chooser *c, double bound)
{
    double next = 0;
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (chosen->share > 0 && chosen->alpha < bound)
            next = fmax(next, chosen->alpha);
    }
    return next;
}

/* A forecast that takes a share of what was learned errs so far on the way from the naive one, whose errors are the changes. */
static void take_share(const volt_chooser *c, int64_t k, volt_row_errors *errors)
{
    double share = c->choice->outputs[k].share;
    const double *y = c->task.Y.data + errors->begin * c->task.Y.ld + k;
    for (int64_t i = 0; share < 1 && i < errors->e.rows; i++) {
        double *e = &errors->e.data[i * errors->e.ld + k], change = y[i * c->task.Y.ld];
        if (errors->scale.data[i * errors->scale.ld + k] > 0)
            *e = change + share * (*e - change);
    }
}

/* Errors of the rows, of the outputs that this alpha is for. `column` is room for q numbers. */
static volt_status take_errors(volt_chooser *c, double alpha, bool constant, int64_t *column)
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

static volt_status take_all_errors(volt_chooser *c, double alpha)
{
    int64_t *column = volt_alloc(c->q, sizeof *column);
    volt_status status = column ? take_errors(c, alpha, false, column) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && c->intercept)
        status = take_errors(c, alpha, true, column);
    volt_free(column);
    return status;
}

/* The same of output k, in which the kernel plays no part: the target less the mean of those known, or less 0. */
static void take_constant_errors(const volt_chooser *c, int64_t k, volt_row_errors *errors)
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
        bool there = t >= errors->ahead - 1 && has_target(c, t) && (!constant || counted > 0);
        double mean = counted > 0 ? sum / (double)counted : 0;
        errors->e.data[i * errors->e.ld + k] = there ? y[t * c->task.Y.ld] - mean : 0;
        errors->scale.data[i * errors->scale.ld + k] = there ? 1 : 0;
    }
}

/* Where the kernel plays no part: 0, or the mean of the targets. */
static void take_constants(const volt_chooser *c, volt_matrix A, double *intercepts)
{
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        int64_t column = column_of(c, k);
        if (chosen->share > 0 && !isinf(chosen->alpha))
            continue;
        for (int i = 0; c->choice->errors && i < VOLT_ROW_ERRORS; i++)
            take_constant_errors(c, k, &c->choice->errors[i]);
        c->choice->log_likelihood = NAN;
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

/* The factor of this alpha, and the outputs that it is for. */
static volt_status keep_factor(const volt_chooser *c, double alpha)
{
    volt_kept_list *kept = c->choice->kept;
    VOLT_TRY(volt_kept_take(c->factor, alpha, &kept->factors[kept->count]));
    for (int64_t k = 0; k < c->q; k++)
        if (is_solved(&c->choice->outputs[k], alpha)) {
            kept->of[k] = kept->count;
            kept->constant[k] = c->choice->outputs[k].constant;
        }
    kept->count++;
    return VOLT_OK;
}

/* The log score of an output, as chosen, from the factor with its alpha. */
static double likelihood_of(const volt_chooser *c, int64_t k)
{
    const volt_chosen *chosen = &c->choice->outputs[k];
    if (!c->choice->target_scale || chosen->share != 1)
        return NAN;
    double score =
        volt_factor_output_score(c->factor, column_of(c, k), chosen->constant, c->choice->target_scale[k]);
    return isfinite(score) ? score : NAN;
}

static volt_status solve_alpha(volt_chooser *c, double alpha, volt_matrix A, double *intercepts, double *rcond)
{
    volt_factor *f = c->factor;
    double norm = 0;
    volt_factor_restart(f, &c->task, 0, alpha, c->diagonal);
    VOLT_TRY(volt_factor_norm(f, &norm));
    VOLT_TRY(volt_factor_grow(f, c->rows));
    VOLT_TRY(volt_factor_rcond(f, norm, rcond));
    volt_factor_intercepts(f);
    if (c->choice->errors)
        VOLT_TRY(take_all_errors(c, alpha));
    if (c->choice->kept)
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

static volt_status solve_alphas(volt_chooser *c, volt_matrix A, double *intercepts, double *rcond)
{
    double alpha = next_alpha(c, INFINITY);
    if (c->choice->tried > 0)
        volt_factor_restore(c->factor, c->first);
    bool several = alpha > 0 && next_alpha(c, alpha) > 0;
    if (several)
        volt_factor_keep(c->factor, 0, NULL);
    *rcond = 1;
    for (bool again = false; alpha > 0; alpha = next_alpha(c, alpha), again = true) {
        if (again)
            volt_factor_restore(c->factor, 0);
        VOLT_TRY(solve_alpha(c, alpha, A, intercepts, rcond));
    }
    take_constants(c, A, intercepts);
    return VOLT_OK;
}

static volt_status solve_chosen(volt_chooser *c, volt_progress progress, double from, double share,
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

static volt_status allocate(volt_chooser *c, volt_matrix *joined, volt_matrix *W)
{
    int64_t held = volt_max(c->held, 1);
    double *memory = volt_alloc_doubles(4 * held, c->columns);
    c->diagonal = volt_alloc_doubles(c->rows, 1);
    c->best = volt_alloc_zero(c->columns, sizeof *c->best);
    *W = volt_matrix_of(volt_alloc_doubles(c->rows, c->columns + 1), c->rows, c->columns);
    W->ld = c->columns + 1;
    bool needs_copy = c->columns > c->q;
    if (needs_copy)
        *joined = volt_matrix_of(volt_alloc_doubles(c->rows, c->columns), c->rows, c->columns);
    c->e = volt_matrix_of(memory, c->held, c->columns);
    if (!memory || !c->diagonal || !c->best || !W->data || (needs_copy && !joined->data))
        return VOLT_ERR_MEMORY;
    c->z = volt_matrix_of(memory + held * c->columns, c->held, c->columns);
    c->best_e = volt_matrix_of(memory + 2 * held * c->columns, c->held, c->columns);
    c->best_z = volt_matrix_of(memory + 3 * held * c->columns, c->held, c->columns);
    return VOLT_OK;
}

/* First targets and levels side by side. */
static void join_targets(const volt_chooser *c, volt_view first, volt_view level, volt_matrix joined)
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
    volt_chooser c = {.factor = factor, .task = *task, .choice = choice, .intercept = intercept};
    volt_matrix joined = {0}, W = {0};
    c.q = A.cols;
    c.columns = factor->q;
    c.rows = A.rows;
    c.first = volt_max(c.rows - MOST_CHOSEN, 0);
    choice->held.ahead = choice->ahead;
    volt_held_out_rows(&choice->held, c.rows - c.first, task->without ? task->without + c.first : NULL);
    c.begin = choice->held.begin;
    c.held = choice->held.rows;
    choice->held.begin += c.first;
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
        volt_factor_keep(factor, c.first, c.diagonal);
        double largest;
        c.mean = mean_diagonal(c.diagonal, c.rows, count_targets(&c), &largest);
        double cost = VOLT_CHOICE_ALPHAS * pow((double)(c.rows - c.first), 3), last = pow((double)c.rows, 3);
        double share = (1 - from) * cost / (cost + last);
        status = choose(&c, progress, from, share);
        if (status == VOLT_OK)
            status = solve_chosen(&c, progress, from + share, 1 - from - share, A, intercepts, rcond);
    }
    volt_free(c.e.data);
    volt_free(joined.data);
    volt_free(W.data);
    volt_free(c.best);
    volt_free(c.diagonal);
    return status;
}
