/* src/stats/box_minimum.c: L-BFGS with projection onto a box.
 *
 * Variables at a bound that the gradient pushes outwards are held. In the others, the direction is -H g with
 * the two-loop recursion over the last pairs of steps and changes of the gradient, restricted to these
 * variables. The projected step is halved until the value falls by 1e-4 of what the gradient predicts
 * (Bertsekas, SIAM Journal on Control and Optimization 20, 1982; Nocedal and Wright, Numerical Optimization,
 * 2006, algorithm 7.4). */
#include "stats/box_minimum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { HALVINGS = 30 };

typedef struct descent {
    const volt_box_problem *problem;
    int64_t count;
    double *steps[VOLT_BOX_PAIRS], *changes[VOLT_BOX_PAIRS]; /* the newest pair is `newest` */
    int pairs, newest;
    double *gradient, *direction, *trial, *trial_gradient;
} descent;

static descent descent_in(const volt_box_problem *problem, double *workspace)
{
    const int64_t count = problem->count;
    descent at = {.problem = problem, .count = count};
    for (int i = 0; i < VOLT_BOX_PAIRS; i++, workspace += 2 * count) {
        at.steps[i] = workspace;
        at.changes[i] = workspace + count;
    }
    at.gradient = workspace;
    at.direction = workspace + count;
    at.trial = workspace + 2 * count;
    at.trial_gradient = workspace + 3 * count;
    return at;
}

static bool is_held(const descent *at, const double *x, int64_t i)
{
    return (x[i] <= at->problem->low[i] && at->gradient[i] > 0) ||
           (x[i] >= at->problem->high[i] && at->gradient[i] < 0);
}

/* The product of a and b over the free variables. */
static double inner(const double *a, const double *b, const double *free, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i] * free[i];
    return sum;
}

/* direction := -H gradient on the free variables, 0 on the others; trial is used for the mask. Returns the
 * slope along it. */
static double find_direction(descent *at, const double *x)
{
    const int64_t count = at->count;
    assert(at->pairs >= 0 && at->pairs <= VOLT_BOX_PAIRS);
    double *d = at->direction, *free = at->trial, weights[VOLT_BOX_PAIRS] = {0}, curvature[VOLT_BOX_PAIRS];
    for (int64_t i = 0; i < count; i++) {
        free[i] = is_held(at, x, i) ? 0 : 1;
        d[i] = -at->gradient[i] * free[i];
    }
    double scale = 1;
    bool scaled = false;
    for (int k = 0; k < at->pairs; k++) {
        const int i = (at->newest + VOLT_BOX_PAIRS - k) % VOLT_BOX_PAIRS;
        curvature[k] = inner(at->steps[i], at->changes[i], free, count);
        if (!(curvature[k] > 0))
            continue;
        if (!scaled)
            scale = curvature[k] / inner(at->changes[i], at->changes[i], free, count);
        scaled = true;
        weights[k] = inner(at->steps[i], d, free, count) / curvature[k];
        for (int64_t j = 0; j < count; j++)
            d[j] -= weights[k] * at->changes[i][j] * free[j];
    }
    for (int64_t j = 0; j < count; j++)
        d[j] *= scale;
    for (int k = at->pairs - 1; k >= 0; k--) {
        const int i = (at->newest + VOLT_BOX_PAIRS - k) % VOLT_BOX_PAIRS;
        if (!(curvature[k] > 0))
            continue;
        const double correction = weights[k] - inner(at->changes[i], d, free, count) / curvature[k];
        for (int64_t j = 0; j < count; j++)
            d[j] += correction * at->steps[i][j] * free[j];
    }
    double slope = inner(at->gradient, d, free, count);
    if (!scaled || !(slope < 0) || !isfinite(slope)) { /* steepest descent, of length 0.1 at most */
        double largest = 0;
        at->pairs = 0;
        for (int64_t j = 0; j < count; j++)
            largest = fmax(largest, fabs(at->gradient[j]) * free[j]);
        for (int64_t j = 0; j < count; j++)
            d[j] = largest > 0 ? -at->gradient[j] * free[j] * fmin(1, 0.1 / largest) : 0;
        slope = inner(at->gradient, d, free, count);
    }
    return slope;
}

/* Searches along the direction for a lower value; trial and trial_gradient receive the point. Returns its
 * value, or `value` when there is none. */
static double search_line(descent *at, const double *x, double value)
{
    const volt_box_problem *problem = at->problem;
    double length = 1;
    for (int k = 0; k < HALVINGS; k++) {
        double predicted = 0;
        for (int64_t i = 0; i < at->count; i++) {
            at->trial[i] = fmin(fmax(x[i] + length * at->direction[i], problem->low[i]), problem->high[i]);
            predicted += at->gradient[i] * (at->trial[i] - x[i]);
        }
        if (!(predicted < 0))
            return value;
        const double found = problem->function(problem->context, at->trial, at->trial_gradient);
        if (found <= value + 1e-4 * predicted)
            return found;
        /* The minimum of the parabola through both values and the slope, when it is not too near. */
        const double parabola = -predicted / (2 * (found - value - predicted));
        length *= isfinite(found) ? fmin(fmax(parabola, 0.1), 0.5) : 0.25;
    }
    return value;
}

static void keep_pair(descent *at, const double *x)
{
    const int next = at->pairs ? (at->newest + 1) % VOLT_BOX_PAIRS : 0;
    double product = 0, squares = 0;
    for (int64_t i = 0; i < at->count; i++) {
        at->steps[next][i] = at->trial[i] - x[i];
        at->changes[next][i] = at->trial_gradient[i] - at->gradient[i];
        product += at->steps[next][i] * at->changes[next][i];
        squares += at->changes[next][i] * at->changes[next][i];
    }
    if (!(product > 1e-12 * squares)) /* no positive curvature */
        return;
    at->newest = next;
    at->pairs += at->pairs < VOLT_BOX_PAIRS;
}

double volt_box_minimise(const volt_box_problem *problem, double *x, double *workspace)
{
    descent at = descent_in(problem, workspace);
    const size_t bytes = (size_t)at.count * sizeof *x;
    double value = problem->function(problem->context, x, at.gradient);
    int idle = 0;
    for (int64_t k = 0; k < problem->max_iterations && isfinite(value) && idle < 3; k++) {
        if (!(find_direction(&at, x) < 0))
            break;
        const double found = search_line(&at, x, value);
        if (!(found < value)) {
            if (at.pairs == 0)
                break;
            at.pairs = 0; /* once more along the gradient */
            continue;
        }
        keep_pair(&at, x);
        idle = value - found < problem->tolerance ? idle + 1 : 0;
        value = found;
        memcpy(x, at.trial, bytes);
        memcpy(at.gradient, at.trial_gradient, bytes);
    }
    return value;
}
