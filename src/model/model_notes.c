/* src/model/model_notes.c: what whoever fits a model records in it: copied, written and read with it. */
#include "model/model_notes.h"

#include "base/memory.h"

#include <stddef.h>

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
