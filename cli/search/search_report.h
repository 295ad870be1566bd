/* cli/search/search_report.h: what a search says while it runs and when it ends. */
#ifndef CLI_SEARCH_REPORT_H
#define CLI_SEARCH_REPORT_H

#include "search/training.h"
#include "volterra.h"

#include <stdbool.h>

/* What the score of a search is called, and which end of it is the better one. */
typedef struct score_words {
    const char *label; /* for people: "R2", "pinball loss" */
    const char *word;  /* for programs: "r2", "pinball loss" */
    bool lower_is_better;
} score_words;

score_words score_words_of(const volt_search_info *info);

/* ---- while it runs ---------------------------------------------------------------------------- */

typedef struct search_watch {
    double budget;  /* seconds, 0: none */
    bool announced; /* how many are expected in that time */
} search_watch;

/* A volt_trial_fn whose context is a search_watch: keeps the progress line up to date. */
void search_watch_trial(const volt_search *search, const volt_trial *trial, void *watch);

/* ---- at its end ------------------------------------------------------------------------------- */

typedef struct search_outcome {
    const volt_search *search; /* with a best trial */
    bool interrupted, merged;
    bool from_defaults;            /* draw 0 is the kernel's defaults */
    const char *log, *path, *plot; /* files written, the model's and others, or NULL */
    const volt_model *model;       /* the winner, fitted; or NULL */
    const training_data *data;     /* NULL: there are none (logs alone were merged) */
    const search_data *seen;       /* what was searched on, or NULL */
    int64_t gap;                   /* between training and validation; -1: not known */
    volt_assessment found;         /* of the best draw and, with -o, the model */
    const char *command;           /* the line that fits the winner, or NULL */
} search_outcome;

/* Print it as a table or as JSON; returns the exit status. */
int search_report_print(const search_outcome *outcome, bool json);

/* ---- assessments ------------------------------------------------------------------------------ */

/* `naive_kept` for JSON, and a line where outputs are the naive forecast, or half-way to it. */
void verdict_report(const volt_assessment *found, int64_t outputs, result_list *results);

/* The baselines, with a note where they have seen what the model has not, or where one does better on the rows `where`.
 * `who` is the name of the model. */
void baselines_report(const volt_assessment *found, const char *who, const char *where, const char *advice,
                      result_list *results);

bool assessment_has(const volt_assessment *found, volt_warning_code code);

/* The reason of the first trial that failed, or NULL. */
const char *search_first_failure(const volt_search *search);

#endif
