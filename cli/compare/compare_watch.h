/* cli/compare/compare_watch.h: how far a comparison is: which kernel, how many draws, the best score, the time left. */
#ifndef CLI_COMPARE_WATCH_H
#define CLI_COMPARE_WATCH_H

#include "volterra.h"
#include "volterra/study.h"

#include <stdbool.h>

typedef struct compare_watch {
    int64_t sample, samples;     /* the present one, counted from 0, of how many */
    int64_t kernels, most_draws; /* most_draws 0: as many as there is time for */
    volt_progress bar;
} compare_watch;

/* Have the study of sample watch->sample report through the bar; the watch must outlive the study. */
void compare_watch_study(compare_watch *watch, volt_study_options *options);

#endif
