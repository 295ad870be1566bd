/* cli/compare/comparison.c: rows of a comparison, computed from its samples. */
#include "compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool comparison_add(cli_comparison *comparison, volt_comparison *sample)
{
    volt_comparison **samples =
        realloc(comparison->samples, ((size_t)comparison->n_samples + 1) * sizeof(volt_comparison *));
    if (!samples) {
        volt_comparison_free(sample);
        return false;
    }
    comparison->samples = samples;
    comparison->samples[comparison->n_samples++] = sample;
    return true;
}

void comparison_release(cli_comparison *comparison)
{
    for (int64_t i = 0; i < comparison->n_samples; i++)
        volt_comparison_free(comparison->samples[i]);
    free(comparison->samples);
    free(comparison->rows);
    free(comparison->order);
    memset(comparison, 0, sizeof *comparison);
}

/* ---- measures --------------------------------------------------------------------------------- */

const char *measure_key(measure which)
{
    static const char *const keys[N_MEASURES] = {
        [MEASURE_MDAE] = "mdae", [MEASURE_NMSE] = "nmse", [MEASURE_W1] = "w1",
        [MEASURE_RMSE] = "rmse", [MEASURE_MAE] = "mae",   [MEASURE_LOSS] = "loss",
    };
    return keys[which];
}

measure comparison_ranked_by(const cli_comparison *comparison)
{
    return comparison->setting.loss_score ? MEASURE_LOSS : MEASURE_NMSE;
}

const char *comparison_rank_label(const cli_comparison *comparison)
{
    return comparison->setting.loss_score ? comparison->setting.loss_score : "NMSE";
}

int comparison_measures(const cli_comparison *comparison, int *first)
{
    *first = comparison->setting.loss_score ? MEASURE_LOSS : MEASURE_MDAE;
    return comparison->setting.loss_score ? N_MEASURES : MEASURE_LOSS;
}

double measure_of(const volt_comparison_row *row, measure which)
{
    const volt_metrics *metrics = row->metrics;
    const double values[N_MEASURES] = {
        [MEASURE_MDAE] = metrics->mdae, [MEASURE_NMSE] = metrics->nmse, [MEASURE_W1] = metrics->w1,
        [MEASURE_RMSE] = metrics->rmse, [MEASURE_MAE] = metrics->mae,   [MEASURE_LOSS] = row->loss,
    };
    return values[which];
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Updates the mean of `count` values with the last value. Until finish_estimate, .error holds the sum of
 * squared deviations (Welford). */
static void accumulate(estimate *sum, int64_t count, double value)
{
    double distance = value - sum->mean;
    sum->mean += distance / (double)count;
    sum->error += distance * (value - sum->mean);
}

static void finish_estimate(estimate *sum, int64_t count)
{
    if (count == 0)
        sum->mean = NAN;
    sum->error = count > 1 ? sqrt(sum->error / (double)(count - 1) / (double)count) : NAN;
}

void comparison_name_by_kernel(cli_comparison *comparison)
{
    for (int64_t i = 0; i < comparison->n_rows; i++)
        comparison->rows[i].name = comparison->rows[i].kernel;
}

/* Summarises row `i` over all samples. Interrupted samples may lack the row. */
static void summarise_row(const cli_comparison *comparison, int64_t i, comparison_row *row)
{
    int64_t compared = 0;
    double draws = 0, failed = 0, lowest = INFINITY;
    memset(row, 0, sizeof *row);
    row->cost = "";
    for (int64_t s = 0; s < comparison->n_samples; s++) {
        const volt_comparison_row *result = volt_comparison_row_at(comparison->samples[s], i);
        if (!result)
            continue;
        compared++;
        row->name = result->name;
        row->kernel = result->given;
        draws += (double)result->draws;
        failed += (double)result->failed;
        row->seconds += result->seconds;
        row->fit_seconds += result->fit_seconds;
        row->hyperparameters = result->hyperparameters;
        row->cost = result->cost ? result->cost : "";
        if (result->failure) {
            row->failure = result->failure;
            continue;
        }
        row->results++;
        for (int m = 0; m < N_MEASURES; m++)
            accumulate(&row->values[m], row->results, measure_of(result, (measure)m));
        accumulate(&row->mcs_pvalue, row->results, result->mcs_pvalue);
        row->in_mcs += result->in_mcs != 0;
        double value = measure_of(result, comparison_ranked_by(comparison));
        if (!row->won || value < lowest) {
            row->won = result;
            lowest = value;
        }
    }
    if (compared > 0) {
        row->draws = (int64_t)llround(draws / (double)compared);
        row->failed = (int64_t)llround(failed / (double)compared);
        row->seconds /= (double)compared;
        row->fit_seconds /= (double)compared;
    }
    for (int m = 0; m < N_MEASURES; m++)
        finish_estimate(&row->values[m], row->results);
    finish_estimate(&row->mcs_pvalue, row->results);
    if (row->results > 0)
        row->failure = NULL;
}

static void rank_rows(cli_comparison *comparison)
{
    int64_t *order = comparison->order, count = 0;
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        if (row->results == 0)
            continue;
        int64_t at = count++;
        measure by = comparison_ranked_by(comparison);
        for (; at > 0 && comparison->rows[order[at - 1]].values[by].mean > row->values[by].mean; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    comparison->n_ranked = count;
}

bool comparison_summarise(cli_comparison *comparison)
{
    int64_t count = 0;
    for (int64_t s = 0; s < comparison->n_samples; s++)
        while (volt_comparison_row_at(comparison->samples[s], count))
            count++;
    comparison->rows = calloc((size_t)count + 1, sizeof *comparison->rows);
    comparison->order = calloc((size_t)count + 1, sizeof *comparison->order);
    if (!comparison->rows || !comparison->order)
        return false;
    comparison->n_rows = count;
    for (int64_t i = 0; i < count; i++)
        summarise_row(comparison, i, &comparison->rows[i]);
    rank_rows(comparison);
    return true;
}

/* ---- ranking ---------------------------------------------------------------------------------- */

const comparison_row *comparison_lowest(const cli_comparison *comparison, measure which)
{
    const comparison_row *lowest = NULL;
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        if (row->results > 0 && (!lowest || row->values[which].mean < lowest->values[which].mean))
            lowest = row;
    }
    return lowest;
}

bool comparison_in_mcs(const cli_comparison *comparison, const comparison_row *row)
{
    return row->in_mcs > 0 && row->in_mcs == comparison->n_samples;
}
