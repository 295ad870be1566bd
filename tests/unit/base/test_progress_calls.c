/* tests/unit/base/test_progress_calls.c: reported fractions of every kind of long call.
 *
 * They start at 0, never decrease and end at 1. The units of a stage add up to its total: the fraction neither jumps at
 * the end nor stays at the end of a stage while the work continues. Every poll calls the user, on one thread. */
#include "base/progress.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 120, D = 2, MAX_STAGES = 16, NAME = 32 };

/* ---- what is reported ------------------------------------------------------------------------- */

typedef struct record {
    int64_t calls, stages, last_calls; /* last_calls: with the fraction of the last call */
    double first, last, longest;       /* longest: the largest increase between two calls ... */
    double choosing, chosen;           /* ... of the stage "choose", and its share */
    bool decreases;
    char names[MAX_STAGES *
               NAME]; /* of the stages that increase the fraction, each followed by its end in percent */
    char stage[NAME];
    double begin;
} record;

static void end_stage(record *r)
{
    size_t used = strlen(r->names);
    if (r->stage[0] && r->last > r->begin)
        snprintf(r->names + used, sizeof r->names - used, "%s%s %.0f", used ? ", " : "", r->stage,
                 100 * r->last);
    r->begin = r->last;
}

static int listen(const char *stage, double fraction, void *context)
{
    record *r = context;
    assert_true(fraction >= 0 && fraction <= 1);
    char name[NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(stage, " "), stage);
    if (strcmp(name, r->stage) != 0) {
        end_stage(r);
        snprintf(r->stage, sizeof r->stage, "%s", name);
    }
    if (r->calls++ == 0)
        r->first = r->last = fraction;
    r->decreases |= fraction < r->last;
    r->longest = fmax(r->longest, fraction - r->last);
    if (strcmp(name, "choose") == 0) {
        r->choosing = fmax(r->choosing, fraction - r->last);
        r->chosen += fraction - r->last;
    }
    r->last_calls = fraction == r->last ? r->last_calls + 1 : 1;
    r->last = fraction;
    return 0;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static double inputs[N * D], targets[N];

static void make_rows(void)
{
    volt_rng rng = test_rng(2310);
    for (int64_t i = 0; i < N * D; i++)
        inputs[i] = volt_rng_uniform(&rng) - 0.5;
    for (int64_t i = 0; i < N; i++)
        targets[i] = inputs[i * D] + (i > 0 ? inputs[(i - 1) * D + 1] * inputs[i * D] : 0);
}

static volt_view rows(void)
{
    return volt_view_of(inputs, N, D);
}

static volt_model *fit_with(const char *text, volt_fit_options *options)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, rows(), volt_view_of(targets, N, 1), options, volt_matrix_of(NULL, 0, 0),
                            &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_model *fitted(const char *text)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    return fit_with(text, &options);
}

static void fit_exact(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.alpha = 0.1;
    volt_model_free(fit_with("volterra", &options));
}

static void fit_choice(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    volt_model_free(fit_with("volterra", &options));
}

static void fit_loss(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.alpha = 0.1;
    options.loss = "huber:delta=0.1";
    volt_model_free(fit_with("volterra", &options));
}

static void fit_loss_choice(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.loss = "quantile:q=0.5";
    volt_model_free(fit_with("volterra", &options));
}

static void fit_states(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.solver = "features";
    volt_model_free(fit_with("esn:size=12", &options));
}

static void fit_landmarks(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.solver = "nystrom";
    options.landmarks = 30;
    volt_model_free(fit_with("volterra", &options));
}

/* Several blocks of rows. */
static void fit_many_rows(volt_progress progress)
{
    enum { ROWS = 1300 };
    static double x[ROWS], y[ROWS];
    volt_kernel *kernel = plain_parse("rbf:gamma=2");
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = sin(0.1 * (double)i);
        y[i] = x[i] * x[i];
    }
    options.progress = progress;
    options.solver = "nystrom";
    options.landmarks = 60;
    check_ok(volt_model_fit(kernel, volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void fit_iterations(volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.solver = "pcg";
    options.alpha = 0.1;
    volt_model_free(fit_with("volterra", &options));
}

static void gram_with(const char *text, volt_progress progress, int spectrum)
{
    static double K[N * N];
    volt_gram_options options = volt_gram_options_default();
    volt_kernel *kernel = plain_parse(text);
    options.progress = progress;
    if (spectrum)
        check_ok(volt_gram_spectrum(kernel, rows(), &options, volt_matrix_of(K, 5, 2)));
    else
        check_ok(volt_gram(kernel, rows(), volt_view_of(NULL, 0, 0), &options, volt_matrix_of(K, N, N)));
    volt_kernel_free(kernel);
}

static void gram_scan(volt_progress progress)
{
    gram_with("volterra", progress, 0);
}

static void gram_windows(volt_progress progress)
{
    gram_with("gak:window=4", progress, 0);
}

static void gram_sum(volt_progress progress)
{
    gram_with("2*fir + memory*rbf:window=3", progress, 0);
}

static void gram_eigenvalues(volt_progress progress)
{
    gram_with("volterra", progress, 1);
}

static void collection(volt_progress progress)
{
    enum { SERIES = 12 };
    double K[SERIES * SERIES];
    volt_view series[SERIES];
    volt_gram_options options = volt_gram_options_default();
    volt_kernel *kernel = plain_parse("volterra");
    for (int64_t i = 0; i < SERIES; i++)
        series[i] = volt_view_rows(rows(), 5 * i, 8 + i % 3);
    options.progress = progress;
    check_ok(
        volt_gram_collection(kernel, series, SERIES, NULL, 0, &options, volt_matrix_of(K, SERIES, SERIES)));
    volt_kernel_free(kernel);
}

static void predict_with(const char *text, double feedback, volt_progress progress)
{
    double out[N];
    volt_fit_options fitting = volt_fit_options_default();
    volt_predict_options options = volt_predict_options_default();
    fitting.alpha = 0.1;
    fitting.feedback_weight = feedback;
    volt_model *model = fit_with(text, &fitting);
    options.progress = progress;
    check_ok(volt_model_predict(model, rows(), &options, volt_matrix_of(out, N, 1), NULL));
    volt_model_free(model);
}

static void predict(volt_progress progress)
{
    predict_with("volterra", 0, progress);
}

static void simulate_model(volt_progress progress)
{
    predict_with("volterra", 0.3, progress);
}

static void continue_series(volt_progress progress)
{
    double out[N * D];
    volt_kernel *kernel = plain_parse("volterra");
    volt_fit_options fitting = volt_fit_options_default();
    volt_predict_options options = volt_predict_options_default();
    volt_model *model = NULL;
    fitting.alpha = 0.1;
    fitting.ahead = fitting.feedback = 1;
    check_ok(volt_model_fit(kernel, volt_view_rows(rows(), 0, N - 1), volt_view_rows(rows(), 1, N - 1),
                            &fitting, volt_matrix_of(NULL, 0, 0), &model));
    options.progress = progress;
    check_ok(
        volt_model_continue(model, volt_view_rows(rows(), 0, 40), &options, volt_matrix_of(out, N, D), NULL));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void explain(volt_progress progress)
{
    volt_model *model = fitted("volterra");
    volt_explain_options options = volt_explain_options_default();
    volt_explanation *explanation = NULL;
    options.lags = 4;
    options.progress = progress;
    check_ok(volt_model_explain(model, &options, &explanation));
    volt_explanation_free(explanation);
    volt_model_free(model);
}

static void explain_kernels(volt_progress progress)
{
    volt_model *model = fitted("volterra");
    volt_explain_options options = volt_explain_options_default();
    volt_explanation *explanation = NULL;
    options.lags = 4;
    options.band = options.shares = 0;
    options.progress = progress;
    check_ok(volt_model_explain(model, &options, &explanation));
    volt_explanation_free(explanation);
    volt_model_free(model);
}

static void orders(volt_progress progress)
{
    double out[N * 4];
    volt_model *model = fitted("volterra");
    volt_explain_options options = volt_explain_options_default();
    options.progress = progress;
    check_ok(volt_model_orders(model, rows(), &options, volt_matrix_of(out, N, 4)));
    volt_model_free(model);
}

static void forgetting(volt_progress progress)
{
    double out[(N - 39) * 2];
    volt_model *model = fitted("volterra");
    check_ok(volt_model_forgetting(model, volt_view_rows(rows(), 0, 20), volt_view_rows(rows(), 20, 20),
                                   volt_view_rows(rows(), 40, N - 40), progress,
                                   volt_matrix_of(out, N - 39, 2)));
    volt_model_free(model);
}

static void learn(volt_progress progress)
{
    volt_model *model = fitted("volterra");
    volt_live_options options = volt_live_options_default();
    volt_live *live = NULL;
    options.learn = 1;
    options.progress = progress;
    check_ok(volt_live_create(model, &options, &live));
    volt_live_free(live);
    volt_model_free(model);
}

static void confidence_set(volt_progress progress)
{
    enum { MODELS = 10 };
    double losses[N * MODELS];
    volt_mcs_options options = volt_mcs_options_default();
    volt_mcs *mcs = NULL;
    for (int64_t k = 0; k < N * MODELS; k++)
        losses[k] = fabs(inputs[k * 7 % (N * D)]) * (1 + (double)(k % MODELS));
    options.reps = 40;
    options.progress = progress;
    check_ok(volt_mcs_compute(volt_view_of(losses, N, MODELS), &options, &mcs));
    volt_mcs_free(mcs);
}

static void covariances(volt_progress progress)
{
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    volt_bekk *bekk = NULL;
    options.progress = progress;
    check_ok(volt_bekk_fit(rows(), &options, &bekk, NULL));
    volt_bekk_free(bekk);
}

static void simulate(volt_progress progress)
{
    double out[N * 3];
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    options.discard = 30;
    options.progress = progress;
    check_ok(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(out, N, 3)));
}

static void write_named(const char *name, volt_progress progress)
{
    volt_write_options options = {.struct_size = sizeof options};
    options.progress = progress;
    check_ok(volt_table_write(scratch_path(name), rows(), NULL, &options));
}

static void write_csv(volt_progress progress)
{
    write_named("table.csv", progress);
}

static void write_npy(volt_progress progress)
{
    write_named("table.npy", progress);
}

static void save(volt_progress progress)
{
    volt_model *model = fitted("volterra");
    check_ok(volt_model_save(model, scratch_path("model.safetensors"), progress));
    volt_model_free(model);
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* The stages and the fractions at their ends, in percent, follow from operation counts. `longest` is above the largest
 * increase, and `last` at least the number of calls at the end. */
static const struct {
    const char *name;
    void (*call)(volt_progress progress);
    const char *stages;
    double longest;
    int64_t last;
} calls[] = {
    {"exact fit", fit_exact, "gram 26, factor 100, finish 100", 0.96, 2},
    {"exact fit, alpha chosen", fit_choice, "gram 3, choose 93, factor 100, finish 100", 0.098, 2},
    {"loss", fit_loss, "gram 10, factor 100, finish 100", 1, 2},
    {"loss, alpha chosen", fit_loss_choice, "gram 10, factor 100, finish 100", 1, 2},
    {"states", fit_states, "states 53, gram 53, choose 59, factor 60, solve 61, readout 100, finish 100", 0.51,
     2},
    {"landmarks", fit_landmarks, "landmarks 26, states 62, choose 69, solve 77, readout 100, finish 100", 0.073,
     2},
    {"landmarks, many rows", fit_many_rows,
     "landmarks 1, states 60, choose 64, solve 89, readout 100, finish 100", 0.2, 2},
    {"iterations", fit_iterations, "landmarks 16, states 71, step 100, finish 100", 0.16, 2},
    {"scan", gram_scan, "gram 100", 0.087, 20},
    {"windows", gram_windows, "gram 100", 0.012, 4},
    {"sum", gram_sum, "gram 100", 0.087, 99},
    {"eigenvalues", gram_eigenvalues, "gram 30, eigenvalues 100", 0.69, 2},
    {"collection", collection, "gram 100", 0.11, 3},
    {"predict", predict, "predict 100", 0.086, 19},
    {"simulation by a model", simulate_model, "predict 100", 0.011, 3},
    {"continue", continue_series, "continue 100", 0.0082, 2},
    {"explain", explain, "kernels 3, orders 88, band 100", 0.0092, 4},
    {"kernels", explain_kernels, "kernels 100", 0.087, 3},
    {"orders", orders, "orders 100", 0.011, 4},
    {"forgetting", forgetting, "forgetting 100", 0.029, 33},
    {"learn", learn, "gram 50, factor 90, learn 100", 0.52, 3},
    {"confidence set", confidence_set, "bootstrap 90, eliminate 100", 0.94, 2},
    {"covariances", covariances, "start 10, maximise 80, standard 100", 0.44, 3},
    {"simulate", simulate, "simulate 100", 1, 2},
    {"write CSV", write_csv, "write 100", 1, 2},
    {"write NPY", write_npy, "write 100", 1, 2},
    {"save", save, "write 100", 1, 2},
};

static void fractions_are_in_proportion_to_the_work(void **state)
{
    make_rows();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        record r = {0};
        calls[i].call((volt_progress){listen, &r});
        end_stage(&r);
        print_message("# %s: %s; largest increase %.2g, %.2g of the choice, %d calls at the end\n",
                      calls[i].name, r.names, r.longest, r.choosing, (int)r.last_calls);
        assert_string_equal(r.names, calls[i].stages);
        assert_true(r.first == 0 && r.last == 1 && !r.decreases);
        assert_true(r.longest <= calls[i].longest && r.last_calls <= calls[i].last);
        assert_true(r.choosing <= 0.1 * r.chosen); /* 12 alphas, one at a time */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fractions_are_in_proportion_to_the_work, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests_name("progress of calls", tests, NULL, NULL);
}
