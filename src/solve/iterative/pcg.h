/* src/solve/iterative/pcg.h: conjugate gradients on (K + alpha I) a = y - 1 c, 1' a = 0, without storing K.
 *
 * K is only multiplied by vectors, all outputs at once (operator.h). The preconditioner uses features B of
 * landmarks, with K approximately B B' (landmark_operator.h):
 *
 *     (B B' + alpha I)^{-1} = (I - B (B'B + alpha I)^{-1} B') / alpha
 *
 * With an intercept all vectors are projected on those of sum zero, and B is centred. The residual bounds
 * the error of predictions: K (a - a*) = K (K + alpha I)^{-1} r is no longer than r (docs/math.md, "Large
 * n"). */
#ifndef SOLVE_PCG_H
#define SOLVE_PCG_H

#include "solve/solver_table.h"

#include <stdbool.h>

enum {
    VOLT_PCG_EXPECTED = 40, /* number of steps assumed by plans, which must not be too low */
    VOLT_PCG_USUAL = 4      /* ... and by progress reports before the first step */
};

/* Values of a column between two steps. */
typedef enum volt_pcg_number {
    VOLT_PCG_ALPHA,
    VOLT_PCG_RZ,       /* r' z */
    VOLT_PCG_SIZE,     /* |y|, projected */
    VOLT_PCG_RESIDUAL, /* |r| / |y| */
    VOLT_PCG_TRUE,     /* the residual from the last multiplication; 2: not computed yet */
    VOLT_PCG_MOVED,    /* change of the predictions in the last steps, a ring ... */
    VOLT_PCG_RING = 5, /* ... of this length */
    VOLT_PCG_NUMBERS = VOLT_PCG_MOVED + VOLT_PCG_RING
} volt_pcg_number;

/* State of an iteration between two steps: everything the next step depends on, except the problem. */
typedef struct volt_pcg_state {
    int64_t rows, columns;
    int64_t steps, restarts;
    double *x, *r,
        /* rows x columns: the current solution, its residual, and the direction of the next step */
        *p;
    double *numbers; /* columns x VOLT_PCG_NUMBERS */
} volt_pcg_state;

/* Peak memory of the solver in bytes for n rows, q outputs and this many landmarks, without inputs, targets
 * and the model. */
double volt_pcg_bytes(double n, double q, double landmarks);
/* Operations of preconditioner and steps, without the entries of K, of which a step computes n^2 / 2. */
double volt_pcg_flops(double n, double q, double landmarks, double steps);
/* Default number of landmarks for n rows. */
int64_t volt_pcg_landmarks(int64_t n);

/* ---- the preconditioner (solver_pcg.c) ------------------------------------------------------ */

enum { VOLT_PRECONDITIONERS = 4 }; /* maximum number of systems: further alphas use the nearest one */

typedef struct volt_preconditioner {
    int64_t landmarks;       /* 0: no preconditioner */
    volt_matrix B;           /* rows x landmarks, the band of this process; no data: B is ... */
    int64_t first;           /* index of the first row of B */
    volt_operator *features; /* ... stored by this operator, from row `washout` + first on */
    int64_t rows;            /* rows of the band */
    int64_t washout;
    const volt_backend *backend; /* of S */
    int64_t count;
    double alpha[VOLT_PRECONDITIONERS];
    bool constant[VOLT_PRECONDITIONERS];
    double *S[VOLT_PRECONDITIONERS]; /* landmarks x landmarks: the factor of B'B + alpha I */
    double *partial;                 /* workspace for products, piece by piece */
    double *g, *of_group;            /* landmarks x columns */
} volt_preconditioner;

/* ---- the iteration (solver_pcg.c) -------------------------------------------------------------------- */

/* A system with several columns. */
typedef struct volt_pcg_problem {
    volt_operator *kernel; /* n rows, of which the first `washout` are excluded */
    const volt_backend *backend;
    int64_t washout;
    const bool *without; /* (optional) per kept row: excluded */
    double common;       /* subtracted from K */
    int64_t columns;
    const double *alpha;   /* columns */
    const bool *constant;  /* columns: with an intercept */
    const double *targets; /* rows kept x columns; 0 where `without` */
    const volt_preconditioner *pre;
    const int64_t *group; /* columns */
    volt_progress progress;
    double before; /* operations before the first step, in products with K; for progress */
} volt_pcg_problem;

/* The state receives x; `product` (n x columns) receives K x. The four arrays of the state must be
 * allocated. Progress reports the residual. */
volt_status volt_pcg_run(const volt_pcg_problem *problem, volt_iteration *pcg, volt_pcg_state *state,
                         volt_matrix product);

#endif
