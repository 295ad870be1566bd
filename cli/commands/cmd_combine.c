/* cli/commands/cmd_combine.c: volterra combine, a model that is a weighted sum of models. */
#include "args/command.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>

typedef struct combine_arguments {
    common_arguments common;
    text_list models;
    number_list weights;
    int kind;
    const char *output;
} combine_arguments;

static const choice kind_choices[] = {
    {"average", VOLT_SUM_AVERAGE, NULL},
    {"residual", VOLT_SUM_RESIDUAL, NULL},
    {NULL, 0, NULL},
};

#define ROW(...) OPTION(combine_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODELS", NULL, models, "model files with the same inputs and outputs", .required = true,
        .is_positional = true),
    ROW("weights", "W1,W2,...", weights, "weight of each model, at most 16",
        .unset = "equal weights of sum 1; 1 with --kind residual"),
    ROW("kind", NULL, kind,
        "targets of the models: all were fitted on the same targets (average), or each on the residual of the "
        "models before it (residual)",
        .choices = kind_choices, .fallback = "average"),
    ROW("output", "FILE", output, "model file", .letter = 'o', .required = true),
};

static int print_summary(const combine_arguments *arguments, const volt_model *sum)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(sum, &info);
    result_list *results = results_new(arguments->common.json);
    results_text(results, "model", "model", "%s", arguments->output);
    results_text(results, "kind", "kind", "%s", choice_word(kind_choices, (int)info.sum_kind));
    for (int64_t i = 0; i < info.n_members; i++) {
        volt_model_info member = {.struct_size = sizeof member};
        volt_model_get_info(info.members[i], &member);
        results_text(results, NULL, "member", "%s %s: %s", digits(info.member_weights[i]).text,
                     arguments->models.texts[i], member.kernel);
        result_list *inner = results_new(true);
        results_text(inner, "file", NULL, "%s", arguments->models.texts[i]);
        results_number(inner, "weight", NULL, info.member_weights[i]);
        results_text(inner, "kernel", NULL, "%s", member.kernel);
        results_append(results, "members", inner);
    }
    return results_print(results);
}

static int combine(const combine_arguments *arguments, volt_model **models)
{
    int failed = 0;
    int64_t count = arguments->models.count;
    for (int64_t i = 0; !failed && i < count; i++)
        failed = model_read(arguments->models.texts[i], &models[i]);
    if (failed)
        return failed;
    volt_model *sum = NULL;
    volt_status status = volt_model_sum((const volt_model *const *)models,
                                        arguments->weights.count > 0 ? arguments->weights.values : NULL, count,
                                        (volt_sum_kind)arguments->kind, &sum);
    failed = status ? complain_status(status) : model_write(sum, arguments->output);
    if (!failed && !is_standard_output(arguments->output))
        failed = print_summary(arguments, sum);
    volt_model_free(sum);
    return failed;
}

static int check(const combine_arguments *arguments)
{
    int failed = output_check(arguments->output);
    for (int64_t i = 0; !failed && i < arguments->models.count; i++)
        failed = output_check_against(arguments->output, arguments->models.texts[i]);
    if (!failed && arguments->weights.count > 0 && arguments->weights.count != arguments->models.count)
        failed = complain(EXIT_USAGE, "--weights must have one number per model, %lld (got %d)",
                          (long long)arguments->models.count, arguments->weights.count);
    return failed;
}

static int run_combine(int argc, char *const *argv)
{
    combine_arguments arguments = {0};
    int failed = options_parse(&command_combine.options, argc, argv, &arguments);
    if (!failed)
        failed = check(&arguments);
    volt_model **models = failed ? NULL : calloc((size_t)arguments.models.count, sizeof(volt_model *));
    if (!failed)
        failed =
            models ? combine(&arguments, models) : complain(EXIT_FAILED, "not enough memory for the models");
    for (int64_t i = 0; models && i < arguments.models.count; i++)
        volt_model_free(models[i]);
    free(models);
    text_list_free(&arguments.models);
    return failed;
}

const cli_command command_combine = {
    .name = "combine",
    .group = "Models",
    .summary = "make a model that is a weighted sum of models",
    .description =
        "The prediction of the new model is the sum of the predictions of its members, each times its\n"
        "weight. It is an average of models, or a model and a second one of its residual (--kind residual).\n"
        "\n"
        "predict and stream use the file like any other model. The models must have the same inputs,\n"
        "outputs and --ahead; kernel, scales, washout and --feedback may differ. Each model feeds back its\n"
        "own outputs. With --known Y every model of an average receives Y; with --kind residual each\n"
        "receives Y less the weighted outputs of the models before it.\n"
        "\n"
        "explain, continue, anomaly, intervals of predict, --std and --learn are not supported for a sum.\n",
    .examples = "  volterra combine a.safetensors b.safetensors -o mean.safetensors\n"
                "  volterra combine linear.safetensors rest.safetensors --kind residual -o both.safetensors\n"
                "  volterra combine a.safetensors b.safetensors --weights 0.7,0.3 -o mixed.safetensors\n",
    .options = OPTION_TABLE(rows),
    .run = run_combine,
};
