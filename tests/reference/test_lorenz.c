/* tests/reference/test_lorenz.c: both Lorenz methods against golden figures. */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/data.h"

/* The options of the golden file. */
static volt_simulate_options golden_options(golden *file)
{
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    golden_array start = golden_array_of(file, "inputs.z0");
    for (int i = 0; i < 3; i++)
        options.start[i] = start.data[i];
    options.sigma = golden_number(file, "params.sigma");
    options.rho = golden_number(file, "params.rho");
    options.beta = golden_number(file, "params.beta");
    options.step = golden_number(file, "inputs.h");
    return options;
}

static void fixed_steps_equal_the_golden_file(void **state)
{
    golden *file = golden_load("lorenz");
    volt_simulate_options options = golden_options(file);
    int64_t n_rows = (int64_t)golden_number(file, "params.n_steps") + 1;
    double *rows = malloc((size_t)n_rows * 3 * sizeof *rows);
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(rows, n_rows, 3)));

    golden_array first = golden_array_of(file, "expected.rk4_first300");
    golden_check("rk4_first300", first.data, rows, first.count, golden_tol(file, "rk4_first300"),
                 GOLDEN_MAX_NORM);
    for (int at = 500; at <= 2000; at += 500) {
        char path[64], field[64];
        snprintf(path, sizeof path, "expected.rk4_at.%d", at);
        snprintf(field, sizeof field, "rk4_at_%d", at);
        golden_array point = golden_array_of(file, path);
        golden_check(field, point.data, rows + 3 * at, 3, golden_tol(file, field), GOLDEN_MAX_NORM);
    }
    free(rows);
    golden_free(file);
}

static void accurate_method_equals_the_golden_file(void **state)
{
    golden *file = golden_load("lorenz");
    volt_simulate_options options = golden_options(file);
    options.method = VOLT_ODE_ACCURATE;
    static const char *const fields[] = {"quad_richardson_first300", "dop853_first300"};
    double rows[300 * 3];
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(rows, 300, 3)));
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "expected.%s", fields[i]);
        golden_array expected = golden_array_of(file, path);
        assert_int_equal(expected.count, 900);
        golden_check(fields[i], expected.data, rows, 900, golden_tol(file, fields[i]), GOLDEN_MAX_NORM);
    }
    golden_free(file);
}

/* The accuracy that src/data/ode/lorenz.c states, 1e-15 e^(0.9 t) of the largest state: rows that are 0.005,
 * 0.05 and 2 apart take different Taylor steps and must agree to that, with a factor of 100 for the
 * stretches of the orbit that expand faster than the mean. */
static void accurate_method_does_not_depend_on_the_spacing_of_rows(void **state)
{
    enum { FINE = 2001, MIDDLE = 201, COARSE = 6 };
    static double fine[FINE][3], middle[MIDDLE][3], coarse[COARSE][3];
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    options.method = VOLT_ODE_ACCURATE;
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(fine[0], FINE, 3)));
    options.step = 0.05;
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(middle[0], MIDDLE, 3)));
    options.step = 2;
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(coarse[0], COARSE, 3)));

    const double largest = 50;
    for (int i = 0; i < MIDDLE; i++) {
        double tol = 100 * 1e-15 * largest * exp(0.9 * 0.05 * i);
        golden_check("rows 0.05 apart", fine[10 * i], middle[i], 3, tol, GOLDEN_ABSOLUTE);
    }
    for (int i = 0; i < COARSE; i++) {
        double tol = 100 * 1e-15 * largest * exp(0.9 * 2 * i);
        golden_check("rows 2 apart", fine[400 * i], coarse[i], 3, tol, GOLDEN_ABSOLUTE);
    }
}

/* Fourth order: halving the step divides the error at t = 1 by 16 in the limit; here the order must be
 * nearer to 4 than to 3 or 5. The errors are far above rounding, about 1000 eps times the state. */
static void fixed_steps_are_of_fourth_order(void **state)
{
    static double rows[1001][3];
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    double error[2], exact[2][3];
    options.method = VOLT_ODE_ACCURATE;
    options.step = 1;
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(exact[0], 2, 3)));
    options.method = VOLT_ODE_RK4;
    for (int half = 0; half < 2; half++) {
        int steps = 500 << half;
        options.step = 1.0 / steps;
        check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(rows[0], steps + 1, 3)));
        error[half] = 0;
        for (int j = 0; j < 3; j++)
            error[half] = fmax(error[half], fabs(rows[steps][j] - exact[1][j]));
    }
    print_message("error at t = 1: %.3g, then %.3g\n", error[0], error[1]);
    double order = log2(error[0] / error[1]);
    assert_true(order > 3.5 && order < 4.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_equal_the_golden_file),
        cmocka_unit_test(accurate_method_equals_the_golden_file),
        cmocka_unit_test(accurate_method_does_not_depend_on_the_spacing_of_rows),
        cmocka_unit_test(fixed_steps_are_of_fourth_order),
    };
    return cmocka_run_group_tests_name("lorenz", tests, NULL, NULL);
}
