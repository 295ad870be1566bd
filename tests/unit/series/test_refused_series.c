/* tests/unit/series/test_refused_series.c: invalid arguments of detectors, classifiers and collections of series:
 * each argument in turn, with its message, and unchanged outputs. */
#include "series/anomaly/variance_norm.h"
#include "series/gram/objects_internal.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/kernel.h"
#include "volterra/live.h"
#include "volterra/series.h"

enum { SERIES = 8, STEPS = 6 };
static double steps[SERIES * STEPS];
static volt_view series[SERIES];
static int64_t classes[SERIES];

/* Two classes of single-channel series: one rises, one falls. */
static int draw_series(void **state)
{
    volt_rng rng = test_rng(12);
    for (int i = 0; i < SERIES; i++) {
        classes[i] = i % 2;
        series[i] = volt_view_of(steps + i * STEPS, STEPS, 1);
        for (int t = 0; t < STEPS; t++)
            steps[i * STEPS + t] = (i % 2 ? t : -t) + 0.1 * volt_rng_normal(&rng);
    }
    return 0;
}

/* ---- anomaly ------------------------------------------------------------------------------------ */

static void detectors(void **state)
{
    double K[9] = {1, 0.2, 0.1, 0.2, 1, 0.3, 0.1, 0.3, 1}, scores[3] = {-7, -7, -7};
    volt_anomaly *detector = NULL;
    volt_anomaly_options options = volt_anomaly_options_default();
    static const double wrong[] = {-1, INFINITY, NAN};
    for (int w = 0; w < 3; w++) {
        options.alpha = wrong[w];
        check_fails(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector), VOLT_ERR_ARGUMENT, "alpha");
    }
    options.alpha = 0.1;
    static const double rates[] = {-1, 0, 1, NAN};
    for (int w = 0; w < 4; w++) {
        options.rate = rates[w];
        check_fails(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector), VOLT_ERR_ARGUMENT, "rate");
    }
    options.rate = 0.1;
    options.score = (volt_anomaly_kind)7;
    check_fails(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector), VOLT_ERR_ARGUMENT, "score 7");
    assert_null(detector);
    options.score = VOLT_ANOMALY_MAHALANOBIS;
    check_ok(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector));
    check_fails(volt_anomaly_score(NULL, volt_view_of(K, 3, 3), scores), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_anomaly_score(detector, volt_view_of(NULL, 3, 3), scores), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_anomaly_score(detector, volt_view_of(K, 3, 3), NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_anomaly_score(detector, volt_view_of(K, 3, 2), scores), VOLT_ERR_SHAPE, "2 columns");
    assert_true(scores[0] == -7);
    check_fails(
        volt_series_anomaly_get_info(NULL, &(volt_anomaly_info){.struct_size = sizeof(volt_anomaly_info)}),
        VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_model_get_info(NULL, &(volt_series_info){.struct_size = sizeof(volt_series_info)}),
                VOLT_ERR_ARGUMENT, "NULL");
    volt_anomaly_free(detector);
    detector = NULL;
    double examples[6] = {0.1, 0.2, 0.3, 0.1, NAN, 0.3};
    options.examples = volt_view_of(examples, 2, 2);
    check_fails(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector), VOLT_ERR_SHAPE, "2 3");
    options.examples = volt_view_of(examples, 2, 3);
    check_fails(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector), VOLT_ERR_NOT_FINITE, "examples");
    options.examples = (volt_view){0};
    check_fails(volt_anomaly_fit(volt_view_of(K, 2, 2), &options, &detector), VOLT_ERR_SHAPE, "3 2");
    check_fails(volt_anomaly_fit(volt_view_of(K, 3, 2), &options, &detector), VOLT_ERR_SHAPE, "3 2");
    /* The spread of three equal series is rounding, compared with the largest entry of the diagonal. */
    double same[9] = {0, 0, 0, 0, 1, 0, 0, 2 - 4e-15, 1};
    check_fails(volt_anomaly_fit(volt_view_of(same, 3, 3), &options, &detector), VOLT_ERR_DATA, "3");
    K[8] = NAN;
    check_fails(volt_anomaly_fit(volt_view_of(K, 3, 3), &options, &detector), VOLT_ERR_NOT_FINITE, "Gram");
    assert_null(detector);

    volt_series_anomaly *anomaly = NULL;
    volt_series_anomaly_options asked = volt_series_anomaly_options_default();
    asked.alpha = 0.1;
    check_fails(volt_series_anomaly_fit(NULL, series, 4, NULL, 0, &asked, &anomaly), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_anomaly_fit("rbf", NULL, 4, NULL, 0, &asked, &anomaly), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_anomaly_fit("rbf", series, 4, NULL, 0, &asked, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_anomaly_fit("rbf", series, 4, NULL, 1, &asked, &anomaly), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_series_anomaly_fit("rbf", series, 2, NULL, 0, &asked, &anomaly), VOLT_ERR_SHAPE, "at 3");
    check_fails(volt_series_anomaly_fit("rbf", series, 4, series, -1, &asked, &anomaly), VOLT_ERR_ARGUMENT,
                "0");
    asked.draws = -1;
    check_fails(volt_series_anomaly_fit("rbf", series, 4, NULL, 0, &asked, &anomaly), VOLT_ERR_ARGUMENT, "0");
    asked.draws = 2;
    check_fails(volt_series_anomaly_fit("rbf", series, 4, NULL, 0, &asked, &anomaly), VOLT_ERR_ARGUMENT,
                "examples");
    assert_null(anomaly);
    asked.draws = 0;
    check_ok(volt_series_anomaly_fit("rbf:gamma=0.1", series, 4, NULL, 0, &asked, &anomaly));
    check_fails(volt_series_anomaly_score(NULL, series, 1, (volt_progress){0}, scores), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_series_anomaly_score(anomaly, NULL, 1, (volt_progress){0}, scores), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_series_anomaly_score(anomaly, series, 1, (volt_progress){0}, NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_series_anomaly_score(anomaly, series, 0, (volt_progress){0}, scores), VOLT_ERR_ARGUMENT,
                "series");
    assert_true(scores[0] == -7);
    volt_series_anomaly_free(anomaly);
}

static void invalid_watch_options(void **state)
{
    enum { N = 20 };
    double x[N], forecast;
    volt_rng rng = test_rng(13);
    for (int t = 0; t < N; t++)
        x[t] = sin(0.5 * t) + 0.01 * volt_rng_normal(&rng);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL, *other = NULL;
    volt_live *watch = NULL;
    volt_detection row = {.struct_size = sizeof row, .score = -7};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.ahead = 1;
    options.feedback = 1;
    check_ok(volt_kernel_parse("rbf", &kernel));
    const volt_matrix nowhere = {NULL, 0, 0, 0};
    check_ok(volt_model_fit(kernel, volt_view_of(x, N - 1, 1), volt_view_of(x + 1, N - 1, 1), &options, nowhere,
                            &model));
    options.ahead = 2;
    check_ok(volt_model_fit(kernel, volt_view_of(x, N - 2, 1), volt_view_of(x + 2, N - 2, 1), &options, nowhere,
                            &other));
    volt_kernel_free(kernel);
    volt_live_options asked = volt_live_options_default();
    asked.alarm_rate = 0.001;
    check_fails(volt_live_create(NULL, &asked, &watch), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_create(model, &asked, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_create(other, &asked, &watch), VOLT_ERR_ARGUMENT, "2 rows ahead");
    static const double rates[] = {-1, 1, NAN};
    for (int w = 0; w < 3; w++) {
        asked.alarm_rate = rates[w];
        check_fails(volt_live_create(model, &asked, &watch), VOLT_ERR_ARGUMENT, "rate");
    }
    assert_null(watch);
    asked.alarm_rate = 0.001;
    check_ok(volt_live_create(model, &asked, &watch));
    check_fails(volt_live_detect(NULL, x, &forecast, &row), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_detect(watch, NULL, &forecast, &row), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_detect(watch, x, &forecast, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(row.score == -7);
    volt_live_free(watch);
    volt_model_free(other);
    volt_model_free(model);
}

/* ---- classify ----------------------------------------------------------------------------------- */

static volt_series_options small_options(void)
{
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf:gamma=0.1";
    options.alpha = 0.1;
    options.draws = 0;
    options.splits = 0;
    return options;
}

#define not_classified(sentence, ...)                                                                          \
    do {                                                                                                       \
        volt_series_options o = small_options();                                                               \
        volt_series_model *none = NULL;                                                                        \
        __VA_ARGS__;                                                                                           \
        check_fails(volt_series_fit(series, SERIES, classes, 2, (volt_view){0}, &o, &none), VOLT_ERR_ARGUMENT, \
                    sentence);                                                                                 \
        assert_null(none);                                                                                     \
    } while (0)

static void options_of_classifiers(void **state)
{
    const volt_range about_alpha[] = {{.name = NULL}, {.name = "alpha"}};
    const volt_series_kernel unnamed[] = {{.kernel = NULL}};
    not_classified("scale -2", o.scale = -2);
    not_classified("scale 3", o.scale = 3);
    not_classified("input -2", o.input = -2);
    not_classified("input 3", o.input = 3);
    not_classified("compare -2", o.compare = -2);
    not_classified("compare 2", o.compare = 2);
    not_classified("alpha -1", o.alpha = -1);
    not_classified("alpha inf", o.alpha = INFINITY);
    not_classified("draws -2", o.draws = -2);
    not_classified("blend 0", o.blend = 0);
    not_classified("blend 9", o.blend = 9);
    not_classified("the budget -2", o.budget = -2);
    not_classified("budget nan", o.budget = NAN);
    not_classified("screen -2", o.screen = -2);
    not_classified("landmarks -2", o.landmarks = -2);
    not_classified("folds 11", o.folds = 11);
    not_classified("splits -1", o.splits = -1);
    not_classified("held_out 0", o.held_out = 0);
    not_classified("held_out 1", o.held_out = 1);
    not_classified("kernels -1", o.n_parts = -1);
    not_classified("kernels 9", o.n_parts = 9);
    not_classified("kernel 1", o.n_parts = 1);
    not_classified("kernel 1", o.n_parts = 1, o.parts = unnamed);
    not_classified("range alpha", o.n_ranges = 2, o.ranges = about_alpha);
    not_classified("loss hinge", o.loss = "hinge");
    /* Values at their bounds are accepted: the last check, of the ranges, fails instead. */
    const int at_bounds[][3] = {{-1, -1, -1}, {2, 2, 1}};
    for (int i = 0; i < 2; i++)
        not_classified("range alpha", o.n_ranges = 2, o.ranges = about_alpha, o.scale = at_bounds[i][0],
                       o.input = at_bounds[i][1], o.compare = at_bounds[i][2], o.blend = i ? 8 : 1,
                       o.folds = i ? 10 : 2, o.budget = i - 1, o.draws = i - 1, o.screen = i - 1,
                       o.landmarks = i - 1, o.alpha = 0);
}

static void series_of_classifiers(void **state)
{
    volt_series_options options = small_options();
    volt_series_model *classifier = NULL;
    const int64_t one[SERIES] = {0}, beyond[SERIES] = {0, 1, 2}, below[SERIES] = {0, 1, -1};
    check_fails(volt_series_fit(series, SERIES, classes, 2, (volt_view){0}, &options, NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_series_fit(series, SERIES, NULL, 2, (volt_view){0}, &options, &classifier), VOLT_ERR_SHAPE,
                "classes");
    check_fails(volt_series_fit(series, 0, classes, 2, (volt_view){0}, &options, &classifier), VOLT_ERR_SHAPE,
                "series");
    check_fails(volt_series_fit(series, SERIES, beyond, 2, (volt_view){0}, &options, &classifier),
                VOLT_ERR_ARGUMENT, "series 3 2");
    check_fails(volt_series_fit(series, SERIES, below, 2, (volt_view){0}, &options, &classifier),
                VOLT_ERR_ARGUMENT, "series 3 -1");
    check_fails(volt_series_fit(series, SERIES, one, 2, (volt_view){0}, &options, &classifier), VOLT_ERR_DATA,
                "class");
    options.loss = "multinomial";
    check_fails(volt_series_fit(series, SERIES, classes, 100000, (volt_view){0}, &options, &classifier),
                VOLT_ERR_ARGUMENT, "100000");
    assert_null(classifier);

    options.loss = NULL;
    check_ok(volt_series_fit(series, SERIES, classes, 2, (volt_view){0}, &options, &classifier));
    double out[3 * SERIES] = {-7};
    int64_t found[SERIES];
    check_fails(volt_series_model_predict(NULL, series, 2, (volt_progress){0}, volt_matrix_of(out, 2, 2),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_model_predict(classifier, NULL, 2, (volt_progress){0}, volt_matrix_of(out, 2, 2),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "empty");
    check_fails(volt_series_model_predict(classifier, series, 0, (volt_progress){0}, volt_matrix_of(out, 0, 2),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "empty");
    check_fails(volt_series_model_predict(classifier, series, 2, (volt_progress){0}, volt_matrix_of(NULL, 2, 2),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_model_predict(classifier, series, 2, (volt_progress){0}, volt_matrix_of(out, 3, 2),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "x 3 2");
    check_fails(volt_series_model_predict(classifier, series, 2, (volt_progress){0}, volt_matrix_of(out, 2, 3),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "x 2 3");
    check_fails(volt_series_model_predict(classifier, series, 2, (volt_progress){0},
                                          (volt_matrix){out, 2, 2, 1}, volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "leading 1");
    assert_true(out[0] == -7);
    /* Valid arguments give the correct result. */
    check_ok(volt_series_model_predict(classifier, series, SERIES, (volt_progress){0},
                                       volt_matrix_of(out, SERIES, 2), volt_matrix_of(NULL, 0, 0), found));
    for (int i = 0; i < SERIES; i++)
        assert_int_equal(found[i], classes[i]);
    volt_series_model_free(classifier);
}

static void numbers_of_series(void **state)
{
    const volt_matrix none = volt_matrix_of(NULL, 0, 0);
    const volt_progress silent = {0};
    volt_series_options options = small_options();
    volt_series_model *model = NULL;
    volt_series_info info = {.struct_size = sizeof info};
    double y[SERIES], out[SERIES] = {-7};
    int64_t found[SERIES] = {-7};
    for (int i = 0; i < SERIES; i++)
        y[i] = (double)classes[i];
    const volt_view Y = volt_view_of(y, SERIES, 1);
    options.alpha = INFINITY;
    check_fails(volt_series_fit(series, SERIES, NULL, 0, Y, &options, &model), VOLT_ERR_ARGUMENT, "alpha inf");
    options.alpha = 0.1;
    check_fails(volt_series_fit(series, SERIES, NULL, 0, (volt_view){y, SERIES, 2, 1}, &options, &model),
                VOLT_ERR_SHAPE, "Y");
    assert_null(model);
    check_ok(volt_series_fit(series, SERIES, NULL, 0, Y, &options, &model));
    check_fails(volt_series_model_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_model_get_info(model, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_series_model_predict(model, series, 2, silent, none, none, found), VOLT_ERR_ARGUMENT,
                "classes");
    check_fails(volt_series_model_predict(model, series, 2, silent, none, volt_matrix_of(out, 2, 1), NULL),
                VOLT_ERR_ARGUMENT, "probabilities");
    check_fails(volt_series_model_predict(model, series, 2, silent, none, none, NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    assert_true(out[0] == -7 && found[0] == -7);
    volt_series_model_free(model);
    model = NULL;
    check_ok(volt_series_fit(series, SERIES, classes, 2, (volt_view){0}, &options, &model));
    check_ok(volt_series_model_predict(model, series, 2, silent, none, none, found));
    assert_true(found[0] == classes[0] && found[1] == classes[1]);
    volt_series_model_free(model);
    volt_anomaly_info about = {.struct_size = sizeof about};
    check_fails(volt_series_anomaly_get_info(NULL, &about), VOLT_ERR_ARGUMENT, "NULL");
}

/* ---- collections -------------------------------------------------------------------------------- */

static void collections(void **state)
{
    volt_objects *objects = NULL;
    volt_objects_options options = volt_objects_options_default();
    volt_view uneven[2] = {series[0], volt_view_of(steps, STEPS / 2, 2)};
    check_fails(volt_objects_create(series, SERIES, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_create(NULL, SERIES, &options, &objects), VOLT_ERR_SHAPE, "empty");
    check_fails(volt_objects_create(series, 0, &options, &objects), VOLT_ERR_SHAPE, "empty");
    check_fails(volt_objects_create(uneven, 2, &options, &objects), VOLT_ERR_SHAPE, "series 2 channel");
    volt_kernel *volterra = NULL;
    double small[4];
    check_ok(volt_kernel_parse("volterra", &volterra));
    check_fails(volt_gram_collection(volterra, uneven, 2, NULL, 0, NULL, volt_matrix_of(small, 2, 2)),
                VOLT_ERR_SHAPE, "series 2 channels");
    volt_kernel_free(volterra);
    options.scale = (volt_object_scale)-1;
    check_fails(volt_objects_create(series, SERIES, &options, &objects), VOLT_ERR_ARGUMENT, "scale -1");
    options.scale = (volt_object_scale)3;
    check_fails(volt_objects_create(series, SERIES, &options, &objects), VOLT_ERR_ARGUMENT, "scale 3");
    options = volt_objects_options_default();
    options.input = (volt_object_input)-1;
    check_fails(volt_objects_create(series, SERIES, &options, &objects), VOLT_ERR_ARGUMENT, "input -1");
    options = volt_objects_options_default();
    options.compare = (volt_object_compare)-1;
    check_fails(volt_objects_create(series, SERIES, &options, &objects), VOLT_ERR_ARGUMENT, "compare -1");
    options.compare = (volt_object_compare)2;
    check_fails(volt_objects_create(series, SERIES, &options, &objects), VOLT_ERR_ARGUMENT, "compare 2");
    /* The norm of values at the limit of the double range overflows. */
    const double vast[4] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX};
    const volt_view far = volt_view_of(vast, 2, 2);
    options = volt_objects_options_default();
    options.scale = VOLT_OBJECT_SCALE_NONE;
    check_fails(volt_objects_create(&far, 1, &options, &objects), VOLT_ERR_NOT_FINITE, "");
    assert_null(objects);

    options = volt_objects_options_default();
    options.compare = VOLT_OBJECT_COMPARE_STEPS;
    check_ok(volt_objects_create(series, SERIES, &options, &objects));
    volt_kernel *kernel = NULL, *filtered = NULL;
    volt_candidates *candidates = NULL;
    check_ok(volt_kernel_parse("rbf:gamma=0.1", &kernel));
    check_ok(volt_kernel_parse("volterra:pole=0.5", &filtered));
    double K[SERIES * SERIES] = {-7};
    const volt_matrix workspace = volt_matrix_of(K, SERIES, SERIES), row = volt_matrix_of(K, 1, SERIES);
    check_fails(volt_objects_gram(NULL, kernel, NULL, workspace), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_gram(objects, NULL, NULL, workspace), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(NULL, SERIES, SERIES)), VOLT_ERR_SHAPE,
                "x 8");
    check_fails(volt_objects_gram(objects, kernel, NULL, row), VOLT_ERR_SHAPE, "x 1 8");
    check_fails(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, SERIES, 1)), VOLT_ERR_SHAPE,
                "x 8 1");
    check_fails(volt_objects_gram(objects, kernel, NULL, (volt_matrix){K, SERIES, SERIES, 1}), VOLT_ERR_SHAPE,
                "leading 1");
    check_fails(volt_objects_gram(objects, filtered, NULL, workspace), VOLT_ERR_KERNEL, "ball");
    check_fails(volt_objects_cross(NULL, kernel, series, 1, NULL, row, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_cross(objects, NULL, series, 1, NULL, row, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_candidates(NULL, "rbf", NULL, &candidates), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_candidates(objects, NULL, NULL, &candidates), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_objects_candidates(objects, "rbf", NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(!candidates && K[0] == -7);
    volt_kernel_free(filtered);
    volt_kernel_free(kernel);
    volt_objects_free(objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detectors),
        cmocka_unit_test(invalid_watch_options),
        cmocka_unit_test(options_of_classifiers),
        cmocka_unit_test(series_of_classifiers),
        cmocka_unit_test(numbers_of_series),
        cmocka_unit_test(collections),
    };
    return cmocka_run_group_tests(tests, draw_series, NULL);
}
