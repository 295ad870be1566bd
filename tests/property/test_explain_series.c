/* tests/property/test_explain_series.c: the Volterra series of models compared with finite differences of
 * their predictions.
 *
 * A model is asked for its forecast after an endless constant past and a few rows that differ from it by h
 * times a random direction: as a function of h that is a power series, whose coefficients are sums of the
 * kernels of one order times the direction. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 37, D = 2, Q = 2, MOST = D + Q, LAGS = 4, HISTORY = 400 };

static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* Every kernel that has a series, alone, filtered, added and multiplied. */
static const char *const texts[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "volterra:lift=even,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=exponential,tau_coef=0.9,lambda_coef=0.8",
    "volterra:lift=poly:1,tau_coef=0.9,lambda_coef=0.8",
    "volterra:lift=poly:3,tau_coef=0.9,lambda_coef=0.8",
    "volterra:lift=rbf,gamma=0.8,lambda_coef=0.8",
    "fading:gamma=0.7,rho=0.6",
    "memory:gamma=0.7,rho=0.5,mu=0.6",
    "fir:mu=0.6",
    "fir:mu=0.6,corr=0.5",
    "linear:window=4",
    "rbf:gamma=0.5,window=5",
    "poly:degree=3,gamma=0.4,coef0=0.7,window=6",
    "sigmoid:gamma=0.3,coef0=0.2,window=4",
    "cauchy:gamma=0.6,window=4",
    "rbf:gamma=0.5,pole=0.4",
    "volterra:tau_coef=0.5,lambda_coef=0.7,pole=-0.3",
    "memory:gamma=0.5,rho=0.5,mu=0.6,pole=0.3,pair=0.6,angle=0.3",
    "memory:gamma=0.7,rho=0.6,mu=0.5 + 3*fir:mu=0.7,corr=-0.3,pair=0.5,angle=0.6",
    "linear*rbf:gamma=1 + 0.5*volterra:lift=even,tau_coef=0.6",
    "fir:mu=0.6 + 2*rbf:gamma=0.5,pole=0.4,window=3*memory:gamma=0.5,rho=0.5,mu=0.6,pole=0.4",
    "fading:gamma=0.3,rho=0.4,pole=0.5*volterra:tau_coef=0.4,lambda_coef=0.6*fir:mu=0.5",
};
enum { TEXTS = sizeof texts / sizeof *texts };

typedef enum scene_kind { PLAIN, RECORDS, UNSCALED, CHANGES, FEEDBACK, KINDS } scene_kind;

typedef struct scene {
    double *X, *Y;
    volt_model *model;
} scene;

static scene make_scene(volt_rng *rng, const char *text, scene_kind kind)
{
    static const int64_t lengths[] = {10, 3, 24};
    scene s = {.X = random_rows(rng, N + 1, D, 1), .Y = normal_rows(rng, N, Q)};
    for (int i = 0; i < (N + 1) * D; i++)
        s.X[i] = kind == UNSCALED ? 0.8 * s.X[i] : 3 + 2 * s.X[i];
    volt_kernel *kernel = plain_parse(text);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.3;
    options.scale = kind != UNSCALED;
    if (kind == RECORDS) {
        options.records = lengths;
        options.n_records = 3;
    }
    if (kind == FEEDBACK)
        options.feedback_weight = 0.7;
    int64_t both[Q] = {1, 0};
    if (kind == CHANGES) { /* levels, changes and a season, and targets that are changes */
        options.anchors = both;
        options.ahead = 1;
        options.season = 3;
        options.target = VOLT_TARGET_CHANGE;
        options.input = VOLT_INPUT_BOTH;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < Q; k++)
                s.Y[i * Q + k] = s.X[(i + 1) * D + both[k]];
    }
    check_ok(
        volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options, nowhere, &s.model));
    volt_kernel_free(kernel);
    return s;
}

static void free_scene(scene *s)
{
    volt_model_free(s->model);
    free(s->Y);
    free(s->X);
}

/* The sum of the kernel of order p of output k times the direction (LAGS x d, lag 0 first). */
static double along(const volt_explanation *e, int p, int k, const double *direction)
{
    int64_t d = e->d, block = 1, all = 1;
    for (int j = 0; j < p; j++) {
        block *= d;
        all *= LAGS * d;
    }
    double sum = 0;
    for (int64_t i = 0; i < all; i++) {
        int64_t lags = i / block, inputs = i % block;
        double term = e->kernels[p - 1][k * all + i];
        for (int j = 0; j < p; j++, lags /= LAGS, inputs /= d)
            term *= direction[lags % LAGS * d + inputs % d];
        sum += term;
    }
    return sum;
}

/* The forecasts after a long past at the point and LAGS rows that differ from it by h times the direction.
 * Fed-back outputs belong to the row before. */
static void forecast(const volt_model *model, const volt_explanation *e, const double *direction, double h,
                     double *out)
{
    enum { ROWS = HISTORY + LAGS };
    double *X = new_matrix(ROWS, D), *all = new_matrix(ROWS, Q), *known = new_matrix(ROWS, Q);
    for (int i = 0; i < ROWS; i++) {
        int lag = ROWS - 1 - i;
        for (int j = 0; j < D; j++)
            X[i * D + j] = e->about[j] + (lag < LAGS ? h * direction[lag * e->d + j] : 0);
        for (int k = 0; k < Q && e->d > D; k++)
            known[i * Q + k] =
                e->about[D + k] + (lag >= 1 && lag <= LAGS ? h * direction[(lag - 1) * e->d + D + k] : 0);
    }
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    options.beyond = VOLT_BEYOND_ALLOW;
    if (e->d > D)
        options.known = volt_view_of(known, ROWS, Q);
    check_ok(volt_model_predict(model, volt_view_of(X, ROWS, D), &options, volt_matrix_of(all, ROWS, Q), NULL));
    memcpy(out, all + (ROWS - 1) * Q, Q * sizeof(double));
    free(known);
    free(all);
    free(X);
}

/* Coefficients 0 to 3 of a power series from nine values at -4 h .. 4 h. */
static void differences(const double f[9], double h, double out[4])
{
    out[0] = f[4];
    out[1] = ((f[0] - f[8]) / 280 + 4 * (f[7] - f[1]) / 105 + (f[2] - f[6]) / 5 + 4 * (f[5] - f[3]) / 5) / h;
    out[2] = (-(f[0] + f[8]) / 560 + 8 * (f[1] + f[7]) / 315 - (f[2] + f[6]) / 5 + 8 * (f[3] + f[5]) / 5 -
              205 * f[4] / 72) /
             (2 * h * h);
    out[3] = (7 * (f[8] - f[0]) / 240 + 3 * (f[1] - f[7]) / 10 + 169 * (f[6] - f[2]) / 120 +
              61 * (f[3] - f[5]) / 30) /
             (6 * h * h * h);
}

static void check_scene(const char *text, scene *s, volt_about about, const double *point, volt_rng *rng)
{
    volt_explain_options options = volt_explain_options_default();
    options.lags = LAGS;
    options.order = 3;
    options.about = about;
    options.point = point;
    options.band = options.shares = 0;
    volt_explanation *e = NULL;
    check_ok(volt_model_explain(s->model, &options, &e));
    double direction[LAGS * MOST], values[9][Q], h = 0.008;
    for (int i = 0; i < LAGS * e->d; i++)
        direction[i] = volt_rng_normal(rng);
    for (int i = 0; i < 9; i++)
        forecast(s->model, e, direction, (i - 4) * h, values[i]);
    for (int k = 0; k < Q; k++) {
        double f[9], size = 0, expected[4];
        for (int i = 0; i < 9; i++) {
            f[i] = values[i][k];
            size = fmax(size, fabs(f[i]));
        }
        differences(f, h, expected);
        /* The formulas leave h^8, h^8 and h^6 of later coefficients, and eps / h^p of the values. */
        static const double tolerance[4] = {1e-12, 1e-10, 1e-8, 1e-6};
        for (int p = 0; p <= 3; p++) {
            double found = p == 0 ? e->g0[k] : along(e, p, k, direction);
            if (!(fabs(found - expected[p]) <= tolerance[p] * (size + fabs(expected[p]) + 1)))
                fail_msg("%s: order %d of output %d: %.12g, by differences %.12g", text, p, k, found,
                         expected[p]);
        }
    }
    volt_explanation_free(e);
}

static void differences_of_forecasts(void **state)
{
    volt_rng rng = test_rng(7601);
    for (int t = 0; t < TEXTS; t++)
        for (scene_kind kind = 0; kind < KINDS; kind++) {
            if (UNDER_SANITIZERS && (t + (int)kind) % 3 != 0)
                continue;
            scene s = make_scene(&rng, texts[t], kind);
            check_scene(texts[t], &s, VOLT_ABOUT_MEAN, NULL, &rng);
            double point[MOST] = {kind == UNSCALED ? 0.1 : 3.1, kind == UNSCALED ? -0.15 : 2.8, 0.1, -0.1};
            check_scene(texts[t], &s, VOLT_ABOUT_POINT, point, &rng);
            free_scene(&s);
        }
}

/* A sequence that begins at the point: the parts of its orders are sums of the kernels, and they add up to the forecast. */
static void parts_of_orders(void **state)
{
    enum { ORDER = 3, PARTS = ORDER + 2 };
    volt_rng rng = test_rng(7602);
    for (int t = 0; t < TEXTS; t++) {
        scene s = make_scene(&rng, texts[t], strstr(texts[t], "even") ? PLAIN : RECORDS);
        double direction[LAGS * D], parts[LAGS * Q * PARTS], forecasts[LAGS * Q], X[LAGS * D];
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(s.model, &info);
        volt_explain_options options = volt_explain_options_default();
        options.lags = LAGS;
        options.order = ORDER;
        options.band = options.shares = 0;
        options.about = VOLT_ABOUT_POINT;
        options.point = info.input_shift;
        volt_explanation *e = NULL;
        check_ok(volt_model_explain(s.model, &options, &e));
        for (int i = 0; i < LAGS * D; i++)
            direction[i] = 0.3 * volt_rng_normal(&rng);
        for (int i = 0; i < LAGS; i++)
            for (int j = 0; j < D; j++)
                X[i * D + j] = info.input_shift[j] + direction[(LAGS - 1 - i) * D + j];
        check_ok(volt_model_orders(s.model, volt_view_of(X, LAGS, D), &options,
                                   volt_matrix_of(parts, LAGS, Q * PARTS)));
        volt_predict_options predicting = volt_predict_options_default();
        predicting.start = VOLT_START_RESET;
        check_ok(volt_model_predict(s.model, volt_view_of(X, LAGS, D), &predicting,
                                    volt_matrix_of(forecasts, LAGS, Q), NULL));
        for (int k = 0; k < Q; k++) {
            for (int i = 0; i < LAGS; i++) {
                double sum = 0, size = 0;
                for (int p = 0; p < PARTS; p++) {
                    sum += parts[(i * Q + k) * PARTS + p];
                    size += fabs(parts[(i * Q + k) * PARTS + p]);
                }
                assert_true(fabs(sum - forecasts[i * Q + k]) <= 1e-12 * size);
            }
            for (int p = 0; p <= ORDER; p++) {
                double found = parts[((LAGS - 1) * Q + k) * PARTS + p],
                       expected = p ? along(e, p, k, direction) : e->g0[k];
                if (!(fabs(found - expected) <= 1e-11 * (1 + fabs(expected))))
                    fail_msg("%s: order %d of output %d: %.15g, by kernels %.15g", texts[t], p, k, found,
                             expected);
            }
        }
        volt_explanation_free(e);
        free_scene(&s);
    }
}

/* About any point, and after a past that is not there: the parts of high orders leave less and less. */
static void parts_about_a_point(void **state)
{
    enum { ROWS = 9, ORDER = 8, PARTS = ORDER + 2 };
    volt_rng rng = test_rng(7603);
    for (int t = 0; t < TEXTS; t++) {
        scene s = make_scene(&rng, texts[t], UNSCALED);
        double point[D] = {0.02, -0.03}, X[ROWS * D], parts[ROWS * Q * PARTS], forecasts[ROWS * Q];
        for (int i = 0; i < ROWS * D; i++)
            X[i] = 0.03 * (volt_rng_uniform(&rng) - 0.5);
        volt_explain_options options = volt_explain_options_default();
        options.order = ORDER;
        options.about = VOLT_ABOUT_POINT;
        options.point = point;
        check_ok(volt_model_orders(s.model, volt_view_of(X, ROWS, D), &options,
                                   volt_matrix_of(parts, ROWS, Q * PARTS)));
        volt_predict_options predicting = volt_predict_options_default();
        predicting.start = VOLT_START_RESET;
        check_ok(volt_model_predict(s.model, volt_view_of(X, ROWS, D), &predicting,
                                    volt_matrix_of(forecasts, ROWS, Q), NULL));
        for (int i = 0; i < ROWS * Q; i++) {
            double sum = 0;
            for (int p = 0; p <= ORDER; p++)
                sum += parts[i * PARTS + p];
            if (!(fabs(sum - forecasts[i]) <= 1e-9 * (1 + fabs(forecasts[i]))))
                fail_msg("%s: row %d: orders up to 8 add up to %.15g, the forecast is %.15g", texts[t], i / Q,
                         sum, forecasts[i]);
        }
        free_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences_of_forecasts),
                                       cmocka_unit_test(parts_of_orders),
                                       cmocka_unit_test(parts_about_a_point)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
