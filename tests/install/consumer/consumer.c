/* tests/install/consumer/consumer.c: a program of a user; the Gram matrix of three zeros by hand.
 *
 * On zero inputs kappa = 1, so every entry is the fixed point 1 / (1 - lambda^2) of k = 1 + lambda^2 k. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    enum { N = 3 };
    const double lambda = 0.5, expected = 1 / (1 - lambda * lambda);
    const double inputs[N] = {0, 0, 0};
    double gram[N * N];
    volt_view X = volt_view_of(inputs, N, 1), nothing = {NULL, 0, 0, 0};
    volt_kernel *kernel = NULL;
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;

    volt_status status = volt_kernel_parse("volterra:tau=0.5,lambda=0.5", &kernel);
    if (!status)
        status = volt_gram(kernel, X, nothing, &options, volt_matrix_of(gram, N, N));
    volt_kernel_free(kernel);
    if (status) {
        fprintf(stderr, "%s: %s\n", volt_status_message(status), volt_error_detail());
        return 1;
    }
    for (int i = 0; i < N * N; i++)
        if (fabs(gram[i] - expected) > 1e-14) {
            fprintf(stderr, "entry %d is %.17g, not %.17g\n", i, gram[i], expected);
            return 1;
        }
    printf("volterra %s\n", volt_version());
    return 0;
}
