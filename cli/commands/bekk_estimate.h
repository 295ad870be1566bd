/* cli/commands/bekk_estimate.h: volterra bekk fit. */
#ifndef CLI_BEKK_ESTIMATE_H
#define CLI_BEKK_ESTIMATE_H

#include "args/options.h"

typedef struct bekk_estimate_request {
    const char *prices; /* FILE or FILE:COLUMNS */
    const char *output; /* NULL: no file */
    int64_t assets;     /* 0: all columns */
    int64_t starts;     /* 0: the default */
    common_arguments common;
} bekk_estimate_request;

/* Estimates the parameters, prints the table and writes the file. Returns the exit status. */
int bekk_estimate(const bekk_estimate_request *request);

#endif
