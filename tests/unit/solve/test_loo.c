/* tests/unit/solve/test_loo.c: leave-out errors of a ridge regression against refits, and stratified splits. */
#include "base/blas.h"
#include "series/classify/series_model.h"
#include "support/check.h"
#include "support/sequences.h"
#include "support/series_classes.h"
#include "volterra.h"

/* A random positive definite matrix with eigenvalues of order 1, and random targets. */
typedef struct problem {
    double K[N * N], Y[N * CLASSES];
} problem;

static void make_problem(uint64_t seed, problem *made)
{
    volt_rng rng = test_rng(seed);
    double F[N * N];
    for (int i = 0; i < N * N; i++)
        F[i] = volt_rng_normal(&rng) / sqrt(N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            made->K[i * N + j] = 1; /* a large common part, absorbed by the intercept */
            for (int k = 0; k < N; k++)
                made->K[i * N + j] += F[i * N + k] * F[j * N + k];
        }
    for (int i = 0; i < N * CLASSES; i++)
        made->Y[i] = volt_rng_normal(&rng);
}

/* ---- leave-out errors ------------------------------------------------------------------------- */

/* The condition is below (N + 4) / alpha, with errors of order 1: 1e-10 leaves a factor of 1000 or more. */
static void loo_errors_equal_refits(void **state)
{
    static const double alphas[] = {1e-2, 1};
    volt_blas_use use;
    problem made;
    volt_loo_readout loo;
    check_ok(volt_blas_claim(&use));
    check_ok(volt_loo_create(N, CLASSES, &loo));
    for (int a = 0; a < 2; a++) {
        make_problem(4201 + (uint64_t)a, &made);
        volt_view Y = volt_view_of(made.Y, N, CLASSES);
        double each[N * CLASSES], outputs[N * CLASSES], block[N * CLASSES], workspace[N * N];
        bool without[N] = {false};
        check_ok(volt_loo_solve(&loo, volt_view_of(made.K, N, N), alphas[a], Y));

        /* no row held out: the fit itself */
        plain_fit(made.K, N, made.Y, CLASSES, alphas[a], without, outputs);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < CLASSES; k++) {
                double u = loo.c[k];
                for (int j = 0; j < N; j++)
                    u += made.K[i * N + j] * loo.A[j * CLASSES + k];
                assert_true(fabs(u - outputs[i * CLASSES + k]) < 1e-10);
            }

        volt_loo_each(&loo, volt_matrix_of(each, N, CLASSES));
        for (int i = 0; i < N; i++) {
            without[i] = true;
            plain_fit(made.K, N, made.Y, CLASSES, alphas[a], without, outputs);
            for (int k = 0; k < CLASSES; k++)
                assert_true(fabs(made.Y[i * CLASSES + k] - outputs[i * CLASSES + k] - each[i * CLASSES + k]) <
                            1e-10);
            without[i] = false;
        }

        int64_t rows[] = {7, 2, 19, 11, 3, 23, 0};
        enum { M = sizeof rows / sizeof *rows };
        check_ok(volt_loo_block(&loo, rows, M, workspace, volt_matrix_of(block, M, CLASSES)));
        for (int i = 0; i < M; i++)
            without[rows[i]] = true;
        plain_fit(made.K, N, made.Y, CLASSES, alphas[a], without, outputs);
        for (int i = 0; i < M; i++)
            for (int k = 0; k < CLASSES; k++) {
                int64_t at = rows[i] * CLASSES + k;
                assert_true(fabs(made.Y[at] - outputs[at] - block[i * CLASSES + k]) < 1e-10);
            }
    }
    volt_loo_release(&loo);
    volt_blas_release(&use);
}

static void singular_matrices_are_rejected(void **state)
{
    volt_blas_use use;
    volt_loo_readout loo;
    double K[] = {1, 2, 2, 1}, Y[] = {1, 0};
    check_ok(volt_blas_claim(&use));
    check_ok(volt_loo_create(2, 1, &loo));
    check_fails(volt_loo_solve(&loo, volt_view_of(K, 2, 2), 0.1, volt_view_of(Y, 2, 1)), VOLT_ERR_SINGULAR,
                "semidefinite");
    /* K = I, alpha = 1: P = (1, -1; -1, 1) / 4, and with both rows held out there is no training row. */
    double same[] = {1, 0, 0, 1}, workspace[4], errors[2];
    check_ok(volt_loo_solve(&loo, volt_view_of(same, 2, 2), 1, volt_view_of(Y, 2, 1)));
    check_ok(volt_loo_block(&loo, (const int64_t[]){1}, 1, workspace, volt_matrix_of(errors, 1, 1)));
    assert_true(fabs(errors[0] + 1) < 1e-14); /* target 0, predicted as 1 */
    check_fails(volt_loo_block(&loo, (const int64_t[]){0, 1}, 2, workspace, volt_matrix_of(errors, 2, 1)),
                VOLT_ERR_SINGULAR, "rows");
    volt_loo_release(&loo);
    volt_blas_release(&use);
}

/* ---- splits ----------------------------------------------------------------------------------- */

static void splits_are_stratified(void **state)
{
    int64_t of[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 3}; /* 10, 3, 1 and 2 series */
    enum { COUNT = sizeof of / sizeof *of };
    volt_class_list classes = {COUNT, 4, of};
    int64_t rows[COUNT], workspace[COUNT], other[COUNT], times[COUNT] = {0};
    for (int64_t s = 0; s < 200; s++) {
        int64_t held[4] = {0}, m = volt_class_split(&classes, 0.3, 7, s, workspace, rows);
        assert_int_equal(m, 3 + 1 + 0 + 1);
        for (int64_t i = 0; i < m; i++) {
            held[of[rows[i]]]++;
            times[rows[i]]++;
            for (int64_t j = 0; j < i; j++)
                assert_true(rows[i] != rows[j]);
        }
        assert_true(held[0] == 3 && held[1] == 1 && held[2] == 0 && held[3] == 1);
        assert_int_equal(volt_class_split(&classes, 0.3, 7, s, workspace, other), m);
        assert_memory_equal(rows, other, (size_t)m * sizeof *rows); /* reproducible for equal seeds */
    }
    for (int i = 0; i < 10; i++)
        assert_true(times[i] > 25 && times[i] < 95); /* 60 expected, with a standard deviation of 6.5 */
    assert_int_equal(times[13], 0);
    for (int64_t s = 0; s < 20; s++) /* never all series of a class */
        assert_int_equal(volt_class_split(&classes, 0.99, 1, s, workspace, rows), 9 + 2 + 0 + 1);

    int64_t fold[COUNT], sizes[5] = {0}, of_first[5] = {0};
    volt_class_folds(&classes, 5, 3, workspace, fold);
    for (int i = 0; i < COUNT; i++) {
        sizes[fold[i]]++;
        of_first[fold[i]] += of[i] == 0;
    }
    for (int f = 0; f < 5; f++)
        assert_true(of_first[f] == 2 && sizes[f] >= 3 && sizes[f] <= 4);
}

static void correct_predictions_are_counted(void **state)
{
    int64_t of[] = {0, 1, 2, 1}, rows[] = {3, 0};
    double Y[12], E[] = {0.2, 0, 0, 0, 0.6, -0.5, 0, 0, 0, 0, 0, 0}, part[] = {-0.1, 0.8, -0.3, 0.5, -0.4, 0};
    volt_class_list classes = {4, 3, of};
    volt_class_columns(&classes, volt_matrix_of(Y, 4, 3));
    assert_true(Y[0] == 1 && Y[1] == 0 && Y[4] == 1 && Y[8] == 1 && Y[10] == 1);
    /* outputs Y - E: (0.8, 0, 0), (0, 0.4, 0.5): wrong, ... */
    assert_int_equal(volt_class_count_correct(&classes, volt_view_of(Y, 4, 3), NULL, 4, volt_view_of(E, 4, 3)),
                     3);
    /* (0.1, 0.2, 0.3): wrong; (0.5, 0.4, 0): right */
    assert_int_equal(
        volt_class_count_correct(&classes, volt_view_of(Y, 4, 3), rows, 2, volt_view_of(part, 2, 3)), 1);
    assert_int_equal(volt_class_of_largest((double[]){0.5, 0.7, 0.7}, 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loo_errors_equal_refits),
        cmocka_unit_test(singular_matrices_are_rejected),
        cmocka_unit_test(splits_are_stratified),
        cmocka_unit_test(correct_predictions_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
