/* src/solve/exact/factor.h: a Gram matrix, its Cholesky factor, and all that follows from the two.
 *
 * The first m rows that are kept after a washout have, with L L' = K - common 11' + alpha I, W = L^{-1} Y and
 * u = L^{-1} 1 (docs/math.md),
 *
 *     intercept   c = (u[:m]' W[:m]) / (u[:m]' u[:m])                     (0 without)
 *     readout     D = W[:m] - u[:m] c,   A = L[:m, :m]^{-T} D
 *     continue    L[later, :m] D + c                                      rows later of the same sequence
 *     reset       K_reset[later, :m] A + c                                rows after another past
 *     one step    y_t - L_tt (w_t - u_t c_t),  c_t from the rows before t
 *
 * K grows from the top, and so do L and W, all rows at once or block by block: the factor of the first m rows is
 * the leading block of every later one. With an intercept K and K - common 11' have the same readout, 1' A being 0,
 * and the second is far better conditioned near the bound of lambda. A centred kernel without an intercept
 * forecasts like the plain one with an intercept, less the mean of the targets (`centred`).
 *
 * K and L lie at a back end (base/backend.h), W, u and all results here. The life of a factor:
 *
 *     create;  begin, fill, grow, results, grow, ...;  begin ...;  free
 *
 * To learn online, a row is appended by what grow does for one row (trsm, potrf and forward of rows m .. m), with K
 * one row larger; the oldest row is dropped by rotations of L[1:, 1:], W and u by column 0, as one more operation of
 * the back end and with the sums behind the intercept taken anew. Both belong into a file of their own beside this
 * one (docs/math.md, solve/exact/factor_errors.c for the shape). */
#ifndef SOLVE_FACTOR_H
#define SOLVE_FACTOR_H

#include "base/backend.h"
#include "solve/exact/operator.h"

/* What the operations of a factor cost. */
typedef struct volt_cost {
    double flops;
    double blas_seconds; /* of the calling thread, or of a team times its threads */
} volt_cost;

/* What is factored, and for whom. */
typedef struct volt_factor_task {
    int64_t rows;    /* of K, of which ... */
    int64_t washout; /* ... so many are only past: everything else here counts the rows kept after them */
    int64_t ld;      /* leading dimension of K in the memory of the factor; 0: rows */
    double alpha;    /* regularisation */
    double common;   /* what is subtracted from every entry kept; 0 without an intercept */
    bool centred;    /* the forecasts lack the mean of the targets */
    volt_view Y;     /* targets, q columns ... */
    volt_matrix W; /* ... and where W goes. They may be the same memory: then only all rows are of use. No data:
                        * restart comes before anything is solved */
    double *u;     /* where u goes, u[i * ld_u]; NULL: no intercept. u behind the last column of W is ... */
    int64_t ld_u;  /* ... solved with it in one piece */
    const bool *without; /* (optional) per row kept: it has no target, and is not fitted; its Y must be 0 */
    bool steady;       /* the same bits whatever the number of threads, and block by block; else all at once */
    volt_stage *stage; /* not NULL; cancelled: VOLT_ERR_CANCELLED */
    struct volt_held_out *held_out; /* (optional) what volt_ridge_run is to find out on the way ... */
    struct volt_row_errors *errors; /* ... and these, VOLT_ROW_ERRORS of them */
    /* ... and (optional) the log score, NaN where it is not finite, in units in which output k is ... */
    double *log_likelihood;
    const double *target_scale; /* ... target_scale[k] times as large */
} volt_factor_task;

/* Mean squared errors of rows that were held out, each forecast from rows whose targets were known then. */
typedef struct volt_held_out {
    int64_t ahead;   /* rows until a target is known, at least 1 */
    int64_t most;    /* rows that are held out at most; 0: VOLT_MOST_HELD */
    int64_t begin;   /* first row forecast */
    int64_t rows;    /* how many; 0: too few to hold any out */
    int64_t counted; /* of them, those that have a target */
    double *mse;     /* q */
} volt_held_out;

enum { VOLT_MOST_HELD = 2048 };
static inline int64_t volt_most_held(const volt_held_out *held_out)
{
    return held_out->most > 0 ? held_out->most : VOLT_MOST_HELD;
}

/* The later half of m rows, at most `most`, less what the first predictions need. Sets begin, rows and counted from m, `ahead`,
 * `most` and the rows without a target (NULL: none). rows is 0 where no held-out row has a target. Every solver holds out
 * these rows, whether alpha is given or chosen. */
void volt_held_out_rows(volt_held_out *held_out, int64_t m, const bool *without);

/* Errors of rows begin .. m - 1, each forecast from rows whose targets were known `ahead` rows before it, and of those from
 * the first `most` alone. */
typedef struct volt_row_errors {
    int64_t ahead;     /* rows until a target is known, at least 1 */
    int64_t most;      /* at least 1; m: all that are known */
    int64_t begin;     /* the first row that is wanted */
    volt_matrix e;     /* m - begin x q: target less forecast; 0 where there is none */
    volt_matrix scale; /* the same: sqrt(v_t), the standard deviation of e_t over s; 0: there is no error */
} volt_row_errors;

enum { VOLT_ROW_ERRORS = 2 }; /* lists of them that a fit wants */

typedef struct volt_factor {
    const volt_backend *backend;
    double *memory; /* most_rows x most_rows at the back end */
    bool owns_memory;
    double *numbers; /* q each: uw, c, y, shift, squares */
    volt_factor_task task;
    int64_t q;

    volt_matrix K;     /* rows x rows at the back end: the lower triangle, of which ... */
    int64_t filled;    /* ... these rows are there */
    volt_matrix L;     /* K[w:, w:]: K - common 11' + alpha I, and its factor as far as it has grown */
    double size;       /* largest K_ii, for the rounding level */
    int64_t m;         /* rows factored */
    int64_t panel_end; /* rows m .. panel_end - 1 of L are final up to column ... */
    int64_t panel;     /* ... this one */

    int64_t summed;  /* rows that are in the sums: */
    double uu;       /* u' u */
    double *uw;      /* q: u' W */
    double *y;       /* q: 1' Y */
    double *c;       /* q: intercepts of the rows in the sums, zeros without */
    double *shift;   /* q: what a forecast adds: c, less what a centred kernel does not learn */
    double *squares; /* q: room for sums of squares */

    volt_cost cost; /* since the factor was created */
} volt_factor;

/* ---- life ------------------------------------------------------------------------------------- */

/* For matrices of up to most_rows rows, washout included, and q outputs. `memory` (most_rows x most_rows at the back
 * end, and still the caller's) may be NULL: it is allocated then. */
volt_status volt_factor_create(const volt_backend *backend, double *memory, int64_t most_rows, int64_t q,
                               volt_factor **factor);
void volt_factor_free(volt_factor *factor);
/* Bytes that it allocates, `memory` included. */
double volt_factor_bytes(int64_t most_rows, int64_t q);

/* Begin with a task, of which no row of K is there. */
void volt_factor_begin(volt_factor *factor, const volt_factor_task *task);

/* The rows of K that are not there yet, up to all n of the operator. The next function: rows that the caller has put
 * there up to `rows`. */
volt_status volt_factor_fill(volt_factor *factor, volt_operator *op);
void volt_factor_take_rows(volt_factor *factor, int64_t rows);

/* Factor the first `to` rows, which are there. VOLT_ERR_SINGULAR when a pivot fails. */
volt_status volt_factor_grow(volt_factor *factor, int64_t to);

/* The same matrix with one alpha after the other, filled once with alpha = 0. keep: the diagonal (of all rows kept) goes
 * to the caller unless it is NULL, and the lower triangle of the rows from `first` on is copied to the upper one, which no
 * factorisation touches. restore: it comes back. restart: rows from `first` on, which are as they were filled, are to
 * be factored with `alpha`; the task is that of begin, with Y apart from W. */
void volt_factor_keep(volt_factor *factor, int64_t first, double *diagonal);
void volt_factor_restore(volt_factor *factor, int64_t first);
void volt_factor_restart(volt_factor *factor, const volt_factor_task *task, int64_t first, double alpha,
                         const double *diagonal);

/* n eps max K_ii of n rows: an alpha below it is not safe. */
double volt_factor_rounding_level(const volt_factor *factor, int64_t n);

/* 1-norm of what is to be factored, before it is; and with it, afterwards, the estimated reciprocal condition
 * number. VOLT_ERR_NOT_FINITE when the matrix holds a value that is not; VOLT_ERR_MEMORY. */
volt_status volt_factor_norm(const volt_factor *factor, double *norm);
volt_status volt_factor_rcond(const volt_factor *factor, double norm, double *rcond);

/* ---- results of the first m rows -------------------------------------------------------------- */

/* Intercepts c and shifts. Comes before the functions below. */
void volt_factor_intercepts(volt_factor *factor);

/* D, and A (m x q both; W itself where only all rows are of use). */
void volt_factor_readout(const volt_factor *factor, volt_matrix D);
void volt_factor_coefficients(volt_factor *factor, volt_matrix A);

/* Rows first .. first + out.rows - 1, at or behind row m, of the same sequence; they must be there. D receives the
 * readout. */
void volt_factor_forecast(volt_factor *factor, int64_t first, volt_matrix D, volt_matrix out);

/* Coefficients A (m x q) for rows after any past, whose kernel is K itself, and in `shift` what is added then: it is used
 * up. */
void volt_factor_reset_readout(volt_factor *factor, volt_matrix A);

/* Rows whose kernel against the m rows is `cross` (out.rows x m, at the back end). A receives the coefficients, and
 * the shifts are used up. */
void volt_factor_forecast_reset(volt_factor *factor, volt_view cross, volt_matrix A, volt_matrix out);

/* ---- one step ahead, one left out, likelihood (factor_errors.c) ------------------------------- */

/* Rows begin .. m - 1, each from all rows before it, into out; rows before `begin` only train. In place of
 * volt_factor_intercepts; task.Y must not be task.W. */
void volt_factor_one_step(volt_factor *factor, int64_t begin, volt_matrix out);

/* Of rows begin .. m - 1, target less the forecast that was possible then (out: (m - begin) x q): `ahead` >= 1 rows pass
 * until a target is known, so that row t is forecast from rows before h = t - ahead + 1,
 *
 *     e_t = sum_{j = h}^{t} L_tj (w_j - u_j c_h),     c_h from rows before h,
 *
 * because L W = Y and L u = 1 (0 where there is no target). `frozen`: all are forecast from the rows before
 * h = begin - ahead + 1. `constant`: with the intercept, for which task.u must be there. begin >= ahead.
 * VOLT_ERR_MEMORY. */
volt_status volt_factor_held_out(volt_factor *factor, int64_t ahead, int64_t begin, bool constant, bool frozen,
                                 volt_matrix out);

/* The same with scales and h = min(t - ahead + 1, errors->most): of output k, column column[k] of the targets, where that is
 * not negative, into column k of errors->e and errors->scale,
 *
 *     v_t = sum_{j = h}^{t} L_tj^2 + (sum_{j = h}^{t} L_tj u_j)^2 / sum_{j < h} u_j^2      (no last term without intercept)
 *
 * Rows before row `ahead` (ahead - 1 without intercept), rows that have no target and, with an intercept, rows before which
 * no target is known, hold 0 in both.
 * VOLT_ERR_MEMORY. */
volt_status volt_factor_row_errors(volt_factor *factor, bool constant, const int64_t *column,
                                   volt_row_errors *errors);

/* Of every row t, left out and forecast from all others: errors y_t - forecast, and the variances of such an error,
 * s_k^2 / P_tt (m x q both), where
 *
 *     e_t = A_t / P_tt,   P = R - r r' / (u' u),   R = (L L')^{-1},   r = L^{-T} u         (P = R without intercept)
 *
 * and s_k^2 is the sum of squares of D over m - 1 (m without intercept). m^3 / 3 operations. VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. */
volt_status volt_factor_leave_one_out(volt_factor *factor, volt_matrix errors, volt_matrix variances);

/* The same in two steps: the diagonal of P (m numbers), and what follows from it. `variances` without data: not wanted.
 * gcv (q, or NULL) receives the generalised cross-validation m |A_k|^2 / (tr P)^2. */
volt_status volt_factor_precisions(volt_factor *factor, double *P);
void volt_factor_left_out(volt_factor *factor, const double *P, volt_matrix errors, volt_matrix variances,
                          double *gcv);

/* Gaussian log marginal likelihood of the m rows, in units in which output k is scale[k] times as large, with the
 * variance of each output profiled; with an intercept, whose prior is flat, the restricted one. Rows without a target
 * do not count. VOLT_ERR_NOT_FINITE when a target is fitted exactly. */
volt_status volt_factor_log_score(volt_factor *factor, const double *scale, double *score);
/* Of output k alone, with or without an intercept, for which task.u must be there; not finite where the sentence above would be. */
double volt_factor_output_score(const volt_factor *factor, int64_t k, bool constant, double scale);

/* ---- gradient of the likelihood (factor_evidence.c) ------------------------------------------- */

/* L becomes G, the derivatives of the log score by the entries of K, symmetric, of all rows. A (m x q) receives the
 * coefficients, P (m) the diagonal of P. Afterwards only the two functions below and volt_factor_left_out may be asked.
 * 2 m^3 / 3 operations. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_factor_gradient_weights(volt_factor *factor, volt_matrix A, double *P);
/* sum_ij G_ij K_ij over the rows kept, for any operator of the rows of the task: dK / d theta gives the derivative. */
volt_status volt_factor_contract(volt_factor *factor, volt_operator *op, double *sum);
/* tr G, the derivative by alpha; `room` has m numbers. */
double volt_factor_trace(const volt_factor *factor, double *room);

/* ---- for factor_errors.c and factor_evidence.c ------------------------------------------------ */

/* Sums of squares of D into factor->squares, and r = L^{-T} u (m x 1), where there is an intercept. */
void volt_factor_squares(volt_factor *factor);
void volt_factor_zero_sum(volt_factor *factor, volt_matrix r);

/* Row t of the forward solves joins the sums; intercepts from the sums over the first `rows` rows. */
void volt_factor_add_to_sums(volt_factor *factor, int64_t t);
void volt_factor_update_intercepts(volt_factor *factor, int64_t rows);

/* Pivots L_tt of rows first .. first + count - 1. */
void volt_factor_pivots(const volt_factor *factor, int64_t first, int64_t count, double *pivots);

/* Account for the operations since `begun` (volt_seconds). */
void volt_factor_account(volt_factor *factor, double begun, double flops);

#endif
