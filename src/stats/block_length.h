/* src/stats/block_length.h: the block length for several series at once. */
#ifndef STATS_BLOCK_LENGTH_H
#define STATS_BLOCK_LENGTH_H

#include "volterra/base.h"

enum { VOLT_BLOCK_ROWS = 10 }; /* values that a series needs for the rule, at least */

/* The largest block length over the differences of any two columns: none is then cut into blocks too short
 * for its dependence. What all columns share plays no part, as it plays none in a comparison. 1 when there is
 * one column. VOLT_ERR_CANCELLED. */
volt_status volt_block_length_of_differences(volt_view values, volt_progress progress, double *block);

/* Mean block length, at least 1, of the stationary bootstrap that suits the dependence within a series of
 * T >= 10 values: the rule of Politis and White (2004), as corrected by Patton, Politis and White (2009). */
volt_status volt_block_length(const double *values, int64_t count, double *block);

#endif
