/* src/select/candidates/candidates_list.c: candidates from a list. */
#include "base/error.h"
#include "base/memory.h"
#include "base/name_lists.h"
#include "select/candidates/candidates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct list {
    int64_t count;
    char **kernels;
    double *alphas;
} list;

static void list_release(void *own)
{
    list *all = own;
    volt_names_free(all->kernels, all->count);
    volt_free(all->alphas);
    volt_free(all);
}

static volt_status list_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            double *alpha)
{
    const list *all = candidates->own;
    snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", all->kernels[index]);
    *alpha = all->alphas[index];
    return VOLT_OK;
}

static volt_status list_fill(const char *const *kernels, const double *alphas, list *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        volt_kernel *parsed = NULL;
        volt_status status = volt_kernel_parse(kernels[i], &parsed);
        if (status == VOLT_OK && !(alphas[i] >= 0 && isfinite(alphas[i])))
            status = volt_fail(VOLT_ERR_ARGUMENT,
                               "alpha is %g, and must be positive and finite, or 0 to be profiled", alphas[i]);
        if (status == VOLT_OK && !(all->kernels[i] = volt_strdup(volt_kernel_text(parsed))))
            status = VOLT_ERR_MEMORY;
        volt_kernel_free(parsed);
        if (status != VOLT_OK)
            return status == VOLT_ERR_MEMORY
                       ? status
                       : volt_fail_prefix(status, "candidate %" PRId64 " (counted from 1)", i + 1);
        all->alphas[i] = alphas[i];
    }
    return VOLT_OK;
}

volt_status volt_candidates_list(const char *const *kernels, const double *alphas, int64_t count,
                                 volt_candidates **candidates)
{
    VOLT_REQUIRE(kernels && alphas && candidates, VOLT_ERR_ARGUMENT, "the list of candidates is NULL");
    VOLT_REQUIRE(count >= 1, VOLT_ERR_ARGUMENT, "the list has %" PRId64 " candidates, and needs at least 1",
                 count);
    list *all = volt_alloc_zero(1, sizeof *all);
    if (!all)
        return VOLT_ERR_MEMORY;
    all->count = count;
    all->kernels = volt_alloc_zero(count, sizeof *all->kernels);
    all->alphas = volt_alloc_doubles(count, 1);
    volt_status status = all->kernels && all->alphas ? list_fill(kernels, alphas, all) : VOLT_ERR_MEMORY;
    if (status != VOLT_OK) {
        list_release(all);
        return status;
    }
    volt_candidates source = {.count = count, .get = list_get, .release = list_release, .own = all};
    return volt_candidates_make(&source, candidates);
}
