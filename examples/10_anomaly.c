/* examples/10_anomaly.c: score a series row by row, with alarms at a given rate.
 *
 * A model of the first rows predicts each later row. The score is the error divided by the scale of the latest errors. The
 * sensor is wrong in row FAULT: that row raises an alarm, and the rows that follow it may do so too. */
#include <volterra.h>

#include <stdio.h>

enum { N_TRAIN = 300, N_WATCHED = 400, N = N_TRAIN + N_WATCHED, FAULT = 550 };

/* A noisy Mackey-Glass series, wrong by 0.5 in one row. */
static volt_status measure(double *series)
{
    volt_rng rng;
    volt_rng_init(&rng, 1, 0);
    volt_status status = volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, NULL, volt_matrix_of(series, N, 1));
    for (int t = 0; !status && t < N; t++)
        series[t] += 0.02 * volt_rng_normal(&rng);
    series[FAULT] += 0.5;
    return status;
}

/* Counts the alarms, and checks that they are FAULT and rows affected by it. */
static volt_status watch_rows(const volt_model *model, const double *series, int *alarms, int *is_found,
                              int *false_alarms)
{
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    options.learn = 1;
    options.window = 500;
    options.alarm_rate = 0.001; /* one false alarm in a thousand rows, for any distribution of the errors */
    volt_status status = volt_live_create(model, &options, &live);
    for (int t = N_TRAIN - 1; !status && t < N; t++) { /* the last training row is the first without a target */
        volt_detection row = {.struct_size = sizeof row};
        status = volt_live_detect(live, &series[t], NULL, &row);
        if (status || !row.alarm)
            continue;
        printf("row %d: %.1f times the usual error, and %.1f is allowed\n", t, row.score, row.threshold);
        ++*alarms;
        *is_found |= t == FAULT;
        *false_alarms += t < FAULT || t > FAULT + 20;
    }
    volt_live_free(live);
    return status;
}

int main(void)
{
    static double series[N];
    int alarms = 0, is_found = 0, false_alarms = 0;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.ahead = 1; /* a detector requires a model that predicts its own inputs one row ahead */
    options.feedback = 1;
    options.alpha = 0.1;

    volt_status status = measure(series);
    if (!status)
        status = volt_kernel_parse("volterra", &kernel);
    if (!status) /* the target of row t is row t + 1 */
        status = volt_model_fit(kernel, volt_view_of(series, N_TRAIN - 1, 1),
                                volt_view_of(series + 1, N_TRAIN - 1, 1), &options, volt_matrix_of(NULL, 0, 0),
                                &model);
    if (!status)
        status = watch_rows(model, series, &alarms, &is_found, &false_alarms);
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    else
        printf("%d rows watched, %d alarms, %d of them away from the fault\n", N_WATCHED, alarms, false_alarms);

    volt_model_free(model);
    volt_kernel_free(kernel);
    return !status && is_found && false_alarms <= 4 ? 0 : 1;
}
