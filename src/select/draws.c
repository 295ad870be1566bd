/* src/select/draws.c: candidates drawn at random from a space, or laid out as a grid over it.
 *
 * Draw i takes one uniform number per axis from Philox stream i, so that it is the same whatever was drawn
 * before, and on which machine. */
#include "base/error.h"
#include "base/memory.h"
#include "select/candidates.h"
#include "select/space.h"

#include <inttypes.h>

enum { MOST_AXES = 64 };

typedef struct drawing {
    volt_space *space;
    uint64_t seed;
    int64_t points; /* of a grid */
} drawing;

volt_draw_options volt_draw_options_default(void)
{
    volt_draw_options options = {.scale = 1};
    return options;
}

static void release(void *own)
{
    drawing *drawn = own;
    volt_space_free(drawn->space);
    volt_free(drawn);
}

static volt_status draw_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            double *alpha)
{
    const drawing *drawn = candidates->own;
    double u[MOST_AXES];
    volt_rng rng;
    volt_rng_init(&rng, drawn->seed, (uint64_t)index);
    for (int64_t a = 0; a < drawn->space->n_axes; a++)
        u[a] = volt_rng_uniform(&rng);
    return volt_space_at(drawn->space, u, kernel, alpha);
}

static volt_status grid_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            double *alpha)
{
    const drawing *drawn = candidates->own;
    double u[MOST_AXES];
    for (int64_t a = drawn->space->n_axes - 1; a >= 0; a--) { /* the last axis runs fastest */
        const volt_axis *axis = &drawn->space->axes[a];
        int64_t count = volt_axis_points(axis, drawn->points);
        u[a] = volt_axis_position(axis, drawn->points, index % count);
        index /= count;
    }
    return volt_space_at(drawn->space, u, kernel, alpha);
}

static volt_status grid_size(const volt_space *space, int64_t points, int64_t *size)
{
    const int64_t most = INT64_C(1) << 40;
    *size = 1;
    for (int64_t a = 0; a < space->n_axes; a++) {
        int64_t count = volt_axis_points(&space->axes[a], points);
        VOLT_REQUIRE(*size <= most / count, VOLT_ERR_ARGUMENT,
                     "a grid of %" PRId64 " points along each of %" PRId64 " parameters has no end in practice",
                     points, space->n_axes);
        *size *= count;
    }
    return VOLT_OK;
}

/* points = 0: random draws. */
static volt_status create(const char *kernel, volt_view X, const volt_draw_options *options, int64_t points,
                          volt_candidates **candidates)
{
    VOLT_REQUIRE(kernel && candidates, VOLT_ERR_ARGUMENT, "the kernel or the place for the candidates is NULL");
    drawing *drawn = volt_alloc_zero(1, sizeof *drawn);
    if (!drawn)
        return VOLT_ERR_MEMORY;
    drawn->seed = options ? options->seed : 0;
    drawn->points = points;
    volt_candidates source = {
        .count = -1, .get = points ? grid_get : draw_get, .release = release, .own = drawn};
    volt_status status = volt_space_create(kernel, X, options, &drawn->space);
    if (status == VOLT_OK && drawn->space->n_axes > MOST_AXES)
        status = volt_fail(VOLT_ERR_ARGUMENT, "%" PRId64 " parameters are searched, and may be %d at most",
                           drawn->space->n_axes, MOST_AXES);
    if (status == VOLT_OK && points)
        status = grid_size(drawn->space, points, &source.count);
    if (status != VOLT_OK) {
        release(drawn);
        return status;
    }
    return volt_candidates_make(&source, candidates);
}

volt_status volt_candidates_draw(const char *kernel, volt_view X, const volt_draw_options *options,
                                 volt_candidates **candidates)
{
    return create(kernel, X, options, 0, candidates);
}

volt_status volt_candidates_grid(const char *kernel, volt_view X, const volt_draw_options *options,
                                 int64_t points, volt_candidates **candidates)
{
    VOLT_REQUIRE(points >= 1 && points <= 1000000, VOLT_ERR_ARGUMENT,
                 "a grid has %" PRId64 " points along each parameter, and must have 1 to 1000000", points);
    return create(kernel, X, options, points, candidates);
}
