/* bench/bench_threads.c: Gram matrix, fit, search and Cholesky with 1, 2, 4, 8, ... threads, up to the number of cores.
 *
 * Gram matrices are compared with the speed at which the same threads write the same triangle (memset, whose stores bypass the
 * caches for large sizes). Fits have a given and an automatic alpha, with the time of each stage in the fastest run.
 *
 * Everything runs on the CPU back end, with or without a GPU in the machine; every measurement names the device. The search
 * is the one of bench_tune.c without early stopping, with the same number of draws per thread. Budgets are for 16 cores and
 * AVX-512, and apply only on such machines. BENCH_THREADS_ROWS: rows of the large Cholesky factorisation (20000; 0: none). */
#include "backend/backend.h"
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/threads.h"
#include "measure.h"
#include "plain.h"
#include "tune_problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3008, RUNS = 12, DRAWS_EACH = 8, FOLDS = 5, MANY = 16, FACTOR_RUNS = 2 };

typedef struct setting {
    tune_problem problem;
    volt_kernel *kernel;
    volt_matrix K;
    int64_t threads;
} setting;

static double run_gram(void *context)
{
    setting *s = context;
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 0;
    double begin = seconds_now();
    need(volt_gram(s->kernel, volt_as_view(s->problem.X), volt_view_of(NULL, 0, 0), &options, s->K), "gram");
    return seconds_now() - begin;
}

/* The lower triangle, row by row. */
static double run_write(void *context)
{
    setting *s = context;
    int threads = (int)s->threads;
    double begin = seconds_now();
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (int64_t i = 0; i < ROWS; i++)
        memset(s->K.data + i * s->K.ld, (int)(i % 2), (size_t)(i + 1) * sizeof(double));
    return seconds_now() - begin;
}

/* ---- stages of a fit ---------------------------------------------------------------------------- */

enum { MAX_STAGES = 8, STAGE_NAME = 24 };

typedef struct stage_clock {
    char name[MAX_STAGES][STAGE_NAME];
    double seconds[MAX_STAGES], last;
    int count, at;
} stage_clock;

static int on_stage(const char *stage, double fraction, void *context)
{
    (void)fraction;
    stage_clock *clock = context;
    double now = seconds_now();
    if (clock->count > 0)
        clock->seconds[clock->at] += now - clock->last;
    clock->last = now;
    int i = 0;
    while (i < clock->count && strncmp(clock->name[i], stage, STAGE_NAME - 1) != 0)
        i++;
    if (i == MAX_STAGES)
        return 0;
    if (i == clock->count)
        snprintf(clock->name[clock->count++], STAGE_NAME, "%s", stage);
    clock->at = i;
    return 0;
}

typedef struct fit_setting {
    const setting *s;
    double alpha, best;
    stage_clock clock; /* of the fastest run */
} fit_setting;

static double run_fit(void *context)
{
    fit_setting *f = context;
    const setting *s = f->s;
    stage_clock clock = {0};
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = f->alpha;
    options.progress = (volt_progress){on_stage, &clock};
    double begin = seconds_now();
    need(volt_model_fit(s->kernel, volt_as_view(s->problem.X), volt_as_view(s->problem.Y), &options,
                        volt_matrix_of(NULL, 0, 0), &model),
         "fit");
    double seconds = seconds_now() - begin;
    volt_model_free(model);
    if (f->best == 0 || seconds < f->best) {
        f->best = seconds;
        f->clock = clock;
    }
    return seconds;
}

/* *alone: seconds on one thread, set by the first call. at_least: the budget of the speed-up with MANY threads; 0: none. */
static void measure_fit(const setting *s, const char *parameters, double alpha, double at_least, double *alone)
{
    char text[96], name[STAGE_NAME + 8];
    fit_setting f = {.s = s, .alpha = alpha};
    snprintf(text, sizeof text, "%s alpha=%s", parameters, alpha > 0 ? "given" : "auto");
    measurement fit = {.name = "fit, speed-up", .parameters = text, .unit = "x"};
    fit.time = time_runs(run_fit, &f, alpha > 0 ? 4 : 2);
    if (s->threads == 1)
        *alone = fit.time.best;
    fit.value = *alone / fit.time.best;
    if (s->threads == MANY && at_least > 0) {
        fit.judge = JUDGE_VALUE;
        fit.at_least = at_least;
    }
    report(&fit);
    for (int i = 0; i < f.clock.count; i++) {
        double seconds = f.clock.seconds[i];
        snprintf(name, sizeof name, "fit: %s", f.clock.name[i]);
        report(&(measurement){
            .name = name, .parameters = text, .time = {seconds, seconds}, .value = seconds, .unit = "s"});
    }
}

/* Seconds a draw. */
static double run_search(const setting *s)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_draw_options draw = volt_draw_options_default();
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.start = VOLT_START_RESET;
    options.race = VOLT_RACE_NONE;
    options.draws = DRAWS_EACH * s->threads;
    need(volt_candidates_draw("volterra", volt_as_view(s->problem.X), &draw, &candidates), "draws");
    double begin = seconds_now();
    need(volt_search_run(candidates, volt_as_view(s->problem.X), volt_as_view(s->problem.Y), &options, &search),
         "search");
    double seconds = (seconds_now() - begin) / (double)options.draws;
    volt_search_free(search);
    volt_candidates_free(candidates);
    return seconds;
}

static int has_avx512(void)
{
    volt_build_info info = {.struct_size = sizeof info};
    volt_build_info_get(&info);
    return strstr(info.fast_loops, "AVX-512") != NULL;
}

typedef struct times_alone {
    double given, automatic, search; /* seconds on one thread */
} times_alone;

static void measure_setting(setting *s, times_alone *alone)
{
    char parameters[64];
    snprintf(parameters, sizeof parameters, "n=%d d=%d threads=%lld device=%s", ROWS, TUNE_D,
             (long long)s->threads, volt_device());
    need(volt_set_threads(s->threads), "threads");
    measurement gram = {.name = "gram", .parameters = parameters, .unit = "G entries/s"};
    gram.time = time_runs(run_gram, s, RUNS);
    gram.value = 1e-9 * ROWS * (ROWS + 1.0) / 2 / gram.time.best;
    if (s->threads == 1 && has_avx512()) {
        gram.judge = JUDGE_VALUE;
        gram.at_least = 1.0;
    }
    report(&gram);

    measurement write = {.name = "write", .parameters = parameters, .unit = "G entries/s"};
    write.time = time_runs(run_write, s, RUNS);
    write.value = 1e-9 * ROWS * (ROWS + 1.0) / 2 / write.time.best;
    report(&write);

    measure_fit(s, parameters, 1e-3, 0, &alone->given);
    measure_fit(s, parameters, 0, 8, &alone->automatic);

    double each = run_search(s);
    if (s->threads == 1)
        alone->search = each;
    measurement search = {.name = "search, speed-up",
                          .parameters = parameters,
                          .time = {each, each},
                          .value = alone->search / each,
                          .unit = "x"};
    if (s->threads == MANY) {
        search.judge = JUDGE_VALUE;
        search.at_least = 13;
    }
    report(&search);
}

/* ---- a large factorisation ---------------------------------------------------------------------- */

static double factor(volt_matrix A, int by_lapack)
{
    volt_blas_int n = (volt_blas_int)A.rows, info = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            A.data[i * n + j] = i == j ? (double)n : (double)((i * 7 + j * 13) % 17) / 17;
    volt_progress silent = {0};
    double begin = seconds_now();
    if (by_lapack)
        dpotrf_("U", &n, A.data, &n, &info, 1); /* row-major lower is column-major upper */
    else
        need(volt_cholesky(A, silent), "Cholesky");
    double seconds = seconds_now() - begin;
    need_close("dpotrf", (double)info, 0);
    return seconds;
}

static void measure_factor(int64_t n, int64_t threads)
{
    double seconds[2][FACTOR_RUNS];
    volt_matrix A = volt_matrix_of(need_doubles(n * n), n, n);
    need(volt_set_threads(threads), "threads");
    for (int run = 0; run < FACTOR_RUNS; run++)
        for (int by_lapack = 0; by_lapack < 2; by_lapack++)
            seconds[by_lapack][run] = factor(A, by_lapack);
    char parameters[64];
    snprintf(parameters, sizeof parameters, "n=%lld threads=%lld device=%s", (long long)n, (long long)threads,
             volt_device());
    measurement m = {
        .name = "cholesky by tiles", .parameters = parameters, .unit = "GFLOP/s", .peer = "dpotrf"};
    m.time = timing_of(seconds[0], FACTOR_RUNS);
    m.peer_time = timing_of(seconds[1], FACTOR_RUNS);
    m.value = 1e-9 * (double)n * (double)n * (double)n / 3 / m.time.best;
    if (threads >= MANY) {
        m.judge = JUDGE_RATIO;
        m.at_least = 1;
    }
    report(&m);
    free(A.data);
}

int main(void)
{
    const char *rows = getenv("BENCH_THREADS_ROWS");
    int64_t most = volt_default_threads(), large = rows ? atoll(rows) : 20000;
    times_alone alone = {0};
    need(volt_set_device("cpu"), "device");
    setting s = {.problem = tune_problem_make(ROWS, 1),
                 .K = volt_matrix_of(need_doubles((int64_t)ROWS * ROWS), ROWS, ROWS)};
    need(volt_kernel_parse("volterra:tau_coef=0.4,lambda_coef=0.7", &s.kernel), "kernel");
    for (s.threads = 1; s.threads <= most; s.threads *= 2)
        measure_setting(&s, &alone);
    if (large > 0)
        measure_factor(large, most);
    volt_kernel_free(s.kernel);
    free(s.K.data);
    tune_problem_free(&s.problem);
    return 0;
}
