/* cli/commands/score_skill.c: skill and MASE: errors in units of those of a forecast that needs no model.
 *
 * A baseline needs the truth of rows before. Those that it lacks at the beginning of the scored rows are left out of the
 * comparison, for the forecast as well. */
#include "commands/score_skill.h"

#include "files/inputs.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How a baseline is called in the results. */
typedef struct skill_words {
    volt_baseline baseline;
    const char *skill_key, *mase_key, *rows_key, *skill_label, *mase_label, *rows_label;
    char *note; /* where the baseline does better */
} skill_words;

static char naive_is_better[] =
    "skill is below 0: the naive forecast, which knows earlier truth, has the smaller squared error";
static char seasonal_is_better[] =
    "skill is below 0: the seasonal naive forecast, which knows earlier truth, has the smaller squared error";

static const skill_words naive_words = {
    VOLT_BASELINE_NAIVE,
    "skill",
    "mase",
    "skill_rows",
    "skill  1 - MSE over the naive forecast's",
    "MASE   MAE over the naive forecast's",
    "naive forecast",
    naive_is_better,
};
static const skill_words seasonal_words = {
    VOLT_BASELINE_SEASONAL,
    "skill_seasonal",
    "mase_seasonal",
    "skill_seasonal_rows",
    "skill  1 - MSE over seasonal naive's",
    "MASE   MAE over seasonal naive's",
    "seasonal naive forecast",
    seasonal_is_better,
};

/* How far behind a row the one lies that the baseline repeats. */
static int64_t rows_behind(const skill_task *task, volt_baseline baseline)
{
    const int64_t S = baseline == VOLT_BASELINE_SEASONAL ? task->season : 1;
    return (task->ahead + S - 1) / S * S;
}

/* The rows of the past that matter, then the truth. */
static int stack(const skill_task *task, int64_t n_past, volt_matrix *levels)
{
    const volt_view truth = task->truth;
    const volt_view past = volt_view_rows(task->past, task->past.rows - n_past, n_past);
    int failed = allocate_matrix(n_past + truth.rows, truth.cols, "the truth and the rows before it", levels);
    if (failed)
        return failed;
    for (int64_t i = 0; i < levels->rows; i++)
        for (int64_t k = 0; k < truth.cols; k++)
            levels->data[i * levels->ld + k] =
                i < n_past ? past.data[i * past.ld + k] : truth.data[(i - n_past) * truth.ld + k];
    return 0;
}

/* Compare the last `count` rows. */
static volt_status compare(const skill_task *task, volt_baseline baseline, volt_view levels,
                           volt_matrix forecasts, volt_skill *skill)
{
    const int64_t count = forecasts.rows, first = task->truth.rows - count;
    volt_status status =
        volt_baseline_forecast(baseline, levels, task->ahead, task->season, 0, levels.rows - count, forecasts);
    return status ? status
                  : volt_skill_compute(volt_view_rows(task->truth, first, count),
                                       volt_view_rows(task->forecast, first, count), volt_as_view(forecasts),
                                       skill);
}

static void say_rows(const skill_task *task, const skill_words *words, int64_t behind, int64_t count,
                     result_list *results)
{
    const int64_t lost = task->truth.rows - count;
    char left_out[96] = "";
    if (lost > 0)
        snprintf(left_out, sizeof left_out, "; the first %lld, without a past, left out (--past)",
                 (long long)lost);
    results_text(results, NULL, words->rows_label, "the truth %lld row%s before, over %lld rows%s",
                 (long long)behind, behind == 1 ? "" : "s", (long long)count, left_out);
}

static void leave_out(const skill_words *words, const char *why, result_list *results)
{
    results_number(results, words->skill_key, NULL, NAN); /* null */
    results_number(results, words->mase_key, NULL, NAN);
    results_text(results, NULL, words->skill_label, "left out: %s", why);
}

static int report_one(const skill_task *task, const skill_words *words, result_list *results,
                      score_notes *notes)
{
    const int64_t behind = rows_behind(task, words->baseline);
    const int64_t known = task->past.data ? task->past.rows : 0, n_past = known < behind ? known : behind;
    const int64_t lost = behind - n_past, count = task->truth.rows > lost ? task->truth.rows - lost : 0;
    results_count(results, words->rows_key, NULL, count);
    if (count == 0) {
        char why[128];
        snprintf(why, sizeof why, "it needs the truth %lld rows before, and no scored row has that (--past)",
                 (long long)behind);
        leave_out(words, why, results);
        return 0;
    }
    volt_matrix levels = {0}, forecasts = {0};
    volt_skill skill = {.struct_size = sizeof skill};
    int failed = stack(task, n_past, &levels);
    if (!failed)
        failed = allocate_matrix(count, task->truth.cols, "the forecasts to compare with", &forecasts);
    volt_status status =
        failed ? VOLT_OK : compare(task, words->baseline, volt_as_view(levels), forecasts, &skill);
    free(forecasts.data);
    free(levels.data);
    if (failed)
        return failed;
    if (status == VOLT_ERR_DATA) {
        leave_out(words, "that forecast is exact", results);
    } else if (status) {
        return complain_status(status);
    } else {
        results_number(results, words->skill_key, words->skill_label, skill.skill);
        results_number(results, words->mase_key, words->mase_label, skill.mase);
    }
    say_rows(task, words, behind, count, results);
    if (!status && skill.skill < 0)
        notes->texts[notes->count++] = words->note;
    return 0;
}

int report_skill(const skill_task *task, result_list *results, score_notes *notes)
{
    results_count(results, "ahead", NULL, task->ahead);
    int failed = report_one(task, &naive_words, results, notes);
    if (!failed && task->season > 0) {
        results_count(results, "season", NULL, task->season);
        failed = report_one(task, &seasonal_words, results, notes);
    }
    return failed;
}
