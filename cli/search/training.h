/* cli/search/training.h: what fit and tune have in common: the sequence they learn from, and the fit itself. */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include "args/options.h"
#include "files/calendar.h"
#include "files/inputs.h"
#include "files/model_times.h"
#include "files/record_list.h"
#include "search/training_loss.h"
#include "volterra.h"

/* The part of a command's arguments that TRAINING_SEQUENCE and TRAINING_READOUT fill. */
typedef struct training_arguments {
    const char *x, *y;
    const char *ahead; /* H, or A..B; NULL: not given */
    int64_t washout;
    row_range rows;
    bool no_intercept, no_scale;
    int missing;
    int target, input;  /* volt_target, volt_input */
    const char *season; /* rows, none or auto */
    bool allow_target_in_inputs;
    bool keeps_rows_without_target; /* of the command: such rows feed the past where --missing drop is given */
    const char *calendar;           /* NULL: not given */
    const char *series;             /* the column of records; NULL: one sequence */
    bool feedback;                  /* outputs come back beside the inputs ... */
    double feedback_weight;         /* ... with this weight, where it is known */
    loss_arguments loss;            /* where the command has TRAINING_LOSS */
} training_arguments;

/* Rows of an option table; `base` is the offset of the training_arguments in the command's struct. X must be
 * given in form `form` of the command (0: in every form). */
#define TRAINING_SEQUENCE(base, form)                                                                  \
    {.name = "x",                                                                                      \
     .kind = OPTION_TEXT,                                                                              \
     .required = true,                                                                                 \
     .required_form = (form),                                                                          \
     .offset = (base) + offsetof(training_arguments, x),                                               \
     .argument = "X",                                                                                  \
     .meaning = "inputs: FILE or FILE:COLUMNS, one row per time step"},                                \
        {.name = "y",                                                                                  \
         .kind = OPTION_TEXT,                                                                          \
         .offset = (base) + offsetof(training_arguments, y),                                           \
         .argument = "Y",                                                                              \
         .meaning = "targets, row by row with X (default: X itself, so the series forecasts itself)"}, \
        {.name = "calendar",                                                                           \
         .kind = OPTION_TEXT,                                                                          \
         .offset = (base) + offsetof(training_arguments, calendar),                                    \
         .argument = "PARTS",                                                                          \
         .meaning = CALENDAR_MEANING},                                                                 \
    {                                                                                                  \
        .name = "ahead", .kind = OPTION_TEXT, .offset = (base) + offsetof(training_arguments, ahead),  \
        .argument = "H",                                                                               \
        .meaning = "the target of row t is row t+H (default 0 with --y, 1 without); A..B: the rows "   \
                   "t+A to t+B, each an output"                                                        \
    }

/* Several sequences. */
#define TRAINING_RECORDS(base)                                                                          \
    {                                                                                                   \
        .name = "series", .kind = OPTION_TEXT, .offset = (base) + offsetof(training_arguments, series), \
        .argument = "FILE:COLUMN", .meaning = SERIES_MEANING                                            \
    }

/* Outputs that come back. */
#define TRAINING_FEEDBACK(base)                                                                             \
    {                                                                                                       \
        .name = "feedback", .kind = OPTION_FLAG, .offset = (base) + offsetof(training_arguments, feedback), \
        .meaning = "with --y: the outputs of the row before are inputs too, measured ones in training"      \
    }

/* How targets and inputs are learned. */
#define TRAINING_SERIES(base)                                                                                  \
    {.name = "target",                                                                                         \
     .kind = OPTION_CHOICE,                                                                                    \
     .choices = target_choices,                                                                                \
     .fallback = "auto",                                                                                       \
     .offset = (base) + offsetof(training_arguments, target),                                                  \
     .meaning = "learn a target as it is, or its change from now on; auto: the level where alpha is given or " \
                "the target is not an input, else the change unless the level is clearly better"},             \
        {.name = "input",                                                                                      \
         .kind = OPTION_CHOICE,                                                                                \
         .choices = input_choices,                                                                             \
         .fallback = "auto",                                                                                   \
         .offset = (base) + offsetof(training_arguments, input),                                               \
         .meaning = "what the kernel sees of every input: its level, its change from the row before, or both " \
                    "with what stood there a season ago; auto: level where alpha is given or targets are not " \
                    "inputs, else both"},                                                                      \
        {.name = "season",                                                                                     \
         .kind = OPTION_TEXT,                                                                                  \
         .fallback = "auto",                                                                                   \
         .offset = (base) + offsetof(training_arguments, season),                                              \
         .argument = "S",                                                                                      \
         .meaning = "rows of a season (24 for hours of a day), none, or auto: found in the targets"},          \
    {                                                                                                          \
        .name = "allow-target-in-inputs", .kind = OPTION_FLAG,                                                 \
        .offset = (base) + offsetof(training_arguments, allow_target_in_inputs),                               \
        .meaning = "with --ahead 0, take a target that is also an input of the same row"                       \
    }

#define TRAINING_READOUT(base)                                                                                \
    {.name = "washout",                                                                                       \
     .kind = OPTION_COUNT,                                                                                    \
     .fallback = "0",                                                                                         \
     .offset = (base) + offsetof(training_arguments, washout),                                                \
     .argument = "W",                                                                                         \
     .meaning = "first rows that feed the past but are not fitted"},                                          \
        {.name = "rows",                                                                                      \
         .kind = OPTION_ROWS,                                                                                 \
         .offset = (base) + offsetof(training_arguments, rows),                                               \
         .argument = "A:B",                                                                                   \
         .meaning = "use rows A <= t < B of X and Y, counted from 0; negative ends count from the last row"}, \
        {.name = "no-intercept",                                                                              \
         .kind = OPTION_FLAG,                                                                                 \
         .offset = (base) + offsetof(training_arguments, no_intercept),                                       \
         .meaning = "fit no constant"},                                                                       \
        {.name = "no-scale",                                                                                  \
         .kind = OPTION_FLAG,                                                                                 \
         .offset = (base) + offsetof(training_arguments, no_scale),                                           \
         .meaning = "take inputs and targets as they are"},                                                   \
    {                                                                                                         \
        .name = "missing", .kind = OPTION_CHOICE, .choices = missing_choices, .fallback = "error",            \
        .offset = (base) + offsetof(training_arguments, missing), .meaning = MISSING_MEANING                  \
    }

/* What is fitted: rows t of the inputs and rows t + ahead of the targets, of every record. */
typedef struct training_data {
    dataset x, y;     /* y is empty when X is its own target */
    volt_view series; /* the targets' series, all rows */
    volt_view inputs, targets;
    int64_t ahead;         /* of several horizons the last */
    int64_t first_ahead;   /* the first: outputs are column 1 at first_ahead .. ahead, column 2, ... */
    int64_t season;        /* that was asked for; VOLT_SEASON_AUTO */
    record_list records;   /* of the rows of x */
    volt_pairing *pairing; /* of the rows; NULL: not made yet */
    const int64_t *anchors, *lengths;                     /* of the pairing: anchors and records */
    bool feeds;                                           /* the outputs come back beside the inputs */
    const char *const *input_names, *const *output_names; /* NULL: no header */
    calendar calendar;                                    /* whose columns are the last inputs */
    noted_times noted;                                    /* what the model will know of the times */
    const char *label_name[1];                            /* the output's, of classes */
    loss_data loss;                                       /* with weights of the rows of `inputs` */
} training_data;

/* Every function returns 0, or the exit status after saying what is wrong. Data that begin as {0} can always be
 * released. */
/* The value of --season: rows, 0 or VOLT_SEASON_AUTO. */
int training_season(const char *text, int64_t *season);

int training_read(const training_arguments *arguments, training_data *data);
void training_release(training_data *data);

/* What the options say about the fit, alpha aside; names and anchors belong to `data`. */
volt_fit_options training_options(const training_arguments *arguments, const training_data *data);

/* Fit with a progress bar, unless quiet. `fitted` may have data NULL. */
int training_fit(const training_data *data, const volt_kernel *kernel, volt_fit_options options, bool quiet,
                 volt_matrix fitted, volt_model **model);

/* Can the file at `path` be written, and is it none of the inputs? */
int training_check_output(const training_arguments *arguments, const char *path);

/* The command line of volterra fit that fits `kernel` with these options on these data, ready for a shell, to be
 * freed; alpha is given, and target, input and season are settled. `model` is the file to write. NULL: not enough
 * memory. */
char *training_fit_command(const training_arguments *arguments, const volt_fit_options *options,
                           const char *kernel, const char *model);

#endif
