/* tests/fuzz/fuzz_mute.h: the program's parsers say on standard error what is wrong; a fuzzer would hear it a
 * million times.
 *
 * Include it behind fuzz_input.h. */
#ifndef FUZZ_FUZZ_MUTE_H
#define FUZZ_FUZZ_MUTE_H

#include <stdio.h>

/* Discards further output to stderr. The fuzzer and the sanitizers have the descriptor, and are
 * heard. */
static inline void fuzz_mute(void)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (nowhere)
        stderr = nowhere;
}

#endif
