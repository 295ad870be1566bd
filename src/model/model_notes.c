/* src/model/model_notes.c: notes stored with a model. */
#include "model/model_notes.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/time/time_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    size_t offset;
} notes_of_a_model[VOLT_NOTES] = {
    {"time_end", offsetof(volt_model_notes, time_end)},
    {"time_target", offsetof(volt_model_notes, time_target)},
    {"time_step", offsetof(volt_model_notes, time_step)},
    {"calendar", offsetof(volt_model_notes, calendar)},
    {"calendar_scale", offsetof(volt_model_notes, calendar_scale)},
    {"first_rows", offsetof(volt_model_notes, first_rows)},
    {"horizons", offsetof(volt_model_notes, horizons)},
    {"target_ndim", offsetof(volt_model_notes, target_ndim)},
};

static const char **note(volt_model_notes *notes, int i)
{
    return (const char **)((char *)notes + notes_of_a_model[i].offset);
}

static const char *text_of(const volt_model_notes *notes, int i)
{
    return *(const char *const *)((const char *)notes + notes_of_a_model[i].offset);
}

static volt_status set_note(volt_model_notes *notes, int i, const char *text)
{
    *note(notes, i) = text ? volt_strdup(text) : NULL;
    return !text || *note(notes, i) ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_notes_copy(const volt_model_notes *from, volt_model_notes *to)
{
    volt_status status = VOLT_OK;
    for (int i = 0; i < VOLT_NOTES && !status; i++)
        status = set_note(to, i, text_of(from, i));
    return status;
}

void volt_notes_release(volt_model_notes *notes)
{
    for (int i = 0; i < VOLT_NOTES; i++)
        volt_free((void *)text_of(notes, i));
}

void volt_notes_intersect(const volt_model_notes *other, volt_model_notes *notes)
{
    for (int i = 0; i < VOLT_NOTES; i++) {
        const char *a = text_of(notes, i), *b = text_of(other, i);
        if (a && (!b || strcmp(a, b) != 0))
            *note(notes, i) = NULL;
    }
}

int64_t volt_notes_list(const volt_model_notes *notes, volt_metadatum *metadata)
{
    int64_t count = 0;
    for (int i = 0; i < VOLT_NOTES; i++)
        if (text_of(notes, i))
            metadata[count++] = (volt_metadatum){notes_of_a_model[i].key, text_of(notes, i)};
    return count;
}

volt_status volt_notes_read(const volt_safetensors *file, volt_model_notes *notes)
{
    volt_status status = VOLT_OK;
    for (int i = 0; i < VOLT_NOTES && !status; i++)
        status = set_note(notes, i, volt_safetensors_metadata(file, notes_of_a_model[i].key));
    return status;
}

/* ---- times of the training rows ---------------------------------------------------------------- */

static volt_status replace(const char **note, const char *text)
{
    volt_free((void *)*note);
    *note = volt_strdup(text);
    return *note ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_notes_set_times(const volt_time *times, int64_t n, int64_t ahead, volt_model_notes *notes)
{
    char text[VOLT_TIME_LENGTH];
    volt_time_step step;
    VOLT_REQUIRE(n > ahead, VOLT_ERR_ARGUMENT,
                 "n_times must be above the horizon of %" PRId64 " rows (got %" PRId64 ")", ahead, n);
    VOLT_TRY(volt_time_step_find(times, n, &step));
    if (volt_time_step_is_known(step))
        VOLT_TRY(replace(&notes->time_step, volt_time_step_format(step, text)));
    VOLT_TRY(replace(&notes->time_end, volt_time_format(times[n - 1 - ahead], text)));
    return replace(&notes->time_target, volt_time_format(times[n - 1], text));
}

static volt_status parse_time(const char *key, const char *text, volt_time *time)
{
    volt_status status = text ? volt_times_parse(&text, 1, time) : VOLT_OK;
    return status ? volt_fail_prefix(status, "the model's \"%s\"", key) : VOLT_OK;
}

volt_status volt_notes_get_times(const volt_model_notes *notes, int64_t ahead, volt_training_times *times)
{
    volt_training_times parsed = {.end = {NAN, NAN}, .target = {NAN, NAN}};
    VOLT_TRY(parse_time("time_end", notes->time_end, &parsed.end));
    VOLT_TRY(parse_time("time_target", notes->time_target, &parsed.target));
    if (notes->time_step && volt_time_step_parse(notes->time_step, &parsed.step))
        return volt_fail_prefix(VOLT_ERR_FORMAT, "the model's \"time_step\"");
    if (!notes->time_target && volt_time_step_is_known(parsed.step)) /* a file of version 1.0 */
        parsed.target = volt_time_advance(parsed.end, parsed.step, ahead);
    if (times)
        *times = parsed;
    return VOLT_OK;
}

/* ---- digest of the first rows ------------------------------------------------------------------ */

/* Rows of a digest at most, and at least. */
enum { DIGEST_ROWS = 8, MIN_ROWS = 3, DIGEST_LENGTH = 48 };

/* "ROWS DIGEST" of the first rows; "" if they are too few or all equal, like those of a sensor that is still off. */
static void digest_rows(volt_view X, int64_t rows, char text[DIGEST_LENGTH])
{
    bool differ = false;
    uint64_t hash = volt_digest_start;
    *text = '\0';
    if (rows < MIN_ROWS || rows > X.rows)
        return;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < X.cols; j++) {
            double value = X.data[i * X.ld + j] + 0.0; /* -0 is 0 */
            uint64_t bits;
            differ |= value != X.data[j];
            memcpy(&bits, &value, sizeof bits);
            for (int byte = 0; byte < 8; byte++)
                hash = volt_digest_byte(hash, (unsigned char)(bits >> (8 * byte)));
        }
    if (differ)
        snprintf(text, DIGEST_LENGTH, "%lld %016llx", (long long)rows, (unsigned long long)hash);
}

volt_status volt_notes_first_rows(volt_view X, volt_model_notes *notes)
{
    char text[DIGEST_LENGTH];
    if (notes->first_rows)
        return VOLT_OK;
    digest_rows(X, X.rows < DIGEST_ROWS ? X.rows : DIGEST_ROWS, text);
    notes->first_rows = *text ? volt_strdup(text) : NULL;
    return *text && !notes->first_rows ? VOLT_ERR_MEMORY : VOLT_OK;
}

int volt_model_begins(const volt_model_info *info, volt_view X)
{
    char text[DIGEST_LENGTH];
    if (!info || !info->notes.first_rows || !X.data || X.cols != info->d)
        return 0;
    digest_rows(X, strtoll(info->notes.first_rows, NULL, 10), text);
    return *text && strcmp(text, info->notes.first_rows) == 0;
}
