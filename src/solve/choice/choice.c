/* src/solve/choice/choice.c: the candidates of a choice one after the other, each on the same matrix. */
#include "solve/choice/chooser.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/choice/block_test.h"
#include "solve/exact/cholesky.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LEAST_POWER = -8, MOST_POWER = 3 };

double volt_choice_rows(double n)
{
    return fmin(n, 2 * VOLT_MOST_HELD);
}

double volt_choice_numbers(double n, double q)
{
    return n * (q + 2) + 4 * (volt_choice_rows(n) / 2 + 1) * q;
}

/* ---- candidates ------------------------------------------------------------------------------- */

/* May column k be fitted with (without) a constant? A level needs the one that was asked for; a change may do without. */
bool volt_chooser_allows(const volt_chooser *c, int64_t k, bool constant)
{
    bool change = c->choice->changes && k < c->q;
    return change ? !constant || c->intercept : constant == c->intercept;
}

/* Over the rows held out that have a target; the others hold 0. */
double volt_chooser_mean_square(const volt_chooser *c, volt_view e, int64_t k)
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
        double mse =
            volt_chooser_allows(c, k, constant) ? volt_chooser_mean_square(c, volt_as_view(c->e), k) : INFINITY;
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
bool volt_chooser_has_target(const volt_chooser *c, int64_t t)
{
    return !(c->task.without && c->task.without[t]);
}

/* alpha = infinity: 0, or the mean of the targets known. */
void volt_chooser_try_infinity(volt_chooser *c, bool constant)
{
    volt_view Y = c->task.Y;
    int64_t ahead = c->choice->ahead;
    for (int64_t k = 0; k < c->columns; k++) {
        double sum = 0, frozen = 0;
        int64_t known = 0, counted = 0;
        for (int64_t i = 0; i < c->held; i++) {
            int64_t t = c->begin + i, h = t - ahead + 1;
            for (; constant && known < h; known++) {
                sum += Y.data[known * Y.ld + k];
                counted += volt_chooser_has_target(c, known);
            }
            double mean = constant && counted > 0 ? sum / (double)counted : 0;
            bool there = volt_chooser_has_target(c, t);
            frozen = i == 0 ? mean : frozen;
            c->e.data[i * c->e.ld + k] = there ? Y.data[t * Y.ld + k] - mean : 0;
            c->z.data[i * c->z.ld + k] = there ? Y.data[t * Y.ld + k] - frozen : 0;
        }
    }
    if (volt_chooser_contend(c, INFINITY, constant))
        volt_chooser_keep_frozen(c, INFINITY, constant);
}

/* Both kinds of errors, from the factor of all rows. */
static volt_status evaluate_constants(volt_chooser *c, double alpha)
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

volt_status volt_chooser_factor(volt_chooser *c, int64_t first, double alpha)
{
    if (c->spoiled < c->rows)
        volt_factor_restore(c->factor, c->spoiled);
    c->spoiled = first;
    c->factored = 0;
    volt_factor_restart(c->factor, &c->task, first, alpha, c->diagonal);
    if (first == 0)
        VOLT_TRY(volt_factor_norm(c->factor, &c->norm));
    VOLT_TRY(volt_factor_grow(c->factor, c->rows - first));
    c->factored = first == 0 ? alpha : 0;
    return VOLT_OK;
}

/* An alpha too small for the factorisation is left out: *left_out. */
static volt_status factor_candidate(volt_chooser *c, int64_t first, double alpha, bool *left_out)
{
    volt_status status = volt_chooser_factor(c, first, alpha);
    *left_out = status == VOLT_ERR_SINGULAR;
    if (!*left_out)
        return status;
    volt_log(VOLT_LOG_INFO, "alpha = %g is left out: %s", alpha, volt_error_detail());
    c->choice->failed++;
    return VOLT_OK;
}

/* The candidate competes with the errors of the model that is fitted: each held-out row is predicted from all rows whose
 * targets were known. */
static volt_status evaluate(volt_chooser *c, double alpha)
{
    bool left_out;
    VOLT_TRY(factor_candidate(c, 0, alpha, &left_out));
    return left_out ? VOLT_OK : evaluate_constants(c, alpha);
}

/* Mean squared errors (columns; infinite: left out) of the candidate on a factor of the rows from `first` on: an estimate of
 * its rank, not of the errors of the model, since the rows before `first` have no part in it. */
static volt_status screen(volt_chooser *c, double alpha, double *mse)
{
    bool left_out;
    for (int64_t k = 0; k < c->columns; k++)
        mse[k] = INFINITY;
    VOLT_TRY(factor_candidate(c, c->first, alpha, &left_out));
    for (int constant = 0; !left_out && constant <= (int)c->intercept; constant++) {
        VOLT_TRY(volt_factor_held_out(c->factor, c->choice->ahead, c->begin - c->first, constant, false, c->e));
        for (int64_t k = 0; k < c->columns; k++)
            if (volt_chooser_allows(c, k, constant))
                mse[k] = fmin(mse[k], volt_chooser_mean_square(c, volt_as_view(c->e), k));
    }
    return VOLT_OK;
}

/* The candidate, of `count`, with the least screened error among those that promise some column less than its best evaluated
 * one; -1: none does. */
static int64_t most_promising(const volt_chooser *c, const double *screened, int64_t count)
{
    for (int64_t k = 0; k < c->columns; k++) {
        int64_t best = -1;
        double least = c->best[k].mse;
        for (int64_t i = 0; i < count; i++)
            if (screened[i * c->columns + k] < least) {
                least = screened[i * c->columns + k];
                best = i;
            }
        if (best >= 0)
            return best;
    }
    return -1;
}

/* Above the limit: all candidates are screened on the last rows, then evaluated on all rows, the most promising first, until
 * no candidate that is left promises less than the best evaluated one. */
static volt_status screen_and_evaluate(volt_chooser *c, const double *alphas, int64_t count)
{
    double *screened = volt_alloc_doubles(count, c->columns);
    volt_status status = screened ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == VOLT_OK; i++)
        status = screen(c, alphas[i], screened + i * c->columns);
    int64_t next;
    while (status == VOLT_OK && (next = most_promising(c, screened, count)) >= 0) {
        status = evaluate(c, alphas[next]);
        for (int64_t k = 0; k < c->columns; k++)
            screened[next * c->columns + k] = INFINITY;
    }
    volt_free(screened);
    return status;
}

/* Of the `counted` rows that have a target; the others have a diagonal of 0. */
double volt_chooser_mean_diagonal(const double *diagonal, int64_t rows, int64_t counted, double *largest)
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
    double largest, mean = volt_chooser_mean_diagonal(diagonal, rows, counted, &largest);
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

int64_t volt_chooser_targets(const volt_chooser *c)
{
    int64_t counted = 0;
    for (int64_t i = 0; i < c->rows; i++)
        counted += volt_chooser_has_target(c, i);
    return counted;
}

/* From the largest to the smallest. */
static volt_status try_alphas(volt_chooser *c)
{
    double alphas[VOLT_CHOICE_ALPHAS] = {c->choice->alpha};
    int64_t count =
        c->choice->alpha > 0 ? 1 : volt_choice_grid(c->diagonal, c->rows, volt_chooser_targets(c), alphas);
    c->choice->tried = count;
    if (c->first > 0 && count > 1)
        return screen_and_evaluate(c, alphas, count);
    for (int64_t i = 0; i < count; i++)
        VOLT_TRY(evaluate(c, alphas[i]));
    return VOLT_OK;
}

static volt_status try_all(volt_chooser *c, volt_progress progress, double from, double share)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "choose", from, share,
                     c->choice->alpha > 0 ? volt_cholesky_units(c->rows)
                                          : VOLT_CHOICE_ALPHAS * volt_cholesky_units(c->rows - c->first) +
                                                (c->first > 0 ? volt_cholesky_units(c->rows) : 0));
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
    volt_view naive = volt_view_rows(choice->naive, c->begin, c->held);
    double *e0 = c->e.data; /* the rivals in the layout of the errors */
    for (int64_t i = 0; i < c->held; i++)
        e0[i * c->columns] = naive.data[i * naive.ld + output];
    double going = volt_block_test(c->best_e.data + k, e0, c->columns, c->held, choice->ahead);
    double frozen = volt_block_test(c->best_z.data + k, e0, c->columns, c->held, choice->ahead);
    return fmin(going, frozen);
}

static double half_way_error(const volt_chooser *c, int64_t k)
{
    volt_view naive = volt_view_rows(c->choice->naive, c->begin, c->held);
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
        chosen.naive_mse =
            volt_chooser_mean_square(c, volt_view_rows(choice->naive, c->begin, c->held), output);
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

volt_status volt_chooser_choose(volt_chooser *c, volt_progress progress, double from, double share)
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
