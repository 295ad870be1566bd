/* src/kernel/form.h: a resolved kernel as numbers alone (base/kernel_form.h). */
#ifndef KERNEL_FORM_H
#define KERNEL_FORM_H

#include "kernel/kernel_entry.h"

/* False where the kernel, or one of its factors, is not one that runs down diagonals or over sums of windows. What it
 * points to is resolved's. */
bool volt_form_of(const volt_resolved *resolved, volt_kernel_form *form);

#endif
