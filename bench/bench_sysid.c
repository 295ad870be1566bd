/* bench/bench_sysid.c: the Wiener-Hammerstein benchmark (Schoukens, Suykens, Ljung 2009), simulated.
 *
 * Rows 75,200 to 85,200 of the measured data are for training; the next 10,000 are predicted from their inputs only, with the
 * state continued from training. The error excludes the first 50. Inputs are divided by their largest size in training, targets
 * are volts. alpha is 1e-4 of the kernel's last diagonal entry.
 *
 * The data are not shipped: BENCH_DATA names a folder with sysid/wiener_hammerstein.csv in it (columns
 * uBenchMark and yBenchMark). */
#include "measure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = 75200, TRAIN = 10000, TEST = 10000, SCORED_FROM = 50 };

typedef struct sysid_case {
    const char *text;
    double at_most; /* millivolts: the known figure, to its last digit */
} sysid_case;

static const sysid_case cases[] = {
    {"memory:gamma=1,rho=0.5,mu=0.85", 7.65},
    {"volterra:lift=rbf,gamma=0.2,lambda=0.86602540378443865", 10.95},
};

static volt_table *read_column(const char *folder, const char *column)
{
    char source[1024];
    volt_table *table = NULL;
    snprintf(source, sizeof source, "%s/sysid/wiener_hammerstein.csv:%s", folder, column);
    need(volt_table_read(source, NULL, &table), source);
    return table;
}

static void divide_by_largest(volt_table *inputs)
{
    double largest = 0;
    for (int64_t i = FIRST; i < FIRST + TRAIN; i++)
        largest = fmax(largest, fabs(inputs->values[i]));
    for (int64_t i = 0; i < inputs->rows; i++)
        inputs->values[i] /= largest;
}

/* The last entry of the diagonal; the first rows of this part are enough to initialise the state. */
static double last_diagonal(const volt_kernel *kernel, volt_view X)
{
    enum { HISTORY = 500 };
    double *K = need_doubles(HISTORY * HISTORY);
    need(volt_gram(kernel, volt_view_rows(X, X.rows - HISTORY, HISTORY), volt_view_of(NULL, 0, 0), NULL,
                   volt_matrix_of(K, HISTORY, HISTORY)),
         "the last diagonal entry");
    double last = K[HISTORY * HISTORY - 1];
    free(K);
    return last;
}

static double rmse(volt_view truth, volt_view forecast)
{
    double sum = 0;
    assert(truth.data && forecast.data);
    for (int64_t i = 0; i < truth.rows; i++) {
        double error = truth.data[i] - forecast.data[i];
        sum += error * error;
    }
    return sqrt(sum / (double)truth.rows);
}

static void run_case(const sysid_case *c, volt_view inputs, volt_view outputs)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_view X = volt_view_rows(inputs, FIRST, TRAIN), Y = volt_view_rows(outputs, FIRST, TRAIN);
    volt_view X_test = volt_view_rows(inputs, FIRST + TRAIN, TEST);
    volt_view truth = volt_view_rows(outputs, FIRST + TRAIN + SCORED_FROM, TEST - SCORED_FROM);
    volt_matrix forecast = volt_matrix_of(need_doubles(TEST), TEST, 1);
    need(volt_kernel_parse(c->text, &kernel), c->text);

    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-4 * last_diagonal(kernel, X);
    options.scale = options.intercept = 0;
    double begin = seconds_now();
    need(volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model), c->text);
    double fit_seconds = seconds_now() - begin;
    volt_predict_options predict = volt_predict_options_default();
    predict.start = VOLT_START_CONTINUE;
    predict.beyond = VOLT_BEYOND_ALLOW;
    begin = seconds_now();
    need(volt_model_predict(model, X_test, &predict, forecast, NULL), "predict");

    char parameters[160];
    snprintf(parameters, sizeof parameters, "kernel=%s fit_seconds=%.1f predict_seconds=%.1f", c->text,
             fit_seconds, seconds_now() - begin);
    measurement m = {.name = "Wiener-Hammerstein",
                     .parameters = parameters,
                     .value =
                         1e3 * rmse(truth, volt_view_rows(volt_as_view(forecast), SCORED_FROM, truth.rows)),
                     .unit = "mV",
                     .judge = JUDGE_VALUE,
                     .at_most = c->at_most};
    report(&m);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(forecast.data);
}

int main(void)
{
    const char *folder = getenv("BENCH_DATA");
    if (!folder || !*folder) {
        fputs("bench: sysid is left out: BENCH_DATA names no folder with sysid/wiener_hammerstein.csv\n",
              stderr);
        return 0;
    }
    volt_table *inputs = read_column(folder, "uBenchMark"), *outputs = read_column(folder, "yBenchMark");
    if (inputs->rows < FIRST + TRAIN + TEST || outputs->rows != inputs->rows) {
        fprintf(stderr, "bench: the Wiener-Hammerstein data have %lld rows, which is too few\n",
                (long long)inputs->rows);
        return 1;
    }
    need(volt_set_threads(2), "threads");
    divide_by_largest(inputs);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(cases + i, volt_table_view(inputs), volt_table_view(outputs));
    volt_table_free(inputs);
    volt_table_free(outputs);
    return 0;
}
