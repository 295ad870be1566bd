/* src/base/name_lists.h: lists of names. */
#ifndef BASE_NAME_LISTS_H
#define BASE_NAME_LISTS_H

#include "volterra/status.h"

#include <stdint.h>

/* A list of its own with `count` names, for volt_names_free; NULL for NULL, and a name that is NULL is empty.
 * VOLT_ERR_MEMORY. */
volt_status volt_names_copy(const char *const *names, int64_t count, char ***copy);

/* Free the names and the list of them. NULL is fine, for the list and for every name. */
void volt_names_free(char **names, int64_t count);

#endif
