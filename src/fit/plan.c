/* src/fit/plan.c: estimates memory and time of a fit on this machine.
 *
 * Memory follows from the allocations in fit.c and the estimate of the solver. Times are extrapolated from a
 * small Gram matrix and a small trial of the solver, which take a fifth of a second together. */
#include "fit/plan.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "fit/fit_task.h"
#include "fit/landmarks.h"
#include "gram/engine/engine.h"
#include "gram/engine/state.h"
#include "model/model_internal.h"
#include "solve/landmark/placement.h"
#include "solve/solver_table.h"
#include "volterra/model.h"

#include <inttypes.h>
#include <math.h>

/* ---- the plan of a fit -------------------------------------------------------------------------- */

typedef struct planned_fit {
    const volt_kernel *kernel; /* kernel to time */
    const volt_kernel *widest; /* kernel that takes at least as much memory */
    volt_resolved resolved;    /* `widest`, resolved without inputs, for memory estimates */
    const volt_solver *solver; /* NULL: the default */
    const volt_backend *backend;
    double d, q;
} planned_fit;

/* Whether the back end of the fit stores the matrix. */
static bool stores_matrix(const planned_fit *fit)
{
    return fit->solver->needs.matrix && fit->solver->accepts.device;
}

/* Bytes of the matrix of n rows on the device. */
static double device_bytes(const planned_fit *fit, double n)
{
    return stores_matrix(fit) ? volt_backend_remote_bytes(fit->backend, 8 * n * n) : 0;
}

/* Scaled inputs, targets, coefficients and errors of the rows, in addition to engine and solver.
 * PLAIN_NUMBERS covers buffers of fixed size. */
enum { PLAIN_NUMBERS = 16384 };

/* Peak memory of a fit, in bytes. */
static double fit_bytes(const planned_fit *fit, int64_t n)
{
    double states = (double)volt_states_count(&fit->resolved);
    double rows = fit->solver->needs.states ? 8 * (double)n * (double)fit->resolved.d
                                            : volt_engine_bytes(&fit->resolved, n, n);
    return 8 * ((double)n * (fit->d + 4 * fit->q + 2) + PLAIN_NUMBERS) + rows +
           fit->solver->bytes((double)n, fit->q, states) - device_bytes(fit, (double)n);
}

/* Largest n whose fit takes at most `bytes`. */
static int64_t rows_within(const planned_fit *fit, double bytes)
{
    int64_t fits = 0, does_not = 1;
    while (fit_bytes(fit, does_not) <= bytes) {
        fits = does_not;
        does_not *= 2;
    }
    while (does_not - fits > 1) {
        int64_t middle = fits + (does_not - fits) / 2;
        if (fit_bytes(fit, middle) <= bytes)
            fits = middle;
        else
            does_not = middle;
    }
    return fits;
}

enum {
    TRIAL_ROWS = 1536,
    EXPENSIVE_ROWS = 256, /* for kernels with expensive entries */
    TRIAL_REPEATS = 3,
    MAX_RESOLVED = 1 << 20 /* inputs: beyond this, rounding of inner products invalidates the bound */
};

/* Resolves the kernel without inputs, so bounds on its parameters are not checked; with its weights, or in
 * outline. */
typedef volt_status (*resolve_fn)(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                  volt_resolved *resolved);

static volt_status resolve(const volt_kernel *kernel, int64_t d, resolve_fn resolve_slices,
                           volt_resolved *resolved)
{
    volt_extent extents[VOLT_MAX_FACTORS];
    for (int s = 0; s < VOLT_MAX_FACTORS; s++)
        extents[s] = (volt_extent){.radius = 0, .largest = 1};
    VOLT_TRY(resolve_slices(kernel, extents, volt_min(d, MAX_RESOLVED), resolved));
    resolved->d = d * volt_kernel_slices(kernel);
    return VOLT_OK;
}

/* Deterministic inputs inside the unit ball that give a well conditioned matrix. */
static void fill_trial(double *X, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            X[i * d + k] = sin((double)(i * d + k) * 12.9898) / sqrt((double)d);
}

static volt_status time_gram(const volt_kernel *kernel, volt_view X, volt_matrix K, double *seconds)
{
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .mirror = 0};
    double best = INFINITY;
    for (int repeat = 0; repeat < TRIAL_REPEATS; repeat++) {
        double start = volt_seconds();
        VOLT_TRY(volt_gram(kernel, X, volt_view_of(NULL, 0, 0), &options, K));
        best = fmin(best, volt_seconds() - start);
    }
    *seconds = best;
    return VOLT_OK;
}

/* Seconds per row of the reservoirs, on zero inputs. */
static volt_status time_states(const volt_resolved *resolved, double *each)
{
    enum { ROWS = 64 };
    volt_columns *states = NULL;
    volt_state *kernel_state = NULL;
    double *Z = volt_alloc_zero(ROWS * resolved->d, sizeof *Z);
    volt_status status = Z ? volt_states_columns(resolved, &states) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_state_create(resolved, states, ROWS, &kernel_state);
    *each = INFINITY;
    for (int repeat = 0; repeat < TRIAL_REPEATS && status == VOLT_OK; repeat++) {
        double start = volt_seconds();
        status = volt_state_seek(kernel_state, volt_view_of(Z, ROWS, resolved->d));
        *each = fmin(*each, (volt_seconds() - start) / ROWS);
    }
    volt_state_free(kernel_state);
    volt_columns_free(states);
    volt_free(Z);
    return status;
}

/* Two passes of the rows through the reservoirs. The choice of alpha uses few rows and is ignored. */
static volt_status measure_states(const planned_fit *fit, double n, int64_t d, volt_plan *plan)
{
    double each = 0, states = (double)volt_states_count(&fit->resolved);
    volt_resolved resolved = {0};
    VOLT_TRY(resolve(fit->kernel, d, volt_kernel_resolve_slices, &resolved));
    volt_status status = time_states(&resolved, &each);
    volt_resolved_release(&resolved);
    VOLT_TRY(status);
    VOLT_TRY(fit->solver->seconds(n, states, &plan->factor_seconds));
    plan->gram_seconds = 2 * n * each;
    plan->stream_seconds = each;
    plan->choose_seconds = 0;
    return VOLT_OK;
}

static volt_status measure(const planned_fit *fit, double n, int64_t d, volt_plan *plan)
{
    if (fit->solver->needs.states)
        return measure_states(fit, n, d, plan);
    int64_t rows = volt_engine_of(&fit->resolved, TRIAL_ROWS)->is_expensive ? EXPENSIVE_ROWS : TRIAL_ROWS;
    double *X = volt_alloc_doubles(rows, d), *K = volt_alloc_doubles(rows, rows);
    volt_status status = X && K ? VOLT_OK : VOLT_ERR_MEMORY;
    double gram = 0;
    if (status == VOLT_OK) {
        fill_trial(X, rows, d);
        status = time_gram(fit->kernel, volt_view_of(X, rows, d), volt_matrix_of(K, rows, rows), &gram);
    }
    if (status == VOLT_OK) {
        double ratio = n / (double)rows;
        plan->gram_seconds = gram * ratio * ratio;
        /* A step computes a row of the Gram matrix on one thread and passes over it q times. */
        double entry = gram / ((double)rows * (double)rows / 2) * (double)volt_threads();
        plan->stream_seconds = n * entry * (1 + fit->q / ((double)d + 8));
        status = fit->solver->seconds(n, (double)volt_states_count(&fit->resolved), &plan->factor_seconds);
        plan->choose_seconds = VOLT_MAX_ALPHAS * plan->factor_seconds * pow(volt_choice_rows(n) / n, 3);
    }
    volt_free(K);
    volt_free(X);
    return status;
}

/* Plans the device of the fit and, when measured, one where it could run. */
static void plan_device(const planned_fit *fit, int64_t n, int64_t d, int measured, volt_plan *plan)
{
    volt_device_plan device = {0};
    bool on_device = device_bytes(fit, (double)n) > 0;
    if (stores_matrix(fit) && (measured || on_device))
        volt_device_plan_make(&(volt_work){.n = n, .d = d, .factors = 1}, &device);
    plan->on_device = device.backend && on_device;
    plan->device_bytes = device.bytes;
    plan->device_available_bytes = device.available;
    plan->device_n_that_fits = device.n_that_fits;
    plan->device_gram_seconds = device.gram_seconds;
    plan->device_factor_seconds = device.factor_seconds;
    if (plan->on_device && device.n_that_fits > 0)
        plan->n_that_fits = volt_min(plan->n_that_fits, device.n_that_fits);
}

static volt_status make_plan(planned_fit *fit, int64_t n, int64_t d, int64_t q, int measured, volt_plan *plan)
{
    VOLT_REQUIRE(plan, VOLT_ERR_ARGUMENT, "plan is NULL");
    VOLT_REQUIRE(n > 0 && d > 0 && q > 0, VOLT_ERR_ARGUMENT,
                 "n = %" PRId64 ", d = %" PRId64 " and q = %" PRId64 " must all be at least 1", n, d, q);
    fit->d = (double)d;
    fit->q = (double)q;
    VOLT_TRY(resolve(fit->widest, d, volt_kernel_outline_slices, &fit->resolved));
    volt_blas_use use;
    volt_status claimed = volt_blas_claim(&use); /* excludes memory that BLAS allocates */
    if (claimed != VOLT_OK) {
        volt_resolved_release(&fit->resolved);
        return claimed;
    }
    double available = (double)volt_memory_available();
    if (!fit->solver)
        fit->solver = volt_solver_choose(n, q, volt_states_count(&fit->resolved), false,
                                         volt_solver_available(fit->backend, n));
    volt_plan made = {
        .struct_size = sizeof(volt_plan),
        .fit_bytes = fit_bytes(fit, n),
        .model_bytes = 8 * ((double)n * ((double)d + 2 * (double)q + 2) + (double)d + 4 * (double)q +
                            fmin((double)n, VOLT_INTERVAL_SCORES) * ((double)q + 1)),
        .available_bytes = available,
        .factor_bytes = 4 * (double)n * ((double)n + 3),
    };
    made.n_that_fits = rows_within(fit, available);
    plan_device(fit, n, d, measured, &made);
    volt_status status = measured ? measure(fit, (double)n, d, &made) : VOLT_OK;
    volt_blas_release(&use);
    volt_resolved_release(&fit->resolved);
    if (status == VOLT_OK)
        *plan = made;
    return status;
}

static const volt_backend *place(int64_t n, int64_t d)
{
    return volt_place(&(volt_work){.n = n, .d = d, .factors = 1});
}

volt_status volt_plan_with(const volt_kernel *kernel, const volt_solver *solver, int64_t n, int64_t d,
                           int64_t q, int measured, const volt_backend *backend, volt_plan *plan)
{
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "kernel is NULL");
    planned_fit fit = {.kernel = kernel, .widest = kernel, .solver = solver, .backend = backend};
    return make_plan(&fit, n, d, q, measured, plan);
}

/* Size of the explicit states of the kernel on d columns (0: none), and the number of columns of m landmarks
 * in runs, ghosts included. */
static volt_status plan_states(const volt_kernel *kernel, int64_t d, int64_t *states)
{
    volt_resolved resolved = {0};
    VOLT_TRY(resolve(kernel, d, volt_kernel_outline_slices, &resolved));
    *states = volt_states_count(&resolved);
    volt_resolved_release(&resolved);
    return VOLT_OK;
}

volt_status volt_plan_columns(const volt_kernel *kernel, int64_t d, int64_t landmarks, int64_t *columns)
{
    volt_resolved resolved = {0};
    VOLT_TRY(resolve(kernel, d, volt_kernel_outline_slices, &resolved));
    int64_t runs = (landmarks + VOLT_LANDMARK_RUN - 1) / VOLT_LANDMARK_RUN;
    *columns = landmarks + runs * volt_landmark_memory(&resolved);
    volt_resolved_release(&resolved);
    return VOLT_OK;
}

/* Covers every lift of volterra: distances take the most memory. */
static volt_status plan_volterra(int64_t n, int64_t d, int64_t q, int measured, volt_plan *plan)
{
    volt_kernel *kernel = NULL, *widest = NULL;
    volt_status status = volt_kernel_parse("volterra", &kernel);
    if (status == VOLT_OK)
        status = volt_kernel_parse("volterra:lift=rbf", &widest);
    if (status == VOLT_OK) {
        planned_fit fit = {.kernel = kernel, .widest = widest, .backend = place(n, d)};
        status = make_plan(&fit, n, d, q, measured, plan);
    }
    volt_kernel_free(widest);
    volt_kernel_free(kernel);
    return status;
}

/* ---- plans of the solvers ----------------------------------------------------------------------- */

/* Memory and time of every solver for the same fit, and the default solver. */

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
    VOLT_TRY(plan_states(fit->kernel, fit->d, &fit->states));
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
    VOLT_TRY(kernel ? volt_plan_with(kernel, NULL, n, d, q, measure, place(n, d), &made)
                    : plan_volterra(n, d, q, measure, &made));
    planned_task fit = {kernel, n, d, q, landmarks, 0, measure, NULL};
    if (solvers)
        VOLT_TRY(plan_solvers(&fit, solvers));
    return volt_result_copy(plan, &made, sizeof made, "volt_plan");
}
