/* tests/reference/test_norms.c: norms, effective dimensions, spectra, distances and forgetting (make_norms.py). */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/model.h"

static void check_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g, tolerance %.2g", actual, expected, tolerance);
}

enum { HISTORY = 15, COMMON = 10 }; /* of the forgetting in make_norms.py */

static volt_kernel *kernel_of(golden *file)
{
    char text[96];
    volt_kernel *kernel = NULL;
    snprintf(text, sizeof text, "volterra:tau=%.17g,lambda=%.17g", golden_number(file, "tau"),
             golden_number(file, "lambda"));
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static volt_view view_of(golden *file, const char *name)
{
    golden_array found = golden_array_of(file, name);
    return volt_view_of(found.data, found.rows, found.cols);
}

static volt_model *fit(golden *file, const char *solver, double alpha, bool intercept)
{
    volt_kernel *kernel = kernel_of(file);
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.intercept = intercept;
    options.scale = 0;
    options.solver = solver;
    options.tolerance = solver && solver[0] == 'p' ? 1e-12 : 0;
    options.landmarks = solver && solver[0] != 'e' ? view_of(file, "X").rows : 0;
    check_ok(volt_model_fit(kernel, view_of(file, "X"), view_of(file, "targets"), &options, (volt_matrix){0},
                            &model));
    volt_kernel_free(kernel);
    return model;
}

/* The condition number of K + alpha I is at most 8e4, so that relative errors are about 1e5 n eps = 1e-9. */
static void norms_and_dimensions(void **state)
{
    golden *file = golden_load("norms");
    static const char *const solvers[] = {"exact", "nystrom", "pcg"};
    for (int64_t r = 0; r < golden_length(file, "ridge"); r++)
        for (int s = 0; s < 3; s++) {
            char path[64];
            snprintf(path, sizeof path, "ridge.%d.alpha", (int)r);
            double alpha = golden_number(file, path);
            snprintf(path, sizeof path, "ridge.%d.intercept", (int)r);
            volt_model *model = fit(file, solvers[s], alpha, golden_number(file, path) != 0);
            volt_model_info info = {.struct_size = sizeof info};
            check_ok(volt_model_get_info(model, &info));
            const volt_fit_report *report = info.report;
            snprintf(path, sizeof path, "ridge.%d.rkhs_norm", (int)r);
            golden_array norms = golden_array_of(file, path);
            snprintf(path, sizeof path, "ridge.%d.noise", (int)r);
            golden_array noise = golden_array_of(file, path);
            snprintf(path, sizeof path, "ridge.%d.effective_dimension", (int)r);
            double dimension = golden_number(file, path);
            /* Landmarks add 10 m eps max K_ii to the diagonal, which moves the norm by its share of alpha. Without
             * an intercept they are of K itself, as the other solvers. */
            double tolerance = 1e-8;
            for (int64_t k = 0; k < info.q; k++) {
                check_near(report->rkhs_norm[k] / norms.data[k], 1, tolerance);
                if (s == 2) {
                    assert_true(isnan(report->effective_dimension[k]) && isnan(report->noise[k]));
                    continue;
                }
                check_near(report->effective_dimension[k], dimension, tolerance * 40);
                assert_true(report->dimension_error[k] == 0);
                check_near(report->noise[k] / noise.data[k], 1, tolerance);
            }
            volt_model_free(model);
        }
    golden_free(file);
}

static void spectrum(void **state)
{
    golden *file = golden_load("norms");
    volt_kernel *kernel = kernel_of(file);
    volt_view X = view_of(file, "X");
    golden_array values = golden_array_of(file, "eigenvalues"),
                 dimensions = golden_array_of(file, "dimensions");
    double *out = new_matrix(X.rows, 2);
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    check_ok(volt_gram_spectrum(kernel, X, &options, volt_matrix_of(out, X.rows, 2)));
    double level = 40 * (double)X.rows * DBL_EPSILON * values.data[0]; /* n eps |K|, with a margin */
    for (int64_t i = 0; i < X.rows; i++) {
        check_near(out[2 * i], values.data[i], level);
        check_near(out[2 * i + 1], dimensions.data[i], 1e-8);
    }
    /* Six values by the Lanczos iteration; the dimension is a lower bound. */
    check_ok(volt_gram_spectrum(kernel, X, &options, volt_matrix_of(out, 6, 2)));
    for (int64_t i = 0; i < 6; i++) {
        check_near(out[2 * i], values.data[i], 1e-10 * values.data[0]);
        assert_true(out[2 * i + 1] <= dimensions.data[i] * (1 + 1e-9) && out[2 * i + 1] > 0);
    }
    volt_kernel_free(kernel);
    free(out);
    golden_free(file);
}

/* Squares are differences of numbers of size K, so that a distance d has the error eps K / d. */
static double distance_error(double distance)
{
    return 64 * DBL_EPSILON * 10 / distance;
}

static void distances(void **state)
{
    golden *file = golden_load("norms");
    volt_kernel *kernel = kernel_of(file);
    volt_view X = view_of(file, "X"), Y = view_of(file, "Y");
    golden_array wanted = golden_array_of(file, "distance");
    double *D = new_matrix(X.rows, Y.rows);
    volt_gram_options options = volt_gram_options_default();
    options.distance = 1;
    options.radius = 1;
    check_ok(volt_gram(kernel, X, Y, &options, volt_matrix_of(D, X.rows, Y.rows)));
    for (int64_t i = 0; i < X.rows * Y.rows; i++)
        check_near(D[i], wanted.data[i], distance_error(wanted.data[i]));
    volt_kernel_free(kernel);
    free(D);
    golden_free(file);
}

static void forgetting(void **state)
{
    golden *file = golden_load("norms");
    volt_view X = view_of(file, "X");
    volt_model *model = fit(file, NULL, 0.1, true);
    golden_array wanted = golden_array_of(file, "forgetting");
    double out[(COMMON + 1) * 2], contraction = golden_number(file, "contraction");
    check_ok(volt_model_forgetting(model, volt_view_rows(X, 0, HISTORY), volt_view_rows(X, HISTORY, HISTORY),
                                   volt_view_rows(X, 2 * HISTORY, COMMON), (volt_progress){0},
                                   volt_matrix_of(out, COMMON + 1, 2)));
    for (int s = 0; s <= COMMON; s++) {
        check_near(out[2 * s], wanted.data[s], distance_error(wanted.data[s]));
        check_near(out[2 * s + 1], wanted.data[0] * pow(contraction, s), 1e-12);
    }
    volt_model_free(model);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_and_dimensions),
        cmocka_unit_test(spectrum),
        cmocka_unit_test(distances),
        cmocka_unit_test(forgetting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
