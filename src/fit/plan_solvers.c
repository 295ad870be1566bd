/* src/fit/plan_solvers.c: memory and time of every solver for the same fit, and the default solver. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/fit_task.h"
#include "fit/plan.h"
#include "solve/landmark/placement.h"

#include <math.h>

typedef struct planned_task {
    const volt_kernel *kernel;
    int64_t n, d, q, landmarks, states;
    int measure;
    const volt_backend *backend;
} planned_task;

/* A fit in the Gram matrix, or in states. */
static volt_status plan_stored(const planned_task *fit, const volt_solver *solver, volt_solver_plan *plan)
{
    volt_plan made = {.struct_size = sizeof made};
    VOLT_TRY(volt_plan_with(fit->kernel, solver, fit->n, fit->d, fit->q, fit->measure, fit->backend, &made));
    bool on_device = made.on_device && made.device_factor_seconds > 0;
    *plan = (volt_solver_plan){.name = solver->info.name,
                               .bytes = made.fit_bytes,
                               .seconds = on_device ? made.device_gram_seconds + made.device_factor_seconds
                                                    : made.gram_seconds + made.factor_seconds,
                               .fits = !(made.available_bytes > 0 && made.fit_bytes > made.available_bytes)};
    return VOLT_OK;
}

/* A solver that reads the rows in blocks: products that compute the triangle again, or two passes over the
 * landmarks and their ghosts, at the cost per entry of the exact fit. */
static volt_status plan_walk(const planned_task *fit, const volt_solver *solver, volt_solver_plan *plan)
{
    double n = (double)fit->n, seconds = 0;
    bool keeps_landmarks = volt_solver_keeps_landmarks(solver);
    int64_t m = volt_solver_landmarks(solver, keeps_landmarks ? fit->landmarks : 0, fit->n), walked = 0;
    volt_plan exact = {.struct_size = sizeof exact};
    VOLT_TRY(volt_plan_with(fit->kernel, &volt_solver_exact, fit->n, fit->d, fit->q, fit->measure, fit->backend,
                            &exact));
    if (fit->measure)
        VOLT_TRY(solver->seconds(n, (double)m, &seconds));
    VOLT_TRY(volt_plan_columns(fit->kernel, fit->d, m, &walked));
    double walks = 2 * (2 * fmin(n, (double)walked) / n),
           triangles = keeps_landmarks ? walks : solver->products;
    double bytes = volt_solver_fit_bytes(solver, n, (double)(fit->d * volt_kernel_slices(fit->kernel)),
                                         (double)fit->q, (double)m);
    *plan = (volt_solver_plan){.name = solver->info.name,
                               .bytes = bytes,
                               .seconds = seconds + triangles * exact.gram_seconds,
                               .landmarks = m,
                               .fits = !(exact.available_bytes > 0 && bytes > exact.available_bytes)};
    if (solver->errors)
        solver->errors(fit->n, m, &plan->error, &plan->noise_free_error);
    return VOLT_OK;
}

static int64_t place_of(const volt_solver_plans *plans, const volt_solver *solver)
{
    int64_t i = 0;
    while (i + 1 < plans->count && plans->solver[i].name != solver->info.name)
        i++;
    return i;
}

/* As volt_fit_solver_choose with default options: the exact solver unless it is too large. */
static volt_status take_one(const planned_task *fit, volt_solver_plans *plans)
{
    double available = volt_solver_available(fit->backend, fit->n);
    const volt_solver *chosen = volt_solver_choose(fit->n, fit->q, fit->states, false, available);
    int64_t approximate = place_of(plans, volt_solver_approximate());
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(fit->kernel, chosen, fit->n, fit->d, fit->q, 0, fit->backend, &plan));
    const char *why = volt_exact_is_too_much(fit->n, (double)fit->q, plan.fit_bytes, &plan);
    if (why && fit->n >= VOLT_MIN_LARGE && plans->solver[approximate].fits) {
        plans->taken = approximate;
        plans->why = why;
        return VOLT_OK;
    }
    plans->taken = place_of(plans, why ? &volt_solver_exact : chosen);
    plans->why = !why                      ? chosen->reason
                 : fit->n < VOLT_MIN_LARGE ? "the rows are too few for landmarks"
                                           : "nothing else fits in memory either";
    return VOLT_OK;
}

static volt_status plan_solvers(planned_task *fit, volt_solver_plans *plans)
{
    VOLT_REQUIRE(fit->kernel, VOLT_ERR_ARGUMENT, "kernel is NULL");
    VOLT_REQUIRE(fit->n > 0 && fit->landmarks >= 0 && fit->landmarks <= fit->n, VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be 1 to %lld, the rows (got %lld)", (long long)fit->n,
                 (long long)fit->landmarks);
    fit->backend = volt_place(&(volt_work){.n = fit->n, .d = fit->d, .factors = 1});
    volt_solver_plans made = {.struct_size = sizeof(volt_solver_plans)};
    VOLT_TRY(volt_plan_states(fit->kernel, fit->d, &fit->states));
    for (int64_t i = 0; volt_solver_table[i]; i++) {
        const volt_solver *solver = volt_solver_table[i];
        if (solver->accepts.losses || (solver->needs.states && fit->states == 0))
            continue;
        volt_solver_plan *plan = &made.solver[made.count++];
        VOLT_TRY(volt_solver_recomputes(solver) ? plan_walk(fit, solver, plan)
                                                : plan_stored(fit, solver, plan));
    }
    VOLT_TRY(take_one(fit, &made));
    return volt_result_copy(plans, &made, sizeof made, "volt_solver_plans");
}

volt_status volt_plan_fit(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, int64_t landmarks,
                          int measure, volt_plan *plan, volt_solver_plans *solvers)
{
    volt_plan made = {.struct_size = sizeof made};
    VOLT_REQUIRE(plan, VOLT_ERR_ARGUMENT, "plan is NULL");
    VOLT_TRY(volt_plan_placed(kernel, n, d, q, measure, &made));
    planned_task fit = {kernel, n, d, q, landmarks, 0, measure, NULL};
    if (solvers)
        VOLT_TRY(plan_solvers(&fit, solvers));
    return volt_result_copy(plan, &made, sizeof made, "volt_plan");
}
