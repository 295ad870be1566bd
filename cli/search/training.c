/* cli/search/training.c: read the sequence that fit and tune learn from, and fit it. */
#include "search/training.h"

#include "args/shell_words.h"
#include "files/outputs.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <string.h>

/* ---- the sequence ----------------------------------------------------------------------------- */

static bool same_names(const char **first, const char **second, int64_t count)
{
    if (!first || !second)
        return false;
    for (int64_t j = 0; j < count; j++)
        if (strcmp(first[j], second[j]) != 0)
            return false;
    return true;
}

/* Is every target the next input? */
static bool targets_are_next_inputs(volt_view inputs, volt_view targets)
{
    if (!inputs.data || !targets.data)
        return false;
    for (int64_t i = 0; i + 1 < inputs.rows; i++)
        for (int64_t j = 0; j < inputs.cols; j++)
            if (targets.data[i * targets.ld + j] != inputs.data[(i + 1) * inputs.ld + j])
                return false;
    return inputs.rows > 1;
}

/* The outputs are the inputs one step later: by their names, or because the numbers say so. */
static bool can_feed_back(const training_data *data)
{
    if (data->inputs.cols != data->targets.cols)
        return false;
    if (data->ahead == 1 && same_names(data->input_names, data->output_names, data->inputs.cols))
        return true;
    return targets_are_next_inputs(data->inputs, data->targets);
}

static int read_files(const training_arguments *arguments, training_data *data)
{
    volt_missing missing = missing_policy(arguments->missing);
    int failed;
    if (arguments->y) {
        failed = dataset_read_pair(&data->x, arguments->x, &data->y, arguments->y, missing, &arguments->rows);
    } else {
        failed = dataset_read_rows(&data->x, arguments->x, missing, &arguments->rows, "--rows");
    }
    return failed;
}

int training_read(const training_arguments *arguments, training_data *data)
{
    data->ahead = arguments->ahead == AHEAD_NOT_GIVEN ? !arguments->y : arguments->ahead;
    if (!arguments->y && data->ahead == 0)
        return complain(EXIT_USAGE, "--ahead 0 without --y would learn the inputs from themselves; "
                                    "give --ahead 1 or more, or --y");
    int failed = read_files(arguments, data);
    if (failed)
        return failed;

    const dataset *target = arguments->y ? &data->y : &data->x;
    int64_t n = data->x.view.rows;
    char hint[HINT_LENGTH];
    if (n == 1 && data->ahead > 0)
        return complain(EXIT_FAILED, "%s has only one row; a target %lld ahead needs at least %lld%s",
                        arguments->x, (long long)data->ahead, (long long)data->ahead + 1,
                        dataset_hint(&data->x, hint));
    if (data->ahead >= n)
        return complain(EXIT_USAGE, "--ahead %lld must be less than the %lld rows of %s%s",
                        (long long)data->ahead, (long long)n, arguments->x, dataset_hint(&data->x, hint));
    data->inputs = volt_view_rows(data->x.view, 0, n - data->ahead);
    data->targets = volt_view_rows(target->view, data->ahead, n - data->ahead);
    data->input_names = data->x.names;
    data->output_names = target->names;
    data->feedback = can_feed_back(data);
    return 0;
}

void training_release(training_data *data)
{
    dataset_release(&data->x);
    dataset_release(&data->y);
}

/* ---- the fit ---------------------------------------------------------------------------------- */

int training_fit(const training_arguments *arguments, const training_data *data, const volt_kernel *kernel,
                 double alpha, bool quiet, volt_matrix fitted, volt_model **model)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.washout = arguments->washout;
    options.intercept = !arguments->no_intercept;
    options.scale = !arguments->no_scale;
    options.ahead = data->ahead;
    options.feedback = data->feedback;
    options.input_names = (const char *const *)data->input_names;
    options.output_names = (const char *const *)data->output_names;
    options.progress = progress_begin(quiet);
    volt_status status = volt_model_fit(kernel, data->inputs, data->targets, &options, fitted, model);
    progress_end();
    if (status == VOLT_ERR_MEMORY)
        return complain_status_hint(status, " (run: volterra plan --n %lld --d %lld --q %lld)",
                                    (long long)data->inputs.rows, (long long)data->inputs.cols,
                                    (long long)data->targets.cols);
    if (!status && interrupt_seen())
        status = VOLT_ERR_CANCELLED;
    if (status == VOLT_ERR_SINGULAR && held_warning())
        return complain_status_hint(status, " (%s)", held_warning());
    char hint[HINT_LENGTH];
    return status ? complain_status_hint(status, "%s", dataset_hint(&data->x, hint)) : 0;
}

int training_check_output(const training_arguments *arguments, const char *path)
{
    int failed = output_check(path);
    if (!failed)
        failed = output_check_against(path, arguments->x);
    if (!failed)
        failed = output_check_against(path, arguments->y);
    return failed;
}

/* ---- the same again --------------------------------------------------------------------------- */

char *training_fit_command(const training_arguments *arguments, const char *kernel, double alpha,
                           const char *model)
{
    char number[VOLT_NUMBER_LENGTH];
    shell_words words = {0};
    shell_words_add(&words, NULL, "volterra");
    shell_words_add(&words, NULL, "fit");
    shell_words_add(&words, "--x", arguments->x);
    if (arguments->y)
        shell_words_add(&words, "--y", arguments->y);
    if (arguments->ahead != AHEAD_NOT_GIVEN)
        shell_words_add_count(&words, "--ahead", arguments->ahead);
    shell_words_add(&words, "--kernel", kernel);
    shell_words_add(&words, "--alpha", volt_format_number(alpha, number));
    if (arguments->washout > 0)
        shell_words_add_count(&words, "--washout", arguments->washout);
    if (arguments->rows.given)
        shell_words_add(&words, "--rows", arguments->rows.text);
    if (arguments->no_intercept)
        shell_words_add(&words, "--no-intercept", NULL);
    if (arguments->no_scale)
        shell_words_add(&words, "--no-scale", NULL);
    if (arguments->missing != VOLT_MISSING_ERROR)
        shell_words_add(&words, "--missing", choice_word(missing_choices, arguments->missing));
    shell_words_add(&words, "-o", model);
    return shell_words_take(&words);
}
