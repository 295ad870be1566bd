/* src/kernel/kernel_table.c: the table of kernels, and operations common to all kernels. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <math.h>

#define ENTRY(name) &volt_kernel_##name,
const volt_kernel_entry *const volt_kernel_table[] = {VOLT_KERNEL_LIST(ENTRY)};

int64_t volt_kernel_count(void)
{
    return (int64_t)(sizeof volt_kernel_table / sizeof volt_kernel_table[0]);
}

const volt_kernel_info *volt_kernel_at(int64_t index)
{
    return index >= 0 && index < volt_kernel_count() ? &volt_kernel_table[index]->info : NULL;
}

const volt_kernel_info *volt_kernel_info_of(const volt_kernel *kernel)
{
    return &kernel->entry->info;
}

/* Resolves everything except the scale of paths, which needs more than the ball. */
static volt_status resolve_on_ball(const volt_kernel *kernel, double radius, int64_t d, bool outline,
                                   volt_resolved *resolved)
{
    VOLT_REQUIRE(radius >= 0 && isfinite(radius), VOLT_ERR_ARGUMENT,
                 "the radius of the inputs must be finite and at least 0 (got %g)", radius);
    bool sketch = outline && kernel->entry->outline;
    VOLT_TRY((sketch ? kernel->entry->outline : kernel->entry->resolve)(kernel, radius, d, resolved));
    resolved->d = d;
    resolved->centred = volt_kernel_is_centred(kernel);
    return VOLT_OK;
}

static volt_status resolve(const volt_kernel *kernel, volt_extent extent, int64_t d, bool outline,
                           volt_resolved *resolved)
{
    VOLT_TRY(volt_check_products(extent.radius));
    VOLT_TRY(resolve_on_ball(kernel, extent.radius, d, outline, resolved));
    volt_path_shape *shape = &resolved->shape;
    if (shape->prescale > 0) {
        shape->scale = shape->prescale / extent.largest;
        VOLT_REQUIRE(isfinite(shape->scale), VOLT_ERR_DATA,
                     "the largest value of training is %g, and path=rows divides by it", extent.largest);
    }
    return VOLT_OK;
}

volt_status volt_kernel_resolve(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                volt_resolved *resolved)
{
    return resolve(kernel, extent, d, false, resolved);
}

volt_status volt_kernel_outline(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                volt_resolved *resolved)
{
    return resolve(kernel, extent, d, true, resolved);
}

bool volt_kernel_keeps_origin(const volt_kernel *kernel)
{
    for (int64_t f = 0; f < kernel->n_factors; f++)
        if (volt_kernel_keeps_origin(kernel->factors[f]))
            return true;
    return kernel->n_factors == 0 && kernel->entry->keeps_origin && kernel->entry->keeps_origin(kernel);
}

bool volt_kernel_is_centred(const volt_kernel *kernel)
{
    return kernel->n_factors == 0 && kernel->entry->centred && kernel->entry->centred(kernel);
}

/* Checks the echo state property on the rows of the reservoir. */
static volt_status warn_of_echo(const volt_kernel *kernel, const volt_reservoir *reservoir, volt_view Z)
{
    static const double little = 0.1;
    int64_t rows = 0;
    double left = 0;
    VOLT_TRY(volt_reservoir_check_echo_state(reservoir, Z, &rows, &left));
    if (!(left <= little))
        volt_log(
            VOLT_LOG_WARNING,
            "kernel %s: the memory does not fade: after %" PRId64
            " rows two initial states still differ by %.2g of their initial distance; use a smaller radius or "
            "norm, or a larger leak",
            kernel->entry->info.name, rows, left);
    return VOLT_OK;
}

volt_status volt_kernel_warn(const volt_kernel *kernel, const volt_resolved *resolved, volt_view Z)
{
    for (int64_t f = 0; f < kernel->n_factors; f++) {
        const volt_sum *sum = resolved->sum;
        volt_view slice = {Z.data + sum->slice[f] * sum->d, Z.rows, sum->d, Z.ld};
        VOLT_TRY(volt_kernel_warn(kernel->factors[f], &sum->factor[f], slice));
    }
    if (kernel->n_factors == 0 && kernel->entry->may_be_indefinite)
        volt_log(VOLT_LOG_WARNING,
                 "kernel %s need not be positive semidefinite: a fit may fail or be inaccurate",
                 kernel->entry->info.name);
    return resolved->reservoir ? warn_of_echo(kernel, resolved->reservoir, Z) : VOLT_OK;
}

volt_status volt_kernel_query(const volt_kernel *kernel, double radius, int64_t d, double eps,
                              volt_kernel_facts *facts)
{
    VOLT_REQUIRE(eps > 0 && eps < 1, VOLT_ERR_ARGUMENT, "eps must be in (0, 1) (got %g)", eps);
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_REQUIRE(d >= 1, VOLT_ERR_ARGUMENT, "the dimension of the inputs must be at least 1 (got %" PRId64 ")",
                 d);
    volt_resolved resolved = {0};
    volt_extent extents[VOLT_MAX_FACTORS];
    for (int s = 0; s < VOLT_MAX_FACTORS; s++)
        extents[s] = (volt_extent){.radius = radius, .largest = 1};
    VOLT_TRY(kernel->n_factors > 0 ? volt_kernel_resolve_slices(kernel, extents, d, &resolved)
                                   : resolve_on_ball(kernel, radius, d, false, &resolved));
    volt_kernel_facts found = resolved.facts;
    volt_resolved_release(&resolved);
    found.horizon = found.contraction > 0 ? ceil(log(eps) / log(found.contraction)) : 0;
    return volt_result_copy(facts, &found, sizeof found, "volt_kernel_facts");
}
