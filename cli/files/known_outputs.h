/* cli/files/known_outputs.h: measured outputs, row by row with the inputs of a model whose outputs come back. */
#ifndef CLI_KNOWN_OUTPUTS_H
#define CLI_KNOWN_OUTPUTS_H

#include "files/inputs.h"

typedef struct known_outputs {
    dataset data;
    volt_matrix joined; /* a row for every row of the inputs; missing values are NaN */
} known_outputs;

/* Read the columns with the names of the model's outputs where the file has them, otherwise all columns, of the rows
 * that the inputs are: `rows` of the file, less those that --missing drop left out. source NULL: there are none. Returns 0,
 * or the exit status after saying what is wrong. Outputs that begin as {0} can always be released. */
int known_outputs_read(known_outputs *known, const char *source, const row_range *rows,
                       const volt_model_info *model, const dataset *inputs);
void known_outputs_release(known_outputs *known);

#endif
