/* tests/unit/model/test_model_scenarios.c: every solver and every model call under fault injection: for every k,
 * the k-th allocation or memory claim fails, or the user cancels at the k-th poll (support/scenario.h). */
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/predict_std.h"
#include "support/scenario.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/model.h"

#include <unistd.h>

enum { N = 20, H = 4, D = 2, MAX_OUTPUTS = 4, WAYS = 19 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static const int64_t lengths[] = {7, 5, N - 12};

/* ---- rows ------------------------------------------------------------------------------------- */

/* Inputs, each the target of the preceding row, and targets of other kinds. */
static double X[(N + 1 + H) * D], holes[N * D], last_holes[N * D], labels[N], pairs[N], counts[N], weights[N];

static int make_rows(void **state)
{
    volt_rng rng = test_rng(5101);
    double *rows = random_rows(&rng, N + 1 + H, D, 1);
    memcpy(X, rows, sizeof X);
    free(rows);
    memcpy(holes, X + D, sizeof holes);
    memcpy(last_holes, holes, sizeof holes);
    holes[5 * D + 1] = holes[9 * D] = last_holes[6 * D] = NAN;
    for (int64_t i = 0; i < N; i++) {
        labels[i] = (double)(i % 3);
        pairs[i] = i % 5 < 2 ? -4 : 2.5;
        counts[i] = (double)(i * 7 % 5);
        weights[i] = i % 6 ? 1 + 0.25 * (double)(i % 4) : 0;
    }
    return scenario_begin(state);
}

static volt_view inputs_of(int64_t rows)
{
    return volt_view_of(X, rows, D);
}

static volt_view later_inputs(void)
{
    return volt_view_of(X + (N + 1) * D, H, D);
}

/* ---- fits ------------------------------------------------------------------------------------- */

typedef struct way {
    const char *name, *kernel;
    const double *targets; /* NULL: the next inputs */
    int64_t q, outputs;    /* 0: D */
    volt_fit_options options;
    int traits; /* of the fit */
    int uses;   /* below */
    volt_model *model;
} way;

/* Capabilities of a model other than prediction. */
enum {
    CONTINUES = 1,
    EXPLAINS = 2,
    RESPONDS = 4,
    SPREADS = 8,
    RUNS_FREE = 16,
    STREAMS = 32,
    COMES_IN_PIECES = 64
};

static way ways[WAYS];
static int n_ways;

static way *add_way(const char *name, const char *kernel, int uses)
{
    static const char *const names[] = {"first", "second"};
    assert_true(n_ways < WAYS);
    way *w = &ways[n_ways++];
    *w = (way){.name = name, .kernel = kernel, .uses = uses, .q = D, .outputs = D};
    w->options = volt_fit_options_default();
    w->options.alpha = 0.1;
    w->options.input_names = w->options.output_names = names;
    w->options.notes = (volt_model_notes){.time_end = "2020-01-01", .calendar = "hour"};
    return w;
}

static way *add_loss(const char *name, const char *loss, const double *targets, int64_t outputs)
{
    way *w = add_way(name, "volterra", EXPLAINS);
    w->options.loss = loss;
    w->targets = targets;
    w->q = targets ? 1 : D;
    w->outputs = outputs;
    return w;
}

/* Autonomous series models. */
static way *add_series(const char *name, const char *kernel, int uses)
{
    static const int64_t anchors[] = {0, 1};
    way *w = add_way(name, kernel, uses);
    w->options.anchors = anchors;
    w->options.ahead = 1;
    w->options.season = 4;
    return w;
}

static void add_ways_of_series(void)
{
    way *w = add_series("changes", "volterra:tau=0.6,lambda=0.7", CONTINUES | EXPLAINS | SPREADS);
    w->options.target = VOLT_TARGET_CHANGE;
    w->options.input = VOLT_INPUT_BOTH;
    w->options.feedback = w->options.keep_factor = 1;
    w = add_series("alpha and target chosen", "volterra", 0);
    w->options.alpha = 0;
    w = add_series("guarded changes", "rbf:gamma=1", 0);
    w->options.target = VOLT_TARGET_CHANGE;
    w->options.guarded = 1;
    w = add_series("records", "fir:mu=0.5 + rbf:pole=0.3", RESPONDS | CONTINUES | STREAMS | COMES_IN_PIECES);
    w->options.feedback = 1;
    w->options.records = lengths;
    w->options.n_records = 3;
    w = add_series("records chosen", "volterra", 0);
    w->options.alpha = 0;
    w->options.records = lengths;
    w->options.n_records = 3;
}

static void add_ways_of_losses(void)
{
    add_loss("quantiles", "quantile:q=0.2/0.8", NULL, 4);
    add_loss("classes", "multinomial", labels, 3)->uses |= STREAMS;
    way *w = add_loss("two classes", "logistic", pairs, 2);
    w->options.output_names = NULL;
    w = add_loss("counts and weights", "poisson", counts, 1);
    w->options.weights = weights;
    w = add_loss("robust, alpha chosen", "huber:delta=0.5", NULL, D);
    w->options.alpha = 0;
}

static void add_ways_of_solvers(void)
{
    static char checkpoint[512];
    snprintf(checkpoint, sizeof checkpoint, "%s", scratch_path("checkpoint"));
    way *w = add_way("landmarks", "volterra", STREAMS | COMES_IN_PIECES);
    w->options.solver = "nystrom";
    w->options.landmarks = 6;
    w->options.records = lengths;
    w->options.n_records = 3;
    w = add_series("conjugate gradients", "volterra", EXPLAINS);
    w->options.solver = "pcg";
    w->options.landmarks = 6;
    w->options.alpha = 0;
    w->targets = holes;
    w->options.missing_targets = 1;
    w->options.checkpoint = checkpoint;
    w->options.checkpoint_seconds = 0;
    w->traits = SCENARIO_DOES_WITHOUT; /* sync of the checkpoint directory */
    w = add_way("states", "esn:size=3", STREAMS);
    w->options.solver = "features";
}

static int make_models(void **state)
{
    assert_int_equal(make_rows(state), 0);
    way *w = add_way("levels", "volterra:lift=rbf", CONTINUES | EXPLAINS | SPREADS | STREAMS | COMES_IN_PIECES);
    w->options.feedback = w->options.keep_factor = 1;
    w->options.washout = 3;
    w = add_way("missing targets", "gak:window=3", 0);
    w->targets = holes;
    w->options.missing_targets = 1;
    w = add_way("fed-back outputs", "volterra:tau=0.6,lambda=0.7", EXPLAINS | RUNS_FREE | STREAMS);
    w->options.feedback_weight = 0.3;
    w = add_way("fed-back outputs of first inputs", "volterra:tau=0.6,lambda=0.7", RUNS_FREE | STREAMS);
    w->options.feedback_weight = 0.3;
    w->options.initial = VOLT_INITIAL_FIRST;
    w = add_way("mean before the first row", "volterra:pole=0.3", STREAMS);
    w->options.initial = VOLT_INITIAL_MEAN;
    w = add_way("fed-back missing targets", "volterra", RUNS_FREE);
    w->targets = last_holes;
    w->options.missing_targets = 1;
    w->options.feedback_weight = 0.3;
    w->options.records = lengths;
    w->options.n_records = 3;
    add_ways_of_series();
    add_ways_of_losses();
    add_ways_of_solvers();
    assert_int_equal(n_ways, WAYS);
    return 0;
}

static volt_view targets_of(const way *w)
{
    return w->targets ? volt_view_of(w->targets, N, w->q) : volt_view_of(X + D, N, D);
}

static volt_status fit(const void *with, volt_progress progress, scenario_result *result)
{
    const way *w = with;
    volt_fit_options options = w->options;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    double fitted[N * MAX_OUTPUTS];
    for (int64_t i = 0; i < N * MAX_OUTPUTS; i++)
        fitted[i] = 1e77;
    options.progress = progress;
    volt_status status = volt_kernel_parse(w->kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_model_fit(kernel, inputs_of(N), targets_of(w), &options,
                                volt_matrix_of(fitted, N, w->outputs), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    for (int64_t i = 0; status != VOLT_OK && i < N * MAX_OUTPUTS; i++)
        assert_true(fitted[i] == 1e77);
    if (model) {
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        scenario_put(result, fitted, N * w->outputs);
        scenario_put(result, info.coefficients, info.kernel_rows * info.q);
        scenario_put(result, info.intercepts, info.q);
    }
    if (options.checkpoint)
        unlink(options.checkpoint);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

static void every_fit_scenario(void **state)
{
    for (int i = 0; i < n_ways; i++)
        scenario_check(&(scenario){ways[i].name, &ways[i], fit, ways[i].traits, 0});
}

/* ---- uses of a model -------------------------------------------------------------------------- */

static volt_status predict(const void *with, volt_progress progress, scenario_result *result)
{
    const way *w = with;
    static const int64_t both[] = {1, H - 1};
    double out[H * MAX_OUTPUTS];
    volt_status status = VOLT_OK;
    for (int reset = 0; reset < 2 && status == VOLT_OK; reset++) {
        volt_predict_options options = {.struct_size = sizeof(volt_predict_options),
                                        .start = reset ? VOLT_START_RESET : VOLT_START_CONTINUE,
                                        .beyond = VOLT_BEYOND_CLIP,
                                        .records = reset ? both : NULL,
                                        .n_records = reset ? 2 : 0,
                                        .progress = progress};
        int64_t beyond = -5;
        if (w->uses & RUNS_FREE && reset) { /* a row with its observed target */
            options.known = volt_view_of(X, H, D);
            options.warm_up = 1;
        }
        out[0] = 1e77;
        status =
            volt_model_predict(w->model, later_inputs(), &options, volt_matrix_of(out, H, w->outputs), &beyond);
        assert_true(status == VOLT_OK ? beyond >= 0 : beyond == -5 && out[0] == 1e77);
        scenario_put(result, out, status == VOLT_OK ? H * w->outputs : 0);
    }
    return status;
}

static volt_status predict_in_pieces(const void *with, volt_progress progress, scenario_result *result)
{
    const way *w = with;
    double out[H * MAX_OUTPUTS];
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_CLIP, .progress = progress};
    volt_live *live = NULL;
    volt_status status = volt_live_create(w->model, as_live(&options), &live);
    assert_true((status == VOLT_OK) == (live != NULL));
    for (int64_t i = 0; i < H && status == VOLT_OK; i += 2) {
        status = volt_live_predict(live, volt_view_rows(later_inputs(), i, 2), 1,
                                   volt_matrix_of(out, 2, w->outputs), NULL);
        scenario_put(result, out, status == VOLT_OK ? 2 * w->outputs : 0);
    }
    volt_live_free(live);
    return status;
}

/* Push rows one by one with intervals, save the stream, and continue from the file. */
static volt_status stream(const void *with, volt_progress progress, scenario_result *result)
{
    static const double coverages[] = {0.5, 0.6};
    const way *w = with;
    const char *path = scratch_path("stream");
    double y[MAX_OUTPUTS], half[2 * MAX_OUTPUTS];
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_CLIP, .progress = progress};
    volt_live *first = NULL, *copy = NULL, *second = NULL;
    volt_status status = volt_live_create(w->model, as_live(&options), &first);
    if (status == VOLT_OK && !w->options.loss) /* intervals apply to squared loss */
        status = volt_live_track(first, coverages, 2);
    if (status == VOLT_OK)
        status = volt_live_feed(first, X + (N + 1) * D, y);
    if (status == VOLT_OK && !w->options.loss)
        status = volt_live_learn(first, 0, y);
    if (status == VOLT_OK)
        status = volt_live_copy(first, &copy);
    if (status == VOLT_OK)
        status = volt_live_save(copy, path);
    if (status == VOLT_OK)
        status = volt_live_load(w->model, as_live(&options), path, &second);
    if (status == VOLT_OK)
        status = volt_live_feed(second, X + (N + 2) * D, y);
    if (status == VOLT_OK && !w->options.loss) {
        check_ok(volt_live_interval(second, half));
        scenario_put(result, half, 2 * w->outputs);
    }
    scenario_put(result, y, status == VOLT_OK ? w->outputs : 0);
    volt_live_free(second);
    volt_live_free(copy);
    volt_live_free(first);
    unlink(path);
    return status;
}

static volt_status save(const void *with, volt_progress progress, scenario_result *result)
{
    const way *w = with;
    const char *path = scratch_path("model");
    volt_status status = volt_model_save(w->model, path, progress);
    if (status == VOLT_OK)
        scenario_put_file(result, path);
    assert_int_equal(access(path, F_OK), -1); /* no partial result */
    return status;
}

/* The loaded model gives the same predictions as the saved one. */
static volt_status load(const void *with, volt_progress progress, scenario_result *result)
{
    (void)progress;
    const way *w = with;
    double out[MAX_OUTPUTS], again[MAX_OUTPUTS];
    volt_model *model = NULL;
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .start = VOLT_START_RESET};
    volt_status status = volt_model_load(scratch_path("kept"), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    if (model)
        status = volt_model_predict(model, inputs_of(1), &options, volt_matrix_of(again, 1, w->outputs), NULL);
    if (status == VOLT_OK)
        status = volt_model_predict(w->model, inputs_of(1), &options, volt_matrix_of(out, 1, w->outputs), NULL);
    if (status == VOLT_OK) {
        assert_memory_equal(again, out, (size_t)w->outputs * sizeof *out);
        scenario_put(result, out, w->outputs);
    }
    volt_model_free(model);
    return status;
}

static volt_status go_on(const void *with, volt_progress progress, scenario_result *result)
{
    const way *w = with;
    enum { PATHS = 3 };
    double out[PATHS * H * D];
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_CLIP, .progress = progress};
    out[0] = 1e77;
    volt_status status =
        volt_model_continue(w->model, volt_view_of(NULL, 0, 0), &options, volt_matrix_of(out, H, D), NULL);
    assert_true(status == VOLT_OK || out[0] == 1e77);
    scenario_put(result, out, status == VOLT_OK ? H * D : 0);
    for (int reset = 0; reset < 2 && status == VOLT_OK; reset++) {
        options.start = reset ? VOLT_START_RESET : VOLT_START_CONTINUE;
        status = volt_model_continue(w->model, later_inputs(), &options, volt_matrix_of(out, H, D), NULL);
        scenario_put(result, out, status == VOLT_OK ? H * D : 0);
    }
    options.paths = PATHS;
    options.seed = 17;
    if (status == VOLT_OK)
        status =
            volt_model_continue(w->model, later_inputs(), &options, volt_matrix_of(out, PATHS * H, D), NULL);
    scenario_put(result, out, status == VOLT_OK ? PATHS * H * D : 0);
    return status;
}

static volt_status spread(const void *with, volt_progress progress, scenario_result *result)
{
    static const double coverage = 0.5;
    const way *w = with;
    double out[H * D], std[H * D], half[D], errors[N * D];
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_CLIP, .progress = progress};
    out[0] = std[0] = 1e77;
    volt_status status = predict_std(w->model, later_inputs(), &options, volt_matrix_of(out, H, D),
                                     volt_matrix_of(std, H, D), NULL);
    assert_true(status == VOLT_OK || (out[0] == 1e77 && std[0] == 1e77));
    if (status == VOLT_OK)
        status = volt_model_interval(w->model, &coverage, 1, volt_matrix_of(half, 1, D));
    if (status == VOLT_OK) {
        int64_t rows = volt_model_errors_read(w->model, nowhere);
        volt_model_errors_read(w->model, volt_matrix_of(errors, rows, D));
        scenario_put(result, out, H * D);
        scenario_put(result, std, H * D);
        scenario_put(result, half, D);
    }
    return status;
}

/* Predictions by order, and their contributions. */
static volt_status explain(const void *with, volt_progress progress, scenario_result *result)
{
    const way *w = with;
    enum { ORDER = 2 };
    static const int64_t both[] = {1, H - 1};
    double parts[H * MAX_OUTPUTS * (ORDER + 2)];
    volt_explain_options options = volt_explain_options_default();
    volt_explanation *e = NULL;
    options.progress = progress;
    options.order = ORDER;
    options.lags = 3;
    volt_status status = volt_model_explain(w->model, &options, &e);
    assert_true((status == VOLT_OK) == (e != NULL));
    if (status == VOLT_OK) {
        scenario_put(result, e->g0, e->q);
        scenario_put(result, e->kernels[0], e->q * e->lags * e->d);
        scenario_put(result, e->kernels[1], e->q * e->lags * e->lags * e->d * e->d);
        scenario_put(result, e->shares, e->q * (e->share_orders + 1));
        if (e->g1_std)
            scenario_put(result, e->g1_std, e->q * e->lags * e->d);
    }
    volt_explanation_free(e);
    options.records = both;
    options.n_records = 2;
    if (status == VOLT_OK && !(w->uses & RUNS_FREE))
        status = volt_model_orders(w->model, later_inputs(), &options,
                                   volt_matrix_of(parts, H, w->outputs * (ORDER + 2)));
    if (status == VOLT_OK && !(w->uses & RUNS_FREE))
        scenario_put(result, parts, H * w->outputs * (ORDER + 2));
    return status;
}

static volt_status respond(const void *with, volt_progress progress, scenario_result *result)
{
    (void)progress;
    const way *w = with;
    enum { LAGS = 3 };
    double out[D * LAGS * D];
    volt_status status = volt_model_impulse(w->model, LAGS, volt_matrix_of(out, D * LAGS, D));
    scenario_put(result, out, status == VOLT_OK ? D * LAGS * D : 0);
    return status;
}

static const struct {
    const char *name;
    volt_status (*run)(const void *with, volt_progress progress, scenario_result *result);
    int needs, traits; /* required uses of the model */
} uses[] = {
    {"predict", predict, 0, 0},
    {"predict in pieces", predict_in_pieces, COMES_IN_PIECES, 0},
    {"stream", stream, STREAMS, SCENARIO_SILENT | SCENARIO_DOES_WITHOUT},
    {"save", save, 0, SCENARIO_DOES_WITHOUT},
    {"load", load, 0, SCENARIO_SILENT},
    {"continue", go_on, CONTINUES, 0},
    {"spread", spread, SPREADS, 0},
    {"explain", explain, EXPLAINS, 0},
    {"impulse", respond, RESPONDS, SCENARIO_SILENT},
};

static void every_model_scenario(void **state)
{
    for (int i = 0; i < n_ways; i++) {
        way *w = &ways[i];
        volt_kernel *kernel = plain_parse(w->kernel);
        check_ok(volt_model_fit(kernel, inputs_of(N), targets_of(w), &w->options, nowhere, &w->model));
        volt_kernel_free(kernel);
        if (w->options.checkpoint)
            unlink(w->options.checkpoint);
        check_ok(volt_model_save(w->model, scratch_path("kept"), (volt_progress){0}));
        for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
            if ((w->uses & uses[u].needs) != uses[u].needs)
                continue;
            char name[128];
            snprintf(name, sizeof name, "%s: %s", w->name, uses[u].name);
            scenario_check(&(scenario){name, w, uses[u].run, uses[u].traits, 0});
        }
        volt_model_free(w->model);
        w->model = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fit_scenario),
        cmocka_unit_test(every_model_scenario),
    };
    return cmocka_run_group_tests_name("model_scenarios", tests, make_models, scenario_end);
}
