/* tests/unit/series/test_classify.c: classification of series: fits, search, both readouts, failures. */
#include "base/blas.h"
#include "base/memory.h"
#include "base/threads.h"
#include "series/classify/class_bench.h"
#include "series/classify/series_model.h"
#include "series/gram/objects_internal.h"
#include "support/check.h"
#include "support/polling.h"
#include "support/series_classes.h"
#include "volterra.h"

/* ---- fits ------------------------------------------------------------------------------------- */

static volt_series_model *fit(const waves *from, const volt_series_options *options)
{
    volt_series_model *classifier = NULL;
    check_ok(volt_series_fit(from->series, N, from->classes, CLASSES, (volt_view){0}, options, &classifier));
    return classifier;
}

/* Outputs and leave-one-out outputs equal those of reference fits on the Gram matrix. */
static void fit_equals_ridge_regression_on_gram_matrix(void **state)
{
    waves made;
    make_waves(4301, 0.3, false, &made);
    volt_series_options options = volt_series_options_default();
    options.kernel = "gak:sigma=1.5";
    options.scale = VOLT_OBJECT_SCALE_SERIES;
    options.input = VOLT_OBJECT_INPUT_BOTH;
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.alpha = 0.05;
    volt_series_model *classifier = fit(&made, &options);
    volt_series_info info = {.struct_size = sizeof info};
    check_ok(volt_series_model_get_info(classifier, &info));
    assert_string_equal(info.kernel, "gak:sigma=1.5");
    assert_true(info.alpha == 0.05 && info.scale == VOLT_OBJECT_SCALE_SERIES && info.tried == 1 &&
                info.failed == 0);
    assert_true(info.series == N && info.classes == CLASSES && info.channels == CHANNELS &&
                isnan(info.log_loss));

    volt_objects_options way = {VOLT_OBJECT_SCALE_SERIES, VOLT_OBJECT_INPUT_BOTH, 1,
                                VOLT_OBJECT_COMPARE_SERIES};
    volt_objects *objects = NULL;
    volt_kernel *kernel = NULL;
    double K[N * N], Y[N * CLASSES] = {0}, expected[N * CLASSES], outputs[N * CLASSES];
    int64_t found[N], right = 0;
    check_ok(volt_kernel_parse(info.kernel, &kernel));
    check_ok(volt_objects_create(made.series, N, &way, &objects));
    check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, N, N)));
    for (int i = 0; i < N; i++)
        Y[i * CLASSES + made.classes[i]] = 1;
    bool without[N] = {false};
    plain_fit(K, N, Y, CLASSES, 0.05, without, expected);
    check_ok(volt_series_model_predict(classifier, made.series, N, (volt_progress){0},
                                       volt_matrix_of(outputs, N, CLASSES), volt_matrix_of(NULL, 0, 0), found));
    for (int i = 0; i < N * CLASSES; i++)
        assert_true(fabs(outputs[i] - expected[i]) < 1e-10);
    for (int i = 0; i < N; i++)
        assert_int_equal(found[i], volt_class_of_largest(outputs + i * CLASSES, CLASSES));

    double error = 0;
    const double *left_out = info.left_out_outputs;
    for (int i = 0; i < N; i++) {
        without[i] = true;
        plain_fit(K, N, Y, CLASSES, 0.05, without, expected);
        without[i] = false;
        for (int k = 0; k < CLASSES; k++) {
            double e = Y[i * CLASSES + k] - expected[i * CLASSES + k];
            assert_true(fabs(left_out[i * CLASSES + k] - expected[i * CLASSES + k]) < 1e-10);
            error += e * e / (N * CLASSES);
        }
        right += volt_class_of_largest(expected + i * CLASSES, CLASSES) == made.classes[i];
    }
    assert_true(info.left_out == (double)right / N && fabs(info.left_out_error - error) < 1e-10);

    /* Refits every split. */
    volt_class_list classes = {N, CLASSES, made.classes};
    double sum = 0, squares = 0;
    for (int64_t s = 0; s < info.splits; s++) {
        int64_t rows[N], workspace[N], m = volt_class_split(&classes, 0.3, 0, s, workspace, rows), good = 0;
        bool out[N] = {false};
        for (int64_t i = 0; i < m; i++)
            out[rows[i]] = true;
        plain_fit(K, N, Y, CLASSES, 0.05, out, expected);
        for (int64_t i = 0; i < m; i++)
            good += volt_class_of_largest(expected + rows[i] * CLASSES, CLASSES) == made.classes[rows[i]];
        sum += (double)good / (double)m;
        squares += (double)(good * good) / (double)(m * m);
    }
    assert_int_equal(info.splits, 20);
    assert_true(fabs(info.split_mean - sum / 20) < 1e-12);
    double deviation = sqrt(squares / 20 - sum / 20 * sum / 20);
    assert_true(deviation > 0.01 && fabs(info.split_deviation - deviation) < 1e-9);
    volt_objects_free(objects);
    volt_kernel_free(kernel);
    volt_series_model_free(classifier);
}

/* The mean of the kernel over all pairs of steps, by volt_gram. */
static void steps_are_compared_with_each_other(void **state)
{
    static const char *const kernels[] = {"rbf:gamma=0.7,window=3", "memory", "volterra:tau_coef=0.5",
                                          "esn:size=7", "rbf + 0.5*fir:pole=0.4"};
    waves made;
    make_waves(4302, 0.3, false, &made);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        volt_objects_options way = {VOLT_OBJECT_SCALE_NONE, VOLT_OBJECT_INPUT_LEVEL, 0,
                                    VOLT_OBJECT_COMPARE_STEPS};
        volt_objects *objects = NULL, *normal = NULL;
        volt_kernel *kernel = NULL;
        double K[N * N], C[N * N], self[N], plain[STEPS * STEPS], radius = 0;
        check_ok(volt_kernel_parse(kernels[k], &kernel));
        check_ok(volt_objects_create(made.series, N, &way, &objects));
        check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, N, N)));
        check_ok(volt_objects_cross(objects, kernel, made.series, N, NULL, volt_matrix_of(C, N, N), self));
        volt_gram_options gram = volt_gram_options_default();
        for (int i = 0; i < N; i++) {
            check_ok(volt_radius(made.series[i], &radius));
            gram.radius = fmax(gram.radius, radius);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int64_t P = made.series[i].rows, Q = made.series[j].rows;
                double mean = 0;
                check_ok(volt_gram(kernel, made.series[i], made.series[j], &gram, volt_matrix_of(plain, P, Q)));
                for (int64_t e = 0; e < P * Q; e++)
                    mean += plain[e] / (double)(P * Q);
                assert_true(fabs(K[i * N + j] - mean) < 1e-11 && fabs(C[i * N + j] - mean) < 1e-11);
                assert_true(i != j || fabs(self[i] - mean) < 1e-11);
            }
        way.normalise = 1;
        check_ok(volt_objects_create(made.series, N, &way, &normal));
        check_ok(volt_objects_cross(normal, kernel, made.series, N, NULL, volt_matrix_of(C, N, N), self));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_true(fabs(C[i * N + j] - K[i * N + j] / sqrt(K[i * N + i] * K[j * N + j])) < 1e-11 &&
                            self[i] == 1);
        volt_objects_free(normal);
        volt_objects_free(objects);
        volt_kernel_free(kernel);
    }
}

/* The search reports the score of the chosen kernel fitted separately. A larger search is not worse. */
static void search_returns_best_kernel(void **state)
{
    waves made, others;
    make_waves(4303, 0.1, true, &made);
    make_waves(4304, 0.1, true, &others);
    volt_series_options options = volt_series_options_default();
    options.blend = 1;
    double worst = 2, outputs[N * CLASSES];
    int64_t found[N], right = 0;
    for (int64_t draws = 8; draws <= 24; draws += 16) {
        volt_series_info info = {.struct_size = sizeof info}, alone = {.struct_size = sizeof alone};
        options.draws = draws;
        volt_series_model *classifier = fit(&made, &options);
        check_ok(volt_series_model_get_info(classifier, &info));
        assert_int_equal(info.tried, draws);
        double loss = (1 - info.left_out) + 1e-3 * info.left_out_error;
        assert_true(loss <= worst);
        worst = loss;
        volt_series_options same = volt_series_options_default();
        same.kernel = info.kernel;
        same.scale = (int)info.scale;
        same.input = (int)info.input;
        same.compare = (int)info.compare;
        volt_series_model *again = fit(&made, &same);
        check_ok(volt_series_model_get_info(again, &alone));
        assert_true(alone.tried == 1 && alone.alpha == info.alpha && alone.left_out == info.left_out &&
                    alone.left_out_error == info.left_out_error);
        volt_series_model_free(again);
        check_ok(volt_series_model_predict(classifier, others.series, N, (volt_progress){0},
                                           volt_matrix_of(outputs, N, CLASSES), volt_matrix_of(NULL, 0, 0),
                                           found));
        volt_series_model_free(classifier);
    }
    for (int i = 0; i < N; i++)
        right += found[i] == others.classes[i];
    assert_true(right >= N - 4); /* of three noisy sine frequencies; 24 when written */
}

/* Checks that a classifier is ridge regression on the mean of its kernel matrices. Returns the number of
 * kernels. */
static int64_t check_mean(const waves *made, const volt_series_model *classifier)
{
    volt_series_info info = {.struct_size = sizeof info};
    double K[N * N] = {0}, own[N * N], Y[N * CLASSES] = {0}, expected[N * CLASSES], outputs[N * CLASSES];
    bool without[N] = {false};
    check_ok(volt_series_model_get_info(classifier, &info));
    for (int64_t p = 0; p < info.parts; p++) {
        volt_series_kernel part = info.kernels[p];
        volt_kernel *kernel = NULL;
        volt_objects *objects = NULL;
        volt_objects_options way = {part.scale, part.input, 1, part.compare};
        check_ok(volt_kernel_parse(part.kernel, &kernel));
        check_ok(volt_objects_create(made->series, N, &way, &objects));
        check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(own, N, N)));
        for (int i = 0; i < N * N; i++)
            K[i] += own[i] / (double)info.parts;
        volt_objects_free(objects);
        volt_kernel_free(kernel);
    }
    for (int i = 0; i < N; i++)
        Y[i * CLASSES + made->classes[i]] = 1;
    plain_fit(K, N, Y, CLASSES, info.alpha, without, expected);
    check_ok(volt_series_model_predict(classifier, made->series, N, (volt_progress){0},
                                       volt_matrix_of(outputs, N, CLASSES), volt_matrix_of(NULL, 0, 0), NULL));
    for (int i = 0; i < N * CLASSES; i++)
        assert_true(fabs(outputs[i] - expected[i]) < 1e-10);
    return info.parts;
}

/* The fitted classifier uses the mean of its kernels. It is no worse than the best single kernel, which
 * stays first. */
static void several_kernels_are_averaged(void **state)
{
    waves made;
    make_waves(4320, 0.5, true, &made);
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf | gak | linear";
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.scale = VOLT_OBJECT_SCALE_CHANNELS;
    options.input = VOLT_OBJECT_INPUT_LEVEL;
    options.alpha = 0.1; /* the condition is at most N / alpha; 1e-10 leaves a margin of 1000 */
    options.draws = 6;
    options.blend = 1;
    volt_series_info first = {.struct_size = sizeof first}, info = {.struct_size = sizeof info};
    volt_series_model *classifier = fit(&made, &options);
    check_ok(volt_series_model_get_info(classifier, &first));
    assert_int_equal(check_mean(&made, classifier), 1);
    options.blend = 3;
    volt_series_model *blended = fit(&made, &options);
    check_ok(volt_series_model_get_info(blended, &info));
    assert_string_equal(info.kernel, first.kernel);
    check_mean(&made, blended);
    assert_true(info.left_out > first.left_out ||
                (info.left_out == first.left_out && info.left_out_error <= first.left_out_error));
    volt_series_model_free(classifier);
    volt_series_model_free(blended);
}

/* A second fit with the kernels of the first gives a bitwise equal classifier. */
static void given_kernels_reproduce_the_fit(void **state)
{
    waves made, others;
    make_waves(4322, 0.5, true, &made);
    make_waves(4323, 0.5, true, &others);
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf | gak";
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.draws = 8;
    volt_series_model *classifier = fit(&made, &options);
    volt_series_info info = {.struct_size = sizeof info}, again = {.struct_size = sizeof again};
    check_ok(volt_series_model_get_info(classifier, &info));
    volt_series_options given = volt_series_options_default();
    given.parts = info.kernels;
    given.n_parts = info.parts;
    volt_series_model *twin = fit(&made, &given);
    check_ok(volt_series_model_get_info(twin, &again));
    assert_true(again.parts == info.parts && again.tried == info.parts && again.alpha == info.alpha);
    assert_string_equal(again.kernel, info.kernel);
    double outputs[N * CLASSES], same[N * CLASSES];
    volt_matrix out = volt_matrix_of(outputs, N, CLASSES), out_same = volt_matrix_of(same, N, CLASSES);
    check_ok(volt_series_model_predict(classifier, others.series, N, (volt_progress){0}, out,
                                       volt_matrix_of(NULL, 0, 0), NULL));
    check_ok(volt_series_model_predict(twin, others.series, N, (volt_progress){0}, out_same,
                                       volt_matrix_of(NULL, 0, 0), NULL));
    assert_memory_equal(outputs, same, sizeof same);
    volt_series_model_free(twin);
    /* Uses the mean of both, whether or not it is more accurate. */
    volt_series_kernel parts[2] = {
        {"rbf:gamma=0.5", VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_INPUT_LEVEL, VOLT_OBJECT_COMPARE_STEPS},
        {"linear", VOLT_OBJECT_SCALE_SERIES, VOLT_OBJECT_INPUT_BOTH, VOLT_OBJECT_COMPARE_SERIES}};
    given.parts = parts;
    given.n_parts = 2;
    given.alpha = 0.1;
    twin = fit(&made, &given);
    assert_int_equal(check_mean(&made, twin), 2);
    volt_series_model_free(twin);
    twin = NULL;
    parts[1].kernel = NULL;
    check_fails(volt_series_fit(made.series, N, made.classes, CLASSES, (volt_view){0}, &given, &twin),
                VOLT_ERR_ARGUMENT, "kernel 2");
    given.n_parts = 9;
    check_fails(volt_series_fit(made.series, N, made.classes, CLASSES, (volt_view){0}, &given, &twin),
                VOLT_ERR_ARGUMENT, "9 kernels");
    assert_null(twin);
    volt_series_model_free(classifier);
}

/* Candidates are evaluated in parallel, one per thread. The choice and its values do not depend on the
 * number of threads. */
static void threads_do_not_change_the_search(void **state)
{
    waves made, others;
    make_waves(4324, 0.5, false, &made);
    make_waves(4325, 0.5, false, &others);
    int64_t before = volt_threads();
    volt_series_info first = {0};
    double outputs[2][N * CLASSES];
    for (int64_t threads = 1; threads <= 4; threads *= 2) {
        volt_series_options options = volt_series_options_default();
        options.kernel = "gak | rbf | volterra"; /* rbf does not support series of different lengths */
        options.draws = 24;
        options.seed = 5;
        check_ok(volt_set_threads(threads));
        volt_series_model *classifier = fit(&made, &options);
        volt_series_info info = {.struct_size = sizeof info};
        check_ok(volt_series_model_get_info(classifier, &info));
        double *out = outputs[threads > 1];
        check_ok(volt_series_model_predict(classifier, others.series, N, (volt_progress){0},
                                           volt_matrix_of(out, N, CLASSES), volt_matrix_of(NULL, 0, 0), NULL));
        if (threads == 1) {
            first = info;
            assert_int_equal(info.tried, 20); /* all except rbf on series; volterra is evaluated there, too */
        } else {
            assert_memory_equal(outputs[0], outputs[1], sizeof outputs[0]);
            assert_true(info.tried == first.tried && info.failed == first.failed && info.parts == first.parts &&
                        info.alpha == first.alpha && info.left_out == first.left_out &&
                        info.left_out_error == first.left_out_error);
        }
        volt_series_model_free(classifier);
    }
    check_ok(volt_set_threads(before));
}

/* Two kernels that each separate half of the classes: the mean is chosen. */
static void better_kernel_mean_is_chosen(void **state)
{
    waves made;
    make_waves(4321, 0.3, true, &made);
    volt_class_list classes = {N, CLASSES, made.classes};
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf | linear";
    options.draws = 4;
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.scale = VOLT_OBJECT_SCALE_CHANNELS;
    options.alpha = 0.1;
    volt_blas_use use;
    volt_class_search search = {0};
    check_ok(volt_blas_claim(&use));
    check_ok(volt_class_search_open(&search, made.series, &classes, &options));
    check_ok(volt_class_search_run(&search));
    double expected[N * N] = {0};
    int64_t draws[] = {0, 2};
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < N * N; i++)
            expected[i] += search.full[draws[b]].K[i] / 2;
    for (int kept = 1; kept >= 0; kept--) { /* from stored and from recomputed matrices */
        check_ok(volt_class_blend(&search, draws, 2));
        for (int i = 0; i < N * N; i++)
            assert_true(fabs(search.bench.K.data[i] - expected[i]) < 1e-14);
        for (int64_t draw = 0; draw < search.draws && kept; draw++) {
            volt_free(search.full[draw].K);
            search.full[draw].K = NULL;
        }
    }
    /* each kernel separates none by itself, according to the records */
    for (int64_t draw = 0; draw < search.draws; draw++)
        search.full[draw].scores[0] = (volt_class_score){.alpha = 0.1, .right = 0, .error = 9};
    volt_class_choice choice;
    check_ok(volt_class_choose(&search, 0, &choice));
    assert_true(choice.parts == 2 && choice.score.right > 0);
    options.blend = 1;
    check_ok(volt_class_choose(&search, 0, &choice));
    assert_true(choice.parts == 1 && choice.score.right == 0);
    volt_class_search_release(&search);
    volt_blas_release(&use);
}

static void multinomial_gives_probabilities(void **state)
{
    waves made, others;
    make_waves(4305, 0.1, false, &made);
    make_waves(4306, 0.1, false, &others);
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf:gamma=2,window=3";
    options.compare = VOLT_OBJECT_COMPARE_STEPS;
    options.scale = VOLT_OBJECT_SCALE_CHANNELS;
    options.input = VOLT_OBJECT_INPUT_LEVEL;
    options.loss = "multinomial";
    options.splits = 0;
    volt_series_model *classifier = fit(&made, &options);
    volt_series_info info = {.struct_size = sizeof info};
    check_ok(volt_series_model_get_info(classifier, &info));
    assert_string_equal(info.loss, "multinomial");
    assert_true(info.log_loss > 0 && info.log_loss < log(CLASSES)); /* better than chance */
    assert_true(info.splits == 0 && isnan(info.split_mean));
    double outputs[N * CLASSES];
    int64_t found[N], right = 0;
    check_ok(volt_series_model_predict(classifier, others.series, N, (volt_progress){0},
                                       volt_matrix_of(outputs, N, CLASSES), volt_matrix_of(NULL, 0, 0), found));
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < CLASSES; k++) {
            assert_true(outputs[i * CLASSES + k] > 0);
            sum += outputs[i * CLASSES + k];
        }
        assert_true(fabs(sum - 1) < 1e-12);
        right += found[i] == others.classes[i];
    }
    assert_true(right >= N - 6);
    volt_series_model_free(classifier);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_arguments_are_rejected(void **state)
{
    waves made;
    make_waves(4307, 0.3, false, &made);
    volt_series_model *classifier = NULL;
    int64_t one[N] = {0}, outside[N] = {0, 5};
    check_fails(volt_series_fit(made.series, N, one, 2, (volt_view){0}, NULL, &classifier), VOLT_ERR_DATA,
                "class");
    check_fails(volt_series_fit(made.series, N, outside, 2, (volt_view){0}, NULL, &classifier),
                VOLT_ERR_ARGUMENT, "class series 2 5 0");
    check_fails(volt_series_fit(made.series, N, outside, INT64_MIN, (volt_view){0}, NULL, &classifier),
                VOLT_ERR_ARGUMENT, "number of classes -9223372036854775808");
    check_fails(volt_series_fit(NULL, 0, NULL, 2, (volt_view){0}, NULL, &classifier), VOLT_ERR_SHAPE, "series");
    static const volt_range alpha_range = {.name = "alpha"};
    static const struct {
        volt_series_options options;
        volt_status status;
        const char *sentence;
    } cases[] = {
        {{.scale = 3, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "scale 3"},
        {{.input = -2, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "input -2"},
        {{.compare = 2, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "compare 2"},
        {{.alpha = -1, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "alpha -1"},
        {{.draws = -2, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "draws -2"},
        {{.budget = -2, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "budget -2 seconds"},
        {{.screen = -2, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "screen -2"},
        {{.screen = 5, .draws = 1, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "screen 5"},
        {{.landmarks = 25, .draws = 1, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "landmarks 25 24"},
        {{.landmarks = 8, .loss = "multinomial", .held_out = 0.3, .blend = 1},
         VOLT_ERR_ARGUMENT,
         "landmarks 8"},
        {{.folds = 1, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "folds 1"},
        {{.blend = 9, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "blend 9"},
        {{.splits = -1, .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "splits -1"},
        {{.held_out = 1, .blend = 1}, VOLT_ERR_ARGUMENT, "held_out 1"},
        {{.loss = "huber", .held_out = 0.3, .blend = 1}, VOLT_ERR_ARGUMENT, "loss huber squares multinomial"},
        {{.kernel = "gakk", .held_out = 0.3, .blend = 1}, VOLT_ERR_KERNEL, "gak"},
        {{.kernel = "rbf", .held_out = 0.3, .blend = 1}, VOLT_ERR_KERNEL, "different lengths"},
        {{.kernel = "gak", .compare = 1, .held_out = 0.3, .blend = 1},
         VOLT_ERR_KERNEL,
         "gak window=W path=rows"},
        {{.kernel = "volterra:tau=5", .draws = 1, .held_out = 0.3, .blend = 1},
         VOLT_ERR_DATA,
         "none of 1 kernels"},
        {{.ranges = &alpha_range, .n_ranges = 1, .held_out = 0.3, .blend = 1},
         VOLT_ERR_ARGUMENT,
         "range alpha"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_series_options options = cases[c].options;
        options.struct_size = sizeof options;
        check_fails(
            volt_series_fit(made.series, N, made.classes, CLASSES, (volt_view){0}, &options, &classifier),
            cases[c].status, cases[c].sentence);
    }
    assert_null(classifier);
    volt_series_options options = volt_series_options_default();
    options.kernel = "gak:sigma=1";
    classifier = fit(&made, &options);
    double outputs[N * CLASSES], number = 1;
    volt_view narrow = volt_view_of(&number, 1, 1);
    volt_matrix out = volt_matrix_of(outputs, N, CLASSES);
    check_fails(volt_series_model_predict(classifier, &narrow, 1, (volt_progress){0},
                                          volt_matrix_of(outputs, 1, CLASSES), volt_matrix_of(NULL, 0, 0),
                                          NULL),
                VOLT_ERR_SHAPE, "1 channel 2");
    check_fails(volt_series_model_predict(classifier, made.series, 2, (volt_progress){0}, out,
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "x 2 3");
    check_fails(volt_series_model_predict(classifier, NULL, 0, (volt_progress){0}, out,
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "empty");
    volt_series_model_free(classifier);
    volt_series_model_free(NULL);
}

static int cancel_after(const char *stage, double fraction, void *context)
{
    (void)stage;
    assert_true(fraction >= 0 && fraction <= 1);
    return --*(int *)context < 0;
}

/* On two threads the second report, of a poll or of the end of the search, cancels. */
static void fit_can_be_cancelled(void **state)
{
    static const int reports_before[] = {3, 1}; /* by threads */
    waves made;
    make_waves(4308, 0.3, false, &made);
    for (int t = 0; t < 2; t++) {
        volt_series_model *classifier = NULL;
        volt_series_options options = volt_series_options_default();
        int left = reports_before[t];
        options.draws = 8;
        options.progress = (volt_progress){cancel_after, &left};
        check_ok(volt_set_threads(t + 1));
        check_fails(
            volt_series_fit(made.series, N, made.classes, CLASSES, (volt_view){0}, &options, &classifier),
            VOLT_ERR_CANCELLED, "cancel");
        assert_null(classifier);
    }
}

enum { FEW = 6 }; /* every allocation fails in turn: few series, fixed kernels */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_equals_ridge_regression_on_gram_matrix),
        cmocka_unit_test(steps_are_compared_with_each_other),
        cmocka_unit_test(search_returns_best_kernel),
        cmocka_unit_test(several_kernels_are_averaged),
        cmocka_unit_test(given_kernels_reproduce_the_fit),
        cmocka_unit_test(threads_do_not_change_the_search),
        cmocka_unit_test(better_kernel_mean_is_chosen),
        cmocka_unit_test(multinomial_gives_probabilities),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test_setup_teardown(fit_can_be_cancelled, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
