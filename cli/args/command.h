/* cli/args/command.h: a command of the program, as a row of the table in main.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "args/options.h"

typedef struct cli_command {
    const char *name;
    const char *summary;      /* one line, for the list of commands; names_expand puts `names` into it */
    name_list (*names)(void); /* (optional) of a table, for the summary */
    const char *description;  /* lines ready to print */
    const char *examples;     /* lines ready to print */
    option_table options;
    int (*run)(int argc, char *const *argv); /* the words after the command's name; returns the exit status */
} cli_command;

extern const cli_command command_simulate, command_fit, command_predict, command_continue, command_stream,
    command_tune, command_compare, command_gram, command_score, command_mcs, command_bekk, command_plan,
    command_info, command_forecast, command_explain, command_classify, command_anomaly;

/* The table, in the order of the help. */
extern const cli_command *const commands[];
extern const int n_commands;

#endif
