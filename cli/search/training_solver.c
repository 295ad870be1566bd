/* cli/search/training_solver.c: --solver, --landmarks and the options of --solver pcg. */
#include "search/training_solver.h"

#include "terminal/messages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(...) OPTION(solver_arguments, __VA_ARGS__)
#define LANDMARKS_ROW(...) ROW("landmarks", "M[:WHICH]", landmarks, __VA_ARGS__)
static const option solver_rows[] = {
    ROW("solver", "S", solver,
        "method for the readout: {names or}; auto: exact if memory and time allow, "
        "features where they are few, otherwise nystrom",
        .names = solver_names, .fallback = "auto"),
    LANDMARKS_ROW("number of landmarks, of nystrom and of the preconditioner of pcg: in runs of 32 over all "
                  "rows, M:last or M:random",
                  .unset = "2000, pcg 12.7 times the square root of the rows"),
    ROW("iterations", "N", iterations, "maximum number of iterations of pcg", .range = AT_LEAST(1),
        .unset = "1000"),
    ROW("checkpoint", "FILE", checkpoint, "checkpoint file of pcg; an existing checkpoint is resumed"),
    ROW("checkpoint-every", "TIME", checkpoint_every, "time between checkpoints, at least one iteration",
        .is_duration = true, .fallback = "60s"),
};
const option_table solver_options_table = OPTION_TABLE(solver_rows);

static const option search_solver_rows[] = {
    ROW("solver", "S", solver,
        "method for the readout of candidates and of the best one: {names or}; auto: exact if memory and time "
        "allow, otherwise nystrom",
        .names = search_solver_names, .fallback = "auto"),
    LANDMARKS_ROW("number of landmarks of nystrom: in runs of 32 over the rows before the first validation "
                  "block, M:last or M:random",
                  .unset = "2000"),
};
const option_table search_solver_options_table = OPTION_TABLE(search_solver_rows);

static int complain_landmarks(const char *text)
{
    return complain(EXIT_USAGE,
                    "--landmarks must be a positive integer, such as 2000, 2000:last or 2000:random (got '%s')",
                    text);
}

static int parse_landmarks(const char *text, volt_fit_options *options)
{
    char *end = NULL;
    errno = 0;
    long long count = strtoll(text, &end, 10);
    if (end == text || *text < '0' || *text > '9' || errno != 0 || count < 1 || (*end != '\0' && *end != ':'))
        return complain_landmarks(text);
    options->landmarks = count;
    if (*end == '\0')
        return 0;
    const choice *which = choice_of_word(landmark_choices, end + 1);
    if (!which)
        return complain_landmarks(text);
    options->landmark_choice = (volt_landmarks)which->value;
    return 0;
}

int solver_options(const solver_arguments *arguments, volt_fit_options *options)
{
    options->solver = arguments->solver;
    options->iterations = arguments->iterations;
    options->checkpoint = arguments->checkpoint;
    options->checkpoint_seconds = arguments->checkpoint_every;
    return arguments->landmarks ? parse_landmarks(arguments->landmarks, options) : 0;
}

int solver_search_options(const solver_arguments *arguments, volt_search_options *search, volt_fit_options *fit)
{
    int failed = solver_options(arguments, fit);
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
    snprintf(landmarks, sizeof landmarks, "%lld%s%s", (long long)options->landmarks, spread ? "" : ":",
             spread ? "" : choice_word(landmark_choices, (int)options->landmark_choice));
    shell_words_add(words, "--landmarks", landmarks);
}

static void report_iteration(const volt_fit_report *report, result_list *results)
{
    results_text(results, "solver", NULL, "%s", report->solver);
    results_count(results, "iterations", NULL, report->iterations);
    results_number(results, "residual", NULL, report->residual);
    results_count(results, "landmarks", NULL, report->landmarks);
    results_text(results, NULL, "solver", "%s: %lld iterations, %lld landmarks, residual %.3g", report->solver,
                 (long long)report->iterations, (long long)report->landmarks, report->residual);
}

void solver_report(const volt_model_info *info, const volt_assessment *found, result_list *results)
{
    const volt_fit_report *report = info->report;
    if (report && !isnan(report->residual)) /* iterative solver */
        report_iteration(report, results);
    if (info->landmarks == 0 || !report)
        return;
    results_text(results, "solver", NULL, "%s", report->solver);
    results_count(results, "landmarks", NULL, info->landmarks);
    results_count(results, "kernel_rows", NULL, info->kernel_rows);
    results_text(results, NULL, "solver", "%s: %lld landmarks, %lld rows before them", report->solver,
                 (long long)info->landmarks, (long long)(info->kernel_rows - info->landmarks));
    if (!isfinite(found->loo_rmse) || !isfinite(found->gcv_rmse)) /* an output without the kernel has none */
        return;
    results_number(results, "loo_rmse", NULL, found->loo_rmse);
    results_count(results, "loo_rows", NULL, report->loo_rows);
    results_number(results, "gcv_rmse", NULL, found->gcv_rmse);
    results_details(results, true);
    results_text(results, NULL, "leave-one-out", "RMSE %.6g (last %lld rows), GCV %.6g", found->loo_rmse,
                 (long long)report->loo_rows, found->gcv_rmse);
    results_details(results, false);
}
