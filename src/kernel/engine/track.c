/* src/kernel/engine/track.c: a track of whichever engine the kernel runs on. */
#include "kernel/engine/track.h"

#include "base/error.h"
#include "kernel/engine/engine.h"

#include <math.h>

static const volt_track_ops *ops_of(const volt_resolved *resolved)
{
    return volt_engine_of(resolved, 1)->track;
}

volt_status volt_track_create(const volt_resolved *resolved, volt_track **track)
{
    const volt_track_ops *ops = ops_of(resolved);
    volt_track *fresh = NULL;
    VOLT_TRY(ops->create(resolved, &fresh));
    fresh->ops = ops;
    *track = fresh;
    return VOLT_OK;
}

void volt_track_free(volt_track *track)
{
    if (track)
        track->ops->release(track);
}

int64_t volt_track_ghosts(const volt_resolved *resolved)
{
    return ops_of(resolved)->ghosts(resolved);
}

volt_status volt_track_count(double number, int64_t most, int64_t *count)
{
    VOLT_REQUIRE(number >= 0 && number <= (double)most && number == floor(number), VOLT_ERR_FORMAT,
                 "a count in the state of the past is %.6g, and must be a whole number from 0 to %.6g", number,
                 (double)most);
    *count = (int64_t)number;
    return VOLT_OK;
}
