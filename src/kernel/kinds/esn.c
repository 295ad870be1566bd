/* src/kernel/kinds/esn.c: the inner product of states of an echo state network, or a power of it.
 *
 *     x_t = (1 - leak) x_{t-1} + leak f(A x_{t-1} + C z_t + b),        K = (<x_t, x'_s> + coef0)^degree
 *
 * (Jaeger 2001; the kernel of a reservoir, section II of the paper.) Unless weights are given, A is a sparse
 * Gaussian matrix scaled to the requested spectral radius or norm, and C and b are uniform on (-1, 1) times
 * `input` and `bias`. |A| < 1 guarantees fading memory for every input and every leak. A spectral radius
 * below 1 usually gives it. Neither is necessary, so fading memory is tested on the data from two initial
 * states (reservoir.h). */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kind_parts.h"
#include "kernel/reservoir.h"

#include <math.h>
#include <string.h>

enum {
    SIZE,
    RADIUS,
    NORM,
    LEAK,
    INPUT,
    BIAS,
    DENSITY,
    SEED,
    ACTIVATION,
    DEGREE,
    COEF0,
    START,
    WEIGHTS,
    N_PARAMETERS
};

static const char *const activation_words[] = {"tanh", "identity", "erf", NULL};
enum { TANH, IDENTITY, ERF };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [SIZE] = VOLT_PARAMETER_SIZE,
    [RADIUS] = {VOLT_REAL("radius", "[0, 10)", 0, 10, 1), VOLT_SEARCHED(LINEAR, 0.1, 1.3), .fallback = "0.9",
                .meaning = "spectral radius of the state weights; below 1 with activation=identity"},
    [NORM] = {VOLT_REAL("norm", "[0, 10)", 0, 10, 1),
              .meaning = "largest singular value of the state weights, instead of radius; below 1 guarantees "
                         "fading memory"},
    [LEAK] = {VOLT_REAL("leak", "(0, 1]", 0, 1, 2), VOLT_SEARCHED(LOG, 0.05, 1), .fallback = "1",
              .meaning = "leaking rate: fraction of a state replaced in one step"},
    [INPUT] = VOLT_PARAMETER_POSITIVE("input", "scale of the input weights", VOLT_UNIT_ONE, 0.03, 10),
    [BIAS] = {VOLT_REAL("bias", "[0, inf)", 0, INFINITY, 1), VOLT_SEARCHED(LINEAR, 0, 2),
              .meaning = "scale of the bias; default 0.5, or 1 with weights"},
    [DENSITY] = VOLT_PARAMETER_DENSITY,
    [SEED] = VOLT_PARAMETER_SEED,
    [ACTIVATION] = {VOLT_CHOICE("activation", "tanh, identity, erf", activation_words), .fallback = "tanh",
                    .meaning = "activation function; erf(sqrt(pi) v / 2) has slope 1 at 0, like tanh"},
    [DEGREE] = {VOLT_INTEGER("degree", "1 to 64", 1, 64), .fallback = "1",
                .meaning = "degree of the polynomial in the states"},
    [COEF0] = {VOLT_REAL("coef0", "[0, inf)", 0, INFINITY, 1),
               .meaning = "weight of the lower degrees; default 1 with degree above 1, else 0"},
    [START] = VOLT_PARAMETER_START,
    [WEIGHTS] = VOLT_PARAMETER_WEIGHTS("A (size x size), C (size x inputs), b (size; optional)"),
};

static void use(volt_kernel *kernel, int p, double value)
{
    if (kernel->present[p])
        return;
    kernel->value[p] = value;
    kernel->present[p] = true;
}

static volt_status set_defaults(volt_kernel *kernel)
{
    VOLT_TRY(volt_reservoir_set_defaults(kernel));
    VOLT_TRY(volt_kernel_refuse_both(kernel, RADIUS, NORM));
    bool consts = kernel->present[WEIGHTS];
    if (!consts && !kernel->present[NORM])
        volt_kernel_use_fallback(kernel, RADIUS);
    volt_kernel_use_fallback(kernel, LEAK);
    volt_kernel_use_fallback(kernel, INPUT);
    use(kernel, BIAS, consts ? 1 : 0.5);
    volt_kernel_use_fallback(kernel, ACTIVATION);
    volt_kernel_use_fallback(kernel, DEGREE);
    use(kernel, COEF0, kernel->value[DEGREE] > 1 ? 1 : 0);
    int bound = kernel->present[NORM] ? NORM : RADIUS;
    VOLT_REQUIRE((int)kernel->value[ACTIVATION] != IDENTITY || !kernel->present[bound] ||
                     kernel->value[bound] < 1,
                 VOLT_ERR_KERNEL, "kernel esn: %s must be below 1 with activation=identity (got %g)",
                 parameters[bound].name, kernel->value[bound]);
    return VOLT_OK;
}

/* ---- weights ---------------------------------------------------------------------------------- */

enum { OF_STATES, OF_INPUTS, CONSTANTS }; /* streams of the seed */

/* The scale factor of A. */
static volt_status scale_of(const volt_kernel *kernel, const double *A, int64_t n, double *scale)
{
    bool by_norm = kernel->present[NORM];
    double reach = 1, wanted = by_norm ? kernel->value[NORM] : kernel->value[RADIUS];
    *scale = 1;
    if (!by_norm && !kernel->present[RADIUS])
        return VOLT_OK;
    if (kernel->present[WEIGHTS]) {
        VOLT_TRY((by_norm ? volt_spectral_norm : volt_spectral_radius)(A, n, &reach));
    } else {
        volt_drawn_matrix drawn = {A, n, (uint64_t)kernel->value[SEED], OF_STATES, kernel->value[DENSITY]};
        VOLT_TRY((by_norm ? volt_drawn_norm : volt_drawn_radius)(&drawn, &reach));
    }
    VOLT_REQUIRE(
        wanted == 0 || isfinite(wanted / reach), VOLT_ERR_ARGUMENT,
        "kernel esn: the weights between states have a %s of 0, and cannot be scaled to %g: use a larger "
        "density or another seed",
        by_norm ? "norm" : "spectral radius", wanted);
    *scale = wanted == 0 ? 0 : wanted / reach;
    return VOLT_OK;
}

static volt_status put_weights(const volt_kernel *kernel, const double *A, const double *C, const double *b,
                               volt_reservoir *reservoir)
{
    int64_t n = reservoir->size, d = reservoir->d;
    double scale = 0;
    VOLT_TRY(scale_of(kernel, A, n, &scale));
    volt_reservoir_put(reservoir, 0, A, n, scale);
    volt_reservoir_put(reservoir, n, C, d, kernel->value[INPUT]);
    if (b)
        volt_reservoir_put(reservoir, n + d, b, 1, kernel->value[BIAS]);
    return VOLT_OK;
}

static volt_status take_weights(const volt_kernel *kernel, const volt_arrays *arrays, volt_reservoir *reservoir)
{
    const char *file = kernel->word[WEIGHTS];
    int64_t n = reservoir->size, d = reservoir->d;
    const double *A = NULL, *C = NULL, *b = NULL;
    VOLT_TRY(volt_reservoir_tensor(file, arrays, "A", (const int64_t[]){n, n, 0}, false, &A));
    VOLT_TRY(volt_reservoir_tensor(file, arrays, "C", (const int64_t[]){n, d, 0}, false, &C));
    VOLT_TRY(volt_reservoir_tensor(file, arrays, "b", (const int64_t[]){n, 0, 0}, true, &b));
    return put_weights(kernel, A, C, b, reservoir);
}

static volt_status draw_weights(const volt_kernel *kernel, double M, volt_reservoir *reservoir)
{
    (void)M;
    int64_t n = reservoir->size, d = reservoir->d;
    uint64_t seed = (uint64_t)kernel->value[SEED];
    double *A = volt_alloc_doubles(n, n), *C = volt_alloc_doubles(n, d), *b = volt_alloc_doubles(n, 1);
    volt_status status = A && C && b ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_reservoir_draw_normal(seed, OF_STATES, kernel->value[DENSITY], n * n, A);
        volt_reservoir_draw_uniform(seed, OF_INPUTS, n * d, C);
        volt_reservoir_draw_uniform(seed, CONSTANTS, n, b);
        status = put_weights(kernel, A, C, b, reservoir);
    }
    volt_free(b);
    volt_free(C);
    volt_free(A);
    return status;
}

/* ---- on inputs -------------------------------------------------------------------------------- */

static void arrange(const volt_reservoir *reservoir, const double *z, const double *x, double *u)
{
    memcpy(u, x, (size_t)reservoir->size * sizeof *u);
    memcpy(u + reservoir->size, z, (size_t)reservoir->d * sizeof *u);
    u[reservoir->size + reservoir->d] = 1;
}

/* The spectral radius of the weights between states. */
static volt_status radius_in_use(const volt_reservoir *reservoir, double *radius)
{
    int64_t n = reservoir->size;
    double *A = volt_alloc_doubles(n, n);
    if (!A)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < n; k++) /* its transpose has the same radius */
        memcpy(A + k * n, reservoir->matrix + k * reservoir->ld, (size_t)n * sizeof *A);
    volt_status status = volt_spectral_radius(A, n, radius);
    volt_free(A);
    return status;
}

static int64_t length(const volt_kernel *kernel, int64_t size, int64_t d)
{
    (void)kernel;
    return size + d + 1;
}

static const char arrange_code[] = "int i;\n"
                                   "for (i = 0; i < size; i++)\n"
                                   "    u[i] = x[i];\n"
                                   "for (i = 0; i < inputs; i++)\n"
                                   "    u[size + i] = z[i];\n"
                                   "u[size + inputs] = 1.0;\n";

static void describe(const volt_kernel *kernel, volt_reservoir *reservoir)
{
    reservoir->arrange = arrange;
    reservoir->arrange_code = arrange_code;
    reservoir->leak = kernel->value[LEAK];
    reservoir->bends = (int)kernel->value[ACTIVATION] != IDENTITY;
    reservoir->uses_erf = (int)kernel->value[ACTIVATION] == ERF;
    reservoir->degree = (int64_t)kernel->value[DEGREE];
    reservoir->coef0 = kernel->value[COEF0];
}

static volt_status conclude(const volt_kernel *kernel, double radius, volt_resolved *resolved)
{
    const volt_reservoir *reservoir = resolved->reservoir;
    double leak = reservoir->leak, reach = kernel->value[kernel->present[NORM] ? NORM : RADIUS];
    (void)radius;
    if (!kernel->present[NORM] && !kernel->present[RADIUS])
        VOLT_TRY(radius_in_use(reservoir, &reach));
    VOLT_REQUIRE(reservoir->bends || reach < 1, VOLT_ERR_ARGUMENT,
                 "kernel esn: the spectral radius of A in %s must be below 1 with activation=identity (got %g)",
                 kernel->word[WEIGHTS], reach);
    double rate = 1 - leak + leak * reach; /* long-term contraction rate */
    resolved->facts.contraction = rate < 1 ? rate : 0;
    resolved->facts.largest = reservoir->bends
                                  ? pow((double)reservoir->size + reservoir->coef0, (double)reservoir->degree)
                                  : INFINITY;
    return VOLT_OK;
}

static const volt_reservoir_kind kind = {
    .size = SIZE,
    .density = DENSITY,
    .seed = SEED,
    .start = START,
    .weights = WEIGHTS,
    .square = "A",
    .length = length,
    .describe = describe,
    .draw = draw_weights,
    .take = take_weights,
    .conclude = conclude,
};

const volt_kernel_entry volt_kernel_esn = {
    .info = {VOLT_KERNEL_INFO, .name = "esn",
             .formula =
                 "(<x_i, y_j> + coef0)^degree, x_i = (1 - leak) x_{i-1} + leak tanh(A x_{i-1} + C z_i + b)",
             .cost = "O(size), and O(size^2) for a row",
             .notes = "x and y are states of an echo state network. With degree=1 the kernel has rank `size`.\n"
                      "It is not universal. A fit of many rows is solved in the states, and a stream costs\n"
                      "one step of the network."},
    .set_defaults = set_defaults,
    .resolve = volt_reservoir_resolve,
    .outline = volt_reservoir_sketch,
    .reservoir = &kind,
};
