/* src/select/search/climb.c: maximises the evidence from one candidate, by gradient.
 *
 * The objective is minus the evidence over n q, so that its slopes are of order one for any data. A point
 * without a value (for example a matrix that is not positive definite) counts as far worse than the start,
 * with zero gradient, so that the line search returns. */
#include "select/search/search_run.h"

#include "base/error.h"
#include "base/memory.h"
#include "select/candidates/space.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

static const double min_gain = 1e-3; /* of the evidence: smaller gains are insignificant */
static const double far_worse = 100; /* of the objective: a factor e^100 per row */

typedef struct climber {
    const volt_kernel *start;
    double start_alpha;
    volt_coordinate coordinates[VOLT_MAX_AXES];
    int64_t count;
    volt_evidence_task task;
    double size; /* n q */
    double worst;
    int64_t evaluations, most;
    volt_climb_fn on_step;
    void *context;
    nlopt_opt optimiser;
    volt_status status; /* reason for the end */
} climber;

/* The kernel text and alpha at z, and d value / dz of every coordinate. */
static volt_status point_at(const climber *climb, const double *z, char text[VOLT_EXPRESSION_LENGTH],
                            double *alpha, double *slopes)
{
    const char *names[VOLT_MAX_AXES];
    double values[VOLT_MAX_AXES];
    int64_t count = 0;
    *alpha = climb->start_alpha;
    for (int64_t i = 0; i < climb->count; i++) {
        const volt_coordinate *c = &climb->coordinates[i];
        double value = volt_coordinate_value(c, z[i], &slopes[i]);
        if (volt_name_is_alpha(c->name)) {
            *alpha = value;
        } else {
            names[count] = c->name;
            values[count++] = value;
        }
    }
    return volt_kernel_with(climb->start, count, names, values, text);
}

/* The variables of the kernel that are coordinates, and their coordinate indices. */
static int64_t wanted_variables(const climber *climb, const volt_kernel *kernel, volt_variable *variables,
                                int64_t *which)
{
    int64_t all = volt_kernel_variables(kernel, VOLT_MAX_VARIABLES, variables), count = 0;
    for (int64_t v = 0; v < all; v++)
        for (int64_t i = 0; i < climb->count; i++)
            if (volt_same_parameter(variables[v].name, climb->coordinates[i].name)) {
                which[count] = i;
                variables[count++] = variables[v];
                break;
            }
    return count;
}

/* The evidence of a kernel, and its derivatives with respect to the coordinates. */
static volt_status evaluate(climber *climb, const char *text, double alpha, const double *slopes,
                            double *gradient)
{
    volt_variable variables[VOLT_MAX_VARIABLES];
    int64_t which[VOLT_MAX_VARIABLES];
    volt_kernel *kernel = NULL;
    volt_evidence_task *task = &climb->task;
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    task->kernel = kernel;
    task->alpha = alpha;
    task->gradient = true;
    task->variables = variables;
    const int64_t count = wanted_variables(climb, kernel, variables, which);
    task->n_variables = count;
    volt_status status = volt_evidence_evaluate(task);
    for (int64_t i = 0; i < climb->count; i++)
        gradient[i] = volt_name_is_alpha(climb->coordinates[i].name) ? slopes[i] * task->by_alpha : 0;
    for (int64_t v = 0; v < count; v++)
        gradient[which[v]] = slopes[which[v]] * task->slopes[v];
    volt_kernel_free(kernel);
    return status;
}

static bool ends_climb(volt_status status)
{
    return status == VOLT_ERR_MEMORY || status == VOLT_ERR_CANCELLED;
}

/* Callback of NLopt. */
static double objective(unsigned count, const double *z, double *gradient, void *context)
{
    climber *climb = context;
    char text[VOLT_EXPRESSION_LENGTH] = "";
    double alpha = 0, slopes[VOLT_MAX_AXES] = {0}, uphill[VOLT_MAX_AXES] = {0};
    volt_status status = climb->status;
    if (status != VOLT_OK || climb->evaluations >= climb->most) /* a line search may continue after the limit */
        return climb->worst;
    status = point_at(climb, z, text, &alpha, slopes);
    if (status == VOLT_OK)
        status = evaluate(climb, text, alpha, slopes, uphill);
    climb->status = ends_climb(status)
                        ? status
                        : climb->on_step(text, alpha, climb->task.log_likelihood, status, climb->context);
    if (climb->status != VOLT_OK || ++climb->evaluations >= climb->most)
        nlopt_force_stop(climb->optimiser);
    bool has_value = status == VOLT_OK && climb->status == VOLT_OK;
    double value = has_value ? -climb->task.log_likelihood / climb->size : climb->worst;
    if (climb->evaluations <= 1)
        climb->worst = value + far_worse;
    for (unsigned i = 0; gradient && i < count; i++)
        gradient[i] = has_value ? -uphill[i] / climb->size : 0;
    return value;
}

static volt_status run_optimiser(climber *climb)
{
    double z[VOLT_MAX_AXES], low[VOLT_MAX_AXES], high[VOLT_MAX_AXES], reached = 0;
    for (int64_t i = 0; i < climb->count; i++) {
        const volt_coordinate *c = &climb->coordinates[i];
        volt_kernel_value value = {.struct_size = sizeof(volt_kernel_value), .number = climb->start_alpha};
        if (!volt_name_is_alpha(c->name))
            VOLT_TRY(volt_kernel_get(climb->start, c->name, &value));
        low[i] = c->low;
        high[i] = c->high;
        z[i] = volt_coordinate_place(c, value.number);
    }
    climb->optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)climb->count);
    if (!climb->optimiser)
        return volt_fail(VOLT_ERR_MEMORY, "could not allocate the optimiser of %d parameters",
                         (int)climb->count);
    nlopt_set_min_objective(climb->optimiser, objective, climb);
    nlopt_set_lower_bounds(climb->optimiser, low);
    nlopt_set_upper_bounds(climb->optimiser, high);
    nlopt_set_ftol_abs(climb->optimiser, min_gain / climb->size);
    nlopt_result result = nlopt_optimize(climb->optimiser, z, &reached);
    nlopt_destroy(climb->optimiser);
    VOLT_TRY(climb->status);
    return result == NLOPT_OUT_OF_MEMORY /* other results are ignored: all evaluations have been reported */
               ? volt_fail(VOLT_ERR_MEMORY, "not enough memory to optimise %d parameters", (int)climb->count)
               : VOLT_OK;
}

volt_status volt_climb(const volt_candidates *candidates, const volt_trial *start, const volt_problem *problem,
                       volt_workspace *space, int64_t most, volt_stage *stage, volt_climb_fn on_step,
                       void *context)
{
    volt_kernel *kernel = NULL;
    VOLT_TRY(volt_kernel_parse(start->kernel, &kernel));
    climber *climb = volt_alloc_zero(1, sizeof *climb);
    volt_status status = climb ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        climb->start = kernel;
        climb->start_alpha = start->alpha;
        climb->task = (volt_evidence_task){.problem = problem, .space = space, .stage = stage};
        climb->size = (double)(problem->n - problem->washout) * (double)problem->q;
        climb->most = most;
        climb->on_step = on_step;
        climb->context = context;
        status = candidates->coordinates(candidates, kernel, climb->coordinates, &climb->count);
    }
    if (status == VOLT_OK && climb->count > 0)
        status = run_optimiser(climb);
    volt_free(climb);
    volt_kernel_free(kernel);
    return status;
}
