/* src/select/race.h: when to give a candidate up. */
#ifndef SELECT_RACE_H
#define SELECT_RACE_H

#include "volterra/select.h"

#include <stdbool.h>

/* What a candidate is measured against: the complete trials that came before it. */
typedef struct volt_rival {
    volt_race race;
    volt_score score;
    int64_t folds;
    const volt_trial *best; /* NULL: there is none yet */
    double spread;          /* of paired differences between folds, NaN: not known */
} volt_rival;

/* From the first `count` of the trials, which may hold NULL, failed and stopped ones. `scratch` has room for
 * `count` numbers. */
volt_rival volt_rival_of(volt_race race, volt_score score, int64_t folds, volt_trial *const *trials,
                         int64_t count, double *scratch);

/* True when the candidate with these scores on its first `done` folds has no chance. */
bool volt_rival_beats(const volt_rival *rival, const double *folds, int64_t done);

#endif
