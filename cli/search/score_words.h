/* cli/search/score_words.h: what the score of a search is called, and which end of it is the good one. */
#ifndef CLI_SCORE_WORDS_H
#define CLI_SCORE_WORDS_H

#include "volterra.h"

#include <stdbool.h>

typedef struct score_words {
    const char *label; /* for people: "R2", "pinball loss" */
    const char *word;  /* for programs: "r2", "pinball loss" */
    bool lower_is_better;
} score_words;

score_words score_words_of(const volt_search_info *info);

#endif
