/* cli/files/known_outputs.c: measured outputs for models with output feedback. */
#include "files/known_outputs.h"

#include "terminal/messages.h"

#include <stdlib.h>
#include <string.h>

void known_outputs_release(known_outputs *known)
{
    dataset_release(&known->data);
    free(known->joined.data);
    memset(known, 0, sizeof *known);
}

/* Selects the rows that match the inputs. Both files were read with the same --rows; input rows may have
 * been dropped. */
static void join_rows(known_outputs *known, const dataset *inputs)
{
    const dataset *data = &known->data;
    int64_t first = data->table->row_numbers[0];
    for (int64_t i = 0; i < known->joined.rows; i++)
        memcpy(known->joined.data + i * known->joined.ld,
               data->view.data + (inputs->table->row_numbers[i] - first) * data->view.ld,
               (size_t)data->view.cols * sizeof(double));
}

int known_outputs_read(known_outputs *known, const char *source, const row_range *rows,
                       const volt_model_info *model, const dataset *inputs)
{
    if (!source)
        return 0;
    if (!(model->feedback_weight > 0))
        return complain(EXIT_USAGE, "--known %s requires a model fitted with --feedback", source);
    int failed = dataset_read_named(&known->data, source, rows, model->output_names, model->q);
    if (failed)
        return failed;
    if (known->data.view.cols != model->q)
        return complain(
            EXIT_FAILED,
            "%s has %lld column%s, but the model has %lld output%s (select columns with FILE:COLUMNS)", source,
            (long long)known->data.view.cols, known->data.view.cols == 1 ? "" : "s", (long long)model->q,
            model->q == 1 ? "" : "s");
    if (known->data.table->file_rows != inputs->table->file_rows)
        return complain(EXIT_FAILED, "%s has %lld rows but %s has %lld; they must match row by row", source,
                        (long long)known->data.table->file_rows, inputs->source,
                        (long long)inputs->table->file_rows);
    failed = allocate_matrix(inputs->view.rows, model->q, "the known outputs", &known->joined);
    if (!failed)
        join_rows(known, inputs);
    return failed;
}
