/* src/base/alpha_grid.h: the candidates for alpha, and the choice among them.
 *
 * Every choice of alpha in the library uses a grid of this table: powers of ten, in units of the size of the
 * matrix that alpha is added to. The ranges differ because the matrices and the criteria differ.
 *
 *     grid            powers   unit                order       criterion
 *     SQUARES         -8 .. 3  mean diagonal       descending  squared errors of held-out rows, or the score of folds
 *     LOSS            -7 .. 2  mean diagonal       descending  loss of held-out rows; ends after 2 without gain
 *     SERIES          -8 .. 1  1 (unit diagonal)   ascending   squared leave-one-out errors of series
 *     CLASS_LOSS      -3 .. 1  1 (unit diagonal)   ascending   log loss over folds of series
 *     ANOMALY         -8 .. 0  trace               ascending   areas under curves, or the log score
 *     AUTOREGRESSION  -6 .. 2  1 (correlations)    descending  squared leave-one-out errors
 *     SEARCH          -8 .. 1  1                   -           drawn log-uniformly by searches of kernel parameters
 *
 * Among equal errors, the first candidate in the order of its grid is chosen. */
#ifndef BASE_ALPHA_GRID_H
#define BASE_ALPHA_GRID_H

#include "volterra/base.h"

#include <stdbool.h>

typedef enum volt_alpha_grid {
    VOLT_ALPHA_SQUARES,
    VOLT_ALPHA_LOSS,
    VOLT_ALPHA_SERIES,
    VOLT_ALPHA_CLASS_LOSS,
    VOLT_ALPHA_ANOMALY,
    VOLT_ALPHA_AUTOREGRESSION,
    VOLT_ALPHA_SEARCH
} volt_alpha_grid;

enum { VOLT_MAX_ALPHAS = 12 };

/* The number of candidates, and the smallest and the largest one, in units. */
int volt_alpha_count(volt_alpha_grid grid);
double volt_alpha_low(volt_alpha_grid grid);
double volt_alpha_high(volt_alpha_grid grid);
/* Consecutive candidates without gain after which the search stops; 0: all are tried. */
int volt_alpha_patience(volt_alpha_grid grid);

/* The candidates times `unit`, in the order of the grid, if they are finite and above `least`, the rounding
 * level of the matrix. Returns their number. */
int64_t volt_alpha_list(volt_alpha_grid grid, double unit, double least, double alphas[VOLT_MAX_ALPHAS]);
/* The unit for a matrix with this diagonal of `rows` numbers: the mean over the `counted` rows with a
 * target; the other rows hold 0. *least receives the rounding level. */
double volt_alpha_unit(const double *diagonal, int64_t rows, int64_t counted, double *least);

/* ---- choice ----------------------------------------------------------------------------------- */

/* The best candidate of a column so far; alpha = 0: none. */
typedef struct volt_alpha_best {
    double alpha, error;
    double second; /* compared if errors are equal */
    bool constant; /* for the caller */
} volt_alpha_best;

typedef struct volt_alpha_choice volt_alpha_choice;

/* Evaluates choice->alpha and offers the errors of the columns. VOLT_ERR_SINGULAR: the candidate is skipped. */
typedef volt_status (*volt_alpha_fn)(void *context, volt_alpha_choice *choice);

struct volt_alpha_choice {
    volt_alpha_grid grid;
    double given; /* the only candidate; 0: use the grid */
    /* (optional) an alpha that is probably good: the candidates nearest to it are tried first, and others in either
     * direction as long as a column gains; 0: all candidates. Not used with a screen */
    double start;
    double unit, least;
    volt_alpha_fn evaluate;
    volt_alpha_fn
        /* (optional) cheaper estimates of the errors: the most promising candidate is evaluated first, until
         * no other estimate is below the best evaluated error */
        screen;
    void *context;
    int64_t columns;       /* each column has its own best candidate */
    volt_alpha_best *best; /* columns, 0 at first or with candidates of the caller */

    double alpha; /* current candidate */
    int64_t tried, failed;
    double *screened; /* internal: errors of the screened candidate, columns */
};

/* Offers an error of choice->alpha for a column. Returns true if it is the best so far; `best` is then
 * updated. Errors that are not finite are rejected. */
bool volt_alpha_offer(volt_alpha_choice *choice, int64_t column, double error, double second);

/* Tries the candidates. If no column has a best one, returns the status of the last skipped candidate, or
 * VOLT_OK if none was skipped. Other failures of a callback, and VOLT_ERR_MEMORY. */
volt_status volt_alpha_choose(volt_alpha_choice *choice);
/* The same with one column, unit 1 and no screening; best->alpha is 0 if no candidate was accepted. */
volt_status volt_alpha_choose_one(volt_alpha_grid grid, double given, volt_alpha_fn evaluate, void *context,
                                  volt_alpha_best *best);

#endif
