/* src/select/candidates/alternatives.c: candidates of several kernels, "A | B | C".
 *
 * Draws are made in rounds. Each round has one draw of every kernel and starts with a random one. Round r uses
 * draw r of kernel k, as in a search of that kernel only. The first round is in order. Grids are concatenated. A range applies to the kernels that have the parameter
 * and do not set it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "select/candidates/space.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_ALTERNATIVES = 32 };

typedef struct alternatives {
    volt_candidates *of[MAX_ALTERNATIVES];
    int64_t count;
    uint64_t seed;
} alternatives;

static void release(void *context)
{
    alternatives *all = context;
    for (int64_t k = 0; k < all->count; k++)
        volt_candidates_free(all->of[k]);
    volt_free(all);
}

/* ---- draws ------------------------------------------------------------------------------------ */

static int64_t whose_turn(const alternatives *all, int64_t index)
{
    static const uint64_t turning = UINT64_C(0x8cb92ba72f3d8dd7);
    int64_t round = index / all->count;
    volt_rng rng;
    volt_rng_init(&rng, all->seed ^ turning, (uint64_t)round);
    int64_t first = round == 0 ? 0 : (int64_t)(volt_rng_uniform(&rng) * (double)all->count);
    return (first + index % all->count) % all->count;
}

static volt_status turn_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const alternatives *all = candidates->context;
    const volt_candidates *one = all->of[whose_turn(all, index)];
    return one->get(one, index / all->count, kernel, setting);
}

static const volt_candidates *holder_of(const alternatives *all, const volt_kernel *kernel)
{
    for (int64_t k = 0; k < all->count; k++)
        if (all->of[k]->holds(all->of[k], kernel))
            return all->of[k];
    return NULL;
}

static volt_status turn_near(const volt_candidates *candidates, int64_t index, const volt_kernel *about,
                             const volt_setting *setting_about, char kernel[VOLT_KERNEL_LENGTH],
                             volt_setting *setting)
{
    const volt_candidates *one = holder_of(candidates->context, about);
    VOLT_REQUIRE(one, VOLT_ERR_KERNEL, "kernel %s is not among the searched kernels", volt_kernel_text(about));
    return one->get_near(one, index, about, setting_about, kernel, setting);
}

static volt_status turn_locate(const volt_candidates *candidates, const volt_kernel *about,
                               const volt_setting *setting_about, volt_point *point)
{
    const volt_candidates *one = holder_of(candidates->context, about);
    VOLT_REQUIRE(one, VOLT_ERR_KERNEL, "kernel %s is not among the searched kernels", volt_kernel_text(about));
    return one->locate(one, about, setting_about, point);
}

/* ---- grids ------------------------------------------------------------------------------------ */

static volt_status row_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                           volt_setting *setting)
{
    const alternatives *all = candidates->context;
    int64_t k = 0;
    while (index >= all->of[k]->count)
        index -= all->of[k++]->count;
    return all->of[k]->get(all->of[k], index, kernel, setting);
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Splits the text at the bars, in place, and adds the number of pieces to *count. VOLT_ERR_KERNEL: one is empty, or there are too many. */
static volt_status split(char *text, char *pieces[MAX_ALTERNATIVES], int64_t *count)
{
    for (char *at = text, *next = NULL; at; at = next) {
        next = strchr(at, '|');
        if (next)
            *next++ = '\0';
        while (isspace((unsigned char)*at))
            at++;
        VOLT_REQUIRE(*at, VOLT_ERR_KERNEL, "kernel %" PRId64 " of the list A | B | ... is empty", *count + 1);
        VOLT_REQUIRE(*count < MAX_ALTERNATIVES, VOLT_ERR_KERNEL,
                     "the list A | B | ... has more than %d kernels", MAX_ALTERNATIVES);
        pieces[(*count)++] = at;
    }
    return VOLT_OK;
}

/* Whether the kernel has the parameter and does not set it. */
static volt_status leaves_open(const char *kernel, const char *name, bool *open)
{
    enum { MAX_OPEN_PARAMETERS = VOLT_MAX_AXES / 2 };
    char requested[MAX_OPEN_PARAMETERS][VOLT_OPEN_NAME_LENGTH], text[VOLT_KERNEL_LENGTH];
    *open = volt_name_is_setting(name);
    if (*open || strlen(kernel) >= sizeof text)
        return VOLT_OK;
    memcpy(text, kernel, strlen(kernel) + 1);
    volt_kernel_text_open_parameters(text, requested, MAX_OPEN_PARAMETERS);
    volt_kernel *parsed = NULL;
    volt_kernel_value value = {.struct_size = sizeof value};
    volt_status status = volt_kernel_parse(text, &parsed);
    *open = status == VOLT_OK && name && volt_kernel_get(parsed, name, &value) == VOLT_OK && !value.given;
    volt_kernel_free(parsed);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK; /* an invalid kernel is rejected when it is used */
}

/* Copies the ranges that kernel k accepts to `accepted`. A range that no kernel accepts is passed to the first,
 * which rejects it. */
static volt_status pick_ranges(char *const *kernels, int64_t count, int64_t k, const volt_draw_options *options,
                               volt_range *accepted, int64_t *n_accepted)
{
    *n_accepted = 0;
    for (int64_t r = 0; r < options->n_ranges; r++) {
        bool mine = false, anyones = false;
        for (int64_t other = 0; other < count; other++) {
            bool open = false;
            VOLT_TRY(leaves_open(kernels[other], options->ranges[r].name, &open));
            mine = mine || (open && other == k);
            anyones = anyones || open;
        }
        if (mine || (!anyones && k == 0))
            accepted[(*n_accepted)++] = options->ranges[r];
    }
    return VOLT_OK;
}

static volt_status fill(char *const *kernels, int64_t count, volt_view X, const volt_draw_options *options,
                        int64_t points, alternatives *all)
{
    volt_draw_options opts = *options;
    volt_range *ranges = volt_alloc(volt_max(options->n_ranges, 1), sizeof *ranges);
    volt_status status = ranges ? VOLT_OK : VOLT_ERR_MEMORY;
    opts.ranges = ranges;
    for (int64_t k = 0; k < count && status == VOLT_OK; k++) {
        status = pick_ranges(kernels, count, k, options, ranges, &opts.n_ranges);
        if (status == VOLT_OK)
            status = volt_candidates_of_kernel(kernels[k], X, &opts, points, &all->of[k]);
        if (status == VOLT_OK)
            all->count++;
        else if (status != VOLT_ERR_MEMORY)
            status = volt_fail_prefix(status, "kernel %" PRId64 " of %" PRId64, k + 1, count);
    }
    volt_free(ranges);
    return status;
}

static volt_status create_alternatives(const char *kernel, volt_view X, const volt_draw_options *options,
                                       int64_t points, volt_candidates **candidates)
{
    VOLT_REQUIRE(options->n_ranges == 0 || options->ranges, VOLT_ERR_ARGUMENT, "the list of ranges is NULL");
    alternatives *all = volt_alloc_zero(1, sizeof *all);
    char *copy = volt_strdup(kernel), *kernels[MAX_ALTERNATIVES];
    int64_t count = 0;
    volt_status status = all && copy ? split(copy, kernels, &count) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = fill(kernels, count, X, options, points, all);
    volt_free(copy);
    if (status != VOLT_OK) {
        if (all)
            release(all);
        return status;
    }
    all->seed = options->seed;
    volt_candidates source = {.count = -1, .release = release, .context = all, .seed = options->seed};
    for (int64_t k = 0; k < count; k++)
        source.parameters = volt_max(source.parameters, all->of[k]->parameters);
    source.feeds = options->fed_outputs.data != NULL;
    if (points) {
        source.get = row_get;
        source.count = 0;
        for (int64_t k = 0; k < count; k++)
            source.count += all->of[k]->count;
    } else {
        source.get = turn_get;
        source.heads = count;
        source.get_near = turn_near;
        source.locate = turn_locate;
    }
    return volt_candidates_make(&source, candidates);
}

volt_status volt_candidates_draw(const char *kernel, volt_view X, const volt_draw_options *options,
                                 volt_candidates **candidates)
{
    volt_draw_options opts = volt_draw_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_draw_options"));
    options = &opts;
    int64_t points = options->points;
    VOLT_REQUIRE(kernel && candidates, VOLT_ERR_ARGUMENT, "the kernel or the candidates are NULL");
    VOLT_REQUIRE(points >= 0 && points <= 1000000, VOLT_ERR_ARGUMENT,
                 "the points of a grid along each parameter must be 1 to 1000000 (got %" PRId64 ")", points);
    return strchr(kernel, '|') ? create_alternatives(kernel, X, options, points, candidates)
                               : volt_candidates_of_kernel(kernel, X, options, points, candidates);
}
