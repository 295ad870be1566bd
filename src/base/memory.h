/* src/base/memory.h: memory allocation for the whole library. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "volterra/base.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Allocator of a test. alloc returns memory aligned to 64 bytes, or NULL; release accepts memory from alloc, or NULL. Both
 * must be thread-safe. */
typedef struct volt_allocator {
    void *(*alloc)(size_t bytes, void *context);
    void (*release)(void *memory, void *context);
    void *context;
} volt_allocator;

/* Sets the allocator; NULL restores the default. Call it before any object is created: memory must be released by the
 * allocator that it came from. */
void volt_set_allocator(const volt_allocator *allocator);

/* Allocates `count` objects of `size` bytes, aligned to 64 bytes, not initialised. NULL when the product
 * overflows, a count is negative or memory is exhausted. A count of 0 returns a valid pointer. Records the
 * error message, so callers only return VOLT_ERR_MEMORY. */
void *volt_alloc(int64_t count, size_t size);

/* The same, filled with zero bytes. */
void *volt_alloc_zero(int64_t count, size_t size);

/* rows x cols doubles. */
double *volt_alloc_doubles(int64_t rows, int64_t cols);

/* Grows *memory from *capacity to at least `needed` objects of `size` bytes, doubling; keeps the first
 * *capacity objects. On failure nothing changes. */
volt_status volt_grow(void **memory, int64_t *capacity, int64_t needed, size_t size);

/* A copy of a string; NULL on failure. */
char *volt_strdup(const char *text);

/* VOLT_ERR_MEMORY, with both sizes in the message, when `bytes` exceeds the available memory. `what` names
 * the object, e.g. "the Gram matrix of 100000 rows". */
volt_status volt_memory_require(double bytes, const char *what);

/* Only the failure and its message. */
volt_status volt_memory_insufficient(double bytes, const char *what);

/* Sets the number of processes, including this one, that share the memory of this machine equally. Default
 * 1. Do not call it while another thread is in a call of the library. */
void volt_memory_set_sharers(int64_t processes);

/* Whether the process could map this many bytes now. Tries it without touching the pages. */
bool volt_memory_can_map(double bytes);

/* Bytes that this process could still allocate: the minimum of free memory, control-group limit and resource
 * limit; 0 when unknown. */
uint64_t volt_memory_available(void);

/* ---- public structs that begin with struct_size, so that fields can be appended to them -------- */

/* Copies the caller's options over the defaults in `options` (`size` bytes), as far as the caller's
 * struct_size reaches. NULL leaves the defaults. VOLT_ERR_ARGUMENT for a struct_size that no version had. */
volt_status volt_options_take(void *options, size_t size, const void *given, const char *name);

/* Copies a result of `size` bytes to the caller's struct, up to the caller's struct_size, which is
 * unchanged. */
volt_status volt_result_copy(void *given, const void *result, size_t size, const char *name);

#endif
