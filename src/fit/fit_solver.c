/* src/fit/fit_solver.c: chooses the solver of a fit: exact when memory and time allow, otherwise
 * approximate. */
#include "fit/fit_task.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/plan.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static volt_solver_request request_of(const volt_kernel *kernel, const volt_fit_options *options, bool loss)
{
    return (volt_solver_request){.loss = loss,
                                 .factor = options->keep_factor,
                                 .centred = !options->intercept && volt_kernel_is_centred(kernel),
                                 .landmarks = options->landmarks != 0,
                                 .iterations = options->iterations > 0,
                                 .checkpoint = options->checkpoint != NULL,
                                 .tolerance = options->tolerance};
}

volt_status volt_fit_solver_check(const volt_kernel *kernel, bool loss, fit_task *task)
{
    const volt_fit_options *options = task->options;
    volt_solver_request request = request_of(kernel, options, loss);
    int64_t fitted_rows = task->X.rows - options->washout;
    VOLT_TRY(volt_solver_parse(options->solver, &request, &task->solver));
    VOLT_REQUIRE((int)options->landmark_choice >= VOLT_LANDMARKS_SPREAD &&
                     options->landmark_choice <= VOLT_LANDMARKS_RANDOM,
                 VOLT_ERR_ARGUMENT, "unknown landmark choice %d", (int)options->landmark_choice);
    VOLT_REQUIRE(options->landmarks >= VOLT_LANDMARKS_AUTO && options->landmarks <= fitted_rows,
                 VOLT_ERR_ARGUMENT,
                 "the number of landmarks must be 1 to %" PRId64
                 ", the rows after the washout, or automatic (got %" PRId64 ")",
                 fitted_rows, options->landmarks);
    VOLT_REQUIRE(options->iterations >= 0, VOLT_ERR_ARGUMENT,
                 "the number of iterations must be at least 1, or 0 for the default (got %" PRId64 ")",
                 options->iterations);
    VOLT_REQUIRE(options->checkpoint_seconds >= 0 && isfinite(options->checkpoint_seconds), VOLT_ERR_ARGUMENT,
                 "checkpoint_seconds must be at least 0 (got %g)", options->checkpoint_seconds);
    return VOLT_OK;
}

/* Bytes of a fit in the Gram matrix or in states, as planned, plus what the options add. */
static double planned_bytes(const fit_task *task, const volt_plan *plan)
{
    enum { BESIDE_CHANGES = 6 }; /* naive errors, levels, both sets of targets, and the solves of the second */
    double n = (double)task->X.rows, q = (double)task->Y.cols;
    return plan->fit_bytes + (task->chooses && task->change ? 8.0 * BESIDE_CHANGES * n * q : 0) +
           (task->options->keep_factor ? plan->factor_bytes : 0);
}

/* Requires the planned memory. The error message includes the number of rows that would fit. */
static volt_status require_planned(const fit_task *task, double bytes, const volt_plan *plan)
{
    int64_t n = task->X.rows;
    char what[96], first[256];
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows", n);
    volt_status status = volt_memory_require(bytes, what);
    if (status == VOLT_OK)
        return plan->on_device ? volt_place_require(task->backend, n, what) : VOLT_OK;
    snprintf(first, sizeof first, "%s", volt_error_detail());
    return volt_fail(status, "%s; up to %" PRId64 " rows would fit", first, plan->n_that_fits);
}

/* Memory of a solver that reads the rows in blocks. */
static volt_status require_walk(const volt_kernel *kernel, const fit_task *task, int64_t columns,
                                const volt_solver *solver, volt_solver_choice *choice)
{
    enum { COLUMNS = 8 }; /* per landmark */
    int64_t n = task->X.rows, fitted_rows = n - task->options->washout;
    int64_t landmarks = volt_solver_landmarks(solver, task->options->landmarks, fitted_rows);
    bool keeps_landmarks = volt_solver_keeps_landmarks(solver);
    double width = (double)(columns * volt_kernel_slices(kernel));
    double bytes = volt_solver_fit_bytes(solver, (double)n, width, (double)task->Y.cols, (double)landmarks);
    if (task->options->feedback_weight > 0 && keeps_landmarks) /* fed-back targets require all rows */
        bytes += 8 * (double)n * width;
    *choice = (volt_solver_choice){.solver = solver,
                                   .landmarks = keeps_landmarks ? landmarks : 0,
                                   .preconditioner_landmarks = keeps_landmarks ? 0 : landmarks};
    bool on_device = !keeps_landmarks &&
                     volt_place_features(task->backend, n, landmarks, COLUMNS * landmarks) != &volt_cpu_backend;
    if (on_device) /* the features of all rows */
        bytes -= 8 * (double)n * (double)landmarks;
    char what[128];
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows by %s with %" PRId64 " landmarks", n,
             solver->info.name, landmarks);
    return volt_memory_require(bytes, what);
}

const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan)
{
    bool stores = !plan->on_device && bytes >= volt_solver_exact.bytes((double)n, q, 0);
    if (plan->available_bytes > 0 && bytes > plan->available_bytes)
        return "an exact fit does not fit in memory";
    return stores && n > VOLT_MAX_EXACT ? "an exact fit would take hours" : NULL;
}

volt_status volt_fit_solver_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                   volt_solver_choice *choice)
{
    const volt_fit_options *options = task->options;
    const volt_solver *solver = task->solver, *approximate = volt_solver_approximate();
    int64_t n = task->X.rows, q = task->Y.cols;
    if (solver && volt_solver_recomputes(solver))
        return require_walk(kernel, task, columns, solver, choice);
    if (!solver && (loss || options->keep_factor)) /* the factor belongs to rows, even when the kernel has
                                                    * states */
        solver = volt_solver_choose(n, q, 0, loss, volt_solver_available(task->backend, n));
    *choice = (volt_solver_choice){.solver = solver};
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(kernel, solver, n, columns, q, 0, task->backend, &plan));
    double bytes = planned_bytes(task, &plan);
    const char *why = volt_exact_is_too_much(n, (double)q, bytes, &plan);
    volt_solver_request request = request_of(kernel, options, loss);
    if (why && !task->solver && n >= VOLT_MIN_LARGE && volt_solver_check(approximate, &request) == VOLT_OK) {
        volt_solver_choice other;
        if (require_walk(kernel, task, columns, approximate, &other) == VOLT_OK) {
            volt_log(VOLT_LOG_WARNING, "the solver is %s, with %" PRId64 " landmarks: %s",
                     approximate->info.name, other.landmarks, why);
            *choice = other;
            return VOLT_OK;
        }
    }
    return require_planned(task, bytes, &plan);
}
