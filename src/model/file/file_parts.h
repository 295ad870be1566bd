/* src/model/file/file_parts.h: a model file is a list of parts.
 *
 * A part is what one capability keeps in the file: its tensors and metadata, written and read in one place. To add one,
 * define a `const volt_file_part volt_NAME_part`, declare it below and add it to the table in
 * model_file.c. docs/file_formats.md describes what each holds.
 *
 * The file's format is the largest that a part in it asks for, so that a reader that does not know the part refuses the
 * file. A part that such a reader may pass over, because forecasts are the same without it, asks for none. */
#ifndef MODEL_FILE_PARTS_H
#define MODEL_FILE_PARTS_H

#include "model/file/file_fields.h"
#include "model/model_internal.h"

/* What a format has that the one before it has not. */
enum {
    VOLT_FORMAT_ANY = 0, /* a part that may be passed over */
    VOLT_FORMAT_PLAIN = 1,
    VOLT_FORMAT_RECIPE = 2,
    VOLT_FORMAT_RECORDS = 3,
    VOLT_FORMAT_FEEDBACK = 4,
    VOLT_FORMAT_LOSS = 5,
    VOLT_FORMAT_LANDMARKS = 6,
    VOLT_FORMAT_NEWEST = VOLT_FORMAT_LANDMARKS
};

typedef struct volt_file_part {
    const char *name;
    int format; /* that a file with this part has at least */
    /* A tensor or a metadatum that only files with this part have. NULL: every file of the format and of later ones has
     * the part. */
    const char *mark;
    /* Has the model something to save? NULL: no model asks for the part; it comes with the format. */
    bool (*present)(const volt_model *model);
    volt_status (*save)(const volt_model *model, volt_file_writer *writer);
    /* (optional) What the rows are: kernel, recipe, records, in the order of the table, before any `load`. */
    volt_status (*load_rows)(const volt_file_fields *fields, volt_model *model);
    /* (optional) The rest, in the order of the table, when the rows of every part are known. Everything is checked: a
     * file that passed its checksum may still have been written by something else. */
    volt_status (*load)(const volt_file_fields *fields, volt_model *model);
} volt_file_part;

extern const volt_file_part volt_readout_part, volt_feedback_part, volt_names_part, volt_recipe_part,
    volt_records_part, volt_landmarks_part, volt_reservoir_part, volt_loss_part, volt_shares_part,
    volt_notes_part, volt_pending_part, volt_errors_part, volt_factor_part;

/* Names as one text, a JSON list; none are put for NULL. VOLT_ERR_ARGUMENT when one is not UTF-8. */
volt_status volt_put_names(volt_file_writer *writer, const char *key, char **names, int64_t count);
/* `count` names, for volt_names_free; *names stays NULL where there are none. */
volt_status volt_fields_names(const volt_file_fields *fields, const char *key, int64_t count, char ***names);

/* ---- the weights of reservoirs in a model file ------------------------------------------------- */

/* The weights in the file, one place for each factor of the kernel. */
typedef struct volt_saved_weights {
    volt_reservoir_matrix factor[VOLT_MOST_FACTORS];
} volt_saved_weights;

/* From now on the kernel's factors take their weights from `saved`, which it fills and which must outlive all calls that
 * resolve the kernel: neither is anything drawn, nor is a file of weights asked for. VOLT_ERR_FORMAT. */
volt_status volt_weights_find(const volt_file_fields *fields, volt_kernel *kernel, volt_saved_weights *saved);
/* The same from a model: the numbers are those of its reservoirs, in memory that *numbers receives for volt_free. */
volt_status volt_weights_of(const volt_model *model, volt_kernel *kernel, volt_saved_weights *saved,
                            double **numbers);
/* And no longer. */
void volt_weights_forget(volt_kernel *kernel);

#endif
