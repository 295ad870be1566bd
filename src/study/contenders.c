/* src/study/contenders.c: the kernels of the comparison, and what the paper drew their parameters from.
 *
 * Under the published protocol each kernel sees what it saw in the paper: z_t alone, which GAK and the signature
 * kernels take as a path of d numbers; only the Volterra kernel sees the past. The echo state network, which the paper does
 * not have, comes last: its states have seen the past in both protocols, and begin at zero, as those of other libraries do. */
#include "study/contender.h"

#include "base/error.h"
#include "base/memory.h"
#include "select/candidates/candidates.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    *count = (int64_t)(sizeof history_contenders / sizeof history_contenders[0]);
    return protocol == VOLT_PROTOCOL_PUBLISHED ? published_contenders : history_contenders;
}

/* ---- the paper's ranges ----------------------------------------------------------------------- */

enum { MOST_RANGES = 6 };

typedef struct published {
    const char *name; /* of the kernel */
    volt_published_inputs inputs;
    volt_range ranges[MOST_RANGES]; /* ends with one that has no name */
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
    {"sigpde",
     VOLT_INPUTS_STANDARDISED,
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

/* lambda has a range that depends on tau, on inputs of norm at most 1. */
typedef struct volterra_draws {
    uint64_t seed;
    bool even;
} volterra_draws;

/* The paper's bound is that of the lifts geometric and even, with nothing else given. */
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
    const volterra_draws *draws = candidates->own;
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
        .count = -1, .parameters = 3, .get = draw_volterra, .release = volt_free, .own = draws};
    return volt_candidates_make(&source, candidates);
}

/* ---- candidates ------------------------------------------------------------------------------- */

static volt_status draw_published(const char *text, const volt_kernel *kernel, const published *entry,
                                  volt_draw_options options, volt_view X, volt_candidates **candidates)
{
    volt_range ranges[MOST_RANGES];
    int64_t count = 0;
    for (int r = 0; r < MOST_RANGES && entry->ranges[r].name; r++)
        if (!is_given(kernel, entry->ranges[r].name))
            ranges[count++] = entry->ranges[r];
    options.ranges = ranges;
    options.n_ranges = count;
    return volt_candidates_draw(text, X, &options, candidates);
}

volt_status volt_contender_candidates(const char *text, const volt_study_options *study, volt_view X,
                                      volt_candidates **candidates)
{
    volt_draw_options options = volt_draw_options_default();
    options.seed = study->seed;
    options.scale = study->protocol == VOLT_PROTOCOL_HISTORY;
    options.from_defaults = study->from_defaults;
    if (study->protocol != VOLT_PROTOCOL_PUBLISHED)
        return volt_candidates_draw(text, X, &options, candidates);
    options.from_defaults = 0;

    volt_kernel *kernel = NULL;
    VOLT_TRY(volt_kernel_parse_asking(text, &kernel));
    const published *entry = published_of(kernel);
    bool even = false;
    volt_status status = VOLT_OK;
    if (!entry)
        status = volt_candidates_draw(text, X, &options, candidates);
    else if (is_papers_volterra(kernel, &even))
        status = volterra_candidates(study->seed, even, candidates);
    else
        status = draw_published(text, kernel, entry, options, X, candidates);
    volt_kernel_free(kernel);
    return status;
}
