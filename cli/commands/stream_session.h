/* cli/commands/stream_session.h: one run of volterra stream: lines in, answers out. */
#ifndef CLI_STREAM_SESSION_H
#define CLI_STREAM_SESSION_H

#include "args/command.h"
#include "commands/forecast.h"
#include "volterra.h"

#include <stdbool.h>

typedef enum missing_line { MISSING_SKIP, MISSING_HOLD, MISSING_ERROR } missing_line;

typedef struct stream_arguments {
    common_arguments common;
    const char *model, *state, *journal;
    int start, beyond, missing;
    int64_t window;
    double forget;
    int forget_what;
    bool strict, header, learn;
    band_request bands;
} stream_arguments;

/* From standard input to standard output. Returns 0, or the exit status after saying what is wrong. */
int stream_run(const stream_arguments *arguments, const volt_model *model);

#endif
