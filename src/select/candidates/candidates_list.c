/* src/select/candidates/candidates_list.c: candidates from a list. */
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct list {
    int64_t count;
    char **kernels;
    volt_setting *settings;
} list;

static void list_release(void *context)
{
    list *all = context;
    volt_names_free(all->kernels, all->count);
    volt_free(all->settings);
    volt_free(all);
}

static volt_status list_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const list *all = candidates->context;
    snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", all->kernels[index]);
    *setting = all->settings[index];
    return VOLT_OK;
}

static volt_status list_fill(const char *const *kernels, const double *alphas, const double *feedbacks,
                             list *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        volt_kernel *parsed = NULL;
        volt_setting setting = {alphas[i], feedbacks ? feedbacks[i] : 0};
        volt_status status = volt_kernel_parse(kernels[i], &parsed);
        if (status == VOLT_OK)
            status = volt_setting_check(&setting);
        if (status == VOLT_OK && !(all->kernels[i] = volt_strdup(volt_kernel_text(parsed))))
            status = VOLT_ERR_MEMORY;
        volt_kernel_free(parsed);
        if (status != VOLT_OK)
            return status == VOLT_ERR_MEMORY
                       ? status
                       : volt_fail_prefix(status, "candidate %" PRId64 " (counted from 1)", i + 1);
        all->settings[i] = setting;
    }
    return VOLT_OK;
}

volt_status volt_candidates_list(const char *const *kernels, const double *alphas, const double *feedbacks,
                                 int64_t count, volt_candidates **candidates)
{
    VOLT_REQUIRE(kernels && alphas && candidates, VOLT_ERR_ARGUMENT, "the list of candidates is NULL");
    VOLT_REQUIRE(count >= 1, VOLT_ERR_ARGUMENT, "the list must have at least 1 candidate (got %" PRId64 ")",
                 count);
    list *all = volt_alloc_zero(1, sizeof *all);
    if (!all)
        return VOLT_ERR_MEMORY;
    all->count = count;
    all->kernels = volt_alloc_zero(count, sizeof *all->kernels);
    all->settings = volt_alloc(count, sizeof *all->settings);
    volt_status status =
        all->kernels && all->settings ? list_fill(kernels, alphas, feedbacks, all) : VOLT_ERR_MEMORY;
    if (status != VOLT_OK) {
        list_release(all);
        return status;
    }
    volt_candidates source = {.count = count, .get = list_get, .release = list_release, .context = all};
    for (int64_t i = 0; i < count; i++)
        source.feeds |= all->settings[i].feedback > 0;
    return volt_candidates_make(&source, candidates);
}
