/* src/kernel/kinds/parameter_blocks.h: descriptions of parameters that several kernels have. What differs between
 * them is the argument of a macro. */
#ifndef KERNEL_PARAMETER_BLOCKS_H
#define KERNEL_PARAMETER_BLOCKS_H

#include "volterra/kernel.h"

#include <math.h>

/* A positive number, 1 unless given, searched log-uniformly from `from` to `to` in units of `its_unit`. */
#define VOLT_PARAMETER_POSITIVE(its_name, its_meaning, its_unit, from, to)                  \
    {                                                                                       \
        .name = (its_name), .meaning = (its_meaning), .fallback = "1", .range = "(0, inf)", \
        .kind = VOLT_PARAMETER_REAL, .low = 0, .high = INFINITY, .search = VOLT_SEARCH_LOG, \
        .unit = (its_unit), .search_low = (from), .search_high = (to)                       \
    }

/* What a step keeps of something, from 0 to below 1, searched uniformly from 0 to `to`. */
#define VOLT_PARAMETER_SHARE(its_name, its_meaning, its_fallback, to)                                \
    {                                                                                                \
        .name = (its_name), .meaning = (its_meaning), .fallback = (its_fallback), .range = "[0, 1)", \
        .kind = VOLT_PARAMETER_REAL, .low = 0, .high = 1, .closed = 1, .search = VOLT_SEARCH_LINEAR, \
        .search_low = 0, .search_high = (to)                                                         \
    }

/* gamma of exp(-gamma D), D a squared distance with its past. */
#define VOLT_PARAMETER_DISTANCE_GAMMA(to) \
    VOLT_PARAMETER_POSITIVE("gamma", "scale of the squared distance", VOLT_UNIT_ONE, 1e-2, to)

#define VOLT_PARAMETER_RHO(its_fallback, to) \
    VOLT_PARAMETER_SHARE("rho", "share of the distance that a step keeps", its_fallback, to)

/* Rows of a window: the fields but the fallback, which not every kernel has. */
#define VOLT_PARAMETER_ROWS(its_meaning, from, to)                                                       \
    .name = "window", .meaning = (its_meaning), .range = "1 to 1000000", .kind = VOLT_PARAMETER_INTEGER, \
    .low = 1, .high = 1e6, .search = VOLT_SEARCH_LOG_INTEGER, .search_low = (from), .search_high = (to)

/* Of static kernels. */
#define VOLT_PARAMETER_WINDOW                                                                                 \
    {                                                                                                         \
        .fallback = "1", VOLT_PARAMETER_ROWS("rows of the past that an entry sees, this one included", 1, 64) \
    }

#endif
