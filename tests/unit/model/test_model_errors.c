/* tests/unit/model/test_model_errors.c: training errors equal those of fits on the preceding rows, and intervals
 * are quantiles of them. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_linear.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 60, D = 2, Q = 2 };

/* Inputs, and targets that depend on them with noise. */
typedef struct problem {
    double *X, *Y;
    volt_kernel *kernel;
} problem;

static problem make_problem(uint64_t seed, const char *kernel, int64_t n)
{
    volt_rng rng = test_rng(seed);
    problem p = {.X = random_rows(&rng, n, D, 1), .Y = normal_rows(&rng, n, Q)};
    for (int64_t i = 1; i < n; i++) {
        p.Y[i * Q] = p.X[i * D] + 0.5 * p.X[(i - 1) * D + 1] + 0.1 * p.Y[i * Q];
        p.Y[i * Q + 1] = 3 + p.X[i * D] * p.X[i * D + 1] + 0.2 * p.Y[i * Q + 1];
    }
    check_ok(volt_kernel_parse(kernel, &p.kernel));
    return p;
}

static void release(problem *p)
{
    free(p->X);
    free(p->Y);
    volt_kernel_free(p->kernel);
}

static volt_model *fit_rows(const problem *p, int64_t n, const volt_fit_options *options)
{
    volt_model *model = NULL;
    check_ok(volt_model_fit(p->kernel, volt_view_of(p->X, n, D), volt_view_of(p->Y, n, Q), options,
                            (volt_matrix){0}, &model));
    return model;
}

/* y_t minus the prediction of a fit on rows 0 .. h - 1. */
static void plain_error(const problem *p, int64_t h, int64_t t, const volt_fit_options *options, double e[Q])
{
    volt_model *model = fit_rows(p, h, options);
    int64_t rows = t - h + 1;
    double *out = new_matrix(rows, Q);
    volt_predict_options allow = volt_predict_options_default();
    allow.beyond = VOLT_BEYOND_ALLOW; /* the ball is computed from fewer rows */
    check_ok(volt_model_predict(model, volt_view_of(p->X + h * D, rows, D), &allow,
                                volt_matrix_of(out, rows, Q), NULL));
    for (int64_t k = 0; k < Q; k++)
        e[k] = p->Y[t * Q + k] - out[(rows - 1) * Q + k];
    free(out);
    volt_model_free(model);
}

/* Scaling is off, so that a fit on fewer rows is the same problem. */
static volt_fit_options plain_options(int64_t ahead, int64_t washout, int intercept)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.01;
    options.scale = 0;
    options.ahead = ahead;
    options.washout = washout;
    options.intercept = intercept;
    return options;
}

static const char *const kernels[] = {
    "volterra:tau=0.4,lambda=0.5",
    "rbf:gamma=0.5",
    "linear:window=3",
    "memory:gamma=0.5,rho=0.4,mu=0.3",
    "fir:mu=0.5 + 0.5*rbf:gamma=1",
    "fading:gamma=0.5,rho=0.3",
    "volterra:tau=0.4,lambda=0.5,pole=0.3",
};

/* The condition number of K + alpha I is at most about 1e4 here, and targets are of size 3: 1e-9 leaves a
 * factor of more than 100. */
static const double tolerance = 1e-9;

static void errors_equal_fits_on_previous_rows(void **state)
{
    static const struct {
        int64_t ahead, washout;
        int intercept;
    } cases[] = {{0, 0, 1}, {1, 0, 0}, {3, 5, 1}};
    for (size_t s = 0; s < sizeof kernels / sizeof *kernels; s++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            problem p = make_problem(100 + s, kernels[s], N);
            volt_fit_options options = plain_options(cases[c].ahead, cases[c].washout, cases[c].intercept);
            volt_model *model = fit_rows(&p, N, &options);
            int64_t gap = cases[c].ahead > 1 ? cases[c].ahead : 1, w = cases[c].washout, kept = N - w;
            double *read = new_matrix(kept, Q);
            read[(kept - 1) * Q] = 1e77; /* a buffer of fewer rows: nothing is written past its end */
            assert_int_equal(volt_model_errors_read(model, volt_matrix_of(read, kept - 1, Q)), kept);
            assert_true(read[(kept - 1) * Q] == 1e77);
            assert_int_equal(volt_model_errors_read(model, volt_matrix_of(read, kept, Q)), kept);
            for (int64_t t = 0; t < kept; t += 7) {
                double e[Q], far[Q];
                int64_t h = t - gap + 1, last = kept - kept / 4, h_far = h < last ? h : last;
                if (h < 1) {
                    assert_int_equal(isnan(read[t * Q]) != 0, t < gap - !cases[c].intercept);
                    continue;
                }
                plain_error(&p, w + h, w + t, &options, e);
                for (int64_t k = 0; k < Q; k++)
                    assert_true(fabs(read[t * Q + k] - e[k]) <= tolerance);
                plain_error(&p, w + h_far, w + t, &options, far);
                const volt_error_list *list = &model->errors.lists[VOLT_ERRORS_FAR];
                assert_int_equal(list->rows, kept);
                for (int64_t k = 0; k < Q; k++)
                    assert_true(fabs(list->e[t * Q + k] - far[k]) <= tolerance);
            }
            free(read);
            volt_model_free(model);
            release(&p);
        }
}

/* v_t = K_tt + alpha - k' R k + (1 - 1' R k)^2 / (1' R 1) over the rows before h. */
static double plain_variance(const double *K, int64_t n, int64_t h, int64_t t, double alpha, bool intercept)
{
    double *A = new_matrix(h, h), *B = new_matrix(h, 2);
    for (int64_t i = 0; i < h; i++) {
        for (int64_t j = 0; j < h; j++)
            A[i * h + j] = K[i * n + j] + (i == j ? alpha : 0);
        B[i * 2] = K[t * n + i];
        B[i * 2 + 1] = 1;
    }
    plain_solve(volt_view_of(A, h, h), volt_matrix_of(B, h, 2));
    double v = K[t * n + t] + alpha, cross = 1, ones = 0;
    for (int64_t i = 0; i < h; i++) {
        v -= K[t * n + i] * B[i * 2];
        cross -= B[i * 2];
        ones += B[i * 2 + 1];
    }
    free(A);
    free(B);
    return intercept ? v + cross * cross / ones : v;
}

static void scales_are_standard_deviations(void **state)
{
    for (int intercept = 0; intercept <= 1; intercept++)
        for (int64_t ahead = 1; ahead <= 4; ahead += 3) {
            problem p = make_problem(7, "volterra:tau=0.4,lambda=0.5", N);
            volt_fit_options options = plain_options(ahead, 0, intercept);
            volt_model *model = fit_rows(&p, N, &options);
            double *K = new_matrix(N, N);
            volt_gram_options gram = {.struct_size = sizeof(volt_gram_options), .mirror = 1};
            check_ok(
                volt_gram(p.kernel, volt_view_of(p.X, N, D), (volt_view){0}, &gram, volt_matrix_of(K, N, N)));
            for (int64_t t = ahead; t < N; t++) {
                double plain = plain_variance(K, N, t - ahead + 1, t, options.alpha, intercept);
                double scale = model->errors.lists[VOLT_ERRORS_NEAR].scale[t * Q];
                assert_true(fabs(scale * scale - plain) <= 1e-10 * plain);
                assert_true(scale == model->errors.lists[VOLT_ERRORS_NEAR].scale[t * Q + 1]);
            }
            free(K);
            volt_model_free(model);
            release(&p);
        }
}

/* Rows without a target have no error. They affect the other errors only by their absence from the fit. */
static void rows_without_a_target_have_no_error(void **state)
{
    problem p = make_problem(11, "rbf:gamma=0.5", N);
    volt_fit_options options = plain_options(1, 0, 1);
    options.missing_targets = 1;
    for (int64_t t = 5; t < N; t += 10)
        p.Y[t * Q] = NAN;
    volt_model *model = fit_rows(&p, N, &options);
    double *read = new_matrix(N, Q);
    volt_model_errors_read(model, volt_matrix_of(read, N, Q));
    for (int64_t t = 1; t < N; t++) {
        assert_int_equal(isnan(read[t * Q]) != 0, t % 10 == 5);
        if (t % 10 == 5 || t % 7 != 0)
            continue;
        double e[Q];
        plain_error(&p, t, t, &options, e);
        for (int64_t k = 0; k < Q; k++)
            assert_true(fabs(read[t * Q + k] - e[k]) <= tolerance);
    }
    free(read);
    volt_model_free(model);
    release(&p);
}

/* A loaded model has bitwise equal errors. */
static void file_preserves_errors(void **state)
{
    problem p = make_problem(13, "fir:mu=0.5 + 0.5*rbf:gamma=1", N);
    volt_fit_options options = volt_fit_options_default(); /* alpha is chosen per output: scales differ */
    volt_model *model = fit_rows(&p, N, &options), *read = NULL;
    const char *path = scratch_path("errors.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &read));
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        const volt_error_list *a = &model->errors.lists[i], *b = &read->errors.lists[i];
        assert_int_equal(a->rows, b->rows);
        assert_memory_equal(a->e, b->e, (size_t)(a->rows * Q) * sizeof(double));
        assert_memory_equal(a->scale, b->scale, (size_t)(a->rows * Q) * sizeof(double));
    }
    volt_model_free(read);
    volt_model_free(model);
    release(&p);
}

/* ---- errors after alpha selection ------------------------------------------------------------- */

/* A series whose next value is predicted: the change if the model improves on persistence, otherwise
 * persistence. */
static volt_model *fit_series(const double *series, int64_t n, double alpha, volt_target target)
{
    static const int64_t anchor = 0;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.ahead = 1;
    options.anchors = &anchor;
    options.alpha = alpha;
    options.target = target;
    options.input = VOLT_INPUT_CHANGE;
    options.season = 0;
    check_ok(volt_kernel_parse("rbf:window=3", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(series, n - 1, 1), volt_view_of(series + 1, n - 1, 1),
                            &options, (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    return model;
}

enum { LENGTH = 121 };

static void make_series(uint64_t seed, double keeps, double *series)
{
    volt_rng rng = test_rng(seed);
    double *noise = normal_rows(&rng, LENGTH, 1), last = 0;
    series[0] = 0;
    for (int64_t t = 1; t < LENGTH; t++) {
        last = keeps * last + noise[t];
        series[t] = series[t - 1] + last;
    }
    free(noise);
}

/* Full readout: a fit with that alpha. Half: the mean of the readout and the change. None: the change. */
static void errors_include_shares_of_choice(void **state)
{
    int seen[3] = {0};
    double series[LENGTH], e[LENGTH - 1], given[LENGTH - 1];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        make_series(seed, (double)(seed % 10) / 12, series);
        volt_model *model = fit_series(series, LENGTH, 0, VOLT_TARGET_AUTO);
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        double share = info.report->share[0];
        volt_model_errors_read(model, volt_matrix_of(e, LENGTH - 1, 1));
        bool is_plain = info.anchors[0] >= 0 && info.intercepts[0] == 0; /* no constant prediction was chosen */
        if (share == 0)
            for (int64_t t = 1; t < LENGTH - 1; t++)
                assert_true(fabs(e[t] - (series[t + 1] - series[t])) <= 1e-12 * (1 + fabs(series[t])));
        else if (isfinite(info.alphas[0]) && is_plain) {
            volt_kernel *kernel = NULL;
            volt_fit_options options = volt_fit_options_default();
            static const int64_t anchor = 0;
            volt_model *same = NULL;
            options.ahead = 1;
            options.anchors = &anchor;
            options.alpha = info.alphas[0];
            options.intercept = 0;
            options.target = VOLT_TARGET_CHANGE;
            options.input = VOLT_INPUT_CHANGE;
            options.season = 0;
            check_ok(volt_kernel_parse("rbf:window=3", &kernel));
            check_ok(volt_model_fit(kernel, volt_view_of(series, LENGTH - 1, 1),
                                    volt_view_of(series + 1, LENGTH - 1, 1), &options, (volt_matrix){0},
                                    &same));
            volt_model_errors_read(same, volt_matrix_of(given, LENGTH - 1, 1));
            for (int64_t t = 1; t < LENGTH - 1; t++) {
                double change = series[t + 1] - series[t];
                assert_true(fabs(e[t] - (share * given[t] + (1 - share) * change)) <= 1e-6);
            }
            volt_model_free(same);
            volt_kernel_free(kernel);
        } else {
            volt_model_free(model);
            continue;
        }
        seen[(int)(2 * share)]++;
        volt_model_free(model);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

/* If the inputs do not explain the targets, the prediction is the mean of the known preceding targets,
 * without the last quarter. */
static void mean_model_errors_are_distances(void **state)
{
    int seen = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        problem p = make_problem(seed, "rbf:gamma=0.5", N);
        volt_rng rng = test_rng(1000 + seed);
        double *noise = normal_rows(&rng, N, Q), sum = 0;
        memcpy(p.Y, noise, sizeof(double) * N * Q);
        volt_fit_options options = volt_fit_options_default(); /* alpha is selected */
        options.scale = 0;
        volt_model *model = fit_rows(&p, N, &options);
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        const volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
        assert_int_equal(far->rows, N);
        bool is_mean = isinf(info.alphas[0]) && info.intercepts[0] != 0;
        for (int64_t t = 1; is_mean && t < N; t++) {
            int64_t known = t < N - N / 4 ? t : N - N / 4;
            sum += t <= N - N / 4 ? noise[(t - 1) * Q] : 0;
            assert_true(fabs(far->e[t * Q] - (noise[t * Q] - sum / (double)known)) <= tolerance);
        }
        seen += is_mean;
        free(noise);
        volt_model_free(model);
        release(&p);
    }
    assert_true(seen >= 3);
}

/* Above 2048 rows a fit on states predicts the held-out half from sums over the preceding rows. The result
 * equals an exact fit on those rows. */
static void reservoir_errors_equal_fits_on_previous_rows(void **state)
{
    enum { MANY = 2048 + 90, KNOWN = MANY / 2, LAST = MANY - KNOWN };
    problem p = make_problem(31, "esn:size=20,seed=3", MANY);
    volt_fit_options options = plain_options(1, 0, 1);
    options.solver = "features";
    volt_model *sums = fit_rows(&p, MANY, &options);
    options.solver = "exact";
    volt_model *exact = fit_rows(&p, KNOWN, &options);
    const volt_error_list *far = &sums->errors.lists[VOLT_ERRORS_FAR];
    double *out = new_matrix(LAST, Q);
    check_ok(volt_model_predict(exact, volt_view_of(p.X + KNOWN * D, LAST, D), NULL,
                                volt_matrix_of(out, LAST, Q), NULL));
    assert_int_equal(far->rows, VOLT_INTERVAL_SCORES);
    for (int64_t i = 0; i < far->rows; i++)
        for (int64_t k = 0; k < Q; k++) {
            int64_t row = MANY - far->rows + i;
            double e = (p.Y[row * Q + k] - out[(row - KNOWN) * Q + k]) / sums->target_scale[k];
            assert_true(fabs(far->e[i * Q + k] - e) <= 1e-8 && far->scale[i * Q + k] == 1);
        }
    free(out);
    volt_model_free(exact);
    volt_model_free(sums);
    release(&p);
}

/* ---- intervals -------------------------------------------------------------------------------- */

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void half_widths_are_ranks_of_the_last_errors(void **state)
{
    enum { MANY = 650, SCORES = 300 };
    static const double coverages[] = {0.5, 0.9, 0.95, 0.99};
    static const int64_t rank[] = {151, 271, 286, 298}; /* ceil(301 p) */
    problem p = make_problem(17, "rbf:gamma=0.5", MANY);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.01;
    volt_model *model = fit_rows(&p, MANY, &options);
    double half[4 * Q], scores[SCORES];
    check_ok(volt_model_interval(model, coverages, 4, volt_matrix_of(half, 4, Q)));
    const volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
    assert_int_equal(far->rows, SCORES);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    for (int64_t k = 0; k < Q; k++) {
        for (int64_t t = 0; t < SCORES; t++)
            scores[t] = fabs(far->e[t * Q + k]) * info.target_scale[k];
        qsort(scores, SCORES, sizeof *scores, upwards);
        for (int c = 0; c < 4; c++)
            assert_true(fabs(half[c * Q + k] - scores[rank[c] - 1]) <= 1e-12 * half[c * Q + k]);
    }
    for (int64_t fails = 0; failing_alloc_next(&fails);) {
        double untouched[4 * Q] = {0};
        volt_status status = volt_model_interval(model, coverages, 4, volt_matrix_of(untouched, 4, Q));
        failing_alloc_check(status);
        for (int i = 0; i < 4 * Q; i++)
            assert_true(status ? untouched[i] == 0 : untouched[i] == half[i]);
    }
    volt_model_free(model);
    release(&p);
}

/* The last 300 available errors in time order, or all of them if there are fewer. */
static void scores_are_the_last_errors(void **state)
{
    static const int64_t rows[] = {1, 14, 40, 200, 700, 900};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int64_t holes = 0; holes <= 3; holes += 3) {
            volt_model_errors errors = {0};
            double scores[VOLT_INTERVAL_SCORES];
            for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
                check_ok(volt_error_list_allocate(rows[r], 1, &errors.lists[i]));
                for (int64_t t = 0; t < rows[r]; t++) {
                    errors.lists[i].e[t] = (double)((t - rows[r]) * (t % 2 ? 1 : -1) * (1 + i));
                    errors.lists[i].scale[t] = holes && t % holes == 1 ? 0 : 1;
                }
            }
            const volt_error_list *far = &errors.lists[VOLT_ERRORS_FAR];
            int64_t n = volt_error_scores(&errors, 1, 0, scores), at = n;
            for (int64_t t = far->rows - 1; t >= 0 && at > 0; t--)
                if (far->scale[t] > 0)
                    assert_true(scores[--at] == fabs(far->e[t]));
            int64_t there = 0, half = rows[r] / 2 > 100 ? rows[r] / 2 : 100, most = half < 300 ? half : 300;
            for (int64_t t = 0; t < rows[r]; t++)
                there += far->scale[t] > 0;
            assert_int_equal(n, there < most ? there : most);
            assert_int_equal(at, 0);
            volt_errors_release(&errors);
        }
}

/* Long-horizon errors of a long fit: rows from `last` on, at most the last 300, are predicted from the rows
 * before `last`. */
static void at_most_300_rows_are_held_out(void **state)
{
    enum { MANY = 1300, LAST = MANY - 300 };
    problem p = make_problem(29, "linear:window=3", MANY);
    volt_fit_options options = plain_options(2, 0, 1);
    volt_model *model = fit_rows(&p, MANY, &options), *before = fit_rows(&p, LAST, &options);
    const volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
    assert_int_equal(far->rows, MANY - LAST);
    double *out = new_matrix(MANY - LAST, Q);
    volt_predict_options allow = volt_predict_options_default();
    allow.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_model_predict(before, volt_view_of(p.X + LAST * D, MANY - LAST, D), &allow,
                                volt_matrix_of(out, MANY - LAST, Q), NULL));
    for (int64_t t = 1; t < MANY - LAST; t++) /* one row fewer is known for row LAST: a target spans two rows */
        for (int64_t k = 0; k < Q; k++) {
            double e = p.Y[(LAST + t) * Q + k] - out[t * Q + k];
            assert_true(fabs(far->e[t * Q + k] - e) <= tolerance);
        }
    free(out);
    volt_model_free(before);
    volt_model_free(model);
    release(&p);
}

static void ranks(void **state)
{
    const double sorted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_true(volt_interval_quantile(sorted, 9, 0.9) == 9); /* 0.9 * 10 is 9 regardless of rounding */
    assert_true(volt_interval_quantile(sorted, 9, 0.91) == INFINITY);
    assert_true(volt_interval_quantile(sorted, 9, 0.5) == 5);
    assert_true(volt_interval_quantile(sorted, 9, 0.01) == 1);
    for (int64_t needed = 1; needed <= 300; needed++) {
        double most = (double)needed / (double)(needed + 1); /* the highest level for this number of scores */
        assert_true(isfinite(volt_interval_quantile((const double[300]){0}, needed, most)));
        assert_true(isinf(volt_interval_quantile((const double[300]){0}, needed, most + 1e-6)));
    }
}

/* With fewer errors than the order statistic needs: Student's t times the root mean square, at least the largest error. */
static void few_errors_have_normal_tails(void **state)
{
    enum { ROWS = 13 };
    problem p = make_problem(23, "rbf:gamma=0.5", N);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.01;
    volt_model *model = fit_rows(&p, ROWS, &options);
    static const double coverages[] = {0.9, 0.95, 0.99};
    double half[3 * Q], scores[VOLT_INTERVAL_SCORES];
    check_ok(volt_model_interval(model, coverages, 3, volt_matrix_of(half, 3, Q)));
    for (int64_t k = 0; k < Q; k++) {
        double squares = 0, largest = 0;
        int64_t n = volt_error_scores(&model->errors, Q, k, scores);
        assert_int_equal(n, ROWS - 1);
        for (int64_t i = 0; i < n; i++) {
            squares += scores[i] * scores[i];
            largest = fmax(largest, scores[i]);
        }
        double rms = model->target_scale[k] * sqrt(squares / (double)n);
        largest *= model->target_scale[k];
        assert_true(half[k] == largest); /* 0.9 * 13 is 11.7: the twelfth */
        /* t quantiles of 12 degrees of freedom from a table; the expansion has an error below 1 % */
        assert_true(fabs(half[Q + k] / fmax(largest, 2.1788 * rms) - 1) < 0.01);
        assert_true(fabs(half[2 * Q + k] / fmax(largest, 3.0545 * rms) - 1) < 0.01);
    }
    volt_model_free(model);
    release(&p);
}

static void invalid_arguments_are_rejected(void **state)
{
    problem p = make_problem(19, "rbf:gamma=0.5", N), centred = make_problem(19, "gak:window=4", N);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.01;
    volt_model *model = fit_rows(&p, N, &options);
    double half[2 * Q] = {-1, -1, -1, -1};
    static const double bad[] = {0, 1, 1.2, -0.5, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_fails(volt_model_interval(model, (const double[]){0.5, bad[i]}, 2, volt_matrix_of(half, 2, Q)),
                    VOLT_ERR_ARGUMENT, "0 1");
    check_fails(volt_model_interval(model, bad, 0, volt_matrix_of(half, 0, Q)), VOLT_ERR_ARGUMENT, "empty");
    volt_model *few = fit_rows(&p, 3, &options); /* two errors */
    check_fails(volt_model_interval(few, (const double[]){0.5}, 1, volt_matrix_of(half, 1, Q)), VOLT_ERR_DATA,
                "3 output 1 2");
    volt_model_free(few);
    check_fails(volt_model_interval(model, (const double[]){0.5}, 1, volt_matrix_of(half, 1, 1)),
                VOLT_ERR_SHAPE, "x 1 2");
    for (int i = 0; i < 2 * Q; i++)
        assert_true(half[i] == -1);
    volt_model_free(model);
    volt_kernel_free(centred.kernel);
    check_ok(volt_kernel_parse("gak:window=4,centre=yes", &centred.kernel));
    options.intercept = 0;
    model = fit_rows(&centred, N, &options);
    assert_int_equal(volt_model_errors_read(model, (volt_matrix){0}), 0);
    check_fails(volt_model_interval(model, (const double[]){0.5}, 1, volt_matrix_of(half, 1, Q)),
                VOLT_ERR_ARGUMENT, "errors");
    volt_model_free(model);
    release(&centred);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_equal_fits_on_previous_rows),
        cmocka_unit_test(scales_are_standard_deviations),
        cmocka_unit_test(rows_without_a_target_have_no_error),
        cmocka_unit_test(file_preserves_errors),
        cmocka_unit_test(errors_include_shares_of_choice),
        cmocka_unit_test(mean_model_errors_are_distances),
        cmocka_unit_test(reservoir_errors_equal_fits_on_previous_rows),
        cmocka_unit_test(half_widths_are_ranks_of_the_last_errors),
        cmocka_unit_test(scores_are_the_last_errors),
        cmocka_unit_test(at_most_300_rows_are_held_out),
        cmocka_unit_test(ranks),
        cmocka_unit_test(few_errors_have_normal_tails),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests_name("model_errors", tests, NULL, NULL);
}
