/* tests/unit/test_classify.c: classes of series: rows left out against refits, splits, the search, both readouts. */
#include "base/blas.h"
#include "classify/class_splits.h"
#include "classify/kernel_search.h"
#include "classify/left_out.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- data ------------------------------------------------------------------------------------- */

enum { N = 24, CLASSES = 3, STEPS = 12, CHANNELS = 2 };

/* Sines of three frequencies at random phases, with noise; lengths may differ. */
typedef struct waves {
    volt_view series[N];
    int64_t classes[N];
    double numbers[N * STEPS * CHANNELS];
} waves;

static void make_waves(uint64_t seed, double noise, bool equal, waves *made)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double *at = made->numbers;
    for (int64_t i = 0; i < N; i++) {
        int64_t steps = equal ? STEPS : STEPS - i % 4;
        double phase = volt_rng_uniform(&rng) * 6;
        made->classes[i] = i % CLASSES;
        made->series[i] = volt_view_of(at, steps, CHANNELS);
        for (int64_t t = 0; t < steps; t++)
            for (int c = 0; c < CHANNELS; c++)
                *at++ = sin(phase + (0.4 + 0.6 * (double)(i % CLASSES)) * (double)t + c) +
                        noise * volt_rng_normal(&rng);
    }
}

/* Ridge regression with an intercept on some rows of K, by elimination in long double: outputs of all n rows. */
static void plain_fit(const double *K, int64_t n, const double *Y, int64_t q, double alpha, const bool *without,
                      double *outputs)
{
    int64_t m = 0, rows[N];
    long double M[(N + 1) * (N + 1 + CLASSES)];
    for (int64_t i = 0; i < n; i++)
        if (!without[i])
            rows[m++] = i;
    int64_t size = m + 1, width = size + q;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < width; j++)
            M[i * width + j] = i == m   ? (j < m ? 1 : 0) /* 1' a = 0 */
                               : j < m  ? K[rows[i] * n + rows[j]] + (i == j ? alpha : 0)
                               : j == m ? 1
                                        : Y[rows[i] * q + j - size];
    for (int64_t p = 0; p < size; p++) {
        int64_t pivot = p;
        for (int64_t i = p + 1; i < size; i++)
            if (fabsl(M[i * width + p]) > fabsl(M[pivot * width + p]))
                pivot = i;
        for (int64_t j = 0; j < width; j++) {
            long double kept = M[p * width + j];
            M[p * width + j] = M[pivot * width + j];
            M[pivot * width + j] = kept;
        }
        for (int64_t i = 0; i < size; i++) {
            long double share = i == p ? 0 : M[i * width + p] / M[p * width + p];
            for (int64_t j = p; j < width; j++)
                M[i * width + j] -= share * M[p * width + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++) {
            long double u = M[m * width + size + k] / M[m * width + m];
            for (int64_t j = 0; j < m; j++)
                u += K[i * n + rows[j]] * (M[j * width + size + k] / M[j * width + j]);
            outputs[i * q + k] = (double)u;
        }
}

/* A random positive definite matrix with eigenvalues of the size of 1, and random targets. */
typedef struct problem {
    double K[N * N], Y[N * CLASSES];
} problem;

static void make_problem(uint64_t seed, problem *made)
{
    volt_rng rng = test_rng(seed);
    double F[N * N];
    for (int i = 0; i < N * N; i++)
        F[i] = volt_rng_normal(&rng) / sqrt(N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            made->K[i * N + j] = 1; /* a large common part, which the intercept takes */
            for (int k = 0; k < N; k++)
                made->K[i * N + j] += F[i * N + k] * F[j * N + k];
        }
    for (int i = 0; i < N * CLASSES; i++)
        made->Y[i] = volt_rng_normal(&rng);
}

/* ---- rows left out ---------------------------------------------------------------------------- */

/* The condition is below (N + 4) / alpha, and errors of size 1: 1e-10 leaves a factor of 1000 or more. */
static void rows_left_out_are_those_of_refits(void **state)
{
    (void)state;
    static const double alphas[] = {1e-2, 1};
    volt_blas_use use;
    problem made;
    volt_left_out left_out;
    check_ok(volt_blas_claim(&use));
    check_ok(volt_left_out_create(N, CLASSES, &left_out));
    for (int a = 0; a < 2; a++) {
        make_problem(4201 + (uint64_t)a, &made);
        volt_view Y = volt_view_of(made.Y, N, CLASSES);
        double each[N * CLASSES], outputs[N * CLASSES], block[N * CLASSES], room[N * N];
        bool without[N] = {false};
        check_ok(volt_left_out_solve(&left_out, volt_view_of(made.K, N, N), alphas[a], Y));

        plain_fit(made.K, N, made.Y, CLASSES, alphas[a], without, outputs); /* none left out: the fit itself */
        for (int i = 0; i < N; i++)
            for (int k = 0; k < CLASSES; k++) {
                double u = left_out.c[k];
                for (int j = 0; j < N; j++)
                    u += made.K[i * N + j] * left_out.A[j * CLASSES + k];
                assert_true(fabs(u - outputs[i * CLASSES + k]) < 1e-10);
            }

        volt_left_out_each(&left_out, volt_matrix_of(each, N, CLASSES));
        for (int i = 0; i < N; i++) {
            without[i] = true;
            plain_fit(made.K, N, made.Y, CLASSES, alphas[a], without, outputs);
            for (int k = 0; k < CLASSES; k++)
                assert_true(fabs(made.Y[i * CLASSES + k] - outputs[i * CLASSES + k] - each[i * CLASSES + k]) <
                            1e-10);
            without[i] = false;
        }

        int64_t rows[] = {7, 2, 19, 11, 3, 23, 0};
        enum { M = sizeof rows / sizeof *rows };
        check_ok(volt_left_out_block(&left_out, rows, M, room, volt_matrix_of(block, M, CLASSES)));
        for (int i = 0; i < M; i++)
            without[rows[i]] = true;
        plain_fit(made.K, N, made.Y, CLASSES, alphas[a], without, outputs);
        for (int i = 0; i < M; i++)
            for (int k = 0; k < CLASSES; k++) {
                int64_t at = rows[i] * CLASSES + k;
                assert_true(fabs(made.Y[at] - outputs[at] - block[i * CLASSES + k]) < 1e-10);
            }
    }
    volt_left_out_release(&left_out);
    volt_blas_release(&use);
}

static void matrices_that_cannot_be_factored_are_refused(void **state)
{
    (void)state;
    volt_blas_use use;
    volt_left_out left_out;
    double K[] = {1, 2, 2, 1}, Y[] = {1, 0};
    check_ok(volt_blas_claim(&use));
    check_ok(volt_left_out_create(2, 1, &left_out));
    check_fails(volt_left_out_solve(&left_out, volt_view_of(K, 2, 2), 0.1, volt_view_of(Y, 2, 1)),
                VOLT_ERR_SINGULAR, "not positive semidefinite");
    volt_left_out_release(&left_out);
    volt_blas_release(&use);
}

/* ---- splits ----------------------------------------------------------------------------------- */

static void splits_are_stratified(void **state)
{
    (void)state;
    int64_t of[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 3}; /* 10, 3, 1 and 2 series */
    enum { COUNT = sizeof of / sizeof *of };
    volt_class_list classes = {COUNT, 4, of};
    int64_t rows[COUNT], room[COUNT], other[COUNT], times[COUNT] = {0};
    for (int64_t s = 0; s < 200; s++) {
        int64_t held[4] = {0}, m = volt_class_split(&classes, 0.3, 7, s, room, rows);
        assert_int_equal(m, 3 + 1 + 0 + 1);
        for (int64_t i = 0; i < m; i++) {
            held[of[rows[i]]]++;
            times[rows[i]]++;
            for (int64_t j = 0; j < i; j++)
                assert_true(rows[i] != rows[j]);
        }
        assert_true(held[0] == 3 && held[1] == 1 && held[2] == 0 && held[3] == 1);
        assert_int_equal(volt_class_split(&classes, 0.3, 7, s, room, other), m);
        assert_memory_equal(rows, other, (size_t)m * sizeof *rows); /* the same for the same number */
    }
    for (int i = 0; i < 10; i++)
        assert_true(times[i] > 25 && times[i] < 95); /* 60 expected, with a deviation of 6.5 */
    assert_int_equal(times[13], 0);
    for (int64_t s = 0; s < 20; s++) /* never all of a class */
        assert_int_equal(volt_class_split(&classes, 0.99, 1, s, room, rows), 9 + 2 + 0 + 1);

    int64_t fold[COUNT], sizes[5] = {0}, of_first[5] = {0};
    volt_class_folds(&classes, 5, 3, room, fold);
    for (int i = 0; i < COUNT; i++) {
        sizes[fold[i]]++;
        of_first[fold[i]] += of[i] == 0;
    }
    for (int f = 0; f < 5; f++)
        assert_true(of_first[f] == 2 && sizes[f] >= 3 && sizes[f] <= 4);
}

static void right_ones_are_counted(void **state)
{
    (void)state;
    int64_t of[] = {0, 1, 2, 1}, rows[] = {3, 0};
    double Y[12], E[] = {0.2, 0, 0, 0, 0.6, -0.5, 0, 0, 0, 0, 0, 0}, part[] = {-0.1, 0.8, -0.3, 0.5, -0.4, 0};
    volt_class_list classes = {4, 3, of};
    volt_class_columns(&classes, volt_matrix_of(Y, 4, 3));
    assert_true(Y[0] == 1 && Y[1] == 0 && Y[4] == 1 && Y[8] == 1 && Y[10] == 1);
    /* outputs Y - E: (0.8, 0, 0), (0, 0.4, 0.5): wrong, ... */
    assert_int_equal(volt_class_count_right(&classes, volt_view_of(Y, 4, 3), NULL, 4, volt_view_of(E, 4, 3)),
                     3);
    /* (0.1, 0.2, 0.3): wrong; (0.5, 0.4, 0): right */
    assert_int_equal(volt_class_count_right(&classes, volt_view_of(Y, 4, 3), rows, 2, volt_view_of(part, 2, 3)),
                     1);
    assert_int_equal(volt_class_of_largest((double[]){0.5, 0.7, 0.7}, 3), 1);
}

/* ---- fits ------------------------------------------------------------------------------------- */

static volt_classifier *fit(const waves *from, const volt_classify_options *options)
{
    volt_classifier *classifier = NULL;
    check_ok(volt_classify_fit(from->series, N, from->classes, CLASSES, options, &classifier));
    return classifier;
}

/* Outputs, and those of series left out, are those of plain fits on the Gram matrix. */
static void a_fit_is_a_ridge_regression_on_the_gram_matrix(void **state)
{
    (void)state;
    waves made;
    make_waves(4301, 0.3, false, &made);
    volt_classify_options options = volt_classify_options_default();
    options.kernel = "gak:sigma=1.5";
    options.scale = VOLT_OBJECT_SCALE_SERIES;
    options.input = VOLT_OBJECT_INPUT_BOTH;
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.alpha = 0.05;
    volt_classifier *classifier = fit(&made, &options);
    volt_classifier_info info;
    volt_classifier_describe(classifier, &info);
    assert_string_equal(info.kernel, "gak:sigma=1.5");
    assert_true(info.alpha == 0.05 && info.scale == VOLT_OBJECT_SCALE_SERIES && info.tried == 1 &&
                info.failed == 0);
    assert_true(info.series == N && info.classes == CLASSES && info.channels == CHANNELS &&
                isnan(info.log_loss));

    volt_objects_options way = {VOLT_OBJECT_SCALE_SERIES, VOLT_OBJECT_INPUT_BOTH, 1,
                                VOLT_OBJECT_COMPARE_SERIES};
    volt_objects *objects = NULL;
    volt_kernel *kernel = NULL;
    double K[N * N], Y[N * CLASSES] = {0}, expected[N * CLASSES], outputs[N * CLASSES], left_out[N * CLASSES];
    int64_t found[N], right = 0;
    check_ok(volt_kernel_parse(info.kernel, &kernel));
    check_ok(volt_objects_create(made.series, N, &way, &objects));
    check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, N, N)));
    for (int i = 0; i < N; i++)
        Y[i * CLASSES + made.classes[i]] = 1;
    bool without[N] = {false};
    plain_fit(K, N, Y, CLASSES, 0.05, without, expected);
    check_ok(
        volt_classifier_predict(classifier, made.series, N, NULL, volt_matrix_of(outputs, N, CLASSES), found));
    for (int i = 0; i < N * CLASSES; i++)
        assert_true(fabs(outputs[i] - expected[i]) < 1e-10);
    for (int i = 0; i < N; i++)
        assert_int_equal(found[i], volt_class_of_largest(outputs + i * CLASSES, CLASSES));

    double error = 0;
    check_ok(volt_classifier_left_out(classifier, volt_matrix_of(left_out, N, CLASSES)));
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

    /* The splits, each refitted. */
    volt_class_list classes = {N, CLASSES, made.classes};
    double sum = 0;
    for (int64_t s = 0; s < info.splits; s++) {
        int64_t rows[N], room[N], m = volt_class_split(&classes, 0.3, 0, s, room, rows), good = 0;
        bool out[N] = {false};
        for (int64_t i = 0; i < m; i++)
            out[rows[i]] = true;
        plain_fit(K, N, Y, CLASSES, 0.05, out, expected);
        for (int64_t i = 0; i < m; i++)
            good += volt_class_of_largest(expected + rows[i] * CLASSES, CLASSES) == made.classes[rows[i]];
        sum += (double)good / (double)m;
    }
    assert_int_equal(info.splits, 20);
    assert_true(fabs(info.split_mean - sum / 20) < 1e-12);
    volt_objects_free(objects);
    volt_kernel_free(kernel);
    volt_classifier_free(classifier);
}

/* The mean of the kernel over all pairs of steps, by volt_gram. */
static void steps_are_compared_with_each_other(void **state)
{
    (void)state;
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

/* What the search reports is what the chosen kernel gives alone; a larger search is not worse. */
static void the_search_keeps_the_best(void **state)
{
    (void)state;
    waves made, others;
    make_waves(4303, 0.1, true, &made);
    make_waves(4304, 0.1, true, &others);
    volt_classify_options options = volt_classify_options_default();
    double worst = 2, outputs[N * CLASSES];
    int64_t found[N], right = 0;
    for (int64_t draws = 8; draws <= 24; draws += 16) {
        volt_classifier_info info, alone;
        options.draws = draws;
        volt_classifier *classifier = fit(&made, &options);
        volt_classifier_describe(classifier, &info);
        assert_int_equal(info.tried, draws);
        double loss = (1 - info.left_out) + 1e-3 * info.left_out_error;
        assert_true(loss <= worst);
        worst = loss;
        volt_classify_options same = volt_classify_options_default();
        same.kernel = info.kernel;
        same.scale = (int)info.scale;
        same.input = (int)info.input;
        same.compare = (int)info.compare;
        volt_classifier *again = fit(&made, &same);
        volt_classifier_describe(again, &alone);
        assert_true(alone.tried == 1 && alone.alpha == info.alpha && alone.left_out == info.left_out &&
                    alone.left_out_error == info.left_out_error);
        volt_classifier_free(again);
        check_ok(volt_classifier_predict(classifier, others.series, N, NULL,
                                         volt_matrix_of(outputs, N, CLASSES), found));
        volt_classifier_free(classifier);
    }
    for (int i = 0; i < N; i++)
        right += found[i] == others.classes[i];
    assert_true(right >= N - 4); /* of sines of three frequencies in little noise; 24 when written */
}

static void multinomial_gives_probabilities(void **state)
{
    (void)state;
    waves made, others;
    make_waves(4305, 0.1, false, &made);
    make_waves(4306, 0.1, false, &others);
    volt_classify_options options = volt_classify_options_default();
    options.kernel = "rbf:gamma=2,window=3";
    options.compare = VOLT_OBJECT_COMPARE_STEPS;
    options.scale = VOLT_OBJECT_SCALE_CHANNELS;
    options.input = VOLT_OBJECT_INPUT_LEVEL;
    options.loss = "multinomial";
    options.splits = 0;
    volt_classifier *classifier = fit(&made, &options);
    volt_classifier_info info;
    volt_classifier_describe(classifier, &info);
    assert_string_equal(info.loss, "multinomial");
    assert_true(info.log_loss > 0 && info.log_loss < log(CLASSES)); /* better than guessing */
    assert_true(info.splits == 0 && isnan(info.split_mean));
    double outputs[N * CLASSES];
    int64_t found[N], right = 0;
    check_ok(volt_classifier_predict(classifier, others.series, N, NULL, volt_matrix_of(outputs, N, CLASSES),
                                     found));
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
    volt_classifier_free(classifier);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    waves made;
    make_waves(4307, 0.3, false, &made);
    volt_classifier *classifier = NULL;
    int64_t one[N] = {0}, outside[N] = {0, 5};
    check_fails(volt_classify_fit(made.series, N, one, 2, NULL, &classifier), VOLT_ERR_DATA,
                "are of one class");
    check_fails(volt_classify_fit(made.series, N, outside, 2, NULL, &classifier), VOLT_ERR_ARGUMENT,
                "the class of series 2 is 5, and must lie between 0 and 1");
    check_fails(volt_classify_fit(NULL, 0, NULL, 2, NULL, &classifier), VOLT_ERR_SHAPE, "no training series");
    static const volt_range alpha_range = {.name = "alpha"};
    static const struct {
        volt_classify_options options;
        volt_status status;
        const char *sentence;
    } cases[] = {
        {{.scale = 3, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "scale is 3"},
        {{.input = -2, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "input is -2"},
        {{.compare = 2, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "compare is 2"},
        {{.alpha = -1, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "alpha is -1"},
        {{.draws = -2, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "draws is -2"},
        {{.budget = -1, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "the budget is -1 seconds"},
        {{.splits = -1, .held_out = 0.3}, VOLT_ERR_ARGUMENT, "splits is -1"},
        {{.held_out = 1}, VOLT_ERR_ARGUMENT, "held_out is 1"},
        {{.loss = "huber", .held_out = 0.3},
         VOLT_ERR_ARGUMENT,
         "the loss is huber, and must be squares or multinomial"},
        {{.kernel = "gakk", .held_out = 0.3}, VOLT_ERR_KERNEL, "gak"},
        {{.kernel = "rbf", .held_out = 0.3}, VOLT_ERR_KERNEL, "different lengths"},
        {{.kernel = "gak", .compare = 1, .held_out = 0.3}, VOLT_ERR_KERNEL, "needs window=W or path=rows"},
        {{.kernel = "volterra:tau=5", .draws = 1, .held_out = 0.3}, VOLT_ERR_DATA, "none of 1 kernels"},
        {{.ranges = &alpha_range, .n_ranges = 1, .held_out = 0.3},
         VOLT_ERR_ARGUMENT,
         "a range is given for alpha"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        check_fails(volt_classify_fit(made.series, N, made.classes, CLASSES, &cases[c].options, &classifier),
                    cases[c].status, cases[c].sentence);
    assert_null(classifier);
    volt_classify_options options = volt_classify_options_default();
    options.kernel = "gak:sigma=1";
    classifier = fit(&made, &options);
    double outputs[N * CLASSES], number = 1;
    volt_view narrow = volt_view_of(&number, 1, 1);
    volt_matrix out = volt_matrix_of(outputs, N, CLASSES);
    check_fails(
        volt_classifier_predict(classifier, &narrow, 1, NULL, volt_matrix_of(outputs, 1, CLASSES), NULL),
        VOLT_ERR_SHAPE, "has 1 channel, and there must be 2");
    check_fails(volt_classifier_predict(classifier, made.series, 2, NULL, out, NULL), VOLT_ERR_SHAPE,
                "must be 2 x 3");
    check_fails(volt_classifier_predict(classifier, NULL, 0, NULL, out, NULL), VOLT_ERR_SHAPE, "empty");
    check_fails(volt_classifier_left_out(classifier, volt_matrix_of(outputs, 1, 3)), VOLT_ERR_SHAPE,
                "must be 24 x 3");
    volt_classifier_free(classifier);
    volt_classifier_free(NULL);
}

static int cancel_after(const char *stage, double fraction, void *context)
{
    (void)stage;
    assert_true(fraction >= 0 && fraction <= 1);
    return --*(int *)context < 0;
}

static void a_fit_can_be_cancelled(void **state)
{
    (void)state;
    waves made;
    make_waves(4308, 0.3, false, &made);
    volt_classifier *classifier = NULL;
    volt_classify_options options = volt_classify_options_default();
    int calls = 3;
    options.draws = 8;
    options.progress = (volt_progress){cancel_after, &calls};
    check_fails(volt_classify_fit(made.series, N, made.classes, CLASSES, &options, &classifier),
                VOLT_ERR_CANCELLED, "cancel");
    assert_null(classifier);
}

enum { FEW = 6 }; /* every allocation is tried: series are few, and kernels are given */

static volt_status whole_way(const waves *made, const volt_classify_options *options)
{
    volt_classifier *classifier = NULL;
    double outputs[FEW * CLASSES];
    volt_status status = volt_classify_fit(made->series, FEW, made->classes, CLASSES, options, &classifier);
    assert_true((status == VOLT_OK) == (classifier != NULL));
    if (status == VOLT_OK)
        status = volt_classifier_predict(classifier, made->series, FEW, NULL,
                                         volt_matrix_of(outputs, FEW, CLASSES), NULL);
    volt_classifier_free(classifier);
    return status;
}

static void the_kth_allocation_fails(void **state)
{
    (void)state;
    waves made;
    make_waves(4309, 0.3, true, &made);
    for (int loss = 0; loss < 2; loss++) {
        volt_classify_options options = volt_classify_options_default();
        options.kernel = "rbf:gamma=1";
        options.draws = 0;
        options.scale = VOLT_OBJECT_SCALE_CHANNELS;
        options.input = VOLT_OBJECT_INPUT_LEVEL;
        options.loss = loss ? "multinomial" : "squares";
        options.alpha = loss ? 1 : 0;
        options.splits = 2;
        options.compare = !loss;
        check_ok(whole_way(&made, &options)); /* threads and buffers are there now */
        for (int64_t k = 1;; k++) {
            failing_alloc_start(k);
            volt_status status = whole_way(&made, &options);
            int hit = failing_alloc_hit();
            assert_int_equal(failing_alloc_live(), 0);
            failing_alloc_stop();
            assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
            if (!hit)
                break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_left_out_are_those_of_refits),
        cmocka_unit_test(matrices_that_cannot_be_factored_are_refused),
        cmocka_unit_test(splits_are_stratified),
        cmocka_unit_test(right_ones_are_counted),
        cmocka_unit_test(a_fit_is_a_ridge_regression_on_the_gram_matrix),
        cmocka_unit_test(steps_are_compared_with_each_other),
        cmocka_unit_test(the_search_keeps_the_best),
        cmocka_unit_test(multinomial_gives_probabilities),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_fit_can_be_cancelled),
        cmocka_unit_test(the_kth_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
