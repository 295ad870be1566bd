/* src/model/fit/holes.h: rows without a target to fit: it is missing, or the weight of the row is 0. Their inputs are part of the past
 * of later rows. */
#ifndef MODEL_HOLES_H
#define MODEL_HOLES_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_holes {
    bool *without;     /* per row: it is not fitted; NULL: every row is */
    volt_view present; /* the rows to fit, one after the other */
    double *copy;      /* of them, where some are left out */
} volt_holes;

/* Leaves out rows of weight 0 (weights: n, optional), and with `missing` those with a NaN in Y. VOLT_ERR_DATA when no row from
 * `first` on is left. Release it in every case. */
volt_status volt_holes_find(volt_view Y, const double *weights, bool missing, int64_t first, volt_holes *holes);
void volt_holes_release(volt_holes *holes);

#endif
