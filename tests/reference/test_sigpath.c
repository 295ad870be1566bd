/* tests/reference/test_sigpath.c: rows read as paths by the published transform (lead-lag, then time,
 * values over the largest of training), and the signature kernels on them, against golden figures. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"

static volt_kernel *kernel_of(golden *file, const char *name)
{
    char text[128], prescale[VOLT_NUMBER_LENGTH];
    snprintf(text, sizeof text, "%s,path=rows,prescale=%s", name,
             volt_format_number(golden_number(file, "params.prescale"), prescale));
    return plain_parse(text);
}

/* Every row as a path of 2 d - 1 points (time, lag, lead). */
static void check_transform(golden *file, const char *inputs, const char *field)
{
    golden_array X = golden_array_of(file, inputs), expected = golden_array_of(file, field);
    volt_kernel *kernel = kernel_of(file, "sigpde:static=rbf");
    volt_resolved resolved;
    volt_extent extent = {.radius = 1, .largest = golden_number(file, "params.max_train")};
    check_ok(volt_kernel_resolve(kernel, extent, X.cols, &resolved));
    volt_path_shape shape = resolved.shape;
    assert_true(shape.rows && shape.time && shape.leadlag && !shape.basepoint && !shape.increments);
    int64_t points = volt_path_length(&shape, X.cols), channels = volt_path_channels(&shape, 1);
    assert_int_equal(X.rows * points * channels, expected.count);
    double *paths = new_matrix(X.rows, points * channels);
    for (int64_t i = 0; i < X.rows; i++)
        volt_path_build(&shape, X.data + i * X.cols, 1, X.cols, 1, paths + i * points * channels, channels, 1);
    golden_check(field, expected.data, paths, expected.count, golden_tol(file, field), GOLDEN_MAX_NORM);
    free(paths);
    volt_kernel_free(kernel);
}

static void rows_become_paths(void **state)
{
    golden *file = golden_load("sigpath_transform");
    check_transform(file, "inputs.X", "expected.TX");
    check_transform(file, "inputs.Y", "expected.TY");
    golden_free(file);
}

/* The columns are the training rows, and the largest of them is the one that divides. */
static void kernels_of_rows(void **state)
{
    golden *file = golden_load("sigpath_transform");
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.Y");
    volt_view x = volt_view_of(X.data, X.rows, X.cols), y = volt_view_of(Y.data, Y.rows, Y.cols);
    double *K = new_matrix(Y.rows, X.rows), *expected = new_matrix(Y.rows, X.rows);

    char text[64], sigma[VOLT_NUMBER_LENGTH];
    snprintf(text, sizeof text, "sigpde:static=rbf,sigma=%s",
             volt_format_number(golden_number(file, "params.sigma"), sigma));
    volt_kernel *kernel = kernel_of(file, text);
    golden_array pde = golden_array_of(file, "expected.sigpde_rbf_yx");
    check_ok(volt_gram(kernel, y, x, NULL, volt_matrix_of(K, Y.rows, X.rows)));
    golden_check("sigpde_rbf_yx", pde.data, K, pde.count, golden_tol(file, "sigpde_rbf_yx"), GOLDEN_MAX_NORM);
    volt_kernel_free(kernel);

    snprintf(text, sizeof text, "sig:level=%d", (int)golden_number(file, "params.depth"));
    kernel = kernel_of(file, text);
    golden_array sig_x = golden_array_of(file, "expected.sig_X"),
                 sig_y = golden_array_of(file, "expected.sig_Y");
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t j = 0; j < X.rows; j++) {
            expected[i * X.rows + j] = 1;
            for (int64_t k = 0; k < sig_x.cols; k++)
                expected[i * X.rows + j] += sig_y.data[i * sig_y.cols + k] * sig_x.data[j * sig_x.cols + k];
        }
    check_ok(volt_gram(kernel, y, x, NULL, volt_matrix_of(K, Y.rows, X.rows)));
    golden_check("sig", expected, K, Y.rows * X.rows, golden_tol(file, "sig_X"), GOLDEN_MAX_NORM);
    volt_kernel_free(kernel);
    free(expected);
    free(K);
    golden_free(file);
}

/* augment= overrides this: with none the path is the row's own scalars, 1 + <dx, dy> at level 1. */
static void augmentations_of_rows_by_hand(void **state)
{
    double X[] = {1, 2, 4, 0.5, 3, 8}, K[4]; /* 8 is the largest */
    volt_kernel *kernel = plain_parse("sig:level=1,path=rows,augment=none");
    check_ok(volt_gram(kernel, volt_view_of(X, 2, 3), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
    /* level 1 is the product of the last less the first: 3/8 and 7.5/8 */
    assert_true(fabs(K[0] - (1 + 9.0 / 64)) < 1e-15);
    assert_true(fabs(K[2] - (1 + 3 * 7.5 / 64)) < 1e-15);
    assert_true(fabs(K[3] - (1 + 7.5 * 7.5 / 64)) < 1e-15);
    volt_kernel_free(kernel);

    kernel = plain_parse("sig:level=1,path=rows"); /* time adds 1, lag and lead are the same twice */
    check_ok(volt_gram(kernel, volt_view_of(X, 2, 3), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
    assert_true(fabs(K[2] - (2 + 2 * 3 * 7.5 / 64)) < 1e-15);
    volt_kernel_free(kernel);

    double zeros[] = {0, 0, -1, 0};
    kernel = plain_parse("sig:path=rows");
    check_fails(
        volt_gram(kernel, volt_view_of(zeros, 2, 2), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)),
        VOLT_ERR_DATA, "training 0");
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_paths),
        cmocka_unit_test(kernels_of_rows),
        cmocka_unit_test(augmentations_of_rows_by_hand),
    };
    return cmocka_run_group_tests_name("sigpath", tests, NULL, NULL);
}
