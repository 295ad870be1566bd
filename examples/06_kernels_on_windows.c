/* examples/06_kernels_on_windows.c: one task and many kernels, on windows of past inputs.
 *
 * The target of NARMA10 depends on the last ten inputs and the last ten targets, so that a kernel of the current row learns
 * little. Only the text of the kernel changes. (sigpde follows in lesson 07: on inputs as rough as these its scheme is far
 * from positive semidefinite unless dyadic is large.) */
#include <volterra.h>

#include <stdio.h>

enum { N_TRAIN = 1000, N_TEST = 400, N = N_TRAIN + N_TEST };

static const struct {
    const char *text;
    double least; /* required R2; below 0: none */
} kernels[] = {
    {"rbf", -1}, /* no past inputs, for comparison */
    {"linear:window=20", 0.6},
    {"rbf:window=20", 0.7},
    {"cauchy:window=20", 0.7},
    {"poly:degree=2,window=20", 0.9},
    {"gak:sigma=3,window=12", 0.6},
    {"sig:level=4,window=20,augment=time+basepoint", 0.5},
    {"fading:gamma=0.3,rho=0.9", 0.7},
    {"memory:gamma=0.1,rho=0.9,mu=0.5", 0.7},
    {"volterra:tau_coef=0.3,lambda_coef=0.9", 0.9},
};

/* R2 of the predictions of the rows that follow the first N_TRAIN. */
static volt_status score(const char *text, volt_view X, volt_view Y, double *r2)
{
    static double forecast[N_TEST];
    volt_matrix out = volt_matrix_of(forecast, N_TEST, 1), no_fitted = volt_matrix_of(NULL, 0, 0);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_metrics metrics = {.struct_size = sizeof metrics};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-4;
    options.washout = 50;

    volt_status status = volt_kernel_parse(text, &kernel);
    if (!status)
        status = volt_model_fit(kernel, volt_view_rows(X, 0, N_TRAIN), volt_view_rows(Y, 0, N_TRAIN), &options,
                                no_fitted, &model);
    if (!status)
        status = volt_model_predict(model, volt_view_rows(X, N_TRAIN, N_TEST), NULL, out, NULL);
    if (!status)
        status = volt_metrics_compute(volt_view_rows(Y, N_TRAIN, N_TEST), volt_as_view(out), &metrics);
    *r2 = metrics.r2;
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

int main(void)
{
    static double data[N][2];
    volt_status status = volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(data[0], N, 2));
    volt_view X = {&data[0][0], N, 1, 2}, Y = {&data[0][1], N, 1, 2};
    int disappointed = 0;
    for (size_t i = 0; !status && i < sizeof kernels / sizeof *kernels; i++) {
        double r2 = 0;
        status = score(kernels[i].text, X, Y, &r2);
        if (status)
            break;
        printf("R2 %6.3f  %s\n", r2, kernels[i].text);
        disappointed += kernels[i].least >= 0 && !(r2 > kernels[i].least);
    }
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    return status || disappointed ? 1 : 0;
}
