/* src/model/file/rows_part.c: the parts of a model file that describe rows: the records of the training rows,
 * the landmarks and the rows they were chosen from, and inputs after the last training row. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/file/file_parts.h"

#include <inttypes.h>

/* ---- records ----------------------------------------------------------------------------------- */

static bool has_records(const volt_model *model)
{
    return model->n_records > 0;
}

static volt_status save_records(const volt_model *model, volt_file_writer *writer)
{
    double *lengths = volt_put_buffer(writer, "records", model->n_records, 0);
    for (int64_t r = 0; lengths && r < model->n_records; r++)
        lengths[r] = (double)model->records[r];
    return VOLT_OK;
}

/* Loaded before the columns and the state, which depend on the records. */
static volt_status load_rows_records(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *tensor = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "records", -1, 0, &tensor));
    int64_t *lengths = volt_alloc(tensor->rows, sizeof *lengths);
    volt_status status = lengths ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t r = 0; status == VOLT_OK && r < tensor->rows; r++)
        status = volt_fields_index(fields, "records", tensor->data[r], 1, model->n, &lengths[r]);
    if (status == VOLT_OK)
        status = volt_model_use_records(model, lengths, tensor->rows);
    volt_free(lengths);
    return status == VOLT_ERR_ARGUMENT ? volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path) : status;
}

const volt_file_part volt_records_part = {.name = "records",
                                          .format = VOLT_FORMAT_RECORDS,
                                          .mark = "records",
                                          .present = has_records,
                                          .save = save_records,
                                          .load_rows = load_rows_records};

/* ---- landmarks --------------------------------------------------------------------------------- */

/* First entries of the tensor "landmarks", followed by the lengths of the training records. */
enum { LANDMARKS, ROWS, WASHOUT, NUMBERS };

static bool has_landmarks(const volt_model *model)
{
    return model->trained.landmarks > 0;
}

static volt_status save_landmarks(const volt_model *model, volt_file_writer *writer)
{
    const volt_trained *trained = &model->trained;
    double *numbers = volt_put_buffer(writer, "landmarks", NUMBERS + trained->n_records, 0);
    if (!numbers) /* the writer has recorded the failure */
        return VOLT_OK;
    numbers[LANDMARKS] = (double)trained->landmarks;
    numbers[ROWS] = (double)trained->rows;
    numbers[WASHOUT] = (double)trained->washout;
    for (int64_t r = 0; r < trained->n_records; r++)
        numbers[NUMBERS + r] = (double)trained->records[r];
    return VOLT_OK;
}

static volt_status load_rows_landmarks(const volt_file_fields *fields, volt_model *model)
{
    enum { MAX_LANDMARKS = 1 << 30 };
    const volt_tensor *tensor = NULL;
    volt_trained *trained = &model->trained;
    VOLT_TRY(volt_fields_tensor(fields, "landmarks", -1, 0, &tensor));
    VOLT_REQUIRE(tensor->rows >= NUMBERS, VOLT_ERR_FORMAT,
                 "%s: tensor \"landmarks\" must have at least %d numbers (got %" PRId64 ")", fields->path,
                 NUMBERS, tensor->rows);
    const double *numbers = tensor->data;
    VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[ROWS], 1, MAX_LANDMARKS, &trained->rows));
    VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[WASHOUT], 0, trained->rows - 1, &trained->washout));
    int64_t records = tensor->rows - NUMBERS;
    if (records > 0) {
        trained->records = volt_alloc(records, sizeof *trained->records);
        if (!trained->records)
            return VOLT_ERR_MEMORY;
    }
    int64_t left = trained->rows;
    for (trained->n_records = 0; trained->n_records < records; trained->n_records++) {
        int64_t *length = &trained->records[trained->n_records];
        VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[NUMBERS + trained->n_records], 1, trained->rows,
                                   length));
        left -= *length;
    }
    VOLT_REQUIRE(records == 0 || left == 0, VOLT_ERR_FORMAT,
                 "%s: tensor \"landmarks\" has records of %" PRId64 " rows in all, and %" PRId64
                 " training rows",
                 fields->path, trained->rows - left, trained->rows);
    int64_t most = volt_min(model->n, trained->rows - trained->washout);
    return volt_fields_index(fields, "landmarks", numbers[LANDMARKS], 1, most, &trained->landmarks);
}

const volt_file_part volt_landmarks_part = {.name = "landmarks",
                                            .format = VOLT_FORMAT_LANDMARKS,
                                            .mark = "landmarks",
                                            .present = has_landmarks,
                                            .save = save_landmarks,
                                            .load_rows = load_rows_landmarks};

/* ---- pending inputs ----------------------------------------------------------------------------
 * Inputs whose targets are not known yet. Predictions do not depend on them. */

#define PENDING "pending_inputs"

static bool has_pending(const volt_model *model)
{
    return model->n_pending > 0;
}

static volt_status save_pending(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, PENDING, model->n_pending, model->recipe.inputs, model->pending);
    return VOLT_OK;
}

static volt_status load_pending(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *rows = NULL;
    VOLT_TRY(volt_fields_tensor(fields, PENDING, -1, model->recipe.inputs, &rows));
    VOLT_REQUIRE(rows->rows > 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" has no rows", fields->path, PENDING);
    return volt_model_record_pending(model, volt_view_of(rows->data, rows->rows, rows->cols));
}

const volt_file_part volt_pending_part = {.name = "pending",
                                          .format = VOLT_FORMAT_ANY,
                                          .mark = PENDING,
                                          .present = has_pending,
                                          .save = save_pending,
                                          .load = load_pending};

/* ---- range of the training inputs ---------------------------------------------------------------
 * For warnings. Predictions do not depend on it. */

#define RANGE "input_range"

static bool has_range(const volt_model *model)
{
    return model->input_range != NULL;
}

static volt_status save_range(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, RANGE, 2, model->recipe.inputs, model->input_range);
    return VOLT_OK;
}

static volt_status load_range(const volt_file_fields *fields, volt_model *model)
{
    int64_t d = model->recipe.inputs;
    const volt_tensor *range = NULL;
    VOLT_TRY(volt_fields_tensor(fields, RANGE, 2, d, &range));
    for (int64_t j = 0; j < d; j++)
        VOLT_REQUIRE(range->data[j] <= range->data[d + j], VOLT_ERR_FORMAT,
                     "%s: tensor \"%s\": the smallest value of input %" PRId64 " is above the largest",
                     fields->path, RANGE, j + 1);
    return volt_model_extend_range(model, volt_view_of(range->data, 2, d));
}

const volt_file_part volt_range_part = {.name = "range",
                                        .format = VOLT_FORMAT_ANY,
                                        .mark = RANGE,
                                        .present = has_range,
                                        .save = save_range,
                                        .load = load_range};
