/* cli/compare/comparison.h: a comparison of kernels, as every writer of its results sees it: what was compared, and one
 * row per kernel, over one sample or the mean over several. */
#ifndef CLI_COMPARISON_H
#define CLI_COMPARISON_H

#include "search/training.h"
#include "volterra.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Mean over the samples and its standard error; the error is NaN for one sample, both are NaN for none. */
typedef struct estimate {
    double mean, error;
} estimate;

/* What is measured, each in the units of the targets; the lowest value is the best. */
typedef enum measure {
    MEASURE_MDAE,
    MEASURE_NMSE,
    MEASURE_W1,
    MEASURE_RMSE,
    MEASURE_MAE,
    MEASURE_LOSS,
    N_MEASURES
} measure;

/* One kernel. */
typedef struct comparison_row {
    const char *name;
    const char *kernel; /* as it was asked for */
    const char *cost;   /* of one entry of the Gram matrix */
    int64_t results;    /* samples in which it came to one */
    estimate values[N_MEASURES];
    estimate mcs_pvalue;            /* NaN: there is no model confidence set */
    int64_t in_mcs;                 /* samples in whose model confidence set it is */
    int64_t hyperparameters;        /* numbers that were tuned, alpha included */
    int64_t draws, failed;          /* per sample */
    double seconds;                 /* of the search, per sample */
    double fit_seconds;             /* of refit and test, per sample */
    const volt_comparison_row *won; /* its winner where the NMSE was lowest; NULL: no result */
    const char *failure;            /* why there is none, or NULL */
} comparison_row;

/* What to compare, and on what. Texts and views belong to the caller. */
typedef struct comparison_setting {
    const char *source; /* a preset or the file of the inputs */
    bool is_preset;
    const char *const *output_names; /* q of them */
    int64_t n, n_train, d, q;
    volt_view truth; /* targets of the test rows of the first sample */
    volt_compare_options options;
    uint64_t first_seed; /* sample i has the seed first_seed + i */
    int64_t repeat;
    const char *command; /* what the user typed */
    /* of one's own data: */
    const training_data *own;
    const search_data *seen;
    volt_assessment found;  /* of the kernel with the lowest NMSE, or loss */
    const char *loss_score; /* name of the loss as a score; NULL: compared by squares */
} comparison_setting;

typedef struct cli_comparison {
    comparison_setting setting;
    volt_comparison **samples; /* one per sample, n_samples so far; owned */
    int64_t n_samples;
    comparison_row *rows; /* n_rows of them, in the order of the contenders; owned */
    int64_t n_rows;
    /* row numbers by NMSE or loss, n_ranked of them: those without a result are left out; owned */
    int64_t *order;
    int64_t n_ranked;
    bool interrupted;
} cli_comparison;

/* Take over a sample that is done. False, and the sample is freed, when memory is out. */
bool comparison_add(cli_comparison *comparison, volt_comparison *sample);

/* Fill the rows from the samples, and rank them; returns false when memory is out. */
bool comparison_summarise(cli_comparison *comparison);
void comparison_release(cli_comparison *comparison);

/* "mdae", "nmse", "w1", "rmse", "mae", "loss": keys of JSON and columns of CSV. */
const char *measure_key(measure which);

/* A measure of one kernel on one sample. */
double measure_of(const volt_comparison_row *row, measure which);

/* What kernels are ranked by: the NMSE, or the loss; and what that is called. */
measure comparison_ranked_by(const cli_comparison *comparison);
const char *comparison_rank_label(const cli_comparison *comparison);
/* The measures that it has: from *first to before the result. */
int comparison_measures(const cli_comparison *comparison, int *first);

/* The row with the lowest value, or NULL. */
const comparison_row *comparison_lowest(const cli_comparison *comparison, measure which);

/* In the model confidence set of every sample. */
bool comparison_in_mcs(const cli_comparison *comparison, const comparison_row *row);

/* The finding in one sentence, into `text`; returns it. */
enum { HEADLINE_LENGTH = 640 };
char *comparison_headline(const cli_comparison *comparison, char text[HEADLINE_LENGTH]);

/* What to say of the baselines after they are listed, or "" into `text`; returns it. */
char *comparison_baseline_note(const cli_comparison *comparison, char text[HEADLINE_LENGTH]);

/* "3008 rows train and 752 test, 5 inputs, 15 outputs" and "history protocol, 5 folds, at most 50 draws and 60 s a
 * kernel", into `text`; both return it. */
enum { DESCRIPTION_LENGTH = 256 };
char *comparison_describe_data(const cli_comparison *comparison, char text[DESCRIPTION_LENGTH]);
char *comparison_describe_search(const cli_comparison *comparison, char text[DESCRIPTION_LENGTH]);

/* ---- the cells of the table of a comparison, the same in every form that people read ----------- */

enum { CELL_LENGTH = 64 };

/* A column of a measure in the tables for people. */
typedef struct measure_column {
    measure which;
    double factor; /* the values are shown times this */
    const char *label, *latex, *html;
} measure_column;

/* The columns, in their order, `*count` of them. Tables of a preset are those of the paper: MdAE times 100, NMSE, W1
 * times 100. On data of one's own everything is in the units of the targets, and RMSE and MAE come first. */
const measure_column *comparison_columns(const cli_comparison *comparison, int *count);

/* Is the value of the row the lowest of its column? Never where there is one row only. */
bool cell_is_lowest(const cli_comparison *comparison, const comparison_row *row, const measure_column *column);

/* The value of a row, with as many digits as the column needs and, over several samples, its standard error in
 * parentheses; "-" when there is none. Every function writes into `text` and returns it. */
char *cell_measure(const cli_comparison *comparison, const comparison_row *row, const measure_column *column,
                   char text[CELL_LENGTH]);

/* "0.413", or over several samples "2/5"; "-" without a result. */
char *cell_confidence(const cli_comparison *comparison, const comparison_row *row, char text[CELL_LENGTH]);

/* What one entry of the Gram matrix costs with the parameters that won: the kernel table has a clause for each
 * case, "O(d + window^2); path=rows: O(d^2)". */
char *cell_cost(const comparison_row *row, char text[CELL_LENGTH]);

char *cell_seconds(double seconds, char text[CELL_LENGTH]);

/* The winning parameters, numbers cut to three digits: "window=12 alpha=0.0123"; `kernel` says whether the kernel's
 * name stands before them. */
char *cell_winner(const volt_comparison_row *won, bool kernel, char *text, size_t capacity);

/* ---- what a comparison runs on: samples of a preset, or the user's own data -------------------- */

typedef struct compare_data {
    training_data own; /* of the user */
    volt_bekk *model;  /* of the preset, or NULL */
    volt_matrix X, Y;  /* the present sample of the preset; owned */
    volt_view inputs, targets;
    search_data seen;                    /* one's own data as the kernels see them ... */
    volt_view seen_inputs, seen_targets; /* ... or the sample of the preset */
    const char **output_names;           /* q of them; owned, with what they point to */
    volt_matrix truth;                   /* a copy of the test targets of the first sample; owned */
} compare_data;

/* Pairs that a preset simulates unless told otherwise: with the first 80 % for training, 3008 and 752. */
#define PRESET_PAIRS 3760

/* Every function returns 0, or the exit status after saying what is wrong. Data that begin as {0} can always be
 * released. */
int compare_data_preset(compare_data *data, const char *preset, int64_t pairs);
int compare_data_own(compare_data *data, const training_arguments *arguments);
void compare_data_release(compare_data *data);

/* Columns and targets of one's own data, learned from the first `learn_rows` rows; `levels`: all are levels unless the
 * arguments say otherwise. */
int compare_data_prepare(compare_data *data, const training_arguments *arguments, bool levels,
                         int64_t learn_rows);

/* Simulate the sample of that seed, where there is something to simulate. */
int compare_data_sample(compare_data *data, uint64_t seed);

/* Keep the targets from row n_train on. */
int compare_data_keep_truth(compare_data *data, int64_t n_train);

/* ---- a comparison as text, JSON, CSV, LaTeX ---------------------------------------------------- */

/* Files that the command wrote; NULL: it did not. */
typedef struct compare_files {
    const char *report, *csv, *latex;
} compare_files;

/* The table for a terminal. */
void compare_print_text(FILE *out, const cli_comparison *comparison, const compare_files *files);

/* {"rows": [...], ...} on standard output; returns the exit status. */
int compare_print_json(const cli_comparison *comparison, const compare_files *files);

/* One line per kernel, numbers in the units of the targets, to full precision. */
void compare_write_csv(FILE *out, const cli_comparison *comparison);

/* A table for the LaTeX package booktabs, to be \input or compiled as it is. */
void compare_write_latex(FILE *out, const cli_comparison *comparison);

/* ---- how far a comparison is: which kernel, how many draws, the best score, the time left ------ */

typedef struct compare_watch {
    int64_t sample, samples; /* the present one, counted from 0, of how many */
    int64_t most_draws;      /* 0: as many as there is time for */
    volt_progress bar;
} compare_watch;

/* Reports sample watch->sample through the bar; the watch must outlive the comparison. */
void compare_watch_sample(compare_watch *watch, volt_compare_options *options);

/* ---- the folders of the logs of a comparison --------------------------------------------------- */

enum { TRIAL_FOLDER_LENGTH = 4096 };

/* The logs of samples with the seeds first_seed, first_seed + 1, ...: of one sample in `folder` itself, of several
 * in folders in it that are named after the seed. */
typedef struct trial_folders {
    const char *folder; /* NULL: there are no logs */
    uint64_t first_seed;
    int64_t samples;
    int lock; /* descriptor of the folder, which holds its lock; -1: none */
} trial_folders;

/* Before the work: make the folders of all samples, and refuse what cannot be written, logs that are there already
 * unless `resume` (they are never overwritten), and a folder that another comparison is writing to. Returns 0, or
 * the exit status after saying what is wrong. To be closed in any case. */
int trial_folders_open(trial_folders *folders, const char *folder, uint64_t first_seed, int64_t samples,
                       bool resume);
void trial_folders_close(trial_folders *folders);

/* The folder of a sample, into `path`; NULL without logs. */
const char *trial_folders_path(const trial_folders *folders, int64_t sample, char path[TRIAL_FOLDER_LENGTH]);

#endif
