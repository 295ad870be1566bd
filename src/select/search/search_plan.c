/* src/select/search/search_plan.c: estimates memory and time of a search on this machine.
 *
 * Memory is computed by the functions of the search itself, for a problem without rows. Times are taken from
 * the plan of one fit (fit/plan.h) of the longest training part, multiplied by the number of folds and
 * alphas. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/plan.h"
#include "gram/engine/state.h"
#include "kernel/kernel_entry.h"
#include "select/folds/problem.h"
#include "select/search/search_run.h"
#include "solve/choice/choice.h"
#include "solve/solver_table.h"

#include <inttypes.h>
#include <math.h>

typedef struct planned_search {
    const volt_kernel *kernel;
    volt_problem *problem;
    double alphas; /* alphas per candidate */
} planned_search;

/* Training parts that start at the same row share one matrix, which grows from block to block: the sum over
 * such groups of (rows / most rows)^power. */
static double groups(const volt_problem *problem, int power)
{
    double sum = 0, most = (double)problem->max_rows;
    for (int64_t k = 0; k < problem->n_splits; k++) {
        const volt_split *split = &problem->splits[k];
        bool grows = k + 1 < problem->n_splits && problem->splits[k + 1].train_begin == split->train_begin;
        int64_t end = problem->start == VOLT_START_RESET ? split->train_end : split->end;
        if (!grows)
            sum += pow((double)(end - split->train_begin) / most, power);
    }
    return problem->n_splits > 0 ? sum : 1; /* a score of all rows */
}

/* One Gram matrix per group, and a factor per alpha. */
static volt_status time_exact(const planned_search *s, double *seconds)
{
    const volt_problem *problem = s->problem;
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(s->kernel, &volt_solver_exact, problem->max_rows, problem->d, problem->q, 1,
                            problem->backend, &plan));
    bool on_device = plan.on_device && plan.device_factor_seconds > 0;
    double gram = on_device ? plan.device_gram_seconds : plan.gram_seconds;
    double factor = on_device ? plan.device_factor_seconds : plan.factor_seconds;
    *seconds = groups(problem, 2) * gram + s->alphas * groups(problem, 3) * factor;
    return VOLT_OK;
}

/* One pass over `columns` for `states` features, their sums, and a factor per block and alpha. */
static volt_status time_features(const planned_search *s, const volt_solver *solver, double states,
                                 double columns, double *seconds)
{
    const volt_problem *problem = s->problem;
    double n = (double)problem->max_rows, of_sums = 0;
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(s->kernel, &volt_solver_exact, problem->max_rows, problem->d, problem->q, 1,
                            problem->backend, &plan));
    VOLT_TRY(solver->seconds(n, states, &of_sums));
    double factor = plan.factor_seconds * pow(states / n, 3);
    *seconds = groups(problem, 1) * (of_sums + plan.gram_seconds * (2 * columns / n)) +
               (double)problem->folds * s->alphas * factor;
    return VOLT_OK;
}

/* The solver of a candidate, and its number of landmarks. */
static const volt_solver *solver_of(const volt_problem *problem, const volt_resolved *resolved,
                                    int64_t *landmarks)
{
    const volt_solver *solver = volt_candidate_solver(problem, resolved);
    *landmarks = solver->needs.landmarks ? problem->landmarks : 0;
    return solver;
}

/* The solver and the time of a candidate. */
static volt_status plan_candidate(const planned_search *s, bool measure, volt_search_plan *plan)
{
    const volt_problem *problem = s->problem;
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    for (int i = 0; i < VOLT_MAX_FACTORS; i++)
        extents[i] = problem->shifted.extent;
    VOLT_TRY(volt_kernel_outline_slices(s->kernel, extents, problem->d, &resolved));
    double states = (double)volt_candidate_states(problem, &resolved);
    const volt_solver *solver = solver_of(problem, &resolved, &plan->landmarks);
    volt_resolved_release(&resolved);
    plan->solver = solver->info.name;
    if (!measure)
        return VOLT_OK;
    int64_t columns = 0;
    VOLT_TRY(volt_plan_columns(s->kernel, problem->d, plan->landmarks, &columns));
    return states > 0 ? time_features(s, solver, states, (double)volt_min(columns, problem->max_rows),
                                      &plan->candidate_seconds)
                      : time_exact(s, &plan->candidate_seconds);
}

/* Inputs with and without their mean, and targets, scaled; per concurrent candidate a workspace and its
 * additional memory. */
static volt_status plan_memory(const planned_search *s, int64_t draws, volt_search_plan *plan)
{
    volt_problem *problem = s->problem;
    double beside = 0, n = (double)problem->n;
    volt_flight_choose(problem, draws);
    plan->max_rows = problem->max_rows;
    plan->on_device = volt_backend_is_remote(problem->backend);
    plan->parallel = volt_flight_size(problem, draws);
    VOLT_TRY(volt_candidate_bytes(problem, volt_kernel_text(s->kernel), false, &beside));
    plan->bytes = 8 * n * (double)(2 * problem->d + problem->q) +
                  (double)plan->parallel * (volt_workspace_bytes(problem) + beside);
    plan->available_bytes = (double)volt_memory_available();
    plan->fits = !(plan->available_bytes > 0 && plan->bytes > plan->available_bytes);
    return VOLT_OK;
}

volt_status volt_run_candidate_seconds(const volt_run *run, const char *kernel, double alpha, double *seconds)
{
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_kernel *parsed = NULL;
    *seconds = 0;
    if (run->problem->loss)
        return VOLT_OK;
    VOLT_TRY(volt_kernel_parse(kernel, &parsed));
    planned_search s = {.kernel = parsed, .problem = run->problem, .alphas = alpha > 0 ? 1 : VOLT_MAX_ALPHAS};
    volt_status status = plan_candidate(&s, true, &plan);
    volt_kernel_free(parsed);
    *seconds = plan.candidate_seconds;
    return status;
}

static volt_status check(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, double alpha,
                         const volt_search_options *options, const volt_search_plan *plan)
{
    VOLT_REQUIRE(kernel && plan, VOLT_ERR_ARGUMENT, "the kernel or the plan is NULL");
    VOLT_REQUIRE(n >= 1 && d >= 1 && q >= 1, VOLT_ERR_ARGUMENT,
                 "a search on %" PRId64 " rows, %" PRId64 " inputs and %" PRId64
                 " outputs cannot be planned: all must be at least 1",
                 n, d, q);
    VOLT_REQUIRE(alpha >= 0 && isfinite(alpha), VOLT_ERR_ARGUMENT, "alpha must be at least 0 (got %g)", alpha);
    VOLT_REQUIRE(options->draws >= 1, VOLT_ERR_ARGUMENT,
                 "the number of draws must be at least 1 (got %" PRId64 ")", options->draws);
    VOLT_REQUIRE(!options->loss && !options->weights && options->n_records == 0 && !options->base.data,
                 VOLT_ERR_ARGUMENT, "records, a base, losses and weights are not planned for");
    return VOLT_OK;
}

volt_status volt_plan_search(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, double alpha,
                             const volt_search_options *options, int measure, volt_search_plan *plan)
{
    volt_search_options opts = volt_search_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_search_options"));
    options = &opts;
    VOLT_TRY(check(kernel, n, d, q, alpha, options, plan));
    planned_search s = {.kernel = kernel, .alphas = alpha > 0 ? 1 : VOLT_MAX_ALPHAS};
    volt_search_plan made = {.struct_size = sizeof made};
    volt_solver_setting setting;
    VOLT_TRY(volt_solver_parse(options->solver, &(volt_solver_request){0}, &setting));
    if (setting.solver && !volt_solver_keeps_landmarks(setting.solver))
        opts.landmarks = 0;
    VOLT_TRY(volt_problem_outline(n, d, q, &opts, &s.problem, &made.why));
    volt_status status = plan_memory(&s, options->draws, &made);
    if (status == VOLT_OK)
        status = plan_candidate(&s, measure != 0, &made);
    volt_problem_free(s.problem);
    if (status != VOLT_OK)
        return status;
    if (made.landmarks == 0)
        made.why = NULL;
    made.seconds = (double)options->draws * made.candidate_seconds;
    return volt_result_copy(plan, &made, sizeof made, "volt_search_plan");
}
