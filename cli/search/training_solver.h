/* cli/search/training_solver.h: solver options of a fit: --solver, --landmarks and the options of iterative
 * solvers. */
#ifndef CLI_TRAINING_SOLVER_H
#define CLI_TRAINING_SOLVER_H

#include "args/options.h"
#include "args/shell_words.h"
#include "search/training.h"
#include "terminal/results.h"
#include "volterra.h"

/* Option tables that fill a training_arguments, for a fit and for a search. */
extern const option_table solver_options_table, search_solver_options_table;

/* Sets the landmarks of a fit from the text of --landmarks, which may be NULL. Returns the exit status. */
int solver_landmarks(const char *text, volt_fit_options *options);

/* Sets the solver options of a search. Its best model is fitted with `fit`. */
int solver_search_options(const training_arguments *arguments, volt_search_options *search,
                          volt_fit_options *fit);

/* Appends the solver options to a command line. */
void solver_words(const volt_fit_options *options, shell_words *words);

/* Reports the solver, its convergence and its leave-one-out errors. */
void solver_report(const volt_model_info *info, const volt_assessment *found, result_list *results);

#endif
