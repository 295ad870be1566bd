/* tests/unit/series/test_variance_norm.c: distances from Gram matrices compared with those from features and
 * covariance matrices. With a linear kernel the features are the rows themselves: |x|^2 = x' (C + a)^{-1} C
 * (C + a)^{-1} x uses the covariance C of the rows, and leave-one-out values are computed without the row. */
#include "base/threads.h"
#include "series/anomaly/variance_norm.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "support/plain_linear.h"
#include "support/polling.h"
#include "support/sequences.h"

static void near_to(double actual, double expected, double tolerance)
{
    golden_check_number("value", expected, actual, tolerance, GOLDEN_ABSOLUTE);
}

enum { MAX_D = 12, MAX_N = 24 };

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- reference -------------------------------------------------------------------------------- */

/* Mean and scatter of the features of all series except `out` (-1: of all). */
typedef struct plain_norm {
    int64_t d, count;
    double mean[MAX_D], scatter[MAX_D * MAX_D], ridge; /* s, on the scatter */
} plain_norm;

static plain_norm plain_learn(const double *X, int64_t n, int64_t d, int64_t out, double s)
{
    plain_norm norm = {.d = d, .count = out < 0 ? n : n - 1, .ridge = s};
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; i != out && k < d; k++)
            norm.mean[k] += X[i * d + k] / (double)norm.count;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; i != out && k < d; k++)
            for (int64_t l = 0; l < d; l++)
                norm.scatter[k * d + l] += (X[i * d + k] - norm.mean[k]) * (X[i * d + l] - norm.mean[l]);
    return norm;
}

static double plain_trace(const plain_norm *norm)
{
    double sum = 0;
    for (int64_t k = 0; k < norm->d; k++)
        sum += norm->scatter[k * norm->d + k];
    return sum;
}

/* The variance norm of x - from. */
static double plain_distance(const plain_norm *norm, const double *x, const double *from)
{
    double A[MAX_D * MAX_D], v[MAX_D], size2 = 0;
    int64_t d = norm->d;
    double count = (double)norm->count;
    for (int64_t k = 0; k < d; k++) {
        v[k] = x[k] - from[k];
        for (int64_t l = 0; l < d; l++)
            A[k * d + l] = (norm->scatter[k * d + l] + (k == l ? norm->ridge : 0)) / count;
    }
    plain_solve(volt_view_of(A, d, d), volt_matrix_of(v, d, 1));
    for (int64_t k = 0; k < d; k++)
        for (int64_t l = 0; l < d; l++)
            size2 += v[k] * norm->scatter[k * d + l] / count * v[l];
    return sqrt(size2);
}

static double plain_score(const plain_norm *norm, volt_anomaly_kind kind, const double *X, int64_t n,
                          int64_t out, const double *x)
{
    double least = INFINITY;
    if (kind == VOLT_ANOMALY_MAHALANOBIS)
        return plain_distance(norm, x, norm->mean);
    for (int64_t i = 0; i < n; i++)
        if (i != out)
            least = fmin(least, plain_distance(norm, x, X + i * norm->d));
    return least;
}

/* log det of S + s, by elimination without pivoting: the matrix is positive definite. */
static double plain_log_det(const plain_norm *norm)
{
    double A[MAX_D * MAX_D], sum = 0;
    int64_t d = norm->d;
    for (int64_t k = 0; k < d * d; k++)
        A[k] = norm->scatter[k] + (k % (d + 1) == 0 ? norm->ridge : 0);
    for (int64_t p = 0; p < d; p++) {
        sum += log(A[p * d + p]);
        for (int64_t k = p + 1; k < d; k++)
            for (int64_t l = p + 1; l < d; l++)
                A[k * d + l] -= A[k * d + p] * A[p * d + l] / A[p * d + p];
    }
    return sum;
}

/* Log density of every row under the Gaussian distribution of the others, without (2 pi)^{-d/2}. */
static double plain_log_score(const double *X, int64_t n, int64_t d, double s)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        plain_norm others = plain_learn(X, n, d, i, s);
        double A[MAX_D * MAX_D], v[MAX_D], w[MAX_D], size = 0, count = (double)others.count;
        for (int64_t k = 0; k < d * d; k++)
            A[k] = (others.scatter[k] + (k % (d + 1) == 0 ? s : 0)) / count;
        for (int64_t k = 0; k < d; k++)
            w[k] = v[k] = X[i * d + k] - others.mean[k];
        plain_solve(volt_view_of(A, d, d), volt_matrix_of(v, d, 1));
        for (int64_t k = 0; k < d; k++)
            size += w[k] * v[k];
        sum -= (plain_log_det(&others) - (double)d * log(count) + size) / 2;
    }
    return sum;
}

/* ---- Gram matrices of rows -------------------------------------------------------------------- */

static double *inner_products(const double *X, int64_t n, const double *Y, int64_t m, int64_t d)
{
    double *K = new_matrix(n, m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            K[i * m + j] = 0;
            for (int64_t k = 0; k < d; k++)
                K[i * m + j] += X[i * d + k] * Y[j * d + k];
        }
    return K;
}

/* Rows with a different spread in each direction, away from the origin. */
static double *uneven_rows(volt_rng *rng, int64_t n, int64_t d)
{
    double *X = normal_rows(rng, n, d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            X[i * d + k] = X[i * d + k] / (double)(k + 1) + (double)k;
    return X;
}

static volt_anomaly *fit(const double *K, int64_t n, volt_anomaly_kind kind, double alpha, double rate)
{
    volt_anomaly *anomaly = NULL;
    volt_anomaly_options options = volt_anomaly_options_default();
    options.score = kind;
    options.alpha = alpha;
    options.rate = rate;
    check_ok(volt_anomaly_fit(volt_view_of(K, n, n), &options, &anomaly));
    return anomaly;
}

/* ---- cases ------------------------------------------------------------------------------------ */

/* Rounding is n eps over the fraction alpha of the smallest direction; measured: up to three times that. */
static double tolerance_of(double alpha, int64_t n)
{
    return 100 * (double)n * DBL_EPSILON / alpha;
}

static void distances_equal_feature_distances(void **state)
{
    static const struct {
        int64_t n, d;
        double alpha;
    } cases[] = {{20, 3, 1e-2}, {20, 3, 1e-6}, {7, 12, 1e-1}, {13, 12, 1e-3}, {24, 1, 1e-4}, {3, 5, 0.3}};
    volt_rng rng = test_rng(11);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int kind = 0; kind < 2; kind++) {
            int64_t n = cases[c].n, d = cases[c].d, m = 9;
            double *X = uneven_rows(&rng, n, d), *Y = uneven_rows(&rng, m, d), scores[9];
            for (int64_t k = 0; k < d; k++)
                Y[k] = X[2 * d + k]; /* an existing one */
            double *K = inner_products(X, n, X, n, d), *C = inner_products(Y, m, X, n, d);
            plain_norm all = plain_learn(X, n, d, -1, 0);
            double s = all.ridge = cases[c].alpha * plain_trace(&all), near = tolerance_of(cases[c].alpha, n);
            volt_anomaly *anomaly = fit(K, n, (volt_anomaly_kind)kind, cases[c].alpha, 0.2);
            check_ok(volt_anomaly_score(anomaly, volt_view_of(C, m, n), scores));
            for (int64_t i = 0; i < m; i++)
                near_to(scores[i], plain_score(&all, (volt_anomaly_kind)kind, X, n, -1, Y + i * d), near);
            volt_anomaly_info info = {.struct_size = sizeof info};
            volt_anomaly_get_info(anomaly, &info);
            near_to(info.alpha, cases[c].alpha, 0);
            assert_true(info.areas.roc_auc == 0 && info.areas.pr_auc == 0); /* no examples */
            for (int64_t i = 0; i < n; i++) { /* leave-one-out, with the same ridge */
                plain_norm others = plain_learn(X, n, d, i, s);
                double expected = plain_score(&others, (volt_anomaly_kind)kind, X, n, i, X + i * d);
                near_to(info.left_out[i], expected, near * (1 + expected));
            }
            volt_anomaly_free(anomaly);
            free(X);
            free(Y);
            free(K);
            free(C);
        }
}

/* One series fewer: distances of new series, and leave-one-out distances of the rest, compared with features
 * without it. The growth is the median ratio by which one more series changes the latter. */
static void loo_distance_equals_refit(void **state)
{
    enum { N = 9, D = 4, OUT = 3, M = 5 };
    volt_rng rng = test_rng(14);
    for (int kind = 0; kind < 2; kind++) {
        double *X = uneven_rows(&rng, N, D), *Y = uneven_rows(&rng, M, D), alpha = 1e-2, scratch[N];
        double *K = inner_products(X, N, X, N, D), rest[(N - 1) * D], less_P[N * N], ratios[N * N];
        plain_norm all = plain_learn(X, N, D, -1, 0);
        double s = alpha * plain_trace(&all), near = 10 * tolerance_of(alpha, N);
        volt_anomaly *anomaly = fit(K, N, (volt_anomaly_kind)kind, alpha, 0.3);
        volt_anomaly_info info = {.struct_size = sizeof info};
        volt_anomaly_get_info(anomaly, &info);
        int64_t count = 0;
        for (int64_t h = 0; h < 5; h++) { /* five are excluded, evenly spaced */
            int64_t out = h * N / 5;
            for (int64_t i = 0; i < N; i++)
                for (int64_t k = 0; i != out && k < D; k++)
                    rest[(i - (i > out)) * D + k] = X[i * D + k];
            for (int64_t j = 0; j < N - 1; j++) {
                plain_norm others = plain_learn(rest, N - 1, D, j, s);
                double twice = plain_score(&others, (volt_anomaly_kind)kind, rest, N - 1, j, rest + j * D);
                ratios[count++] = info.left_out[j + (j >= out)] / twice;
            }
        }
        qsort(ratios, (size_t)count, sizeof *ratios, compare_numbers);
        near_to(info.growth, (ratios[count / 2 - 1] + ratios[count / 2]) / 2, near * info.growth);

        volt_variance_norm norm = {.P = new_matrix(N, N)}, less = {.P = less_P};
        volt_stage stage;
        volt_progress silent = {0};
        int64_t pivot = 0;
        double centred[N * N], k[N];
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                centred[i * N + j] = 0;
                for (int64_t l = 0; l < D; l++)
                    centred[i * N + j] += (X[i * D + l] - all.mean[l]) * (X[j * D + l] - all.mean[l]);
            }
        volt_stage_begin(&stage, silent, "test", 0, 1, 1);
        volt_variance_norm_make(volt_view_of(centred, N, N), plain_trace(&all), s, &stage, &norm, &pivot);
        volt_variance_norm_leave(&norm, OUT, &less);
        plain_norm others = plain_learn(X, N, D, OUT, s);
        for (int64_t m = 0; m < M; m++) {
            int64_t at = 0;
            for (int64_t i = 0; i < N; i++) {
                if (i == OUT)
                    continue;
                k[at] = 0;
                for (int64_t l = 0; l < D; l++)
                    k[at] += (Y[m * D + l] - others.mean[l]) * (X[i * D + l] - others.mean[l]);
                at++;
            }
            near_to(volt_new_distance(&less, (volt_anomaly_kind)kind, k, scratch),
                    plain_score(&others, (volt_anomaly_kind)kind, X, N, OUT, Y + m * D), near);
        }
        volt_anomaly_free(anomaly);
        free(norm.P);
        free(X);
        free(Y);
        free(K);
    }
}

/* For a kernel with equal distances between all series, a new series is as far as the leave-one-out ones: at
 * the threshold. */
static void constant_kernel_gives_equal_scores(void **state)
{
    enum { N = 12, E = 7 };
    double K[N * N] = {0}, C[E * N] = {0}, scores[E];
    for (int i = 0; i < N; i++)
        K[i * N + i] = 1;
    volt_anomaly *anomaly = fit(K, N, VOLT_ANOMALY_CONFORMANCE, 1e-3, 0.05);
    volt_anomaly_info info = {.struct_size = sizeof info};
    volt_anomaly_get_info(anomaly, &info);
    check_ok(volt_anomaly_score(anomaly, volt_view_of(C, E, N), scores));
    near_to(info.left_out[0] / scores[0], sqrt((N - 2.0) / (N - 1)),
            1e-9);                                /* without growth all would exceed it */
    near_to(info.threshold / scores[0], 1, 0.01); /* (n - 2)^2 = (n - 1)(n - 3) + 1 */
    volt_anomaly_free(anomaly);
}

/* For alpha to 0 the distance tends to the Mahalanobis distance (x - m)' C^{-1} (x - m), for any kernel
 * scale. */
static void small_alphas_give_the_mahalanobis_distance(void **state)
{
    enum { N = 24, D = 3 };
    volt_rng rng = test_rng(3);
    double *X = uneven_rows(&rng, N, D), *y = uneven_rows(&rng, 1, D), score = 0;
    plain_norm all = plain_learn(X, N, D, -1, 0);
    double v[D], w[D], size2 = 0, A[D * D];
    for (int k = 0; k < D * D; k++)
        A[k] = all.scatter[k] / N;
    for (int k = 0; k < D; k++)
        v[k] = w[k] = y[k] - all.mean[k];
    plain_solve(volt_view_of(A, D, D), volt_matrix_of(v, D, 1));
    for (int k = 0; k < D; k++)
        size2 += v[k] * w[k];
    for (int run = 0; run < 2; run++) {
        double unit = run ? 1e6 : 1, *K = inner_products(X, N, X, N, D), *C = inner_products(y, 1, X, N, D);
        for (int64_t i = 0; i < N * N; i++)
            K[i] *= unit;
        for (int64_t i = 0; i < N; i++)
            C[i] *= unit;
        volt_anomaly *anomaly = fit(K, N, VOLT_ANOMALY_MAHALANOBIS, 1e-7, 0.1);
        check_ok(volt_anomaly_score(anomaly, volt_view_of(C, 1, N), &score));
        near_to(score, sqrt(size2), 1e-4 * sqrt(size2)); /* alpha over the smallest fraction, 1e-7 / 0.02 */
        volt_anomaly_free(anomaly);
        free(K);
        free(C);
    }
    free(X);
    free(y);
}

/* The selected alpha has the largest leave-one-out likelihood on the grid. The number of features equals the
 * dimension of the span, so the densities apply to the full space. */
static void alpha_is_chosen_by_loo_likelihood(void **state)
{
    enum { N = 13, D = 12 };
    volt_rng rng = test_rng(8);
    double *X = uneven_rows(&rng, N, D), *K = inner_products(X, N, X, N, D), best = -INFINITY, expected = 0;
    plain_norm all = plain_learn(X, N, D, -1, 0);
    for (int a = -8; a <= 0; a++) {
        double alpha = pow(10, a), score = plain_log_score(X, N, D, alpha * plain_trace(&all));
        if (score > best) {
            best = score;
            expected = alpha;
        }
    }
    volt_anomaly *anomaly = fit(K, N, VOLT_ANOMALY_CONFORMANCE, 0, 0.05);
    volt_anomaly_info info = {.struct_size = sizeof info};
    volt_anomaly_get_info(anomaly, &info);
    near_to(info.alpha, expected, 1e-12 * expected);
    volt_anomaly_free(anomaly);

    /* The log scores agree up to a constant that does not depend on alpha. */
    volt_matrix centred = volt_matrix_of(new_matrix(N, N), N, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            centred.data[i * N + j] = 0;
            for (int k = 0; k < D; k++)
                centred.data[i * N + j] += (X[i * D + k] - all.mean[k]) * (X[j * D + k] - all.mean[k]);
        }
    double trace = plain_trace(&all), P[N * N], found[2], plain[2], ridges[2] = {1e-3 * trace, 0.1 * trace};
    for (int a = 0; a < 2; a++) {
        volt_variance_norm norm = {.P = P};
        volt_stage stage;
        volt_progress silent = {0};
        int64_t pivot = 0;
        volt_stage_begin(&stage, silent, "test", 0, 1, 1);
        volt_variance_norm_make(volt_as_view(centred), trace, ridges[a], &stage, &norm, &pivot);
        assert_int_equal(pivot, 0);
        found[a] = norm.log_score;
        plain[a] = plain_log_score(X, N, D, ridges[a]);
    }
    near_to(found[0] - found[1], plain[0] - plain[1], 1e-8 * fabs(plain[0]));
    free(centred.data);
    free(X);
    free(K);
}

/* Outliers in a direction of small spread: with them as examples, the alpha that separates them is selected. */
static void examples_choose_alpha(void **state)
{
    enum { N = 20, D = 6, E = 8 };
    volt_rng rng = test_rng(21);
    double *X = uneven_rows(&rng, N, D), *Y = uneven_rows(&rng, E, D);
    for (int i = 0; i < E; i++)
        Y[i * D + D - 1] += 1;
    double *K = inner_products(X, N, X, N, D), *C = inner_products(Y, E, X, N, D);
    volt_anomaly_options options = volt_anomaly_options_default();
    options.examples = volt_view_of(C, E, N);
    volt_ranking best = {.struct_size = sizeof best};
    double alpha = 0;
    for (int a = -8; a <= 0; a++) { /* computed directly */
        double scores[N + E];
        int marks[N + E];
        volt_ranking areas = {.struct_size = sizeof areas};
        volt_anomaly_info info = {.struct_size = sizeof info};
        volt_anomaly *anomaly = fit(K, N, VOLT_ANOMALY_CONFORMANCE, pow(10, a), 0.05);
        volt_anomaly_get_info(anomaly, &info);
        memcpy(scores, info.left_out, N * sizeof *scores);
        for (int e = 0; e < E; e++) { /* without one series, five times */
            plain_norm all = plain_learn(X, N, D, -1, 0);
            scores[N + e] = 0;
            for (int h = 0; h < 5; h++) {
                plain_norm less = plain_learn(X, N, D, h * N / 5, pow(10, a) * plain_trace(&all));
                scores[N + e] += plain_score(&less, VOLT_ANOMALY_CONFORMANCE, X, N, h * N / 5, Y + e * D) / 5;
            }
        }
        for (int i = 0; i < N + E; i++)
            marks[i] = i >= N;
        check_ok(volt_ranking_compute(scores, marks, N + E, &areas));
        if (a == -8 || areas.roc_auc + areas.pr_auc > best.roc_auc + best.pr_auc) {
            best = areas;
            alpha = pow(10, a);
        }
        volt_anomaly_free(anomaly);
    }
    volt_anomaly *anomaly = NULL;
    volt_anomaly_info info = {.struct_size = sizeof info};
    check_ok(volt_anomaly_fit(volt_view_of(K, N, N), &options, &anomaly));
    volt_anomaly_get_info(anomaly, &info);
    near_to(info.alpha, alpha, 1e-12 * alpha);
    near_to(info.areas.roc_auc, best.roc_auc, 0);
    near_to(info.areas.pr_auc, best.pr_auc, 0);
    assert_true(best.roc_auc > 0.9);
    volt_anomaly_free(anomaly);
    free(X);
    free(Y);
    free(K);
    free(C);
}

/* Among n leave-one-out scores and one more, the rank of a score is given by the rate. */
static void threshold_is_loo_quantile(void **state)
{
    enum { N = 19, D = 3 };
    static const struct {
        double rate;
        int above; /* leave-one-out */
    } cases[] = {{0.05, 0}, {0.1, 1}, {0.25, 4}, {0.5, 9}, {0.01, 0}};
    volt_rng rng = test_rng(4);
    double *X = uneven_rows(&rng, N, D), *K = inner_products(X, N, X, N, D);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_anomaly *anomaly = fit(K, N, VOLT_ANOMALY_MAHALANOBIS, 1e-3, cases[c].rate);
        volt_anomaly_info info = {.struct_size = sizeof info};
        volt_anomaly_get_info(anomaly, &info);
        int above = 0;
        for (int i = 0; i < N; i++)
            above += info.left_out[i] * info.growth > info.threshold * (1 + 1e-12);
        assert_int_equal(above, cases[c].above);
        near_to(info.least, 0.05, DBL_EPSILON);
        volt_anomaly_free(anomaly);
    }
    free(X);
    free(K);
}

static void only_the_lower_triangle_is_read_and_threads_change_nothing(void **state)
{
    enum { N = 24, D = 5 };
    volt_rng rng = test_rng(6);
    double *X = uneven_rows(&rng, N, D), *K = inner_products(X, N, X, N, D), first[N], scores[2][N];
    int64_t threads = volt_threads();
    for (int run = 0; run < 2; run++) {
        check_ok(volt_set_threads(run + 1));
        volt_anomaly *anomaly = fit(K, N, VOLT_ANOMALY_CONFORMANCE, 0, 0.05);
        volt_anomaly_info info = {.struct_size = sizeof info};
        volt_anomaly_get_info(anomaly, &info);
        double *C = inner_products(X, N, X, N, D);
        check_ok(volt_anomaly_score(anomaly, volt_view_of(C, N, N), scores[run]));
        if (run == 0)
            memcpy(first, info.left_out, sizeof first);
        assert_memory_equal(first, info.left_out, sizeof first);
        volt_anomaly_free(anomaly);
        free(C);
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++)
                K[i * N + j] = NAN;
    }
    assert_memory_equal(scores[0], scores[1], sizeof first);
    check_ok(volt_set_threads(threads));
    free(X);
    free(K);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_arguments_are_rejected(void **state)
{
    double K[] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}, same[9], score;
    volt_anomaly *anomaly = NULL;
    volt_anomaly_options options = volt_anomaly_options_default();
    volt_view view = volt_view_of(K, 4, 4);
    check_fails(volt_anomaly_fit(volt_view_of(K, 2, 2), NULL, &anomaly), VOLT_ERR_SHAPE, "at 3");
    check_fails(volt_anomaly_fit(volt_view_of(K, 4, 3), NULL, &anomaly), VOLT_ERR_SHAPE, "x 4 3");
    check_fails(volt_anomaly_fit(volt_view_of(NULL, 4, 4), NULL, &anomaly), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_anomaly_fit(view, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    for (int i = 0; i < 9; i++)
        same[i] = 0.7;
    check_fails(volt_anomaly_fit(volt_view_of(same, 3, 3), NULL, &anomaly), VOLT_ERR_DATA, "series");
    options.rate = 1;
    check_fails(volt_anomaly_fit(view, &options, &anomaly), VOLT_ERR_ARGUMENT, "rate 1");
    options.rate = 0.1;
    options.alpha = -1;
    check_fails(volt_anomaly_fit(view, &options, &anomaly), VOLT_ERR_ARGUMENT, "alpha -1");
    options.alpha = 0;
    options.score = (volt_anomaly_kind)7;
    check_fails(volt_anomaly_fit(view, &options, &anomaly), VOLT_ERR_ARGUMENT, "7");
    options.score = VOLT_ANOMALY_MAHALANOBIS;
    options.examples = volt_view_of(K, 1, 3);
    check_fails(volt_anomaly_fit(view, &options, &anomaly), VOLT_ERR_SHAPE, "3 columns");
    options.examples = volt_view_of(NULL, 0, 0);
    K[4] = NAN;
    check_fails(volt_anomaly_fit(view, &options, &anomaly), VOLT_ERR_NOT_FINITE, "1 0");
    K[4] = 3; /* not positive definite */
    options.alpha = 1e-3;
    check_fails(volt_anomaly_fit(view, &options, &anomaly), VOLT_ERR_SINGULAR, "alpha = 0.001");
    K[4] = 0;
    assert_null(anomaly);
    check_ok(volt_anomaly_fit(view, &options, &anomaly));
    check_fails(volt_anomaly_score(anomaly, volt_view_of(K, 1, 3), &score), VOLT_ERR_SHAPE, "3 columns");
    K[1] = INFINITY;
    check_fails(volt_anomaly_score(anomaly, volt_view_of(K, 1, 4), &score), VOLT_ERR_NOT_FINITE, "0 1");
    volt_anomaly_free(anomaly);
    volt_anomaly_free(NULL);
}

static int stop(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

static void allocation_failure_and_cancellation(void **state)
{
    enum { N = 12, D = 4 };
    volt_rng rng = test_rng(9);
    double *X = uneven_rows(&rng, N, D), *K = inner_products(X, N, X, N, D), score[N];
    volt_anomaly_options options = volt_anomaly_options_default();
    options.examples = volt_view_of(K, 2, N);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_anomaly *anomaly = NULL;
        volt_status status = volt_anomaly_fit(volt_view_of(K, N, N), &options, &anomaly);
        if (status == VOLT_OK)
            status = volt_anomaly_score(anomaly, volt_view_of(K, N, N), score);
        volt_anomaly_free(anomaly);
        failing_alloc_check(status);
    }
    options.progress.report = stop;
    volt_anomaly *anomaly = NULL;
    check_fails(volt_anomaly_fit(volt_view_of(K, N, N), &options, &anomaly), VOLT_ERR_CANCELLED, "");
    assert_null(anomaly);
    free(X);
    free(K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_equal_feature_distances),
        cmocka_unit_test(loo_distance_equals_refit),
        cmocka_unit_test(constant_kernel_gives_equal_scores),
        cmocka_unit_test(small_alphas_give_the_mahalanobis_distance),
        cmocka_unit_test(alpha_is_chosen_by_loo_likelihood),
        cmocka_unit_test(examples_choose_alpha),
        cmocka_unit_test(threshold_is_loo_quantile),
        cmocka_unit_test(only_the_lower_triangle_is_read_and_threads_change_nothing),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test_setup_teardown(allocation_failure_and_cancellation, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
