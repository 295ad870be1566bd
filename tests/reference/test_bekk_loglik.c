/* tests/reference/test_bekk_loglik.c: the BEKK likelihood and recursion against NumPy. */
#include "data/bekk/bekk_likelihood.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/data.h"

static volt_view view_of(golden_array array)
{
    return volt_view_of(array.data, array.rows, array.cols);
}

/* The parameters of the file: A and B are diagonal matrices there. */
static volt_bekk *load_parameters(golden *file)
{
    golden_array C = golden_array_of(file, "inputs.C");
    golden_array A = golden_array_of(file, "inputs.A"), B = golden_array_of(file, "inputs.B");
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(C.rows, &bekk));
    for (int64_t i = 0; i < C.rows; i++) {
        bekk->a[i] = A.data[i * C.rows + i];
        bekk->b[i] = B.data[i * C.rows + i];
        for (int64_t j = i; j < C.rows; j++)
            bekk->C[i * C.rows + j] = C.data[i * C.rows + j];
    }
    return bekk;
}

static void likelihood_and_covariances_equal_the_golden_file(void **state)
{
    golden *file = golden_load("bekk_loglik");
    volt_bekk *bekk = load_parameters(file);
    volt_view returns = view_of(golden_array_of(file, "inputs.returns"));
    golden_array path = golden_array_of(file, "expected.H_path_vech");
    double *terms = new_matrix(returns.rows, 1), *H = new_matrix(path.rows, path.cols), loglik = 0;
    check_ok(volt_bekk_loglik(bekk, returns, terms, volt_matrix_of(H, path.rows, path.cols), &loglik));

    double tol = golden_tol(file, "loglik");
    golden_check_number("loglik", golden_number(file, "expected.loglik"), loglik, tol, GOLDEN_RELATIVE);
    golden_array per_step = golden_array_of(file, "expected.loglik_per_step");
    golden_check("loglik_per_step", per_step.data, terms, per_step.count, tol, GOLDEN_MAX_NORM);
    golden_check("H_path_vech", path.data, H, path.count, tol, GOLDEN_MAX_NORM);
    golden_check("H_final_vech", golden_array_of(file, "expected.H_final_vech").data,
                 H + (path.rows - 1) * path.cols, path.cols, tol, GOLDEN_MAX_NORM);
    free(H);
    free(terms);
    volt_bekk_free(bekk);
    golden_free(file);
}

/* The same with the other first covariances that the file has. */
static void other_first_covariances_equal_the_golden_file(void **state)
{
    golden *file = golden_load("bekk_loglik");
    volt_bekk *bekk = load_parameters(file);
    volt_view returns = view_of(golden_array_of(file, "inputs.returns"));
    static const char *const cases[][2] = {{"expected.H1_ddof1", "expected.loglik"},
                                           {"expected.H1_ddof0", "expected.loglik_H1_ddof0"},
                                           {"expected.H1_uncentred", "expected.loglik_H1_uncentred"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        golden_array first = golden_array_of(file, cases[k][0]);
        double packed[6], loglik = 0;
        volt_bekk_likelihood likelihood;
        for (int64_t i = 0; i < 3; i++)
            for (int64_t j = 0; j <= i; j++)
                packed[volt_packed(i, j)] = first.data[i * 3 + j];
        check_ok(volt_bekk_likelihood_create(returns, packed, &likelihood));
        assert_int_equal(volt_bekk_likelihood_evaluate(&likelihood, bekk->C, bekk->a, bekk->b, &loglik, NULL),
                         -1);
        golden_check_number(cases[k][1], golden_number(file, cases[k][1]), loglik, golden_tol(file, "loglik"),
                            GOLDEN_RELATIVE);
        volt_bekk_likelihood_free(&likelihood);
    }
    volt_bekk_free(bekk);
    golden_free(file);
}

/* r_t = H_t^{1/2} z_t with the symmetric root, for the covariances and the innovations of the file. */
static void returns_are_the_symmetric_root_times_innovations(void **state)
{
    golden *file = golden_load("bekk_loglik");
    golden_array z = golden_array_of(file, "inputs.z"), H = golden_array_of(file, "expected.sim_H_path_vech");
    golden_array r = golden_array_of(file, "expected.sim_returns");
    double *made = new_matrix(r.rows, 3), *workspace = new_matrix(volt_symmetric_root_workspace(3), 1);
    for (int64_t t = 0; t < r.rows; t++) {
        double packed[6];
        const double *h = H.data + t * 6;
        for (int64_t j = 0; j < 3; j++)
            for (int64_t i = j; i < 3; i++)
                packed[volt_packed(i, j)] = *h++;
        check_ok(volt_symmetric_root(3, packed, z.data + t * 3, workspace, made + t * 3));
    }
    golden_check("sim_returns", r.data, made, r.count, golden_tol(file, "sim_returns"), GOLDEN_MAX_NORM);
    free(workspace);
    free(made);
    golden_free(file);
}

/* A simulation has innovations of its own. From the covariance of its first row and from its returns the recursion of
 * the likelihood, checked above, must give the covariances of all rows; and the stationary covariance is the file's. */
static void simulation_follows_the_recursion_of_the_golden_file(void **state)
{
    enum { ROWS = 100 };
    golden *file = golden_load("bekk_loglik");
    volt_bekk *bekk = load_parameters(file);
    double covariance[9], z[ROWS][3], r[ROWS][3], h[ROWS][6], packed[6], loglik = 0;
    check_ok(volt_bekk_stationary_covariance(bekk, volt_matrix_of(covariance, 3, 3)));
    golden_check("H_sim1", golden_array_of(file, "expected.H_sim1").data, covariance, 9,
                 golden_tol(file, "H_sim1"), GOLDEN_MAX_NORM);

    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.discard = 0;
    check_ok(volt_bekk_simulate(bekk, &options, volt_matrix_of(z[0], ROWS, 3), volt_matrix_of(r[0], ROWS, 3),
                                volt_matrix_of(h[0], ROWS, 6)));
    for (int64_t i = 0, at = 0; i < 3; i++) /* vech: columns from the diagonal down */
        for (int64_t k = i; k < 3; k++, at++) {
            packed[volt_packed(k, i)] = covariance[i * 3 + k];
            assert_true(fabs(h[0][at] - covariance[i * 3 + k]) <= 1e-14 * fabs(covariance[0]));
        }
    volt_bekk_likelihood likelihood;
    check_ok(volt_bekk_likelihood_create(volt_view_of(r[0], ROWS, 3), packed, &likelihood));
    assert_int_equal(volt_bekk_likelihood_evaluate(&likelihood, bekk->C, bekk->a, bekk->b, &loglik, NULL), -1);
    for (int64_t t = 0; t < ROWS; t++) {
        double expected[6], row[6];
        for (int64_t e = 0; e < 6; e++)
            row[e] = likelihood.covariances[volt_bekk_lane_of(6, t, e)];
        volt_packed_to_vech(3, row, expected);
        golden_check("H of the simulation", expected, h[t], 6, 1e-13, GOLDEN_MAX_NORM);
    }
    volt_bekk_likelihood_free(&likelihood);
    volt_bekk_free(bekk);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihood_and_covariances_equal_the_golden_file),
        cmocka_unit_test(other_first_covariances_equal_the_golden_file),
        cmocka_unit_test(returns_are_the_symmetric_root_times_innovations),
        cmocka_unit_test(simulation_follows_the_recursion_of_the_golden_file),
    };
    return cmocka_run_group_tests_name("bekk_loglik", tests, NULL, NULL);
}
