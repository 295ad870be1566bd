/* tests/reference/test_sigpde.c: the signature kernel by its Goursat scheme against golden figures. */
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"

static volt_view *views_of(golden_array array)
{
    assert_int_equal(array.depth, 3);
    volt_view *views = malloc((size_t)array.shape[0] * sizeof *views);
    for (int64_t i = 0; i < array.shape[0]; i++)
        views[i] =
            volt_view_of(array.data + i * array.shape[1] * array.shape[2], array.shape[1], array.shape[2]);
    return views;
}

static volt_kernel *kernel_of(golden *file, int dyadic)
{
    char text[128], sigma[VOLT_NUMBER_LENGTH];
    if (strcmp(golden_text(file, "params.static_kernel"), "linear") == 0)
        snprintf(text, sizeof text, "sigpde:dyadic=%d,static=linear", dyadic);
    else
        snprintf(text, sizeof text, "sigpde:dyadic=%d,static=rbf,sigma=%s", dyadic,
                 volt_format_number(golden_number(file, "params.sigma"), sigma));
    return plain_parse(text);
}

static void check_field(golden *file, const char *sides, int dyadic, const double *K)
{
    char field[32], path[64];
    snprintf(field, sizeof field, "gram_%s_q%d", sides, dyadic);
    snprintf(path, sizeof path, "expected.%s", field);
    golden_array expected = golden_array_of(file, path);
    golden_check(field, expected.data, K, expected.count, golden_tol(file, field), GOLDEN_RELATIVE);
}

/* The series of both files as collections, at the dyadic orders 0, 1 and 2. */
static void check_case(const char *name)
{
    golden *file = golden_load(name);
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.Y");
    volt_view *x = views_of(X), *y = views_of(Y);
    double *K = new_matrix(X.rows, X.rows + Y.rows);
    assert_int_equal(golden_length(file, "params.dyadic_orders"), 3);
    for (int dyadic = 0; dyadic < 3; dyadic++) {
        volt_kernel *kernel = kernel_of(file, dyadic);
        check_ok(volt_gram_collection(kernel, x, X.rows, y, Y.rows, NULL, volt_matrix_of(K, X.rows, Y.rows)));
        check_field(file, "xy", dyadic, K);
        check_ok(volt_gram_collection(kernel, x, X.rows, NULL, 0, NULL, volt_matrix_of(K, X.rows, X.rows)));
        check_field(file, "xx", dyadic, K);
        volt_kernel_free(kernel);
    }
    free(K);
    free(y);
    free(x);
    golden_free(file);
}

static void linear_static_kernel(void **state)
{
    check_case("sigpde_linear_d2");
    check_case("sigpde_linear_d4");
}

static void rbf_static_kernel(void **state)
{
    check_case("sigpde_rbf0_d2");
    check_case("sigpde_rbf0_d4");
    check_case("sigpde_rbf1_d2");
    check_case("sigpde_rbf1_d4");
}

/* One cell with g: (1 + 1) (1 + g/2 + g^2/12) - (1 - g^2/12) = 1 + g + g^2/4. */
static void one_cell_by_hand(void **state)
{
    double points_x[] = {0, 2}, points_y[] = {1, 1.75}, K = 0, g = 1.5;
    volt_view x = volt_view_of(points_x, 2, 1), y = volt_view_of(points_y, 2, 1);
    volt_kernel *kernel = plain_parse("sigpde");
    check_ok(volt_gram_collection(kernel, &x, 1, &y, 1, NULL, volt_matrix_of(&K, 1, 1)));
    golden_check_number("one cell", 1 + g + g * g / 4, K, 1e-15, GOLDEN_RELATIVE);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_static_kernel),
        cmocka_unit_test(rbf_static_kernel),
        cmocka_unit_test(one_cell_by_hand),
    };
    return cmocka_run_group_tests_name("sigpde", tests, NULL, NULL);
}
