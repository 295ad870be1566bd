/* src/solve/loss/loss.h: the table of losses. Each entry is a convex function with the operations that
 * solvers need.
 *
 * A fit minimises sum_t w_t l(y_t, u_t) + (alpha / 2) |f|^2 with u = K a + 1 c. A solver uses four functions
 * of one number u (the formulas are in docs/math.md):
 *
 *     value    l(y, u)
 *     excess   l(y, u) + l*(g) - g u, which is at least 0, and 0 if g is a slope of l at u: the contribution of a row
 *              to the duality gap, written without cancellation
 *     slope    g of the Moreau envelope min_v l(y, v) + rho/2 |v - u - g0/rho|^2 at u, and its derivative d in u.
 *              prox = u + (g0 - g) / rho. rho = INFINITY: l' and l'' (only smooth losses)
 *     range    the slopes g for which l* is finite
 *
 * Classes (multinomial) use one function of a whole row, `row`, instead. To add a loss, define
 * volt_loss_NAME and add one line to VOLT_LOSS_LIST. */
#ifndef SOLVE_LOSS_LOSS_H
#define SOLVE_LOSS_LOSS_H

#include "volterra/solve.h"

#include <stdbool.h>

/* Functions of a row of m numbers; y is 1 in the column of the row's class, else 0. */
typedef struct volt_loss_row {
    double (*value)(int64_t m, const double *y, const double *u);
    double (*excess)(int64_t m, const double *y, const double *u, const double *g);
    void (*slope)(int64_t m, const double *y, const double *u, const double *g0, double rho, double *g);
} volt_loss_row;

/* Every field is REQUIRED unless marked (optional). p is the parameter, in the units used by the solver. */
typedef struct volt_loss_kind {
    volt_loss_info info;
    double low, high; /* bounds of the parameter, both excluded */
    bool in_units;    /* the parameter is in units of the targets */
    bool smooth;      /* l' and l'' exist: rho may be INFINITY */
    double rho;       /* of the first method (loss_solve.h), in units of the residuals if `by_residuals` */
    bool by_residuals;
    const volt_loss_row *row; /* (optional) replaces the next four functions */
    double (*value)(double p, double y, double u);
    double (*excess)(double p, double y, double u, double g);
    void (*slope)(double p, double y, double u, double g0, double rho, double *g, double *d);
    void (*range)(double p, double y, double *low, double *high);
    double (*start)(double y);                   /* (optional) initial value of the first method; default y */
    volt_status (*check)(double y, int64_t row); /* (optional) is y a valid target? */
    /* (optional) converts the outputs of one target to predictions */
    void (*link)(int64_t m, double *u);
    const char *link_code; /* with link: the same as C text for exported models, the body of a function */
    double (*score)(int64_t m, double y,
                    const double *forecast); /* (optional) score of a prediction; default `value` */
} volt_loss_kind;

enum { VOLT_MAX_LEVELS = 64 };

struct volt_loss {
    const volt_loss_kind *kind;
    int64_t count;                  /* number of parameters; may be 0 */
    double values[VOLT_MAX_LEVELS]; /* as written */
    char *text;
};

#define VOLT_LOSS_LIST(X) \
    X(squares) X(huber) X(quantile) X(epsilon) X(expectile) X(logistic) X(multinomial) X(poisson)

#define VOLT_DECLARE_LOSS(name) extern const volt_loss_kind volt_loss_##name;
VOLT_LOSS_LIST(VOLT_DECLARE_LOSS)
#undef VOLT_DECLARE_LOSS

/* The same list, terminated by NULL. */
extern const volt_loss_kind *const volt_loss_table[];

/* Converts the outputs u of a prediction, in the units of the targets, to the predictions of the loss:
 * sorted levels, a mean, probabilities. u holds all outputs of a row. */
void volt_loss_link(const volt_loss *loss, int64_t outputs, double *u);

/* Number of outputs per target, of `outputs` in total; and number of outputs for `targets` targets, or this
 * many classes. NULL: squares. */
int64_t volt_loss_group(const volt_loss *loss, int64_t outputs);
int64_t volt_loss_outputs(const volt_loss *loss, int64_t targets, int64_t classes);

/* Two classes are fitted with one function, for the second class: the outputs before this one stay 0. */
int64_t volt_loss_first_column(const volt_loss *loss);

/* Returns whether the text denotes squares. NULL does. */
bool volt_loss_is_squares(const char *text);

/* VOLT_ERR_ARGUMENT unless all weights (n; NULL: none) are finite and at least 0. */
volt_status volt_loss_check_weights(const double *weights, int64_t n);
/* VOLT_ERR_ARGUMENT unless the class of a row, counted from 0, is NaN or a whole number below `classes`. */
volt_status volt_loss_check_class(double y, int64_t row, int64_t classes);

/* The loss of predicted outputs u (volt_loss_group of them) of a target y, in its units. */
double volt_loss_of_target(const volt_loss *loss, int64_t group, double y, const double *u);

/* volt_loss_score row by row into `scores` (n numbers), each the mean over the targets of its row; NaN if
 * one is missing. */
volt_status volt_loss_row_scores(const volt_loss *loss, volt_view Y, volt_view forecasts, double *scores);

/* The constant prediction with the least mean loss over the rows: quantiles, expectiles, class frequencies,
 * a mean count. `forecast` receives `outputs` numbers, a row of predictions. VOLT_ERR_SHAPE,
 * VOLT_ERR_ARGUMENT, VOLT_ERR_DATA as in volt_loss_score. */
volt_status volt_loss_constant(const volt_loss *loss, volt_view Y, const double *weights, int64_t outputs,
                               double *forecast);

#endif
