/* tests/unit/predict/test_watch.c: rows of a series compared with their predictions: scores by the plain formula,
 * alarms at the set rate. */
#include "base/numbers.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The last `most` of n numbers, sorted, into `sorted`; returns their number. */
static int64_t sort_last(const double *values, int64_t n, int64_t most, double *sorted)
{
    int64_t count = n < most ? n : most;
    memcpy(sorted, values + n - count, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return count;
}

static double plain_median(const double *values, int64_t n, int64_t most)
{
    double *sorted = new_matrix(most, 1);
    int64_t count = sort_last(values, n, most, sorted);
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return median;
}

/* ---- the level -------------------------------------------------------------------------------- */

static void ring_keeps_last_numbers_in_order(void **state)
{
    enum { CAPACITY = 7, N = 200 };
    double ring[CAPACITY], sorted[CAPACITY], values[N], expected[CAPACITY];
    int64_t n = 0, next = 0;
    volt_rng rng = test_rng(1);
    for (int64_t t = 0; t < N; t++) {
        values[t] = floor(volt_rng_uniform(&rng) * 9); /* ties */
        volt_sorted_ring_add(ring, sorted, CAPACITY, &n, &next, values[t]);
        assert_int_equal(n, sort_last(values, t + 1, CAPACITY, expected));
        assert_memory_equal(sorted, expected, (size_t)n * sizeof *sorted);
    }
}

/* Extrapolation by an exponential tail of the largest tenth, at least 5 scores. */
static double plain_tail(const double *sorted, int64_t count, double rate)
{
    int64_t tail = count / 10 > 5 ? count / 10 : 5;
    double edge = sorted[count - tail - 1], sum = 0;
    for (int64_t i = count - tail; i < count; i++)
        sum += sorted[i] - edge;
    return edge + sum / (double)tail * log((double)tail / (rate * (double)(count + 1)));
}

/* With a small rate the tail has many scores before the quantile is available: a tenth of them, more than
 * the minimum of 5. */
static void tail_is_top_tenth_of_scores(void **state)
{
    enum { N = 450 }; /* fewer than 1 / rate */
    volt_alarm_level level;
    double values[N], sorted[N];
    volt_rng rng = test_rng(3);
    check_ok(volt_alarm_level_begin(&level, 0.002));
    for (int64_t t = 0; t < N; t++) {
        int64_t count = sort_last(values, t, N, sorted);
        if (count >= 30)
            golden_check_number("tail", plain_tail(sorted, count, 0.002), volt_alarm_level_now(&level), 1e-12,
                                GOLDEN_RELATIVE);
        values[t] = -log(1 - volt_rng_uniform(&rng));
        volt_alarm_level_add(&level, values[t]);
    }
    volt_alarm_level_release(&level);
}

/* With rate r, the (N + 1) r largest of N exceed the level; with fewer scores, an exponential tail is used. */
static void level_is_quantile_of_last_scores(void **state)
{
    enum { N = 1500 };
    volt_alarm_level level;
    double values[N], sorted[1000];
    volt_rng rng = test_rng(2);
    check_ok(volt_alarm_level_begin(&level, 0.02));
    assert_int_equal(level.capacity, 1000);
    for (int64_t t = 0; t < N; t++) {
        double now = volt_alarm_level_now(&level);
        int64_t count = sort_last(values, t, 1000, sorted);
        if (count < 30) {
            assert_true(isinf(now));
        } else if ((double)(count + 1) * 0.02 >= 1) {
            int64_t above = 0;
            for (int64_t i = 0; i < count; i++)
                above += sorted[i] > now;
            assert_int_equal(above, (int64_t)floor((double)(count + 1) * 0.02 + 1e-9) - 1);
        } else {
            golden_check_number("tail", plain_tail(sorted, count, 0.02), now, 1e-12, GOLDEN_RELATIVE);
        }
        values[t] = -log(1 - volt_rng_uniform(&rng));
        volt_alarm_level_add(&level, values[t]);
    }
    volt_alarm_level_release(&level);
}

/* ---- watches ---------------------------------------------------------------------------------- */

/* x_t = 0.7 x_{t-1} + noise, cols independent channels of different sizes; noise is normal or heavy-tailed. */
static double *autoregression(volt_rng *rng, int64_t rows, int64_t cols, bool heavy)
{
    double *X = normal_rows(rng, rows, cols);
    for (int64_t t = 0; t < rows; t++)
        for (int64_t k = 0; k < cols; k++) {
            double noise = X[t * cols + k], size = (double)(1 + 9 * k);
            if (heavy)
                noise = noise / sqrt(0.1 + volt_rng_uniform(rng));
            X[t * cols + k] = (t > 0 ? 0.7 * X[(t - 1) * cols + k] : 0) + size * noise;
        }
    return X;
}

static volt_model *fit_rows(const double *X, int64_t rows, int64_t cols, double alpha)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.ahead = options.feedback = 1;
    options.alpha = alpha;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    check_ok(volt_kernel_parse("volterra:tau_coef=0.4,lambda_coef=0.4", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, rows, cols), volt_view_of(X + cols, rows, cols), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_live_options detecting(double rate, int64_t window, int64_t scale_rows)
{
    volt_live_options options = volt_live_options_default();
    options.learn = window != 0;
    options.window = window;
    options.alarm_rate = rate;
    options.scale_rows = scale_rows;
    return options;
}

/* Scores from a learner and score lists of the test. */
static void scores_equal_plain_formula(void **state)
{
    enum { N = 80, ROWS = 220, D = 2, WINDOW = 60, SCALE = 40 };
    volt_rng rng = test_rng(31);
    double *X = autoregression(&rng, N + ROWS, D, false), *errors[D], *scores = new_matrix(N + ROWS, 1);
    for (int k = 0; k < D; k++)
        errors[k] = new_matrix(N + ROWS, 1);
    X[(N + 100) * D] += 30; /* an alarm: this row is not learned */
    volt_model *model = fit_rows(X, N - 1, D, 0.1);
    volt_live_options options = detecting(0.005, WINDOW, SCALE);
    volt_live_options learn = *with_learning();
    volt_live *watch = NULL;
    volt_live *learner = NULL;
    learn.window = WINDOW;
    check_ok(volt_live_create(model, &options, &watch));
    check_ok(volt_live_create(model, &learn, &learner));

    /* Training errors of the second half. */
    volt_matrix none = {0}, before = volt_matrix_of(new_matrix(N, D), N - 1, D);
    assert_int_equal(volt_model_errors_read(model, none), N - 1);
    volt_model_errors_read(model, before);
    int64_t count = 0, n_scores = 0, alarms = 0;
    double forecast[D], expected[D], unknown[D] = {NAN, NAN};
    for (int64_t t = (N - 1) / 2 - (N - 1); t < ROWS; t++) {
        double error[D], score = NAN, threshold = INFINITY, *x = X + (N - 1 + t) * D;
        volt_detection row = {.struct_size = sizeof row};
        if (t < 0) {
            memcpy(error, before.data + (N - 1 + t) * D, sizeof error);
        } else {
            for (int k = 0; k < D; k++)
                error[k] = x[k] - forecast[k];
            volt_alarm_level level;
            check_ok(volt_alarm_level_begin(&level, 0.005));
            for (int64_t i = 0; i < n_scores; i++)
                volt_alarm_level_add(&level, scores[i]);
            threshold = volt_alarm_level_now(&level);
            volt_alarm_level_release(&level);
            check_ok(volt_live_detect(watch, x, expected, &row));
            golden_check_number("threshold", threshold, row.threshold, 1e-12, GOLDEN_RELATIVE);
            if (t == 0) { /* no prediction was made */
                assert_true(isnan(row.score) && isnan(expected[0]) && !row.alarm && row.channel == -1);
                check_ok(volt_live_update(learner, x, 1, x, forecast));
                continue;
            }
            golden_check("forecast", forecast, expected, D, 1e-12, GOLDEN_MAX_NORM);
        }
        if (count >= 10)
            score = fmax(fabs(error[0]) / (1.4826 * plain_median(errors[0], count, SCALE)),
                         fabs(error[1]) / (1.4826 * plain_median(errors[1], count, SCALE)));
        for (int k = 0; k < D; k++)
            errors[k][count] = fabs(error[k]);
        count++;
        if (t >= 0) {
            golden_check_number("score", score, row.score, 1e-10, GOLDEN_RELATIVE);
            assert_int_equal(row.alarm, score > threshold);
            assert_int_equal(row.channel, fabs(error[1]) / plain_median(errors[1], count - 1, SCALE) >
                                              fabs(error[0]) / plain_median(errors[0], count - 1, SCALE));
            alarms += row.alarm;
            assert_true(t != 101 || row.alarm);
            check_ok(volt_live_update(learner, x, 1, row.alarm ? unknown : x, forecast));
        }
        if (!isnan(score)) /* alarms are clipped to 1.5 times the threshold */
            scores[n_scores++] = score > 1.5 * threshold ? 1.5 * threshold : score;
    }
    assert_true(alarms > 0);
    volt_live_free(watch);
    volt_live_free(learner);
    volt_model_free(model);
    free(before.data);
    free(scores);
    free(errors[0]);
    free(errors[1]);
    free(X);
}

/* Alarms on rows without a change occur at the set rate for every noise distribution. The number is binomial
 * for independent scores; five standard deviations are allowed, and the first rows raise fewer alarms. */
static void alarm_rate_equals_requested_rate(void **state)
{
    enum { N = 150, ROWS = UNDER_SANITIZERS ? 1500 : 6000, D = 1 };
    static const double rates[] = {0.01, 0.05};
    volt_rng rng = test_rng(77);
    for (int heavy = 0; heavy < 2; heavy++) {
        double *X = autoregression(&rng, N + ROWS, D, heavy);
        volt_model *model = fit_rows(X, N - 1, D, 1);
        for (int r = 0; r < 2; r++) {
            volt_live_options options = detecting(rates[r], 0, 300);
            volt_live *watch = NULL;
            int64_t alarms = 0;
            check_ok(volt_live_create(model, &options, &watch));
            for (int64_t t = 0; t < ROWS; t++) {
                volt_detection row = {.struct_size = sizeof row};
                check_ok(volt_live_detect(watch, X + (N - 1 + t) * D, NULL, &row));
                alarms += row.alarm;
            }
            double wanted = rates[r] * ROWS, deviation = sqrt(wanted * (1 - rates[r]));
            print_message("rate %g: %d alarms in %d rows, wanted %g\n", rates[r], (int)alarms, ROWS, wanted);
            assert_true(fabs((double)alarms - wanted) < 5 * deviation);
            volt_live_free(watch);
        }
        volt_model_free(model);
        free(X);
    }
}

/* A constant series has errors at the rounding level or zero: no row is an alarm until the value changes. */
static void a_constant_series_has_finite_scores(void **state)
{
    enum { N = 100, ROWS = 100 };
    volt_rng rng = test_rng(5);
    double *X = autoregression(&rng, N, 1, false);
    volt_model *model = fit_rows(X, N - 1, 1, 0.1);
    volt_live_options options = detecting(0.02, 0, 20);
    volt_live *watch = NULL;
    volt_detection row = {.struct_size = sizeof row};
    double x = 0.5;
    check_ok(volt_live_create(model, &options, &watch));
    for (int64_t t = 0; t < ROWS; t++) {
        check_ok(volt_live_detect(watch, &x, NULL, &row));
        assert_true(t == 0 ? isnan(row.score) : isfinite(row.score));
    }
    x = 1e6;
    check_ok(volt_live_detect(watch, &x, NULL, &row));
    assert_true(isfinite(row.score) && row.alarm);
    volt_live_free(watch);
    volt_model_free(model);
    free(X);
}

/* A copy and a loaded watch continue with the same scores, also after the ring buffers are full. */
static void copies_and_files_continue_with_the_same_scores(void **state)
{
    enum { N = 60, ROWS = 90, D = 2 };
    volt_rng rng = test_rng(8);
    double *X = autoregression(&rng, N + ROWS, D, false);
    volt_model *model = fit_rows(X, N - 1, D, 0.1);
    for (int64_t window = 0; window <= 40; window += 40)
        for (int64_t saved = 0; saved < ROWS; saved += 43) {
            volt_live_options options = detecting(0.05, window, 25);
            volt_live *watch = NULL, *copy = NULL, *loaded = NULL;
            check_ok(volt_live_create(model, &options, &watch));
            for (int64_t t = 0; t < ROWS; t++) {
                const double *x = X + (N - 1 + t) * D;
                volt_detection row[3] = {
                    {.struct_size = sizeof *row}, {.struct_size = sizeof *row}, {.struct_size = sizeof *row}};
                if (t == saved) {
                    check_ok(volt_live_copy(watch, &copy));
                    check_ok(volt_live_save(watch, scratch_path("detector")));
                    check_ok(volt_live_load(model, NULL, scratch_path("detector"), &loaded));
                }
                check_ok(volt_live_detect(watch, x, NULL, &row[0]));
                if (t < saved)
                    continue;
                check_ok(volt_live_detect(copy, x, NULL, &row[1]));
                check_ok(volt_live_detect(loaded, x, NULL, &row[2]));
                for (int i = 1; i < 3; i++) {
                    assert_memory_equal(&row[0].score, &row[i].score, sizeof(double));
                    assert_memory_equal(&row[0].threshold, &row[i].threshold, sizeof(double));
                    assert_int_equal(row[0].channel, row[i].channel);
                }
            }
            volt_live_free(watch);
            volt_live_free(copy);
            volt_live_free(loaded);
        }
    volt_model_free(model);
    free(X);
}

/* The level of a rate of 0.05 uses the last 1000 scores: the copy drops the same ones. */
static void copies_drop_the_same_scores(void **state)
{
    enum { N = 40, BEFORE = 1100, ROWS = BEFORE + 900 };
    volt_rng rng = test_rng(9);
    double *X = autoregression(&rng, N + ROWS, 1, true);
    volt_model *model = fit_rows(X, N - 1, 1, 0.1);
    volt_live_options options = detecting(0.05, 0, 25);
    volt_live *watch = NULL, *copy = NULL;
    check_ok(volt_live_create(model, &options, &watch));
    for (int64_t t = 0; t < ROWS; t++) {
        volt_detection row = {.struct_size = sizeof row}, other = row;
        if (t == BEFORE)
            check_ok(volt_live_copy(watch, &copy));
        check_ok(volt_live_detect(watch, X + N - 1 + t, NULL, &row));
        if (!copy)
            continue;
        check_ok(volt_live_detect(copy, X + N - 1 + t, NULL, &other));
        assert_true(row.score == other.score && row.threshold == other.threshold);
    }
    volt_live_free(watch);
    volt_live_free(copy);
    volt_model_free(model);
    free(X);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_arguments_are_rejected(void **state)
{
    enum { N = 40 };
    volt_rng rng = test_rng(6);
    double *X = autoregression(&rng, N, 1, false), bad = NAN;
    volt_model *model = fit_rows(X, N - 1, 1, 0.1), *other = NULL;
    volt_kernel *kernel = NULL;
    volt_live *watch = NULL;
    volt_detection row = {.struct_size = sizeof row};
    volt_live_options options = detecting(0.001, 500, 300);
    check_ok(volt_kernel_parse("volterra", &kernel));
    volt_fit_options plain = volt_fit_options_default();
    plain.alpha = 1;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(X, N, 1), &plain,
                            volt_matrix_of(NULL, 0, 0), &other));
    check_fails(volt_live_create(other, &options, &watch), VOLT_ERR_ARGUMENT, "0 rows ahead");
    check_fails(volt_live_create(NULL, NULL, &watch), VOLT_ERR_ARGUMENT, "NULL");
    options.alarm_rate = 1;
    check_fails(volt_live_create(model, &options, &watch), VOLT_ERR_ARGUMENT, "rate 1");
    options.alarm_rate = 0.1;
    options.window = -1;
    check_fails(volt_live_create(model, &options, &watch), VOLT_ERR_ARGUMENT, "window -1");
    options.window = 10;
    options.scale_rows = 9;
    check_fails(volt_live_create(model, &options, &watch), VOLT_ERR_ARGUMENT, "scale_rows 9");
    assert_null(watch);
    check_ok(volt_live_create(model, NULL, &watch));
    check_fails(volt_live_detect(watch, X, NULL, &row), VOLT_ERR_ARGUMENT, "alarm_rate");
    volt_live_free(watch);
    options = detecting(0.001, 500, 300);
    check_ok(volt_live_create(model, &options, &watch));
    check_fails(volt_live_detect(watch, &bad, NULL, &row), VOLT_ERR_NOT_FINITE, "value 1");
    check_fails(volt_live_detect(watch, NULL, NULL, &row), VOLT_ERR_ARGUMENT, "NULL");
    volt_live_free(watch);
    volt_live_free(NULL);
    volt_model_free(other);
    volt_kernel_free(kernel);

    options = detecting(0.001, 500, 300);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        watch = NULL;
        volt_status status = volt_live_create(model, &options, &watch);
        for (int i = 0; status == VOLT_OK && i < 2; i++)
            status = volt_live_detect(watch, X + i, NULL, &row);
        volt_live_free(watch);
        failing_alloc_check(status);
    }
    volt_model_free(model);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_keeps_last_numbers_in_order),
        cmocka_unit_test(level_is_quantile_of_last_scores),
        cmocka_unit_test(tail_is_top_tenth_of_scores),
        cmocka_unit_test(scores_equal_plain_formula),
        cmocka_unit_test(alarm_rate_equals_requested_rate),
        cmocka_unit_test(a_constant_series_has_finite_scores),
        cmocka_unit_test(copies_and_files_continue_with_the_same_scores),
        cmocka_unit_test(copies_drop_the_same_scores),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
