/* examples/14_explain.c: the Volterra series of a fitted model.
 *
 * NARMA10 contains the term 1.5 u[t] u[t-9]. The second-order kernel of a model fitted to inputs and outputs is largest at
 * the lags 0 and 9, and near 1.5 there. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>

enum { N = 600, LAGS = 12 };

int main(void)
{
    static double data[N][2];
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_explanation *found = NULL;
    volt_fit_options options = volt_fit_options_default();
    volt_explain_options asked = volt_explain_options_default();
    options.alpha = 1e-6;
    options.washout = 50;
    asked.lags = LAGS;

    volt_status status = volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(data[0], N, 2));
    volt_view u = {&data[0][0], N, 1, 2}, y = {&data[0][1], N, 1, 2};
    if (!status)
        status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.9", &kernel);
    if (!status)
        status = volt_model_fit(kernel, u, y, &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_explain(model, &asked, &found);

    int first = 0, second = 0;
    double largest = 0;
    if (!status) {
        const double *g1 = found->kernels[0],
                     *g2 = found->kernels[1]; /* [lag], [lag][lag] of one input and output */
        for (int i = 0; i < LAGS; i++)
            printf("g1[%2d] = %7.4f +- %.4f\n", i, g1[i], found->g1_std[i]);
        for (int i = 0; i < LAGS; i++) {
            for (int j = i; j < LAGS; j++) {
                if (fabs(g2[i * LAGS + j]) > fabs(largest)) {
                    largest = g2[i * LAGS + j];
                    first = i;
                    second = j;
                }
            }
        }
        printf("largest of g2: %.3f at lags %d and %d\n", largest, first, second);
        printf("shares of the orders 1, 2, higher: %.3f %.3f %.3f\n", found->shares[0], found->shares[1],
               found->shares[2]);
    } else {
        fprintf(stderr, "%s\n", volt_error_detail());
    }

    volt_explanation_free(found);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return !status && first == 0 && second == 9 && fabs(largest - 1.5) < 0.3 ? 0 : 1;
}
