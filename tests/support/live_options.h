/* tests/support/live_options.h: options and facts of live objects, in short. */
#ifndef SUPPORT_LIVE_OPTIONS_H
#define SUPPORT_LIVE_OPTIONS_H

#include "volterra/live.h"

#include <string.h>

/* Defaults, with learning. */
static inline const volt_live_options *with_learning(void)
{
    static volt_live_options options;
    options = volt_live_options_default();
    options.learn = 1;
    return &options;
}

/* Without learning, with the start, the policy and the progress of a prediction; NULL: NULL. */
static inline const volt_live_options *as_live(const volt_predict_options *predict)
{
    static volt_live_options options;
    options = volt_live_options_default();
    if (predict) {
        options.start = predict->start;
        options.beyond = predict->beyond;
        options.progress = predict->progress;
    }
    return predict ? &options : NULL;
}

static inline volt_live_info live_info(const volt_live *live)
{
    volt_live_info info = {.struct_size = sizeof info};
    (void)volt_live_get_info(live, &info);
    return info;
}

static inline int64_t live_beyond(const volt_live *live)
{
    return live_info(live).beyond;
}

/* The last row into x (d numbers). Returns 0 and does not change x if there is none yet. */
static inline int live_last(const volt_live *live, int64_t d, double *x)
{
    const double *last = live_info(live).last;
    if (last)
        memcpy(x, last, (size_t)d * sizeof *x);
    return last != NULL;
}

#endif
