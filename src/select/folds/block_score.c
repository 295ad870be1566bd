/* src/select/folds/block_score.c: scores of a validation block. */
#include "select/folds/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/stats_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double volt_score_sign(volt_score score)
{
    return score == VOLT_SCORE_NMSE || score == VOLT_SCORE_MSE || score == VOLT_SCORE_LOO ||
                   score == VOLT_SCORE_GCV || score == VOLT_SCORE_LOSS
               ? -1
               : 1;
}

const char *volt_score_name(volt_score score)
{
    static const char *const names[] = {"r2", "nmse", "mse", "prequential", "log", "loo", "gcv", "loss"};
    return names[score];
}

bool volt_score_is_of_all_rows(volt_score score)
{
    return score == VOLT_SCORE_LOG || score == VOLT_SCORE_LOO || score == VOLT_SCORE_GCV;
}

/* Copies the rows of the block (rows x q) that are not in the washout of a record. */
static volt_view copy_scored(const volt_problem *problem, const volt_split *split, volt_view rows, double *to)
{
    int64_t count = 0, q = problem->q;
    for (int64_t i = 0; i < rows.rows; i++)
        if (!problem->without[split->begin + i])
            memcpy(to + count++ * q, rows.data + i * rows.ld, (size_t)q * sizeof *to);
    return volt_view_of(to, count, q);
}

static volt_status score_rows(const volt_problem *problem, const volt_split *split, volt_view truth,
                              volt_view levels, volt_view forecast, double *score)
{
    int64_t q = problem->q;
    double value = 0;
    for (int64_t k = 0; levels.data && problem->score != VOLT_SCORE_MSE && k < q; k++) {
        volt_output output = volt_output_of(truth, forecast, k), level = volt_output_of(levels, levels, k);
        value += volt_output_nmse_of_levels(&output, &level) / (double)q;
    }
    if (problem->score == VOLT_SCORE_MSE)
        for (int64_t k = 0; k < q; k++) {
            volt_output output = volt_output_of(truth, forecast, k);
            value += volt_output_error(&output, problem->target_scale[k]) / (double)q;
        }
    else if (!levels.data)
        value = volt_normalised_error(truth, forecast);
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE,
                 "the forecasts for rows %" PRId64 " to %" PRId64 " are too large for a double",
                 split->begin + 1, split->end);
    *score = problem->score == VOLT_SCORE_R2 || problem->score == VOLT_SCORE_PREQUENTIAL ? 1 - value : value;
    return VOLT_OK;
}

volt_status volt_block_score(const volt_problem *problem, const volt_split *split, volt_view forecast,
                             double *score)
{
    int64_t q = problem->q, size = forecast.rows * q;
    volt_view truth = volt_view_of(problem->Y + split->begin * q, forecast.rows, q), levels = {0};
    if (problem->levels)
        levels = volt_view_of(problem->levels + split->begin * q, forecast.rows, q);
    if (!problem->without)
        return score_rows(problem, split, truth, levels, forecast, score);
    double *rows = volt_alloc_doubles(3, size);
    if (!rows)
        return VOLT_ERR_MEMORY;
    if (levels.data)
        levels = copy_scored(problem, split, levels, rows + 2 * size);
    volt_status status = score_rows(problem, split, copy_scored(problem, split, truth, rows), levels,
                                    copy_scored(problem, split, forecast, rows + size), score);
    volt_free(rows);
    return status;
}

/* Population variance. */
static double variance(volt_view Y, int64_t k)
{
    double mean = 0, sum = 0, n = (double)Y.rows;
    for (int64_t i = 0; i < Y.rows; i++)
        mean += Y.data[i * Y.ld + k] / n;
    for (int64_t i = 0; i < Y.rows; i++)
        sum += (Y.data[i * Y.ld + k] - mean) * (Y.data[i * Y.ld + k] - mean);
    return sum / n;
}

volt_status volt_gcv_score(const volt_problem *problem, const double *gcv, double *score)
{
    int64_t q = problem->q, first = problem->washout;
    volt_view truth =
        volt_view_of((problem->levels ? problem->levels : problem->Y) + first * q, problem->n - first, q);
    double value = 0;
    for (int64_t k = 0; k < q; k++)
        value += gcv[k] / variance(truth, k) / (double)q;
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE,
                 "generalised cross-validation is not finite: a target is constant, or fitted exactly");
    *score = value;
    return VOLT_OK;
}
