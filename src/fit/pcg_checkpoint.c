/* src/fit/pcg_checkpoint.c: saves and loads the state of an iteration. */
#define _POSIX_C_SOURCE 200809L
#include "fit/pcg_checkpoint.h"

#include "base/error.h"
#include "base/progress.h"
#include "io/file/file_bytes.h"
#include "model/file/file_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 1 };
static const char format[] = "volterra-pcg";

volt_status volt_checkpoint_check(const char *path)
{
    struct stat file_info;
    volt_atomic_file file;
    bool exists = stat(path, &file_info) == 0;
    VOLT_REQUIRE(!exists || S_ISREG(file_info.st_mode), VOLT_ERR_IO, "the checkpoint %s is not a regular file",
                 path);
    VOLT_TRY(volt_atomic_open(&file, path));
    volt_atomic_discard(&file);
    return VOLT_OK;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status check_head(const volt_checkpoint *checkpoint, const volt_file_fields *fields)
{
    const char *text = NULL, *kernel = NULL;
    int64_t version = 0;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format) != 0)
        return volt_fields_wrong_format(fields, text);
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == VERSION, VOLT_ERR_FORMAT,
                 "%s has checkpoint format %" PRId64 ", but this library (%s) reads format %d", fields->path,
                 version, volt_version(), VERSION);
    VOLT_TRY(volt_fields_text(fields, "kernel", &kernel));
    VOLT_TRY(volt_fields_text(fields, "fit", &text));
    VOLT_REQUIRE(strcmp(text, checkpoint->digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another fit (%.40s with kernel %.80s; this one is %s with kernel %.80s): other "
                 "data, kernel, alpha or landmarks",
                 fields->path, text, kernel, checkpoint->digest, checkpoint->kernel);
    return VOLT_OK;
}

static volt_status read_state(const volt_file_fields *fields, volt_pcg_state *state)
{
    int64_t rows = state->rows, columns = state->columns;
    VOLT_TRY(volt_fields_count(fields, "steps", &state->steps));
    VOLT_TRY(volt_fields_count(fields, "restarts", &state->restarts));
    VOLT_TRY(volt_fields_copy(fields, "x", rows, columns, state->x));
    VOLT_TRY(volt_fields_copy(fields, "r", rows, columns, state->r));
    VOLT_TRY(volt_fields_copy(fields, "p", rows, columns, state->p));
    VOLT_TRY(volt_fields_copy(fields, "numbers", columns, VOLT_PCG_NUMBERS, state->numbers));
    for (int64_t k = 0; k < columns; k++) {
        const double *numbers = state->numbers + k * VOLT_PCG_NUMBERS;
        bool right = numbers[VOLT_PCG_SIZE] >= 0;
        for (int i = VOLT_PCG_RESIDUAL; i < VOLT_PCG_NUMBERS; i++)
            right = right && numbers[i] >= 0;
        VOLT_REQUIRE(right, VOLT_ERR_FORMAT, "%s: tensor \"numbers\" does not hold the state of an iteration",
                     fields->path);
    }
    return VOLT_OK;
}

volt_status volt_checkpoint_load(void *context, volt_pcg_state *state, bool *found)
{
    volt_checkpoint *checkpoint = context;
    volt_safetensors *file = NULL;
    checkpoint->last = volt_seconds();
    VOLT_TRY(volt_file_exists(checkpoint->path, found));
    if (!*found)
        return VOLT_OK;
    VOLT_TRY(volt_safetensors_read(checkpoint->path, &file));
    volt_file_fields fields = {
        .file = file, .path = checkpoint->path, .kind = "the checkpoint of a volterra fit"};
    volt_status status = check_head(checkpoint, &fields);
    if (status == VOLT_OK)
        status = read_state(&fields, state);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        volt_log(VOLT_LOG_INFO, "resuming from %s after %" PRId64 " steps", checkpoint->path, state->steps);
    return status;
}

/* ---- save ------------------------------------------------------------------------------------- */

static volt_status write_state(const volt_checkpoint *checkpoint, const volt_pcg_state *state)
{
    int64_t rows = state->rows, columns = state->columns;
    volt_file_writer writer = {0};
    volt_put_text(&writer, "format", format);
    volt_put_count(&writer, "version", VERSION);
    volt_put_text(&writer, "library", volt_version());
    volt_put_text(&writer, "kernel", checkpoint->kernel);
    volt_put_text(&writer, "fit", checkpoint->digest);
    volt_put_count(&writer, "steps", state->steps);
    volt_put_count(&writer, "restarts", state->restarts);
    volt_put_tensor(&writer, "x", rows, columns, state->x);
    volt_put_tensor(&writer, "r", rows, columns, state->r);
    volt_put_tensor(&writer, "p", rows, columns, state->p);
    volt_put_tensor(&writer, "numbers", columns, VOLT_PCG_NUMBERS, state->numbers);
    volt_status status = volt_writer_finish(&writer, checkpoint->path, (volt_progress){0});
    volt_writer_release(&writer);
    return status;
}

volt_status volt_checkpoint_save(void *context, const volt_pcg_state *state, bool last)
{
    volt_checkpoint *checkpoint = context;
    if (!last && volt_seconds() - checkpoint->last < checkpoint->every)
        return VOLT_OK;
    volt_status status = write_state(checkpoint, state);
    checkpoint->last = volt_seconds();
    if (status == VOLT_OK || status == VOLT_ERR_MEMORY) {
        checkpoint->complained &= status != VOLT_OK;
        return status;
    }
    if (!checkpoint->complained)
        volt_log(VOLT_LOG_WARNING, "%s; continuing without a checkpoint of step %" PRId64, volt_error_detail(),
                 state->steps);
    checkpoint->complained = true;
    return VOLT_OK;
}
