/* src/model/file/shares_part.c: how much of the readout was taken, in a model file.
 *
 * Half of it where a fit was not sure (solve/choice/choice.h). Coefficients have the share in them already, so that forecasts do
 * without; a learner takes the targets back from them, and needs it. */
#include "base/error.h"
#include "model/file/file_parts.h"

static bool is_present(const volt_model *model)
{
    for (int64_t k = 0; k < model->q; k++)
        if (model->shares[k] != 1)
            return true;
    return false;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, "shares", model->q, 0, model->shares);
    return VOLT_OK;
}

static volt_status load(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(volt_fields_copy(fields, "shares", model->q, 0, model->shares));
    for (int64_t k = 0; k < model->q; k++)
        VOLT_REQUIRE(model->shares[k] > 0 && model->shares[k] <= 1, VOLT_ERR_FORMAT,
                     "%s: a share of the readout is %g, and must be above 0 and at most 1", fields->path,
                     model->shares[k]);
    return VOLT_OK;
}

const volt_file_part volt_shares_part = {.name = "shares",
                                         .format = VOLT_FORMAT_ANY,
                                         .mark = "shares",
                                         .present = is_present,
                                         .save = save,
                                         .load = load};
