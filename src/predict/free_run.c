/* src/predict/free_run.c: predictions of a model with a feedback weight, row by row. */
#include "predict/predict_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "predict/live/live_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

volt_status volt_model_check_known(const volt_model *model, int64_t rows, const volt_predict_options *options)
{
    volt_view known = options->known;
    VOLT_REQUIRE(options->warm_up >= 0, VOLT_ERR_ARGUMENT,
                 "the warm-up must be at least 1, or 0 for all (got %" PRId64 " rows)", options->warm_up);
    VOLT_REQUIRE(options->warm_up == 0 || known.data, VOLT_ERR_ARGUMENT,
                 "a warm-up of %" PRId64 " rows requires known outputs", options->warm_up);
    if (!known.data)
        return VOLT_OK;
    VOLT_REQUIRE(volt_model_feedback_weight(model) > 0, VOLT_ERR_ARGUMENT,
                 "known outputs require a model with feedback");
    VOLT_REQUIRE(known.rows == rows && known.cols == model->q && known.ld >= known.cols, VOLT_ERR_SHAPE,
                 "the known outputs must be %" PRId64 " x %" PRId64
                 ": one row per input row, one column per output (got %" PRId64 " x %" PRId64 ")",
                 rows, model->q, known.rows, known.cols);
    return VOLT_OK;
}

/* Number of rows of the record `first` .. `end` - 1 whose known outputs are fed back. */
static volt_status count_warm(const volt_predict_options *options, int64_t first, int64_t end, int64_t *warm)
{
    int64_t rows = end - first;
    VOLT_REQUIRE(options->warm_up <= rows, VOLT_ERR_ARGUMENT,
                 "the warm-up is %" PRId64 " rows, but the sequence that begins with row %" PRId64
                 " has %" PRId64,
                 options->warm_up, first + 1, rows);
    *warm = !options->known.data ? 0 : options->warm_up > 0 ? options->warm_up : rows;
    *warm = volt_min(*warm, rows - 1); /* no row follows the last one */
    volt_view known = options->known;
    for (int64_t i = first; i < first + *warm; i++)
        for (int64_t k = 0; k < known.cols; k++)
            VOLT_REQUIRE(isfinite(known.data[i * known.ld + k]), VOLT_ERR_NOT_FINITE,
                         "known output %" PRId64 " of row %" PRId64 " is missing or not finite", k + 1, i + 1);
    return VOLT_OK;
}

/* Bounds the outputs y of row i, which the live object has predicted last. */
static void bound_outputs(volt_live *live, int64_t i, double *y, volt_run_bounded *bounded)
{
    const volt_recipe *recipe = &live->model->recipe;
    if (bounded->rows++ == 0) {
        bounded->first = i;
        bounded->output = volt_feedback_find_diverged(&recipe->fed_outputs, y);
        bounded->value = y[bounded->output];
    }
    volt_feedback_clip(&recipe->fed_outputs, y);
    memcpy(live->y, y, (size_t)live->model->q * sizeof *y);
    volt_recent_feed(recipe, &live->recent, y);
    live->diverged = false;
}

/* Runs the record of rows first .. end - 1, continuing from the state of the object. */
static volt_status run_record(volt_live *live, const volt_backend *backend, volt_view X, int64_t first,
                              int64_t end, const volt_predict_options *options, volt_stage *stage,
                              volt_run_bounded *bounded, volt_matrix out)
{
    const volt_feedback *fed_outputs = &live->model->recipe.fed_outputs;
    volt_view known = options->known;
    int64_t warm = 0, done = 0;
    bool all_known = known.data && (options->warm_up == 0 || options->warm_up == end - first);
    bool watches = !all_known; /* one-step predictions are not fed back */
    VOLT_TRY(count_warm(options, first, end, &warm));
    for (int64_t i = first; i < end; i++) {
        volt_device_rows rows = {.X = volt_view_rows(X, i, end - i),
                                 .out = volt_matrix_rows(out, i, end - i),
                                 .known = known.data ? known.data + i * known.ld : NULL,
                                 .known_ld = known.ld,
                                 .warm = volt_max(first + warm - i, 0),
                                 .watches = watches,
                                 .bounds = bounded != NULL};
        VOLT_TRY(volt_device_run(live, backend, &rows, i, stage, &done));
        i += done;
        if (i == end || !volt_stage_advance(stage, 1))
            break;
        double *y = out.data + i * out.ld;
        VOLT_TRY(volt_live_feed(live, X.data + i * X.ld, y));
        if (i < first + warm)
            VOLT_TRY(volt_live_learn(live, 0, known.data + i * known.ld));
        else if (live->diverged && watches && bounded)
            bound_outputs(live, i, y, bounded);
        else if (live->diverged && watches)
            return volt_feedback_report_diverged(fed_outputs, volt_feedback_find_diverged(fed_outputs, y), i,
                                                 y);
    }
    return VOLT_OK;
}

static volt_status run_records(volt_live *live, const volt_backend *backend, volt_view X,
                               const volt_records *records, const volt_predict_options *options,
                               volt_run_bounded *bounded, volt_matrix out)
{
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "predict", 0, 1, (double)X.rows);
    for (int64_t first = 0, end = 0; first < X.rows; first = end) {
        end = volt_records_segment_end(records, first, X.rows);
        bool begins = first > 0 || options->start == VOLT_START_RESET;
        const double *known = options->known.data ? options->known.data + first * options->known.ld : NULL;
        if (first > 0)
            VOLT_TRY(volt_live_restart(live));
        if (begins && known && live->model->initial == VOLT_INITIAL_FIRST && isfinite(known[0]))
            volt_recent_feed(&live->model->recipe, &live->recent, known);
        VOLT_TRY(run_record(live, backend, X, first, end, options, &stage, bounded, out));
    }
    return volt_stage_end(&stage);
}

volt_status volt_model_run_free(const volt_model *model, const volt_backend *backend, volt_view X,
                                const volt_records *records, const volt_predict_options *options,
                                volt_run_bounded *bounded, volt_matrix out, int64_t *beyond)
{
    volt_live *live = NULL;
    volt_matrix path = volt_matrix_of(volt_alloc_doubles(X.rows, model->q), X.rows, model->q);
    volt_status status =
        path.data ? volt_live_open(model, options->start, options->beyond, &live) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        live->claimed = true;
        status = run_records(live, backend, X, records, options, bounded, path);
    }
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < X.rows; i++)
            memcpy(out.data + i * out.ld, path.data + i * path.ld, (size_t)path.cols * sizeof(double));
        if (beyond)
            *beyond = live->beyond;
    }
    volt_live_free(live);
    volt_free(path.data);
    return status;
}

/* ---- warnings --------------------------------------------------------------------------------- */

static volt_predict_warning *add_warning(volt_predict_report *report, volt_predict_warning warning)
{
    volt_predict_warning *added = &report->warnings[report->n_warnings++];
    *added = warning;
    return added;
}

void volt_model_warn_free_run(const volt_model *model, const volt_records *records,
                              const volt_predict_options *options, const volt_run_bounded *bounded,
                              volt_predict_report *report)
{
    const volt_feedback *fed_outputs = &model->recipe.fed_outputs;
    int64_t continued = options->start == VOLT_START_CONTINUE, starts = volt_max(records->n, 1) - continued;
    if (!options->known.data && starts > 0) {
        int64_t row = continued ? volt_records_segment_end(records, 0, INT64_MAX) : 0;
        volt_predict_warning *added =
            add_warning(report, (volt_predict_warning){.code = VOLT_WARNING_NO_FIRST_OUTPUT,
                                                       .row = row,
                                                       .rows = starts,
                                                       .value = fed_outputs->offset[0]});
        if (model->initial == VOLT_INITIAL_FIRST)
            snprintf(added->text, sizeof added->text,
                     "the free run from row %" PRId64
                     " starts without a measured output and uses the stationary "
                     "output for its first input: give the first measured outputs",
                     row + 1);
        else
            snprintf(added->text, sizeof added->text,
                     "the free run from row %" PRId64
                     " starts without a measured output and uses %g%s: give the first "
                     "measured outputs",
                     row + 1, fed_outputs->offset[0],
                     fed_outputs->offset[0] != 0 ? ", the mean of the training targets" : "");
    }
    if (bounded->rows > 0) {
        double middle, reach;
        volt_feedback_bounds(fed_outputs, bounded->output, &middle, &reach);
        volt_predict_warning *added =
            add_warning(report, (volt_predict_warning){.code = VOLT_WARNING_RUN_BOUNDED,
                                                       .row = bounded->first,
                                                       .rows = bounded->rows,
                                                       .column = bounded->output,
                                                       .value = bounded->value});
        snprintf(added->text, sizeof added->text,
                 "the free run diverges: output %" PRId64 " of row %" PRId64
                 " is %g (training targets: %g to %g); %" PRId64
                 " row%s bounded to %g to %g, and rows from this one on are not reliable",
                 bounded->output + 1, bounded->first + 1, bounded->value, fed_outputs->low[bounded->output],
                 fed_outputs->high[bounded->output], bounded->rows, bounded->rows == 1 ? " was" : "s were",
                 middle - reach, middle + reach);
    }
}
