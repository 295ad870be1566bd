/* src/select/folds/workspace.h: the memory that one evaluation at a time needs, used again by the next. */
#ifndef SELECT_WORKSPACE_H
#define SELECT_WORKSPACE_H

#include "select/folds/problem.h"
#include "solve/exact/factor.h"

typedef struct volt_workspace {
    volt_factor *factor; /* of one row, which is never filled, where candidates are fitted on landmarks */
    double *W;           /* most_rows x (q + 1): the last column is u */
    double *D;           /* most_rows x q: readout or coefficients */
    double *forecast;    /* block x q */
    double *diagonal;    /* most_rows: of the matrix that a profile returns to */
    double *precisions;  /* most_rows: of rows left out one by one */
    double *profile;     /* VOLT_MOST_ALPHAS x folds: scores */
    /* with a loss: the largest training part squared, and q more: what a fit overwrites; else NULL */
    double *part;
    double *cross; /* block x most_rows at the factor's back end, for a start by reset; else NULL */
} volt_workspace;

volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace);
void volt_workspace_free(volt_workspace *workspace);
/* Bytes in the memory of this process, and at a back end elsewhere. */
double volt_workspace_bytes(const volt_problem *problem);
double volt_workspace_bytes_there(const volt_problem *problem);

#endif
