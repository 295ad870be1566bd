/* src/select/evidence/evidence.h: the log marginal likelihood of one kernel and alpha, and its gradient. */
#ifndef SELECT_EVIDENCE_H
#define SELECT_EVIDENCE_H

#include "kernel/tangent.h"
#include "select/folds/cross_validation.h"
#include "select/folds/problem.h"

/* Arguments and results of an evaluation. */
typedef struct volt_evidence_task {
    const volt_problem *problem; /* its score uses all rows */
    volt_workspace *space;
    const volt_kernel *kernel;
    double alpha;
    bool gradient;       /* with respect to alpha and the variables */
    int64_t n_variables; /* number of variables */
    const volt_variable *variables;
    bool leave_one_out; /* the diagonal of P into space->precisions */
    bool warns;         /* warn about a kernel that may be indefinite */
    volt_stage *stage;  /* not NULL */

    double log_likelihood;
    double by_alpha;
    double slopes[VOLT_MAX_VARIABLES];
    bool differenced[VOLT_MAX_VARIABLES]; /* no tangent: by differences of the Gram matrix */
} volt_evidence_task;

/* With a gradient or leave_one_out, space->D receives the coefficients (rows kept x q). VOLT_ERR_SINGULAR,
 * VOLT_ERR_NOT_FINITE, VOLT_ERR_ARGUMENT and VOLT_ERR_DATA are failures of the kernel and alpha;
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_evidence_evaluate(volt_evidence_task *task);

/* Bytes in addition to the workspace: blocks of rows, and engines. VOLT_ERR_MEMORY. */
volt_status volt_evidence_bytes(const volt_problem *problem, const volt_kernel *kernel, double *bytes);

#endif
