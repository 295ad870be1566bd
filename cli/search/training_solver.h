/* cli/search/training_solver.h: how the readout of a fit is found: --solver, --landmarks, and what iterates. */
#ifndef CLI_TRAINING_SOLVER_H
#define CLI_TRAINING_SOLVER_H

#include "args/options.h"
#include "args/shell_words.h"
#include "terminal/results.h"
#include "volterra.h"

typedef struct solver_arguments {
    int solver;            /* volt_fit_solver */
    const char *landmarks; /* NULL: not given */
    int64_t iterations;    /* 0: not given */
    const char *checkpoint;
    double checkpoint_every; /* seconds */
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
                   "row to the last, or M:last, or M:random; of pcg: how many make its steps few (default "    \
                   "12.7 times the root of the rows)"                                                          \
    }

/* The same for --solver pcg. */
#define TRAINING_ITERATION(base)                                                                               \
    {.name = "iterations",                                                                                     \
     .kind = OPTION_COUNT,                                                                                     \
     .least = 1,                                                                                               \
     .offset = (base) + offsetof(solver_arguments, iterations),                                                \
     .argument = "N",                                                                                          \
     .meaning = "of pcg: steps at most (default 1000)"},                                                       \
        {.name = "checkpoint",                                                                                 \
         .kind = OPTION_TEXT,                                                                                  \
         .offset = (base) + offsetof(solver_arguments, checkpoint),                                            \
         .argument = "FILE",                                                                                   \
         .meaning = "of pcg: keep where it stands in FILE, and go on from there where FILE is there already; " \
                    "removed once the model is written"},                                                      \
    {                                                                                                          \
        .name = "checkpoint-every", .kind = OPTION_DURATION,                                                   \
        .offset = (base) + offsetof(solver_arguments, checkpoint_every), .fallback = "60s",                    \
        .argument = "TIME", .meaning = "how often the checkpoint is written, at most once a step"              \
    }

#define SEARCH_SOLVER(base)                                                                                 \
    {.name = "solver",                                                                                      \
     .kind = OPTION_CHOICE,                                                                                 \
     .choices = search_solver_choices,                                                                      \
     .fallback = "auto",                                                                                    \
     .offset = (base) + offsetof(solver_arguments, solver),                                                 \
     .meaning =                                                                                             \
         "how draws and the winner are fitted; auto: exact where that fits in memory and takes not too "    \
         "long, else nystrom"},                                                                             \
    {                                                                                                       \
        .name = "landmarks", .kind = OPTION_TEXT, .offset = (base) + offsetof(solver_arguments, landmarks), \
        .argument = "M[:WHICH]",                                                                            \
        .meaning = "of nystrom: how many rows a readout is of (default 2000), in runs of 32 over the rows " \
                   "before the first validation block, or the last of them, M:last, or M:random"            \
    }

/* Into the options of a fit. Returns the exit status. */
int solver_options(const solver_arguments *arguments, volt_fit_options *options);

/* The same for a search, whose winner is fitted with `fit`. */
int solver_search_options(const solver_arguments *arguments, volt_search_options *search,
                          volt_fit_options *fit);

/* The options that say so again, behind the words of a command. */
void solver_words(const volt_fit_options *options, shell_words *words);

/* Which solver found the readout, and what it tells of rows left out. */
void solver_report(const volt_model_info *info, result_list *results);

#endif
