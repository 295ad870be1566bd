/* cli/search/tune.c: runs a search, then fits the best model. */
#include "search/tune.h"

#include "files/outputs.h"
#include "search/search_plot.h"
#include "search/search_report.h"
#include "search/search_space.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- search ----------------------------------------------------------------------------------- */

/* Data, options and state of a search. */
typedef struct tuning {
    const tune_arguments *arguments;
    const training_data *data;
    search_data seen;
    volt_search_options options; /* search options */
} tuning;

/* Returns true if alpha is set on the command line. */
static bool alpha_is_given(const tune_arguments *arguments)
{
    bool given = arguments->alpha || arguments->candidates || arguments->grid;
    for (int64_t i = 0; i < arguments->ranges.count; i++)
        given = given || strncmp(arguments->ranges.texts[i], "alpha=", strlen("alpha=")) == 0;
    return given;
}

/* Reads candidates from a file, including feedback weights if present. */
static int read_candidates(const tune_arguments *arguments, volt_candidates **candidates)
{
    char first[VOLT_KERNEL_LENGTH];
    double alpha, feedback = 0;
    volt_status status = volt_candidates_read(arguments->candidates, arguments->kernel, candidates);
    if (status == VOLT_OK)
        status = volt_candidates_get(*candidates, 0, first, &alpha, &feedback);
    if (status)
        return complain_status(status);
    if ((arguments->training.pairing.fed_outputs != 0) != (feedback > 0))
        return complain(EXIT_USAGE,
                        feedback > 0 ? "column feedback of %s requires --feedback"
                                     : "%s has no column feedback (required by --feedback)",
                        arguments->candidates);
    return 0;
}

static int make_candidates(const tune_arguments *arguments, const search_data *seen,
                           volt_candidates **candidates)
{
    const char *kernel = arguments->kernel ? arguments->kernel : "volterra";
    volt_view X = seen->prepared->X;
    if (arguments->candidates)
        return read_candidates(arguments, candidates);
    volt_draw_options options = volt_draw_options_default();
    search_space space = {0};
    int failed = search_space_read(&space, &arguments->ranges, arguments->alpha, arguments->feedback_weight);
    if (!failed) {
        options.seed = arguments->common.seed.value;
        options.scale = arguments->training.fit.scale;
        options.ranges = space.ranges;
        options.n_ranges = space.count;
        options.from_defaults = 1;
        if (arguments->training.pairing.fed_outputs)
            options.fed_outputs = seen->prepared->Y;
        options.points = arguments->grid;
        volt_status status = volt_candidates_draw(kernel, X, &options, candidates);
        if (status == VOLT_ERR_KERNEL)
            failed = complain_status_hint(status, " (see volterra help kernels)");
        else if (status)
            failed = complain_status(status);
    }
    search_space_release(&space);
    return failed;
}

static volt_search_options search_options(const tune_arguments *arguments, const training_data *data)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = arguments->folds;
    options.splits.gap = arguments->gap; /* -1: VOLT_GAP_AUTO */
    options.ahead = data->ahead;
    options.splits.min_train = arguments->min_train;
    options.splits.max_train = arguments->max_train;
    options.splits.rolling = arguments->rolling;
    options.start = (volt_start)arguments->start;
    options.washout = arguments->training.fit.washout;
    options.intercept = arguments->training.fit.intercept;
    options.scale = arguments->training.fit.scale;
    options.score = (volt_score)arguments->score;
    options.race = (volt_race)arguments->race;
    options.strategy = (volt_strategy)arguments->strategy;
    options.draws = arguments->draws;
    options.seconds = arguments->budget;
    options.log = arguments->log;
    options.resume = arguments->resume;
    options.records = data->pairing->records;
    options.n_records = data->pairing->n_records;
    options.loss = loss_is_other(&data->loss) ? data->loss.info.text : NULL;
    if (arguments->training.fit.tolerance > 0)
        options.tolerance = arguments->training.fit.tolerance;
    options.weights = data->loss.weights;
    options.classes = data->pairing->classes;
    options.n_classes = data->pairing->n_classes;
    options.folds_by_records = arguments->folds_by;
    if (arguments->validate >= 0)
        options.validate = (volt_validate)arguments->validate;
    return options;
}

/* Log callback: warnings before the first trial are printed at once, because they concern the whole search. */
static void log_of_search(volt_log_level level, const char *message, void *context)
{
    const search_watch *watch = context;
    if (level == VOLT_LOG_WARNING && !watch->has_trials)
        progress_announce("warning: %s", message);
    else
        hold_library_warning(level, message, NULL);
}

/* Runs the search. If interrupted, *search holds the trials so far and *interrupted is true. */
static int search_candidates(const tuning *run, const volt_candidates *candidates, volt_search **search,
                             bool *interrupted)
{
    const tune_arguments *arguments = run->arguments;
    volt_search_options options = run->options;
    search_watch watch = {.budget = arguments->budget};
    options.on_trial = search_watch_trial;
    options.trial_context = &watch;
    options.progress = progress_begin(arguments->common.quiet);
    volt_set_log(log_of_search, &watch);
    volt_status status =
        volt_search_run(candidates, run->seen.prepared->X, run->seen.prepared->Y, &options, search);
    volt_set_log(hold_library_warning, NULL);
    progress_end();

    *interrupted = interrupt_seen() && *search && volt_search_trial(*search, VOLT_TRIAL_BEST);
    if (*interrupted || !status)
        return 0;
    if (status == VOLT_ERR_CANCELLED)
        return complain(interrupt_exit_status(), "interrupted before any draw had a score");
    char hint[HINT_LENGTH];
    return complain_status_hint(status, "%s", dataset_hint(&run->data->x, hint));
}

/* ---- best model ------------------------------------------------------------------------------- */

/* Fits the best trial. Returns the model and its fit options. */
static int fit_winner(const tuning *run, const volt_trial *best, volt_fit_options *options, volt_model **model)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(best->kernel, &kernel);
    if (status)
        return complain_status(status);
    *options = run->seen.fit;
    options->alpha = best->alpha;
    options->feedback_weight = best->feedback;
    int failed = 0;
    if (model)
        failed = training_fit(run->data, kernel, *options, run->arguments->common.quiet,
                              volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    return failed;
}

/* Compares the best draw with baselines on the validation rows. Not supported for folds of whole
 * records, whose rows are known only to the search. */
static int assess_best(const tuning *run, const volt_trial *best, const volt_search_info *info,
                       const volt_model *model, volt_assessment *found)
{
    volt_assess_options options = training_assess_options(run->data);
    options.by_loss = loss_is_other(&run->data->loss);
    options.model = model;
    options.measure = info->score;
    options.score = best->score;
    options.simulated =
        run->arguments->training.pairing.fed_outputs && run->options.validate == VOLT_VALIDATE_SIMULATE;
    options.running = info->score == VOLT_SCORE_PREQUENTIAL;
    volt_split_options splits = run->options.splits;
    splits.gap = info->gap;
    if (!run->options.folds_by_records)
        options.splits = &splits;
    found->struct_size = sizeof *found;
    volt_status status = volt_assess(run->data->pairing, &options, found);
    return status ? complain_status(status) : 0;
}

/* Fits the best model, draws the plot and prints the result. Prints the result even if the fit or the plot
 * fails. */
static int finish(const tuning *run, const volt_search *search, bool interrupted)
{
    const tune_arguments *arguments = run->arguments;
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    if (!best && search_first_failure(search))
        return complain(EXIT_FAILED, "no draw has a score; first failure: %s", search_first_failure(search));
    if (!best)
        return complain(EXIT_FAILED, "%s",
                        info.out_of_time
                            ? "the time limit was reached before the first draw ended: increase --budget"
                            : "no candidates");

    search_outcome outcome = {.search = search,
                              .interrupted = interrupted,
                              .from_defaults = !alpha_is_given(arguments),
                              .log = arguments->log,
                              .data = run->data,
                              .seen = &run->seen,
                              .gap = info.gap};
    bool is_taken = (arguments->output && is_standard_output(arguments->output)) ||
                    (arguments->plot && is_standard_output(arguments->plot));
    int plot_failed = 0;
    bool fits = arguments->output && !interrupted;
    volt_fit_options options = {.struct_size = sizeof(volt_fit_options)};
    volt_model *model = NULL;
    int fit_failed = fit_winner(run, best, &options, fits ? &model : NULL);
    if (fits && !fit_failed)
        fit_failed = model_write(model, arguments->output);
    if (fits && !fit_failed) {
        outcome.path = arguments->output;
        outcome.model = model;
    }
    int not_assessed = assess_best(run, best, &info, outcome.model, &outcome.found);
    if (outcome.path && assessment_has(&outcome.found, VOLT_WARNING_WORSE_THAN_CONSTANT))
        warn("the model in %s predicts the validation rows worse than the mean of the targets: search longer "
             "(--draws, --budget), or try another --kernel",
             arguments->output);
    if (arguments->plot && !(fit_failed && interrupt_seen())) {
        svg_plot plot = {0};
        search_plot_all(&plot, search, 2);
        plot_failed = svg_write_file(arguments->plot, &plot);
        outcome.plot = plot_failed ? NULL : arguments->plot;
    }
    bool has_options = options.alpha > 0; /* the options were set before the failure */
    char *command = has_options
                        ? training_fit_command(&arguments->training, &options, best->kernel,
                                               arguments->output && !is_standard_output(arguments->output)
                                                   ? arguments->output
                                                   : "model.safetensors")
                        : NULL;
    outcome.command = command;
    int report_failed = is_taken || not_assessed ? 0 : search_report_print(&outcome, arguments->common.json);
    if (!report_failed && has_options && !command)
        report_failed = complain(EXIT_FAILED, "not enough memory for the fit command");
    free(command);
    volt_model_free(model);

    if (interrupted)
        return complain(interrupt_exit_status(), "interrupted after %lld draw%s: best result so far%s%s%s",
                        (long long)info.trials, info.trials == 1 ? "" : "s",
                        arguments->output ? ", no model written" : "",
                        arguments->log ? "; repeat the command with --resume to continue " : "",
                        arguments->log ? arguments->log : "");
    return fit_failed ? fit_failed : not_assessed ? not_assessed : plot_failed ? plot_failed : report_failed;
}

int tune_search(const tune_arguments *arguments, training_data *data)
{
    tuning run = {.arguments = arguments, .data = data};
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    bool interrupted = false;
    if (arguments->folds_by && !arguments->training.series)
        return complain(EXIT_USAGE, "--folds-by records requires --series");
    int failed = training_read(&arguments->training, data);
    if (!failed)
        failed = search_data_prepare(&arguments->training, data, alpha_is_given(arguments), data->inputs.rows,
                                     &run.seen);
    if (!failed) {
        run.options = search_options(arguments, data);
        run.options.base = run.seen.prepared->base;
        run.options.initial = run.seen.prepared->initial;
        run.options.initial_values = run.seen.prepared->initial_values;
        failed = solver_search_options(&arguments->training, &run.options, &run.seen.fit);
    }
    if (!failed)
        failed = make_candidates(arguments, &run.seen, &candidates);
    if (!failed)
        failed = search_candidates(&run, candidates, &search, &interrupted);
    if (!failed)
        failed = finish(&run, search, interrupted);
    volt_search_free(search);
    volt_candidates_free(candidates);
    search_data_release(&run.seen);
    return failed;
}
