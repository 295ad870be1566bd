/* src/model/learner_file.c: the moment of a learner as a safetensors file.
 *
 * As of a stream (stream_file.c), the file has what changes with every row, and a digest of the model that the learner
 * belongs to. docs/file_formats.md describes it. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file_fields.h"
#include "model/learner_internal.h"
#include "model/stream_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const format_name = "volterra-learner";
static const int64_t format_version = 1;

/* ---- save ------------------------------------------------------------------------------------- */

/* Parts that every learner has, then two for each group. */
enum { NUMBERS, MOVING, RECENT, LAST, KERNEL, PARTS };
static const char *const part_names[PARTS] = {"numbers", "moving", "recent", "last", "kernel"};
enum { NAME_LENGTH = 32 };

static void group_name(const char *what, int64_t g, char name[NAME_LENGTH])
{
    snprintf(name, NAME_LENGTH, "%s.%" PRId64, what, g);
}

static int64_t count_columns(const volt_learner *learner)
{
    return volt_moving_next(learner->moving) - volt_moving_begin(learner->moving);
}

static void part_lengths(const volt_learner *learner, int64_t lengths[PARTS])
{
    const volt_recipe *recipe = &learner->model->recipe;
    lengths[NUMBERS] = learner->n;
    lengths[MOVING] = volt_moving_length(learner->moving);
    lengths[RECENT] = learner->recent.begun ? volt_recent_length(recipe) : 0;
    lengths[LAST] = learner->pushed > 0 ? recipe->inputs : 0;
    lengths[KERNEL] = learner->pending ? count_columns(learner) : 0;
}

static void give_parts(const volt_learner *learner, double *const parts[PARTS])
{
    for (int64_t i = 0; i < learner->n; i++)
        parts[NUMBERS][i] = (double)learner->numbers[i];
    volt_moving_get(learner->moving, parts[MOVING]);
    if (learner->recent.begun)
        volt_recent_get(&learner->model->recipe, &learner->recent, parts[RECENT]);
    if (learner->pushed > 0)
        memcpy(parts[LAST], learner->last, (size_t)learner->model->recipe.inputs * sizeof(double));
    if (learner->pending)
        memcpy(parts[KERNEL], learner->k, (size_t)count_columns(learner) * sizeof(double));
}

/* All tensors of a file and their memory. */
typedef struct tensor_list {
    volt_tensor *tensors;
    double **owned;
    char (*names)[NAME_LENGTH];
    int64_t n;
} tensor_list;

static void release_list(tensor_list *list)
{
    for (int64_t t = 0; list->owned && t < list->n; t++)
        volt_free(list->owned[t]);
    volt_free(list->owned);
    volt_free(list->tensors);
    volt_free(list->names);
}

static volt_status make_list(const volt_learner *learner, tensor_list *list)
{
    int64_t lengths[PARTS], n = learner->n;
    list->n = PARTS + 2 * learner->n_groups;
    list->tensors = volt_alloc_zero(list->n, sizeof *list->tensors);
    list->owned = volt_alloc_zero(list->n, sizeof *list->owned);
    list->names = volt_alloc_zero(list->n, sizeof *list->names);
    if (!list->tensors || !list->owned || !list->names)
        return VOLT_ERR_MEMORY;
    part_lengths(learner, lengths);
    for (int64_t t = 0; t < list->n; t++) {
        int64_t g = (t - PARTS) / 2;
        bool is_part = t < PARTS, is_factor = !is_part && (t - PARTS) % 2 == 0;
        int64_t cols = is_part || is_factor ? 0 : learner->groups[g].n + 1;
        int64_t rows = is_part ? lengths[t] : is_factor ? n * (n + 1) / 2 : n;
        list->owned[t] = volt_alloc_doubles(rows, cols > 0 ? cols : 1);
        if (!list->owned[t])
            return VOLT_ERR_MEMORY;
        if (!is_part)
            group_name(is_factor ? "factor" : "solved", g, list->names[t]);
        list->tensors[t] = (volt_tensor){is_part ? part_names[t] : list->names[t], rows, cols, list->owned[t]};
    }
    give_parts(learner, list->owned);
    for (int64_t g = 0; g < learner->n_groups; g++) {
        const volt_online_factor *factor = learner->groups[g].factor;
        volt_online_get(factor, list->owned[PARTS + 2 * g]);
        memcpy(list->owned[PARTS + 2 * g + 1], factor->W + factor->start * (factor->q + 1),
               (size_t)(n * (factor->q + 1)) * sizeof(double));
    }
    return VOLT_OK;
}

static volt_status check_finite(const tensor_list *list)
{
    for (int64_t t = 0; t < list->n; t++) {
        int64_t count = list->tensors[t].rows * (list->tensors[t].cols > 0 ? list->tensors[t].cols : 1);
        for (int64_t i = 0; i < count; i++)
            VOLT_REQUIRE(isfinite(list->owned[t][i]), VOLT_ERR_NOT_FINITE,
                         "the learner holds a value that is not finite, and cannot be saved");
    }
    return VOLT_OK;
}

static volt_status write_file(const volt_learner *learner, const char *path, const tensor_list *list,
                              const char *digest)
{
    enum { COUNTS = 6 };
    static const char *const keys[COUNTS] = {"version", "window", "rows", "learned", "beyond", "events"};
    const int64_t counts[COUNTS] = {format_version,   learner->window, learner->pushed,
                                    learner->learned, learner->beyond, learner->events};
    char texts[COUNTS][32], forget[VOLT_NUMBER_LENGTH];
    volt_metadatum metadata[COUNTS + 7] = {
        {"format", format_name},
        {"library", volt_version()},
        {"kernel", volt_kernel_text(learner->model->kernel)},
        {"model", digest},
        {"forget", volt_format_number(learner->forget, forget)},
        {"begun", learner->recent.begun ? "yes" : "no"},
        {"pending", learner->pending ? "yes" : "no"},
    };
    for (int i = 0; i < COUNTS; i++) {
        snprintf(texts[i], sizeof texts[i], "%" PRId64, counts[i]);
        metadata[7 + i] = (volt_metadatum){keys[i], texts[i]};
    }
    VOLT_TRY(check_finite(list));
    return volt_safetensors_write(path, list->tensors, list->n, metadata, COUNTS + 7);
}

volt_status volt_learner_save(const volt_learner *learner, const char *path)
{
    VOLT_REQUIRE(learner && path, VOLT_ERR_ARGUMENT, "the learner or the path is NULL");
    tensor_list list = {0};
    char digest[VOLT_DIGEST_LENGTH];
    double *row = volt_alloc_doubles(1, learner->model->d);
    volt_status status = row ? make_list(learner, &list) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_model_digest(learner->model, row, digest);
        status = write_file(learner, path, &list, digest);
    }
    release_list(&list);
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
    VOLT_TRY(volt_fields_tensor(fields, part_names[NUMBERS], -1, 0, &numbers));
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
    int64_t n = learner->n;
    for (int64_t g = 0; g < learner->n_groups; g++) {
        char name[NAME_LENGTH];
        const volt_tensor *packed = NULL, *solved = NULL;
        volt_online_factor *factor = learner->groups[g].factor;
        group_name("factor", g, name);
        VOLT_TRY(volt_fields_tensor(fields, name, n * (n + 1) / 2, 0, &packed));
        group_name("solved", g, name);
        VOLT_TRY(volt_fields_tensor(fields, name, n, factor->q + 1, &solved));
        volt_status status = volt_online_set(factor, n, packed->data, solved->data);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "%s", fields->path);
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
    VOLT_TRY(volt_fields_copy(fields, part_names[KERNEL], columns, 0, learner->k));
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
    VOLT_TRY(volt_fields_tensor(fields, part_names[MOVING], -1, 0, &part));
    volt_status status = volt_moving_set(learner->moving, part->data, part->rows);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "%s", fields->path);
    VOLT_TRY(status);
    if (learner->recent.begun) {
        VOLT_TRY(volt_fields_tensor(fields, part_names[RECENT], volt_recent_length(recipe), 0, &part));
        volt_recent_set(recipe, part->data, &learner->recent);
    }
    if (learner->pushed > 0)
        VOLT_TRY(volt_fields_copy(fields, part_names[LAST], recipe->inputs, 0, learner->last));
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
