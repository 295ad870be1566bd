/* cli/search/search_report.c: progress and result of a search. */
#include "search/search_report.h"

#include "args/choices.h"
#include "args/kernel_parts.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>

enum { LINE_CAPACITY = 512 };

#define WORSE_THAN_CONSTANT ", worse than a constant"

const char *search_first_failure(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    for (int64_t i = 0; info.failed > 0 && i < info.trials; i++)
        if (volt_search_trial(search, i)->failure)
            return volt_search_trial(search, i)->failure;
    return NULL;
}

score_words score_words_of(const volt_search_info *info)
{
    volt_score score = info->score;
    score_words words = {.lower_is_better = score == VOLT_SCORE_NMSE || score == VOLT_SCORE_MSE ||
                                            score == VOLT_SCORE_LOO || score == VOLT_SCORE_GCV ||
                                            score == VOLT_SCORE_LOSS};
    words.label = info->loss ? info->score_name : choice_label(score_choices, (int)score);
    words.word = info->loss ? info->score_name : choice_word(score_choices, (int)score);
    return words;
}

/* ---- progress --------------------------------------------------------------------------------- */

/* "37 of 100", "37 of about 240" or "37" draws. */
static void describe_count(const volt_search_info *info, char *text, size_t capacity)
{
    int64_t expected = info->expected;
    if (info->total >= 0 && (expected == 0 || expected >= info->total))
        snprintf(text, capacity, "%lld of %lld draws", (long long)info->trials, (long long)info->total);
    else if (expected > info->trials)
        snprintf(text, capacity, "%lld of about %lld draws", (long long)info->trials, (long long)expected);
    else
        snprintf(text, capacity, "%lld draw%s", (long long)info->trials, info->trials == 1 ? "" : "s");
}

static void announce_expected(search_watch *watch, const volt_search_info *info)
{
    char budget[QUANTITY_LENGTH];
    /* The first draws are slow: caches are cold, and without a best score no candidate is pruned. */
    bool is_early = info->seconds < 0.02 * watch->budget || info->trials < 8;
    if (watch->budget <= 0 || info->expected <= 0 || (is_early && info->seconds < 0.1 * watch->budget))
        return;
    /* Repeated after twice the time if it was wrong by half: later draws may be slower or faster. */
    double expected = (double)info->expected, announced = (double)watch->announced; /* 0: not yet announced */
    bool is_near = expected < 1.5 * announced && announced < 1.5 * expected;
    if (is_near || info->seconds < 2 * watch->announced_at)
        return;
    watch->announced = info->expected;
    watch->announced_at = info->seconds;
    if (info->total >= 0 && info->expected >= info->total)
        progress_announce("all %lld draws are expected to fit in the budget of %s", (long long)info->total,
                          format_seconds(watch->budget, budget));
    else
        progress_announce("about %lld draws expected in the budget of %s", (long long)info->expected,
                          format_seconds(watch->budget, budget));
}

void search_watch_trial(const volt_search *search, const volt_trial *trial, void *context)
{
    (void)trial;
    search_watch *watch = context;
    watch->has_trials = true;
    char line[LINE_CAPACITY], count[96], kernel[LINE_CAPACITY / 2];
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    announce_expected(watch, &info);
    describe_count(&info, count, sizeof count);
    if (best)
        snprintf(line, sizeof line, "%s, best %s %s with %s alpha=%s", count, score_words_of(&info).label,
                 digits(best->score).text, kernel_brief(best->kernel, kernel, sizeof kernel),
                 digits(best->alpha).text);
    else
        snprintf(line, sizeof line, "%s, %lld failed", count, (long long)info.failed);
    progress_describe(line);
}

/* ---- result ----------------------------------------------------------------------------------- */

/* "0.91 0.92 0.93" */
static const char *list_scores(const volt_trial *trial, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t f = 0; f < trial->n_folds && used < capacity; f++)
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s%s", f ? " " : "", digits(trial->folds[f]).text);
    return text;
}

/* Writes "after fold 1: 37, 2: 12" and returns the total. */
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

static result_list *best_json(const volt_trial *best)
{
    result_list *inner = results_new(true);
    results_fields(inner, volt_trial, best, "kernel alpha score folds index");
    if (best->feedback > 0)
        results_fields(inner, volt_trial, best, "feedback");
    return inner;
}

/* Reports the best trial and how it was evaluated. */
static void report_best(result_list *results, const volt_trial *best, const volt_search_info *info,
                        const search_outcome *outcome)
{
    char number[VOLT_NUMBER_LENGTH], text[LINE_CAPACITY];
    const char *label = score_words_of(info).label;
    results_text(results, NULL, "best kernel", "%s", best->kernel);
    results_text(results, NULL, "alpha", "%s", volt_format_number(best->alpha, number));
    const char *word =
        assessment_has(&outcome->found, VOLT_WARNING_WORSE_THAN_CONSTANT) ? WORSE_THAN_CONSTANT : "";
    if (best->n_folds > 1)
        results_text(results, NULL, label, "%s (mean of %lld folds)%s", digits(best->score).text,
                     (long long)best->n_folds, word);
    else
        results_text(results, NULL, label, "%s%s", digits(best->score).text, word);
    results_details(results, true);
    if (best->n_folds > 1)
        results_text(results, NULL, "by fold", "%s", list_scores(best, text, sizeof text));
    if (best->feedback > 0)
        results_text(results, NULL, "feedback weight", "%s", volt_format_number(best->feedback, number));
    results_text(results, NULL, "best draw", "%lld (counted from 0)%s", (long long)best->index,
                 outcome->from_defaults && best->index == 0 ? ": kernel defaults" : "");
    if (info->loss)
        results_text(results, NULL, "loss", "%s", info->loss);
    if (info->landmarks > 0) {
        results_count(results, "landmarks", NULL, info->landmarks);
        results_text(results, NULL, "solver", "%s: %lld landmarks before the first validation block",
                     info->solver, (long long)info->landmarks);
    }
    results_details(results, false);
}

static void report_counters(result_list *results, const search_outcome *outcome, const volt_search_info *info)
{
    char stopped[LINE_CAPACITY], failed[64] = "", resumed[64] = "", early[64] = "", seconds[QUANTITY_LENGTH];
    int64_t n_stopped = list_stopped(info, stopped, sizeof stopped);
    if (n_stopped > 0)
        snprintf(early, sizeof early, ", %lld stopped early", (long long)n_stopped);
    if (info->failed > 0)
        snprintf(failed, sizeof failed, ", %lld failed", (long long)info->failed);
    if (info->resumed > 0)
        snprintf(resumed, sizeof resumed, ", %lld from the log", (long long)info->resumed);
    results_text(results, NULL, "draws", "%lld%s%s%s%s", (long long)info->trials, early, failed, resumed,
                 outcome->interrupted ? "; interrupted"
                 : info->out_of_time  ? "; time limit reached"
                                      : "");
    results_fields(
        results, volt_search_info, info,
        "trials failed resumed folds stopped out_of_time seconds blas_seconds flops parallel loss solver");
    results_count(results, "stopped", NULL, n_stopped);
    results_details(results, true);
    if (n_stopped > 0)
        results_text(results, NULL, "stopped early", "%s", stopped);
    results_details(results, false);
    const char *reason = search_first_failure(outcome->search);
    if (reason)
        results_text(results, "failure", "first failure", "%s", reason);
    if (info->trials > info->resumed)
        results_text(results, NULL, "time", "%s", format_seconds(info->seconds, seconds));
}

/* Reports the gap between training and validation rows, and the baselines on the validation rows. */
static void report_validation(result_list *results, const search_outcome *outcome, const volt_search_info *info)
{
    bool is_plain = search_data_is_plain(outcome->seen);
    results_count(results, "gap", NULL, outcome->gap);
    results_details(results, true);
    if (outcome->gap > 0)
        results_text(results, NULL, "gap", "%lld row%s between training and validation",
                     (long long)outcome->gap, outcome->gap == 1 ? "" : "s");
    results_details(results, false);
    baselines_report(
        &outcome->found, outcome->data->ahead, "validation rows",
        info->loss || (is_plain && outcome->data->ahead == 0) ? "more draws, another --kernel or more rows"
        : !is_plain              ? "more draws, another --kernel, another --season or more rows"
        : outcome->from_defaults ? "--target change --input both"
                                 : "--target change --input both, or omit --alpha (the same effect)",
        results);
}

/* Reports target, input and season in JSON, and prints a line if they are not levels. */
static void report_learned(const search_data *made, result_list *results)
{
    const char *target = choice_word(target_choices, (int)made->fit.target);
    char text[FORM_LENGTH];
    results_fields(results, volt_fit_options, &made->fit, "target input season");
    if (!search_data_is_plain(made))
        results_text(results, NULL, "target", "%s",
                     form_words(target, made->fit.input, made->fit.season, text));
}

static void report_model(result_list *results, const search_outcome *outcome)
{
    volt_model_info model = {.struct_size = sizeof model};
    if (!outcome->model)
        return;
    volt_model_get_info(outcome->model, &model);
    verdict_report(&outcome->found, model.q, results);
}

char *form_words(const char *target, volt_input input, int64_t season, char text[FORM_LENGTH])
{
    int length = snprintf(text, FORM_LENGTH, "%s, input %s", target, choice_word(input_choices, (int)input));
    if (season > 0)
        snprintf(text + length, FORM_LENGTH - (size_t)length, ", season %lld", (long long)season);
    return text;
}

/* ---- assessments ------------------------------------------------------------------------------ */

bool assessment_has(const volt_assessment *found, volt_warning_code code)
{
    for (int64_t i = 0; i < found->n_warnings; i++)
        if (found->warnings[i].code == code)
            return true;
    return false;
}

void verdict_report(const volt_assessment *found, int64_t outputs, result_list *results)
{
    int64_t naive = found->naive_outputs;
    results_flag(results, "naive_kept", naive == outputs);
    if (naive + found->halfway_outputs == 0)
        return;
    if (assessment_has(found, VOLT_WARNING_FEW_ROWS))
        results_text(results, NULL, "forecast", "naive (too few rows to compare with a fit)");
    else if (naive == outputs)
        results_text(results, NULL, "forecast",
                     "naive (on held-out rows the best fit has %s times its MSE, not clearly lower)",
                     digits(found->naive_ratio).text);
    else if (outputs == 1)
        results_text(results, NULL, "forecast",
                     "mean of naive and fit (on held-out rows the fit has %s times the MSE of naive)",
                     digits(found->naive_ratio).text);
    else
        results_text(results, NULL, "forecast",
                     "naive for %lld of %lld outputs%s (no fit is clearly better there)", (long long)naive,
                     (long long)outputs, found->halfway_outputs ? ", mean of naive and fit for others" : "");
}

static void report_baseline(const volt_assessment *found, const volt_baseline_score *score,
                            result_list *results)
{
    char errors[96], skill[96] = "";
    bool by_loss = found->loss_name != NULL;
    result_list *inner = results_new(true);
    results_text(inner, "name", NULL, "%s", score->name);
    results_fields(inner, volt_baseline_score, score, by_loss ? "loss" : "mse rmse mae r2");
    results_number(inner, "skill", NULL, 1 - score->ratio);
    results_append(results, "baselines", inner);
    if (by_loss)
        snprintf(errors, sizeof errors, "%s %s", found->loss_name, digits(score->loss).text);
    else
        snprintf(errors, sizeof errors, "R2 %s, RMSE %s", digits(score->r2).text, digits(score->rmse).text);
    if (isfinite(score->ratio))
        snprintf(skill, sizeof skill, ", skill %s", digits(1 - score->ratio).text);
    results_details(results, true);
    results_text(results, NULL, score->name, "%s%s", errors, skill);
    results_details(results, false);
}

/* Writes "R2: naive 0.98, drift 0.97". */
static char *list_baselines(const volt_assessment *found, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%s:", found->loss_name ? found->loss_name : "R2");
    for (int64_t i = 0; i < found->n_baselines && used < capacity; i++)
        used +=
            (size_t)snprintf(text + used, capacity - used, "%s %s %s", i ? "," : "", found->baselines[i].name,
                             digits(found->loss_name ? found->baselines[i].loss : found->baselines[i].r2).text);
    return text;
}

/* A target ahead may be an input of its row; a target of the same row enters by feedback. */
const char *past_targets_advice(int64_t ahead)
{
    return ahead > 0 ? "add the targets to the inputs (--x)"
                     : "a model with feedback uses them too (volterra fit --feedback)";
}

void baselines_report(const volt_assessment *found, int64_t ahead, const char *where, const char *advice,
                      result_list *results)
{
    char text[LINE_CAPACITY];
    const char *better = found->better >= 0 ? found->baselines[found->better].name : NULL;
    if (found->n_baselines > 0)
        results_text(results, NULL, "baselines", "%s", list_baselines(found, text, sizeof text));
    for (int64_t i = 0; i < found->n_baselines; i++)
        report_baseline(found, &found->baselines[i], results);
    if (assessment_has(found, VOLT_WARNING_FREE_RUN))
        results_text(results, NULL, "note", "%s", volt_warning_text(VOLT_WARNING_FREE_RUN));
    else if (assessment_has(found, VOLT_WARNING_PAST_TARGETS))
        results_text(results, NULL, "note", "%s%s%s%s%s", volt_warning_text(VOLT_WARNING_PAST_TARGETS),
                     better ? "; " : "", better ? better : "", better ? " has a lower error: " : "",
                     better ? past_targets_advice(ahead) : "");
    else if (better)
        results_text(results, NULL, "note", "%s has a lower error on the %s: try %s", better, where, advice);
}

int search_report_print(const search_outcome *outcome, bool json)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(outcome->search, &info);
    result_list *results = results_new(json);
    const volt_trial *best = volt_search_trial(outcome->search, VOLT_TRIAL_BEST);
    results_nest(results, "best", best_json(best));
    results_text(results, "score", NULL, "%s", score_words_of(&info).word);
    report_best(results, best, &info, outcome);
    report_learned(outcome->seen, results);
    report_validation(results, outcome, &info);
    report_model(results, outcome);
    report_counters(results, outcome, &info);
    results_flag(results, "interrupted", outcome->interrupted);
    if (outcome->log)
        results_text(results, "log", "log", "%s", outcome->log);
    if (outcome->plot)
        results_text(results, "plot", "plot", "%s", outcome->plot);
    if (outcome->path)
        results_text(results, "model", "model", "%s", outcome->path);
    if (outcome->command)
        results_text(results, "command", "command", "%s", outcome->command);
    return results_print(results);
}
