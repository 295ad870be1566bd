/* src/solve/chooser.h: the contest behind a choice (choice.h), whatever the errors of the candidates come from. */
#ifndef SOLVE_CHOOSER_H
#define SOLVE_CHOOSER_H

#include "solve/choice.h"

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
    int64_t first; /* the rows from here on take part */
    int64_t begin; /* of those, held out are the ones from here on ... */
    int64_t held;  /* ... so many */
    double *diagonal;
    double mean;                      /* of the diagonal, over the rows that have a target */
    volt_contestant *best;            /* columns */
    volt_matrix e, z, best_e, best_z; /* held x columns: errors, and frozen ones */
} volt_chooser;

/* Take over the columns in which the errors `e` are the least so far; true: some are, and frozen errors are wanted. */
bool volt_chooser_contend(volt_chooser *c, double alpha, bool constant);
/* The frozen errors `z` are those of this candidate. */
void volt_chooser_keep_frozen(volt_chooser *c, double alpha, bool constant);
/* alpha = infinity: 0, or the mean of the targets known. */
void volt_chooser_try_infinity(volt_chooser *c, bool constant);

/* What comes of it for an output; and for all of them where too few rows are there to hold any out. */
volt_chosen volt_chooser_decide(const volt_chooser *c, int64_t output);
void volt_chooser_decide_blindly(const volt_chooser *c);

#endif
