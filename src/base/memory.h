/* src/base/memory.h: every allocation of the library goes through these functions. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "volterra/base.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>

/* count objects of `size` bytes, aligned to 64 bytes, not initialised; NULL when the product
 * overflows, a count is negative or memory is out. A count of 0 gives a valid pointer. Records the
 * error sentence, so that the caller only returns VOLT_ERR_MEMORY. */
void *volt_alloc(int64_t count, size_t size);

/* The same, filled with zero bytes. */
void *volt_alloc_zero(int64_t count, size_t size);

/* rows x cols doubles. */
double *volt_alloc_doubles(int64_t rows, int64_t cols);

/* Grow *memory from *capacity to at least `needed` objects of `size` bytes, doubling; the first
 * *capacity objects are kept. On failure nothing changes. */
volt_status volt_grow(void **memory, int64_t *capacity, int64_t needed, size_t size);

/* A copy of a string; NULL on failure. */
char *volt_strdup(const char *text);

/* VOLT_ERR_MEMORY, with both figures in the sentence, when `bytes` exceeds what is available.
 * `what` names the thing, e.g. "the Gram matrix of 100000 rows". */
volt_status volt_memory_require(double bytes, const char *what);

/* The failure and its sentence alone. */
volt_status volt_memory_lacking(double bytes, const char *what);

/* So many processes, this one among them, take what is available on this machine at the same time, each its part. 1 at the
 * start; not while another thread is in a call of the library. */
void volt_memory_set_sharers(int64_t processes);

/* Could the process map so many bytes now? Tries it, and touches none of them. */
bool volt_memory_can_map(double bytes);

/* Bytes that this process could still allocate: the least of free memory, control-group limit and
 * resource limit; 0 when the system does not say. */
uint64_t volt_memory_available(void);

/* ---- public structs that begin with struct_size, so that fields can be appended to them -------- */

/* Copies the caller's options over the defaults in `options` (`size` bytes), as far as the caller's struct_size reaches.
 * NULL leaves the defaults. VOLT_ERR_ARGUMENT for a struct_size that no version had. */
volt_status volt_options_take(void *options, size_t size, const void *given, const char *name);

/* Copies a result of `size` bytes to the caller's, as far as the caller's struct_size reaches, which stays as it is. */
volt_status volt_result_give(void *given, const void *result, size_t size, const char *name);

#endif
