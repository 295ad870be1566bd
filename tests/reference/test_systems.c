/* tests/reference/test_systems.c: the table of systems against SciPy's integrators, and properties of each. */
#include "data/system_table.h"
#include "support/check.h"
#include "support/golden.h"
#include "volterra/data.h"

static volt_system system_named(const char *name, volt_simulate_options *options)
{
    volt_system system;
    check_ok(volt_system_parse(name, &system, options));
    return system;
}

static double *simulated(volt_system system, const volt_simulate_options *options, int64_t rows, int64_t *cols)
{
    check_ok(volt_simulate_columns(system, options, cols));
    double *out = malloc((size_t)(rows * *cols) * sizeof *out);
    assert_non_null(out);
    check_ok(volt_simulate(system, options, volt_matrix_of(out, rows, *cols)));
    return out;
}

/* Fixed steps `steps` times finer than the rows have an error far below 1e-9 for smooth equations (fourth order, at
 * most 1/50 of the fastest time scale); at the kinks of Bouc-Wen the error of a step of 1/2000 row is of second
 * order. */
static void systems_equal_the_golden_file(void **state)
{
    static const char *const names[] = {"lorenz96",    "kuramoto-sivashinsky", "duffing",
                                        "van-der-pol", "wiener-hammerstein",   "bouc-wen"};
    golden *file = golden_load("systems");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[96];
        volt_simulate_options options;
        volt_system system = system_named(names[i], &options);
        const volt_system_info *info = volt_system_at((int64_t)system);
        for (int64_t p = 0; p < info->n_parameters; p++) {
            snprintf(path, sizeof path, "inputs.%s.%s", names[i], info->parameters[p].name);
            check_ok(volt_simulate_set(system, &options, info->parameters[p].name, golden_number(file, path)));
        }
        snprintf(path, sizeof path, "inputs.%s.start", names[i]);
        for (int64_t s = 0; s < info->n_start; s++)
            options.start[s] = golden_array_of(file, path).data[s];
        snprintf(path, sizeof path, "inputs.%s.seed", names[i]);
        options.seed = info->has_input ? (uint64_t)golden_number(file, path) : 0;
        snprintf(path, sizeof path, "inputs.%s.steps", names[i]);
        options.every = (int64_t)golden_number(file, path);
        snprintf(path, sizeof path, "inputs.%s.times", names[i]);
        golden_array times = golden_array_of(file, path);
        options.step = times.data[1] / (double)options.every;
        options.discard = 0;

        snprintf(path, sizeof path, "expected.%s", names[i]);
        golden_array expected = golden_array_of(file, path);
        int64_t cols = 0;
        double *rows = simulated(system, &options, times.count, &cols);
        assert_int_equal(cols, expected.cols);
        assert_int_equal(times.count, expected.rows);
        for (int64_t j = 0; j < cols; j++) {
            double largest = 0, error = 0;
            for (int64_t t = 0; t < times.count; t++) {
                largest = fmax(largest, fabs(expected.data[t * cols + j]));
                error = fmax(error, fabs(rows[t * cols + j] - expected.data[t * cols + j]));
            }
            if (j < 2)
                print_message("%s column %d: error %.2g of %.3g\n", names[i], (int)j, error, largest);
            assert_true(error <= golden_tol(file, names[i]) * largest);
        }
        free(rows);
    }
    golden_free(file);
}

/* The error of the default step that `accuracy` states for 100 rows bounds that of the first 20, relative to a step 8
 * times smaller, whose own error is 8^4 (at kinks 8) times smaller. */
static void default_steps_are_accurate(void **state)
{
    static const struct {
        const char *name;
        double bound; /* in standard deviations of the column */
    } cases[] = {{"lorenz96", 2e-5},           {"kuramoto-sivashinsky", 2e-4},
                 {"duffing:period=60", 3e-7},  {"van-der-pol:period=60", 2e-7},
                 {"bouc-wen:period=60", 5e-5}, {"wiener-hammerstein:period=60", 5e-6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_simulate_options options;
        volt_system system = system_named(cases[i].name, &options);
        assert_non_null(volt_system_at((int64_t)system)->accuracy);
        options.discard = 0;
        options.seed = 3;
        int64_t cols = 0, n = 21, first = volt_system_at((int64_t)system)->has_input;
        if (i == 0)
            options.start[0] = 0.5;
        double *rows = simulated(system, &options, n, &cols);
        options.step /= 8;
        options.every *= 8;
        double *finer = simulated(system, &options, n, &cols), sum = 0, square = 0, error = 0;
        for (int64_t k = 0; k < n * cols; k++)
            if (k % cols >= first) {
                sum += finer[k];
                square += finer[k] * finer[k];
                error = fmax(error, fabs(rows[k] - finer[k]));
            }
        double count = (double)(n * (cols - first)),
               spread = sqrt(square / count - sum * sum / (count * count));
        if (i == 0)
            spread = 3.6; /* on the attractor; these rows have hardly left the equilibrium */
        print_message("%s: error %.2g of %.3g\n", cases[i].name, error, spread);
        assert_true(error <= cases[i].bound * spread);
        free(rows);
        free(finer);
    }
}

/* The map, written out: each row follows from the one before up to one rounding of each operation. */
static void henon_rows_satisfy_the_map(void **state)
{
    volt_simulate_options options;
    volt_system system = system_named("henon:a=1.3,b=0.25", &options);
    int64_t cols = 0, n = 500;
    double *rows = simulated(system, &options, n, &cols);
    assert_int_equal(cols, 2);
    for (int64_t t = 0; t + 1 < n; t++) {
        double x = rows[2 * t], y = rows[2 * t + 1];
        assert_true(fabs(rows[2 * t + 2] - (1 - 1.3 * x * x + y)) <= 4 * 0x1p-52 * 4);
        assert_true(rows[2 * t + 3] == 0.25 * x);
    }
    free(rows);
}

/* The filter, written out, with the inputs of the generator. */
static void wiener_rows_satisfy_the_filter(void **state)
{
    volt_simulate_options options;
    static const double offsets[] = {0, 0.5};
    for (int i = 0; i < 2; i++) {
        volt_system system = system_named(i == 0 ? "wiener:pole=0.3" : "wiener:pole=0.3,offset=0.5", &options);
        options.seed = 7;
        options.discard = 0;
        int64_t cols = 0, n = 500;
        double *rows = simulated(system, &options, n, &cols), v = 0;
        volt_rng rng;
        volt_rng_init(&rng, 7, 0);
        assert_int_equal(cols, 2);
        for (int64_t t = 0; t < n; t++) {
            double u = 2 * volt_rng_uniform(&rng) - 1;
            v = 0.3 * v + 0.7 * u;
            assert_true(rows[2 * t] == u);
            assert_true(fabs(rows[2 * t + 1] - sqrt(v * v + offsets[i] * offsets[i])) <= 8 * 0x1p-52);
        }
        free(rows);
    }
}

/* Every pulse is an output until the next pulse. Of 20000 inputs, the number of pulses is within 5 standard deviations. */
static void relay_keeps_the_last_pulse(void **state)
{
    volt_simulate_options options;
    volt_system system = system_named("relay:rate=0.05", &options);
    options.discard = 0;
    int64_t cols = 0, n = 20000, pulses = 0, positive = 0;
    double *rows = simulated(system, &options, n, &cols), y = 1;
    for (int64_t t = 0; t < n; t++) {
        double u = rows[2 * t];
        bool is_pulse = u == 1 || u == -1;
        assert_true(is_pulse || (u >= -0.5 && u < 0.5));
        y = is_pulse ? u : y;
        assert_true(rows[2 * t + 1] == y);
        pulses += is_pulse;
        positive += u == 1;
    }
    assert_true(fabs((double)pulses - 0.05 * (double)n) < 5 * sqrt(0.05 * 0.95 * (double)n));
    assert_true(fabs((double)positive - (double)pulses / 2) < 5 * sqrt((double)pulses / 4));
    free(rows);
}

/* Without forcing, the quadratic terms conserve |x|^2 and the linear one damps it: |x(t)| = |x(0)| e^-t. The Runge-Kutta
 * error of 100 steps of 0.01 is below 1e-9. */
static void unforced_lorenz96_decays(void **state)
{
    volt_simulate_options options;
    volt_system system = system_named("lorenz96:forcing=0,dimension=6", &options);
    options.start[0] = 2;
    options.start_noise = 0.5;
    options.discard = 0;
    int64_t cols = 0, n = 101;
    double *rows = simulated(system, &options, n, &cols), norm[2] = {0, 0};
    for (int64_t j = 0; j < cols; j++) {
        norm[0] += rows[j] * rows[j];
        norm[1] += rows[(n - 1) * cols + j] * rows[(n - 1) * cols + j];
    }
    assert_true(fabs(sqrt(norm[1] / norm[0]) - exp(-1)) < 1e-9);
    free(rows);
}

/* The mean is constant. A small start is linear: mode m has the factor e^((q^2 - q^4) t), q = 2 pi m / domain; the
 * quadratic terms are of the order 1e-8 of the start. A domain below 2 pi has no unstable mode. */
static void kuramoto_sivashinsky_is_linear_for_small_values(void **state)
{
    volt_simulate_options options;
    volt_system system = system_named("kuramoto-sivashinsky:domain=15,modes=32", &options);
    const double pi = 3.14159265358979323846, q = 2 * pi / 15, small = 1e-9;
    options.start[0] = small;
    options.discard = 0;
    int64_t cols = 0, n = 21;
    double *rows = simulated(system, &options, n, &cols), t = options.step * (double)(options.every * (n - 1));
    for (int64_t j = 0; j < cols; j++) {
        double p = 2 * pi * (double)j / (double)cols;
        double expected =
            exp((q * q - pow(q, 4)) * t) * sin(p) + exp((4 * q * q - 16 * pow(q, 4)) * t) * cos(2 * p);
        assert_true(fabs(rows[(n - 1) * cols + j] / small - expected) < 1e-6);
    }
    free(rows);

    system =
        system_named("kuramoto-sivashinsky:modes=32", &options); /* long enough for unstable rounding errors */
    options.discard = 4000;
    rows = simulated(system, &options, 10, &cols);
    double mean = 0, largest = 0;
    for (int64_t j = 0; j < cols; j++) {
        mean += rows[9 * cols + j] / (double)cols;
        largest = fmax(largest, fabs(rows[9 * cols + j]));
    }
    assert_true(fabs(mean) < 1e-12 && largest > 0.5 && largest < 10);
    free(rows);

    system = system_named("kuramoto-sivashinsky:domain=6,modes=16", &options);
    options.discard = 4000;
    rows = simulated(system, &options, 1, &cols);
    for (int64_t j = 0; j < cols; j++)
        assert_true(fabs(rows[j]) < 1e-12);
    free(rows);
}

/* The RMS of the input over a period is the amplitude, it is periodic, and seeds differ. -u gives -y for the odd systems. */
static void inputs_have_their_amplitude_and_period(void **state)
{
    static const char *const names[] = {"duffing:amplitude=0.7,bandwidth=0.23,period=60",
                                        "van-der-pol:amplitude=0.7,bandwidth=0.23,period=60",
                                        "wiener-hammerstein:amplitude=0.7,bandwidth=0.23,period=60",
                                        "bouc-wen:amplitude=0.7,bandwidth=0.23,period=60"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        volt_simulate_options options;
        volt_system system = system_named(names[i], &options);
        int64_t cols = 0;
        double *rows = simulated(system, &options, 120, &cols), sum = 0;
        options.seed = 1;
        double *other = simulated(system, &options, 120, &cols);
        assert_int_equal(cols, 2);
        for (int64_t t = 0; t < 60; t++) {
            sum += rows[2 * t] * rows[2 * t];
            assert_true(rows[2 * t] == rows[2 * (t + 60)]);
        }
        assert_true(fabs(sqrt(sum / 60) - 0.7) < 1e-13);
        assert_true(rows[0] != other[0]);
        free(rows);
        free(other);
    }
}

/* Energy of the undamped oscillator without input: y'^2/2 + y^2/2 + y^4/4. At the turning points only y is needed: the
 * largest |y| of later rows cannot exceed the start, up to the integration error, and comes near it. */
static void undamped_duffing_keeps_its_amplitude(void **state)
{
    volt_simulate_options options;
    volt_system system = system_named("duffing:amplitude=0,damping=0", &options);
    options.start[0] = 1.5;
    options.step = 0.01;
    options.every = 1;
    options.discard = 10000;
    int64_t cols = 0;
    double *rows = simulated(system, &options, 2000, &cols), largest = 0;
    for (int64_t t = 0; t < 2000; t++)
        largest = fmax(largest, fabs(rows[2 * t + 1]));
    assert_true(largest < 1.5 + 1e-6 && largest > 1.5 - 1e-3); /* rows are within 0.005 of a turning point */
    free(rows);
}

static void invalid_parameters_name_value_and_bound(void **state)
{
    static const char *const wrong[][2] = {
        {"lorenz97", "lorenz96"},
        {"lorenz96:dimension=3", "dimension 4 got 3"},
        {"lorenz96:dimension=5.5", "dimension whole 5.5"},
        {"lorenz96:forcing=nan", "forcing nan"},
        {"lorenz96:dimensions=5", "dimensions"},
        {"lorenz96:dimension", "PARAMETER=VALUE"},
        {"henon:a=x", "a=x"},
        {"duffing:bandwidth=0.5", "bandwidth (0, 0.5) 0.5"},
        {"duffing:amplitude=-1", "amplitude -1"},
        {"bouc-wen:nu=0.5", "nu 1 0.5"},
        {"wiener-hammerstein:gain=0", "gain 0"},
        {"kuramoto-sivashinsky:domain=-1", "domain -1"},
        {"wiener:pole=1", "pole (-1, 1) 1"},
        {"wiener:offset=-0.5", "offset 0 -0.5"},
        {"relay:rate=1.5", "rate [0, 1] 1.5"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_system system;
        volt_simulate_options options;
        check_fails(volt_system_parse(wrong[i][0], &system, &options), VOLT_ERR_ARGUMENT, wrong[i][1]);
    }
    double rows[96];
    volt_simulate_options options;
    volt_system system = system_named("kuramoto-sivashinsky:modes=48", &options);
    check_fails(volt_simulate(system, &options, volt_matrix_of(rows, 1, 48)), VOLT_ERR_ARGUMENT,
                "modes power of two 48");
    system = system_named("duffing:bandwidth=0.01,period=50", &options);
    check_fails(volt_simulate(system, &options, volt_matrix_of(rows, 1, 2)), VOLT_ERR_ARGUMENT,
                "bandwidth period 0.01 50");
    options.method = VOLT_ODE_ACCURATE;
    check_fails(volt_simulate(system, &options, volt_matrix_of(rows, 1, 2)), VOLT_ERR_ARGUMENT, "method 1");
    check_fails(volt_simulate_set(system, &options, "mu", 1), VOLT_ERR_ARGUMENT, "mu");
    check_fails(volt_simulate_set((volt_system)99, &options, "mu", 1), VOLT_ERR_ARGUMENT, "99");
    assert_null(volt_system_at(-1));
    assert_null(volt_system_at(VOLT_SYSTEM_RELAY + 1));
}

/* The default of any system, and of none, has the parameters of the systems with fields of their own. */
static void defaults_have_the_fields_of_all_systems(void **state)
{
    volt_simulate_options lorenz = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    volt_simulate_options mackey = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    assert_true(lorenz.sigma == 10 && lorenz.rho == 28 && lorenz.beta == 8.0 / 3.0);
    assert_true(mackey.a == 0.2 && mackey.b == 0.1 && mackey.power == 10 && mackey.delay == 17);
    for (int64_t i = -1; i < 0 || volt_system_at(i); i++) {
        volt_simulate_options other = volt_simulate_options_default((volt_system)i);
        assert_true(other.struct_size == sizeof other && other.method == VOLT_ODE_RK4);
        assert_true(other.sigma == lorenz.sigma && other.rho == lorenz.rho && other.beta == lorenz.beta);
        assert_true(other.a == mackey.a && other.b == mackey.b && other.power == mackey.power);
        assert_true(other.delay == mackey.delay);
    }
}

/* 2 * every * period = 2^53 half steps of the input are too many. */
static void input_has_less_than_2_53_points(void **state)
{
    volt_system system;
    volt_simulate_options options;
    double rows[2] = {-7, -7};
    check_ok(volt_system_parse("duffing:period=67108864,bandwidth=1e-7", &system, &options));
    options.every = 67108864;
    options.discard = 0;
    check_fails(volt_simulate(system, &options, volt_matrix_of(rows, 1, 2)), VOLT_ERR_ARGUMENT, "every period");
    options.every = 67108863;
    check_fails(volt_simulate(system, &options, volt_matrix_of(rows, 1, 2)), VOLT_ERR_MEMORY, "input");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_equal_the_golden_file),
        cmocka_unit_test(default_steps_are_accurate),
        cmocka_unit_test(henon_rows_satisfy_the_map),
        cmocka_unit_test(wiener_rows_satisfy_the_filter),
        cmocka_unit_test(relay_keeps_the_last_pulse),
        cmocka_unit_test(unforced_lorenz96_decays),
        cmocka_unit_test(kuramoto_sivashinsky_is_linear_for_small_values),
        cmocka_unit_test(inputs_have_their_amplitude_and_period),
        cmocka_unit_test(undamped_duffing_keeps_its_amplitude),
        cmocka_unit_test(invalid_parameters_name_value_and_bound),
        cmocka_unit_test(defaults_have_the_fields_of_all_systems),
        cmocka_unit_test(input_has_less_than_2_53_points),
    };
    return cmocka_run_group_tests_name("systems", tests, NULL, NULL);
}
