/* volterra/solve.h: loss functions, solvers, and estimates of the memory and time of a fit. */
#ifndef VOLTERRA_SOLVE_H
#define VOLTERRA_SOLVE_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- losses ----------------------------------------------------------------------------------- */

/* A loss l(y, u): NAME or NAME:PARAMETER=VALUE. A fit minimises sum_t l(y_t, f_t + c) + (alpha / 2) |f|^2. With squares,
 * (y - u)^2 / 2, that is ridge regression. */
typedef struct volt_loss volt_loss;

typedef struct volt_loss_info {
    size_t struct_size; /* set by the caller */
    const char *name;
    const char *meaning;   /* one line */
    const char *parameter; /* name of the parameter; NULL: none */
    const char *score;     /* name of volt_loss_score */
    const char *constant;  /* name of the constant with the smallest mean loss */
    int several;           /* 1: accepts several values in increasing order: q=0.1/0.5/0.9 */
    int classes;           /* maximum number of classes; 0: targets are numbers [count] */
    int unscaled;          /* 1: targets are neither scaled nor differenced */
    int64_t outputs;       /* outputs per target: the number of values, at least 1; 0: one for each class */
    /* for one loss, which owns them; NULL and 0 in the table */
    const char *text;     /* parses to the same loss, bit for bit */
    const double *values; /* n_values values of the parameter [array n_values] */
    int64_t n_values;
} volt_loss_info;

/* Returns entry `index`, from 0, of the table of losses; NULL after the last. */
VOLT_API const volt_loss_info *volt_loss_at(int64_t index);

/* Parses a loss. VOLT_ERR_ARGUMENT for an unknown loss or a parameter out of range, with the value and the bounds. */
VOLT_API volt_status volt_loss_parse(const char *text, volt_loss **loss);
VOLT_API void volt_loss_free(volt_loss *loss);
VOLT_API volt_status volt_loss_get_info(const volt_loss *loss, volt_loss_info *info);

/* Computes the mean loss of predictions, the lower the better: for quantiles the mean pinball loss over the levels, for
 * classes -log of the probability of the class, for counts half the deviance. Y is n x t; for classes n x 1 with numbers
 * from 0. forecasts (n x outputs) are predictions of a model; the outputs of one target are adjacent. weights (optional): n
 * numbers >= 0, not all 0. Rows with a NaN target are ignored. VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE for a
 * prediction or an infinite target; VOLT_ERR_DATA if no row remains. */
VOLT_API volt_status volt_loss_score(const volt_loss *loss, volt_view Y, volt_view forecasts,
                                     const double *weights, double *score);

/* ---- solvers ---------------------------------------------------------------------------------- */

/* A solver of the fit. */
typedef struct volt_solver_info {
    const char *name;
    const char *meaning; /* one line */
    int searches;        /* 1: can fit the candidates of a search */
} volt_solver_info;

/* Returns entry `index`, from 0, of the table of solvers; NULL after the last. */
VOLT_API const volt_solver_info *volt_solver_at(int64_t index);

/* ---- plans ------------------------------------------------------------------------------------ */

/* Estimated memory and time of a fit with one solver. */
typedef struct volt_solver_plan {
    const char *name;
    double bytes;      /* peak memory of volt_model_fit with alpha given ... */
    double seconds;    /* ... and its time; 0: not measured */
    int fits;          /* 1: fits in the available memory */
    int64_t landmarks; /* 0: none */
    /* Expected relative increase of the RMSE of predictions over the exact fit, measured on 20,000 rows: an upper bound for
     * smooth or noisy systems, and an approximate value for nearly noise-free systems. 0: exact. NaN: not measured for so
     * small a number of landmarks. */
    double error, noise_free_error;
} volt_solver_plan;

typedef struct volt_solver_plans {
    size_t struct_size; /* set by the caller */
    int64_t count;
    volt_solver_plan solver[8]; /* [array count] */
    int64_t taken;              /* index of the default solver ... */
    const char *why;            /* ... and the reason for it */
} volt_solver_plans;

#ifdef __cplusplus
}
#endif
#endif
