/* src/select/candidates/space.c: the parameters that a search draws, with their laws and ranges.
 *
 * Law and range of a parameter are given by the caller or by the kernel table. */

#include "base/alpha_grid.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "base/views.h"
#include "gram/engine/engine.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "model/recipe.h"
#include "select/candidates/candidates.h"
#include "stats/stats_internal.h"
#include "text/text.h"
#include "volterra/kernel.h"

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the unit of distance ---------------------------------------------------------------------------- */

enum { SAMPLES = 256 }; /* rows, evenly spaced: about 32,000 distances */

/* Copies `rows` rows of X, times 2^-exponent, which prevents overflow and underflow of squares without
 * rounding. */
static void take_distance_sample(volt_view X, int64_t rows, int exponent, double *sample)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < X.cols; k++)
            sample[i * X.cols + k] = ldexp(X.data[i * X.rows / rows * X.ld + k], -exponent);
}

/* Squared distances between the rows of the sample; repeated rows are ignored. */
static int64_t square_distances(const double *sample, int64_t rows, int64_t d, double *squares)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < i; j++) {
            const double *x = sample + i * d, *y = sample + j * d;
            double sum = 0;
            for (int64_t k = 0; k < d; k++)
                sum += (x[k] - y[k]) * (x[k] - y[k]);
            if (sum > 0)
                squares[count++] = sum;
        }
    return count;
}

volt_status volt_kernel_distance_unit(volt_view X, int64_t window, double *unit)
{
    volt_extent extent;
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_extent_of(X, "X", &extent));
    VOLT_REQUIRE(window >= 1, VOLT_ERR_ARGUMENT, "the window must be at least 1");

    int exponent = 0;
    frexp(extent.radius, &exponent);
    int64_t rows = volt_min(X.rows, SAMPLES), count = 0;
    double *sample = volt_alloc_doubles(rows, X.cols);
    double *squares = volt_alloc_doubles(SAMPLES, SAMPLES / 2);
    volt_status status = sample && squares ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        take_distance_sample(X, rows, exponent, sample);
        count = square_distances(sample, rows, X.cols, squares);
        volt_sort(squares, count);
        if (count > 0)
            *unit = ldexp(sqrt(squares[count / 2] * (double)window), exponent);
        else
            status = volt_fail(VOLT_ERR_DATA, "all rows are equal: the unit of distance would be 0");
    }
    volt_free(squares);
    volt_free(sample);
    return status;
}

/* One combination of the caller's choices and the parameters left to search. */
typedef struct volt_part {
    int64_t choices; /* number of the combination, the last choice running fastest */
    uint64_t taken;  /* bit a: axis a applies */
    int64_t end;     /* candidates of the grid up to and including this part */
} volt_part;

/* The setting of this name, or NULL for a parameter of the kernel. */
static double *setting_at(volt_setting *setting, const char *name)
{
    if (name && strcmp(name, "alpha") == 0)
        return &setting->alpha;
    if (name && strcmp(name, "feedback") == 0)
        return &setting->feedback;
    return NULL;
}

static bool name_is_alpha(const char *name)
{
    return strcmp(name, "alpha") == 0;
}

static bool name_is_setting(const char *name)
{
    volt_setting any;
    return setting_at(&any, name) != NULL;
}

/* ---- rows for the unit of widths --------------------------------------------------------------------- */

/* A factor uses scaled rows, possibly filtered, possibly with the outputs of the previous row
 * (model/recipe.h). A sample large enough for the distance is kept. */

enum { MAX_SAMPLE = 1000 };

/* Whether a candidate of the space has a filter. */
static bool may_filter(const volt_space *space)
{
    for (int64_t a = 0; a < space->n_axes; a++) {
        const char *dot = strchr(space->axes[a].name, '.'), *name = dot ? dot + 1 : space->axes[a].name;
        if (strcmp(name, "pole") == 0 || strcmp(name, "pair") == 0 || strcmp(name, "corr") == 0)
            return true;
    }
    return volt_kernel_filters(space->given);
}

/* ---- learning --------------------------------------------------------------------------------- */

static double norm_of(const double *row, int64_t count)
{
    volt_squares squares = {0};
    for (int64_t j = 0; j < count; j++)
        volt_squares_add(&squares, row[j]);
    return volt_squares_root(&squares);
}

/* Stores scaled inputs and standardised outputs of the previous row; also the norms of both, of all rows, if
 * required. `row` is a buffer for one row. */
static void fill_sample(volt_view X, volt_view fed_outputs, const volt_input_scale *input, const double *mean,
                        const double *deviation, double *row, volt_space *space)
{
    int64_t d = space->d, q = space->q, rows = space->norms ? X.rows : space->n_sample;
    assert(q == 0 || fed_outputs.data);
    for (int64_t i = 0; i < rows; i++) {
        volt_input_scale_row(input, d, X.data + i * X.ld, row);
        for (int64_t k = 0; k < q; k++)
            row[d + k] = i > 0 ? (fed_outputs.data[(i - 1) * fed_outputs.ld + k] - mean[k]) / deviation[k] : 0;
        if (i < space->n_sample)
            memcpy(space->sample + i * (d + q), row, (size_t)(d + q) * sizeof *row);
        if (space->norms) {
            space->norms[2 * i] = norm_of(row, d);
            space->norms[2 * i + 1] = norm_of(row + d, q);
        }
    }
}

static volt_status take_sample(volt_view X, const volt_draw_options *options, const volt_input_scale *input,
                               volt_space *space)
{
    int64_t width = space->d + space->q;
    double *numbers = volt_alloc_doubles(2 * space->q + width, 1);
    space->sample = volt_alloc_doubles(space->n_sample, width);
    if (space->q > 0 && options->scale) {
        space->n_norms = X.rows;
        space->norms = volt_alloc_doubles(X.rows, 2);
    }
    bool allocated = numbers && space->sample && (space->n_norms == 0 || space->norms);
    if (allocated) {
        double *mean = numbers, *deviation = mean + space->q;
        if (space->q > 0)
            volt_target_scale_learn(options->fed_outputs, !options->scale, mean, deviation);
        fill_sample(X, options->fed_outputs, input, mean, deviation, deviation + space->q, space);
    }
    volt_free(numbers);
    return allocated ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Learns the unit of widths: the distance of two scaled rows of X, and the sample for rows with filters or
 * feedback. */
static volt_status space_learn_rows(volt_view X, const volt_draw_options *options, volt_space *space)
{
    VOLT_TRY(volt_kernel_distance_unit(X, 1, &space->distance));
    if (options->fed_outputs.data) {
        VOLT_REQUIRE(options->fed_outputs.rows == X.rows, VOLT_ERR_SHAPE,
                     "there are %" PRId64 " rows of inputs, and %" PRId64 " of fed-back outputs", X.rows,
                     options->fed_outputs.rows);
        VOLT_TRY(volt_require_finite("the fed-back outputs", options->fed_outputs));
        space->q = options->fed_outputs.cols;
    }
    volt_input_scale input = {.shift = volt_alloc_doubles(X.cols, 1)};
    volt_status status =
        input.shift ? volt_input_scale_learn(X, true, !options->scale, &input) : VOLT_ERR_MEMORY;
    space->distance *= input.scale;
    space->d = X.cols;
    space->n_sample = volt_min(X.rows, MAX_SAMPLE);
    if (status == VOLT_OK && (may_filter(space) || space->q > 0))
        status = take_sample(X, options, &input, space);
    volt_free(input.shift);
    return status;
}

/* ---- distances -------------------------------------------------------------------------------- */

/* The sample with outputs fed back with this weight, scaled to largest norm 1, into `rows`. */
static void weigh_sample(const volt_space *space, double feedback, double *rows)
{
    int64_t d = space->d, q = space->q;
    double largest = 0;
    for (int64_t i = 0; i < space->n_norms; i++)
        largest = fmax(largest, hypot(space->norms[2 * i], feedback * space->norms[2 * i + 1]));
    double scale = space->norms && largest > 0 ? 1 / largest : 1;
    for (int64_t i = 0; i < space->n_sample; i++)
        for (int64_t j = 0; j < d + q; j++)
            rows[i * (d + q) + j] = scale * (j < d ? 1 : feedback) * space->sample[i * (d + q) + j];
}

/* The distance of two rows of the sample after the filter. */
static volt_status sample_distance(const volt_space *space, const volt_filter *filter, double feedback,
                                   double *distance)
{
    int64_t n = space->n_sample, width = space->d + space->q;
    double *workspace = volt_alloc_doubles(2 * n, width);
    if (!workspace)
        return VOLT_ERR_MEMORY;
    double *filtered = workspace + n * width;
    volt_view rows = volt_view_of(space->sample, n, width);
    volt_status status = VOLT_OK;
    if (space->q > 0) {
        weigh_sample(space, feedback, workspace);
        rows = volt_view_of(workspace, n, width);
    }
    if (!volt_filter_is_none(filter)) {
        status = volt_filter_rows(filter, 1, NULL, rows, filtered);
        rows = volt_view_of(filtered, n, width);
    }
    if (status == VOLT_OK)
        status = volt_kernel_distance_unit(rows, 1, distance);
    volt_free(workspace);
    return status;
}

volt_status volt_space_unit(const volt_space *space, const volt_kernel *factor, double feedback,
                            double *distance)
{
    volt_kernel_value window = {.struct_size = sizeof window};
    *distance = space->distance;
    if (space->sample && (space->q > 0 || !volt_filter_is_none(&factor->filter)))
        VOLT_TRY(sample_distance(space, &factor->filter, feedback, distance));
    bool has_window = volt_factor_get(factor, "window", &window) == VOLT_OK;
    if (has_window && space->series_steps > 0)
        *distance *= sqrt(space->series_steps); /* a whole series corresponds to a window on a sequence */
    else if (has_window && window.present)
        *distance *= sqrt(window.number);
    return VOLT_OK;
}

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
    return !name_is_setting(name) && volt_kernel_get(space->given, name, &value) == VOLT_OK && value.given;
}

static volt_status add_range(volt_space *space, const volt_range *range)
{
    VOLT_REQUIRE(range->name, VOLT_ERR_ARGUMENT, "a range has no name");
    VOLT_REQUIRE(!is_given(space, range->name), VOLT_ERR_ARGUMENT,
                 "kernel %s gives %s, but a range is given for it as well", space->kernel, range->name);
    VOLT_REQUIRE(!has_axis(space, range->name), VOLT_ERR_ARGUMENT, "two ranges are given for %s", range->name);
    bool setting = name_is_setting(range->name);
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
            if ((options->ranges[r].choices != NULL) == choices && !name_is_setting(options->ranges[r].name))
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
    return space_learn_rows(X, options, space);
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

/* ---- points of a parameter space --------------------------------------------------------------------- */

/* A point of the space is a position u in [0, 1) along each axis:
 *
 *     LOG          low (high / low)^u              LINEAR       low + (high - low) u
 *     INTEGER      low + floor((high - low + 1) u)
 *     LOG_INTEGER  floor(low ((high + 1) / low)^u)
 *
 * Ranges of widths are in units of the distance of two rows, times sqrt(window) for windows. A parameter is
 * omitted if the kernel rejects the text with it. */

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
            if (name_is_setting(axis->name))
                volt_parse_number(value, setting_at(setting, axis->name));
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

/* Number of distinct values of an axis in a grid of `points`, and the position of value i. */
static int64_t axis_points(const volt_axis *axis, int64_t points)
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
static double axis_position(const volt_axis *axis, int64_t points, int64_t i)
{
    int64_t count = axis_points(axis, points);
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

/* The position of a text among the choices; numbers are compared by value. */
static bool position_of_choice(const volt_axis *axis, const char *text, double *u)
{
    double wanted, number;
    bool is_number = volt_parse_number(text, &wanted);
    for (int64_t c = 0; c < axis->n_choices; c++)
        if (strcmp(axis->choices[c], text) == 0 ||
            (is_number && volt_parse_number(axis->choices[c], &number) && number == wanted)) {
            *u = axis_position(axis, axis->n_choices, c);
            return true;
        }
    return false;
}

static volt_status locate(const volt_space *space, const volt_axis *axis, const volt_kernel *kernel,
                          const volt_setting *setting, double *u, bool *known)
{
    volt_setting numbers = *setting;
    const double *number = setting_at(&numbers, axis->name);
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

/* ---- random steps from a point of a space ------------------------------------------------------------ */

/* The step size is drawn once for all parameters, from t in [0, 1]:
 *
 *     LOG        times a log-normal factor whose logarithm has the standard deviation 0.1 6^t
 *     LINEAR     normal on the scale of the logit of its relative position between the limits of the parameter,
 *                standard deviation 0.1 3^t for a share in (0, 1); for a pole in (-1, 1), whose atanh is half of that
 *                logit, twice as much
 *     choices and integers are kept, or drawn again with a small probability
 *
 * A step beyond the end of a range is reflected there. */

static const double shortest = 0.1, longest_factor = 6, longest_share = 3; /* the last two in units of the
                                                                            * first */
static const double chance_of_redraw = 0.15;
static const double nearest_end = 1e-3; /* the logit is infinite at the ends of the range */

/* The limits of the parameter of an axis, or those of its range if it has none. */
static void axis_ends(const volt_space *space, const volt_axis *axis, double *low, double *high)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    bool is_bounded =
        !name_is_setting(axis->name) && volt_kernel_get(space->given, axis->name, &value) == VOLT_OK &&
        value.info->kind == VOLT_PARAMETER_REAL && isfinite(value.info->low) && isfinite(value.info->high);
    *low = is_bounded ? value.info->low : axis->low;
    *high = is_bounded ? value.info->high : axis->high;
}

static double step_factor(const volt_axis *axis, double u, double deviation, volt_rng *rng)
{
    double length = log(axis->high / axis->low), step = deviation * volt_rng_normal(rng);
    return length > 0 ? volt_reflect(u + step / length) : u;
}

static double step_share(const volt_space *space, const volt_axis *axis, double u, double deviation,
                         volt_rng *rng)
{
    double low = 0, high = 0, length = axis->high - axis->low;
    axis_ends(space, axis, &low, &high);
    double step = (low < 0 ? 2 : 1) * deviation * volt_rng_normal(rng);
    if (!(length > 0))
        return u;
    double share = (axis->low + length * u - low) / (high - low);
    share = fmin(fmax(share, nearest_end), 1 - nearest_end);
    double logit = log(share / (1 - share)) + step;
    return volt_reflect((low + (high - low) / (1 + exp(-logit)) - axis->low) / length);
}

/* A random step from the position u; `known` marks the valid entries. */
static void space_step(const volt_space *space, const bool *known, volt_rng *rng, double *u)
{
    double t = volt_rng_uniform(rng);
    double factor = shortest * pow(longest_factor, t), share = shortest * pow(longest_share, t);
    for (int64_t a = 0; a < space->n_axes; a++) {
        const volt_axis *axis = &space->axes[a];
        double fresh = volt_rng_uniform(rng), chance = volt_rng_uniform(rng);
        if (!known[a])
            u[a] = fresh;
        else if (axis->choices || volt_law_is_integer(axis->kind))
            u[a] = chance < chance_of_redraw ? fresh : u[a];
        else if (axis->kind == VOLT_SEARCH_LOG)
            u[a] = step_factor(axis, u[a], factor, rng);
        else
            u[a] = step_share(space, axis, u[a], share, rng);
    }
}

/* ---- membership of a kernel -------------------------------------------------------------------------- */

static const volt_kernel *factor_at(const volt_kernel *kernel, int64_t f)
{
    return kernel->n_factors == 0 ? kernel : kernel->factors[f];
}

static int64_t count_factors(const volt_kernel *kernel)
{
    return kernel->n_factors == 0 ? 1 : kernel->n_factors;
}

/* Whether the kernel can be a point of the space: the same factors and given parameters. */
static bool space_holds(const volt_space *space, const volt_kernel *kernel)
{
    const volt_kernel *given = space->given;
    if (count_factors(given) != count_factors(kernel))
        return false;
    for (int64_t f = 0; f < count_factors(given); f++)
        if (factor_at(given, f)->entry != factor_at(kernel, f)->entry ||
            (given->n_factors > 1 && given->term[f] != kernel->term[f]))
            return false;
    const char *name;
    for (int64_t p = 0; (name = volt_kernel_parameter_name(given, p)); p++) {
        volt_kernel_value requested = {.struct_size = sizeof requested}, found = {.struct_size = sizeof found};
        if (volt_kernel_get(given, name, &requested) != VOLT_OK || !requested.given)
            continue;
        if (volt_kernel_get(kernel, name, &found) != VOLT_OK || strcmp(requested.text, found.text) != 0)
            return false;
    }
    return true;
}

/* ---- the full grid over a space ---------------------------------------------------------------------- */

/* The parameters of a kernel may depend on a choice: lift=rbf has gamma but no tau_coef. The grid is
 * therefore a list of parts, one per combination of the caller's choices. A part is the product of the axes
 * that apply to it. A choice that has no effect together with the others is made only once. */

enum { MAX_PARTS = 4096 };

/* Choices precede ranges; a choice of alpha is not included. */
static int64_t choice_axes(const volt_space *space)
{
    int64_t count = 0;
    while (count < space->n_requested && space->axes[count].choices)
        count++;
    return count;
}

/* Positions of the choices of combination `number`. */
static void set_choices(const volt_space *space, int64_t number, double *u)
{
    for (int64_t a = choice_axes(space) - 1; a >= 0; a--) {
        int64_t count = space->axes[a].n_choices;
        u[a] = axis_position(&space->axes[a], count, number % count);
        number /= count;
    }
}

/* Fills `part` for its combination. *is_new is false if an earlier combination gives the same part. */
static volt_status find_taken(const volt_space *space, volt_part *part, bool *is_new)
{
    double u[VOLT_MAX_AXES];
    volt_setting setting;
    bool taken[VOLT_MAX_AXES] = {false};
    char kernel[VOLT_KERNEL_LENGTH];
    for (int64_t a = 0; a < space->n_axes; a++)
        u[a] = 0.5; /* ends of ranges may mean no bound: pair=0 has no angle */
    set_choices(space, part->choices, u);
    VOLT_TRY(volt_space_at(space, u, kernel, &setting, taken));
    *is_new = true;
    int64_t number = part->choices;
    for (int64_t a = choice_axes(space) - 1; a >= 0; a--) {
        *is_new &= taken[a] || number % space->axes[a].n_choices == 0;
        number /= space->axes[a].n_choices;
    }
    part->taken = 0;
    for (int64_t a = 0; a < space->n_axes; a++)
        part->taken |= (uint64_t)taken[a] << a;
    return VOLT_OK;
}

/* Number of candidates of a part; 0: overflow. */
static int64_t part_size(const volt_space *space, int64_t points, const volt_part *part)
{
    const int64_t most = INT64_C(1) << 40;
    int64_t size = 1;
    for (int64_t a = choice_axes(space); a < space->n_axes; a++) {
        int64_t count = part->taken >> a & 1 ? axis_points(&space->axes[a], points) : 1;
        if (size > most / count)
            return 0;
        size *= count;
    }
    return size;
}

static volt_status fill_parts(const volt_space *space, int64_t points, int64_t combinations, volt_part *parts,
                              int64_t *count)
{
    int64_t end = 0;
    uint64_t used = 0;
    *count = 0;
    for (int64_t c = 0; c < combinations; c++) {
        volt_part part = {.choices = c};
        bool is_new;
        VOLT_TRY(find_taken(space, &part, &is_new));
        used |= part.taken;
        if (!is_new)
            continue;
        int64_t size = part_size(space, points, &part);
        VOLT_REQUIRE(size > 0, VOLT_ERR_ARGUMENT,
                     "a grid of %" PRId64 " points along each parameter is too large to enumerate", points);
        part.end = end += size;
        parts[(*count)++] = part;
    }
    for (int64_t a = 0; a < space->n_requested; a++)
        VOLT_REQUIRE(used >> a & 1, VOLT_ERR_ARGUMENT,
                     "a range is given for %s, which kernel %s does not have with its other parameters",
                     space->axes[a].name, space->kernel);
    return VOLT_OK;
}

/* The `count` parts of a grid of `points` over the space. VOLT_ERR_ARGUMENT when a range of the caller
 * applies to no combination of choices, or when there are too many. */
static volt_status space_parts(const volt_space *space, int64_t points, volt_part **parts, int64_t *count)
{
    VOLT_REQUIRE(space->n_axes <= VOLT_MAX_AXES, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " parameters are searched, but the maximum is %d", space->n_axes, VOLT_MAX_AXES);
    int64_t combinations = 1;
    for (int64_t a = 0; a < choice_axes(space); a++) {
        VOLT_REQUIRE(space->axes[a].n_choices <= MAX_PARTS / combinations, VOLT_ERR_ARGUMENT,
                     "there are more than %d combinations of choices", MAX_PARTS);
        combinations *= space->axes[a].n_choices;
    }
    volt_part *fresh = volt_alloc(combinations, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = fill_parts(space, points, combinations, fresh, count);
    if (status == VOLT_OK)
        *parts = fresh;
    else
        volt_free(fresh);
    return status;
}

/* Candidate `index` of the grid as a position u along each axis, alpha running fastest. */
static void space_grid_position(const volt_space *space, int64_t points, const volt_part *parts, int64_t index,
                                double *u)
{
    const volt_part *part = parts;
    while (index >= part->end)
        part++;
    if (part > parts)
        index -= part[-1].end;
    set_choices(space, part->choices, u);
    for (int64_t a = space->n_axes - 1; a >= choice_axes(space); a--) { /* the last axis runs fastest */
        int64_t count = part->taken >> a & 1 ? axis_points(&space->axes[a], points) : 1;
        u[a] = axis_position(&space->axes[a], points, index % count);
        index /= count;
    }
}

/* ---- candidates drawn at random from a space, or on a grid over it ----------------------------------- */

/* Draw i uses one uniform number per axis from Philox stream i, so it does not depend on earlier draws or on
 * the machine. With `defaults`, draw 0 is the default kernel, unless the kernel has no default on a sequence
 * (path lengths must be given or drawn). Then alpha is profiled (select/folds/evaluation.c) if a
 * factorisation is cheap compared with the Gram matrix. */

typedef struct drawing {
    volt_space *space;
    uint64_t seed;
    int64_t points;   /* of a grid */
    volt_part *parts; /* of it */
    bool profiles;    /* starts from the defaults, without a range for alpha */
    int64_t rows, d;  /* of the inputs */
} drawing;

volt_draw_options volt_draw_options_default(void)
{
    volt_draw_options options = {.struct_size = sizeof(volt_draw_options), .scale = 1};
    return options;
}

static void draws_release(void *context)
{
    drawing *drawn = context;
    volt_free(drawn->parts);
    volt_space_free(drawn->space);
    volt_free(drawn);
}

/* Whether the text is a kernel on a sequence, and whether its Gram matrix is expensive. The values of the
 * inputs are irrelevant. */
static volt_status examine(const drawing *drawn, const char *text, bool *runs, bool *expensive)
{
    volt_kernel *kernel = NULL;
    volt_resolved resolved = {0};
    volt_extent unit[VOLT_MAX_FACTORS];
    for (int s = 0; s < VOLT_MAX_FACTORS; s++)
        unit[s] = (volt_extent){.radius = 1, .largest = 1};
    volt_status status = volt_kernel_parse(text, &kernel);
    if (status == VOLT_OK)
        status = volt_kernel_outline_slices(kernel, unit, drawn->d, &resolved);
    *runs = status == VOLT_OK;
    *expensive = *runs && volt_engine_of(&resolved, drawn->rows)->is_expensive;
    volt_resolved_release(&resolved);
    volt_kernel_free(kernel);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* The point at u. Alpha is profiled if that is cheap compared with the Gram matrix. */
static volt_status draw_at(const drawing *drawn, const double *u, char kernel[VOLT_KERNEL_LENGTH],
                           volt_setting *setting)
{
    bool runs = false, expensive = false;
    VOLT_TRY(volt_space_at(drawn->space, u, kernel, setting, NULL));
    if (drawn->profiles)
        VOLT_TRY(examine(drawn, kernel, &runs, &expensive));
    if (expensive)
        setting->alpha = 0;
    return VOLT_OK;
}

static volt_status draw_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const drawing *drawn = candidates->context;
    double u[VOLT_MAX_AXES];
    volt_rng rng;
    volt_rng_init(&rng, drawn->seed, (uint64_t)index);
    for (int64_t a = 0; a < drawn->space->n_axes; a++)
        u[a] = volt_rng_uniform(&rng);
    bool runs = false, expensive = false;
    if (drawn->profiles && index == 0) {
        volt_space requested =
            *drawn->space; /* parameters with ranges of the caller are drawn, the others have their defaults */
        requested.n_axes = requested.n_requested + requested.feedback_requested;
        VOLT_TRY(volt_space_at(&requested, u, kernel, setting, NULL));
        VOLT_TRY(examine(drawn, kernel, &runs, &expensive));
        setting->alpha = 0;
    }
    if (runs)
        return VOLT_OK;
    return draw_at(drawn, u, kernel, setting);
}

/* Steps use separate random numbers from the draw with the same index. */
static volt_status draw_near(const volt_candidates *candidates, int64_t index, const volt_kernel *about,
                             const volt_setting *setting_about, char kernel[VOLT_KERNEL_LENGTH],
                             volt_setting *setting)
{
    static const uint64_t stepping = UINT64_C(0xd1b54a32d192ed03);
    const drawing *drawn = candidates->context;
    double u[VOLT_MAX_AXES];
    bool known[VOLT_MAX_AXES];
    volt_rng rng;
    VOLT_TRY(volt_space_locate(drawn->space, about, setting_about, u, known));
    volt_rng_init(&rng, drawn->seed ^ stepping, (uint64_t)index);
    space_step(drawn->space, known, &rng, u);
    return draw_at(drawn, u, kernel, setting);
}

static volt_status draw_locate(const volt_candidates *candidates, const volt_kernel *about,
                               const volt_setting *setting_about, volt_point *point)
{
    const drawing *drawn = candidates->context;
    const volt_space *space = drawn->space;
    bool known[VOLT_MAX_AXES], taken[VOLT_MAX_AXES], runs = false, expensive = false;
    char kernel[VOLT_KERNEL_LENGTH];
    volt_setting setting = {.alpha = NAN};
    *point = (volt_point){.source = candidates};
    VOLT_TRY(volt_space_locate(space, about, setting_about, point->u, known));
    for (int64_t a = 0; a < space->n_axes; a++)
        if (!known[a])
            point->u[a] = 0.5; /* a default from the data, or a parameter that the kernel does not have */
    VOLT_TRY(volt_space_at(space, point->u, kernel, &setting, taken));
    if (drawn->profiles)
        VOLT_TRY(examine(drawn, kernel, &runs, &expensive));
    for (int64_t a = 0; a < space->n_axes; a++) {
        const volt_axis *axis = &space->axes[a];
        bool is_profiled = expensive && name_is_alpha(axis->name);
        if (taken[a] && !is_profiled && !axis->choices && axis->high > axis->low)
            point->axes[point->count++] = a;
    }
    return VOLT_OK;
}

static volt_status draw_get_at(const volt_candidates *candidates, const double *u,
                               char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    return draw_at(candidates->context, u, kernel, setting);
}

static bool draw_holds(const volt_candidates *candidates, const volt_kernel *kernel)
{
    const drawing *drawn = candidates->context;
    return space_holds(drawn->space, kernel);
}

static volt_status grid_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const drawing *drawn = candidates->context;
    double u[VOLT_MAX_AXES];
    space_grid_position(drawn->space, drawn->points, drawn->parts, index, u);
    return volt_space_at(drawn->space, u, kernel, setting, NULL);
}

/* Number of axes used by some candidate. */
static int64_t count_parameters(const volt_part *parts, int64_t n_parts)
{
    uint64_t taken = 0;
    for (int64_t p = 0; p < n_parts; p++)
        taken |= parts[p].taken;
    int64_t count = 0;
    for (; taken; taken &= taken - 1)
        count++;
    return count;
}

/* The candidates of one kernel: unlimited draws, or the grid if points > 0. */
static volt_status candidates_of_kernel(const char *kernel, volt_view X, const volt_draw_options *options,
                                        int64_t points, volt_candidates **candidates)
{
    drawing *drawn = volt_alloc_zero(1, sizeof *drawn);
    if (!drawn)
        return VOLT_ERR_MEMORY;
    drawn->seed = options->seed;
    drawn->points = points;
    volt_candidates source = {
        .count = -1, .get = points ? grid_get : draw_get, .release = draws_release, .context = drawn};
    if (!points) {
        source.get_near = draw_near;
        source.locate = draw_locate;
        source.get_at = draw_get_at;
        source.holds = draw_holds;
        source.seed = drawn->seed;
    }
    drawn->rows = X.rows;
    drawn->d = X.cols + (options->fed_outputs.data ? options->fed_outputs.cols : 0);
    source.feeds = options->fed_outputs.data;
    volt_status status = volt_space_create(kernel, X, options, &drawn->space);
    if (status == VOLT_OK)
        drawn->profiles = options->from_defaults && points == 0 && !drawn->space->alpha_requested;
    int64_t n_parts = 0;
    if (status == VOLT_OK)
        status = space_parts(drawn->space, points ? points : 1, &drawn->parts, &n_parts);
    if (status == VOLT_OK)
        source.parameters = count_parameters(drawn->parts, n_parts);
    if (status == VOLT_OK && points)
        source.count = drawn->parts[n_parts - 1].end;
    if (status != VOLT_OK) {
        draws_release(drawn);
        return status;
    }
    return volt_candidates_make(&source, candidates);
}

/* ---- candidates of several kernels, "A | B | C" ------------------------------------------------------ */

/* Draws are made in rounds. Each round has one draw of every kernel and starts with a random one. Round r uses
 * draw r of kernel k, as in a search of that kernel only. The first round is in order. Grids are concatenated. A range applies to the kernels that have the parameter
 * and do not set it. */

enum { MAX_ALTERNATIVES = 32 };

typedef struct alternatives {
    volt_candidates *of[MAX_ALTERNATIVES];
    int64_t count;
    uint64_t seed;
} alternatives;

static void alternatives_release(void *context)
{
    alternatives *all = context;
    for (int64_t k = 0; k < all->count; k++)
        volt_candidates_free(all->of[k]);
    volt_free(all);
}

/* ---- draws ------------------------------------------------------------------------------------ */

static int64_t whose_turn(const alternatives *all, int64_t index)
{
    static const uint64_t turning = UINT64_C(0x8cb92ba72f3d8dd7);
    int64_t round = index / all->count;
    volt_rng rng;
    volt_rng_init(&rng, all->seed ^ turning, (uint64_t)round);
    int64_t first = round == 0 ? 0 : (int64_t)(volt_rng_uniform(&rng) * (double)all->count);
    return (first + index % all->count) % all->count;
}

static volt_status turn_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const alternatives *all = candidates->context;
    const volt_candidates *one = all->of[whose_turn(all, index)];
    return one->get(one, index / all->count, kernel, setting);
}

static const volt_candidates *holder_of(const alternatives *all, const volt_kernel *kernel)
{
    for (int64_t k = 0; k < all->count; k++)
        if (all->of[k]->holds(all->of[k], kernel))
            return all->of[k];
    return NULL;
}

static volt_status turn_near(const volt_candidates *candidates, int64_t index, const volt_kernel *about,
                             const volt_setting *setting_about, char kernel[VOLT_KERNEL_LENGTH],
                             volt_setting *setting)
{
    const volt_candidates *one = holder_of(candidates->context, about);
    VOLT_REQUIRE(one, VOLT_ERR_KERNEL, "kernel %s is not among the searched kernels", volt_kernel_text(about));
    return one->get_near(one, index, about, setting_about, kernel, setting);
}

static volt_status turn_locate(const volt_candidates *candidates, const volt_kernel *about,
                               const volt_setting *setting_about, volt_point *point)
{
    const volt_candidates *one = holder_of(candidates->context, about);
    VOLT_REQUIRE(one, VOLT_ERR_KERNEL, "kernel %s is not among the searched kernels", volt_kernel_text(about));
    return one->locate(one, about, setting_about, point);
}

/* ---- grids ------------------------------------------------------------------------------------ */

static volt_status row_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                           volt_setting *setting)
{
    const alternatives *all = candidates->context;
    int64_t k = 0;
    while (index >= all->of[k]->count)
        index -= all->of[k++]->count;
    return all->of[k]->get(all->of[k], index, kernel, setting);
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Splits the text at the bars, in place, and adds the number of pieces to *count. VOLT_ERR_KERNEL: one is empty, or there are too many. */
static volt_status split(char *text, char *pieces[MAX_ALTERNATIVES], int64_t *count)
{
    for (char *at = text, *next = NULL; at; at = next) {
        next = strchr(at, '|');
        if (next)
            *next++ = '\0';
        while (isspace((unsigned char)*at))
            at++;
        VOLT_REQUIRE(*at, VOLT_ERR_KERNEL, "kernel %" PRId64 " of the list A | B | ... is empty", *count + 1);
        VOLT_REQUIRE(*count < MAX_ALTERNATIVES, VOLT_ERR_KERNEL,
                     "the list A | B | ... has more than %d kernels", MAX_ALTERNATIVES);
        pieces[(*count)++] = at;
    }
    return VOLT_OK;
}

/* Whether the kernel has the parameter and does not set it. */
static volt_status leaves_open(const char *kernel, const char *name, bool *open)
{
    enum { MAX_OPEN_PARAMETERS = VOLT_MAX_AXES / 2 };
    char requested[MAX_OPEN_PARAMETERS][VOLT_OPEN_NAME_LENGTH], text[VOLT_KERNEL_LENGTH];
    *open = name_is_setting(name);
    if (*open || strlen(kernel) >= sizeof text)
        return VOLT_OK;
    memcpy(text, kernel, strlen(kernel) + 1);
    volt_kernel_text_open_parameters(text, requested, MAX_OPEN_PARAMETERS);
    volt_kernel *parsed = NULL;
    volt_kernel_value value = {.struct_size = sizeof value};
    volt_status status = volt_kernel_parse(text, &parsed);
    *open = status == VOLT_OK && name && volt_kernel_get(parsed, name, &value) == VOLT_OK && !value.given;
    volt_kernel_free(parsed);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK; /* an invalid kernel is rejected when it is used */
}

/* Copies the ranges that kernel k accepts to `accepted`. A range that no kernel accepts is passed to the first,
 * which rejects it. */
static volt_status pick_ranges(char *const *kernels, int64_t count, int64_t k, const volt_draw_options *options,
                               volt_range *accepted, int64_t *n_accepted)
{
    *n_accepted = 0;
    for (int64_t r = 0; r < options->n_ranges; r++) {
        bool mine = false, anyones = false;
        for (int64_t other = 0; other < count; other++) {
            bool open = false;
            VOLT_TRY(leaves_open(kernels[other], options->ranges[r].name, &open));
            mine = mine || (open && other == k);
            anyones = anyones || open;
        }
        if (mine || (!anyones && k == 0))
            accepted[(*n_accepted)++] = options->ranges[r];
    }
    return VOLT_OK;
}

static volt_status fill_alternatives(char *const *kernels, int64_t count, volt_view X,
                                     const volt_draw_options *options, int64_t points, alternatives *all)
{
    volt_draw_options opts = *options;
    volt_range *ranges = volt_alloc(volt_max(options->n_ranges, 1), sizeof *ranges);
    volt_status status = ranges ? VOLT_OK : VOLT_ERR_MEMORY;
    opts.ranges = ranges;
    for (int64_t k = 0; k < count && status == VOLT_OK; k++) {
        status = pick_ranges(kernels, count, k, options, ranges, &opts.n_ranges);
        if (status == VOLT_OK)
            status = candidates_of_kernel(kernels[k], X, &opts, points, &all->of[k]);
        if (status == VOLT_OK)
            all->count++;
        else if (status != VOLT_ERR_MEMORY)
            status = volt_fail_prefix(status, "kernel %" PRId64 " of %" PRId64, k + 1, count);
    }
    volt_free(ranges);
    return status;
}

static volt_status create_alternatives(const char *kernel, volt_view X, const volt_draw_options *options,
                                       int64_t points, volt_candidates **candidates)
{
    VOLT_REQUIRE(options->n_ranges == 0 || options->ranges, VOLT_ERR_ARGUMENT, "the list of ranges is NULL");
    alternatives *all = volt_alloc_zero(1, sizeof *all);
    char *copy = volt_strdup(kernel), *kernels[MAX_ALTERNATIVES];
    int64_t count = 0;
    volt_status status = all && copy ? split(copy, kernels, &count) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = fill_alternatives(kernels, count, X, options, points, all);
    volt_free(copy);
    if (status != VOLT_OK) {
        if (all)
            alternatives_release(all);
        return status;
    }
    all->seed = options->seed;
    volt_candidates source = {
        .count = -1, .release = alternatives_release, .context = all, .seed = options->seed};
    for (int64_t k = 0; k < count; k++)
        source.parameters = volt_max(source.parameters, all->of[k]->parameters);
    source.feeds = options->fed_outputs.data != NULL;
    if (points) {
        source.get = row_get;
        source.count = 0;
        for (int64_t k = 0; k < count; k++)
            source.count += all->of[k]->count;
    } else {
        source.get = turn_get;
        source.heads = count;
        source.get_near = turn_near;
        source.locate = turn_locate;
    }
    return volt_candidates_make(&source, candidates);
}

volt_status volt_candidates_draw(const char *kernel, volt_view X, const volt_draw_options *options,
                                 volt_candidates **candidates)
{
    volt_draw_options opts = volt_draw_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_draw_options"));
    options = &opts;
    int64_t points = options->points;
    VOLT_REQUIRE(kernel && candidates, VOLT_ERR_ARGUMENT, "the kernel or the candidates are NULL");
    VOLT_REQUIRE(points >= 0 && points <= 1000000, VOLT_ERR_ARGUMENT,
                 "the points of a grid along each parameter must be 1 to 1000000 (got %" PRId64 ")", points);
    return strchr(kernel, '|') ? create_alternatives(kernel, X, options, points, candidates)
                               : candidates_of_kernel(kernel, X, options, points, candidates);
}
