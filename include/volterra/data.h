/* volterra/data.h: simulated sequences: a table of systems (volt_system_at), and the BEKK model of covolatility with its
 * estimator.
 *
 *     volt_system system;
 *     volt_simulate_options options;
 *     volt_status status = volt_system_parse("lorenz96:forcing=10,dimension=20", &system, &options);
 *     if (status == VOLT_OK)
 *         status = volt_simulate(system, &options, volt_matrix_of(rows, 1000, 20));
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

/* Systems "with input" are driven by a random-phase multisine of M = floor(bandwidth * period) harmonics,
 *     u(t) = amplitude sqrt(2 / M) sum_{k=1..M} cos(2 pi k t / T + phi_k),    T: the time of `period` rows,
 * with independent phases phi_k, uniform on [0, 2 pi). Its RMS over a period is `amplitude`. Rows are u and y at one time. */
typedef enum volt_system {
    /* Lorenz 1963: u' = sigma (v - u), v' = rho u - v - u w, w' = u v - beta w. */
    VOLT_SYSTEM_LORENZ,
    /* Mackey-Glass: x' = a x(t - delay) / (1 + x(t - delay)^power) - b x, from a constant history. */
    VOLT_SYSTEM_MACKEY_GLASS,
    /* NARMA10: y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1, u uniform on [0, 0.5), both 0 before
     * the start. Diverges for rare inputs: use another seed. */
    VOLT_SYSTEM_NARMA10,
    /* Lorenz 1996: x_i' = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + forcing, periodic in i. All x_i begin at forcing, x_1 at
     * forcing + start[0]. */
    VOLT_SYSTEM_LORENZ96,
    /* Kuramoto-Sivashinsky: u_t = -u u_x - u_xx - u_xxxx, periodic on [0, domain), at `modes` equidistant points, from
     * start[0] (sin(p) + cos(2 p)), p = 2 pi x / domain. Fourier modes, fourth-order exponential time differencing. */
    VOLT_SYSTEM_KURAMOTO_SIVASHINSKY,
    /* Henon map: x[t+1] = 1 - a x[t]^2 + y[t], y[t+1] = b x[t]. */
    VOLT_SYSTEM_HENON,
    /* Duffing oscillator with input: y'' + damping y' + linear y + cubic y^3 = u. */
    VOLT_SYSTEM_DUFFING,
    /* Van der Pol oscillator with input: y'' - mu (1 - y^2) y' + y = u. */
    VOLT_SYSTEM_VAN_DER_POL,
    /* Wiener-Hammerstein system with input, from rest: v'' + 2 damping1 frequency1 v' + frequency1^2 (v - u) = 0,
     * y'' + 2 damping2 frequency2 y' + frequency2^2 (y - tanh(gain v) / gain) = 0. */
    VOLT_SYSTEM_WIENER_HAMMERSTEIN,
    /* Bouc-Wen hysteresis with input, from rest: mass y'' + damping y' + stiffness y + z = u,
     * z' = alpha y' - beta (gamma |y'| |z|^(nu-1) z + delta y' |z|^nu). The defaults are those of Noel and Schoukens,
     * "Hysteretic benchmark with a dynamic nonlinearity" (2016). */
    VOLT_SYSTEM_BOUC_WEN,
    /* Wiener filter, u uniform on [-1, 1): v[t] = pole v[t-1] + (1 - pole) u[t], y[t] = sqrt(v[t]^2 + offset^2). Analytic in
     * the inputs for offset > 0; the absolute value of v for offset 0. */
    VOLT_SYSTEM_WIENER,
    /* Relay, a hysteresis without fading memory. u is a pulse, -1 or 1, with probability `rate`, otherwise uniform on
     * [-0.5, 0.5); y is the sign of the last pulse, 1 before the first. */
    VOLT_SYSTEM_RELAY
} volt_system;

enum { VOLT_SYSTEM_MAX_PARAMETERS = 16 };

/* Each system reads its own fields and ignores the others. Defaults: volt_simulate_options_default and volt_system_at. */
typedef struct volt_simulate_options {
    size_t struct_size;
    double sigma, rho, beta; /* Lorenz: 10, 28, 8/3 */
    double a, b, power;      /* Mackey-Glass: 0.2, 0.1, 10 (at least 0) */
    double delay;            /* Mackey-Glass: 17; a whole number of steps */
    double start[3];         /* initial values; Lorenz: (0, 1, 1.05), Mackey-Glass: 1.2, in start[0] */
    double step;             /* integration step; Lorenz: time between rows, 0.005; Mackey-Glass: 0.02 */
    int64_t every;           /* integration steps per row; Mackey-Glass: 50, rows are one unit of time apart */
    volt_ode_method method;  /* VOLT_ODE_RK4: holds the delayed value of Mackey-Glass over a step */
    uint64_t seed;           /* seed of the input and of start_noise (default: 0) */
    int64_t discard;         /* initial rows to discard, 0; NARMA10: 200 */
    volt_progress progress;
    /* of the systems from Lorenz 1996, in the order of volt_system_at */
    double parameters[VOLT_SYSTEM_MAX_PARAMETERS];
    double start_noise; /* standard deviation of normal numbers added to the initial values (default: 0) */
} volt_simulate_options;
VOLT_API volt_simulate_options volt_simulate_options_default(volt_system system);

typedef struct volt_system_parameter {
    const char *name, *meaning;
    double fallback;  /* default */
    double low, high; /* range; values must be finite */
    int open;         /* 1: low and high are excluded */
    int whole;        /* 1: an integer */
} volt_system_parameter;

typedef struct volt_system_info {
    size_t struct_size;
    const char *name;                        /* "lorenz96" */
    const char *equation;                    /* one line */
    const char *const *columns;              /* NULL-terminated names; numbered from 1 if is_numbered [other] */
    const volt_system_parameter *parameters; /* [array n_parameters] */
    int64_t n_parameters;
    int64_t n_start;      /* initial values that options->start gives, 0 to 3 */
    int64_t length;       /* default number of rows in the program */
    int has_input;        /* 1: the first column is an input, drawn with the seed */
    int is_numbered;      /* 1: the number of columns is a parameter: x1, x2, ... */
    int reads_step;       /* 1: reads options->step */
    int reads_every;      /* 1: reads options->every */
    int reads_method;     /* 1: reads options->method; 0: it must be VOLT_ODE_RK4 */
    const char *accuracy; /* measured error of the default step; NULL: none is stated */
} volt_system_info;

/* Returns the table entry of a system, from 0; NULL after the last. */
VOLT_API const volt_system_info *volt_system_at(int64_t system);

/* Parses NAME or NAME:PARAMETER=VALUE,... into a system and its options, the defaults for all else. VOLT_ERR_ARGUMENT: an
 * unknown system or parameter (the message suggests the closest name), or a value outside its range. */
VOLT_API volt_status volt_system_parse(const char *text, volt_system *system, volt_simulate_options *options);

/* Computes the number of columns of a simulation. */
VOLT_API volt_status volt_simulate_columns(volt_system system, const volt_simulate_options *options,
                                           int64_t *columns);

/* Simulates a system into `out`, n x volt_simulate_columns. Row 0 is the start if nothing is discarded, except: Mackey-Glass:
 * one step after the history; NARMA10: input u[0] and target y[1]. */
VOLT_API volt_status volt_simulate(volt_system system, const volt_simulate_options *options, volt_matrix out);

/* ---- BEKK: time-varying covariances of returns ------------------------------------------------- */

/* Parameters of the diagonal BEKK(1,0,1) model of d returns,
 *
 *     r_t = H_t^{1/2} z_t,    H_t = C C' + A r_{t-1} r_{t-1}' A' + B H_{t-1} B',
 *
 * where z_t is standard normal, H^{1/2} is the symmetric root, C is upper triangular, A = diag(a) and B = diag(b), and the
 * source of these parameters. The numbers in C, a and b may be changed; the other fields are read-only. */
typedef struct volt_bekk {
    size_t struct_size;
    int64_t d;
    double *C;     /* d x d, row-major, zero below the diagonal [array d, d] */
    double *a, *b; /* [array d] */

    double *C_error; /* (optional) standard errors in the same layout; all three or none [array d, d] */
    double *a_error, *b_error;    /* (optional) of a and b [array d] */
    char **tickers;               /* (optional) names [array d] */
    char *first_date, *last_date; /* (optional) dates of the prices */
    char *command;                /* (optional) command that produced the parameters */
    int64_t observations;         /* number of returns in the estimation; 0: unknown */
    double loglik;                /* log-likelihood of these returns; NaN: unknown */
    int converged;                /* 1: yes, 0: no, -1: unknown [count -1 to 1] */
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
    uint64_t seed;
    uint64_t stream; /* stream of the generator, for independent samples with one seed */
    int64_t
        discard; /* initial rows to discard (default: 1000); the very first row has the stationary covariance */
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
    /* starting points, at most 1,000,000 (default: 2): univariate estimates, then values common to all assets; further ones
     * are perturbed */
    int64_t starts;
    uint64_t seed;       /* seed of the perturbed starts (default: 0) */
    int64_t rounds;      /* maximum number of restarts of the optimiser with a new scale (default: 40) */
    int standard_errors; /* 1 (default): compute them */
    volt_progress progress;
} volt_bekk_fit_options;
VOLT_API volt_bekk_fit_options volt_bekk_fit_options_default(void);

typedef struct volt_bekk_fit_info {
    size_t struct_size;      /* set by the caller */
    double loglik;           /* volt_bekk_loglik of the returns less their means */
    double start_loglik;     /* the same with variance targeting, before all parameters were free */
    double gain_left;        /* second-order estimate of the possible further gain in log-likelihood */
    int converged;           /* gain_left is negligible and the Hessian is negative definite [flag] */
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
