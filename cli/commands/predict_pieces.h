/* cli/commands/predict_pieces.h: forecasts for a long NPY file, read and written in pieces. */
#ifndef CLI_PREDICT_PIECES_H
#define CLI_PREDICT_PIECES_H

#include "commands/prediction.h"
#include "files/model_times.h"
#include "volterra.h"

/* Rows per piece. Smaller files are read as a whole. */
enum { PREDICT_PIECE = 65536 };

/* Returns true, with the row range, if `source` is an NPY file and `rows` selects more rows than a piece.
 * Otherwise the file is read as a whole, which also reports errors in it. */
bool predict_wants_pieces(const char *source, const row_range *rows, int64_t *first, int64_t *end);

typedef struct predict_pieces_task {
    const volt_model *model;
    const volt_model_info *info;
    const model_times *times;
    const char *x;
    int64_t first, end; /* rows of x */
    int start;          /* volt_start */
    volt_missing missing;
    bool quiet;
    forecast_output output; /* without labels or JSON */
} predict_pieces_task;

/* Forecasts and writes all rows. Returns the exit status. */
int predict_pieces(const predict_pieces_task *task);

#endif
