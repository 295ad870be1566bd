/* src/data/ode/ode_check.h: checks that the options of every equation need. `name` begins the sentence. */
#ifndef DATA_ODE_CHECK_H
#define DATA_ODE_CHECK_H

#include "volterra/data.h"

/* VOLT_ERR_ARGUMENT unless the step is above 0 and finite. */
volt_status volt_ode_check_step(const char *name, double step);

/* VOLT_ERR_ARGUMENT unless the method is one that there is. */
volt_status volt_ode_check_method(const char *name, volt_ode_method method);

#endif
