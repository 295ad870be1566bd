/* cli/files/known_outputs.c: measured outputs for models with output feedback. */
#include "files/known_outputs.h"

#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void known_outputs_release(known_outputs *known)
{
    dataset_release(&known->data);
    free(known->joined.data);
    memset(known, 0, sizeof *known);
}

/* Sets the outputs of every input row; unknown ones are NaN. */
static int join_rows(known_outputs *known, const dataset *inputs)
{
    const dataset *data = &known->data;
    int64_t rows = inputs->view.rows, count = 0;
    int64_t *partner = malloc((size_t)rows * sizeof *partner + 1);
    if (!partner)
        return complain(EXIT_FAILED, "not enough memory for the known outputs");
    volt_status status =
        volt_tables_align((volt_table *const[]){inputs->table, data->table},
                          (const char *const[]){inputs->source, data->source}, 2, NULL, partner);
    for (int64_t i = 0; !status && i < rows; count += partner[i++] >= 0)
        for (int64_t k = 0; k < data->view.cols; k++)
            known->joined.data[i * known->joined.ld + k] =
                partner[i] >= 0 ? data->view.data[partner[i] * data->view.ld + k] : NAN;
    free(partner);
    if (!status && count < rows)
        warn("%s and %s have %lld dates in common: the outputs of the other %lld of %lld rows are unknown",
             inputs->source, data->source, (long long)count, (long long)(rows - count), (long long)rows);
    return status ? complain_status(status) : 0;
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
    failed = allocate_matrix(inputs->view.rows, model->q, "the known outputs", &known->joined);
    return failed ? failed : join_rows(known, inputs);
}
