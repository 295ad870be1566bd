/* src/fit/fit_task.c: checks the options of a fit and resolves `auto`. */
#include "fit/fit_task.h"

#include "base/error.h"
#include "model/initial.h"
#include "model/model_internal.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>

static volt_status check_feedback(const volt_fit_options *options)
{
    VOLT_REQUIRE(options->feedback_weight >= 0 && isfinite(options->feedback_weight), VOLT_ERR_ARGUMENT,
                 "the feedback weight must be positive and finite, or 0 for none (got %g)",
                 options->feedback_weight);
    if (options->feedback_weight == 0)
        return VOLT_OK;
    VOLT_REQUIRE(options->ahead == 0, VOLT_ERR_ARGUMENT,
                 "a feedback weight requires ahead = 0, so that the previous target is known (got ahead = "
                 "%" PRId64 ")",
                 options->ahead);
    VOLT_REQUIRE(!options->feedback, VOLT_ERR_ARGUMENT, "feedback and feedback_weight are mutually exclusive");
    return VOLT_OK;
}

static volt_status check_options(const volt_fit_options *options, volt_view X, volt_view Y)
{
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite, or 0 for automatic choice (got %g)", options->alpha);
    VOLT_REQUIRE(options->alpha_start >= 0, VOLT_ERR_ARGUMENT,
                 "alpha_start must be positive, or 0 for none (got %g)", options->alpha_start);
    VOLT_REQUIRE(options->tolerance >= 0 && options->tolerance < 1, VOLT_ERR_ARGUMENT,
                 "the tolerance must be above 0 and below 1, or 0 for the default (got %g)",
                 options->tolerance);
    VOLT_REQUIRE(options->target >= VOLT_TARGET_LEVEL && options->target <= VOLT_TARGET_AUTO, VOLT_ERR_ARGUMENT,
                 "target must be one of volt_target, 0 to %d (got %d)", (int)VOLT_TARGET_AUTO,
                 (int)options->target);
    VOLT_REQUIRE(options->input >= VOLT_INPUT_LEVEL && options->input <= VOLT_INPUT_AUTO, VOLT_ERR_ARGUMENT,
                 "input must be one of volt_input, 0 to %d (got %d)", (int)VOLT_INPUT_AUTO,
                 (int)options->input);
    VOLT_REQUIRE(options->washout >= 0 && options->washout < X.rows, VOLT_ERR_ARGUMENT,
                 "the washout must be 0 to %" PRId64 ", one less than the rows (got %" PRId64 ")", X.rows - 1,
                 options->washout);
    VOLT_REQUIRE(!options->scale_each || options->scale, VOLT_ERR_ARGUMENT, "scale_each requires scale");
    VOLT_REQUIRE(options->ahead >= 0 && options->ahead <= VOLT_MAX_AHEAD, VOLT_ERR_ARGUMENT,
                 "ahead must be 0 to %d (got %" PRId64 ")", VOLT_MAX_AHEAD, options->ahead);
    VOLT_REQUIRE(!options->feedback || X.cols == Y.cols, VOLT_ERR_ARGUMENT,
                 "feedback requires equal numbers of outputs and inputs (got %" PRId64 " and %" PRId64 ")",
                 Y.cols, X.cols);
    VOLT_TRY(check_feedback(options));
    VOLT_TRY(
        volt_initial_check(options->initial, options->initial_values, X.cols, options->feedback_weight > 0));
    VOLT_REQUIRE(options->season == VOLT_SEASON_AUTO || options->season == 0 ||
                     (options->season >= 2 && options->season < X.rows),
                 VOLT_ERR_ARGUMENT,
                 "the season must be 0 (none) or 2 to %" PRId64 ", one less than the rows (got %" PRId64
                 " rows)",
                 X.rows - 1, options->season);
    VOLT_REQUIRE(options->passthrough_columns >= 0 && options->passthrough_columns < X.cols, VOLT_ERR_ARGUMENT,
                 "passthrough_columns must be 0 to %" PRId64 ", one less than the inputs (got %" PRId64 ")",
                 X.cols - 1, options->passthrough_columns);
    for (int64_t k = 0; options->anchors && k < Y.cols; k++)
        VOLT_REQUIRE(options->anchors[k] >= -1 && options->anchors[k] < X.cols, VOLT_ERR_ARGUMENT,
                     "anchors must be -1 (none) or an input, 0 to %" PRId64 " (got %" PRId64
                     " for target %" PRId64 ")",
                     X.cols - 1, options->anchors[k], k);
    return VOLT_OK;
}

bool volt_fit_task_can_change(const volt_fit_options *options, int64_t q)
{
    bool can = options->anchors && options->ahead >= 1;
    for (int64_t k = 0; can && k < q; k++)
        can = options->anchors[k] >= 0;
    return can;
}

int64_t volt_fit_task_blocks(const volt_fit_options *options, int64_t q)
{
    bool has_targets = options->feedback != 0 || options->feedback_weight > 0;
    for (int64_t k = 0; options->anchors && k < q; k++)
        has_targets |= options->anchors[k] >= 0;
    return has_targets ? 0 : VOLT_HELD_OUT_BLOCKS;
}

/* Detects the season of the first target that has one, in the first of the longest records. */
static volt_status find_season(const fit_task *task, int64_t rows, int64_t *season)
{
    int64_t first = 0, count = 0;
    for (int64_t i = 0, end = 0; i < rows; i = end) {
        end = volt_records_segment_end(task->records, i, rows);
        if (end - i > count) {
            first = i;
            count = end - i;
        }
    }
    const double *x = task->X.data + first * task->X.ld;
    *season = 0;
    for (int64_t k = 0; k < task->Y.cols && *season == 0; k++)
        VOLT_TRY(volt_season_find(x + task->options->anchors[k], count, task->X.ld, season));
    return VOLT_OK;
}

volt_status volt_fit_task_resolve(volt_view X, volt_view Y, const volt_fit_options *options,
                                  const volt_records *records, int64_t learn_rows, fit_task *task)
{
    VOLT_TRY(check_options(options, X, Y));
    bool can = volt_fit_task_can_change(options, Y.cols), open = options->alpha == 0;
    *task = (fit_task){.X = X, .Y = Y, .options = options, .season = options->season, .records = records};
    VOLT_REQUIRE(options->target != VOLT_TARGET_CHANGE || can, VOLT_ERR_ARGUMENT,
                 "learning changes requires every target to be an input and at least one row ahead; "
                 "here %s",
                 options->ahead < 1 ? "targets are 0 rows ahead" : "a target is not an input");
    task->change =
        options->target == VOLT_TARGET_CHANGE || (options->target == VOLT_TARGET_AUTO && can && open);
    task->level = options->target == VOLT_TARGET_LEVEL ||
                  (options->target == VOLT_TARGET_AUTO && !task->change) ||
                  (options->target == VOLT_TARGET_AUTO && open);
    task->chooses = open || (options->guarded && task->change);
    task->input = options->input != VOLT_INPUT_AUTO ? options->input
                  : can && open                     ? VOLT_INPUT_BOTH
                                                    : VOLT_INPUT_LEVEL;
    if (task->input == VOLT_INPUT_LEVEL || !can)
        task->season = 0;
    else if (task->season == VOLT_SEASON_AUTO)
        VOLT_TRY(find_season(task, learn_rows, &task->season));
    return VOLT_OK;
}

volt_status volt_fit_task_recipe(const fit_task *task, int64_t learn_rows, volt_recipe *recipe)
{
    const volt_fit_options *options = task->options;
    volt_recipe_task wanted = {.kind = task->input,
                               .ahead = options->ahead,
                               .season = task->season,
                               .anchors = options->anchors,
                               .q = task->Y.cols,
                               .passthrough_columns = options->passthrough_columns,
                               .scale = options->scale != 0,
                               .scale_each = options->scale_each != 0,
                               .records = task->records};
    VOLT_TRY(volt_recipe_learn(volt_view_rows(task->X, 0, learn_rows), &wanted, recipe));
    return options->feedback_weight > 0 ? volt_recipe_feed_back(recipe, task->Y.cols, options->feedback_weight)
                                        : VOLT_OK;
}

void volt_fit_task_scale_targets(const fit_task *task, const volt_model *model, bool change, volt_matrix T)
{
    int64_t w = model->washout;
    for (int64_t i = 0; i < T.rows; i++)
        for (int64_t k = 0; k < T.cols; k++) {
            double y = task->Y.data[(w + i) * task->Y.ld + k];
            double from =
                change ? task->X.data[(w + i) * task->X.ld + task->options->anchors[k]] : model->target_mean[k];
            T.data[i * T.ld + k] = fit_task_has_target(task, w + i) ? (y - from) / model->target_scale[k] : 0;
        }
}

void volt_fit_task_take_change(const fit_task *task, int64_t k, volt_model *model)
{
    model->anchors[k] = task->options->anchors[k];
    model->target_mean[k] = 0;
}
