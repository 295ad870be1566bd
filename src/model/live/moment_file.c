/* src/model/live/moment_file.c: what the files of a stream's and of a learner's moment have in common. */
#include "model/live/moment_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/model_digest.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- save ------------------------------------------------------------------------------------- */

void volt_moment_put(const volt_moment_kind *kind, const volt_moment *moment, volt_file_writer *writer)
{
    const volt_model *model = moment->model;
    const volt_recent *recent = moment->recent;
    char digest[VOLT_DIGEST_LENGTH] = "";
    double *row = volt_writer_room(writer, model->d);
    if (row)
        volt_model_digest(model, row, digest);
    volt_put_text(writer, "format", kind->format);
    volt_put_count(writer, "version", kind->version);
    volt_put_text(writer, "library", volt_version());
    volt_put_text(writer, "kernel", volt_kernel_text(model->kernel));
    volt_put_copy(writer, "model", digest);
    volt_put_count(writer, "rows", *moment->pushed);
    volt_put_count(writer, "beyond", *moment->beyond);
    volt_put_flag(writer, "begun", recent->begun);
    volt_put_tensor(writer, "last", *moment->pushed > 0 ? model->recipe.inputs : 0, 0, moment->last);
    double *rows = volt_put_room(writer, "recent", recent->begun ? volt_recent_length(&model->recipe) : 0, 0);
    if (rows && recent->begun)
        volt_recent_get(&model->recipe, recent, rows);
    if (recent->n_fed > 0)
        volt_put_tensor(writer, "fed", recent->n_fed, 0, recent->fed);
}

void volt_moment_put_interval(const volt_interval *interval, volt_file_writer *writer)
{
    if (!interval)
        return;
    volt_put_tensor(writer, "coverages", interval->count, 0, interval->coverages);
    double *scores = volt_put_room(writer, "scores", volt_interval_length(interval), 0);
    if (scores)
        volt_interval_get(interval, scores);
}

static volt_status check_finite(const volt_moment_kind *kind, const volt_file_writer *writer)
{
    for (int64_t t = 0; t < writer->n_tensors; t++)
        for (int64_t i = 0; !writer->failed && i < writer->tensors[t].rows; i++)
            VOLT_REQUIRE(isfinite(writer->tensors[t].data[i]), VOLT_ERR_NOT_FINITE,
                         "the %s holds a value that is not finite (%s), and cannot be saved", kind->name,
                         writer->tensors[t].name);
    return VOLT_OK;
}

volt_status volt_moment_finish(const volt_moment_kind *kind, volt_file_writer *writer,
                               const volt_state_lock *held, const char *path)
{
    volt_state_lock *taken = NULL;
    volt_status status = check_finite(kind, writer);
    if (status == VOLT_OK)
        status = volt_state_lock_for_save(held, path, &taken);
    if (status == VOLT_OK)
        status = volt_writer_finish(writer, path, (volt_progress){0});
    volt_state_lock_free(taken);
    volt_writer_release(writer);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status check_head(const volt_moment_kind *kind, const volt_model *model,
                              const volt_file_fields *fields)
{
    const char *text = NULL, *kernel = NULL;
    int64_t version = 0;
    char digest[VOLT_DIGEST_LENGTH];
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, kind->format) != 0)
        return volt_fields_foreign(fields, "its format is another");
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == kind->version, VOLT_ERR_FORMAT,
                 "%s has %s format %" PRId64 ", and this library (%s) reads format %" PRId64, fields->path,
                 kind->name, version, volt_version(), kind->version);
    VOLT_TRY(volt_fields_text(fields, "kernel", &kernel));
    VOLT_TRY(volt_fields_text(fields, "model", &text));
    double *row = volt_alloc_doubles(1, model->d);
    if (!row)
        return VOLT_ERR_MEMORY;
    volt_model_digest(model, row, digest);
    volt_free(row);
    VOLT_REQUIRE(strcmp(text, digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another model (%.40s with kernel %.80s; this one is %s with kernel %.80s)",
                 fields->path, text, kernel, digest, volt_kernel_text(model->kernel));
    return VOLT_OK;
}

volt_status volt_moment_open(const volt_moment_kind *kind, const volt_model *model, const char *path,
                             volt_safetensors **file, volt_file_fields *fields)
{
    volt_safetensors *fresh = NULL;
    VOLT_TRY(volt_safetensors_read(path, &fresh));
    *fields = (volt_file_fields){.file = fresh, .path = path, .kind = kind->kind};
    volt_status status = check_head(kind, model, fields);
    if (status == VOLT_OK)
        *file = fresh;
    else
        volt_safetensors_free(fresh);
    return status;
}

volt_status volt_moment_read(const volt_file_fields *fields, const volt_moment *moment)
{
    const volt_recipe *recipe = &moment->model->recipe;
    volt_recent *recent = moment->recent;
    const volt_tensor *rows = NULL;
    VOLT_TRY(volt_fields_count(fields, "rows", moment->pushed));
    VOLT_TRY(volt_fields_count(fields, "beyond", moment->beyond));
    VOLT_TRY(volt_fields_flag(fields, "begun", &recent->begun));
    VOLT_TRY(volt_fields_copy(fields, "last", *moment->pushed > 0 ? recipe->inputs : 0, 0, moment->last));
    VOLT_TRY(volt_fields_tensor(fields, "recent", recent->begun ? volt_recent_length(recipe) : 0, 0, &rows));
    if (recent->begun)
        volt_recent_set(recipe, rows->data, recent);
    return recent->n_fed > 0 ? volt_fields_copy(fields, "fed", recent->n_fed, 0, recent->fed) : VOLT_OK;
}

volt_status volt_moment_coverages(const volt_file_fields *fields, const volt_tensor **coverages)
{
    *coverages = NULL;
    return volt_safetensors_tensor(fields->file, "coverages")
               ? volt_fields_tensor(fields, "coverages", -1, 0, coverages)
               : VOLT_OK;
}

volt_status volt_moment_errors(const volt_file_fields *fields, volt_interval *interval)
{
    const volt_tensor *scores = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "scores", volt_interval_length(interval), 0, &scores));
    VOLT_REQUIRE(volt_interval_set(interval, scores->data), VOLT_ERR_FORMAT,
                 "%s: tensor \"scores\" does not hold errors of forecasts", fields->path);
    return VOLT_OK;
}
