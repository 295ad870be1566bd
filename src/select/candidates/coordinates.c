/* src/select/candidates/coordinates.c: coordinates of a climb. */
#include "select/candidates/candidates.h"

#include "base/error.h"
#include "kernel/tangent.h"
#include "select/candidates/space.h"

#include <math.h>
#include <stdio.h>

static double logit(double share)
{
    share = fmin(fmax(share, VOLT_NEAREST_END), 1 - VOLT_NEAREST_END);
    return log(share / (1 - share));
}

double volt_coordinate_place(const volt_coordinate *c, double value)
{
    double z = c->law == VOLT_SEARCH_LOG ? log(value) : logit((value - c->end) / c->width);
    return fmin(fmax(z, c->low), c->high);
}

double volt_coordinate_value(const volt_coordinate *c, double z, double *slope)
{
    if (c->law == VOLT_SEARCH_LOG) {
        *slope = exp(z);
        return *slope;
    }
    double share = 1 / (1 + exp(-z));
    *slope = c->width * share * (1 - share);
    return c->end + c->width * share;
}

/* Whether the kernel is differentiable along the axis. */
static bool is_variable(const volt_axis *axis, const volt_variable *variables, int64_t count)
{
    bool known = volt_name_is_alpha(axis->name);
    for (int64_t v = 0; v < count; v++)
        known = known || volt_same_parameter(axis->name, variables[v].name);
    return known && !axis->choices && !volt_law_is_integer(axis->kind) && axis->high > axis->low;
}

volt_status volt_space_coordinates(const volt_space *space, const volt_kernel *kernel,
                                   volt_coordinate *coordinates, int64_t *count)
{
    volt_variable variables[VOLT_MAX_VARIABLES];
    int64_t n_variables = volt_kernel_variables(kernel, VOLT_MAX_VARIABLES, variables);
    *count = 0;
    for (int64_t a = 0; a < space->n_axes; a++) {
        const volt_axis *axis = &space->axes[a];
        double unit = 1, low = 0, high = 0;
        if (!is_variable(axis, variables, n_variables))
            continue;
        VOLT_TRY(volt_axis_unit(space, axis, kernel, 0, &unit));
        volt_axis_ends(space, axis, &low, &high);
        volt_coordinate *c = &coordinates[(*count)++];
        *c = (volt_coordinate){.law = axis->kind, .end = low * unit, .width = (high - low) * unit};
        snprintf(c->name, sizeof c->name, "%s", axis->name);
        bool is_log = axis->kind == VOLT_SEARCH_LOG;
        c->low = is_log ? log(axis->low * unit) : logit((axis->low * unit - c->end) / c->width);
        c->high = is_log ? log(axis->high * unit) : logit((axis->high * unit - c->end) / c->width);
    }
    return VOLT_OK;
}
