/* src/base/error.h: raising and forwarding failures inside the library. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "volterra/base.h"
#include "volterra/status.h"

/* Record the sentence of this failure for volt_error_detail() and return `status`. */
volt_status volt_fail(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Put "prefix: " before the sentence that is already there, and return `status`. */
volt_status volt_fail_prefix(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Forward a failure. */
#define VOLT_TRY(call)                    \
    do {                                  \
        volt_status try_status_ = (call); \
        if (try_status_ != VOLT_OK)       \
            return try_status_;           \
    } while (0)

/* Check an argument: on failure record the sentence and return. */
#define VOLT_REQUIRE(condition, status, ...)         \
    do {                                             \
        if (!(condition))                            \
            return volt_fail((status), __VA_ARGS__); \
    } while (0)

/* What looks at one file alone cannot know that neither function returns VOLT_OK. */
#if defined __clang_analyzer__ && !defined BASE_ERROR_C
#define volt_fail(status, ...) (volt_fail(status, __VA_ARGS__), (status) ? (status) : VOLT_ERR_ARGUMENT)
#define volt_fail_prefix(status, ...) \
    (volt_fail_prefix(status, __VA_ARGS__), (status) ? (status) : VOLT_ERR_ARGUMENT)
#endif

/* ---- saying something through the user's log callback ------------------------------------------ */

void volt_log(volt_log_level level, const char *format, ...) VOLT_PRINTF(2, 3);

#endif
