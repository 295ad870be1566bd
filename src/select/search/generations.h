/* src/select/search/generations.h: the generations of an adaptive search, and what a candidate may know of others.
 *
 * The first VOLT_FIRST_DRAWS positions of a search (of a shard: its own) are draws. After them positions come in
 * generations of VOLT_GENERATION, and a candidate is drawn with the trials of all earlier generations before it: they
 * alone, the seed and its index decide what it is. So it is the same on any number of threads and after a resumption. */
#ifndef SELECT_GENERATIONS_H
#define SELECT_GENERATIONS_H

#include "select/candidates/candidates.h"
#include "select/search/race.h"

enum { VOLT_GENERATION = 16, VOLT_FIRST_DRAWS = 64 };

/* How many of the first positions the candidate at `position` hangs on. */
static inline int64_t volt_generation_begin(int64_t position)
{
    return position < VOLT_FIRST_DRAWS ? 0 : position / VOLT_GENERATION * VOLT_GENERATION;
}

/* The best of the first `count` trials, by position, all of which are in the standings. A complete trial has its score. One
 * that was given up has that of the best complete one plus its mean difference from it on the blocks that it has, but
 * never more than the best. Failures have no place, nor has a candidate that stands there already. */
void volt_parents_choose(const volt_standings *standings, volt_trial *const *trials, int64_t count,
                         volt_parents *parents);

#endif
