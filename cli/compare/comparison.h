/* cli/compare/comparison.h: a comparison of kernels: the setting and one row per kernel, from one sample or the
 * mean over several. */
#ifndef CLI_COMPARISON_H
#define CLI_COMPARISON_H

#include "search/training.h"
#include "volterra.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Mean over the samples and its standard error. The error is NaN for one sample; both are NaN for none. */
typedef struct estimate {
    double mean, error;
} estimate;

/* Error measures in the units of the targets. Lower is better. */
typedef enum measure {
    MEASURE_MDAE,
    MEASURE_NMSE,
    MEASURE_W1,
    MEASURE_RMSE,
    MEASURE_MAE,
    MEASURE_LOSS,
    N_MEASURES
} measure;

/* Result of one kernel. */
typedef struct comparison_row {
    const char *name;
    const char *kernel; /* as given by the user */
    const char *cost;   /* cost of one entry of the Gram matrix */
    int64_t results;    /* number of samples with a result */
    estimate values[N_MEASURES];
    estimate mcs_pvalue;            /* NaN: no model confidence set */
    int64_t in_mcs;                 /* number of samples whose model confidence set includes it */
    int64_t hyperparameters;        /* number of tuned parameters, including alpha */
    int64_t draws, failed;          /* per sample */
    double seconds;                 /* search time per sample */
    double fit_seconds;             /* refit and test time per sample */
    const volt_comparison_row *won; /* best parameters, from the sample with the lowest NMSE; NULL: no result */
    const char *failure;            /* error message if there is no result, or NULL */
} comparison_row;

/* Data and options of a comparison. Texts and views belong to the caller. */
typedef struct comparison_setting {
    const char *source; /* preset, or file of the inputs */
    bool is_preset;
    const char *const *output_names; /* q names */
    int64_t n, n_train, d, q;
    volt_view truth; /* targets of the test rows, first sample */
    volt_compare_options options;
    uint64_t first_seed; /* sample i has the seed first_seed + i */
    int64_t repeat;
    const char *command; /* command line */
    /* user data: */
    const training_data *user;
    const search_data *seen;
    volt_assessment found;  /* assessment of the kernel with the lowest NMSE or loss */
    const char *loss_score; /* name of the loss as a score; NULL: squared error */
} comparison_setting;

typedef struct cli_comparison {
    comparison_setting setting;
    volt_comparison **samples; /* one per sample, n_samples so far; owned */
    int64_t n_samples;
    comparison_row *rows; /* n_rows, in the order of the contenders; owned */
    int64_t n_rows;
    /* row numbers by NMSE or loss, n_ranked of them; rows without a result are excluded; owned */
    int64_t *order;
    int64_t n_ranked;
    bool interrupted;
} cli_comparison;

/* Takes ownership of a completed sample. If out of memory, frees the sample and returns false. */
bool comparison_add(cli_comparison *comparison, volt_comparison *sample);

/* Fills the rows from the samples and ranks them. Returns false if out of memory. */
bool comparison_summarise(cli_comparison *comparison);
void comparison_release(cli_comparison *comparison);

/* Returns "mdae", "nmse", "w1", "rmse", "mae" or "loss": JSON keys and CSV columns. */
const char *measure_key(measure which);

/* Returns a measure of one kernel on one sample. */
double measure_of(const volt_comparison_row *row, measure which);

/* Return the ranking measure (NMSE or loss) and its name. */
measure comparison_ranked_by(const cli_comparison *comparison);
const char *comparison_rank_label(const cli_comparison *comparison);
/* Returns the end of the range of measures; *first is its start. */
int comparison_measures(const cli_comparison *comparison, int *first);

/* Returns the row with the lowest value, or NULL. */
const comparison_row *comparison_lowest(const cli_comparison *comparison, measure which);

/* Returns true if the row is in the model confidence set of every sample. */
bool comparison_in_mcs(const cli_comparison *comparison, const comparison_row *row);

/* Writes the main result as a sentence to `text`. Returns `text`. */
enum { HEADLINE_LENGTH = 640 };
char *comparison_headline(const cli_comparison *comparison, char text[HEADLINE_LENGTH]);

/* Writes a note about the baselines, or "", to `text` and returns it. */
char *comparison_baseline_note(const cli_comparison *comparison, char text[HEADLINE_LENGTH]);

/* Write "3008 rows train and 752 test, 5 inputs, 15 outputs" and "history protocol, 5 folds, at most 50 draws
 * and 60 s a kernel" to `text`. Both return it. */
enum { DESCRIPTION_LENGTH = 256 };
char *comparison_describe_data(const cli_comparison *comparison, char text[DESCRIPTION_LENGTH]);
char *comparison_describe_search(const cli_comparison *comparison, char text[DESCRIPTION_LENGTH]);

/* ---- table cells, shared by the text, LaTeX and HTML tables ------------------------------------ */

enum { CELL_LENGTH = 64 };

/* A measure column of the text, LaTeX and HTML tables. */
typedef struct measure_column {
    measure which;
    double factor; /* scale factor of the displayed values */
    const char *label, *latex, *html;
} measure_column;

/* Returns the columns in display order, `*count` of them. Presets use the columns of the paper: MdAE times 100,
 * NMSE, W1 times 100. User data are reported in the units of the targets, with RMSE and MAE first. */
const measure_column *comparison_columns(const cli_comparison *comparison, int *count);

/* Returns true if the row has the lowest value of the column. Always false for a single row. */
bool cell_is_lowest(const cli_comparison *comparison, const comparison_row *row, const measure_column *column);

/* Names the rows by the kernels as --kernel accepts them, instead of the names of the paper. */
void comparison_name_by_kernel(cli_comparison *comparison);

/* Writes the value of a row with the digits of the column. Over several samples, the standard error follows in
 * parentheses. Writes "-" for no value. Every cell function writes to `text` and returns it. */
char *cell_measure(const cli_comparison *comparison, const comparison_row *row, const measure_column *column,
                   char text[CELL_LENGTH]);

/* Writes "0.413", or "2/5" over several samples; "-" without a result. */
char *cell_confidence(const cli_comparison *comparison, const comparison_row *row, char text[CELL_LENGTH]);

/* Writes the cost of one Gram matrix entry for the best parameters. The kernel table has a clause for each
 * case, "O(d + window^2); path=rows: O(d^2)". */
char *cell_cost(const comparison_row *row, char text[CELL_LENGTH]);

char *cell_seconds(double seconds, char text[CELL_LENGTH]);

/* Writes the best parameters with three digits: "window=12 alpha=0.0123". If `kernel`, the kernel's name comes
 * first. */
char *cell_winner(const volt_comparison_row *won, bool kernel, char *text, size_t capacity);

/* ---- data of a comparison: samples of a preset, or user data ----------------------------------- */

typedef struct compare_data {
    training_data user; /* user data */
    volt_bekk *model;   /* model of the preset, or NULL */
    volt_matrix X, Y;   /* current sample of the preset; owned */
    volt_view inputs, targets;
    search_data seen;                    /* user data as seen by the kernels */
    volt_view seen_inputs, seen_targets; /* views of the preset sample or the user data */
    const char **output_names;           /* q names; the array is owned */
    volt_matrix truth;                   /* copy of the test targets of the first sample; owned */
} compare_data;

/* Default number of pairs simulated from a preset. The first 80 % give 3008 training and 752 test rows. */
#define PRESET_PAIRS 3760

/* Every function returns 0, or the exit status after an error message. Data initialised to {0} can always be
 * released. */
int compare_data_preset(compare_data *data, const char *preset, int64_t pairs);
int compare_data_user(compare_data *data, const training_arguments *arguments);
void compare_data_release(compare_data *data);

/* Prepares columns and targets of user data, learned from the first `learn_rows` rows. If `levels`, the default
 * is levels for all columns. */
int compare_data_prepare(compare_data *data, const training_arguments *arguments, bool levels,
                         int64_t learn_rows);

/* Simulates the sample of this seed. Does nothing for user data. */
int compare_data_sample(compare_data *data, uint64_t seed);

/* Copies the targets from row n_train on. */
int compare_data_keep_truth(compare_data *data, int64_t n_train);

/* ---- output as text, JSON, CSV and LaTeX ------------------------------------------------------- */

/* Files written by the command; NULL: not written. */
typedef struct compare_files {
    const char *report, *csv, *latex;
} compare_files;

/* Prints the table for a terminal. */
void compare_print_text(FILE *out, const cli_comparison *comparison, const compare_files *files);

/* Prints {"rows": [...], ...} to standard output. Returns the exit status. */
int compare_print_json(const cli_comparison *comparison, const compare_files *files);

/* Writes one line per kernel, in the units of the targets, with full precision. */
void compare_write_csv(FILE *out, const cli_comparison *comparison);

/* Writes a table for the LaTeX package booktabs, for \input or for direct compilation. */
void compare_write_latex(FILE *out, const cli_comparison *comparison);

/* ---- progress: kernel, draws, best score, remaining time --------------------------------------- */

typedef struct compare_watch {
    int64_t sample, samples; /* current sample (zero-based) and number of samples */
    int64_t max_draws;       /* 0: limited by time only */
    volt_progress bar;
} compare_watch;

/* Reports the progress of sample watch->sample. The watch must outlive the comparison. */
void compare_watch_sample(compare_watch *watch, volt_compare_options *options);

/* ---- log folders ------------------------------------------------------------------------------- */

enum { TRIAL_FOLDER_LENGTH = 4096 };

/* Logs of samples with the seeds first_seed, first_seed + 1, ... A single sample logs to `folder`; several
 * samples log to subfolders named after the seed. */
typedef struct trial_folders {
    const char *folder; /* NULL: no logs */
    uint64_t first_seed;
    int64_t samples;
    int lock; /* descriptor of the locked folder; -1: none */
} trial_folders;

/* Creates the folders of all samples before the run. Rejects unwritable folders, existing logs unless `resume`
 * (logs are never overwritten), and folders in use by another comparison. Returns 0, or the exit status after
 * an error message. Close the folders in either case. */
int trial_folders_open(trial_folders *folders, const char *folder, uint64_t first_seed, int64_t samples,
                       bool resume);
void trial_folders_close(trial_folders *folders);

/* Writes the folder of a sample to `path`; NULL without logs. */
const char *trial_folders_path(const trial_folders *folders, int64_t sample, char path[TRIAL_FOLDER_LENGTH]);

#endif
