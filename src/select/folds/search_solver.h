/* src/select/folds/search_solver.h: how the candidates of a search are fitted: exactly, or on landmarks. */
#ifndef SELECT_SEARCH_SOLVER_H
#define SELECT_SEARCH_SOLVER_H

#include "select/folds/problem.h"

/* Settle problem->landmarks and what belongs to it, of a problem whose splits are made: by the options, or where they leave it
 * open by what fits and pays: *why is NULL, or says why that is landmarks. VOLT_ERR_ARGUMENT where the options do not go together. */
volt_status volt_problem_settle_solver(const volt_search_options *options, volt_problem *problem,
                                       const char **why);

#endif
