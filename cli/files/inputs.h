/* cli/files/inputs.h: matrices from files, with the rows and columns a command asked for. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "args/options.h"
#include "volterra.h"

/* Options of several commands; ROWS_OPTION and MISSING_OPTION take further fields of the row. */
#define INPUTS_MEANING "inputs: FILE or FILE:COLUMNS, one row per time step"
#define SEASON_MEANING "season length in rows, or none; auto: detected in the series"
#define ROWS_OPTION(type, member, ...)  \
    OPTION(type, "rows", "A:B", member, \
           "rows A <= t < B, counted from 0 (negative ends: from the last row), of " __VA_ARGS__)
#define MISSING_OPTION(type, ...) \
    OPTION_MISSING_ROW(type, __VA_ARGS__, .choices = missing_choices, .fallback = "error")
#define OPTION_MISSING_ROW(type, member, ...)                                                         \
    OPTION(type, "missing", NULL, member,                                                             \
           "treatment of missing values in the selected rows; --rows counts before rows are dropped", \
           __VA_ARGS__)

/* The value of --missing. A command that asks for it has that option, and errors about missing values mention it
 * from then on. */
volt_missing missing_policy(int value);

/* A matrix that was read. `view` is what the command works on; the rest is what it stands on. */
typedef struct dataset {
    const char *source;
    volt_table *table;
    volt_view view;
    const char **names; /* of the columns of `view`; NULL: the file has no header */
    double *widened;    /* memory of a view that has columns beside those of the table, or NULL */
} dataset;

/* Every function returns 0, or the exit status after saying what is wrong. A dataset that begins as
 * {0} can always be released. */
int dataset_read(dataset *data, const char *source, volt_missing missing);
void dataset_release(dataset *data);

/* What may explain a failure later on: " (...)" about rows that --missing drop left out, when they are more
 * than half of the file, else "". Returns `text`. */
enum { HINT_LENGTH = 192 };
const char *dataset_hint(const dataset *data, char text[HINT_LENGTH]);

/* Warn about rows left out and values filled in. The functions that read do it, but for missing values that are kept. */
void dataset_mention_repairs(const dataset *data);

/* Read the rows of `rows` alone; `option_name` names it in an error. Rows are counted before any is left out. */
int dataset_read_rows(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                      const char *option_name);

/* Read two sources that belong together row by row: drop leaves out a row when either has a hole or, keep_targets, when
 * the first has one: holes of the second are NaN then. */
int dataset_read_pair(dataset *first, const char *first_source, dataset *second, const char *second_source,
                      volt_missing missing, bool keep_targets, const row_range *rows);

/* Read the inputs of a model: the columns with the model's input names where the file has them,
 * otherwise all columns, which must be as many as the model's. */
int dataset_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                        const volt_model_info *model);

/* Read the columns with the names of `like` in that order, when both have headers and all those names are there;
 * otherwise all columns. */
int dataset_read_like(dataset *data, const char *source, const row_range *rows, const char *option_name,
                      const dataset *like);

/* Read the columns with these names where the file has all of them, otherwise all columns; missing values are NaN. */
int dataset_read_named(dataset *data, const char *source, const row_range *rows, const char *const *names,
                       int64_t n_names);

/* Leave out the first column where it has this name, and is not the only one. */
void dataset_pass_over_first(dataset *data, const char *name);
/* Leave out the last columns, as far as their names are those of columns before them with .lo, .hi (and perhaps a number) or
 * .std behind: what stands beside forecasts. */
void dataset_pass_over_bands(dataset *data);

/* rows x cols numbers, after a look at the memory that is left; `what` names them in an error. */
int allocate_matrix(int64_t rows, int64_t cols, const char *what, volt_matrix *matrix);

#endif
