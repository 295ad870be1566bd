/* examples/03_streaming.c: predict row by row, as the rows of a sensor arrive.
 *
 * A live object continues from the end of training in O(n (d + q)) per row, and returns the same predictions as one call of
 * volt_model_predict on all rows, to rounding. */
#include <volterra.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { N_TRAIN = 1000, N_NEW = 300, N = N_TRAIN + N_NEW };

/* Predicts the rows of `arriving` one by one into y, and returns the largest difference from `batch`. */
static volt_status stream_rows(const volt_model *model, volt_view arriving, const double *batch, double *y,
                               double *difference)
{
    volt_live *live = NULL;
    volt_status status = volt_live_create(model, NULL, &live);
    for (int64_t i = 0; !status && i < arriving.rows; i++) {
        status = volt_live_feed(live, arriving.data + i * arriving.ld, &y[i]);
        if (!status)
            *difference = fmax(*difference, fabs(y[i] - batch[i]));
    }
    volt_live_info info = {.struct_size = sizeof info};
    if (!status)
        status = volt_live_get_info(live, &info);
    if (!status)
        printf("%d rows fed, %lld of them larger than any in training (clipped)\n", N_NEW,
               (long long)info.beyond);
    volt_live_free(live);
    return status;
}

/* Two orders of summing y = c + sum_j A_j k_j differ by a small multiple of eps sum_j |A_j k_j|. */
static double rounding(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    double sum = 0;
    for (int64_t j = 0; j < info.n; j++)
        sum += fabs(info.coefficients[j]) * info.facts->largest;
    return 8 * DBL_EPSILON * sum * info.target_scale[0];
}

int main(void)
{
    static double series[N + 1], batch[N_NEW], streamed[N_NEW];
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.washout = 50;
    options.ahead = 1;

    /* Mackey-Glass, forecast one step ahead: the target of row t is row t + 1. */
    double difference = 0, allowed = 0;
    volt_metrics metrics = {.struct_size = sizeof metrics};
    volt_view X = volt_view_of(series, N_TRAIN, 1), Y = volt_view_of(series + 1, N_TRAIN, 1);
    volt_view arriving = volt_view_of(series + N_TRAIN, N_NEW, 1);
    volt_status status = volt_simulate(VOLT_SYSTEM_MACKEY_GLASS, NULL, volt_matrix_of(series, N + 1, 1));
    if (!status)
        status = volt_kernel_parse("volterra:tau_coef=0.5,lambda_coef=0.9", &kernel);
    if (!status)
        status = volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_predict(model, arriving, NULL, volt_matrix_of(batch, N_NEW, 1), NULL);
    if (!status)
        status = stream_rows(model, arriving, batch, streamed, &difference);
    volt_view truth = volt_view_of(series + N_TRAIN + 1, N_NEW, 1);
    if (!status)
        status = volt_metrics_compute(truth, volt_view_of(streamed, N_NEW, 1), &metrics);
    if (!status)
        allowed = rounding(model);
    volt_model_free(model);
    volt_kernel_free(kernel);
    if (status) {
        fprintf(stderr, "%s\n", volt_error_detail());
        return 1;
    }
    printf("largest difference from one batch call: %.1e (rounding allows %.1e)\n", difference, allowed);
    printf("NMSE one step ahead: %.1e\n", metrics.nmse);
    return difference <= allowed && metrics.nmse < 1e-3 ? 0 : 1;
}
