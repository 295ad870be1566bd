/* src/select/candidates/space_points.c: points of a parameter space.
 *
 * A point of the space is a position u in [0, 1) along each axis:
 *
 *     LOG          low (high / low)^u              LINEAR       low + (high - low) u
 *     INTEGER      low + floor((high - low + 1) u)
 *     LOG_INTEGER  floor(low ((high + 1) / low)^u)
 *
 * Ranges of widths are in units of the distance of two rows, times sqrt(window) for windows. A parameter is
 * omitted if the kernel rejects the text with it. */
#include "select/candidates/space.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double unit_size(volt_unit unit, double distance)
{
    switch (unit) {
    case VOLT_UNIT_DISTANCE:
        return distance;
    case VOLT_UNIT_SQUARE:
        return distance * distance;
    case VOLT_UNIT_INVERSE_SQUARE:
        return 1 / (distance * distance);
    default:
        return 1;
    }
}

static double value_at(const volt_axis *axis, double u)
{
    double low = axis->low, high = axis->high;
    switch (axis->kind) {
    case VOLT_SEARCH_LOG:
        return low * pow(high / low, u);
    case VOLT_SEARCH_INTEGER:
        return fmin(low + floor((high - low + 1) * u), high);
    case VOLT_SEARCH_LOG_INTEGER:
        return fmin(floor(low * pow((high + 1) / low, u)), high);
    default:
        return low + (high - low) * u;
    }
}

/* The value of the axis as text; `distance` is the unit of widths. */
static const char *text_at(const volt_axis *axis, double u, double distance, char number[VOLT_NUMBER_LENGTH])
{
    if (axis->choices) {
        int64_t c = (int64_t)(u * (double)axis->n_choices); /* u < 1, so c < n_choices, also after rounding */
        return axis->choices[c];
    }
    return volt_format_number(value_at(axis, u) * unit_size(axis->unit, distance), number);
}

/* Appends NAME=VALUE to the text if the kernel accepts it. */
static volt_status offer(char text[VOLT_KERNEL_LENGTH], const char *name, const char *value, bool *taken)
{
    char longer[VOLT_KERNEL_LENGTH];
    memcpy(longer, text, sizeof longer);
    volt_kernel *parsed = NULL;
    volt_status status = volt_kernel_text_add(longer, sizeof longer, name, value)
                             ? volt_kernel_parse(longer, &parsed)
                             : VOLT_ERR_KERNEL;
    volt_kernel_free(parsed);
    *taken = status == VOLT_OK;
    if (*taken)
        memcpy(text, longer, sizeof longer);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* The factor of an axis: "2.gamma" is the second, "gamma" (number 0) the first; a kernel without factors is
 * returned itself. */
static const volt_kernel *factor_of(const volt_kernel *kernel, const char *name)
{
    int64_t number = strtol(name, NULL, 10);
    assert(number <= volt_max(kernel->n_factors, 1)); /* the space has no other names */
    return kernel->n_factors == 0 ? kernel : kernel->factors[volt_max(number, 1) - 1];
}

/* The unit of the range of an axis, for its factor of the kernel. */
static volt_status axis_unit(const volt_space *space, const volt_axis *axis, const volt_kernel *kernel,
                             double feedback, double *unit)
{
    double distance = 1;
    if (axis->unit != VOLT_UNIT_ONE)
        VOLT_TRY(volt_space_unit(space, factor_of(kernel, axis->name), feedback, &distance));
    *unit = unit_size(axis->unit, distance);
    return VOLT_OK;
}

/* The value of an axis as text. Widths use the unit of their factor in the kernel so far. */
static volt_status value_text(const volt_space *space, const volt_axis *axis, double u, const char *text,
                              double feedback, char number[VOLT_NUMBER_LENGTH], const char **value)
{
    double distance = 1;
    if (axis->unit != VOLT_UNIT_ONE) {
        volt_kernel *kernel = NULL;
        VOLT_TRY(volt_kernel_parse(text, &kernel));
        volt_status status = volt_space_unit(space, factor_of(kernel, axis->name), feedback, &distance);
        volt_kernel_free(kernel);
        VOLT_TRY(status);
    }
    *value = text_at(axis, u, distance, number);
    return VOLT_OK;
}

/* Adds the axes that are widths, or those that are not, to the text. An axis that the kernel rejects is offered
 * again when a later one was taken: angle requires pair, and may precede it. */
static volt_status add_axes(const volt_space *space, const double *u, bool widths,
                            char text[VOLT_KERNEL_LENGTH], volt_setting *setting, bool *taken)
{
    char number[VOLT_NUMBER_LENGTH];
    for (bool again = true, first = true; again; first = false) {
        bool is_rejected = false;
        again = false;
        for (int64_t a = 0; a < space->n_axes; a++) {
            const volt_axis *axis = &space->axes[a];
            const char *value = NULL;
            if ((axis->unit != VOLT_UNIT_ONE) != widths || (!first && taken[a]))
                continue;
            taken[a] = true;
            VOLT_TRY(value_text(space, axis, u[a], text, setting->feedback, number, &value));
            if (volt_name_is_setting(axis->name))
                volt_parse_number(value, volt_setting_at(setting, axis->name));
            else
                VOLT_TRY(offer(text, axis->name, value, &taken[a]));
            again = again || (is_rejected && taken[a]);
            is_rejected |= !taken[a];
        }
    }
    return VOLT_OK;
}

volt_status volt_space_at(const volt_space *space, const double *u, char kernel[VOLT_KERNEL_LENGTH],
                          volt_setting *setting, bool *taken)
{
    char text[VOLT_KERNEL_LENGTH];
    bool own[VOLT_MAX_AXES];
    snprintf(text, sizeof text, "%s", space->kernel);
    setting->feedback = space->q > 0 ? 1 : 0; /* if it is not one of these axes */
    /* Choices, windows, filters and feedback before widths, whose unit depends on them. */
    for (int widths = 0; widths <= 1; widths++)
        VOLT_TRY(add_axes(space, u, widths, text, setting, taken ? taken : own));
    memcpy(kernel, text, sizeof text);
    return VOLT_OK;
}

/* ---- positions of kernels -------------------------------------------------------------------------- */

static double below_one(double u)
{
    return fmin(u, 1 - DBL_EPSILON);
}

/* The position of a number, in the unit of the axis: the inverse of value_at. Integers are at the centre of
 * their interval. Values outside the range are clipped. */
static double position_of(const volt_axis *axis, double value)
{
    double low = axis->low, high = axis->high;
    value = fmin(fmax(value, low), high);
    switch (axis->kind) {
    case VOLT_SEARCH_LOG:
        return high > low ? below_one(log(value / low) / log(high / low)) : 0;
    case VOLT_SEARCH_INTEGER:
        return below_one((value + 0.5 - low) / (high + 1 - low));
    case VOLT_SEARCH_LOG_INTEGER:
        return below_one(log((value + 0.5) / low) / log((high + 1) / low));
    default:
        return high > low ? below_one((value - low) / (high - low)) : 0;
    }
}

/* The position of a text among the choices; numbers are compared by value. */
static bool position_of_choice(const volt_axis *axis, const char *text, double *u)
{
    double wanted, number;
    bool is_number = volt_parse_number(text, &wanted);
    for (int64_t c = 0; c < axis->n_choices; c++)
        if (strcmp(axis->choices[c], text) == 0 ||
            (is_number && volt_parse_number(axis->choices[c], &number) && number == wanted)) {
            *u = volt_axis_position(axis, axis->n_choices, c);
            return true;
        }
    return false;
}

static volt_status locate(const volt_space *space, const volt_axis *axis, const volt_kernel *kernel,
                          const volt_setting *setting, double *u, bool *known)
{
    volt_setting numbers = *setting;
    const double *number = volt_setting_at(&numbers, axis->name);
    volt_kernel_value value = {.struct_size = sizeof(volt_kernel_value),
                               .present = number && *number > 0,
                               .number = number ? *number : 0};
    *known = false;
    *u = 0;
    if (!number && volt_kernel_get(kernel, axis->name, &value) != VOLT_OK)
        return VOLT_OK; /* a single factor has no number */
    if (number)
        volt_format_number(*number, value.text);
    if (!value.present)
        return VOLT_OK;
    if (axis->choices) {
        *known = position_of_choice(axis, value.text, u);
        return VOLT_OK;
    }
    double unit = 1;
    VOLT_TRY(axis_unit(space, axis, kernel, setting->feedback, &unit));
    *known = true;
    *u = position_of(axis, value.number / unit);
    return VOLT_OK;
}

volt_status volt_space_locate(const volt_space *space, const volt_kernel *kernel, const volt_setting *setting,
                              double *u, bool *known)
{
    for (int64_t a = 0; a < space->n_axes; a++)
        VOLT_TRY(locate(space, &space->axes[a], kernel, setting, &u[a], &known[a]));
    return VOLT_OK;
}

/* ---- grids ------------------------------------------------------------------------------------ */

int64_t volt_axis_points(const volt_axis *axis, int64_t points)
{
    if (axis->choices)
        return axis->n_choices;
    double whole = axis->high - axis->low + 1;
    if (volt_law_is_integer(axis->kind) && whole < (double)points)
        return (int64_t)whole;
    return axis->high > axis->low ? points : 1;
}

/* The grid includes the ends of a range: reals are at i / (points - 1), and integers at the centre of the
 * interval that the law gives them. */
double volt_axis_position(const volt_axis *axis, int64_t points, int64_t i)
{
    int64_t count = volt_axis_points(axis, points);
    if (axis->choices)
        return ((double)i + 0.5) / (double)count;
    double share = count > 1 ? (double)i / (double)(count - 1) : 0;
    if (!volt_law_is_integer(axis->kind))
        return share;
    /* If a logarithmic law cannot give each point a distinct integer, they are consecutive. */
    double whole = axis->kind == VOLT_SEARCH_LOG_INTEGER
                       ? fmax(axis->low + (double)i, round(axis->low * pow(axis->high / axis->low, share)))
                       : round(axis->low + (axis->high - axis->low) * share);
    whole += 0.5;
    return axis->kind == VOLT_SEARCH_INTEGER ? (whole - axis->low) / (axis->high - axis->low + 1)
                                             : log(whole / axis->low) / log((axis->high + 1) / axis->low);
}
