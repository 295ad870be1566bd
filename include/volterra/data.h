/* volterra/data.h: sequences to learn from: Lorenz, Mackey-Glass, NARMA10.
 *
 * Each fills the rows of a matrix and leaves it untouched on failure: VOLT_ERR_ARGUMENT or VOLT_ERR_SHAPE
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
    uint64_t seed;   /* 0 */
    int64_t discard; /* 200 */
    volt_progress progress;
} volt_narma10_options;
VOLT_API volt_narma10_options volt_narma10_options_default(void);
/* Fill `out` (n x 2): input u[t], target y[t+1]. */
VOLT_API volt_status volt_simulate_narma10(const volt_narma10_options *options, volt_matrix out);

#ifdef __cplusplus
}
#endif
#endif
