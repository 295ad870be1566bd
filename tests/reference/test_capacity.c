/* tests/reference/test_capacity.c: capacities against least squares on explicit states (make_capacity.py). */
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/tensor_file.h"
#include "volterra/task.h"

static double number(golden *file, const char *part, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", part, name);
    return golden_number(file, path);
}

static volt_capacity_options options_of(golden *file, const char *part)
{
    volt_capacity_options options = volt_capacity_options_default();
    options.rows = (int64_t)number(file, part, "rows");
    options.washout = (int64_t)number(file, part, "washout");
    options.degree = (int64_t)number(file, part, "degree");
    options.delay = (int64_t)number(file, part, "delay");
    options.seed = (uint64_t)golden_number(file, "seed");
    return options;
}

static void check_factors(golden *file, const char *path, const volt_capacity *found)
{
    assert_int_equal(golden_length(file, path), found->n_targets);
    for (int64_t k = 0; k < found->n_targets; k++) {
        char name[128];
        snprintf(name, sizeof name, "%s.%d", path, (int)k);
        const int64_t *factors = found->factors + 2 * found->degree * k;
        int64_t used = 0;
        while (used < found->degree && factors[2 * used + 1] > 0)
            used++;
        assert_int_equal(golden_length(file, name), 2 * used);
        for (int64_t i = 0; i < 2 * used; i++) {
            snprintf(name, sizeof name, "%s.%d.%d", path, (int)k, (int)i);
            assert_int_equal(factors[i], (int64_t)golden_number(file, name));
        }
    }
}

/* The capacities at path, first without a threshold, then with the one of the significance. */
static void check_capacities(golden *file, const char *kernel_text, const char *path,
                             volt_capacity_options options, double tolerance)
{
    char name[96];
    volt_kernel *kernel = plain_parse(kernel_text);
    volt_capacity *all = NULL, *found = NULL;
    options.threshold = 0;
    check_ok(volt_capacity_compute(kernel, &options, &all));
    snprintf(name, sizeof name, "%s.capacities", path);
    golden_array expected = golden_array_of(file, name);
    golden_check(name, expected.data, all->capacities, all->n_targets, tolerance, GOLDEN_ABSOLUTE);
    golden_check_number("dimension", number(file, path, "effective_dimension"), all->effective_dimension,
                        tolerance, GOLDEN_RELATIVE);
    snprintf(name, sizeof name, "%s.factors", path);
    check_factors(file, name, all);

    options.threshold = -1;
    check_ok(volt_capacity_compute(kernel, &options, &found));
    double threshold = number(file, path, "threshold");
    golden_check_number("threshold", threshold, found->threshold, 1e-9, GOLDEN_RELATIVE);
    for (int64_t k = 0; k < found->n_targets; k++)
        assert_true(found->capacities[k] == (expected.data[k] < threshold ? 0 : all->capacities[k]));
    volt_capacity_free(found);
    volt_capacity_free(all);
    volt_kernel_free(kernel);
}

/* The condition number of the states is 25, so that least squares in either form have errors of about 25^2 n eps =
 * 1e-10 at most. */
static void network_without_and_with_regularisation(void **state)
{
    golden *file = golden_load("capacity");
    golden_array A = golden_array_of(file, "network.A"), C = golden_array_of(file, "network.C"),
                 b = golden_array_of(file, "network.b");
    const tensor_entry entries[] = {
        {.name = "A", .dimensions = 2, .shape = {A.rows, A.cols}, .data = A.data},
        {.name = "C", .dimensions = 2, .shape = {C.rows, C.cols}, .data = C.data},
        {.name = "b", .dimensions = 1, .shape = {b.rows}, .data = b.data},
    };
    char text[512];
    snprintf(text, sizeof text, "esn:weights=%s,leak=%.17g,start=zero",
             tensor_file_write("capacity.safetensors", entries, 3), golden_number(file, "network.leak"));
    volt_capacity_options options = options_of(file, "network");
    check_capacities(file, text, "network.plain", options, 1e-10);
    options.alpha = golden_number(file, "network.alpha");
    check_capacities(file, text, "network.ridge", options, 1e-10);
    golden_free(file);
}

/* |K| / alpha is below 60 x 4 / 0.4 = 600. */
static void kernel_with_regularisation(void **state)
{
    golden *file = golden_load("capacity");
    volt_capacity_options options = options_of(file, "volterra");
    options.alpha = golden_number(file, "volterra.alpha");
    check_capacities(file, golden_text(file, "volterra.kernel"), "volterra.ridge", options, 1e-10);
    golden_free(file);
}

static void quantiles_of_chi_square(void **state)
{
    golden *file = golden_load("capacity");
    golden_array rows = golden_array_of(file, "chi_square");
    for (int64_t i = 0; i < rows.rows; i++) {
        const double *row = rows.data + 3 * i; /* tail, freedom, quantile */
        golden_check_number("quantile", row[2], volt_chi_square_quantile(row[0], row[1]), 1e-10,
                            GOLDEN_RELATIVE);
    }
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_without_and_with_regularisation),
        cmocka_unit_test(kernel_with_regularisation),
        cmocka_unit_test(quantiles_of_chi_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
