/* volterra/status.h: status codes and error messages.
 *
 * A function that can fail returns volt_status. Its outputs are the last arguments; on failure they are unchanged (or
 * NULL). volt_status_message() returns the class of the failure. volt_error_detail() returns the full message of the last
 * failure in this thread, with the value and its bounds. */
#ifndef VOLTERRA_STATUS_H
#define VOLTERRA_STATUS_H

#if defined(__GNUC__) || defined(__clang__)
#define VOLT_API __attribute__((visibility("default")))
#define VOLT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define VOLT_API
#define VOLT_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The enum and the messages are generated from this list. */
#define VOLT_STATUS_LIST(X)                                                           \
    X(VOLT_OK, "success")                                                             \
    X(VOLT_ERR_ARGUMENT, "an argument is outside its allowed range")                  \
    X(VOLT_ERR_KERNEL, "the kernel string is wrong")                                  \
    X(VOLT_ERR_SHAPE, "the shapes of the data do not agree")                          \
    X(VOLT_ERR_NOT_FINITE, "the data hold a value that is not finite")                \
    X(VOLT_ERR_DATA, "the data cannot be learned from")                               \
    X(VOLT_ERR_DOMAIN, "an input is outside the ball that the kernel was fitted for") \
    X(VOLT_ERR_MEMORY, "not enough memory")                                           \
    X(VOLT_ERR_SINGULAR, "the matrix is not positive definite")                       \
    X(VOLT_ERR_IO, "a file cannot be read or written")                                \
    X(VOLT_ERR_FORMAT, "a file is damaged or not of the expected kind")               \
    X(VOLT_ERR_CANCELLED, "cancelled by the progress callback")                       \
    X(VOLT_ERR_DEVICE, "a device cannot be used")

typedef enum volt_status {
#define VOLT_STATUS_ENUM(code, message) code,
    VOLT_STATUS_LIST(VOLT_STATUS_ENUM)
#undef VOLT_STATUS_ENUM
} volt_status;

/* Returns the class of a status, as a static string; "unknown status" for an invalid value. */
VOLT_API const char *volt_status_message(volt_status status);

/* Returns the message of this thread's last failure; "" if there was none. Valid until the thread's next failing call. */
VOLT_API const char *volt_error_detail(void);

#ifdef __cplusplus
}
#endif
#endif
