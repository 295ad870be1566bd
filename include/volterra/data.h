/* volterra/data.h: simulated sequences: Lorenz, Mackey-Glass, NARMA10, and the BEKK model of covolatility with its
 * estimator.
 *
 * Each generator fills the rows of a matrix and leaves it unchanged on failure: VOLT_ERR_ARGUMENT or VOLT_ERR_SHAPE for
 * invalid arguments, VOLT_ERR_NOT_FINITE with the row at which the system diverges, VOLT_ERR_CANCELLED, VOLT_ERR_MEMORY (a
 * temporary copy of the rows is needed). options may be NULL. Comments on the fields give the defaults. */
#ifndef VOLTERRA_DATA_H
#define VOLTERRA_DATA_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum volt_ode_method {
    VOLT_ODE_RK4,     /* classical Runge-Kutta, one step per `step`, as in the authors' generators */
    VOLT_ODE_ACCURATE /* Taylor series of high order with adaptive steps, accurate to rounding */
} volt_ode_method;

typedef enum volt_system {
    /* Lorenz 1963: u' = sigma (v - u), v' = rho u - v - u w, w' = u v - beta w. */
    VOLT_SYSTEM_LORENZ,
    /* Mackey-Glass: x' = a x(t - delay) / (1 + x(t - delay)^power) - b x, from a constant history. */
    VOLT_SYSTEM_MACKEY_GLASS,
    /* NARMA10: y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1, u uniform on [0, 0.5), both 0 before
     * the start. Diverges for rare inputs: use another seed. */
    VOLT_SYSTEM_NARMA10
} volt_system;

/* Each system reads its own fields and ignores the others. */
typedef struct volt_simulate_options {
    size_t struct_size;
    double sigma, rho, beta; /* Lorenz: 10, 28, 8/3 */
    double a, b, power;      /* Mackey-Glass: 0.2, 0.1, 10 (at least 0) */
    double delay;            /* Mackey-Glass: 17; a whole number of steps */
    double start[3];         /* Lorenz: (0, 1, 1.05); Mackey-Glass: 1.2, in start[0] */
    double step;             /* Lorenz: time between rows, 0.005; Mackey-Glass: integration step, 0.02 */
    int64_t every;           /* Mackey-Glass: integration steps per row, 50: rows are one unit of time apart */
    volt_ode_method method;  /* VOLT_ODE_RK4: holds the delayed value of Mackey-Glass over a step */
    uint64_t seed;           /* NARMA10: seed of the inputs, 0 */
    int64_t discard;         /* initial rows to discard, 0; NARMA10: 200 */
    volt_progress progress;
} volt_simulate_options;
VOLT_API volt_simulate_options volt_simulate_options_default(volt_system system);
/* Simulates a system into `out`. Lorenz: n x 3, row 0 is the start if nothing is discarded. Mackey-Glass: n x 1, row 0 is one
 * step after the history. NARMA10: n x 2, input u[t] and target y[t+1]. */
VOLT_API volt_status volt_simulate(volt_system system, const volt_simulate_options *options, volt_matrix out);

/* ---- BEKK: time-varying covariances of returns ------------------------------------------------- */

/* Parameters of the diagonal BEKK(1,0,1) model of d returns,
 *
 *     r_t = H_t^{1/2} z_t,    H_t = C C' + A r_{t-1} r_{t-1}' A' + B H_{t-1} B',
 *
 * z_t standard normal, H^{1/2} the symmetric root, C upper triangular, A = diag(a), B = diag(b), and their source. The
 * numbers in C, a and b may be changed; the other fields are read-only. */
typedef struct volt_bekk {
    size_t struct_size;
    int64_t d;
    double *C;     /* d x d, row-major, zero below the diagonal */
    double *a, *b; /* d each */

    double *C_error, *a_error, *b_error; /* (optional) standard errors in the same layout; all three or none */
    char **tickers;                      /* (optional) d names */
    char *first_date, *last_date;        /* (optional) dates of the prices */
    char *command;                       /* (optional) command that produced the parameters */
    int64_t observations;                /* number of returns in the estimation; 0: unknown */
    double loglik;                       /* log-likelihood of these returns; NaN: unknown */
    int converged;                       /* 1: yes, 0: no, -1: unknown */
} volt_bekk;

/* Creates a model with all numbers 0 and unknown source. VOLT_ERR_ARGUMENT when d is not 1 to VOLT_BEKK_MAX_ASSETS. */
enum { VOLT_BEKK_MAX_ASSETS = 200 };
VOLT_API volt_status volt_bekk_create(int64_t d, volt_bekk **bekk);
VOLT_API void volt_bekk_free(volt_bekk *bekk);

/* Sets the source of the parameters. Texts are copied; NULL: unknown. */
VOLT_API volt_status volt_bekk_set_source(volt_bekk *bekk, const char *const *tickers, const char *first_date,
                                          const char *last_date, const char *command);

/* Returns the name of built-in parameter set `index`, NULL after the last. They were estimated by volt_bekk_fit on daily
 * prices of S&P 500 companies. */
VOLT_API const char *volt_bekk_preset_name(int64_t index);
/* Returns a built-in parameter set. VOLT_ERR_ARGUMENT for an unknown name; the message suggests the closest one. */
VOLT_API volt_status volt_bekk_preset(const char *name, volt_bekk **bekk);

/* Convert parameters to and from JSON (docs/file_formats.md): an object with C (rows), a, b and the known optional fields.
 * Numbers are exact. Free *text with volt_free. VOLT_ERR_FORMAT for any other text, with the position; VOLT_ERR_NOT_FINITE.
 * For files see volt_text_read and volt_text_write (volterra/io.h). */
VOLT_API volt_status volt_bekk_to_json(const volt_bekk *bekk, char **text);
VOLT_API volt_status volt_bekk_from_json(const char *text, volt_bekk **bekk);

/* Computes the stationary covariance of r_t, (C C')_ij / (1 - a_i a_j - b_i b_j), into `covariance` (d x d). */
VOLT_API volt_status volt_bekk_stationary_covariance(const volt_bekk *bekk, volt_matrix covariance);

typedef struct volt_bekk_simulate_options {
    size_t struct_size;
    uint64_t seed;   /* 0 */
    uint64_t stream; /* stream of the generator, for independent samples with one seed (default: 0) */
    int64_t discard; /* initial rows to discard, 1000; the very first row has the stationary covariance */
    volt_progress progress;
} volt_bekk_simulate_options;
VOLT_API volt_bekk_simulate_options volt_bekk_simulate_options_default(void);
/* Simulates row t of three matrices: z_t (n x d), r_t (n x d) and vech(H_t) (n x d(d+1)/2), the lower triangle of H_t
 * column by column: h11, h21, ..., hd1, h22, ... A matrix with NULL data is skipped. */
VOLT_API volt_status volt_bekk_simulate(const volt_bekk *bekk, const volt_bekk_simulate_options *options,
                                        volt_matrix innovations, volt_matrix returns, volt_matrix covariances);

/* Computes the Gaussian log-likelihood of returns (T x d), without removing their means:
 *     sum_t -1/2 (d log 2 pi + log det H_t + r_t' H_t^{-1} r_t),  H_1 the sample covariance with divisor T - 1.
 * `terms` (T numbers) and `covariances` (T x d(d+1)/2, vech) are optional. VOLT_ERR_SINGULAR if an H_t is not positive
 * definite. */
VOLT_API volt_status volt_bekk_loglik(const volt_bekk *bekk, volt_view returns, double *terms,
                                      volt_matrix covariances, double *loglik);

/* Computes log(p_t / p_{t-1}) into `returns`, which has one row fewer than prices. VOLT_ERR_DATA for a price that is not
 * positive, VOLT_ERR_NOT_FINITE; the message names row and column. */
VOLT_API volt_status volt_log_returns(volt_view prices, volt_matrix returns);

typedef struct volt_bekk_fit_options {
    size_t struct_size;
    int64_t starts; /* 2: univariate estimates, then values common to all assets; further ones are perturbed */
    uint64_t seed;  /* seed of the perturbed starts (default: 0) */
    int64_t rounds; /* maximum number of restarts of the optimiser with a new scale (default: 40) */
    int standard_errors; /* 1 */
    volt_progress progress;
} volt_bekk_fit_options;
VOLT_API volt_bekk_fit_options volt_bekk_fit_options_default(void);

typedef struct volt_bekk_fit_info {
    size_t struct_size;      /* set by the caller */
    double loglik;           /* volt_bekk_loglik of the returns less their means */
    double start_loglik;     /* the same with variance targeting, before all parameters were free */
    double gain_left;        /* second-order estimate of the possible further gain in log-likelihood */
    int converged;           /* gain_left is negligible and the Hessian is negative definite */
    int64_t evaluations;     /* evaluations of likelihood and gradient, over all starts */
    int64_t starts, reached; /* starts tried, and those that ended within 0.01 of the best */
} volt_bekk_fit_info;

/* Estimates the diagonal model by quasi maximum likelihood: C upper triangular, a and b, all free, with sum a > 0, sum b > 0,
 * diag C > 0 and a_i^2 + b_i^2 < 1. The means of the columns are removed first. Standard errors use the sandwich estimator.
 * An estimate that did not converge is returned as well: check info->converged (a warning is logged). `info` may be NULL.
 * VOLT_ERR_DATA: too few rows (at least 50, and 2 for each of the d(d+5)/2 parameters), a constant column, linearly dependent
 * columns; VOLT_ERR_NOT_FINITE; VOLT_ERR_CANCELLED; VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_bekk_fit(volt_view returns, const volt_bekk_fit_options *options, volt_bekk **bekk,
                                   volt_bekk_fit_info *info);

#ifdef __cplusplus
}
#endif
#endif
