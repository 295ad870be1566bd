/* src/task/compare.c: compares kernels: contenders of a protocol, a search with the same budget for each, a refit, the test rows, ranks. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"

#include "base/memory.h"
#include "base/progress.h"
#include "kernel/kernel_entry.h"
#include "kernel/records.h"
#include "model/recipe.h"
#include "select/candidates/candidates.h"
#include "task/protocol.h"
#include "text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- the protocol ------------------------------------------------------------------------------- */

/* The kernels of the comparison, and the paper's ranges of their parameters.
 *
 * Under the published protocol each kernel has the inputs of the paper: z_t only, which GAK and the signature
 * kernels treat as a path of d numbers; only the Volterra kernel uses past rows. The echo state network, which
 * is not in the paper, comes last. Its states depend on past rows in both protocols, and start at zero, as in
 * other libraries. Its limit of infinite width is a row of the history protocol only. */

static const volt_contender history_contenders[] = {
    {"Linear", "linear"},
    {"RBF", "rbf"},
    {"Poly", "poly"},
    {"Sigmoid", "sigmoid"},
    {"GAK", "gak"},
    {"Sig(N)", "sig:features=rbf"},
    {"Sig-PDE", "sigpde:static=rbf"},
    {"Volterra", "volterra"},
    {"Volterra even", "volterra:lift=even"},
    {"ESN", "esn:size=200,start=zero"},
    {"Recurrent", "recurrent:activation=erf"},
};

static const volt_contender published_contenders[] = {
    {"Linear", "linear:window=1"},
    {"RBF", "rbf:window=1"},
    {"Poly", "poly:window=1"},
    {"Sigmoid", "sigmoid:window=1"},
    {"GAK", "gak:path=rows,centre=yes"},
    {"Sig(N)", "sig:path=rows"},
    {"Sig-PDE", "sigpde:path=rows,static=rbf"},
    {"Volterra", "volterra"},
    {"Volterra even", "volterra:lift=even"},
    {"ESN", "esn:size=200,start=zero"},
};

const volt_contender *volt_contenders(volt_protocol protocol, int64_t *count)
{
    bool published = protocol == VOLT_PROTOCOL_PUBLISHED;
    *count = (int64_t)(published ? sizeof published_contenders : sizeof history_contenders) /
             (int64_t)sizeof(volt_contender);
    return published ? published_contenders : history_contenders;
}

/* Whether `word` is the name of the row, its kernel, or the name of that kernel. */
static bool is_row(const volt_contender *row, const char *word, bool by_kernel)
{
    size_t length = strcspn(row->kernel, ":");
    if (by_kernel)
        return strlen(word) == length && strncmp(row->kernel, word, length) == 0;
    return strcasecmp(row->name, word) == 0 || strcmp(row->kernel, word) == 0;
}

static volt_status resolve(volt_protocol protocol, const volt_contender *given, int64_t number,
                           volt_contender *contender)
{
    int64_t count = 0;
    const volt_contender *rows = volt_contenders(protocol, &count);
    volt_kernel *kernel = NULL;
    *contender = *given;
    VOLT_REQUIRE(given->kernel, VOLT_ERR_ARGUMENT, "kernel %lld of the comparison has no text",
                 (long long)number + 1);
    for (int by_kernel = 0; by_kernel < 2 && !contender->name; by_kernel++)
        for (int64_t i = 0; i < count && !contender->name; i++)
            if (is_row(&rows[i], given->kernel, by_kernel))
                *contender = rows[i];
    if (!contender->name)
        contender->name = given->kernel;
    VOLT_TRY(volt_kernel_parse_open(contender->kernel, &kernel)); /* checked before the others are tuned */
    volt_kernel_free(kernel);
    return VOLT_OK;
}

static volt_status resolve_all(const volt_compare_options *options, int64_t count, volt_contender *contenders)
{
    for (int64_t i = 0; i < count; i++) {
        VOLT_TRY(resolve(options->protocol, &options->contenders[i], i, &contenders[i]));
        for (int64_t j = 0; j < i; j++)
            VOLT_REQUIRE(strcmp(contenders[i].kernel, contenders[j].kernel) != 0, VOLT_ERR_ARGUMENT,
                         "kernel %s is given twice", options->contenders[i].kernel);
    }
    return VOLT_OK;
}

volt_status volt_contenders_resolve(const volt_compare_options *options, volt_contender **contenders,
                                    int64_t *count)
{
    const volt_contender *rows = volt_contenders(options->protocol, count);
    if (options->contenders)
        *count = options->n_contenders;
    VOLT_REQUIRE(*count >= 1 && *count <= 64, VOLT_ERR_ARGUMENT,
                 "the number of kernels to compare must be 1 to 64 (got %lld)", (long long)*count);
    volt_contender *made = volt_alloc(*count, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    if (!options->contenders)
        memcpy(made, rows, (size_t)*count * sizeof *made);
    volt_status status = options->contenders ? resolve_all(options, *count, made) : VOLT_OK;
    if (status)
        volt_free(made);
    else
        *contenders = made;
    return status;
}

/* ---- the paper's ranges ----------------------------------------------------------------------- */

enum { MAX_RANGES = 6 };

typedef struct published {
    const char *name; /* of the kernel */
    volt_published_inputs inputs;
    volt_range ranges[MAX_RANGES]; /* terminated by one without a name */
} published;

#define LOG_RANGE(parameter, from, to)                                            \
    {                                                                             \
        .name = (parameter), .kind = VOLT_SEARCH_LOG, .low = (from), .high = (to) \
    }
#define INTEGER_RANGE(parameter, from, to)                                            \
    {                                                                                 \
        .name = (parameter), .kind = VOLT_SEARCH_INTEGER, .low = (from), .high = (to) \
    }

static const char *const features[] = {"linear", "rbf"};

static const published published_table[] = {
    {"linear", VOLT_INPUTS_STANDARDISED, {LOG_RANGE("alpha", 1e-2, 1e7)}},
    {"rbf", VOLT_INPUTS_STANDARDISED, {LOG_RANGE("alpha", 1e-9, 1e-2), LOG_RANGE("gamma", 1e-6, 1e-3)}},
    {"poly",
     VOLT_INPUTS_STANDARDISED,
     {LOG_RANGE("alpha", 1e-3, 1), INTEGER_RANGE("degree", 2, 3), LOG_RANGE("gamma", 1e-4, 1),
      LOG_RANGE("coef0", 1e-4, 1)}},
    {"sigmoid",
     VOLT_INPUTS_STANDARDISED,
     {LOG_RANGE("alpha", 1e-6, 1e-2), LOG_RANGE("gamma", 1e-5, 1e-1),
      LOG_RANGE("coef0", 1e-3, 3.1622776601683795)}},
    {"gak", VOLT_INPUTS_IN_BALL, {LOG_RANGE("alpha", 1e-7, 1e5), LOG_RANGE("sigma", 1e-2, 1e2)}},
    {"sig",
     VOLT_INPUTS_STANDARDISED,
     {{.name = "features", .choices = features, .n_choices = 2},
      LOG_RANGE("alpha", 1e-10, 1e-2),
      INTEGER_RANGE("level", 2, 9),
      LOG_RANGE("gamma", 1e-3, 10),
      LOG_RANGE("scale", 1e-1, 1e2),
      LOG_RANGE("prescale", 1e-1, 1)}},
    {"sigpde", /* the scaler in the authors' pipeline is commented out */
     VOLT_INPUTS_IN_BALL,
     {LOG_RANGE("alpha", 1e-5, 1e5), LOG_RANGE("sigma", 1e-5, 1), LOG_RANGE("prescale", 1e-2, 1)}},
    {"volterra", VOLT_INPUTS_IN_BALL, {LOG_RANGE("alpha", 1e-5, 10)}},
    {"fading", VOLT_INPUTS_IN_BALL, {{.name = NULL}}},
    {"memory", VOLT_INPUTS_IN_BALL, {{.name = NULL}}},
};

static const published *published_of(const volt_kernel *kernel)
{
    const char *name = volt_kernel_info_of(kernel)->name, *first = volt_kernel_parameter_name(kernel, 0);
    if (first && strchr(first, '.')) /* an expression: the paper had none */
        return NULL;
    for (size_t i = 0; i < sizeof published_table / sizeof published_table[0]; i++)
        if (strcmp(published_table[i].name, name) == 0)
            return &published_table[i];
    return NULL;
}

volt_published_inputs volt_published_inputs_of(const volt_kernel *kernel)
{
    const published *entry = published_of(kernel);
    return entry ? entry->inputs : VOLT_INPUTS_STANDARDISED;
}

static bool is_given(const volt_kernel *kernel, const char *parameter)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    return volt_kernel_get(kernel, parameter, &value) == VOLT_OK && value.given;
}

/* ---- the paper's draws of the Volterra kernel ------------------------------------------------- */

/* The range of lambda depends on tau, for inputs of norm at most 1. */
typedef struct volterra_draws {
    uint64_t seed;
    bool even;
} volterra_draws;

/* The paper's bound applies to the lifts geometric and even, without other parameters. */
static bool is_papers_volterra(const volt_kernel *kernel, bool *even)
{
    if (strcmp(volt_kernel_info_of(kernel)->name, "volterra") != 0)
        return false;
    const char *name;
    volt_kernel_value lift = {.struct_size = sizeof lift};
    for (int64_t i = 0; (name = volt_kernel_parameter_name(kernel, i)); i++)
        if (strcmp(name, "lift") != 0 && is_given(kernel, name))
            return false;
    if (volt_kernel_get(kernel, "lift", &lift) != VOLT_OK)
        return false;
    *even = strcmp(lift.text, "even") == 0;
    return *even || strcmp(lift.text, "geometric") == 0;
}

static double log_uniform(volt_rng *rng, double low, double high)
{
    return low * pow(high / low, volt_rng_uniform(rng));
}

static volt_status draw_volterra(const volt_candidates *candidates, int64_t index,
                                 char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    const volterra_draws *draws = candidates->context;
    volt_rng rng;
    volt_rng_init(&rng, draws->seed, (uint64_t)index);
    double tau = log_uniform(&rng, 1e-1, pow(10, -0.002));
    double t = draws->even ? tau * tau * tau * tau : tau * tau;
    double lambda = log_uniform(&rng, 1e-2, 0.999 * sqrt(1 - t));
    setting->alpha = log_uniform(&rng, 1e-5, 10);
    char tau_text[VOLT_NUMBER_LENGTH], lambda_text[VOLT_NUMBER_LENGTH];
    snprintf(kernel, VOLT_KERNEL_LENGTH, "volterra:tau=%s,lambda=%s%s", volt_format_number(tau, tau_text),
             volt_format_number(lambda, lambda_text), draws->even ? ",lift=even" : "");
    return VOLT_OK;
}

static volt_status volterra_candidates(uint64_t seed, bool even, volt_candidates **candidates)
{
    volterra_draws *draws = volt_alloc(1, sizeof *draws);
    if (!draws)
        return VOLT_ERR_MEMORY;
    draws->seed = seed;
    draws->even = even;
    volt_candidates source = {
        .count = -1, .parameters = 3, .get = draw_volterra, .release = volt_free, .context = draws};
    return volt_candidates_make(&source, candidates);
}

/* ---- candidates ------------------------------------------------------------------------------- */

static volt_status draw_published(const char *text, const volt_kernel *kernel, const published *entry,
                                  volt_draw_options options, volt_view X, volt_candidates **candidates)
{
    volt_range ranges[MAX_RANGES];
    int64_t count = 0;
    for (int r = 0; r < MAX_RANGES && entry->ranges[r].name; r++)
        if (!is_given(kernel, entry->ranges[r].name))
            ranges[count++] = entry->ranges[r];
    options.ranges = ranges;
    options.n_ranges = count;
    return volt_candidates_draw(text, X, &options, candidates);
}

volt_status volt_contender_candidates(const char *text, const volt_compare_options *compare, volt_view X,
                                      volt_candidates **candidates)
{
    volt_draw_options options = volt_draw_options_default();
    options.seed = compare->seed;
    options.scale = compare->protocol == VOLT_PROTOCOL_HISTORY;
    options.from_defaults = compare->from_defaults;
    if (compare->protocol != VOLT_PROTOCOL_PUBLISHED)
        return volt_candidates_draw(text, X, &options, candidates);
    options.from_defaults = 0;

    volt_kernel *kernel = NULL;
    VOLT_TRY(volt_kernel_parse_open(text, &kernel));
    const published *entry = published_of(kernel);
    bool even = false;
    volt_status status = VOLT_OK;
    if (!entry)
        status = volt_candidates_draw(text, X, &options, candidates);
    else if (is_papers_volterra(kernel, &even))
        status = volterra_candidates(compare->seed, even, candidates);
    else
        status = draw_published(text, kernel, entry, options, X, candidates);
    volt_kernel_free(kernel);
    return status;
}

/* ---- scaling of the paper ---------------------------------------------------------------------- */

void volt_published_moments(volt_view Y, int64_t n_train, double *mean, double *deviation)
{
    volt_target_scale_learn(volt_view_rows(Y, 0, n_train), false, mean, deviation);
}

static double largest_norm(volt_view X)
{
    double largest = 0;
    for (int64_t i = 0; i < X.rows; i++)
        largest = fmax(largest, volt_row_norm(X.data + i * X.ld, X.cols));
    return largest > 0 ? largest : 1;
}

void volt_published_scale_inputs(volt_view X, int64_t n_train, volt_published_inputs kind, volt_matrix Z)
{
    if (kind == VOLT_INPUTS_IN_BALL) {
        double norm = largest_norm(X);
        for (int64_t i = 0; i < X.rows; i++)
            for (int64_t k = 0; k < X.cols; k++)
                Z.data[i * Z.ld + k] = X.data[i * X.ld + k] / norm;
        return;
    }
    for (int64_t k = 0; k < X.cols; k++) {
        volt_view column = {X.data + k, X.rows, 1, X.ld};
        double mean, deviation;
        volt_published_moments(column, n_train, &mean, &deviation);
        for (int64_t i = 0; i < X.rows; i++)
            Z.data[i * Z.ld + k] = (X.data[i * X.ld + k] - mean) / deviation;
    }
}

/* ---- losses ------------------------------------------------------------------------------------ */

/* The loss of the options; remains NULL for squares with equal weights. Rows n_train .. n - 1 test.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_DATA, VOLT_ERR_MEMORY. */
static volt_status compare_loss_read(const volt_compare_options *options, int64_t n_train, int64_t n,
                                     volt_loss **loss)
{
    volt_loss *read = NULL;
    if (!options->loss && !options->weights)
        return VOLT_OK;
    VOLT_REQUIRE(options->protocol != VOLT_PROTOCOL_PUBLISHED, VOLT_ERR_ARGUMENT,
                 "the published protocol does not support a loss or weights");
    double total = options->weights ? 0 : 1;
    for (int64_t i = n_train; options->weights && i < n; i++)
        total += options->weights[i];
    VOLT_REQUIRE(total > 0 && isfinite(total), VOLT_ERR_DATA,
                 "the weights of the test rows must be at least 0, and at least one positive (their sum is %g)",
                 total);
    VOLT_TRY(volt_loss_parse(options->loss ? options->loss : "squares", &read));
    bool named = options->classes && options->n_classes >= 2;
    if (read->kind->info.classes && !named) {
        volt_loss_free(read);
        return volt_fail(VOLT_ERR_ARGUMENT, "loss %s requires the names of at least two classes",
                         options->loss);
    }
    *loss = read;
    return VOLT_OK;
}

/* The mean loss, and the loss of every row times its weight divided by the mean weight. */
static volt_status compare_loss_measure(const volt_loss *loss, volt_view truth, volt_view forecast,
                                        const double *weights, double *losses, double *mean)
{
    double total = 0;
    VOLT_TRY(volt_loss_score(loss, truth, forecast, weights, mean));
    VOLT_TRY(volt_loss_row_scores(loss, truth, forecast, losses));
    for (int64_t i = 0; weights && i < forecast.rows; i++)
        total += weights[i] / (double)forecast.rows;
    for (int64_t i = 0; weights && i < forecast.rows; i++)
        losses[i] *= weights[i] / total;
    for (int64_t i = 0; i < forecast.rows; i++)
        VOLT_REQUIRE(isfinite(losses[i]), VOLT_ERR_NOT_FINITE,
                     "the forecasts of the test rows are too large for a double");
    return VOLT_OK;
}

/* ---- the comparison ----------------------------------------------------------------------------- */

typedef struct row {
    volt_comparison_row result; /* public part; its texts are owned below */
    char *name, *given;         /* of the contender */
    volt_kernel *contender;     /* `given`, parsed */
    char *kernel, *failure;
    volt_status status; /* of the failure */
    volt_search *search;
    double *forecast; /* test rows x q */
    double *losses;   /* test rows */
    volt_metrics metrics;
} row;

struct volt_comparison {
    int64_t count; /* rows completed or failed */
    int64_t capacity;
    row *rows;
    int64_t n_test, q;
};

volt_compare_options volt_compare_options_default(void)
{
    volt_compare_options options = {.struct_size = sizeof(volt_compare_options),
                                    .folds = 5,
                                    .mcs_size = 0.25,
                                    .mcs_reps = 10000,
                                    .tolerance = 1e-6};
    return options;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void row_release(row *one)
{
    volt_free(one->name);
    volt_free(one->given);
    volt_kernel_free(one->contender);
    volt_free(one->kernel);
    volt_free(one->failure);
    volt_search_free(one->search);
    volt_free(one->forecast);
    volt_free(one->losses);
}

void volt_comparison_free(volt_comparison *comparison)
{
    if (!comparison)
        return;
    for (int64_t i = 0; i < comparison->capacity; i++)
        row_release(&comparison->rows[i]);
    volt_free(comparison->rows);
    volt_free(comparison);
}

const volt_comparison_row *volt_comparison_row_at(const volt_comparison *comparison, int64_t i)
{
    return comparison && i >= 0 && i < comparison->count ? &comparison->rows[i].result : NULL;
}

/* ---- one run ---------------------------------------------------------------------------------- */

typedef struct run {
    const volt_compare_options *options;
    volt_view X, Y;
    int64_t n_train;
    int64_t n_fit; /* of them, those before the gap */
    volt_contender *contenders;
    int64_t n_contenders;
    volt_comparison *comparison;

    int64_t at;        /* the current row */
    volt_matrix Z, T;  /* published protocol: its inputs, and the targets, scaled */
    volt_matrix truth; /* with a base: the levels of the test rows */
    double *mean, *deviation;
    volt_records records; /* of all rows */
    int64_t *fitted;      /* lengths of the fitted records */
    int64_t n_fitted;     /* their number; 0: one sequence */
    volt_loss *loss;      /* NULL: squares, with their metrics */
} run;

static bool is_published(const run *r)
{
    return r->options->protocol == VOLT_PROTOCOL_PUBLISHED;
}

/* Rows first .. first + count - 1 of the data for the search and the fit. */
static volt_view inputs(const run *r, int64_t first, int64_t count)
{
    return volt_view_rows(is_published(r) ? volt_as_view(r->Z) : r->X, first, count);
}

static volt_view targets(const run *r, int64_t first, int64_t count)
{
    return volt_view_rows(is_published(r) ? volt_as_view(r->T) : r->Y, first, count);
}

/* Reports progress of a part of a row as progress of the whole. Tuning takes nearly all of the time. */
static int report(const char *stage, double fraction, void *context)
{
    const run *r = context;
    volt_progress progress = r->options->progress;
    double share = 0.95 + 0.04 * fraction; /* the refit */
    if (strcmp(stage, "search") == 0)
        share = 0.95 * fraction;
    else if (strcmp(stage, "predict") == 0)
        share = 0.99 + 0.01 * fraction;
    return progress.report &&
           progress.report(r->contenders[r->at].name, ((double)r->at + share) / (double)r->n_contenders,
                           progress.context);
}

static void report_progress(const run *r, const volt_search *search, const volt_trial *trial)
{
    if (r->options->on_event)
        r->options->on_event(r->at, r->n_contenders, r->contenders[r->at].name, search, trial,
                             r->options->event_context);
}

static void on_trial(const volt_search *search, const volt_trial *trial, void *context)
{
    report_progress(context, search, trial);
}

/* DIRECTORY/NUMBER-name.jsonl, the name in letters, digits and hyphens. The number distinguishes names that
 * become equal: gamma=1e-3 and gamma=1e+3, or two long texts with the same beginning. */
static volt_status log_path(const run *r, char *path, size_t size)
{
    char name[64];
    size_t length = 0;
    for (const char *c = r->contenders[r->at].name; *c && length + 1 < sizeof name; c++) {
        if (isalnum((unsigned char)*c))
            name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length > 0 && name[length - 1] == '-')
        length--;
    name[length] = 0;
    int written =
        snprintf(path, size, "%s/%02d%s%s.jsonl", r->options->log, (int)r->at + 1, length ? "-" : "", name);
    VOLT_REQUIRE(written >= 0 && (size_t)written < size, VOLT_ERR_IO, "the path of the log is too long: %s",
                 r->options->log);
    return VOLT_OK;
}

static volt_status tune(run *r, row *one)
{
    enum { FIRST_BUDGETS = 10 }; /* limit of the first candidate, in budgets */
    char path[4096];
    volt_view X = inputs(r, 0, r->n_fit), Y = targets(r, 0, r->n_fit);
    volt_candidates *candidates = NULL;
    if (r->options->log)
        VOLT_TRY(log_path(r, path, sizeof path));
    VOLT_TRY(volt_contender_candidates(one->given, r->options, X, &candidates));
    volt_search_options options = volt_search_options_default();
    options.splits.folds = r->options->folds;
    options.splits.gap = r->options->gap;
    if (r->options->base.data)
        options.base = volt_view_rows(r->options->base, 0, r->n_fit);
    options.records = r->fitted;
    options.n_records = r->n_fitted;
    options.start = is_published(r) ? VOLT_START_RESET : VOLT_START_CONTINUE;
    options.intercept = options.scale = !is_published(r);
    options.loss = r->options->loss;
    options.score = r->loss ? VOLT_SCORE_LOSS : VOLT_SCORE_R2;
    options.tolerance = r->options->tolerance;
    options.weights = r->options->weights;
    options.classes = r->options->classes;
    options.n_classes = r->options->n_classes;
    options.race = r->options->race;
    options.draws = r->options->draws;
    options.seconds = r->options->seconds;
    options.on_trial = on_trial;
    options.trial_context = r;
    options.progress = (volt_progress){.report = report, .context = r};
    if (r->options->log) {
        options.log = path;
        options.resume = r->options->resume;
    }
    volt_status status = volt_search_run(candidates, X, Y, &options, &one->search);
    if (status == VOLT_ERR_DATA && !one->search && options.seconds > 0) { /* without any trial */
        options.seconds *= FIRST_BUDGETS;
        options.draws = 1;
        options.resume = options.log != NULL;
        status = volt_search_run(candidates, X, Y, &options, &one->search);
    }
    one->result.hyperparameters = candidates->parameters;
    volt_candidates_free(candidates);

    if (one->search) {
        volt_search_info info = {.struct_size = sizeof info};
        volt_search_get_info(one->search, &info);
        one->result.draws = info.trials;
        one->result.failed = info.failed;
        one->result.seconds = info.seconds;
    }
    return status;
}

/* ---- the test --------------------------------------------------------------------------------- */

static const volt_metrics no_metrics = {.struct_size = sizeof(volt_metrics),
                                        .mse = NAN,
                                        .rmse = NAN,
                                        .nmse = NAN,
                                        .r2 = NAN,
                                        .mae = NAN,
                                        .mdae = NAN,
                                        .w1 = NAN,
                                        .mape = NAN};
static const volt_comparison_row no_result = {.struct_size = sizeof(volt_comparison_row),
                                              .kernel = "",
                                              .mcs_pvalue = NAN,
                                              .score = NAN,
                                              .loss = NAN,
                                              .metrics = &no_metrics};

static volt_status fit_winner(run *r, const volt_trial *best, volt_model **model)
{
    volt_kernel *kernel = NULL;
    VOLT_TRY(volt_kernel_parse(best->kernel, &kernel));
    volt_fit_options options = volt_fit_options_default();
    options.alpha = best->alpha;
    options.records = r->fitted;
    options.n_records = r->n_fitted;
    options.intercept = options.scale = !is_published(r);
    options.loss = r->options->loss;
    options.tolerance = r->options->tolerance;
    options.weights = r->options->weights;
    options.classes = r->options->classes;
    options.n_classes = r->options->n_classes;
    options.progress = (volt_progress){.report = report, .context = r};
    volt_status status = volt_model_fit(kernel, inputs(r, 0, r->n_fit), targets(r, 0, r->n_fit), &options,
                                        volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    return status;
}

/* In a continued sequence, the rows of the gap update the state. */
static int64_t rows_before_test(const run *r)
{
    return is_published(r) ? 0 : r->n_train - r->n_fit;
}

/* `out` has space for the rows before the test too, and finally holds only the test rows. */
static volt_status forecast(run *r, const volt_model *model, volt_matrix out)
{
    volt_view base = r->options->base;
    int64_t before = rows_before_test(r), first = r->n_train - before, *lengths = NULL;
    bool begins = r->records.n > 0 && volt_records_begins(&r->records, first);
    volt_predict_options options = volt_predict_options_default();
    options.start = is_published(r) || begins ? VOLT_START_RESET : VOLT_START_CONTINUE;
    VOLT_TRY(volt_records_slice(&r->records, first, first + out.rows, &lengths, &options.n_records));
    options.records = lengths;
    options.beyond = is_published(r) ? VOLT_BEYOND_ALLOW : VOLT_BEYOND_CLIP;
    options.progress = (volt_progress){.report = report, .context = r};
    volt_status status = volt_model_predict(model, inputs(r, first, out.rows), &options, out, NULL);
    volt_free(lengths);
    VOLT_TRY(status);
    if (before > 0)
        memmove(out.data, out.data + before * out.ld,
                (size_t)((out.rows - before) * out.ld) * sizeof *out.data);
    int64_t group = out.cols / r->Y.cols; /* outputs of one target */
    for (int64_t i = 0; base.data && i < out.rows - before; i++)
        for (int64_t k = 0; k < out.cols; k++)
            out.data[i * out.ld + k] += base.data[(r->n_train + i) * base.ld + k / group];
    for (int64_t i = 0; is_published(r) && i < out.rows; i++)
        for (int64_t k = 0; k < out.cols; k++)
            out.data[i * out.ld + k] = r->mean[k] + r->deviation[k] * out.data[i * out.ld + k];
    return VOLT_OK;
}

/* Measures the predictions. */
static volt_status measure(const run *r, volt_view truth, volt_view out, row *one)
{
    if (r->loss) {
        const double *weights = r->options->weights ? r->options->weights + r->n_train : NULL;
        return compare_loss_measure(r->loss, truth, out, weights, one->losses, &one->result.loss);
    }
    one->metrics = no_metrics;
    VOLT_TRY(volt_metrics_compute(truth, out, &one->metrics));
    one->result.metrics = &one->metrics;
    return volt_losses(truth, out, volt_matrix_of(one->losses, out.rows, 1));
}

static volt_status test(run *r, row *one)
{
    const volt_trial *best = volt_search_trial(one->search, VOLT_TRIAL_BEST);
    int64_t n_test = r->comparison->n_test, q = r->comparison->q;
    one->kernel = volt_strdup(best->kernel);
    one->forecast = volt_alloc_doubles(rows_before_test(r) + n_test, q);
    one->losses = volt_alloc_doubles(n_test, 1);
    if (!one->kernel || !one->forecast || !one->losses)
        return VOLT_ERR_MEMORY;
    one->result.kernel = one->kernel;
    one->result.alpha = best->alpha;
    one->result.score = best->score;

    double begun = volt_seconds();
    volt_model *model = NULL;
    volt_matrix out = volt_matrix_of(one->forecast, n_test, q);
    volt_matrix buffer = volt_matrix_of(one->forecast, rows_before_test(r) + n_test, q);
    volt_view truth = r->truth.data ? volt_as_view(r->truth) : volt_view_rows(r->Y, r->n_train, n_test);
    volt_status status = fit_winner(r, best, &model);
    if (status == VOLT_OK)
        status = forecast(r, model, buffer);
    volt_model_free(model);
    one->result.fit_seconds = volt_seconds() - begun;
    return status == VOLT_OK ? measure(r, truth, volt_as_view(out), one) : status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Whether a failure concerns the kernel on these data. Other failures (memory, a log) invalidate the
 * comparison. Both are stored in their row, and the other rows are tuned. */
static bool is_about_the_kernel(volt_status status)
{
    return status == VOLT_ERR_DATA || status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE ||
           status == VOLT_ERR_DOMAIN;
}

/* Keeps the partial results of the row, and the reason. */
static void fail_row(row *one, volt_status status)
{
    volt_free(one->forecast);
    volt_free(one->losses);
    one->forecast = one->losses = NULL;
    one->result.kernel = no_result.kernel;
    one->result.alpha = no_result.alpha;
    one->result.score = no_result.score;
    one->result.metrics = no_result.metrics;
    one->result.loss = no_result.loss;
    one->status = status;
    one->failure = volt_strdup(volt_error_detail());
    one->result.failure = one->failure ? one->failure : "not enough memory";
}

/* Allocates names and texts of all rows before the work, so that no row is lost for lack of memory. */
static volt_status name_rows(run *r)
{
    for (int64_t i = 0; i < r->n_contenders; i++) {
        row *one = &r->comparison->rows[i];
        one->name = volt_strdup(r->contenders[i].name);
        one->given = volt_strdup(r->contenders[i].kernel);
        if (!one->name || !one->given)
            return VOLT_ERR_MEMORY;
        VOLT_TRY(volt_kernel_parse_open(one->given, &one->contender));
        one->result = no_result;
        one->result.name = one->name;
        one->result.given = one->given;
        one->result.cost = volt_kernel_info_of(one->contender)->cost;
    }
    return VOLT_OK;
}

/* Only VOLT_ERR_CANCELLED ends the comparison. */
static volt_status run_row(run *r, row *one)
{
    if (is_published(r))
        volt_published_scale_inputs(r->X, r->n_train, volt_published_inputs_of(one->contender), r->Z);
    report_progress(r, NULL, NULL);
    volt_status status = tune(r, one);
    if (status == VOLT_OK)
        status = test(r, one);
    if (status == VOLT_ERR_CANCELLED)
        return status;
    if (status != VOLT_OK)
        fail_row(one, status);
    one->result.forecast = volt_view_of(one->forecast, r->comparison->n_test, r->comparison->q);
    one->result.losses = one->losses;
    one->result.search = one->search;
    r->comparison->count = r->at + 1;
    if (one->search)
        report_progress(r, one->search, NULL);
    return VOLT_OK;
}

/* ---- ranking ---------------------------------------------------------------------------------- */

static volt_status rank(run *r)
{
    volt_comparison *comparison = r->comparison;
    int64_t models = 0, at[64];
    for (int64_t i = 0; i < comparison->count && models < 64; i++)
        if (comparison->rows[i].losses)
            at[models++] = i;
    if (models == 0)
        return VOLT_OK;
    volt_matrix losses =
        volt_matrix_of(volt_alloc_doubles(comparison->n_test, models), comparison->n_test, models);
    if (!losses.data)
        return VOLT_ERR_MEMORY;
    for (int64_t t = 0; t < comparison->n_test; t++)
        for (int64_t m = 0; m < models; m++)
            losses.data[t * models + m] = comparison->rows[at[m]].losses[t];
    volt_mcs_options options = volt_mcs_options_default();
    options.size = r->options->mcs_size;
    options.reps = r->options->mcs_reps;
    options.seed = r->options->seed;
    volt_mcs *mcs = NULL;
    volt_status status = volt_mcs_compute(volt_as_view(losses), &options, &mcs);
    for (int64_t m = 0; status == VOLT_OK && m < models; m++) {
        comparison->rows[at[m]].result.mcs_pvalue = mcs->pvalues[m];
        comparison->rows[at[m]].result.in_mcs = mcs->included[m];
    }
    volt_mcs_free(mcs);
    volt_free(losses.data);
    return status;
}

static bool has_result(const volt_comparison *comparison)
{
    bool found = false;
    for (int64_t i = 0; i < comparison->count; i++)
        found = found || comparison->rows[i].losses;
    return found;
}

/* The status of the comparison. Of several failures, the first that does not concern a kernel is reported. */
static volt_status conclude(const run *r, bool cancelled)
{
    const volt_comparison *comparison = r->comparison;
    int64_t failed = 0;
    const row *why = NULL;
    for (int64_t i = 0; i < comparison->count; i++) {
        const row *one = &comparison->rows[i];
        failed += one->status != VOLT_OK;
        if (one->status != VOLT_OK &&
            (!why || (is_about_the_kernel(why->status) && !is_about_the_kernel(one->status))))
            why = one;
    }
    if (cancelled)
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled after %" PRId64 " of %" PRId64 " kernels",
                         comparison->count, r->n_contenders);
    if (!why || (is_about_the_kernel(why->status) && failed < comparison->count))
        return VOLT_OK;
    if (failed < comparison->count)
        return volt_fail(why->status, "%s failed: %s", why->name, why->result.failure);
    return volt_fail(is_about_the_kernel(why->status) ? VOLT_ERR_DATA : why->status,
                     "all %" PRId64 " kernels failed; %s: %s", failed, why->name, why->result.failure);
}

/* ---- public ----------------------------------------------------------------------------------- */

static volt_status check(volt_view X, volt_view Y, int64_t n_train, const volt_compare_options *options,
                         volt_comparison **comparison)
{
    VOLT_REQUIRE(comparison, VOLT_ERR_ARGUMENT, "the output for the comparison is NULL");
    VOLT_TRY(volt_check_pairs(X, Y));
    VOLT_REQUIRE(n_train >= 2 && X.rows - n_train >= 2, VOLT_ERR_ARGUMENT,
                 "at least 2 training rows and 2 test rows are required (got %" PRId64
                 " training rows of %" PRId64 ")",
                 n_train, X.rows);
    VOLT_REQUIRE(options->gap >= 0 && options->gap <= n_train - 2, VOLT_ERR_ARGUMENT,
                 "a gap of %" PRId64 " rows leaves fewer than 2 of the %" PRId64 " training rows", options->gap,
                 n_train);
    if (options->base.data) {
        VOLT_REQUIRE(options->base.rows == Y.rows && options->base.cols == Y.cols, VOLT_ERR_SHAPE,
                     "the base is %" PRId64 " x %" PRId64 " and the targets are %" PRId64 " x %" PRId64
                     " (must be equal)",
                     options->base.rows, options->base.cols, Y.rows, Y.cols);
        VOLT_REQUIRE(options->protocol != VOLT_PROTOCOL_PUBLISHED, VOLT_ERR_ARGUMENT,
                     "the published protocol does not support a base");
    }
    VOLT_REQUIRE(options->draws > 0 || options->seconds > 0, VOLT_ERR_ARGUMENT,
                 "the search is unlimited: give a number of draws or a budget for each kernel");
    return VOLT_OK;
}

/* Memory of a run and, under the published protocol, the scaled targets. */
static volt_status prepare(run *r)
{
    int64_t n = r->X.rows, d = r->X.cols, q = r->Y.cols;
    r->comparison = volt_alloc_zero(1, sizeof *r->comparison);
    if (!r->comparison)
        return VOLT_ERR_MEMORY;
    r->comparison->rows = volt_alloc_zero(r->n_contenders, sizeof *r->comparison->rows);
    if (!r->comparison->rows)
        return VOLT_ERR_MEMORY;
    r->comparison->capacity = r->n_contenders;
    r->comparison->n_test = n - r->n_train;
    r->comparison->q = volt_loss_outputs(r->loss, q, r->options->n_classes);
    VOLT_TRY(volt_records_make(r->options->records, r->options->n_records, n, &r->records));
    VOLT_TRY(volt_records_slice(&r->records, 0, r->n_fit, &r->fitted, &r->n_fitted));
    volt_view base = r->options->base;
    if (base.data) {
        int64_t rows = r->comparison->n_test;
        r->truth = volt_matrix_of(volt_alloc_doubles(rows, q), rows, q);
        if (!r->truth.data)
            return VOLT_ERR_MEMORY;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < q; k++)
                r->truth.data[i * q + k] =
                    r->Y.data[(r->n_train + i) * r->Y.ld + k] + base.data[(r->n_train + i) * base.ld + k];
    }
    if (!is_published(r))
        return VOLT_OK;
    r->Z = volt_matrix_of(volt_alloc_doubles(n, d), n, d);
    r->T = volt_matrix_of(volt_alloc_doubles(n, q), n, q);
    r->mean = volt_alloc_doubles(q, 1);
    r->deviation = volt_alloc_doubles(q, 1);
    if (!r->Z.data || !r->T.data || !r->mean || !r->deviation)
        return VOLT_ERR_MEMORY;
    volt_published_moments(r->Y, r->n_train, r->mean, r->deviation);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            r->T.data[i * q + k] = (r->Y.data[i * r->Y.ld + k] - r->mean[k]) / r->deviation[k];
    return VOLT_OK;
}

volt_status volt_compare_run(volt_view X, volt_view Y, int64_t n_train, const volt_compare_options *options,
                             volt_comparison **comparison)
{
    volt_compare_options opts = volt_compare_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_compare_options"));
    options = &opts;
    VOLT_TRY(check(X, Y, n_train, options, comparison));
    run r = {.options = options, .X = X, .Y = Y, .n_train = n_train, .n_fit = n_train - options->gap};
    VOLT_TRY(volt_contenders_resolve(options, &r.contenders, &r.n_contenders));

    volt_status status = compare_loss_read(options, n_train, X.rows, &r.loss);
    if (status == VOLT_OK)
        status = prepare(&r);
    if (status == VOLT_OK)
        status = name_rows(&r);
    for (r.at = 0; r.at < r.n_contenders && status == VOLT_OK; r.at++)
        status = run_row(&r, &r.comparison->rows[r.at]);
    bool cancelled = status == VOLT_ERR_CANCELLED, has_rows = status == VOLT_OK || cancelled;
    if (has_rows)
        status = rank(&r);
    if (has_rows && status == VOLT_OK)
        status = conclude(&r, cancelled);
    /* Completed rows are kept even if others failed, since they may have taken hours. */
    if (has_rows && (has_result(r.comparison) || cancelled || status == VOLT_ERR_DATA))
        *comparison = r.comparison;
    else
        volt_comparison_free(r.comparison);
    volt_loss_free(r.loss);
    volt_records_release(&r.records);
    volt_free(r.fitted);
    volt_free(r.contenders);
    volt_free(r.truth.data);
    volt_free(r.Z.data);
    volt_free(r.T.data);
    volt_free(r.mean);
    volt_free(r.deviation);
    return status;
}
