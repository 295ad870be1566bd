/* tests/support/kernel_forms.h: texts for tests of every kernel of the table. */
#ifndef SUPPORT_KERNEL_FORMS_H
#define SUPPORT_KERNEL_FORMS_H

#include "volterra/kernel.h"

#include <stdbool.h>

bool kernel_has_parameter(const volt_kernel_info *info, const char *name);

typedef struct kernel_form {
    char text[96];
} kernel_form;

/* "name", or with parameters (may be "") "name:parameters"; size=9 is added where the kernel has a size. A reservoir is
 * drawn anew each time a text is resolved, and that of the default size would take most of the time of a test of every
 * kernel. */
kernel_form kernel_small_form(const volt_kernel_info *info, const char *parameters);

#endif
