/* src/select/search/search_measure.c: the names of scores, those of losses among them. */
#include "select/search/search_measure.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

volt_measure volt_measure_of(volt_score score, const volt_loss *loss)
{
    volt_measure measure = {.score = score, .name = loss ? loss->kind->info.score : volt_score_name(score)};
    if (loss)
        snprintf(measure.loss, sizeof measure.loss, "%s", loss->text);
    return measure;
}

static volt_status read_loss(const char *name, const char *text, volt_measure *measure)
{
    volt_loss *loss = NULL;
    volt_status status = volt_loss_parse(text, &loss);
    if (status == VOLT_ERR_MEMORY)
        return status;
    if (status != VOLT_OK)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "its loss is not one");
    *measure = volt_measure_of(VOLT_SCORE_LOSS, loss);
    bool is_its_own = strcmp(measure->name, name) == 0 && strcmp(measure->loss, text) == 0;
    volt_loss_free(loss);
    VOLT_REQUIRE(is_its_own, VOLT_ERR_FORMAT, "its measure is not the score of its loss");
    return VOLT_OK;
}

volt_status volt_measure_read(const char *name, const char *loss, volt_measure *measure)
{
    if (name && loss)
        return read_loss(name, loss, measure);
    for (int s = VOLT_SCORE_R2; name && s < VOLT_SCORE_LOSS; s++)
        if (strcmp(name, volt_score_name((volt_score)s)) == 0) {
            *measure = volt_measure_of((volt_score)s, NULL);
            return VOLT_OK;
        }
    return volt_fail(VOLT_ERR_FORMAT, "its measure is no score");
}
