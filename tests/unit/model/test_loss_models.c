/* tests/unit/model/test_loss_models.c: models fitted with a loss: outputs, files, streams, weights, missing
 * targets, invalid arguments. */
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"
#include "volterra/model.h"
#include "volterra/solve.h"

enum { N = 60, LATER = 9, MOST = 6 };

/* Rows of two inputs, and targets of every kind. */
typedef struct data {
    double X[(N + LATER) * 2], y[N], two[N * 2], counts[N], labels[N], weights[N];
} data;

static data make_data(uint64_t seed)
{
    data d;
    volt_rng rng = test_rng(seed);
    for (int64_t i = 0; i < N + LATER; i++) {
        d.X[2 * i] = sin(0.4 * (double)i) + 0.2 * volt_rng_normal(&rng);
        d.X[2 * i + 1] = volt_rng_uniform(&rng);
    }
    for (int64_t i = 0; i < N; i++) {
        double y = d.X[2 * i] + d.X[2 * i + 1] * d.X[2 * i] + 0.4 * volt_rng_normal(&rng);
        d.y[i] = 50 + 10 * y;
        d.two[2 * i] = y;
        d.two[2 * i + 1] = 3 - y * y;
        d.counts[i] = floor(2 * fabs(y));
        d.labels[i] = y < -0.3 ? 0 : y < 0.5 ? 1 : 2;
        d.weights[i] = i % 6 == 2 ? 0 : 0.5 + volt_rng_uniform(&rng);
    }
    return d;
}

static volt_kernel *kernel_of(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static volt_kernel *the_kernel;

static volt_status fit(const data *d, volt_view Y, const volt_fit_options *options, volt_matrix fitted,
                       volt_model **model)
{
    return volt_model_fit(the_kernel, volt_view_of(d->X, N, 2), Y, options, fitted, model);
}

static volt_fit_options options_of(const char *loss, double alpha)
{
    volt_fit_options options = volt_fit_options_default();
    options.loss = loss;
    options.alpha = alpha;
    return options;
}

/* Every loss with its targets and its number of outputs. */
typedef struct loss_case {
    const char *text;
    size_t offset;
    int64_t targets, outputs;
} loss_case;

static const loss_case cases[] = {
    {"huber:delta=3", offsetof(data, y), 1, 1},
    {"quantile:q=0.7", offsetof(data, two), 2, 2},
    {"quantile:q=0.1/0.5/0.9", offsetof(data, two), 2, 6},
    {"epsilon:epsilon=2", offsetof(data, y), 1, 1},
    {"expectile:q=0.2", offsetof(data, two), 2, 2},
    {"multinomial", offsetof(data, labels), 1, 3},
    {"poisson", offsetof(data, counts), 1, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

static volt_view targets_of(const data *d, const loss_case *c)
{
    return volt_view_of((const double *)(const void *)((const char *)d + c->offset), N, c->targets);
}

/* ---- predictions ------------------------------------------------------------------------------ */

/* Fitted values equal the model's predictions of its training rows; predict, stream and file agree. */
static void all_prediction_paths_agree(void **state)
{
    data d = make_data(5501);
    for (int i = 0; i < CASES; i++) {
        const loss_case *c = &cases[i];
        int64_t q = c->outputs;
        double fitted[N * MOST], again[N * MOST], later[LATER * MOST], loaded[LATER * MOST], row[MOST];
        volt_fit_options options = options_of(c->text, 0.05);
        options.washout = i % 2 ? 4 : 0;
        volt_model *model = NULL, *copy = NULL;
        check_ok(fit(&d, targets_of(&d, c), &options, volt_matrix_of(fitted, N, q), &model));
        volt_predict_options how = volt_predict_options_default();
        how.start = VOLT_START_RESET;
        check_ok(volt_model_predict(model, volt_view_of(d.X, N, 2), &how, volt_matrix_of(again, N, q), NULL));
        for (int64_t e = 0; e < N * q; e++)
            assert_true(fabs(fitted[e] - again[e]) <= 1e-8 * (1 + fabs(fitted[e])));
        how.start = VOLT_START_CONTINUE;
        check_ok(volt_model_predict(model, volt_view_of(d.X + N * 2, LATER, 2), &how,
                                    volt_matrix_of(later, LATER, q), NULL));
        const char *path = scratch_path("loss.safetensors");
        check_ok(volt_model_save(model, path, (volt_progress){0}));
        check_ok(volt_model_load(path, &copy));
        check_ok(volt_model_predict(copy, volt_view_of(d.X + N * 2, LATER, 2), &how,
                                    volt_matrix_of(loaded, LATER, q), NULL));
        assert_memory_equal(later, loaded, (size_t)(LATER * q) * sizeof(double));
        volt_model_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
        volt_model_get_info(model, &a);
        volt_model_get_info(copy, &b);
        assert_string_equal(a.loss, c->text);
        assert_string_equal(b.loss, c->text);
        assert_true(a.objective == b.objective && a.duality_gap == b.duality_gap && a.tolerance == b.tolerance);
        assert_int_equal(a.n_classes, b.n_classes);
        assert_int_equal(a.n_classes, strcmp(c->text, "multinomial") == 0 ? 3 : 0);
        for (int64_t k = 0; k < a.n_classes; k++)
            assert_string_equal(a.classes[k], b.classes[k]);
        volt_live *stream = NULL;
        check_ok(volt_live_create(copy, NULL, &stream));
        for (int64_t t = 0; t < LATER; t++) {
            check_ok(volt_live_feed(stream, d.X + (N + t) * 2, row));
            for (int64_t k = 0; k < q; k++)
                assert_true(fabs(row[k] - later[t * q + k]) <= 1e-10 * (1 + fabs(row[k])));
        }
        volt_live_free(stream);
        volt_model_free(copy);
        volt_model_free(model);
    }
}

/* Properties of outputs: sorted levels, positive means, probabilities; correct on average. */
static void outputs_use_the_loss_link(void **state)
{
    data d = make_data(5502);
    double out[N * MOST];
    volt_model *model = NULL;
    volt_fit_options options = options_of("quantile:q=0.1/0.5/0.9", 0.3);
    check_ok(fit(&d, volt_view_of(d.two, N, 2), &options, volt_matrix_of(out, N, 6), &model));
    int64_t below[3] = {0};
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < 6; k++) {
            assert_true(k % 3 == 0 || out[i * 6 + k] >= out[i * 6 + k - 1]);
            below[k % 3] += k < 3 && d.two[2 * i] < out[i * 6 + k] - 1e-9;
        }
    /* at most q n rows lie strictly below the level q, and at most (1 - q) n above: optimality of an
     * intercept */
    const double shares[] = {0.1, 0.5, 0.9};
    for (int k = 0; k < 3; k++)
        assert_true((double)below[k] <= shares[k] * N + 1e-9);
    volt_model_free(model);
    options = options_of("poisson", 0.05);
    check_ok(fit(&d, volt_view_of(d.counts, N, 1), &options, volt_matrix_of(out, N, 1), &model));
    double sum = 0;
    for (int64_t i = 0; i < N; i++) {
        assert_true(out[i] > 0);
        sum += out[i] - d.counts[i];
    }
    assert_true(fabs(sum) <= 1e-2 * N); /* 1'g = 0, up to the gap */
    volt_model_free(model);
    options = options_of("multinomial", 0.05);
    static const char *const names[] = {"low", "mid", "high"}, *const target[] = {"level"};
    options.classes = names;
    options.n_classes = 3;
    options.output_names = target;
    check_ok(fit(&d, volt_view_of(d.labels, N, 1), &options, volt_matrix_of(out, N, 3), &model));
    for (int64_t i = 0; i < N; i++)
        assert_true(out[3 * i] > 0 && fabs(out[3 * i] + out[3 * i + 1] + out[3 * i + 2] - 1) <= 1e-14);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_string_equal(info.classes[2], "high");
    assert_string_equal(info.output_names[1], "level.mid");
    volt_model_free(model);
}

/* Two classes: the log odds are one function, and classes are ordered by value. */
static void two_classes_are_one_function(void **state)
{
    data d = make_data(5503);
    double labels[N], swapped[N], p[N * 2], r[N * 2];
    for (int64_t i = 0; i < N; i++) {
        labels[i] = d.labels[i] > 0 ? 7 : -2;
        swapped[i] = -labels[i];
    }
    volt_model *model = NULL;
    volt_fit_options options = options_of("logistic", 0.05);
    options.tolerance = 1e-12;
    check_ok(fit(&d, volt_view_of(labels, N, 1), &options, volt_matrix_of(p, N, 2), &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_string_equal(info.classes[0], "-2");
    assert_string_equal(info.classes[1], "7");
    assert_true(info.intercepts[0] == 0 && info.coefficients[0] == 0);
    volt_model_free(model);
    check_ok(fit(&d, volt_view_of(swapped, N, 1), &options, volt_matrix_of(r, N, 2), &model));
    for (int64_t i = 0; i < N; i++) {
        assert_true(fabs(p[2 * i] + p[2 * i + 1] - 1) <= 1e-14);
        assert_true(fabs(p[2 * i] - r[2 * i + 1]) <= 1e-7);
    }
    volt_model_free(model);
}

/* ---- units, weights, missing targets ---------------------------------------------------------- */

/* delta is in the units of the targets: scaling targets and delta by 10 scales the predictions by 10. */
static void parameters_are_in_the_units_of_the_targets(void **state)
{
    data d = make_data(5504);
    double large[N], one[N], ten[N];
    for (int64_t i = 0; i < N; i++)
        large[i] = 10 * d.y[i];
    static const char *const texts[][2] = {{"huber:delta=2", "huber:delta=20"},
                                           {"epsilon:epsilon=1", "epsilon:epsilon=10"}};
    for (int t = 0; t < 2; t++) {
        volt_model *model = NULL;
        volt_fit_options options = options_of(texts[t][0], 0.05);
        options.tolerance = 1e-12;
        check_ok(fit(&d, volt_view_of(d.y, N, 1), &options, volt_matrix_of(one, N, 1), &model));
        volt_model_free(model);
        options.loss = texts[t][1];
        check_ok(fit(&d, volt_view_of(large, N, 1), &options, volt_matrix_of(ten, N, 1), &model));
        volt_model_free(model);
        for (int64_t i = 0; i < N; i++)
            assert_true(fabs(10 * one[i] - ten[i]) <= 1e-6 * fabs(ten[i]));
    }
}

/* The squared loss with equal weights is ridge regression with alpha divided by the weight. */
static void equal_weights_rescale_alpha(void **state)
{
    data d = make_data(5505);
    double weights[N], plain[N * 2], weighted[N * 2];
    for (int64_t i = 0; i < N; i++)
        weights[i] = 4;
    volt_model *model = NULL;
    volt_fit_options options = options_of(NULL, 0.05);
    check_ok(fit(&d, volt_view_of(d.two, N, 2), &options, volt_matrix_of(plain, N, 2), &model));
    volt_model_free(model);
    options.alpha = 0.2;
    options.weights = weights;
    options.tolerance = 1e-12;
    check_ok(fit(&d, volt_view_of(d.two, N, 2), &options, volt_matrix_of(weighted, N, 2), &model));
    volt_model_free(model);
    for (int64_t i = 0; i < N * 2; i++)
        assert_true(fabs(plain[i] - weighted[i]) <= 1e-8);
}

/* Integer weights are repeated equations: the readout of K with repeated rows and columns, solved directly, has the same
 * predictions. Both solutions have relative errors of at most about rows eps cond, with cond <= (tr K + alpha) / alpha. */
static void integer_weights_repeat_equations(void **state)
{
    static const char *const texts[] = {"volterra:tau=0.3,lambda=0.8", "fading:gamma=1,rho=0.8",
                                        "rbf:gamma=2,window=3", "linear"};
    data d = make_data(5508);
    double weights[N], K[N * N], fitted[N * 2];
    int64_t of[3 * N], rows = 0;
    for (int64_t i = 0; i < N; i++) {
        weights[i] = (double)(i * 7 % 4);
        for (int64_t r = 0; r < (int64_t)weights[i]; r++)
            of[rows++] = i;
    }
    double *more = new_matrix(rows, rows), *A = new_matrix(rows, 2), c[2];
    for (int t = 0; t < 8; t++) {
        volt_kernel *kernel = kernel_of(texts[t / 2]);
        volt_view X = volt_view_of(d.X, N, 2), Y = volt_view_of(d.two, N, 2), none = volt_view_of(NULL, 0, 0);
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        volt_fit_options options = options_of(NULL, 1e-3);
        options.scale = 0;
        options.intercept = t % 2;
        options.weights = weights;
        check_ok(volt_model_fit(kernel, X, Y, &options, volt_matrix_of(fitted, N, 2), &model));
        volt_model_get_info(model, &info);
        check_ok(volt_gram(kernel, X, none, NULL, volt_matrix_of(K, N, N)));
        double trace = 0, largest = 0;
        for (int64_t i = 0; i < rows; i++) {
            trace += K[of[i] * (N + 1)];
            for (int64_t k = 0; k < 2; k++) {
                A[2 * i + k] = d.two[2 * of[i] + k];
                largest = fmax(largest, fabs(A[2 * i + k]));
            }
            for (int64_t j = 0; j < rows; j++)
                more[i * rows + j] = K[of[i] * N + of[j]];
        }
        volt_ridge_options ridge = {.alpha = options.alpha, .intercept = options.intercept};
        check_ok(
            volt_ridge_solve(volt_matrix_of(more, rows, rows), volt_matrix_of(A, rows, 2), &ridge, c, NULL));
        double bound = (double)rows * DBL_EPSILON * (trace + ridge.alpha) / ridge.alpha * largest, off = 0;
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < 2; k++) {
                double u = c[k];
                for (int64_t j = 0; j < rows; j++)
                    u += K[i * N + of[j]] * A[2 * j + k];
                off = fmax(off, fabs(u - fitted[2 * i + k]));
            }
        print_message("# %s: difference %.2g, bound %.2g, gap %.2g\n", texts[t / 2], off, bound,
                      info.duality_gap);
        assert_true(off <= bound && bound < 1e-6);
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
    free(A);
    free(more);
}

/* A row without a target equals a row of weight 0. */
static void a_missing_target_has_no_weight(void **state)
{
    data d = make_data(5506);
    for (int i = 0; i < CASES; i++) {
        const loss_case *c = &cases[i];
        int64_t q = c->outputs;
        double weights[N], holes[N * 2], one[N * MOST], two[N * MOST];
        volt_view Y = targets_of(&d, c);
        volt_model *model = NULL;
        volt_fit_options options = options_of(c->text, 0.05);
        options.tolerance = 1e-10;
        options.scale = 0; /* missing targets do not enter means and scales */
        for (int64_t r = 0; r < N; r++) {
            weights[r] = r % 5 == 1 ? 0 : 1;
            for (int64_t k = 0; k < Y.cols; k++)
                holes[r * Y.cols + k] = weights[r] > 0 ? Y.data[r * Y.ld + k] : NAN;
        }
        options.weights = weights;
        check_ok(fit(&d, Y, &options, volt_matrix_of(one, N, q), &model));
        volt_model_free(model);
        options.weights = NULL;
        options.missing_targets = 1;
        check_ok(fit(&d, volt_view_of(holes, N, Y.cols), &options, volt_matrix_of(two, N, q), &model));
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        double bound = 4 * sqrt(2 * 1e-10 * fabs(info.objective) * 4 / 0.05) * (1 + fabs(info.objective));
        for (int64_t e = 0; e < N * q; e++)
            assert_true(fabs(one[e] - two[e]) <= bound + 1e-7 * (1 + fabs(one[e])));
        volt_model_free(model);
    }
}

/* Changes are fitted with losses that are translation invariant. */
static void changes_can_be_learned(void **state)
{
    data d = make_data(5507);
    double next[N], walk[N + 1], out[N * 3];
    walk[0] = 0;
    for (int64_t i = 0; i < N; i++)
        walk[i + 1] = walk[i] + d.two[2 * i];
    double X[N];
    for (int64_t i = 0; i < N; i++) {
        X[i] = walk[i];
        next[i] = walk[i + 1];
    }
    int64_t anchor = 0;
    volt_fit_options options = options_of("quantile:q=0.1/0.5/0.9", 0.1);
    options.target = VOLT_TARGET_CHANGE;
    options.ahead = 1;
    options.anchors = &anchor;
    volt_kernel *kernel = kernel_of("rbf:gamma=1");
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(next, N, 1), &options,
                            volt_matrix_of(out, N, 3), &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    int64_t below = 0;
    for (int64_t k = 0; k < 3; k++)
        assert_int_equal(info.anchors[k], 0);
    for (int64_t i = 0; i < N; i++)
        below += next[i] < out[3 * i + 2] - 1e-9;
    assert_true((double)below <= 0.9 * N && (double)below >= 0.7 * N);
    volt_model_free(model);
    options.alpha = 0; /* and chosen */
    options.target = VOLT_TARGET_AUTO;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(next, N, 1), &options,
                            volt_matrix_of(out, N, 3), &model));
    volt_model_get_info(model, &info);
    assert_int_equal(info.anchors[0], 0);
    assert_true(info.alpha > 0 && isfinite(info.alpha));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* ---- alpha ------------------------------------------------------------------------------------ */

/* The chosen alpha predicts the held-out rows better than a distant one. */
static void alpha_is_chosen_by_the_loss(void **state)
{
    data d = make_data(5508);
    for (int i = 0; i < CASES; i++) {
        volt_model *model = NULL;
        volt_fit_options options = options_of(cases[i].text, 0);
        check_ok(fit(&d, targets_of(&d, &cases[i]), &options, (volt_matrix){0}, &model));
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        print_message("# %s: alpha %g\n", cases[i].text, info.alpha);
        assert_true(info.alpha > 0 && isfinite(info.alpha) && info.report && info.report->rows == 0);
        for (int64_t k = 0; k < cases[i].outputs; k++)
            assert_true(isnan(info.report->mse[k]) && isnan(info.report->best_mse[k]) &&
                        isnan(info.report->naive_mse[k]) && info.report->share[k] == 1 &&
                        isnan(info.report->rmse[k]) && isnan(info.report->best_rmse[k]) &&
                        isnan(info.report->naive_rmse[k]) && isnan(info.report->best_alpha[k]) &&
                        isnan(info.report->rkhs_norm[k]) && isnan(info.report->effective_dimension[k]) &&
                        isnan(info.report->dimension_error[k]) && isnan(info.report->noise[k]));
        assert_true(isnan(info.report->heldout_r2) && isnan(info.report->log_likelihood) &&
                    isnan(info.report->naive_r2) && isnan(info.report->residual));
        assert_true(!info.report->loo_mse && !info.report->gcv && !info.report->loo_rmse &&
                    !info.report->gcv_rmse);
        assert_string_equal(info.report->solver, "exact");
        volt_model_free(model);
    }
    volt_model *model = NULL;
    volt_fit_options options = options_of("huber:delta=1", 0);
    volt_kernel *kernel = kernel_of("rbf");
    check_fails(volt_model_fit(kernel, volt_view_of(d.X, 8, 2), volt_view_of(d.y, 8, 1), &options,
                               (volt_matrix){0}, &model),
                VOLT_ERR_DATA, "8 rows");
    volt_kernel_free(kernel);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void invalid_options_are_rejected(void **state)
{
    data d = make_data(5509);
    volt_model *model = NULL;
    volt_matrix none = {0};
    volt_view y = volt_view_of(d.y, N, 1), two = volt_view_of(d.two, N, 2);
    volt_fit_options o = options_of("hubris", 1);
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "hubris");
    o = options_of("huber:delta=1", 1);
    o.tolerance = -1e-6; /* 0: default */
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "-1e-06");
    o.tolerance = 1;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "tolerance");
    o.tolerance = 1e-6;
    o.guarded = 1;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "naive forecast");
    o.guarded = 0;
    o.n_classes = 2;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "loss huber:delta=1 classes");
    o = options_of("poisson", 1);
    check_fails(fit(&d, two, &o, none, &model), VOLT_ERR_DATA, "counts 0");
    o.target = VOLT_TARGET_CHANGE;
    check_fails(fit(&d, volt_view_of(d.counts, N, 1), &o, none, &model), VOLT_ERR_ARGUMENT, "change target");
    o = options_of("multinomial", 1);
    check_fails(fit(&d, two, &o, none, &model), VOLT_ERR_SHAPE, "target 2");
    assert_null(model);
}

static void invalid_classes_and_weights_are_rejected(void **state)
{
    data d = make_data(5510);
    volt_model *model = NULL;
    volt_matrix none = {0};
    volt_view y = volt_view_of(d.y, N, 1), labels = volt_view_of(d.labels, N, 1);
    double same[N], many[N], bad[N];
    for (int64_t i = 0; i < N; i++) {
        same[i] = 4;
        many[i] = (double)i;
        bad[i] = i == 7 ? INFINITY : (double)(i % 2);
    }
    volt_fit_options o = options_of("multinomial", 1);
    check_fails(fit(&d, volt_view_of(same, N, 1), &o, none, &model), VOLT_ERR_DATA, "class");
    check_fails(fit(&d, volt_view_of(bad, N, 1), &o, none, &model), VOLT_ERR_NOT_FINITE, "class row 8");
    o.loss = "logistic";
    check_fails(fit(&d, labels, &o, none, &model), VOLT_ERR_DATA, "3 classes");
    check_fails(fit(&d, volt_view_of(many, N, 1), &o, none, &model), VOLT_ERR_DATA, "60 classes");
    static const char *const names[] = {"a", "b", "c", "d"};
    o = options_of("multinomial", 1);
    o.classes = names;
    o.n_classes = 2;
    check_fails(fit(&d, labels, &o, none, &model), VOLT_ERR_ARGUMENT, "whole 0 1");
    o.n_classes = 4;
    check_fails(fit(&d, labels, &o, none, &model), VOLT_ERR_DATA, "class \"d\"");
    o = options_of("huber:delta=1", 1);
    double weights[N];
    memcpy(weights, d.weights, sizeof weights);
    o.weights = weights;
    weights[3] = -1;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "weight 4 -1");
    weights[3] = NAN;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "weight 4");
    memset(weights, 0, sizeof weights);
    weights[0] = 1;
    o.washout = 1;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_DATA, "sum 0");
    weights[1] = weights[2] = 1.7e308;
    check_fails(fit(&d, y, &o, none, &model), VOLT_ERR_ARGUMENT, "large");
    assert_null(model);
}

static void every_allocation_of_a_fit_may_fail(void **state)
{
    data d = make_data(5511);
    static const char *const names[] = {"y"};
    for (int i = 0; i < CASES; i++) {
        volt_fit_options options = options_of(cases[i].text, i % 2 ? 0.1 : 0);
        options.weights = d.weights;
        options.output_names = cases[i].targets == 1 ? names : NULL;
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_model *model = NULL;
            volt_status status = fit(&d, targets_of(&d, &cases[i]), &options, (volt_matrix){0}, &model);
            assert_true((status == VOLT_OK) == (model != NULL));
            volt_model_free(model);
            failing_alloc_check(status);
            k += k > 60 || UNDER_SANITIZERS ? 9 : 0;
        }
    }
}

static int begin(void **state)
{
    the_kernel = kernel_of("volterra:tau_coef=0.4,lambda_coef=0.7");
    return volt_set_threads(1) != VOLT_OK;
}

static int end(void **state)
{
    volt_kernel_free(the_kernel);
    return 0;
}

/* Counts above e have a negative loss: the objective has no lower bound in a file. */
static void negative_objectives_are_saved(void **state)
{
    data d = make_data(5512);
    for (int64_t t = 0; t < N; t++)
        d.counts[t] += 50;
    double fitted[N];
    volt_fit_options options = options_of("poisson", 0.05);
    volt_model *model = NULL, *copy = NULL;
    check_ok(fit(&d, volt_view_of(d.counts, N, 1), &options, volt_matrix_of(fitted, N, 1), &model));
    const char *path = scratch_path("negative.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &copy));
    volt_model_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    volt_model_get_info(model, &a);
    volt_model_get_info(copy, &b);
    assert_true(a.objective < 0 && a.objective == b.objective);
    volt_model_free(model);
    volt_model_free(copy);
}

static void count_warning(volt_log_level level, const char *message, void *context)
{
    (void)message;
    *(int *)context += level == VOLT_LOG_WARNING;
}

/* Non-crossing levels at a small alpha: rounding keeps the gap above the tolerance, which is a warning. */
static void open_gap_is_a_warning(void **state)
{
    static const double tolerances[] = {1e-15, 1e-6};
    data d = make_data(719);
    for (int i = 0; i < 2; i++) {
        volt_fit_options options = options_of("quantile:q=0.1/0.5/0.9", 1e-6);
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        int warnings = 0;
        options.tolerance = tolerances[i];
        volt_set_log(count_warning, &warnings);
        volt_status status = fit(&d, volt_view_of(d.y, N, 1), &options, (volt_matrix){0}, &model);
        volt_set_log(NULL, NULL);
        check_ok(status);
        volt_model_get_info(model, &info);
        print_message("# gap %g of the objective, tolerance %g\n", info.duality_gap / fabs(info.objective),
                      tolerances[i]);
        assert_int_equal(warnings, info.duality_gap > tolerances[i] * fabs(info.objective));
        assert_int_equal(warnings, i == 0);
        volt_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_objectives_are_saved),
        cmocka_unit_test(all_prediction_paths_agree),
        cmocka_unit_test(outputs_use_the_loss_link),
        cmocka_unit_test(two_classes_are_one_function),
        cmocka_unit_test(parameters_are_in_the_units_of_the_targets),
        cmocka_unit_test(equal_weights_rescale_alpha),
        cmocka_unit_test(integer_weights_repeat_equations),
        cmocka_unit_test(a_missing_target_has_no_weight),
        cmocka_unit_test(changes_can_be_learned),
        cmocka_unit_test(alpha_is_chosen_by_the_loss),
        cmocka_unit_test(open_gap_is_a_warning),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(invalid_classes_and_weights_are_rejected),
        cmocka_unit_test(every_allocation_of_a_fit_may_fail),
    };
    return cmocka_run_group_tests_name("loss_models", tests, begin, end);
}
