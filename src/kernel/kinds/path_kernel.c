/* src/kernel/kinds/path_kernel.c: parameters of the kernels between paths. */
#include "kernel/kinds/path_kernel.h"

#include "base/error.h"

#include <string.h>

const char *const volt_path_words[] = {"sequence", "rows", NULL};

enum { TIME = 1, LEADLAG = 2, BASEPOINT = 4 };

/* Every order of the augmentations; the result does not depend on it. */
#define AUGMENTS(X)                                         \
    X("none", 0)                                            \
    X("time", TIME)                                         \
    X("leadlag", LEADLAG)                                   \
    X("basepoint", BASEPOINT)                               \
    X("time+leadlag", TIME | LEADLAG)                       \
    X("time+basepoint", TIME | BASEPOINT)                   \
    X("leadlag+time", TIME | LEADLAG)                       \
    X("leadlag+basepoint", LEADLAG | BASEPOINT)             \
    X("basepoint+time", TIME | BASEPOINT)                   \
    X("basepoint+leadlag", LEADLAG | BASEPOINT)             \
    X("time+leadlag+basepoint", TIME | LEADLAG | BASEPOINT) \
    X("time+basepoint+leadlag", TIME | LEADLAG | BASEPOINT) \
    X("leadlag+time+basepoint", TIME | LEADLAG | BASEPOINT) \
    X("leadlag+basepoint+time", TIME | LEADLAG | BASEPOINT) \
    X("basepoint+time+leadlag", TIME | LEADLAG | BASEPOINT) \
    X("basepoint+leadlag+time", TIME | LEADLAG | BASEPOINT)

#define WORD(word, parts) word,
#define PARTS(word, parts) parts,
const char *const volt_augment_words[] = {AUGMENTS(WORD) NULL};
static const int augment_parts[] = {AUGMENTS(PARTS)};

static bool paths_are_rows(const volt_kernel *kernel, const volt_path_parameters *where)
{
    return kernel->present[where->path] && (int)kernel->value[where->path] == VOLT_PATH_ROWS;
}

volt_status volt_path_set_defaults(volt_kernel *kernel, const volt_path_parameters *where)
{
    const char *name = kernel->entry->info.name;
    bool rows = paths_are_rows(kernel, where);
    VOLT_REQUIRE(!rows || !kernel->present[where->window], VOLT_ERR_KERNEL,
                 "kernel %s: give window or path=rows, not both", name);
    VOLT_REQUIRE(where->prescale < 0 || rows || !kernel->present[where->prescale], VOLT_ERR_KERNEL,
                 "kernel %s: prescale requires path=rows", name);
    for (int p = 0; p < kernel->entry->info.n_parameters; p++)
        if (p != where->prescale || rows)
            volt_kernel_use_fallback(kernel, p);
    return VOLT_OK;
}

/* The requested augmentations; the default of path=rows is the published transform. */
static int augmentations(const volt_kernel *kernel, const volt_path_parameters *where, bool rows)
{
    if (where->augment < 0)
        return 0;
    if (rows && !kernel->present[where->augment])
        return TIME | LEADLAG;
    return augment_parts[(int)kernel->value[where->augment]];
}

volt_path_shape volt_path_shape_of(const volt_kernel *kernel, const volt_path_parameters *where)
{
    bool rows = paths_are_rows(kernel, where);
    int what = augmentations(kernel, where, rows);
    volt_path_shape shape = {
        .rows = rows,
        .time = what & TIME,
        .leadlag = what & LEADLAG,
        .basepoint = what & BASEPOINT,
        .prescale = rows && where->prescale >= 0 ? kernel->value[where->prescale] : 0,
        .scale = 1,
    };
    return shape;
}

volt_status volt_path_refuse_on_series(const volt_kernel *kernel)
{
    const volt_kernel_info *info = &kernel->entry->info;
    for (int p = 0; p < info->n_parameters; p++) {
        const char *name = info->parameters[p].name;
        bool rows = strcmp(name, "path") == 0 && (int)kernel->value[p] == VOLT_PATH_ROWS;
        VOLT_REQUIRE(!kernel->present[p] || (strcmp(name, "window") != 0 && !rows), VOLT_ERR_KERNEL,
                     "kernel %s: %s is for one sequence; in a collection every series is a path", info->name,
                     rows ? "path=rows" : "window");
    }
    return VOLT_OK;
}

volt_status volt_path_resolve(const volt_kernel *kernel, const volt_path_parameters *where, double radius,
                              volt_programme programme, double largest, volt_resolved *resolved)
{
    volt_path_shape shape = volt_path_shape_of(kernel, where);
    bool windowed = kernel->present[where->window];
    VOLT_REQUIRE(windowed || shape.rows, VOLT_ERR_KERNEL,
                 "kernel %s on a sequence requires window=W or path=rows", kernel->entry->info.name);
    shape.increments = volt_programme_on_increments(&programme);
    volt_resolved made = {
        .facts = {.radius = radius, .largest = largest},
        .window = windowed ? (int64_t)kernel->value[where->window] : 1,
        .programme = programme,
        .shape = shape,
    };
    *resolved = made;
    return VOLT_OK;
}
