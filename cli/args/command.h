/* cli/args/command.h: a command of the program, one row of the table in program.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "args/options.h"

typedef struct cli_command {
    const char *name;
    const char *group;        /* heading in the list of commands */
    const char *summary;      /* one line for the list of commands; names_expand inserts `names` */
    name_list (*names)(void); /* (optional) names inserted into the summary */
    const char *description;  /* preformatted lines; the first paragraph, two sentences, is also in --help */
    const char *examples;     /* preformatted lines; --help has the first three */
    option_table options;
    int (*run)(int argc, char *const *argv); /* argv without the command's name; returns the exit status */
} cli_command;

extern const cli_command command_simulate, command_fit, command_predict, command_continue, command_stream,
    command_tune, command_compare, command_gram, command_score, command_mcs, command_bekk, command_plan,
    command_info, command_forecast, command_explain, command_classify, command_anomaly, command_identify,
    command_combine, command_capacity, command_export, command_curve;

#endif
