/* src/solve/exact/factor.h: a Gram matrix, its Cholesky factor, and results computed from them.
 *
 * For the first m rows after a washout, with L L' = K - common 11' + alpha I, W = L^{-1} Y and u = L^{-1} 1
 * (docs/math.md),
 *
 *     intercept   c = (u[:m]' W[:m]) / (u[:m]' u[:m])                     (0 without)
 *     readout     D = W[:m] - u[:m] c,   A = L[:m, :m]^{-T} D
 *     continue    L[later, :m] D + c                                      later rows of the same sequence
 *     reset       K_reset[later, :m] A + c                                rows after another initial state
 *     one step    y_t - L_tt (w_t - u_t c_t),  c_t from the rows before t
 *
 * K, L and W grow from the top, all rows at once or block by block: the factor of the first m rows is the
 * leading block of every later one. With an intercept, K and K - common 11' have the same readout because 1'
 * A = 0; the second is far better conditioned near the bound of lambda. A centred kernel without an
 * intercept predicts like the plain one with an intercept, less the mean of the targets (`centred`).
 *
 * K and L are stored at a back end (backend/backend.h); W, u and all results are in host memory. Order of
 * calls:
 *
 *     create;  begin, fill, grow, results, grow, ...;  begin ...;  free */
#ifndef SOLVE_FACTOR_H
#define SOLVE_FACTOR_H

#include "backend/backend.h"
#include "solve/exact/operator.h"
#include "volterra/solve.h"

/* Cost of the operations of a factor. */
typedef struct volt_cost {
    double flops;
    double blas_seconds; /* of the calling thread, or of a team times its threads */
} volt_cost;

/* A factorisation task. */
typedef struct volt_factor_task {
    int64_t rows;    /* rows of K */
    int64_t washout; /* leading rows excluded from the fit; all other fields count the rows after them */
    int64_t ld;      /* leading dimension of K in the memory of the factor; 0: rows */
    double alpha;    /* regularisation */
    double common;   /* subtracted from every kept entry; 0 without an intercept */
    bool centred;    /* predictions lack the mean of the targets */
    volt_view Y;     /* targets, q columns ... */
    /* receives W. It may share the memory of Y; then only results of all rows are available. No data: call
     * restart before solving */
    volt_matrix W;
    double *u;           /* receives u, u[i * ld_u]; NULL: no intercept. If u is the column after W, ... */
    int64_t ld_u;        /* ... both are solved together */
    const bool *without; /* (optional) per kept row: it has no target and is not fitted; its Y must be 0 */
    /* work block by block, with results that do not depend on the number of threads; else all at once */
    bool steady;
    volt_stage *stage;              /* not NULL; cancelled: VOLT_ERR_CANCELLED */
    struct volt_held_out *held_out; /* (optional) held-out errors computed by volt_ridge_run ... */
    struct volt_row_errors *errors; /* ... and VOLT_ROW_ERRORS lists of row errors ... */
    /* ... and (optional) the log score, NaN if not finite, in units in which output k is ... */
    double *log_likelihood;
    const double *target_scale; /* ... target_scale[k] times as large */
} volt_factor_task;

/* Mean squared errors of held-out rows, each predicted from rows whose targets were known at that time. */
typedef struct volt_held_out {
    int64_t ahead;   /* rows until a target is known, at least 1 */
    int64_t most;    /* maximum number of held-out rows; 0: VOLT_MAX_HELD_OUT */
    int64_t begin;   /* first held-out row */
    int64_t rows;    /* number of held-out rows; 0: too few rows */
    int64_t counted; /* held-out rows with a target */
    double *mse;     /* q */
    /* blocks of consecutive rows, each predicted by one fit of the rows known before it; 0: every row is
     * predicted from all rows known then */
    int64_t blocks;
} volt_held_out;

enum { VOLT_MAX_HELD_OUT = 2048, VOLT_HELD_OUT_BLOCKS = 20 };
static inline int64_t volt_max_held_out(const volt_held_out *held_out)
{
    return held_out->most > 0 ? held_out->most : VOLT_MAX_HELD_OUT;
}

/* Selects the later half of m rows, at most `most`, less the rows needed by the first predictions. Sets
 * begin, rows and counted from m, `ahead`, `most` and the rows without a target (NULL: none), and reduces
 * `blocks` to the number of blocks of equal length, the last of which may be shorter. rows is 0 if no
 * held-out row has a target. Every solver holds out these rows, whether alpha is given or chosen. */
void volt_held_out_rows(volt_held_out *held_out, int64_t m, const bool *without);
/* Rows of a block; 1 without blocks. */
int64_t volt_held_out_block(const volt_held_out *held_out);

/* Errors of rows begin .. m - 1. Each row is predicted from rows known `ahead` rows before it, and only from
 * the first `most` of them. */
typedef struct volt_row_errors {
    int64_t ahead;     /* rows until a target is known, at least 1 */
    int64_t most;      /* at least 1; m: all known rows */
    int64_t begin;     /* the first row */
    volt_matrix e;     /* m - begin x q: target less prediction; 0 if there is none */
    volt_matrix scale; /* the same: sqrt(v_t), the standard deviation of e_t divided by s; 0: no error */
} volt_row_errors;

enum { VOLT_ROW_ERRORS = 2 }; /* number of lists computed by a fit */

typedef struct volt_factor {
    const volt_backend *backend;
    double *memory; /* max_rows x max_rows at the back end */
    bool owns_memory;
    double *numbers; /* q each: uw, c, y, shift, squares */
    volt_factor_task task;
    int64_t q;

    volt_matrix K;     /* rows x rows at the back end: the lower triangle ... */
    int64_t filled;    /* ... with this many rows filled */
    volt_matrix L;     /* K[w:, w:]: K - common 11' + alpha I, and its factor in the first m rows */
    double size;       /* largest K_ii, for the rounding level */
    int64_t m;         /* rows factored */
    int64_t panel_end; /* rows m .. panel_end - 1 of L are final up to column ... */
    int64_t panel;     /* ... this one */

    int64_t summed;  /* rows included in the sums: */
    double uu;       /* u' u */
    double *uw;      /* q: u' W */
    double *y;       /* q: 1' Y */
    double *c;       /* q: intercepts from the summed rows, zeros without */
    double *shift;   /* q: constant added to predictions: c, less the mean that a centred kernel excludes */
    double *squares; /* q: workspace for sums of squares */

    volt_cost cost; /* since the factor was created */
} volt_factor;

/* ---- life ------------------------------------------------------------------------------------- */

/* For matrices of up to max_rows rows, including the washout, and q outputs. `memory` (max_rows x
 * max_rows at the back end) is owned by the caller; NULL: it is allocated. */
volt_status volt_factor_create(const volt_backend *backend, double *memory, int64_t max_rows, int64_t q,
                               volt_factor **factor);
void volt_factor_free(volt_factor *factor);
/* Bytes allocated, including `memory`. */
double volt_factor_bytes(int64_t max_rows, int64_t q);

/* Begin a task, with no rows of K filled. */
void volt_factor_begin(volt_factor *factor, const volt_factor_task *task);

/* Fill the missing rows of K, up to all n of the operator. The next function declares rows up to `rows` as
 * filled by the caller. */
volt_status volt_factor_fill(volt_factor *factor, volt_operator *op);

/* Factor the first `to` rows, which must be filled. VOLT_ERR_SINGULAR if a pivot is not positive. */
volt_status volt_factor_grow(volt_factor *factor, int64_t to);
/* Factors all rows of up to VOLT_CHOLESKY_AT_ONCE factors of equal sizes at the CPU (or of one at any back end), not
 * `steady` and with u after W if there is one. pivots[i] is 0, or the pivot of factor i that was not positive
 * (volt_ridge_singular). The results have the bits of volt_factor_grow. VOLT_ERR_CANCELLED. */
volt_status volt_factor_grow_all(int64_t count, volt_factor *const *factors, int64_t *pivots);

/* The same matrix with several values of alpha, filled once with alpha = 0. keep: copies the diagonal (of
 * all kept rows) to the caller unless it is NULL, and the lower triangle of the rows from `first` on to the
 * upper one, which no factorisation touches. restore: copies it back. restart: prepares rows from `first`
 * on, which are in their filled state, for a factorisation with `alpha`; the task is the one given to begin,
 * with Y separate from W. */
void volt_factor_keep(volt_factor *factor, int64_t first, double *diagonal);
void volt_factor_restore(volt_factor *factor, int64_t first);
void volt_factor_restart(volt_factor *factor, const volt_factor_task *task, int64_t first, double alpha,
                         const double *diagonal);

/* n eps max K_ii for n rows: a smaller alpha is not safe. */
double volt_factor_rounding_level(const volt_factor *factor, int64_t n);

/* 1-norm of the matrix before the factorisation; and, afterwards, the estimated reciprocal condition number
 * from it. VOLT_ERR_NOT_FINITE if an entry is not finite; VOLT_ERR_MEMORY. */
volt_status volt_factor_norm(const volt_factor *factor, double *norm);
volt_status volt_factor_rcond(const volt_factor *factor, double norm, double *rcond);

/* ---- results of the first m rows -------------------------------------------------------------- */

/* Compute intercepts c and shifts. Call it before the functions below. */
void volt_factor_intercepts(volt_factor *factor);

void volt_factor_coefficients(volt_factor *factor, volt_matrix A);

/* Predict rows first .. first + out.rows - 1, at or after row m, of the same sequence; they must be filled.
 * D receives the readout. */
void volt_factor_forecast(volt_factor *factor, int64_t first, volt_matrix D, volt_matrix out);

/* Coefficients A (m x q) for rows after any initial state, whose kernel is K itself. Overwrites `shift` with
 * the constant to add. */
void volt_factor_reset_readout(volt_factor *factor, volt_matrix A);

/* Predict rows whose kernel against the m rows is `cross` (out.rows x m, at the back end). A receives the
 * coefficients; the shifts are overwritten. */
void volt_factor_forecast_reset(volt_factor *factor, volt_view cross, volt_matrix A, volt_matrix out);

/* ---- one-step, leave-one-out, likelihood (factor.c) ------------------------------------ */

/* Predict rows begin .. m - 1, each from all rows before it, into out; rows before `begin` only train.
 * Replaces volt_factor_intercepts; task.Y must not be task.W. */
void volt_factor_one_step(volt_factor *factor, int64_t begin, volt_matrix out);

/* Errors (target less prediction) of rows begin .. m - 1 (out: (m - begin) x q). Targets are known after
 * `ahead` >= 1 rows, so row t is predicted from rows before h = t - ahead + 1,
 *
 *     e_t = sum_{j = h}^{t} L_tj (w_j - u_j c_h),     c_h from rows before h,
 *
 * because L W = Y and L u = 1 (0 if there is no target). Of every `block` >= 1 consecutive rows, all are
 * predicted from the rows known at the first of them: t is that row in the formula of h. `constant`: with the
 * intercept; requires task.u. begin >= ahead. VOLT_ERR_MEMORY. */
volt_status volt_factor_held_out(volt_factor *factor, int64_t ahead, int64_t begin, bool constant,
                                 int64_t block, volt_matrix out);

/* The same with scales and h = min(t - ahead + 1, errors->most). Output k uses column column[k] of the
 * targets, unless it is negative, and writes column k of errors->e and errors->scale,
 *
 *     v_t = sum_{j = h}^{t} L_tj^2 + (sum_{j = h}^{t} L_tj u_j)^2 / sum_{j < h} u_j^2      (no last term without intercept)
 *
 * Both are 0 for rows before row `ahead` (ahead - 1 without intercept), rows without a target and, with an
 * intercept, rows before the first known target. VOLT_ERR_MEMORY. */
volt_status volt_factor_row_errors(volt_factor *factor, bool constant, const int64_t *column,
                                   volt_row_errors *errors);

/* Leave-one-out errors y_t - prediction, and their variances s_k^2 / P_tt (m x q both), where
 *
 *     e_t = A_t / P_tt,   P = R - r r' / (u' u),   R = (L L')^{-1},   r = L^{-T} u         (P = R without intercept)
 *
 * and s_k^2 is the sum of squares of D over m - 1 (m without intercept). In two steps: the diagonal of P (m
 * numbers, m^3 / 3 operations; VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED), and from the coefficients in `errors` the
 * errors. `variances` without data: not computed. gcv (q, or NULL) receives the generalised cross-validation
 * m |A_k|^2 / (tr P)^2. */
volt_status volt_factor_precisions(volt_factor *factor, double *P);
void volt_factor_loo(volt_factor *factor, const double *P, volt_matrix errors, volt_matrix variances,
                     double *gcv);

/* Gaussian log marginal likelihood of the m rows, in units in which output k is scale[k] times as large,
 * with the variance of each output profiled. With an intercept, which has a flat prior, it is the restricted
 * likelihood. Rows without a target are excluded. VOLT_ERR_NOT_FINITE if a target is fitted exactly. */
volt_status volt_factor_log_score(volt_factor *factor, const double *scale, double *score);
/* The same for output k, with or without an intercept (requires task.u), from `logs`, the part that all outputs share: the
 * sum of log L_tt over the rows with a target and, with an intercept, log(u' u) / 2. Not finite instead of the error
 * above. */
double volt_factor_log_determinant(const volt_factor *factor, bool constant);
double volt_factor_output_score(const volt_factor *factor, int64_t k, bool constant, double scale, double logs);

volt_status volt_factor_dimension(volt_factor *factor, bool constant, double *dimension, double *error);

/* ---- for factor.c ---------------------------------------------------------------------- */

/* Sums of squares of D into factor->squares. */
void volt_factor_squares(volt_factor *factor);

/* Add the time since `begun` (volt_seconds) and the operations to the cost. */
void volt_factor_account(volt_factor *factor, double begun, double flops);

/* ---- ridge regression on a Gram matrix by Cholesky, in place, with an exact intercept ---------------- */

/* Minimises |K A + 1 c - Y|^2 + alpha tr(A' K A): (K + alpha I) A = Y - 1 c, with
 * c = (1' R Y) / (1' R 1), R = (K + alpha I)^{-1}, or c = 0 without intercept. */

typedef struct volt_ridge_options {
    double alpha;  /* regularisation, > 0; default 1e-6 */
    int intercept; /* unpenalised; default 1 */
    volt_progress progress;
} volt_ridge_options;
volt_ridge_options volt_ridge_options_default(void);

typedef struct volt_ridge_report {
    double rcond;          /* estimated reciprocal condition number of K + alpha I */
    double rounding_level; /* n eps max_i K_ii: a smaller alpha is not safe */
} volt_ridge_report;

/* Overwrites the lower triangle of K (n x n) with the factor L of K + alpha I = L L', and Y (n x q) with A.
 * c receives the q intercepts (zeros without). Only the lower triangle of K is read. An alpha below the
 * rounding level logs a warning. VOLT_ERR_SINGULAR if a pivot fails; the message contains the pivot, alpha,
 * the rounding level and a sufficient alpha, and K and Y are undefined. options and report may be NULL. */
volt_status volt_ridge_solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *c,
                             volt_ridge_report *report);

/* Factors all rows, which must be filled, and computes the intercepts. W, which holds the targets, becomes
 * A. Progress covers [from, from + share] of the call. An alpha below the rounding level logs a warning. */
volt_status volt_ridge_run(volt_factor *factor, volt_progress progress, double from, double share,
                           volt_ridge_report *report);

/* VOLT_ERR_SINGULAR with the message for a factorisation of n rows that failed at `pivot` (1-based); `level`
 * is n eps max K_ii. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level);

#endif
