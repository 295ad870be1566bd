/* src/select/folds/search_solver.c: chooses the solver of the candidates: exact when memory and time allow,
 * otherwise landmarks. */
#include "select/folds/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/fit_task.h"
#include "fit/landmarks.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>

enum { MAX_EXACT = 32768 }; /* rows: beyond this, each candidate takes many minutes on the CPU */

/* Rows that may be landmarks: those after the washout of the shortest training part, before every block. */
static int64_t rows_before_blocks(const volt_problem *problem)
{
    int64_t least = problem->n;
    for (int64_t k = 0; k < problem->n_splits; k++)
        least = volt_min(least, problem->splits[k].train_end - problem->splits[k].train_begin);
    return least - problem->washout;
}

/* Reason why landmarks do not support the score, or NULL. */
static const char *needs_rows(const volt_problem *problem)
{
    if (problem->loss)
        return "a loss other than squares, or weights, are fitted exactly";
    if (problem->score == VOLT_SCORE_PREQUENTIAL)
        return "the score prequential fits every row from the rows before it, which takes the factor of all "
               "rows";
    if (problem->score == VOLT_SCORE_LOG)
        return "the score log is the likelihood of the exact fit";
    return NULL;
}

static volt_status use_landmarks(const volt_search_options *options, volt_problem *problem)
{
    int64_t most = rows_before_blocks(problem);
    const char *why = needs_rows(problem);
    VOLT_REQUIRE(!why, VOLT_ERR_ARGUMENT, "%s: the solver \"%s\" does not support it", why,
                 problem->solver->info.name);
    VOLT_REQUIRE(options->landmarks <= most, VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be 1 to %" PRId64
                 ", the rows between the washout and the first validation block (got %" PRId64 ")",
                 most, options->landmarks);
    problem->landmarks = volt_solver_landmarks(problem->solver, options->landmarks, most);
    problem->landmark_choice = options->landmark_choice;
    problem->backend = &volt_cpu_backend;
    return VOLT_OK;
}

/* Whether to use landmarks when the options do not name a solver. */
static bool exact_is_too_much(const volt_problem *problem, const char **why)
{
    volt_work work = {.n = problem->max_rows, .d = problem->d, .factors = 1};
    if (problem->max_rows < VOLT_MIN_LARGE || needs_rows(problem) || volt_backend_is_remote(volt_place(&work)))
        return false;
    double available = (double)volt_memory_available();
    bool lacks = available > 0 && volt_workspace_bytes(problem) > available;
    *why = lacks ? "an exact search does not fit in memory" : "an exact fit of every candidate would take long";
    return lacks || problem->max_rows > MAX_EXACT;
}

volt_status volt_problem_choose_solver(const volt_search_options *options, volt_problem *problem,
                                       const char **why)
{
    const char *found = NULL;
    volt_solver_request request = {.landmarks = options->landmarks > 0};
    volt_solver_setting setting;
    *why = NULL;
    VOLT_TRY(volt_solver_parse(options->solver, &request, &setting));
    VOLT_REQUIRE(
        !setting.solver || setting.solver->info.searches, VOLT_ERR_ARGUMENT,
        "the solver \"%s\" does not fit candidates of a search; use auto, %s (which takes the states of "
        "reservoirs where they are few) or %s",
        setting.solver->info.name, volt_solver_exact.info.name, volt_solver_approximate()->info.name);
    VOLT_REQUIRE(options->landmarks >= 0, VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be at least 1 (got %" PRId64 ")", options->landmarks);
    VOLT_REQUIRE((int)options->landmark_choice >= VOLT_LANDMARKS_SPREAD &&
                     options->landmark_choice <= VOLT_LANDMARKS_RANDOM,
                 VOLT_ERR_ARGUMENT, "unknown landmark choice %d", (int)options->landmark_choice);
    problem->solver = setting.solver ? setting.solver : &volt_solver_exact;
    if (volt_solver_keeps_landmarks(problem->solver))
        return use_landmarks(options, problem);
    if (setting.solver || !exact_is_too_much(problem, &found))
        return VOLT_OK;
    problem->solver = volt_solver_approximate();
    problem->prefers_states = true;
    VOLT_TRY(use_landmarks(options, problem));
    *why = found;
    return VOLT_OK;
}
