/* src/select/candidates/candidates.h: where candidates come from, inside the library. */
#ifndef SELECT_CANDIDATES_H
#define SELECT_CANDIDATES_H

#include "kernel/kernel_entry.h"
#include "volterra/select.h"

#include <stdbool.h>
#include <string.h>

/* ---- what a candidate has beside its kernel ---------------------------------------------------- */

typedef struct volt_setting {
    double alpha;    /* 0: profiled */
    double feedback; /* the weight of outputs that come back; 0: none do */
} volt_setting;

/* The number that a search calls by this name, or NULL: it is a parameter of the kernel then. */
static inline double *volt_setting_at(volt_setting *setting, const char *name)
{
    if (name && strcmp(name, "alpha") == 0)
        return &setting->alpha;
    if (name && strcmp(name, "feedback") == 0)
        return &setting->feedback;
    return NULL;
}

static inline bool volt_name_is_alpha(const char *name)
{
    return name && strcmp(name, "alpha") == 0;
}

static inline bool volt_name_is_setting(const char *name)
{
    volt_setting any;
    return volt_setting_at(&any, name) != NULL;
}

/* ---- the parameters that a climb moves, on scales without curvature of their own ---------------
 *     LOG     z = log value
 *     LINEAR  z = log(s / (1 - s)), s the place of the value between the ends that the parameter may lie between
 *
 * within the range that is searched. Choices and whole numbers stay as they are. */

typedef struct volt_coordinate {
    char name[VOLT_ASKED_LENGTH]; /* of the parameter, or alpha */
    volt_search_law law;          /* LOG or LINEAR */
    double low, high;             /* of z */
    double end, width;            /* LINEAR: value = end + width s */
} volt_coordinate;

double volt_coordinate_place(const volt_coordinate *coordinate, double value); /* held to the range */
double volt_coordinate_value(const volt_coordinate *coordinate, double z,
                             double *slope); /* slope: d value / dz */

struct volt_space;

/* The coordinates of the space about a kernel that it holds, VOLT_MOST_AXES at most; widths keep the unit that they have
 * there. VOLT_ERR_MEMORY. */
volt_status volt_space_coordinates(const struct volt_space *space, const volt_kernel *kernel,
                                   volt_coordinate *coordinates, int64_t *count);

/* The trials that later candidates of an adaptive search are drawn near, best first. */
enum { VOLT_MOST_PARENTS = 4 };
typedef struct volt_parents {
    const volt_trial *trials[VOLT_MOST_PARENTS];
    int64_t count;
} volt_parents;

/* A source of candidates. `get` gives the text of a kernel, which need not be complete, and what goes with it. */
struct volt_candidates {
    int64_t count;      /* -1: no end */
    int64_t parameters; /* that differ between candidates, alpha included; 0: not known */
    volt_status (*get)(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       volt_setting *setting);
    /* (optional) The same near another candidate, whose kernel and setting are given and which may be one of these. */
    volt_status (*get_near)(const volt_candidates *candidates, int64_t index, const volt_kernel *about,
                            const volt_setting *setting_about, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting);
    /* (optional) May the kernel be one of these? Asked of each of several kernels (alternatives.c). */
    bool (*holds)(const volt_candidates *candidates, const volt_kernel *kernel);
    uint64_t seed; /* with get_near */
    bool feeds;    /* outputs come back in some of them */
    /* With get_near: what a climb from a kernel that is one of these moves (coordinates.h), VOLT_MOST_AXES at most. */
    volt_status (*coordinates)(const volt_candidates *candidates, const volt_kernel *kernel,
                               volt_coordinate *coordinates, int64_t *count);
    int64_t heads; /* how many of the first candidates tell this source from others; 0: one */
    bool (*has)(const volt_candidates *candidates, int64_t index); /* (optional) is there such a candidate? */
    void (*release)(void *own);
    void *own; /* the source's own data */
};

/* Is there a candidate `index`? */
bool volt_candidates_has(const volt_candidates *candidates, int64_t index);

/* VOLT_ERR_ARGUMENT for an alpha or a feedback weight that is none. */
volt_status volt_setting_check(const volt_setting *setting);

/* Candidate `index`, complete and checked. */
volt_status volt_candidates_take(const volt_candidates *candidates, int64_t index,
                                 char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting);
/* The same for one that follows trials: mostly near one of the parents, now and then a draw. */
volt_status volt_candidates_follow(const volt_candidates *candidates, int64_t index,
                                   const volt_parents *parents, char kernel[VOLT_KERNEL_LENGTH],
                                   volt_setting *setting);

/* The candidates of one kernel: draws without end, or the grid where points > 0. */
volt_status volt_candidates_of_kernel(const char *kernel, volt_view X, const volt_draw_options *options,
                                      int64_t points, volt_candidates **candidates);

/* Hand `own` over to new candidates; on failure it is released. */
volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates);

#endif
