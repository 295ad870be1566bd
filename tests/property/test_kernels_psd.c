/* tests/property/test_kernels_psd.c: Gram matrices of sequences are positive semidefinite, for every kernel but
 * sigmoid and sigpde, on rough, smooth and repeated rows, with and without windows. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

enum { N = 70, D = 3 };

static const char *const kernels[] = {
    "linear",
    "linear:window=5",
    "rbf:gamma=0.5",
    "rbf:gamma=0.05,window=9",
    "rbf:gamma=40,window=2",
    "poly:degree=2,coef0=0",
    "poly:degree=5,coef0=1,window=3",
    "fading:gamma=1,rho=0",
    "fading:gamma=0.1,rho=0.9",
    "fading:gamma=0.01,rho=0.999",
    "memory:gamma=1,rho=0.5,mu=0.85",
    "recurrent",
    "recurrent:activation=relu,leak=0.2,radius=0.95",
    "recurrent:activation=sign,bias=0.2,input=3",
    "memory:gamma=0.2,rho=0.95,mu=0",
    "memory:gamma=3,rho=0,mu=0.99",
    "esn:size=30",
    "esn:size=12,activation=identity,degree=3,leak=0.3",
    "sas:size=20,degree=2",
    "fir:mu=0.9",
    "fir:mu=0.95,corr=0.9",
    "fir:mu=0.5,corr=-0.8,pole=0.3",
    "0.01*fir:mu=0.99 + memory:gamma=3,rho=0,mu=0.99,pole=-0.5,pair=0.9,angle=0.3",
    "linear*rbf:gamma=0.5,window=4*fading + volterra:pair=0.5,angle=1",
    "gak:sigma=0.5,window=4",
    "gak:sigma=5,window=8",
    "gak:sigma=0.02,window=3",
    "gak:sigma=0.5,path=rows",
    "sig:level=2,order=1,window=6",
    "sig:level=4,order=2,window=4",
    "sig:level=3,window=5",
    "sig:level=6,window=2",
    "sig:level=3,window=4,augment=time+leadlag",
    "sig:path=rows",
    "sig:level=3,features=linear,scale=3,window=5",
    "sig:level=3,features=rbf,gamma=0.1,window=5",
    "sig:level=3,features=rbf,gamma=10,scale=4,window=5,augment=time",
    "sig:level=6,features=rbf,gamma=0.5,window=2",
    "sig:level=4,order=2,features=rbf,gamma=0.5,window=4",
    "sig:level=5,features=rbf,gamma=0.01,scale=2,path=rows",
};

/* Entries are off by some c eps max |K|, and eigenvalues by n times that; c = 1000 covers the bounds that the
 * tests of each kernel derive. */
static void check_rows(const char *what, const double *rows)
{
    double *K = new_matrix(N, N);
    for (size_t p = 0; p < sizeof kernels / sizeof *kernels; p++) {
        volt_kernel *kernel = plain_parse(kernels[p]);
        check_ok(volt_gram(kernel, volt_view_of(rows, N, D), volt_view_of(NULL, 0, 0), NULL,
                           volt_matrix_of(K, N, N)));
        double smallest, largest, most = 0;
        for (int k = 0; k < N * N; k++)
            most = fmax(most, fabs(K[k]));
        plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
        if (!(smallest >= -1000 * N * DBL_EPSILON * most) || !(largest > 0))
            fail_msg("%s, %s: eigenvalues from %.3g to %.3g, entries up to %.3g", kernels[p], what, smallest,
                     largest, most);
        volt_kernel_free(kernel);
    }
    free(K);
}

static void rough_rows(void **state)
{
    volt_rng rng = test_rng(361);
    double *rows = random_rows(&rng, N, D, 1);
    check_rows("rough", rows);
    free(rows);
}

static void smooth_rows(void **state)
{
    double *rows = lorenz_rows(N, 0.01), largest = 0;
    for (int k = 0; k < N * D; k++)
        largest = fmax(largest, fabs(rows[k]));
    for (int k = 0; k < N * D; k++)
        rows[k] /= 2 * largest;
    check_rows("smooth", rows);
    free(rows);
}

/* Long stretches of one and the same row, and a period. */
static void repeated_rows(void **state)
{
    volt_rng rng = test_rng(362);
    double *rows = random_rows(&rng, N, D, 1);
    for (int i = 1; i < N; i++)
        memcpy(rows + i * D, rows + (i < 30 ? i / 10 * 10 : i % 5) * D, D * sizeof(double));
    check_rows("repeated", rows);
    free(rows);
}

/* Shows that the check can fail: sigmoid is not positive semidefinite. */
static void sigmoid_is_indefinite(void **state)
{
    volt_rng rng = test_rng(363);
    double *rows = random_rows(&rng, N, D, 1), *K = new_matrix(N, N), smallest, largest;
    volt_kernel *kernel = plain_parse("sigmoid:gamma=3,coef0=-1");
    check_ok(
        volt_gram(kernel, volt_view_of(rows, N, D), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
    plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
    assert_true(smallest < -0.1);
    volt_kernel_free(kernel);
    free(K);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rough_rows),
        cmocka_unit_test(smooth_rows),
        cmocka_unit_test(repeated_rows),
        cmocka_unit_test(sigmoid_is_indefinite),
    };
    return cmocka_run_group_tests_name("kernels_psd", tests, NULL, NULL);
}
