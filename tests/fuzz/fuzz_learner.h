/* tests/fuzz/fuzz_learner.h: a model and its learner, for the targets of what a learner leaves on the disk.
 *
 * Include it behind fuzz_input.h and fuzz_own_file.h. */
#ifndef FUZZ_FUZZ_LEARNER_H
#define FUZZ_FUZZ_LEARNER_H

#include "volterra.h"

#include <math.h>
#include <string.h>

enum { LEARNER_TRAINED = 6, LEARNER_DIGITS = 16, LEARNER_ROWS = 4 };

/* States of a scan, of windows, of a sum, and with late targets; make_tensors.py has the same list. */
static const struct {
    const char *text;
    int64_t ahead;
} learner_kernels[] = {
    {"volterra:tau_coef=0.3,lambda_coef=0.5,pole=0.5", 0},
    {"rbf:window=2", 0},
    {"esn:size=2*linear + memory", 0},
    {"volterra:tau_coef=0.3,lambda_coef=0.5", 3},
};
enum { LEARNER_KERNELS = sizeof learner_kernels / sizeof *learner_kernels };

static inline volt_model *learner_model(int which)
{
    double x[LEARNER_TRAINED], y[LEARNER_TRAINED];
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.5;
    options.ahead = learner_kernels[which].ahead;
    for (int t = 0; t < LEARNER_TRAINED; t++) {
        x[t] = (double)(7 * t % 5) / 4;
        y[t] = (double)(3 * t % 4);
    }
    FUZZ_CHECK(volt_kernel_parse(learner_kernels[which].text, &kernel) == VOLT_OK);
    FUZZ_CHECK(volt_model_fit(kernel, volt_view_of(x, LEARNER_TRAINED, 1), volt_view_of(y, LEARNER_TRAINED, 1),
                              &options, (volt_matrix){0}, &model) == VOLT_OK);
    volt_kernel_free(kernel);
    return model;
}

/* Rows are refused, or forecast by finite numbers; y tells the one from the other. */
static inline void learner_use(volt_live *learner, double y[LEARNER_ROWS])
{
    for (int i = 0; i < LEARNER_ROWS; i++) {
        double x = 0.75 - 0.5 * (double)(i % 3), target = 1 + i;
        y[i] = -12345.678;
        volt_status status = i == 1   ? volt_live_feed(learner, &x, &y[i])
                             : i == 2 ? volt_live_update(learner, &x, 0, &target, &y[i])
                                      : volt_live_update(learner, &x, 1, &target, &y[i]);
        FUZZ_CHECK(status != VOLT_OK || isfinite(y[i]));
    }
    volt_live_info info = {.struct_size = sizeof info};
    volt_live_get_info(learner, &info);
    FUZZ_CHECK(info.rows >= 0 && (info.window == 0 || info.rows <= info.window));
    volt_status status = volt_live_drop(learner, info.rows);
    FUZZ_CHECK(status == VOLT_OK);
}

#endif
