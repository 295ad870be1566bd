/* src/select/candidates/draws.c: candidates drawn at random from a space, or on a grid over it.
 *
 * Draw i uses one uniform number per axis from Philox stream i, so it does not depend on earlier draws or on
 * the machine. With `defaults`, draw 0 is the default kernel, unless the kernel has no default on a sequence
 * (path lengths must be given or drawn). Then alpha is profiled (select/folds/cross_validation.c) if a
 * factorisation is cheap compared with the Gram matrix. */
#include "base/error.h"
#include "base/memory.h"
#include "gram/engine/engine.h"
#include "select/candidates/candidates.h"
#include "select/candidates/space.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct drawing {
    volt_space *space;
    uint64_t seed;
    int64_t points;   /* of a grid */
    volt_part *parts; /* of it */
    bool profiles;    /* starts from the defaults, without a range for alpha */
    int64_t rows, d;  /* of the inputs */
} drawing;

volt_draw_options volt_draw_options_default(void)
{
    volt_draw_options options = {.struct_size = sizeof(volt_draw_options), .scale = 1};
    return options;
}

static void release(void *context)
{
    drawing *drawn = context;
    volt_free(drawn->parts);
    volt_space_free(drawn->space);
    volt_free(drawn);
}

/* Whether the text is a kernel on a sequence, and whether its Gram matrix is expensive. The values of the
 * inputs are irrelevant. */
static volt_status examine(const drawing *drawn, const char *text, bool *runs, bool *expensive)
{
    volt_kernel *kernel = NULL;
    volt_resolved resolved = {0};
    volt_extent unit[VOLT_MAX_FACTORS];
    for (int s = 0; s < VOLT_MAX_FACTORS; s++)
        unit[s] = (volt_extent){.radius = 1, .largest = 1};
    volt_status status = volt_kernel_parse(text, &kernel);
    if (status == VOLT_OK)
        status = volt_kernel_outline_slices(kernel, unit, drawn->d, &resolved);
    *runs = status == VOLT_OK;
    *expensive = *runs && volt_engine_of(&resolved, drawn->rows)->is_expensive;
    volt_resolved_release(&resolved);
    volt_kernel_free(kernel);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* The point at u. Alpha is profiled if that is cheap compared with the Gram matrix. */
static volt_status draw_at(const drawing *drawn, const double *u, char kernel[VOLT_KERNEL_LENGTH],
                           volt_setting *setting)
{
    bool runs = false, expensive = false;
    VOLT_TRY(volt_space_at(drawn->space, u, kernel, setting, NULL));
    if (drawn->profiles)
        VOLT_TRY(examine(drawn, kernel, &runs, &expensive));
    if (expensive)
        setting->alpha = 0;
    return VOLT_OK;
}

static volt_status draw_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const drawing *drawn = candidates->context;
    double u[VOLT_MAX_AXES];
    volt_rng rng;
    volt_rng_init(&rng, drawn->seed, (uint64_t)index);
    for (int64_t a = 0; a < drawn->space->n_axes; a++)
        u[a] = volt_rng_uniform(&rng);
    bool runs = false, expensive = false;
    if (drawn->profiles && index == 0) {
        volt_space requested =
            *drawn->space; /* parameters with ranges of the caller are drawn, the others have their defaults */
        requested.n_axes = requested.n_requested + requested.feedback_requested;
        VOLT_TRY(volt_space_at(&requested, u, kernel, setting, NULL));
        VOLT_TRY(examine(drawn, kernel, &runs, &expensive));
        setting->alpha = 0;
    }
    if (runs)
        return VOLT_OK;
    return draw_at(drawn, u, kernel, setting);
}

/* Steps use separate random numbers from the draw with the same index. */
static volt_status draw_near(const volt_candidates *candidates, int64_t index, const volt_kernel *about,
                             const volt_setting *setting_about, char kernel[VOLT_KERNEL_LENGTH],
                             volt_setting *setting)
{
    static const uint64_t stepping = UINT64_C(0xd1b54a32d192ed03);
    const drawing *drawn = candidates->context;
    double u[VOLT_MAX_AXES];
    bool known[VOLT_MAX_AXES];
    volt_rng rng;
    VOLT_TRY(volt_space_locate(drawn->space, about, setting_about, u, known));
    volt_rng_init(&rng, drawn->seed ^ stepping, (uint64_t)index);
    volt_space_step(drawn->space, known, &rng, u);
    return draw_at(drawn, u, kernel, setting);
}

static volt_status draw_locate(const volt_candidates *candidates, const volt_kernel *about,
                               const volt_setting *setting_about, volt_point *point)
{
    const drawing *drawn = candidates->context;
    const volt_space *space = drawn->space;
    bool known[VOLT_MAX_AXES], taken[VOLT_MAX_AXES], runs = false, expensive = false;
    char kernel[VOLT_KERNEL_LENGTH];
    volt_setting setting = {.alpha = NAN};
    *point = (volt_point){.source = candidates};
    VOLT_TRY(volt_space_locate(space, about, setting_about, point->u, known));
    for (int64_t a = 0; a < space->n_axes; a++)
        if (!known[a])
            point->u[a] = 0.5; /* a default from the data, or a parameter that the kernel does not have */
    VOLT_TRY(volt_space_at(space, point->u, kernel, &setting, taken));
    if (drawn->profiles)
        VOLT_TRY(examine(drawn, kernel, &runs, &expensive));
    for (int64_t a = 0; a < space->n_axes; a++) {
        const volt_axis *axis = &space->axes[a];
        bool is_profiled = expensive && volt_name_is_alpha(axis->name);
        if (taken[a] && !is_profiled && !axis->choices && axis->high > axis->low)
            point->axes[point->count++] = a;
    }
    return VOLT_OK;
}

static volt_status draw_get_at(const volt_candidates *candidates, const double *u,
                               char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    return draw_at(candidates->context, u, kernel, setting);
}

static bool draw_holds(const volt_candidates *candidates, const volt_kernel *kernel)
{
    const drawing *drawn = candidates->context;
    return volt_space_holds(drawn->space, kernel);
}

static volt_status grid_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const drawing *drawn = candidates->context;
    double u[VOLT_MAX_AXES];
    volt_space_grid_position(drawn->space, drawn->points, drawn->parts, index, u);
    return volt_space_at(drawn->space, u, kernel, setting, NULL);
}

/* Number of axes used by some candidate. */
static int64_t count_parameters(const volt_part *parts, int64_t n_parts)
{
    uint64_t taken = 0;
    for (int64_t p = 0; p < n_parts; p++)
        taken |= parts[p].taken;
    int64_t count = 0;
    for (; taken; taken &= taken - 1)
        count++;
    return count;
}

volt_status volt_candidates_of_kernel(const char *kernel, volt_view X, const volt_draw_options *options,
                                      int64_t points, volt_candidates **candidates)
{
    drawing *drawn = volt_alloc_zero(1, sizeof *drawn);
    if (!drawn)
        return VOLT_ERR_MEMORY;
    drawn->seed = options->seed;
    drawn->points = points;
    volt_candidates source = {
        .count = -1, .get = points ? grid_get : draw_get, .release = release, .context = drawn};
    if (!points) {
        source.get_near = draw_near;
        source.locate = draw_locate;
        source.get_at = draw_get_at;
        source.holds = draw_holds;
        source.seed = drawn->seed;
    }
    drawn->rows = X.rows;
    drawn->d = X.cols + (options->fed_outputs.data ? options->fed_outputs.cols : 0);
    source.feeds = options->fed_outputs.data;
    volt_status status = volt_space_create(kernel, X, options, &drawn->space);
    if (status == VOLT_OK)
        drawn->profiles = options->from_defaults && points == 0 && !drawn->space->alpha_requested;
    int64_t n_parts = 0;
    if (status == VOLT_OK)
        status = volt_space_parts(drawn->space, points ? points : 1, &drawn->parts, &n_parts);
    if (status == VOLT_OK)
        source.parameters = count_parameters(drawn->parts, n_parts);
    if (status == VOLT_OK && points)
        source.count = drawn->parts[n_parts - 1].end;
    if (status != VOLT_OK) {
        release(drawn);
        return status;
    }
    return volt_candidates_make(&source, candidates);
}
