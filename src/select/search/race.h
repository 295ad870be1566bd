/* src/select/search/race.h: when to give a candidate up. */
#ifndef SELECT_RACE_H
#define SELECT_RACE_H

#include "volterra/select.h"

#include <stdbool.h>

/* What a candidate is measured against: the complete trials that came before it. */
typedef struct volt_rival {
    const volt_trial *best; /* NULL: there is none yet */
    double spread;          /* of paired differences between folds, NaN: not known */
} volt_rival;

typedef struct volt_race_rule {
    volt_race race;
    volt_score score;
    int64_t folds;
} volt_race_rule;

/* True when the candidate with these scores on its first `done` folds has no chance. */
bool volt_rival_beats(const volt_race_rule *rule, const volt_rival *rival, const double *folds, int64_t done);

/* Trials one after the other, and the rival that the first k of them make, for every k. */
typedef struct volt_standings {
    volt_race_rule rule;
    volt_rival *rivals; /* count + 1 of them: rivals[k] of the first k trials */
    int64_t count, rival_capacity;
    const volt_trial **complete;
    int64_t n_complete, complete_capacity;
    double *spreads; /* sorted: those of the complete trials beside the best */
    int64_t n_spreads, spread_capacity;
} volt_standings;

volt_status volt_standings_begin(volt_standings *standings, volt_race_rule rule);
/* The next trial, complete or not; it must outlive the standings. */
volt_status volt_standings_add(volt_standings *standings, const volt_trial *trial);
void volt_standings_end(volt_standings *standings);

#endif
