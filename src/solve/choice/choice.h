/* src/solve/choice/choice.h: alpha, a constant or none, and one kind of target or another, each output by itself, chosen by
 * forecasts of rows that were held out.
 *
 * The later half of the rows is held out, at most VOLT_MOST_HELD of them; each is predicted from all rows whose targets were
 * known then (factor.h), by the model that is fitted: a fit with the chosen alpha has the same errors. Above 2 VOLT_MOST_HELD
 * rows, where one factorisation per candidate would take too long, the last 2 VOLT_MOST_HELD rows screen the candidates first.
 * The most promising one is then evaluated on all rows, and the next, until no other promises less error than the best
 * evaluated one. Candidates are alpha = 10^g times the mean of the diagonal, g = -8 .. 3,
 * those above the rounding level, and infinity, where the kernel plays no part; the least mean squared error wins, of
 * equals the larger alpha, and no constant before one.
 *
 * Where the targets are changes, 0 is the naive forecast, "as now". It stays unless the winner's squared errors lie
 * below its own in two tests at 0.99: forecasts as above, and forecasts frozen at the first row held out, which show
 * what becomes of a model that is not fitted again. Tests are of the means of at most 20 blocks, each at least `ahead`
 * rows long, since errors of forecasts that overlap depend on each other. One step ahead, a winner that passes at 0.95
 * only is taken half-way. docs/math.md has the formulas, docs/results.md what they were chosen on. */
#ifndef SOLVE_CHOICE_H
#define SOLVE_CHOICE_H

#include "solve/exact/kept_factor.h"

/* What was chosen for an output. */
typedef struct volt_chosen {
    bool level;        /* the second targets */
    bool constant;     /* an intercept is part of it */
    double alpha;      /* INFINITY: the kernel plays no part */
    double share;      /* of the readout that is taken: 1, 1/2, or 0: the naive forecast */
    double mse;        /* of the rows held out, as chosen */
    double best_mse;   /* of the best candidate, taken or not ... */
    double best_alpha; /* ... and its alpha */
    double naive_mse;  /* of the naive forecast; NaN where there is none */
} volt_chosen;

typedef struct volt_choice {
    int64_t ahead;   /* rows until a target is known, at least 1 */
    double alpha;    /* the only one beside infinity; 0: the grid */
    bool changes;    /* the targets are changes: the naive forecast is 0 */
    volt_view naive; /* errors of naive forecasts (rows kept x q, in the units of the targets); no data: none */
    volt_view level; /* second targets (rows kept x q, same units); no data: none */
    const double *target_scale; /* q: these units, for the likelihood; NULL: not wanted */

    volt_kept_list *kept;    /* (optional) receives the factors of what is chosen */
    volt_row_errors *errors; /* (optional) VOLT_ROW_ERRORS lists that receive errors of what is chosen */

    bool decided;          /* the outputs are given, and nothing is left to choose */
    volt_chosen *outputs;  /* q: the results */
    volt_held_out held;    /* rows held out, counted from the first row kept; mse is not used */
    int64_t tried;         /* finite alphas */
    int64_t failed;        /* of them, too small for the factorisation */
    double log_likelihood; /* of all outputs as chosen; NaN where one of them is not the kernel's alone */
} volt_choice;

/* Numbers that choosing takes beside the matrix, for n rows and q outputs without second targets, and the rows that
 * screen candidates, all of n where n is small. */
double volt_choice_numbers(double n, double q);
double volt_choice_rows(double n);
/* Candidates, each factored once on those rows. */
enum { VOLT_CHOICE_ALPHAS = 12 };

/* The finite candidates for a matrix with this diagonal of `rows` numbers, of which those of `counted` rows are not 0 for
 * want of a target, from the largest down; returns how many. */
int64_t volt_choice_grid(const double *diagonal, int64_t rows, int64_t counted,
                         double alphas[VOLT_CHOICE_ALPHAS]);
/* The same from the mean of the diagonal, and the least alpha that rounding leaves room for. */
int64_t volt_choice_grid_of(double mean, double least, double alphas[VOLT_CHOICE_ALPHAS]);

/* Choose, then solve: A (rows kept x q) holds the targets and receives the coefficients, intercepts (q) what a forecast
 * adds to (K - common 11') A. The factor has begun with `task` (alpha 0, Y = A, no W and u yet) and is filled.
 * Rows without a target hold 0 in A, naive and level.
 * VOLT_ERR_SINGULAR when no candidate could be factored. */
volt_status volt_choice_solve(volt_factor *factor, const volt_factor_task *task, bool intercept,
                              volt_choice *choice, volt_progress progress, double from, volt_matrix A,
                              double *intercepts, double *rcond);

/* ---- without a factor of all rows (choice_pick.c) ---------------------------------------------- */

/* Where the errors of the rows held out come from. */
typedef struct volt_choice_source {
    /* Errors of the rows held out into e (held x columns of targets), 0 where there is no target, by forecasts of what the
     * rows before them tell. VOLT_ERR_SINGULAR: this alpha is too small, and left out. */
    volt_status (*errors)(void *context, double alpha, bool constant, volt_matrix e);
    void *context;
    double mean;  /* of the diagonal of K */
    double least; /* alpha that rounding leaves room for */
} volt_choice_source;

/* Choose only. Y: rows kept x q targets, and behind them as many levels where the choice has some; `without` as above. choice->held says which
 * rows are held out, the last ones: begin, rows and counted. VOLT_ERR_SINGULAR when no candidate is left. */
volt_status volt_choice_pick(const volt_choice_source *source, volt_view Y, const bool *without, bool intercept,
                             volt_choice *choice, volt_progress progress, double from, double share);

#endif
