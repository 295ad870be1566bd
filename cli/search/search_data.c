/* cli/search/search_data.c: columns and targets of a search, and the options that fit its winner. */
#include "search/search_data.h"

#include "terminal/messages.h"

#include <string.h>

static bool is_plain(const training_arguments *arguments, bool alpha_is_given)
{
    bool level_target = arguments->target == VOLT_TARGET_LEVEL,
         level_input = arguments->input == VOLT_INPUT_LEVEL;
    return (level_target || (alpha_is_given && arguments->target == VOLT_TARGET_AUTO)) &&
           (level_input || (alpha_is_given && arguments->input == VOLT_INPUT_AUTO));
}

int search_data_prepare(const training_arguments *arguments, const training_data *data, bool alpha_is_given,
                        int64_t learn_rows, search_data *made)
{
    *made = (search_data){.X = data->inputs, .Y = data->targets, .fit = training_options(arguments, data)};
    if (is_plain(arguments, alpha_is_given)) {
        made->fit.target = VOLT_TARGET_LEVEL;
        made->fit.input = VOLT_INPUT_LEVEL;
        made->fit.season = 0;
        return 0;
    }
    volt_fit_options options = made->fit;
    options.alpha = alpha_is_given ? 1 : 0; /* which one does not matter */
    volt_status status = volt_prepare(data->inputs, data->targets, &options, learn_rows, &made->prepared);
    if (status)
        return complain_status(status);
    made->fit.target = made->prepared->target;
    made->fit.input = made->prepared->input;
    made->fit.season = made->prepared->season;
    if (made->fit.target == VOLT_TARGET_LEVEL && made->fit.input == VOLT_INPUT_LEVEL) {
        volt_prepared_free(made->prepared); /* it came to what there was */
        made->prepared = NULL;
        return 0;
    }
    made->X = made->prepared->X;
    made->Y = made->prepared->Y;
    made->base = made->prepared->base;
    return 0;
}

void search_data_release(search_data *made)
{
    volt_prepared_free(made->prepared);
    memset(made, 0, sizeof *made);
}

int64_t search_gap(const training_data *data, int64_t asked)
{
    return asked >= 0 ? asked : data->ahead > 1 ? data->ahead - 1 : 0;
}

/* The readout of such a kernel has no held-out errors. */
static bool is_centred(const volt_kernel *kernel)
{
    volt_kernel_value centre;
    return volt_kernel_get(kernel, "centre", &centre) == VOLT_OK && centre.present &&
           strcmp(centre.text, "yes") == 0;
}

volt_fit_options search_data_fit(const search_data *made, const volt_kernel *kernel, const volt_trial *winner)
{
    volt_fit_options options = made->fit;
    options.alpha = winner->alpha;
    options.feedback_weight = winner->feedback;
    bool by_squares = (!options.loss || strcmp(options.loss, "squares") == 0) && !options.weights;
    options.guarded =
        options.target == VOLT_TARGET_CHANGE && (options.intercept || !is_centred(kernel)) && by_squares;
    return options;
}

void search_data_report(const search_data *made, result_list *results)
{
    const char *target = choice_word(target_choices, (int)made->fit.target);
    const char *input = choice_word(input_choices, (int)made->fit.input);
    results_text(results, "target", NULL, "%s", target);
    results_text(results, "input", NULL, "%s", input);
    results_count(results, "season", NULL, made->fit.season);
    if (!made->prepared)
        return;
    if (made->fit.season > 0)
        results_text(results, NULL, "learned", "%s, inputs seen as %s with a season of %lld rows", target,
                     input, (long long)made->fit.season);
    else
        results_text(results, NULL, "learned", "%s, inputs seen as %s", target, input);
}
