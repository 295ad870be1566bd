/* cli/commands/stream_session.h: one run of volterra stream: reads input lines and writes forecasts. */
#ifndef CLI_STREAM_SESSION_H
#define CLI_STREAM_SESSION_H

#include "args/command.h"
#include "commands/prediction.h"
#include "volterra.h"

#include <stdbool.h>

typedef enum missing_line { MISSING_SKIP, MISSING_HOLD, MISSING_ERROR } missing_line;

/* Row of a line's targets: the same row, or `ahead` rows earlier. */
typedef enum target_rows { TARGETS_OWN, TARGETS_NOW } target_rows;

typedef struct stream_arguments {
    common_arguments common;
    const char *model, *state;
    int start, beyond, missing;
    int64_t window;
    double forget;
    int forget_what;
    int targets; /* target_rows */
    bool strict, header, learn, known;
    band_request bands;
} stream_arguments;

/* Reads standard input and writes standard output. Returns 0, or the exit status after an error message. */
int stream_run(const stream_arguments *arguments, const volt_model *model);

#endif
