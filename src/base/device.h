/* src/base/device.h: the devices of the plugin (base/plugin.h), one of which may be open. */
#ifndef BASE_DEVICE_H
#define BASE_DEVICE_H

#include "base/backend.h"

/* For work that may go where it pays: the back end of the device that is open, of the first one otherwise, which is
 * opened. NULL where there is none; a device that could not be opened is not tried again. From any thread. */
const volt_backend *volt_device_backend(void);

/* Close what is open, choose automatically as at the start, and look for the plugin again when it is next needed. For
 * tests. */
void volt_device_reset(void);

/* "auto", "cpu", or "gpu:0" and so on. */
const char *volt_device(void);
/* GPUs there are. 0 where there is none or no plugin: volt_device_why() says in one sentence why. */
int64_t volt_device_count(void);
const char *volt_device_why(void);
/* The plugin, its version and where it lies; "" where there is none. Static. */
const char *volt_device_plugin(void);

#endif
