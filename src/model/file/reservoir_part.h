/* src/model/file/reservoir_part.h: the weights of reservoirs in a model file. */
#ifndef MODEL_RESERVOIR_PART_H
#define MODEL_RESERVOIR_PART_H

#include "model/file/file_fields.h"
#include "model/model_internal.h"

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
