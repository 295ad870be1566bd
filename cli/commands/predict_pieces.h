/* cli/commands/predict_pieces.h: forecasts of a long NPY file, which is read, forecast and written piece by piece. */
#ifndef CLI_PREDICT_PIECES_H
#define CLI_PREDICT_PIECES_H

#include "commands/forecast.h"
#include "files/model_times.h"
#include "volterra.h"

/* Rows of a piece: files of no more are taken as a whole. */
enum { PREDICT_PIECE = 65536 };

/* The rows of the NPY file `source` that `rows` asks for, where they are more than a piece; otherwise, and for any other file,
 * false: take it as a whole, which also finds what is wrong with it. */
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
    forecast_output output; /* without labels and JSON */
} predict_pieces_task;

/* Forecast and write. Returns the exit status. */
int predict_pieces(const predict_pieces_task *task);

#endif
