/* src/select/candidates/space.h: the space of a kernel's parameters that are not given, and alpha. */
#ifndef SELECT_SPACE_H
#define SELECT_SPACE_H

#include "select/candidates/candidates.h"
#include "volterra/select.h"

static inline bool volt_law_is_whole(volt_search_law kind)
{
    return kind == VOLT_SEARCH_INTEGER || kind == VOLT_SEARCH_LOG_INTEGER;
}

/* One parameter that is searched, or alpha, or the feedback weight. */
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
    char *kernel;       /* what is given, as text ... */
    volt_kernel *given; /* ... and parsed */
    double distance;    /* median distance of two scaled rows */
    /* above 0: rows of series that are compared whole, with so many steps; 0: one sequence */
    double series_steps;
    double *sample; /* n_sample x d: the first scaled rows, for distances after a filter; NULL: no filters */
    int64_t n_sample, d;
    int64_t q; /* the last columns of the sample: outputs of the row before, standardised; 0: none come back */
    /* n_norms x 2: norms of the inputs and of these outputs, of all rows; NULL: nothing is scaled */
    double *norms;
    int64_t n_norms;
    /* those of the caller, choices first, then those of the kernel table; feedback and alpha last */
    volt_axis *axes;
    int64_t n_axes, capacity;
    int64_t n_asked;     /* the first axes, those the caller gave ranges for, without feedback and alpha */
    bool feedback_asked; /* the caller gave a range for feedback: that is the axis behind those */
    bool alpha_asked;    /* the caller gave a range for alpha */
};

/* The space of `kernel` on the rows of X; the arguments are those of volt_candidates_draw. */
volt_status volt_space_create(const char *kernel, volt_view X, const volt_draw_options *options,
                              volt_space **space);
void volt_space_free(volt_space *space);

/* For widths: the distance of two scaled rows of X, and what it takes to find that of rows that are filtered or to which
 * outputs come back (space_rows.c). */
volt_status volt_space_learn_rows(volt_view X, const volt_draw_options *options, volt_space *space);
/* The unit of widths of a factor: the distance of two rows as it sees them, times the root of its window. */
volt_status volt_space_unit(const volt_space *space, const volt_kernel *factor, double feedback,
                            double *distance);

/* The point of the space at position u[a] in [0, 1) along each axis. A parameter that the kernel does not take
 * beside the others (gamma without lift=rbf, say) is left out; taken[a] (taken may be NULL) says so. */
volt_status volt_space_at(const volt_space *space, const double *u, char kernel[VOLT_KERNEL_LENGTH],
                          volt_setting *setting, bool *taken);

/* Where a kernel and its setting stand along each axis, as near as the ranges allow; known[a] is false, and u[a] 0,
 * where the kernel does without the parameter. */
volt_status volt_space_locate(const volt_space *space, const volt_kernel *kernel, const volt_setting *setting,
                              double *u, bool *known);
/* Can the kernel be a point of the space: the same factors, and all that the space gives? */
bool volt_space_holds(const volt_space *space, const volt_kernel *kernel);
/* A step away from the position u, each of whose places is known or not (space_steps.c). */
void volt_space_step(const volt_space *space, const bool *known, volt_rng *rng, double *u);

/* The unit that the range of an axis is in, for the factor of the kernel that it belongs to; and the ends between which its
 * parameter may lie, those of its range where there are no others. */
volt_status volt_axis_unit(const volt_space *space, const volt_axis *axis, const volt_kernel *kernel,
                           double feedback, double *unit);
void volt_axis_ends(const volt_space *space, const volt_axis *axis, double *low, double *high);

/* A logit has no value at an end that the range reaches: shares stay so far from 0 and 1. */
#define VOLT_NEAREST_END 1e-3

/* How many different values axis a has in a grid of `points`, and where along the axis number i stands. */
int64_t volt_axis_points(const volt_axis *axis, int64_t points);
double volt_axis_position(const volt_axis *axis, int64_t points, int64_t i);

/* ---- grids ------------------------------------------------------------------------------------ */

enum { VOLT_MOST_AXES = 64 };

/* What one combination of the caller's choices leaves to be searched. */
typedef struct volt_part {
    int64_t choices; /* the combination as a number, the last choice running fastest */
    uint64_t taken;  /* bit a: axis a goes with it */
    int64_t end;     /* candidates of the grid up to and with this part */
} volt_part;

/* The parts of a grid of `points` over the space, `count` of them. VOLT_ERR_ARGUMENT when a range of the caller
 * goes with no combination of choices, or when there are too many to list. */
volt_status volt_space_parts(const volt_space *space, int64_t points, volt_part **parts, int64_t *count);

/* Candidate `index` of the grid as a position u along each axis, alpha running fastest. */
void volt_space_grid_position(const volt_space *space, int64_t points, const volt_part *parts, int64_t index,
                              double *u);

#endif
