/* tests/support/far_device.h: the devices of far_backend.h, for programs of the tests and for a plugin. */
#ifndef SUPPORT_FAR_DEVICE_H
#define SUPPORT_FAR_DEVICE_H

#include "backend/plugin.h"

/* Functions of the library that the devices call: cpu, fail and advance. Set them first. */
extern volt_host far_host;

/* "far" and "far-gram" (far_backend.h). */
extern const volt_backend far_plain;
extern volt_backend far_device;

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

#endif
