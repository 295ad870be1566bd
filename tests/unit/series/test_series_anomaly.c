/* tests/unit/series/test_series_anomaly.c: series anomaly scores: comparison with the separate steps, kernel
 * selection, errors. */
#include "kernel/kernel_entry.h"
#include "series/anomaly/variance_norm.h"
#include "series/gram/objects_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/series.h"

enum { NORMAL = 10, OTHERS = 6, STEPS = 14, CHANNELS = 2 };

/* Waves of one frequency, and of another. */
typedef struct waves {
    double values[NORMAL + OTHERS][STEPS * CHANNELS];
    volt_view series[NORMAL + OTHERS];
} waves;

static void make_waves(waves *made)
{
    volt_rng rng = test_rng(12);
    for (int i = 0; i < NORMAL + OTHERS; i++) {
        double phase = 0.5 * volt_rng_uniform(&rng);
        int64_t rows = STEPS - i % 3; /* different lengths */
        for (int64_t t = 0; t < rows; t++)
            for (int k = 0; k < CHANNELS; k++)
                made->values[i][t * CHANNELS + k] =
                    sin((i < NORMAL ? 0.5 : 0.9) * (double)t + phase + k) + 0.2 * volt_rng_normal(&rng);
        made->series[i] = volt_view_of(made->values[i], rows, CHANNELS);
    }
}

static void detector_equals_its_parts(void **state)
{
    waves made;
    make_waves(&made);
    volt_series_anomaly *whole = NULL;
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    options.score = VOLT_ANOMALY_MAHALANOBIS;
    check_ok(volt_series_anomaly_fit("gak:sigma=0.5", made.series, NORMAL, made.series + NORMAL, OTHERS,
                                     &options, &whole));

    volt_objects *objects = NULL;
    volt_kernel *kernel = NULL;
    volt_anomaly *detector = NULL;
    double K[NORMAL * NORMAL], C[OTHERS * NORMAL], expected[OTHERS], scores[OTHERS];
    check_ok(volt_kernel_parse("gak:sigma=0.5", &kernel));
    check_ok(volt_objects_create(made.series, NORMAL, NULL, &objects));
    check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, NORMAL, NORMAL)));
    check_ok(volt_objects_cross(objects, kernel, made.series + NORMAL, OTHERS, NULL,
                                volt_matrix_of(C, OTHERS, NORMAL), NULL));
    volt_anomaly_options of_parts = volt_anomaly_options_default();
    of_parts.score = VOLT_ANOMALY_MAHALANOBIS;
    of_parts.examples = volt_view_of(C, OTHERS, NORMAL);
    check_ok(volt_anomaly_fit(volt_view_of(K, NORMAL, NORMAL), &of_parts, &detector));
    check_ok(volt_anomaly_score(detector, volt_view_of(C, OTHERS, NORMAL), expected));

    volt_anomaly_info info = {.struct_size = sizeof info}, info_of_parts;
    check_ok(volt_series_anomaly_score(whole, made.series + NORMAL, OTHERS, (volt_progress){0}, scores));
    assert_memory_equal(scores, expected, sizeof scores);
    check_ok(volt_series_anomaly_get_info(whole, &info));
    assert_string_equal(info.kernel, volt_kernel_text(kernel));
    volt_anomaly_get_info(detector, &info_of_parts);
    assert_true(info.tried == 1 && info.alpha == info_of_parts.alpha &&
                info.threshold == info_of_parts.threshold);
    assert_true(info.rate < info.least && info.n_warnings == 1 &&
                info.warnings[0].code == VOLT_WARNING_RATE_TOO_SMALL && info.warnings[0].value == info.least);
    for (int i = 0; i < NORMAL; i++)
        assert_true(info.scores[i] == info.growth * info.left_out[i]);
    volt_anomaly_free(detector);
    volt_objects_free(objects);
    volt_kernel_free(kernel);
    volt_series_anomaly_free(whole);
}

/* The selected random kernel scores at least as well on the examples as the given one. */
static void draws_are_scored_on_examples(void **state)
{
    waves made;
    make_waves(&made);
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    double merit[2];
    for (int run = 0; run < 2; run++) {
        volt_series_anomaly *anomaly = NULL;
        volt_anomaly_info info = {.struct_size = sizeof info};
        options.draws = run * 8;
        check_ok(volt_series_anomaly_fit("gak:sigma=100", made.series, NORMAL, made.series + NORMAL, OTHERS,
                                         &options, &anomaly));
        check_ok(volt_series_anomaly_get_info(anomaly, &info));
        merit[run] = info.areas.roc_auc + info.areas.pr_auc;
        assert_true(info.tried >= 1 && info.tried <= 1 + options.draws);
        volt_series_anomaly_free(anomaly);
    }
    assert_true(merit[1] >= merit[0]);
    /* A kernel with open parameters is only drawn at random. */
    volt_series_anomaly *anomaly = NULL;
    check_ok(volt_series_anomaly_fit("gak:sigma=?", made.series, NORMAL, made.series + NORMAL, OTHERS, &options,
                                     &anomaly));
    volt_series_anomaly_free(anomaly);
}

static int cancel_later(const char *stage, double fraction, void *calls)
{
    (void)stage, (void)fraction;
    return --*(int *)calls == 0;
}

/* Cancelled after a few kernels, the largest number of draws is a search like any other. */
static void draws_without_end(void **state)
{
    waves made;
    make_waves(&made);
    int calls = 500;
    volt_series_anomaly *anomaly = NULL;
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    options.draws = INT64_MAX;
    options.progress = (volt_progress){cancel_later, &calls};
    check_fails(volt_series_anomaly_fit("volterra", made.series, NORMAL, made.series + NORMAL, OTHERS, &options,
                                        &anomaly),
                VOLT_ERR_CANCELLED, "");
    assert_int_equal(calls, 0);
    assert_null(anomaly);
}

static void failures_set_error_messages(void **state)
{
    waves made;
    make_waves(&made);
    volt_series_anomaly *anomaly = NULL;
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    check_fails(volt_series_anomaly_fit("gak", made.series, 2, NULL, 0, NULL, &anomaly), VOLT_ERR_SHAPE,
                "at 3");
    check_fails(volt_series_anomaly_fit("gakk", made.series, NORMAL, NULL, 0, NULL, &anomaly), VOLT_ERR_KERNEL,
                "gak");
    check_fails(volt_series_anomaly_fit(NULL, made.series, NORMAL, NULL, 0, NULL, &anomaly), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_series_anomaly_fit("gak", made.series, NORMAL, NULL, 2, NULL, &anomaly), VOLT_ERR_ARGUMENT,
                "NULL");
    options.draws = 3;
    check_fails(volt_series_anomaly_fit("gak", made.series, NORMAL, NULL, 0, &options, &anomaly),
                VOLT_ERR_ARGUMENT, "draws");
    options.draws = -1;
    check_fails(volt_series_anomaly_fit("gak", made.series, NORMAL, NULL, 0, &options, &anomaly),
                VOLT_ERR_ARGUMENT, "-1 draws");
    assert_null(anomaly);
    volt_series_anomaly_free(NULL);

    options.draws = 1;
    options.alpha = 0.1;
    double score = 0;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        anomaly = NULL;
        volt_status status =
            volt_series_anomaly_fit("volterra", made.series, 3, made.series + NORMAL, 1, &options, &anomaly);
        if (status == VOLT_OK)
            status = volt_series_anomaly_score(anomaly, made.series, 1, (volt_progress){0}, &score);
        volt_series_anomaly_free(anomaly);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detector_equals_its_parts),
        cmocka_unit_test(draws_are_scored_on_examples),
        cmocka_unit_test_setup_teardown(draws_without_end, poll_always, poll_as_usual),
        cmocka_unit_test(failures_set_error_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
