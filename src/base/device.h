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

#endif
