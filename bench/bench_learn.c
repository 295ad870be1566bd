/* bench/bench_learn.c: time to learn a row: append and drop in a window, append only, a long run.
 *
 * BENCH_LEARN_ROWS  rows of the long run (20000): its factor is compared with the matrix of the window at the end */
#include "measure.h"
#include "volterra/live.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    D = 3,
    SHORT_WINDOW = 500,
    LONG_WINDOW = 2000,
    GROWN = 5000,
    RUN_WINDOW = 200,
    HISTORY = 400,
    TIMED = 300
};
static const char kernel_text[] = "volterra:tau=0.4,lambda=0.8";
static const double alpha = 1e-3;

/* Rows in the unit ball on a smooth path with noise, and a target with memory; computed by index, so that a long run needs no
 * memory. */
static void make_row(int64_t t, double x[D], double *y)
{
    volt_rng rng;
    volt_rng_init(&rng, 91, (uint64_t)t);
    double before = sin(0.21 * (double)(t - 1)), noise = 0.02 * volt_rng_normal(&rng);
    for (int k = 0; k < D; k++)
        x[k] = 0.4 * sin((0.21 + 0.1 * k) * (double)t + k) + 0.1 * (2 * volt_rng_uniform(&rng) - 1);
    *y = x[0] + before * x[1] - 0.5 * x[2] * x[0] + noise;
}

static volt_model *fit(int64_t rows)
{
    double *X = need_doubles(rows * D), *Y = need_doubles(rows);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = options.intercept = 0; /* so that the matrix of the window equals volt_gram */
    for (int64_t t = 0; t < rows; t++)
        make_row(t, X + t * D, Y + t);
    need(volt_kernel_parse(kernel_text, &kernel), "the kernel");
    need(volt_model_fit(kernel, volt_view_of(X, rows, D), volt_view_of(Y, rows, 1), &options, (volt_matrix){0},
                        &model),
         "fit");
    volt_kernel_free(kernel);
    free(X);
    free(Y);
    return model;
}

static volt_live *begin(const volt_model *model, int64_t window, double forget)
{
    volt_live_options options = volt_live_options_default();
    options.learn = 1;
    volt_live *learner = NULL;
    options.window = window;
    options.forget = forget;
    options.beyond = VOLT_BEYOND_ALLOW;
    need(volt_live_create(model, &options, &learner), "the learner");
    return learner;
}

/* ---- a row ------------------------------------------------------------------------------------ */

static void time_rows(const char *name, int64_t trained, int64_t window, int64_t rows, double budget)
{
    volt_model *model = fit(trained);
    volt_live *learner = begin(model, window, 1);
    double *seconds = need_doubles(rows), x[D], y, forecast;
    char parameters[64];
    for (int64_t i = 0; i < rows; i++) {
        make_row(trained + i, x, &y);
        double from = seconds_now();
        need(volt_live_update(learner, x, 0, &y, &forecast), "a row");
        seconds[i] = seconds_now() - from;
    }
    snprintf(parameters, sizeof parameters, "n=%d d=%d", (int)trained, D);
    timing time = timing_of(seconds, rows);
    report(&(measurement){.name = name,
                          .parameters = parameters,
                          .time = time,
                          .value = 1e3 * time.median,
                          .unit = "ms",
                          .judge = JUDGE_VALUE,
                          .at_most = budget});
    free(seconds);
    volt_live_free(learner);
    volt_model_free(model);
}

/* ---- a long run ------------------------------------------------------------------------------- */

static double resident_bytes(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* The tensor `factors` of a state: the rows of L up to their diagonals. */
static double *read_factor(volt_live *learner, int64_t n)
{
    char path[] = "/tmp/bench-learn-XXXXXX";
    int descriptor = mkstemp(path);
    need(descriptor >= 0 ? volt_live_save(learner, path) : VOLT_ERR_IO, "the state");
    FILE *file = fdopen(descriptor, "rb");
    uint64_t length = 0;
    char *header = NULL, *place = NULL;
    long first = 0;
    double *L = need_doubles(n * (n + 1) / 2);
    FILE *again = fopen(path, "rb"); /* the file was replaced */
    int whole = again && fread(&length, sizeof length, 1, again) == 1 && (header = calloc(1, length + 1)) &&
                fread(header, 1, length, again) == length && (place = strstr(header, "\"factors\"")) &&
                (place = strstr(place, "\"data_offsets\":[")) &&
                sscanf(place, "\"data_offsets\":[%ld", &first) == 1 &&
                fseek(again, (long)(8 + length) + first, SEEK_SET) == 0 &&
                fread(L, sizeof *L, (size_t)(n * (n + 1) / 2), again) == (size_t)(n * (n + 1) / 2);
    need(whole ? VOLT_OK : VOLT_ERR_FORMAT, "the factor");
    fclose(again);
    fclose(file);
    unlink(path);
    free(header);
    return L;
}

/* |L L' - K - alpha I| / |K + alpha I|, Frobenius norms; K of the last rows, after PAST rows that initialise the state. */
static double backward_error(volt_live *learner, int64_t end)
{
    int64_t n = RUN_WINDOW, rows = n + HISTORY;
    double *L = read_factor(learner, n), *X = need_doubles(rows * D), *K = need_doubles(rows * rows), y,
           off = 0;
    double size = 0;
    volt_kernel *kernel = NULL;
    for (int64_t i = 0; i < rows; i++)
        make_row(end - rows + i, X + i * D, &y);
    need(volt_kernel_parse(kernel_text, &kernel), "the kernel");
    need(volt_gram(kernel, volt_view_of(X, rows, D), volt_view_of(NULL, 0, 0), NULL,
                   volt_matrix_of(K, rows, rows)),
         "gram");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0, entry = K[(HISTORY + i) * rows + HISTORY + j] + (i == j ? alpha : 0);
            for (int64_t k = 0; k <= j; k++)
                sum += L[i * (i + 1) / 2 + k] * L[j * (j + 1) / 2 + k];
            off += (i == j ? 1 : 2) * (sum - entry) * (sum - entry);
            size += (i == j ? 1 : 2) * entry * entry;
        }
    volt_kernel_free(kernel);
    free(L);
    free(X);
    free(K);
    return sqrt(off / size);
}

static void run_long(int64_t rows)
{
    volt_model *model = fit(RUN_WINDOW);
    volt_live *learner = begin(model, RUN_WINDOW, 1);
    double x[D], y, memory = 0, from = seconds_now();
    for (int64_t t = 0; t < rows; t++) {
        make_row(RUN_WINDOW + t, x, &y);
        need(volt_live_update(learner, x, 0, &y, NULL), "a row");
        if (t == rows / 10)
            memory = resident_bytes();
    }
    double seconds = seconds_now() - from, grown = resident_bytes() - memory;
    char parameters[64];
    snprintf(parameters, sizeof parameters, "rows=%lld window=%d", (long long)rows, RUN_WINDOW);
    report(&(measurement){.name = "learn: long run",
                          .parameters = parameters,
                          .time = {seconds, seconds},
                          .value = 1e6 * seconds / (double)rows,
                          .unit = "us/row"});
    report(&(measurement){.name = "learn: factor",
                          .parameters = parameters,
                          .value = backward_error(learner, RUN_WINDOW + rows),
                          .unit = "backward error",
                          .judge = JUDGE_VALUE,
                          .at_most = 1e-13});
    report(&(measurement){.name = "learn: memory",
                          .parameters = parameters,
                          .value = grown > 0 ? grown / 1048576 : 0,
                          .unit = "MiB more",
                          .judge = JUDGE_VALUE,
                          .at_most = 1});
    volt_live_free(learner);
    volt_model_free(model);
}

int main(void)
{
    const char *rows = getenv("BENCH_LEARN_ROWS");
    need(volt_set_threads(2), "threads");
    time_rows("learn: window", SHORT_WINDOW, SHORT_WINDOW, TIMED, 0.3);
    time_rows("learn: window", LONG_WINDOW, LONG_WINDOW, TIMED, 4);
    time_rows("learn: append", GROWN, 0, 40, 30);
    run_long(rows && *rows ? atoll(rows) : 20000);
    return 0;
}
