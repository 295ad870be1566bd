/* src/model/learner_file.c: the moment of a learner as a safetensors file.
 *
 * As of a stream (stream_file.c), the file has what changes with every row, and a digest of the model that the learner
 * belongs to. docs/file_formats.md describes it. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file_fields.h"
#include "model/file_writer.h"
#include "model/learner_internal.h"
#include "model/stream_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const format_name = "volterra-learner";
static const int64_t format_version = 1;

/* ---- save ------------------------------------------------------------------------------------- */

static int64_t count_columns(const volt_learner *learner)
{
    return volt_moving_next(learner->moving) - volt_moving_begin(learner->moving);
}

/* Numbers of the factors of all groups, one after the other, and of their solves. */
static int64_t factor_length(const volt_learner *learner)
{
    return learner->n * (learner->n + 1) / 2;
}

static int64_t solved_length(const volt_learner *learner)
{
    int64_t columns = 0;
    for (int64_t g = 0; g < learner->n_groups; g++)
        columns += learner->groups[g].n + 1;
    return learner->n * columns;
}

static void put_settings(const volt_learner *learner, volt_file_writer *writer)
{
    volt_put_text(writer, "format", format_name);
    volt_put_count(writer, "version", format_version);
    volt_put_text(writer, "library", volt_version());
    volt_put_text(writer, "kernel", volt_kernel_text(learner->model->kernel));
    volt_put_count(writer, "window", learner->window);
    volt_put_number(writer, "forget", learner->forget);
    volt_put_count(writer, "rows", learner->pushed);
    volt_put_count(writer, "learned", learner->learned);
    volt_put_count(writer, "beyond", learner->beyond);
    volt_put_count(writer, "events", learner->events);
    volt_put_flag(writer, "begun", learner->recent.begun);
    volt_put_flag(writer, "pending", learner->pending);
}

static void put_past(const volt_learner *learner, volt_file_writer *writer)
{
    const volt_recipe *recipe = &learner->model->recipe;
    double *moving = volt_put_room(writer, "moving", volt_moving_length(learner->moving), 0);
    if (moving)
        volt_moving_get(learner->moving, moving);
    if (learner->recent.begun) {
        double *recent = volt_put_room(writer, "recent", volt_recent_length(recipe), 0);
        if (recent)
            volt_recent_get(recipe, &learner->recent, recent);
    }
    if (learner->recent.n_fed > 0)
        volt_put_tensor(writer, "fed", learner->recent.n_fed, 0, learner->recent.fed);
    if (learner->pushed > 0)
        volt_put_tensor(writer, "last", recipe->inputs, 0, learner->last);
    if (learner->pending)
        volt_put_tensor(writer, "pending_kernel", count_columns(learner), 0, learner->k);
}

static void put_window(const volt_learner *learner, volt_file_writer *writer)
{
    double *numbers = volt_put_room(writer, "numbers", learner->n, 0);
    double *packed = volt_put_room(writer, "factors", learner->n_groups * factor_length(learner), 0);
    double *solved = volt_put_room(writer, "solved", solved_length(learner), 0);
    for (int64_t i = 0; numbers && i < learner->n; i++)
        numbers[i] = (double)learner->numbers[i];
    for (int64_t g = 0; packed && solved && g < learner->n_groups; g++) {
        const volt_online_factor *factor = learner->groups[g].factor;
        int64_t width = factor->q + 1;
        volt_online_get(factor, packed + g * factor_length(learner));
        memcpy(solved, factor->W + factor->start * width, (size_t)(learner->n * width) * sizeof *solved);
        solved += learner->n * width;
    }
}

static volt_status check_finite(const volt_file_writer *writer)
{
    for (int64_t t = 0; t < writer->n_tensors; t++)
        for (int64_t i = 0; !writer->failed && i < writer->tensors[t].rows; i++)
            VOLT_REQUIRE(isfinite(writer->tensors[t].data[i]), VOLT_ERR_NOT_FINITE,
                         "the learner holds a value that is not finite, and cannot be saved");
    return VOLT_OK;
}

volt_status volt_learner_save(const volt_learner *learner, const char *path)
{
    VOLT_REQUIRE(learner && path, VOLT_ERR_ARGUMENT, "the learner or the path is NULL");
    volt_file_writer writer = {0};
    char digest[VOLT_DIGEST_LENGTH];
    double *row = volt_alloc_doubles(1, learner->model->d);
    volt_status status = row ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_model_digest(learner->model, row, digest);
        put_settings(learner, &writer);
        volt_put_text(&writer, "model", digest);
        put_past(learner, &writer);
        put_window(learner, &writer);
        status = check_finite(&writer);
    }
    if (status == VOLT_OK)
        status = volt_writer_finish(&writer, path, (volt_progress){0});
    volt_writer_release(&writer);
    volt_free(row);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_header(const volt_file_fields *fields, const volt_model *model)
{
    const char *text = NULL, *kernel = NULL;
    int64_t version = 0;
    char digest[VOLT_DIGEST_LENGTH];
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format_name) != 0)
        return volt_fields_foreign(fields, "its format is another");
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == format_version, VOLT_ERR_FORMAT,
                 "%s has learner format %" PRId64 ", and this library (%s) reads format %" PRId64, fields->path,
                 version, volt_version(), format_version);
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

static volt_status read_options(const volt_file_fields *fields, volt_learner_options *options)
{
    VOLT_TRY(volt_fields_count(fields, "window", &options->window));
    VOLT_TRY(volt_fields_number(fields, "forget", 0, &options->forget));
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_FORMAT,
                 "%s: \"forget\" is %g, and must be above 0 and at most 1", fields->path, options->forget);
    return VOLT_OK;
}

/* Rows of the window are columns, one after the other. */
static volt_status read_numbers(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *numbers = NULL;
    int64_t least = volt_moving_begin(learner->moving), next = volt_moving_next(learner->moving);
    VOLT_TRY(volt_fields_tensor(fields, "numbers", -1, 0, &numbers));
    VOLT_REQUIRE(numbers->rows <= next - least && (learner->window == 0 || numbers->rows <= learner->window),
                 VOLT_ERR_FORMAT, "%s: the window has %" PRId64 " rows, more than there can be", fields->path,
                 numbers->rows);
    VOLT_TRY(volt_learner_reserve(learner, numbers->rows + 1));
    for (int64_t i = 0; i < numbers->rows; i++) {
        double number = numbers->data[i];
        VOLT_REQUIRE(number >= (double)least && number < (double)next && number == floor(number),
                     VOLT_ERR_FORMAT, "%s: row %" PRId64 " of the window has number %.9g, which no column has",
                     fields->path, i + 1, number);
        learner->numbers[i] = (int64_t)number;
        least = learner->numbers[i] + 1;
    }
    learner->n = numbers->rows;
    VOLT_REQUIRE(!learner->pending || (next > volt_moving_begin(learner->moving) && least < next),
                 VOLT_ERR_FORMAT, "%s: the row that waits for its target is not there", fields->path);
    return VOLT_OK;
}

static volt_status read_groups(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *packed = NULL, *solved = NULL;
    int64_t each = factor_length(learner);
    VOLT_TRY(volt_fields_tensor(fields, "factors", learner->n_groups * each, 0, &packed));
    VOLT_TRY(volt_fields_tensor(fields, "solved", solved_length(learner), 0, &solved));
    const double *W = solved->data;
    for (int64_t g = 0; g < learner->n_groups; g++) {
        volt_online_factor *factor = learner->groups[g].factor;
        volt_status status = volt_online_set(factor, learner->n, packed->data + g * each, W);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "%s", fields->path);
        W += learner->n * (factor->q + 1);
    }
    return VOLT_OK;
}

/* The row that waits for its target, solved for again. */
static volt_status read_pending(const volt_file_fields *fields, volt_learner *learner)
{
    int64_t columns = count_columns(learner);
    if (!learner->pending)
        return VOLT_OK;
    VOLT_TRY(volt_grow((void **)&learner->k, &learner->k_room, columns, sizeof *learner->k));
    VOLT_TRY(volt_fields_copy(fields, "pending_kernel", columns, 0, learner->k));
    volt_learner_solve(learner);
    return VOLT_OK;
}

static volt_status read_moment(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *part = NULL;
    const volt_recipe *recipe = &learner->model->recipe;
    VOLT_TRY(volt_fields_count(fields, "rows", &learner->pushed));
    VOLT_TRY(volt_fields_count(fields, "learned", &learner->learned));
    VOLT_TRY(volt_fields_count(fields, "beyond", &learner->beyond));
    VOLT_TRY(volt_fields_count(fields, "events", &learner->events));
    VOLT_TRY(volt_fields_flag(fields, "pending", &learner->pending));
    VOLT_TRY(volt_fields_flag(fields, "begun", &learner->recent.begun));
    VOLT_REQUIRE(!learner->pending || learner->pushed > 0, VOLT_ERR_FORMAT,
                 "%s: a row waits for its target, and none was pushed", fields->path);
    VOLT_TRY(volt_fields_tensor(fields, "moving", -1, 0, &part));
    volt_status status = volt_moving_set(learner->moving, part->data, part->rows);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "%s", fields->path);
    VOLT_TRY(status);
    if (learner->recent.begun) {
        VOLT_TRY(volt_fields_tensor(fields, "recent", volt_recent_length(recipe), 0, &part));
        volt_recent_set(recipe, part->data, &learner->recent);
    }
    if (learner->recent.n_fed > 0)
        VOLT_TRY(volt_fields_copy(fields, "fed", learner->recent.n_fed, 0, learner->recent.fed));
    if (learner->pushed > 0)
        VOLT_TRY(volt_fields_copy(fields, "last", recipe->inputs, 0, learner->last));
    VOLT_TRY(read_numbers(fields, learner));
    VOLT_TRY(read_groups(fields, learner));
    return read_pending(fields, learner);
}

volt_status volt_learner_load(const volt_model *model, const volt_learner_options *options, const char *path,
                              volt_learner **learner)
{
    VOLT_REQUIRE(model && path && learner, VOLT_ERR_ARGUMENT,
                 "the model, the path or the place for the learner is NULL");
    volt_learner_options own = options ? *options : volt_learner_options_default();
    volt_safetensors *file = NULL;
    volt_learner *fresh = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    volt_file_fields fields = {.file = file, .path = path, .kind = "the state of a volterra learner"};
    volt_status status = read_header(&fields, model);
    if (status == VOLT_OK)
        status = read_options(&fields, &own);
    if (status == VOLT_OK)
        status = volt_learner_begin(model, &own, &fresh);
    if (status == VOLT_OK)
        status = read_moment(&fields, fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *learner = fresh;
    else
        volt_learner_free(fresh);
    return status;
}
