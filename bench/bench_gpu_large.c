/* bench/bench_gpu_large.c: fits of many rows on the first GPU, by landmarks and by conjugate gradients.
 *
 *     bench_gpu_large                              all measurements
 *     bench_gpu_large pcg:300000 landmarks:1000000:4000
 *
 * The data are the first coordinate of the Lorenz system with noise of 1 %, five rows ahead. Predictions are compared with
 * those of the CPU for few rows. BENCH_STAGES=1 prints the time of each stage, and the longest time without progress. With
 * BENCH_DEVICE=cpu the fits that are named run on the CPU. Budgets: one H200. Without a GPU it prints a message and measures
 * nothing. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 5, LATER = 1000 };

/* n + LATER rows of inputs and targets. */
static void make_rows(int64_t n, double **x, double **y)
{
    int64_t rows = n + LATER + AHEAD;
    double *all = need_doubles(rows * 3), sum = 0, squares = 0;
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    volt_rng rng;
    volt_rng_init(&rng, 5, 0);
    options.step = 0.02;
    options.discard = 1000;
    need(volt_simulate(VOLT_SYSTEM_LORENZ, &options, volt_matrix_of(all, rows, 3)), "simulation");
    for (int64_t i = 0; i < rows; i++)
        sum += all[3 * i];
    for (int64_t i = 0; i < rows; i++)
        squares += (all[3 * i] - sum / (double)rows) * (all[3 * i] - sum / (double)rows);
    double noise = 0.01 * sqrt(squares / (double)rows);
    *x = need_doubles(n + LATER);
    *y = need_doubles(n + LATER);
    for (int64_t i = 0; i < rows; i++)
        all[i] = all[3 * i] + noise * volt_rng_normal(&rng);
    memcpy(*x, all, (size_t)(n + LATER) * sizeof(double));
    memcpy(*y, all + AHEAD, (size_t)(n + LATER) * sizeof(double));
    free(all);
}

static volt_model *fit(int64_t n, const double *x, const double *y, const char *solver, int64_t landmarks,
                       double *seconds)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-2;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.season = 0;
    options.solver = solver;
    options.landmarks = landmarks;
    need(volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.9", &kernel), "kernel");
    double begin = seconds_now();
    stage_times times = stages_begin();
    options.progress = (volt_progress){watch_stages, &times};
    need(volt_model_fit(kernel, volt_view_of(x, n, 1), volt_view_of(y, n, 1), &options,
                        volt_matrix_of(NULL, 0, 0), &model),
         "fit");
    *seconds = seconds_now() - begin;
    stages_end(&times);
    volt_kernel_free(kernel);
    return model;
}

/* Root mean squared error of the next LATER rows, relative to their spread. */
static double error_of(const volt_model *model, int64_t n, const double *x, const double *y, double *out)
{
    double sum = 0, squares = 0, errors = 0;
    need(volt_model_predict(model, volt_view_of(x + n, LATER, 1), NULL, volt_matrix_of(out, LATER, 1), NULL),
         "prediction");
    for (int i = 0; i < LATER; i++)
        sum += y[n + i] / LATER;
    for (int i = 0; i < LATER; i++) {
        squares += (y[n + i] - sum) * (y[n + i] - sum);
        errors += (y[n + i] - out[i]) * (y[n + i] - out[i]);
    }
    return sqrt(errors / squares);
}

static void check(const char *solver, int64_t landmarks, double allowed)
{
    enum { N = 12000 };
    double *x, *y, seconds[2], out[2][LATER], worst = 0, size = 0;
    make_rows(N, &x, &y);
    for (int i = 0; i < 2; i++) {
        need(volt_set_device(i ? "cpu" : "gpu"), "device");
        volt_model *model = fit(N, x, y, solver, landmarks, &seconds[i]);
        error_of(model, N, x, y, out[i]);
        volt_model_free(model);
    }
    need(volt_set_device("gpu"), "device");
    for (int i = 0; i < LATER; i++) {
        worst = fmax(worst, fabs(out[0][i] - out[1][i]));
        size = fmax(size, fabs(out[1][i]));
    }
    fprintf(stderr, "bench: %s, n = %d: %.2f s, on the CPU %.2f s, differences of %.1e\n", solver, N,
            seconds[0], seconds[1], worst / size);
    need_close("the predictions of the CPU", worst / size, allowed);
    free(x);
    free(y);
}

static void measure(const char *solver, int64_t n, int64_t landmarks, double at_most)
{
    double *x, *y, seconds, out[LATER];
    char parameters[160];
    make_rows(n, &x, &y);
    volt_model *model = fit(n, x, y, solver, landmarks, &seconds);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    int used = snprintf(parameters, sizeof parameters, "n=%lld m=%lld error=%.6f", (long long)n,
                        (long long)info.report->landmarks, error_of(model, n, x, y, out));
    if (info.report->iterations > 0)
        snprintf(parameters + used, sizeof parameters - (size_t)used, " iterations=%lld residual=%.1e",
                 (long long)info.report->iterations, info.report->residual);
    report(&(measurement){.name = strcmp(solver, "pcg") == 0 ? "gpu pcg" : "gpu nystrom",
                          .parameters = parameters,
                          .value = seconds,
                          .unit = "s",
                          .judge = at_most > 0 ? JUDGE_VALUE : JUDGE_NOTHING,
                          .at_most = at_most});
    fflush(stdout);
    volt_model_free(model);
    free(x);
    free(y);
}

static void measure_text(const char *text)
{
    char solver[16];
    long long n = 0, m = 0;
    if (sscanf(text, "%15[a-z]:%lld:%lld", solver, &n, &m) < 2 || n < LATER) {
        fprintf(stderr, "bench: expected pcg:ROWS or landmarks:ROWS:LANDMARKS (got %s)\n", text);
        exit(2);
    }
    measure(strcmp(solver, "pcg") == 0 ? "pcg" : "nystrom", n, m, 0);
}

int main(int count, char **texts)
{
    volt_device_info info = {.struct_size = sizeof info};
    const char *device = getenv("BENCH_DEVICE");
    if (device && count > 1) {
        need(volt_set_device(device), "device");
        for (int i = 1; i < count; i++)
            measure_text(texts[i]);
        return 0;
    }
    if (volt_set_device("gpu") != VOLT_OK) {
        fprintf(stderr, "bench: no GPU, so nothing is measured: %s\n", volt_error_detail());
        return 0;
    }
    volt_devices devices = {.struct_size = sizeof devices};
    need(volt_devices_get(&devices, 0, &info), "device");
    fprintf(stderr, "bench: %s, %s\n", info.name, info.driver);
    check("nystrom", 2500, 1e-5); /* several panels */
    check("pcg", 1000, 1e-3);     /* both stop at a residual of 1e-4 */
    for (int i = 1; i < count; i++)
        measure_text(texts[i]);
    if (count == 1) {
        measure("pcg", 100000, 0, 3);
        measure("pcg", 300000, 0, 12);
        measure("pcg", 1000000, 0, 150);
        measure("nystrom", 1000000, 4000, 1.5);
        measure("nystrom", 1000000, 16000, 12);
    }
    need(volt_set_device("cpu"), "device"); /* releases the memory of the GPU */
    return 0;
}
