/* cli/search/search_report.h: progress and result of a search. */
#ifndef CLI_SEARCH_REPORT_H
#define CLI_SEARCH_REPORT_H

#include "search/training.h"
#include "volterra.h"

#include <stdbool.h>

/* Names of a score, and whether higher is better. */
typedef struct score_words {
    const char *label; /* in text output: "R2", "pinball loss" */
    const char *word;  /* in JSON: "r2", "pinball loss" */
    bool lower_is_better;
} score_words;

score_words score_words_of(const volt_search_info *info);

/* ---- progress --------------------------------------------------------------------------------- */

typedef struct search_watch {
    double budget;       /* time limit in seconds; 0: none */
    int64_t announced;   /* number of draws announced; 0: none yet */
    double announced_at; /* seconds after the start */
    bool has_trials;
} search_watch;

/* volt_trial_fn that updates the progress line. The context is a search_watch. */
void search_watch_trial(const volt_search *search, const volt_trial *trial, void *watch);

/* ---- result ----------------------------------------------------------------------------------- */

typedef struct search_outcome {
    const volt_search *search; /* has a best trial */
    bool interrupted;
    bool from_defaults;            /* draw 0 uses the kernel's defaults */
    const char *log, *path, *plot; /* files written, or NULL */
    const volt_model *model;       /* fitted best model, or NULL */
    const training_data *data;
    const search_data *seen; /* data of the search */
    int64_t gap;             /* rows between training and validation */
    volt_assessment found;   /* assessment of the best draw and, with -o, of the model */
    const char *command;     /* command line that fits the best model, or NULL */
} search_outcome;

/* Prints the result as a table or as JSON. Returns the exit status. */
int search_report_print(const search_outcome *outcome, bool json);

/* ---- assessments ------------------------------------------------------------------------------ */

/* Reports `naive_kept` in JSON. Prints a line if an output is the naive forecast or shrunk half-way towards
 * it. */
void verdict_report(const volt_assessment *found, int64_t outputs, result_list *results);

/* Reports the baselines. Adds a note if a baseline uses data that the model does not, or has a lower error on
 * the rows `where`. `ahead` is that of the targets. */
void baselines_report(const volt_assessment *found, int64_t ahead, const char *where, const char *advice,
                      result_list *results);

/* Returns the advice for models that do not use past targets, which the baselines use. */
const char *past_targets_advice(int64_t ahead);

/* Writes "change, input both, season 12", with the words of --target, --input and --season. */
enum { FORM_LENGTH = 96 };
char *form_words(const char *target, volt_input input, int64_t season, char text[FORM_LENGTH]);

bool assessment_has(const volt_assessment *found, volt_warning_code code);

/* Returns the error of the first failed trial, or NULL. */
const char *search_first_failure(const volt_search *search);

#endif
