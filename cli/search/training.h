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

/* The arguments of a command that say what to fit. */
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
    loss_arguments loss;            /* where the command has loss_options */
} training_arguments;

/* Rows for the tables of commands, filling a training_arguments. */
extern const option_table training_pairing_options; /* targets, horizon, rows, missing values, records */
extern const option_table training_data_options;    /* the same with --x, which is required */
extern const option_table training_input_options;   /* how targets and inputs are learned */
extern const option_table training_model_options;   /* the same with feedback, washout, constant and scaling */

/* What is fitted: rows t of the inputs and rows t + ahead of the targets, of every record. */
typedef struct training_data {
    dataset x, y; /* y is empty when X is its own target */
    volt_view inputs, targets;
    int64_t ahead;                  /* of several horizons the last */
    int64_t first_ahead;            /* the first: outputs are column 1 at first_ahead .. ahead, column 2, ... */
    int64_t season;                 /* that was asked for; VOLT_SEASON_AUTO */
    record_list records;            /* of the rows of x */
    volt_pairing *pairing;          /* of the rows; NULL: not made yet */
    bool feeds;                     /* the outputs come back beside the inputs */
    const char *const *input_names; /* NULL: no header */
    calendar calendar;              /* whose columns are the last inputs */
    noted_times noted;              /* what the model will know of the times */
    const char *label_name[1];      /* the output's, of classes */
    loss_data loss;                 /* with weights of the rows of `inputs` */
} training_data;

/* Every function returns 0, or the exit status after saying what is wrong. Data that begin as {0} can always be
 * released. */
/* The value of --season: rows, 0 or VOLT_SEASON_AUTO. */
int training_season(const char *text, int64_t *season);

int training_read(const training_arguments *arguments, training_data *data);
void training_release(training_data *data);

/* What the options say about the fit, alpha aside; names and anchors belong to `data`. */
volt_fit_options training_options(const training_arguments *arguments, const training_data *data);

/* What the data say about an assessment of a fit. */
volt_assess_options training_assess_options(const training_data *data);

/* The data as a search or comparison sees them, and the fit of its winner. */
typedef struct search_data {
    volt_prepared *prepared;
    volt_fit_options fit; /* of the winner: everything but alpha and the kernel */
} search_data;

/* Columns are learned from the first `learn_rows` rows. `data` and the arguments must outlive the result, which can be
 * released in every case. */
int search_data_prepare(const training_arguments *arguments, const training_data *data, bool alpha_is_given,
                        int64_t learn_rows, search_data *made);
void search_data_release(search_data *made);
/* Are levels learned from levels? */
bool search_data_is_plain(const search_data *seen);

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
