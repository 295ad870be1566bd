/* cli/commands/score_skill.h: a forecast against those that need no model. */
#ifndef CLI_SCORE_SKILL_H
#define CLI_SCORE_SKILL_H

#include "terminal/results.h"
#include "volterra.h"

/* What is scored, and what was known before. */
typedef struct skill_task {
    volt_view truth, forecast;
    volt_view past;        /* the rows before the truth; no rows: none is known */
    int64_t ahead, season; /* season 0: none */
} skill_task;

/* Sentences for whoever reads the figures: literals. */
enum { MOST_NOTES = 4 };
typedef struct score_notes {
    char *texts[MOST_NOTES];
    int64_t count;
} score_notes;

/* Skill and MASE against the naive forecast and, with a season, the seasonal naive one, into `results`, with a note
 * where such a forecast does better. Where rows or errors to compare with are lacking it is said. Returns 0, or the exit status after saying what is wrong. */
int report_skill(const skill_task *task, result_list *results, score_notes *notes);

#endif
