/* tests/unit/data/test_data.c: the generators: values computed by hand, failures, cancellation. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "volterra/data.h"

#include <time.h>

/* ---- Lorenz ----------------------------------------------------------------------------------- */

static volt_simulate_options lorenz_with(volt_ode_method method)
{
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    options.method = method;
    return options;
}

static void null_options_are_defaults(void **state)
{
    double given[30], none[30];
    volt_simulate_options lorenz = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(given, 10, 3)));
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(none, 10, 3)));
    assert_memory_equal(given, none, sizeof given);
    assert_true(given[0] == 0 && given[1] == 1 && given[2] == 1.05); /* row 0 is the initial state */

    volt_simulate_options mackey = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(given, 30, 1)));
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, NULL, volt_matrix_of(none, 30, 1)));
    assert_memory_equal(given, none, sizeof given);

    volt_simulate_options narma = volt_simulate_options_default(VOLT_SYSTEM_NARMA10);
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &narma, volt_matrix_of(given, 15, 2)));
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(none, 15, 2)));
    assert_memory_equal(given, none, sizeof given);
}

/* Fixed points are kept: exactly at the origin, and up to the growth of rounding errors at (q, q, rho - 1),
 * q^2 = beta (rho - 1), which is weakly unstable (e^(0.094 t)). */
static void lorenz_stays_at_fixed_points(void **state)
{
    for (int method = 0; method < 2; method++) {
        volt_simulate_options options = lorenz_with((volt_ode_method)method);
        double rows[200][3];
        memset(options.start, 0, sizeof options.start);
        check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(rows[0], 200, 3)));
        for (int i = 0; i < 200; i++)
            assert_true(rows[i][0] == 0 && rows[i][1] == 0 && rows[i][2] == 0);

        double q = sqrt(options.beta * (options.rho - 1)), point[3] = {q, q, options.rho - 1};
        memcpy(options.start, point, sizeof point);
        check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(rows[0], 200, 3)));
        golden_check("fixed point", point, rows[199], 3, 200 * 8 * DBL_EPSILON, GOLDEN_MAX_NORM);
    }
}

/* On the axis u = v = 0 the solution is w0 e^(-beta t), for any spacing of rows. */
static void accurate_lorenz_on_the_axis_is_the_exponential(void **state)
{
    static const double steps[] = {0.001, 0.1, 3};
    for (int s = 0; s < 3; s++) {
        volt_simulate_options options = lorenz_with(VOLT_ODE_ACCURATE);
        double rows[5][3];
        options.start[1] = 0;
        options.start[2] = 4;
        options.step = steps[s];
        check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(rows[0], 5, 3)));
        for (int i = 0; i < 5; i++) {
            double t = steps[s] * i;
            assert_true(rows[i][0] == 0 && rows[i][1] == 0);
            /* relative error: rounding of beta t, and eps per Taylor step of about 0.5 */
            golden_check_number("w", 4 * exp(-options.beta * t), rows[i][2],
                                DBL_EPSILON * (4 + options.beta * t + 4 * t + i), GOLDEN_RELATIVE);
        }
    }
}

static void discarding_shifts_the_rows(void **state)
{
    for (int method = 0; method < 2; method++) {
        double all[50 * 3], late[30 * 3];
        volt_simulate_options lorenz = lorenz_with((volt_ode_method)method);
        check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(all, 50, 3)));
        lorenz.discard = 20;
        check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(late, 30, 3)));
        assert_memory_equal(late, all + 20 * 3, sizeof late);

        volt_simulate_options mackey = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        mackey.method = (volt_ode_method)method;
        mackey.every = 1;
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(all, 150, 1)));
        mackey.every = 7;
        mackey.discard = 3;
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(late, 10, 1)));
        for (int i = 0; i < 10; i++)
            assert_true(late[i] == all[7 * (i + 3)]);
    }
    double all[60], late[40];
    volt_simulate_options narma = {.struct_size = sizeof(volt_simulate_options), .seed = 1};
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &narma, volt_matrix_of(all, 30, 2)));
    narma.discard = 10;
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &narma, volt_matrix_of(late, 20, 2)));
    assert_memory_equal(late, all + 20, sizeof late);
}

/* Only the entries of the view are written. */
static void wider_output_keeps_other_columns(void **state)
{
    double wide[20][5], rows[20][3];
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 5; j++)
            wide[i][j] = -7;
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(rows[0], 20, 3)));
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, (volt_matrix){wide[0] + 1, 20, 3, 5}));
    for (int i = 0; i < 20; i++) {
        assert_memory_equal(wide[i] + 1, rows[i], sizeof rows[i]);
        assert_true(wide[i][0] == -7 && wide[i][4] == -7);
    }
}

/* ---- Mackey-Glass ----------------------------------------------------------------------------- */

/* With power 0, b = 0, a = 2, delay 1 and start 1 the equation is x'(t) = x(t - 1): by the method of
 * steps x = 1 + t, then 2 + s + s^2/2, then 7/2 + 2 s + s^2/2 + s^3/6 with s the time in the interval. */
static void accurate_mackey_glass_by_hand(void **state)
{
    static const double steps[] = {1, 0.5, 0.125};
    for (int k = 0; k < 3; k++) {
        volt_simulate_options options = {.struct_size = sizeof(volt_simulate_options),
                                         .a = 2,
                                         .power = 0,
                                         .delay = 1,
                                         .start = {1},
                                         .step = steps[k],
                                         .every = 1,
                                         .method = VOLT_ODE_ACCURATE};
        double rows[24];
        int per_delay = (int)(1 / steps[k]);
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(rows, 3 * per_delay, 1)));
        for (int i = 0; i < 3 * per_delay; i++) {
            int interval = i / per_delay;
            double s = steps[k] * (i + 1 - interval * per_delay);
            double expected[] = {1 + s, 2 + s + s * s / 2, 3.5 + 2 * s + s * s / 2 + s * s * s / 6};
            golden_check_number("x", expected[interval], rows[i], 8 * DBL_EPSILON, GOLDEN_RELATIVE);
        }
    }
}

/* Fixed point: a x / (1 + x^power) = b x at x = 1 when a = 2 b. */
static void mackey_glass_stays_at_equilibrium(void **state)
{
    for (int method = 0; method < 2; method++) {
        volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        double rows[20];
        options.start[0] = 1;
        options.method = (volt_ode_method)method;
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(rows, 20, 1)));
        for (int i = 0; i < 20; i++) /* 1000 steps with a rounding error of at most eps/2 each */
            assert_true(fabs(rows[i] - 1) <= 1000 * DBL_EPSILON / 2);
        options.start[0] = 0;
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(rows, 20, 1)));
        for (int i = 0; i < 20; i++)
            assert_true(rows[i] == 0);
    }
}

/* The solution depends smoothly on the power, which is computed differently for integer, non-integer and
 * large values. Over five delays a change of 1e-9 grows by far less than 1e4. */
static void mackey_glass_takes_any_power(void **state)
{
    static const double powers[] = {2, 10, 41, 100};
    for (int k = 0; k < 4; k++) {
        volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        double whole[10], near[10];
        options.method = VOLT_ODE_ACCURATE;
        options.power = powers[k];
        options.every = (int64_t)(options.delay / options.step / 2);
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(whole, 10, 1)));
        options.power *= 1 + 1e-9;
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(near, 10, 1)));
        for (int i = 0; i < 10; i++)
            assert_true(fabs(near[i] - whole[i]) < 1e-5);
    }
}

/* An even power has the symmetry x -> -x, which every operation preserves exactly. */
static void mackey_glass_with_an_even_power_is_odd(void **state)
{
    for (int method = 0; method < 2; method++) {
        volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        double plus[60], minus[60];
        options.method = (volt_ode_method)method;
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(plus, 60, 1)));
        options.start[0] = -options.start[0];
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(minus, 60, 1)));
        for (int i = 0; i < 60; i++)
            assert_true(minus[i] == -plus[i]);
    }
}

/* ---- NARMA10 ---------------------------------------------------------------------------------- */

static void narma10_follows_its_formula(void **state)
{
    enum { N = 400 };
    double rows[N][2], u[N], y[N + 1] = {0};
    const volt_simulate_options options = {.struct_size = sizeof(volt_simulate_options), .seed = 17};
    print_message("seed 17\n");
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(rows[0], N, 2)));
    volt_rng rng;
    volt_rng_init(&rng, 17, 0);
    for (int t = 0; t < N; t++) {
        u[t] = volt_rng_uniform(&rng) / 2;
        double sum = 0;
        for (int i = 0; i < 10 && i <= t; i++)
            sum += y[t - i];
        y[t + 1] = 0.3 * y[t] + 0.05 * y[t] * sum + 1.5 * (t >= 9 ? u[t - 9] : 0) * u[t] + 0.1;
        assert_true(rows[t][0] == u[t] && u[t] >= 0 && u[t] < 0.5);
        /* summation order differs: a few eps per step, and the map contracts */
        golden_check_number("y", y[t + 1], rows[t][1], 40 * DBL_EPSILON, GOLDEN_RELATIVE);
    }
}

/* The first seed whose sequence diverges within 10000 rows. Rows up to the reported one are finite. */
static void narma10_names_the_row_where_it_diverges(void **state)
{
    enum { N = 10000 };
    double *rows = malloc(2 * N * sizeof *rows);
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_NARMA10);
    while (options.seed < 5000 &&
           volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(rows, N, 2)) == VOLT_OK)
        options.seed++;
    int64_t row = -1;
    assert_int_equal(sscanf(volt_error_detail(), "NARMA10 diverges: row %" SCNd64, &row), 1);
    print_message("seed %d diverges at row %d\n", (int)options.seed, (int)row);
    assert_true(row > 0 && row < N);

    rows[0] = rows[2 * row + 1] = -7;
    check_fails(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(rows, row + 1, 2)),
                VOLT_ERR_NOT_FINITE, "finite");
    assert_true(rows[0] == -7 && rows[2 * row + 1] == -7); /* not modified */
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(rows, row, 2)));
    for (int64_t i = 0; i < 2 * row; i++)
        assert_true(isfinite(rows[i]));

    options.discard += row + 5;
    check_fails(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(rows, 3, 2)), VOLT_ERR_NOT_FINITE,
                "NARMA10 row");
    free(rows);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void diverging_systems_are_rejected(void **state)
{
    double rows[60];
    for (int i = 0; i < 60; i++)
        rows[i] = -7;

    volt_simulate_options lorenz = lorenz_with(VOLT_ODE_RK4);
    lorenz.step = 1; /* far outside the stability region */
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(rows, 20, 3)), VOLT_ERR_NOT_FINITE,
                "Lorenz row");
    lorenz = lorenz_with(VOLT_ODE_ACCURATE);
    lorenz.beta = -1000; /* on the axis u = v = 0, w grows like e^(1000 t) */
    lorenz.start[1] = 0;
    lorenz.step = 1;
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(rows, 20, 3)), VOLT_ERR_NOT_FINITE,
                "row 1 Lorenz");

    for (int method = 0; method < 2; method++) {
        volt_simulate_options mackey = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        mackey.method = (volt_ode_method)method;
        mackey.power = 1;
        mackey.start[0] = -1; /* 1 + x = 0 */
        check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(rows, 60, 1)),
                    VOLT_ERR_NOT_FINITE, "Mackey-Glass");
        mackey.power = 2.5; /* of a negative number */
        check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(rows, 60, 1)),
                    VOLT_ERR_NOT_FINITE, "Mackey-Glass");
        mackey = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        mackey.method = (volt_ode_method)method;
        mackey.b = -100; /* x grows like e^(100 t) */
        check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(rows, 60, 1)),
                    VOLT_ERR_NOT_FINITE, "Mackey-Glass");
    }
    for (int i = 0; i < 60; i++)
        assert_true(rows[i] == -7);
}

static void invalid_lorenz_options_are_rejected(void **state)
{
    double rows[30];
    volt_matrix out = volt_matrix_of(rows, 10, 3);
    const struct {
        size_t field;
        double value;
        const char *sentence;
    } wrong[] = {
        {offsetof(volt_simulate_options, sigma), NAN, "sigma nan"},
        {offsetof(volt_simulate_options, rho), INFINITY, "rho inf"},
        {offsetof(volt_simulate_options, beta), -INFINITY, "beta -inf"},
        {offsetof(volt_simulate_options, start) + sizeof(double), NAN, "entry 2 start nan"},
        {offsetof(volt_simulate_options, step), 0, "the step 0"},
        {offsetof(volt_simulate_options, step), -0.5, "the step -0.5"},
        {offsetof(volt_simulate_options, step), NAN, "step nan"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
        memcpy((char *)&options + wrong[i].field, &wrong[i].value, sizeof(double));
        check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, &options, out), VOLT_ERR_ARGUMENT, wrong[i].sentence);
    }
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    options.discard = -1;
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, &options, out), VOLT_ERR_ARGUMENT, "discard -1");
    options.discard = INT64_MAX;
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, &options, out), VOLT_ERR_ARGUMENT,
                "discard 9223372036854775807");
    options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    options.method = (volt_ode_method)2;
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, &options, out), VOLT_ERR_ARGUMENT, "method 2");
}

static void invalid_mackey_glass_options_are_rejected(void **state)
{
    double rows[10];
    volt_matrix out = volt_matrix_of(rows, 10, 1);
    const struct {
        size_t field;
        double value;
        const char *sentence;
    } wrong[] = {
        {offsetof(volt_simulate_options, a), NAN, "a must nan"},
        {offsetof(volt_simulate_options, b), INFINITY, "b must inf"},
        {offsetof(volt_simulate_options, start), NAN, "entry 1 start nan"},
        {offsetof(volt_simulate_options, power), -1, "power -1"},
        {offsetof(volt_simulate_options, power), NAN, "power nan"},
        {offsetof(volt_simulate_options, step), 0, "the step 0"},
        {offsetof(volt_simulate_options, step), -0.02, "the step -0.02"},
        {offsetof(volt_simulate_options, step), 0.03, "delay 17 566.666666666667 0.03"},
        {offsetof(volt_simulate_options, step), 18, "delay 17 0.944444444444444 18"},
        {offsetof(volt_simulate_options, step), 40, "whole number of steps, at least 1"},
        {offsetof(volt_simulate_options, step), 1e-300, "whole number of steps"},
        {offsetof(volt_simulate_options, step), 17 / 0x1p53, "delay 17"}, /* more steps than a double counts */
        {offsetof(volt_simulate_options, delay), 17.001, "delay 17.001 850.05 0.02"},
        {offsetof(volt_simulate_options, delay), 0, "delay 0"},
        {offsetof(volt_simulate_options, delay), -17, "delay -17"},
        {offsetof(volt_simulate_options, delay), INFINITY, "delay inf"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        memcpy((char *)&options + wrong[i].field, &wrong[i].value, sizeof(double));
        check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, out), VOLT_ERR_ARGUMENT,
                    wrong[i].sentence);
    }
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    options.every = 0;
    check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, out), VOLT_ERR_ARGUMENT, "every 0");
    options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    options.method = (volt_ode_method)7;
    check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, out), VOLT_ERR_ARGUMENT, "method 7");
    /* A delay of 9e15 steps is valid but does not fit in memory. */
    options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    options.step = 17 / 0x1p52;
    for (int method = 0; method < 2; method++) {
        options.method = (volt_ode_method)method;
        check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, out), VOLT_ERR_MEMORY, "");
    }
}

/* Decimal steps that divide the delay up to rounding give an integer number of steps. */
static void rounded_steps_are_accepted(void **state)
{
    static const double pairs[][2] = {{17, 0.1}, {0.3, 0.1}, {17, 17.0 / 849}, {1, 1.0 / 3}, {1e-3, 1e-9}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
        double row;
        options.delay = pairs[i][0];
        options.step = pairs[i][1];
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(&row, 1, 1)));
    }
}

static void invalid_matrices_are_rejected(void **state)
{
    double rows[30];
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(rows, 10, 2)), VOLT_ERR_SHAPE,
                "2 columns 3");
    check_fails(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, NULL, volt_matrix_of(rows, 10, 2)), VOLT_ERR_SHAPE,
                "2 columns 1");
    check_fails(volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(rows, 10, 3)), VOLT_ERR_SHAPE,
                "3 columns 2");
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(rows, 0, 3)), VOLT_ERR_ARGUMENT,
                "rows 0");
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(rows, -4, 3)), VOLT_ERR_ARGUMENT,
                "rows -4");
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(NULL, 10, 3)), VOLT_ERR_ARGUMENT,
                "data");
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, (volt_matrix){rows, 10, 3, 2}), VOLT_ERR_ARGUMENT,
                "dimension 2");
    check_fails(volt_simulate(VOLT_SYSTEM_LORENZ, NULL, volt_matrix_of(rows, INT64_MAX, 3)), VOLT_ERR_MEMORY,
                "");
    volt_simulate_options options = {.struct_size = sizeof(volt_simulate_options), .discard = -3};
    check_fails(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(rows, 10, 2)), VOLT_ERR_ARGUMENT,
                "discard -3");
    check_fails(volt_simulate((volt_system)99, NULL, volt_matrix_of(rows, 10, 3)), VOLT_ERR_ARGUMENT,
                "system 99");
}

/* ---- all generators: cancellation, memory ------------------------------------------------------ */

typedef struct watch_state {
    int calls, cancel_at, backwards;
    double last;
} watch_state;

static int watch(const char *stage, double fraction, void *context)
{
    watch_state *seen = context;
    (void)stage;
    seen->calls++;
    seen->backwards += fraction < seen->last;
    seen->last = fraction;
    return seen->calls == seen->cancel_at;
}

/* The runs used by the tests below. Short ones terminate; long ones would take years. */
enum {
    LORENZ_RK4,
    LORENZ_ACCURATE,
    LORENZ_LONG_STEP,
    MACKEY_RK4,
    MACKEY_ACCURATE,
    MACKEY_HALVED,
    NARMA,
    TABLE
};

/* Systems that only the table describes. */
static const char *const table_runs[] = {"lorenz96:dimension=6",
                                         "kuramoto-sivashinsky:domain=6,modes=8",
                                         "henon",
                                         "duffing:period=20",
                                         "van-der-pol:period=20",
                                         "wiener-hammerstein:period=20",
                                         "bouc-wen:period=20"};
enum { RUNS = TABLE + sizeof table_runs / sizeof *table_runs, MOST_VALUES = 16 };

static volt_status run_table(const char *text, int64_t discard, volt_progress progress, double *rows)
{
    volt_system system;
    volt_simulate_options options;
    int64_t cols = 0;
    check_ok(volt_system_parse(text, &system, &options));
    options.discard = discard / options.every;
    options.progress = progress;
    check_ok(volt_simulate_columns(system, &options, &cols));
    return volt_simulate(system, &options, volt_matrix_of(rows, 2, cols));
}

static volt_status run(int which, int is_long, volt_progress progress, double *rows)
{
    int64_t far = is_long ? INT64_MAX / 2 : 10;
    volt_simulate_options lorenz = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    volt_simulate_options mackey = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    volt_simulate_options narma = volt_simulate_options_default(VOLT_SYSTEM_NARMA10);
    lorenz.progress = mackey.progress = narma.progress = progress;
    lorenz.method = which == LORENZ_RK4 ? VOLT_ODE_RK4 : VOLT_ODE_ACCURATE;
    mackey.method = which == MACKEY_RK4 ? VOLT_ODE_RK4 : VOLT_ODE_ACCURATE;
    if (which >= TABLE)
        return run_table(table_runs[which - TABLE], far, progress, rows);
    switch (which) {
    case LORENZ_LONG_STEP: /* all the time is spent in one row */
        lorenz.step = is_long ? 1e12 : 10;
        return volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(rows, 2, 3));
    case MACKEY_HALVED: /* steps long enough to be subdivided */
        mackey.step = 17;
        mackey.every = far;
        return volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(rows, 2, 1));
    case MACKEY_RK4:
    case MACKEY_ACCURATE:
        mackey.discard = far;
        return volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &mackey, volt_matrix_of(rows, 2, 1));
    case NARMA: /* bounded length: a longer sequence diverges before it can be cancelled */
        narma.discard = is_long ? 20 : 10;
        return volt_simulate(VOLT_SYSTEM_NARMA10, &narma, volt_matrix_of(rows, 2, 2));
    default:
        lorenz.discard = far;
        return volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(rows, 2, 3));
    }
}

static void progress_runs_from_zero_to_one(void **state)
{
    for (int which = 0; which < RUNS; which++) {
        double rows[MOST_VALUES];
        watch_state seen = {.last = 0};
        check_ok(run(which, 0, (volt_progress){watch, &seen}, rows));
        assert_true(seen.calls >= 2 && seen.last == 1);
        assert_int_equal(seen.backwards, 0);
    }
}

static void cancellation_is_prompt_and_leaks_nothing(void **state)
{
    for (int which = 0; which < RUNS; which++) {
        double rows[MOST_VALUES];
        for (int i = 0; i < MOST_VALUES; i++)
            rows[i] = -7;
        watch_state seen = {.cancel_at = which >= NARMA ? 2 : 4};
        clock_t start = clock(); /* CPU time of this process, independent of other load */
        check_fails(run(which, 1, (volt_progress){watch, &seen}, rows), VOLT_ERR_CANCELLED, "simulate");
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        print_message("run %d stopped after %.2f s\n", which, seconds);
        assert_true(seconds < 1.15); /* three calls are 0.15 s apart; then a second */
        assert_int_equal(seen.backwards, 0);
        for (int i = 0; i < MOST_VALUES; i++)
            assert_true(rows[i] == -7);
    }
}

static void every_allocation_may_fail(void **state)
{
    for (int which = 0; which < RUNS; which++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            double rows[MOST_VALUES] = {-7};
            volt_status status = run(which, 0, (volt_progress){NULL, NULL}, rows);
            failing_alloc_check(status);
            assert_int_equal(rows[0] == -7, status != VOLT_OK);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_options_are_defaults),
        cmocka_unit_test(lorenz_stays_at_fixed_points),
        cmocka_unit_test(accurate_lorenz_on_the_axis_is_the_exponential),
        cmocka_unit_test(discarding_shifts_the_rows),
        cmocka_unit_test(wider_output_keeps_other_columns),
        cmocka_unit_test(accurate_mackey_glass_by_hand),
        cmocka_unit_test(mackey_glass_stays_at_equilibrium),
        cmocka_unit_test(mackey_glass_takes_any_power),
        cmocka_unit_test(mackey_glass_with_an_even_power_is_odd),
        cmocka_unit_test(narma10_follows_its_formula),
        cmocka_unit_test(narma10_names_the_row_where_it_diverges),
        cmocka_unit_test(diverging_systems_are_rejected),
        cmocka_unit_test(invalid_lorenz_options_are_rejected),
        cmocka_unit_test(invalid_mackey_glass_options_are_rejected),
        cmocka_unit_test(rounded_steps_are_accepted),
        cmocka_unit_test(invalid_matrices_are_rejected),
        cmocka_unit_test(progress_runs_from_zero_to_one),
        cmocka_unit_test(cancellation_is_prompt_and_leaks_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
