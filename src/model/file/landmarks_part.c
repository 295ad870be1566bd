/* src/model/file/landmarks_part.c: what a model on landmarks says of the rows that it was trained on, in a model file. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/file/file_parts.h"

#include <inttypes.h>

/* Numbers of the tensor "landmarks", before the lengths of the records that the training rows were. */
enum { LANDMARKS, ROWS, WASHOUT, NUMBERS };

static bool is_present(const volt_model *model)
{
    return model->trained.landmarks > 0;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    const volt_trained *trained = &model->trained;
    double *numbers = volt_put_room(writer, "landmarks", NUMBERS + trained->n_records, 0);
    if (!numbers) /* the writer has the failure */
        return VOLT_OK;
    numbers[LANDMARKS] = (double)trained->landmarks;
    numbers[ROWS] = (double)trained->rows;
    numbers[WASHOUT] = (double)trained->washout;
    for (int64_t r = 0; r < trained->n_records; r++)
        numbers[NUMBERS + r] = (double)trained->records[r];
    return VOLT_OK;
}

static volt_status load_rows(const volt_file_fields *fields, volt_model *model)
{
    enum { MOST = 1 << 30 };
    const volt_tensor *tensor = NULL;
    volt_trained *trained = &model->trained;
    VOLT_TRY(volt_fields_tensor(fields, "landmarks", -1, 0, &tensor));
    VOLT_REQUIRE(tensor->rows >= NUMBERS, VOLT_ERR_FORMAT,
                 "%s: tensor \"landmarks\" has %" PRId64 " numbers, and must have at least %d", fields->path,
                 tensor->rows, NUMBERS);
    const double *numbers = tensor->data;
    VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[ROWS], 1, MOST, &trained->rows));
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
                                            .present = is_present,
                                            .save = save,
                                            .load_rows = load_rows};
