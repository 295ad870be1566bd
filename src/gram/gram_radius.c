/* src/gram/gram_radius.c: the radius of a Gram matrix. */
#include "base/error.h"
#include "base/views.h"
#include "gram/gram.h"
#include "kernel/extent.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"

#include <math.h>

volt_status volt_take_radius(double requested, int64_t d, double *radius)
{
    VOLT_REQUIRE(requested >= 0 && isfinite(requested), VOLT_ERR_ARGUMENT,
                 "the radius must be finite and at least 0 (got %g)", requested);
    VOLT_REQUIRE(requested == 0 || volt_is_within(*radius, requested, d), VOLT_ERR_ARGUMENT,
                 "the radius is %.17g, but the inputs have norms up to %.17g", requested, *radius);
    if (requested > 0)
        *radius = requested;
    return VOLT_OK;
}

/* Returns whether the kernel, not an expression, is only defined on a ball. One that does not resolve there may be; its
 * error is reported later. */
static volt_status find_ball(const volt_kernel *kernel, int64_t d, double radius, bool *has)
{
    volt_resolved resolved = {0};
    *has = false;
    if (kernel->entry->paths)
        return VOLT_OK;
    volt_status status =
        volt_kernel_resolve(kernel, (volt_extent){.radius = radius, .largest = 1}, d, &resolved);
    *has = status != VOLT_OK || resolved.gain;
    volt_resolved_release(&resolved);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

volt_status volt_kernel_find_ball(const volt_kernel *kernel, int64_t d, double radius, bool *has)
{
    *has = kernel->n_factors == 0 && kernel->entry->shares_ball;
    for (int64_t f = 0; f < kernel->n_factors && !*has; f++)
        VOLT_TRY(volt_kernel_find_ball(kernel->factors[f], d, radius, has));
    return *has || kernel->n_factors > 0 ? VOLT_OK : find_ball(kernel, d, radius, has);
}

volt_status volt_requested_radius(const volt_kernel *kernel, int64_t slice, int64_t d, double requested,
                                  double *radius)
{
    bool matters = !(requested > 0 && isfinite(requested)) || kernel->n_factors == 0 ||
                   volt_filter_is_none(&kernel->filters[slice]);
    for (int64_t f = 0; f < kernel->n_factors && !matters; f++)
        if (kernel->slice[f] == slice)
            VOLT_TRY(find_ball(kernel->factors[f], d, requested, &matters));
    *radius = matters ? requested : 0;
    return VOLT_OK;
}

/* Returns whether the kernel differs on the larger ball. It does if tau and lambda are shares of their bounds. */
static bool depends_on_radius(const volt_kernel *kernel, int64_t d, double small, double large)
{
    for (int64_t f = 0; f < kernel->n_factors; f++)
        if (depends_on_radius(kernel->factors[f], d, small, large))
            return true;
    if (kernel->n_factors > 0 || kernel->entry->shares_ball)
        return kernel->n_factors == 0;
    static const double eps = 0x1p-52;
    volt_kernel_facts first = {.struct_size = sizeof(volt_kernel_facts)}, second = first;
    return volt_kernel_query(kernel, small, d, eps, &first) == VOLT_OK &&
           volt_kernel_query(kernel, large, d, eps, &second) == VOLT_OK &&
           (first.tau != second.tau || first.lambda != second.lambda);
}

volt_status volt_join_radii(const volt_kernel *kernel, double requested, int64_t d, double rows, double columns,
                            double *radius)
{
    *radius = fmax(rows, columns);
    VOLT_TRY(volt_take_radius(requested, d, radius));
    if (requested == 0 && !volt_is_within(rows, columns, d) && depends_on_radius(kernel, d, columns, rows)) {
        char larger[VOLT_NUMBER_LENGTH];
        volt_log(VOLT_LOG_WARNING,
                 "the rows have norms up to %s, the columns up to %g: the kernel depends on the radius, so "
                 "matrices of "
                 "one problem require the same radius",
                 volt_format_number(rows, larger), columns);
    }
    return VOLT_OK;
}

volt_status volt_radius(volt_view X, double *radius)
{
    volt_extent extent;
    VOLT_REQUIRE(radius, VOLT_ERR_ARGUMENT, "radius is NULL");
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_extent_of(X, "X", &extent));
    *radius = extent.radius;
    return VOLT_OK;
}
