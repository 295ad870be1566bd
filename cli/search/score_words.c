/* cli/search/score_words.c: the names of scores: those of the table, and those of losses. */
#include "search/score_words.h"

#include "args/choices.h"

score_words score_words_of(const volt_search_info *info)
{
    volt_score score = info->score;
    score_words words = {.lower_is_better = score == VOLT_SCORE_NMSE || score == VOLT_SCORE_MSE ||
                                            score == VOLT_SCORE_LOO || score == VOLT_SCORE_GCV ||
                                            score == VOLT_SCORE_LOSS};
    words.label = info->loss ? info->score_name : choice_label(score_choices, (int)score);
    words.word = info->loss ? info->score_name : choice_word(score_choices, (int)score);
    return words;
}
