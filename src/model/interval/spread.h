/* src/model/interval/spread.h: standard deviations of new observations, from the factor that a model keeps. */
#ifndef MODEL_SPREAD_H
#define MODEL_SPREAD_H

#include "model/model_internal.h"

typedef struct volt_spread {
    const volt_model *model;
    int64_t most_rows;
    double *kk; /* of every row that is forecast: the kernel with itself */
    double *s;  /* q: sqrt of the mean of e^2 / v over the training rows, in the units of the targets */
    double *here, *used;           /* most_rows x n: a block of kernels, and a copy that is used up */
    double *plain, *with_constant; /* most_rows: variances over s^2 */
} volt_spread;

/* For rows Z (scaled), which begin as `start` says and with every record anew, in blocks of most_rows. Release it in every
 * case. VOLT_ERR_ARGUMENT where the model keeps no factor; VOLT_ERR_DATA, VOLT_ERR_MEMORY. */
volt_status volt_spread_begin(const volt_model *model, volt_view Z, const volt_records *records,
                              volt_start start, int64_t most_rows, volt_spread *spread);
void volt_spread_release(volt_spread *spread);

/* Standard deviations of rows first .. first + K.rows - 1, whose kernels against the training rows are K (x n, at the back
 * end). BLAS must be claimed. */
volt_status volt_spread_rows(const volt_spread *spread, const volt_backend *backend, volt_view K, int64_t first,
                             volt_matrix std);

#endif
