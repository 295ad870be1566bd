/* src/base/alpha_grid.c: the candidates for alpha, and the choice among them. */
#include "base/alpha_grid.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>

typedef struct grid_range {
    int lowest, highest; /* powers of ten */
    bool ascending;
    int patience;
} grid_range;

static const grid_range ranges[] = {
    [VOLT_ALPHA_SQUARES] = {-8, 3, false, 0}, [VOLT_ALPHA_LOSS] = {-7, 2, false, 2},
    [VOLT_ALPHA_SERIES] = {-8, 1, true, 0},   [VOLT_ALPHA_CLASS_LOSS] = {-3, 1, true, 0},
    [VOLT_ALPHA_ANOMALY] = {-8, 0, true, 0},  [VOLT_ALPHA_AUTOREGRESSION] = {-6, 2, false, 0},
    [VOLT_ALPHA_SEARCH] = {-8, 1, false, 0},
};

int volt_alpha_count(volt_alpha_grid grid)
{
    return ranges[grid].highest - ranges[grid].lowest + 1;
}

double volt_alpha_low(volt_alpha_grid grid)
{
    return pow(10, ranges[grid].lowest);
}

double volt_alpha_high(volt_alpha_grid grid)
{
    return pow(10, ranges[grid].highest);
}

int volt_alpha_patience(volt_alpha_grid grid)
{
    return ranges[grid].patience;
}

int64_t volt_alpha_list(volt_alpha_grid grid, double unit, double least, double alphas[VOLT_MAX_ALPHAS])
{
    const grid_range *range = &ranges[grid];
    int64_t count = 0;
    for (int i = 0; i < volt_alpha_count(grid); i++) {
        double alpha = unit * pow(10, range->ascending ? range->lowest + i : range->highest - i);
        if (alpha > least && isfinite(alpha))
            alphas[count++] = alpha;
    }
    return count;
}

double volt_alpha_unit(const double *diagonal, int64_t rows, int64_t counted, double *least)
{
    double sum = 0, largest = 0;
    for (int64_t i = 0; i < rows; i++) {
        sum += diagonal[i];
        largest = fmax(largest, diagonal[i]);
    }
    *least = 10 * (double)rows * DBL_EPSILON * largest;
    return counted > 0 ? sum / (double)counted : 0;
}

bool volt_alpha_offer(volt_alpha_choice *choice, int64_t column, double error, double second)
{
    if (choice->screened) {
        choice->screened[column] = fmin(choice->screened[column], error);
        return false;
    }
    volt_alpha_best *best = &choice->best[column];
    bool better = best->alpha == 0 ? error < INFINITY
                                   : error < best->error || (error == best->error && second < best->second);
    if (better)
        *best = (volt_alpha_best){.alpha = choice->alpha, .error = error, .second = second};
    return better;
}

/* Screens or evaluates one candidate. */
static volt_status try_candidate(volt_alpha_choice *choice, double alpha, volt_status *failure)
{
    choice->alpha = alpha;
    volt_status status = (choice->screened ? choice->screen : choice->evaluate)(choice->context, choice);
    if (status != VOLT_ERR_SINGULAR)
        return status;
    volt_log(VOLT_LOG_INFO, "alpha = %g is skipped: %s", alpha, volt_error_detail());
    choice->failed++;
    *failure = status;
    return VOLT_OK;
}

/* Returns whether candidate i is the best so far in some column. */
static bool gains(const volt_alpha_choice *choice, const double *screened, int64_t i)
{
    for (int64_t k = 0; k < choice->columns; k++) {
        double least = INFINITY;
        for (int64_t j = 0; screened && j < i; j++)
            least = fmin(least, screened[j * choice->columns + k]);
        if (screened ? screened[i * choice->columns + k] < least : choice->best[k].alpha == choice->alpha)
            return true;
    }
    return false;
}

/* Tries the candidates in order. With `screened` (count x columns, infinite at first) they are screened, else evaluated. */
static volt_status try_in_order(volt_alpha_choice *choice, const double *alphas, int64_t count,
                                double *screened, volt_status *failure)
{
    int patience = choice->given > 0 ? 0 : ranges[choice->grid].patience;
    for (int64_t i = 0, lost = 0; i < count && (patience == 0 || lost < patience); i++) {
        choice->screened = screened ? screened + i * choice->columns : NULL;
        VOLT_TRY(try_candidate(choice, alphas[i], failure));
        lost = gains(choice, screened, i) ? 0 : lost + 1;
    }
    choice->screened = NULL;
    return VOLT_OK;
}

/* Tries the candidate next to choice->start, then its neighbours in both directions as long as a column gains. */
static volt_status try_around(volt_alpha_choice *choice, const double *alphas, int64_t count,
                              volt_status *failure)
{
    int64_t nearest = 0;
    for (int64_t i = 1; i < count; i++)
        if (fabs(log(alphas[i] / choice->start)) < fabs(log(alphas[nearest] / choice->start)))
            nearest = i;
    VOLT_TRY(try_candidate(choice, alphas[nearest], failure));
    for (int direction = -1; direction <= 1; direction += 2) {
        bool improves = true;
        for (int64_t i = nearest + direction; i >= 0 && i < count && improves; i += direction) {
            VOLT_TRY(try_candidate(choice, alphas[i], failure));
            improves = gains(choice, NULL, i);
        }
    }
    return VOLT_OK;
}

/* The candidate with the least screened error among those that may improve on the best error of a column;
 * -1: none. */
static int64_t most_promising(const volt_alpha_choice *choice, const double *screened, int64_t count)
{
    for (int64_t k = 0; k < choice->columns; k++) {
        int64_t promising = -1;
        double least = choice->best[k].alpha == 0 ? INFINITY : choice->best[k].error;
        for (int64_t i = 0; i < count; i++)
            if (screened[i * choice->columns + k] < least) {
                least = screened[i * choice->columns + k];
                promising = i;
            }
        if (promising >= 0)
            return promising;
    }
    return -1;
}

static volt_status evaluate_promising(volt_alpha_choice *choice, const double *alphas, int64_t count,
                                      volt_status *failure)
{
    double *screened = volt_alloc_doubles(count, choice->columns);
    for (int64_t i = 0; screened && i < count * choice->columns; i++)
        screened[i] = INFINITY;
    volt_status status = screened ? try_in_order(choice, alphas, count, screened, failure) : VOLT_ERR_MEMORY;
    for (int64_t next; status == VOLT_OK && (next = most_promising(choice, screened, count)) >= 0;) {
        status = try_candidate(choice, alphas[next], failure);
        for (int64_t k = 0; k < choice->columns; k++)
            screened[next * choice->columns + k] = INFINITY;
    }
    volt_free(screened);
    return status;
}

volt_status volt_alpha_choose(volt_alpha_choice *choice)
{
    double alphas[VOLT_MAX_ALPHAS] = {choice->given};
    volt_status failure = VOLT_OK;
    choice->tried = choice->given > 0 ? 1 : volt_alpha_list(choice->grid, choice->unit, choice->least, alphas);
    choice->failed = 0;
    if (choice->screen && choice->tried > 1)
        VOLT_TRY(evaluate_promising(choice, alphas, choice->tried, &failure));
    else if (choice->start > 0 && choice->tried > 1)
        VOLT_TRY(try_around(choice, alphas, choice->tried, &failure));
    else
        VOLT_TRY(try_in_order(choice, alphas, choice->tried, NULL, &failure));
    for (int64_t k = 0; k < choice->columns; k++)
        if (choice->best[k].alpha != 0)
            return VOLT_OK;
    return failure;
}

volt_status volt_alpha_choose_one(volt_alpha_grid grid, double given, volt_alpha_fn evaluate, void *context,
                                  volt_alpha_best *best)
{
    *best = (volt_alpha_best){0};
    volt_alpha_choice choice = {.grid = grid,
                                .given = given,
                                .unit = 1,
                                .evaluate = evaluate,
                                .context = context,
                                .columns = 1,
                                .best = best};
    return volt_alpha_choose(&choice);
}
