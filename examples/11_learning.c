/* examples/11_learning.c: online learning of a system that changes.
 *
 * The gain of a system doubles in row CHANGE. A fixed model then has a large error. A live object that learns the last WINDOW
 * rows predicts each row, then learns it, and has the new gain when the window contains only rows after CHANGE. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>

enum { N_TRAIN = 300, CHANGE = 400, N = 1000, WINDOW = 200, LAST = 200 };

static void simulate(double *u, double *y)
{
    volt_rng rng;
    volt_rng_init(&rng, 1, 0);
    for (int t = 0; t < N; t++) {
        double gain = t < CHANGE ? 1 : 2;
        u[t] = 2 * volt_rng_uniform(&rng) - 1;
        y[t] = gain * (u[t] + 0.5 * (t > 0 ? u[t - 1] : 0) * u[t]) + 0.01 * volt_rng_normal(&rng);
    }
}

/* Root mean square of the last errors. */
static double late_error(const double *forecast, const double *y)
{
    double sum = 0;
    for (int t = N - LAST; t < N; t++)
        sum += (forecast[t] - y[t]) * (forecast[t] - y[t]);
    return sqrt(sum / LAST);
}

static volt_status learn_rows(const volt_model *model, const double *u, const double *y, double *forecast)
{
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    options.learn = 1;
    options.window = WINDOW;
    volt_status status = volt_live_create(model, &options, &live);
    for (int t = N_TRAIN; !status && t < N; t++)
        status = volt_live_update(live, &u[t], 0, &y[t], &forecast[t]);
    if (!status) {
        volt_live_info info = {.struct_size = sizeof info};
        status = volt_live_get_info(live, &info);
        printf("%lld rows learned, the last %lld known\n", (long long)info.learned, (long long)info.rows);
    }
    volt_live_free(live);
    return status;
}

int main(void)
{
    static double u[N], y[N], fixed[N], learned[N];
    double error_fixed = 0, error_learned = 0;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;

    simulate(u, y);
    volt_status status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.5", &kernel);
    if (!status)
        status = volt_model_fit(kernel, volt_view_of(u, N_TRAIN, 1), volt_view_of(y, N_TRAIN, 1), &options,
                                volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_predict(model, volt_view_of(u + N_TRAIN, N - N_TRAIN, 1), NULL,
                                    volt_matrix_of(fixed + N_TRAIN, N - N_TRAIN, 1), NULL);
    if (!status)
        status = learn_rows(model, u, y, learned);
    if (status) {
        fprintf(stderr, "%s\n", volt_error_detail());
    } else {
        error_fixed = late_error(fixed, y);
        error_learned = late_error(learned, y);
        printf("RMSE of the last %d rows: %.3f as fitted, %.3f with learning\n", LAST, error_fixed,
               error_learned);
    }

    volt_model_free(model);
    volt_kernel_free(kernel);
    return !status && error_learned < 0.2 * error_fixed ? 0 : 1;
}
