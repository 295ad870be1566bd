/* tests/unit/model/test_feedback.c: models with output feedback against plain models with the fed-back outputs as
 * inputs. */
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "support/check.h"
#include "support/fed_system.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { D = FED_D, Q = FED_Q, N = FED_N, H = FED_H, ALL = FED_ALL };

static const double omega = 1.7, alpha = 1e-3;
static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* Every engine, with and without filters. */
static const char *const kernels[] = {"volterra:tau_coef=0.5,lambda_coef=0.6",
                                      "volterra:lift=rbf",
                                      "memory:gamma=0.6,rho=0.4,mu=0.5,pole=0.3",
                                      "rbf:gamma=0.3,window=4",
                                      "2*fir:mu=0.4,corr=0.2 + fading:gamma=0.4,rho=0.3*linear",
                                      "linear"};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

/* ---- against plain models --------------------------------------------------------------------- */

/* The input map of the kernel, applied before the plain model. */
typedef struct plain_scale {
    double shift[D], scale, mean[Q], sd[Q], all;
} plain_scale;

static plain_scale learn_plain(const fed_system *rows, const char *kernel, bool scaled)
{
    plain_scale s = {.scale = 1, .sd = {1, 1}, .all = 1};
    double largest = 0;
    if (!scaled)
        return s;
    volt_kernel *parsed = NULL;
    check_ok(volt_kernel_parse(kernel, &parsed));
    bool keeps = volt_kernel_keeps_origin(parsed);
    volt_kernel_free(parsed);
    for (int64_t t = 0; t < N; t++) {
        for (int j = 0; j < D; j++)
            s.shift[j] += keeps ? 0 : rows->x[t * D + j] / N;
        for (int k = 0; k < Q; k++)
            s.mean[k] += rows->y[t * Q + k] / N;
    }
    for (int k = 0; k < Q; k++) {
        double sum = 0;
        for (int64_t t = 0; t < N; t++)
            sum += pow(rows->y[t * Q + k] - s.mean[k], 2) / N;
        s.sd[k] = sqrt(sum);
    }
    for (int64_t t = 0; t < N; t++)
        largest = fmax(largest, hypot(rows->x[t * D] - s.shift[0], rows->x[t * D + 1] - s.shift[1]));
    s.scale = 1 / largest;
    return s;
}

/* The row x with the previous output `before` (NULL: none), without the final scale. */
static void plain_row(const plain_scale *s, const double *x, const double *before, double z[D + Q])
{
    for (int j = 0; j < D; j++)
        z[j] = s->all * (x[j] - s->shift[j]) * s->scale;
    for (int k = 0; k < Q; k++)
        z[D + k] = before ? s->all * omega * (before[k] - s->mean[k]) / s->sd[k] : 0;
}

static double norm_of(const double *z)
{
    double sum = 0;
    for (int j = 0; j < D + Q; j++)
        sum += z[j] * z[j];
    return sqrt(sum);
}

/* A model of (x_t, omega v_{t-1}) without feedback, with this number of landmarks (0: exact). */
static volt_model *fit_plain_on(const char *text, const fed_system *rows, bool scaled, int64_t cut,
                                int64_t landmarks, plain_scale *s)
{
    double Z[N * (D + Q)], V[N * Q], largest = 0;
    *s = learn_plain(rows, text, scaled);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < N; t++) {
            plain_row(s, rows->x + t * D, t > 0 && t != cut ? rows->y + (t - 1) * Q : NULL, Z + t * (D + Q));
            largest = fmax(largest, norm_of(Z + t * (D + Q)));
        }
        if (scaled && pass == 0)
            s->all = 1 / largest;
    }
    for (int64_t i = 0; i < N * Q; i++)
        V[i] = (rows->y[i] - s->mean[i % Q]) / s->sd[i % Q];
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    int64_t lengths[] = {cut, N - cut};
    options.alpha = alpha;
    options.scale = 0;
    options.records = lengths;
    options.n_records = cut > 0 ? 2 : 0;
    options.solver = landmarks > 0 ? "nystrom" : "auto";
    options.landmarks = landmarks;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(
        volt_model_fit(kernel, volt_view_of(Z, N, D + Q), volt_view_of(V, N, Q), &options, nowhere, &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_model *fit_plain(const char *text, const fed_system *rows, bool scaled, int64_t cut, plain_scale *s)
{
    return fit_plain_on(text, rows, scaled, cut, 0, s);
}

/* Reference free run of the plain model over rows first .. of the system, with measured outputs for `warm`
 * rows. */
static void run_plain(const volt_model *model, const plain_scale *s, const fed_system *rows, int64_t first,
                      int64_t count, int64_t warm, volt_start start, double *out)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    volt_live *stream = NULL;
    check_ok(volt_live_create(model, as_live(&options), &stream));
    const double *before = start == VOLT_START_CONTINUE ? rows->y + (first - 1) * Q : NULL;
    for (int64_t i = 0; i < count; i++) {
        double z[D + Q], *y = out + i * Q;
        plain_row(s, rows->x + (first + i) * D, before, z);
        check_ok(volt_live_feed(stream, z, y));
        for (int k = 0; k < Q; k++)
            y[k] = s->mean[k] + s->sd[k] * y[k];
        before = i < warm ? rows->y + (first + i) * Q : y;
    }
    volt_live_free(stream);
}

/* Largest difference relative to the largest value. */
static double difference(const double *a, const double *b, int64_t count)
{
    double largest = 0, size = 0;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return largest / size;
}

/* Both scale the same numbers in another order. Rounding errors are amplified by a system of condition max K
 * / alpha, about 1e4, and by a contracting loop. */
static const double bound = 1e5 * 100 * DBL_EPSILON;

static void feedback_equals_plain_model(void **state)
{
    fed_system rows = fed_system_make(4101);
    for (int c = 0; c < N_KERNELS * 2; c++) {
        const char *text = kernels[c / 2];
        plain_scale s;
        volt_fit_options options = fed_options(omega);
        options.scale = c % 2;
        double fitted[N * Q], wanted[ALL * Q], out[ALL * Q];
        volt_model *plain = fit_plain(text, &rows, options.scale, 0, &s);
        volt_model *model = fed_fit(text, &rows, &options, volt_matrix_of(fitted, N, Q));
        volt_predict_options how = volt_predict_options_default();
        print_message("%s, scale %d\n", text, options.scale);

        run_plain(plain, &s, &rows, N, H, 0, VOLT_START_CONTINUE, wanted);
        check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
        assert_true(difference(wanted, out, H * Q) < bound);

        how.known = fed_targets(&rows, N, H);
        run_plain(plain, &s, &rows, N, H, H, VOLT_START_CONTINUE, wanted);
        check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
        assert_true(difference(wanted, out, H * Q) < bound);

        how.start = VOLT_START_RESET;
        how.warm_up = 7;
        run_plain(plain, &s, &rows, N, H, 7, VOLT_START_RESET, wanted);
        check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
        assert_true(difference(wanted, out, H * Q) < bound);

        /* Fitted values are one-step-ahead forecasts. */
        how.known = fed_targets(&rows, 0, N);
        how.warm_up = 0;
        check_ok(volt_model_predict(model, fed_inputs(&rows, 0, N), &how, volt_matrix_of(out, N, Q), NULL));
        assert_true(difference(fitted, out, N * Q) < bound);
        volt_model_free(plain);
        volt_model_free(model);
    }
    fed_system_free(&rows);
}

/* With nearly dependent landmarks the rounding error is sqrt(10 m eps), 2e-7 (support/landmark_problem.h). */
static const double landmark_bound = 1e-5;

/* On landmarks as well: measured outputs are fed back during the warm-up, then forecasts, in batches and row
 * by row. */
static void landmark_feedback_equals_plain_model(void **state)
{
    enum { LANDMARKS = 25 };
    fed_system rows = fed_system_make(4102);
    for (int c = 0; c < N_KERNELS; c++) {
        plain_scale s;
        volt_fit_options options = fed_options(omega);
        options.solver = "nystrom";
        options.landmarks = LANDMARKS;
        double wanted[H * Q], out[H * Q];
        volt_model *plain = fit_plain_on(kernels[c], &rows, true, 0, LANDMARKS, &s);
        volt_model *model = fed_fit(kernels[c], &rows, &options, nowhere);
        for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++)
            for (int64_t warm = 0; warm <= 14; warm += 7) {
                volt_predict_options how = volt_predict_options_default();
                how.start = (volt_start)start;
                if (warm > 0)
                    how.known = fed_targets(&rows, N, H);
                how.warm_up = warm;
                run_plain(plain, &s, &rows, N, H, warm, how.start, wanted);
                check_ok(
                    volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
                print_message("%s on landmarks, start %d, warm-up %d: %.1e\n", kernels[c], start, (int)warm,
                              difference(wanted, out, H * Q));
                assert_true(difference(wanted, out, H * Q) < landmark_bound);
            }
        volt_model_free(plain);
        volt_model_free(model);
    }
    fed_system_free(&rows);
}

static void records_start_from_zero_feedback(void **state)
{
    fed_system rows = fed_system_make(4102);
    enum { CUT = 23 };
    int64_t lengths[] = {CUT, N - CUT}, new_lengths[] = {11, H - 11};
    for (int64_t c = 0; c < N_KERNELS; c++) {
        plain_scale s;
        volt_fit_options options = fed_options(omega);
        options.scale = 0;
        options.records = lengths;
        options.n_records = 2;
        volt_model *plain = fit_plain(kernels[c], &rows, false, CUT, &s);
        volt_model *model = fed_fit(kernels[c], &rows, &options, nowhere);
        double wanted[H * Q], out[H * Q];
        volt_predict_options how = volt_predict_options_default();
        how.start = VOLT_START_RESET;
        how.records = new_lengths;
        how.n_records = 2;
        how.known = fed_targets(&rows, N, H);
        how.warm_up = 4;
        run_plain(plain, &s, &rows, N, 11, 4, VOLT_START_RESET, wanted);
        run_plain(plain, &s, &rows, N + 11, H - 11, 4, VOLT_START_RESET, wanted + 11 * Q);
        check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
        print_message("%s\n", kernels[c]);
        assert_true(difference(wanted, out, H * Q) < bound);
        how.warm_up = 12;
        check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL),
                    VOLT_ERR_ARGUMENT, "12 rows");
        volt_model_free(plain);
        volt_model_free(model);
    }
    fed_system_free(&rows);
}

/* ---- streams and files ------------------------------------------------------------------------ */

static void streams_and_files_are_bitwise_equal(void **state)
{
    fed_system rows = fed_system_make(4103);
    for (int64_t c = 0; c < N_KERNELS; c++) {
        volt_fit_options options = fed_options(omega);
        options.input = c % 2 ? VOLT_INPUT_BOTH : VOLT_INPUT_LEVEL;
        volt_model *model = fed_fit(kernels[c], &rows, &options, nowhere), *read = NULL;
        const char *path = scratch_path("model.safetensors"), *state_path = scratch_path("state.safetensors");
        check_ok(volt_model_save(model, path, (volt_progress){0}));
        check_ok(volt_model_load(path, &read));
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(read, &info);
        assert_true(info.feedback_weight == omega && info.d == D && info.feedback == 0);
        assert_true(info.columns == (c % 2 ? 2 * D : D) + Q);

        double wanted[H * Q], out[H * Q], y[Q];
        volt_predict_options how = volt_predict_options_default();
        check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(wanted, H, Q), NULL));
        check_ok(volt_model_predict(read, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
        assert_memory_equal(wanted, out, sizeof wanted);

        /* Row by row, with a copy and a file halfway. */
        volt_live *stream = NULL, *copy = NULL, *resumed = NULL;
        check_ok(volt_live_create(model, NULL, &stream));
        for (int64_t i = 0; i < H / 2; i++)
            check_ok(volt_live_feed(stream, rows.x + (N + i) * D, out + i * Q));
        check_ok(volt_live_copy(stream, &copy));
        check_ok(volt_live_save(stream, state_path));
        check_ok(volt_live_load(read, NULL, state_path, &resumed));
        for (int64_t i = H / 2; i < H; i++) {
            check_ok(volt_live_feed(stream, rows.x + (N + i) * D, out + i * Q));
            check_ok(volt_live_feed(copy, rows.x + (N + i) * D, y));
            assert_memory_equal(y, out + i * Q, sizeof y);
            check_ok(volt_live_feed(resumed, rows.x + (N + i) * D, y));
            assert_memory_equal(y, out + i * Q, sizeof y);
        }
        assert_memory_equal(wanted, out, sizeof wanted);

        /* Measured outputs instead of its own, from a zero initial state. */
        how.start = VOLT_START_RESET;
        how.known = fed_targets(&rows, N, H);
        how.warm_up = 5;
        check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, volt_matrix_of(wanted, H, Q), NULL));
        volt_live_restart(stream);
        for (int64_t i = 0; i < H; i++) {
            check_ok(volt_live_feed(stream, rows.x + (N + i) * D, y));
            assert_memory_equal(y, wanted + i * Q, sizeof y);
            if (i < 5)
                check_ok(volt_live_learn(stream, 0, rows.y + (N + i) * Q));
        }
        volt_live_free(stream);
        volt_live_free(copy);
        volt_live_free(resumed);
        volt_model_free(model);
        volt_model_free(read);
    }
    fed_system_free(&rows);
}

/* The state of a model that differs only in the weight is rejected. */
static void state_requires_same_feedback_weight(void **state)
{
    fed_system rows = fed_system_make(4104);
    volt_fit_options options = fed_options(omega);
    options.scale = 0;
    volt_model *one = fed_fit("linear", &rows, &options, nowhere);
    options.feedback_weight = omega + 1;
    volt_model *other = fed_fit("linear", &rows, &options, nowhere);
    const char *state_path = scratch_path("state.safetensors");
    volt_live *stream = NULL;
    check_ok(volt_live_create(one, NULL, &stream));
    check_ok(volt_live_save(stream, state_path));
    volt_live_free(stream);
    stream = NULL;
    check_fails(volt_live_load(other, NULL, state_path, &stream), VOLT_ERR_FORMAT, "model");
    volt_model_free(one);
    volt_model_free(other);
    fed_system_free(&rows);
}

/* ---- first rows, ranges ----------------------------------------------------------------------- */

/* With VOLT_INITIAL_FIRST a sequence of equal inputs starts at rest: all outputs are equal. */
static void equal_inputs_start_at_rest(void **state)
{
    fed_system rows = fed_system_make(8820);
    for (int k = 0; k < 3; k++) {
        volt_fit_options options = fed_options(0.3);
        volt_predict_options predicting = volt_predict_options_default();
        volt_live_options streaming = volt_live_options_default();
        volt_live *live = NULL;
        double x[6 * D], y[6 * Q], z[Q];
        options.initial = VOLT_INITIAL_FIRST;
        predicting.start = streaming.start = VOLT_START_RESET;
        volt_model *model = fed_fit(kernels[k], &rows, &options, nowhere);
        for (int i = 0; i < 6; i++)
            memcpy(x + i * D, rows.x + 10 * D, D * sizeof *x);
        check_ok(volt_model_predict(model, volt_view_of(x, 6, D), &predicting, volt_matrix_of(y, 6, Q), NULL));
        check_ok(volt_live_create(model, &streaming, &live));
        for (int i = 0; i < 6; i++) {
            check_ok(volt_live_feed(live, x, z));
            for (int c = 0; c < Q; c++) {
                assert_true(fabs(y[i * Q + c] - y[c]) <= 1e-7 * (1 + fabs(y[c])));
                assert_true(fabs(z[c] - y[c]) <= 1e-7 * (1 + fabs(y[c])));
            }
        }
        volt_live_free(live);
        volt_model_free(model);
    }
    fed_system_free(&rows);
}

/* The range of the fed-back outputs is that of the training rows, not of the rows behind them. */
static void ranges_are_those_of_the_training_rows(void **state)
{
    fed_system rows = fed_system_make(8821);
    volt_fit_options options = fed_options(0.3);
    for (int c = 0; c < Q; c++)
        rows.y[N * Q + c] = 1e3;
    volt_model *model = fed_fit(kernels[0], &rows, &options, nowhere);
    for (int c = 0; c < Q; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int t = 0; t < N; t++) {
            low = fmin(low, rows.y[t * Q + c]);
            high = fmax(high, rows.y[t * Q + c]);
        }
        assert_true(model->recipe.fed_outputs.low[c] == low && model->recipe.fed_outputs.high[c] == high);
    }
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(info.facts->horizon == ceil(log(DBL_EPSILON) / log(info.facts->contraction)));
    volt_model_free(model);
    fed_system_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_inputs_start_at_rest),
        cmocka_unit_test(ranges_are_those_of_the_training_rows),
        cmocka_unit_test(feedback_equals_plain_model),
        cmocka_unit_test(landmark_feedback_equals_plain_model),
        cmocka_unit_test(records_start_from_zero_feedback),
        cmocka_unit_test(streams_and_files_are_bitwise_equal),
        cmocka_unit_test(state_requires_same_feedback_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
