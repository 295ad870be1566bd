/* src/model/fit/fit_solver.c: exact where that fits and pays, else by landmarks. */
#include "model/fit/fit_solver.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/fit/landmarks.h"
#include "model/fit/plan.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

double volt_nystrom_fit_bytes(double n, double d, double q, double landmarks)
{
    /* Targets, coefficients, fitted values, inputs being scaled block by block; of the columns an estimate, which is small
     * beside the rest. */
    return 8 * (n * (4 * q + 2) + 64 * landmarks * (d + 4)) + volt_solver_nystrom.bytes(n, q, landmarks);
}

double volt_pcg_fit_bytes(double n, double d, double q, double landmarks)
{
    /* All rows are there, scaled, and the model has them as columns and with the state of their past. */
    return volt_nystrom_fit_bytes(n, d, q, landmarks) + volt_pcg_bytes(n, q, landmarks) + 8 * n * (3 * d + 8);
}

volt_fit_solver volt_fit_solver_of(const volt_solver *solver)
{
    return solver == &volt_solver_nystrom    ? VOLT_SOLVER_NYSTROM
           : solver == &volt_solver_features ? VOLT_SOLVER_FEATURES
           : solver == &volt_solver_pcg      ? VOLT_SOLVER_PCG
                                             : VOLT_SOLVER_EXACT;
}

/* Is it asked for by name, and has landmarks? */
static bool has_landmarks(const volt_fit_options *options)
{
    return options->solver == VOLT_SOLVER_NYSTROM || options->solver == VOLT_SOLVER_PCG;
}

/* What the options of conjugate gradients say. */
static volt_status check_iteration(const volt_fit_options *options)
{
    bool iterates = options->solver == VOLT_SOLVER_PCG;
    VOLT_REQUIRE(options->iterations >= 0, VOLT_ERR_ARGUMENT,
                 "there are to be %" PRId64
                 " iterations, and there must be at least 1, or 0 for the usual number",
                 options->iterations);
    VOLT_REQUIRE(options->iterations == 0 || iterates, VOLT_ERR_ARGUMENT,
                 "iterations are for the solver \"pcg\"");
    VOLT_REQUIRE(!options->checkpoint || iterates, VOLT_ERR_ARGUMENT, "a checkpoint is for the solver \"pcg\"");
    VOLT_REQUIRE(options->checkpoint_seconds >= 0 && isfinite(options->checkpoint_seconds), VOLT_ERR_ARGUMENT,
                 "a checkpoint is to be written every %g seconds, and that must be at least 0",
                 options->checkpoint_seconds);
    VOLT_REQUIRE(!iterates || (options->tolerance >= 0 && options->tolerance < 1), VOLT_ERR_ARGUMENT,
                 "the tolerance is %g, and must lie between 0 and 1", options->tolerance);
    return VOLT_OK;
}

static volt_status check_landmarks(const volt_kernel *kernel, const fit_task *task, bool loss)
{
    const volt_fit_options *options = task->options;
    int64_t kept = task->X.rows - options->washout;
    VOLT_REQUIRE(options->landmarks >= 0 && options->landmarks <= kept, VOLT_ERR_ARGUMENT,
                 "there are to be %" PRId64 " landmarks, and there can be 1 to %" PRId64
                 ", the rows after the washout",
                 options->landmarks, kept);
    if (!has_landmarks(options))
        return VOLT_OK;
    const char *name = options->solver == VOLT_SOLVER_PCG ? "pcg" : "nystrom";
    VOLT_REQUIRE(
        !loss, VOLT_ERR_ARGUMENT,
        "the solver \"%s\" is for squares; other losses and weights are fitted by the solver \"exact\" "
        "alone, on fewer rows where memory is short",
        name);
    VOLT_REQUIRE(!options->keep_factor, VOLT_ERR_ARGUMENT,
                 "the solver \"%s\" has no factor of the Gram matrix that could be kept", name);
    VOLT_REQUIRE(options->intercept || !volt_kernel_is_centred(kernel), VOLT_ERR_ARGUMENT,
                 "the solver \"%s\" takes a centred kernel only with an intercept", name);
    return VOLT_OK;
}

volt_status volt_fit_way_check(const volt_kernel *kernel, const fit_task *task, bool loss)
{
    const volt_fit_options *options = task->options;
    VOLT_REQUIRE((int)options->solver >= VOLT_SOLVER_AUTO && options->solver <= VOLT_SOLVER_PCG,
                 VOLT_ERR_ARGUMENT, "there is no solver number %d", (int)options->solver);
    VOLT_REQUIRE((int)options->landmark_choice >= VOLT_LANDMARKS_SPREAD &&
                     options->landmark_choice <= VOLT_LANDMARKS_RANDOM,
                 VOLT_ERR_ARGUMENT, "there is no choice of landmarks number %d", (int)options->landmark_choice);
    VOLT_REQUIRE(options->landmarks == 0 || has_landmarks(options) || options->solver == VOLT_SOLVER_AUTO,
                 VOLT_ERR_ARGUMENT, "landmarks are for the solvers \"nystrom\" and \"pcg\"");
    VOLT_TRY(check_iteration(options));
    VOLT_REQUIRE(!loss || options->solver == VOLT_SOLVER_AUTO || options->solver == VOLT_SOLVER_EXACT ||
                     has_landmarks(options),
                 VOLT_ERR_ARGUMENT, "the solver \"features\" is for squares, and not for other losses");
    return check_landmarks(kernel, task, loss);
}

/* Bytes of an exact fit, as planned, with what the options add. */
static double exact_bytes(const fit_task *task, const volt_plan *plan, bool loss)
{
    enum {
        BESIDE_CHANGES = 6
    }; /* naive errors, levels, both targets side by side, and the solves of the second */
    double n = (double)task->X.rows, q = (double)task->Y.cols, bytes = plan->fit_bytes;
    double stored = volt_solver_cholesky.bytes(n, q, 0), here = stored - (plan->on_device ? 8 * n * n : 0);
    if (loss) { /* whatever solver the plan is for */
        double whole = volt_solver_loss.bytes(n, q, 0);
        bytes = fmax(bytes + whole - stored, whole);
    }
    if (task->chooses && task->change)
        bytes += 8.0 * BESIDE_CHANGES * n * q;
    if (task->options->keep_factor)
        bytes = fmax(bytes, here) + plan->factor_bytes;
    if (task->options->solver == VOLT_SOLVER_EXACT)
        bytes = fmax(bytes, here);
    return bytes;
}

/* With the number of rows that would do. */
static volt_status require_exact(const fit_task *task, double bytes, const volt_plan *plan)
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

/* May landmarks stand for the rows where nobody has said? */
static bool may_approximate(const volt_kernel *kernel, const fit_task *task, bool loss)
{
    const volt_fit_options *options = task->options;
    return options->solver == VOLT_SOLVER_AUTO && !loss && !options->keep_factor &&
           task->X.rows >= VOLT_LEAST_LARGE && (options->intercept || !volt_kernel_is_centred(kernel));
}

static volt_status require_landmarks(const volt_kernel *kernel, const fit_task *task, int64_t columns,
                                     volt_fit_way *way)
{
    int64_t n = task->X.rows;
    char what[128];
    way->solver = &volt_solver_nystrom;
    way->landmarks = volt_landmark_count(task->options->landmarks, n - task->options->washout);
    double width = (double)(columns * volt_kernel_slices(kernel));
    double bytes = volt_nystrom_fit_bytes((double)n, width, (double)task->Y.cols, (double)way->landmarks);
    if (task->options->feedback_weight > 0) /* targets that come back need all rows */
        bytes += 8 * (double)n * width;
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows with %" PRId64 " landmarks", n, way->landmarks);
    return volt_memory_require(bytes, what);
}

static volt_status require_iteration(const volt_kernel *kernel, const fit_task *task, int64_t columns,
                                     volt_fit_way *way)
{
    int64_t n = task->X.rows, kept = n - task->options->washout, wanted = task->options->landmarks;
    char what[128];
    way->solver = &volt_solver_pcg;
    way->beside = wanted > 0 ? wanted : volt_pcg_landmarks(kept);
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows by conjugate gradients with %" PRId64 " landmarks",
             n, way->beside);
    return volt_memory_require(volt_pcg_fit_bytes((double)n, (double)(columns * volt_kernel_slices(kernel)),
                                                  (double)task->Y.cols, (double)way->beside),
                               what);
}

const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan)
{
    bool stores = !plan->on_device && bytes >= volt_solver_cholesky.bytes((double)n, q, 0);
    if (plan->available_bytes > 0 && bytes > plan->available_bytes)
        return "an exact fit does not fit in memory";
    return stores && n > VOLT_MOST_EXACT ? "an exact fit would take hours" : NULL;
}

volt_status volt_fit_way_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                volt_fit_way *way)
{
    const volt_fit_options *options = task->options;
    int64_t n = task->X.rows;
    *way = (volt_fit_way){.solver = options->solver == VOLT_SOLVER_EXACT      ? &volt_solver_cholesky
                                    : options->solver == VOLT_SOLVER_FEATURES ? &volt_solver_features
                                                                              : NULL};
    if (options->solver == VOLT_SOLVER_NYSTROM)
        return require_landmarks(kernel, task, columns, way);
    if (options->solver == VOLT_SOLVER_PCG)
        return require_iteration(kernel, task, columns, way);
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_at(kernel, n, columns, task->Y.cols, 0, task->backend, &plan));
    double bytes = exact_bytes(task, &plan, loss);
    const char *why = volt_exact_is_too_much(n, (double)task->Y.cols, bytes, &plan);
    if (may_approximate(kernel, task, loss) && why) {
        volt_status status = require_landmarks(kernel, task, columns, way);
        if (status == VOLT_OK) {
            volt_log(VOLT_LOG_WARNING, "the solver is nystrom, with %" PRId64 " landmarks: %s", way->landmarks,
                     why);
            return VOLT_OK;
        }
    }
    return require_exact(task, bytes, &plan);
}
