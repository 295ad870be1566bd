/* cli/search/tune.c: run a search, or merge the logs of several, and make the most of the winner. */
#include "search/tune.h"

#include "files/outputs.h"
#include "search/search_plot.h"
#include "search/search_report.h"
#include "search/search_space.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- search ----------------------------------------------------------------------------------- */

/* Does the first line of a file of candidates name a column `kernel`? A file that cannot be read has none. */
static bool has_kernel_column(const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    bool found = false;
    if (file && fgets(line, sizeof line, file))
        for (char *name = strtok(line, ",;\t \"\r\n"); name && !found; name = strtok(NULL, ",;\t \"\r\n"))
            found = strcmp(name, "kernel") == 0;
    if (file)
        fclose(file);
    return found;
}

static int make_candidates(const tune_arguments *arguments, const training_data *data,
                           volt_candidates **candidates)
{
    const char *kernel = arguments->kernel ? arguments->kernel : "volterra";
    if (arguments->candidates) {
        bool has_kernels = !arguments->kernel && has_kernel_column(arguments->candidates);
        volt_status read = volt_candidates_read(arguments->candidates, has_kernels ? NULL : kernel, candidates);
        return read ? complain_status(read) : 0;
    }
    volt_draw_options options = volt_draw_options_default();
    search_space space = {0};
    int failed = search_space_read(&space, &arguments->ranges, arguments->alpha);
    if (!failed) {
        options.seed = arguments->common.seed.value;
        options.scale = !arguments->training.no_scale;
        options.ranges = space.ranges;
        options.n_ranges = space.count;
        volt_status status =
            arguments->grid ? volt_candidates_grid(kernel, data->inputs, &options, arguments->grid, candidates)
                            : volt_candidates_draw(kernel, data->inputs, &options, candidates);
        if (status == VOLT_ERR_KERNEL)
            failed = complain_status_hint(status, " (see volterra help kernels)");
        else if (status)
            failed = complain_status(status);
    }
    search_space_release(&space);
    return failed;
}

static volt_search_options search_options(const tune_arguments *arguments)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = arguments->folds;
    options.splits.gap = arguments->gap;
    options.splits.min_train = arguments->min_train;
    options.splits.max_train = arguments->max_train;
    options.splits.rolling = arguments->rolling;
    options.start = (volt_start)arguments->start;
    options.washout = arguments->training.washout;
    options.intercept = !arguments->training.no_intercept;
    options.scale = !arguments->training.no_scale;
    options.score = (volt_score)arguments->score;
    options.race = (volt_race)arguments->race;
    options.draws = arguments->draws;
    options.seconds = arguments->budget;
    options.log = arguments->log;
    options.resume = arguments->resume;
    return options;
}

/* How many candidates a run will try at most; -1: no end. */
static int64_t count_candidates(const volt_candidates *candidates, const volt_search_options *options)
{
    int64_t count = volt_candidates_count(candidates);
    if (options->draws > 0 && (count < 0 || options->draws < count))
        count = options->draws;
    return count < 0 ? -1 : (count - options->shard + options->shards - 1) / options->shards;
}

/* "3/16" is the third part: number 2, counted from 0. */
static int read_shard(const char *text, int64_t *shard, int64_t *shards)
{
    long long part = 0, parts = 0;
    int used = 0;
    if (sscanf(text, "%9lld/%9lld%n", &part, &parts, &used) != 2 || text[used] || part < 1 || part > parts)
        return complain(EXIT_USAGE, "--shard must be I/N such as 3/16 with 1 <= I <= N, not '%s'", text);
    *shard = part - 1;
    *shards = parts;
    return 0;
}

/* *search holds what there is also when the search was cut short: *interrupted says so. */
static int search_candidates(const tune_arguments *arguments, const training_data *data,
                             const volt_candidates *candidates, volt_search **search, bool *interrupted)
{
    volt_search_options options = search_options(arguments);
    int failed = arguments->shard ? read_shard(arguments->shard, &options.shard, &options.shards) : 0;
    if (failed)
        return failed;
    search_watch watch = {.total = count_candidates(candidates, &options), .budget = arguments->budget};
    options.on_trial = search_watch_trial;
    options.trial_context = &watch;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_search_run(candidates, data->inputs, data->targets, &options, search);
    progress_end();

    *interrupted = interrupt_seen() && *search && volt_search_best(*search);
    if (*interrupted || !status)
        return 0;
    if (status == VOLT_ERR_CANCELLED)
        return complain(interrupt_exit_status(), "interrupted before any draw had a score");
    char hint[HINT_LENGTH];
    return complain_status_hint(status, "%s", dataset_hint(&data->x, hint));
}

/* ---- the winner ------------------------------------------------------------------------------- */

static int fit_winner(const tune_arguments *arguments, const training_data *data, const volt_trial *best)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = training_options(&arguments->training, data);
    options.alpha = best->alpha;
    volt_status status = volt_kernel_parse(best->kernel, &kernel);
    int failed = status ? complain_status(status) : 0;
    if (!failed)
        failed =
            training_fit(data, kernel, options, arguments->common.quiet, volt_matrix_of(NULL, 0, 0), &model);
    if (!failed)
        failed = model_write(model, arguments->output);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return failed;
}

/* Fit the winner, draw the picture, and print the result whatever became of the two. */
static int finish(const tune_arguments *arguments, const training_data *data, const volt_search *search,
                  bool interrupted)
{
    const volt_trial *best = volt_search_best(search);
    volt_search_info info;
    volt_search_describe(search, &info);
    if (!best && search_first_failure(search))
        return complain(EXIT_FAILED, "no draw has a score; the first failed because %s",
                        search_first_failure(search));
    if (!best)
        return complain(EXIT_FAILED, "%s",
                        info.out_of_time ? "the time was up before the first draw ended; give a longer --budget"
                                         : "there is no draw to choose from");

    search_outcome outcome = {.search = search,
                              .interrupted = interrupted,
                              .merged = arguments->merge.count > 0,
                              .log = arguments->log};
    bool is_taken = (arguments->output && is_standard_output(arguments->output)) ||
                    (arguments->plot && is_standard_output(arguments->plot));
    int fit_failed = 0, plot_failed = 0;
    if (arguments->output && !interrupted) {
        fit_failed = fit_winner(arguments, data, best);
        outcome.model = fit_failed ? NULL : arguments->output;
    }
    if (arguments->plot && !(fit_failed && interrupt_seen())) {
        plot_failed = search_plot_file(arguments->plot, search);
        outcome.plot = plot_failed ? NULL : arguments->plot;
    }
    char *command = arguments->training.x
                        ? training_fit_command(&arguments->training, best->kernel, best->alpha,
                                               arguments->output && !is_standard_output(arguments->output)
                                                   ? arguments->output
                                                   : "model.safetensors")
                        : NULL;
    outcome.command = command;
    int report_failed = is_taken ? 0 : search_report_print(&outcome, arguments->common.json);
    if (!report_failed && arguments->training.x && !command)
        report_failed = complain(EXIT_FAILED, "not enough memory for the command that fits it again");
    free(command);

    if (interrupted)
        return complain(interrupt_exit_status(), "interrupted after %lld draw%s: this is the best so far%s%s%s",
                        (long long)info.trials, info.trials == 1 ? "" : "s",
                        arguments->output ? ", and no model was fitted" : "",
                        arguments->log ? "; the same command with --resume goes on from " : "",
                        arguments->log ? arguments->log : "");
    return fit_failed ? fit_failed : plot_failed ? plot_failed : report_failed;
}

/* ---- the two ways ----------------------------------------------------------------------------- */

int tune_search(const tune_arguments *arguments, training_data *data)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    bool interrupted = false;
    int failed = training_read(&arguments->training, data);
    if (!failed)
        failed = make_candidates(arguments, data, &candidates);
    if (!failed)
        failed = search_candidates(arguments, data, candidates, &search, &interrupted);
    if (!failed)
        failed = finish(arguments, data, search, interrupted);
    volt_search_free(search);
    volt_candidates_free(candidates);
    return failed;
}

int tune_merge(const tune_arguments *arguments, training_data *data)
{
    volt_search *search = NULL;
    int failed = arguments->training.x ? training_read(&arguments->training, data) : 0;
    if (!failed) {
        volt_status status = volt_search_merge(arguments->merge.texts, arguments->merge.count, &search);
        failed = status ? complain_status(status) : 0;
    }
    if (!failed)
        failed = finish(arguments, data, search, false);
    volt_search_free(search);
    return failed;
}
