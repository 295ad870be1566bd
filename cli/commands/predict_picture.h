/* cli/commands/predict_picture.h: what is known and what is forecast, in one picture. */
#ifndef CLI_PREDICT_PICTURE_H
#define CLI_PREDICT_PICTURE_H

#include "args/options.h"
#include "files/inputs.h"
#include "files/model_times.h"
#include "files/row_times.h"
#include "volterra.h"

/* What the picture shows. */
typedef struct predict_picture {
    const volt_model_info *info;
    const model_times *times;  /* of the model */
    const dataset *inputs;     /* the rows that the forecast was made from */
    volt_view forecast;        /* inputs->view.rows x info->q */
    const number_list *levels; /* of intervals, the widest of which is drawn; none: no band */
    volt_view half;            /* their half-widths, as bands_fill takes them */
} predict_picture;

/* Draw it as SVG (needs gnuplot): the inputs that are forecast, and each forecast where it is for; of several horizons the
 * forecasts made at the last row. Returns 0, or the exit status after saying what is wrong. */
int predict_picture_file(const char *path, const predict_picture *picture);

#endif
