/* src/fit/landmark_growth.c: trials with a growing number of landmarks, and the choice. */
#include "fit/landmark_growth.h"

#include "base/error.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/row_bands.h"

#include <math.h>

enum { FIRST_LANDMARKS = 2048, MAX_LANDMARKS = 65536 };

static const double min_gain = 0.01;   /* of the held-out RMSE */
static const double max_seconds = 60;  /* of a trial, estimated from the one before it */
static const double trial_share = 0.8; /* of the operations that are left, if this is the last trial */

static const char within[] = "the error is within 1 % of that of all numbers tried",
                  by_rows[] = "as many as rows", by_most[] = "the largest number tried automatically",
                  by_memory[] = "twice as many do not fit in memory",
                  by_time[] = "twice as many would take too long", by_cost[] = "fewest estimated operations",
                  unknown[] = "too few rows are held out: the default";

/* ---- the level -------------------------------------------------------------------------------- */

static double gain(double mse, double reference)
{
    return reference > 0 ? 1 - sqrt(mse / reference) : 0;
}

static int64_t choose_by_error(const volt_landmark_levels *levels, bool *grows)
{
    int64_t last = levels->count - 1, level = 0;
    if (!isfinite(levels->mse[last]))
        return -1;
    while (level < last && !(gain(levels->mse[last], levels->mse[level]) < min_gain))
        level++;
    *grows = last == 0 || level == last;
    return level;
}

/* Steps of conjugate gradients that reduce the error to the tolerance at this condition number,
 * 2 ((sqrt(c) - 1) / (sqrt(c) + 1))^steps, at least one, and a product for the residual. */
static double products_of(double condition, double tolerance)
{
    double root = sqrt(condition);
    return 1 + (root > 1 ? fmax(1, ceil(log(2 / tolerance) / log((root + 1) / (root - 1)))) : 1);
}

/* The last level is the reference of the condition numbers and not a candidate. */
static int64_t choose_by_cost(const volt_landmark_levels *levels, const volt_landmark_costs *costs, bool *grows)
{
    double n = costs->n, product = n * n / 2 * (2 * costs->d + 24) + 2 * n * n * costs->q, least = INFINITY,
           iterating = 0;
    int64_t last = levels->count - 1, level = last;
    for (int64_t i = 0; i < last; i++) {
        double m = (double)levels->m[i], steps = products_of(levels->condition[i], costs->tolerance) * product;
        if (2 * n * m * m + steps < least) {
            level = i;
            least = 2 * n * m * m + steps;
            iterating = steps - 2 * product;
        }
    }
    double twice = 2 * (double)levels->m[last];
    *grows = last == 0 || (level == last - 1 && 2 * n * twice * twice < iterating);
    return level;
}

int64_t volt_landmark_level_choose(const volt_landmark_levels *levels, const volt_landmark_costs *costs,
                                   bool *grows)
{
    *grows = false;
    return costs->iterates ? choose_by_cost(levels, costs, grows) : choose_by_error(levels, grows);
}

/* ---- trials ----------------------------------------------------------------------------------- */

typedef struct growth {
    const volt_kernel *kernel;
    fit_task *task;
    volt_loss_fit *loss;
    volt_matrix fitted;
    const volt_solver *solver; /* of the fit; trials use nystrom */
    volt_landmark_costs costs;
    volt_landmark_levels levels; /* of the last trial */
    double seconds;              /* of that trial */
    int64_t chosen;
    const char *why;
} growth;

/* A trial with m landmarks. *model is NULL unless the fit does not use landmarks: then it is the result. */
static volt_status try_number(growth *g, int64_t m, volt_model **model)
{
    volt_landmark_levels levels = {.conditions = g->costs.iterates};
    double begin = volt_seconds();
    g->loss->options.landmarks = m;
    g->task->levels = &levels;
    if (g->costs.iterates)
        g->task->solver = &volt_solver_nystrom;
    volt_meter_part(g->task->meter, trial_share);
    volt_status status = volt_fit_solve(g->kernel, g->task, g->loss, g->fitted, model);
    g->task->solver = g->solver;
    g->task->levels = NULL;
    if (status == VOLT_OK && levels.count > 0) {
        volt_model_free(*model);
        *model = NULL;
        g->levels = levels;
        g->seconds = volt_seconds() - begin;
        /* all processes of a job try the same numbers */
        const volt_bands *bands = volt_bands_current();
        volt_bands_broadcast(bands, g->levels.mse, VOLT_LANDMARK_LEVELS);
        volt_bands_broadcast(bands, g->levels.condition, VOLT_LANDMARK_LEVELS);
        volt_bands_broadcast(bands, &g->seconds, 1);
    }
    return status;
}

/* Chooses g->chosen; *model as above. */
static volt_status choose_number(growth *g, volt_model **model)
{
    int64_t rows = g->task->X.rows - g->task->options->washout, m = volt_min(FIRST_LANDMARKS, rows);
    for (bool grows = true; grows; m = volt_min(2 * m, rows)) {
        volt_status status = try_number(g, m, model);
        if (status == VOLT_ERR_MEMORY && g->levels.count > 0) {
            g->why = by_memory;
            return VOLT_OK;
        }
        VOLT_TRY(status);
        if (*model)
            return VOLT_OK;
        int64_t level = volt_landmark_level_choose(&g->levels, &g->costs, &grows);
        g->chosen = level >= 0 ? g->levels.m[level] : volt_solver_nystrom.landmarks(rows);
        g->why = level < 0 ? unknown : g->costs.iterates ? by_cost : within;
        if (grows && (m >= rows || m >= MAX_LANDMARKS || 4 * g->seconds > max_seconds)) {
            g->why = m >= rows ? by_rows : m >= MAX_LANDMARKS ? by_most : by_time;
            return VOLT_OK;
        }
    }
    return VOLT_OK;
}

volt_status volt_fit_grow(const volt_kernel *kernel, fit_task *task, volt_loss_fit *loss, volt_matrix fitted,
                          volt_model **model)
{
    if (loss->options.landmarks != VOLT_LANDMARKS_AUTO)
        return volt_fit_solve(kernel, task, loss, fitted, model);
    const volt_solver *solver = task->solver;
    double tolerance = loss->options.tolerance > 0 ? loss->options.tolerance : solver ? solver->tolerance : 0;
    growth g = {.kernel = kernel,
                .task = task,
                .loss = loss,
                .fitted = fitted,
                .solver = solver,
                .costs = {.iterates = solver && solver->needs.rows,
                          .n = (double)task->X.rows,
                          .d = (double)task->X.cols,
                          .q = (double)task->Y.cols,
                          .tolerance = tolerance}};
    VOLT_TRY(choose_number(&g, model));
    if (*model) /* the solver uses no landmarks */
        return VOLT_OK;
    loss->options.landmarks = g.chosen;
    volt_meter_part(task->meter, 1);
    VOLT_TRY(volt_fit_solve(kernel, task, loss, fitted, model));
    int64_t last = g.levels.count - 1;
    volt_fit_report *report = &(*model)->report;
    report->landmarks_tried = g.levels.m[last];
    report->landmarks_why = g.why;
    report->landmarks_gain = NAN;
    for (int64_t i = 0; i <= last && !g.costs.iterates; i++)
        if (g.levels.m[i] == g.chosen)
            report->landmarks_gain = gain(g.levels.mse[last], g.levels.mse[i]);
    return VOLT_OK;
}
