/* tests/unit/gram/test_half_product.c: K V computed from one triangle of K equals K V, also in bands, bitwise for
 * any number of threads. */
#include "solve/exact/operator.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"

enum { MAX_K = 5 };

/* A symmetric matrix in memory that provides only its lower triangle. */
typedef struct triangle {
    volt_operator op;
    const double *K;
} triangle;

static volt_status lower(volt_operator *op, int64_t first, volt_matrix K, volt_stage *stage)
{
    const triangle *t = (const triangle *)op;
    (void)stage;
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] = j <= first + i ? t->K[(first + i) * op->n + j] : NAN;
    return VOLT_OK;
}

static double *random_symmetric(volt_rng *rng, int64_t n)
{
    double *K = normal_rows(rng, n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            K[j * n + i] = K[i * n + j];
    return K;
}

static void check_against_plain(const double *K, int64_t n, int64_t k, const double *V, const double *C)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < n; j++) {
                sum += K[i * n + j] * V[j * k + c];
                size += fabs(K[i * n + j] * V[j * k + c]);
            }
            assert_true(fabs(C[i * k + c] - sum) <= 2 * (double)n * DBL_EPSILON * size);
        }
}

/* Rows that fill groups and pieces of columns, and rows that do not. */
static void half_product_equals_full_product(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {3, 2}, {67, MAX_K}, {1030, 1}, {2301, 3}};
    volt_rng rng = test_rng(7151);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s][0], k = sizes[s][1];
        double *K = random_symmetric(&rng, n), *V = normal_rows(&rng, n, k);
        double *C = calloc((size_t)(n * k), sizeof *C), *first = calloc((size_t)(n * k), sizeof *first);
        triangle t = {.op = {.n = n, .lower = lower}, .K = K};
        for (int64_t threads = 1; threads <= 4; threads *= 2) {
            check_ok(volt_set_threads(threads));
            check_ok(volt_operator_multiply(&t.op, volt_backend_current(), volt_view_of(V, n, k),
                                            volt_matrix_of(C, n, k), NULL));
            if (threads == 1)
                memcpy(first, C, (size_t)(n * k) * sizeof *C);
            assert_memory_equal(first, C, (size_t)(n * k) * sizeof *C);
        }
        check_ok(volt_set_threads(0));
        check_against_plain(K, n, k, V, C);

        memset(C, 0, (size_t)(n * k) * sizeof *C);
        for (int64_t band = 0; band < 3; band++)
            check_ok(volt_operator_add_lower(&t.op, band * n / 3, (band + 1) * n / 3, volt_view_of(V, n, k),
                                             volt_matrix_of(C, n, k), NULL));
        check_against_plain(K, n, k, V, C);
        free(first);
        free(C);
        free(V);
        free(K);
    }
}

static void insufficient_memory_is_reported(void **state)
{
    enum { N = 20 };
    volt_rng rng = test_rng(7152);
    double *K = random_symmetric(&rng, N), *V = normal_rows(&rng, N, 1), C[N];
    triangle t = {.op = {.n = N, .lower = lower}, .K = K};
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_operator_multiply(&t.op, volt_backend_current(), volt_view_of(V, N, 1),
                                                    volt_matrix_of(C, N, 1), NULL);
        failing_alloc_check(status);
    }
    check_against_plain(K, N, 1, V, C);
    free(V);
    free(K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_product_equals_full_product),
        cmocka_unit_test(insufficient_memory_is_reported),
    };
    return cmocka_run_group_tests_name("half products", tests, NULL, NULL);
}
