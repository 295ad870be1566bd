/* bench/lorenz_problem.c: the Lorenz system as Gonon, Grigoryeva and Ortega learn it. */
#include "lorenz_problem.h"

#include "measure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double coefficient = 0.3; /* tau_coef and lambda_coef */
const char lorenz_kernel[] = "volterra:tau_coef=0.3,lambda_coef=0.3";
const double lorenz_step = 0.005, lorenz_lyapunov = 0.9, lorenz_alpha = 1e-10;

volt_view lorenz_inputs(volt_matrix rows)
{
    return volt_view_rows(volt_as_view(rows), 0, LORENZ_PAIRS);
}

volt_view lorenz_targets(volt_matrix rows)
{
    return volt_view_rows(volt_as_view(rows), 1, LORENZ_PAIRS);
}

volt_view lorenz_future(volt_matrix rows)
{
    return volt_view_rows(volt_as_view(rows), LORENZ_PAIRS + 1, rows.rows - LORENZ_PAIRS - 1);
}

static double largest_norm(volt_view X)
{
    double largest = 0;
    assert(X.data);
    for (int64_t i = 0; i < X.rows; i++) {
        double norm2 = 0;
        for (int64_t k = 0; k < X.cols; k++)
            norm2 += X.data[i * X.ld + k] * X.data[i * X.ld + k];
        largest = fmax(largest, norm2);
    }
    return sqrt(largest);
}

static void scale_rows(lorenz_problem *problem)
{
    volt_view inputs = lorenz_inputs(problem->raw);
    volt_matrix raw = problem->raw, scaled = problem->scaled;
    assert(inputs.data);
    for (int k = 0; k < LORENZ_D; k++) {
        double sum = 0;
        for (int64_t i = 0; i < inputs.rows; i++)
            sum += inputs.data[i * inputs.ld + k];
        problem->shift[k] = sum / (double)inputs.rows;
        for (int64_t i = 0; i < raw.rows; i++)
            scaled.data[i * scaled.ld + k] = raw.data[i * raw.ld + k] - problem->shift[k];
    }
    problem->norm = largest_norm(lorenz_inputs(scaled));
    for (int64_t i = 0; i < scaled.rows * LORENZ_D; i++)
        scaled.data[i] /= problem->norm;
}

lorenz_problem lorenz_problem_make(const double start[LORENZ_D], int64_t discard, int64_t future)
{
    int64_t rows = LORENZ_PAIRS + 1 + future;
    lorenz_problem problem = {.future = future,
                              .raw = volt_matrix_of(need_doubles(rows * LORENZ_D), rows, LORENZ_D),
                              .scaled = volt_matrix_of(need_doubles(rows * LORENZ_D), rows, LORENZ_D)};
    volt_simulate_options options = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    for (int k = 0; k < LORENZ_D; k++)
        options.start[k] = start[k];
    options.step = lorenz_step;
    options.discard = discard;
    need(volt_simulate(VOLT_SYSTEM_LORENZ, &options, problem.raw), "simulate the Lorenz system");
    scale_rows(&problem);
    return problem;
}

void lorenz_problem_free(lorenz_problem *problem)
{
    free(problem->raw.data);
    free(problem->scaled.data);
}

static volt_model *fit(volt_matrix rows, int scale_and_intercept)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = lorenz_alpha;
    options.washout = LORENZ_WASHOUT;
    options.scale = options.intercept = scale_and_intercept;
    options.ahead = options.feedback = 1;
    need(volt_kernel_parse(lorenz_kernel, &kernel), "the kernel");
    need(volt_model_fit(kernel, lorenz_inputs(rows), lorenz_targets(rows), &options, volt_matrix_of(NULL, 0, 0),
                        &model),
         "fit");
    volt_kernel_free(kernel);
    return model;
}

volt_model *lorenz_fit(const lorenz_problem *problem)
{
    return fit(problem->scaled, 0);
}

volt_model *lorenz_fit_default(const lorenz_problem *problem)
{
    return fit(problem->raw, 1);
}

plain_kernel lorenz_plain_kernel(const lorenz_problem *problem)
{
    double M = largest_norm(lorenz_inputs(problem->scaled)), tau = coefficient / M;
    plain_kernel kernel = {.lift = PLAIN_GEOMETRIC,
                           .tau2 = tau * tau,
                           .lambda2 = coefficient * coefficient * (1 - tau * tau * M * M)};
    return kernel;
}
