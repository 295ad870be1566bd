/* src/select/search/search_measure.h: what the trials of a search are measured by, and what it is called. */
#ifndef SELECT_SEARCH_MEASURE_H
#define SELECT_SEARCH_MEASURE_H

#include "select/folds/block_score.h"

enum { VOLT_LOSS_LENGTH = 2048 }; /* of the text of a loss with as many levels as it may have */

typedef struct volt_measure {
    volt_score score;
    const char *name;            /* static: r2, nmse, ..., or what the loss is called as a score */
    char loss[VOLT_LOSS_LENGTH]; /* its text where the score is VOLT_SCORE_LOSS, else "" */
} volt_measure;

/* loss: NULL unless the score is that of one. */
volt_measure volt_measure_of(volt_score score, const volt_loss *loss);

/* From a log: the name, and the loss where there is one. VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
volt_status volt_measure_read(const char *name, const char *loss, volt_measure *measure);

#endif
