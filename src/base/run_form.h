/* src/base/run_form.h: a free run as numbers alone, for back ends that cannot call a model's functions.
 *
 * Each row goes the way of volt_live_feed (model/live/live_rows.c): inputs at their lags and what comes back become columns, which
 * are held, scaled, filtered and clipped; one step of every diagonal; products with the coefficients; outputs in their
 * units, which the next row sees. cuda/run_rows.h computes it. Plain data, for C and C++. */
#ifndef BASE_RUN_FORM_H
#define BASE_RUN_FORM_H

#include "base/kernel_form.h"
#include "volterra/base.h"

#include <stdbool.h>

/* A column of a recipe (model/recipe.h). */
typedef struct volt_column {
    int64_t source;   /* the input */
    int64_t plus;     /* its lag ... */
    int64_t minus;    /* ... and the lag that is subtracted; -1: none */
    double weight;    /* above 0 */
    double low, high; /* range in training, weighted */
} volt_column;

/* A filter (kernel/filter.h), with 2 r cos(pi a) in place of the angle. */
typedef struct volt_run_filter {
    double pole, pair, turn, echo;
} volt_run_filter;

enum { VOLT_RUN_FILTER_STATES = 4 }; /* numbers of state of a filter and a column */

/* What happens to a row outside of what training had. */
typedef enum volt_outside {
    VOLT_OUTSIDE_LEFT,    /* nothing */
    VOLT_OUTSIDE_COUNTED, /* it is counted */
    VOLT_OUTSIDE_CLIPPED, /* it is brought back, and counted */
    VOLT_OUTSIDE_ASKED    /* that is decided here: the run ends before it */
} volt_outside;

/* What a model is, for its rows. The kernel sees columns = own + fed numbers, once for every filter. */
typedef struct volt_run_form {
    volt_kernel_form kernel;
    int64_t inputs;            /* numbers in a row that is given */
    int64_t own, fed;          /* columns made of them, and outputs that come back behind these: 0 or q */
    int64_t q;                 /* outputs */
    bool chained;              /* a row is the outputs of the row before it: inputs = q */
    const volt_column *column; /* own; NULL: column j is input j */
    int64_t memory;            /* rows before the first that lags reach */
    volt_outside range;        /* of a column that has left its range */
    const double *shift;       /* own + fed: z = (column - shift) scale */
    double scale;
    int64_t slices;                             /* at least 1 */
    const volt_run_filter *filters;             /* slices; NULL: there is one slice, not filtered */
    const double *limit, *radius;               /* slices: a norm above `limit` is outside ... */
    const volt_outside *ball;                   /* ... and that of a row brought back is `radius` */
    const double *intercept, *mean, *deviation; /* q: y = mean + deviation (intercept + sum) ... */
    const int64_t *anchor;                      /* ... plus this input of the row; -1: none */
    const double *offset, *weight;              /* fed: an output y comes back as weight (y - offset) */
    const double *middle, *reach;               /* fed: further from the middle a free run has left its range */
} volt_run_form;

/* The rows to be run, all of one sequence, and the moment before the first. */
typedef struct volt_run_task {
    volt_view X;       /* rows x inputs; chained: the first row alone */
    volt_view before;  /* memory x inputs, the oldest first */
    volt_view known;   /* warm x q: outputs that come back in place of the run's own */
    bool watches;      /* rows without known outputs end the run where they leave the range */
    double *state;     /* of the past, as volt_state_get gives it; becomes that after the last row */
    double *bank;      /* states of the filters, as kernel/filter.h has them; likewise */
    const double *fed; /* what comes back with the first row, as a column */
} volt_run_task;

typedef enum volt_run_stop {
    VOLT_RUN_WHOLE, /* all rows are done */
    VOLT_RUN_ASKS,  /* the row after the last one that is done has something that is decided here */
    VOLT_RUN_LEFT   /* outputs of the last row that is done are not finite, or have left their range */
} volt_run_stop;

typedef struct volt_run_result {
    int64_t done;    /* rows whose outputs are there */
    int64_t outside; /* rows of them that were counted */
    volt_run_stop end;
} volt_run_result;

#endif
