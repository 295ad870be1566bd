/* cli/commands/score_skill.c: skill and MASE: errors relative to a naive baseline.
 *
 * A baseline requires earlier true values. Scored rows without them are excluded from the comparison for both
 * the baseline and the forecast. */
#include "commands/score_skill.h"

#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>

/* Names of a baseline in the results. */
typedef struct skill_words {
    volt_baseline baseline;
    const char *skill_key, *mase_key, *rows_key, *skill_label, *mase_label, *rows_label;
    char *note; /* printed if the baseline is better */
} skill_words;

static char naive_is_better[] =
    "skill is below 0: the naive forecast, which uses earlier truth, has the lower squared error";
static char seasonal_is_better[] =
    "skill is below 0: the seasonal naive forecast, which uses earlier truth, has the lower squared error";

static const skill_words naive_words = {
    VOLT_BASELINE_NAIVE, "skill", "mase", "skill_rows", "skill", "MASE", "naive forecast", naive_is_better,
};
static const skill_words seasonal_words = {
    VOLT_BASELINE_SEASONAL, "skill_seasonal", "mase_seasonal",  "skill_seasonal_rows",
    "seasonal skill",       "seasonal MASE",  "seasonal naive", seasonal_is_better,
};

static void report_rows(const skill_task *task, const skill_words *words, const volt_skill *skill,
                        result_list *results)
{
    const int64_t lost = task->truth.rows - skill->rows;
    char excluded[96] = "";
    if (lost > 0)
        snprintf(excluded, sizeof excluded, "; first %lld excluded, no earlier values (--past)",
                 (long long)lost);
    results_details(results, lost == 0);
    results_text(results, NULL, words->rows_label, "the truth %lld row%s before, for %lld rows%s",
                 (long long)skill->lag, skill->lag == 1 ? "" : "s", (long long)skill->rows, excluded);
    results_details(results, false);
}

static void report_unknown(const skill_words *words, const char *why, result_list *results)
{
    results_number(results, words->skill_key, NULL, NAN); /* null in JSON */
    results_number(results, words->mase_key, NULL, NAN);
    results_text(results, NULL, words->skill_label, "unknown: %s", why);
}

static int report_one(const skill_task *task, const skill_words *words, result_list *results,
                      score_notes *notes)
{
    volt_skill skill = {.struct_size = sizeof skill};
    volt_status status =
        volt_skill_compute(task->truth, task->forecast, (volt_view){0}, task->past, task->ahead,
                           words->baseline == VOLT_BASELINE_SEASONAL ? task->season : 0, &skill);
    if (status && status != VOLT_ERR_DATA)
        return complain_status(status);
    results_count(results, words->rows_key, NULL, skill.rows);
    if (skill.rows == 0) {
        char why[128];
        snprintf(why, sizeof why, "no scored row has a value %lld rows before (--past)", (long long)skill.lag);
        report_unknown(words, why, results);
        return 0;
    }
    if (status) {
        report_unknown(words, "the baseline is exact", results);
    } else {
        results_number(results, words->skill_key, words->skill_label, skill.skill);
        results_number(results, words->mase_key, words->mase_label, skill.mase);
    }
    report_rows(task, words, &skill, results);
    if (skill.skill < 0)
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
