/* bench/lorenz_problem.h: the Lorenz system as Gonon, Grigoryeva and Ortega learn it.
 *
 * RK4 with step 0.005; 5000 pairs of a row and the next one; inputs and targets shifted by the mean of the
 * inputs and divided by the largest norm; tau_coef = lambda_coef = 0.3, alpha = 1e-10, washout 100. */
#ifndef BENCH_LORENZ_PROBLEM_H
#define BENCH_LORENZ_PROBLEM_H

#include "plain.h"
#include "volterra.h"

enum { LORENZ_PAIRS = 5000, LORENZ_WASHOUT = 100, LORENZ_D = 3 };

extern const double lorenz_step, lorenz_lyapunov, lorenz_alpha;
extern const char lorenz_kernel[];

typedef struct lorenz_problem {
    int64_t future;     /* rows after the last target */
    volt_matrix raw;    /* LORENZ_PAIRS + 1 + future rows */
    volt_matrix scaled; /* the same, shifted and divided */
    double shift[LORENZ_D], norm;
} lorenz_problem;

/* Discards `discard` rows after `start`. Ends the program on failure. */
lorenz_problem lorenz_problem_make(const double start[LORENZ_D], int64_t discard, int64_t future);
void lorenz_problem_free(lorenz_problem *problem);

/* Rows for inputs, targets or later times, of raw or scaled. */
volt_view lorenz_inputs(volt_matrix rows);
volt_view lorenz_targets(volt_matrix rows);
volt_view lorenz_future(volt_matrix rows);

/* The authors' fit: on scaled rows, without further scaling and intercept. */
volt_model *lorenz_fit(const lorenz_problem *problem);
/* The library's fit: on raw rows, with its scaling and intercept. */
volt_model *lorenz_fit_default(const lorenz_problem *problem);

/* The kernel of lorenz_fit, from the authors' formulas. */
plain_kernel lorenz_plain_kernel(const lorenz_problem *problem);

#endif
