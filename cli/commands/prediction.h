/* cli/commands/prediction.h: functions shared by predict, continue and stream. */
#ifndef CLI_PREDICTION_H
#define CLI_PREDICTION_H

#include "commands/bands.h"
#include "files/row_times.h"
#include "volterra.h"

#include <stdbool.h>

/* Options shared by several commands. */
#define START_OPTION(type, member)                                                                      \
    OPTION(type, "start", NULL, member, "state before the first row: continued from training, or zero", \
           .choices = start_choices, .fallback = "continue")
#define BEYOND_OPTION(type, member)                                                                            \
    OPTION(type, "beyond", NULL, member,                                                                       \
           "inputs with a larger norm than any in training: projected to that norm, rejected, or accepted if " \
           "the "                                                                                              \
           "kernel is bounded",                                                                                \
           .choices = beyond_choices, .fallback = "clip")
#define INTERVAL_OPTION(type, member, meaning) \
    OPTION(type, "interval", "P[,P]", member, meaning, .range = BETWEEN(0, 1), .python = "coverage")

volt_predict_options forecast_options(int start, int beyond);

/* Warns that `count` of `total` rows were outside the training ball. */
void forecast_warn_beyond(int beyond, int64_t count, int64_t total);

/* Output format of a forecast. */
typedef struct forecast_output {
    const char *path;
    bool json;
    const row_labels *times; /* optional first column */
    band_request bands;      /* columns after the forecasts */
    bool has_index;          /* the first numeric column is the row number */
    int beyond;              /* handling of inputs outside the training ball; number of such rows */
    int64_t beyond_count;
    int64_t inputs; /* number of input rows; 0: the number of forecasts */
} forecast_output;

/* Returns the column names; free them with output_names_free. NULL: out of memory. */
const char **forecast_names(const volt_model_info *model, const forecast_output *output);

/* Writes a forecast with the model's output names. Returns the exit status. */
int forecast_write(const volt_model_info *model, volt_view forecast, const forecast_output *output);

#endif
