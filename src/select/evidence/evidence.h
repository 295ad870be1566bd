/* src/select/evidence/evidence.h: the log marginal likelihood of one kernel and alpha, and its gradient. */
#ifndef SELECT_EVIDENCE_H
#define SELECT_EVIDENCE_H

#include "kernel/tangent.h"
#include "select/folds/cross_validation.h"
#include "select/folds/problem.h"

/* What is asked for, and what comes of it. */
typedef struct volt_evidence_task {
    const volt_problem *problem; /* its score is one of all rows */
    volt_workspace *space;
    const volt_kernel *kernel;
    double alpha;
    bool gradient;       /* by alpha, and by ... */
    int64_t n_variables; /* ... these */
    const volt_variable *variables;
    bool leave_one_out; /* the diagonal of P into space->precisions */
    bool warns;         /* in the log, of a kernel that need not be positive semidefinite */
    volt_stage *stage;  /* not NULL */

    double log_likelihood;
    double by_alpha;
    double slopes[VOLT_MOST_VARIABLES];
    bool differenced[VOLT_MOST_VARIABLES]; /* no tangent is known: by differences of the Gram matrix */
} volt_evidence_task;

/* With a gradient or leave_one_out, space->D receives the coefficients (rows kept x q). VOLT_ERR_SINGULAR,
 * VOLT_ERR_NOT_FINITE, VOLT_ERR_ARGUMENT and VOLT_ERR_DATA belong to the kernel and alpha; VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. */
volt_status volt_evidence_evaluate(volt_evidence_task *task);

/* Bytes beside the workspace: blocks of rows, and what engines keep. VOLT_ERR_MEMORY. */
volt_status volt_evidence_bytes(const volt_problem *problem, const volt_kernel *kernel, double *bytes);

#endif
