/* tests/reference/test_mackey_glass.c: both Mackey-Glass methods against golden figures. */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/data.h"

static void fixed_steps_equal_the_golden_file(void **state)
{
    golden *file = golden_load("mackeyglass");
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    options.a = golden_number(file, "params.a");
    options.b = golden_number(file, "params.b");
    options.power = golden_number(file, "params.n");
    options.delay = golden_number(file, "params.delay");
    options.start[0] = golden_number(file, "inputs.x0");
    options.step = golden_number(file, "params.h");

    golden_array first = golden_array_of(file, "expected.first300");
    double rows[340];
    assert_int_equal(first.count, 300);
    options.every = 1;
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(rows, 300, 1)));
    golden_check("first300", first.data, rows, 300, golden_tol(file, "first300"), GOLDEN_MAX_NORM);

    golden_array sliced = golden_array_of(file, "expected.sliced");
    assert_int_equal(sliced.count, 340);
    options.every = (int64_t)golden_number(file, "params.slicing");
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(rows, 340, 1)));
    golden_check("sliced", sliced.data, rows, 340, golden_tol(file, "sliced"), GOLDEN_MAX_NORM);
    golden_free(file);
}

/* Steps of one hundredth and one tenth of the delay: the second needs parts of steps. */
static void accurate_method_equals_a_chain_of_ordinary_equations(void **state)
{
    golden *file = golden_load("mackey_glass_accurate");
    int64_t per_delay = (int64_t)golden_number(file, "params.per_delay");
    int64_t n_cases = golden_length(file, "inputs.cases");
    static const int64_t steps_per_delay[] = {100, 10};
    for (int64_t i = 0; i < n_cases; i++)
        for (int s = 0; s < 2; s++) {
            char path[64], name[64];
            snprintf(path, sizeof path, "inputs.cases.%d", (int)i);
            const double *given = golden_array_of(file, path).data; /* a, b, power, delay, start, delays */
            snprintf(path, sizeof path, "expected.values.%d", (int)i);
            golden_array expected = golden_array_of(file, path);

            volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
            options.a = given[0];
            options.b = given[1];
            options.power = given[2];
            options.delay = given[3];
            options.start[0] = given[4];
            options.step = given[3] / (double)steps_per_delay[s];
            options.every = 1;
            options.method = VOLT_ODE_ACCURATE;
            int64_t n_rows = steps_per_delay[s] * (int64_t)given[5], stride = steps_per_delay[s] / per_delay;
            double *rows = malloc((size_t)n_rows * sizeof *rows);
            double *chosen = malloc((size_t)expected.count * sizeof *chosen);
            check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(rows, n_rows, 1)));
            for (int64_t k = 0; k < expected.count; k++)
                chosen[k] = rows[(k + 1) * stride - 1];
            snprintf(name, sizeof name, "case %d, %d steps a delay", (int)i, (int)steps_per_delay[s]);
            golden_check(name, expected.data, chosen, expected.count, golden_tol(file, "values"),
                         GOLDEN_MAX_NORM);
            free(chosen);
            free(rows);
        }
    golden_free(file);
}

/* Largest difference between a run with `step` and one with half of it, at the same `n_rows` times. */
static double change_with_half_the_step(double step, int64_t n_rows)
{
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    double *whole = malloc((size_t)n_rows * sizeof *whole);
    double *half = malloc((size_t)(2 * n_rows) * sizeof *half);
    options.method = VOLT_ODE_ACCURATE;
    options.every = 1;
    options.step = step;
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(whole, n_rows, 1)));
    options.step = step / 2;
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(half, 2 * n_rows, 1)));
    double worst = 0;
    for (int64_t i = 0; i < n_rows; i++)
        worst = fmax(worst, fabs(half[2 * i + 1] - whole[i]));
    free(half);
    free(whole);
    return worst;
}

/* The accuracy that the file's header states: 1e-15 over ten delays, whatever the step. */
static void accurate_method_converges(void **state)
{
    static const double steps[] = {0.02, 0.25, 1, 8.5, 17};
    for (int i = 0; i < 5; i++) {
        double change = change_with_half_the_step(steps[i], (int64_t)(170 / steps[i]));
        print_message("step %g: %.2g\n", steps[i], change);
        assert_true(change <= 1e-15);
    }
}

/* The fixed-step scheme tends to the accurate solution, with the first power of the step. */
static void fixed_steps_are_of_first_order(void **state)
{
    double exact[50], error[2];
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_MACKEY_GLASS);
    options.every = 1;
    options.step = 1;
    options.method = VOLT_ODE_ACCURATE;
    check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(exact, 50, 1)));
    options.method = VOLT_ODE_RK4;
    for (int half = 0; half < 2; half++) {
        int64_t per_unit = 500 << half;
        double last;
        options.step = 1.0 / (double)per_unit;
        options.discard = 50 * per_unit - 1; /* the one row kept is the value at t = 50 */
        check_ok(volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, &options, volt_matrix_of(&last, 1, 1)));
        error[half] = fabs(last - exact[49]);
    }
    print_message("error at t = 50: %.3g, then %.3g\n", error[0], error[1]);
    assert_true(error[0] / error[1] > 1.9 && error[0] / error[1] < 2.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_equal_the_golden_file),
        cmocka_unit_test(accurate_method_equals_a_chain_of_ordinary_equations),
        cmocka_unit_test(accurate_method_converges),
        cmocka_unit_test(fixed_steps_are_of_first_order),
    };
    return cmocka_run_group_tests_name("mackey-glass", tests, NULL, NULL);
}
