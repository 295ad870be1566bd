/* src/model/file/pending_part.c: inputs after the last training row, whose targets are not known yet, in a model. Predictions
 * do not depend on them. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PENDING "pending_inputs"

volt_status volt_model_record_pending(volt_model *model, volt_view rows)
{
    int64_t d = model->recipe.inputs;
    if (rows.rows == 0 || model->feedback) /* with feedback the last target is that row */
        return VOLT_OK;
    VOLT_REQUIRE(rows.data && rows.rows > 0 && rows.cols == d && rows.ld >= d, VOLT_ERR_SHAPE,
                 "the pending inputs are %" PRId64 " x %" PRId64 ", and must have %" PRId64
                 " columns, as X has",
                 rows.rows, rows.cols, d);
    for (int64_t i = 0; i < rows.rows; i++)
        for (int64_t k = 0; k < d; k++)
            VOLT_REQUIRE(isfinite(rows.data[i * rows.ld + k]), VOLT_ERR_NOT_FINITE,
                         "pending input %" PRId64 " of row %" PRId64 " is not finite", k + 1, i + 1);
    model->pending = volt_alloc_doubles(rows.rows, d);
    if (!model->pending)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < rows.rows; i++)
        memcpy(model->pending + i * d, rows.data + i * rows.ld, (size_t)d * sizeof(double));
    model->n_pending = rows.rows;
    return VOLT_OK;
}

volt_view volt_model_pending(const volt_model *model)
{
    if (model->feedback && !model->no_last_target)
        return volt_view_of(model->last_target, 1, model->q);
    return volt_view_of(model->pending, model->n_pending, model->recipe.inputs);
}

static bool is_present(const volt_model *model)
{
    return model->n_pending > 0;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, PENDING, model->n_pending, model->recipe.inputs, model->pending);
    return VOLT_OK;
}

static volt_status load(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *rows = NULL;
    VOLT_TRY(volt_fields_tensor(fields, PENDING, -1, model->recipe.inputs, &rows));
    VOLT_REQUIRE(rows->rows > 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" has no rows", fields->path, PENDING);
    return volt_model_record_pending(model, volt_view_of(rows->data, rows->rows, rows->cols));
}

const volt_file_part volt_pending_part = {.name = "pending",
                                          .format = VOLT_FORMAT_ANY,
                                          .mark = PENDING,
                                          .present = is_present,
                                          .save = save,
                                          .load = load};
