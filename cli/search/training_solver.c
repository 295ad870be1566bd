/* cli/search/training_solver.c: --solver, --landmarks and the options of --solver pcg. */
#include "search/training_solver.h"

#include "terminal/digits.h"
#include "terminal/messages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(...) OPTION(training_arguments, __VA_ARGS__)
#define LANDMARKS_ROW(form, ...) ROW("landmarks", form, landmarks, __VA_ARGS__)
static const option solver_rows[] = {
    ROW("solver", "S", fit.solver,
        "method for the readout: {names or}; auto: exact if memory and time allow, "
        "features where they are few, otherwise nystrom",
        .names = solver_names, .fallback = "auto"),
    LANDMARKS_ROW("M[:WHICH]|auto",
                  "number of landmarks, of nystrom and of the preconditioner of pcg: in runs of 32 over all "
                  "rows, M:last or M:random; auto: as many as reduce the held-out error or the cost",
                  .unset = "2000, pcg 12.7 times the square root of the rows"),
    ROW("iterations", "N", fit.iterations, "maximum number of iterations of pcg", .range = AT_LEAST(1),
        .unset = "1000", .is_rare = true),
    ROW("checkpoint", "FILE", fit.checkpoint, "checkpoint file of pcg; an existing checkpoint is resumed",
        .is_rare = true),
    ROW("checkpoint-every", "TIME", fit.checkpoint_seconds, "time between checkpoints, at least one iteration",
        .is_duration = true, .fallback = "60s", .is_rare = true),
};
const option_table solver_options_table = OPTION_TABLE(solver_rows);

static const option search_solver_rows[] = {
    ROW("solver", "S", fit.solver,
        "method for the readout of candidates and of the best one: {names or}; auto: exact if memory and time "
        "allow, otherwise nystrom",
        .names = search_solver_names, .fallback = "auto"),
    LANDMARKS_ROW("M[:WHICH]",
                  "number of landmarks of nystrom: in runs of 32 over the rows before the first validation "
                  "block, M:last or M:random",
                  .unset = "2000"),
};
const option_table search_solver_options_table = OPTION_TABLE(search_solver_rows);

static int complain_landmarks(const char *text)
{
    return complain(
        EXIT_USAGE,
        "--landmarks must be auto or a positive integer, such as 2000, 2000:last or 2000:random (got "
        "'%s')",
        text);
}

int solver_landmarks(const char *text, volt_fit_options *options)
{
    if (!text)
        return 0;
    bool is_auto = strncmp(text, "auto", 4) == 0;
    char *end = NULL;
    errno = 0;
    long long count = strtoll(is_auto ? "1" : text, &end, 10);
    const char *after = is_auto ? text + 4 : end;
    bool is_number = is_auto || (end != text && *text >= '0' && *text <= '9' && errno == 0 && count >= 1);
    if (!is_number || (*after != '\0' && *after != ':'))
        return complain_landmarks(text);
    options->landmarks = is_auto ? VOLT_LANDMARKS_AUTO : count;
    if (*after == '\0')
        return 0;
    const choice *which = choice_of_word(landmark_choices, after + 1);
    if (!which)
        return complain_landmarks(text);
    options->landmark_choice = (volt_landmarks)which->value;
    return 0;
}

int solver_search_options(const training_arguments *arguments, volt_search_options *search,
                          volt_fit_options *fit)
{
    int failed = solver_landmarks(arguments->landmarks, fit);
    if (!failed && fit->landmarks == VOLT_LANDMARKS_AUTO)
        return complain(EXIT_USAGE, "--landmarks must be a number in a search (got '%s')",
                        arguments->landmarks);
    search->solver = fit->solver;
    search->landmarks = fit->landmarks;
    search->landmark_choice = fit->landmark_choice;
    return failed;
}

void solver_words(const volt_fit_options *options, shell_words *words)
{
    char landmarks[64];
    if (options->solver && strcmp(options->solver, "auto") != 0)
        shell_words_add(words, "--solver", options->solver);
    if (options->landmarks == 0)
        return;
    bool spread = options->landmark_choice == VOLT_LANDMARKS_SPREAD;
    char number[32] = "auto";
    if (options->landmarks != VOLT_LANDMARKS_AUTO)
        snprintf(number, sizeof number, "%lld", (long long)options->landmarks);
    snprintf(landmarks, sizeof landmarks, "%s%s%s", number, spread ? "" : ":",
             spread ? "" : choice_word(landmark_choices, (int)options->landmark_choice));
    shell_words_add(words, "--landmarks", landmarks);
}

static void report_iteration(const volt_fit_report *report, result_list *results)
{
    results_fields(results, volt_fit_report, report, "solver iterations residual landmarks");
    results_text(results, NULL, "solver", "%s: %lld iterations, %lld landmarks, residual %s", report->solver,
                 (long long)report->iterations, (long long)report->landmarks, digits(report->residual).text);
}

/* The number of landmarks, if it was chosen. */
static void report_choice(const volt_fit_report *report, result_list *results)
{
    if (!report->landmarks_why)
        return;
    results_fields(results, volt_fit_report, report, "landmarks_tried landmarks_gain landmarks_why");
    if (isnan(report->landmarks_gain) || report->landmarks == report->landmarks_tried)
        results_text(results, NULL, "landmarks", "%lld chosen, up to %lld tried: %s",
                     (long long)report->landmarks, (long long)report->landmarks_tried, report->landmarks_why);
    else
        results_text(results, NULL, "landmarks",
                     "%lld chosen, up to %lld tried, held-out RMSE %.2g %% lower: %s",
                     (long long)report->landmarks, (long long)report->landmarks_tried,
                     100 * report->landmarks_gain, report->landmarks_why);
}

void solver_report(const volt_model_info *info, const volt_assessment *found, result_list *results)
{
    const volt_fit_report *report = info->report;
    if (report && report->device && strcmp(report->device, "cpu") != 0)
        results_text(results, "device", "device", "%s", report->device);
    if (report && !isnan(report->residual)) /* iterative solver */
        report_iteration(report, results);
    if (report)
        report_choice(report, results);
    if (info->landmarks == 0 || !report)
        return;
    results_fields(results, volt_fit_report, report, "solver");
    results_fields(results, volt_model_info, info, "landmarks kernel_rows");
    results_text(results, NULL, "solver", "%s: %lld landmarks, %lld rows before them", report->solver,
                 (long long)info->landmarks, (long long)(info->kernel_rows - info->landmarks));
    if (!isfinite(found->loo_rmse) || !isfinite(found->gcv_rmse)) /* an output without the kernel has none */
        return;
    results_fields(results, volt_assessment, found, "loo_rmse gcv_rmse");
    results_fields(results, volt_fit_report, report, "loo_rows");
    results_details(results, true);
    results_text(results, NULL, "leave-one-out", "RMSE %s (last %lld rows), GCV %s",
                 digits(found->loo_rmse).text, (long long)report->loo_rows, digits(found->gcv_rmse).text);
    results_details(results, false);
}
