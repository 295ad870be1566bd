/* examples/08_best_models.c: the model confidence set of several kernels.
 *
 * Lesson 06 ranks kernels by one number each. Here every test row has a loss for each of them (its mean is the NMSE), and the
 * model confidence set shows which differences are significant on 400 rows. */
#include <volterra.h>

#include <stdio.h>

enum { N_TRAIN = 1000, N_TEST = 400, N = N_TRAIN + N_TEST, MODELS = 5 };

static const char *const kernels[MODELS] = {
    "rbf",
    "linear:window=20",
    "poly:degree=2,window=20",
    "memory:gamma=0.1,rho=0.9,mu=0.5",
    "volterra:tau_coef=0.3,lambda_coef=0.9",
};

/* Losses of one kernel over the rows that follow the first N_TRAIN. */
static volt_status test_losses(const char *text, volt_view X, volt_view Y, volt_matrix losses)
{
    static double forecast[N_TEST];
    volt_matrix out = volt_matrix_of(forecast, N_TEST, 1), no_fitted = volt_matrix_of(NULL, 0, 0);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
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
        status = volt_losses(volt_view_rows(Y, N_TRAIN, N_TEST), volt_as_view(out), losses);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

int main(void)
{
    static double data[N][2], losses[N_TEST][MODELS];
    volt_status status = volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(data[0], N, 2));
    volt_view X = {&data[0][0], N, 1, 2}, Y = {&data[0][1], N, 1, 2};
    for (int i = 0; !status && i < MODELS; i++)
        status = test_losses(kernels[i], X, Y, (volt_matrix){&losses[0][i], N_TEST, 1, MODELS});

    volt_mcs *mcs = NULL;
    if (!status)
        status = volt_mcs_compute(volt_view_of(losses[0], N_TEST, MODELS), NULL, &mcs);
    if (status) {
        fprintf(stderr, "%s\n", volt_error_detail());
        return 1;
    }
    /* In decreasing order of p-values: the last to be eliminated first. */
    for (int s = MODELS - 1; s >= 0; s--) {
        int64_t i = mcs->order[s];
        printf("NMSE %6.3f  p-value %6.4f %s %s\n", mcs->mean_losses[i], mcs->pvalues[i],
               mcs->included[i] ? "**" : "  ", kernels[i]);
    }
    int as_expected = mcs->included[MODELS - 1] && !mcs->included[0];
    volt_mcs_free(mcs);
    return as_expected ? 0 : 1;
}
