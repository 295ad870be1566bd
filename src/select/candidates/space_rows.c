/* src/select/candidates/space_rows.c: rows for the unit of widths.
 *
 * A factor uses scaled rows, possibly filtered, possibly with the outputs of the previous row
 * (model/feedback.h). A sample large enough for the distance is kept. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "model/scaling.h"
#include "select/candidates/space.h"
#include "stats/stats_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

volt_status volt_space_learn_rows(volt_view X, const volt_draw_options *options, volt_space *space)
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
