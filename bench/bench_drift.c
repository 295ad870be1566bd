/* bench/bench_drift.c: a drifting system, learned row by row: windows against two kinds of forgetting.
 *
 *     y_t = 0.8 cos(p) x_t + 0.6 sin(p) x_t x_{t-1} + 0.4 cos(2 p) x_{t-2} + noise,    p turning once in PERIOD rows
 *
 * One-step errors over 4100 rows, with the best of three alphas for every method, as in docs/performance.md. */
#include "measure.h"
#include "volterra/live.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 4500, TRAINED = 400, PERIOD = 1500 };

static void make_system(double *X, double *Y)
{
    volt_rng rng;
    volt_rng_init(&rng, 92, 0);
    for (int64_t t = 0; t < ROWS; t++) {
        double p = 2 * 3.14159265358979 * (double)t / PERIOD;
        X[t] = 2 * volt_rng_uniform(&rng) - 1;
        Y[t] = 0.8 * cos(p) * X[t] + 0.05 * volt_rng_normal(&rng);
        if (t > 1)
            Y[t] += 0.6 * sin(p) * X[t] * X[t - 1] + 0.4 * cos(2 * p) * X[t - 2];
    }
}

/* Root mean squared error of the predictions of one learner. */
static double learn_with(const double *X, const double *Y, double alpha, const volt_live_options *options)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_live *learner = NULL;
    volt_fit_options fit = volt_fit_options_default();
    double sum = 0, forecast;
    fit.alpha = alpha;
    need(volt_kernel_parse("volterra:tau_coef=0.6,lambda_coef=0.6", &kernel), "the kernel");
    need(volt_model_fit(kernel, volt_view_of(X, TRAINED, 1), volt_view_of(Y, TRAINED, 1), &fit,
                        (volt_matrix){0}, &model),
         "fit");
    need(volt_live_create(model, options, &learner), "the learner");
    for (int64_t t = TRAINED; t < ROWS; t++) {
        need(volt_live_update(learner, X + t, 0, Y + t, &forecast), "a row");
        sum += (forecast - Y[t]) * (forecast - Y[t]);
    }
    volt_live_free(learner);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return sqrt(sum / (ROWS - TRAINED));
}

typedef struct way {
    int64_t window;
    double forget;
    volt_forget_what what;
} way;

static double best_error(const double *X, const double *Y, const way *w)
{
    static const double alphas[] = {0.1, 0.01, 0.001};
    volt_live_options options = volt_live_options_default();
    options.learn = 1;
    double best = INFINITY;
    options.window = w->window;
    options.forget = w->forget;
    options.forget_what = w->what;
    options.beyond = VOLT_BEYOND_ALLOW;
    for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++)
        best = fmin(best, learn_with(X, Y, alphas[a], &options));
    return best;
}

static void report_way(const way *w, double error)
{
    char parameters[64];
    int length = snprintf(parameters, sizeof parameters, "window=%d", (int)w->window);
    if (w->forget < 1)
        snprintf(parameters + length, sizeof parameters - (size_t)length, " forget=%g what=%s", w->forget,
                 w->what == VOLT_FORGET_ALL ? "all" : "dynamics");
    report(&(measurement){.name = "drift", .parameters = parameters, .value = error, .unit = "RMSE"});
}

int main(void)
{
    static const way ways[] = {
        {50, 1, VOLT_FORGET_DYNAMICS},      {100, 1, VOLT_FORGET_DYNAMICS},
        {200, 1, VOLT_FORGET_DYNAMICS},     {400, 1, VOLT_FORGET_DYNAMICS},
        {400, 0.995, VOLT_FORGET_DYNAMICS}, {400, 0.99, VOLT_FORGET_DYNAMICS},
        {400, 0.98, VOLT_FORGET_DYNAMICS},  {400, 0.995, VOLT_FORGET_ALL},
        {400, 0.99, VOLT_FORGET_ALL},       {400, 0.98, VOLT_FORGET_ALL},
    };
    double X[ROWS], Y[ROWS], plain = INFINITY, fading = INFINITY;
    need(volt_set_threads(2), "threads");
    make_system(X, Y);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double error = best_error(X, Y, &ways[i]);
        report_way(&ways[i], error);
        if (ways[i].forget == 1)
            plain = fmin(plain, error);
        else if (ways[i].what == VOLT_FORGET_DYNAMICS)
            fading = fmin(fading, error);
    }
    report(&(measurement){.name = "drift: forgetting",
                          .parameters = "best, against the best window",
                          .value = fading / plain,
                          .unit = "of its error",
                          .judge = JUDGE_VALUE,
                          .at_most = 1});
    return 0;
}
