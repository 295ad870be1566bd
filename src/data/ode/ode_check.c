/* src/data/ode/ode_check.c: checks that the options of every equation need. */
#include "data/ode/ode_check.h"

#include "base/error.h"

#include <math.h>

volt_status volt_ode_check_step(const char *name, double step)
{
    VOLT_REQUIRE(isfinite(step) && step > 0, VOLT_ERR_ARGUMENT,
                 "%s: the step is %g, and must be above 0 and finite", name, step);
    return VOLT_OK;
}

volt_status volt_ode_check_method(const char *name, volt_ode_method method)
{
    VOLT_REQUIRE(method == VOLT_ODE_RK4 || method == VOLT_ODE_ACCURATE, VOLT_ERR_ARGUMENT,
                 "%s: the method is %d, and must be %d (rk4) or %d (accurate)", name, (int)method, VOLT_ODE_RK4,
                 VOLT_ODE_ACCURATE);
    return VOLT_OK;
}
