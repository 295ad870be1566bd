/* src/predict/predict.c: predictions for a sequence of inputs. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "model/model_internal.h"
#include "predict/interval/interval.h"
#include "predict/predict_internal.h"
#include "solve/exact/operator.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <string.h>

static volt_status check_spread(const volt_model *model, volt_matrix std, int64_t rows)
{
    VOLT_TRY(volt_check_output(std, rows, model->q, "the predictions"));
    VOLT_TRY(volt_model_require_single(model, "a standard deviation"));
    VOLT_REQUIRE(model->recipe.fed_outputs.n == 0, VOLT_ERR_ARGUMENT,
                 "standard deviations are not supported for models with a feedback weight");
    return VOLT_OK;
}

static void copy_rows(volt_view from, volt_matrix to)
{
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)from.cols * sizeof(double));
}

/* Runs rows Z (scaled) in blocks on the back end: v = K A, then converts to target units. */
static volt_status forecast(const volt_model *model, const volt_predict_state *state, volt_view X, volt_view Z,
                            const volt_records *records, int64_t rows, volt_progress progress, double *block,
                            const volt_prediction_std *spread, volt_matrix std, volt_matrix result)
{
    const volt_backend *backend = state->backend;
    volt_state *kernel_state = state->kernel_state;
    volt_model_reader reads = volt_model_reader_of(model);
    int64_t m = reads.columns->m;
    volt_view A = volt_view_of(reads.coefficients, m, model->q);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "predict", 0, 1, (double)Z.rows * (double)m);
    for (int64_t first = 0, count = 0; first < Z.rows; first += count) {
        count = volt_min(rows, volt_records_segment_end(records, first, Z.rows) - first);
        if (first > 0 && volt_records_begins(records, first))
            volt_state_zero(kernel_state);
        volt_matrix K = volt_matrix_of(block, count, m);
        VOLT_TRY(volt_state_advance_at(backend, kernel_state, volt_view_rows(Z, first, count), false, false, K,
                                       &stage));
        if (!volt_stage_should_continue(&stage))
            break;
        backend->gemm(volt_as_view(K), false, A, NULL, false, volt_matrix_rows(result, first, count));
        VOLT_TRY(volt_backend_state(backend));
        if (spread)
            VOLT_TRY(volt_prediction_std_rows(spread, backend, volt_as_view(K), first,
                                              volt_matrix_rows(std, first, count)));
    }
    VOLT_TRY(volt_stage_end(&stage));
    VOLT_TRY(volt_backend_state(backend));
    for (int64_t i = 0; i < Z.rows; i++)
        VOLT_TRY(
            volt_model_finish_output(model, state->done + i, X.data + i * X.ld, result.data + i * result.ld));
    return VOLT_OK;
}

volt_status volt_predict_state_at(const volt_model *model, const volt_state *kernel_state,
                                  const volt_recent *recent, int64_t rows, int64_t least,
                                  volt_predict_state *state)
{
    *state = (volt_predict_state){.backend = volt_backend_current()};
    int64_t m = volt_model_reader_of(model).columns->m;
    state->rows = volt_max(volt_block_rows_at(state->backend, rows, m), volt_min(rows, least));
    VOLT_TRY(volt_recent_create(&model->recipe, &state->recent));
    if (recent)
        volt_recent_copy(&model->recipe, recent, &state->recent);
    return kernel_state ? volt_state_copy(kernel_state, state->rows, &state->kernel_state)
                        : volt_state_create(&model->resolved, volt_model_reader_of(model).columns, state->rows,
                                            &state->kernel_state);
}

void volt_predict_state_release(volt_predict_state *state)
{
    volt_recent_release(&state->recent);
    volt_state_free(state->kernel_state);
}

/* Checks all inputs before the first prediction. */
static volt_status take_inputs(const volt_model *model, volt_view X, const volt_records *records,
                               volt_beyond policy, volt_predict_state *state, double *Z, int64_t *beyond)
{
    volt_status status = VOLT_OK;
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++) {
        const double *x = X.data + i * X.ld;
        if (i > 0 && volt_records_begins(records, i))
            volt_recent_restart(&state->recent);
        status =
            volt_model_take_input(model, &state->recent, x, policy, state->done + i, Z + i * model->d, beyond);
        volt_recent_push(&model->recipe, &state->recent, x);
    }
    return status;
}

volt_status volt_predict_rows(const volt_model *model, volt_view X, const volt_records *records,
                              const volt_predict_options *options, volt_predict_state *state, volt_matrix out,
                              volt_matrix std, int64_t *beyond)
{
    const volt_backend *backend = state->backend;
    int64_t rows = volt_min(state->rows, X.rows), counted = 0;
    double *Z = volt_alloc_doubles(X.rows, model->d);
    double *block = backend->alloc(rows, volt_model_reader_of(model).columns->m);
    volt_matrix result = volt_matrix_of(volt_alloc_doubles(X.rows, model->q), X.rows, model->q);
    volt_matrix spreads =
        volt_matrix_of(std.data ? volt_alloc_doubles(X.rows, model->q) : NULL, X.rows, model->q);
    volt_prediction_std spread = {0};
    volt_status status = Z && block && result.data && (spreads.data || !std.data)
                             ? take_inputs(model, X, records, options->beyond, state, Z, &counted)
                             : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && std.data)
        status = volt_prediction_std_begin(model, volt_view_of(Z, X.rows, model->d), records, options->start,
                                           rows, &spread);
    if (status == VOLT_OK)
        status = forecast(model, state, X, volt_view_of(Z, X.rows, model->d), records, rows, options->progress,
                          block, std.data ? &spread : NULL, spreads, result);
    if (status == VOLT_OK) {
        copy_rows(volt_as_view(result), out);
        if (std.data)
            copy_rows(volt_as_view(spreads), std);
        if (beyond)
            *beyond = counted;
        state->done += X.rows;
    }
    volt_prediction_std_release(&spread);
    volt_free(spreads.data);
    volt_free(result.data);
    backend->release(block);
    volt_free(Z);
    return status;
}

/* std without data: not computed. */
static volt_status predict(const volt_model *model, volt_view X, const volt_records *records,
                           const volt_predict_options *options, volt_matrix out, volt_matrix std,
                           int64_t *beyond)
{
    enum { SPREAD_ROWS = 64 }; /* rows per unpacking of the factor */
    bool reset = options->start == VOLT_START_RESET;
    volt_predict_state state;
    VOLT_TRY(volt_model_check_start(model, options->start));
    VOLT_TRY(volt_beyond_check(options->beyond));
    volt_status status = volt_predict_state_at(model, reset ? NULL : model->end, reset ? NULL : &model->recent,
                                               X.rows, std.data ? SPREAD_ROWS : 1, &state);
    if (status == VOLT_OK)
        status = volt_predict_rows(model, X, records, options, &state, out, std, beyond);
    volt_predict_state_release(&state);
    return status;
}

static volt_status run_free(const volt_model *model, volt_view X, const volt_records *records,
                            const volt_predict_options *options, volt_predict_report *report, volt_matrix out,
                            int64_t *beyond)
{
    const volt_backend *backend = volt_place_run(X.rows, volt_model_reader_of(model).columns->m, model->d);
    bool fails = options->beyond == VOLT_BEYOND_ERROR;
    volt_run_bounded bounded = {0};
    VOLT_TRY(volt_model_run_free(model, backend, X, records, options, fails ? NULL : &bounded, out, beyond));
    volt_model_warn_free_run(model, records, options, &bounded, report);
    return VOLT_OK;
}

/* Copies the warnings to the report of the caller, or logs them. */
static volt_status deliver(const volt_predict_report *report, volt_predict_report *given)
{
    if (given)
        return volt_result_copy(given, report, sizeof *report, "volt_predict_report");
    for (int64_t i = 0; i < report->n_warnings; i++)
        volt_log(VOLT_LOG_WARNING, "%s", report->warnings[i].text);
    return VOLT_OK;
}

volt_status volt_model_predict(const volt_model *model, volt_view X, const volt_predict_options *options,
                               volt_matrix out, int64_t *beyond)
{
    volt_predict_options opts = volt_predict_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_predict_options"));
    options = &opts;
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_check_inputs(model, X));
    VOLT_TRY(volt_check_output(out, X.rows, model->q, "the predictions"));
    VOLT_TRY(volt_model_check_known(model, X.rows, options));
    volt_predict_report report = {.struct_size = sizeof report};
    if (options->report) /* before any output is written */
        VOLT_TRY(deliver(&report, options->report));
    if (options->std.data)
        VOLT_TRY(check_spread(model, options->std, X.rows));

    volt_records records;
    VOLT_TRY(volt_records_make(options->records, options->n_records, X.rows, &records));
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = model->sum ? volt_sum_predict(model, X, options, &report, out, beyond)
                 : model->recipe.fed_outputs.n > 0
                     ? run_free(model, X, &records, options, &report, out, beyond)
                     : predict(model, X, &records, options, out, options->std, beyond);
        volt_blas_release(&use);
    }
    volt_records_release(&records);
    if (status == VOLT_OK && options->report) {
        volt_predict_warning range = {.rows = 0};
        status = volt_model_check_range(model, X, 0, &range);
        if (range.rows > 0)
            report.warnings[report.n_warnings++] = range;
    }
    return status == VOLT_OK ? deliver(&report, options->report) : status;
}
