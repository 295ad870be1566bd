/* src/select/candidates/space.c: the parameters that a search draws, with their laws and ranges.
 *
 * Law and range of a parameter are given by the caller or by the kernel table.
 * select/candidates/space_points.c defines the points of the space. */
#include "select/candidates/space.h"
#include "base/memory.h"

#include "base/alpha_grid.h"
#include "base/error.h"
#include "base/strings.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The default range of the weight of fed-back outputs. */
static const double feedback_low = 0.02, feedback_high = 100;

void volt_space_free(volt_space *space)
{
    if (!space)
        return;
    for (int64_t a = 0; a < space->n_axes; a++) {
        volt_names_free(space->axes[a].choices, space->axes[a].n_choices);
        volt_free(space->axes[a].name);
    }
    volt_free(space->axes);
    volt_free(space->sample);
    volt_free(space->norms);
    volt_free(space->kernel);
    volt_kernel_free(space->given);
    volt_free(space);
}

static volt_status add_axis(volt_space *space, const char *name, volt_axis axis)
{
    VOLT_TRY(volt_grow((void **)&space->axes, &space->capacity, space->n_axes + 1, sizeof axis));
    axis.name = volt_strdup(name);
    if (!axis.name)
        return VOLT_ERR_MEMORY;
    space->axes[space->n_axes++] = axis;
    return VOLT_OK;
}

static bool has_axis(const volt_space *space, const char *name)
{
    for (int64_t a = 0; a < space->n_axes; a++)
        if (strcmp(space->axes[a].name, name) == 0)
            return true;
    return false;
}

/* ---- ranges of the caller --------------------------------------------------------------------- */

/* Finds the parameter of a range. */
static volt_status find_parameter(const volt_space *space, const char *name,
                                  const volt_parameter_info **parameter)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    if (volt_kernel_get(space->given, name, &value) != VOLT_OK)
        return volt_fail_prefix(VOLT_ERR_ARGUMENT, "a range is given for \"%s\"", name);
    *parameter = value.info;
    return VOLT_OK;
}

static bool is_log(volt_search_law kind)
{
    return kind == VOLT_SEARCH_LOG || kind == VOLT_SEARCH_LOG_INTEGER;
}

static volt_status check_range(const volt_range *range)
{
    VOLT_REQUIRE(range->kind > VOLT_SEARCH_NONE && range->kind <= VOLT_SEARCH_LOG_INTEGER, VOLT_ERR_ARGUMENT,
                 "the range of %s has no distribution", range->name);
    VOLT_REQUIRE(isfinite(range->low) && isfinite(range->high) && range->low <= range->high, VOLT_ERR_ARGUMENT,
                 "the range of %s must be finite and in increasing order (got %g to %g)", range->name,
                 range->low, range->high);
    VOLT_REQUIRE(!is_log(range->kind) || range->low > 0, VOLT_ERR_ARGUMENT,
                 "the logarithmic range of %s must start above 0 (got %g)", range->name, range->low);
    VOLT_REQUIRE(!volt_law_is_integer(range->kind) ||
                     (range->low == floor(range->low) && range->high == floor(range->high) &&
                      fabs(range->low) < 1e9 && fabs(range->high) < 1e9),
                 VOLT_ERR_ARGUMENT,
                 "the ends of the range of %s must be whole numbers below 1e9 (got %g to %g)", range->name,
                 range->low, range->high);
    return VOLT_OK;
}

/* Whether a number is a valid value of the parameter, whatever the others are. */
static bool is_inside(const volt_parameter_info *parameter, double low, double high)
{
    bool whole = parameter->kind == VOLT_PARAMETER_INTEGER;
    return (whole || parameter->closed & 1 ? low >= parameter->low : low > parameter->low) &&
           (whole || parameter->closed & 2 ? high <= parameter->high : high < parameter->high);
}

/* Checks that the kernel accepts NAME=VALUE, or that the number is one of the parameter: whether it agrees with
 * other parameters is known at the draw. `parameter` is NULL for settings. */
static volt_status check_value(const volt_space *space, const volt_parameter_info *parameter, const char *name,
                               const char *value)
{
    double number;
    if (!parameter) {
        VOLT_REQUIRE(volt_parse_number(value, &number) && number > 0 && isfinite(number), VOLT_ERR_ARGUMENT,
                     "%s must be positive and finite (got %s)", name, value);
        return VOLT_OK;
    }
    char text[VOLT_KERNEL_LENGTH];
    volt_kernel *parsed = NULL;
    snprintf(text, sizeof text, "%s", space->kernel);
    VOLT_REQUIRE(volt_kernel_text_add(text, sizeof text, name, value), VOLT_ERR_KERNEL,
                 "the kernel's text with %s has more than %d characters", name, VOLT_KERNEL_LENGTH - 1);
    volt_status status = volt_kernel_parse(text, &parsed);
    volt_kernel_free(parsed);
    bool is_valid = status == VOLT_ERR_KERNEL && parameter->kind == VOLT_PARAMETER_REAL &&
                    volt_parse_number(value, &number) && is_inside(parameter, number, number);
    return is_valid ? VOLT_OK : status;
}

static volt_status copy_choices(const volt_space *space, const volt_parameter_info *parameter,
                                const volt_range *range, volt_axis *axis)
{
    axis->choices = volt_alloc_zero(range->n_choices, sizeof *axis->choices);
    if (!axis->choices)
        return VOLT_ERR_MEMORY;
    for (int64_t c = 0; c < range->n_choices; c++) {
        VOLT_TRY(check_value(space, parameter, range->name, range->choices[c]));
        axis->choices[c] = volt_strdup(range->choices[c]);
        if (!axis->choices[c])
            return VOLT_ERR_MEMORY;
        axis->n_choices++;
    }
    return VOLT_OK;
}

/* Both ends of a range must be valid values of the parameter. */
static volt_status check_ends(const volt_parameter_info *parameter, const volt_range *range)
{
    VOLT_REQUIRE(parameter->kind != VOLT_PARAMETER_CHOICE, VOLT_ERR_ARGUMENT,
                 "%s is one of %s: give choices, not a range", range->name, parameter->range);
    VOLT_REQUIRE(parameter->kind != VOLT_PARAMETER_TEXT, VOLT_ERR_ARGUMENT,
                 "%s is %s: give choices, not a range", range->name, parameter->range);
    VOLT_REQUIRE(parameter->kind != VOLT_PARAMETER_INTEGER || volt_law_is_integer(range->kind),
                 VOLT_ERR_ARGUMENT, "%s takes whole numbers: give a range of integers", range->name);
    VOLT_REQUIRE(is_inside(parameter, range->low, range->high), VOLT_ERR_ARGUMENT,
                 "the range of %s must be within %s (got %g to %g)", range->name, parameter->range, range->low,
                 range->high);
    return VOLT_OK;
}

static bool is_given(const volt_space *space, const char *name)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    return !volt_name_is_setting(name) && volt_kernel_get(space->given, name, &value) == VOLT_OK && value.given;
}

static volt_status add_range(volt_space *space, const volt_range *range)
{
    VOLT_REQUIRE(range->name, VOLT_ERR_ARGUMENT, "a range has no name");
    VOLT_REQUIRE(!is_given(space, range->name), VOLT_ERR_ARGUMENT,
                 "kernel %s gives %s, but a range is given for it as well", space->kernel, range->name);
    VOLT_REQUIRE(!has_axis(space, range->name), VOLT_ERR_ARGUMENT, "two ranges are given for %s", range->name);
    bool setting = volt_name_is_setting(range->name);
    const volt_parameter_info *parameter = NULL;
    if (!setting)
        VOLT_TRY(find_parameter(space, range->name, &parameter));

    volt_axis axis = {.kind = range->kind, .low = range->low, .high = range->high};
    volt_status status = VOLT_OK;
    if (range->choices) {
        VOLT_REQUIRE(range->n_choices >= 1, VOLT_ERR_ARGUMENT, "there are no choices for %s", range->name);
        status = copy_choices(space, parameter, range, &axis);
    } else {
        VOLT_TRY(check_range(range));
        VOLT_REQUIRE(!setting || range->low > 0, VOLT_ERR_ARGUMENT,
                     "the range of %s must start above 0 (got %g)", range->name, range->low);
        if (parameter)
            VOLT_TRY(check_ends(parameter, range));
    }
    if (status == VOLT_OK)
        status = add_axis(space, range->name, axis);
    if (status != VOLT_OK)
        volt_names_free(axis.choices, axis.n_choices);
    return status;
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Ranges of parameters that keep their default unless requested with "?", and of the weights of terms. The
 * kernel table does not list them. */
static const struct {
    const char *name;
    volt_axis axis;
} requested_ranges[] = {
    {"pole", {.kind = VOLT_SEARCH_LINEAR, .low = -0.9, .high = 0.995}},
    {"pair", {.kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 0.995}},
    {"angle", {.kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 1}},
    {"corr", {.kind = VOLT_SEARCH_LINEAR, .low = -0.9, .high = 0.99}},
    {"seed", {.kind = VOLT_SEARCH_INTEGER, .low = 1, .high = 1000}},
    {"size", {.kind = VOLT_SEARCH_LOG_INTEGER, .low = 20, .high = 500}},
    {"density", {.kind = VOLT_SEARCH_LOG, .low = 0.02, .high = 1}},
    {"weight", {.kind = VOLT_SEARCH_LOG, .low = 1e-3, .high = 1e3}},
};

static bool is_asked(char requested[][VOLT_OPEN_NAME_LENGTH], int64_t n_requested, const char *name)
{
    for (int64_t i = 0; i < n_requested; i++)
        if (strcmp(requested[i], name) == 0)
            return true;
    return false;
}

/* The axis of a parameter without value and without range of the caller. False: it is not searched. */
static bool default_axis(const volt_parameter_info *parameter, const char *name, bool requested,
                         volt_axis *axis)
{
    bool is_weight = strcmp(parameter->name, "weight") == 0;
    if (parameter->search != VOLT_SEARCH_NONE) {
        *axis = (volt_axis){.kind = parameter->search,
                            .low = parameter->search_low,
                            .high = parameter->search_high,
                            .unit = parameter->unit};
        return true;
    }
    if (!requested && (!is_weight || strcmp(name, "1.weight") == 0)) /* the first term's weight is 1 */
        return false;
    for (size_t i = 0; i < sizeof requested_ranges / sizeof *requested_ranges; i++)
        if (strcmp(parameter->name, requested_ranges[i].name) == 0) {
            *axis = requested_ranges[i].axis;
            return true;
        }
    return false;
}

static volt_status add_table_ranges(volt_space *space, char requested[][VOLT_OPEN_NAME_LENGTH],
                                    int64_t n_requested)
{
    for (int64_t i = 0; i < n_requested; i++) { /* an unknown name is an error */
        volt_kernel_value value = {.struct_size = sizeof value};
        volt_axis axis;
        VOLT_TRY(volt_kernel_get(space->given, requested[i], &value));
        VOLT_REQUIRE(default_axis(value.info, requested[i], true, &axis), VOLT_ERR_KERNEL,
                     "%s=?: %s has no default search range: give a range", requested[i], requested[i]);
        if (!has_axis(space, requested[i]) && value.info->search == VOLT_SEARCH_NONE)
            VOLT_TRY(add_axis(space, requested[i], axis));
    }
    const char *name;
    for (int64_t p = 0; (name = volt_kernel_parameter_name(space->given, p)); p++) {
        volt_kernel_value value = {.struct_size = sizeof value};
        volt_axis axis;
        VOLT_TRY(volt_kernel_get(space->given, name, &value));
        if (space->series_steps > 0 && strcmp(value.info->name, "window") == 0)
            continue;
        if (!value.given && !has_axis(space, name) &&
            default_axis(value.info, name, is_asked(requested, n_requested, name), &axis))
            VOLT_TRY(add_axis(space, name, axis));
    }
    return VOLT_OK;
}

/* Adds the axis of alpha or feedback with the caller's range, if any, otherwise the default range. */
static volt_status add_setting(volt_space *space, const char *name, double low, double high,
                               const volt_draw_options *options, bool requested, bool *is_asked)
{
    for (int64_t r = 0; r < options->n_ranges && requested; r++)
        if (strcmp(options->ranges[r].name, name) == 0) { /* names were checked before */
            VOLT_TRY(add_range(space, &options->ranges[r]));
            *is_asked = true;
        }
    if (requested || *is_asked)
        return VOLT_OK;
    return add_axis(space, name, (volt_axis){.kind = VOLT_SEARCH_LOG, .low = low, .high = high});
}

/* The caller's choices come first, because other parameters depend on them. Feedback and alpha come last. */
static volt_status fill(volt_space *space, volt_view X, const volt_draw_options *options,
                        char requested[][VOLT_OPEN_NAME_LENGTH], int64_t n_requested)
{
    bool feeds = options->fed_outputs.data != NULL;
    VOLT_REQUIRE(options->series_steps >= 0 && isfinite(options->series_steps), VOLT_ERR_ARGUMENT,
                 "series_steps must be finite and at least 0 (got %g)", options->series_steps);
    space->series_steps = options->series_steps;
    for (int choices = 1; choices >= 0; choices--)
        for (int64_t r = 0; r < options->n_ranges; r++)
            if ((options->ranges[r].choices != NULL) == choices &&
                !volt_name_is_setting(options->ranges[r].name))
                VOLT_TRY(add_range(space, &options->ranges[r]));
    space->n_requested = space->n_axes;
    VOLT_TRY(add_setting(space, "feedback", 0, 0, options, true, &space->feedback_requested));
    VOLT_REQUIRE(feeds || !space->feedback_requested, VOLT_ERR_ARGUMENT,
                 "a range is given for feedback, but the candidates have no feedback");
    VOLT_TRY(add_table_ranges(space, requested, n_requested));
    if (feeds)
        VOLT_TRY(add_setting(space, "feedback", feedback_low, feedback_high, options, false,
                             &space->feedback_requested));
    VOLT_TRY(add_setting(space, "alpha", 0, 0, options, true, &space->alpha_requested));
    VOLT_TRY(add_setting(space, "alpha", volt_alpha_low(VOLT_ALPHA_SEARCH), volt_alpha_high(VOLT_ALPHA_SEARCH),
                         options, false, &space->alpha_requested));
    return volt_space_learn_rows(X, options, space);
}

/* Removes white space from a kernel text. */
static void tidy(char *text)
{
    size_t length = 0;
    for (const char *at = text; *at; at++)
        if (!isspace((unsigned char)*at))
            text[length++] = *at;
    text[length] = '\0';
}

volt_status volt_space_create(const char *kernel, volt_view X, const volt_draw_options *options,
                              volt_space **space)
{
    VOLT_REQUIRE(options->n_ranges == 0 || options->ranges, VOLT_ERR_ARGUMENT, "the list of ranges is NULL");

    enum { MAX_OPEN_PARAMETERS = VOLT_MAX_AXES / 2 };
    char requested[MAX_OPEN_PARAMETERS][VOLT_OPEN_NAME_LENGTH], text[VOLT_KERNEL_LENGTH];
    VOLT_REQUIRE(strlen(kernel) < sizeof text, VOLT_ERR_KERNEL, "the kernel's text has more than %d characters",
                 VOLT_KERNEL_LENGTH - 1);
    memcpy(text, kernel, strlen(kernel) + 1);
    int64_t n_requested = volt_kernel_text_open_parameters(text, requested, MAX_OPEN_PARAMETERS);
    volt_kernel *given = NULL;
    VOLT_TRY(volt_kernel_parse(text, &given));
    volt_space *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh) {
        volt_kernel_free(given);
        return VOLT_ERR_MEMORY;
    }
    fresh->given = given;
    fresh->kernel = volt_strdup(text); /* as given: the parameters that it does not set are searched */
    if (fresh->kernel)
        tidy(fresh->kernel);
    volt_status status = fresh->kernel ? fill(fresh, X, options, requested, n_requested) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *space = fresh;
    else
        volt_space_free(fresh);
    return status;
}
