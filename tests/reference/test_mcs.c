/* tests/reference/test_mcs.c: the model confidence set against the Python package arch. */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/stats.h"

static volt_mcs_method method_of(golden *file)
{
    return strcmp(golden_text(file, "params.method"), "R") == 0 ? VOLT_MCS_R : VOLT_MCS_MAX;
}

static volt_view losses_of(golden *file)
{
    golden_array losses = golden_array_of(file, "inputs.losses");
    return volt_view_of(losses.data, losses.rows, losses.cols);
}

static void check_order(golden *file, const volt_mcs *mcs)
{
    golden_array order = golden_array_of(file, "expected.elimination_order");
    assert_int_equal(order.count, mcs->models);
    for (int64_t s = 0; s < order.count; s++)
        assert_int_equal((int64_t)order.data[s], mcs->order[s]);
}

/* The set of `size` is the list under `path`. */
static void check_set(golden *file, const char *path, const volt_mcs *mcs, double size)
{
    golden_array set = golden_array_of(file, path);
    for (int64_t i = 0; i < mcs->models; i++) {
        int expected = 0;
        for (int64_t s = 0; s < set.count; s++)
            expected |= (int64_t)set.data[s] == i;
        assert_int_equal(mcs->pvalues[i] > size, expected);
    }
}

/* With the bootstrap indices of the file everything is exact: p-values are multiples of 1/60. */
static void check_given_indices(const char *name)
{
    golden *file = golden_load(name);
    volt_view losses = losses_of(file);
    golden_array drawn = golden_array_of(file, "inputs.bootstrap_indices");
    assert_int_equal(drawn.cols, losses.rows);
    int64_t *indices = malloc((size_t)drawn.count * sizeof *indices);
    assert_non_null(indices);
    for (int64_t i = 0; i < drawn.count; i++)
        indices[i] = (int64_t)drawn.data[i];

    const double tol = golden_tol(file, "pvalues");
    const struct {
        double size;
        const char *path;
    } sets[] = {{0.10, "expected.included_010"}, {0.25, "expected.included_025"}};
    for (size_t s = 0; s < 2; s++) {
        volt_mcs_options options = volt_mcs_options_default();
        options.method = method_of(file);
        options.size = sets[s].size;
        volt_mcs *mcs = NULL;
        options.indices = indices;
        options.reps = drawn.rows;
        check_ok(volt_mcs_compute(losses, &options, &mcs));
        golden_check("pvalues", golden_array_of(file, "expected.pvalues").data, mcs->pvalues, mcs->models, tol,
                     GOLDEN_ABSOLUTE);
        golden_check("statistics", golden_array_of(file, "expected.step_statistics").data, mcs->statistics,
                     mcs->models - 1, tol, GOLDEN_RELATIVE);
        golden_check("shares", golden_array_of(file, "expected.step_pvalues_raw").data, mcs->step_shares,
                     mcs->models - 1, tol, GOLDEN_ABSOLUTE);
        check_order(file, mcs);
        check_set(file, sets[s].path, mcs, sets[s].size);
        for (int64_t i = 0; i < mcs->models; i++)
            assert_int_equal(mcs->included[i], mcs->pvalues[i] > sets[s].size);
        assert_true(mcs->block == 0);
        volt_mcs_free(mcs);
    }
    free(indices);
    golden_free(file);
}

static void given_indices_R(void **state)
{
    check_given_indices("mcs_given_indices_R");
}

static void given_indices_max(void **state)
{
    check_given_indices("mcs_given_indices_max");
}

/* With our own draws p is a share of B = 10000 replications: variance p (1 - p) / B. The statistics are
 * divided by errors that the same replications estimate, with relative standard error 1 / sqrt(2 B); that
 * moves the bound which T* is compared with by |T| / sqrt(2 B), and p by the density of T* there times that,
 * at most 0.5 / sqrt(2 B) for a |normal| (max of 2 x phi(x) is 0.48), which is a variance of 0.125 / B. The
 * expected value is a mean over 8 seeds, with 1/8 of all that. Four standard deviations, and one count. */
static double monte_carlo_tolerance(double p, double reps)
{
    return 4 * sqrt((p * (1 - p) + 0.125) * (1 + 1.0 / 8) / reps) + 1 / reps;
}

static void check_own_draws(const char *name)
{
    golden *file = golden_load(name);
    golden_array expected = golden_array_of(file, "expected.pvalues_mean_8_seeds");
    volt_mcs_options options = volt_mcs_options_default();
    options.method = method_of(file);
    options.block = golden_number(file, "params.block_size");
    options.reps = (int64_t)golden_number(file, "params.reps");
    for (uint64_t seed = 1; seed <= 2; seed++) {
        print_message("seed %d\n", (int)seed);
        volt_mcs *mcs = NULL;
        options.seed = seed;
        check_ok(volt_mcs_compute(losses_of(file), &options, &mcs));
        assert_int_equal(expected.count, mcs->models);
        for (int64_t i = 0; i < mcs->models; i++) {
            double tol = monte_carlo_tolerance(expected.data[i], (double)options.reps);
            assert_true(tol <= golden_tol(file, "pvalues"));
            golden_check_number("pvalue", expected.data[i], mcs->pvalues[i], tol, GOLDEN_ABSOLUTE);
        }
        check_order(file, mcs);
        check_set(file, "expected.included_025", mcs, 0.25);
        check_set(file, "expected.included_010", mcs, 0.10);
        assert_true(mcs->block == options.block);
        volt_mcs_free(mcs);
    }
    golden_free(file);
}

static void seeded_draws_R(void **state)
{
    check_own_draws("mcs_R");
}

static void seeded_draws_max(void **state)
{
    check_own_draws("mcs_max");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_indices_R),
        cmocka_unit_test(given_indices_max),
        cmocka_unit_test(seeded_draws_R),
        cmocka_unit_test(seeded_draws_max),
    };
    return cmocka_run_group_tests_name("mcs", tests, NULL, NULL);
}
