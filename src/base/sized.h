/* src/base/sized.h: public structs that begin with struct_size, so that fields can be appended to them. */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "volterra/status.h"

#include <stddef.h>

/* Copies the caller's options over the defaults in `options` (`size` bytes), as far as the caller's struct_size reaches.
 * NULL leaves the defaults. VOLT_ERR_ARGUMENT for a struct_size that no version had. */
volt_status volt_options_take(void *options, size_t size, const void *given, const char *name);

/* Copies a result of `size` bytes to the caller's, as far as the caller's struct_size reaches, which stays as it is. */
volt_status volt_result_give(void *given, const void *result, size_t size, const char *name);

#endif
