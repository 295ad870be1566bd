/* tests/property/test_state_readout.c: models with a readout of explicit states: long fits compared with
 * plain ridge regression, and all operations of the fitted model. */
#include "gram/engine/state.h"
#include "model/model_internal.h"
#include "solve/solver_table.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 4300, LATER = 60, ALL = N + LATER, D = 2, Q = 2, MAX_STATES = 40 };

typedef struct data {
    double X[ALL * D], Y[ALL * Q];
} data;

/* A system that fades, with noise: targets that a reservoir learns, and not all of them. */
static data *make_data(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    data *made = malloc(sizeof *made);
    double memory = 0, *x = random_rows(&rng, ALL, D, 1);
    assert_non_null(made);
    memcpy(made->X, x, sizeof made->X);
    for (int i = 0; i < ALL; i++) {
        const double *z = made->X + i * D;
        memory = 0.7 * memory + z[0] + 0.5 * z[0] * z[1];
        made->Y[i * Q] = memory + 0.1 * volt_rng_normal(&rng);
        made->Y[i * Q + 1] = 2 - z[1] + 0.3 * memory + 0.1 * volt_rng_normal(&rng);
    }
    free(x);
    return made;
}

static volt_model *fit(const char *text, const data *d, const volt_fit_options *options, volt_matrix fitted)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(d->X, N, D), volt_view_of(d->Y, N, Q), options, fitted, &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_fit_options plain_options(double alpha)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = 0;
    return options;
}

static void predict(const volt_model *model, const data *d, double out[LATER * Q])
{
    volt_predict_options options = volt_predict_options_default();
    options.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_model_predict(model, volt_view_of(d->X + N * D, LATER, D), &options,
                                volt_matrix_of(out, LATER, Q), NULL));
}

static double distance(const double *a, const double *b, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ---- against plain ridge regression ------------------------------------------------------------- */

/* S b = h by Gaussian elimination without pivots: S is positive definite. */
static void plain_solve(long double *S, long double *h, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            long double factor = S[i * n + k] / S[k * n + k];
            for (int j = k; j < n; j++)
                S[i * n + j] -= factor * S[k * n + j];
            h[i] -= factor * h[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            h[k] -= S[k * n + j] * h[j];
        h[k] /= S[k * n + k];
    }
}

/* States of all rows, from the model's own reservoir. */
static double *states_of(const volt_model *model, const data *d, int64_t *count)
{
    volt_columns *columns = NULL;
    volt_state *kernel_state = NULL;
    *count = volt_states_count(&model->resolved);
    assert_true(*count > 0 && *count <= MAX_STATES);
    double *F = new_matrix(ALL, *count);
    check_ok(volt_states_columns(&model->resolved, &columns));
    check_ok(volt_state_create(&model->resolved, columns, ALL, &kernel_state));
    volt_state_advance(kernel_state, volt_view_of(d->X, ALL, D), false, volt_matrix_of(F, ALL, *count), NULL);
    volt_state_free(kernel_state);
    volt_columns_free(columns);
    return F;
}

/* Forecasts of output k by the normal equations, in long double. */
static void plain_forecasts(const double *F, int64_t count, const data *d, const bool *without, int washout,
                            double alpha, bool intercept, int k, double *out)
{
    static long double S[MAX_STATES * MAX_STATES], h[MAX_STATES], m[MAX_STATES];
    long double mean = 0, rows = 0, c = 0;
    int n = (int)count;
    memset(S, 0, sizeof S);
    memset(h, 0, sizeof h);
    memset(m, 0, sizeof m);
    for (int i = washout; i < N; i++) {
        if (without && without[i])
            continue;
        for (int a = 0; a < n; a++)
            m[a] += F[i * n + a];
        mean += d->Y[i * Q + k];
        rows++;
    }
    for (int a = 0; a < n; a++)
        m[a] = intercept ? m[a] / rows : 0;
    mean = intercept ? mean / rows : 0;
    for (int i = washout; i < N; i++)
        for (int a = 0; a < n && !(without && without[i]); a++) {
            for (int b = 0; b < n; b++)
                S[a * n + b] += (F[i * n + a] - m[a]) * (F[i * n + b] - m[b]);
            h[a] += (F[i * n + a] - m[a]) * (d->Y[i * Q + k] - mean);
        }
    for (int a = 0; a < n; a++)
        S[a * n + a] += alpha;
    plain_solve(S, h, n);
    c = mean;
    for (int a = 0; a < n; a++)
        c -= m[a] * h[a];
    for (int i = 0; i < ALL; i++) {
        long double sum = c;
        for (int a = 0; a < n; a++)
            sum += F[i * n + a] * h[a];
        out[i] = (double)sum;
    }
}

/* The condition of the sums is at most n N / alpha: 1e-9 is ten times eps times that for the least alpha
 * here. */
static void state_readout_equals_ridge_regression(void **state)
{
    static const struct {
        const char *text;
        double alpha;
        int washout;
        int intercept, holes;
    } cases[] = {
        {"esn:size=12,radius=0.8,leak=0.6", 1e-2, 0, 1, 0},
        {"esn:size=12,radius=0.8,leak=0.6", 1e-1, 37, 0, 0},
        {"sas:size=9,norm=0.8", 1, 20, 1, 1},
        {"2*esn:size=7,radius=0.7 + 0.3*sas:size=5,norm=0.8", 1e-1, 5, 1, 1},
    };
    data *d = make_data(7201);
    double *fitted = new_matrix(N, Q), *expected = new_matrix(ALL, 1), later[LATER * Q];
    bool *without = calloc(N, sizeof *without);
    assert_non_null(without);
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        data *used = malloc(sizeof *used);
        assert_non_null(used);
        *used = *d;
        for (int i = 0; i < N; i++) {
            without[i] = cases[t].holes && i % 11 == 3;
            for (int k = 0; k < Q && without[i]; k++)
                used->Y[i * Q + k] = NAN;
        }
        volt_fit_options options = plain_options(cases[t].alpha);
        options.washout = cases[t].washout;
        options.intercept = cases[t].intercept;
        options.missing_targets = cases[t].holes;
        volt_model *model = fit(cases[t].text, used, &options, volt_matrix_of(fitted, N, Q));
        assert_non_null(model->states);
        assert_null(model->columns->features); /* no states of rows are kept */
        int64_t count = 0;
        double *F = states_of(model, d, &count);
        predict(model, d, later);
        for (int k = 0; k < Q; k++) {
            plain_forecasts(F, count, d, cases[t].holes ? without : NULL, cases[t].washout, cases[t].alpha,
                            cases[t].intercept, k, expected);
            for (int i = 0; i < ALL; i++) {
                double found = i < N ? fitted[i * Q + k] : later[(i - N) * Q + k];
                if (!(fabs(found - expected[i]) <= 1e-9))
                    fail_msg("%s: row %d, output %d is %.17g, and %.17g is right", cases[t].text, i, k, found,
                             expected[i]);
            }
        }
        free(F);
        volt_model_free(model);
        free(used);
    }
    free(without);
    free(expected);
    free(fitted);
    free(d);
}

/* ---- alpha chosen ------------------------------------------------------------------------------- */

static void alpha_is_chosen_on_the_last_rows(void **state)
{
    data *d = make_data(7202);
    double first[LATER * Q], second[LATER * Q], half[Q] = {0};
    volt_fit_options options = plain_options(0);
    volt_model *model = fit("esn:size=15,radius=0.8", d, &options, (volt_matrix){0});
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_non_null(info.report);
    assert_int_equal(info.report->rows, 2048);
    assert_int_equal(info.report->first, N - 2048);
    assert_true(info.report->heldout_r2 > 0.5 && info.report->heldout_r2 < 1);
    assert_true(info.alphas[0] > 0 && info.alphas[1] > 0 && isfinite(info.alphas[0] + info.alphas[1]));
    predict(model, d, first);
    for (int k = 0; k < Q; k++) {
        options.alpha = info.alphas[k];
        volt_model *again = fit("esn:size=15,radius=0.8", d, &options, (volt_matrix){0});
        predict(again, d, second);
        for (int i = 0; i < LATER; i++)
            assert_true(fabs(first[i * Q + k] - second[i * Q + k]) <= 1e-9);
        volt_model_free(again);
    }
    check_ok(volt_model_interval(model, &(double){0.9}, 1, volt_matrix_of(half, 1, Q)));
    assert_true(half[0] > 0.1 && half[0] < 0.6); /* the noise has sd 0.1 */
    volt_model_free(model);
    free(d);
}

/* ---- files, streams, records -------------------------------------------------------------------- */

static void files_and_streams(void **state)
{
    data *d = make_data(7203);
    static const int64_t lengths[] = {1500, 2000, 800};
    double before[LATER * Q], after[LATER * Q], y[Q];
    for (int several = 0; several < 2; several++) {
        volt_fit_options options = plain_options(1e-2);
        options.records = several ? lengths : NULL;
        options.n_records = several ? 3 : 0;
        double *fitted = new_matrix(N, Q), *again = new_matrix(N, Q);
        volt_model *model = fit("esn:size=10,radius=0.7 + sas:size=6,norm=0.7,pole=0.4", d, &options,
                                volt_matrix_of(fitted, N, Q)),
                   *loaded = NULL;
        predict(model, d, before);
        const char *path = scratch_path("model.safetensors");
        check_ok(volt_model_save(model, path, (volt_progress){0}));
        check_ok(volt_model_load(path, &loaded));
        assert_null(loaded->columns->features);
        predict(loaded, d, after);
        assert_memory_equal(before, after, sizeof before);

        volt_predict_options how = volt_predict_options_default();
        how.beyond = VOLT_BEYOND_ALLOW;
        volt_live *stream = NULL;
        check_ok(volt_live_create(loaded, as_live(&how), &stream));
        for (int i = 0; i < LATER; i++) {
            check_ok(volt_live_feed(stream, d->X + (N + i) * D, y));
            assert_true(distance(y, before + i * Q, Q) <= 1e-10);
        }
        volt_live_free(stream);

        how.start = VOLT_START_RESET;
        how.records = options.records;
        how.n_records = options.n_records;
        check_ok(volt_model_predict(loaded, volt_view_of(d->X, N, D), &how, volt_matrix_of(again, N, Q), NULL));
        assert_true(distance(fitted, again, N * Q) <= 1e-9);
        volt_model_free(loaded);
        volt_model_free(model);
        free(again);
        free(fitted);
    }
    free(d);
}

/* ---- limits ------------------------------------------------------------------------------------- */

static void plan_for_a_million_rows(void **state)
{
    volt_kernel *kernel = plain_parse("esn:size=100"), *power = plain_parse("esn:size=100,degree=2");
    volt_plan plan = {.struct_size = sizeof plan};
    check_ok(volt_plan_fit(kernel, 1000000, 1, 1, 0, 0, &plan, NULL));
    assert_true(plan.fit_bytes < 4e8);
    check_ok(volt_plan_fit(kernel, 1000000, 1, 1, 0, 1, &plan, NULL));
    assert_true(plan.gram_seconds > 0 && plan.factor_seconds > 0 && isfinite(plan.gram_seconds));
    check_ok(
        volt_plan_fit(power, 1000000, 1, 1, 0, 0, &plan, NULL)); /* no readout of states: the whole matrix */
    assert_true(plan.fit_bytes > 1e12);
    volt_kernel_free(power);
    volt_kernel_free(kernel);
}

static int reports_left;

static int cancel_later(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)context;
    assert_true(fraction >= 0 && fraction <= 1);
    return reports_left-- <= 0;
}

static void cancellation_at_every_poll(void **state)
{
    data *d = make_data(7204);
    volt_kernel *kernel = plain_parse("esn:size=10");
    static const int after[] = {0, 1, 5, 9, 14, 20, 30};
    enum { STEP = UNDER_SANITIZERS ? 3 : 1 };
    for (size_t i = 0; i < sizeof after / sizeof *after; i += STEP) {
        volt_fit_options options = plain_options(1e-2);
        volt_model *model = NULL;
        options.progress = (volt_progress){.report = cancel_later};
        reports_left = after[i];
        volt_status status = volt_model_fit(kernel, volt_view_of(d->X, N, D), volt_view_of(d->Y, N, Q),
                                            &options, (volt_matrix){0}, &model);
        assert_int_equal(status, VOLT_ERR_CANCELLED);
        assert_null(model);
    }
    volt_kernel_free(kernel);
    free(d);
}

/* The k-th allocation of the solver fails, for every k, with alpha given and chosen. */
static void every_allocation_may_fail(void **state)
{
    enum { ROWS = 30 };
    volt_rng rng = test_rng(7205);
    double *X = random_rows(&rng, ROWS, D, 1), *Y = normal_rows(&rng, ROWS, Q);
    volt_kernel *kernel = plain_parse("esn:size=5");
    volt_extent extent = {.radius = 1, .largest = 1};
    volt_resolved resolved = {0};
    volt_columns *states = NULL, *columns = NULL;
    check_ok(volt_kernel_resolve(kernel, extent, D, &resolved));
    check_ok(volt_states_columns(&resolved, &states));
    check_ok(volt_columns_create(&resolved, volt_view_of(X, ROWS, D), NULL, &columns));
    for (int chooses = 0; chooses < 2; chooses++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            double A[ROWS * Q], B[5 * Q], c[Q], unlearned[Q];
            volt_chosen outputs[Q] = {{0}};
            volt_choice choice = {.ahead = 1, .outputs = outputs};
            volt_readout readout = {.A = volt_matrix_of(A, ROWS, Q),
                                    .intercepts = c,
                                    .unlearned = unlearned,
                                    .states = volt_matrix_of(B, 5, Q)};
            volt_solver_task task = {
                .alpha = chooses ? 0 : 0.1, .intercept = true, .choice = chooses ? &choice : NULL};
            failing_alloc_start(0);
            memcpy(A, Y, sizeof A);
            check_ok(volt_kernel_operator(&resolved, columns, volt_view_of(X, ROWS, D), false, &task.kernel));
            volt_kernel_operator_use_states(task.kernel, states);
            failing_alloc_start(k);
            volt_status status = volt_solver_features.solve(&task, &readout);
            volt_operator_free(task.kernel);
            failing_alloc_check(status);
        }
    volt_columns_free(columns);
    volt_columns_free(states);
    volt_resolved_release(&resolved);
    volt_kernel_free(kernel);
    free(Y);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_readout_equals_ridge_regression),
        cmocka_unit_test(alpha_is_chosen_on_the_last_rows),
        cmocka_unit_test(files_and_streams),
        cmocka_unit_test(plan_for_a_million_rows),
        cmocka_unit_test_setup_teardown(cancellation_at_every_poll, poll_always, poll_as_usual),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
