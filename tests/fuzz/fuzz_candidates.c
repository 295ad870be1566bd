/* tests/fuzz/fuzz_candidates.c: libFuzzer target for the reader of candidate files. */
#include "fuzz/fuzz_input.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "volterra/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every candidate read must be a complete kernel text and a positive alpha, or 0 if the file has the word auto. */
static void read_for(const char *path, const char *kernel, int may_be_profiled)
{
    volt_candidates *candidates = NULL;
    if (volt_candidates_read(path, kernel, &candidates))
        return;
    int64_t count = candidates->count;
    if (count < 1)
        abort();
    for (int64_t i = 0; i < count; i++) {
        char text[VOLT_KERNEL_LENGTH];
        double alpha = 0;
        volt_kernel *parsed = NULL;
        if (volt_candidates_get(candidates, i, text, &alpha, NULL) || !isfinite(alpha) || alpha < 0)
            abort();
        if (alpha == 0 && !may_be_profiled)
            abort();
        if (volt_kernel_parse(text, &parsed) || strcmp(volt_kernel_text(parsed), text) != 0)
            abort();
        volt_kernel_free(parsed);
    }
    volt_candidates_free(candidates);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_input_path(bytes, size);
    int may_be_profiled = memmem(bytes, size, "auto", 4) != NULL;
    read_for(path, NULL, may_be_profiled);
    read_for(path, "volterra", may_be_profiled);
    read_for(path, "rbf: window = 2", may_be_profiled);
    read_for(path, "sig:level=2", may_be_profiled);
    return 0;
}
