/* cli/compare/comparison.h: a comparison of kernels, as every writer of its results sees it: what was compared, and one
 * row per kernel, over one sample or the mean over several. */
#ifndef CLI_COMPARISON_H
#define CLI_COMPARISON_H

#include "search/training.h"
#include "volterra.h"

#include <stdbool.h>

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

#endif
