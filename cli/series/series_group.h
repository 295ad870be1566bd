/* cli/series/series_group.h: series that are forecast from each other, and a fit of them. */
#ifndef CLI_SERIES_GROUP_H
#define CLI_SERIES_GROUP_H

#include "series/series_data.h"
#include "volterra.h"

typedef struct series_group {
    int64_t first, count; /* series of the data */
    int64_t season;       /* the first that one of them has; 0: none */
    volt_matrix inputs;   /* the series, each divided by its scale, then the calendar */
    double *scale;        /* of the series */
    int64_t *anchors;
} series_group;

/* All functions return 0, or the exit status after saying what is wrong. A group that begins as {0} can always be
 * released. */
int series_group_make(const series_data *data, int64_t first, int64_t count, series_group *group);
void series_group_release(series_group *group);

/* Learn the first `rows` rows, each from those at least `ahead` rows before it, with everything chosen on
 * held-out rows. Says nothing of a failure. */
volt_status series_group_fit(const series_group *group, const volt_kernel *kernel, int64_t rows, int64_t ahead,
                             volt_progress progress, volt_model **model);

#endif
