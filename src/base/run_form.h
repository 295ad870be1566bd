/* src/base/run_form.h: the numeric form of a free run, for back ends that cannot call a model's functions.
 *
 * Each row is processed as in volt_live_feed (predict/live/live.c). Inputs at their lags and fed-back
 * outputs become columns, which are held, scaled, filtered and clipped. Then follow one step of every
 * diagonal, the products with the coefficients, and the outputs in their units, which the next row uses.
 * cuda/run_rows.h computes it. Plain data, for C and C++. */
#ifndef BASE_RUN_FORM_H
#define BASE_RUN_FORM_H

#include "base/kernel_form.h"
#include "volterra/base.h"

#include <stdbool.h>

/* A column of a recipe (model/recipe.h). */
typedef struct volt_column {
    int64_t source;   /* the input */
    int64_t plus;     /* its lag */
    int64_t minus;    /* the lag that is subtracted; -1: none */
    double weight;    /* above 0 */
    double low, high; /* range in training, weighted */
} volt_column;

/* A filter (kernel/filter.h), with 2 r cos(pi a) instead of the angle. */
typedef struct volt_run_filter {
    double pole, pair, turn, echo;
} volt_run_filter;

enum { VOLT_RUN_FILTER_STATES = 4 }; /* numbers of state of a filter and a column */

/* Treatment of a row outside the training range. */
typedef enum volt_outside {
    VOLT_OUTSIDE_IGNORED, /* nothing */
    VOLT_OUTSIDE_COUNTED, /* it is counted */
    VOLT_OUTSIDE_CLIPPED, /* clipped, and counted */
    VOLT_OUTSIDE_HOST     /* decided on the host: the run ends before it */
} volt_outside;

/* The parts of a model that its rows need. The kernel uses columns = own + fed numbers, once for every
 * filter. */
typedef struct volt_run_form {
    volt_kernel_form kernel;
    int64_t inputs;                     /* numbers in an input row */
    int64_t input_columns, fed_outputs; /* columns made from inputs, then fed-back outputs: 0 or q */
    int64_t q;                          /* outputs */
    bool chained;                       /* a row is the outputs of the previous row: inputs = q */
    const volt_column *column;          /* own; NULL: column j is input j */
    int64_t memory;                     /* rows that the lags reach back */
    volt_outside range;                 /* for a column outside its range */
    const double *shift;                /* own + fed: z = (column - shift) scale */
    double scale;
    int64_t slices;                             /* at least 1 */
    const volt_run_filter *filters;             /* slices; NULL: one unfiltered slice */
    const double *limit, *radius;               /* slices: a norm above `limit` is outside; */
    const volt_outside *ball;                   /* a clipped row has norm `radius` */
    const double *intercept, *mean, *deviation; /* q: y = mean + deviation (intercept + sum) */
    const int64_t *anchor;                      /* plus this input of the row; -1: none */
    const double *offset, *weight;              /* fed: an output y is fed back as weight (y - offset) */
    const double *middle, *reach; /* fed: a free run diverges beyond this distance from the middle */
} volt_run_form;

/* The rows to run, all of one sequence, and the state before the first. */
typedef struct volt_run_task {
    volt_view X;               /* rows x inputs; chained: only the first row */
    volt_view before;          /* memory x inputs, oldest first */
    volt_view known;           /* warm x q: known outputs, fed back instead of predictions */
    bool watches;              /* rows without known outputs end the run when they leave the range */
    double *state;             /* in the format of volt_state_get; updated to the state after the last row */
    double *bank;              /* filter states, in the format of kernel/filter.h; updated */
    const double *fed_outputs; /* fed-back values of the first row, as a column */
} volt_run_task;

typedef enum volt_run_stop {
    VOLT_RUN_COMPLETE,   /* all rows are done */
    VOLT_RUN_NEEDS_HOST, /* the next row needs a decision on the host */
    VOLT_RUN_DIVERGED    /* outputs of the last row are not finite, or outside their range */
} volt_run_stop;

typedef struct volt_run_result {
    int64_t done;    /* completed rows */
    int64_t outside; /* of these, rows counted as outside */
    volt_run_stop end;
} volt_run_result;

#endif
