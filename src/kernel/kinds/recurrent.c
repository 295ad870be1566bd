/* src/kernel/kinds/recurrent.c: recurrent kernels: echo state networks of infinite width.
 *
 *     S[i][j] = radius^2 K[i-1][j-1] + input^2 <x_i, y_j> + bias^2
 *     K[i][j] = q K[i-1][j-1] + (1 - q) E[f(u) f(v)],   (u, v) normal with covariances S,   q = (1 - leak)^2
 *
 * (Hermans and Schrauwen, Neural Computation 24, 2012; Dong, Ohana, Rafayelyan and Krzakala, NeurIPS 2020.) S[i][i]
 * follows from the norms of one sequence, so every row has one number of its own (volt_scan.own), and the state of a
 * diagonal is K. With r = S / sqrt(S[i][i] S[j][j]) the expectations are
 *
 *     erf     f(u) = erf(sqrt(pi) u / 2), of slope 1 at 0     2/pi asin(h S / sqrt((1 + h S_ii)(1 + h S_jj))), h = pi / 2
 *     relu    f(u) = sqrt(2) max(u, 0)                        sqrt(S_ii S_jj) / pi (sqrt(1 - r^2) + (pi - acos r) r)
 *     sign    f(u) = sign(u)                                  2/pi asin r
 *
 * Positive semidefinite, as limits of averages of products of states. docs/math.md has the bounds and the meaning of
 * the leak. */
#include "base/clones.h"
#include "base/error.h"
#include "kernel/kind_parts.h"

#include <float.h>
#include <math.h>

enum { ACTIVATION, INPUT, RADIUS, BIAS, LEAK, N_PARAMETERS };

static const char *const activation_words[] = {"erf", "relu", "sign", NULL};
enum { ERF, RELU, SIGN };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [ACTIVATION] = {VOLT_CHOICE("activation", "erf, relu, sign", activation_words), .fallback = "erf",
                    .meaning = "activation function of the network"},
    [INPUT] =
        VOLT_PARAMETER_POSITIVE("input", "standard deviation of the input weights", VOLT_UNIT_ONE, 0.03, 10),
    [RADIUS] = {VOLT_REAL("radius", "[0, 10)", 0, 10, 1), VOLT_SEARCHED(LINEAR, 0.1, 0.99), .fallback = "0.9",
                .meaning = "spectral radius of the state weights; its bound depends on activation and bias"},
    [BIAS] = {VOLT_REAL("bias", "[0, inf)", 0, INFINITY, 1), VOLT_SEARCHED(LINEAR, 0, 2), .fallback = "0.5",
              .meaning = "standard deviation of the bias; positive with activation=sign"},
    [LEAK] = {VOLT_REAL("leak", "(0, 1]", 0, 1, 2), VOLT_SEARCHED(LOG, 0.05, 1), .fallback = "1",
              .meaning = "leaking rate; the kernel keeps (1 - leak)^2 in one step"},
};

typedef struct constants {
    double radius2, input2, bias2, keep;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

static const double pi = 3.14159265358979323846264338327950288;

/* ---- expectations ------------------------------------------------------------------------------ */

/* acos on [-1, 1], to about two units in the last place of pi: the rational approximation of fdlibm for
 * (asin x - x) / x, without branches, so that loops vectorise. */
VOLT_INLINE double arc_cosine(double x)
{
    double size = fabs(x);
    bool is_large = size > 0.5;
    double z = is_large ? (1 - size) / 2 : x * x;
    double p = z * (1.66666666666666657415e-01 +
                    z * (-3.25565818622400915405e-01 +
                         z * (2.01212532134862925881e-01 +
                              z * (-4.00555345006794114027e-02 +
                                   z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    double q = 1 + z * (-2.40339491173441421878e+00 +
                        z * (2.02094576023350569471e+00 +
                             z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    double base = is_large ? sqrt(z) : x, arc = base + base * (p / q);
    double large = x > 0 ? 2 * arc : pi - 2 * arc;
    return is_large ? large : pi / 2 - arc;
}

VOLT_INLINE double clip(double r)
{
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

/* 2/pi asin r. */
VOLT_INLINE double arc_share(double r)
{
    return 1 - 2 / pi * arc_cosine(r);
}

/* Rows that agree in all of their inputs have r = 1 up to rounding, where the slope is infinite: it is set to 1. */
VOLT_INLINE double snap(double r)
{
    return r > 1 - 16 * DBL_EPSILON ? 1 : r;
}

/* Expectations from S and the product n of the numbers of row and column. */
#define ERF_OF(S, n) arc_share(clip(pi / 2 * (S) * (n)))
#define SIGN_OF(S, n) arc_share(clip(snap((S) * (n))))

VOLT_INLINE double relu_of(double S, double n)
{
    double r = n > 0 ? clip(S / n) : 0;
    return n / pi * (sqrt((1 - r) * (1 + r)) + (pi - arc_cosine(r)) * r);
}

#define RELU_OF(S, n) relu_of(S, n)

/* ---- steps ------------------------------------------------------------------------------------- */

#define STEP(expectation)                                                                \
    (void)stride; /* one number of state */                                              \
    const constants consts = constants_of(&scan->constants);                             \
    double radius2 = consts.radius2, input2 = consts.input2;                             \
    double bias2 = consts.bias2, keep = consts.keep, renewed = 1 - keep;                 \
    for (int64_t r = 0; r < rows; r++) {                                                 \
        const double *restrict row = local + r * ld_local;                               \
        double *restrict row_out = out + r * ld_out;                                     \
        const double *restrict columns = scan->own_columns + r;                          \
        double own = scan->own_rows[r];                                                  \
        for (int64_t k = 0; k < count; k++) {                                            \
            double S = radius2 * state[k] + input2 * row[k] + bias2;                     \
            double value = keep * state[k] + renewed * expectation(S, own * columns[k]); \
            state[k] = value;                                                            \
            row_out[k] = value;                                                          \
        }                                                                                \
    }

VOLT_CLONES_WIDE
static void step_erf(VOLT_STEP_ARGUMENTS){STEP(ERF_OF)}

VOLT_CLONES_WIDE static void step_relu(VOLT_STEP_ARGUMENTS){STEP(RELU_OF)}

VOLT_CLONES_WIDE static void step_sign(VOLT_STEP_ARGUMENTS)
{
    STEP(SIGN_OF)
}

/* ---- the number of a row: from S[i][i], with K[i][i] kept --------------------------------------- */

static double variance_of(const volt_scan *scan, double square, double kept)
{
    const constants consts = constants_of(&scan->constants);
    return consts.radius2 * kept + consts.input2 * square + consts.bias2;
}

static void renew(const volt_scan *scan, double expectation, double *kept)
{
    double keep = constants_of(&scan->constants).keep;
    *kept = keep * *kept + (1 - keep) * expectation;
}

/* 1 / sqrt(1 + h S). */
static double own_erf(const volt_scan *scan, double square, double *kept)
{
    double S = variance_of(scan, square, *kept), own = 1 / sqrt(1 + pi / 2 * S);
    renew(scan, ERF_OF(S, own * own), kept);
    return own;
}

/* sqrt S. */
static double own_relu(const volt_scan *scan, double square, double *kept)
{
    double S = variance_of(scan, square, *kept);
    renew(scan, S, kept);
    return sqrt(S);
}

/* 1 / sqrt S, above 0 because of the bias. */
static double own_sign(const volt_scan *scan, double square, double *kept)
{
    return 1 / sqrt(variance_of(scan, square, *kept));
}

/* ---- as text ----------------------------------------------------------------------------------- */

static void code_numbers(const volt_scan *scan, double *numbers)
{
    const constants consts = constants_of(&scan->constants);
    numbers[0] = consts.radius2;
    numbers[1] = consts.input2;
    numbers[2] = consts.bias2;
    numbers[3] = consts.keep;
}

#define CODE_STEP(expectation)                                \
    "const double S = radius2 * a[0] + input2 * s + bias2;\n" \
    "a[0] = keep * a[0] + (1.0 - keep) * " expectation ";\n"  \
    "return a[0];\n"
#define CODE_CONSTANTS "radius2", "input2", "bias2", "keep"

static const char code_arc_share[] = "/* 2/pi asin(r), with r clipped to [-1, 1]. */\n"
                                     "static double arc_share(double r)\n"
                                     "{\n"
                                     "    const double within = r > 1.0 ? 1.0 : r < -1.0 ? -1.0 : r;\n"
                                     "    return 1.0 - 0.63661977236758138 * acos(within);\n"
                                     "}\n";
static const char code_relu_mean[] =
    "/* E f(u) f(v) of f(u) = sqrt(2) max(u, 0), from the covariance S and n = sqrt(S_ii S_jj). */\n"
    "static double relu_mean(double S, double n)\n"
    "{\n"
    "    const double ratio = n > 0.0 ? S / n : 0.0;\n"
    "    const double r = ratio > 1.0 ? 1.0 : ratio < -1.0 ? -1.0 : ratio;\n"
    "    return n * 0.31830988618379067 *\n"
    "           (sqrt((1.0 - r) * (1.0 + r)) + (3.1415926535897932 - acos(r)) * r);\n"
    "}\n";
static const char code_sign_mean[] =
    "/* 2/pi asin(r), with r set to 1 where it is 1 up to rounding. */\n"
    "static double sign_mean(double r)\n"
    "{\n"
    "    const double within = r > 1.0 - 16.0 * DBL_EPSILON ? 1.0 : r < -1.0 ? -1.0 : r;\n"
    "    return 1.0 - 0.63661977236758138 * acos(within);\n"
    "}\n";

static const volt_scan_code codes[] = {
    [ERF] = {.constants = {CODE_CONSTANTS},
             .step = CODE_STEP("arc_share(1.5707963267948966 * S * own)"),
             .own = "const double S = radius2 * *kept + input2 * square + bias2;\n"
                    "const double own = 1.0 / sqrt(1.0 + 1.5707963267948966 * S);\n"
                    "*kept = keep * *kept + (1.0 - keep) * arc_share(1.5707963267948966 * S * own * own);\n"
                    "return own;\n",
             .functions = code_arc_share,
             .numbers = code_numbers},
    [RELU] = {.constants = {CODE_CONSTANTS},
              .step = CODE_STEP("relu_mean(S, own)"),
              .own = "const double S = radius2 * *kept + input2 * square + bias2;\n"
                     "*kept = keep * *kept + (1.0 - keep) * S;\n"
                     "return sqrt(S);\n",
              .functions = code_relu_mean,
              .numbers = code_numbers},
    [SIGN] = {.constants = {CODE_CONSTANTS},
              .step = CODE_STEP("sign_mean(S * own)"),
              .own = "return 1.0 / sqrt(radius2 * *kept + input2 * square + bias2);\n",
              .functions = code_sign_mean,
              .numbers = code_numbers},
};

/* ---- bounds ------------------------------------------------------------------------------------ */

static volt_status set_defaults(volt_kernel *kernel)
{
    VOLT_TRY(volt_kernel_use_fallbacks(kernel));
    int activation = (int)kernel->value[ACTIVATION];
    double radius = kernel->value[RADIUS], bias = kernel->value[BIAS];
    VOLT_REQUIRE(activation != SIGN || bias > 0, VOLT_ERR_KERNEL,
                 "kernel recurrent: bias must be positive with activation=sign (got %g)", bias);
    VOLT_REQUIRE(activation != RELU || radius < 1, VOLT_ERR_KERNEL,
                 "kernel recurrent: radius must be below 1 with activation=relu (got %g)", radius);
    double bound = sqrt(sqrt(1 + pi * bias * bias));
    VOLT_REQUIRE(
        activation != ERF || radius < bound, VOLT_ERR_KERNEL,
        "kernel recurrent: radius must be below (1 + pi bias^2)^(1/4) = %.6g with activation=erf (got %g)",
        bound, radius);
    return VOLT_OK;
}

/* The largest slope of the expectation in K; for sign the share of K in S, because the slope has no bound. */
static double slope_of(int activation, double radius2, double bias2)
{
    if (activation == ERF)
        return radius2 / sqrt(1 + pi * bias2);
    return activation == RELU ? radius2 : radius2 / (radius2 + bias2);
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    static const volt_scan_step steps[] = {[ERF] = step_erf, [RELU] = step_relu, [SIGN] = step_sign};
    static double (*const owns[])(const volt_scan *, double,
                                  double *) = {[ERF] = own_erf, [RELU] = own_relu, [SIGN] = own_sign};
    (void)d;
    int activation = (int)kernel->value[ACTIVATION];
    double radius2 = kernel->value[RADIUS] * kernel->value[RADIUS],
           bias2 = kernel->value[BIAS] * kernel->value[BIAS];
    double input2 = kernel->value[INPUT] * kernel->value[INPUT], rest = 1 - kernel->value[LEAK];
    constants consts = {.radius2 = radius2, .input2 = input2, .bias2 = bias2, .keep = rest * rest};
    double largest = activation == RELU ? (input2 * radius * radius + bias2) / (1 - radius2) : 1;
    volt_resolved made = {
        .facts = {.radius = radius,
                  .contraction = consts.keep + (1 - consts.keep) * slope_of(activation, radius2, bias2),
                  .largest = largest},
        .window = 1,
        .scan = {.step = steps[activation],
                 .state_size = 1,
                 .has_no_rest = activation == SIGN,
                 .own = owns[activation],
                 .constants = constants_keep(consts),
                 .code = &codes[activation]},
    };
    /* Zero inputs on both sides: K is K[i][i]. The slope of the iteration is at most the contraction rate. */
    enum { MAX_STEPS = 1000000 };
    double kept = activation == SIGN ? 1 : activation == RELU ? bias2 / (1 - radius2) : 0, before = -1;
    for (int i = 0; i < MAX_STEPS && kept != before && activation == ERF; i++) {
        before = kept;
        (void)own_erf(&made.scan, 0, &kept);
    }
    made.scan.own_start = made.scan.start[0] = kept;
    *resolved = made;
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_recurrent = {
    .info = {VOLT_KERNEL_INFO, .name = "recurrent",
             .formula = "q P + (1-q) E f(u) f(v), cov radius^2 P + input^2 <x,y> + bias^2, P = K[i-1][j-1], q "
                        "= (1-leak)^2",
             .cost = "O(d)"},
    .set_defaults = set_defaults,
    .resolve = resolve,
};
