/* tests/property/test_evidence_gradient.c: the gradient of the evidence compared with finite differences,
 * for every kernel of the table and for expressions.
 *
 * Differences: five points, h = 1e-3 of the value (or of the way to the nearer end of its range), so that
 * the truncation error is about h^4 / 30 of the fifth derivative, some 1e-13 of the size of the evidence
 * (one-sided, on an end of the range, five times as much of a shorter step); its rounding, eps times the
 * condition (at most 1e5 here) over h, is about 1e-8 of that at worst. The size is |log p| + n q, since log
 * p may pass through 0. */
#include "kernel/kernel_entry.h"
#include "kernel/tangent.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double tolerance = 1e-7;

static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "volterra:tau=0.4,lambda_coef=0.7",
    "volterra:tau_coef=0.5,lambda=0.6,lift=even",
    "volterra:tau_coef=0.7,lambda_coef=0.6,lift=even",
    "volterra:tau_coef=0.8,lambda_coef=0.7,lift=exponential",
    "volterra:tau=0.9,lambda_coef=0.7,lift=poly:3",
    "volterra:gamma=0.7,lambda_coef=0.8,lift=rbf",
    "linear:window=3",
    "rbf:gamma=0.6",
    "rbf:gamma=0.4,window=3",
    "poly:degree=1,gamma=0.5,coef0=0.7",
    "poly:degree=3,gamma=0.5,coef0=0.7,window=2",
    "sigmoid:gamma=0.3,coef0=0.1",
    "fading:gamma=0.6,rho=0.7",
    "fading:gamma=0.6,rho=0",
    "memory:gamma=0.9,rho=0.5,mu=0.8",
    "recurrent:input=0.8,radius=0.7,bias=0.3,leak=0.6",
    "fir:mu=0.7",
    "fir:mu=0.7,corr=0.4",
    "gak:sigma=1,window=3",
    "sig:level=3,window=4",
    "sig:level=2,window=3,features=rbf,gamma=0.5,scale=0.8",
    "sig:level=2,path=rows,prescale=0.9",
    "sigpde:window=3,static=rbf,sigma=1.5",
    "cauchy:gamma=0.4,window=3",
    "esn:size=8,radius=0.7,seed=3,leak=0.8",
    "sas:size=6,norm=0.7",
    /* expressions: sums, weights, products, filters */
    "0.7*memory:gamma=0.9,rho=0.5,mu=0.8",
    "memory:gamma=0.9,rho=0.5,mu=0.6 + 2.5*fir:mu=0.8",
    "rbf:gamma=0.5*linear + 0.5*volterra:tau_coef=0.6,lambda_coef=0.7 + 0.2*gak:window=3,sigma=1",
    "rbf:gamma=0.5*esn:size=5,radius=0.6 + 0.5*linear",
    "fading:gamma=0.6,rho=0.7*fir:mu=0.6*volterra:lift=rbf,gamma=0.5,lambda=0.5",
    "volterra:tau_coef=0.6,lambda_coef=0.8,pole=0.4",
    "memory:gamma=0.9,rho=0.5,mu=0.6,pole=-0.3,pair=0.6,angle=0.3 + 2*fir:mu=0.8,corr=0.3",
    "rbf:gamma=0.8,pair=0.5,angle=0 + fading:gamma=0.4,rho=0.3,pair=0.4,angle=1",
};
enum { KERNELS = (int)(sizeof kernels / sizeof *kernels) };

typedef struct data {
    volt_view X, Y;
} data;

/* Inputs in the unit ball, of which all but one lie well inside, so that the largest norm stays that of the same row; targets
 * that follow from them. */
static data make_data(volt_rng *rng, int64_t n, int64_t d, int64_t q)
{
    double *x = normal_rows(rng, n, d), *y = normal_rows(rng, n, q);
    for (int64_t i = 0; i < n * d; i++)
        x[i] = 0.6 * tanh(x[i]);
    for (int64_t k = 0; k < d; k++)
        x[5 * d + k] = 1;
    for (int64_t i = 1; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            y[i * q + k] =
                3 + 0.3 * y[i * q + k] + x[i * d] + x[(i - 1) * d] * x[i * d + d - 1] * (double)(k + 1);
    return (data){volt_view_of(x, n, d), volt_view_of(y, n, q)};
}

static void free_data(data *at)
{
    free((double *)at->X.data);
    free((double *)at->Y.data);
}

static volt_evidence_result *evidence_of(const volt_kernel *kernel, const data *at,
                                         volt_evidence_options options, int gradient)
{
    volt_evidence_result *found = NULL;
    options.gradient = options.leave_one_out = gradient;
    check_ok(volt_evidence(kernel, at->X, at->Y, &options, &found));
    return found;
}

static double evidence_at(const volt_kernel *kernel, const data *at, volt_evidence_options options)
{
    volt_evidence_result *found = evidence_of(kernel, at, options, 0);
    double value = found->log_likelihood;
    volt_evidence_free(found);
    return value;
}

/* The evidence with parameter `name` (NULL: alpha) at `value`. */
static double evidence_with(const volt_kernel *kernel, const data *at, volt_evidence_options options,
                            const char *name, double value)
{
    char text[VOLT_EXPRESSION_LENGTH];
    if (!name) {
        options.alpha = value;
        return evidence_at(kernel, at, options);
    }
    check_ok(volt_kernel_with(kernel, 1, &name, &value, text));
    volt_kernel *moved = plain_parse(text);
    double found = evidence_at(moved, at, options);
    volt_kernel_free(moved);
    return found;
}

/* Five points about the value, or one-sided at an end of its range. */
static double plain_slope(const volt_kernel *kernel, const data *at, volt_evidence_options options,
                          const char *name, double value, double distance)
{
    static const double two_sided[] = {1, -8, 0, 8, -1}, one_sided[] = {-25, 48, -36, 16, -3};
    bool at_end = distance == 0;
    double h = at_end ? 2e-5 : 1e-3 * distance, sum = 0;
    if (at_end && value == 1)
        h = -h;
    for (int i = 0; i < 5; i++)
        sum += (at_end ? one_sided : two_sided)[i] *
               evidence_with(kernel, at, options, name, value + h * (at_end ? i : i - 2)) / 12;
    return sum / h;
}

/* How far the parameter may move both ways, at most its own size. */
static double distance_of(const volt_kernel *kernel, const char *name, double value)
{
    volt_kernel_value found = {.struct_size = sizeof found};
    check_ok(volt_kernel_get(kernel, name, &found));
    double distance = fmin(value - found.info->low, found.info->high - value);
    return value == 0 ? distance : fmin(distance, fabs(value));
}

/* Worst error over what is allowed. */
static double check_kernel(const char *text, const data *at, volt_evidence_options options)
{
    volt_kernel *kernel = plain_parse(text);
    volt_evidence_result *found = evidence_of(kernel, at, options, 1);
    double size = fabs(found->log_likelihood) + (double)(found->rows * found->q), worst = 0;
    for (int64_t p = -1; p < found->n_parameters; p++) {
        const char *name = p < 0 ? NULL : found->names[p];
        double value = p < 0 ? found->alpha : found->values[p],
               distance = p < 0 ? value : distance_of(kernel, name, value);
        double slope = plain_slope(kernel, at, options, name, value, distance);
        double mine = p < 0 ? found->alpha_gradient : found->gradient[p];
        double allowed = tolerance * (size + fabs(slope * value)) / (distance > 0 ? distance : 1);
        double error = fabs(mine - slope) / allowed;
        worst = fmax(worst, error);
        if (!(error <= 1))
            fail_msg("%s, intercept %d, scale %d, by %s: %.15g, and differences say %.15g (%.3g times what is "
                     "allowed)",
                     text, options.intercept, options.scale, name ? name : "alpha", mine, slope, error);
    }
    volt_evidence_free(found);
    volt_kernel_free(kernel);
    return worst;
}

/* ---- every kernel ----------------------------------------------------------------------------- */

static void test_list_covers_every_kernel(void **state)
{
    (void)state;
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const char *name = volt_kernel_at(i)->name;
        bool found = false;
        for (int k = 0; k < KERNELS; k++)
            found = found ||
                    (strncmp(kernels[k], name, strlen(name)) == 0 && strchr(":,", kernels[k][strlen(name)]));
        if (!found)
            fail_msg("kernel %s is not in the list of this test", name);
    }
}

static void gradients_equal_finite_differences(void **state)
{
    (void)state;
    volt_rng rng = test_rng(4301);
    double worst = 0;
    for (int k = 0; k < KERNELS; k++)
        for (int choice = 0; choice < 4; choice++) {
            data at = make_data(&rng, 26 + k % 5, 2, 1 + k % 2);
            volt_evidence_options options = volt_evidence_options_default();
            options.intercept = choice & 1;
            options.scale = choice >> 1;
            options.washout = k % 3 == 0 ? 4 : 0;
            options.alpha =
                strncmp(kernels[k], "sigmoid", 7) == 0 || strncmp(kernels[k], "sigpde", 6) == 0 ? 5 : 0.05;
            worst = fmax(worst, check_kernel(kernels[k], &at, options));
            free_data(&at);
        }
    print_message("the worst error is %.2g of the tolerance\n", worst);
}

static void gradients_of_records(void **state)
{
    (void)state;
    static const char *const some[] = {"volterra:tau_coef=0.6,lambda_coef=0.8",
                                       "memory:gamma=0.9,rho=0.5,mu=0.8", "rbf:gamma=0.4,window=3",
                                       "memory:gamma=0.9,rho=0.5,mu=0.6,pole=0.4 + 2*fir:mu=0.8"};
    static const int64_t lengths[] = {9, 1, 14, 6};
    volt_rng rng = test_rng(4302);
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        data at = make_data(&rng, 30, 2, 2);
        volt_evidence_options options = volt_evidence_options_default();
        options.alpha = 0.05;
        options.records = lengths;
        options.n_records = 4;
        worst = fmax(worst, check_kernel(some[k], &at, options));
        free_data(&at);
    }
    print_message("the worst error is %.2g of the tolerance\n", worst);
}

/* ---- what a gradient is by -------------------------------------------------------------------- */

static void gradient_is_exact_with_tangent(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *names, *by_differences;
    } cases[] = {
        {"volterra:tau_coef=0.3,lambda_coef=0.9", "tau_coef lambda_coef ", ""},
        {"linear:window=3", "", ""},
        {"rbf", "", ""}, /* gamma is taken from the data */
        {"fir:mu=0.7", "mu corr ", "corr "},
        {"fir:mu=0.7,corr=0.2", "1.mu 1.corr ", "1.mu 1.corr "},
        {"gak:sigma=1,window=3", "sigma ", "sigma "},
        {"2*rbf:gamma=1", "1.weight 1.gamma ", ""},
        {"rbf:gamma=1,pole=0.5", "1.gamma 1.pole ", "1.pole "},
        {"rbf:gamma=1,pair=0.5 + linear", "1.weight 1.gamma 1.pair 1.angle 2.weight ", "1.pair 1.angle "},
    };
    volt_rng rng = test_rng(4303);
    data at = make_data(&rng, 24, 1, 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = plain_parse(cases[c].kernel);
        volt_evidence_options options = volt_evidence_options_default();
        options.alpha = 0.1;
        volt_evidence_result *found = evidence_of(kernel, &at, options, 1);
        char names[256] = "", differenced[256] = "";
        for (int64_t p = 0; p < found->n_parameters; p++) {
            strcat(strcat(names, found->names[p]), " ");
            if (found->by_differences[p])
                strcat(strcat(differenced, found->names[p]), " ");
        }
        assert_string_equal(names, cases[c].names);
        assert_string_equal(differenced, cases[c].by_differences);
        volt_evidence_free(found);
        volt_kernel_free(kernel);
    }
    free_data(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_covers_every_kernel),
        cmocka_unit_test(gradients_equal_finite_differences),
        cmocka_unit_test(gradients_of_records),
        cmocka_unit_test(gradient_is_exact_with_tangent),
    };
    check_ok(volt_set_threads(1)); /* many small evaluations */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
