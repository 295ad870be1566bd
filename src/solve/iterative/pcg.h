/* src/solve/iterative/pcg.h: conjugate gradients on (K + alpha I) a = y - 1 c, 1' a = 0, without K.
 *
 * K is only multiplied by vectors, all outputs at once (operator.h), and landmarks make the steps few: with their features B,
 * K being B B' nearly (landmark_operator.h),
 *
 *     (B B' + alpha I)^{-1} = (I - B (B'B + alpha I)^{-1} B') / alpha
 *
 * is a preconditioner; with an intercept everything is projected on vectors of sum zero, and B is centred. The residual bounds
 * what forecasts are off by: K (a - a*) = K (K + alpha I)^{-1} r is no longer than r (docs/math.md, "Large n"). */
#ifndef SOLVE_PCG_H
#define SOLVE_PCG_H

#include "solve/solver_table.h"

#include <stdbool.h>

enum { VOLT_PCG_EXPECTED = 40 }; /* steps that plans count on */

/* What is known of a column between two steps. */
typedef enum volt_pcg_number {
    VOLT_PCG_ALPHA,
    VOLT_PCG_RZ,       /* r' z */
    VOLT_PCG_SIZE,     /* |y|, projected */
    VOLT_PCG_RESIDUAL, /* |r| / |y| */
    VOLT_PCG_TRUE,     /* the same as a multiplication found it last; 2: none has yet */
    VOLT_PCG_MOVED,    /* how far the last steps moved forecasts, a ring ... */
    VOLT_PCG_RING = 5, /* ... of so many */
    VOLT_PCG_NUMBERS = VOLT_PCG_MOVED + VOLT_PCG_RING
} volt_pcg_number;

/* Where an iteration stands between two steps: all that the next one depends on, beside the problem. */
typedef struct volt_pcg_moment {
    int64_t rows, columns;
    int64_t steps, restarts;
    double *x, *r,
        *p;          /* rows x columns: the solution so far, its residual, and the direction of the next step */
    double *numbers; /* columns x VOLT_PCG_NUMBERS */
} volt_pcg_moment;

/* Bytes at the peak of the solver, n rows, q outputs and so many landmarks, beside inputs, targets and the model. */
double volt_pcg_bytes(double n, double q, double landmarks);
/* Operations beside the entries of K, of which a step makes n^2 / 2: preconditioner, and all steps. */
double volt_pcg_flops(double n, double q, double landmarks, double steps);
/* How many landmarks pay for n rows. */
int64_t volt_pcg_landmarks(int64_t n);

/* ---- the preconditioner (preconditioner.c) ------------------------------------------------------ */

enum { VOLT_PRECONDITIONERS = 4 }; /* systems at most: outputs with other alphas share the nearest */

typedef struct volt_preconditioner {
    volt_matrix B; /* rows x landmarks, of the band of this process; no data: there is none */
    int64_t first; /* row of B among all */
    int64_t count;
    double alpha[VOLT_PRECONDITIONERS];
    bool constant[VOLT_PRECONDITIONERS];
    double *S[VOLT_PRECONDITIONERS]; /* landmarks x landmarks: the factor of B'B + alpha I */
    double *partial;                 /* room for products, piece by piece */
    double *g, *of_group;            /* landmarks x columns */
} volt_preconditioner;

/* Room for the band of this process of B of so many rows (base/row_bands.h), and for products with so many columns. VOLT_ERR_MEMORY; release it in every case. */
volt_status volt_preconditioner_make(int64_t rows, int64_t landmarks, int64_t columns,
                                     volt_preconditioner *pre);
void volt_preconditioner_release(volt_preconditioner *pre);

/* The systems that columns of these alphas take, from the sums that B made: group (columns) receives which,
 * *rcond the least estimated reciprocal condition number of one. VOLT_ERR_SINGULAR,
 * VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
struct volt_state_sums;
volt_status volt_preconditioner_factor(struct volt_state_sums *sums, const double *alpha, const bool *constant,
                                       int64_t columns, int64_t *group, volt_preconditioner *pre,
                                       double *rcond);

/* Z = (R - B (B'B + alpha I)^{-1} B' R) / alpha, not projected; without a B, R / alpha. R and Z are all rows x columns, without gaps.
 * Collective. The same bits whatever the number of threads. */
void volt_preconditioner_apply(const volt_preconditioner *pre, const int64_t *group, const double *alpha,
                               volt_view R, volt_matrix Z);

/* ---- the iteration (pcg.c) -------------------------------------------------------------------- */

/* Columns that are solved side by side. */
typedef struct volt_pcg_problem {
    volt_operator *kernel; /* n rows, of which the first `washout` take no part */
    const volt_backend *backend;
    int64_t washout;
    const bool *without; /* (optional) rows kept: these take no part */
    double common;       /* that is subtracted from K */
    int64_t columns;
    const double *alpha;   /* columns */
    const bool *constant;  /* columns: with an intercept */
    const double *targets; /* rows kept x columns; 0 where `without` */
    const volt_preconditioner *pre;
    const int64_t *group; /* columns */
    volt_progress progress;
    double from, share; /* of progress */
} volt_pcg_problem;

/* The moment receives x; `product` (n x columns) K x. moment has memory for its four lists. Progress names the residual. */
volt_status volt_pcg_run(const volt_pcg_problem *problem, volt_iteration *pcg, volt_pcg_moment *moment,
                         volt_matrix product);

#endif
