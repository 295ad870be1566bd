/* cli/commands/bekk_params.h: BEKK parameters and simulation, shared by bekk and simulate. */
#ifndef CLI_BEKK_PARAMS_H
#define CLI_BEKK_PARAMS_H

#include "args/options.h"
#include "volterra.h"

/* Every function returns 0, or the exit status after an error message. */

/* Reads parameters from a file ("-": standard input) or a preset. Exactly one must be given. */
int bekk_params_read(const char *path, const char *preset, volt_bekk **params);

/* Names of all presets, and the default preset. */
name_list bekk_preset_names(void);
#define BEKK_DEFAULT_PRESET "sp500-d5"
/* Default number of simulated rows. */
#define BEKK_DEFAULT_LENGTH 3761

/* Simulates `length` rows and writes them. Columns: z1 .. zd, r1 .. rd, h11, h21, ... (h1_1, h2_1 for ten or
 * more assets). */
typedef struct bekk_simulation {
    const volt_bekk *params;
    const char *origin; /* file or preset, for the report */
    const char *output;
    int64_t length;
    int64_t discard; /* negative: default */
    common_arguments common;
} bekk_simulation;
int bekk_simulate(const bekk_simulation *simulation);

#endif
