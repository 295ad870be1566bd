/* src/solve/choice/choice.h: alpha, intercept and kind of target of each output, chosen on held-out rows.
 *
 * The later half of the rows is held out, at most VOLT_MAX_HELD_OUT of them. Each is predicted from all rows
 * whose targets were known at that time, or before its block (factor.h), so a fit with the chosen alpha has the
 * same errors. Blocks are used if no target is an input: neighbouring rows of a slow system are nearly equal, and
 * a prediction from all rows before it would choose an alpha that is far too small for predictions from inputs.
 * Above 2 VOLT_MAX_HELD_OUT rows one factorisation per candidate would take too long; the last 2
 * VOLT_MAX_HELD_OUT rows screen the candidates first (alpha_grid.h). Candidates are the grid SQUARES and
 * infinity, for which the kernel is not used. The least mean squared error is chosen; among equals, the larger
 * alpha, and no constant before a constant.
 *
 * If the targets are changes, 0 is the naive forecast. It is kept unless the squared errors of the best
 * candidate are smaller in two block tests at 0.99: of predictions as above, and of predictions frozen at
 * the first held-out row, which show the errors of a model that is not refitted. Blocks have at least
 * `ahead` rows, because errors of overlapping forecasts are correlated. One step ahead, a candidate that
 * passes only at 0.95 gets half of its readout. The formulas are in docs/math.md. */
#ifndef SOLVE_CHOICE_H
#define SOLVE_CHOICE_H

#include "base/alpha_grid.h"
#include "solve/exact/stored_factor.h"

/* The choice for one output. */
typedef struct volt_chosen {
    bool level;        /* fit the second targets */
    bool constant;     /* with an intercept */
    double alpha;      /* INFINITY: the kernel is not used */
    double share;      /* share of the readout: 1, 1/2, or 0 for the naive forecast (no kernel, no intercept) */
    double mse;        /* of the held-out rows, as chosen */
    double best_mse;   /* of the best candidate, chosen or not ... */
    double best_alpha; /* ... and its alpha */
    double naive_mse;  /* of the naive forecast; NaN: none */
} volt_chosen;

typedef struct volt_choice {
    int64_t ahead; /* rows until a target is known, at least 1 */
    double alpha;  /* the only finite candidate; 0: the grid */
    double start;  /* (optional) alpha near which candidates are tried first (alpha_grid.h); 0: all are tried */
    /* Errors of the naive forecast, if the targets are changes (rows kept x q, in their units); no data: levels. */
    volt_view naive;
    volt_view level;            /* second targets (rows kept x q, same units); no data: none */
    const double *target_scale; /* q: these units, for the likelihood; NULL: not wanted */

    volt_stored_factors *stored_factors; /* (optional) receives the factors of the chosen readouts */
    /* (optional) VOLT_ROW_ERRORS lists that receive the errors of the chosen readouts */
    volt_row_errors *errors;

    /* (optional) q each: as in volt_readout */
    double *dimension, *dimension_error;

    bool decided;         /* the outputs are given; nothing is chosen */
    volt_chosen *outputs; /* q: the results */
    volt_held_out held; /* held-out rows, counted from the first kept row; `blocks` is given, mse is not used */
    int64_t tried;      /* finite alphas */
    int64_t failed;     /* of them, too small for the factorisation */
    double log_likelihood; /* of all chosen outputs; NaN if one is not fitted by the kernel only */
} volt_choice;

/* Numbers allocated by a choice in addition to the matrix, for n rows and q outputs without second targets;
 * and the number of screening rows, n if n is small. */
double volt_choice_numbers(double n, double q);
double volt_choice_rows(double n);
/* Choose, then solve. A (rows kept x q) holds the targets and receives the coefficients; intercepts (q)
 * receives the constant added to (K - common 11') A. The factor has begun `task` (alpha 0, Y = A, no W and u
 * yet) and is filled. Rows without a target hold 0 in A, naive and level. VOLT_ERR_SINGULAR if no candidate
 * could be factored. */
volt_status volt_choice_solve(volt_factor *factor, const volt_factor_task *task, bool intercept,
                              volt_choice *choice, volt_progress progress, double from, volt_matrix A,
                              double *intercepts, double *rcond);

/* ---- choice without solving -------------------------------------------------------------------- */

/* Errors of held-out rows. */
typedef enum volt_held_out_errors {
    VOLT_HELD_OUT_LATEST,  /* each row predicted from all rows whose targets were known, or before its block */
    VOLT_HELD_OUT_FROZEN,  /* all predicted from the rows known before the first of them */
    VOLT_HELD_OUT_SCREENED /* as LATEST, but only from the screening rows */
} volt_held_out_errors;

/* The fits to compare. */
typedef struct volt_choice_source {
    /* Writes errors of the held-out rows into e (held x columns of targets), 0 for rows without a target.
     * VOLT_ERR_SINGULAR: this alpha is too small and is skipped. */
    volt_status (*errors)(void *context, double alpha, bool constant, volt_held_out_errors kind, volt_matrix e);
    void *context;
    bool refits;  /* frozen errors differ from the latest; else all errors are frozen */
    bool screens; /* screened errors are cheaper */
    double unit;  /* mean of the diagonal of K */
    double least; /* rounding level of alpha */
} volt_choice_source;

/* Y: rows kept x q targets. source->errors has a column for each, followed by one for each level of the
 * choice. `without` as above. choice->held has the held-out rows: begin, rows and counted. VOLT_ERR_MEMORY
 * and failures of source->errors. */
volt_status volt_choice_pick(const volt_choice_source *source, volt_view Y, const bool *without, bool intercept,
                             volt_choice *choice);

/* The confidence that `errors` (element i at errors[i * ld]) are smaller than those of `reference`: 0.99, 0.95,
 * or 0. Squares are averaged over min(20, n / least) blocks of consecutive rows, the first n mod blocks of
 * which have one more row. Blocks are treated as independent. The test is a one-sided t test of the differences
 * of block means or, if their sum is above 0, of the logarithms of their ratios, whichever gives more
 * confidence. Ratios are used only if their geometric mean is at most 0.8 (docs/math.md). Fewer than 4
 * blocks: 0. */
double volt_block_test(const double *errors, const double *reference, int64_t ld, int64_t n, int64_t least);

#endif
