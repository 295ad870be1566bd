/* examples/12_intervals.c: prediction intervals and their coverage.
 *
 * The half-widths are computed from errors of training rows, each predicted from rows well before it: no distribution is
 * assumed, and no row is held back. The noise is uniform, so that 0.9 of it is within 0.09; the error of the model adds to
 * it. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>

enum { N_TRAIN = 500, N_TEST = 500, N = N_TRAIN + N_TEST };

static void simulate(double *u, double *y)
{
    volt_rng rng;
    volt_rng_init(&rng, 2, 0);
    for (int t = 0; t < N; t++) {
        u[t] = 2 * volt_rng_uniform(&rng) - 1;
        y[t] = u[t] + 0.5 * (t > 0 ? u[t - 1] : 0) * u[t] + 0.1 * (2 * volt_rng_uniform(&rng) - 1);
    }
}

int main(void)
{
    static double u[N], y[N], forecast[N_TEST];
    const double coverages[] = {0.5, 0.9};
    double half[2];
    int inside[2] = {0, 0};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;

    simulate(u, y);
    volt_status status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.5", &kernel);
    if (!status) /* alpha is chosen on held-out rows */
        status = volt_model_fit(kernel, volt_view_of(u, N_TRAIN, 1), volt_view_of(y, N_TRAIN, 1), NULL,
                                volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_predict(model, volt_view_of(u + N_TRAIN, N_TEST, 1), NULL,
                                    volt_matrix_of(forecast, N_TEST, 1), NULL);
    if (!status)
        status = volt_model_interval(model, coverages, 2, volt_matrix_of(half, 2, 1));
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    for (int c = 0; !status && c < 2; c++) {
        for (int t = 0; t < N_TEST; t++)
            inside[c] += fabs(y[N_TRAIN + t] - forecast[t]) <= half[c];
        printf("forecast +- %.4f should hold %.0f %%, and holds %.1f %% of %d observations\n", half[c],
               100 * coverages[c], 100.0 * inside[c] / N_TEST, N_TEST);
    }

    volt_model_free(model);
    volt_kernel_free(kernel);
    return !status && fabs((double)inside[1] / N_TEST - 0.9) < 0.08 ? 0 : 1;
}
