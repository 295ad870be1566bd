/* src/model/file/feedback_part.c: outputs that come back beside the inputs, in a model file. */
#include "base/error.h"
#include "model/file/file_parts.h"

#include <inttypes.h>

/* Numbers of an output that comes back in the file: offset, weight, range of the targets in training. */
enum { FED_NUMBERS = 4 };

static bool is_present(const volt_model *model)
{
    return model->recipe.fed.n > 0;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    const volt_fed *fed = &model->recipe.fed;
    double *numbers = volt_put_room(writer, "fed", fed->n, FED_NUMBERS);
    for (int64_t k = 0; numbers && k < fed->n; k++) {
        double *to = numbers + k * FED_NUMBERS;
        to[0] = fed->offset[k];
        to[1] = fed->weight[k];
        to[2] = fed->low[k];
        to[3] = fed->high[k];
    }
    volt_put_number(writer, "feedback_weight", fed->omega);
    volt_put_flag(writer, "ends_without_target", model->ends_without_target);
    return VOLT_OK;
}

/* After the kernel, which says how many columns there are, and before the recipe, which has those of the inputs. */
static volt_status load_rows(const volt_file_fields *fields, volt_model *model)
{
    volt_recipe *recipe = &model->recipe;
    const volt_tensor *numbers = NULL;
    double omega = 0;
    VOLT_TRY(volt_fields_number(fields, "feedback_weight", 0, &omega));
    VOLT_TRY(volt_fields_tensor(fields, "fed", model->q, FED_NUMBERS, &numbers));
    VOLT_REQUIRE(omega > 0 && model->q < recipe->columns, VOLT_ERR_FORMAT,
                 "%s: its feedback weight is %g, and of its %" PRId64 " columns %" PRId64 " come back",
                 fields->path, omega, recipe->columns, model->q);
    recipe->inputs = recipe->columns -= model->q;
    VOLT_TRY(volt_recipe_feed_back(recipe, model->q, omega));
    for (int64_t k = 0; k < model->q; k++) {
        const double *from = numbers->data + k * FED_NUMBERS;
        VOLT_REQUIRE(from[1] > 0 && from[2] <= from[3], VOLT_ERR_FORMAT,
                     "%s: output %" PRId64 " comes back with weight %g and range %g to %g", fields->path, k + 1,
                     from[1], from[2], from[3]);
        recipe->fed.offset[k] = from[0];
        recipe->fed.weight[k] = from[1];
        recipe->fed.low[k] = from[2];
        recipe->fed.high[k] = from[3];
    }
    return VOLT_OK;
}

/* After the last target, which comes back first. */
static volt_status load(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(volt_fields_flag(fields, "ends_without_target", &model->ends_without_target));
    VOLT_REQUIRE(!model->feedback && model->ahead == 0, VOLT_ERR_FORMAT,
                 "%s: its outputs come back beside its inputs, and its feedback or ahead does not go with that",
                 fields->path);
    VOLT_REQUIRE(model->ends_without_target || !model->no_last_target, VOLT_ERR_FORMAT,
                 "%s: \"no_last_target\" is yes, and \"ends_without_target\" is no", fields->path);
    if (!model->ends_without_target)
        volt_recent_feed(&model->recipe, &model->recent, model->last_target);
    return VOLT_OK;
}

const volt_file_part volt_feedback_part = {.name = "feedback",
                                           .format = VOLT_FORMAT_FEEDBACK,
                                           .mark = "feedback_weight",
                                           .present = is_present,
                                           .save = save,
                                           .load_rows = load_rows,
                                           .load = load};
