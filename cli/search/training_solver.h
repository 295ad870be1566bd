/* cli/search/training_solver.h: how the readout of a fit is found: --solver and --landmarks. */
#ifndef CLI_TRAINING_SOLVER_H
#define CLI_TRAINING_SOLVER_H

#include "args/options.h"
#include "terminal/results.h"
#include "volterra.h"

typedef struct solver_arguments {
    int solver;            /* volt_fit_solver */
    const char *landmarks; /* NULL: not given */
} solver_arguments;

#define TRAINING_SOLVER(base)                                                                                  \
    {.name = "solver",                                                                                         \
     .kind = OPTION_CHOICE,                                                                                    \
     .choices = solver_choices,                                                                                \
     .fallback = "auto",                                                                                       \
     .offset = (base) + offsetof(solver_arguments, solver),                                                    \
     .meaning = "how the readout is found; auto: exact where that fits in memory and takes no hours, by the "  \
                "features of reservoirs where they are few, else nystrom"},                                    \
    {                                                                                                          \
        .name = "landmarks", .kind = OPTION_TEXT, .offset = (base) + offsetof(solver_arguments, landmarks),    \
        .argument = "M[:WHICH]",                                                                               \
        .meaning = "of nystrom: how many rows the readout is of (default 2000), in runs of 32 from the first " \
                   "row to the last, or M:last, or M:random"                                                   \
    }

/* Into the options of a fit. Returns the exit status. */
int solver_options(const solver_arguments *arguments, volt_fit_options *options);

/* Which solver found the readout, and what it tells of rows left out. */
void solver_report(const volt_model_info *info, result_list *results);

#endif
