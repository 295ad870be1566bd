/* tests/support/loss_cases.h: searches with every loss: rows, targets of every kind, options. */
#ifndef SUPPORT_LOSS_CASES_H
#define SUPPORT_LOSS_CASES_H

#include "volterra/select.h"

#include <stddef.h>

enum { LOSS_ROWS = 48, LOSS_FOLDS = 3, LOSS_OUTPUTS = 6 };

/* Rows of two inputs, and targets of every kind. */
typedef struct loss_rows {
    double X[LOSS_ROWS * 2], y[LOSS_ROWS], two[LOSS_ROWS * 2], counts[LOSS_ROWS], labels[LOSS_ROWS],
        pairs[LOSS_ROWS], weights[LOSS_ROWS];
} loss_rows;
loss_rows loss_rows_make(uint64_t seed);
volt_view loss_inputs(const loss_rows *d);

/* Every loss with its targets and its number of outputs. */
typedef struct loss_case {
    const char *text;
    size_t offset; /* of its targets */
    int64_t targets, outputs, classes;
} loss_case;
enum {
    LOSS_SQUARES,
    LOSS_HUBER,
    LOSS_QUANTILE,
    LOSS_QUANTILES,
    LOSS_EPSILON,
    LOSS_EXPECTILE,
    LOSS_LOGISTIC,
    LOSS_MULTINOMIAL,
    LOSS_POISSON,
    LOSS_CASES
};
extern const loss_case loss_cases[LOSS_CASES];
volt_view loss_targets(const loss_rows *d, const loss_case *c);

/* Options of a search with it: three folds, no race, and a gap so small that forecasts agree. */
volt_search_options loss_search_options(const loss_case *c);

/* A search of one candidate: its scores, and its alpha (unless `found` is NULL). */
volt_status loss_search_one(const loss_rows *d, const loss_case *c, const volt_search_options *options,
                            const char *kernel, double alpha, double folds[LOSS_FOLDS], double *found);

/* Volterra kernels without end, alpha from 1e-3 to 1. */
volt_candidates *loss_draws(const loss_rows *d);

#endif
