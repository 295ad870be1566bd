/* src/model/live/learner_interval.c: intervals about a learner's forecasts, which every target that is learned teaches. */
#include "base/error.h"
#include "base/memory.h"
#include "model/live/learner_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

volt_status volt_learner_track(volt_learner *learner, const double *coverages, int64_t count)
{
    VOLT_REQUIRE(learner && coverages, VOLT_ERR_ARGUMENT, "the learner or the coverages are NULL");
    VOLT_REQUIRE(!learner->journal, VOLT_ERR_ARGUMENT,
                 "the learner keeps a journal already: what it tracks must be known before");
    volt_interval *interval = NULL;
    VOLT_TRY(volt_interval_create(learner->model, coverages, count, &interval));
    double *half = volt_alloc_doubles(count, learner->model->q);
    if (!half) {
        volt_interval_free(interval);
        return VOLT_ERR_MEMORY;
    }
    volt_interval_free(learner->interval);
    volt_free(learner->half);
    learner->interval = interval;
    learner->half = half;
    volt_learner_widen(learner);
    return VOLT_OK;
}

int64_t volt_learner_coverages(const volt_learner *learner, const double **coverages)
{
    if (learner->interval && coverages)
        *coverages = learner->interval->coverages;
    return learner->interval ? learner->interval->count : 0;
}

volt_status volt_learner_interval(const volt_learner *learner, double *half)
{
    VOLT_REQUIRE(learner && half, VOLT_ERR_ARGUMENT, "the learner or the place for the widths is NULL");
    VOLT_REQUIRE(learner->interval, VOLT_ERR_ARGUMENT,
                 "the learner tracks no intervals: call volt_learner_track first");
    memcpy(half, learner->half, (size_t)(learner->interval->count * learner->interval->q) * sizeof *half);
    return VOLT_OK;
}

void volt_learner_widen(volt_learner *learner)
{
    if (learner->interval)
        volt_interval_half(learner->interval, learner->half);
}

void volt_learner_observe(volt_learner *learner, const double *forecast, const double *y)
{
    bool finite = true;
    for (int64_t k = 0; k < learner->model->q; k++) /* a forecast too large for a double has no error */
        finite = finite && fabs(forecast[k]) < DBL_MAX && isfinite(y[k] - forecast[k]);
    if (learner->interval && finite)
        volt_interval_learn(learner->interval, forecast, y);
}
