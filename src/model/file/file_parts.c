/* src/model/file/file_parts.c: the table of the parts of a model file. */
#include "model/file/file_parts.h"

#include "base/error.h"

/* In the order in which they stand in the file, and are read. */
static const volt_file_part *const parts[] = {
    &volt_readout_part,   /* kernel, inputs, coefficients, settings, the state at the end of training */
    &volt_feedback_part,  /* outputs that come back beside the inputs */
    &volt_names_part,     /* of inputs and outputs */
    &volt_recipe_part,    /* what the kernel sees of the inputs, and what outputs are added to */
    &volt_records_part,   /* lengths of the records that the rows are */
    &volt_landmarks_part, /* that the rows are, and what the training rows were */
    &volt_reservoir_part, /* weights of reservoirs */
    &volt_loss_part,      /* another loss than squares, its certificate, and classes */
    &volt_shares_part,    /* of the readout that was taken, where it is not all of it */
    &volt_notes_part,     /* texts of whoever fitted the model */
    &volt_pending_part,   /* inputs after the last training row */
    &volt_errors_part,    /* of the training rows, for intervals */
    &volt_factor_part,    /* of the Gram matrix, for variances */
};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

int volt_parts_format(const volt_model *model)
{
    int format = VOLT_FORMAT_PLAIN;
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->format > format && parts[i]->present && parts[i]->present(model))
            format = parts[i]->format;
    return format;
}

static bool is_saved(const volt_file_part *part, const volt_model *model, int format)
{
    return part->mark ? part->present(model) : part->format <= format;
}

/* A format is there for a part that asks for it: a file without that one is damaged, as its loader will say. */
static bool is_loaded(const volt_file_part *part, const volt_file_fields *fields, int64_t format)
{
    if (!part->mark || part->format >= format)
        return part->format <= format;
    return volt_safetensors_tensor(fields->file, part->mark) ||
           volt_safetensors_metadata(fields->file, part->mark);
}

volt_status volt_parts_save(const volt_model *model, volt_file_writer *writer)
{
    int format = volt_parts_format(model);
    for (int i = 0; i < N_PARTS; i++)
        if (is_saved(parts[i], model, format))
            VOLT_TRY(parts[i]->save(model, writer));
    return VOLT_OK;
}

volt_status volt_parts_load(const volt_file_fields *fields, int64_t format, volt_model *model)
{
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->load_rows && is_loaded(parts[i], fields, format))
            VOLT_TRY(parts[i]->load_rows(fields, model));
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->load && is_loaded(parts[i], fields, format))
            VOLT_TRY(parts[i]->load(fields, model));
    return VOLT_OK;
}
