/* tests/support/fed_system.c: rows of a system to fit with feedback. */
#include "support/fed_system.h"

#include "support/check.h"
#include "support/sequences.h"

enum { D = FED_D, Q = FED_Q, N = FED_N, ALL = FED_ALL };

fed_system fed_system_make(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    fed_system rows = {random_rows(&rng, ALL, D, 1), new_matrix(ALL, Q)};
    double y[Q] = {0};
    for (int64_t t = 0; t < ALL; t++) {
        const double *x = rows.x + t * D;
        double first = 0.5 * y[0] - 0.2 * y[1] + x[0], second = 0.3 * tanh(y[0]) + 0.4 * y[1] + x[0] * x[1];
        y[0] = first;
        y[1] = second;
        rows.y[t * Q] = 3 * y[0] + 10;
        rows.y[t * Q + 1] = 0.1 * y[1] - 1;
    }
    return rows;
}

void fed_system_free(fed_system *rows)
{
    free(rows->x);
    free(rows->y);
}

volt_view fed_inputs(const fed_system *rows, int64_t first, int64_t count)
{
    return volt_view_of(rows->x + first * D, count, D);
}

volt_view fed_targets(const fed_system *rows, int64_t first, int64_t count)
{
    return volt_view_of(rows->y + first * Q, count, Q);
}

volt_fit_options fed_options(double weight)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.feedback_weight = weight;
    return options;
}

volt_model *fed_fit(const char *text, const fed_system *rows, const volt_fit_options *options,
                    volt_matrix fitted)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, fed_inputs(rows, 0, N), fed_targets(rows, 0, N), options, fitted, &model));
    volt_kernel_free(kernel);
    return model;
}
