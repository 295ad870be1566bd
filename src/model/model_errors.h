/* src/model/model_errors.h: errors of the training rows, and the intervals that follow from them (docs/math.md, "Intervals").
 *
 * They are computed from the factor of the fit. A row that was not predicted (the first ones, those without a target) has
 * scale 0. There are two lists:
 *
 *     near    all rows: predicted from the rows whose targets were known `ahead` rows before
 *     far     the last rows, for intervals: the last quarter of all rows (at most VOLT_INTERVAL_SCORES) is predicted from
 *             the rows before it
 *
 * Solvers with landmarks put the errors of their held-out rows into both. */
#ifndef MODEL_MODEL_ERRORS_H
#define MODEL_MODEL_ERRORS_H

#include "solve/exact/factor.h"

typedef struct volt_error_list {
    int64_t rows;  /* number of last training rows with errors; 0: none */
    double *e;     /* rows x q, in units of the scaled targets */
    double *scale; /* the same: sqrt(v_t) */
} volt_error_list;

typedef enum volt_error_kind { VOLT_ERRORS_NEAR, VOLT_ERRORS_FAR } volt_error_kind;

typedef struct volt_model_errors {
    volt_error_list lists[VOLT_ROW_ERRORS]; /* by volt_error_kind */
} volt_model_errors;

volt_status volt_error_list_allocate(int64_t rows, int64_t q, volt_error_list *list);
void volt_errors_release(volt_model_errors *errors);

/* Allocates both lists of a fit of `fitted_rows` rows, for at most the last `most` rows, and the arrays that a
 * solver fills. Rows of `without` (NULL: none) have no target. */
volt_status volt_errors_prepare(int64_t fitted_rows, int64_t q, int64_t ahead, const bool *without,
                                int64_t most, volt_model_errors *errors,
                                volt_row_errors wanted[VOLT_ROW_ERRORS]);

enum { VOLT_INTERVAL_SCORES = 300 }; /* scores used for an interval */

/* Copies the scores of output k: the last |e_t| of the far list in time order, at most VOLT_INTERVAL_SCORES.
 * Returns their number. */
int64_t volt_error_scores(const volt_model_errors *errors, int64_t q, int64_t k, double *scores);

/* The ceil((n + 1) coverage)-th smallest of n sorted scores; INFINITY if that exceeds n. */
double volt_interval_quantile(const double *sorted, int64_t n, double coverage);

/* VOLT_ERR_ARGUMENT unless there are `count` coverages, at least 0, and all are between 0 and 1. */
volt_status volt_coverages_check(const double *coverages, int64_t count);

#endif
