/* src/base/condition.c: the condition number of a symmetric matrix, estimated from solves. */
#include "base/condition.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_STEPS = 5 };

static double sum_of(int64_t n, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

static int64_t largest_of(int64_t n, const double *x)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[best]))
            best = i;
    return best;
}

/* Replaces x by its signs and stores them in `signs`. Returns true if they have not changed. */
static bool take_signs(int64_t n, double *x, double *signs)
{
    bool same = true;
    for (int64_t i = 0; i < n; i++) {
        x[i] = x[i] >= 0 ? 1 : -1;
        same = same && signs[i] == x[i];
        signs[i] = x[i];
    }
    return same;
}

/* Maximises |A^{-1} x| over unit vectors, following the gradient; at least `norm`. */
static double climb(int64_t n, volt_solve_fn solve, void *context, double *x, double *signs, double norm)
{
    int64_t j = largest_of(n, x);
    for (int step = 2; step <= MAX_STEPS; step++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = 1;
        solve(context, x);
        double found = sum_of(n, x), before = norm;
        norm = fmax(norm, found);
        if (take_signs(n, x, signs) || found <= before)
            break;
        solve(context, x);
        int64_t last = j;
        j = largest_of(n, x);
        if (fabs(x[last]) == fabs(x[j]))
            break;
    }
    return norm;
}

double volt_inverse_norm(int64_t n, volt_solve_fn solve, void *context, double *workspace)
{
    double *x = workspace, *signs = workspace + n;
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1 / (double)n;
        signs[i] = 0;
    }
    solve(context, x);
    double norm = sum_of(n, x);
    if (n == 1)
        return norm;
    take_signs(n, x, signs);
    solve(context, x);
    norm = climb(n, solve, context, x, signs, norm);
    /* Higham's alternating vector, for matrices on which the iteration above fails */
    for (int64_t i = 0; i < n; i++)
        x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (double)(n - 1));
    solve(context, x);
    return fmax(norm, 2 * sum_of(n, x) / (3 * (double)n));
}
