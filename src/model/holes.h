/* src/model/holes.h: rows whose targets are missing: they feed the past, and are not fitted. */
#ifndef MODEL_HOLES_H
#define MODEL_HOLES_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_holes {
    bool *without;     /* per row: a target is missing; NULL: no row */
    volt_view present; /* the rows that have all their targets, one after the other */
    double *copy;      /* of them, where some are missing */
} volt_holes;

/* Look for NaN in Y, of which the rows from `first` on are to be fitted. VOLT_ERR_DATA when no such row has all its
 * targets. Release it in every case. */
volt_status volt_holes_find(volt_view Y, int64_t first, volt_holes *holes);
void volt_holes_release(volt_holes *holes);

#endif
