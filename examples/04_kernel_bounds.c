/* examples/04_kernel_bounds.c: bounds of the parameters of a kernel, and its memory.
 *
 * volt_kernel_query computes the properties of a kernel on the ball |z| <= M without any data: the bound on lambda, the
 * contraction rate, and the number of steps until the influence of an input is below eps. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>

static const double radius = 1, eps = 1e-3;

static volt_status query(const char *text, volt_kernel_facts *facts)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(text, &kernel);
    if (!status)
        status = volt_kernel_query(kernel, radius, 3, eps, facts);
    volt_kernel_free(kernel);
    return status;
}

int main(void)
{
    static const char *const texts[] = {
        "volterra:tau=0.8,lambda=0.55",
        "volterra:tau=0.8,lambda=0.55,lift=even",
        "volterra:tau=0.8,lambda=0.55,lift=exponential",
        "volterra:tau=0.8,lambda=0.55,lift=poly:2",
        "volterra:gamma=0.5,lambda=0.55,lift=rbf",
    };
    volt_kernel_facts facts = {.struct_size = sizeof facts};

    printf("lambda <    kept  |K| <=  steps to %.0e\n", eps);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (query(texts[i], &facts)) {
            fprintf(stderr, "%s\n", volt_error_detail());
            return 1;
        }
        printf("%8.4f  %.4f  %6.2f  %14.0f  %s\n", facts.lambda_bound, facts.contraction, facts.largest,
               facts.horizon, texts[i]);
        if (pow(facts.contraction, facts.horizon) > eps)
            return 1;
    }

    /* lambda_coef is lambda over its bound: the contraction rate is at most lambda_coef^2, for any lift. */
    if (query("volterra:tau=0.8,lambda_coef=0.9,lift=even", &facts) || fabs(facts.contraction - 0.81) > 1e-12)
        return 1;

    /* 0.7 is between the bounds of the geometric lift, sqrt(1 - 0.64), and of the even one. */
    if (query("volterra:tau=0.8,lambda=0.7", &facts) != VOLT_ERR_ARGUMENT)
        return 1;
    printf("refused:  %s\n", volt_error_detail());
    if (query("volterra:tau=0.8,lambda=0.7,lift=even", &facts))
        return 1;
    printf("accepted: lambda = 0.7 with lift=even, where the bound is %.4f\n", facts.lambda_bound);
    return 0;
}
