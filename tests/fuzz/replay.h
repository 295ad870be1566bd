/* tests/fuzz/replay.h: the table of all targets, made by tests/CMakeLists.txt. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct fuzz_target {
    const char *name; /* csv of fuzz_csv.c, and of the archive of its cases; NULL ends the table */
    int (*run)(const uint8_t *bytes, size_t size);
} fuzz_target;

extern const fuzz_target fuzz_targets[];

/* The target of that name; NULL: there is none. */
static inline const fuzz_target *fuzz_target_find(const char *name)
{
    const fuzz_target *target = fuzz_targets;
    while (target->name && strcmp(target->name, name) != 0)
        target++;
    return target->name ? target : NULL;
}

#endif
