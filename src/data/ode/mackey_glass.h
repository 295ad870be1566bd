/* src/data/ode/mackey_glass.h: the two ways to step the Mackey-Glass equation.
 *
 * Each is a state that volt_process can run, with its current value first. */
#ifndef DATA_MACKEY_GLASS_H
#define DATA_MACKEY_GLASS_H

#include "base/progress.h"
#include "volterra/data.h"

/* Method of steps with Taylor polynomials (mackey_glass_taylor.c). */
typedef struct volt_mackey_taylor volt_mackey_taylor;

/* NULL when memory is out (the sentence is recorded). `lag` is the delay in steps. */
volt_mackey_taylor *volt_mackey_taylor_create(const volt_mackey_glass_options *options, int64_t lag);
void volt_mackey_taylor_free(volt_mackey_taylor *equation);

/* Where the current value stands. */
const double *volt_mackey_taylor_value(const volt_mackey_taylor *equation);

/* One step of options->step; a volt_process step. VOLT_ERR_NOT_FINITE where the solution cannot be
 * continued, VOLT_ERR_MEMORY when a finer history does not fit. */
volt_status volt_mackey_taylor_step(void *equation, volt_stage *stage);

#endif
