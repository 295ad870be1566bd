/* src/model/file/model_file.c: saves and loads a model as a safetensors file.
 *
 * Tensors hold the arrays. Metadata hold the kernel and the settings, as text that reads back exactly. The
 * parts (file_parts.h) define the contents; docs/file_formats.md describes the file. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const format_name = "volterra-model";

/* ---- parts ------------------------------------------------------------------------------------- */

/* In the order of writing and reading. */
static const volt_file_part *const parts[] = {
    &volt_initial_part,   /* inputs before the first row of a record */
    &volt_readout_part,   /* kernel, inputs, coefficients, settings, final state */
    &volt_feedback_part,  /* fed-back outputs */
    &volt_names_part,     /* of inputs and outputs */
    &volt_weighted_part,  /* inputs with a weight each */
    &volt_recipe_part,    /* kernel columns of the inputs, and the anchors of outputs */
    &volt_records_part,   /* lengths of the records */
    &volt_landmarks_part, /* landmarks, and facts about the training rows */
    &volt_reservoir_part, /* weights of reservoirs */
    &volt_loss_part,      /* loss other than squares, its certificate, and classes */
    &volt_shares_part,    /* shares of the readout, if not 1 */
    &volt_notes_part,     /* user notes */
    &volt_pending_part,   /* inputs after the last training row */
    &volt_range_part,     /* of the training inputs */
    &volt_errors_part,    /* of the training rows, for intervals */
    &volt_factor_part,    /* of the Gram matrix, for variances */
};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

/* The largest format that a part of the model requires. */
static int parts_format(const volt_model *model)
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

/* A part without a mark is loaded if the format implies it. If it is missing, its loader reports a damaged
 * file. */
static bool is_loaded(const volt_file_part *part, const volt_file_fields *fields, int64_t format)
{
    if (!part->mark || part->format >= format)
        return part->format <= format;
    return volt_safetensors_tensor(fields->file, part->mark) ||
           volt_safetensors_metadata(fields->file, part->mark);
}

static volt_status parts_save(const volt_model *model, volt_file_writer *writer)
{
    int format = parts_format(model);
    for (int i = 0; i < N_PARTS; i++)
        if (is_saved(parts[i], model, format))
            VOLT_TRY(parts[i]->save(model, writer));
    return VOLT_OK;
}

static volt_status parts_load(const volt_file_fields *fields, int64_t format, volt_model *model)
{
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->load_rows && is_loaded(parts[i], fields, format))
            VOLT_TRY(parts[i]->load_rows(fields, model));
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->load && is_loaded(parts[i], fields, format))
            VOLT_TRY(parts[i]->load(fields, model));
    return VOLT_OK;
}

/* ---- save ------------------------------------------------------------------------------------- */

static volt_status put_model(const volt_model *model, volt_file_writer *writer);

/* Members are stored as models under a prefix. */
static volt_status put_sum(const volt_members *sum, volt_file_writer *writer)
{
    char prefix[VOLT_MEMBER_PREFIX];
    volt_status status = VOLT_OK;
    volt_put_text(writer, "sum", volt_sum_words[sum->kind]);
    volt_put_tensor(writer, "weights", sum->n, 0, sum->weights);
    for (int64_t i = 0; status == VOLT_OK && i < sum->n; i++) {
        volt_file_writer member = {0};
        status = put_model(sum->models[i], &member);
        volt_writer_append(writer, volt_member_prefix(i, prefix), &member);
    }
    return status;
}

static volt_status put_model(const volt_model *model, volt_file_writer *writer)
{
    volt_put_text(writer, "format", format_name);
    volt_put_count(writer, "version", model->sum ? VOLT_FORMAT_SUM : parts_format(model));
    volt_put_text(writer, "library", volt_version());
    return model->sum ? put_sum(model->sum, writer) : parts_save(model, writer);
}

volt_status volt_model_save(const volt_model *model, const char *path, volt_progress progress)
{
    VOLT_REQUIRE(model && path, VOLT_ERR_ARGUMENT, "the model or the path is NULL");
    volt_file_writer writer = {0};
    volt_status status = put_model(model, &writer);
    if (status == VOLT_OK)
        status = volt_writer_finish(&writer, path, progress);
    volt_writer_release(&writer);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_header(const volt_file_fields *fields, int64_t *format)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format_name) != 0)
        return volt_fields_wrong_format(fields, text);
    VOLT_TRY(volt_fields_count(fields, "version", format));
    VOLT_REQUIRE(*format >= VOLT_FORMAT_PLAIN && *format <= VOLT_FORMAT_NEWEST, VOLT_ERR_FORMAT,
                 "%s has model format %" PRId64 ", but this library (%s) reads formats %d to %d", fields->path,
                 *format, volt_version(), VOLT_FORMAT_PLAIN, VOLT_FORMAT_NEWEST);
    return VOLT_OK;
}

static volt_status read_model(const volt_file_fields *fields, int level, volt_model **model);

static volt_status read_member(const volt_file_fields *fields, int64_t i, int level, volt_model **model)
{
    volt_file_fields member;
    VOLT_TRY(volt_fields_member(fields, i, &member));
    volt_status status = read_model(&member, level + 1, model);
    volt_fields_member_free(&member);
    return status == VOLT_ERR_FORMAT ? volt_fail_prefix(status, "member %" PRId64, i + 1) : status;
}

/* Reads the members into `models`, which the caller frees, and their sum. */
static volt_status read_members(const volt_file_fields *fields, int level, const volt_tensor *weights,
                                volt_model **models, volt_model **model)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "sum", &text));
    bool residual = strcmp(text, volt_sum_words[VOLT_SUM_RESIDUAL]) == 0;
    VOLT_REQUIRE(residual || strcmp(text, volt_sum_words[VOLT_SUM_AVERAGE]) == 0, VOLT_ERR_FORMAT,
                 "%s: \"sum\" must be %s or %s (got \"%.40s\")", fields->path, volt_sum_words[VOLT_SUM_AVERAGE],
                 volt_sum_words[VOLT_SUM_RESIDUAL], text);
    for (int64_t i = 0; i < weights->rows; i++)
        VOLT_TRY(read_member(fields, i, level, &models[i]));
    volt_status status = volt_model_sum((const volt_model *const *)models, weights->data, weights->rows,
                                        residual ? VOLT_SUM_RESIDUAL : VOLT_SUM_AVERAGE, model);
    return status == VOLT_OK || status == VOLT_ERR_MEMORY
               ? status
               : volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
}

static volt_status read_sum(const volt_file_fields *fields, int level, volt_model **model)
{
    const volt_tensor *weights = NULL;
    VOLT_REQUIRE(level < VOLT_SUM_DEPTH, VOLT_ERR_FORMAT, "%s: sums of sums must have at most %d levels",
                 fields->path, VOLT_SUM_DEPTH);
    VOLT_TRY(volt_fields_tensor(fields, "weights", -1, 0, &weights));
    VOLT_REQUIRE(weights->rows >= 1 && weights->rows <= VOLT_SUM_MEMBERS, VOLT_ERR_FORMAT,
                 "%s: a sum must have 1 to %d members (got %" PRId64 ")", fields->path, VOLT_SUM_MEMBERS,
                 weights->rows);
    volt_model **models = volt_alloc_zero(weights->rows, sizeof *models);
    if (!models)
        return VOLT_ERR_MEMORY;
    volt_status status = read_members(fields, level, weights, models, model);
    for (int64_t i = 0; i < weights->rows; i++)
        volt_model_free(models[i]); /* shared with the sum */
    volt_free(models);
    return status;
}

static volt_status read_fitted(const volt_file_fields *fields, int64_t format, volt_model **model)
{
    const volt_tensor *inputs = NULL, *coefficients = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "inputs", -1, -1, &inputs));
    assert(inputs);
    VOLT_TRY(volt_fields_tensor(fields, "coefficients", inputs->rows, -1, &coefficients));
    assert(coefficients);
    if (inputs->rows < 1 || inputs->cols < 1 || coefficients->cols < 1)
        return volt_fields_wrong_kind(fields, "its tensors are empty");
    VOLT_TRY(volt_model_allocate(inputs->rows, inputs->cols, coefficients->cols, model));
    return parts_load(fields, format, *model);
}

/* `level` counts the sums around the model. */
static volt_status read_model(const volt_file_fields *fields, int level, volt_model **model)
{
    int64_t format = 0;
    VOLT_TRY(read_header(fields, &format));
    VOLT_TRY(format == VOLT_FORMAT_SUM ? read_sum(fields, level, model) : read_fitted(fields, format, model));
    const char *library = volt_safetensors_metadata(fields->file, "library");
    snprintf((*model)->library, sizeof(*model)->library, "%s", library ? library : "unknown");
    return VOLT_OK;
}

volt_status volt_model_load(const char *path, volt_model **model)
{
    VOLT_REQUIRE(path && model, VOLT_ERR_ARGUMENT, "the path or the model is NULL");
    volt_safetensors *file = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    volt_file_fields fields = {.file = file, .path = path, .kind = "a volterra model"};
    volt_model *fresh = NULL;
    volt_status status = read_model(&fields, 0, &fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *model = fresh;
    else
        volt_model_free(fresh);
    return status;
}
