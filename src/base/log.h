/* src/base/log.h: saying something through the user's log callback. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "volterra/base.h"

void volt_log(volt_log_level level, const char *format, ...) VOLT_PRINTF(2, 3);

#endif
