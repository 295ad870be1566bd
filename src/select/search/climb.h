/* src/select/search/climb.h: from one candidate uphill in its evidence, by gradient. */
#ifndef SELECT_CLIMB_H
#define SELECT_CLIMB_H

#include "select/candidates/candidates.h"
#include "select/evidence/evidence.h"

/* Told of every evaluation: the kernel's text, alpha, and the evidence, or the status of a failure whose sentence stands. Not
 * VOLT_OK: the climb ends with that. */
typedef volt_status (*volt_climb_fn)(const char *kernel, double alpha, double evidence, volt_status status,
                                     void *context);

/* From `start` uphill in the coordinates of the candidates, by the limited-memory BFGS of NLopt (Nocedal 1980, Liu and
 * Nocedal 1989), until a step gains less than a thousandth or `most` evaluations are made. `space` is that of one evaluation.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, or what `on_step` says. */
volt_status volt_climb(const volt_candidates *candidates, const volt_trial *start, const volt_problem *problem,
                       volt_workspace *space, int64_t most, volt_stage *stage, volt_climb_fn on_step,
                       void *context);

#endif
