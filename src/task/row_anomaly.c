/* src/task/row_anomaly.c: anomalous rows of one series: a model of its first rows scores those that follow. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "model/model_internal.h"
#include "stats/stats_internal.h"
#include "volterra/task.h"

#include <inttypes.h>

enum { MIN_ROWS = 3, MIN_TRAIN = 50, MAX_TRAIN = 2000 };

volt_row_anomaly_options volt_row_anomaly_options_default(void)
{
    return (volt_row_anomaly_options){
        .struct_size = sizeof(volt_row_anomaly_options), .kernel = "volterra", .rate = 0.001, .window = 500};
}

static volt_status take_options(const volt_row_anomaly_options *given, volt_row_anomaly_options *options)
{
    *options = volt_row_anomaly_options_default();
    VOLT_TRY(volt_options_take(options, sizeof *options, given, "volt_row_anomaly_options"));
    VOLT_REQUIRE(options->rate > 0 && options->rate < 1, VOLT_ERR_ARGUMENT,
                 "rate must be between 0 and 1 (got %g)", options->rate);
    VOLT_REQUIRE(options->window >= 0, VOLT_ERR_ARGUMENT, "window must be at least 0 (got %" PRId64 ")",
                 options->window);
    return VOLT_OK;
}

/* ---- fit -------------------------------------------------------------------------------------- */

static volt_status count_train_rows(int64_t rows, int64_t given, int64_t *train)
{
    *train = given;
    VOLT_REQUIRE(given == 0 || (given >= MIN_ROWS && given <= rows), VOLT_ERR_ARGUMENT,
                 "train_rows must be %d to %" PRId64 ", the number of rows (got %" PRId64 ")", MIN_ROWS, rows,
                 given);
    if (given > 0)
        return VOLT_OK;
    *train = volt_max(MIN_TRAIN, volt_min(rows / 3, MAX_TRAIN));
    VOLT_REQUIRE(rows > *train, VOLT_ERR_DATA,
                 "there are %" PRId64 " rows, of which the first %" PRId64
                 " are fitted: none are left to score",
                 rows, *train);
    return VOLT_OK;
}

static volt_status fit_pairs(const volt_row_anomaly_options *options, const volt_pairing *pairs,
                             volt_model **model)
{
    volt_kernel *kernel = NULL;
    volt_fit_options fit = volt_fit_options_default();
    fit.ahead = pairs->ahead;
    fit.feedback = pairs->feedback;
    fit.anchors = pairs->anchors;
    fit.input_names = fit.output_names = options->names;
    fit.progress = options->progress;
    VOLT_TRY(volt_kernel_parse(options->kernel, &kernel));
    volt_status status =
        volt_model_fit(kernel, pairs->inputs, pairs->targets, &fit, volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    return status;
}

volt_status volt_row_anomaly_fit(volt_view X, const volt_row_anomaly_options *given, volt_model **model)
{
    volt_row_anomaly_options options;
    volt_pairing *pairs = NULL;
    int64_t train = 0;
    VOLT_REQUIRE(X.data && model, VOLT_ERR_ARGUMENT, "the rows or the output for the model is NULL");
    VOLT_TRY(take_options(given, &options));
    VOLT_TRY(count_train_rows(X.rows, options.train_rows, &train));
    VOLT_TRY(volt_pairing_create(volt_view_rows(X, 0, train), volt_view_of(NULL, 0, 0), NULL, &pairs));
    volt_status status = fit_pairs(&options, pairs, model);
    volt_pairing_free(pairs);
    return status;
}

/* ---- score ------------------------------------------------------------------------------------ */

static volt_status score_rows(volt_live *live, volt_view last, volt_view X, volt_progress progress,
                              volt_matrix scores, int64_t *channels)
{
    volt_stage stage;
    volt_detection row = {.struct_size = sizeof row};
    volt_stage_begin(&stage, progress, "watch", 0, 1, (double)X.rows);
    VOLT_TRY(volt_live_detect(live, last.data, NULL, &row));
    for (int64_t t = 0; t < X.rows && volt_stage_should_continue(&stage); t++) {
        double *out = scores.data + t * scores.ld;
        VOLT_TRY(volt_live_detect(live, X.data + t * X.ld, NULL, &row));
        out[0] = row.score;
        out[1] = row.threshold;
        out[2] = row.alarm;
        if (channels)
            channels[t] = row.channel;
        volt_stage_advance(&stage, 1);
    }
    return volt_stage_end(&stage);
}

volt_status volt_row_anomaly_score(const volt_model *model, volt_view X, const volt_row_anomaly_options *given,
                                   volt_matrix scores, int64_t *channels)
{
    volt_row_anomaly_options options;
    volt_live_options how = volt_live_options_default();
    volt_live *live = NULL;
    VOLT_REQUIRE(model && X.data && scores.data, VOLT_ERR_ARGUMENT,
                 "the model, the rows or the output for their scores is NULL");
    VOLT_TRY(take_options(given, &options));
    VOLT_TRY(volt_model_require_single(model, "the detection of anomalies"));
    volt_view last = volt_model_pending(model);
    VOLT_REQUIRE(last.rows == 1, VOLT_ERR_ARGUMENT,
                 "the model has no last training row: fit it with volt_row_anomaly_fit");
    VOLT_REQUIRE(X.cols == last.cols && scores.rows == X.rows && scores.cols == 3, VOLT_ERR_SHAPE,
                 "X is %" PRId64 " x %" PRId64 " and the scores are %" PRId64 " x %" PRId64
                 ": X must have %" PRId64 " columns, and the scores as many rows and 3 columns",
                 X.rows, X.cols, scores.rows, scores.cols, last.cols);
    VOLT_TRY(volt_require_finite("rows", X));
    how.learn = options.window > 0;
    how.window = options.window;
    how.alarm_rate = options.rate;
    VOLT_TRY(volt_live_create(model, &how, &live));
    volt_status status = score_rows(live, last, X, options.progress, scores, channels);
    volt_live_free(live);
    return status;
}
