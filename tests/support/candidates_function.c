/* tests/support/candidates_function.c: candidates from a function of the index. */
#include "base/error.h"
#include "base/memory.h"
#include "select/candidates/candidates.h"
#include "support/candidate.h"

#include <inttypes.h>

typedef struct function {
    candidate_fn make;
    void *context;
} function;

static volt_status function_get(const volt_candidates *candidates, int64_t index,
                                char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    const function *source = candidates->context;
    VOLT_REQUIRE(source->make(index, kernel, VOLT_KERNEL_LENGTH, &setting->alpha, source->context) == 0,
                 VOLT_ERR_ARGUMENT, "there is no candidate %" PRId64, index);
    return VOLT_OK;
}

volt_status candidates_of_function(candidate_fn make, void *context, int64_t count,
                                   volt_candidates **candidates)
{
    function *own = volt_alloc(1, sizeof *own);
    if (!own)
        return VOLT_ERR_MEMORY;
    own->make = make;
    own->context = context;
    volt_candidates source = {.count = count, .get = function_get, .release = volt_free, .context = own};
    return volt_candidates_make(&source, candidates);
}
