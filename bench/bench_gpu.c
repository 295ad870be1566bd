/* bench/bench_gpu.c: fits, a search and a simulation on the first GPU: `make bench-gpu`, or bench_gpu PART..., with the parts
 * fit, growth, search, free, landmarks and memory. Without a GPU it prints a message and measures nothing.
 *
 * Results are compared with those of the CPU if that is affordable. Budgets: one H200. BENCH_GPU_ROWS, BENCH_GPU_DRAWS: other
 * sizes of fit and search. BENCH_STAGES: as in bench_gpu_large. */
#include "measure.h"
#include "tune_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 10 };

/* ---- fits ------------------------------------------------------------------------------------- */

/* Filtered inputs, and targets with memory. */
static void make_rows(int64_t n, int64_t d, double *x, double *y)
{
    volt_rng rng;
    volt_rng_init(&rng, 5, 0);
    double memory = 0;
    for (int64_t t = 0; t < n; t++) {
        for (int64_t k = 0; k < d; k++)
            x[t * d + k] = (t > 0 ? 0.5 * x[(t - 1) * d + k] : 0) + volt_rng_normal(&rng);
        memory = 0.8 * memory + tanh(x[t * d]) + 0.3 * x[t * d + d - 1] * x[t * d];
        y[t] = memory + 0.1 * volt_rng_normal(&rng);
    }
}

/* Start time of each stage of a fit. */
typedef struct stages {
    double begun, factor;
    stage_times times;
} stages;

static int watch(const char *stage, double fraction, void *context)
{
    stages *s = context;
    watch_stages(stage, fraction, &s->times);
    if (s->factor == 0 && strcmp(stage, "factor") == 0)
        s->factor = seconds_now();
    return 0;
}

static volt_model *fit(int64_t n, int64_t d, const double *x, const double *y, const char *text,
                       double feedback, stages *s)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-2;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.season = 0;
    options.solver = "exact";
    options.feedback_weight = feedback;
    options.progress = (volt_progress){watch, s};
    *s = (stages){.begun = seconds_now(), .times = stages_begin()};
    need(volt_kernel_parse(text, &kernel), "kernel");
    need(volt_model_fit(kernel, volt_view_of(x, n, d), volt_view_of(y, n, 1), &options,
                        volt_matrix_of(NULL, 0, 0), &model),
         "fit");
    stages_end(&s->times);
    volt_kernel_free(kernel);
    return model;
}

static double coefficient(const volt_model *model, int64_t i)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    return info.coefficients[i];
}

static void time_fit(int64_t n, double at_most)
{
    double *x = need_doubles(n * D), *y = need_doubles(n);
    char parameters[96];
    stages s;
    make_rows(n, D, x, y);
    volt_model_free(fit(2000, D, x, y, "volterra", 0, &s)); /* handles, code */
    volt_model *model = fit(n, D, x, y, "volterra", 0, &s);
    double end = seconds_now();
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    snprintf(parameters, sizeof parameters, "n=%lld d=%d gram=%.2f rest=%.2f rcond=%.1e", (long long)n, D,
             s.factor - s.begun, end - s.factor, info.rcond);
    report(&(measurement){.name = "gpu fit",
                          .parameters = parameters,
                          .value = end - s.begun,
                          .unit = "s",
                          .judge = at_most > 0 ? JUDGE_VALUE : JUDGE_NOTHING,
                          .at_most = at_most});
    fflush(stdout);
    volt_model_free(model);
    free(x);
    free(y);
}

/* Compares the coefficients with those of the CPU. */
static void check_fit(void)
{
    enum { N = 7000 }; /* several panels, one of them with many rows below */
    double *x = need_doubles(N * D), *y = need_doubles(N), worst = 0, size = 0;
    stages s;
    make_rows(N, D, x, y);
    volt_model *there = fit(N, D, x, y, "volterra", 0, &s);
    need(volt_set_device("cpu"), "device");
    volt_model *here = fit(N, D, x, y, "volterra", 0, &s);
    need(volt_set_device("gpu"), "device");
    for (int64_t i = 0; i < N; i++) {
        worst = fmax(worst, fabs(coefficient(there, i) - coefficient(here, i)));
        size = fmax(size, fabs(coefficient(here, i)));
    }
    need_close("the coefficients of the CPU", worst / size, 1e-8);
    volt_model_free(there);
    volt_model_free(here);
    free(x);
    free(y);
}

/* ---- search ----------------------------------------------------------------------------------- */

/* A smaller size from the environment, without a budget. */
static int64_t size_of(const char *name, int64_t usual)
{
    const char *text = getenv(name);
    return text && atoll(text) > 0 ? atoll(text) : usual;
}

static double run_search(const tune_problem *problem, const volt_candidates *candidates, int64_t draws,
                         double *score)
{
    volt_search_options options = volt_search_options_default();
    volt_search *search = NULL;
    options.splits.folds = 5;
    options.start = VOLT_START_RESET;
    options.intercept = options.scale = 0;
    options.race = VOLT_RACE_NONE;
    options.draws = draws;
    double begin = seconds_now();
    need(volt_search_run(candidates, volt_as_view(problem->X), volt_as_view(problem->Y), &options, &search),
         "search");
    double seconds = seconds_now() - begin;
    *score = volt_search_trial(search, VOLT_TRIAL_BEST)->score;
    volt_search_free(search);
    return seconds;
}

static void time_search(void)
{
    enum { ROWS = 3008, FEW = 32 };
    int64_t draws = size_of("BENCH_GPU_DRAWS", 2000);
    tune_problem problem = tune_problem_make(ROWS, 1);
    volt_candidates *candidates = NULL;
    double there = 0, here = 0;
    char parameters[96];
    need(volt_candidates_draw("volterra", volt_as_view(problem.X), NULL, &candidates), "candidates");
    run_search(&problem, candidates, FEW, &there);
    need(volt_set_device("cpu"), "device");
    double cpu = run_search(&problem, candidates, FEW, &here);
    need(volt_set_device("gpu"), "device");
    need_close("the best score of the CPU", fabs(there - here), 1e-6);
    run_search(&problem, candidates, FEW, &there);
    double seconds = run_search(&problem, candidates, draws, &there);
    snprintf(parameters, sizeof parameters, "n=%d d=%d q=%d folds=5 cpu=%.1f", ROWS, TUNE_D, TUNE_Q, FEW / cpu);
    report(&(measurement){.name = "gpu search",
                          .parameters = parameters,
                          .value = (double)draws / seconds,
                          .unit = "draws/s",
                          .judge = JUDGE_VALUE,
                          .at_least = 200});
    volt_candidates_free(candidates);
    tune_problem_free(&problem);
}

/* ---- forecasts -------------------------------------------------------------------------------- */

static double predict(const volt_model *model, const double *x, int64_t rows, int64_t d, double *out)
{
    double begin = seconds_now();
    need(volt_model_predict(model, volt_view_of(x, rows, d), NULL, volt_matrix_of(out, rows, 1), NULL),
         "forecast");
    return seconds_now() - begin;
}

/* Compares predictions of both: one step ahead (feedback 0), or simulated. */
static void time_forecasts(const char *name, double feedback, double at_most)
{
    enum { N = 8000, ROWS = 20000, WIDE = 2 };
    double *x = need_doubles((N + ROWS) * WIDE), *y = need_doubles(N + ROWS), worst = 0;
    double *there = need_doubles(ROWS), *here = need_doubles(ROWS);
    char parameters[96];
    stages s;
    make_rows(N + ROWS, WIDE, x, y);
    volt_model *model = fit(N, WIDE, x, y, "volterra", feedback, &s);
    predict(model, x + N * WIDE, ROWS, WIDE, there);
    double seconds = predict(model, x + N * WIDE, ROWS, WIDE, there);
    need(volt_set_device("cpu"), "device");
    double cpu = predict(model, x + N * WIDE, ROWS, WIDE, here);
    need(volt_set_device("gpu"), "device");
    for (int64_t i = 0; i < ROWS; i++)
        worst = fmax(worst, fabs(there[i] - here[i]));
    need_close("the forecasts of the CPU", worst, 1e-6);
    snprintf(parameters, sizeof parameters, "n=%d d=%d rows=%d cpu=%.2f off=%.0e", N, WIDE, ROWS, cpu, worst);
    report(&(measurement){.name = name,
                          .parameters = parameters,
                          .value = seconds,
                          .unit = "s",
                          .judge = at_most > 0 ? JUDGE_VALUE : JUDGE_NOTHING,
                          .at_most = at_most});
    volt_model_free(model);
    free(x);
    free(y);
    free(there);
    free(here);
}

/* ---- landmarks -------------------------------------------------------------------------------- */

static volt_model *fit_landmarks(int64_t n, const double *x, const double *y, int64_t landmarks,
                                 double *seconds)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.season = 0;
    options.solver = "nystrom";
    options.landmarks = landmarks;
    need(volt_kernel_parse("volterra", &kernel), "kernel");
    double begin = seconds_now();
    need(volt_model_fit(kernel, volt_view_of(x, n, 2), volt_view_of(y, n, 1), &options,
                        volt_matrix_of(NULL, 0, 0), &model),
         "fit");
    *seconds = seconds_now() - begin;
    volt_kernel_free(kernel);
    return model;
}

/* A million rows through 2000 landmarks; for fewer rows the predictions are compared with those of the CPU. */
static void time_landmarks(void)
{
    enum { LANDMARKS = 2000, FEW = 30000, LATER = 1000 };
    int64_t n = size_of("BENCH_GPU_LANDMARK_ROWS", 1000000);
    double *x = need_doubles((n + LATER) * 2), *y = need_doubles(n + LATER), worst = 0, there, here, seconds;
    double forecasts[2][LATER];
    char parameters[96];
    make_rows(n + LATER, 2, x, y);
    volt_model *model = fit_landmarks(FEW, x, y, LANDMARKS, &there);
    predict(model, x + FEW * 2, LATER, 2, forecasts[0]);
    volt_model_free(model);
    need(volt_set_device("cpu"), "device");
    model = fit_landmarks(FEW, x, y, LANDMARKS, &here);
    predict(model, x + FEW * 2, LATER, 2, forecasts[1]);
    volt_model_free(model);
    need(volt_set_device("gpu"), "device");
    for (int i = 0; i < LATER; i++)
        worst = fmax(worst, fabs(forecasts[0][i] - forecasts[1][i]));
    need_close("the forecasts of the CPU", worst, 1e-5);
    volt_model_free(fit_landmarks(n, x, y, LANDMARKS, &seconds));
    snprintf(parameters, sizeof parameters, "n=%lld d=2 m=%d at_%d=%.2f cpu=%.2f off=%.0e", (long long)n,
             LANDMARKS, FEW, there, here, worst);
    report(&(measurement){.name = "gpu landmarks", .parameters = parameters, .value = seconds, .unit = "s"});
    free(x);
    free(y);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static double free_memory(void)
{
    volt_device_info info = {.struct_size = sizeof info};
    volt_devices devices = {.struct_size = sizeof devices};
    need(volt_devices_get(&devices, 0, &info), "device");
    return 1e-6 * (double)info.available;
}

/* A device that was used and closed has its memory back. */
static void check_memory(void)
{
    double *x = need_doubles(4000 * D), *y = need_doubles(4000);
    stages s;
    make_rows(4000, D, x, y);
    double after[2];
    for (int i = 0; i < 2; i++) {
        need(volt_set_device("gpu"), "device");
        volt_model_free(fit(4000, D, x, y, "volterra", 0, &s));
        need(volt_set_device("cpu"), "device");
        after[i] = free_memory();
    }
    need(volt_set_device("gpu"), "device");
    report(&(measurement){
        .name = "gpu memory kept", .parameters = "n=4000", .value = after[0] - after[1], .unit = "MB"});
    free(x);
    free(y);
}

static int wanted(int count, char **names, const char *name)
{
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return count == 1;
}

int main(int count, char **names)
{
    static const int64_t sizes[] = {5000, 10000, 20000, 50000, 80000, 120000};
    volt_device_info info = {.struct_size = sizeof info};
    if (volt_set_device("gpu") != VOLT_OK) {
        fprintf(stderr, "bench: no GPU, so nothing is measured: %s\n", volt_error_detail());
        return 0;
    }
    volt_devices devices = {.struct_size = sizeof devices};
    need(volt_devices_get(&devices, 0, &info), "device");
    fprintf(stderr, "bench: %s, %s, %s\n", info.name, info.driver, devices.plugin);
    check_fit();
    if (wanted(count, names, "fit"))
        time_fit(size_of("BENCH_GPU_ROWS", 100000), getenv("BENCH_GPU_ROWS") ? 0 : 7);
    for (size_t i = 0; wanted(count, names, "growth") && i < sizeof sizes / sizeof *sizes; i++)
        time_fit(sizes[i], 0);
    if (wanted(count, names, "search"))
        time_search();
    if (wanted(count, names, "free")) {
        time_forecasts("gpu forecasts", 0, 0);
        time_forecasts("gpu free run", 1, 0.5);
    }
    if (wanted(count, names, "landmarks"))
        time_landmarks();
    if (wanted(count, names, "memory"))
        check_memory();
    need(volt_set_device("cpu"), "device"); /* releases the memory of the GPU */
    return 0;
}
