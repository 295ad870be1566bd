/* src/model/model_notes.h: notes stored with a model. They do not affect predictions. */
#ifndef MODEL_MODEL_NOTES_H
#define MODEL_MODEL_NOTES_H

#include "io/safetensors/safetensors.h"
#include "volterra/model.h"

enum { VOLT_NOTES = 8 };

/* Copies notes; release the copy with volt_notes_release, also on failure. VOLT_ERR_MEMORY. */
volt_status volt_notes_copy(const volt_model_notes *from, volt_model_notes *to);
/* Notes the digest of the first rows of X, unless there is one. VOLT_ERR_MEMORY. */
volt_status volt_notes_first_rows(volt_view X, volt_model_notes *notes);
/* Sets the notes of n times of rows, whose last target is `ahead` rows after the last input. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_notes_set_times(const volt_time *times, int64_t n, int64_t ahead, volt_model_notes *notes);
/* Parses the notes of the times; `times` may be NULL. VOLT_ERR_FORMAT names the invalid note. */
volt_status volt_notes_get_times(const volt_model_notes *notes, int64_t ahead, volt_training_times *times);
void volt_notes_release(volt_model_notes *notes);

/* Lists the notes as metadata of a file. Returns their number, at most VOLT_NOTES. */
int64_t volt_notes_list(const volt_model_notes *notes, volt_metadatum *metadata);
/* VOLT_ERR_MEMORY. */
volt_status volt_notes_read(const volt_safetensors *file, volt_model_notes *notes);
/* Removes the notes that differ from those of `other`. They must not be owned. */
void volt_notes_intersect(const volt_model_notes *other, volt_model_notes *notes);

#endif
