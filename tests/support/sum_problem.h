/* tests/support/sum_problem.h: models on the same rows, to add. */
#ifndef SUPPORT_SUM_PROBLEM_H
#define SUPPORT_SUM_PROBLEM_H

#include "support/fed_system.h"
#include "volterra/live.h"

enum { SUM_MEMBERS = 3 };

/* Models on the same rows: with feedback, without, and with feedback and a filter. */
typedef struct sum_problem {
    fed_system rows;
    volt_model *members[SUM_MEMBERS];
} sum_problem;

extern const double sum_weights[SUM_MEMBERS];

sum_problem sum_problem_make(void);
void sum_problem_free(sum_problem *p);
/* The sum of the first `count` members. */
volt_model *sum_of(const sum_problem *p, int64_t count, volt_sum_kind kind);
/* The FED_H inputs after training. */
volt_view sum_inputs(const sum_problem *p);
volt_model_info sum_info(const volt_model *model);
/* Predictions of these inputs, FED_H x FED_Q, with known outputs (NULL: none). Returns the number of rows
 * outside the ball. */
int64_t sum_predict(const volt_model *model, const sum_problem *p, const volt_predict_options *options,
                    const double *known, double *out);

/* A stream of the model. */
volt_live *sum_live(const volt_model *model, volt_start start);

/* Feeds rows first .. end - 1, with the known outputs of the first `warm` rows. */
void sum_feed(volt_live *live, const sum_problem *p, int first, int end, int warm, double *out);

#endif
