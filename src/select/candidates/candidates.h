/* src/select/candidates/candidates.h: sources of candidates. */
#ifndef SELECT_CANDIDATES_H
#define SELECT_CANDIDATES_H

#include "kernel/kernel_entry.h"
#include "volterra/select.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- settings of a candidate other than its kernel -------------------------------------------------- */

typedef struct volt_setting {
    double alpha;    /* 0: profiled */
    double feedback; /* feedback weight; 0: no feedback */
} volt_setting;

/* ---- points: positions along the axes of a space --------------------------------------------------- */

enum { VOLT_MAX_AXES = 64 };

/* Reflects u into [0, 1) at both ends. */
static inline double volt_reflect(double u)
{
    u = fmod(fabs(u), 2);
    return fmin(u > 1 ? 2 - u : u, 1 - DBL_EPSILON);
}

/* A point of the space of a source, and the axes along which a search may move it: those of real and integer
 * parameters that its kernel has, and of settings that are not profiled. Choices are fixed. */
typedef struct volt_point {
    const volt_candidates *source; /* one of several kernels, if there are several */
    double u[VOLT_MAX_AXES];       /* along all axes, in [0, 1) */
    int64_t axes[VOLT_MAX_AXES];   /* `count` that move */
    int64_t count;
} volt_point;

/* The trials near which later candidates of an adaptive search are drawn, best first. */
enum { VOLT_MAX_PARENTS = 4 };
typedef struct volt_parents {
    const volt_trial *trials[VOLT_MAX_PARENTS];
    int64_t count;
} volt_parents;

/* A source of candidates. `get` returns the text of a kernel, which may be incomplete, and its settings. */
struct volt_candidates {
    int64_t count;      /* -1: unlimited */
    int64_t parameters; /* number that differ between candidates, alpha included; 0: unknown */
    volt_status (*get)(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       volt_setting *setting);
    /* (optional) The same near another candidate with the given kernel and setting, which may be from this
     * source. */
    volt_status (*get_near)(const volt_candidates *candidates, int64_t index, const volt_kernel *about,
                            const volt_setting *setting_about, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting);
    /* With get_near: the point of a candidate, and the candidate at a point of this source. */
    volt_status (*locate)(const volt_candidates *candidates, const volt_kernel *about,
                          const volt_setting *setting_about, volt_point *point);
    volt_status (*get_at)(const volt_candidates *candidates, const double *u, char kernel[VOLT_KERNEL_LENGTH],
                          volt_setting *setting);
    /* (optional) Whether the kernel can be one of these. Used for several kernels (space.c). */
    bool (*holds)(const volt_candidates *candidates, const volt_kernel *kernel);
    uint64_t seed; /* with get_near */
    /* (optional, with locate) Candidate 0, at which CMA-ES starts with this step size, without draws. */
    char *start;
    volt_setting start_setting;
    double start_step;
    bool feeds;    /* some candidates have feedback */
    int64_t heads; /* number of first candidates that identify the source; 0: one */
    void (*release)(void *context);
    void *context; /* data of the source */
};

/* Sets the start of a search by CMA-ES: a kernel of this source and its setting, and the initial standard
 * deviation along every axis, relative to its range. VOLT_ERR_MEMORY. */
volt_status volt_candidates_start(volt_candidates *candidates, const char *kernel, const volt_setting *setting,
                                  double step);

/* Candidate `index`, complete and checked. */
volt_status volt_candidates_take(const volt_candidates *candidates, int64_t index,
                                 char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting);
/* The same for a candidate that follows trials: mostly near one of the parents, sometimes an independent
 * draw. */
volt_status volt_candidates_follow(const volt_candidates *candidates, int64_t index,
                                   const volt_parents *parents, char kernel[VOLT_KERNEL_LENGTH],
                                   volt_setting *setting);

/* The point of a trial. With get_near. */
volt_status volt_candidates_locate(const volt_candidates *candidates, const volt_trial *trial,
                                   volt_point *point);
/* The candidate at a point. */
volt_status volt_candidates_at(const volt_point *point, char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting);

/* Transfers `context` to new candidates; on failure it is released. */
volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates);

/* ---- the space of the free parameters of a kernel, and alpha ----------------------------------------- */

static inline bool volt_law_is_integer(volt_search_law kind)
{
    return kind == VOLT_SEARCH_INTEGER || kind == VOLT_SEARCH_LOG_INTEGER;
}

/* A searched parameter, alpha, or the feedback weight. */
typedef struct volt_axis {
    char *name;
    volt_search_law kind;
    double low, high; /* in `unit` */
    volt_unit unit;
    char **choices; /* NULL for a range */
    int64_t n_choices;
} volt_axis;

typedef struct volt_space volt_space;
struct volt_space {
    char *kernel;       /* the given kernel, as text */
    volt_kernel *given; /* the same, parsed */
    double distance;    /* median distance of two scaled rows */
    /* above 0: whole series are compared, with this number of steps; 0: one sequence */
    double series_steps;
    double *sample; /* n_sample x d: the first scaled rows, for distances after a filter; NULL: no filters */
    int64_t n_sample, d;
    int64_t q; /* last columns of the sample: standardised outputs of the previous row; 0: no feedback */
    /* n_norms x 2: norms of the inputs and of these outputs, of all rows; NULL: no scaling */
    double *norms;
    int64_t n_norms;
    /* axes of the caller, choices first, then of the kernel table; feedback and alpha last */
    volt_axis *axes;
    int64_t n_axes, capacity;
    int64_t n_requested;     /* number of first axes with ranges of the caller, without feedback and alpha */
    bool feedback_requested; /* the caller gave a range for feedback, the axis after those */
    bool alpha_requested;    /* the caller gave a range for alpha */
};

/* The space of `kernel` on the rows of X; arguments as in volt_candidates_draw. */
volt_status volt_space_create(const char *kernel, volt_view X, const volt_draw_options *options,
                              volt_space **space);
void volt_space_free(volt_space *space);

/* The unit of distance for searches: the median distance between rows of X (a sample of them) times
 * sqrt(window). Ranges in this unit keep windowed Gram matrices from being numerically diagonal.
 * VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA if all rows are equal. */
volt_status volt_kernel_distance_unit(volt_view X, int64_t window, double *unit);

/* The unit of widths of a factor: the distance of two rows as passed to it, times the square root of its
 * window. */
volt_status volt_space_unit(const volt_space *space, const volt_kernel *factor, double feedback,
                            double *distance);

/* The point of the space at position u[a] in [0, 1) along each axis. A parameter that the kernel does not
 * have with the other values (for example gamma without lift=rbf) is omitted, and taken[a] is false (taken
 * may be NULL). */
volt_status volt_space_at(const volt_space *space, const double *u, char kernel[VOLT_KERNEL_LENGTH],
                          volt_setting *setting, bool *taken);

/* The position of a kernel and its setting along each axis, clipped to the ranges. If the kernel does not
 * have the parameter, known[a] is false and u[a] is 0. */
volt_status volt_space_locate(const volt_space *space, const volt_kernel *kernel, const volt_setting *setting,
                              double *u, bool *known);

#endif
