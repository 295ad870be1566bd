/* examples/01_first_forecast.c: fit a model on a sequence and predict the rows that follow.
 *
 * NARMA10 has ten steps of memory and products of inputs: its target does not depend on the current input only. 1500
 * training rows, 500 test rows. */
#include <volterra.h>

#include <stdio.h>

enum { N_TRAIN = 1500, N_TEST = 500, N = N_TRAIN + N_TEST };

/* The 20 lines of volterra.h: X is n x d, Y is n x q, H the h x d inputs that follow, out h x q. */
static volt_status fit_and_forecast(volt_view X, volt_view Y, volt_view H, volt_matrix out)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_matrix no_fitted = volt_matrix_of(NULL, 0, 0); /* or n x q, for the fitted values */
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-6;
    options.washout = 50;

    volt_status status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.9", &kernel);
    if (!status)
        status = volt_model_fit(kernel, X, Y, &options, no_fitted, &model);
    if (!status)
        status = volt_model_predict(model, H, NULL, out, NULL);
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());

    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

int main(void)
{
    static double data[N][2], forecast[N_TEST];
    if (volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(data[0], N, 2))) {
        fprintf(stderr, "%s\n", volt_error_detail());
        return 1;
    }

    /* Columns of a table are views with a leading dimension, without a copy. */
    volt_view inputs = {&data[0][0], N, 1, 2}, targets = {&data[0][1], N, 1, 2};
    volt_view truth = volt_view_rows(targets, N_TRAIN, N_TEST);
    volt_matrix out = volt_matrix_of(forecast, N_TEST, 1);
    if (fit_and_forecast(volt_view_rows(inputs, 0, N_TRAIN), volt_view_rows(targets, 0, N_TRAIN),
                         volt_view_rows(inputs, N_TRAIN, N_TEST), out))
        return 1;

    volt_metrics metrics = {.struct_size = sizeof metrics};
    if (volt_metrics_compute(truth, volt_as_view(out), &metrics)) {
        fprintf(stderr, "%s\n", volt_error_detail());
        return 1;
    }
    printf("row    truth  forecast\n");
    for (int i = 0; i < 5; i++)
        printf("%d  %6.4f    %6.4f\n", N_TRAIN + i, data[N_TRAIN + i][1], forecast[i]);
    printf("R2 of %d forecasts: %.3f\n", N_TEST, metrics.r2);
    return metrics.r2 > 0.9 ? 0 : 1;
}
