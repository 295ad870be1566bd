/* src/data/systems.c: the table of systems of volt_simulate: names, parameters with defaults and ranges, and the
 * functions that run them.
 *
 * The errors in `accuracy` are the largest of 8 inputs, or of 30 (Kuramoto-Sivashinsky) and 40 (Lorenz 1996) states on
 * the attractor, relative to a step 8 to 40 times smaller.
 *
 * A new system is one entry here and one value of volt_system. An ordinary differential equation needs only its
 * field (volt_flow_run). The program, its help and Python read the table. */
#include "base/error.h"
#include "base/memory.h"
#include "data/process.h"
#include "data/system_table.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 512 };

/* ---- parameters ------------------------------------------------------------------------------- */

#define ANY_NUMBER .low = -HUGE_VAL, .high = HUGE_VAL, .open = 1
#define POSITIVE .low = 0, .high = HUGE_VAL, .open = 1
#define AT_LEAST_0 .low = 0, .high = HUGE_VAL
#define WHOLE(least, most) .low = (least), .high = (most), .whole = 1
#define PARAMETERS(array) .parameters = (array), .n_parameters = sizeof(array) / sizeof(array)[0]
#define COLUMNS(...)                 \
    .columns = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }

static const volt_system_parameter lorenz_parameters[] = {
    {"sigma", "u' = sigma (v - u)", 10, ANY_NUMBER},
    {"rho", "v' = rho u - v - u w", 28, ANY_NUMBER},
    {"beta", "w' = u v - beta w", 8.0 / 3.0, ANY_NUMBER},
};
static const size_t lorenz_offsets[] = {
    offsetof(volt_simulate_options, sigma),
    offsetof(volt_simulate_options, rho),
    offsetof(volt_simulate_options, beta),
};

static const volt_system_parameter mackey_parameters[] = {
    {"a", "feedback", 0.2, ANY_NUMBER},
    {"b", "decay", 0.1, ANY_NUMBER},
    {"power", "exponent of the delayed value", 10, AT_LEAST_0},
    {"delay", "delay, a whole number of steps", 17, POSITIVE},
};
static const size_t mackey_offsets[] = {
    offsetof(volt_simulate_options, a),
    offsetof(volt_simulate_options, b),
    offsetof(volt_simulate_options, power),
    offsetof(volt_simulate_options, delay),
};

static const volt_system_parameter lorenz96_parameters[] = {
    [LORENZ96_FORCING] = {"forcing", "constant forcing F", 8, ANY_NUMBER},
    [LORENZ96_DIMENSION] = {"dimension", "number of variables", 40, WHOLE(4, 100000)},
};

static const volt_system_parameter kuramoto_parameters[] = {
    [KURAMOTO_DOMAIN] = {"domain", "length of the periodic domain", 22, POSITIVE},
    [KURAMOTO_MODES] = {"modes", "points and Fourier modes, a power of two", 64, WHOLE(4, 65536)},
};

static const volt_system_parameter henon_parameters[] = {
    [HENON_A] = {"a", "coefficient of x^2", 1.4, ANY_NUMBER},
    [HENON_B] = {"b", "contraction of areas", 0.3, ANY_NUMBER},
};

static const volt_system_parameter filter_parameters[] = {
    [FILTER_POLE] = {"pole", "pole of the low pass", 0.5, .low = -1, .high = 1, .open = 1},
    [FILTER_OFFSET] = {"offset", "0: the absolute value; above 0: an analytic function", 0, AT_LEAST_0},
};

static const volt_system_parameter relay_parameters[] = {
    [RELAY_RATE] = {"rate", "probability of a pulse", 0.02, .low = 0, .high = 1},
};

#define INPUT(rms, band)                                                                  \
    [INPUT_AMPLITUDE] = {"amplitude", "RMS of the input", (rms), AT_LEAST_0},             \
    [INPUT_BANDWIDTH] = {"bandwidth", "highest frequency of the input in cycles per row", \
                         (band),      .low = 0,                                           \
                         .high = 0.5, .open = 1},                                         \
    [INPUT_PERIOD] = {"period", "period of the input in rows", 8192, WHOLE(2, 100000000)}

static const volt_system_parameter duffing_parameters[] = {
    INPUT(1, 0.1),
    [DUFFING_DAMPING] = {"damping", "damping", 0.1, ANY_NUMBER},
    [DUFFING_LINEAR] = {"linear", "linear stiffness", 1, ANY_NUMBER},
    [DUFFING_CUBIC] = {"cubic", "cubic stiffness", 1, ANY_NUMBER},
};

static const volt_system_parameter van_der_pol_parameters[] = {
    INPUT(1, 0.1),
    [VAN_DER_POL_MU] = {"mu", "strength of the nonlinear damping", 1, ANY_NUMBER},
};

static const volt_system_parameter wiener_parameters[] = {
    INPUT(1, 0.2),
    [WIENER_FREQUENCY1] = {"frequency1", "natural frequency of the first filter in radians per time", 1,
                           POSITIVE},
    [WIENER_DAMPING1] = {"damping1", "damping ratio of the first filter", 0.5, AT_LEAST_0},
    [WIENER_FREQUENCY2] = {"frequency2", "natural frequency of the second filter", 0.7, POSITIVE},
    [WIENER_DAMPING2] = {"damping2", "damping ratio of the second filter", 0.5, AT_LEAST_0},
    [WIENER_GAIN] = {"gain", "gain of the saturation tanh(gain v) / gain", 1, POSITIVE},
};

/* The hysteretic benchmark of Noel and Schoukens (2016): 750 rows per second, integrated at 15000 Hz. Its multisine has no
 * harmonics below 5 Hz; this one starts at the fundamental. */
static const volt_system_parameter bouc_wen_parameters[] = {
    INPUT(50, 0.2),
    [BOUC_MASS] = {"mass", "mass", 2, POSITIVE},
    [BOUC_DAMPING] = {"damping", "linear damping", 10, ANY_NUMBER},
    [BOUC_STIFFNESS] = {"stiffness", "linear stiffness", 5e4, ANY_NUMBER},
    [BOUC_ALPHA] = {"alpha", "hysteresis: coefficient of y'", 5e4, ANY_NUMBER},
    [BOUC_BETA] = {"beta", "hysteresis: scale of the nonlinear terms", 1e3, ANY_NUMBER},
    [BOUC_GAMMA] = {"gamma", "hysteresis: coefficient of |y'| |z|^(nu-1) z", 0.8, ANY_NUMBER},
    [BOUC_DELTA] = {"delta", "hysteresis: coefficient of y' |z|^nu", -1.1, ANY_NUMBER},
    [BOUC_NU] = {"nu", "hysteresis: exponent", 1, .low = 1, .high = HUGE_VAL},
};

/* ---- table ------------------------------------------------------------------------------------ */

#define FIXED_STEPS .reads_step = 1, .reads_every = 1
#define DRIVEN .has_input = 1, .length = 5000, FIXED_STEPS, COLUMNS("u", "y")

static const volt_system_entry systems[] = {
    [VOLT_SYSTEM_LORENZ] =
        {
            .info = {.name = "lorenz",
                     .equation = "u' = sigma (v - u), v' = rho u - v - u w, w' = u v - beta w",
                     COLUMNS("x", "y", "z"),
                     PARAMETERS(lorenz_parameters),
                     .n_start = 3,
                     .length = 10000,
                     .reads_step = 1,
                     .reads_method = 1},
            .title = "the Lorenz system",
            .step = 0.005,
            .every = 50,
            .start = {0, 1, 1.05},
            .offsets = lorenz_offsets,
            .run = volt_lorenz_run,
        },
    [VOLT_SYSTEM_MACKEY_GLASS] =
        {
            .info = {.name = "mackey-glass",
                     .equation = "x' = a x(t - delay) / (1 + x(t - delay)^power) - b x",
                     COLUMNS("x"),
                     PARAMETERS(mackey_parameters),
                     .n_start = 1,
                     .length = 5000,
                     FIXED_STEPS,
                     .reads_method = 1},
            .title = "the Mackey-Glass equation",
            .step = 0.02,
            .every = 50,
            .start = {1.2, 1, 1.05},
            .offsets = mackey_offsets,
            .run = volt_mackey_glass_run,
        },
    [VOLT_SYSTEM_NARMA10] =
        {
            .info = {.name = "narma10",
                     .equation = "y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1",
                     COLUMNS("u", "y"),
                     .length = 5000,
                     .has_input = 1},
            .title = "NARMA10",
            .step = 0.02,
            .every = 50,
            .start = {1.2, 1, 1.05},
            .discard = 200,
            .run = volt_narma10_run,
        },
    [VOLT_SYSTEM_LORENZ96] =
        {
            .info = {.name = "lorenz96",
                     .equation = "x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + forcing, i modulo dimension",
                     COLUMNS("x"),
                     PARAMETERS(lorenz96_parameters),
                     .n_start = 1,
                     .length = 5000,
                     .is_numbered = 1,
                     .accuracy = "error: 2e-7 of the standard deviation after one row, 2e-5 after 100 rows",
                     FIXED_STEPS},
            .title = "the Lorenz 1996 system",
            .step = 0.01,
            .every = 1,
            .discard = 2000,
            .start = {0.01},
            .run = volt_flow_run,
            .field = volt_lorenz96_field,
        },
    [VOLT_SYSTEM_KURAMOTO_SIVASHINSKY] =
        {
            .info = {.name = "kuramoto-sivashinsky",
                     .equation = "u_t = -u u_x - u_xx - u_xxxx, periodic on [0, domain), at equidistant points",
                     COLUMNS("u"),
                     PARAMETERS(kuramoto_parameters),
                     .n_start = 1,
                     .length = 5000,
                     .is_numbered = 1,
                     .accuracy = "error: 2e-6 of the standard deviation after one row, 2e-4 after 100 rows",
                     FIXED_STEPS},
            .title = "the Kuramoto-Sivashinsky equation",
            .step = 0.05,
            .every = 5,
            .discard = 1000,
            .start = {1},
            .run = volt_kuramoto_run,
        },
    [VOLT_SYSTEM_HENON] =
        {
            .info = {.name = "henon",
                     .equation = "x[t+1] = 1 - a x[t]^2 + y[t], y[t+1] = b x[t]",
                     COLUMNS("x", "y"),
                     PARAMETERS(henon_parameters),
                     .n_start = 2,
                     .length = 5000,
                     .reads_every = 1},
            .title = "the Henon map",
            .every = 1,
            .discard = 100,
            .run = volt_henon_run,
        },
    [VOLT_SYSTEM_DUFFING] =
        {
            .info =
                {.name = "duffing",
                 .equation = "y'' + damping y' + linear y + cubic y^3 = u",
                 PARAMETERS(duffing_parameters),
                 .n_start = 2,
                 .accuracy =
                     "error: 3e-7 of the standard deviation of y within 100 rows; later it can grow (chaos)",
                 DRIVEN},
            .title = "the Duffing oscillator",
            .step = 0.0125,
            .every = 16,
            .discard = 500,
            .run = volt_flow_run,
            .field = volt_duffing_field,
            .n_states = 2,
        },
    [VOLT_SYSTEM_VAN_DER_POL] =
        {
            .info = {.name = "van-der-pol",
                     .equation = "y'' - mu (1 - y^2) y' + y = u",
                     PARAMETERS(van_der_pol_parameters),
                     .n_start = 2,
                     .accuracy = "error: 2e-7 of the standard deviation of y within 100 rows",
                     DRIVEN},
            .title = "the Van der Pol oscillator",
            .step = 0.0125,
            .every = 16,
            .discard = 500,
            .start = {2},
            .run = volt_flow_run,
            .field = volt_van_der_pol_field,
            .n_states = 2,
        },
    [VOLT_SYSTEM_WIENER_HAMMERSTEIN] =
        {
            .info = {.name = "wiener-hammerstein",
                     .equation =
                         "second-order low-pass filter, tanh(gain v) / gain, second-order low-pass filter",
                     PARAMETERS(wiener_parameters),
                     .accuracy = "error: 5e-6 of the standard deviation of y within 100 rows",
                     DRIVEN},
            .title = "the Wiener-Hammerstein system",
            .step = 0.1,
            .every = 10,
            .discard = 500,
            .run = volt_flow_run,
            .field = volt_wiener_hammerstein_field,
            .n_states = 4,
        },
    [VOLT_SYSTEM_BOUC_WEN] =
        {
            .info = {.name = "bouc-wen",
                     .equation = "mass y'' + damping y' + stiffness y + z = u, "
                                 "z' = alpha y' - beta (gamma |y'| |z|^(nu-1) z + delta y' |z|^nu)",
                     PARAMETERS(bouc_wen_parameters),
                     .accuracy = "error: 5e-5 of the standard deviation of y within 100 rows, from the kinks "
                                 "of |y'| and |z|",
                     DRIVEN},
            .title = "the Bouc-Wen system",
            .step = 1.0 / 15000,
            .every = 20,
            .discard = 500,
            .run = volt_flow_run,
            .field = volt_bouc_wen_field,
            .n_states = 3,
        },
    [VOLT_SYSTEM_WIENER] =
        {
            .info = {.name = "wiener",
                     .equation = "v[t] = pole v[t-1] + (1 - pole) u[t], y[t] = sqrt(v[t]^2 + offset^2)",
                     COLUMNS("u", "y"),
                     PARAMETERS(filter_parameters),
                     .length = 5000,
                     .has_input = 1},
            .title = "the Wiener filter",
            .every = 1,
            .discard = 100,
            .run = volt_wiener_run,
        },
    [VOLT_SYSTEM_RELAY] =
        {
            .info = {.name = "relay",
                     .equation = "y[t] = u[t] if |u[t]| = 1, otherwise y[t-1]",
                     COLUMNS("u", "y"),
                     PARAMETERS(relay_parameters),
                     .length = 5000,
                     .has_input = 1},
            .title = "the relay",
            .every = 1,
            .discard = 1000,
            .run = volt_relay_run,
        },
};
enum { N_SYSTEMS = sizeof systems / sizeof systems[0] };

static const volt_system_entry *entry_of(volt_system system)
{
    return (int)system >= 0 && (int)system < N_SYSTEMS ? &systems[system] : NULL;
}

const volt_system_info *volt_system_at(int64_t system)
{
    return system >= 0 && system < N_SYSTEMS ? &systems[system].info : NULL;
}

/* ---- options ---------------------------------------------------------------------------------- */

static double *parameter_of(const volt_system_entry *entry, volt_simulate_options *options, int64_t p)
{
    return entry->offsets ? (void *)((char *)options + entry->offsets[p]) : &options->parameters[p];
}

/* The defaults of every system that has a field of its own are set for all, so that any default can be passed to any system. */
volt_simulate_options volt_simulate_options_default(volt_system system)
{
    const volt_system_entry *entry = entry_of(system);
    volt_simulate_options options = {.struct_size = sizeof options, .method = VOLT_ODE_RK4};
    for (int i = 0; i < N_SYSTEMS; i++)
        for (int64_t p = 0; systems[i].offsets && p < systems[i].info.n_parameters; p++)
            *parameter_of(&systems[i], &options, p) = systems[i].info.parameters[p].fallback;
    if (!entry)
        return options;
    for (int64_t p = 0; p < entry->info.n_parameters; p++)
        *parameter_of(entry, &options, p) = entry->info.parameters[p].fallback;
    memcpy(options.start, entry->start, sizeof options.start);
    options.step = entry->step;
    options.every = entry->every;
    options.discard = entry->discard;
    return options;
}

/* VOLT_ERR_ARGUMENT unless the value is inside the range of the parameter. */
static volt_status check_value(const volt_system_entry *entry, int64_t p, double value)
{
    const volt_system_parameter *one = &entry->info.parameters[p];
    bool inside = one->open ? value > one->low && value < one->high : value >= one->low && value <= one->high;
    VOLT_REQUIRE(isfinite(value) && inside && (!one->whole || value == floor(value)), VOLT_ERR_ARGUMENT,
                 "%s: %s must be a %snumber in %s%.15g, %.15g%s (got %.15g)", entry->info.name, one->name,
                 one->whole ? "whole " : "", one->open || isinf(one->low) ? "(" : "[", one->low, one->high,
                 one->open || isinf(one->high) ? ")" : "]", value);
    return VOLT_OK;
}

static volt_status find_parameter(const volt_system_entry *entry, const char *name, int64_t *found)
{
    const char *names[VOLT_SYSTEM_MAX_PARAMETERS];
    for (int64_t p = 0; p < entry->info.n_parameters; p++) {
        names[p] = entry->info.parameters[p].name;
        if (strcmp(names[p], name) == 0) {
            *found = p;
            return VOLT_OK;
        }
    }
    const char *nearest = volt_nearest_name(name, names, entry->info.n_parameters);
    return nearest ? volt_fail(VOLT_ERR_ARGUMENT, "%s has no parameter \"%s\"; did you mean \"%s\"?",
                               entry->info.name, name, nearest)
                   : volt_fail(VOLT_ERR_ARGUMENT, "%s has no parameter \"%s\"", entry->info.name, name);
}

volt_status volt_simulate_set(volt_system system, volt_simulate_options *options, const char *name,
                              double value)
{
    const volt_system_entry *entry = entry_of(system);
    int64_t p = 0;
    VOLT_REQUIRE(entry, VOLT_ERR_ARGUMENT, "unknown system %d", (int)system);
    VOLT_REQUIRE(options && name, VOLT_ERR_ARGUMENT, "%s: options and name must not be NULL", entry->info.name);
    VOLT_REQUIRE(options->struct_size >= sizeof *options, VOLT_ERR_ARGUMENT,
                 "%s: struct_size must be at least %zu (got %zu)", entry->info.name, sizeof *options,
                 options->struct_size);
    VOLT_TRY(find_parameter(entry, name, &p));
    VOLT_TRY(check_value(entry, p, value));
    *parameter_of(entry, options, p) = value;
    return VOLT_OK;
}

static volt_status find_system(const char *name, volt_system *system)
{
    const char *names[N_SYSTEMS];
    for (int i = 0; i < N_SYSTEMS; i++) {
        names[i] = systems[i].info.name;
        if (strcmp(names[i], name) == 0) {
            *system = (volt_system)i;
            return VOLT_OK;
        }
    }
    const char *nearest = volt_nearest_name(name, names, N_SYSTEMS);
    return nearest ? volt_fail(VOLT_ERR_ARGUMENT, "unknown system \"%s\"; did you mean \"%s\"?", name, nearest)
                   : volt_fail(VOLT_ERR_ARGUMENT, "unknown system \"%s\"", name);
}

volt_status volt_system_parse(const char *text, volt_system *system, volt_simulate_options *options)
{
    char copy[LONGEST_TEXT];
    VOLT_REQUIRE(text && system && options, VOLT_ERR_ARGUMENT, "text, system and options must not be NULL");
    VOLT_REQUIRE(strlen(text) < sizeof copy, VOLT_ERR_ARGUMENT,
                 "the text of the system must be shorter than %d characters (got %zu)", LONGEST_TEXT,
                 strlen(text));
    strcpy(copy, text);
    char *next = strchr(copy, ':');
    if (next)
        *next++ = 0;
    volt_system found = VOLT_SYSTEM_LORENZ;
    VOLT_TRY(find_system(copy, &found));
    volt_simulate_options set = volt_simulate_options_default(found);
    for (char *parameter = next; parameter; parameter = next) {
        double value = 0;
        next = strchr(parameter, ',');
        if (next)
            *next++ = 0;
        char *equals = strchr(parameter, '=');
        VOLT_REQUIRE(equals, VOLT_ERR_ARGUMENT, "%s: \"%s\" is not PARAMETER=VALUE", copy, parameter);
        *equals = 0;
        VOLT_REQUIRE(volt_parse_number(equals + 1, &value), VOLT_ERR_ARGUMENT, "%s: %s=%s is not a number",
                     copy, parameter, equals + 1);
        VOLT_TRY(volt_simulate_set(found, &set, parameter, value));
    }
    *system = found;
    *options = set;
    return VOLT_OK;
}

/* ---- simulation ------------------------------------------------------------------------------- */

/* Checks everything but the matrix; `options` is complete. */
static volt_status check_options(const volt_system_entry *entry, volt_simulate_options *options)
{
    const char *name = entry->info.name;
    for (int64_t p = 0; p < entry->info.n_parameters; p++)
        VOLT_TRY(check_value(entry, p, *parameter_of(entry, options, p)));
    for (int i = 0; i < entry->info.n_start; i++)
        VOLT_REQUIRE(isfinite(options->start[i]), VOLT_ERR_ARGUMENT,
                     "%s: entry %d of the start must be finite (got %g)", name, i + 1, options->start[i]);
    VOLT_REQUIRE(isfinite(options->start_noise) && options->start_noise >= 0, VOLT_ERR_ARGUMENT,
                 "%s: start_noise must be at least 0 and finite (got %g)", name, options->start_noise);
    VOLT_REQUIRE(!entry->info.reads_step || (isfinite(options->step) && options->step > 0), VOLT_ERR_ARGUMENT,
                 "%s: the step must be above 0 and finite (got %g)", name, options->step);
    VOLT_REQUIRE(!entry->info.reads_method || options->method == VOLT_ODE_RK4 ||
                     options->method == VOLT_ODE_ACCURATE,
                 VOLT_ERR_ARGUMENT, "%s: the method must be %d (rk4) or %d (accurate), got %d", name,
                 VOLT_ODE_RK4, VOLT_ODE_ACCURATE, (int)options->method);
    VOLT_REQUIRE(entry->info.reads_method || options->method == VOLT_ODE_RK4, VOLT_ERR_ARGUMENT,
                 "%s: the method must be %d (got %d)", name, VOLT_ODE_RK4, (int)options->method);
    return VOLT_OK;
}

static int64_t columns_of(const volt_system_entry *entry, const volt_simulate_options *options)
{
    int64_t count = 0;
    if (entry->info.is_numbered) /* the last parameter */
        return (int64_t)options->parameters[entry->info.n_parameters - 1];
    while (entry->info.columns[count])
        count++;
    return count;
}

/* The entry and the complete, checked options. */
static volt_status take_options(volt_system system, const volt_simulate_options *given,
                                const volt_system_entry **entry, volt_simulate_options *options)
{
    *entry = entry_of(system);
    VOLT_REQUIRE(*entry, VOLT_ERR_ARGUMENT, "unknown system %d", (int)system);
    *options = volt_simulate_options_default(system);
    VOLT_TRY(volt_options_take(options, sizeof *options, given, "volt_simulate_options"));
    return check_options(*entry, options);
}

volt_status volt_simulate_columns(volt_system system, const volt_simulate_options *options, int64_t *columns)
{
    const volt_system_entry *entry;
    volt_simulate_options opts;
    VOLT_REQUIRE(columns, VOLT_ERR_ARGUMENT, "columns must not be NULL");
    VOLT_TRY(take_options(system, options, &entry, &opts));
    *columns = columns_of(entry, &opts);
    return VOLT_OK;
}

volt_status volt_simulate(volt_system system, const volt_simulate_options *options, volt_matrix out)
{
    const volt_system_entry *entry;
    volt_simulate_options opts;
    VOLT_TRY(take_options(system, options, &entry, &opts));
    VOLT_TRY(volt_process_check(entry->info.name, out, columns_of(entry, &opts),
                                entry->info.reads_every ? opts.every : 1, opts.discard));
    if (opts.start_noise > 0) {
        volt_rng rng;
        volt_rng_init(&rng, opts.seed, 0);
        for (int64_t i = 0; i < entry->info.n_start; i++)
            opts.start[i] += opts.start_noise * volt_rng_normal(&rng);
    }
    return entry->run(entry, &opts, out);
}
