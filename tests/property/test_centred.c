/* tests/property/test_centred.c: centred Gram matrices, of sequences and of collections, and the models that
 * follow from them, against the definition: the plain matrices times H = I - 11'/n, and a dense solve. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"
#include "volterra/model.h"

enum { N = 31, M = 23, D = 3, Q = 2, H = 9 };

static const double untouched = 1234.5;

/* Every form a path can have on a sequence: the kernel, and the same centred. */
static const char *const forms[][2] = {
    {"gak:sigma=0.7,window=4", "gak:sigma=0.7,window=4,centre=yes"},
    {"gak:sigma=0.3,path=rows", "gak:sigma=0.3,path=rows,centre=yes"},
    {"gak:sigma=2,window=1,centre=no", "gak:sigma=2,window=1,centre=yes"},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* K (n x m, both at most N) less the means over the columns y, whose own full matrix is `own`: the features
 * of x_i and y_j less their mean, multiplied out. */
static void centre_plainly(const double *K, const double *own, int64_t n, int64_t m, double *centred)
{
    double column[N] = {0}, all = 0;
    for (int64_t k = 0; k < m; k++)
        for (int64_t l = 0; l < m; l++) {
            column[l] += own[k * m + l] / (double)m;
            all += own[k * m + l] / (double)(m * m);
        }
    for (int64_t i = 0; i < n; i++) {
        double row = 0;
        for (int64_t j = 0; j < m; j++)
            row += K[i * m + j] / (double)m;
        for (int64_t j = 0; j < m; j++)
            centred[i * m + j] = K[i * m + j] - row - column[j] + all;
    }
}

/* Entries lie in [0, 1]; each is the sum of four numbers, three of them means of m or m^2, summed one after the
 * other on either side: m^2 + 4 roundings of numbers up to 1 at most. */
static void check_close(const double *actual, const double *expected, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(actual[k] - expected[k]) <= 4 * (N * N + 4) * DBL_EPSILON))
            fail_msg("entry %d is %.17g, expected %.17g", (int)k, actual[k], expected[k]);
}

/* ---- Gram matrices ---------------------------------------------------------------------------- */

static void matrices_of_sequences(void **state)
{
    volt_rng rng = test_rng(501);
    double *x = random_rows(&rng, N, D, 1), *y = random_rows(&rng, M, D, 1);
    volt_view X = volt_view_of(x, N, D), Y = volt_view_of(y, M, D), none = volt_view_of(NULL, 0, 0);
    double K[N * M], own[M * M], expected[N * M], centred[N * M];
    for (int f = 0; f < FORMS; f++) {
        volt_kernel *plain = plain_parse(forms[f][0]), *kernel = plain_parse(forms[f][1]);
        check_ok(volt_gram(plain, Y, none, NULL, volt_matrix_of(own, M, M)));
        check_ok(volt_gram(plain, X, Y, NULL, volt_matrix_of(K, N, M)));

        centre_plainly(K, own, N, M, expected);
        check_ok(volt_gram(kernel, X, Y, NULL, volt_matrix_of(centred, N, M)));
        check_close(centred, expected, (int64_t)N * M);

        centre_plainly(own, own, M, M, expected);
        check_ok(volt_gram(kernel, Y, none, NULL, volt_matrix_of(centred, M, M)));
        check_close(centred, expected, (int64_t)M * M);
        check_ok(volt_gram(kernel, Y, Y, NULL, volt_matrix_of(centred, M, M)));
        check_close(centred, expected, (int64_t)M * M);

        /* Without mirror the upper triangle is not touched. */
        volt_gram_options lower = {.struct_size = sizeof(volt_gram_options), .mirror = 0};
        for (int k = 0; k < M * M; k++)
            centred[k] = untouched;
        check_ok(volt_gram(kernel, Y, none, &lower, volt_matrix_of(centred, M, M)));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                assert_true(j <= i ? fabs(centred[i * M + j] - expected[i * M + j]) <= 1e-13
                                   : centred[i * M + j] == untouched);
        volt_kernel_free(kernel);
        volt_kernel_free(plain);
    }
    free(y);
    free(x);
}

static void matrices_of_collections(void **state)
{
    enum { SERIES = 11, OTHERS = 5 };
    volt_rng rng = test_rng(502);
    volt_view series[SERIES];
    for (int i = 0; i < SERIES; i++)
        series[i] = volt_view_of(random_rows(&rng, 3 + i, D, 1), 3 + i, D);
    const volt_view *others = series + SERIES - OTHERS;
    double own[SERIES * SERIES], K[OTHERS * SERIES], expected[SERIES * SERIES], centred[SERIES * SERIES];
    volt_kernel *plain = plain_parse("gak:sigma=0.6"), *kernel = plain_parse("gak:sigma=0.6,centre=yes");
    check_ok(volt_gram_collection(plain, series, SERIES, NULL, 0, NULL, volt_matrix_of(own, SERIES, SERIES)));
    check_ok(
        volt_gram_collection(kernel, series, SERIES, NULL, 0, NULL, volt_matrix_of(centred, SERIES, SERIES)));
    centre_plainly(own, own, SERIES, SERIES, expected);
    check_close(centred, expected, SERIES * SERIES);

    check_ok(
        volt_gram_collection(plain, others, OTHERS, series, SERIES, NULL, volt_matrix_of(K, OTHERS, SERIES)));
    check_ok(volt_gram_collection(kernel, others, OTHERS, series, SERIES, NULL,
                                  volt_matrix_of(centred, OTHERS, SERIES)));
    centre_plainly(K, own, OTHERS, SERIES, expected);
    check_close(centred, expected, OTHERS * SERIES);
    volt_kernel_free(kernel);
    volt_kernel_free(plain);
    for (int i = 0; i < SERIES; i++)
        free((double *)series[i].data);
}

/* Positive semidefinite, with 1 in its null space. */
static void rows_sum_to_zero(void **state)
{
    volt_rng rng = test_rng(503);
    double *x = random_rows(&rng, N, D, 1), K[N * N], smallest, largest;
    for (int f = 0; f < FORMS; f++) {
        volt_kernel *kernel = plain_parse(forms[f][1]);
        check_ok(
            volt_gram(kernel, volt_view_of(x, N, D), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += K[i * N + j];
            assert_true(fabs(sum) <= 4 * N * (N + 4) * DBL_EPSILON);
        }
        plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
        assert_true(smallest >= -1000 * N * DBL_EPSILON && largest > 0.01);
        volt_kernel_free(kernel);
    }
    free(x);
}

static int stop_late(const char *stage, double fraction, void *context)
{
    (void)stage;
    double *last = context;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction > 0.6;
}

/* Progress runs from 0 to 1 once over both matrices; an out-of-memory condition is an error. */
static void progress_and_memory(void **state)
{
    volt_rng rng = test_rng(504);
    double *x = random_rows(&rng, N, D, 1), K[N * N], last = 0;
    volt_view X = volt_view_of(x, N, D), Y = volt_view_of(x, M, D);
    volt_kernel *kernel = plain_parse(forms[0][1]);
    volt_gram_options options = volt_gram_options_default();
    options.progress.report = stop_late;
    options.progress.context = &last;
    check_fails(volt_gram(kernel, X, Y, &options, volt_matrix_of(K, N, M)), VOLT_ERR_CANCELLED, "");
    assert_true(last > 0.6);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_gram(kernel, X, Y, NULL, volt_matrix_of(K, N, M));
        failing_alloc_check(status);
    }
    volt_kernel_free(kernel);
    free(x);
}

/* ---- models ----------------------------------------------------------------------------------- */

typedef struct scene {
    double *x, *y; /* (N + H) x D, N x Q */
    volt_fit_options options;
} scene;

static scene make_scene(uint64_t seed, int64_t washout)
{
    volt_rng rng = test_rng(seed);
    scene s = {random_rows(&rng, N + H, D, 1), new_matrix(N, Q), volt_fit_options_default()};
    for (int i = 0; i < N; i++) {
        s.y[i * Q] = 3 + s.x[i * D] * s.x[i * D + 1];
        s.y[i * Q + 1] = -40 + 5 * sin(3 * s.x[i * D + 2]);
    }
    s.options.alpha = 0.05;
    s.options.intercept = 0;
    s.options.scale = 0;
    s.options.washout = washout;
    return s;
}

static void free_scene(scene *s)
{
    free(s->y);
    free(s->x);
}

static volt_model *fit(const scene *s, const char *text, int intercept, double *fitted)
{
    volt_kernel *kernel = plain_parse(text);
    volt_fit_options options = s->options;
    volt_model *model = NULL;
    options.intercept = intercept;
    check_ok(volt_model_fit(kernel, volt_view_of(s->x, N, D), volt_view_of(s->y, N, Q), &options,
                            volt_matrix_of(fitted, N, Q), &model));
    volt_kernel_free(kernel);
    return model;
}

static void predict(const scene *s, const volt_model *model, volt_start start, double *out)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    check_ok(
        volt_model_predict(model, volt_view_of(s->x + N * D, H, D), &options, volt_matrix_of(out, H, Q), NULL));
}

/* (H K H + alpha I) A = Y on the rows behind the washout, and the centred row of every input times A. `K` is
 * the plain matrix of `rows` inputs against all N training rows, `own` that of the training rows. */
static void forecast_plainly(const scene *s, const double *own, const double *K, int64_t rows, double *out)
{
    int64_t w = s->options.washout, kept = N - w;
    double *block = new_matrix(kept, kept), *system = new_matrix(kept, kept), *A = new_matrix(kept, Q),
           *cut = new_matrix(rows, kept), *centred = new_matrix(rows, kept);
    for (int64_t i = 0; i < kept; i++)
        memcpy(block + i * kept, own + (w + i) * N + w, (size_t)kept * sizeof(double));
    for (int64_t i = 0; i < rows; i++)
        memcpy(cut + i * kept, K + i * N + w, (size_t)kept * sizeof(double));
    centre_plainly(block, block, kept, kept, system);
    for (int64_t i = 0; i < kept; i++)
        system[i * kept + i] += s->options.alpha;
    memcpy(A, s->y + w * Q, (size_t)(kept * Q) * sizeof(double));
    plain_solve(volt_view_of(system, kept, kept), volt_matrix_of(A, kept, Q));
    centre_plainly(cut, block, rows, kept, centred);
    for (int64_t i = 0; i < rows; i++)
        for (int q = 0; q < Q; q++) {
            out[i * Q + q] = 0;
            for (int64_t j = 0; j < kept; j++)
                out[i * Q + q] += centred[i * kept + j] * A[j * Q + q];
        }
    free(centred);
    free(cut);
    free(A);
    free(system);
    free(block);
}

/* Targets are of size 45, and A of their size over alpha; rounding is amplified by the condition number, at
 * most N / alpha. */
static void check_outputs(const char *what, const double *actual, const double *expected, int64_t rows)
{
    double tolerance = 45 / 0.05 * (N / 0.05) * 16 * DBL_EPSILON;
    for (int64_t k = 0; k < rows * Q; k++)
        if (!(fabs(actual[k] - expected[k]) <= tolerance))
            fail_msg("%s: number %d is %.17g, expected %.17g", what, (int)k, actual[k], expected[k]);
}

static void models_equal_centred_gram_matrix(void **state)
{
    for (int64_t washout = 0; washout <= 6; washout += 6)
        for (int f = 0; f < FORMS; f++) {
            scene s = make_scene(505 + (uint64_t)f, washout);
            volt_kernel *plain = plain_parse(forms[f][0]);
            volt_view X = volt_view_of(s.x, N, D), all = volt_view_of(s.x, N + H, D),
                      later = volt_view_of(s.x + N * D, H, D);
            double K[(N + H) * N], reset[H * N], fitted[N * Q], expected[(N + H) * Q], out[H * Q];
            check_ok(volt_gram(plain, all, X, NULL, volt_matrix_of(K, N + H, N)));
            check_ok(volt_gram(plain, later, X, NULL, volt_matrix_of(reset, H, N)));
            volt_model *model = fit(&s, forms[f][1], 0, fitted);

            forecast_plainly(&s, K, K, N + H, expected);
            check_outputs("fitted", fitted, expected, N);
            predict(&s, model, VOLT_START_CONTINUE, out);
            check_outputs("continue", out, expected + N * Q, H);
            volt_live *stream = NULL;
            check_ok(volt_live_create(model, NULL, &stream));
            for (int i = 0; i < H; i++)
                check_ok(volt_live_feed(stream, s.x + (N + i) * D, out + i * Q));
            check_outputs("stream", out, expected + N * Q, H);
            volt_live_free(stream);
            forecast_plainly(&s, K, reset, H, expected);
            predict(&s, model, VOLT_START_RESET, out);
            check_outputs("reset", out, expected, H);

            volt_model_free(model);
            volt_kernel_free(plain);
            free_scene(&s);
        }
}

/* With an intercept centring has no effect. Files store the means of a model without an intercept. */
static void intercepts_and_files(void **state)
{
    scene s = make_scene(509, 3);
    double fitted[N * Q], other[N * Q], before[H * Q], after[H * Q];
    volt_model *plain = fit(&s, forms[0][0], 1, fitted), *model = fit(&s, forms[0][1], 1, other);
    assert_memory_equal(fitted, other, sizeof fitted);
    volt_model_free(model);
    volt_model_free(plain);

    model = fit(&s, forms[0][1], 0, fitted);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model *loaded = NULL;
    const char *path = scratch_path("centred.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &loaded));
    volt_model_get_info(loaded, &info);
    assert_false(info.intercept);
    assert_non_null(strstr(info.kernel, "centre=yes"));
    for (int start = 0; start < 2; start++) {
        predict(&s, model, (volt_start)start, before);
        predict(&s, loaded, (volt_start)start, after);
        assert_memory_equal(before, after, sizeof before);
    }
    volt_model_free(loaded);
    volt_model_free(model);
    free_scene(&s);
}

/* ---- text ------------------------------------------------------------------------------------- */

static void kernel_text_contains_centring(void **state)
{
    volt_kernel *kernel = plain_parse("gak:centre=yes,window=3");
    assert_string_equal(volt_kernel_text(kernel), "gak:sigma=1,window=3,centre=yes");
    volt_kernel_free(kernel);
    kernel = plain_parse("gak:centre=no,window=3");
    assert_string_equal(volt_kernel_text(kernel), "gak:sigma=1,window=3");
    volt_kernel_free(kernel);
    kernel = NULL;
    check_fails(volt_kernel_parse("gak:centre=maybe", &kernel), VOLT_ERR_KERNEL, "centre=maybe");
    check_fails(volt_kernel_parse("sig:centre=yes", &kernel), VOLT_ERR_KERNEL, "parameter \"centre\"");
    assert_null(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_sequences),
        cmocka_unit_test(matrices_of_collections),
        cmocka_unit_test(rows_sum_to_zero),
        cmocka_unit_test(progress_and_memory),
        cmocka_unit_test(models_equal_centred_gram_matrix),
        cmocka_unit_test(intercepts_and_files),
        cmocka_unit_test(kernel_text_contains_centring),
    };
    return cmocka_run_group_tests_name("centred", tests, NULL, NULL);
}
