/* cli/commands/cmd_plan.c: volterra plan, what a fit would take here. */
#include "args/command.h"
#include "terminal/messages.h"
#include "terminal/quantities.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>

typedef struct plan_arguments {
    common_arguments common;
    int64_t n, d, q, landmarks;
    const char *kernel;
    bool feedback;
} plan_arguments;

static const option rows[] = {
    {.name = "n",
     .kind = OPTION_COUNT,
     .least = 1,
     .required = true,
     .offset = offsetof(plan_arguments, n),
     .argument = "N",
     .meaning = "training rows"},
    {.name = "d",
     .kind = OPTION_COUNT,
     .least = 1,
     .required = true,
     .offset = offsetof(plan_arguments, d),
     .argument = "D",
     .meaning = "input columns"},
    {.name = "q",
     .kind = OPTION_COUNT,
     .least = 1,
     .offset = offsetof(plan_arguments, q),
     .argument = "Q",
     .meaning = "output columns (default: as many as inputs)"},
    {.name = "kernel",
     .kind = OPTION_TEXT,
     .fallback = "volterra",
     .argument = "K",
     .offset = offsetof(plan_arguments, kernel),
     .meaning = "the kernel, see volterra help kernels"},
    {.name = "landmarks",
     .kind = OPTION_COUNT,
     .least = 1,
     .offset = offsetof(plan_arguments, landmarks),
     .argument = "M",
     .meaning = "of the solver nystrom: how many landmarks (default 2000)"},
    {.name = "feedback",
     .kind = OPTION_FLAG,
     .offset = offsetof(plan_arguments, feedback),
     .meaning = "the outputs of the row before are inputs too"},
};

/* What every solver takes, and which is taken where nobody says. */
static void report_solvers(result_list *results, const volt_solver_plans *plans, bool json)
{
    for (int64_t i = 0; i < plans->count; i++) {
        const volt_solver_plan *plan = &plans->solver[i];
        char bytes[QUANTITY_LENGTH], seconds[QUANTITY_LENGTH], error[128] = "exact";
        result_list *inner = results_new(json);
        results_text(inner, "name", NULL, "%s", plan->name);
        results_number(inner, "bytes", NULL, plan->bytes);
        results_number(inner, "seconds", NULL, plan->seconds);
        results_flag(inner, "fits", plan->fits);
        if (plan->landmarks > 0)
            results_count(inner, "landmarks", NULL, plan->landmarks);
        results_number(inner, "error", NULL, plan->error);
        results_number(inner, "noise_free_error", NULL, plan->noise_free_error);
        results_append(results, "solvers", inner);
        if (isnan(plan->error))
            snprintf(error, sizeof error, "too few landmarks to say how far off");
        else if (plan->error > 0)
            snprintf(error, sizeof error, "RMSE up to %.0f %% above exact, %.0f %% on systems without noise",
                     100 * plan->error, 100 * plan->noise_free_error);
        results_text(results, NULL, i == 0 ? "solvers" : "", "%s: %s%s, %s, %s", plan->name,
                     format_bytes(plan->bytes, bytes), plan->fits ? "" : " (does not fit)",
                     format_seconds(plan->seconds, seconds), error);
    }
    const char *taken = plans->solver[plans->taken].name;
    results_text(results, "solver", NULL, "%s", taken);
    results_text(results, "why", NULL, "%s", plans->why);
    results_text(results, NULL, "solver that fit takes", "%s: %s", taken, plans->why);
}

static void report_json(result_list *results, const plan_arguments *arguments, const volt_plan *plan, bool fits)
{
    results_count(results, "n", NULL, arguments->n);
    results_count(results, "d", NULL, arguments->d);
    results_count(results, "q", NULL, arguments->q);
    results_text(results, "kernel", NULL, "%s", arguments->kernel);
    results_number(results, "fit_bytes", NULL, plan->fit_bytes);
    results_number(results, "model_bytes", NULL, plan->model_bytes);
    results_number(results, "factor_bytes", NULL, plan->factor_bytes);
    results_number(results, "available_bytes", NULL, plan->available_bytes);
    results_flag(results, "fits", fits);
    results_count(results, "n_that_fits", NULL, plan->n_that_fits);
    results_number(results, "gram_seconds", NULL, plan->gram_seconds);
    results_number(results, "factor_seconds", NULL, plan->factor_seconds);
    results_number(results, "choose_seconds", NULL, plan->choose_seconds);
    results_number(results, "stream_seconds", NULL, plan->stream_seconds);
    results_number(results, "evidence_bytes", NULL, plan->evidence_bytes);
    results_number(results, "evidence_seconds", NULL, plan->evidence_seconds);
    results_flag(results, "on_device", plan->on_device);
    if (plan->device_bytes > 0) {
        results_number(results, "device_bytes", NULL, plan->device_bytes);
        results_number(results, "device_available_bytes", NULL, plan->device_available_bytes);
        results_count(results, "device_n_that_fits", NULL, plan->device_n_that_fits);
        results_number(results, "device_gram_seconds", NULL, plan->device_gram_seconds);
        results_number(results, "device_factor_seconds", NULL, plan->device_factor_seconds);
    }
}

/* The device, where there is one: what it needs there, and whether the fit goes there. */
static void report_device(result_list *results, const volt_plan *plan)
{
    char bytes[QUANTITY_LENGTH], available[QUANTITY_LENGTH], gram[QUANTITY_LENGTH], factor[QUANTITY_LENGTH];
    if (plan->device_bytes <= 0)
        return;
    results_text(results, NULL, "memory on the GPU", "%s of %s", format_bytes(plan->device_bytes, bytes),
                 plan->device_available_bytes > 0 ? format_bytes(plan->device_available_bytes, available)
                                                  : "unknown");
    if (plan->device_factor_seconds > 0)
        results_text(results, NULL, "time on the GPU", "%s for the Gram matrix, %s for the factor",
                     format_seconds(plan->device_gram_seconds, gram),
                     format_seconds(plan->device_factor_seconds, factor));
    if (plan->device_n_that_fits > 0)
        results_text(results, NULL, "largest n on the GPU", "%lld", (long long)plan->device_n_that_fits);
    results_text(results, NULL, "where", "%s", plan->on_device ? "on the GPU" : "on the CPU");
}

static bool device_has_room(const volt_plan *plan)
{
    return !plan->on_device || plan->device_available_bytes <= 0 ||
           plan->device_bytes <= plan->device_available_bytes;
}

static void report_table(result_list *results, const plan_arguments *arguments, const volt_plan *plan,
                         bool fits)
{
    char bytes[QUANTITY_LENGTH], seconds[QUANTITY_LENGTH];
    results_text(results, NULL, "fit", "%lld rows, %lld inputs, %lld outputs", (long long)arguments->n,
                 (long long)arguments->d, (long long)arguments->q);
    results_text(results, NULL, "memory to fit", "%s", format_bytes(plan->fit_bytes, bytes));
    results_text(results, NULL, "memory available", "%s",
                 plan->available_bytes > 0 ? format_bytes(plan->available_bytes, bytes) : "unknown");
    results_text(results, NULL, "size of the model", "%s", format_bytes(plan->model_bytes, bytes));
    results_text(results, NULL, "a kept factor adds", "%s to both (fit --keep-factor)",
                 format_bytes(plan->factor_bytes, bytes));
    results_text(results, NULL, "time for the Gram matrix", "%s", format_seconds(plan->gram_seconds, seconds));
    results_text(results, NULL, "time for the factor", "%s", format_seconds(plan->factor_seconds, seconds));
    results_text(results, NULL, "time to choose alpha", "%s, where it is not given",
                 format_seconds(plan->choose_seconds, seconds));
    results_text(results, NULL, "time for one stream step", "%s",
                 format_seconds(plan->stream_seconds, seconds));
    if (plan->evidence_seconds > 0)
        results_text(results, NULL, "a step of its evidence", "%s, %s (tune --method gradient)",
                     format_bytes(plan->evidence_bytes, bytes),
                     format_seconds(plan->evidence_seconds, seconds));
    report_device(results, plan);
    if (plan->n_that_fits > 0)
        results_text(results, NULL, "largest n that fits", "%lld", (long long)plan->n_that_fits);
    if (!device_has_room(plan))
        results_text(results, NULL, "verdict", "does not fit on the GPU: fit fewer rows, or take --device cpu");
    else if (fits)
        results_text(results, NULL, "verdict", "fits in the memory of this machine");
    else if (plan->n_that_fits < 1)
        results_text(results, NULL, "verdict", "does not fit, and no number of rows would: use fewer columns");
    else {
        int64_t most = plan->n_that_fits, every = (arguments->n + most - 1) / most;
        results_text(results, NULL, "verdict", "does not fit in the memory of this machine");
        results_text(results, NULL, "what to do",
                     "fit it on landmarks, as volterra fit does here by itself: --solver nystrom");
        results_text(results, NULL, "", "or fit the last rows only: volterra fit --rows -%lld: ...",
                     (long long)most);
        results_text(results, NULL, "", "or thin the sequence: keep one row of %lld", (long long)every);
        results_text(results, NULL, "", "or take a machine with %s of memory",
                     format_bytes(1.1 * plan->fit_bytes, bytes));
    }
}

static int run_plan(int argc, char *const *argv)
{
    plan_arguments arguments = {0};
    volt_plan plan;
    int failed = options_parse(&command_plan.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.q == 0)
        arguments.q = arguments.d;
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_plan_kernel(kernel, arguments.n, arguments.d + (arguments.feedback ? arguments.q : 0),
                                  arguments.q, 1, &plan);
    volt_solver_plans plans;
    if (status == VOLT_OK)
        status = volt_plan_solvers(kernel, arguments.n, arguments.d + (arguments.feedback ? arguments.q : 0),
                                   arguments.q, arguments.landmarks, 1, &plans);
    volt_kernel_free(kernel);
    if (status)
        return complain_status(status);
    bool fits = (plan.available_bytes <= 0 || plan.fit_bytes <= plan.available_bytes) && device_has_room(&plan);
    result_list *results = results_new(arguments.common.json);
    if (arguments.common.json)
        report_json(results, &arguments, &plan, fits);
    else
        report_table(results, &arguments, &plan, fits);
    report_solvers(results, &plans, arguments.common.json);
    return results_print(results);
}

const cli_command command_plan = {
    .name = "plan",
    .summary = "memory and time a fit would take here, and what to do when it does not fit",
    .description =
        "The times are extrapolated from a short measurement on this machine. Of every solver (volterra fit\n"
        "--solver) memory, time with alpha given, and how far its forecasts are expected from those of the\n"
        "exact fit, as measured on 20,000 rows (docs/math.md); and which one fit takes by itself, and why.\n",
    .examples = "  volterra plan --n 100000 --d 10 --q 55\n",
    .options = OPTION_TABLE(rows),
    .run = run_plan,
};
