/* src/base/error.h: raising and forwarding failures inside the library. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "volterra/base.h"
#include "volterra/status.h"

#include <stdbool.h>

/* Records the message of this failure for volt_error_detail() and returns `status`. */
volt_status volt_fail(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Prepends "prefix: " to the current message, and returns `status`. */
volt_status volt_fail_prefix(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Forward a failure. */
#define VOLT_TRY(call)                    \
    do {                                  \
        volt_status try_status_ = (call); \
        if (try_status_ != VOLT_OK)       \
            return try_status_;           \
    } while (0)

/* Checks an argument: on failure, records the message and returns. */
#define VOLT_REQUIRE(condition, status, ...)         \
    do {                                             \
        if (!(condition))                            \
            return volt_fail((status), __VA_ARGS__); \
    } while (0)

/* An analyzer that reads one file only cannot see that neither function returns VOLT_OK. */
#if defined __clang_analyzer__ && !defined BASE_ERROR_C
#define volt_fail(status, ...) (volt_fail(status, __VA_ARGS__), (status) ? (status) : VOLT_ERR_ARGUMENT)
#define volt_fail_prefix(status, ...) \
    (volt_fail_prefix(status, __VA_ARGS__), (status) ? (status) : VOLT_ERR_ARGUMENT)
#endif

/* ---- messages to the user's log callback ------------------------------------------------------- */

void volt_log(volt_log_level level, const char *format, ...) VOLT_PRINTF(2, 3);
/* Discards messages from the calling thread. */
void volt_log_mute(bool mute);

#endif
