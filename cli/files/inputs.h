/* cli/files/inputs.h: read matrices with the selected rows and columns. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "args/options.h"
#include "volterra.h"

/* Options shared by several commands. ROWS_OPTION and MISSING_OPTION accept further fields of the row. */
#define INPUTS_MEANING "inputs: FILE or FILE:COLUMNS, one row per time step"
#define SEASON_MEANING "season length in rows, or none; auto: detected in the series"
#define ROWS_OPTION(type, member, ...)  \
    OPTION(type, "rows", "A:B", member, \
           "rows A <= t < B, counted from 0 (negative ends: from the last row), of " __VA_ARGS__)
#define MISSING_OPTION(type, ...) \
    OPTION_MISSING_ROW(type, __VA_ARGS__, .choices = missing_choices, .fallback = "error")
#define OPTION_MISSING_ROW(type, member, ...) \
    OPTION(type, "missing", NULL, member,     \
           "treatment of missing values in selected rows; --rows counts before rows are dropped", __VA_ARGS__)

/* A matrix read from a file. The command uses `view`; the other members own its memory. */
typedef struct dataset {
    const char *source;
    volt_table *table;
    volt_view view;
    const char **names; /* column names of `view`; NULL: the file has no header */
    double *widened;    /* memory of a view with additional columns, or NULL */
} dataset;

/* Functions that return int return 0, or the exit status after an error message. A dataset initialised with
 * {0} can always be released. */
int dataset_read(dataset *data, const char *source, volt_missing missing);
int dataset_read_with(dataset *data, const char *source, const volt_read_options *options);
void dataset_release(dataset *data);

/* Writes a hint " (...)" for later error messages if --missing drop removed more than half of the file's
 * rows, otherwise "". Returns `text`. */
enum { HINT_LENGTH = 192 };
const char *dataset_hint(const dataset *data, char text[HINT_LENGTH]);

/* Warns about dropped rows and filled values. The reading functions call it unless missing values are kept. */
void dataset_mention_repairs(const dataset *data);

/* Reads only the rows in `rows`. `option_name` names the range in an error message. Rows are counted before
 * any are dropped. */
int dataset_read_rows(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                      const char *option_name);

/* Reads a column of texts: text i is that of row `data->table->row_numbers[i]` of the file. The dataset has no values. Free
 * *texts with volt_free. */
int dataset_read_texts(dataset *data, const char *source, char ***texts);

/* Keeps the rows of several files that belong together (volt_tables_align): by their dates, or row by row. Warns if rows are left
 * out. Datasets that were not read are skipped. */
int dataset_align(dataset *const *sets, int count);

/* Reads two sources and aligns their rows. With VOLT_MISSING_DROP, a row is dropped if either source has a
 * missing value. With keep_targets, only missing values in the first source drop a row, and those in the
 * second become NaN. */
int dataset_read_pair(dataset *first, const char *first_source, dataset *second, const char *second_source,
                      volt_missing missing, bool keep_targets, const row_range *rows);

/* Applies `missing` to a source, or to two with the same rows, that were read with VOLT_MISSING_KEEP. */
int dataset_clean_pair(dataset *first, dataset *second, volt_missing missing);

/* Reads the inputs of a model: the columns with the model's input names, or by position columns without names or, with a
 * warning, with other names. */
int dataset_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                        const volt_model_info *model);

/* Reads the columns named as in `like`, in that order, or by position as dataset_read_inputs does. */
int dataset_read_like(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                      const char *option_name, const dataset *like);

/* Reads the columns with these names, or by position as dataset_read_inputs does. Missing values become NaN. */
int dataset_read_named(dataset *data, const char *source, const row_range *rows, const char *const *names,
                       int64_t n_names);

/* Removes the first column if it has this name and is not the only column. */
void dataset_pass_over_first(dataset *data, const char *name);
/* Removes trailing prediction-band columns: those named as an earlier column followed by .lo90, .hi90
 * (optionally with a number) or .std. */
void dataset_pass_over_bands(dataset *data);

/* Allocates a matrix after checking the available memory. `what` names it in an error message. */
int allocate_matrix(int64_t rows, int64_t cols, const char *what, volt_matrix *matrix);

#endif
