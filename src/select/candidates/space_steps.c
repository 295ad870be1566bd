/* src/select/candidates/space_steps.c: random steps from a point of a space.
 *
 * The step size is drawn once for all parameters, from t in [0, 1]:
 *
 *     LOG        times a log-normal factor whose logarithm has the standard deviation 0.1 6^t
 *     LINEAR     normal on the scale of the logit of its relative position between the limits of the parameter,
 *                standard deviation 0.1 3^t for a share in (0, 1); for a pole in (-1, 1), whose atanh is half of that
 *                logit, twice as much
 *     choices and integers are kept, or drawn again with a small probability
 *
 * A step beyond the end of a range is reflected there. */
#include "kernel/kernel_entry.h"
#include "select/candidates/space.h"

#include <math.h>

static const double shortest = 0.1, longest_factor = 6, longest_share = 3; /* the last two in units of the
                                                                            * first */
static const double chance_of_redraw = 0.15;
static const double nearest_end = 1e-3; /* the logit is infinite at the ends of the range */

/* The limits of the parameter of an axis, or those of its range if it has none. */
static void axis_ends(const volt_space *space, const volt_axis *axis, double *low, double *high)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    bool is_bounded =
        !volt_name_is_setting(axis->name) && volt_kernel_get(space->given, axis->name, &value) == VOLT_OK &&
        value.info->kind == VOLT_PARAMETER_REAL && isfinite(value.info->low) && isfinite(value.info->high);
    *low = is_bounded ? value.info->low : axis->low;
    *high = is_bounded ? value.info->high : axis->high;
}

static double step_factor(const volt_axis *axis, double u, double deviation, volt_rng *rng)
{
    double length = log(axis->high / axis->low), step = deviation * volt_rng_normal(rng);
    return length > 0 ? volt_reflect(u + step / length) : u;
}

static double step_share(const volt_space *space, const volt_axis *axis, double u, double deviation,
                         volt_rng *rng)
{
    double low = 0, high = 0, length = axis->high - axis->low;
    axis_ends(space, axis, &low, &high);
    double step = (low < 0 ? 2 : 1) * deviation * volt_rng_normal(rng);
    if (!(length > 0))
        return u;
    double share = (axis->low + length * u - low) / (high - low);
    share = fmin(fmax(share, nearest_end), 1 - nearest_end);
    double logit = log(share / (1 - share)) + step;
    return volt_reflect((low + (high - low) / (1 + exp(-logit)) - axis->low) / length);
}

void volt_space_step(const volt_space *space, const bool *known, volt_rng *rng, double *u)
{
    double t = volt_rng_uniform(rng);
    double factor = shortest * pow(longest_factor, t), share = shortest * pow(longest_share, t);
    for (int64_t a = 0; a < space->n_axes; a++) {
        const volt_axis *axis = &space->axes[a];
        double fresh = volt_rng_uniform(rng), chance = volt_rng_uniform(rng);
        if (!known[a])
            u[a] = fresh;
        else if (axis->choices || volt_law_is_integer(axis->kind))
            u[a] = chance < chance_of_redraw ? fresh : u[a];
        else if (axis->kind == VOLT_SEARCH_LOG)
            u[a] = step_factor(axis, u[a], factor, rng);
        else
            u[a] = step_share(space, axis, u[a], share, rng);
    }
}

/* ---- membership of a kernel -------------------------------------------------------------------------- */

static const volt_kernel *factor_at(const volt_kernel *kernel, int64_t f)
{
    return kernel->n_factors == 0 ? kernel : kernel->factors[f];
}

static int64_t count_factors(const volt_kernel *kernel)
{
    return kernel->n_factors == 0 ? 1 : kernel->n_factors;
}

bool volt_space_holds(const volt_space *space, const volt_kernel *kernel)
{
    const volt_kernel *given = space->given;
    if (count_factors(given) != count_factors(kernel))
        return false;
    for (int64_t f = 0; f < count_factors(given); f++)
        if (factor_at(given, f)->entry != factor_at(kernel, f)->entry ||
            (given->n_factors > 1 && given->term[f] != kernel->term[f]))
            return false;
    const char *name;
    for (int64_t p = 0; (name = volt_kernel_parameter_name(given, p)); p++) {
        volt_kernel_value requested = {.struct_size = sizeof requested}, found = {.struct_size = sizeof found};
        if (volt_kernel_get(given, name, &requested) != VOLT_OK || !requested.given)
            continue;
        if (volt_kernel_get(kernel, name, &found) != VOLT_OK || strcmp(requested.text, found.text) != 0)
            return false;
    }
    return true;
}
