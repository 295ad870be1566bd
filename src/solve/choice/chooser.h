/* src/solve/choice/chooser.h: the contest behind a choice (choice.h), whatever the errors of the candidates come from. */
#ifndef SOLVE_CHOOSER_H
#define SOLVE_CHOOSER_H

#include "solve/choice/choice.h"

/* The best candidate of a column of targets so far. */
typedef struct volt_contestant {
    double mse, alpha;
    bool constant;
} volt_contestant;

typedef struct volt_chooser {
    volt_factor *factor;
    volt_factor_task task; /* with all columns: q first targets, then q levels where there are any */
    volt_choice *choice;
    bool intercept;
    int64_t q, columns;
    int64_t rows;  /* kept */
    int64_t first; /* the rows from here on screen the candidates; 0: there is no screening */
    int64_t begin; /* first row held out ... */
    int64_t held;  /* ... and how many there are */
    double *diagonal;
    double mean;                      /* of the diagonal, over the rows that have a target */
    int64_t spoiled;                  /* the lower triangle of K from this row on holds a factor; rows: none */
    double factored;                  /* alpha of the factor of all rows in K; 0: there is none */
    double norm;                      /* of the matrix that was factored last */
    volt_contestant *best;            /* columns */
    volt_matrix e, z, best_e, best_z; /* held x columns: errors, and frozen ones */
} volt_chooser;

/* The mean square of column k of the errors of the held-out rows. */
double volt_chooser_mean_square(const volt_chooser *c, volt_view e, int64_t k);
/* Whether column k may be fitted with (without) a constant. */
bool volt_chooser_allows(const volt_chooser *c, int64_t k, bool constant);
/* Take over the columns in which the errors `e` are the least so far; true: some are, and frozen errors are wanted. */
bool volt_chooser_contend(volt_chooser *c, double alpha, bool constant);
/* The frozen errors `z` are those of this candidate. */
void volt_chooser_keep_frozen(volt_chooser *c, double alpha, bool constant);
/* alpha = infinity: 0, or the mean of the targets known. */
void volt_chooser_try_infinity(volt_chooser *c, bool constant);

/* What comes of it for an output; and for all of them where too few rows are there to hold any out. */
volt_chosen volt_chooser_decide(const volt_chooser *c, int64_t output);
void volt_chooser_decide_blindly(const volt_chooser *c);

/* Tries the candidates on the matrix of the factor and decides (choice.c). */
volt_status volt_chooser_choose(volt_chooser *c, volt_progress progress, double from, double share);
/* Factors the rows from `first` on with `alpha`; keeps the entries of K, which volt_factor_keep has copied. */
volt_status volt_chooser_factor(volt_chooser *c, int64_t first, double alpha);
/* Rows that have a target. */
int64_t volt_chooser_targets(const volt_chooser *c);
double volt_chooser_mean_diagonal(const double *diagonal, int64_t rows, int64_t counted, double *largest);
/* Row t of those kept. */
bool volt_chooser_has_target(const volt_chooser *c, int64_t t);

#endif
