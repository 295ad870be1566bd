/* src/select/search/race.h: early stopping of candidates. */
#ifndef SELECT_RACE_H
#define SELECT_RACE_H

#include "volterra/select.h"

#include <stdbool.h>

/* Reference trial of a candidate: the best of the complete trials before it. */
typedef struct volt_reference {
    const volt_trial *best; /* NULL: none yet */
    double spread;          /* of paired differences between folds; NaN: unknown */
} volt_reference;

typedef struct volt_race_rule {
    volt_race race;
    volt_score score;
    int64_t folds;
} volt_race_rule;

/* Whether a candidate with these scores on its first `done` folds is stopped. */
bool volt_reference_beats(const volt_race_rule *rule, const volt_reference *reference, const double *folds,
                          int64_t done);

/* Trials in order, and the reference given by the first k of them, for every k. */
typedef struct volt_standings {
    volt_race_rule rule;
    volt_reference *references; /* count + 1: references[k] of the first k trials */
    int64_t count, reference_capacity;
    const volt_trial **complete;
    int64_t n_complete, complete_capacity;
    double *spreads; /* sorted: of the complete trials other than the best */
    int64_t n_spreads, spread_capacity;
} volt_standings;

volt_status volt_standings_begin(volt_standings *standings, volt_race_rule rule);
/* Adds the next trial, complete or not. It must outlive the standings. */
volt_status volt_standings_add(volt_standings *standings, const volt_trial *trial);
void volt_standings_end(volt_standings *standings);

#endif
