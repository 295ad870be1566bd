/* cli/commands/cmd_plan.c: volterra plan, time and memory of a fit. */
#include "args/command.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>

typedef struct plan_arguments {
    common_arguments common;
    int64_t n, d, q, landmarks;
    const char *kernel;
    bool feedback;
    int64_t draws, folds, max_train; /* of a search; draws 0: no search */
    bool rolling;
    const char *solver; /* NULL: not given */
} plan_arguments;

#define ROW(...) OPTION(plan_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("n", "N", n, "training rows", .range = AT_LEAST(1), .required = true),
    ROW("d", "D", d, "input columns", .range = AT_LEAST(1), .required = true),
    ROW("q", "Q", q, "output columns", .range = AT_LEAST(1), .unset = "the number of inputs"),
    ROW("kernel", "K", kernel, KERNEL_MEANING, .fallback = "volterra", .python = ""),
    ROW("landmarks", "M", landmarks, "number of landmarks of nystrom", .range = AT_LEAST(1), .unset = "2000"),
    ROW("feedback", NULL, feedback, "outputs of the previous row as additional inputs"),
    HEADING("search (volterra tune)"),
    ROW("draws", "N", draws, "number of candidates of a search to plan as well", .range = AT_LEAST(1)),
    ROW("folds", "K", folds, "validation blocks", .range = AT_LEAST(1), .unset = "5"),
    ROW("max-train", "N", max_train, "maximum rows of a training part", .range = AT_LEAST(1), .unset = "all"),
    ROW("rolling", NULL, rolling, "training parts of constant length"),
    ROW("solver", "S", solver, "solver of the candidates: {names or}", .names = search_solver_names,
        .unset = "auto"),
};

/* Reports the cost of every solver and the default solver. */
static void report_solvers(result_list *results, const volt_solver_plans *plans, bool json)
{
    for (int64_t i = 0; i < plans->count; i++) {
        const volt_solver_plan *plan = &plans->solver[i];
        char bytes[QUANTITY_LENGTH], seconds[QUANTITY_LENGTH], error[128] = "exact";
        result_list *inner = results_new(json);
        results_fields(inner, volt_solver_plan, plan, "name bytes seconds fits error noise_free_error");
        if (plan->landmarks > 0)
            results_fields(inner, volt_solver_plan, plan, "landmarks");
        results_append(results, "solvers", inner);
        if (isnan(plan->error))
            snprintf(error, sizeof error, "error unknown (too few landmarks)");
        else if (plan->error > 0)
            snprintf(error, sizeof error, "RMSE up to %.0f %% above exact (%.0f %% without noise)",
                     100 * plan->error, 100 * plan->noise_free_error);
        results_text(results, NULL, i == 0 ? "solvers" : "", "%s: %s%s, %s, %s", plan->name,
                     format_bytes(plan->bytes, bytes), plan->fits ? "" : " (does not fit)",
                     format_seconds(plan->seconds, seconds), error);
    }
    const char *taken = plans->solver[plans->taken].name;
    results_text(results, "solver", NULL, "%s", taken);
    results_text(results, "why", NULL, "%s", plans->why);
    results_text(results, NULL, "default", "%s (%s)", taken, plans->why);
}

static void report_json(result_list *results, const plan_arguments *arguments, const volt_plan *plan, bool fits)
{
    results_count(results, "n", NULL, arguments->n);
    results_count(results, "d", NULL, arguments->d);
    results_count(results, "q", NULL, arguments->q);
    results_text(results, "kernel", NULL, "%s", arguments->kernel);
    results_flag(results, "fits", fits);
    results_fields(results, volt_plan, plan,
                   "fit_bytes model_bytes factor_bytes available_bytes n_that_fits gram_seconds factor_seconds "
                   "choose_seconds stream_seconds on_device");
    if (plan->device_bytes > 0)
        results_fields(results, volt_plan, plan,
                       "device_bytes device_available_bytes device_n_that_fits device_gram_seconds "
                       "device_factor_seconds");
}

/* Reports the device memory, if a device exists, and whether the fit uses it. */
static void report_device(result_list *results, const volt_plan *plan)
{
    char bytes[QUANTITY_LENGTH], available[QUANTITY_LENGTH], gram[QUANTITY_LENGTH], factor[QUANTITY_LENGTH];
    if (plan->device_bytes <= 0)
        return;
    results_details(results, true);
    results_text(results, NULL, "memory on the GPU", "%s of %s", format_bytes(plan->device_bytes, bytes),
                 plan->device_available_bytes > 0 ? format_bytes(plan->device_available_bytes, available)
                                                  : "unknown");
    if (plan->device_factor_seconds > 0)
        results_text(results, NULL, "time on the GPU", "%s for the Gram matrix, %s for the factor",
                     format_seconds(plan->device_gram_seconds, gram),
                     format_seconds(plan->device_factor_seconds, factor));
    if (plan->device_n_that_fits > 0)
        results_text(results, NULL, "largest n on the GPU", "%lld rows", (long long)plan->device_n_that_fits);
    results_details(results, false);
    results_text(results, NULL, "device", "%s", plan->on_device ? "GPU" : "CPU");
}

static bool fits_on_device(const volt_plan *plan)
{
    return !plan->on_device || plan->device_available_bytes <= 0 ||
           plan->device_bytes <= plan->device_available_bytes;
}

static void report_table(result_list *results, const plan_arguments *arguments, const volt_plan *plan,
                         bool fits)
{
    char bytes[QUANTITY_LENGTH], seconds[QUANTITY_LENGTH], available[QUANTITY_LENGTH];
    results_text(results, NULL, "data", "%lld rows, %lld inputs, %lld outputs", (long long)arguments->n,
                 (long long)arguments->d, (long long)arguments->q);
    results_text(results, NULL, "memory", "%s (available: %s)", format_bytes(plan->fit_bytes, bytes),
                 plan->available_bytes > 0 ? format_bytes(plan->available_bytes, available) : "unknown");
    results_text(results, NULL, "time", "%s, with choice of alpha %s",
                 format_seconds(plan->gram_seconds + plan->factor_seconds, seconds),
                 format_seconds(plan->gram_seconds + plan->factor_seconds + plan->choose_seconds, bytes));
    results_details(results, true);
    results_text(results, NULL, "  Gram matrix", "%s", format_seconds(plan->gram_seconds, seconds));
    results_text(results, NULL, "  factor", "%s", format_seconds(plan->factor_seconds, seconds));
    results_text(results, NULL, "  choice of alpha", "%s", format_seconds(plan->choose_seconds, seconds));
    results_text(results, NULL, "model file", "%s", format_bytes(plan->model_bytes, bytes));
    results_text(results, NULL, "kept factor", "%s more memory and file (fit --keep-factor)",
                 format_bytes(plan->factor_bytes, bytes));
    results_text(results, NULL, "stream step", "%s", format_seconds(plan->stream_seconds, seconds));
    results_details(results, false);
    report_device(results, plan);
    if (plan->n_that_fits > 0)
        results_text(results, NULL, "largest n", "%lld rows", (long long)plan->n_that_fits);
    if (!fits_on_device(plan))
        results_text(results, NULL, "fits", "not on the GPU: use fewer rows, or --device cpu");
    else if (fits)
        results_text(results, NULL, "fits", "yes");
    else if (plan->n_that_fits < 1)
        results_text(results, NULL, "fits", "no, with any number of rows: use fewer columns");
    else {
        int64_t most = plan->n_that_fits, every = (arguments->n + most - 1) / most;
        results_text(results, NULL, "fits", "no: use --solver nystrom (the default here), --rows -%lld:,",
                     (long long)most);
        results_text(results, NULL, "", "one row in %lld, or a machine with %s of memory", (long long)every,
                     format_bytes(1.1 * plan->fit_bytes, bytes));
    }
}

/* ---- search ----------------------------------------------------------------------------------- */

static int check_search(const plan_arguments *arguments)
{
    bool asks = arguments->folds > 0 || arguments->max_train > 0 || arguments->rolling || arguments->solver;
    return asks && arguments->draws == 0
               ? complain(EXIT_USAGE,
                          "--folds, --max-train, --rolling and --solver require --draws N (a search)")
               : 0;
}

static volt_status plan_search(const plan_arguments *arguments, const volt_kernel *kernel, int64_t columns,
                               volt_search_plan *plan)
{
    const double drawn = 1; /* alpha; any positive value */
    volt_search_options options = volt_search_options_default();
    options.draws = arguments->draws;
    options.splits.max_train = arguments->max_train;
    options.splits.rolling = arguments->rolling;
    options.solver = arguments->solver;
    options.landmarks = arguments->landmarks;
    if (arguments->folds > 0)
        options.splits.folds = arguments->folds;
    return volt_plan_search(kernel, arguments->n, columns, arguments->q, drawn, &options, 1, plan);
}

static void report_search(result_list *results, const volt_search_plan *plan, int64_t draws, bool json)
{
    char bytes[QUANTITY_LENGTH], each[QUANTITY_LENGTH], seconds[QUANTITY_LENGTH], landmarks[64] = "";
    const char *solver = plan->solver;
    result_list *inner = results_new(json);
    results_count(inner, "draws", NULL, draws);
    results_fields(inner, volt_search_plan, plan,
                   "solver why max_rows parallel on_device bytes fits candidate_seconds seconds");
    if (plan->landmarks > 0)
        results_fields(inner, volt_search_plan, plan, "landmarks");
    results_nest(results, "search", inner);
    if (plan->landmarks > 0)
        snprintf(landmarks, sizeof landmarks, " with %lld landmarks", (long long)plan->landmarks);
    results_text(results, NULL, "search", "%lld draws: %s%s, up to %s (%s per draw)", (long long)draws,
                 format_bytes(plan->bytes, bytes), plan->fits ? "" : " (does not fit)",
                 format_seconds(plan->seconds, seconds), format_seconds(plan->candidate_seconds, each));
    results_text(results, NULL, "search solver", "%s%s%s%s, %lld in parallel", solver, landmarks,
                 plan->why ? ": " : "", plan->why ? plan->why : "", (long long)plan->parallel);
}

static int run_plan(int argc, char *const *argv)
{
    plan_arguments arguments = {0};
    volt_plan plan = {.struct_size = sizeof plan};
    int failed = options_parse(&command_plan.options, argc, argv, &arguments);
    if (!failed)
        failed = check_search(&arguments);
    if (failed)
        return failed;
    if (arguments.q == 0)
        arguments.q = arguments.d;
    int64_t columns = arguments.d + (arguments.feedback ? arguments.q : 0);
    volt_kernel *kernel = NULL;
    volt_search_plan search = {.struct_size = sizeof search};
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status == VOLT_OK && arguments.draws > 0)
        status = plan_search(&arguments, kernel, columns, &search);
    volt_solver_plans plans = {.struct_size = sizeof plans};
    if (status == VOLT_OK)
        status =
            volt_plan_fit(kernel, arguments.n, columns, arguments.q, arguments.landmarks, 1, &plan, &plans);
    volt_kernel_free(kernel);
    if (status)
        return complain_status(status);
    bool fits = (plan.available_bytes <= 0 || plan.fit_bytes <= plan.available_bytes) && fits_on_device(&plan);
    result_list *results = results_new(arguments.common.json);
    if (arguments.common.json)
        report_json(results, &arguments, &plan, fits);
    else
        report_table(results, &arguments, &plan, fits);
    report_solvers(results, &plans, arguments.common.json);
    if (arguments.draws > 0)
        report_search(results, &search, arguments.draws, arguments.common.json);
    return results_print(results);
}

const cli_command command_plan = {
    .name = "plan",
    .group = "Tools",
    .summary = "memory and time of a fit on this machine",
    .description =
        "Lists memory, time for a given alpha, and the expected error relative to the exact fit for every\n"
        "solver (volterra fit --solver). Times are extrapolated from a short measurement, and errors were\n"
        "measured on 20,000 rows (docs/math.md).\n"
        "\n"
        "The report names the solver that fit chooses by default, with the reason, and the cost on a GPU if\n"
        "there is one. With --draws N it also lists memory and time of volterra tune --draws N, without\n"
        "early stopping.\n",
    .examples = "  volterra plan --n 100000 --d 10 --q 55\n"
                "  volterra plan --n 20000 --d 3 --draws 200 --folds 5\n",
    .options = OPTION_TABLE(rows),
    .run = run_plan,
};
