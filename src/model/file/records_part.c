/* src/model/file/records_part.c: the lengths of the records that the training rows are, in a model file. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

static bool is_present(const volt_model *model)
{
    return model->n_records > 0;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    double *lengths = volt_put_room(writer, "records", model->n_records, 0);
    for (int64_t r = 0; lengths && r < model->n_records; r++)
        lengths[r] = (double)model->records[r];
    return VOLT_OK;
}

/* Before the columns and the state, which are those of the records. */
static volt_status load_rows(const volt_file_fields *fields, volt_model *model)
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
                                          .present = is_present,
                                          .save = save,
                                          .load_rows = load_rows};
