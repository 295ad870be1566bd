/* cli/commands/score_skill.h: compares a forecast with naive baselines. */
#ifndef CLI_SCORE_SKILL_H
#define CLI_SCORE_SKILL_H

#include "terminal/results.h"
#include "volterra.h"

/* Scored rows and earlier values. */
typedef struct skill_task {
    volt_view truth, forecast;
    volt_view past;        /* rows before the truth; may be empty */
    int64_t ahead, season; /* season 0: none */
} skill_task;

/* Notes on the results; string literals. */
enum { MAX_NOTES = 4 };
typedef struct score_notes {
    char *texts[MAX_NOTES];
    int64_t count;
} score_notes;

/* Reports skill and MASE relative to the naive forecast and, with a season, the seasonal naive forecast. Adds a
 * note if a baseline is better. Reports the reason if a skill cannot be computed. Returns 0, or the exit status
 * after an error message. */
int report_skill(const skill_task *task, result_list *results, score_notes *notes);

#endif
