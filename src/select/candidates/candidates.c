/* src/select/candidates/candidates.c: functions shared by all sources of candidates. */
#include "select/candidates/candidates.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

_Static_assert((int)VOLT_KERNEL_LENGTH >= (int)VOLT_EXPRESSION_LENGTH, "every kernel's text is a candidate's");

volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates)
{
    volt_candidates *fresh = volt_alloc(1, sizeof *fresh);
    if (!fresh) {
        source->release(source->context);
        return VOLT_ERR_MEMORY;
    }
    *fresh = *source;
    *candidates = fresh;
    return VOLT_OK;
}

void volt_candidates_free(volt_candidates *candidates)
{
    if (!candidates)
        return;
    candidates->release(candidates->context);
    volt_free(candidates->start);
    volt_free(candidates);
}

volt_status volt_candidates_start(volt_candidates *candidates, const char *kernel, const volt_setting *setting,
                                  double step)
{
    char *text = volt_strdup(kernel);
    if (!text)
        return VOLT_ERR_MEMORY;
    volt_free(candidates->start);
    candidates->start = text;
    candidates->start_setting = *setting;
    candidates->start_step = step;
    return VOLT_OK;
}

volt_status volt_setting_check(const volt_setting *setting)
{
    VOLT_REQUIRE(setting->alpha >= 0 && isfinite(setting->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite, or 0 to be profiled (got %g)", setting->alpha);
    VOLT_REQUIRE(setting->feedback >= 0 && isfinite(setting->feedback), VOLT_ERR_ARGUMENT,
                 "the feedback weight must be positive and finite, or 0 for none (got %g)", setting->feedback);
    return VOLT_OK;
}

/* Checks a candidate of a source and completes the kernel text. */
static volt_status complete(const char *text, volt_setting value, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    VOLT_TRY(volt_setting_check(&value));
    volt_kernel *parsed = NULL;
    VOLT_TRY(volt_kernel_parse(text, &parsed));
    snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", volt_kernel_text(parsed));
    *setting = value;
    volt_kernel_free(parsed);
    return VOLT_OK;
}

volt_status volt_candidates_take(const volt_candidates *candidates, int64_t index,
                                 char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    VOLT_REQUIRE(index >= 0 && (candidates->count < 0 || index < candidates->count), VOLT_ERR_ARGUMENT,
                 "candidate %" PRId64 " is not among the %" PRId64 " candidates", index, candidates->count);
    char text[VOLT_KERNEL_LENGTH] = "";
    volt_setting value = {.alpha = NAN};
    if (index == 0 && candidates->start)
        return complete(candidates->start, candidates->start_setting, kernel, setting);
    VOLT_TRY(candidates->get(candidates, index, text, &value));
    return complete(text, value, kernel, setting);
}

volt_status volt_candidates_get(const volt_candidates *candidates, int64_t index,
                                char kernel[VOLT_KERNEL_LENGTH], double *alpha, double *feedback)
{
    VOLT_REQUIRE(candidates && kernel && alpha, VOLT_ERR_ARGUMENT, "the candidates or an output is NULL");
    volt_setting setting;
    VOLT_TRY(volt_candidates_take(candidates, index, kernel, &setting));
    *alpha = setting.alpha;
    if (feedback)
        *feedback = setting.feedback;
    return VOLT_OK;
}

volt_status volt_candidates_locate(const volt_candidates *candidates, const volt_trial *trial,
                                   volt_point *point)
{
    volt_setting setting = {trial->alpha, trial->feedback};
    volt_kernel *about = NULL;
    VOLT_TRY(volt_kernel_parse(trial->kernel, &about));
    volt_status status = candidates->locate(candidates, about, &setting, point);
    volt_kernel_free(about);
    return status;
}

volt_status volt_candidates_at(const volt_point *point, char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    char text[VOLT_KERNEL_LENGTH] = "";
    volt_setting value = {.alpha = NAN};
    VOLT_TRY(point->source->get_at(point->source, point->u, text, &value));
    return complete(text, value, kernel, setting);
}

/* One in five is an unrestricted draw, so that no part of the space is excluded. This choice has its own
 * stream of random numbers, separate from the draw and from the step. */
volt_status volt_candidates_follow(const volt_candidates *candidates, int64_t index,
                                   const volt_parents *parents, char kernel[VOLT_KERNEL_LENGTH],
                                   volt_setting *setting)
{
    static const uint64_t choosing = UINT64_C(0x9e3779b97f4a7c15);
    static const double share_near = 0.8;
    volt_rng rng;
    volt_rng_init(&rng, candidates->seed ^ choosing, (uint64_t)index);
    bool near = volt_rng_uniform(&rng) < share_near;
    int64_t which = (int64_t)(volt_rng_uniform(&rng) * (double)parents->count);
    if (!near || parents->count == 0)
        return volt_candidates_take(candidates, index, kernel, setting);

    const volt_trial *parent = parents->trials[which];
    volt_setting value = {.alpha = NAN}, about_setting = {parent->alpha, parent->feedback};
    volt_kernel *about = NULL;
    VOLT_TRY(volt_kernel_parse(parent->kernel, &about));
    char text[VOLT_KERNEL_LENGTH] = "";
    volt_status status = candidates->get_near(candidates, index, about, &about_setting, text, &value);
    volt_kernel_free(about);
    return status == VOLT_OK ? complete(text, value, kernel, setting) : status;
}
