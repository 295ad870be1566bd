/* src/solve/loss/loss.h: losses of a readout as a table, each entry a convex function and what a solver asks of it.
 *
 * A fit minimises sum_t w_t l(y_t, u_t) + (alpha / 2) |f|^2 with u = K a + 1 c. A solver knows l by four functions of one
 * number u (docs/math.md has the formulas):
 *
 *     value    l(y, u)
 *     excess   l(y, u) + l*(g) - g u, which is at least 0, and 0 where g is a slope of l at u: a row's part of the
 *              duality gap, written so that no digits cancel
 *     slope    g of the Moreau envelope min_v l(y, v) + rho/2 |v - u - g0/rho|^2 at u, and its derivative d in u.
 *              prox = u + (g0 - g) / rho. rho = INFINITY: l' and l'' (only smooth losses)
 *     range    the slopes g for which l* is finite
 *
 * Classes (multinomial) are one function of a whole row: `row` in place of these. A new loss is one volt_loss_NAME and one line
 * of VOLT_LOSS_LIST. */
#ifndef SOLVE_LOSS_LOSS_H
#define SOLVE_LOSS_LOSS_H

#include "volterra/solve.h"

#include <stdbool.h>

/* Functions of a row of m numbers each; y is 1 in the column of the row's class, else 0. */
typedef struct volt_loss_row {
    double (*value)(int64_t m, const double *y, const double *u);
    double (*excess)(int64_t m, const double *y, const double *u, const double *g);
    void (*slope)(int64_t m, const double *y, const double *u, const double *g0, double rho, double *g);
} volt_loss_row;

/* Every entry is REQUIRED unless it says (optional). p is the parameter, in the units that the solver sees. */
typedef struct volt_loss_kind {
    volt_loss_info info;
    double low, high; /* the parameter lies between, both excluded */
    bool in_units;    /* the parameter is in units of the targets */
    bool smooth;      /* l' and l'' exist: rho may be INFINITY */
    double rho;       /* of the first method (loss_methods.h), in units of the residuals where `by_residuals` */
    bool by_residuals;
    const volt_loss_row *row; /* (optional) then the four that follow are not there */
    double (*value)(double p, double y, double u);
    double (*excess)(double p, double y, double u, double g);
    void (*slope)(double p, double y, double u, double g0, double rho, double *g, double *d);
    void (*range)(double p, double y, double *low, double *high);
    double (*start)(double y); /* (optional) where the first method begins; y itself where not */
    volt_status (*check)(double y, int64_t row); /* (optional) may y be a target? */
    void (*link)(int64_t m, double *u);          /* (optional) outputs of one target to what is forecast */
    double (*score)(int64_t m, double y,
                    const double *forecast); /* (optional) of a forecast; `value` where not */
} volt_loss_kind;

enum { VOLT_MOST_LEVELS = 64 };

struct volt_loss {
    const volt_loss_kind *kind;
    int64_t count;                   /* parameters; 0: it has none */
    double values[VOLT_MOST_LEVELS]; /* as written */
    char *text;
};

#define VOLT_LOSS_LIST(X) \
    X(squares) X(huber) X(quantile) X(epsilon) X(expectile) X(logistic) X(multinomial) X(poisson)

#define VOLT_DECLARE_LOSS(name) extern const volt_loss_kind volt_loss_##name;
VOLT_LOSS_LIST(VOLT_DECLARE_LOSS)
#undef VOLT_DECLARE_LOSS

/* The same as a table that NULL ends. */
extern const volt_loss_kind *const volt_loss_table[];

/* Outputs u of a forecast, in the units of the targets, to what the loss forecasts: levels sorted, a mean, probabilities.
 * u holds all outputs of a row. */
void volt_loss_link(const volt_loss *loss, int64_t outputs, double *u);

/* Outputs of one target, of `outputs` in all; and all outputs of `targets` targets, or of this many classes. NULL: squares. */
int64_t volt_loss_group(const volt_loss *loss, int64_t outputs);
int64_t volt_loss_outputs(const volt_loss *loss, int64_t targets, int64_t classes);

/* Of two classes one function is fitted, that of the second: the outputs before this one stay 0. */
int64_t volt_loss_first_column(const volt_loss *loss);

/* Is this the text of squares? NULL is. */
bool volt_loss_is_squares(const char *text);

/* VOLT_ERR_ARGUMENT unless all weights (n; NULL: none) are finite and at least 0. */
volt_status volt_loss_check_weights(const double *weights, int64_t n);
/* VOLT_ERR_ARGUMENT unless the class of a row, counted from 0, is NaN or a whole number below `classes`. */
volt_status volt_loss_check_class(double y, int64_t row, int64_t classes);

/* The loss of forecast outputs u (volt_loss_group of them) of a target y, in its units. */
double volt_loss_of_target(const volt_loss *loss, int64_t group, double y, const double *u);

/* volt_loss_score row by row into `scores` (n numbers), each the mean over the targets of its row; NaN where one is missing. */
volt_status volt_loss_row_scores(const volt_loss *loss, volt_view Y, volt_view forecasts, double *scores);

/* The constant forecast with the least mean loss over the rows: quantiles, expectiles, frequencies of classes, a mean
 * count. `forecast` receives `outputs` numbers, a row of forecasts. VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_DATA as in
 * volt_loss_score. */
volt_status volt_loss_constant(const volt_loss *loss, volt_view Y, const double *weights, int64_t outputs,
                               double *forecast);

#endif
