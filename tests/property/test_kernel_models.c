/* tests/property/test_kernel_models.c: every kernel of the table with all operations: fit, fitted values,
 * forecasts from both starts, closed loop, stream, files, threads and cancelling, as it is, on windows and
 * on rows read as paths. The reference is the Gram matrix of the concatenated sequence times the
 * coefficients of the model. Other tests check the Gram matrices. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/kernel_forms.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 44, H = 19, D = 3, ALL = N + H, MAX_FORMS = 64 };

static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* ---- the forms of every kernel ---------------------------------------------------------------- */

static char forms[MAX_FORMS][96];
static int form_count;

static void add_form(const char *text)
{
    volt_kernel *kernel = NULL;
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    if (volt_kernel_parse(text, &kernel) == VOLT_OK &&
        volt_kernel_query(kernel, 1, D, 0.1, &facts) == VOLT_OK) {
        assert_true(form_count < MAX_FORMS);
        snprintf(forms[form_count++], sizeof forms[0], "%s", text);
    }
    volt_kernel_free(kernel);
}

/* From the table: the name alone (of a small size), with windows, with path=rows, wherever the kernel takes
 * them. */
static int collect_forms(void **state)
{
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const volt_kernel_info *info = volt_kernel_at(i);
        static const char *const windows[] = {"window=1", "window=2", "window=6", "window=60"};
        char text[96];
        int before = form_count;
        add_form(kernel_small_form(info, "").text);
        for (int w = 0; w < 4 && kernel_has_parameter(info, "window"); w++) {
            snprintf(text, sizeof text, "%s:%s", info->name, windows[w]);
            if (w < 3 || !kernel_has_parameter(info, "path")) /* paths of 60 points are slow */
                add_form(text);
        }
        if (kernel_has_parameter(info, "path")) {
            snprintf(text, sizeof text, "%s:path=rows", info->name);
            add_form(text);
        }
        if (form_count == before)
            fail_msg("no form of kernel %s works on a sequence", info->name);
    }
    add_form("volterra:lift=rbf,gamma=0.5,lambda=0.8");
    add_form("gak:sigma=0.1,window=4");
    add_form("sig:level=3,order=1,window=4");
    add_form("sig:level=5,window=3"); /* more features than cells */
    add_form("sig:level=3,window=3,augment=time+leadlag+basepoint");
    add_form("sig:level=3,features=linear,scale=2,window=4");
    add_form("sig:level=3,features=rbf,gamma=0.3,window=4");
    add_form("sig:level=6,features=rbf,gamma=0.3,window=3"); /* more features than cells */
    add_form("sig:level=3,order=2,features=rbf,scale=3,window=4,augment=time");
    add_form("sig:level=4,features=rbf,gamma=0.1,scale=2,path=rows");
    add_form("sigpde:dyadic=1,static=rbf,window=4");
    add_form("sigpde:window=3,augment=leadlag");
    /* expressions: scans, products, filters whose state is carried, factors on engines of every kind */
    add_form("2*fir:mu=0.8 + memory");
    add_form("fir:mu=0.8,corr=0.6,pole=0.5");
    add_form("0.5*fading:pole=0.7,pair=0.8,angle=0.2 + rbf:pair=0.4,angle=1*linear");
    add_form("volterra:tau=0.3,lambda=0.5 + 3*memory:pole=-0.4");
    add_form("rbf:window=3,pole=0.3 + gak:window=3*sig:level=2,window=3");
    assert_true(form_count >= 30);
    return 0;
}

/* ---- a model ---------------------------------------------------------------------------------- */

typedef struct scene {
    const char *text;
    volt_kernel *kernel;
    double *X; /* ALL x D; N for training */
    double *Z; /* the same as the model scales it */
    double *Y; /* N x D: the next row */
    double *fitted;
    volt_model *model;
    volt_model_info info;
} scene;

/* alpha is large, as some kernels are not positive semidefinite, and all coefficients stay moderate. */
static volt_fit_options fit_options(void)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.5;
    options.feedback = 1;
    options.washout = 4;
    return options;
}

static scene make_scene(const char *text, volt_rng *rng)
{
    scene s = {.text = text, .kernel = plain_parse(text)};
    s.X = random_rows(rng, ALL, D, 1);
    s.X[0] = 2; /* the largest is a training row, also after the shift */
    for (int i = N; i < ALL; i++)
        for (int k = 0; k < D; k++)
            s.X[i * D + k] *= 0.8;
    s.Y = new_matrix(N, D);
    memcpy(s.Y, s.X + D, N * D * sizeof(double));
    s.fitted = new_matrix(N, D);
    volt_fit_options options = fit_options();
    check_ok(volt_model_fit(s.kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, D), &options,
                            volt_matrix_of(s.fitted, N, D), &s.model));
    s.info.struct_size = sizeof s.info;
    volt_model_get_info(s.model, &s.info);
    s.Z = new_matrix(ALL, D);
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < D; k++)
            s.Z[i * D + k] = (s.X[i * D + k] - s.info.input_shift[k]) * s.info.input_scale;
    return s;
}

static void free_scene(scene *s)
{
    volt_model_free(s->model);
    free(s->fitted);
    free(s->Z);
    free(s->Y);
    free(s->X);
    volt_kernel_free(s->kernel);
}

/* Gram matrix of rows first .. first + count - 1 of Z, after a zero past, against the training rows. */
static double *gram_of(const scene *s, int64_t first, int64_t count)
{
    double *K = new_matrix(count, N);
    volt_gram_options options = volt_gram_options_default();
    options.radius = s->info.facts->radius;
    check_ok(volt_gram(s->kernel, volt_view_of(s->Z + first * D, count, D), volt_view_of(s->Z, N, D), &options,
                       volt_matrix_of(K, count, N)));
    return K;
}

/* Forecasts from rows of K. A sum of n products is off by n eps sum |k_j A_j|. Entries of K come from the same
 * formulas, but sums over a window or a tile may be taken in another order: some 100 eps of the largest. */
static void check_rows(const scene *s, const char *what, const double *K, const double *actual, int64_t rows)
{
    double largest = 1;
    for (int64_t k = 0; k < rows * N; k++)
        largest = fmax(largest, fabs(K[k]));
    for (int64_t i = 0; i < rows; i++)
        for (int k = 0; k < D; k++) {
            double sum = s->info.intercepts[k], sizes = fabs(sum), coefficients = 0,
                   scale = s->info.target_scale[k];
            for (int64_t j = 0; j < N; j++) {
                double a = s->info.coefficients[j * D + k];
                sum += K[i * N + j] * a;
                sizes += fabs(K[i * N + j] * a);
                coefficients += fabs(a);
            }
            double expected = s->info.target_mean[k] + scale * sum;
            double tolerance = scale * DBL_EPSILON * ((N + 4) * sizes + 100 * largest * coefficients) +
                               4 * DBL_EPSILON * fabs(s->info.target_mean[k]);
            if (!(fabs(actual[i * D + k] - expected) <= tolerance))
                fail_msg("%s, %s: row %" PRId64
                         ", output %d is %.17g, expected %.17g: error %.3g, tolerance %.3g",
                         s->text, what, i, k, actual[i * D + k], expected, fabs(actual[i * D + k] - expected),
                         tolerance);
        }
}

static void predict(const scene *s, const volt_model *model, volt_start start, double *out)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    int64_t beyond = -1;
    check_ok(volt_model_predict(model, volt_view_of(s->X + N * D, H, D), &options, volt_matrix_of(out, H, D),
                                &beyond));
    assert_int_equal(beyond, 0);
}

static void push_all(const scene *s, const volt_model *model, volt_start start, double *out)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    volt_live *stream = NULL;
    check_ok(volt_live_create(model, as_live(&options), &stream));
    for (int64_t i = 0; i < H; i++)
        check_ok(volt_live_feed(stream, s->X + (N + i) * D, out + i * D));
    volt_live_free(stream);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void fitted_values_and_both_starts(void **state)
{
    volt_rng rng = test_rng(321);
    for (int f = 0; f < form_count; f++) {
        scene s = make_scene(forms[f], &rng);
        double *K = gram_of(&s, 0, ALL), *reset = gram_of(&s, N, H), out[H * D];
        /* Fitted values are Y - alpha A and carry the error of the solution of the system. */
        for (int64_t i = s.info.washout; i < N; i++)
            for (int k = 0; k < D; k++) {
                double sum = s.info.intercepts[k], sizes = 1;
                for (int64_t j = 0; j < N; j++) {
                    sum += K[i * N + j] * s.info.coefficients[j * D + k];
                    sizes += fabs(K[i * N + j] * s.info.coefficients[j * D + k]);
                }
                double expected = s.info.target_mean[k] + s.info.target_scale[k] * sum;
                double tolerance = 100 * N * DBL_EPSILON * sizes * s.info.target_scale[k];
                if (!(fabs(s.fitted[i * D + k] - expected) <= tolerance))
                    fail_msg("%s: fitted row %d is %.17g, expected %.17g", s.text, (int)i, s.fitted[i * D + k],
                             expected);
            }
        check_rows(&s, "fitted, washout", K, s.fitted, s.info.washout);
        predict(&s, s.model, VOLT_START_CONTINUE, out);
        check_rows(&s, "continue", K + N * N, out, H);
        predict(&s, s.model, VOLT_START_RESET, out);
        check_rows(&s, "reset", reset, out, H);
        push_all(&s, s.model, VOLT_START_CONTINUE, out);
        check_rows(&s, "stream", K + N * N, out, H);
        push_all(&s, s.model, VOLT_START_RESET, out);
        check_rows(&s, "stream, reset", reset, out, H);
        free(reset);
        free(K);
        free_scene(&s);
    }
}

/* The closed loop is the stream that is fed with its own outputs, from the last training target on. */
static void closed_loop_equals_stream(void **state)
{
    volt_rng rng = test_rng(322);
    for (int f = 0; f < form_count; f++) {
        scene s = make_scene(forms[f], &rng);
        double out[H * D], x[D], y[D];
        volt_live *stream = NULL;
        check_ok(volt_model_continue(s.model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, H, D), NULL));
        check_ok(volt_live_create(s.model, NULL, &stream));
        memcpy(x, s.Y + (N - 1) * D, sizeof x);
        for (int64_t i = 0; i < H; i++) {
            check_ok(volt_live_feed(stream, x, y));
            if (memcmp(y, out + i * D, sizeof y) != 0)
                fail_msg("%s: step %d of the closed loop is not that of the stream", s.text, (int)i);
            memcpy(x, y, sizeof x);
        }
        volt_live_free(stream);
        free_scene(&s);
    }
}

static void files_keep_every_bit(void **state)
{
    volt_rng rng = test_rng(323);
    const char *path = scratch_path("model.safetensors");
    for (int f = 0; f < form_count; f++) {
        scene s = make_scene(forms[f], &rng);
        volt_model *loaded = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        double before[H * D], after[H * D];
        check_ok(volt_model_save(s.model, path, (volt_progress){0}));
        check_ok(volt_model_load(path, &loaded));
        volt_model_get_info(loaded, &info);
        assert_string_equal(info.kernel, s.info.kernel);
        for (int start = 0; start < 2; start++) {
            predict(&s, s.model, (volt_start)start, before);
            predict(&s, loaded, (volt_start)start, after);
            assert_memory_equal(before, after, sizeof before);
            push_all(&s, s.model, (volt_start)start, before);
            push_all(&s, loaded, (volt_start)start, after);
            assert_memory_equal(before, after, sizeof before);
        }
        check_ok(
            volt_model_continue(s.model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(before, H, D), NULL));
        check_ok(
            volt_model_continue(loaded, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(after, H, D), NULL));
        assert_memory_equal(before, after, sizeof before);
        volt_model_free(loaded);
        free_scene(&s);
    }
}

/* Bands do not depend on the number of threads; products of explicit features may be summed by BLAS in another
 * order, of at most some 400 terms. */
static void results_do_not_depend_on_threads(void **state)
{
    volt_rng rng = test_rng(324);
    enum { ROWS = 150 };
    double *X = random_rows(&rng, ROWS, D, 1), *one = new_matrix(ROWS, ROWS), *two = new_matrix(ROWS, ROWS);
    for (int f = 0; f < form_count; f++)
        for (int same = 0; same < 2; same++) {
            volt_kernel *kernel = plain_parse(forms[f]);
            volt_view Y = same ? volt_view_of(NULL, 0, 0) : volt_view_of(X, ROWS - 7, D);
            int64_t m = same ? ROWS : ROWS - 7;
            check_ok(volt_set_threads(1));
            check_ok(volt_gram(kernel, volt_view_of(X, ROWS, D), Y, NULL, volt_matrix_of(one, ROWS, m)));
            check_ok(volt_set_threads(2));
            check_ok(volt_gram(kernel, volt_view_of(X, ROWS, D), Y, NULL, volt_matrix_of(two, ROWS, m)));
            double largest = 0;
            for (int64_t k = 0; k < ROWS * m; k++)
                largest = fmax(largest, fabs(one[k]));
            for (int64_t k = 0; k < ROWS * m; k++)
                if (!(fabs(one[k] - two[k]) <= 400 * DBL_EPSILON * largest))
                    fail_msg("%s: entry %" PRId64 " is %.17g with one thread and %.17g with two", forms[f], k,
                             one[k], two[k]);
            volt_kernel_free(kernel);
        }
    check_ok(volt_set_threads(0));
    free(two);
    free(one);
    free(X);
}

static int stop_at_once(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    ++*(int *)context;
    return 1;
}

static void every_kernel_can_be_cancelled(void **state)
{
    volt_rng rng = test_rng(325);
    for (int f = 0; f < form_count; f++) {
        scene s = make_scene(forms[f], &rng);
        int calls = 0;
        volt_progress stop = {stop_at_once, &calls};
        volt_gram_options gram_options = volt_gram_options_default();
        gram_options.progress = stop;
        double *K = new_matrix(N, N), out[H * D];
        volt_view X = volt_view_of(s.X, N, D);
        check_fails(volt_gram(s.kernel, X, volt_view_of(NULL, 0, 0), &gram_options, volt_matrix_of(K, N, N)),
                    VOLT_ERR_CANCELLED, "gram");
        check_fails(volt_gram(s.kernel, X, X, &gram_options, volt_matrix_of(K, N, N)), VOLT_ERR_CANCELLED,
                    "gram");
        volt_fit_options options = fit_options();
        options.progress = stop;
        volt_model *model = NULL;
        check_fails(volt_model_fit(s.kernel, X, volt_view_of(s.Y, N, D), &options, nowhere, &model),
                    VOLT_ERR_CANCELLED, "");
        assert_null(model);
        volt_predict_options predict_options = volt_predict_options_default();
        predict_options.progress = stop;
        check_fails(volt_model_predict(s.model, volt_view_of(s.X + N * D, H, D), &predict_options,
                                       volt_matrix_of(out, H, D), NULL),
                    VOLT_ERR_CANCELLED, "");
        assert_true(calls >= 4);
        free(K);
        free_scene(&s);
    }
}

/* ---- the k-th allocation fails ---------------------------------------------------------------- */

typedef struct job {
    const scene *s;
    const char *path;
    double *out; /* N x N */
} job;

static volt_status job_parse(const job *j)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(j->s->text, &kernel);
    volt_kernel_free(kernel);
    return status;
}

static volt_status job_gram(const job *j)
{
    return volt_gram(j->s->kernel, volt_view_of(j->s->Z, N, D), volt_view_of(NULL, 0, 0), NULL,
                     volt_matrix_of(j->out, N, N));
}

static volt_status job_rectangle(const job *j)
{
    return volt_gram(j->s->kernel, volt_view_of(j->s->Z, H, D), volt_view_of(j->s->Z, N, D), NULL,
                     volt_matrix_of(j->out, H, N));
}

static volt_status job_fit(const job *j)
{
    volt_fit_options options = fit_options();
    volt_model *model = NULL;
    volt_status status = volt_model_fit(j->s->kernel, volt_view_of(j->s->X, N, D), volt_view_of(j->s->Y, N, D),
                                        &options, volt_matrix_of(j->out, N, D), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

static volt_status job_predict(const job *j)
{
    return volt_model_predict(j->s->model, volt_view_of(j->s->X + N * D, H, D), NULL,
                              volt_matrix_of(j->out, H, D), NULL);
}

static volt_status job_reset(const job *j)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    return volt_model_predict(j->s->model, volt_view_of(j->s->X + N * D, H, D), &options,
                              volt_matrix_of(j->out, H, D), NULL);
}

static volt_status job_stream(const job *j)
{
    volt_live *stream = NULL;
    volt_status status = volt_live_create(j->s->model, NULL, &stream);
    if (stream) { /* a push allocates nothing */
        int64_t count = failing_alloc_count();
        double y[D];
        check_ok(volt_live_feed(stream, j->s->X, y));
        assert_int_equal(failing_alloc_count(), count);
    }
    volt_live_free(stream);
    return status;
}

static volt_status job_load(const job *j)
{
    volt_model *model = NULL;
    volt_status status = volt_model_load(j->path, &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    return status;
}

static const struct {
    const char *name;
    volt_status (*run)(const job *);
} jobs[] = {{"parse", job_parse},     {"gram", job_gram},   {"rectangle", job_rectangle}, {"fit", job_fit},
            {"predict", job_predict}, {"reset", job_reset}, {"stream", job_stream},       {"load", job_load}};

static void every_allocation_may_fail(void **state)
{
    volt_rng rng = test_rng(326);
    const double untouched = 1e77;
    double *out = new_matrix(N, N);
    for (int f = 0; f < form_count; f++) {
        scene s = make_scene(forms[f], &rng);
        job j = {&s, scratch_path("memory.safetensors"), out};
        check_ok(volt_model_save(s.model, j.path, (volt_progress){0}));
        for (size_t c = 0; c < sizeof jobs / sizeof *jobs; c++)
            for (int64_t k = 0; failing_alloc_next(&k); k += UNDER_SANITIZERS ? 3 : 0) {
                for (int i = 0; i < N * N; i++)
                    out[i] = untouched;
                failing_alloc_start(k);
                volt_status status = jobs[c].run(&j);
                failing_alloc_check(status);
                for (int i = 0; status && i < N * N; i++)
                    assert_true(out[i] == untouched);
            }
        free_scene(&s);
    }
    free(out);
}

static int stop_failing(void **state)
{
    failing_alloc_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_values_and_both_starts),
        cmocka_unit_test(closed_loop_equals_stream),
        cmocka_unit_test(files_keep_every_bit),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(every_kernel_can_be_cancelled),
        cmocka_unit_test_teardown(every_allocation_may_fail, stop_failing),
    };
    return cmocka_run_group_tests_name("kernel_models", tests, collect_forms, NULL);
}
