/* cli/search/training.h: training data and fit, shared by fit and tune. */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include "args/options.h"
#include "files/calendar.h"
#include "files/inputs.h"
#include "files/model_times.h"
#include "files/record_list.h"
#include "search/training_loss.h"
#include "volterra.h"

/* Arguments of a command that define the fit. */
typedef struct training_arguments {
    const char *x, *y;
    const char *ahead;                          /* H or A..B; NULL: not given */
    const char *initial;                        /* zero, first, mean or a list of values */
    const char *season;                         /* rows, "none" or "auto" */
    const char *calendar, *weights, *landmarks; /* NULL: not given */
    const char *series;                         /* column of record names; NULL: one sequence */
    row_range rows;
    volt_missing missing;
    bool keeps_rows_without_target; /* with --missing drop, such rows update the state */
    volt_pairing_options pairing;   /* its fields that have an option */
    volt_fit_options fit;           /* the same; training_options sets the others */
} training_arguments;
training_arguments training_defaults(void);

/* Option tables that fill a training_arguments. */
extern const option_table training_pairing_options; /* targets, horizon, rows, missing values, records */
extern const option_table training_data_options;    /* the same with --x (required) */
extern const option_table training_input_options;   /* transformations of targets and inputs */
extern const option_table training_readout_options; /* washout, initial input, constant and scaling */
extern const option_table training_model_options;   /* the last two tables, and feedback */

/* Training data: rows t of the inputs and rows t + ahead of the targets, for every record. */
typedef struct training_data {
    dataset x, y; /* y is empty when X is its own target */
    volt_view inputs, targets;
    int64_t ahead;         /* last horizon */
    int64_t first_ahead;   /* first horizon; outputs: column 1 at first_ahead .. ahead, column 2, ... */
    int64_t season;        /* as requested; may be VOLT_SEASON_AUTO */
    record_list records;   /* records of the rows of x */
    volt_pairing *pairing; /* NULL: not paired yet */
    const char *const *input_names; /* NULL: no header */
    volt_calendar calendar;         /* its columns are the last inputs */
    noted_times noted;              /* times stored with the model */
    const char *label_name[1];      /* name of the output, for classes */
    loss_data loss;                 /* with weights of the rows of `inputs` */
    volt_initial initial;
    double *initial_values; /* one per input, for VOLT_INITIAL_VALUES */
} training_data;

/* Every function returns 0, or the exit status after an error message. Data initialised to {0} can always be
 * released. */
/* Parses --season: rows, 0 or VOLT_SEASON_AUTO. */
int training_season(const char *text, int64_t *season);
/* Parses --initial into data->initial and data->initial_values, one per column of data->inputs. */
int training_initial(const char *text, training_data *data);

int training_read(const training_arguments *arguments, training_data *data);
void training_release(training_data *data);

/* Returns the fit options except alpha. Names and anchors belong to `data`. */
volt_fit_options training_options(const training_arguments *arguments, const training_data *data);

/* Returns the assessment options for these data. */
volt_assess_options training_assess_options(const training_data *data);

/* Data of a search or comparison, and the fit options of the best model. */
typedef struct search_data {
    volt_prepared *prepared;
    volt_fit_options fit; /* fit options of the best model, except alpha and the kernel */
} search_data;

/* Learns the column transformations from the first `learn_rows` rows. `data` and the arguments must outlive the
 * result, which can always be released. */
int search_data_prepare(const training_arguments *arguments, const training_data *data, bool alpha_is_given,
                        int64_t learn_rows, search_data *made);
void search_data_release(search_data *made);
/* Returns true if targets and inputs are levels. */
bool search_data_is_plain(const search_data *seen);

/* Fits with a progress bar, unless quiet. `fitted` may have data NULL. */
int training_fit(const training_data *data, const volt_kernel *kernel, volt_fit_options options, bool quiet,
                 volt_matrix fitted, volt_model **model);

/* Checks that the file at `path` can be written and is not one of the inputs. */
int training_check_output(const training_arguments *arguments, const char *path);

/* Returns the volterra fit command line for `kernel`, these options and these data, quoted for a shell. alpha
 * is included; target, input and season are resolved. `model` is the output file. The caller frees the result.
 * NULL: out of memory. */
char *training_fit_command(const training_arguments *arguments, const volt_fit_options *options,
                           const char *kernel, const char *model);

#endif
