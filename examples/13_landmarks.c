/* examples/13_landmarks.c: a fit on landmarks, for more rows than an n x n matrix in memory allows.
 *
 * The fit uses all rows in one pass, and the model keeps only the landmarks. Here n is small, for comparison with the exact
 * fit. */
#include <volterra.h>

#include <stdio.h>

enum { N_TRAIN = 1500, N_TEST = 500, N = N_TRAIN + N_TEST, LANDMARKS = 150 };

static const char kernel_text[] = "volterra:tau_coef=0.3,lambda_coef=0.9";

/* R2 on the rows after training, and the number of rows in the model. */
static volt_status judge(volt_view u, volt_view y, const volt_fit_options *options, double *r2)
{
    static double forecast[N_TEST];
    volt_matrix out = volt_matrix_of(forecast, N_TEST, 1);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_status status = volt_kernel_parse(kernel_text, &kernel);
    if (!status)
        status = volt_model_fit(kernel, volt_view_rows(u, 0, N_TRAIN), volt_view_rows(y, 0, N_TRAIN), options,
                                volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_predict(model, volt_view_rows(u, N_TRAIN, N_TEST), NULL, out, NULL);
    if (!status) {
        volt_model_info info = {.struct_size = sizeof info};
        volt_metrics metrics = {.struct_size = sizeof metrics};
        volt_model_get_info(model, &info);
        status = volt_metrics_compute(volt_view_rows(y, N_TRAIN, N_TEST), volt_as_view(out), &metrics);
        if (!status) {
            *r2 = metrics.r2;
            printf("%-9s R2 %.4f, a model of %lld rows\n", info.landmarks ? "landmarks" : "exact", metrics.r2,
                   (long long)info.kernel_rows);
        }
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

int main(void)
{
    static double data[N][2];
    double exact = 0, landmarks = 0;
    volt_plan plan = {.struct_size = sizeof plan};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.washout = 50;

    volt_status status = volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(data[0], N, 2));
    volt_view u = {&data[0][0], N, 1, 2}, y = {&data[0][1], N, 1, 2};
    if (!status) /* memory of an exact fit of a million rows; 0: no measurement of times */
        status = volt_plan_fit(NULL, 1000000, 1, 1, 0, 0, &plan, NULL);
    if (!status)
        printf("an exact fit of a million rows takes %.1f TB\n", 1e-12 * plan.fit_bytes);
    if (!status)
        status = judge(u, y, &options, &exact);
    options.solver = "nystrom";
    options.landmarks = LANDMARKS;
    if (!status)
        status = judge(u, y, &options, &landmarks);
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    return !status && exact > 0.98 && landmarks > 0.9 ? 0 : 1;
}
