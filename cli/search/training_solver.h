/* cli/search/training_solver.h: how the readout of a fit is found: --solver, --landmarks, and what iterates. */
#ifndef CLI_TRAINING_SOLVER_H
#define CLI_TRAINING_SOLVER_H

#include "args/options.h"
#include "args/shell_words.h"
#include "terminal/results.h"
#include "volterra.h"

typedef struct solver_arguments {
    const char *solver;    /* text of one */
    const char *landmarks; /* NULL: not given */
    int64_t iterations;    /* 0: not given */
    const char *checkpoint;
    double checkpoint_every; /* seconds */
} solver_arguments;

/* Rows for the tables of commands, filling a solver_arguments: of a fit, and of a search. */
extern const option_table solver_options_table, search_solver_options_table;

/* Into the options of a fit. Returns the exit status. */
int solver_options(const solver_arguments *arguments, volt_fit_options *options);

/* The same for a search, whose winner is fitted with `fit`. */
int solver_search_options(const solver_arguments *arguments, volt_search_options *search,
                          volt_fit_options *fit);

/* The options that say so again, behind the words of a command. */
void solver_words(const volt_fit_options *options, shell_words *words);

/* Which solver found the readout, and what it tells of rows left out. */
void solver_report(const volt_model_info *info, const volt_assessment *found, result_list *results);

#endif
