/* src/select/candidates/space.h: the space of the free parameters of a kernel, and alpha. */
#ifndef SELECT_SPACE_H
#define SELECT_SPACE_H

#include "select/candidates/candidates.h"
#include "volterra/select.h"

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
