/* tests/unit/model/test_model_options.c: invalid arguments of live objects, predictions, exports, plans and
 * searches. Every call changes one argument of a valid call. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra.h"
#include "volterra/export.h"

enum { N = 30 };

static double *rows;
static volt_view X;
static volt_kernel *kernel;
static volt_model *model, *fed; /* `fed` has output feedback */

static int make_models(void **state)
{
    volt_rng rng = test_rng(2);
    volt_fit_options options = volt_fit_options_default();
    rows = normal_rows(&rng, N, 2);
    X = volt_view_of(rows, N, 1);
    kernel = plain_parse("fir");
    check_ok(volt_model_fit(kernel, X, X, NULL, (volt_matrix){0}, &model));
    options.feedback_weight = 0.5;
    options.alpha = 0.1;
    check_ok(volt_model_fit(kernel, X, volt_view_of(rows + N, N, 1), &options, (volt_matrix){0}, &fed));
    return 0;
}

static int free_models(void **state)
{
    volt_model_free(fed);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(rows);
    return 0;
}

/* ---- live objects ------------------------------------------------------------------------------- */

static void live_arguments(void **state)
{
    volt_live *live = NULL, *copy = NULL;
    volt_live_options options = volt_live_options_default();
    volt_live_info info = {.struct_size = sizeof info};
    volt_detection detection = {.struct_size = sizeof detection};
    volt_model *made = NULL;
    double x = 1, y = 0, coverage = 0.9;
    volt_matrix out = volt_matrix_of(&y, 1, 1);
    volt_view one = volt_view_of(&x, 1, 1);
    check_ok(volt_live_create(model, NULL, &live));
    check_fails(volt_live_create(NULL, NULL, &copy), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_live_create(model, NULL, NULL), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_load(NULL, NULL, "state", &copy), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_live_load(model, NULL, NULL, &copy), VOLT_ERR_ARGUMENT, "path");
    check_fails(volt_live_load(model, NULL, "state", NULL), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_copy(NULL, &copy), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_copy(live, NULL), VOLT_ERR_ARGUMENT, "copy");
    check_fails(volt_live_interval(NULL, &y), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_interval(live, NULL), VOLT_ERR_ARGUMENT, "half");
    check_fails(volt_live_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_get_info(live, NULL), VOLT_ERR_ARGUMENT, "info");
    check_fails(volt_live_coefficients(NULL, out, &y, NULL), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_coefficients(live, out, NULL, NULL), VOLT_ERR_ARGUMENT, "intercepts");
    check_fails(volt_live_coefficients(live, out, &y, NULL), VOLT_ERR_ARGUMENT, "learn");
    check_fails(volt_live_detect(NULL, &x, NULL, &detection), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_detect(live, NULL, NULL, &detection), VOLT_ERR_ARGUMENT, "row");
    check_fails(volt_live_detect(live, &x, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_detect(live, &x, NULL, &detection), VOLT_ERR_ARGUMENT, "alarm_rate");
    check_fails(volt_live_save(NULL, "state"), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_save(live, NULL), VOLT_ERR_ARGUMENT, "path");
    check_fails(volt_live_model(NULL, 0, (volt_progress){0}, &made), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_model(live, 0, (volt_progress){0}, NULL), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_live_model(live, 0, (volt_progress){0}, &made), VOLT_ERR_ARGUMENT, "learn");
    check_fails(volt_live_feed(NULL, &x, &y), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_feed(live, NULL, &y), VOLT_ERR_ARGUMENT, "input");
    check_fails(volt_live_feed(live, &x, NULL), VOLT_ERR_ARGUMENT, "output");
    check_fails(volt_live_learn(NULL, 0, &y), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_learn(live, 0, NULL), VOLT_ERR_ARGUMENT, "target");
    check_fails(volt_live_update(NULL, &x, 0, &y, NULL), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_update(live, NULL, 0, &y, NULL), VOLT_ERR_ARGUMENT, "input");
    check_fails(volt_live_update(live, &x, 0, NULL, NULL), VOLT_ERR_ARGUMENT, "target");
    check_fails(volt_live_drop(NULL, 0), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_restart(NULL), VOLT_ERR_ARGUMENT, "live");
    check_fails(volt_live_predict(NULL, one, 0, out, NULL), VOLT_ERR_ARGUMENT, "live");
    options.start = (volt_start)7;
    check_fails(volt_live_create(model, &options, &copy), VOLT_ERR_ARGUMENT, "start");
    for (int64_t count = -1; count < 2; count += 2) { /* less than 0, and without coverages */
        options = volt_live_options_default();
        options.n_coverages = count;
        options.coverages = count < 0 ? &coverage : NULL;
        check_fails(volt_live_create(model, &options, &copy), VOLT_ERR_ARGUMENT, "n_coverages");
    }
    assert_true(!copy && !made);
    volt_live_free(live);
}

/* ---- predictions -------------------------------------------------------------------------------- */

static void known_outputs_arguments(void **state)
{
    double out[N], broken[N];
    volt_matrix to = volt_matrix_of(out, N, 1);
    volt_predict_options base = volt_predict_options_default(), options = base;
    for (int i = 0; i < N; i++)
        broken[i] = i == 1 ? NAN : 0;
    options.warm_up = -1;
    check_fails(volt_model_predict(fed, X, &options, to, NULL), VOLT_ERR_ARGUMENT, "warm-up");
    options.warm_up = 2;
    check_fails(volt_model_predict(fed, X, &options, to, NULL), VOLT_ERR_ARGUMENT, "known outputs");
    options.known = X;
    check_fails(volt_model_predict(model, X, &options, to, NULL), VOLT_ERR_ARGUMENT, "feedback");
    options.warm_up = N + 1;
    check_fails(volt_model_predict(fed, X, &options, to, NULL), VOLT_ERR_ARGUMENT, "warm-up 31 30");
    options.warm_up = 2;
    options.known = volt_view_of(broken, N, 1);
    check_fails(volt_model_predict(fed, X, &options, to, NULL), VOLT_ERR_NOT_FINITE, "2");
    const volt_view shapes[] = {volt_view_of(rows, N - 1, 1), volt_view_of(rows, N, 2)};
    for (int i = 0; i < 2; i++) {
        options.known = shapes[i];
        check_fails(volt_model_predict(fed, X, &options, to, NULL), VOLT_ERR_SHAPE, "known outputs");
    }
}

/* ---- exports ------------------------------------------------------------------------------------ */

static void export_arguments(void **state)
{
    volt_export_options base = {.struct_size = sizeof base, .format = VOLT_EXPORT_C}, options = base;
    const double coverage = 0.9;
    check_fails(volt_model_export(NULL, &base, "model.c", NULL), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_model_export(model, &base, NULL, NULL), VOLT_ERR_ARGUMENT, "path");
    check_fails(volt_model_export(model, &base, "model.h", NULL), VOLT_ERR_ARGUMENT, ".c model.h");
    options.format = (volt_export_format)9;
    check_fails(volt_model_export(model, &options, "model.c", NULL), VOLT_ERR_ARGUMENT, "format 9");
    options = base;
    options.name = "1 name";
    check_fails(volt_model_export(model, &options, "model.c", NULL), VOLT_ERR_ARGUMENT, "name");
    options.name = "name";
    options.format = VOLT_EXPORT_JSON;
    check_fails(volt_model_export(model, &options, "model.json", NULL), VOLT_ERR_ARGUMENT, "JSON");
    options.name = NULL;
    options.single = 1;
    check_fails(volt_model_export(model, &options, "model.json", NULL), VOLT_ERR_ARGUMENT, "JSON");
    options = base;
    options.landmarks = -1;
    check_fails(volt_model_export(model, &options, "model.c", NULL), VOLT_ERR_ARGUMENT, "landmarks");
    for (int64_t count = -1; count < 2; count += 2) {
        options = base;
        options.n_coverages = count;
        options.coverages = count < 0 ? &coverage : NULL;
        check_fails(volt_model_export(model, &options, "model.c", NULL), VOLT_ERR_ARGUMENT, "n_coverages");
    }
}

/* ---- searches ----------------------------------------------------------------------------------- */

static void plan_arguments(void **state)
{
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_options base = volt_search_options_default(), options;
    const int64_t shapes[][3] = {{0, 1, 1}, {N, 0, 1}, {N, 1, 0}};
    const double alphas[] = {-1, INFINITY, NAN};
    const int64_t length = N;
    base.draws = 2;
    check_fails(volt_plan_search(NULL, N, 1, 1, 1, &base, 0, &plan), VOLT_ERR_ARGUMENT, "kernel");
    check_fails(volt_plan_search(kernel, N, 1, 1, 1, &base, 0, NULL), VOLT_ERR_ARGUMENT, "plan");
    for (int i = 0; i < 3; i++) {
        check_fails(volt_plan_search(kernel, shapes[i][0], shapes[i][1], shapes[i][2], 1, &base, 0, &plan),
                    VOLT_ERR_ARGUMENT, "0");
        check_fails(volt_plan_search(kernel, N, 1, 1, alphas[i], &base, 0, &plan), VOLT_ERR_ARGUMENT, "alpha");
    }
    options = base;
    options.draws = 0;
    check_fails(volt_plan_search(kernel, N, 1, 1, 1, &options, 0, &plan), VOLT_ERR_ARGUMENT, "draws");
    for (int i = 0; i < 4; i++) {
        options = base;
        options.loss = i == 0 ? "huber:delta=1" : NULL;
        options.weights = i == 1 ? rows : NULL;
        options.records = &length;
        options.n_records = i == 2;
        options.base = i == 3 ? X : (volt_view){0};
        check_fails(volt_plan_search(kernel, N, 1, 1, 1, &options, 0, &plan), VOLT_ERR_ARGUMENT, "planned");
    }
    check_fails(volt_search_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "search");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_arguments),
        cmocka_unit_test(known_outputs_arguments),
        cmocka_unit_test(export_arguments),
        cmocka_unit_test(plan_arguments),
    };
    return cmocka_run_group_tests(tests, make_models, free_models);
}
