/* tests/reference/test_sigtrunc.c: truncated signature kernels against golden figures: exact (order =
 * level) and discretised (order = 1), by cells and by features. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/plain_paths.h"
#include "support/sequences.h"
#include "text/text.h"

enum { LEVELS = 6 };

static volt_view *views_of(golden *file, int64_t *count)
{
    *count = golden_length(file, "inputs.paths");
    volt_view *views = malloc((size_t)*count * sizeof *views);
    for (int64_t i = 0; i < *count; i++) {
        char path[64];
        snprintf(path, sizeof path, "inputs.paths.%lld", (long long)i);
        golden_array array = golden_array_of(file, path);
        views[i] = volt_view_of(array.data, array.rows, array.cols);
    }
    return views;
}

/* features=linear with `scale`: level m of the kernel is the difference of two neighbouring golden matrices, and is
 * multiplied by scale^{2m}. */
static void check_scaled(const char *name, double scale)
{
    golden *file = golden_load(name);
    int64_t count = 0;
    volt_view *paths = views_of(file, &count);
    double *K = new_matrix(count, count), *expected = new_matrix(count, count), power = 1;
    for (int64_t k = 0; k < count * count; k++)
        expected[k] = 0;
    golden_array before = {0};
    for (int level = 1; level <= LEVELS; level++) {
        char field[32], path[64], text[96], number[VOLT_NUMBER_LENGTH];
        snprintf(field, sizeof field, "kernel_N%d", level);
        snprintf(path, sizeof path, "expected.%s", field);
        golden_array now = golden_array_of(file, path);
        power *= scale * scale;
        for (int64_t k = 0; k < count * count; k++)
            expected[k] += power * (now.data[k] - (level > 1 ? before.data[k] : 1));
        before = now;
        snprintf(text, sizeof text, "sig:level=%d,features=linear,scale=%s", level,
                 volt_format_number(scale, number));
        volt_kernel *kernel = plain_parse(text);
        check_ok(volt_gram_collection(kernel, paths, count, NULL, 0, NULL, volt_matrix_of(K, count, count)));
        /* The differences of golden numbers carry their errors, relative to the largest of them. */
        double tolerance = 2 * golden_tol(file, field), largest = 0, allowed = 0;
        for (int64_t k = 0; k < count * count; k++)
            largest = fmax(largest, fabs(now.data[k]));
        allowed = tolerance * largest * fmax(power, 1);
        for (int64_t k = 0; k < count * count; k++)
            if (!(fabs(K[k] - expected[k]) <= allowed))
                fail_msg("%s, %s: entry %d is %.17g, expected %.17g", name, text, (int)k, K[k], expected[k]);
        volt_kernel_free(kernel);
    }
    free(expected);
    free(K);
    free(paths);
    golden_free(file);
}

static void scaled_features(void **state)
{
    static const double scales[] = {1, 0.1, 0.7, 3, 100};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        check_scaled("sigtrunc_d2", scales[s]);
        check_scaled("sigtrunc_d3", scales[s]);
    }
}

static volt_kernel *sig_of(int level, int order)
{
    char text[64];
    snprintf(text, sizeof text, "sig:level=%d,order=%d", level, order);
    return plain_parse(text);
}

/* The features of a path by the programme's own `describe`. */
static double *features_of(const volt_kernel *kernel, volt_view path, int64_t *count)
{
    volt_programme programme;
    volt_path_shape shape;
    kernel->entry->paths(kernel, &programme, &shape);
    int64_t steps = volt_path_length(&shape, path.rows), channels = volt_path_channels(&shape, path.cols);
    *count = programme.features(&programme, channels);
    double *increments = new_matrix(steps, channels), *list = new_matrix(*count, 1),
           *scratch = new_matrix(*count, 1);
    volt_path_build(&shape, path.data, path.ld, path.rows, path.cols, increments, channels, 1);
    programme.describe(&programme, increments, steps, channels, list, scratch);
    free(scratch);
    free(increments);
    return list;
}

/* Against the kernel from features as well: K = 1 + F F'. */
static void multiply_features(const volt_kernel *kernel, const volt_view *paths, int64_t count, double *K)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) {
            int64_t features = 0;
            double *x = features_of(kernel, paths[i], &features), *y = features_of(kernel, paths[j], &features);
            K[i * count + j] = 1;
            for (int64_t k = 0; k < features; k++)
                K[i * count + j] += x[k] * y[k];
            free(y);
            free(x);
        }
}

static void check_exact(const char *name)
{
    golden *file = golden_load(name);
    int64_t count = 0;
    volt_view *paths = views_of(file, &count);
    double *K = new_matrix(count, count);
    for (int level = 1; level <= LEVELS; level++) {
        char field[32], path[64];
        snprintf(field, sizeof field, "kernel_N%d", level);
        snprintf(path, sizeof path, "expected.%s", field);
        golden_array expected = golden_array_of(file, path);
        volt_kernel *kernel = sig_of(level, level);
        check_ok(volt_gram_collection(kernel, paths, count, NULL, 0, NULL, volt_matrix_of(K, count, count)));
        golden_check(field, expected.data, K, expected.count, golden_tol(file, field), GOLDEN_MAX_NORM);
        check_ok(
            volt_gram_collection(kernel, paths, count, paths, count, NULL, volt_matrix_of(K, count, count)));
        golden_check(field, expected.data, K, expected.count, golden_tol(file, field), GOLDEN_MAX_NORM);
        multiply_features(kernel, paths, count, K);
        golden_check(field, expected.data, K, expected.count, golden_tol(file, field), GOLDEN_MAX_NORM);
        volt_kernel_free(kernel);
    }
    free(K);
    free(paths);
    golden_free(file);
}

static void exact_signature(void **state)
{
    check_exact("sigtrunc_d2");
    check_exact("sigtrunc_d3");
}

/* The features themselves, in the order of the indices. */
static void check_signature(golden *file, int64_t index, int level, const char *field)
{
    char path[64];
    snprintf(path, sizeof path, "expected.%s", field);
    if (!golden_has(file, path))
        fail_msg("no field %s", field);
    golden_array expected = golden_array_of(file, path);
    int64_t count = 0, features = 0;
    volt_view *paths = views_of(file, &count);
    volt_kernel *kernel = sig_of(level, level);
    double *list = features_of(kernel, paths[index], &features);
    assert_int_equal(features, expected.count);
    golden_check(field, expected.data, list, features, golden_tol(file, field), GOLDEN_MAX_NORM);

    /* The naive reference that other tests rely on. */
    double *plain = new_matrix(2, features);
    plain_path copy = {(double *)paths[index].data, paths[index].rows, paths[index].cols};
    plain_signature(&copy, level, level, plain, plain + features);
    golden_check(field, expected.data, plain, features, golden_tol(file, field), GOLDEN_MAX_NORM);
    free(plain);
    free(list);
    volt_kernel_free(kernel);
    free(paths);
}

static void features_are_the_signature(void **state)
{
    static const char *const names[] = {"sigtrunc_d2", "sigtrunc_d3"};
    for (int f = 0; f < 2; f++) {
        golden *file = golden_load(names[f]);
        check_signature(file, 0, 3, "signature_N3_of_path0");
        check_signature(file, 2, 4, "signature_N4_of_path2");
        golden_free(file);
    }
}

static void check_discrete(const char *name)
{
    golden *file = golden_load(name);
    int64_t count = 0;
    volt_view *paths = views_of(file, &count);
    golden_array expected = golden_array_of(file, "expected.kernel_cumulative");
    assert_true(expected.depth == 3 && expected.shape[0] == count && expected.shape[2] == LEVELS + 1);
    double *all = new_matrix(count * count, LEVELS + 1), *K = new_matrix(count, count);
    for (int64_t k = 0; k < count * count; k++)
        all[k * (LEVELS + 1)] = 1; /* level 0 */
    for (int level = 1; level <= LEVELS; level++) {
        volt_kernel *kernel = sig_of(level, 1);
        check_ok(volt_gram_collection(kernel, paths, count, NULL, 0, NULL, volt_matrix_of(K, count, count)));
        for (int64_t k = 0; k < count * count; k++)
            all[k * (LEVELS + 1) + level] = K[k];
        volt_kernel_free(kernel);
    }
    golden_check("kernel_cumulative", expected.data, all, expected.count, golden_tol(file, "kernel_cumulative"),
                 GOLDEN_MAX_NORM);
    free(K);
    free(all);
    free(paths);
    golden_free(file);
}

static void discretised_signature(void **state)
{
    check_discrete("sigtrunc_discrete_d2");
    check_discrete("sigtrunc_discrete_d3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_signature),
        cmocka_unit_test(scaled_features),
        cmocka_unit_test(features_are_the_signature),
        cmocka_unit_test(discretised_signature),
    };
    return cmocka_run_group_tests_name("sigtrunc", tests, NULL, NULL);
}
