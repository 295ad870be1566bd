/* src/kernel/tangent.c: derivatives of a kernel by its parameters, and kernels with changed parameters. */
#include "kernel/tangent.h"
#include "kernel/kernel_entry.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which parameters ------------------------------------------------------------------------- */

/* The index of the factor in a name, from 0, and the name after it: "2.gamma". */
static int64_t split_name(const char *name, const char **rest)
{
    char *end = NULL;
    long number = strtol(name, &end, 10);
    bool numbered = end > name && *end == '.';
    *rest = numbered ? end + 1 : name;
    return numbered ? number - 1 : 0;
}

bool volt_same_parameter(const char *first, const char *second)
{
    const char *one = first, *other = second;
    return split_name(first, &one) == split_name(second, &other) && strcmp(one, other) == 0;
}

static const volt_kernel *factor_at(const volt_kernel *kernel, int64_t f)
{
    return kernel->n_factors == 0 ? kernel : kernel->factors[f];
}

/* Index among the factor's parameters; -1: a weight or a filter. */
static int own_parameter(const volt_kernel *factor, const char *name)
{
    const volt_kernel_info *info = &factor->entry->info;
    for (int p = 0; p < info->n_parameters; p++)
        if (strcmp(info->parameters[p].name, name) == 0)
            return p;
    return -1;
}

static bool is_weight(const char *rest)
{
    return strcmp(rest, "weight") == 0;
}

/* Returns whether the parameter has a value that can vary. An absent filter has none. */
static bool is_variable(const volt_kernel *kernel, const char *name, const volt_kernel_value *value)
{
    const char *rest = name;
    int64_t f = split_name(name, &rest);
    const volt_kernel *factor = factor_at(kernel, f);
    if (value->info->kind != VOLT_PARAMETER_REAL || !value->present)
        return false;
    if (is_weight(rest))
        return kernel->n_terms > 1 || value->given;
    int own = own_parameter(factor, rest);
    if (own >= 0)
        return !(factor->entry->jumps >> own & 1u);
    return strcmp(rest, "angle") == 0 ? factor->filter.pair != 0 : value->number != 0;
}

int64_t volt_kernel_variables(const volt_kernel *kernel, int64_t most, volt_variable *variables)
{
    int64_t count = 0;
    const char *name;
    for (int64_t p = 0; count < most && (name = volt_kernel_parameter_name(kernel, p)); p++) {
        volt_kernel_value value = {.struct_size = sizeof value};
        (void)volt_kernel_get(kernel, name, &value); /* the name is valid */
        if (is_variable(kernel, name, &value))
            variables[count++] = (volt_variable){.name = name,
                                                 .value = value.number,
                                                 .low = value.info->low,
                                                 .high = value.info->high,
                                                 .closed = value.info->closed};
    }
    return count;
}

/* ---- tangents --------------------------------------------------------------------------------- */

static bool factor_tangent(const volt_kernel *factor, const volt_resolved *resolved, int p,
                           volt_resolved *tangent)
{
    volt_scan scan;
    if (p < 0 || !resolved->scan.step || !factor->entry->tangent ||
        !factor->entry->tangent(factor, resolved, p, &scan))
        return false;
    *tangent = *resolved;
    scan.form = (volt_scan_form){.kind = VOLT_FORM_NONE}; /* form and rest belong to the kernel */
    scan.rest = NULL;
    tangent->scan = scan;
    tangent->common = 0;
    tangent->facts.largest = INFINITY; /* no bound is known */
    return true;
}

/* Only term `term`, into `tangent`: the derivative by its weight, or with factor f replaced by `slope`. */
static volt_status term_tangent(const volt_resolved *resolved, int64_t term, int64_t f,
                                const volt_resolved *slope, volt_resolved *tangent)
{
    const volt_sum *sum = resolved->sum;
    volt_sum *one = volt_alloc_zero(1, sizeof *one);
    volt_resolved *factors = volt_alloc_zero(sum->n_factors, sizeof *factors);
    if (!one || !factors) {
        volt_free(factors);
        volt_free(one);
        return VOLT_ERR_MEMORY;
    }
    *one = (volt_sum){.n_terms = 1, .n_slices = sum->n_slices, .d = sum->d, .factor = factors};
    one->weight[0] = slope ? sum->weight[term] : 1;
    for (int64_t g = 0; g < sum->n_factors; g++) {
        if (sum->term[g] != term)
            continue;
        factors[one->n_factors] = slope && g == f ? *slope : sum->factor[g];
        one->slice[one->n_factors++] = sum->slice[g];
    }
    *tangent = *resolved;
    tangent->sum = one;
    tangent->common = 0;
    tangent->facts.largest = INFINITY;
    return VOLT_OK;
}

volt_status volt_kernel_tangent(const volt_kernel *kernel, const volt_resolved *resolved, const char *name,
                                volt_resolved *tangent, bool *known)
{
    const char *rest = name;
    int64_t f = split_name(name, &rest);
    const volt_kernel *factor = factor_at(kernel, f);
    *known = false;
    if (kernel->n_factors == 0) {
        *known = factor_tangent(factor, resolved, own_parameter(factor, rest), tangent);
        return VOLT_OK;
    }
    volt_resolved slope;
    bool by_weight = is_weight(rest);
    if (!by_weight && !factor_tangent(factor, &resolved->sum->factor[f], own_parameter(factor, rest), &slope))
        return VOLT_OK;
    VOLT_TRY(term_tangent(resolved, kernel->term[f], f, by_weight ? NULL : &slope, tangent));
    *known = true;
    return VOLT_OK;
}

bool volt_kernel_has_tangent(const volt_kernel *kernel, const char *name)
{
    const char *rest = name;
    const volt_kernel *factor = factor_at(kernel, split_name(name, &rest));
    return is_weight(rest) || (factor->entry->tangent && own_parameter(factor, rest) >= 0);
}

void volt_tangent_release(volt_resolved *tangent)
{
    for (int64_t f = 0; tangent->sum && f < tangent->sum->n_factors; f++) {
        tangent->sum->factor[f].reservoir = NULL;
        tangent->sum->factor[f].past.input = NULL;
    }
    tangent->reservoir = NULL;
    tangent->past.input = NULL;
    volt_resolved_release(tangent);
}

/* ---- neighbours ------------------------------------------------------------------------------- */

/* Names of the factors, joined as in the kernel. */
static bool skeleton(const volt_kernel *kernel, char text[VOLT_EXPRESSION_LENGTH])
{
    size_t used = 0;
    int64_t count = kernel->n_factors == 0 ? 1 : kernel->n_factors;
    for (int64_t f = 0; f < count && used < VOLT_EXPRESSION_LENGTH; f++)
        used += (size_t)snprintf(text + used, VOLT_EXPRESSION_LENGTH - used, "%s%s",
                                 f == 0                                   ? ""
                                 : kernel->term[f] != kernel->term[f - 1] ? "+"
                                                                          : "*",
                                 factor_at(kernel, f)->entry->info.name);
    return used < VOLT_EXPRESSION_LENGTH;
}

volt_status volt_kernel_with(const volt_kernel *kernel, int64_t count, const char *const *names,
                             const double *values, char text[VOLT_EXPRESSION_LENGTH])
{
    bool fits = skeleton(kernel, text);
    const char *name;
    for (int64_t p = 0; fits && (name = volt_kernel_parameter_name(kernel, p)); p++) {
        volt_kernel_value value = {.struct_size = sizeof value};
        (void)volt_kernel_get(kernel, name, &value); /* the name is valid */
        bool is_new = false;
        for (int64_t i = 0; i < count; i++)
            if (volt_same_parameter(names[i], name)) {
                is_new = true;
                volt_format_number(values[i], value.text);
            }
        if (is_new || value.present)
            fits = volt_kernel_text_add(text, VOLT_EXPRESSION_LENGTH, name, value.text);
    }
    VOLT_REQUIRE(fits, VOLT_ERR_KERNEL, "the kernel's text with all parameters has more than %d characters",
                 VOLT_EXPRESSION_LENGTH - 1);
    return VOLT_OK;
}
