/* cli/compare/compare_watch.h: how far a comparison is: which kernel, how many draws, the best score, the time left. */
#ifndef CLI_COMPARE_WATCH_H
#define CLI_COMPARE_WATCH_H

#include "volterra.h"

#include <stdbool.h>

typedef struct compare_watch {
    int64_t sample, samples; /* the present one, counted from 0, of how many */
    int64_t most_draws;      /* 0: as many as there is time for */
    volt_progress bar;
} compare_watch;

/* Reports sample watch->sample through the bar; the watch must outlive the comparison. */
void compare_watch_sample(compare_watch *watch, volt_compare_options *options);

#endif
