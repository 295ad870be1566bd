/* tests/support/check.h: assertions about calls of the library; cmocka with the headers that it requires, and the headers
 * of C that most tests use.
 *
 *     check_ok(volt_ridge_fit(...));                                    prints the message on failure
 *     check_fails(volt_ridge_fit(...), VOLT_ERR_ARGUMENT, "alpha");     the message names alpha
 *     check_fails(volt_ridge_fit(...), VOLT_ERR_ARGUMENT, "alpha -1");  and the value. Terms are separated by
 * blanks and may be in any order: name fields, options and values, not sentences. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include "volterra/status.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 1 in sanitized builds, which are slow. Tests may then use fewer repetitions of purely numerical checks. */
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZERS 1
#endif
#endif
#ifndef UNDER_SANITIZERS
#define UNDER_SANITIZERS 0
#endif

#define check_ok(call) check_ok_at((call), #call, __FILE__, __LINE__)
#define check_fails(call, expected, terms) \
    check_fails_at((call), (expected), (terms), #call, __FILE__, __LINE__)

/* Whether the last error message has every term of `terms`. */
bool error_names(const char *terms);

void check_ok_at(volt_status status, const char *call, const char *file, int line);
void check_fails_at(volt_status status, volt_status expected, const char *terms, const char *call,
                    const char *file, int line);

#endif
