/* src/io/mat/mat_check.h: is this a MAT file that is safe to hand to matio? */
#ifndef IO_MAT_CHECK_H
#define IO_MAT_CHECK_H

#include "volterra/status.h"

#include <stdint.h>

/* Check magic and structure of the file; *size receives its size in bytes. VOLT_ERR_IO, VOLT_ERR_FORMAT. */
volt_status volt_mat_check(const char *path, int64_t *size);

#endif
