/* src/base/name_lists.c: lists of names. */
#include "base/name_lists.h"

#include "base/memory.h"
#include "volterra/base.h"

volt_status volt_names_copy(const char *const *names, int64_t count, char ***copy)
{
    if (!names)
        return VOLT_OK;
    char **made = volt_alloc_zero(count, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        made[i] = volt_strdup(names[i] ? names[i] : "");
        if (!made[i]) {
            volt_names_free(made, count);
            return VOLT_ERR_MEMORY;
        }
    }
    *copy = made;
    return VOLT_OK;
}

void volt_names_free(char **names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        volt_free(names[i]);
    volt_free(names);
}
