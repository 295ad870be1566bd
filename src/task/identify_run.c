/* src/task/identify_run.c: free runs of the models of an identification, record by record. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats_internal.h"
#include "task/identify_internal.h"

#include <math.h>
#include <string.h>

enum { WARM_UP = 500 }; /* measured rows that set the state before rows that do not follow the fit */

/* Free run over rows first .. end - 1 of one record, after `before` measured rows, which set the state from zero;
 * with `follows` after the rows of the fit. */
static volt_status run_rows(volt_identify_state *run, const volt_model *model, const volt_identify_data *data,
                            int64_t first, int64_t before, int64_t end, bool follows, double *out,
                            bool *is_bounded)
{
    volt_predict_options options = volt_predict_options_default();
    volt_predict_report said = {.struct_size = sizeof said};
    volt_model_info info = {.struct_size = sizeof info};
    int64_t rows = end - (first - before), q = data->Y.cols;
    VOLT_TRY(volt_model_get_info(model, &info));
    options.start = follows ? VOLT_START_CONTINUE : VOLT_START_RESET;
    options.progress = volt_identify_progress(run);
    options.report = &said;
    if (before > 0 && info.feedback_weight > 0) {
        options.known = volt_view_rows(data->Y, first - before, rows);
        options.warm_up = before;
    }
    double *outputs = volt_alloc_doubles(rows, q);
    if (!outputs)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_model_predict(model, volt_view_rows(data->U, first - before, rows), &options,
                                            volt_matrix_of(outputs, rows, q), NULL);
    for (int64_t i = 0; i < said.n_warnings; i++)
        *is_bounded |= said.warnings[i].code == VOLT_WARNING_RUN_BOUNDED;
    if (!status)
        memcpy(out, outputs + before * q, (size_t)((end - first) * q) * sizeof *out);
    volt_free(outputs);
    return status;
}

volt_status volt_identify_simulate(volt_identify_state *run, const volt_model *model,
                                   const volt_identify_data *data, int64_t begin, int64_t end, bool follows,
                                   double *out, bool *is_bounded)
{
    int64_t q = data->Y.cols;
    *is_bounded = false;
    for (int64_t at = begin, next; at < end; at = next) {
        int64_t record = volt_records_begin(&data->records, at), first = at;
        next = volt_records_segment_end(&data->records, at, end);
        if (record == at) /* the whole record counts, also where the simulation ends within it */
            first += volt_min(
                next - at,
                volt_identify_start_rows(run, volt_records_segment_end(&data->records, at, data->U.rows) - at));
        for (int64_t i = (at - begin) * q; i < (first - begin) * q; i++)
            out[i] = NAN;
        bool continues = follows && at == begin && record < at;
        int64_t before = continues ? 0 : volt_min(WARM_UP, first - record);
        if (first < next)
            VOLT_TRY(run_rows(run, model, data, first, before, next, continues, out + (first - begin) * q,
                              is_bounded));
    }
    return VOLT_OK;
}

volt_status volt_identify_check_stable(volt_identify_state *run, const volt_model *model)
{
    int64_t end = run->found.fit_begin + run->found.fit_rows;
    int64_t block = run->found.fit_rows / VOLT_IDENTIFY_BLOCK_SHARE;
    bool is_bounded = false;
    double *out = volt_alloc_doubles(block, run->Y.cols);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_identify_simulate(run, model, &run->given, end - block, end, false, out, &is_bounded);
    volt_free(out);
    VOLT_TRY(status);
    VOLT_REQUIRE(!is_bounded, VOLT_ERR_NOT_FINITE, "the simulation of the training rows diverges");
    return VOLT_OK;
}

volt_status volt_identify_simulate_test(volt_identify_state *run, const volt_model *model, double *out,
                                        bool *is_bounded)
{
    const volt_identification *found = &run->found;
    bool follows = !found->test_is_separate && found->fit_begin + found->fit_rows == found->train_rows;
    return volt_identify_simulate(run, model, run->test, run->test_begin, run->test_end, follows, out,
                                  is_bounded);
}

void volt_identify_test_output(const volt_identify_state *run, const double *out, int64_t k, double *rmse,
                               double *std)
{
    const volt_view *Y = &run->test->Y;
    int64_t q = Y->cols, count = 0;
    volt_squares errors = {0}, deviations = {0};
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t t = run->test_begin; t < run->test_end; t++) {
            double y = Y->data[t * Y->ld + k], simulated = out[(t - run->test_begin) * q + k];
            if (isnan(simulated))
                continue;
            if (pass > 0) {
                volt_squares_add(&errors, simulated - y);
                volt_squares_add(&deviations, y - sum / (double)count);
            } else {
                sum += y;
                count++;
            }
        }
    *rmse = volt_squares_root_mean(&errors, count);
    *std = volt_squares_root_mean(&deviations, count);
}
