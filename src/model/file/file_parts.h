/* src/model/file/file_parts.h: a model file is a list of parts.
 *
 * A part is the data of one feature: its tensors and metadata, written and read in one place. To add one,
 * define a `const volt_file_part volt_NAME_part`, declare it below and add it to the table in model_file.c.
 * docs/file_formats.md describes the contents.
 *
 * The format of the file is the largest format of its parts, so that a reader without support for a part
 * rejects the file. A part that does not affect predictions has format VOLT_FORMAT_ANY, and older readers
 * skip it. */
#ifndef MODEL_FILE_PARTS_H
#define MODEL_FILE_PARTS_H

#include "model/file/file_fields.h"
#include "model/model_internal.h"

/* Format numbers, named by what they added. */
enum {
    VOLT_FORMAT_ANY = 0, /* a part that older readers may skip */
    VOLT_FORMAT_PLAIN = 1,
    VOLT_FORMAT_RECIPE = 2,
    VOLT_FORMAT_RECORDS = 3,
    VOLT_FORMAT_FEEDBACK = 4,
    VOLT_FORMAT_LOSS = 5,
    VOLT_FORMAT_LANDMARKS = 6,
    VOLT_FORMAT_SUM = 7, /* a sum of models, each with a format of its own */
    VOLT_FORMAT_INITIAL = 8,
    VOLT_FORMAT_WEIGHTED = 9, /* levels with a weight each */
    VOLT_FORMAT_NEWEST = VOLT_FORMAT_WEIGHTED
};

typedef struct volt_file_part {
    const char *name;
    int format; /* minimum format of a file with this part */
    /* A tensor or metadata key that only files with this part have. NULL: every file of this format or later
     * has the part. */
    const char *mark;
    /* Whether the model has data for the part. NULL: no model requires the part; it is implied by the
     * format. */
    bool (*present)(const volt_model *model);
    volt_status (*save)(const volt_model *model, volt_file_writer *writer);
    /* (optional) Reads the structure of the rows: kernel, recipe, records. Called in table order, before any
     * `load`. */
    volt_status (*load_rows)(const volt_file_fields *fields, volt_model *model);
    /* (optional) Reads the rest, in table order, after load_rows of every part. Everything is checked: a
     * file with a valid checksum may still come from another program. */
    volt_status (*load)(const volt_file_fields *fields, volt_model *model);
} volt_file_part;

extern const volt_file_part volt_initial_part, volt_readout_part, volt_feedback_part, volt_names_part,
    volt_weighted_part, volt_recipe_part, volt_records_part, volt_landmarks_part, volt_reservoir_part,
    volt_loss_part, volt_shares_part, volt_notes_part, volt_pending_part, volt_range_part, volt_errors_part,
    volt_factor_part;

/* Adds names as a JSON list; no effect for NULL. VOLT_ERR_ARGUMENT when one is not UTF-8. */
volt_status volt_put_names(volt_file_writer *writer, const char *key, char **names, int64_t count);
/* Reads `count` names, for volt_names_free; *names stays NULL if the file has none. */
volt_status volt_fields_names(const volt_file_fields *fields, const char *key, int64_t count, char ***names);

/* ---- the weights of reservoirs in a model file ------------------------------------------------- */

/* The weights in the file, one entry per factor of the kernel. */
typedef struct volt_saved_weights {
    volt_reservoir_matrix factor[VOLT_MAX_FACTORS];
} volt_saved_weights;

/* Makes the factors of the kernel use the weights in `saved`, which is filled from the file and must outlive
 * all calls that resolve the kernel. Nothing is drawn, and no file of weights is read. VOLT_ERR_FORMAT. */
volt_status volt_weights_find(const volt_file_fields *fields, volt_kernel *kernel, volt_saved_weights *saved);
/* The same with the reservoirs of a model. *numbers receives their memory, for volt_free. */
volt_status volt_weights_of(const volt_model *model, volt_kernel *kernel, volt_saved_weights *saved,
                            double **numbers);
/* Ends the use of saved weights. */
void volt_weights_detach(volt_kernel *kernel);

#endif
