/* tests/support/candidate.c: a candidate, and the values of the parameters in its text. */
#include "support/candidate.h"

#include "support/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

candidate candidate_get(const volt_candidates *candidates, int64_t index)
{
    candidate c = {.alpha = NAN};
    check_ok(volt_candidates_get(candidates, index, c.kernel, &c.alpha));
    return c;
}

int candidate_parameter(const candidate *c, const char *name, char value[64])
{
    char key[64];
    for (int separator = 0; separator < 2; separator++) {
        snprintf(key, sizeof key, "%c%s=", separator ? ',' : ':', name);
        const char *found = strstr(c->kernel, key);
        if (found) {
            found += strlen(key);
            snprintf(value, 64, "%.*s", (int)strcspn(found, ","), found);
            return 1;
        }
    }
    return 0;
}

double candidate_number(const candidate *c, const char *name)
{
    char text[64];
    double value = NAN;
    if (strcmp(name, "alpha") == 0)
        return c->alpha;
    if (!candidate_parameter(c, name, text) || !volt_parse_number(text, &value))
        fail_msg("%s has no number %s", c->kernel, name);
    return value;
}
