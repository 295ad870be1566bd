/* src/model/stream_file.c: the moment of a stream as a safetensors file.
 *
 * The file has what changes with every row, and a digest of what does not: the model that the stream belongs to.
 * docs/file_formats.md describes it. */
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/file_fields.h"
#include "model/stream_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const format_name = "volterra-stream";
static const int64_t format_version = 1;

/* ---- the model -------------------------------------------------------------------------------- */

/* Numbers count by their bits. */
static uint64_t digest_numbers(uint64_t digest, const double *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++)
            digest = volt_digest_byte(digest, (unsigned char)(bits >> (8 * byte)));
    }
    return digest;
}

static uint64_t digest_recipe(uint64_t digest, const volt_recipe *recipe)
{
    digest = digest_numbers(digest, &(double){(double)recipe->inputs}, 1);
    digest = digest_numbers(digest, recipe->fed.weight, recipe->fed.n);
    for (int64_t j = 0; !recipe->plain && j < volt_recipe_own(recipe); j++) {
        const volt_column *column = &recipe->column[j];
        /* A range without bounds is saved with a model as the largest numbers. */
        const double numbers[] = {(double)column->source,      (double)column->plus,
                                  (double)column->minus,       column->weight,
                                  fmax(column->low, -DBL_MAX), fmin(column->high, DBL_MAX)};
        digest = digest_numbers(digest, numbers, sizeof numbers / sizeof *numbers);
    }
    return digest;
}

void volt_model_digest(const volt_model *model, double *row, char text[VOLT_DIGEST_LENGTH])
{
    int64_t n = model->n, d = model->d, q = model->q;
    uint64_t digest = volt_digest_start;
    const double sizes[] = {(double)n, (double)d, (double)q, model->resolved.facts.radius, model->input.scale};
    digest = digest_numbers(digest, sizes, sizeof sizes / sizeof *sizes);
    for (const char *c = volt_kernel_text(model->kernel); *c; c++)
        digest = volt_digest_byte(digest, (unsigned char)*c);
    for (int64_t j = 0; j < n; j++) {
        volt_columns_row(model->columns, j, row);
        digest = digest_numbers(digest, row, d);
    }
    digest = digest_numbers(digest, model->coefficients, n * q);
    digest = digest_numbers(digest, model->intercepts, q);
    digest = digest_numbers(digest, model->input.shift, model->recipe.columns);
    digest = digest_numbers(digest, model->target_mean, q);
    digest = digest_numbers(digest, model->target_scale, q);
    for (int64_t k = 0; k < q; k++)
        digest = digest_numbers(digest, &(double){(double)model->anchors[k]}, 1);
    digest = digest_recipe(digest, &model->recipe);
    for (int64_t r = 0; r < model->n_records; r++)
        digest = digest_numbers(digest, &(double){(double)model->records[r]}, 1);
    snprintf(text, VOLT_DIGEST_LENGTH, "%016" PRIx64, digest);
}

/* ---- the moment ------------------------------------------------------------------------------- */

/* What changes with every row, as arrays; a new part of it is one more line here, and one in take_moment. */
enum { STATE, LAST, RECENT, COVERAGES, SCORES, MADE, FED, PARTS };
static const char *const part_names[PARTS] = {"state", "last", "recent", "coverages", "scores", "made", "fed"};

/* Some parts are those of the intervals that a stream tracks, where it does, and one of outputs that come back. */
static bool has_part(const volt_stream *stream, int part)
{
    return part <= RECENT || (part == FED ? stream->recent.n_fed > 0 : stream->interval != NULL);
}

/* Forecasts whose truth is to come. */
static int64_t waiting(const volt_stream *stream)
{
    return volt_min(stream->n_made, stream->model->ahead + 1);
}

static void part_lengths(const volt_stream *stream, int64_t lengths[PARTS])
{
    const volt_recipe *recipe = &stream->model->recipe;
    lengths[STATE] = volt_past_length(stream->past);
    lengths[LAST] = stream->pushed > 0 ? recipe->inputs : 0;
    lengths[RECENT] = stream->recent.begun ? volt_recent_length(recipe) : 0;
    lengths[COVERAGES] = stream->interval ? stream->interval->count : 0;
    lengths[SCORES] = stream->interval ? volt_interval_length(stream->interval) : 0;
    lengths[MADE] = stream->interval ? waiting(stream) * stream->model->q : 0;
    lengths[FED] = stream->recent.n_fed;
}

static void give_moment(const volt_stream *stream, double *const parts[PARTS])
{
    volt_past_get(stream->past, parts[STATE]);
    volt_stream_last(stream, parts[LAST]);
    if (stream->recent.begun)
        volt_recent_get(&stream->model->recipe, &stream->recent, parts[RECENT]);
    if (stream->recent.n_fed > 0)
        memcpy(parts[FED], stream->recent.fed, (size_t)stream->recent.n_fed * sizeof(double));
    if (!stream->interval)
        return;
    int64_t q = stream->model->q, rows = stream->model->ahead + 1, first = stream->n_made - waiting(stream);
    memcpy(parts[COVERAGES], stream->interval->coverages, (size_t)stream->interval->count * sizeof(double));
    volt_interval_get(stream->interval, parts[SCORES]);
    for (int64_t i = first; i < stream->n_made; i++)
        memcpy(parts[MADE] + (i - first) * q, stream->made + i % rows * q, (size_t)q * sizeof(double));
}

static void take_moment(volt_stream *stream, const volt_tensor *const parts[PARTS])
{
    volt_past_set(stream->past, parts[STATE]->data);
    memcpy(stream->last, parts[LAST]->data, (size_t)parts[LAST]->rows * sizeof *stream->last);
    if (stream->recent.begun)
        volt_recent_set(&stream->model->recipe, parts[RECENT]->data, &stream->recent);
    if (stream->interval) /* the ring begins with the oldest */
        memcpy(stream->made, parts[MADE]->data, (size_t)parts[MADE]->rows * sizeof *stream->made);
    for (int64_t k = 0; k < stream->recent.n_fed; k++) {
        stream->recent.fed[k] = parts[FED]->data[k];
        stream->y[k] = volt_fed_output(&stream->model->recipe.fed, k, parts[FED]->data[k]);
    }
}

/* ---- save ------------------------------------------------------------------------------------- */

static volt_status check_finite(const volt_tensor *tensor)
{
    for (int64_t i = 0; i < tensor->rows; i++)
        VOLT_REQUIRE(isfinite(tensor->data[i]), VOLT_ERR_NOT_FINITE,
                     "the past of the stream holds a value that is not finite, and cannot be saved");
    return VOLT_OK;
}

static volt_status write_file(const volt_stream *stream, const char *path, const volt_tensor tensors[PARTS],
                              const char *digest)
{
    char version[32], pushed[32], beyond[32];
    snprintf(version, sizeof version, "%" PRId64, format_version);
    snprintf(pushed, sizeof pushed, "%" PRId64, stream->pushed);
    snprintf(beyond, sizeof beyond, "%" PRId64, stream->beyond);
    const volt_metadatum metadata[] = {
        {"format", format_name},
        {"version", version},
        {"library", volt_version()},
        {"kernel", volt_kernel_text(stream->model->kernel)},
        {"model", digest},
        {"rows", pushed},
        {"beyond", beyond},
        {"begun", stream->recent.begun ? "yes" : "no"},
        {"strays", stream->strays ? "yes" : "no"}, /* where outputs come back */
    };
    int64_t n_metadata = (int64_t)(sizeof metadata / sizeof *metadata) - (stream->recent.n_fed == 0),
            n_parts = 0;
    volt_tensor there[PARTS];
    for (int p = 0; p < PARTS; p++) {
        if (!has_part(stream, p))
            continue;
        VOLT_TRY(check_finite(&tensors[p]));
        there[n_parts++] = tensors[p];
    }
    return volt_safetensors_write(path, there, n_parts, metadata, n_metadata);
}

volt_status volt_stream_save(const volt_stream *stream, const char *path)
{
    VOLT_REQUIRE(stream && path, VOLT_ERR_ARGUMENT, "the stream or the path is NULL");
    int64_t lengths[PARTS];
    double *parts[PARTS], *row = volt_alloc_doubles(1, stream->model->d);
    volt_tensor tensors[PARTS];
    char digest[VOLT_DIGEST_LENGTH];
    volt_status status = row ? VOLT_OK : VOLT_ERR_MEMORY;
    part_lengths(stream, lengths);
    for (int p = 0; p < PARTS; p++) {
        parts[p] = volt_alloc_doubles(lengths[p], 1);
        tensors[p] = (volt_tensor){part_names[p], lengths[p], 0, parts[p]};
        if (!parts[p])
            status = VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK) {
        give_moment(stream, parts);
        volt_model_digest(stream->model, row, digest);
        status = write_file(stream, path, tensors, digest);
    }
    for (int p = 0; p < PARTS; p++)
        volt_free(parts[p]);
    volt_free(row);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_header(const volt_file_fields *fields, const volt_stream *stream)
{
    const char *text = NULL, *kernel = NULL;
    int64_t version = 0;
    char digest[VOLT_DIGEST_LENGTH];
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format_name) != 0)
        return volt_fields_foreign(fields, "its format is another");
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == format_version, VOLT_ERR_FORMAT,
                 "%s has stream format %" PRId64 ", and this library (%s) reads format %" PRId64, fields->path,
                 version, volt_version(), format_version);
    VOLT_TRY(volt_fields_text(fields, "kernel", &kernel));
    VOLT_TRY(volt_fields_text(fields, "model", &text));
    volt_model_digest(stream->model, stream->z, digest);
    VOLT_REQUIRE(strcmp(text, digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another model (%.40s with kernel %.80s; this one is %s with kernel %.80s)",
                 fields->path, text, kernel, digest, volt_kernel_text(stream->model->kernel));
    return VOLT_OK;
}

/* The intervals that the stream of the file tracked, if it did, all but the forecasts that wait. */
static volt_status read_interval(const volt_file_fields *fields, volt_stream *stream)
{
    const volt_tensor *coverages = NULL, *scores = NULL, *made = NULL;
    if (!volt_safetensors_tensor(fields->file, part_names[COVERAGES]))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, part_names[COVERAGES], -1, 0, &coverages));
    VOLT_TRY(volt_fields_tensor(fields, part_names[MADE], -1, 0, &made));
    volt_status status = volt_stream_track(stream, coverages->data, coverages->rows);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(
        volt_fields_tensor(fields, part_names[SCORES], volt_interval_length(stream->interval), 0, &scores));
    VOLT_REQUIRE(volt_interval_set(stream->interval, scores->data), VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" does not hold the errors of a stream", fields->path, part_names[SCORES]);
    int64_t q = stream->model->q;
    stream->n_made = made->rows / q;
    VOLT_REQUIRE(made->rows == stream->n_made * q && stream->n_made <= stream->model->ahead + 1,
                 VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" has %" PRId64 " numbers, which are not forecasts of %" PRId64
                 " outputs that wait %" PRId64 " rows",
                 fields->path, part_names[MADE], made->rows, q, stream->model->ahead);
    return VOLT_OK;
}

/* Into a stream that is there, and stands anywhere. */
static volt_status read_moment(const volt_file_fields *fields, volt_stream *stream)
{
    int64_t lengths[PARTS];
    const volt_tensor *parts[PARTS] = {NULL};
    VOLT_TRY(read_header(fields, stream));
    VOLT_TRY(volt_fields_count(fields, "rows", &stream->pushed));
    VOLT_TRY(volt_fields_count(fields, "beyond", &stream->beyond));
    VOLT_TRY(volt_fields_flag(fields, "begun", &stream->recent.begun));
    VOLT_TRY(read_interval(fields, stream));
    part_lengths(stream, lengths);
    for (int p = 0; p < PARTS; p++)
        if (has_part(stream, p))
            VOLT_TRY(volt_fields_tensor(fields, part_names[p], lengths[p], 0, &parts[p]));
    take_moment(stream, parts);
    return stream->recent.n_fed > 0 ? volt_fields_flag(fields, "strays", &stream->strays) : VOLT_OK;
}

volt_status volt_stream_load(const volt_model *model, const volt_predict_options *options, const char *path,
                             volt_stream **stream)
{
    VOLT_REQUIRE(model && path && stream, VOLT_ERR_ARGUMENT,
                 "the model, the path or the place for the stream is NULL");
    volt_safetensors *file = NULL;
    volt_stream *fresh = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    volt_file_fields fields = {.file = file, .path = path, .kind = "the state of a volterra stream"};
    volt_status status = volt_stream_create(model, options, &fresh);
    if (status == VOLT_OK)
        status = read_moment(&fields, fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *stream = fresh;
    else
        volt_stream_free(fresh);
    return status;
}
