/* src/task/assess.c: compares a model with baselines on the evaluation rows. */
#include "base/error.h"
#include "base/memory.h"
#include "select/folds/problem.h"
#include "solve/loss/loss.h"
#include "stats/stats_internal.h"
#include "volterra/task.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A baseline is better when its error is below this share of the model's. */
static const double better_share = 0.99;

/* The model to assess, and the rows. */
typedef struct assess_task {
    const volt_pairing *pairing;
    const volt_assess_options *options;
    volt_split *blocks;
    int64_t n_blocks;
    bool by_rmse; /* the model's error in the blocks is heldout_rmse, not the score of the options */
} assess_task;

volt_assess_options volt_assess_options_default(void)
{
    return (volt_assess_options){
        .struct_size = sizeof(volt_assess_options), .score = NAN, .season = VOLT_SEASON_AUTO};
}

static void add_warning(volt_assessment *made, volt_warning warning)
{
    assert((size_t)made->n_warnings < sizeof made->warnings / sizeof *made->warnings);
    made->warnings[made->n_warnings++] = warning;
}

/* ---- baselines of squares --------------------------------------------------------------------- */

/* A power of two that scales the series so that its squares neither overflow nor underflow. 1 except for
 * extreme series. */
static double series_unit(volt_view series)
{
    enum { SAFE = 400 };
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < series.rows; i++)
        for (int64_t k = 0; k < series.cols; k++)
            largest = fmax(largest, fabs(series.data[i * series.ld + k]));
    frexp(largest, &exponent);
    bool is_safe = largest == 0 || !isfinite(largest) || abs(exponent) <= SAFE;
    return is_safe ? 1 : ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* Means over the horizons of one baseline in one block; the MSE is for the series times `unit`. */
static volt_status measure_block(const assess_task *task, volt_baseline kind, int64_t season,
                                 const volt_split *block, double unit, volt_matrix truth, volt_matrix forecast,
                                 volt_baseline_score *score)
{
    const volt_pairing *pairing = task->pairing;
    volt_view series = pairing->series;
    bool running = task->options->running || task->by_rmse;
    int64_t horizons = pairing->ahead - pairing->first_ahead + 1;
    int64_t learn_end = running ? 0 : block->train_end + pairing->ahead;
    for (int64_t h = pairing->first_ahead; h <= pairing->ahead; h++) {
        int64_t begin = block->begin + h, lag = h > 1 ? h : 1;
        volt_metrics metrics = {.struct_size = sizeof metrics};
        VOLT_TRY(volt_baseline_forecast(kind, series, lag, season, learn_end, begin, forecast));
        for (int64_t i = 0; i < truth.rows; i++)
            for (int64_t k = 0; k < truth.cols; k++) {
                truth.data[i * truth.ld + k] = series.data[(begin + i) * series.ld + k] * unit;
                forecast.data[i * forecast.ld + k] *= unit;
            }
        VOLT_TRY(volt_metrics_compute(volt_as_view(truth), volt_as_view(forecast), &metrics));
        score->mse += metrics.mse / (double)horizons;
        score->rmse += metrics.rmse / unit / (double)horizons;
        score->mae += metrics.mae / unit / (double)horizons;
        score->r2 += metrics.r2 / (double)horizons;
    }
    return VOLT_OK;
}

/* Means over the blocks. *known: every block has enough rows before it. */
static volt_status measure_baseline(const assess_task *task, volt_baseline kind, int64_t season, double unit,
                                    volt_matrix truth, volt_matrix forecast, volt_baseline_score *mean,
                                    bool *known)
{
    double share = 1 / (double)task->n_blocks;
    for (int64_t b = 0; b < task->n_blocks; b++) {
        const volt_split *block = &task->blocks[b];
        volt_baseline_score score = {0};
        int64_t rows = block->end - block->begin;
        volt_status status = measure_block(task, kind, season, block, unit, volt_matrix_rows(truth, 0, rows),
                                           volt_matrix_rows(forecast, 0, rows), &score);
        *known = status != VOLT_ERR_ARGUMENT;
        if (status)
            return *known ? status : VOLT_OK;
        mean->mse += share * score.mse;
        mean->rmse += share * score.rmse;
        mean->mae += share * score.mae;
        mean->r2 += share * score.r2;
    }
    return VOLT_OK;
}

/* The model's squared error relative to the baseline's; its MSE is still in `unit`. */
static double squares_ratio(const assess_task *task, const volt_assessment *made, double unit,
                            const volt_baseline_score *baseline)
{
    double score = task->options->score;
    if (task->by_rmse)
        return pow(made->heldout_rmse * unit, 2) / baseline->mse;
    switch (task->options->measure) {
    case VOLT_SCORE_MSE:
        return pow(sqrt(score) * unit, 2) / baseline->mse;
    case VOLT_SCORE_NMSE:
        score = 1 - score;
        break;
    case VOLT_SCORE_R2:
    case VOLT_SCORE_PREQUENTIAL:
        break;
    default: /* scores of all rows together, not of the blocks */
        return NAN;
    }
    return (1 - score) / (1 - baseline->r2);
}

static volt_status measure_all(const assess_task *task, volt_matrix truth, volt_matrix forecast,
                               volt_assessment *made)
{
    double unit = series_unit(task->pairing->series);
    for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++) {
        volt_baseline_score score = {.name = volt_baseline_name((volt_baseline)kind), .loss = NAN};
        bool known = false;
        if (kind == VOLT_BASELINE_SEASONAL && made->season < 2)
            continue;
        VOLT_TRY(
            measure_baseline(task, (volt_baseline)kind, made->season, unit, truth, forecast, &score, &known));
        if (!known)
            continue;
        score.ratio = squares_ratio(task, made, unit, &score);
        if (task->by_rmse) /* as heldout_rmse */
            score.rmse = sqrt(score.mse) / unit;
        score.mse = score.mse / unit / unit;
        made->baselines[made->n_baselines++] = score;
    }
    return VOLT_OK;
}

static volt_status measure_baselines(const assess_task *task, volt_assessment *made)
{
    volt_view series = task->pairing->series;
    int64_t rows = 0, season_rows = task->options->season_rows > 0 ? task->options->season_rows : series.rows;
    made->season = task->options->season;
    if (made->season == VOLT_SEASON_AUTO)
        made->season = 0;
    for (int64_t k = 0; k < series.cols && task->options->season == VOLT_SEASON_AUTO && made->season == 0; k++)
        VOLT_TRY(volt_season_find(series.data + k, season_rows, series.ld, &made->season));
    for (int64_t b = 0; b < task->n_blocks; b++)
        if (task->blocks[b].end - task->blocks[b].begin > rows)
            rows = task->blocks[b].end - task->blocks[b].begin;
    if (rows == 0)
        return VOLT_OK;
    volt_matrix truth = volt_matrix_of(volt_alloc_doubles(rows, series.cols), rows, series.cols);
    volt_matrix forecast = volt_matrix_of(volt_alloc_doubles(rows, series.cols), rows, series.cols);
    volt_status status =
        truth.data && forecast.data ? measure_all(task, truth, forecast, made) : VOLT_ERR_MEMORY;
    volt_free(truth.data);
    volt_free(forecast.data);
    return status;
}

/* ---- baselines of a loss ---------------------------------------------------------------------- */

/* Targets of rows begin .. end - 1; less the present values where `change`. */
static double *take_targets(const volt_pairing *pairing, bool change, int64_t begin, int64_t end)
{
    volt_view Y = pairing->targets, X = pairing->inputs;
    double *taken = volt_alloc_doubles(end - begin, Y.cols);
    for (int64_t i = begin; taken && i < end; i++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double now = change ? X.data[i * X.ld + pairing->anchors[k]] : 0;
            taken[(i - begin) * Y.cols + k] = Y.data[i * Y.ld + k] - now;
        }
    return taken;
}

static volt_status score_constant(const assess_task *task, const volt_loss *loss, bool change, int64_t outputs,
                                  const volt_split *block, double *score)
{
    const double *weights = task->options->weights;
    int64_t cols = task->pairing->targets.cols, rows = block->end - block->begin;
    double *known = take_targets(task->pairing, change, block->train_begin, block->train_end);
    double *later = take_targets(task->pairing, change, block->begin, block->end);
    double *forecasts = volt_alloc_doubles(rows, outputs);
    volt_status status = known && later && forecasts ? VOLT_OK : VOLT_ERR_MEMORY;
    if (!status)
        status = volt_loss_constant(loss, volt_view_of(known, block->train_end - block->train_begin, cols),
                                    weights ? weights + block->train_begin : NULL, outputs, forecasts);
    for (int64_t i = 1; !status && i < rows; i++)
        memcpy(forecasts + i * outputs, forecasts, (size_t)outputs * sizeof(double));
    if (!status)
        status = volt_loss_score(loss, volt_view_of(later, rows, cols), volt_view_of(forecasts, rows, outputs),
                                 weights ? weights + block->begin : NULL, score);
    volt_free(known);
    volt_free(later);
    volt_free(forecasts);
    return status;
}

static double sum_of(const double *weights, int64_t begin, int64_t end)
{
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += weights[i];
    return sum;
}

/* The constant of least loss and, where every target is an input, the present value and a constant change. */
static volt_status measure_constants(const assess_task *task, const volt_loss *loss, volt_assessment *made)
{
    const volt_pairing *pairing = task->pairing;
    const double *weights = task->options->weights;
    const volt_loss_info *info = &loss->kind->info;
    int64_t outputs = volt_loss_outputs(loss, pairing->targets.cols, pairing->n_classes);
    for (int64_t b = 0; weights && b < task->n_blocks; b++)
        if (!(sum_of(weights, task->blocks[b].train_begin, task->blocks[b].train_end) > 0 &&
              sum_of(weights, task->blocks[b].begin, task->blocks[b].end) > 0))
            return VOLT_OK;
    int64_t count = task->n_blocks == 0 ? 0 : pairing->anchors && !info->unscaled ? 2 : 1;
    for (int64_t i = 0; i < count; i++) {
        volt_baseline_score mean = {.name = i ? "naive and a constant change" : info->constant,
                                    .mse = NAN,
                                    .rmse = NAN,
                                    .mae = NAN,
                                    .r2 = NAN};
        for (int64_t b = 0; b < task->n_blocks; b++) {
            double score = 0;
            VOLT_TRY(score_constant(task, loss, i > 0, outputs, &task->blocks[b], &score));
            mean.loss += score / (double)task->n_blocks;
        }
        mean.ratio = task->options->score / mean.loss;
        made->baselines[made->n_baselines++] = mean;
    }
    return VOLT_OK;
}

/* ---- the model -------------------------------------------------------------------------------- */

/* The root of the mean of squares that may overflow or underflow. */
static double root_mean_square(const double *roots, int64_t count)
{
    double largest = 0, sum = 0;
    int exponent;
    if (!roots)
        return NAN;
    for (int64_t k = 0; k < count; k++)
        largest = isnan(roots[k]) || isnan(largest) ? NAN : fmax(largest, roots[k]);
    if (!(largest > 0) || isinf(largest))
        return largest;
    frexp(largest, &exponent);
    for (int64_t k = 0; k < count; k++)
        sum += pow(ldexp(roots[k], -exponent), 2) / (double)count;
    return ldexp(sqrt(sum), exponent);
}

static void judge_model(const volt_model_info *info, volt_assessment *made)
{
    const volt_fit_report *report = info->report;
    int64_t q = info->q;
    for (int64_t k = 0; k < q; k++) {
        made->naive_outputs += report->share[k] == 0;
        made->halfway_outputs += report->share[k] > 0 && report->share[k] < 1;
    }
    made->heldout_rows = report->rows;
    made->loo_rmse = root_mean_square(report->loo_rmse, q);
    made->gcv_rmse = root_mean_square(report->gcv_rmse, q);
    if (report->rows == 0) {
        if (!info->loss) /* fits with a loss do not measure errors */
            add_warning(made, (volt_warning){.code = VOLT_WARNING_FEW_ROWS});
        return;
    }
    made->heldout_rmse = root_mean_square(report->rmse, q);
    made->naive_ratio =
        pow(root_mean_square(report->best_rmse, q) / root_mean_square(report->naive_rmse, q), 2);
    if (made->naive_outputs == q)
        add_warning(made, (volt_warning){.code = VOLT_WARNING_NAIVE_FORECAST, .value = made->naive_ratio});
}

/* R2 of the fitted values in the rows with all targets known. */
static volt_status measure_fitted(volt_view targets, volt_view fitted, bool has_missing, double *r2)
{
    if (!has_missing)
        return volt_r2(targets, fitted, r2);
    int64_t kept = 0, cols = targets.cols;
    double *truth = volt_alloc_doubles(targets.rows, cols), *values = volt_alloc_doubles(targets.rows, cols);
    for (int64_t i = 0; truth && values && i < targets.rows; i++) {
        bool missing = false;
        for (int64_t k = 0; k < cols; k++) {
            truth[kept * cols + k] = targets.data[i * targets.ld + k];
            values[kept * cols + k] = fitted.data[i * fitted.ld + k];
            missing |= isnan(targets.data[i * targets.ld + k]) != 0;
        }
        kept += !missing;
    }
    volt_status status = truth && values
                             ? volt_r2(volt_view_of(truth, kept, cols), volt_view_of(values, kept, cols), r2)
                             : VOLT_ERR_MEMORY;
    volt_free(truth);
    volt_free(values);
    return status;
}

static volt_status assess_fitted(const assess_task *task, const volt_model_info *info, const volt_loss *loss,
                                 volt_assessment *made)
{
    const double *weights = task->options->weights;
    int64_t first = info->washout, rows = info->n - first;
    volt_view fitted = task->options->fitted;
    VOLT_REQUIRE(fitted.rows == info->n && fitted.cols == info->q && task->pairing->targets.rows == info->n,
                 VOLT_ERR_SHAPE, "fitted must be %lld x %lld like the pairs of the model (got %lld x %lld)",
                 (long long)info->n, (long long)info->q, (long long)fitted.rows, (long long)fitted.cols);
    volt_view targets = volt_view_rows(task->pairing->targets, first, rows);
    fitted = volt_view_rows(fitted, first, rows);
    if (!info->loss)
        return measure_fitted(targets, fitted, task->pairing->missing_targets > 0, &made->r2);
    return loss ? volt_loss_score(loss, targets, fitted, weights ? weights + first : NULL, &made->loss)
                : VOLT_OK;
}

/* ---- assessment ------------------------------------------------------------------------------- */

static volt_status make_blocks(assess_task *task, const volt_model_info *info)
{
    const volt_assess_options *options = task->options;
    int64_t count = options->splits ? options->splits->folds : 1, n = task->pairing->inputs.rows;
    VOLT_REQUIRE(count >= 1, VOLT_ERR_ARGUMENT, "folds must be at least 1 (got %lld)", (long long)count);
    if (count > n) /* too few rows for the search as well */
        return VOLT_OK;
    task->blocks = volt_alloc_zero(count, sizeof *task->blocks);
    if (!task->blocks)
        return VOLT_ERR_MEMORY;
    if (options->splits) {
        task->n_blocks = volt_splits(n, options->splits, task->blocks) == VOLT_OK ? count : 0;
    } else if (options->test) {
        VOLT_REQUIRE(options->test->begin >= 0 && options->test->begin < options->test->end &&
                         options->test->end <= n && options->test->train_begin >= 0 &&
                         options->test->train_begin < options->test->train_end && options->test->train_end <= n,
                     VOLT_ERR_ARGUMENT, "the test rows must be rows of the %lld pairs, after some to train on",
                     (long long)n);
        task->blocks[0] = *options->test;
        task->n_blocks = 1;
    } else if (info->report && info->report->rows > 0) {
        task->blocks[0] =
            (volt_split){.begin = info->report->first, .end = info->report->first + info->report->rows};
        task->n_blocks = 1;
        task->by_rmse = true;
    }
    return VOLT_OK;
}

static void find_warnings(const assess_task *task, const volt_model_info *info, volt_assessment *made)
{
    const volt_assess_options *options = task->options;
    double score = options->score, ratio = 1 / better_share;
    bool fed_outputs = task->pairing->fed_outputs || info->feedback_weight > 0, worse = false;
    if (!options->splits && !options->test)
        worse = made->heldout_rows > 0 && info->report->heldout_r2 < 0;
    else if (options->measure == VOLT_SCORE_R2 || options->measure == VOLT_SCORE_PREQUENTIAL)
        worse = !options->by_loss && score < 0;
    else if (options->measure == VOLT_SCORE_NMSE || options->measure == VOLT_SCORE_LOO ||
             options->measure == VOLT_SCORE_GCV)
        worse = score > 1;
    if (worse)
        add_warning(made, (volt_warning){.code = VOLT_WARNING_WORSE_THAN_CONSTANT});
    if (made->n_baselines > 0 && options->simulated) {
        add_warning(made, (volt_warning){.code = VOLT_WARNING_FREE_RUN});
        return;
    }
    if (made->n_baselines > 0 && !options->by_loss && !task->pairing->anchors && !fed_outputs)
        add_warning(made, (volt_warning){.code = VOLT_WARNING_PAST_TARGETS});
    for (int64_t i = 0; i < made->n_baselines; i++)
        if (made->baselines[i].ratio > ratio) {
            ratio = made->baselines[i].ratio;
            made->better = i;
        }
    if (made->better < 0)
        return;
    volt_warning warning = {.code = VOLT_WARNING_BETTER_BASELINE, .value = 1 / ratio};
    for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++)
        if (made->baselines[made->better].name == volt_baseline_name((volt_baseline)kind))
            warning.baseline = (volt_baseline)kind;
    add_warning(made, warning);
}

static volt_status assess(assess_task *task, const volt_loss *loss, volt_assessment *made)
{
    const volt_pairing *pairing = task->pairing;
    const volt_assess_options *options = task->options;
    volt_model_info info = {.struct_size = sizeof info};
    if (options->model)
        volt_model_get_info(options->model, &info);
    VOLT_REQUIRE(info.n_members == 0, VOLT_ERR_ARGUMENT,
                 "the assessment of a fit is not supported for a sum of models");
    VOLT_TRY(make_blocks(task, &info));
    if (info.report)
        judge_model(&info, made);
    if (loss) {
        volt_loss_info of_loss = {.struct_size = sizeof of_loss};
        volt_loss_get_info(loss, &of_loss);
        made->loss_name = of_loss.score;
    }
    if (options->model && options->fitted.data)
        VOLT_TRY(assess_fitted(task, &info, loss, made));
    bool has_blocks = options->splits || options->test;
    if (loss && has_blocks)
        VOLT_TRY(measure_constants(task, loss, made));
    else if (!loss && (has_blocks || info.report) && !info.loss && !options->weights && !pairing->records &&
             pairing->missing_targets == 0)
        VOLT_TRY(measure_baselines(task, made));
    find_warnings(task, &info, made);
    return VOLT_OK;
}

volt_status volt_assess(const volt_pairing *pairing, const volt_assess_options *options,
                        volt_assessment *assessment)
{
    volt_assess_options chosen = volt_assess_options_default();
    VOLT_REQUIRE(pairing && assessment, VOLT_ERR_ARGUMENT, "pairing and assessment must not be NULL");
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_assess_options"));
    VOLT_REQUIRE(chosen.season == VOLT_SEASON_AUTO || chosen.season == 0 || chosen.season >= 2,
                 VOLT_ERR_ARGUMENT, "season must be at least 2, 0 for none, or VOLT_SEASON_AUTO (got %lld)",
                 (long long)chosen.season);
    VOLT_REQUIRE(chosen.season_rows >= 0 && chosen.season_rows <= pairing->series.rows, VOLT_ERR_ARGUMENT,
                 "season_rows must be at most the %lld rows of the series (got %lld)",
                 (long long)pairing->series.rows, (long long)chosen.season_rows);
    assess_task task = {.pairing = pairing, .options = &chosen};
    volt_assessment made = {.heldout_rmse = NAN,
                            .loo_rmse = NAN,
                            .gcv_rmse = NAN,
                            .naive_ratio = NAN,
                            .r2 = NAN,
                            .loss = NAN,
                            .better = -1};
    volt_loss *loss = NULL;
    if (chosen.by_loss && pairing->loss)
        VOLT_TRY(volt_loss_parse(pairing->loss, &loss));
    volt_status status = assess(&task, loss, &made);
    volt_loss_free(loss);
    volt_free(task.blocks);
    return status ? status : volt_result_copy(assessment, &made, sizeof made, "volt_assessment");
}
