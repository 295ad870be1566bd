/* src/task/protocol.c: the kernels of the comparison, and the paper's ranges of their parameters.
 *
 * Under the published protocol each kernel has the inputs of the paper: z_t only, which GAK and the signature
 * kernels treat as a path of d numbers; only the Volterra kernel uses past rows. The echo state network, which
 * is not in the paper, comes last. Its states depend on past rows in both protocols, and start at zero, as in
 * other libraries. Its limit of infinite width is a row of the history protocol only. */
#define _POSIX_C_SOURCE 200809L
#include "task/protocol.h"
#include "kernel/kernel_entry.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/scaling.h"
#include "select/candidates/candidates.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

volt_status volt_compare_loss_read(const volt_compare_options *options, int64_t n_train, int64_t n,
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

volt_status volt_compare_loss_measure(const volt_loss *loss, volt_view truth, volt_view forecast,
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
