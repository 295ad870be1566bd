/* tests/property/test_units.c: results do not depend on the unit of the data: inputs and targets times 2^k
 * give bitwise equal predictions over the whole range of doubles.
 *
 * Data are multiples of 2^-20 of size one. Scaling takes out a power of two exactly, unless digits of the
 * mean fall below 2^-1074, where they are 2^-(1074 + k) of the data: nothing is left of that down to k =
 * -900. Below it, at k = 500 and -500, where sums of squares are taken apart, and with a factor that is no
 * power of two, inputs and targets are rounded differently. A forecast is h'Y, and roundings of K move it by
 * n max K / alpha times eps at most: 1e-10 with n = 40, max K below 30 and alpha = 1e-2. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "task/protocol.h"
#include "volterra.h"

enum { N = 40, H = 12, ALL = N + H, D = 2, Q = 2 };

static const double tolerance = 1e-10;

static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "volterra:tau=0.6,lambda=0.7,lift=even",
    "volterra:tau_coef=0.7,lambda_coef=0.8,lift=exponential",
    "volterra:tau_coef=0.7,lambda_coef=0.8,lift=poly:2",
    "volterra:lift=rbf,gamma=0.7,lambda=0.8",
    "linear:window=3",
    "rbf:gamma=0.8",
    "rbf:gamma=0.3,window=4",
    "poly:degree=2,gamma=1,coef0=0.5",
    "sigmoid:gamma=0.2,coef0=0.3",
    "fading:gamma=0.6,rho=0.7",
    "memory:gamma=1,rho=0.5,mu=0.8",
    "recurrent:input=0.8,radius=0.7,bias=0.3,leak=0.6",
    "fir:mu=0.7,corr=0.4",
    "2*fir:mu=0.7 + fading:gamma=0.6,rho=0.7,pole=0.5,pair=0.6,angle=0.3*rbf:gamma=0.8",
    "gak:sigma=1,window=4",
    "gak:sigma=1,path=rows,centre=yes",
    "sig:level=3,window=4",
    "sig:level=2,path=rows,prescale=0.7",
    "sigpde:window=4",
    "sigpde:static=rbf,sigma=1,path=rows,prescale=0.5",
    "cauchy:gamma=0.4,window=3",
    "esn:size=15,radius=0.8",
    "sas:size=10,norm=0.8",
};
enum { KERNELS = (int)(sizeof kernels / sizeof *kernels) };

static double alpha_of(const char *kernel)
{
    return strncmp(kernel, "sig", 3) == 0 ? 30 : 1e-2; /* sigmoid and sigpde need not be definite */
}

typedef struct data {
    double X[ALL * D], Y[ALL * Q];
} data;

static data make_data(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    data made = {0};
    double memory = 0;
    for (int i = 0; i < ALL; i++) {
        double *x = made.X + i * D, *y = made.Y + i * Q;
        for (int k = 0; k < D; k++)
            x[k] = ldexp(round(ldexp(volt_rng_normal(&rng) + 0.5 * k, 20)), -20);
        memory = 0.6 * memory + x[0] * x[1];
        y[0] = ldexp(round(ldexp(memory, 20)), -20);
        y[1] = ldexp(round(ldexp(memory - 3 * x[0] + 1, 20)), -20);
    }
    return made;
}

static data times(const data *made, double inputs, double targets)
{
    data other;
    for (int i = 0; i < ALL * D; i++)
        other.X[i] = made->X[i] * inputs;
    for (int i = 0; i < ALL * Q; i++)
        other.Y[i] = made->Y[i] * targets;
    return other;
}

/* ---- forecasts -------------------------------------------------------------------------------- */

enum { FORECASTS = (N + 3 * H) * Q };

/* Fitted values, forecasts from both starts, and those of a stream. */
static void forecasts(const data *made, const char *text, double *out)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    volt_live *stream = NULL;
    volt_fit_options fit = volt_fit_options_default();
    volt_predict_options predict = volt_predict_options_default();
    fit.alpha = alpha_of(text);
    check_ok(volt_model_fit(kernel, volt_view_of(made->X, N, D), volt_view_of(made->Y, N, Q), &fit,
                            volt_matrix_of(out, N, Q), &model));
    out += N * Q;
    for (int start = 0; start < 2; start++, out += H * Q) {
        predict.start = start ? VOLT_START_RESET : VOLT_START_CONTINUE;
        check_ok(volt_model_predict(model, volt_view_of(made->X + N * D, H, D), &predict,
                                    volt_matrix_of(out, H, Q), NULL));
    }
    check_ok(volt_live_create(model, NULL, &stream));
    for (int i = 0; i < H; i++)
        check_ok(volt_live_feed(stream, made->X + (N + i) * D, out + i * Q));
    volt_live_free(stream);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void check_same(const char *what, const double *expected, const double *actual, int count, double unit,
                       int exact)
{
    double size = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(expected[i]));
    for (int i = 0; i < count; i++) {
        double back = actual[i] / unit;
        if (exact ? back != expected[i] : !(fabs(back - expected[i]) <= tolerance * size))
            fail_msg("%s, in units of %g: number %d is %.17g, and was %.17g", what, unit, i, back, expected[i]);
    }
}

static int is_exact(int k)
{
    return k >= -900 && abs(k) != 500;
}

static void forecasts_do_not_depend_on_the_unit(void **state)
{
    data made = make_data(4101);
    for (int p = 0; p < KERNELS; p++) {
        double expected[FORECASTS], actual[FORECASTS];
        forecasts(&made, kernels[p], expected);
        for (int k = -1000; k <= 1000; k += 100) {
            data other = times(&made, ldexp(1, k), 1);
            forecasts(&other, kernels[p], actual);
            check_same(kernels[p], expected, actual, FORECASTS, 1, is_exact(k));

            other = times(&made, 1, ldexp(1, k));
            forecasts(&other, kernels[p], actual);
            check_same(kernels[p], expected, actual, FORECASTS, ldexp(1, k), is_exact(k));
        }
        static const double factors[] = {1e-300, 1e-160, 1e160, 1e300};
        for (int f = 0; f < 4; f++) {
            data other = times(&made, factors[f], 1);
            forecasts(&other, kernels[p], actual);
            check_same(kernels[p], expected, actual, FORECASTS, 1, 0);
        }
    }
}

/* ---- searches --------------------------------------------------------------------------------- */

static void searches_do_not_depend_on_the_unit(void **state)
{
    data made = make_data(4102);
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 3;
    options.draws = 4;
    options.race = VOLT_RACE_NONE;
    for (int p = 0; p < KERNELS; p++) {
        const char *name = kernels[p];
        char family[32];
        snprintf(family, sizeof family, "%.*s%s", (int)strcspn(name, ":"), name,
                 strstr(name, "path=rows") ? ":path=rows" : "");
        double scores[4] = {0};
        char texts[4][VOLT_KERNEL_LENGTH];
        for (int k = -900; k <= 900;
             k += 300) { /* 0 is met on the way, and all others are compared with the first */
            data other = times(&made, ldexp(1, k), ldexp(1, -k));
            volt_view X = volt_view_of(other.X, ALL, D), Y = volt_view_of(other.Y, ALL, Q);
            volt_candidates *candidates = NULL;
            volt_search *search = NULL;
            check_ok(volt_candidates_draw(family, X, NULL, &candidates));
            volt_status status = volt_search_run(candidates, X, Y, &options, &search);
            assert_true(status == VOLT_OK || status == VOLT_ERR_DATA); /* all draws of a kernel may fail */
            for (int t = 0; t < 4; t++) {
                const volt_trial *trial = volt_search_trial(search, t);
                double score = trial->failure ? -77 : trial->score;
                if (k == -900) {
                    snprintf(texts[t], sizeof texts[t], "%s", trial->kernel);
                    scores[t] = score;
                }
                assert_string_equal(texts[t], trial->kernel);
                if (score != scores[t])
                    fail_msg("%s times 2^%d: %.17g, and was %.17g", trial->kernel, k, score, scores[t]);
            }
            volt_search_free(search);
            volt_candidates_free(candidates);
        }
    }
}

static void published_inputs_do_not_depend_on_the_unit(void **state)
{
    data made = make_data(4103);
    for (int kind = VOLT_INPUTS_STANDARDISED; kind <= VOLT_INPUTS_IN_BALL; kind++) {
        double expected[ALL * D], actual[ALL * D];
        volt_published_scale_inputs(volt_view_of(made.X, ALL, D), N, (volt_published_inputs)kind,
                                    volt_matrix_of(expected, ALL, D));
        for (int k = -900; k <= 1000; k += 100) {
            data other = times(&made, ldexp(1, k), 1);
            volt_published_scale_inputs(volt_view_of(other.X, ALL, D), N, (volt_published_inputs)kind,
                                        volt_matrix_of(actual, ALL, D));
            assert_memory_equal(expected, actual, sizeof actual);
        }
    }
}

/* NMSE, R^2 and losses have no unit. A constant target is constant in every unit. */
static void scores_do_not_depend_on_the_unit(void **state)
{
    volt_rng rng = test_rng(4107);
    double y[N * Q], f[N * Q], losses[N], expected[N];
    volt_metrics metrics = {.struct_size = sizeof metrics}, first = {.struct_size = sizeof first};
    for (int i = 0; i < N * Q; i++) {
        y[i] = volt_rng_normal(&rng);
        f[i] = y[i] + 0.3 * volt_rng_normal(&rng);
    }
    for (int constant = 0; constant < 2; constant++) {
        for (int i = 0; i < N && constant; i++)
            y[i * Q] = 0.75;
        check_ok(volt_metrics_compute(volt_view_of(y, N, Q), volt_view_of(f, N, Q), &first));
        check_ok(volt_losses(volt_view_of(y, N, Q), volt_view_of(f, N, Q), volt_matrix_of(expected, N, 1)));
        for (int k = -900; k <= 900; k += 100) {
            double Y[N * Q], F[N * Q];
            for (int i = 0; i < N * Q; i++) {
                Y[i] = ldexp(y[i], k);
                F[i] = ldexp(f[i], k);
            }
            check_ok(volt_metrics_compute(volt_view_of(Y, N, Q), volt_view_of(F, N, Q), &metrics));
            assert_true(metrics.nmse == first.nmse && metrics.r2 == first.r2);
            assert_true(metrics.mse == ldexp(first.mse, 2 * k) || k <= -500 ||
                        (k == 500 && fabs(ldexp(metrics.mse, -2 * k) / first.mse - 1) < 1e-15));
            assert_true(fabs(ldexp(metrics.rmse, -k) - first.rmse) <= 4e-16 * first.rmse);
            assert_true(fabs(ldexp(metrics.mae, -k) - first.mae) <= 1e-15 * first.mae);
            assert_true(fabs(metrics.mape - first.mape) <= 1e-14 * first.mape);
            check_ok(volt_losses(volt_view_of(Y, N, Q), volt_view_of(F, N, Q), volt_matrix_of(losses, N, 1)));
            assert_memory_equal(expected, losses, sizeof losses);
        }
    }
}

/* ---- reports of held-out rows ------------------------------------------------------------------- */

/* Y: the targets, or, of changes, X one row ahead. */
static volt_model *fit_report(const data *made, int kind)
{
    static const int64_t anchors[] = {0, 1};
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = plain_parse(kind == 4 ? "esn:size=6" : kernels[0]);
    volt_model *model = NULL;
    bool changes = kind == 1;
    options.ahead = changes;
    options.anchors = changes ? anchors : NULL;
    options.season = 0;
    options.scale = kind != 2; /* targets as they are; the inputs keep their size */
    options.solver = kind == 3 ? "nystrom" : kind == 4 ? "features" : "auto";
    check_ok(volt_model_fit(kernel, volt_view_of(made->X, ALL - 1, D),
                            changes ? volt_view_of(made->X + D, ALL - 1, D) : volt_view_of(made->Y, ALL - 1, Q),
                            &options, (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    return model;
}

/* The alpha that is chosen and R2 of held-out rows have no unit; their errors have that of the targets, also
 * where their squares overflow or underflow. */
static void reports_do_not_depend_on_the_unit(void **state)
{
    static const int powers[] = {-900, -560, 400, 560, 900};
    data made = make_data(4110);
    for (int i = 0; i < ALL * D; i++) /* of norm below 1, for inputs that are not scaled */
        made.X[i] /= 16;
    for (int kind = 0; kind < 5; kind++) {
        volt_model *model = fit_report(&made, kind);
        volt_model_info first = {.struct_size = sizeof first}, info = {.struct_size = sizeof info};
        volt_model_get_info(model, &first);
        assert_true(first.report->rows > 20 && first.report->heldout_r2 < 0.999999);
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            int k = powers[p];
            data other = times(&made, kind == 2 ? 1 : ldexp(1, k), ldexp(1, k));
            volt_model *scaled = fit_report(&other, kind);
            volt_model_get_info(scaled, &info);
            if (!(info.report->heldout_r2 == first.report->heldout_r2))
                fail_msg("kind %d, times 2^%d: R2 %.17g, and was %.17g", kind, k, info.report->heldout_r2,
                         first.report->heldout_r2);
            assert_true(info.report->naive_r2 == first.report->naive_r2 || kind != 1);
            for (int j = 0; j < Q; j++) {
                assert_true(info.alphas[j] == first.alphas[j]);
                assert_true(info.report->share[j] == first.report->share[j]);
                assert_true(info.report->rmse[j] == ldexp(first.report->rmse[j], k));
                assert_true(info.report->best_rmse[j] == ldexp(first.report->best_rmse[j], k));
                assert_true(kind != 1 ||
                            fabs(ldexp(info.report->naive_rmse[j], -k) / first.report->naive_rmse[j] - 1) <
                                4e-16);
                assert_true(kind != 3 || info.report->loo_rmse[j] == ldexp(first.report->loo_rmse[j], k));
                assert_true(kind != 3 || info.report->gcv_rmse[j] == ldexp(first.report->gcv_rmse[j], k));
            }
            volt_model_free(scaled);
        }
        volt_model_free(model);
    }
}

/* The memory of a Volterra series, also where the squares of its kernels overflow or underflow. */
static void memory_does_not_depend_on_the_unit(void **state)
{
    static const int powers[][2] = {{0, 0}, {400, 0}, {-400, 0}, {0, 600}, {0, -600}};
    data made = make_data(4112);
    volt_kernel *kernel = plain_parse(kernels[0]);
    volt_explain_options options = volt_explain_options_default();
    int64_t first[Q] = {0};
    options.band = options.shares = 0;
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        data other = times(&made, ldexp(1, powers[p][0]), ldexp(1, powers[p][1]));
        volt_model *model = NULL;
        volt_explanation *series = NULL;
        check_ok(volt_model_fit(kernel, volt_view_of(other.X, ALL, D), volt_view_of(other.Y, ALL, Q), NULL,
                                (volt_matrix){0}, &model));
        check_ok(volt_model_explain(model, &options, &series));
        for (int k = 0; k < Q; k++) {
            if (p == 0)
                first[k] = series->memory[k];
            assert_int_equal(series->memory[k], first[k]);
            assert_true(series->memory[k] > 1);
        }
        volt_explanation_free(series);
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
}

/* The choice of a model, and its errors. */
static void identification_does_not_depend_on_the_unit(void **state)
{
    enum { ROWS = 160 };
    static const int powers[] = {0, 600, -600};
    volt_rng rng = test_rng(4113);
    double u[ROWS], y[ROWS], state_of_y = 0;
    volt_identification first = {0};
    volt_identify_options options = volt_identify_options_default();
    options.draws = 6;
    for (int p = 0; p < 3; p++) {
        volt_model *model = NULL;
        volt_identification found = {.struct_size = sizeof found};
        for (int t = 0; t < ROWS && p == 0; t++) {
            u[t] = volt_rng_normal(&rng);
            y[t] = state_of_y = 0.6 * state_of_y + tanh(u[t]) + (t ? 0.3 * u[t] * u[t - 1] : 0);
        }
        for (int t = 0; t < ROWS; t++)
            y[t] = ldexp(y[t], powers[p] - (p ? powers[p - 1] : 0));
        check_ok(volt_identify(volt_view_of(u, ROWS, 1), volt_view_of(y, ROWS, 1), &options, &model, &found));
        if (p == 0)
            first = found;
        assert_false(found.candidates[found.chosen].is_linear); /* rejected without a long run */
        assert_int_equal(found.chosen, first.chosen);
        assert_true(ldexp(found.test_rmse, -powers[p]) == first.test_rmse);
        for (int i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
            assert_true(found.candidates[i].is_rejected == first.candidates[i].is_rejected &&
                        found.candidates[i].long_run == first.candidates[i].long_run);
        volt_model_free(model);
    }
}

/* Folds of changes, with and without an intercept. */
static void searches_for_changes_do_not_depend_on_the_unit(void **state)
{
    data made = make_data(4111);
    const char *kernel = kernels[0];
    double alpha = 1e-2, change[(ALL - 1) * D];
    for (int choice = 0; choice < 4; choice++) {
        double first = 0;
        for (int k = -560; k <= 560; k += 560) {
            data other = times(&made, ldexp(1, k), 1);
            for (int i = 0; i < (ALL - 1) * D; i++)
                change[i] = other.X[i + D] - other.X[i];
            volt_search_options options = volt_search_options_default();
            options.splits.folds = 3;
            options.intercept = choice & 1;
            options.score = choice & 2 ? VOLT_SCORE_PREQUENTIAL : VOLT_SCORE_R2;
            options.base = volt_view_of(other.X, ALL - 1, D);
            volt_candidates *candidates = NULL;
            volt_search *search = NULL;
            check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
            check_ok(volt_search_run(candidates, volt_view_of(other.X, ALL - 1, D),
                                     volt_view_of(change, ALL - 1, D), &options, &search));
            double score = volt_search_trial(search, VOLT_TRIAL_BEST)->score;
            first = k == -560 ? score : first;
            if (score != first)
                fail_msg("choice %d, times 2^%d: %.17g, and was %.17g", choice, k, score, first);
            volt_search_free(search);
            volt_candidates_free(candidates);
        }
    }
}

/* Targets that are taken as they are: K does not see them, and all else is linear in them. */
static void searches_on_unscaled_targets(void **state)
{
    data made = make_data(4108);
    const char *kernel = "rbf:gamma=0.8";
    double alpha = 1e-2, first = 0;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 3;
    options.scale = 0;
    for (int k = -900; k <= 900; k += 300) {
        data other = times(&made, 1, ldexp(1, k));
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
        check_ok(volt_search_run(candidates, volt_view_of(other.X, ALL, D), volt_view_of(other.Y, ALL, Q),
                                 &options, &search));
        double score = volt_search_trial(search, VOLT_TRIAL_BEST)->score;
        if (k == -900)
            first = score;
        assert_true(score == first);
        volt_search_free(search);
        volt_candidates_free(candidates);
    }
    assert_true(first > -10 && first < 0.999);
}

/* ---- what is refused -------------------------------------------------------------------------- */

/* Constant inputs are constant in every unit, and what varies is not. */
static void constants_are_distinguished_from_small_numbers(void **state)
{
    data made = make_data(4104);
    volt_kernel *kernel = plain_parse("volterra");
    volt_matrix nowhere = volt_matrix_of(NULL, 0, 0);
    volt_view Y = volt_view_of(made.Y, N, Q);
    for (int k = -1000; k <= 1000; k += 100) {
        double X[N * D];
        volt_model *model = NULL;
        for (int i = 0; i < N * D; i++)
            X[i] = ldexp(0.7, k);
        check_fails(volt_model_fit(kernel, volt_view_of(X, N, D), Y, NULL, nowhere, &model), VOLT_ERR_DATA,
                    "constant");
        X[3] = ldexp(0.8, k);
        check_ok(volt_model_fit(kernel, volt_view_of(X, N, D), Y, NULL, nowhere, &model));
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
}

/* Without scaling, products of such inputs overflow or underflow: an error, not a prediction. */
static void unscaled_inputs_reject_overflowing_products(void **state)
{
    data made = make_data(4105);
    static const double bad[] = {1e-300, 1e-160, 1e160, 1e300};
    for (int p = 0; p < KERNELS; p++) {
        volt_kernel *kernel = plain_parse(kernels[p]);
        double K[N * N];
        for (int b = 0; b < 4; b++) {
            data other = times(&made, bad[b], 1);
            volt_view X = volt_view_of(other.X, N, D), none = volt_view_of(NULL, 0, 0);
            check_fails(volt_gram(kernel, X, none, NULL, volt_matrix_of(K, N, N)), VOLT_ERR_NOT_FINITE,
                        "scaled");
        }
        volt_kernel_free(kernel);
    }
}

/* ---- norms ------------------------------------------------------------------------------------ */

static void norms_by_hand(void **state)
{
    for (int k = -1060; k <= 1020; k += 20) {
        double row[] = {ldexp(3, k), ldexp(-4, k)}, nothing[] = {0, 0};
        assert_true(volt_row_norm(row, 2) == ldexp(5, k));
        assert_true(volt_row_norm(nothing, 2) == 0);
    }
    /* Next to a large number a small one does not count, and middle ones do as far as they can. */
    double mixed[] = {0x1p510, 0x1p490, 0x1p-600}, small[] = {0x1p-501, 0x1p-499, 0};
    assert_true(fabs(volt_row_norm(mixed, 3) / (0x1p510 * sqrt(1 + 0x1p-40)) - 1) < 4e-16);
    assert_true(fabs(volt_row_norm(small, 3) / (0x1p-501 * sqrt(17)) - 1) < 4e-16);
    double large[] = {1.7e308, 1.7e308}, wrong[] = {1, NAN}, endless[] = {-INFINITY, 1};
    assert_true(isinf(volt_row_norm(large, 2)));
    assert_true(!isfinite(volt_row_norm(wrong, 2)) && !isfinite(volt_row_norm(endless, 2)));
}

/* One share for all: rows on the sphere are inside, whatever their length, and rows beyond it are not. */
static void rows_on_the_sphere_are_inside_the_ball(void **state)
{
    volt_rng rng = test_rng(4106);
    for (int64_t d = 1; d <= 4096; d *= 4)
        for (int i = 0; i < 50; i++) {
            double *row = normal_rows(&rng, 1, d), norm = volt_row_norm(row, d);
            for (int64_t k = 0; k < d; k++)
                row[k] /= norm;
            assert_true(volt_is_within(volt_row_norm(row, d), 1, d));
            assert_false(volt_is_within(1 + 2 * volt_norm_tolerance(d), 1, d));
            assert_true(volt_norm_tolerance(d) == (double)(d + 8) * 0x1p-53);
            free(row);
        }
    assert_true(volt_is_within(0, 0, 3) && !volt_is_within(1e-300, 0, 3));
    assert_false(volt_is_within(NAN, 1, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forecasts_do_not_depend_on_the_unit),
        cmocka_unit_test(searches_do_not_depend_on_the_unit),
        cmocka_unit_test(published_inputs_do_not_depend_on_the_unit),
        cmocka_unit_test(scores_do_not_depend_on_the_unit),
        cmocka_unit_test(reports_do_not_depend_on_the_unit),
        cmocka_unit_test(memory_does_not_depend_on_the_unit),
        cmocka_unit_test(identification_does_not_depend_on_the_unit),
        cmocka_unit_test(searches_for_changes_do_not_depend_on_the_unit),
        cmocka_unit_test(searches_on_unscaled_targets),
        cmocka_unit_test(constants_are_distinguished_from_small_numbers),
        cmocka_unit_test(unscaled_inputs_reject_overflowing_products),
        cmocka_unit_test(norms_by_hand),
        cmocka_unit_test(rows_on_the_sphere_are_inside_the_ball),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
