/* src/predict/closed_loop.c: a model in closed loop, once or along many noisy paths.
 *
 * On a noisy path each output is the prediction plus the error of a training row, and that sum is fed back.
 * The row is one of the last rows predicted one step ahead, and all outputs use the same row. The inputs of
 * the model are thus noisy, as in training.
 *
 * Errors are drawn in runs of consecutive rows, 10 on average (the stationary bootstrap of Politis and
 * Romano, 1994). Model errors are autocorrelated; independent draws would cancel (docs/math.md, "Closed
 * loop"). */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"
#include "predict/predict_internal.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <string.h>

/* A first row equal to the last training target is taken as that target, any other as the next row. */
static bool begins_with_last_target(const volt_model *model, volt_view X)
{
    bool same = X.rows > 0;
    for (int64_t k = 0; same && k < model->q; k++)
        same = X.data[k] == model->last_target[k];
    if (same)
        volt_log(VOLT_LOG_WARNING,
                 "the first row equals the last training row and is taken as that row, not as a new one: if it "
                 "is new, give dates, or put the last training row before it");
    return same;
}

/* Whether the last training target is pushed before the rows of X. */
static bool pushes_target(const volt_model *model, volt_view X, volt_start start)
{
    if (model->no_last_target)
        return false;
    if (X.rows == 0 || start == VOLT_START_AFTER_TARGET)
        return true;
    return start == VOLT_START_CONTINUE && !begins_with_last_target(model, X);
}

static volt_status check(const volt_model *model, volt_view X, volt_start start, volt_matrix out)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_require_single(model, "a closed loop"));
    VOLT_REQUIRE(start >= VOLT_START_CONTINUE && start <= VOLT_START_AFTER_TARGET, VOLT_ERR_ARGUMENT,
                 "the start must be one of volt_start, 0 to %d (got %d)", (int)VOLT_START_AFTER_TARGET,
                 (int)start);
    VOLT_REQUIRE(model->feedback, VOLT_ERR_ARGUMENT,
                 model->recipe.fed_outputs.n > 0
                     ? "a model with a feedback weight requires inputs: use predict"
                     : "a closed loop requires outputs that are the inputs one step later: "
                       "fit on a series without other inputs, one step "
                       "ahead");
    VOLT_REQUIRE(out.rows > 0, VOLT_ERR_ARGUMENT, "the number of steps must be at least 1 (got %" PRId64 ")",
                 out.rows);
    VOLT_REQUIRE(!model->no_last_target || X.rows > 0, VOLT_ERR_ARGUMENT,
                 "the last training row has no target: give the rows observed since "
                 "training");
    VOLT_REQUIRE(
        !model->no_last_target || start != VOLT_START_AFTER_TARGET, VOLT_ERR_ARGUMENT,
        "the last training row has no target: the rows must begin with the row after the last training "
        "input");
    VOLT_TRY(volt_check_output(out, out.rows, model->q, "the predictions"));
    return X.rows > 0 ? volt_model_check_inputs(model, X) : VOLT_OK;
}

/* Creates a live object that has taken the known rows. `next` (q numbers) receives the prediction of the
 * last. */
static volt_status take_known(const volt_model *model, volt_view X, const volt_predict_options *options,
                              volt_stage *stage, volt_live **live, double *next)
{
    volt_start start = options->start == VOLT_START_RESET ? VOLT_START_RESET : VOLT_START_CONTINUE;
    VOLT_TRY(volt_live_open(model, start, options->beyond, live));
    if (pushes_target(model, X, options->start))
        VOLT_TRY(volt_live_feed(*live, model->last_target, next));
    for (int64_t i = 0; i < X.rows && volt_stage_advance(stage, 1); i++)
        VOLT_TRY(volt_live_feed(*live, X.data + i * X.ld, next));
    return VOLT_OK;
}

static void copy_rows(volt_matrix from, volt_matrix to)
{
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)from.cols * sizeof(double));
}

/* ---- one path --------------------------------------------------------------------------------- */

/* Computes the rows of the path after the first, each from the previous one. */
static volt_status run_on(volt_live *live, volt_matrix path, volt_stage *stage)
{
    const volt_model *model = live->model;
    const volt_backend *backend = volt_place_run(path.rows, volt_model_reader_of(model).columns->m, model->d);
    int64_t done = 0;
    for (int64_t i = 1; i < path.rows; i++) {
        double *output = path.data + (i - 1) * path.ld;
        volt_device_rows rows = {.X = volt_view_of(output, 1, path.cols),
                                 .out = volt_matrix_rows(path, i, path.rows - i),
                                 .chained = true};
        VOLT_TRY(volt_device_run(live, backend, &rows, live->pushed, stage, &done));
        i += done;
        if (i == path.rows || !volt_stage_advance(stage, 1))
            break;
        VOLT_TRY(volt_live_feed(live, path.data + (i - 1) * path.ld, path.data + i * path.ld));
    }
    return VOLT_OK;
}

static volt_status run_one(const volt_model *model, volt_view X, const volt_predict_options *options,
                           volt_matrix result, int64_t *beyond)
{
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "continue", 0, 1, (double)X.rows + (double)result.rows);
    volt_live *live = NULL;
    volt_status status = take_known(model, X, options, &stage, &live, result.data);
    if (status == VOLT_OK)
        status = run_on(live, result, &stage);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        *beyond = live->beyond;
    volt_live_free(live);
    return status;
}

/* ---- noisy paths ------------------------------------------------------------------------------ */

static bool has_all_errors(const volt_model *model, int64_t t)
{
    bool whole = true;
    for (int64_t k = 0; k < model->q; k++)
        whole = whole && model->errors.lists[VOLT_ERRORS_NEAR].scale[t * model->q + k] > 0;
    return whole;
}

/* Finds the last rows, at most VOLT_INTERVAL_SCORES, with errors in all outputs, in time order. Returns
 * their number. */
static int64_t rows_with_errors(const volt_model *model, int64_t rows[VOLT_INTERVAL_SCORES])
{
    int64_t count = 0, t = model->errors.lists[VOLT_ERRORS_NEAR].rows;
    while (t > 0 && count < VOLT_INTERVAL_SCORES)
        if (has_all_errors(model, --t))
            rows[VOLT_INTERVAL_SCORES - ++count] = t;
    memmove(rows, rows + VOLT_INTERVAL_SCORES - count, (size_t)count * sizeof *rows);
    return count;
}

/* The row after `last` (index among n, cyclic), or any row with probability 1 / RUN. */
static int64_t next_drawn(volt_rng *rng, int64_t last, int64_t n)
{
    enum { RUN = 10 };
    if (last >= 0 && volt_rng_uniform(rng) * RUN >= 1)
        return (last + 1) % n;
    return volt_min((int64_t)(volt_rng_uniform(rng) * (double)n), n - 1);
}

/* Computes one path from `start`, whose last prediction is `next`, into `path` (steps x q). Consumes the
 * object. */
static volt_status run_path(const volt_model *model, volt_live *live, const double *next, const int64_t *rows,
                            int64_t n_rows, volt_rng *rng, volt_stage *stage, volt_matrix path)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    int64_t drawn = -1;
    for (int64_t i = 0; i < path.rows && volt_stage_advance(stage, 1); i++) {
        double *output = path.data + i * path.ld;
        if (i == 0)
            memcpy(output, next, (size_t)model->q * sizeof *output);
        else
            VOLT_TRY(volt_live_feed(live, output - path.ld, output));
        drawn = next_drawn(rng, drawn, n_rows);
        for (int64_t k = 0; k < model->q; k++)
            output[k] += model->target_scale[k] * near->e[rows[drawn] * model->q + k];
    }
    return VOLT_OK;
}

static volt_status run_paths(const volt_model *model, volt_view X, const volt_predict_options *options,
                             volt_matrix result, int64_t *beyond)
{
    int64_t rows[VOLT_INTERVAL_SCORES], n_rows = rows_with_errors(model, rows);
    int64_t paths = options->paths, steps = result.rows / paths;
    VOLT_REQUIRE(n_rows > 0, VOLT_ERR_DATA,
                 "the model has no training errors to draw noise from: too few rows");
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "continue", 0, 1, (double)X.rows + (double)result.rows);
    volt_live *known = NULL;
    double *next = volt_alloc_doubles(model->q, 1);
    volt_status status = next ? take_known(model, X, options, &stage, &known, next) : VOLT_ERR_MEMORY;
    *beyond = status == VOLT_OK ? known->beyond : 0;
    for (int64_t p = 0; status == VOLT_OK && p < paths && volt_stage_should_continue(&stage); p++) {
        volt_live *live = NULL;
        volt_rng rng;
        volt_rng_init(&rng, options->seed, (uint64_t)p); /* path p does not depend on the number of paths */
        status = volt_live_copy(known, &live);
        if (status == VOLT_OK)
            status = run_path(model, live, next, rows, n_rows, &rng, &stage,
                              volt_matrix_rows(result, p * steps, steps));
        if (status == VOLT_OK)
            *beyond += live->beyond - known->beyond;
        volt_live_free(live);
    }
    volt_live_free(known);
    volt_free(next);
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- public ----------------------------------------------------------------------------------- */

volt_status volt_model_continue(const volt_model *model, volt_view X, const volt_predict_options *options,
                                volt_matrix out, int64_t *beyond)
{
    volt_predict_options opts = volt_predict_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_predict_options"));
    options = &opts;
    VOLT_REQUIRE(options->paths >= 0 && out.rows % volt_max(options->paths, 1) == 0, VOLT_ERR_ARGUMENT,
                 "the number of rows must be a multiple of the %" PRId64 " paths (got %" PRId64 ")",
                 options->paths, out.rows);
    VOLT_TRY(check(model, X, options->start, out));
    VOLT_TRY(volt_beyond_check(options->beyond));
    int64_t counted = 0;
    volt_matrix result = volt_matrix_of(volt_alloc_doubles(out.rows, out.cols), out.rows, out.cols);
    volt_status status = !result.data         ? VOLT_ERR_MEMORY
                         : options->paths > 0 ? run_paths(model, X, options, result, &counted)
                                              : run_one(model, X, options, result, &counted);
    if (status == VOLT_OK) {
        copy_rows(result, out);
        if (beyond)
            *beyond = counted;
    }
    volt_free(result.data);
    return status;
}
