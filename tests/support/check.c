/* tests/support/check.c: assertions about calls of the library. */
#include "support/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void check_ok_at(volt_status status, const char *call, const char *file, int line)
{
    if (status != VOLT_OK)
        fail_msg("%s:%d: %s failed: %s: %s", file, line, call, volt_status_message(status),
                 volt_error_detail());
}

void check_fails_at(volt_status status, volt_status expected, const char *fragment, const char *call,
                    const char *file, int line)
{
    if (status != expected)
        fail_msg("%s:%d: %s ended with \"%s\", expected \"%s\"", file, line, call, volt_status_message(status),
                 volt_status_message(expected));
    if (!strstr(volt_error_detail(), fragment))
        fail_msg("%s:%d: %s: the sentence \"%s\" does not hold \"%s\"", file, line, call, volt_error_detail(),
                 fragment);
}
