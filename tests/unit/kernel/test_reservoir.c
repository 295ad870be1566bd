/* tests/unit/kernel/test_reservoir.c: reservoirs compared with plain loops, their weights, their texts and errors. */
#include "io/safetensors/safetensors.h"
#include "kernel/kernel_entry.h"
#include "kernel/reservoir.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "support/tensor_file.h"
#include "volterra/live.h"
#include "volterra/model.h"

/* ---- plain loops -------------------------------------------------------------------------------- */

enum { N = 9, D = 2, ROWS = 25 };

typedef struct plain_esn {
    double A[N * N], C[N * D], b[N];
    double leak;
    bool bends, rest;
    int degree;
    double coef0;
} plain_esn;

static void plain_step(const plain_esn *esn, const double *z, long double *x)
{
    long double next[N];
    for (int i = 0; i < N; i++) {
        long double v = esn->b[i];
        for (int j = 0; j < N; j++)
            v += (long double)esn->A[i * N + j] * x[j];
        for (int c = 0; c < D; c++)
            v += (long double)esn->C[i * D + c] * z[c];
        next[i] = (1 - (long double)esn->leak) * x[i] + esn->leak * (esn->bends ? tanhl(v) : v);
    }
    memcpy(x, next, sizeof next);
}

/* States of all rows; `rest` is the state after 4000 rows of zeros. */
static void plain_states(const plain_esn *esn, const double *Z, int rows, long double *X)
{
    long double x[N] = {0};
    const double zeros[D] = {0};
    for (int i = 0; i < 4000 && esn->rest; i++)
        plain_step(esn, zeros, x);
    for (int i = 0; i < rows; i++) {
        plain_step(esn, Z + i * D, x);
        memcpy(X + i * N, x, sizeof x);
    }
}

static long double plain_entry(const plain_esn *esn, const long double *x, const long double *y)
{
    long double sum = esn->coef0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    return powl(sum, esn->degree);
}

/* The weights as documented for the kernel. */
static void plain_draw(uint64_t seed, double density, double input, double bias, plain_esn *esn)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int i = 0; i < N * N; i++) {
        bool there = density >= 1 || volt_rng_uniform(&rng) < density;
        esn->A[i] = there ? volt_rng_normal(&rng) : 0;
    }
    volt_rng_init(&rng, seed, 1);
    for (int i = 0; i < N * D; i++)
        esn->C[i] = input * (2 * volt_rng_uniform(&rng) - 1);
    volt_rng_init(&rng, seed, 2);
    for (int i = 0; i < N; i++)
        esn->b[i] = bias * (2 * volt_rng_uniform(&rng) - 1);
}

/* The norm of a state is at most sqrt(N) / (1 - rate), and a step rounds N + D + 4 times; the errors of all
 * steps sum to 1 / (1 - rate) of that. 1e-11 is ten times as much for rates up to 0.95 and degree 3. */
static void check_entries(const char *text, const plain_esn *esn, const double *X, const double *Y)
{
    static long double x[ROWS * N], y[ROWS * N];
    static double K[ROWS * ROWS];
    double largest = 0;
    volt_kernel *kernel = plain_parse(text);
    plain_states(esn, X, ROWS, x);
    plain_states(esn, Y ? Y : X, ROWS, y);
    check_ok(volt_gram(kernel, volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, D), NULL,
                       volt_matrix_of(K, ROWS, ROWS)));
    for (int i = 0; i < ROWS; i++)
        largest = fmax(largest, fabs((double)plain_entry(esn, x + i * N, x + i * N)));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double wanted = (double)plain_entry(esn, x + i * N, y + j * N),
                   off = fabs(K[i * ROWS + j] - wanted);
            if (!(off <= 1e-11 * largest))
                fail_msg("%s: entry %d, %d is %.17g, and %.17g is right", text, i, j, K[i * ROWS + j], wanted);
        }
    volt_kernel_free(kernel);
}

static void random_networks_match_parameters(void **state)
{
    static const struct {
        double leak, input, bias, density, reach;
        bool by_norm, bends, rest;
        int degree;
        double coef0;
    } cases[] = {
        {1, 1, 0.5, 1, 0.9, false, true, true, 1, 0},       {0.3, 1, 0.5, 1, 0.9, false, true, true, 1, 0},
        {0.3, 1, 0.5, 1, 0.9, false, true, false, 1, 0},    {1, 2.5, 0, 0.4, 0.7, true, true, true, 1, 0},
        {1, 1, 1.5, 1, 0, false, true, true, 1, 0},         {0.8, 0.3, 0.5, 1, 0.6, false, false, true, 1, 0},
        {0.8, 0.3, 0.5, 1, 0.6, false, false, false, 3, 2}, {1, 1, 0.2, 0.7, 0.5, true, true, false, 2, 0},
        {0.5, 1, 0.2, 1, 0.9, false, false, true, 2, 1},
    };
    volt_rng rng = test_rng(7102);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double *X = random_rows(&rng, ROWS, D, 1), *Y = random_rows(&rng, ROWS, D, 1), reach = 1;
        uint64_t seed = 10 + k;
        plain_esn esn = {.leak = cases[k].leak,
                         .bends = cases[k].bends,
                         .rest = cases[k].rest,
                         .degree = cases[k].degree,
                         .coef0 = cases[k].coef0};
        char text[512];
        plain_draw(seed, cases[k].density, cases[k].input, cases[k].bias, &esn);
        check_ok(cases[k].by_norm ? volt_spectral_norm(esn.A, N, &reach)
                                  : volt_spectral_radius(esn.A, N, &reach));
        for (int i = 0; i < N * N; i++)
            esn.A[i] *= cases[k].reach / reach;
        snprintf(
            text, sizeof text,
            "esn:size=%d,%s=%g,leak=%g,input=%g,bias=%g,density=%g,seed=%d,activation=%s,degree=%d,coef0=%g,"
            "start=%s",
            N, cases[k].by_norm ? "norm" : "radius", cases[k].reach, cases[k].leak, cases[k].input,
            cases[k].bias, cases[k].density, (int)seed, cases[k].bends ? "tanh" : "identity", cases[k].degree,
            cases[k].coef0, cases[k].rest ? "rest" : "zero");
        check_entries(text, &esn, X, NULL);
        check_entries(text, &esn, X, Y);
        free(Y);
        free(X);
    }
}

/* ---- state-affine ------------------------------------------------------------------------------- */

/* The bound of p and q measured from steps of the reservoir is the specified norm. */
static void state_affine_bounds(void **state)
{
    static const double radii[] = {1, 0.2, 3};
    for (int r = 0; r < 3; r++)
        for (int degree = 1; degree <= 3; degree++) {
            char text[128];
            volt_resolved resolved = {0};
            volt_extent extent = {.radius = radii[r], .largest = 1};
            snprintf(text, sizeof text, "sas:size=6,norm=0.8,share=0.4,degree=%d,seed=5,density=0.7", degree);
            volt_kernel *kernel = plain_parse(text);
            check_ok(volt_kernel_resolve(kernel, extent, D, &resolved));
            assert_int_equal(resolved.window, 1);
            assert_true(fabs(resolved.facts.contraction - 0.8) < 1e-10);
            assert_true(fabs(resolved.gain(&resolved, radii[r]) - 0.8) < 1e-10);
            assert_true(fabs(resolved.gain(&resolved, 0) - 0.8 * 0.6) < 1e-10);
            assert_true(resolved.gain(&resolved, 2 * radii[r]) > 0.8);
            double P0[36], norm = 0; /* the weights satisfy the bound */
            for (int i = 0; i < 36; i++)
                P0[i] = resolved.reservoir->matrix[i / 6 * resolved.reservoir->ld + i % 6];
            check_ok(volt_spectral_norm(P0, 6, &norm));
            assert_true(fabs(norm - 0.8 * 0.6) < 1e-10);
            volt_resolved_release(&resolved);
            volt_kernel_free(kernel);
        }
}

/* x <- (P0 + z P1) x + q0 + z q1 computed directly, one number in a state. */
static void state_affine_by_hand(void **state)
{
    const double P0 = 0.5, P1 = 0.25, q0 = 1, q1 = -2, Z[3] = {1, -1, 0.5};
    const tensor_entry entries[] = {{"P0", 2, {1, 1}, &P0, 0},
                                    {"P1", 3, {1, 1, 1}, &P1, 0},
                                    {"q0", 1, {1}, &q0, 0},
                                    {"q1", 2, {1, 1}, &q1, 1}};
    char text[512];
    double K[9], x[3], last = q0 / (1 - P0);
    snprintf(text, sizeof text, "sas:weights=%s", tensor_file_write("one.safetensors", entries, 4));
    for (int i = 0; i < 3; i++)
        last = x[i] = (P0 + Z[i] * P1) * last + q0 + Z[i] * q1;
    volt_kernel *kernel = plain_parse(text);
    check_ok(volt_gram(kernel, volt_view_of(Z, 3, 1), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 3, 3)));
    for (int i = 0; i < 9; i++)
        assert_true(fabs(K[i] - x[i / 3] * x[i % 3]) < 1e-14);
    /* The bound of user-supplied weights is measured: x is multiplied by P0 + |z| P1, q0 + |z| q1 is added. */
    volt_resolved resolved = {0};
    check_ok(volt_kernel_resolve(kernel, (volt_extent){.radius = 1, .largest = 1}, 1, &resolved));
    assert_true(fabs(resolved.facts.contraction - (P0 + P1)) < 1e-12);
    assert_true(fabs(resolved.facts.largest - 12 * 12) < 1e-9);
    volt_resolved_release(&resolved);
    volt_kernel_free(kernel);
}

/* ---- initial states and warnings ---------------------------------------------------------------- */

/* Leading rows of zeros have no effect if the sequence starts at the rest state. */
static void leading_zeros_have_no_effect(void **state)
{
    enum { ZEROS = 7, ALL = ZEROS + ROWS };
    static const char *const texts[] = {"esn:size=20,leak=0.4", "sas:size=10",
                                        "esn:size=15,activation=identity"};
    volt_rng rng = test_rng(7103);
    double *Z = random_rows(&rng, ALL, D, 1), *K = new_matrix(ALL, ALL), *rest = new_matrix(ROWS, ROWS);
    memset(Z, 0, ZEROS * D * sizeof *Z);
    volt_gram_options options = volt_gram_options_default();
    check_ok(volt_radius(volt_view_of(Z, ALL, D), &options.radius));
    for (int k = 0; k < 3; k++) {
        volt_kernel *kernel = plain_parse(texts[k]);
        check_ok(volt_gram(kernel, volt_view_of(Z, ALL, D), volt_view_of(NULL, 0, 0), &options,
                           volt_matrix_of(K, ALL, ALL)));
        check_ok(volt_gram(kernel, volt_view_of(Z + ZEROS * D, ROWS, D), volt_view_of(NULL, 0, 0), &options,
                           volt_matrix_of(rest, ROWS, ROWS)));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++) {
                double wanted = rest[i * ROWS + j], found = K[(ZEROS + i) * ALL + ZEROS + j];
                assert_true(fabs(found - wanted) <= 1e-11 * (1 + fabs(wanted)));
            }
        volt_kernel_free(kernel);
    }
    free(rest);
    free(K);
    free(Z);
}

static int n_warnings;
static char last_warning[512];

static void hear(volt_log_level level, const char *message, void *context)
{
    (void)context;
    n_warnings += level == VOLT_LOG_WARNING;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static int warnings_of(const char *text, const double *Z)
{
    static double K[ROWS * ROWS];
    volt_kernel *kernel = plain_parse(text);
    n_warnings = 0;
    volt_set_log(hear, NULL);
    check_ok(volt_gram(kernel, volt_view_of(Z, ROWS, D), volt_view_of(NULL, 0, 0), NULL,
                       volt_matrix_of(K, ROWS, ROWS)));
    volt_set_log(NULL, NULL);
    volt_kernel_free(kernel);
    return n_warnings;
}

static void missing_fading_memory_is_reported(void **state)
{
    volt_rng rng = test_rng(7104);
    double *Z = random_rows(&rng, ROWS, D, 1);
    assert_int_equal(warnings_of("esn:size=60,radius=0.9", Z), 0);
    assert_int_equal(warnings_of("esn:size=60,radius=0.9,leak=0.1", Z), 0);
    assert_int_equal(warnings_of("sas:size=30", Z), 0);
    assert_int_equal(warnings_of("esn:size=60,radius=0.9 + memory", Z), 0);
    assert_int_equal(warnings_of("esn:size=60,radius=4,start=zero,bias=0,input=0.01", Z), 1);
    assert_non_null(strstr(last_warning, "does not fade"));
    assert_int_equal(warnings_of("linear + rbf*esn:size=60,radius=4,start=zero,bias=0,input=0.01", Z), 1);
    free(Z);
}

/* ---- texts -------------------------------------------------------------------------------------- */

static void wrong_texts(void **state)
{
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"esn:size=0", "size=0 lies outside 1 to 10000"},
        {"esn:size=10001", "lies outside 1 to 10000"},
        {"esn:size=2.5", "size=2.5"},
        {"esn:radius=-1", "radius=-1 lies outside [0, 10)"},
        {"esn:radius=10", "radius=10 lies outside [0, 10)"},
        {"esn:radius=0.5,norm=0.5", "give radius or norm, not both"},
        {"esn:leak=0", "leak=0 lies outside (0, 1]"},
        {"esn:leak=1.1", "leak=1.1 lies outside (0, 1]"},
        {"esn:density=0", "density=0 lies outside (0, 1]"},
        {"esn:activation=relu", "activation=relu is not one of tanh, identity"},
        {"esn:activation=identity,radius=1", "radius 1 activation=identity"},
        {"esn:activation=identity,norm=1.5", "norm 1.5 activation=identity"},
        {"esn:degree=0", "degree=0 lies outside 1 to 64"},
        {"esn:start=now", "start=now is not one of rest, zero"},
        {"esn:weights=", "weights 0 characters"},
        {"esn:weights=a b", "weights=a b contains a blank"},
        {"esn:weights=w,size=5", "size applies to random weights"},
        {"sas:weights=w,norm=0.5", "norm applies to random weights"},
        {"sas:norm=1", "norm=1 lies outside [0, 1)"},
        {"sas:share=1.5", "share=1.5 lies outside [0, 1]"},
        {"sas:degree=9", "degree=9 lies outside 1 to 8"},
        {"esn:sise=5", "did you mean \"size\"?"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        volt_kernel *kernel = NULL;
        check_fails(volt_kernel_parse(cases[k].text, &kernel), VOLT_ERR_KERNEL, cases[k].fragment);
    }
}

static void valid_texts(void **state)
{
    static const char *const texts[][2] = {
        {"esn", "esn:size=100,radius=0.9,leak=1,input=1,bias=0.5,density=1,seed=1,degree=1,coef0=0"},
        {"esn:norm=0.5,degree=3",
         "esn:size=100,norm=0.5,leak=1,input=1,bias=0.5,density=1,seed=1,degree=3,coef0=1"},
        {"esn:weights=a/b.safetensors,start=zero",
         "esn:leak=1,input=1,bias=1,degree=1,coef0=0,start=zero,weights=a/b.safetensors"},
        {"sas:weights=w,degree=2", "sas:degree=2,weights=w"},
        {"sas", "sas:size=100,norm=0.95,share=0.3,degree=1,density=1,seed=1"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        volt_kernel *kernel = plain_parse(texts[k][0]), *again = plain_parse(texts[k][1]);
        assert_string_equal(volt_kernel_text(kernel), texts[k][1]);
        assert_string_equal(volt_kernel_text(again), texts[k][1]);
        volt_kernel_free(again);
        volt_kernel_free(kernel);
    }
}

/* ---- user-supplied weights ---------------------------------------------------------------------- */

static void gram_fails(const char *kernel_text, const char *path, volt_status status, const char *fragment)
{
    const double Z[4] = {0.1, 0.2, 0.3, 0.4};
    double K[4] = {7, 7, 7, 7};
    char text[512];
    snprintf(text, sizeof text, "%s%sweights=%s", kernel_text, strchr(kernel_text, ':') ? "," : ":", path);
    volt_kernel *kernel = plain_parse(text);
    check_fails(
        volt_gram(kernel, volt_view_of(Z, 2, 2), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)),
        status, fragment);
    assert_true(K[0] == 7 && K[3] == 7);
    volt_kernel_free(kernel);
}

static void wrong_weights(void **state)
{
    double numbers[27] = {0.1, 0.2};
    tensor_entry A = {"A", 2, {3, 3}, numbers, 0}, C = {"C", 2, {3, 2}, numbers, 0},
                 b = {"b", 1, {3}, numbers, 0};
    tensor_entry all[3] = {A, C, b};
    gram_fails("esn", "/nowhere/w.safetensors", VOLT_ERR_IO, "/nowhere/w.safetensors");
    gram_fails("esn", scratch_write_text("text", "hello, world, this is no such file"), VOLT_ERR_FORMAT,
               "safetensors");
    gram_fails("esn", tensor_file_write("w", &C, 1), VOLT_ERR_SHAPE, "tensor A");
    gram_fails("esn", tensor_file_write("w", &A, 1), VOLT_ERR_SHAPE, "tensor C 3 2");
    all[0].shape[1] = 2;
    gram_fails("esn", tensor_file_write("w", all, 3), VOLT_ERR_SHAPE, "tensor A 3 2");
    all[0] = A;
    all[1].shape[1] = 1;
    gram_fails("esn", tensor_file_write("w", all, 3), VOLT_ERR_SHAPE, "tensor C 3 1 2");
    all[1] = C;
    all[2].shape[0] = 4;
    gram_fails("esn", tensor_file_write("w", all, 3), VOLT_ERR_SHAPE, "tensor b 4 3");
    all[2] = b;
    double broken[9] = {0};
    broken[5] = NAN;
    all[0].data = broken;
    gram_fails("esn", tensor_file_write("w", all, 3), VOLT_ERR_NOT_FINITE, "row 2 column 3 1");
    broken[5] = 0;
    gram_fails("esn:radius=0.9", tensor_file_write("w", all, 3), VOLT_ERR_ARGUMENT, "radius 0 0.9");
    double grows[9] = {2, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
    all[0].data = grows;
    gram_fails("esn:activation=identity", tensor_file_write("w", all, 3), VOLT_ERR_ARGUMENT,
               "2 1 activation=identity");
    const tensor_entry sas[] = {{"P0", 2, {3, 3}, numbers, 0},
                                {"q0", 1, {3}, numbers, 0},
                                {"P1", 3, {2, 3, 3}, numbers, 0},
                                {"q1", 2, {2, 3}, numbers, 0},
                                {"P2", 3, {2, 3, 3}, numbers, 0}};
    gram_fails("sas", tensor_file_write("w", sas, 5), VOLT_ERR_SHAPE, "tensor P2 degree=2");
    gram_fails("sas:degree=2", tensor_file_write("w", sas, 5), VOLT_ERR_SHAPE, "tensor q2 2 3");
    gram_fails("sas", tensor_file_write("w", sas, 2), VOLT_ERR_SHAPE, "tensor P1 2 3");
}

/* Truncated or modified files are rejected or read, without undefined behaviour. */
static void damaged_weights(void **state)
{
    double numbers[9] = {0.1, 0.2};
    const tensor_entry all[] = {{"A", 2, {2, 2}, numbers, 0}, {"C", 2, {2, 2}, numbers, 1}};
    size_t size = 0;
    char *bytes = scratch_read(tensor_file_write("whole", all, 2), &size);
    for (size_t cut = 0; cut < size; cut++) {
        volt_arrays *arrays = NULL;
        assert_true(volt_arrays_read(scratch_write("cut", bytes, cut), &arrays) == VOLT_ERR_FORMAT);
        assert_null(arrays);
    }
    for (size_t at = 0; at < size; at++) {
        volt_arrays *arrays = NULL;
        bytes[at] ^= 0x15;
        volt_status status = volt_arrays_read(scratch_write("changed", bytes, size), &arrays);
        bytes[at] ^= 0x15;
        assert_true((status == VOLT_OK) == (arrays != NULL));
        volt_arrays_free(arrays);
    }
    free(bytes);
}

/* ---- models ------------------------------------------------------------------------------------- */

enum { TRAIN = 60, LATER = 20, ALL_ROWS = TRAIN + LATER };

static volt_model *fit_on(const char *text, const double *X, const double *Y)
{
    volt_kernel *kernel = plain_parse(text);
    volt_fit_options options = volt_fit_options_default();
    volt_model *model = NULL;
    options.alpha = 1e-3;
    check_ok(volt_model_fit(kernel, volt_view_of(X, TRAIN, D), volt_view_of(Y, TRAIN, 1), &options,
                            (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    return model;
}

static void predict_rest(const volt_model *model, const double *X, double out[LATER])
{
    check_ok(volt_model_predict(model, volt_view_of(X + TRAIN * D, LATER, D), NULL,
                                volt_matrix_of(out, LATER, 1), NULL));
}

/* A model file is self-contained and gives bitwise equal predictions. */
static void models_keep_their_weights(void **state)
{
    volt_rng rng = test_rng(7105);
    double *X = random_rows(&rng, ALL_ROWS, D, 2), *Y = normal_rows(&rng, ALL_ROWS, 1),
           *A = normal_rows(&rng, 5, 5), *C = normal_rows(&rng, 5, D);
    const tensor_entry entries[] = {{"A", 2, {5, 5}, A, 0}, {"C", 2, {5, D}, C, 1}};
    char weights[256], texts[4][512];
    snprintf(weights, sizeof weights, "%s", scratch_path("own.safetensors"));
    snprintf(texts[0], sizeof texts[0], "esn:size=20,leak=0.5");
    snprintf(texts[1], sizeof texts[1], "sas:size=8,degree=2");
    snprintf(texts[2], sizeof texts[2], "esn:weights=%s,radius=0.8,input=2", weights);
    snprintf(texts[3], sizeof texts[3], "2*linear + esn:weights=%s,radius=0.7,pole=0.3*rbf + sas:size=4",
             weights);
    for (int k = 0; k < 4; k++) {
        tensor_file_write("own.safetensors", entries, 2);
        double before[LATER], after[LATER];
        const char *path = scratch_path("model.safetensors");
        volt_model *model = fit_on(texts[k], X, Y), *loaded = NULL;
        predict_rest(model, X, before);
        check_ok(volt_model_save(model, path, (volt_progress){0}));
        remove(weights);
        check_ok(volt_model_load(path, &loaded));
        predict_rest(loaded, X, after);
        assert_memory_equal(before, after, sizeof before);
        volt_live *stream = NULL;
        check_ok(volt_live_create(loaded, NULL, &stream));
        for (int i = 0; i < LATER; i++) {
            double y = 0;
            check_ok(volt_live_feed(stream, X + (TRAIN + i) * D, &y));
            assert_true(fabs(y - before[i]) <= 1e-9 * (1 + fabs(y)));
        }
        volt_live_free(stream);
        volt_model_free(loaded);
        volt_model_free(model);
    }
    free(C);
    free(A);
    free(Y);
    free(X);
}

/* A file without the weights, or with weights of another shape, is rejected. */
static void models_with_missing_weights(void **state)
{
    volt_rng rng = test_rng(7107);
    double *X = random_rows(&rng, ALL_ROWS, D, 2), *Y = normal_rows(&rng, ALL_ROWS, 1);
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("model.safetensors"));
    volt_model *model = fit_on("esn:size=6", X, Y), *loaded = NULL;
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    volt_safetensors *file = NULL;
    check_ok(volt_safetensors_read(path, &file));
    static const char *const names[] = {"inputs",      "coefficients",   "intercepts",   "input_shift",
                                        "input_scale", "target_mean",    "target_scale", "last_target",
                                        "state",       "states_readout", "reservoir.1"};
    static const char *const keys[] = {"format", "version", "library", "kernel",    "radius", "alpha",
                                       "rcond",  "washout", "ahead",   "intercept", "scaled", "feedback"};
    volt_tensor tensors[11];
    volt_metadatum metadata[12];
    for (int i = 0; i < 11; i++)
        tensors[i] = *volt_safetensors_tensor(file, names[i]);
    for (int i = 0; i < 12; i++)
        metadata[i] = (volt_metadatum){keys[i], volt_safetensors_metadata(file, keys[i])};
    check_ok(volt_safetensors_write(path, tensors, 11, metadata, 12));
    check_ok(volt_model_load(path, &loaded));
    volt_model_free(loaded);
    loaded = NULL;
    check_ok(volt_safetensors_write(path, tensors, 10, metadata, 12));
    check_fails(volt_model_load(path, &loaded), VOLT_ERR_FORMAT, "tensor \"reservoir.1\"");
    tensors[10].rows--;
    check_ok(volt_safetensors_write(path, tensors, 11, metadata, 12));
    check_fails(volt_model_load(path, &loaded), VOLT_ERR_FORMAT, "weights 9 6 10");
    volt_safetensors_free(file);
    volt_model_free(model);
    free(Y);
    free(X);
}

/* For every k, the k-th allocation fails: for a matrix with random weights, and with weights from a file. */
static void every_allocation_may_fail(void **state)
{
    double numbers[9] = {0.1, 0.2, 0.3, 0.1}, Z[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, K[9];
    const tensor_entry all[] = {{"A", 2, {2, 2}, numbers, 0}, {"C", 2, {2, 2}, numbers, 1}};
    char texts[3][512] = {"esn:size=7,bias=1 + linear", "sas:size=4,degree=2"};
    snprintf(texts[2], sizeof texts[2], "esn:activation=identity,weights=%s", tensor_file_write("w", all, 2));
    for (int t = 0; t < 3; t++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_kernel *kernel = NULL;
            volt_status status = volt_kernel_parse(texts[t], &kernel);
            if (status == VOLT_OK)
                status = volt_gram(kernel, volt_view_of(Z, 3, 2), volt_view_of(NULL, 0, 0), NULL,
                                   volt_matrix_of(K, 3, 3));
            volt_kernel_free(kernel);
            failing_alloc_check(status);
        }
}

/* Results do not depend on earlier random weights: the cached radius belongs to the current weights. */
static void radius_is_saved(void **state)
{
    static double first[ROWS * ROWS], again[ROWS * ROWS];
    volt_rng rng = test_rng(7106);
    double *Z = random_rows(&rng, ROWS, D, 1);
    volt_kernel *kernel = plain_parse("esn:size=6,density=0.8");
    volt_view X = volt_view_of(Z, ROWS, D), none = volt_view_of(NULL, 0, 0);
    check_ok(volt_gram(kernel, X, none, NULL, volt_matrix_of(first, ROWS, ROWS)));
    for (int seed = 2; seed < 80; seed++) {
        char text[64];
        snprintf(text, sizeof text, "esn:size=6,density=%g,seed=%d", seed % 3 ? 0.8 : 0.9, seed);
        volt_kernel *other = plain_parse(text);
        check_ok(volt_gram(other, X, none, NULL, volt_matrix_of(again, ROWS, ROWS)));
        volt_kernel_free(other);
    }
    for (int round = 0; round < 2; round++) {
        check_ok(volt_gram(kernel, X, none, NULL, volt_matrix_of(again, ROWS, ROWS)));
        assert_memory_equal(first, again, sizeof first);
    }
    volt_kernel_free(kernel);
    free(Z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks_match_parameters),
        cmocka_unit_test(state_affine_bounds),
        cmocka_unit_test(state_affine_by_hand),
        cmocka_unit_test(leading_zeros_have_no_effect),
        cmocka_unit_test(missing_fading_memory_is_reported),
        cmocka_unit_test(wrong_texts),
        cmocka_unit_test(valid_texts),
        cmocka_unit_test(wrong_weights),
        cmocka_unit_test(damaged_weights),
        cmocka_unit_test(models_keep_their_weights),
        cmocka_unit_test(models_with_missing_weights),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(radius_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
