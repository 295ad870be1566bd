/* volterra/data.h: sequences to learn from: Lorenz, Mackey-Glass, NARMA10, and the BEKK model of covolatility
 * with its estimator.
 *
 * Each generator fills the rows of a matrix and leaves it untouched on failure: VOLT_ERR_ARGUMENT or VOLT_ERR_SHAPE
 * for what is wrong in the call, VOLT_ERR_NOT_FINITE with the row where the system diverges,
 * VOLT_ERR_CANCELLED, VOLT_ERR_MEMORY (a copy of the rows is needed while it runs). options may be NULL:
 * the defaults stand beside each field. */
#ifndef VOLTERRA_DATA_H
#define VOLTERRA_DATA_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum volt_ode_method {
    VOLT_ODE_RK4,     /* classical Runge-Kutta, one step per `step`: the authors' generators */
    VOLT_ODE_ACCURATE /* Taylor series of high order with adaptive steps, to rounding */
} volt_ode_method;

/* Lorenz 1963: u' = sigma (v - u), v' = rho u - v - u w, w' = u v - beta w. */
typedef struct volt_lorenz_options {
    size_t struct_size;
    double sigma, rho, beta; /* 10, 28, 8/3 */
    double start[3];         /* (0, 1, 1.05) */
    double step;             /* time between rows, 0.005 */
    int64_t discard;         /* rows computed and left out before the first, 0 */
    volt_ode_method method;  /* VOLT_ODE_RK4 */
    volt_progress progress;
} volt_lorenz_options;
VOLT_API volt_lorenz_options volt_lorenz_options_default(void);
/* Fill `out` (n x 3): row 0 is the start, when nothing is discarded. */
VOLT_API volt_status volt_simulate_lorenz(const volt_lorenz_options *options, volt_matrix out);

/* Mackey-Glass: x' = a x(t - delay) / (1 + x(t - delay)^power) - b x, from a constant history. */
typedef struct volt_mackey_glass_options {
    size_t struct_size;
    double a, b, power;     /* 0.2, 0.1, 10 (at least 0) */
    double delay;           /* 17; a whole number of steps */
    double start;           /* 1.2 */
    double step;            /* integration step, 0.02 */
    int64_t every;          /* keep one value of `every`, 50: rows are one unit of time apart */
    int64_t discard;        /* rows left out before the first, 0 */
    volt_ode_method method; /* RK4 holds the delayed value over a step, as the authors' generator does */
    volt_progress progress;
} volt_mackey_glass_options;
VOLT_API volt_mackey_glass_options volt_mackey_glass_options_default(void);
/* Fill `out` (n x 1): row 0 is one step after the history, when nothing is discarded. */
VOLT_API volt_status volt_simulate_mackey_glass(const volt_mackey_glass_options *options, volt_matrix out);

/* NARMA10: y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1, u uniform on
 * [0, 0.5), both 0 before the start. Diverges for rare inputs: VOLT_ERR_NOT_FINITE says at which row;
 * take another seed. */
typedef struct volt_narma10_options {
    size_t struct_size;
    uint64_t seed;   /* 0 */
    int64_t discard; /* 200 */
    volt_progress progress;
} volt_narma10_options;
VOLT_API volt_narma10_options volt_narma10_options_default(void);
/* Fill `out` (n x 2): input u[t], target y[t+1]. */
VOLT_API volt_status volt_simulate_narma10(const volt_narma10_options *options, volt_matrix out);

/* ---- BEKK: covariances of returns that change in time ------------------------------------------ */

/* Parameters of the diagonal BEKK(1,0,1) model of d returns,
 *
 *     r_t = H_t^{1/2} z_t,    H_t = C C' + A r_{t-1} r_{t-1}' A' + B H_{t-1} B',
 *
 * z_t standard normal, H^{1/2} the symmetric root, C upper triangular, A = diag(a), B = diag(b), and what is
 * known about where they come from. Read all fields; the numbers of C, a and b may be set, the rest belongs to
 * the functions below. */
typedef struct volt_bekk {
    size_t struct_size;
    int64_t d;
    double *C;     /* d x d, row-major, zero below the diagonal */
    double *a, *b; /* d each */

    double *C_error, *a_error, *b_error; /* (optional) standard errors, laid out alike; all three or none */
    char **tickers;                      /* (optional) d names */
    char *first_date, *last_date;        /* (optional) of the prices */
    char *command;                       /* (optional) what made them */
    int64_t observations;                /* returns that they were estimated on; 0: not known */
    double loglik;                       /* at these parameters on those returns; NaN: not known */
    int converged;                       /* 1: yes, 0: the estimator said no; -1: not known */
} volt_bekk;

/* All numbers 0, nothing known. VOLT_ERR_ARGUMENT when d is not 1 to VOLT_BEKK_MOST_ASSETS. */
enum { VOLT_BEKK_MOST_ASSETS = 200 };
VOLT_API volt_status volt_bekk_create(int64_t d, volt_bekk **bekk);
VOLT_API void volt_bekk_free(volt_bekk *bekk);

/* Sets the source of the parameters: texts are copied, each may be NULL (then that one becomes unknown). */
VOLT_API volt_status volt_bekk_set_source(volt_bekk *bekk, const char *const *tickers, const char *first_date,
                                          const char *last_date, const char *command);

/* Parameters built into the library: estimated by volt_bekk_fit on daily prices of S&P 500 companies. The names,
 * in order; NULL beyond the last. */
VOLT_API const char *volt_bekk_preset_name(int64_t index);
/* VOLT_ERR_ARGUMENT for a name that is none; the sentence has the nearest. */
VOLT_API volt_status volt_bekk_preset(const char *name, volt_bekk **bekk);

/* Parameters as JSON, and back (docs/file_formats.md): an object with C (rows), a, b and, where known, the rest.
 * Numbers read back exactly; free *text with volt_free. VOLT_ERR_FORMAT for a text that is no such object, says
 * where; VOLT_ERR_NOT_FINITE. To and from files: volt_text_read, volt_text_write (volterra/io.h). */
VOLT_API volt_status volt_bekk_to_json(const volt_bekk *bekk, char **text);
VOLT_API volt_status volt_bekk_from_json(const char *text, volt_bekk **bekk);

/* The covariance of r_t in the long run, (C C')_ij / (1 - a_i a_j - b_i b_j), into `covariance` (d x d). */
VOLT_API volt_status volt_bekk_stationary_covariance(const volt_bekk *bekk, volt_matrix covariance);

typedef struct volt_bekk_simulate_options {
    size_t struct_size;
    uint64_t seed;   /* 0 */
    uint64_t stream; /* of the generator, for independent samples of one seed; 0 */
    int64_t discard; /* rows left out before the first, 1000; the first of all has the stationary covariance */
    volt_progress progress;
} volt_bekk_simulate_options;
VOLT_API volt_bekk_simulate_options volt_bekk_simulate_options_default(void);
/* Row t of the three matrices: z_t (n x d), r_t (n x d) and vech(H_t) (n x d(d+1)/2), the columns of H_t one after
 * the other from the diagonal down: h11, h21, ..., hd1, h22, ... A matrix whose data are NULL is left out. */
VOLT_API volt_status volt_bekk_simulate(const volt_bekk *bekk, const volt_bekk_simulate_options *options,
                                        volt_matrix innovations, volt_matrix returns, volt_matrix covariances);

/* Gaussian log-likelihood of returns (T x d), as they are:
 *     sum_t -1/2 (d log 2 pi + log det H_t + r_t' H_t^{-1} r_t),  H_1 the sample covariance with divisor T - 1.
 * `terms` (T numbers) and `covariances` (T x d(d+1)/2, vech) may be left out: NULL. VOLT_ERR_SINGULAR when an H_t
 * is not positive definite. */
VOLT_API volt_status volt_bekk_loglik(const volt_bekk *bekk, volt_view returns, double *terms,
                                      volt_matrix covariances, double *loglik);

/* log(p_t / p_{t-1}), into `returns`, one row fewer than prices. VOLT_ERR_DATA for a price that is not above 0,
 * VOLT_ERR_NOT_FINITE; the sentence names row and column. */
VOLT_API volt_status volt_log_returns(volt_view prices, volt_matrix returns);

typedef struct volt_bekk_fit_options {
    size_t struct_size;
    int64_t starts;      /* 2: from each asset alone, from values common to all; further ones are perturbed */
    uint64_t seed;       /* of the perturbed starts, 0 */
    int64_t rounds;      /* most restarts of the optimiser with a new scale, 40 */
    int standard_errors; /* 1 */
    volt_progress progress;
} volt_bekk_fit_options;
VOLT_API volt_bekk_fit_options volt_bekk_fit_options_default(void);

typedef struct volt_bekk_fit_info {
    size_t struct_size;      /* set by the caller */
    double loglik;           /* that of volt_bekk_loglik on returns without their means */
    double start_loglik;     /* with variance targeting, before all parameters were free */
    double gain_left;        /* what the log-likelihood could still gain, to second order, when it ended */
    int converged;           /* gain_left is negligible and the Hessian is negative definite */
    int64_t evaluations;     /* of likelihood and gradient, by all starts */
    int64_t starts, reached; /* starts tried, and those that ended within 0.01 of the best */
} volt_bekk_fit_info;

/* Quasi maximum likelihood of the diagonal model: C upper triangular, a and b, all free, with sum a > 0, sum b > 0,
 * diag C > 0 and a_i^2 + b_i^2 < 1. The means of the columns are removed first. Standard errors are those of the
 * sandwich. An estimate that did not converge is handed over all the same: look at info->converged (a warning
 * goes to the log). `info` may be NULL.
 * VOLT_ERR_DATA: too few rows (at least 50, and 2 for each of the d(d+5)/2 parameters), a constant column,
 * columns that depend on one another; VOLT_ERR_NOT_FINITE; VOLT_ERR_CANCELLED; VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_bekk_fit(volt_view returns, const volt_bekk_fit_options *options, volt_bekk **bekk,
                                   volt_bekk_fit_info *info);

/* The paper's data: innovations z_t of a BEKK model as inputs and 1000 vech(H_{t+1}) as targets. X is
 * rows x d and Y rows x d (d + 1) / 2; rows + 1 observations are simulated. */
VOLT_API volt_status volt_bekk_pairs(const volt_bekk *model, uint64_t seed, volt_matrix X, volt_matrix Y);

#ifdef __cplusplus
}
#endif
#endif
