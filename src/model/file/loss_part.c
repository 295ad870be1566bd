/* src/model/file/loss_part.c: the loss of a model, its certificate and its classes, in a model file. */
#include "base/error.h"
#include "model/file/file_parts.h"

#include <float.h>
#include <inttypes.h>

static bool is_present(const volt_model *model)
{
    return model->loss != NULL;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    volt_put_text(writer, "loss", model->loss->text);
    volt_put_number(writer, "objective", model->objective);
    volt_put_number(writer, "duality_gap", model->gap);
    volt_put_number(writer, "tolerance", model->tolerance);
    return volt_put_names(writer, "classes", model->classes, model->n_classes);
}

/* After the readout: outputs come in groups of levels, or are one for each class. */
static volt_status load(const volt_file_fields *fields, volt_model *model)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "loss", &text));
    volt_status status = volt_loss_parse(text, &model->loss);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(volt_fields_number(fields, "objective", -DBL_MAX, &model->objective));
    VOLT_TRY(volt_fields_number(fields, "duality_gap", 0, &model->gap));
    VOLT_TRY(volt_fields_number(fields, "tolerance", 0, &model->tolerance));
    int64_t count = model->loss->count;
    VOLT_REQUIRE(count < 2 || model->q % count == 0, VOLT_ERR_FORMAT,
                 "%s: its %" PRId64 " outputs are not those of %" PRId64 " levels", fields->path, model->q,
                 count);
    if (!model->loss->kind->info.classes)
        return VOLT_OK;
    VOLT_REQUIRE(model->q >= 2 && model->q <= VOLT_MOST_LEVELS, VOLT_ERR_FORMAT,
                 "%s: its %" PRId64 " outputs are not those of 2 to %d classes", fields->path, model->q,
                 VOLT_MOST_LEVELS);
    for (int64_t k = 0; k < model->q; k++)
        VOLT_REQUIRE(model->anchors[k] < 0, VOLT_ERR_FORMAT,
                     "%s: tensor \"anchors\" has %" PRId64 " for output %" PRId64
                     ", and the probability of a class is no change of an input",
                     fields->path, model->anchors[k], k + 1);
    VOLT_TRY(volt_fields_names(fields, "classes", model->q, &model->classes));
    VOLT_REQUIRE(model->classes, VOLT_ERR_FORMAT, "%s: its classes have no names", fields->path);
    model->n_classes = model->q;
    return VOLT_OK;
}

const volt_file_part volt_loss_part = {.name = "loss",
                                       .format = VOLT_FORMAT_LOSS,
                                       .mark = "loss",
                                       .present = is_present,
                                       .save = save,
                                       .load = load};
