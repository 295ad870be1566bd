/* tests/support/school.h: rows, targets and a model of the first of them, for learners. */
#ifndef SUPPORT_SCHOOL_H
#define SUPPORT_SCHOOL_H

#include "volterra/live.h"

enum { SCHOOL_TRAIN = 24, SCHOOL_ROWS = 48, SCHOOL_D = 2, SCHOOL_Q = 2 };

/* Rows and targets, of which the first row reaches furthest, and a model of the first SCHOOL_TRAIN of them. */
typedef struct school {
    const char *text; /* of the kernel */
    double *X, *Y;
    volt_fit_options fit; /* nothing is scaled, alpha is 0.7 */
    volt_model *model;
} school;

void open_school(const char *text, uint64_t seed, school *s);
void close_school(school *s);

/* A fit on the first `rows` rows, of which `washout` only feed the past. */
volt_model *fit_rows(const school *s, int64_t rows, int64_t washout);

volt_live *new_learner(const volt_model *model, int64_t window, double forget);
volt_live_info info_of(const volt_live *learner);

#endif
