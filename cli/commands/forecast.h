/* cli/commands/forecast.h: what predict, continue and stream have in common. */
#ifndef CLI_FORECAST_H
#define CLI_FORECAST_H

#include "commands/bands.h"
#include "files/row_times.h"
#include "volterra.h"

#include <stdbool.h>

/* Options of several commands. */
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

/* Warn about the `count` rows (of `total`) that lay beyond the ball of training. */
void forecast_warn_beyond(int beyond, int64_t count, int64_t total);

/* How a forecast is written. */
typedef struct forecast_output {
    const char *path;
    bool json;
    const row_labels *times; /* (optional) a first column */
    band_request bands;      /* what stands behind the forecasts */
    bool has_index;          /* the first column of the numbers is the number of the row */
    int beyond;              /* what was done with inputs beyond the ball, and how often */
    int64_t beyond_count;
    int64_t inputs; /* rows that could lie beyond it; 0: as many as forecasts */
} forecast_output;

/* Names of its columns, to be freed with output_names_free; NULL: no memory. */
const char **forecast_names(const volt_model_info *model, const forecast_output *output);

/* Write a forecast with the model's output names; returns the exit status. */
int forecast_write(const volt_model_info *model, volt_view forecast, const forecast_output *output);

#endif
