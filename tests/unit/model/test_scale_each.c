/* tests/unit/model/test_scale_each.c: inputs that are scaled separately: units, constant inputs, files, sums, streams. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"
#include "volterra/model.h"

enum { N = 60, LATER = 20, ALL = N + LATER, D = 3 };

static const double alpha = 0.1;

typedef struct system_rows {
    double x[ALL * D], y[ALL];
} system_rows;

/* Three inputs of similar size, and a nonlinear response to two rows of them. */
static system_rows make_rows(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    system_rows rows;
    for (int64_t t = 0; t < ALL; t++) {
        double *x = rows.x + t * D;
        for (int64_t j = 0; j < D; j++)
            x[j] = 2 * volt_rng_uniform(&rng) + (double)j;
        rows.y[t] = x[0] * x[1] - x[2] + (t > 0 ? sin(x[1 - D]) : 0);
    }
    return rows;
}

/* Column j in another unit. */
static system_rows in_units(const system_rows *rows, const double unit[D])
{
    system_rows other = *rows;
    for (int64_t i = 0; i < ALL * D; i++)
        other.x[i] *= unit[i % D];
    return other;
}

typedef struct fit_case {
    const char *name, *kernel, *solver;
    volt_input input;
    double feedback_weight;
    volt_initial initial;
} fit_case;

static const fit_case cases[] = {
    {"levels", "rbf", "exact", VOLT_INPUT_LEVEL, 0, VOLT_INITIAL_ZERO},
    {"changes", "volterra", "exact", VOLT_INPUT_CHANGE, 0, VOLT_INITIAL_ZERO},
    {"both", "rbf", "exact", VOLT_INPUT_BOTH, 0, VOLT_INITIAL_MEAN},
    {"origin kept", "volterra:lift=even", "exact", VOLT_INPUT_LEVEL, 0, VOLT_INITIAL_ZERO},
    {"initial input", "volterra:pole=0.4", "exact", VOLT_INPUT_LEVEL, 0, VOLT_INITIAL_MEAN},
    {"feedback", "fading + fir", "exact", VOLT_INPUT_LEVEL, 0.5, VOLT_INITIAL_ZERO},
    {"landmarks", "volterra", "nystrom", VOLT_INPUT_LEVEL, 0, VOLT_INITIAL_ZERO},
    {"iterative", "volterra", "pcg", VOLT_INPUT_LEVEL, 0, VOLT_INITIAL_ZERO},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static volt_status fit(const fit_case *how, const system_rows *rows, int scale_each, volt_model **model)
{
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = NULL;
    options.alpha = alpha;
    options.solver = how->solver;
    options.landmarks = strcmp(how->solver, "exact") == 0 ? 0 : 20;
    options.input = how->input;
    options.feedback_weight = how->feedback_weight;
    options.initial = how->initial;
    options.scale_each = scale_each;
    volt_status status = volt_kernel_parse(how->kernel, &kernel);
    if (!status)
        status = volt_model_fit(kernel, volt_view_of(rows->x, N, D), volt_view_of(rows->y, N, 1), &options,
                                volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    return status;
}

static void predict(const volt_model *model, const system_rows *rows, volt_start start, double *out)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    check_ok(volt_model_predict(model, volt_view_of(rows->x + N * D, LATER, D), &options,
                                volt_matrix_of(out, LATER, 1), NULL));
}

/* Predictions of the later rows, after training and from the initial state. */
static void fit_and_predict(const fit_case *how, const system_rows *rows, int scale_each, double *out)
{
    volt_model *model = NULL;
    check_ok(fit(how, rows, scale_each, &model));
    predict(model, rows, VOLT_START_CONTINUE, out);
    predict(model, rows, VOLT_START_RESET, out + LATER);
    volt_model_free(model);
}

static double distance(const double *a, const double *b, int64_t count)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Weights are powers of two for such units, and all later numbers are the same. Other units change the columns by
 * a few roundings of their size, about 3 spreads: the matrix K of values up to 4 by c eps, and the predictions by n
 * times that over alpha times the size of the targets. */
static void predictions_do_not_depend_on_units(void **state)
{
    system_rows rows = make_rows(1);
    system_rows binary = in_units(&rows, (double[D]){0x1p-20, 1024, 1}),
                other = in_units(&rows, (double[D]){1000.0 / 3, 1, 1e-7});
    double first[2 * LATER], second[2 * LATER], third[2 * LATER],
        allowed = 64 * DBL_EPSILON * N * N * 4 / alpha;
    for (int i = 0; i < CASES; i++) {
        fit_and_predict(&cases[i], &rows, 1, first);
        fit_and_predict(&cases[i], &binary, 1, second);
        fit_and_predict(&cases[i], &other, 1, third);
        if (memcmp(first, second, sizeof first) != 0 || !(distance(first, third, 2 * LATER) <= allowed))
            fail_msg("%s: units of powers of two change a prediction by %g, others by %g", cases[i].name,
                     distance(first, second, 2 * LATER), distance(first, third, 2 * LATER));
        fit_and_predict(&cases[i], &rows, 0, first);
        fit_and_predict(&cases[i], &binary, 0, second);
        assert_true(distance(first, second, 2 * LATER) > 0.01);
    }
}

/* The expansion is in the units of the inputs. */
static void volterra_kernels_have_units(void **state)
{
    static const double units[D] = {1, 256, 0.5};
    system_rows rows = make_rows(2), other = in_units(&rows, units);
    volt_explanation *a = NULL, *b = NULL;
    volt_model *model = NULL;
    check_ok(fit(&cases[0], &rows, 1, &model));
    check_ok(volt_model_explain(model, NULL, &a));
    volt_model_free(model);
    check_ok(fit(&cases[0], &other, 1, &model));
    check_ok(volt_model_explain(model, NULL, &b));
    assert_true(a->lags == b->lags && a->kernels[0][0] != 0);
    for (int64_t i = 0; i < a->lags * D; i++)
        assert_true(a->kernels[0][i] == b->kernels[0][i] * units[i % D]);
    volt_model_free(model);
    volt_explanation_free(a);
    volt_explanation_free(b);
}

/* A constant input is not used, and a saved model still has it. */
static void constant_inputs_are_ignored(void **state)
{
    system_rows rows = make_rows(3), moved;
    const char *path = scratch_path("model.safetensors");
    double first[LATER], second[LATER];
    for (int i = 0; i < CASES; i++) {
        volt_model *model = NULL, *loaded = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        volt_predict_warning warning = {.rows = 0};
        for (int64_t t = 0; t < ALL; t++)
            rows.x[t * D + 1] = -7.1;
        moved = rows;
        for (int64_t t = N; t < ALL; t++)
            moved.x[t * D + 1] = 12;
        check_ok(fit(&cases[i], &rows, 1, &model));
        predict(model, &rows, VOLT_START_CONTINUE, first);
        predict(model, &moved, VOLT_START_CONTINUE, second);
        assert_memory_equal(first, second, sizeof first);
        check_ok(volt_model_save(model, path, (volt_progress){0}));
        check_ok(volt_model_load(path, &loaded));
        volt_model_get_info(loaded, &info);
        assert_true(info.d == D && info.scale_each == 1 && info.input == cases[i].input);
        assert_int_equal(info.columns,
                         (cases[i].input == VOLT_INPUT_BOTH ? 4 : 2) + (cases[i].feedback_weight > 0));
        predict(loaded, &moved, VOLT_START_CONTINUE, second);
        assert_memory_equal(first, second, sizeof first);
        check_ok(volt_model_check_range(loaded, volt_view_of(moved.x + N * D, 1, D), 0, &warning));
        assert_int_equal(warning.rows, cases[i].input == VOLT_INPUT_LEVEL);
        if (warning.rows)
            assert_int_equal(warning.column, 1);
        volt_model_free(loaded);
        volt_model_free(model);
    }
}

/* Members may be scaled differently. */
static void sums_add_members_of_both_kinds(void **state)
{
    system_rows rows = make_rows(4);
    volt_model *models[2] = {NULL, NULL}, *sum = NULL, *loaded = NULL;
    const char *path = scratch_path("sum.safetensors");
    double a[LATER], b[LATER], both[LATER];
    check_ok(fit(&cases[0], &rows, 1, &models[0]));
    check_ok(fit(&cases[0], &rows, 0, &models[1]));
    check_ok(volt_model_sum((const volt_model *const *)models, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    check_ok(volt_model_save(sum, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &loaded));
    predict(models[0], &rows, VOLT_START_CONTINUE, a);
    predict(models[1], &rows, VOLT_START_CONTINUE, b);
    predict(loaded, &rows, VOLT_START_CONTINUE, both);
    for (int64_t i = 0; i < LATER; i++)
        assert_true(fabs(both[i] - (a[i] + b[i]) / 2) <= 4 * DBL_EPSILON * (fabs(a[i]) + fabs(b[i])));
    volt_model_free(loaded);
    volt_model_free(sum);
    volt_model_free(models[0]);
    volt_model_free(models[1]);
}

/* A stream that learns keeps the weights, in any unit. */
static void learned_models_keep_weights(void **state)
{
    system_rows rows = make_rows(5), other = in_units(&rows, (double[D]){4096, 1, 0x1p-10});
    const system_rows *both[] = {&rows, &other};
    double out[2][LATER];
    for (int i = 0; i < 2; i++) {
        volt_model *model = NULL, *grown = NULL;
        volt_live *live = NULL;
        volt_live_options options = volt_live_options_default();
        volt_model_info info = {.struct_size = sizeof info};
        options.learn = 1;
        check_ok(fit(&cases[0], both[i], 1, &model));
        check_ok(volt_live_create(model, &options, &live));
        for (int64_t t = 0; t < LATER; t++) {
            check_ok(volt_live_feed(live, both[i]->x + (N + t) * D, &out[i][t]));
            check_ok(volt_live_learn(live, 0, &both[i]->y[N + t]));
        }
        check_ok(volt_live_model(live, 0, (volt_progress){0}, &grown));
        volt_model_get_info(grown, &info);
        assert_true(info.scale_each == 1 && info.d == D && info.n == ALL);
        volt_model_free(grown);
        volt_live_free(live);
        volt_model_free(model);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
}

static void impossible_weights_are_rejected(void **state)
{
    system_rows rows = make_rows(6);
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_prepared *prepared = NULL;
    volt_view X = volt_view_of(rows.x, N, D), Y = volt_view_of(rows.y, N, 1);
    check_ok(volt_kernel_parse("rbf", &kernel));
    options.scale_each = 1;
    options.scale = 0;
    check_fails(volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model), VOLT_ERR_ARGUMENT,
                "scale_each");
    check_fails(volt_prepare(X, Y, &options, N, &prepared), VOLT_ERR_ARGUMENT, "scale_each");
    options.scale = 1;
    for (int64_t t = 0; t < N; t++)
        rows.x[t * D + 2] *= 1e-310;
    check_fails(volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model), VOLT_ERR_NOT_FINITE,
                "input 3");
    for (int64_t i = 0; i < N * D; i++)
        rows.x[i] = 2.5;
    check_fails(volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model), VOLT_ERR_DATA,
                "constant");
    assert_true(!model && !prepared);
    volt_kernel_free(kernel);
}

static void allocations_may_fail(void **state)
{
    system_rows rows = make_rows(7);
    check_ok(volt_set_threads(1));
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_prepared *prepared = NULL;
        volt_fit_options options = volt_fit_options_default();
        options.scale_each = 1;
        options.initial = VOLT_INITIAL_MEAN;
        failing_alloc_start(k);
        volt_status status =
            volt_prepare(volt_view_of(rows.x, N, D), volt_view_of(rows.y, N, 1), &options, N, &prepared);
        volt_prepared_free(prepared);
        failing_alloc_check(status);
    }
    check_ok(volt_set_threads(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_do_not_depend_on_units),
        cmocka_unit_test(volterra_kernels_have_units),
        cmocka_unit_test(constant_inputs_are_ignored),
        cmocka_unit_test(sums_add_members_of_both_kinds),
        cmocka_unit_test(learned_models_keep_weights),
        cmocka_unit_test(impossible_weights_are_rejected),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("scale_each", tests, NULL, NULL);
}
