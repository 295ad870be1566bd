/* tests/property/test_held_out_alpha.c: held-out errors reported with a selected alpha equal those of a fit
 * with the same alpha given, for every solver, below and above the limit of 4096 rows.
 * tests/unit/solve/test_held_out_limits.c lowers the limit and compares with a fit for every row, and the chosen alpha
 * with all others. tests/unit/solve/test_choice.c has the exact solver above the limit. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/data.h"
#include "volterra/model.h"

enum { LIMIT = 4096, ROWS = LIMIT + 100 };

/* NARMA10, whose first rows depend on inputs before the first: a fit with a small alpha fits them too, and the others less well. */
typedef struct sequence {
    double u[ROWS], y[2 * ROWS]; /* the second target: the first, squared and noisy */
} sequence;

static sequence *make_sequence(uint64_t seed)
{
    sequence *s = malloc(sizeof *s);
    assert_non_null(s);
    volt_rng rng = test_rng(seed);
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_NARMA10);
    options.seed = 0;
    double *made = new_matrix(ROWS, 2);
    check_ok(volt_simulate(VOLT_SYSTEM_NARMA10, &options, volt_matrix_of(made, ROWS, 2)));
    for (int64_t i = 0; i < ROWS; i++) {
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

/* Two fits with the same alpha do the same operations but for their order: n eps times the condition number 1 / rcond. */
static void check_case(const sequence *s, const fit_case *c)
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
    volt_model_free(model);
}

static void reported_errors_belong_to_chosen_alpha(void **state)
{
    sequence *s = make_sequence(2703);
    static const char esn[] = "esn:size=12,seed=3", narma[] = "volterra";
    const fit_case cases[] = {
        {"exact", narma, 700, 2, 0, {300, 400}},
        {"features", esn, 2040, 2, 0, {0, 0}},
        {"features", esn, 2060, 2, 0, {1000, 1060}},
        {"features", esn, LIMIT - 1, 2, 7, {0, 0}},
        {"features", esn, ROWS, 2, 0, {1000, LIMIT - 900}},
        {"nystrom", narma, ROWS, 2, 0, {1000, LIMIT - 900}},
        {"pcg", narma, 600, 2, 7, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(s, &cases[i]);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reported_errors_belong_to_chosen_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
