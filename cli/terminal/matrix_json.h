/* cli/terminal/matrix_json.h: a matrix as JSON. */
#ifndef CLI_MATRIX_JSON_H
#define CLI_MATRIX_JSON_H

#include "volterra.h"

#include <stdint.h>

/* {"columns": [...], "rows": [[...], ...]} on standard output, with a list "time" of texts unless `times` is NULL, and one
 * more count unless extra_key is NULL. Returns the exit status. */
int print_matrix_json(volt_view values, const char *const *names, const char *const *times,
                      const char *extra_key, int64_t extra);

#endif
