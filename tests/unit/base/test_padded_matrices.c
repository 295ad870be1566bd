/* tests/unit/base/test_padded_matrices.c: matrices whose rows are not contiguous.
 *
 * Inputs have NaN behind every row, and outputs are inside a larger matrix: the results equal those of contiguous
 * matrices bit for bit, and nothing else is written. */
#include "base/blas.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 30, H = 11, D = 3, Q = 2, PAD = 2, MOST = 4096 };
static const double untouched = -12345.5;

/* Rows with PAD numbers behind each of them; `padded`: NaN there, otherwise contiguous. */
static double tight_x[(N + H) * D], wide_x[(N + H) * (D + PAD)], tight_y[N * Q], wide_y[N * (Q + PAD)];
static bool padded;

static volt_view rows(int64_t first, int64_t count)
{
    return padded ? (volt_view){wide_x + first * (D + PAD), count, D, D + PAD}
                  : volt_view_of(tight_x + first * D, count, D);
}

static volt_view targets(void)
{
    return padded ? (volt_view){wide_y, N, Q, Q + PAD} : volt_view_of(tight_y, N, Q);
}

static int make_rows(void **state)
{
    volt_rng rng = test_rng(8810);
    for (int64_t t = 0; t < N + H; t++)
        for (int64_t c = 0; c < D + PAD; c++) {
            double value = volt_rng_uniform(&rng) - 0.5;
            wide_x[t * (D + PAD) + c] = c < D ? value : NAN;
            if (c < D)
                tight_x[t * D + c] = value;
        }
    for (int64_t t = 0; t < N; t++)
        for (int64_t k = 0; k < Q + PAD; k++) {
            double value = tight_x[t * D + k % D] + 0.5 * tight_x[(t > 0 ? t - 1 : 0) * D] * tight_x[t * D + 1];
            wide_y[t * (Q + PAD) + k] = k < Q ? value : NAN;
            if (k < Q)
                tight_y[t * Q + k] = value;
        }
    return volt_set_threads(1) != VOLT_OK;
}

static int reset(void **state)
{
    return volt_set_threads(0) != VOLT_OK;
}

/* ---- calls: `out` is the result, `more` a second one ------------------------------------------- */

static volt_model *fit_with(const char *text, volt_fit_options *options, volt_matrix fitted)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    options->alpha = options->alpha == 0 ? 0.1 : options->alpha;
    check_ok(volt_model_fit(kernel, rows(0, N), targets(), options, fitted, &model));
    volt_kernel_free(kernel);
    return model;
}

static const volt_matrix nowhere = {NULL, 0, 0, 0};

static volt_model *fit_plain(const char *text)
{
    volt_fit_options options = volt_fit_options_default();
    return fit_with(text, &options, nowhere);
}

static void call_fit(const char *text, volt_matrix out, volt_matrix more)
{
    volt_fit_options options = volt_fit_options_default();
    (void)more;
    volt_model_free(fit_with(text, &options, out));
}

static void call_fit_loss(const char *text, volt_matrix out, volt_matrix more)
{
    volt_fit_options options = volt_fit_options_default();
    (void)more;
    options.loss = text;
    volt_model_free(fit_with("volterra", &options, out));
}

static void call_fit_solver(const char *text, volt_matrix out, volt_matrix more)
{
    volt_fit_options options = volt_fit_options_default();
    (void)more;
    options.solver = text;
    options.washout = 2;
    options.landmarks = strcmp(text, "exact") == 0 ? 0 : 7;
    volt_model_free(fit_with("volterra", &options, out));
}

static void call_gram(const char *text, volt_matrix out, volt_matrix more)
{
    volt_kernel *kernel = plain_parse(text);
    check_ok(volt_gram(kernel, rows(0, N), volt_view_of(NULL, 0, 0), NULL, out));
    check_ok(volt_gram(kernel, rows(5, H), rows(0, N), NULL, more));
    volt_kernel_free(kernel);
}

static void call_spectrum(const char *text, volt_matrix out, volt_matrix more)
{
    volt_kernel *kernel = plain_parse(text);
    (void)more;
    check_ok(volt_gram_spectrum(kernel, rows(0, N), NULL, out));
    volt_kernel_free(kernel);
}

static void call_collection(const char *text, volt_matrix out, volt_matrix more)
{
    volt_kernel *kernel = plain_parse(text);
    const volt_view series[] = {rows(0, 5), rows(3, 7), rows(8, 4), rows(2, 9)};
    check_ok(volt_gram_collection(kernel, series, 4, NULL, 0, NULL, out));
    check_ok(volt_gram_collection(kernel, series + 1, 3, series, 4, NULL, more));
    volt_kernel_free(kernel);
}

static void call_predict(const char *text, volt_matrix out, volt_matrix more)
{
    volt_fit_options options = volt_fit_options_default();
    volt_predict_options predicting = volt_predict_options_default();
    options.keep_factor = more.data != NULL;
    options.washout = 2;
    volt_model *model = fit_with(text, &options, nowhere);
    predicting.std = more;
    check_ok(volt_model_predict(model, rows(N, H), &predicting, out, NULL));
    volt_model_free(model);
}

static void call_simulate(const char *text, volt_matrix out, volt_matrix more)
{
    volt_fit_options options = volt_fit_options_default();
    options.feedback_weight = 0.3;
    volt_model *model = fit_with(text, &options, nowhere);
    volt_live *live = NULL;
    check_ok(volt_model_predict(model, rows(N, H), NULL, out, NULL));
    check_ok(volt_live_create(model, NULL, &live));
    check_ok(volt_live_predict(live, rows(N, H), 1, more, NULL));
    volt_live_free(live);
    volt_model_free(model);
}

static void call_learn(const char *text, volt_matrix out, volt_matrix more)
{
    double c[Q];
    volt_model *model = fit_plain(text);
    volt_live *live = NULL;
    check_ok(volt_live_create(model, with_learning(), &live));
    check_ok(volt_live_predict(live, rows(N, H), 0, out, NULL));
    check_ok(volt_live_coefficients(live, more, c, NULL));
    volt_live_free(live);
    volt_model_free(model);
}

static void call_continue(const char *text, volt_matrix out, volt_matrix more)
{
    volt_kernel *kernel = plain_parse(text);
    volt_fit_options options = volt_fit_options_default();
    volt_predict_options predicting = volt_predict_options_default();
    volt_model *model = NULL;
    options.alpha = 0.1;
    options.ahead = options.feedback = 1;
    check_ok(volt_model_fit(kernel, rows(0, N), rows(1, N), &options, nowhere, &model));
    check_ok(volt_model_continue(model, rows(N - 4, 5), NULL, out, NULL));
    predicting.paths = 2;
    check_ok(volt_model_continue(model, rows(N - 4, 5), &predicting, more, NULL));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void call_errors(const char *text, volt_matrix out, volt_matrix more)
{
    const double coverages[] = {0.5, 0.8, 0.9};
    volt_model *model = fit_plain(text);
    assert_int_equal(volt_model_errors_read(model, out), N);
    check_ok(volt_model_interval(model, coverages, 3, more));
    volt_model_free(model);
}

static void call_impulse(const char *text, volt_matrix out, volt_matrix more)
{
    volt_model *model = fit_plain(text);
    check_ok(volt_model_impulse(model, 6, out));
    check_ok(volt_model_forgetting(model, rows(0, 5), rows(5, 6), rows(N, H), (volt_progress){0}, more));
    volt_model_free(model);
}

static void call_orders(const char *text, volt_matrix out, volt_matrix more)
{
    volt_model *model = fit_plain(text);
    (void)more;
    check_ok(volt_model_orders(model, rows(N, H), NULL, out));
    volt_model_free(model);
}

static void call_baseline(const char *text, volt_matrix out, volt_matrix more)
{
    (void)text;
    check_ok(volt_baseline_forecast(VOLT_BASELINE_AR, rows(0, N + H), 2, 0, N, N, out));
    check_ok(volt_baseline_forecast(VOLT_BASELINE_DRIFT, rows(0, N + H), 2, 0, 0, N, more));
}

static void call_losses(const char *text, volt_matrix out, volt_matrix more)
{
    (void)text, (void)more;
    check_ok(volt_losses(rows(0, H), rows(5, H), out));
}

static void call_returns(const char *text, volt_matrix out, volt_matrix more)
{
    double prices[(N + 1) * (D + PAD)];
    volt_bekk *bekk = NULL;
    (void)text;
    for (int64_t t = 0; t <= N; t++)
        for (int64_t c = 0; c < D + PAD; c++)
            prices[t * (D + (padded ? PAD : 0)) + c] = c < D ? 2 + tight_x[t * D + c] : NAN;
    check_ok(volt_log_returns((volt_view){prices, N + 1, D, D + (padded ? PAD : 0)}, out));
    check_ok(volt_bekk_create(D, &bekk));
    for (int64_t i = 0; i < D; i++) {
        bekk->a[i] = 0.3;
        bekk->b[i] = 0.8;
        for (int64_t j = i; j < D; j++)
            bekk->C[i * D + j] = i == j ? 0.1 : 0.02;
    }
    check_ok(volt_bekk_stationary_covariance(bekk, more));
    volt_bekk_free(bekk);
}

static void call_bekk(const char *text, volt_matrix out, volt_matrix more)
{
    volt_bekk *bekk = NULL;
    double loglik;
    (void)text;
    check_ok(volt_bekk_create(D, &bekk));
    for (int64_t i = 0; i < D; i++) {
        bekk->a[i] = 0.3;
        bekk->b[i] = 0.8;
        bekk->C[i * D + i] = 0.1;
    }
    check_ok(volt_bekk_simulate(bekk, NULL, nowhere, out, more));
    check_ok(volt_bekk_loglik(bekk, rows(0, N), NULL, more, &loglik));
    volt_bekk_free(bekk);
}

static void call_system(const char *text, volt_matrix out, volt_matrix more)
{
    volt_system system;
    volt_simulate_options options;
    (void)more;
    check_ok(volt_system_parse(text, &system, &options));
    check_ok(volt_simulate(system, &options, out));
}

/* ---- all of them ------------------------------------------------------------------------------ */

static const struct {
    void (*call)(const char *text, volt_matrix out, volt_matrix more);
    const char *text;
    int64_t shape[4]; /* of `out` and `more` */
} calls[] = {
    {call_fit, "volterra", {N, Q}},
    {call_fit, "rbf:window=3", {N, Q}},
    {call_fit_loss, "huber:delta=0.1", {N, Q}},
    {call_fit_loss, "quantile:q=0.3", {N, Q}},
    {call_fit_solver, "exact", {N, Q}},
    {call_fit_solver, "nystrom", {N, Q}},
    {call_gram, "volterra", {N, N, H, N}},
    {call_gram, "rbf:window=3", {N, N, H, N}},
    {call_gram, "gak:window=3", {N, N, H, N}},
    {call_gram, "sig:level=3,window=4", {N, N, H, N}},
    {call_gram, "esn:size=5", {N, N, H, N}},
    {call_gram, "fir + memory*rbf:pole=0.5", {N, N, H, N}},
    {call_spectrum, "volterra", {6, 2}},
    {call_collection, "volterra", {4, 4, 3, 4}},
    {call_collection, "gak", {4, 4, 3, 4}},
    {call_collection, "sig:level=3", {4, 4, 3, 4}},
    {call_predict, "volterra", {H, Q, H, Q}},
    {call_predict, "rbf:window=3", {H, Q, H, Q}},
    {call_predict, "esn:size=5", {H, Q, H, Q}},
    {call_predict, "fir + memory*rbf:pole=0.5", {H, Q, H, Q}},
    {call_simulate, "volterra", {H, Q, H, Q}},
    {call_learn, "volterra", {H, Q, N, Q}},
    {call_continue, "volterra", {H, D, 2 * H, D}},
    {call_errors, "volterra", {N, Q, 3, Q}},
    {call_impulse, "fir", {6 * Q, D, H + 1, 2}},
    {call_orders, "volterra", {H, 4 * Q}},
    {call_orders, "rbf:window=3", {H, 4 * Q}},
    {call_baseline, "", {H, D, H, D}},
    {call_losses, "", {H, 1}},
    {call_returns, "", {N, D, D, D}},
    {call_bekk, "", {N, D, N, D *(D + 1) / 2}},
    {call_system, "lorenz", {N, 3}},
    {call_system, "mackey-glass", {N, 1}},
    {call_system, "narma10", {N, 2}},
};

/* The inside of a larger matrix; with `around` 0 the whole of it. */
static volt_matrix place(double *memory, const int64_t shape[2], int64_t around)
{
    int64_t ld = shape[1] + 2 * around;
    assert_true((shape[0] + 2 * around) * ld <= MOST);
    for (int64_t i = 0; i < MOST; i++)
        memory[i] = untouched;
    return shape[0] > 0 ? (volt_matrix){memory + around * ld + around, shape[0], shape[1], ld} : nowhere;
}

static void compare(const char *text, int number, const double *tight, const double *wide,
                    const int64_t shape[2])
{
    int64_t ld = shape[1] + 2 * PAD;
    for (int64_t i = 0; i < MOST; i++) {
        int64_t row = i / ld - PAD, col = i % ld - PAD;
        bool inside = row >= 0 && row < shape[0] && col >= 0 && col < shape[1];
        double expected = inside ? tight[row * shape[1] + col] : untouched;
        if (memcmp(&wide[i], &expected, sizeof expected) != 0)
            fail_msg("call %d, %s: row %d, column %d is %.17g, expected %.17g", number, text, (int)row,
                     (int)col, wide[i], expected);
        assert_true(!inside || wide[i] != untouched);
    }
}

static void padding_is_neither_read_nor_written(void **state)
{
    static double tight[2][MOST], wide[2][MOST];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        padded = false;
        calls[i].call(calls[i].text, place(tight[0], calls[i].shape, 0),
                      place(tight[1], calls[i].shape + 2, 0));
        padded = true;
        calls[i].call(calls[i].text, place(wide[0], calls[i].shape, PAD),
                      place(wide[1], calls[i].shape + 2, PAD));
        assert_false(volt_blas_set_claimed(false)); /* every claim on the BLAS was released */
        for (int k = 0; k < 2; k++)
            compare(calls[i].text, (int)i, tight[k], wide[k], calls[i].shape + 2 * k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_is_neither_read_nor_written),
    };
    return cmocka_run_group_tests_name("padded matrices", tests, make_rows, reset);
}
