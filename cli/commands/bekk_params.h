/* cli/commands/bekk_params.h: BEKK parameters and what is simulated from them, for the commands bekk and simulate. */
#ifndef CLI_BEKK_PARAMS_H
#define CLI_BEKK_PARAMS_H

#include "args/options.h"
#include "volterra.h"

/* Every function returns 0, or the exit status after saying what is wrong. */

/* Read parameters from a file ("-": standard input), or take a preset; exactly one of the two is given, or both are
 * NULL: an error. */
int bekk_params_read(const char *path, const char *preset, volt_bekk **params);

/* The names of all presets; and the one that is taken where none is asked for. */
name_list bekk_preset_names(void);
#define BEKK_DEFAULT_PRESET "sp500-d5"
/* Rows that are simulated unless told otherwise. */
#define BEKK_DEFAULT_LENGTH 3761

/* Simulate `length` rows and write them: columns z1 .. zd, r1 .. rd, h11, h21, ... (from ten assets on h1_1, h2_1). */
typedef struct bekk_simulation {
    const volt_bekk *params;
    const char *origin; /* file or preset, for the report */
    const char *output;
    int64_t length;
    int64_t discard; /* below 0: the default */
    common_arguments common;
} bekk_simulation;
int bekk_simulate(const bekk_simulation *simulation);

#endif
