/* tests/support/fed_system.h: rows of a stable system whose outputs depend on their past, to fit with feedback. */
#ifndef SUPPORT_FED_SYSTEM_H
#define SUPPORT_FED_SYSTEM_H

#include "volterra/model.h"

enum {
    FED_D = 2,
    FED_Q = 2,
    FED_N = 60,
    FED_H = 30,
    FED_ALL = FED_N + FED_H
}; /* N rows to train on, and H more */

typedef struct fed_system {
    double *x, *y; /* FED_ALL x FED_D, FED_ALL x FED_Q */
} fed_system;

fed_system fed_system_make(uint64_t seed);
void fed_system_free(fed_system *rows);
volt_view fed_inputs(const fed_system *rows, int64_t first, int64_t count);
volt_view fed_targets(const fed_system *rows, int64_t first, int64_t count);

/* Options with this weight, and alpha 1e-3. */
volt_fit_options fed_options(double weight);
/* A fit on the first FED_N rows. */
volt_model *fed_fit(const char *kernel, const fed_system *rows, const volt_fit_options *options,
                    volt_matrix fitted);

#endif
