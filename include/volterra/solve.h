/* volterra/solve.h: the losses of a readout, and what solvers take for a fit. */
#ifndef VOLTERRA_SOLVE_H
#define VOLTERRA_SOLVE_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- losses ----------------------------------------------------------------------------------- */

/* A loss l(y, u) of a readout: NAME or NAME:PARAMETER=VALUE, of the table of losses. A fit then minimises
 * sum_t l(y_t, f_t + c) + (alpha / 2) |f|^2; with squares, (y - u)^2 / 2, that is ridge regression. */
typedef struct volt_loss volt_loss;

typedef struct volt_loss_info {
    size_t struct_size; /* set by the caller */
    const char *name;
    const char *meaning;   /* one line */
    const char *parameter; /* its name; NULL: there is none */
    const char *score;     /* name of volt_loss_score */
    const char *constant;  /* name of the constant with the least mean loss */
    int several;           /* several values may be given, increasing: q=0.1/0.5/0.9 */
    int classes;           /* targets are classes, at most this many; 0: targets are numbers */
    int unscaled;          /* targets are never scaled, and their changes are not learned */
    int64_t outputs;       /* of one target: the number of values given, at least 1; 0: one for each class */
    /* of one loss, and owned by it; NULL and 0 in the table */
    const char *text;     /* parses to the same loss, bit for bit */
    const double *values; /* n_values of the parameter */
    int64_t n_values;
} volt_loss_info;

/* Entry `index`, from 0, of the table of losses. Returns NULL after the last. */
VOLT_API const volt_loss_info *volt_loss_at(int64_t index);

/* VOLT_ERR_ARGUMENT for a loss that is not there or a parameter outside its range, with the value and the bounds. */
VOLT_API volt_status volt_loss_parse(const char *text, volt_loss **loss);
VOLT_API void volt_loss_free(volt_loss *loss);
VOLT_API volt_status volt_loss_get_info(const volt_loss *loss, volt_loss_info *info);

/* The mean loss of forecasts, the smaller the better: of levels the sum of their pinball losses over their number, of
 * classes -log of the probability of the class, of counts half the deviance. Y is n x t; of classes n x 1 with numbers
 * from 0. forecasts (n x outputs) are those of a model: outputs of target k side by side. weights (optional) n numbers
 * at least 0, of which one is not 0. A row with a target that is NaN does not count. VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT;
 * VOLT_ERR_DATA when no row counts. */
VOLT_API volt_status volt_loss_score(const volt_loss *loss, volt_view Y, volt_view forecasts,
                                     const double *weights, double *score);

/* ---- solvers ---------------------------------------------------------------------------------- */

/* A parameter of a solver: a number from low to high. */
typedef struct volt_solver_parameter {
    const char *name;
    const char *meaning; /* one line */
    double fallback, low, high;
    int whole;
} volt_solver_parameter;

enum { VOLT_SOLVER_PARAMETERS = 4 }; /* of one solver, at most */

/* A way to find the readout of a fit. Its text is NAME or NAME:PARAMETER=VALUE,... */
typedef struct volt_solver_info {
    const char *name;
    const char *meaning; /* one line */
    const volt_solver_parameter *parameters;
    int64_t n_parameters;
    int searches; /* candidates of a search can be fitted with it */
} volt_solver_info;

/* Entry `index`, from 0, of the table of solvers. Returns NULL after the last. */
VOLT_API const volt_solver_info *volt_solver_at(int64_t index);

/* ---- plans ------------------------------------------------------------------------------------ */

/* What one solver would take for a fit. */
typedef struct volt_solver_plan {
    const char *name;
    double bytes;      /* peak of volt_model_fit, alpha given ... */
    double seconds;    /* ... and its time; 0: not measured */
    int fits;          /* in the memory that is available */
    int64_t landmarks; /* 0: it has none */
    /* How far the RMSE of forecasts is expected above that of the exact fit, as a share of it: at most, on systems that are
     * smooth or noisy, and about, on systems nearly without noise, as measured on 20,000 rows. 0: it is exact. NaN: nothing was
     * measured with so few landmarks. */
    double error, noise_free_error;
} volt_solver_plan;

enum { VOLT_PLAN_SOLVERS = 8 }; /* at most */
typedef struct volt_solver_plans {
    size_t struct_size; /* set by the caller */
    int64_t count;
    volt_solver_plan solver[VOLT_PLAN_SOLVERS];
    int64_t taken;   /* the one that is taken where none is asked for ... */
    const char *why; /* ... and why, in a few words */
} volt_solver_plans;

#ifdef __cplusplus
}
#endif
#endif
