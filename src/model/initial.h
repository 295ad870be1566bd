/* src/model/initial.h: the inputs before the first row of every record (docs/math.md, "Initial input"). */
#ifndef MODEL_INITIAL_H
#define MODEL_INITIAL_H

#include "kernel/kernel_entry.h"
#include "volterra/model.h"

#include <stdbool.h>

/* Names by volt_initial, as in model files. */
extern const char *const volt_initial_words[4];

/* Checks the setting for n inputs. VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE. */
volt_status volt_initial_check(volt_initial initial, const double *values, int64_t n, bool feeds_back);

/* The constant input in the units of X: n numbers for volt_free, or NULL where it is zero or the first row.
 * VOLT_ERR_MEMORY. */
volt_status volt_initial_values(volt_initial initial, const double *values, volt_view X, double **made);

/* The same as passed to the filters: a constant row of scaled columns (n numbers; NULL if there is none), which
 * is copied. */
volt_status volt_initial_past(volt_initial initial, const double *row, int64_t n, volt_past *past);
void volt_past_release(volt_past *past);

/* Sets the past of a model from its initial values, recipe and input scale, and passes it to the kernel.
 * VOLT_ERR_MEMORY. */
volt_status volt_model_settle_past(volt_model *model);

/* VOLT_ERR_ARGUMENT unless the initial input is zero, as series expansions require. */
volt_status volt_initial_require_zero(const volt_model *model);

/* Numbers of the output that a model with feedback approaches when its input is x for a long time, in the units
 * of the targets, into y (q). VOLT_ERR_MEMORY and the errors of a prediction. */
volt_status volt_model_stationary_output(const volt_model *model, const double *x, double *y);

#endif
