/* examples/10_anomaly.c: score the rows of a series, with alarms at a given rate.
 *
 * A model of the first rows predicts each later row. The score is the error divided by the scale of the latest errors. The
 * sensor is wrong in row FAULT: that row raises an alarm, and the rows that follow it may do so too. For rows that arrive one
 * at a time, see volt_live_detect. */
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

int main(void)
{
    static double series[N], scores[3 * N_WATCHED]; /* score, threshold and alarm of each row */
    int alarms = 0, is_found = 0, false_alarms = 0;
    volt_model *model = NULL;
    volt_row_anomaly_options options = volt_row_anomaly_options_default();
    options.train_rows = N_TRAIN;
    options.rate = 0.001; /* one false alarm in a thousand rows, for any distribution of the errors */

    volt_status status = measure(series);
    if (!status)
        status = volt_row_anomaly_fit(volt_view_of(series, N, 1), &options, &model);
    if (!status)
        status = volt_row_anomaly_score(model, volt_view_of(series + N_TRAIN, N_WATCHED, 1), &options,
                                        volt_matrix_of(scores, N_WATCHED, 3), NULL);
    for (int i = 0; !status && i < N_WATCHED; i++) {
        const double *row = scores + 3 * i;
        int t = N_TRAIN + i;
        if (row[2] == 0)
            continue;
        printf("row %d: %.1f times the usual error, and %.1f is allowed\n", t, row[0], row[1]);
        alarms++;
        is_found |= t == FAULT;
        false_alarms += t < FAULT || t > FAULT + 20;
    }
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    else
        printf("%d rows watched, %d alarms, %d of them away from the fault\n", N_WATCHED, alarms, false_alarms);

    volt_model_free(model);
    return !status && is_found && false_alarms <= 4 ? 0 : 1;
}
