/* tests/support/kernel_forms.c: texts for tests of every kernel of the table. */
#include "support/kernel_forms.h"

#include <stdio.h>
#include <string.h>

bool kernel_has_parameter(const volt_kernel_info *info, const char *name)
{
    for (int64_t p = 0; p < info->n_parameters; p++)
        if (strcmp(info->parameters[p].name, name) == 0)
            return true;
    return false;
}

kernel_form kernel_small_form(const volt_kernel_info *info, const char *parameters)
{
    kernel_form form;
    const char *size = kernel_has_parameter(info, "size") ? "size=9" : "";
    snprintf(form.text, sizeof form.text, "%s%s%s%s%s", info->name, *parameters || *size ? ":" : "", parameters,
             *parameters && *size ? "," : "", size);
    return form;
}
