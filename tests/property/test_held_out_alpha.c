/* tests/property/test_held_out_alpha.c: held-out errors reported with a selected alpha equal those of a fit
 * with the same alpha given, for every solver, below and above the limit of 4096 rows.
 * tests/unit/test_held_out_limits.c lowers the limit and compares with a fit for every row. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/data.h"
#include "volterra/model.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LIMIT = 4096, LONGEST = LIMIT + 200, FUTURE = 500 };

/* NARMA10, whose first rows depend on inputs before the first: a fit with a small alpha fits them too, and the others less well. */
typedef struct sequence {
    double u[LONGEST + FUTURE], y[2 * (LONGEST + FUTURE)]; /* the second target: the first, squared and noisy */
} sequence;

static sequence *make_sequence(uint64_t seed)
{
    sequence *s = malloc(sizeof *s);
    assert_non_null(s);
    volt_rng rng = test_rng(seed);
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_NARMA10);
    options.seed = 0;
    double *made = new_matrix(LONGEST + FUTURE, 2);
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(made, LONGEST + FUTURE, 2)));
    for (int64_t i = 0; i < LONGEST + FUTURE; i++) {
        s->u[i] = made[2 * i];
        s->y[2 * i] = made[2 * i + 1];
        s->y[2 * i + 1] = made[2 * i + 1] * made[2 * i + 1] + 0.05 * volt_rng_normal(&rng);
    }
    free(made);
    return s;
}

/* A case: the solver, the kernel, the rows. */
typedef struct fit_case {
    const char *solver;
    const char *kernel;
    int64_t n, q, washout, records[2];
} fit_case;

static volt_model *fit(const sequence *s, const fit_case *c, double alpha)
{
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = plain_parse(c->kernel);
    volt_model *model = NULL;
    options.alpha = alpha;
    options.solver = c->solver;
    options.landmarks = strcmp(c->solver, "nystrom") == 0 ? 300 : 0;
    options.washout = c->washout;
    options.records = c->records[0] > 0 ? c->records : NULL;
    options.n_records = c->records[0] > 0 ? 2 : 0;
    volt_view Y = {s->y, c->n, c->q, 2};
    check_ok(volt_model_fit(kernel, volt_view_of(s->u, c->n, 1), Y, &options, (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    return model;
}

/* Returns the model whose alpha was chosen. Two fits with the same alpha do the same operations but for their order: n eps times the condition number 1 / rcond. */
static volt_model *check_case(const sequence *s, const fit_case *c)
{
    volt_model *model = fit(s, c, 0);
    volt_model_info chosen = {.struct_size = sizeof chosen}, given = {.struct_size = sizeof given};
    volt_model_get_info(model, &chosen);
    for (int64_t k = 0; k < c->q; k++) {
        if (isinf(chosen.alphas[k]))
            continue;
        volt_model *same = fit(s, c, chosen.alphas[k]);
        volt_model_get_info(same, &given);
        assert_int_equal(chosen.report->rows, given.report->rows);
        assert_int_equal(chosen.report->first, given.report->first);
        double gap = fabs(chosen.report->mse[k] / given.report->mse[k] - 1);
        double allowed = 64 * (double)c->n * DBL_EPSILON / fmin(chosen.rcond, given.rcond) + 1e-12;
        print_message("%s, %" PRId64 " rows, output %" PRId64 ": alpha %g, held-out rmse %g, differs by %.2g\n",
                      c->kernel, c->n, k, chosen.alphas[k], sqrt(chosen.report->mse[k]), gap);
        if (!(gap <= allowed))
            fail_msg("held-out error %g with alpha %g chosen, %g with it given; allowed %g",
                     chosen.report->mse[k], chosen.alphas[k], given.report->mse[k], allowed);
        volt_model_free(same);
    }
    return model;
}

static void reported_errors_belong_to_chosen_alpha(void **state)
{
    (void)state;
    sequence *s = make_sequence(2703);
    static const char esn[] = "esn:size=12,seed=3", narma[] = "volterra";
    const fit_case cases[] = {
        {"exact", narma, 700, 2, 0, {300, 400}},
        {"features", esn, 2040, 2, 0, {0, 0}},
        {"features", esn, 2060, 2, 0, {1000, 1060}},
        {"features", esn, LIMIT - 1, 2, 7, {0, 0}},
        {"features", esn, LIMIT + 100, 2, 0, {1000, LIMIT - 900}},
        {"nystrom", narma, LIMIT + 100, 2, 0, {1000, LIMIT - 900}},
        {"pcg", narma, 600, 2, 7, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        volt_model_free(check_case(s, &cases[i]));
    free(s);
}

/* Of the exact solver above the limit, where candidates are screened on the last rows: and the chosen alpha does well on
 * the rows that follow. With noise-free targets R2 is 0.997; an alpha chosen without the first rows has 0.97. */
static void subsampled_alpha_choice_is_near_optimal(void **state)
{
    (void)state;
    if (UNDER_SANITIZERS) /* twelve factorisations of 4096 rows, which no sanitizer sees */
        skip();
    sequence *s = make_sequence(2704);
    const fit_case c = {"exact", "volterra", LONGEST, 1, 0, {0, 0}};
    volt_model *model = fit(s, &c, 0); /* test_held_out_limits compares it with a given alpha */
    double *out = new_matrix(FUTURE, 1), squares = 0, spread = 0, mean = 0;
    check_ok(volt_model_predict(model, volt_view_of(s->u + LONGEST, FUTURE, 1), NULL,
                                volt_matrix_of(out, FUTURE, 1), NULL));
    for (int64_t i = 0; i < FUTURE; i++)
        mean += s->y[2 * (LONGEST + i)] / FUTURE;
    for (int64_t i = 0; i < FUTURE; i++) {
        squares += pow(s->y[2 * (LONGEST + i)] - out[i], 2);
        spread += pow(s->y[2 * (LONGEST + i)] - mean, 2);
    }
    print_message("R2 of the rows that follow: %g\n", 1 - squares / spread);
    assert_true(1 - squares / spread > 0.99);
    free(out);
    volt_model_free(model);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reported_errors_belong_to_chosen_alpha),
        cmocka_unit_test(subsampled_alpha_choice_is_near_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
