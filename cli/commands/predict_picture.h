/* cli/commands/predict_picture.h: plots inputs and forecasts. */
#ifndef CLI_PREDICT_PICTURE_H
#define CLI_PREDICT_PICTURE_H

#include "args/options.h"
#include "files/inputs.h"
#include "files/model_times.h"
#include "files/row_times.h"
#include "volterra.h"

/* Contents of the plot. */
typedef struct predict_picture {
    const volt_model_info *info;
    const model_times *times;  /* of the model */
    const dataset *inputs;     /* input rows of the forecast */
    volt_view forecast;        /* inputs->view.rows x info->q */
    const number_list *levels; /* interval levels, of which the widest is plotted; empty: no band */
    volt_view half;            /* half-widths, as in bands_fill */
} predict_picture;

/* Draws the plot as SVG (requires gnuplot): the forecast inputs, and each forecast at its target row. With
 * several horizons, draws the forecasts made at the last row. Returns 0, or the exit status after an error
 * message. */
int predict_picture_file(const char *path, const predict_picture *picture);

#endif
