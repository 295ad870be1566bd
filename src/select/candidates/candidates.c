/* src/select/candidates/candidates.c: candidates from a list or a function, and what all sources share. */
#include "select/candidates/candidates.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates)
{
    volt_candidates *fresh = volt_alloc(1, sizeof *fresh);
    if (!fresh) {
        if (source->release)
            source->release(source->own);
        return VOLT_ERR_MEMORY;
    }
    *fresh = *source;
    *candidates = fresh;
    return VOLT_OK;
}

void volt_candidates_free(volt_candidates *candidates)
{
    if (candidates && candidates->release)
        candidates->release(candidates->own);
    volt_free(candidates);
}

int64_t volt_candidates_count(const volt_candidates *candidates)
{
    return candidates->count;
}

bool volt_candidates_has(const volt_candidates *candidates, int64_t index)
{
    return index >= 0 && (candidates->count < 0 || index < candidates->count) &&
           (!candidates->has || candidates->has(candidates, index));
}

volt_status volt_candidates_get(const volt_candidates *candidates, int64_t index,
                                char kernel[VOLT_KERNEL_LENGTH], double *alpha)
{
    VOLT_REQUIRE(candidates && kernel && alpha, VOLT_ERR_ARGUMENT,
                 "the candidates or the place for one is NULL");
    VOLT_REQUIRE(index >= 0 && (candidates->count < 0 || index < candidates->count), VOLT_ERR_ARGUMENT,
                 "candidate %" PRId64 " is not among the %" PRId64 " candidates", index, candidates->count);
    char text[VOLT_KERNEL_LENGTH] = "";
    double value = NAN;
    VOLT_TRY(candidates->get(candidates, index, text, &value));
    VOLT_REQUIRE(value > 0 && isfinite(value), VOLT_ERR_ARGUMENT,
                 "alpha is %g, and must be positive and finite", value);

    volt_kernel *parsed = NULL;
    VOLT_TRY(volt_kernel_parse(text, &parsed));
    snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", volt_kernel_text(parsed));
    *alpha = value;
    volt_kernel_free(parsed);
    return VOLT_OK;
}

/* ---- list ------------------------------------------------------------------------------------- */

typedef struct list {
    int64_t count;
    char **kernels;
    double *alphas;
} list;

static void list_release(void *own)
{
    list *all = own;
    for (int64_t i = 0; all->kernels && i < all->count; i++)
        volt_free(all->kernels[i]);
    volt_free(all->kernels);
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
        if (status == VOLT_OK && !(alphas[i] > 0 && isfinite(alphas[i])))
            status = volt_fail(VOLT_ERR_ARGUMENT, "alpha is %g, and must be positive and finite", alphas[i]);
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

/* ---- function --------------------------------------------------------------------------------- */

typedef struct function {
    volt_candidate_fn make;
    void *context;
} function;

static volt_status function_get(const volt_candidates *candidates, int64_t index,
                                char kernel[VOLT_KERNEL_LENGTH], double *alpha)
{
    const function *source = candidates->own;
    VOLT_REQUIRE(source->make(index, kernel, VOLT_KERNEL_LENGTH, alpha, source->context) == 0,
                 VOLT_ERR_ARGUMENT, "there is no candidate %" PRId64, index);
    return VOLT_OK;
}

static bool function_has(const volt_candidates *candidates, int64_t index)
{
    const function *source = candidates->own;
    char kernel[VOLT_KERNEL_LENGTH];
    double alpha;
    return source->make(index, kernel, sizeof kernel, &alpha, source->context) == 0;
}

volt_status volt_candidates_function(volt_candidate_fn make, void *context, int64_t count,
                                     volt_candidates **candidates)
{
    VOLT_REQUIRE(make && candidates, VOLT_ERR_ARGUMENT, "the function that makes candidates is NULL");
    VOLT_REQUIRE(count >= 1 || count == -1, VOLT_ERR_ARGUMENT,
                 "there are %" PRId64 " candidates, and must be at least 1, or -1 for no end", count);
    function *own = volt_alloc(1, sizeof *own);
    if (!own)
        return VOLT_ERR_MEMORY;
    own->make = make;
    own->context = context;
    volt_candidates source = {
        .count = count, .get = function_get, .has = function_has, .release = volt_free, .own = own};
    return volt_candidates_make(&source, candidates);
}
