/* cli/files/known_outputs.h: measured outputs for models with output feedback. */
#ifndef CLI_KNOWN_OUTPUTS_H
#define CLI_KNOWN_OUTPUTS_H

#include "files/inputs.h"

typedef struct known_outputs {
    dataset data;
    volt_matrix joined; /* one row per input row; missing values are NaN */
} known_outputs;

/* Reads the columns with the model's output names, or by position as dataset_read_inputs does. The rows are those of the inputs,
 * by date or by row (volt_tables_align). source NULL: no outputs.
 * Returns 0, or the exit status after an error message. A struct initialised with {0} can always be
 * released. */
int known_outputs_read(known_outputs *known, const char *source, const row_range *rows,
                       const volt_model_info *model, const dataset *inputs);
void known_outputs_release(known_outputs *known);

#endif
