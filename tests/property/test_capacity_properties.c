/* tests/property/test_capacity_properties.c: capacities of kernels whose states are known, and properties of all. */
#include "base/blas.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "task/capacity.h"
#include "volterra.h"

enum { ROWS = 120, WASHOUT = 40, LINE = 3 };

static volt_capacity_options small_options(void)
{
    volt_capacity_options options = volt_capacity_options_default();
    options.rows = ROWS;
    options.washout = WASHOUT;
    options.degree = 3;
    options.delay = 4;
    options.threshold = 0;
    return options;
}

static volt_capacity *capacity_of(const char *text, const volt_capacity_options *options)
{
    volt_kernel *kernel = plain_parse(text);
    volt_capacity *capacity = NULL;
    check_ok(volt_capacity_compute(kernel, options, &capacity));
    volt_kernel_free(kernel);
    return capacity;
}

/* Degree of target k and its largest delay. */
static int64_t degree_of(const volt_capacity *capacity, int64_t k, int64_t *delay)
{
    const int64_t *factors = capacity->factors + 2 * capacity->degree * k;
    int64_t degree = 0;
    *delay = 0;
    for (int64_t i = 0; i < capacity->degree && factors[2 * i + 1] > 0; i++) {
        assert_true(i == 0 || factors[2 * i] > factors[2 * i - 2]);
        degree += factors[2 * i + 1];
        *delay = factors[2 * i];
    }
    return degree;
}

/* A delay line has its inputs as states, a polynomial kernel on it all products up to its degree. The capacity of such
 * a target is at least 1 - alpha / m for the smallest eigenvalue m of K other than 0. It is about n / 3 = 200 for the line.
 * The weights of the products in the polynomial are at least 1 / 9 and their variances at least 4 / 45, so that it is
 * about 6. 0.1 leaves a margin. The threshold removes all other targets. */
static void delay_lines(void **state)
{
    static const struct {
        const char *kernel;
        int64_t degree; /* largest */
        bool has_constant;
        double rank;
    } lines[] = {{"linear:window=3", 1, false, 3}, {"poly:degree=2,window=3", 2, true, 10}};
    volt_capacity_options options = small_options();
    options.rows = 600; /* the threshold is then below 0.12 */
    options.threshold = -1;
    for (int given = 0; given < 2; given++)
        for (int i = 0; i < 2; i++) {
            options.alpha = given ? 1e-6 : -1;
            volt_capacity *found = capacity_of(lines[i].kernel, &options);
            double error = 10 * found->alpha + 1e-9;
            assert_true(found->states == 0 && found->alpha > 0 && found->alpha <= 1e-6);
            assert_true(fabs(found->effective_dimension - lines[i].rank) < 1e-4);
            for (int64_t k = 0; k < found->n_targets; k++) {
                int64_t delay = 0, degree = degree_of(found, k, &delay);
                bool within =
                    degree <= lines[i].degree && delay < LINE && (degree > 0 || lines[i].has_constant);
                assert_true(within ? 1 - found->capacities[k] <= error : found->capacities[k] == 0);
            }
            for (int64_t j = 0; j <= found->delay; j++)
                assert_true(fabs(found->by_delay[j] - (j < LINE)) <= error);
            assert_true(fabs(found->by_degree[1] - LINE) <= LINE * error && found->significant[1] == LINE);
            assert_true(found->significant[3] == 0 && fabs(found->total - lines[i].rank) <= 10 * error);
            volt_capacity_free(found);
        }
}

/* A dimension that no alpha reaches gives the smallest alpha, in units of the rounding of the largest entry. */
static void smallest_alpha_has_the_unit_of_the_kernel(void **state)
{
    volt_capacity_options options = small_options();
    options.degree = 1;
    volt_capacity *one = capacity_of("linear:window=3", &options);
    volt_capacity *four = capacity_of("4*linear:window=3", &options); /* exact in floating point */
    assert_true(one->alpha > 0 && four->alpha == 4 * one->alpha);
    volt_capacity_free(four);
    volt_capacity_free(one);
}

static const char *const kernels[] = {"volterra:tau=0.5,lambda=0.6",
                                      "volterra:lift=rbf,gamma=0.5,lambda=0.8",
                                      "recurrent",
                                      "esn:size=15",
                                      "sas:size=8",
                                      "esn:size=6 + 2*esn:size=5,seed=3"};
enum { KERNELS = sizeof kernels / sizeof *kernels, STATES_FROM = 3 };

/* Sums, counts and tables agree with the targets. */
static void sums_of_targets(void **state)
{
    volt_capacity_options options = small_options();
    options.threshold = 0.2;
    volt_capacity *found = capacity_of(kernels[0], &options);
    double total = 0, degrees[4] = {0}, delays[3][5] = {{0}};
    int64_t counts[4] = {0}, above[4] = {0};
    for (int64_t k = 0; k < found->n_targets; k++) {
        int64_t delay = 0, degree = degree_of(found, k, &delay);
        double value = found->capacities[k];
        assert_true(value == 0 || (value >= 0.2 && value <= 1));
        total += value;
        degrees[degree] += value;
        counts[degree]++;
        above[degree] += value > 0;
        if (degree > 0)
            delays[degree - 1][delay] += value;
    }
    assert_int_equal(found->n_targets, 56); /* 8 over 3 */
    assert_true(found->total == total && found->threshold == 0.2);
    for (int k = 0; k < 4; k++) {
        assert_true(found->by_degree[k] == degrees[k]);
        assert_true(found->targets[k] == counts[k] && found->significant[k] == above[k]);
        for (int j = 0; k > 0 && j < 5; j++)
            assert_true(found->by_delay[(k - 1) * 5 + j] == delays[k - 1][j]);
    }
    assert_true(counts[0] == 1 && counts[1] == 5 && counts[2] == 15 && counts[3] == 35 && above[1] > 0);
    volt_capacity_free(found);
}

/* Makes the columns of B (n x count) orthonormal, twice for accuracy. */
static void orthonormalise(double *B, int64_t n, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        for (int twice = 0; twice < 2; twice++) {
            double norm = 0;
            for (int64_t l = 0; l < k; l++) {
                double part = 0;
                for (int64_t i = 0; i < n; i++)
                    part += B[i * count + k] * B[i * count + l];
                for (int64_t i = 0; i < n; i++)
                    B[i * count + k] -= part * B[i * count + l];
            }
            for (int64_t i = 0; i < n; i++)
                norm += B[i * count + k] * B[i * count + k];
            for (int64_t i = 0; i < n; i++)
                B[i * count + k] /= sqrt(norm);
        }
}

static double sum_of_forms(const volt_capacity_form *form, double *B, int64_t count)
{
    double forms[ROWS], sum = 0;
    orthonormalise(B, ROWS, count);
    volt_capacity_form_evaluate(form, volt_matrix_of(B, ROWS, count), forms);
    for (int64_t k = 0; k < count; k++)
        sum += forms[k];
    return sum;
}

/* Capacities of orthonormal targets sum to at most the effective dimension, and those of a complete set to exactly the
 * effective dimension. Targets of finitely many rows are only approximately orthogonal, so they are made orthonormal
 * first. */
static void orthonormal_targets_sum_to_the_dimension(void **state)
{
    volt_rng rng = test_rng(3207);
    volt_capacity_options options = small_options();
    double u[ROWS + WASHOUT], table[4 * (ROWS + WASHOUT)], *B = new_matrix(ROWS, ROWS);
    volt_capacity_inputs(3, ROWS + WASHOUT, u);
    volt_capacity_polynomials(u, ROWS + WASHOUT, 3, table);
    for (int i = 0; i < KERNELS; i++)
        for (int regularised = 0; regularised < 2; regularised++) {
            volt_kernel *kernel = plain_parse(kernels[i]);
            volt_capacity *list = capacity_of(kernels[i], &options);
            volt_capacity_form form;
            int64_t states = 0;
            options.alpha = regularised ? 0.3 : -1;
            volt_blas_use use;
            check_ok(volt_blas_claim(&use));
            check_ok(
                volt_capacity_form_make(kernel, volt_view_of(u, ROWS + WASHOUT, 1), &options, &form, &states));
            assert_true((states > 0) == (i >= STATES_FROM) && form.n == ROWS);
            /* rounding errors of n^2 eps |K| / alpha, relative to the dimension; |K| / alpha < n 10^4 */
            double error = 1e-7 * form.dimension;
            volt_capacity_targets(list, table, 0, volt_matrix_of(B, ROWS, list->n_targets));
            assert_true(sum_of_forms(&form, B, list->n_targets) <= form.dimension + error);
            for (int k = 0; k < ROWS * ROWS; k++)
                B[k] = volt_rng_normal(&rng);
            assert_true(fabs(sum_of_forms(&form, B, ROWS) - form.dimension) <= error);
            volt_capacity_form_release(&form);
            volt_blas_release(&use);
            volt_capacity_free(list);
            volt_kernel_free(kernel);
        }
    free(B);
}

/* Every capacity decreases with alpha and stays in [0, 1]; so does the dimension. */
static void capacities_decrease_with_alpha(void **state)
{
    volt_capacity_options options = small_options();
    for (int i = 0; i < KERNELS; i++) {
        volt_capacity *before = NULL;
        for (double alpha = 1e-5; alpha < 100; alpha *= 50) {
            options.alpha = alpha;
            volt_capacity *found = capacity_of(kernels[i], &options);
            assert_true(found->alpha == alpha && found->effective_dimension > 0);
            for (int64_t k = 0; k < found->n_targets; k++) {
                assert_true(found->capacities[k] >= 0 && found->capacities[k] <= 1);
                assert_true(!before || found->capacities[k] <= before->capacities[k] + 1e-8);
            }
            assert_true(!before || found->effective_dimension < before->effective_dimension);
            volt_capacity_free(before);
            before = found;
        }
        volt_capacity_free(before);
    }
}

/* The dimension that was asked for, also from the first rows of more rows than those; and the same capacities from
 * states and from the matrix: one more constant in the kernel hides the states. */
static void dimensions_and_both_factorisations(void **state)
{
    volt_capacity_options options = small_options();
    for (int i = 0; i < KERNELS; i++)
        for (double wanted = 2; wanted < 7; wanted *= 1.5) {
            options.dimension = wanted;
            volt_capacity *found = capacity_of(kernels[i], &options);
            assert_true(found->alpha > 0 && fabs(found->effective_dimension / wanted - 1) <= 1e-4);
            volt_capacity_free(found);
        }
    options.degree = 1;
    options.dimension = 0;
    volt_capacity *few = capacity_of(kernels[0], &options);
    assert_true(fabs(few->effective_dimension / 6 - 1) <= 1e-4); /* a twentieth of the rows */
    volt_capacity_free(few);
    options.rows = 1100; /* the first 1000 rows have another root: more than one secant step */
    options.dimension = 540;
    volt_capacity *many = capacity_of(kernels[0], &options);
    assert_true(fabs(many->effective_dimension / 540 - 1) <= 1e-4);
    volt_capacity_free(many);

    options = small_options();
    options.alpha = 0.01;
    volt_capacity *states = capacity_of("esn:size=15", &options);
    volt_capacity *matrix = capacity_of("esn:size=15 + 1e-12*linear", &options);
    assert_true(states->states == 15 && matrix->states == 0);
    for (int64_t k = 0; k < states->n_targets; k++)
        assert_true(fabs(states->capacities[k] - matrix->capacities[k]) <= 1e-7);
    volt_capacity_free(matrix);
    volt_capacity_free(states);
}

static void check_refused(const char *text, volt_capacity_options options, volt_status status,
                          const char *words)
{
    volt_kernel *kernel = plain_parse(text);
    volt_capacity *capacity = NULL;
    check_fails(volt_capacity_compute(kernel, &options, &capacity), status, words);
    assert_null(capacity);
    volt_kernel_free(kernel);
}

static void invalid_arguments(void **state)
{
    const volt_capacity_options given = small_options();
    volt_capacity *capacity = NULL;
    volt_capacity_options options = given;
    check_fails(volt_capacity_compute(NULL, &options, &capacity), VOLT_ERR_ARGUMENT, "kernel");
    volt_capacity_free(NULL);
#define REFUSED(text, field, value, status, words)         \
    do {                                                   \
        options = given;                                   \
        options.field = (value);                           \
        check_refused((text), options, (status), (words)); \
    } while (0)
    REFUSED("volterra", rows, 9, VOLT_ERR_ARGUMENT, "rows 10 9");
    REFUSED("volterra", washout, 3, VOLT_ERR_ARGUMENT, "washout 4 3");
    REFUSED("volterra", degree, 0, VOLT_ERR_ARGUMENT, "degree 0");
    REFUSED("volterra", degree, 21, VOLT_ERR_ARGUMENT, "degree 20 21");
    REFUSED("volterra", delay, -1, VOLT_ERR_ARGUMENT, "delay 0 -1");
    REFUSED("volterra", delay, 300, VOLT_ERR_ARGUMENT, "degree delay 300 1000000");
    REFUSED("volterra", delay, INT64_MAX, VOLT_ERR_ARGUMENT, "degree delay 1000000");
    REFUSED("volterra", alpha, 0, VOLT_ERR_ARGUMENT, "alpha positive 0");
    REFUSED("volterra", alpha, INFINITY, VOLT_ERR_ARGUMENT, "alpha inf");
    REFUSED("volterra", alpha, NAN, VOLT_ERR_ARGUMENT, "alpha nan");
    REFUSED("volterra", dimension, ROWS, VOLT_ERR_ARGUMENT, "dimension 120");
    REFUSED("volterra", dimension, -1, VOLT_ERR_ARGUMENT, "dimension -1");
    REFUSED("linear:window=3", dimension, 4, VOLT_ERR_ARGUMENT, "dimension 3 4");
    REFUSED("esn:size=5", dimension, 6, VOLT_ERR_ARGUMENT, "dimension 5 6");
    REFUSED("volterra", significance, 0, VOLT_ERR_ARGUMENT, "significance 0");
    REFUSED("volterra", significance, 1, VOLT_ERR_ARGUMENT, "significance 1");
    REFUSED("volterra", threshold, 1.5, VOLT_ERR_ARGUMENT, "threshold 1.5");
    REFUSED("volterra", threshold, NAN, VOLT_ERR_ARGUMENT, "threshold nan");
    REFUSED("esn:size=130", alpha, 0, VOLT_ERR_ARGUMENT, "alpha states");
    REFUSED("sigmoid:window=4", alpha, 1e-9, VOLT_ERR_SINGULAR, "alpha 1e-09");
#undef REFUSED
    options = given;
    options.alpha = 1;
    options.dimension = 5;
    check_refused("volterra", options, VOLT_ERR_ARGUMENT, "alpha dimension");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delay_lines),
        cmocka_unit_test(smallest_alpha_has_the_unit_of_the_kernel),
        cmocka_unit_test(sums_of_targets),
        cmocka_unit_test(orthonormal_targets_sum_to_the_dimension),
        cmocka_unit_test(capacities_decrease_with_alpha),
        cmocka_unit_test(dimensions_and_both_factorisations),
        cmocka_unit_test(invalid_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
