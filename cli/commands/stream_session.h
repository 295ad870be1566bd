/* cli/commands/stream_session.h: one run of volterra stream: lines in, answers out. */
#ifndef CLI_STREAM_SESSION_H
#define CLI_STREAM_SESSION_H

#include "args/command.h"
#include "commands/forecast.h"
#include "volterra.h"

#include <stdbool.h>

typedef enum missing_line { MISSING_SKIP, MISSING_HOLD, MISSING_ERROR } missing_line;

/* The row that a line's targets belong to: its own, or as they become known, `ahead` rows before. */
typedef enum target_rows { TARGETS_OWN, TARGETS_NOW } target_rows;

typedef struct stream_arguments {
    common_arguments common;
    const char *model, *state, *journal;
    int start, beyond, missing;
    int64_t window;
    double forget;
    int forget_what;
    int targets; /* target_rows */
    bool strict, header, learn, known;
    band_request bands;
} stream_arguments;

/* From standard input to standard output. Returns 0, or the exit status after saying what is wrong. */
int stream_run(const stream_arguments *arguments, const volt_model *model);

#endif
