/* tests/support/far_backend.h: back ends whose memory this process cannot access, as on a GPU.
 *
 * They return addresses in pages without access rights. The data are stored elsewhere, where only the
 * operations of the back end (those of the CPU) find them. Direct access to a matrix ends the process with a
 * signal. */
#ifndef SUPPORT_FAR_BACKEND_H
#define SUPPORT_FAR_BACKEND_H

#include "support/far_device.h"

/* Register "far", which receives rows computed on the CPU, and "far-gram", which computes Gram matrices of
 * numeric kernel forms as a GPU does (cuda/scan_form.h). */
void far_backends_register(void);

/* Run `test` with every back end of the table as the current one, in turn; its name is printed. The CPU is
 * current afterwards. */
void for_each_backend(void (*test)(const volt_backend *backend));
/* only_backend restricts for_each_backend to one back end. all_backends_run returns whether there is no
 * restriction. */
void only_backend(const char *name);
bool all_backends_run(void);

#endif
