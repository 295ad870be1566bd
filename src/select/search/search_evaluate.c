/* src/select/search/search_evaluate.c: one candidate of a search, evaluated here as soon as there is room for it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "select/search/search_run.h"

/* What belongs to the candidate and what ends the run. */
bool volt_run_is_candidates_own(volt_status status)
{
    return status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE || status == VOLT_ERR_ARGUMENT ||
           status == VOLT_ERR_KERNEL || status == VOLT_ERR_DATA || status == VOLT_ERR_DOMAIN ||
           status == VOLT_ERR_SHAPE;
}

/* Wait until the candidate's engine has its room: with others, or alone when there is not enough for that. */
volt_status volt_run_reserve(volt_run *r, double bytes)
{
    for (bool granted = false; !granted;) {
        omp_set_lock(&r->lock);
        bool is_alone = r->reserved == 0;
        granted = is_alone || r->reserved + bytes <= r->room;
        if (granted)
            r->reserved += bytes;
        omp_unset_lock(&r->lock);
        if (granted && is_alone && bytes > r->room)
            return volt_memory_require(bytes, "the kernel of a candidate");
        if (!granted) {
            if (!volt_stage_advance(&r->stage, 0))
                return VOLT_ERR_CANCELLED;
            volt_rest(1000);
        }
    }
    return VOLT_OK;
}

void volt_run_release(volt_run *r, double bytes)
{
    omp_set_lock(&r->lock);
    r->reserved -= bytes;
    if (r->reserved < 1) /* rounding must not keep the next one from being alone */
        r->reserved = 0;
    omp_unset_lock(&r->lock);
}

volt_status volt_run_evaluate(volt_run *r, volt_workspace *workspace, const char *kernel, volt_setting *setting,
                              volt_goes_on_fn goes_on, void *context, volt_stage *stage, double *folds,
                              int64_t *done, volt_cost *cost)
{
    double bytes = 0;
    VOLT_TRY(volt_candidate_bytes(r->problem, kernel, setting->feedback > 0, &bytes));
    VOLT_TRY(volt_run_reserve(r, bytes));
    volt_status status = volt_evaluate(r->problem, workspace, kernel, &setting->alpha, setting->feedback,
                                       goes_on, context, stage, folds, done, cost);
    volt_run_release(r, bytes);
    return status;
}
