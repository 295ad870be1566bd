/* src/model/predict/device_run.h: many rows of a live object at once, by a back end that runs free (base/run_form.h). */
#ifndef MODEL_DEVICE_RUN_H
#define MODEL_DEVICE_RUN_H

#include "base/backend.h"
#include "model/live/live_internal.h"

/* Rows to be fed. */
typedef struct volt_device_rows {
    volt_view X;         /* (rows x inputs) ... */
    volt_matrix out;     /* rows x q: ... and where their outputs go ... */
    bool chained;        /* ... which are the next row, X being the first row alone */
    const double *known; /* (optional) the outputs that come back after the first rows, q to a row, ... */
    int64_t known_ld;
    int64_t warm; /* ... of so many of them */
    bool watches; /* of the others, one that leaves the range of training ends the run */
} volt_device_rows;

/* Feeds as many of the rows as the back end takes: *done of them. The row that follows, if
 * there is one, is for volt_live_feed, and then the back end may be asked again. VOLT_ERR_NOT_FINITE as volt_live_feed, or
 * where a row that is watched has left the range; `first` (from 0) is the number of the first row, for the sentence. */
volt_status volt_device_run(volt_live *live, const volt_backend *backend, const volt_device_rows *rows,
                            int64_t first, volt_stage *stage, int64_t *done);

#endif
