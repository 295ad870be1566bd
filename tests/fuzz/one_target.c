/* tests/fuzz/one_target.c: libFuzzer entry point that runs the target named by FUZZ_TARGET.
 *
 *     FUZZ_TARGET=csv fuzz_one -max_total_time=60 FOLDER
 *
 * All targets are linked into one program. The name is passed in the environment because libFuzzer restarts
 * the program with its own arguments when it merges. */
#include "fuzz/replay.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const fuzz_target *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *name = getenv("FUZZ_TARGET");
    chosen = fuzz_target_find(name ? name : "");
    if (!chosen) {
        fprintf(stderr, "fuzz_one: FUZZ_TARGET is '%s'; there are", name ? name : "");
        for (const fuzz_target *target = fuzz_targets; target->name; target++)
            fprintf(stderr, " %s", target->name);
        fputc('\n', stderr);
        exit(EXIT_FAILURE);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return chosen->run(bytes, size);
}
