/* tests/unit/series/test_class_search.c: classification of series: racing, landmarks, nested estimates and
 * probabilities. */
#include "base/blas.h"
#include "base/threads.h"
#include "series/classify/class_bench.h"
#include "series/classify/series_model.h"
#include "series/gram/objects_internal.h"
#include "support/check.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "support/series_classes.h"
#include "volterra.h"

/* A random positive definite matrix with eigenvalues of order 1, as for K(x, x) = 1. */
static void make_matrix(uint64_t seed, double *K)
{
    volt_rng rng = test_rng(seed);
    double F[N * N];
    for (int i = 0; i < N * N; i++)
        F[i] = volt_rng_normal(&rng) / sqrt(N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            K[i * N + j] = 0;
            for (int k = 0; k < N; k++)
                K[i * N + j] += F[i * N + k] * F[j * N + k];
        }
}

static void make_classes(uint64_t seed, int64_t *classes, double *Y)
{
    volt_rng rng = test_rng(seed);
    for (int i = 0; i < N; i++) {
        classes[i] = i < CLASSES ? i : (int64_t)(volt_rng_uniform(&rng) * CLASSES);
        for (int k = 0; k < CLASSES; k++)
            Y[i * CLASSES + k] = classes[i] == k;
    }
}

/* The score of a list by refits: each series of the list is held out and its fold is predicted from the
 * rest. */
static volt_class_score refit(const double *K, const double *Y, const int64_t *classes, const int64_t *fold,
                              int64_t list, double alpha)
{
    volt_class_score score = {.alpha = alpha};
    double outputs[N * CLASSES];
    bool without[N];
    int64_t included = 0;
    for (int i = 0; i < N; i++)
        without[i] = list > 0 && fold[i] == list - 1;
    plain_fit(K, N, Y, CLASSES, alpha, without, outputs);
    for (int i = 0; i < N; i++)
        score.held += without[i] && volt_class_of_largest(outputs + i * CLASSES, CLASSES) == classes[i];
    for (int i = 0; i < N; i++) {
        if (without[i])
            continue;
        without[i] = true;
        plain_fit(K, N, Y, CLASSES, alpha, without, outputs);
        without[i] = false;
        included++;
        score.right += volt_class_of_largest(outputs + i * CLASSES, CLASSES) == classes[i];
        for (int k = 0; k < CLASSES; k++) {
            double e = Y[i * CLASSES + k] - outputs[i * CLASSES + k];
            score.error += e * e;
        }
    }
    score.error /= (double)(included * CLASSES);
    return score;
}

/* K_xZ K_ZZ^{-1} K_Zx by elimination: the landmark approximation of a matrix. */
static void through_landmarks(const double *K, const int64_t *rows, int m, double *projected)
{
    for (int j = 0; j < N; j++) {
        long double A[N][N + 1];
        for (int a = 0; a < m; a++) {
            for (int b = 0; b < m; b++)
                A[a][b] = K[rows[a] * N + rows[b]];
            A[a][m] = K[rows[a] * N + j];
        }
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) {
                long double factor = b == a ? 0 : A[b][a] / A[a][a];
                for (int c = a; c <= m && b != a; c++)
                    A[b][c] -= factor * A[a][c];
            }
        for (int i = 0; i < N; i++) {
            long double sum = 0;
            for (int a = 0; a < m; a++)
                sum += (long double)K[i * N + rows[a]] * A[a][m] / A[a][a];
            projected[i * N + j] = (double)sum;
        }
    }
}

/* The scores of every list equal those of refits, with all series and with landmarks. */
static void scores_equal_refits(void **state)
{
    enum { FOLDS = 3, M = 10 };
    static const int64_t landmarks[M] = {0, 2, 3, 7, 8, 12, 15, 19, 20, 23};
    int64_t classes[N], fold[N], workspace[N];
    double K[N * N], Y[N * CLASSES], reduced[N * N];
    volt_blas_use use;
    check_ok(volt_blas_claim(&use));
    make_matrix(7101, K);
    make_classes(7102, classes, Y);
    through_landmarks(K, landmarks, M, reduced);
    volt_class_list list = {N, CLASSES, classes};
    volt_class_folds(&list, FOLDS, 5, workspace, fold);
    for (int with = 0; with < 2; with++) {
        volt_class_setting setting = {
            .classes = list, .folds = FOLDS, .fold = fold, .n_landmarks = with ? M : 0, .landmarks = landmarks};
        volt_class_bench bench = {0};
        check_ok(volt_class_bench_create(&setting, &bench));
        for (int i = 0; i < N; i++)
            for (int64_t j = 0; j < bench.K.cols; j++)
                bench.K.data[i * bench.K.ld + j] = K[i * N + (with ? landmarks[j] : j)];
        volt_class_score scores[VOLT_MAX_LISTS], one;
        check_ok(volt_class_profile(&bench, 0.1, 0, FOLDS, scores));
        for (int64_t f = 0; f <= FOLDS; f++) {
            volt_class_score expected = refit(with ? reduced : K, Y, classes, fold, f, 0.1);
            /* jitter of 1e-12 on landmarks with a condition of some hundreds; otherwise sums of 72 rounded
             * numbers */
            assert_true(scores[f].right == expected.right && scores[f].held == expected.held);
            assert_true(fabs(scores[f].error - expected.error) < (with ? 1e-8 : 1e-10));
        }
        check_ok(volt_class_profile(&bench, 0, 1, 1, scores)); /* the best alpha of a list */
        for (int power = -8; power <= 1; power++) {
            one = refit(with ? reduced : K, Y, classes, fold, 1, pow(10, power));
            assert_true(one.right <= scores[1].right);
        }
        double A[N * CLASSES], c[CLASSES], outputs[N * CLASSES];
        bool without[N] = {false};
        check_ok(volt_class_solve(&bench, 0.1, &one));
        volt_class_coefficients(&bench, 0.1, A, c);
        plain_fit(with ? reduced : K, N, Y, CLASSES, 0.1, without, outputs);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < CLASSES; k++) {
                double u = c[k];
                for (int64_t j = 0; j < bench.K.cols; j++)
                    u += bench.K.data[i * bench.K.ld + j] * A[j * CLASSES + k];
                assert_true(fabs(u - outputs[i * CLASSES + k]) < (with ? 1e-8 : 1e-10));
            }
        int64_t rows[] = {1, 5, 17};
        double errors[3 * CLASSES];
        for (int i = 0; i < 3; i++)
            without[rows[i]] = true;
        plain_fit(with ? reduced : K, N, Y, CLASSES, 0.1, without, outputs);
        check_ok(volt_class_held_out_errors(&bench, 0.1, rows, 3, volt_matrix_of(errors, 3, CLASSES)));
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < CLASSES; k++)
                assert_true(fabs(Y[rows[i] * CLASSES + k] - outputs[rows[i] * CLASSES + k] -
                                 errors[i * CLASSES + k]) < (with ? 1e-8 : 1e-10));
        volt_class_bench_release(&bench);
    }
    volt_blas_release(&use);
}

static volt_series_info fit(const waves *made, const volt_series_options *options, volt_series_model **kept)
{
    volt_series_model *classifier = NULL;
    volt_series_info info = {.struct_size = sizeof info};
    check_ok(volt_series_fit(made->series, N, made->classes, CLASSES, (volt_view){0}, options, &classifier));
    check_ok(volt_series_model_get_info(classifier, &info));
    if (kept)
        *kept = classifier;
    else
        volt_series_model_free(classifier);
    return info;
}

/* Classes independent of the series: the leave-one-out accuracy of the best of many kernels is far above
 * chance; the nested accuracy, whose folds are not used in the choice, is not. Means over five repetitions:
 * the nested mean of 120 series has a standard error of sqrt(2/9 / 120) = 0.043 around 1/3, or below where
 * folds are smaller than classes. */
static void nested_accuracy_is_not_biased_by_the_choice(void **state)
{
    if (UNDER_SANITIZERS) /* a statement about numbers, of code that the other tests run */
        skip();
    enum { TIMES = 5, TRIED = 32 };
    double left_out = 0, nested = 0;
    for (uint64_t t = 0; t < TIMES; t++) {
        waves made;
        volt_rng rng = test_rng(7300 + t);
        make_waves(7200 + t, 0.5, true, &made);
        for (int i = N - 1; i > 0; i--) { /* shuffle the classes */
            int j = (int)(volt_rng_uniform(&rng) * (i + 1));
            int64_t kept = made.classes[i];
            made.classes[i] = made.classes[j];
            made.classes[j] = kept;
        }
        volt_series_options options = volt_series_options_default();
        options.kernel = "rbf | memory | gak";
        options.draws = TRIED;
        volt_series_info info = fit(&made, &options, NULL);
        assert_true(info.folds == 5 && info.planned == TRIED);
        left_out += info.left_out / TIMES;
        nested += info.nested / TIMES;
    }
    printf("shuffled classes: leave-one-out %.3f, nested %.3f\n", left_out, nested);
    assert_true(left_out > 1.0 / 3 + 4 * 0.043);
    assert_true(nested < 1.0 / 3 + 3 * 0.043);
}

/* With one candidate and one alpha, the nested estimate is plain cross-validation over the folds. */
static void nested_accuracy_of_one_kernel_is_cross_validation(void **state)
{
    waves made;
    make_waves(7400, 0.8, true, &made);
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf:gamma=1";
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.scale = VOLT_OBJECT_SCALE_CHANNELS;
    options.input = VOLT_OBJECT_INPUT_LEVEL;
    options.alpha = 0.1;
    options.folds = 4;
    options.seed = 3;
    volt_series_info info = fit(&made, &options, NULL);
    volt_objects_options way = {VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_INPUT_LEVEL, 1,
                                VOLT_OBJECT_COMPARE_SERIES};
    volt_objects *objects = NULL;
    volt_kernel *kernel = NULL;
    volt_class_list list = {N, CLASSES, made.classes};
    int64_t fold[N], workspace[N], right = 0;
    double K[N * N], Y[N * CLASSES];
    check_ok(volt_kernel_parse("rbf:gamma=1", &kernel));
    check_ok(volt_objects_create(made.series, N, &way, &objects));
    check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, N, N)));
    volt_class_columns(&list, volt_matrix_of(Y, N, CLASSES));
    volt_class_folds(&list, 4, 3, workspace, fold);
    for (int64_t f = 1; f <= 4; f++)
        right += refit(K, Y, made.classes, fold, f, 0.1).held;
    assert_true(info.folds == 4 && info.nested == (double)right / N);
    options.folds = 0;
    info = fit(&made, &options, NULL);
    assert_true(info.folds == 0 && isnan(info.nested));
    volt_objects_free(objects);
    volt_kernel_free(kernel);
}

/* A race evaluates all candidates on the sample and a few on all series. It reports the score of the chosen
 * kernel. No time limit applies. */
static void race_is_reproducible(void **state)
{
    waves made;
    make_waves(7500, 0.3, true, &made);
    volt_series_options options = volt_series_options_default();
    options.draws = 48;
    options.screen = 12;
    options.blend = 1;
    int64_t before = volt_threads();
    volt_series_info first = {0};
    char kernel[VOLT_KERNEL_LENGTH] = "";
    for (int64_t threads = 1; threads <= 4; threads *= 4) {
        volt_series_model *classifier = NULL;
        check_ok(volt_set_threads(threads));
        volt_series_info info = fit(&made, &options, &classifier);
        assert_true(info.tried == 48 && info.screen == 12 && info.finalists >= 6 && info.finalists <= 24 &&
                    !info.cut);
        assert_true(info.folds == 5 && info.nested >= 0 && info.nested <= 1);
        if (threads == 1) {
            first = info;
            snprintf(kernel, sizeof kernel, "%s", info.kernel);
        }
        assert_string_equal(info.kernel, kernel);
        assert_true(info.left_out == first.left_out && info.nested == first.nested &&
                    info.finalists == first.finalists && info.left_out_error == first.left_out_error);
        volt_series_model_free(classifier);
    }
    check_ok(volt_set_threads(before));
    volt_series_options same = volt_series_options_default();
    same.kernel = kernel;
    same.scale = (int)first.scale;
    same.input = (int)first.input;
    same.compare = (int)first.compare;
    volt_series_info alone = fit(&made, &same, NULL);
    assert_true(alone.left_out == first.left_out && alone.alpha == first.alpha && alone.screen == 0);
    options.screen = 0;
    volt_series_info all = fit(&made, &options, NULL);
    assert_true(all.finalists == 48 && all.left_out >= first.left_out);
}

static int keep_fraction(const char *stage, double fraction, void *context)
{
    (void)stage;
    assert_true(fraction >= *(double *)context && fraction <= 0.9);
    *(double *)context = fraction;
    return 0;
}

/* A candidate of the sample with a rank below the depth, in any list, was tried on all series: folds choose among these.
 * The search is 0.9 of the fit, with and without a race. */
static void ranks_below_depth_are_tried(void **state)
{
    waves made;
    make_waves(7500, 0.3, true, &made);
    volt_class_list classes = {N, CLASSES, made.classes};
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf | poly";
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.draws = 36;
    options.folds = 2;
    volt_blas_use use;
    check_ok(volt_blas_claim(&use));
    for (options.screen = 0; options.screen <= 12; options.screen += 12) {
        double last = 0;
        int64_t below = 0, untried = 0;
        volt_class_search search = {0};
        options.progress = (volt_progress){keep_fraction, &last};
        check_ok(volt_class_search_open(&search, made.series, &classes, &options));
        check_ok(volt_class_search_run(&search));
        assert_true(last > 0.8);
        for (int64_t draw = 0; draw < search.draws && search.rank; draw++) {
            bool is_tried = volt_class_is_tried(&search.full[draw]);
            if (!volt_class_has_scores(&search.screened[draw])) /* it is never chosen */
                continue;
            untried += !is_tried;
            for (int64_t list = 0; list <= search.setting.folds; list++)
                if (search.rank[draw * (search.setting.folds + 1) + list] < search.depth) {
                    below++;
                    assert_true(is_tried);
                }
        }
        assert_true(!search.rank || (below > 0 && untried > 0));
        volt_class_search_release(&search);
    }
    volt_blas_release(&use);
}

/* Number of series of the screening sample that a search of n series chooses. */
static int64_t chosen_screen(int64_t n, int64_t draws, double budget)
{
    enum { MOST = 100, ROWS = 12 };
    static double values[MOST * ROWS];
    volt_view series[MOST];
    int64_t classes[MOST];
    volt_class_search search;
    volt_series_options options = volt_series_options_default();
    assert_true(n <= MOST);
    for (int64_t s = 0; s < n; s++) {
        for (int64_t t = 0; t < ROWS; t++)
            values[s * ROWS + t] = sin((double)(s + 1) * (double)t);
        series[s] = volt_view_of(values + s * ROWS, ROWS, 1);
        classes[s] = s % 2;
    }
    volt_class_list list = {n, 2, classes};
    options.kernel = "rbf";
    options.draws = draws;
    options.landmarks = 0;
    options.budget = budget;
    check_ok(volt_class_search_open(&search, series, &list, &options));
    int64_t screen = search.n_screen;
    volt_class_search_release(&search);
    return screen;
}

/* The smallest sample has 48 series. A sample of 0.7 of the series or more saves too little. */
static void a_sample_is_screened_if_the_budget_is_short(void **state)
{
    const double little = 1e-9;
    assert_int_equal(chosen_screen(100, 36, little), 48);
    assert_int_equal(chosen_screen(70, 36, little), 48);
    assert_int_equal(chosen_screen(69, 36, little), 0); /* 48 is not below 0.7 of 69, rounded down */
    assert_int_equal(chosen_screen(100, 6, little), 0); /* all are finalists */
    assert_int_equal(chosen_screen(100, 36, 1e4), 0);   /* all candidates are tried on all series */
}

/* With as many landmarks as series, all series are landmarks. With fewer, new series are compared only with
 * the landmarks. */
static void landmarks_approximate_readout(void **state)
{
    waves made, others;
    make_waves(7600, 0.1, true, &made);
    make_waves(7601, 0.1, true, &others);
    volt_series_options options = volt_series_options_default();
    options.draws = 24;
    options.blend = 2;
    options.landmarks = N;
    assert_int_equal(fit(&made, &options, NULL).landmarks, 0);
    options.landmarks = 15;
    volt_series_model *classifier = NULL;
    volt_series_info info = fit(&made, &options, &classifier);
    double outputs[N * CLASSES], again[N * CLASSES];
    int64_t found[N], right = 0;
    check_ok(volt_series_model_predict(classifier, others.series, N, (volt_progress){0},
                                       volt_matrix_of(outputs, N, CLASSES), volt_matrix_of(NULL, 0, 0), found));
    for (int i = 0; i < N; i++)
        right += found[i] == others.classes[i];
    assert_true(info.landmarks == 15 && info.nested > 0.5 && right >= N - 8);
    /* a second fit with the kernels and landmarks of the first gives the same classifier */
    volt_series_options given = volt_series_options_default();
    given.parts = info.kernels;
    given.n_parts = info.parts;
    given.landmarks = 15;
    volt_series_model *twin = NULL;
    assert_int_equal(fit(&made, &given, &twin).landmarks, 15);
    check_ok(volt_series_model_predict(twin, others.series, N, (volt_progress){0},
                                       volt_matrix_of(again, N, CLASSES), volt_matrix_of(NULL, 0, 0), NULL));
    assert_memory_equal(outputs, again, sizeof outputs);
    volt_series_model_free(classifier);
    volt_series_model_free(twin);
}

static double log_loss(const volt_class_list *list, const double *outputs, double temperature)
{
    double loss = 0;
    for (int64_t i = 0; i < list->n; i++) {
        double u[CLASSES];
        memcpy(u, outputs + i * CLASSES, sizeof u);
        volt_class_softmax(u, CLASSES, temperature);
        for (int k = 0; k < CLASSES; k++)
            loss -= ((double)list->n * (list->of[i] == k) + 1) / (double)(list->n + CLASSES) * log(u[k]);
    }
    return loss;
}

/* Features whose squares overflow are rejected, in every column. */
static void features_must_be_finite(void **state)
{
    enum { M = 3 };
    static const int64_t landmarks[M] = {0, 1, 2};
    int64_t classes[N];
    double Y[N * CLASSES];
    volt_blas_use use;
    volt_landmark_readout readout;
    check_ok(volt_blas_claim(&use));
    make_classes(7900, classes, Y);
    check_ok(volt_landmark_readout_create(N, M, CLASSES, landmarks, &readout));
    for (int64_t column = -1; column < M; column++) {
        for (int64_t i = 0; i < N * M; i++)
            readout.F[i] = cos((double)i);
        if (column >= 0)
            readout.F[5 * M + column] = 1e200;
        assert_int_equal(volt_landmark_readout_decompose(&readout, NULL, volt_view_of(Y, N, CLASSES)),
                         column >= 0 ? VOLT_ERR_NOT_FINITE : VOLT_OK);
    }
    volt_landmark_readout_release(&readout);
    volt_blas_release(&use);
}

/* Probabilities of ridge outputs use the temperature with the smallest log loss and keep the order of the
 * outputs. */
static void outputs_become_probabilities(void **state)
{
    waves made, others;
    make_waves(7700, 0.6, true, &made);
    make_waves(7701, 0.6, true, &others);
    volt_series_options options = volt_series_options_default();
    options.kernel = "rbf:gamma=1";
    volt_series_model *classifier = NULL;
    volt_series_info info = fit(&made, &options, &classifier);
    volt_class_list list = {N, CLASSES, made.classes};
    double outputs[N * CLASSES], p[N * CLASSES];
    const double *left_out = info.left_out_outputs;
    double least = log_loss(&list, left_out, info.temperature);
    for (double factor = 0.5; factor <= 2; factor += 0.01)
        assert_true(log_loss(&list, left_out, info.temperature * factor) >= least - 1e-10);
    check_ok(volt_series_model_predict(classifier, others.series, N, (volt_progress){0},
                                       volt_matrix_of(outputs, N, CLASSES), volt_matrix_of(p, N, CLASSES),
                                       NULL));
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < CLASSES; k++) {
            sum += p[i * CLASSES + k];
            assert_true(p[i * CLASSES + k] > 0);
            assert_true(fabs(log(p[i * CLASSES + k] / p[i * CLASSES]) -
                             (outputs[i * CLASSES + k] - outputs[i * CLASSES]) / info.temperature) < 1e-9);
        }
        assert_true(fabs(sum - 1) < 1e-12);
    }
    check_fails(volt_series_model_predict(classifier, others.series, N, (volt_progress){0},
                                          volt_matrix_of(NULL, 0, 0), volt_matrix_of(p, N, 2), NULL),
                VOLT_ERR_SHAPE, "probabilities");
    volt_series_model_free(classifier);
}

/* Each class has at least two series in a sample, if available, and otherwise a proportional share. */
static void samples_are_stratified(void **state)
{
    enum { MANY = 100 };
    int64_t of[MANY], rows[40], count[3] = {0};
    for (int i = 0; i < MANY; i++)
        of[i] = i < 3 ? 0 : i < 30 ? 1 : 2;
    volt_class_list list = {MANY, 3, of};
    check_ok(volt_class_sample(&list, 40, 1, rows));
    for (int i = 0; i < 40; i++) {
        count[of[rows[i]]]++;
        assert_true(i == 0 || rows[i] > rows[i - 1]);
    }
    assert_true(count[0] == 2 && count[1] >= 10 && count[1] <= 12 && count[0] + count[1] + count[2] == 40);
}

/* Classes of equal size have equal keys; of these, the series of lower number are taken first. */
static void ties_of_a_sample_go_to_the_first_rows(void **state)
{
    enum { EACH = 5, OF = 3 };
    int64_t of[OF * EACH], all[OF], rows[OF];
    for (int i = 0; i < OF * EACH; i++)
        of[i] = i % OF;
    volt_class_list list = {OF * EACH, OF, of};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        check_ok(volt_class_sample(&list, OF, seed, all)); /* one series of each class */
        for (int64_t m = 1; m < OF; m++) {
            check_ok(volt_class_sample(&list, m, seed, rows));
            for (int64_t i = 0; i < m; i++)
                if (rows[i] != all[i])
                    fail_msg("seed %d, m %d: series %d instead of %d", (int)seed, (int)m, (int)rows[i],
                             (int)all[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_equal_refits),
        cmocka_unit_test(nested_accuracy_is_not_biased_by_the_choice),
        cmocka_unit_test(nested_accuracy_of_one_kernel_is_cross_validation),
        cmocka_unit_test(race_is_reproducible),
        cmocka_unit_test_setup_teardown(ranks_below_depth_are_tried, poll_always, poll_as_usual),
        cmocka_unit_test(a_sample_is_screened_if_the_budget_is_short),
        cmocka_unit_test(landmarks_approximate_readout),
        cmocka_unit_test(features_must_be_finite),
        cmocka_unit_test(outputs_become_probabilities),
        cmocka_unit_test(samples_are_stratified),
        cmocka_unit_test(ties_of_a_sample_go_to_the_first_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
