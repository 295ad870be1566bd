/* tests/support/candidate.c: a candidate, and the values of the parameters in its text. */
#include "support/candidate.h"

#include "support/check.h"

candidate candidate_get(const volt_candidates *candidates, int64_t index)
{
    candidate c = {.alpha = NAN};
    check_ok(volt_candidates_get(candidates, index, c.kernel, &c.alpha, NULL));
    return c;
}

static int get(const candidate *c, const char *name, volt_kernel_value *value)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(c->kernel, &kernel));
    int found = volt_kernel_get(kernel, name, value) == VOLT_OK && value->given;
    volt_kernel_free(kernel);
    return found;
}

int candidate_parameter(const candidate *c, const char *name, char *value)
{
    volt_kernel_value found = {.struct_size = sizeof found};
    if (!get(c, name, &found))
        return 0;
    memcpy(value, found.text, strlen(found.text) + 1);
    return 1;
}

double candidate_number(const candidate *c, const char *name)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    if (strcmp(name, "alpha") == 0)
        return c->alpha;
    if (!get(c, name, &value) || value.info->kind == VOLT_PARAMETER_CHOICE)
        fail_msg("%s has no number %s", c->kernel, name);
    return value.number;
}
