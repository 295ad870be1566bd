/* examples/02_lorenz_continuation.c: learn a chaotic system one step ahead, then simulate it.
 *
 * The target of each row is the next row. A model fitted with `feedback` can be fed its own outputs: after the last training
 * row it receives no data. */
#include <volterra.h>

#include <stdio.h>

enum { N_TRAIN = 2000, N_AHEAD = 2500, N = N_TRAIN + 1 + N_AHEAD };

static const double step = 0.005;   /* time between rows */
static const double lyapunov = 0.9; /* errors grow like exp(0.9 t) */

static volt_status learn_and_run(volt_view path, volt_matrix out)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-10;
    options.washout = 100;
    options.ahead = 1;
    options.feedback = 1;

    volt_view X = volt_view_rows(path, 0, N_TRAIN), Y = volt_view_rows(path, 1, N_TRAIN);
    volt_status status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.3", &kernel);
    if (!status)
        status = volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, out, NULL);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

int main(void)
{
    static double path[N][3], forecast[N_AHEAD][3];
    volt_simulate_options lorenz = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    lorenz.step = step;
    lorenz.discard = 2000; /* until the path is on the attractor */

    int64_t valid = 0;
    int reached = 0;
    volt_matrix out = volt_matrix_of(forecast[0], N_AHEAD, 3);
    volt_view all = volt_view_of(path[0], N, 3), truth = volt_view_rows(all, N_TRAIN + 1, N_AHEAD);
    volt_status status = volt_simulate(VOLT_SYSTEM_LORENZ, &lorenz, volt_matrix_of(path[0], N, 3));
    if (!status)
        status = learn_and_run(all, out);
    if (!status)
        status = volt_valid_rows(truth, volt_as_view(out), 0.2, &valid, &reached);
    if (status) {
        fprintf(stderr, "%s\n", volt_error_detail());
        return 1;
    }

    double valid_time = (double)valid * step * lyapunov;
    printf("Lyapunov times  truth x  forecast x\n");
    for (int i = 444; i <= N_AHEAD && i <= valid; i += 444)
        printf("%14.1f  %7.3f  %10.3f\n", i * step * lyapunov, path[N_TRAIN + i][0], forecast[i - 1][0]);
    printf("within 20 %% of the truth for %s%.2f Lyapunov times (%d training rows)\n",
           reached ? "" : "at least ", valid_time, N_TRAIN);
    return valid_time > 3 ? 0 : 1;
}
