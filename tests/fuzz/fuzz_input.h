/* tests/fuzz/fuzz_input.h: common parts of all targets: its entry, its assertion, the bytes as a file to open.
 *
 * Include it before anything else: it asks for memfd_create. */
#ifndef FUZZ_FUZZ_INPUT_H
#define FUZZ_FUZZ_INPUT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Assertion of a target, independent of NDEBUG: a condition that does not hold ends the program, with its place. */
#define FUZZ_CHECK(condition)                                                                     \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            dprintf(STDERR_FILENO, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                              \
        }                                                                                         \
    } while (0)

/* The entry that libFuzzer and replay.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Put the bytes into an unnamed file in memory and return its path, valid until the next call. Ends the program
 * when the system gives no such file. */
static inline const char *fuzz_input_path(const uint8_t *bytes, size_t size)
{
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0)
        descriptor = memfd_create("fuzz_input", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, 0) != 0 ||
        pwrite(descriptor, bytes, size, 0) != (ssize_t)size) {
        perror("fuzz_input");
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return path;
}

#endif
