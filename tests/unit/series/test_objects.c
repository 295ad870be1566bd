/* tests/unit/series/test_objects.c: series as objects: preparation and Gram matrices. */
#include "gram/gram.h"
#include "select/candidates/candidates.h"
#include "series/gram/objects_internal.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra.h"

enum { MOST = 9, CHANNELS = 3, MAX_STEPS = 16 };

/* Random walks in channels of very different scales and offsets. */
typedef struct walks {
    volt_view series[MOST];
    double numbers[MOST * MAX_STEPS * CHANNELS];
} walks;

static void make_walks(uint64_t seed, bool equal, walks *made)
{
    static const double unit[CHANNELS] = {1, 200, 1e-3}, place[CHANNELS] = {0, 1e4, -5};
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double *at = made->numbers;
    for (int64_t i = 0; i < MOST; i++) {
        int64_t steps = equal ? 7 : 5 + i;
        made->series[i] = volt_view_of(at, steps, CHANNELS);
        for (int64_t t = 0; t < steps; t++)
            for (int k = 0; k < CHANNELS; k++, at++)
                *at = place[k] + unit[k] * (volt_rng_normal(&rng) + (double)(i % 3) * sin((double)t));
    }
}

static volt_kernel *parse(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

/* ---- reference preparation -------------------------------------------------------------------- */

typedef struct plain_block {
    volt_view series[MOST];
    double numbers[MOST * MAX_STEPS * 2 * CHANNELS];
    int64_t d;
} plain_block;

static void plain_inputs(const walks *from, volt_object_input input, plain_block *to)
{
    double *at = to->numbers;
    to->d = input == VOLT_OBJECT_INPUT_BOTH ? 2 * CHANNELS : CHANNELS;
    for (int64_t i = 0; i < MOST; i++) {
        volt_view raw = from->series[i];
        to->series[i] = volt_view_of(at, raw.rows, to->d);
        for (int64_t t = 0; t < raw.rows; t++)
            for (int64_t k = 0; k < to->d; k++, at++) {
                int64_t c = k % CHANNELS;
                bool change = input == VOLT_OBJECT_INPUT_CHANGE || k >= CHANNELS;
                double now = raw.data[t * CHANNELS + c];
                *at = !change ? now : t > 0 ? now - raw.data[(t - 1) * CHANNELS + c] : 0;
            }
    }
}

/* Standardise each value to mean 0 and deviation 1 over the series first .. end - 1. */
static void plain_standardise(plain_block *block, int64_t first, int64_t end)
{
    for (int64_t k = 0; k < block->d; k++) {
        long double sum = 0, squares = 0, count = 0;
        for (int pass = 0; pass < 3; pass++)
            for (int64_t i = first; i < end; i++)
                for (int64_t t = 0; t < block->series[i].rows; t++) {
                    double *x = (double *)block->series[i].data + t * block->d + k;
                    if (pass == 0)
                        count++, sum += *x;
                    else if (pass == 1)
                        squares += (*x - sum / count) * (*x - sum / count);
                    else
                        *x = (double)((*x - sum / count) / sqrtl(squares / count));
                }
    }
}

static void plain_prepare(const walks *from, const volt_objects_options *options, plain_block *to)
{
    plain_inputs(from, options->input, to);
    if (options->scale == VOLT_OBJECT_SCALE_NONE)
        return;
    if (options->scale == VOLT_OBJECT_SCALE_CHANNELS)
        plain_standardise(to, 0, MOST);
    for (int64_t i = 0; i < MOST && options->scale == VOLT_OBJECT_SCALE_SERIES; i++)
        plain_standardise(to, i, i + 1);
    double largest = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < MOST; i++)
        rows += to->series[i].rows;
    for (int64_t t = 0; t < rows; t++) {
        double square = 0;
        for (int64_t k = 0; k < to->d; k++)
            square += to->numbers[t * to->d + k] * to->numbers[t * to->d + k];
        largest = fmax(largest, square);
    }
    for (int64_t j = 0; j < rows * to->d; j++)
        to->numbers[j] /= sqrt(largest);
}

static void compare(const char *what, const double *expected, const double *found, int64_t count,
                    double tolerance)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(expected[i] - found[i]) <= tolerance)) /* NaN does not match either */
            fail_msg("%s: entry %d is %.17g, and should be %.17g", what, (int)i, found[i], expected[i]);
}

/* ---- Gram matrices ---------------------------------------------------------------------------- */

/* Every preparation with kernels of every kind, compared with the reference preparation and
 * volt_gram_collection. The values are near 1e4 / 200 deviations from zero, so standardisation loses two
 * digits. */
static void gram_equals_plain_preparation(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.6,lambda_coef=0.8",
                                          "gak:sigma=0.7",
                                          "memory",
                                          "sig:level=3",
                                          "esn:size=9,seed=3",
                                          "gak:sigma=1 + 0.5*fading"};
    walks made;
    plain_block plain;
    make_walks(4101, false, &made);
    for (int scale = 0; scale < 3; scale++)
        for (int input = 0; input < 3; input++)
            for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
                volt_objects_options options = {.scale = scale, .input = input, .normalise = (int)(k % 2)};
                if (scale == VOLT_OBJECT_SCALE_NONE && k >= 3)
                    continue; /* powers of 1e4 */
                volt_objects *objects = NULL;
                volt_kernel *kernel = parse(kernels[k]);
                double K[MOST * MOST], expected[MOST * MOST];
                check_ok(volt_objects_create(made.series, MOST, &options, &objects));
                check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, MOST, MOST)));
                plain_prepare(&made, &options, &plain);
                volt_gram_options gram = volt_gram_options_default();
                gram.normalise = options.normalise;
                check_ok(volt_gram_collection(kernel, plain.series, MOST, NULL, 0, &gram,
                                              volt_matrix_of(expected, MOST, MOST)));
                double largest = 0;
                for (int i = 0; i < MOST * MOST; i++)
                    largest = fmax(largest, fabs(expected[i]));
                compare(kernels[k], expected, K, (int64_t)MOST * MOST, 1e-10 * largest);
                if (options.normalise)
                    for (int i = 0; i < MOST; i++)
                        assert_true(fabs(K[i * MOST + i] - 1) < 1e-14);
                volt_kernel_free(kernel);
                volt_objects_free(objects);
            }
}

/* New series are prepared with the training statistics: the training series themselves give the same matrix. */
static void training_series_as_test_give_same_gram(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.6,lambda_coef=0.8", "gak:sigma=0.7",
                                          "sas:size=9", "rbf:gamma=0.5", "linear + rbf:gamma=2"};
    walks made;
    make_walks(4102, true, &made);
    for (int normalise = 0; normalise < 2; normalise++)
        for (int scale = 0; scale < 2; scale++)
            for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
                volt_objects_options options = {scale, VOLT_OBJECT_INPUT_BOTH, normalise,
                                                VOLT_OBJECT_COMPARE_SERIES};
                volt_objects *objects = NULL;
                volt_kernel *kernel = parse(kernels[k]);
                double K[MOST * MOST], C[MOST * MOST], self[MOST];
                check_ok(volt_objects_create(made.series, MOST, &options, &objects));
                assert_int_equal(objects->prepared.count, MOST);
                assert_int_equal(objects->channels, CHANNELS);
                assert_true(objects->equally_long && objects->steps == 7);
                check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, MOST, MOST)));
                check_ok(volt_objects_cross(objects, kernel, made.series, MOST, NULL,
                                            volt_matrix_of(C, MOST, MOST), self));
                double largest = 0;
                for (int i = 0; i < MOST; i++)
                    largest = fmax(largest, K[i * MOST + i]);
                compare(kernels[k], K, C, (int64_t)MOST * MOST, 1e-11 * largest);
                for (int i = 0; i < MOST; i++)
                    assert_true(fabs(self[i] - K[i * MOST + i]) <= 1e-11 * largest);
                volt_kernel_free(kernel);
                volt_objects_free(objects);
            }
}

/* Static kernels treat a series as one row. */
static void static_kernels_use_series_as_one_row(void **state)
{
    walks made;
    plain_block plain;
    double K[MOST * MOST], expected[MOST * MOST];
    make_walks(4103, true, &made);
    volt_objects_options options = {VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_INPUT_BOTH, 1,
                                    VOLT_OBJECT_COMPARE_SERIES};
    plain_prepare(&made, &options, &plain);
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) {
            double square = 0;
            for (int64_t t = 0; t < 7 * plain.d; t++) {
                double gap = plain.series[i].data[t] - plain.series[j].data[t];
                square += gap * gap;
            }
            expected[i * MOST + j] = exp(-0.3 * square);
        }
    volt_objects *objects = NULL;
    volt_kernel *kernel = parse("rbf:gamma=0.3");
    check_ok(volt_objects_create(made.series, MOST, &options, &objects));
    check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, MOST, MOST)));
    compare("rbf", expected, K, (int64_t)MOST * MOST, 1e-11);
    volt_kernel_free(kernel);
    volt_objects_free(objects);
}

/* For kernels defined on a ball, a new step outside the ball is projected onto its border. */
static void steps_outside_ball_are_projected(void **state)
{
    double numbers[] = {0.5, -1, 0.25, 1, 0.3, 1}, far[] = {0.2, 5}, near[] = {0.2, 1};
    volt_view train[] = {volt_view_of(numbers, 3, 1), volt_view_of(numbers + 3, 3, 1)};
    volt_view far_series = volt_view_of(far, 2, 1), near_series = volt_view_of(near, 2, 1);
    volt_objects_options options = {VOLT_OBJECT_SCALE_NONE, VOLT_OBJECT_INPUT_LEVEL, 0,
                                    VOLT_OBJECT_COMPARE_SERIES};
    volt_objects *objects = NULL;
    double a[2], b[2];
    check_ok(volt_objects_create(train, 2, &options, &objects));
    static const char *const kernels[] = {"volterra:tau_coef=0.9", "memory"};
    for (int k = 0; k < 2; k++) {
        volt_kernel *kernel = parse(kernels[k]);
        check_ok(volt_objects_cross(objects, kernel, &far_series, 1, NULL, volt_matrix_of(a, 1, 2), NULL));
        check_ok(volt_objects_cross(objects, kernel, &near_series, 1, NULL, volt_matrix_of(b, 1, 2), NULL));
        assert_true((a[0] == b[0] && a[1] == b[1]) == (k == 0)); /* memory accepts any input */
        volt_kernel_free(kernel);
    }
    volt_objects_free(objects);
}

/* A constant channel has no effect at any offset. */
static void constant_channels_are_ignored(void **state)
{
    double with[] = {1, 0.1, 2, 0.1, 4, 0.1, 3, 0.1}, without[] = {1, 2, 4, 3}, K[4], L[4];
    volt_view a[] = {volt_view_of(with, 2, 2), volt_view_of(with + 4, 2, 2)};
    volt_view b[] = {volt_view_of(without, 2, 1), volt_view_of(without + 2, 2, 1)};
    volt_kernel *kernel = parse("gak");
    for (int scale = 0; scale < 2; scale++) {
        volt_objects_options options = {scale, VOLT_OBJECT_INPUT_LEVEL, 1, VOLT_OBJECT_COMPARE_SERIES};
        volt_objects *first = NULL, *second = NULL;
        check_ok(volt_objects_create(a, 2, &options, &first));
        check_ok(volt_objects_create(b, 2, &options, &second));
        check_ok(volt_objects_gram(first, kernel, NULL, volt_matrix_of(K, 2, 2)));
        check_ok(volt_objects_gram(second, kernel, NULL, volt_matrix_of(L, 2, 2)));
        compare("constant channel", L, K, 4, 1e-14);
        volt_objects_free(first);
        volt_objects_free(second);
    }
    volt_kernel_free(kernel);
}

/* ---- candidates ------------------------------------------------------------------------------- */

static void candidates_use_series_units_without_windows(void **state)
{
    walks made;
    make_walks(4104, true, &made);
    volt_objects *objects = NULL;
    volt_candidates *candidates = NULL, *plain = NULL;
    volt_objects_options options = {VOLT_OBJECT_SCALE_NONE, VOLT_OBJECT_INPUT_LEVEL, 1,
                                    VOLT_OBJECT_COMPARE_SERIES};
    check_ok(volt_objects_create(made.series, MOST, &options, &objects));
    check_ok(volt_objects_candidates(objects, "gak", NULL, &candidates));
    double unit = 0;
    check_ok(volt_kernel_distance_unit(volt_view_of(made.numbers, (int64_t)MOST * 7, CHANNELS), 7, &unit));
    for (int64_t i = 0; i < 50; i++) {
        candidate drawn = candidate_get(candidates, i);
        char value[64];
        assert_false(candidate_parameter(&drawn, "window", value));
        double sigma = candidate_number(&drawn, "sigma") / unit;
        assert_true(sigma > 0.3 * (1 - 1e-12) && sigma < 10 * (1 + 1e-12)); /* the range of the table */
    }
    /* Every candidate is drawn: the first one is not the kernel with its defaults. */
    volt_draw_options first = volt_draw_options_default();
    first.from_defaults = 1;
    check_ok(volt_objects_candidates(objects, "gak", &first, &plain));
    candidate drawn = candidate_get(candidates, 0), same = candidate_get(plain, 0);
    assert_true(candidate_number(&drawn, "sigma") == candidate_number(&same, "sigma"));
    assert_true(drawn.alpha > 0 && drawn.alpha == same.alpha);
    volt_candidates_free(plain);
    plain = NULL;
    volt_candidates_free(candidates);
    volt_draw_options bad = volt_draw_options_default();
    bad.series_steps = -1;
    check_fails(volt_candidates_draw("gak", made.series[0], &bad, &plain), VOLT_ERR_ARGUMENT,
                "series_steps -1");
    volt_objects_free(objects);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void incompatible_series_are_rejected(void **state)
{
    walks made, equal;
    make_walks(4105, false, &made);
    make_walks(4106, true, &equal);
    volt_objects *objects = NULL, *same = NULL;
    double K[MOST * MOST], nan_value[] = {1, NAN}, alike[] = {2, 2, 2};
    volt_matrix out = volt_matrix_of(K, MOST, MOST);
    check_fails(volt_objects_create(NULL, 0, NULL, &objects), VOLT_ERR_SHAPE, "empty");
    volt_view broken = volt_view_of(nan_value, 2, 1), constant = volt_view_of(alike, 3, 1);
    check_fails(volt_objects_create(&broken, 1, NULL, &objects), VOLT_ERR_NOT_FINITE, "series 1");
    check_fails(volt_objects_create(&constant, 1, NULL, &objects), VOLT_ERR_DATA, "compare");
    volt_view absent[] = {made.series[0], {NULL, 5, CHANNELS, CHANNELS}},
              narrow[] = {made.series[0], {made.series[1].data, 5, CHANNELS, CHANNELS - 1}};
    check_fails(volt_objects_create(absent, 2, NULL, &objects), VOLT_ERR_SHAPE, "series 2");
    check_fails(volt_objects_create(narrow, 2, NULL, &objects), VOLT_ERR_SHAPE, "series 2");
    volt_view mixed[] = {made.series[0], constant};
    check_fails(volt_objects_create(mixed, 2, NULL, &objects), VOLT_ERR_SHAPE, "series 2 1 channel 3");
    volt_objects_options wrong = {(volt_object_scale)7, VOLT_OBJECT_INPUT_LEVEL, 1, VOLT_OBJECT_COMPARE_SERIES};
    check_fails(volt_objects_create(made.series, MOST, &wrong, &objects), VOLT_ERR_ARGUMENT, "scale 7");
    wrong =
        (volt_objects_options){VOLT_OBJECT_SCALE_NONE, (volt_object_input)-1, 1, VOLT_OBJECT_COMPARE_SERIES};
    check_fails(volt_objects_create(made.series, MOST, &wrong, &objects), VOLT_ERR_ARGUMENT, "input -1");
    assert_null(objects);

    static const struct {
        const char *kernel;
        bool equal;
        const char *sentence;
    } cases[] = {
        {"rbf", false, "lengths"},        {"rbf:window=2", true, "window"},   {"rbf:pole=0.5", true, "filters"},
        {"gak:window=2", true, "window"}, {"gak:centre=yes", true, "centre"}, {"gak + linear", true, "gak"},
    };
    check_ok(volt_objects_create(made.series, MOST, NULL, &objects));
    check_ok(volt_objects_create(equal.series, MOST, NULL, &same));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = parse(cases[c].kernel);
        check_fails(volt_objects_gram(cases[c].equal ? same : objects, kernel, NULL, out), VOLT_ERR_KERNEL,
                    cases[c].sentence);
        volt_kernel_free(kernel);
    }
    volt_kernel *rbf = parse("rbf"), *gak = parse("gak");
    check_fails(volt_objects_cross(same, rbf, made.series, MOST, NULL, out, NULL), VOLT_ERR_SHAPE,
                "series 1 5 steps kernel rbf");
    check_fails(volt_objects_cross(same, gak, &constant, 1, NULL, out, NULL), VOLT_ERR_SHAPE, "3");
    check_fails(volt_objects_gram(same, gak, NULL, volt_matrix_of(K, 2, 2)), VOLT_ERR_SHAPE, "K 2");
    volt_kernel_free(gak);
    volt_kernel_free(rbf);
    volt_objects_free(objects);
    volt_objects_free(same);
}

/* 5, 6, ... 13 steps, of all nine series and of the first eight. */
static void median_number_of_steps(void **state)
{
    walks made;
    make_walks(4108, false, &made);
    for (int64_t count = MOST - 1; count <= MOST; count++) {
        volt_objects *objects = NULL;
        check_ok(volt_objects_create(made.series, count, NULL, &objects));
        assert_true(objects->steps == (count == MOST ? 9 : 8.5));
        assert_false(objects->equally_long);
        volt_objects_free(objects);
    }
}

/* Scaled channels are unit-free: values of size 1e-30 and 1 give the same result. Scaling by powers of 2 is
 * exact. */
static void channel_units_have_no_effect(void **state)
{
    walks made = {0};
    double K[2][MOST * MOST];
    volt_kernel *kernel = parse("gak");
    make_walks(4109, true, &made);
    for (int small = 0; small < 2; small++) {
        volt_objects *objects = NULL;
        check_ok(volt_objects_create(made.series, MOST, NULL, &objects));
        check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K[small], MOST, MOST)));
        volt_objects_free(objects);
        for (size_t i = 0; i < sizeof made.numbers / sizeof *made.numbers; i++)
            made.numbers[i] = ldexp(made.numbers[i], -100);
    }
    for (int i = 0; i < MOST * MOST; i++)
        assert_true(fabs(K[0][i] - K[1][i]) < 1e-12);
    volt_kernel_free(kernel);
}

/* Steps whose products are all 0, among the training series and among new ones. */
static void zero_self_kernel_is_not_normalised(void **state)
{
    const double some[] = {1, 2, -1, 3}, none[] = {0, 0, 0, 0};
    const volt_view with[] = {volt_view_of(some, 4, 1), volt_view_of(none, 4, 1)};
    const volt_objects_options options = {VOLT_OBJECT_SCALE_NONE, VOLT_OBJECT_INPUT_LEVEL, 1,
                                          VOLT_OBJECT_COMPARE_STEPS};
    double K[4], self[2];
    volt_kernel *linear = parse("linear");
    volt_objects *objects = NULL;
    check_ok(volt_objects_create(with, 2, &options, &objects));
    check_fails(volt_objects_gram(objects, linear, NULL, volt_matrix_of(K, 2, 2)), VOLT_ERR_DATA,
                "series 2 K(x = 0");
    check_fails(volt_objects_cross(objects, linear, with, 1, NULL, volt_matrix_of(K, 1, 2), self),
                VOLT_ERR_DATA, "series 2 K(x = 0");
    volt_objects_free(objects);
    const volt_view turned[] = {with[1], with[0]};
    check_ok(volt_objects_create(turned, 2, &options, &objects));
    check_fails(volt_objects_cross(objects, linear, with, 1, NULL, volt_matrix_of(K, 1, 2), self),
                VOLT_ERR_DATA, "series 1 K(x = 0");
    volt_objects_free(objects);
    check_ok(volt_objects_create(with, 1, &options, &objects));
    check_fails(volt_objects_cross(objects, linear, with, 2, NULL, volt_matrix_of(K, 2, 1), self),
                VOLT_ERR_DATA, "series 2 K(x = 0");
    volt_objects_free(objects);
    volt_kernel_free(linear);
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* The estimated operations grow with the squared number of steps, except where a series is one row. */
static void work_grows_with_steps(void **state)
{
    enum { SERIES = 4, STEPS = 40 };
    static const struct {
        const char *kernel;
        volt_object_compare compare;
        bool is_one_row;
    } cases[] = {{"rbf", VOLT_OBJECT_COMPARE_SERIES, true},
                 {"rbf", VOLT_OBJECT_COMPARE_STEPS, false},
                 {"memory", VOLT_OBJECT_COMPARE_SERIES, false},
                 {"gak", VOLT_OBJECT_COMPARE_SERIES, false}};
    double numbers[SERIES * STEPS];
    volt_rng rng = test_rng(4108);
    for (int64_t i = 0; i < SERIES * STEPS; i++)
        numbers[i] = volt_rng_normal(&rng);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_objects_options options = {VOLT_OBJECT_SCALE_NONE, VOLT_OBJECT_INPUT_LEVEL, 0, cases[c].compare};
        volt_kernel *kernel = parse(cases[c].kernel);
        double work[2];
        for (int half = 0; half < 2; half++) {
            volt_view series[SERIES];
            volt_objects *objects = NULL;
            for (int64_t i = 0; i < SERIES; i++)
                series[i] = volt_view_of(numbers + i * STEPS, half ? STEPS / 2 : STEPS, 1);
            check_ok(volt_objects_create(series, SERIES, &options, &objects));
            work[half] = volt_objects_work(objects, kernel);
            volt_objects_free(objects);
        }
        assert_true(work[1] > 0);
        assert_true(cases[c].is_one_row ? work[0] > work[1] && work[0] <= 2 * work[1] : work[0] == 4 * work[1]);
        volt_kernel_free(kernel);
    }
}

static volt_status whole_way(const walks *made, const volt_objects_options *options, const volt_kernel *kernel)
{
    volt_objects *objects = NULL;
    double K[MOST * MOST], self[MOST];
    volt_status status = volt_objects_create(made->series, MOST, options, &objects);
    assert_true((status == VOLT_OK) == (objects != NULL));
    if (status == VOLT_OK)
        status = volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, MOST, MOST));
    if (status == VOLT_OK)
        status =
            volt_objects_cross(objects, kernel, made->series, MOST, NULL, volt_matrix_of(K, MOST, MOST), self);
    volt_objects_free(objects);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static const char *const kernels[] = {"volterra", "rbf"};
    walks made;
    make_walks(4107, true, &made);
    for (int scale = 0; scale < 2; scale++) {
        volt_objects_options options = {scale, VOLT_OBJECT_INPUT_BOTH, 0, VOLT_OBJECT_COMPARE_SERIES};
        volt_kernel *kernel = parse(kernels[scale]);
        check_ok(whole_way(&made, &options, kernel)); /* threads and buffers are already allocated */
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_status status = whole_way(&made, &options, kernel);
            failing_alloc_check(status);
        }
        volt_kernel_free(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_equals_plain_preparation),
        cmocka_unit_test(training_series_as_test_give_same_gram),
        cmocka_unit_test(static_kernels_use_series_as_one_row),
        cmocka_unit_test(steps_outside_ball_are_projected),
        cmocka_unit_test(constant_channels_are_ignored),
        cmocka_unit_test(candidates_use_series_units_without_windows),
        cmocka_unit_test(incompatible_series_are_rejected),
        cmocka_unit_test(median_number_of_steps),
        cmocka_unit_test(channel_units_have_no_effect),
        cmocka_unit_test(zero_self_kernel_is_not_normalised),
        cmocka_unit_test(work_grows_with_steps),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
