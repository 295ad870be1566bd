/* cli/search/search_report.c: the progress and the result of a search. */
#include "search/search_report.h"

#include "args/kernel_parts.h"
#include "terminal/progress_bar.h"
#include "terminal/report.h"

#include <stdio.h>

enum { LINE_CAPACITY = 512 };

const char *score_label(volt_score score)
{
    switch (score) {
    case VOLT_SCORE_R2:
        return "R2";
    case VOLT_SCORE_NMSE:
        return "NMSE";
    case VOLT_SCORE_MSE:
        return "MSE";
    case VOLT_SCORE_PREQUENTIAL:
        return "prequential R2";
    case VOLT_SCORE_LOG:
        return "log likelihood";
    }
    return "score";
}

/* The same as an option and in JSON. */
static const char *score_word(volt_score score)
{
    switch (score) {
    case VOLT_SCORE_R2:
        return "r2";
    case VOLT_SCORE_NMSE:
        return "nmse";
    case VOLT_SCORE_MSE:
        return "mse";
    case VOLT_SCORE_PREQUENTIAL:
        return "prequential";
    case VOLT_SCORE_LOG:
        return "log";
    }
    return "";
}

const char *search_first_failure(const volt_search *search)
{
    volt_search_info info;
    volt_search_describe(search, &info);
    for (int64_t i = 0; info.failed > 0 && i < info.trials; i++)
        if (volt_search_trial(search, i)->failure)
            return volt_search_trial(search, i)->failure;
    return NULL;
}

/* ---- while it runs ---------------------------------------------------------------------------- */

/* "37 of 100", "37 of about 240" or "37" draws. */
static void describe_count(const search_watch *watch, const volt_search_info *info, char *text, size_t capacity)
{
    int64_t expected = info->expected;
    if (watch->total >= 0 && (expected == 0 || expected >= watch->total))
        snprintf(text, capacity, "%lld of %lld draws", (long long)info->trials, (long long)watch->total);
    else if (expected > info->trials)
        snprintf(text, capacity, "%lld of about %lld draws", (long long)info->trials, (long long)expected);
    else
        snprintf(text, capacity, "%lld draw%s", (long long)info->trials, info->trials == 1 ? "" : "s");
}

static void announce_expected(search_watch *watch, const volt_search_info *info)
{
    char budget[QUANTITY_LENGTH];
    /* The first draws are slow: caches are cold, and there is no best yet to give others up for. */
    bool is_early = info->seconds < 0.02 * watch->budget || info->trials < 8;
    if (watch->announced || watch->budget <= 0 || info->expected <= 0 ||
        (is_early && info->seconds < 0.1 * watch->budget))
        return;
    watch->announced = true;
    if (watch->total >= 0 && info->expected >= watch->total)
        progress_announce("all %lld draws are expected to fit in the budget of %s", (long long)watch->total,
                          format_seconds(watch->budget, budget));
    else
        progress_announce("about %lld draws expected in the budget of %s", (long long)info->expected,
                          format_seconds(watch->budget, budget));
}

void search_watch_trial(const volt_search *search, const volt_trial *trial, void *context)
{
    (void)trial;
    search_watch *watch = context;
    char line[LINE_CAPACITY], count[96], kernel[LINE_CAPACITY / 2];
    volt_search_info info;
    volt_search_describe(search, &info);
    const volt_trial *best = volt_search_best(search);
    announce_expected(watch, &info);
    describe_count(watch, &info, count, sizeof count);
    if (best)
        snprintf(line, sizeof line, "%s, best %s %.4g with %s alpha=%.3g", count, score_label(info.score),
                 best->score, kernel_brief(best->kernel, kernel, sizeof kernel), best->alpha);
    else
        snprintf(line, sizeof line, "%s, %lld failed", count, (long long)info.failed);
    progress_describe(line);
}

/* ---- at its end ------------------------------------------------------------------------------- */

/* "0.91 0.92 0.93" */
static const char *list_scores(const volt_trial *trial, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t f = 0; f < trial->n_folds && used < capacity; f++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%.6g", f ? " " : "", trial->folds[f]);
    return text;
}

/* "after fold 1: 37, 2: 12"; returns how many in all. */
static int64_t list_stopped(const volt_search_info *info, char *text, size_t capacity)
{
    int64_t total = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int64_t f = 0; info->stopped && f <= info->folds; f++) {
        if (info->stopped[f] == 0)
            continue;
        if (used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, "%s%lld: %lld", total ? ", " : "after fold ",
                                     (long long)f, (long long)info->stopped[f]);
        total += info->stopped[f];
    }
    return total;
}

static void report_best(cli_report *report, const volt_trial *best, const volt_search_info *info)
{
    char number[VOLT_NUMBER_LENGTH], text[LINE_CAPACITY];
    const char *label = score_label(info->score);
    report_text(report, NULL, "best kernel", "%s", best->kernel);
    report_text(report, NULL, "alpha", "%s", volt_format_number(best->alpha, number));
    if (best->n_folds > 1) {
        report_text(report, NULL, label, "%.6g, the mean of %lld folds", best->score, (long long)best->n_folds);
        report_text(report, NULL, "by fold", "%s", list_scores(best, text, sizeof text));
    } else {
        report_number(report, NULL, label, best->score);
    }
    report_text(report, NULL, "draw", "%lld, counted from 0", (long long)best->index);

    cli_report *inner = report_new(true);
    report_text(inner, "kernel", NULL, "%s", best->kernel);
    report_number(inner, "alpha", NULL, best->alpha);
    report_number(inner, "score", NULL, best->score);
    report_numbers(inner, "folds", best->folds, best->n_folds);
    report_count(inner, "index", NULL, best->index);
    report_nest(report, "best", inner);
}

static void report_counters(cli_report *report, const search_outcome *outcome, const volt_search_info *info)
{
    char stopped[LINE_CAPACITY], failed[64] = "", resumed[64] = "", seconds[QUANTITY_LENGTH];
    int64_t n_stopped = list_stopped(info, stopped, sizeof stopped);
    if (info->failed > 0)
        snprintf(failed, sizeof failed, ", %lld failed", (long long)info->failed);
    if (info->resumed > 0 && !outcome->merged)
        snprintf(resumed, sizeof resumed, ", %lld of them from the log", (long long)info->resumed);
    report_text(report, NULL, "draws", "%lld%s%s%s", (long long)info->trials, failed, resumed,
                outcome->interrupted ? ", then interrupted"
                : info->out_of_time  ? ", then the time was up"
                                     : "");
    report_count(report, "draws", NULL, info->trials);
    report_count(report, "failed", NULL, info->failed);
    report_count(report, "resumed", NULL, info->resumed);
    report_count(report, "stopped", NULL, n_stopped);
    report_counts(report, "stopped_after", info->stopped, info->stopped ? info->folds + 1 : 0);
    if (n_stopped > 0)
        report_text(report, NULL, "given up early", "%lld (%s)", (long long)n_stopped, stopped);
    const char *reason = search_first_failure(outcome->search);
    if (reason)
        report_text(report, "failure", "first failure", "%s", reason);
    report_number(report, "seconds", NULL, info->seconds);
    if (!outcome->merged)
        report_text(report, NULL, "time", "%s", format_seconds(info->seconds, seconds));
}

int search_report_print(const search_outcome *outcome, bool json)
{
    volt_search_info info;
    volt_search_describe(outcome->search, &info);
    cli_report *report = report_new(json);
    report_best(report, volt_search_best(outcome->search), &info);
    report_text(report, "score", NULL, "%s", score_word(info.score));
    report_count(report, "folds", NULL, info.folds);
    report_counters(report, outcome, &info);
    report_number(report, "blas_seconds", NULL, info.blas_seconds);
    report_number(report, "flops", NULL, info.flops);
    report_count(report, "parallel", NULL, info.parallel);
    report_flag(report, "out_of_time", info.out_of_time);
    report_flag(report, "interrupted", outcome->interrupted);
    if (outcome->log)
        report_text(report, "log", "log", "%s", outcome->log);
    if (outcome->plot)
        report_text(report, "plot", "picture", "%s", outcome->plot);
    if (outcome->model)
        report_text(report, "model", "model", "%s", outcome->model);
    if (outcome->command)
        report_text(report, "command", "fit it again", "%s", outcome->command);
    return report_print(report);
}
