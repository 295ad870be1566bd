/* src/task/curve_internal.h: one repeat of a learning curve. */
#ifndef TASK_CURVE_INTERNAL_H
#define TASK_CURVE_INTERNAL_H

#include "volterra/task.h"

#include <stdbool.h>

/* Settings of all repeats. */
typedef struct volt_curve_task {
    const volt_fit_options *fit;
    const int64_t *sizes;
    int64_t n_sizes;
    int64_t washout, gap, test;
} volt_curve_task;

/* Rows of a repeat: washout, largest training set, gap, held-out rows. */
static inline int64_t volt_curve_train(const volt_curve_task *task)
{
    return task->sizes[task->n_sizes - 1];
}
static inline int64_t volt_curve_rows(const volt_curve_task *task)
{
    return task->washout + volt_curve_train(task) + task->gap + task->test;
}

/* Data of one repeat, shared by all kernels. */
typedef struct volt_curve_repeat {
    volt_prepared *prepared; /* columns and targets, learned from the training rows */
    double *initial;         /* mean of the training inputs, for VOLT_INITIAL_MEAN; else NULL */
    double *targets;         /* rows x q: scaled targets */
    double *levels;          /* rows x q: the same plus the base in these units; NULL: the targets are levels */
    double *mean, *target_scale; /* q */
} volt_curve_repeat;

/* X and Y hold the rows of the repeat, and must outlive it. Release it in every case. */
volt_status volt_curve_repeat_begin(const volt_curve_task *task, volt_view X, volt_view Y,
                                    volt_curve_repeat *repeat);
void volt_curve_repeat_release(volt_curve_repeat *repeat);

/* Errors of one kernel on a repeat. */
typedef struct volt_curve_errors {
    double *nmse, *rmse; /* n_sizes */
    double *alphas;      /* n_sizes x q */
} volt_curve_errors;

/* Progress covers [from, from + share] of the call. `warns`: warnings of the kernel are logged. The caller
 * claims BLAS. */
volt_status volt_curve_measure(const volt_curve_task *task, const volt_curve_repeat *repeat, const char *kernel,
                               bool warns, volt_progress progress, double from, double share,
                               const volt_curve_errors *errors);

#endif
