/* tests/support/far_backend.h: back ends whose memory this process cannot access, as on a GPU.
 *
 * They return addresses in pages without access rights. The data are stored elsewhere, where only the
 * operations of the back end (those of the CPU) find them. Direct access to a matrix ends the process with a
 * signal. */
#ifndef SUPPORT_FAR_BACKEND_H
#define SUPPORT_FAR_BACKEND_H

#include "base/backend.h"

/* Register "far", which receives rows computed on the CPU, and "far-gram", which computes Gram matrices of
 * numeric kernel forms as a GPU does (cuda/scan_form.h). */
void far_backends_register(void);

/* Number of unreleased blocks, and of Gram matrices filled by far-gram. */
int64_t far_backends_live(void);
int64_t far_backends_filled(void);
/* Number of rows of free runs computed by far-gram. */
int64_t far_backends_rows_run(void);

/* Presents far-gram as this many devices, 1 at first. Matrices of one device are not accessible to threads that have
 * bound another one: the process aborts. */
void far_backends_present(int64_t devices);
/* The next allocations on the device fail (VOLT_ERR_MEMORY), or the device is lost after this many more operations
 * (VOLT_ERR_DEVICE). -1: no failure. far_backends_present clears both. */
void far_backends_fail_alloc(int64_t device);
void far_backends_lose(int64_t device, int64_t operations);
/* Number of operations on the device since far_backends_present. */
int64_t far_backends_operations(int64_t device);

/* Run `test` with every back end of the table as the current one, in turn; its name is printed. The CPU is
 * current afterwards. */
void for_each_backend(void (*test)(const volt_backend *backend));
/* only_backend restricts for_each_backend to one back end. all_backends_run returns whether there is no
 * restriction. */
void only_backend(const char *name);
bool all_backends_run(void);

#endif
