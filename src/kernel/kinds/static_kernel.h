/* src/kernel/kinds/static_kernel.h: kernels of one row, or of a window of rows read as one long row.
 *
 * They are scans without state: the local value, summed over the window, goes through a formula. */
#ifndef KERNEL_STATIC_KERNEL_H
#define KERNEL_STATIC_KERNEL_H

#include "kernel/kernel_entry.h"
#include "kernel/kinds/parameter_blocks.h"

/* Fill `resolved` for a static kernel. `largest` bounds |K| on the ball. */
void volt_static_resolve(volt_scan scan, int64_t window, double radius, double largest,
                         volt_resolved *resolved);

/* The step of a static kernel: out = formula of the local value s, which is inlined and vectorises. */
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

/* Its series: that of the formula, from its Taylor coefficients. */
#define VOLT_STATIC_SERIES(taylor)                                                                   \
    static void series_step(const volt_scan *scan, const volt_jet_room *room, const volt_jet *local, \
                            volt_jet *state, volt_jet *out)                                          \
    {                                                                                                \
        (void)state;                                                                                 \
        volt_jet_compose(room, taylor, &scan->own, local, out);                                      \
    }                                                                                                \
    static const volt_scan_series series = {.step = series_step};

/* gamma as given, or 1 / (d window), the default of static kernels. */
double volt_static_gamma(const volt_kernel *kernel, int p, int64_t d, int64_t window);

#define VOLT_PARAMETER_STATIC_GAMMA                                                                        \
    {                                                                                                      \
        .name = "gamma", .meaning = "scale of the local value; 1/(d window) when not given",               \
        .range = "(0, inf)", .kind = VOLT_PARAMETER_REAL, .low = 0, .high = INFINITY,                      \
        .search = VOLT_SEARCH_LOG, .unit = VOLT_UNIT_INVERSE_SQUARE, .search_low = 1e-3, .search_high = 10 \
    }

#endif
