/* src/model/fit/plan_solvers.c: what every solver would take for the same fit, and which one is taken where nobody says. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/sized.h"
#include "model/fit/fit_solver.h"
#include "model/fit/landmarks.h"
#include "model/fit/plan.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/placement.h"

#include <math.h>

/* How far the RMSE of a fit on landmarks lay above that of the exact fit (docs/math.md, "Large n"): 20,000 rows of a noisy and of
 * a smooth system, at most, and of one that has nearly no noise. Below the first number nothing was measured. */
typedef struct landmark_error {
    int64_t landmarks;
    double usual, noise_free;
} landmark_error;
static const landmark_error measured_errors[] = {
    {4000, 0.04, 0.17}, {2000, 0.09, 0.32}, {1000, 0.19, 0.44}, {500, 0.47, 0.79}};

static void expect_errors(int64_t n, int64_t landmarks, volt_solver_plan *plan)
{
    plan->error = plan->noise_free_error = landmarks >= n ? 0 : NAN;
    for (size_t i = 0; i < sizeof measured_errors / sizeof *measured_errors; i++)
        if (isnan(plan->error) && landmarks >= measured_errors[i].landmarks) {
            plan->error = measured_errors[i].usual;
            plan->noise_free_error = measured_errors[i].noise_free;
        }
}

/* A fit in the Gram matrix, or in states. */
static volt_status plan_rows(const volt_planned *fit, const char *name, const volt_solver *solver, int measure,
                             volt_solver_plan *plan)
{
    volt_plan made = {.struct_size = sizeof made};
    VOLT_TRY(volt_plan_with(fit->kernel, solver, fit->n, fit->d, fit->q, measure, fit->backend, &made));
    bool there = made.on_device && made.device_factor_seconds > 0;
    *plan = (volt_solver_plan){.name = name,
                               .bytes = made.fit_bytes,
                               .seconds = there ? made.device_gram_seconds + made.device_factor_seconds
                                                : made.gram_seconds + made.factor_seconds,
                               .fits = !(made.available_bytes > 0 && made.fit_bytes > made.available_bytes)};
    return VOLT_OK;
}

/* Two walks past the landmarks and the rows before them, at the price of an entry of the exact fit's triangle, and the
 * sums. */
static volt_status plan_landmarks(const volt_planned *fit, int64_t landmarks, int measure,
                                  volt_solver_plan *plan)
{
    double n = (double)fit->n, m = (double)landmarks, seconds = 0;
    int64_t walked = 0;
    volt_plan exact = {.struct_size = sizeof exact};
    VOLT_TRY(volt_plan_with(fit->kernel, &volt_solver_cholesky, fit->n, fit->d, fit->q, measure, fit->backend,
                            &exact));
    if (measure)
        VOLT_TRY(volt_solver_nystrom.seconds(n, m, &seconds));
    VOLT_TRY(volt_plan_columns(fit->kernel, fit->d, landmarks, &walked));
    double columns = fmin(n, (double)walked);
    double bytes =
        volt_nystrom_fit_bytes(n, (double)(fit->d * volt_kernel_slices(fit->kernel)), (double)fit->q, m);
    *plan = (volt_solver_plan){.name = "nystrom",
                               .bytes = bytes,
                               .seconds = seconds + 2 * exact.gram_seconds * (2 * columns / n),
                               .landmarks = landmarks,
                               .fits = !(exact.available_bytes > 0 && bytes > exact.available_bytes)};
    expect_errors(fit->n, landmarks, plan);
    return VOLT_OK;
}

/* A preconditioner of landmarks, and steps that each make all entries of the triangle again. */
static volt_status plan_iteration(const volt_planned *fit, int measure, volt_solver_plan *plan)
{
    double n = (double)fit->n, q = (double)fit->q, available = (double)volt_memory_available(), seconds = 0;
    int64_t landmarks = volt_pcg_landmarks(fit->n);
    volt_plan rows = {.struct_size = sizeof rows};
    VOLT_TRY(volt_plan_with(fit->kernel, &volt_solver_cholesky, fit->n, fit->d, fit->q, measure, fit->backend,
                            &rows));
    if (measure)
        VOLT_TRY(volt_solver_pcg.seconds(n, (double)landmarks, &seconds));
    double bytes =
        volt_pcg_fit_bytes(n, (double)(fit->d * volt_kernel_slices(fit->kernel)), q, (double)landmarks);
    *plan = (volt_solver_plan){.name = "pcg",
                               .bytes = bytes,
                               .seconds = seconds + VOLT_PCG_EXPECTED * rows.gram_seconds,
                               .landmarks = landmarks,
                               .fits = !(available > 0 && bytes > available)};
    return VOLT_OK;
}

/* As volt_fit_way_choose does where a fit has no other options: the first of the exact ones that is there, unless that is too
 * much. */
static void take_one(const volt_planned *fit, const volt_plan *plan, bool has_states, volt_solver_plans *plans)
{
    const char *why = volt_exact_is_too_much(fit->n, (double)fit->q, plan->fit_bytes, plan);
    int64_t taken = 0; /* exact */
    bool in_states = !why && has_states && plan->fit_bytes == plans->solver[2].bytes;
    if (why && fit->n >= VOLT_LEAST_LARGE && plans->solver[1].fits)
        taken = 1;
    else if (in_states)
        taken = 2;
    plans->taken = taken;
    plans->why = taken == 2   ? "the states of the kernel are few: exact, without a matrix of all rows"
                 : taken == 1 ? why
                 : !why       ? "it fits in memory, and is exact"
                 : fit->n < VOLT_LEAST_LARGE ? "the rows are too few for landmarks"
                                             : "nothing else fits in memory either";
}

static volt_status plan_solvers(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, int64_t landmarks,
                                int measure, volt_solver_plans *plans)
{
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the plans of the solvers need a kernel, which is NULL");
    VOLT_REQUIRE(n > 0 && landmarks >= 0 && landmarks <= n, VOLT_ERR_ARGUMENT,
                 "there are to be %lld landmarks, and there can be 1 to %lld, the rows", (long long)landmarks,
                 (long long)n);
    volt_planned fit = {.kernel = kernel, .n = n, .d = d, .q = q};
    fit.backend = volt_place(&(volt_work){.n = n, .d = d, .factors = 1});
    volt_solver_plans made = {.struct_size = sizeof(volt_solver_plans), .count = 2};
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_at(kernel, n, d, q, 0, fit.backend, &plan));
    VOLT_TRY(plan_rows(&fit, "exact", &volt_solver_cholesky, measure, &made.solver[0]));
    VOLT_TRY(plan_landmarks(&fit, volt_landmark_count(landmarks, n), measure, &made.solver[1]));
    int64_t states = 0;
    VOLT_TRY(volt_plan_states(kernel, d, &states));
    if (states > 0)
        VOLT_TRY(plan_rows(&fit, "features", &volt_solver_features, measure, &made.solver[made.count++]));
    VOLT_TRY(plan_iteration(&fit, measure, &made.solver[made.count++]));
    take_one(&fit, &plan, states > 0, &made);
    return volt_result_give(plans, &made, sizeof made, "volt_solver_plans");
}

volt_status volt_plan_fit(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, int64_t landmarks,
                          int measure, volt_plan *plan, volt_solver_plans *solvers)
{
    volt_plan made = {.struct_size = sizeof made};
    VOLT_REQUIRE(plan, VOLT_ERR_ARGUMENT, "there is no place for the plan");
    VOLT_TRY(volt_plan_placed(kernel, n, d, q, measure, &made));
    if (solvers)
        VOLT_TRY(plan_solvers(kernel, n, d, q, landmarks, measure, solvers));
    return volt_result_give(plan, &made, sizeof made, "volt_plan");
}
