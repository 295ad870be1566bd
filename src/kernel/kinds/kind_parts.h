/* src/kernel/kinds/kind_parts.h: shared parts of kernels: descriptions of parameters, and static kernels. */
#ifndef KERNEL_KIND_PARTS_H
#define KERNEL_KIND_PARTS_H

#include "kernel/kernel_entry.h"

#include <math.h>

/* ---- descriptions of parameters: kernels pass their differences as macro arguments ---------------- */

/* Fields of a description: a number from `from` to `to`, with the ends included according to `ends`
 * (volt_parameter_info.closed); an integer; a word from a list; the range of searches. */
#define VOLT_REAL(its_name, its_range, from, to, ends)                                                  \
    .name = (its_name), .range = (its_range), .kind = VOLT_PARAMETER_REAL, .low = (from), .high = (to), \
    .closed = (ends)
#define VOLT_INTEGER(its_name, its_range, from, to) \
    .name = (its_name), .range = (its_range), .kind = VOLT_PARAMETER_INTEGER, .low = (from), .high = (to)
#define VOLT_CHOICE(its_name, its_range, its_words) \
    .name = (its_name), .range = (its_range), .kind = VOLT_PARAMETER_CHOICE, .words = (its_words)
#define VOLT_SEARCHED(law, from, to) .search = VOLT_SEARCH_##law, .search_low = (from), .search_high = (to)

/* The list of a file, as fields of its kernel's info. */
#define VOLT_KERNEL_INFO \
    .struct_size = sizeof(volt_kernel_info), .parameters = parameters, .n_parameters = N_PARAMETERS

/* A positive number, default 1, searched log-uniformly from `from` to `to` in units of `its_unit`. */
#define VOLT_PARAMETER_POSITIVE(its_name, its_meaning, its_unit, from, to)             \
    {                                                                                  \
        VOLT_REAL(its_name, "(0, inf)", 0, INFINITY, 0), VOLT_SEARCHED(LOG, from, to), \
            .unit = (its_unit), .fallback = "1", .meaning = (its_meaning)              \
    }

/* A decay factor from 0 to below 1, searched uniformly from 0 to `to`. */
#define VOLT_PARAMETER_SHARE(its_name, its_meaning, its_fallback, to)                                     \
    {                                                                                                     \
        VOLT_REAL(its_name, "[0, 1)", 0, 1, 1), VOLT_SEARCHED(LINEAR, 0, to), .fallback = (its_fallback), \
                                                                              .meaning = (its_meaning)    \
    }

/* gamma of exp(-gamma D), where D is a squared distance including earlier rows. */
#define VOLT_PARAMETER_DISTANCE_GAMMA(to) \
    VOLT_PARAMETER_POSITIVE("gamma", "scale of the squared distance", VOLT_UNIT_ONE, 1e-2, to)

#define VOLT_PARAMETER_RHO(its_fallback, to) \
    VOLT_PARAMETER_SHARE("rho", "decay factor of the distance per step", its_fallback, to)

/* Rows of a window: the fields except the default, which not every kernel has. */
#define VOLT_PARAMETER_ROWS(its_meaning, from, to)                                        \
    VOLT_INTEGER("window", "1 to 1000000", 1, 1e6), VOLT_SEARCHED(LOG_INTEGER, from, to), \
        .meaning = (its_meaning)

/* Of static kernels. */
#define VOLT_PARAMETER_WINDOW                                                                           \
    {                                                                                                   \
        .fallback = "1", VOLT_PARAMETER_ROWS("number of latest rows, including the current one", 1, 64) \
    }

/* ---- static kernels: of one row, or of a window of rows read as one long row ----------------------
 *
 * They are scans without state: a formula of the local value, summed over the window. */

/* A resolved static kernel. `largest` bounds |K| on the ball. */
static inline volt_resolved volt_static_resolved(volt_scan scan, int64_t window, double radius, double largest)
{
    return (volt_resolved){.facts = {.radius = radius, .largest = largest}, .window = window, .scan = scan};
}

/* The step of a static kernel: out = formula of the local value s, inlined and vectorised. */
#define VOLT_STATIC_STEP(formula)                          \
    (void)state;                                           \
    (void)stride;                                          \
    for (int64_t r = 0; r < rows; r++) {                   \
        const double *restrict row = local + r * ld_local; \
        double *restrict row_out = out + r * ld_out;       \
        for (int64_t k = 0; k < count; k++) {              \
            double s = row[k];                             \
            row_out[k] = (formula);                        \
        }                                                  \
    }

/* Its power series, from the Taylor coefficients of the formula. */
#define VOLT_STATIC_SERIES(taylor)                                                                             \
    static void series_step(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local, \
                            volt_jet *state, volt_jet *out)                                                    \
    {                                                                                                          \
        (void)state;                                                                                           \
        volt_jet_compose(workspace, taylor, &scan->constants, local, out);                                     \
    }                                                                                                          \
    static const volt_scan_series series = {.step = series_step};

/* gamma as given, or 1 / (d window), the default of static kernels. */
static inline double volt_static_gamma(const volt_kernel *kernel, int p, int64_t d, int64_t window)
{
    return kernel->present[p] ? kernel->value[p] : 1 / ((double)d * (double)window);
}

#define VOLT_PARAMETER_STATIC_GAMMA                                                                        \
    {                                                                                                      \
        .name = "gamma", .meaning = "scale of the local value; default 1/(d window)", .range = "(0, inf)", \
        .kind = VOLT_PARAMETER_REAL, .low = 0, .high = INFINITY, .search = VOLT_SEARCH_LOG,                \
        .unit = VOLT_UNIT_INVERSE_SQUARE, .search_low = 1e-3, .search_high = 10                            \
    }

#endif
