/* src/select/candidates/grid.c: the full grid over a space.
 *
 * The parameters of a kernel may depend on a choice: lift=rbf has gamma but no tau_coef. The grid is
 * therefore a list of parts, one per combination of the caller's choices. A part is the product of the axes
 * that apply to it. A choice that has no effect together with the others is made only once. */
#include "base/error.h"
#include "base/memory.h"
#include "select/candidates/space.h"

#include <inttypes.h>

enum { MAX_PARTS = 4096 };

/* Choices precede ranges; a choice of alpha is not included. */
static int64_t choice_axes(const volt_space *space)
{
    int64_t count = 0;
    while (count < space->n_requested && space->axes[count].choices)
        count++;
    return count;
}

/* Positions of the choices of combination `number`. */
static void set_choices(const volt_space *space, int64_t number, double *u)
{
    for (int64_t a = choice_axes(space) - 1; a >= 0; a--) {
        int64_t count = space->axes[a].n_choices;
        u[a] = volt_axis_position(&space->axes[a], count, number % count);
        number /= count;
    }
}

/* Fills `part` for its combination. *is_new is false if an earlier combination gives the same part. */
static volt_status find_taken(const volt_space *space, volt_part *part, bool *is_new)
{
    double u[VOLT_MAX_AXES];
    volt_setting setting;
    bool taken[VOLT_MAX_AXES] = {false};
    char kernel[VOLT_KERNEL_LENGTH];
    for (int64_t a = 0; a < space->n_axes; a++)
        u[a] = 0.5; /* ends of ranges may mean no bound: pair=0 has no angle */
    set_choices(space, part->choices, u);
    VOLT_TRY(volt_space_at(space, u, kernel, &setting, taken));
    *is_new = true;
    int64_t number = part->choices;
    for (int64_t a = choice_axes(space) - 1; a >= 0; a--) {
        *is_new &= taken[a] || number % space->axes[a].n_choices == 0;
        number /= space->axes[a].n_choices;
    }
    part->taken = 0;
    for (int64_t a = 0; a < space->n_axes; a++)
        part->taken |= (uint64_t)taken[a] << a;
    return VOLT_OK;
}

/* Number of candidates of a part; 0: overflow. */
static int64_t part_size(const volt_space *space, int64_t points, const volt_part *part)
{
    const int64_t most = INT64_C(1) << 40;
    int64_t size = 1;
    for (int64_t a = choice_axes(space); a < space->n_axes; a++) {
        int64_t count = part->taken >> a & 1 ? volt_axis_points(&space->axes[a], points) : 1;
        if (size > most / count)
            return 0;
        size *= count;
    }
    return size;
}

static volt_status fill_parts(const volt_space *space, int64_t points, int64_t combinations, volt_part *parts,
                              int64_t *count)
{
    int64_t end = 0;
    uint64_t used = 0;
    *count = 0;
    for (int64_t c = 0; c < combinations; c++) {
        volt_part part = {.choices = c};
        bool is_new;
        VOLT_TRY(find_taken(space, &part, &is_new));
        used |= part.taken;
        if (!is_new)
            continue;
        int64_t size = part_size(space, points, &part);
        VOLT_REQUIRE(size > 0, VOLT_ERR_ARGUMENT,
                     "a grid of %" PRId64 " points along each parameter is too large to enumerate", points);
        part.end = end += size;
        parts[(*count)++] = part;
    }
    for (int64_t a = 0; a < space->n_requested; a++)
        VOLT_REQUIRE(used >> a & 1, VOLT_ERR_ARGUMENT,
                     "a range is given for %s, which kernel %s does not have with its other parameters",
                     space->axes[a].name, space->kernel);
    return VOLT_OK;
}

volt_status volt_space_parts(const volt_space *space, int64_t points, volt_part **parts, int64_t *count)
{
    VOLT_REQUIRE(space->n_axes <= VOLT_MAX_AXES, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " parameters are searched, but the maximum is %d", space->n_axes, VOLT_MAX_AXES);
    int64_t combinations = 1;
    for (int64_t a = 0; a < choice_axes(space); a++) {
        VOLT_REQUIRE(space->axes[a].n_choices <= MAX_PARTS / combinations, VOLT_ERR_ARGUMENT,
                     "there are more than %d combinations of choices", MAX_PARTS);
        combinations *= space->axes[a].n_choices;
    }
    volt_part *fresh = volt_alloc(combinations, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = fill_parts(space, points, combinations, fresh, count);
    if (status == VOLT_OK)
        *parts = fresh;
    else
        volt_free(fresh);
    return status;
}

void volt_space_grid_position(const volt_space *space, int64_t points, const volt_part *parts, int64_t index,
                              double *u)
{
    const volt_part *part = parts;
    while (index >= part->end)
        part++;
    if (part > parts)
        index -= part[-1].end;
    set_choices(space, part->choices, u);
    for (int64_t a = space->n_axes - 1; a >= choice_axes(space); a--) { /* the last axis runs fastest */
        int64_t count = part->taken >> a & 1 ? volt_axis_points(&space->axes[a], points) : 1;
        u[a] = volt_axis_position(&space->axes[a], points, index % count);
        index /= count;
    }
}
