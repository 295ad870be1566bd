/* tests/support/landmark_problem.h: rows of a system with memory, and fits of them on landmarks. */
#ifndef SUPPORT_LANDMARK_PROBLEM_H
#define SUPPORT_LANDMARK_PROBLEM_H

#include "volterra/model.h"

enum { N = 80, H = 8, D = 2, Q = 2, ALL = N + H };

typedef struct problem {
    double X[ALL * D], Y[ALL * Q]; /* no row after the first N reaches beyond their ball */
} problem;

/* The caller frees it. */
problem *make_problem(uint64_t seed);

/* alpha 0.1, no scaling, the solver nystrom. */
volt_fit_options plain_options(void);

/* Fit the first N rows; fitted is N x Q. */
volt_model *fit_text(const char *text, const problem *p, const volt_fit_options *options, double *fitted);

/* Forecasts of the last H rows, which follow (H x Q). */
void predict_rest(const volt_model *model, const problem *p, double *out);

/* The largest difference; INFINITY where a number is not finite. */
double largest_gap(const double *a, const double *b, int64_t count);

/* Where landmarks are nearly dependent, a feature is what the jitter makes of rounding errors: it is known to
 * sqrt(10 m eps max K_ii) <= 1e-6, and its part in a forecast, with coefficients of size 1, to that. Observed: 2e-8. */
static const double allowed = 2e-6;

#endif
