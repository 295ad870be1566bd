/* src/solve/loss/loss_table.c: the table of losses, links and scores. */
#include "base/error.h"
#include "solve/loss/loss.h"

#include <inttypes.h>
#include <math.h>

#define ENTRY(name) &volt_loss_##name,
const volt_loss_kind *const volt_loss_table[] = {VOLT_LOSS_LIST(ENTRY) NULL};

const volt_loss_info *volt_loss_at(int64_t index)
{
    int64_t count = (int64_t)(sizeof volt_loss_table / sizeof volt_loss_table[0]) - 1;
    return index >= 0 && index < count ? &volt_loss_table[index]->info : NULL;
}

void volt_loss_get_info(const volt_loss *loss, volt_loss_info *info)
{
    *info = loss->kind->info;
    info->text = loss->text;
    info->values = loss->count ? loss->values : NULL;
    info->n_values = loss->count;
}

void volt_loss_link(const volt_loss *loss, int64_t outputs, double *u)
{
    const volt_loss_kind *kind = loss->kind;
    if (!kind->link)
        return;
    int64_t group = volt_loss_group(loss, outputs);
    for (int64_t k = 0; k < outputs; k += group)
        kind->link(group, u + k);
}

int64_t volt_loss_group(const volt_loss *loss, int64_t outputs)
{
    return loss->kind->info.classes ? outputs : loss->count > 1 ? loss->count : 1;
}

int64_t volt_loss_first_column(const volt_loss *loss)
{
    return loss->kind == &volt_loss_logistic ? 1 : 0;
}

/* ---- scores ----------------------------------------------------------------------------------- */

double volt_loss_of_target(const volt_loss *loss, int64_t group, double y, const double *u)
{
    const volt_loss_kind *kind = loss->kind;
    if (kind->score)
        return kind->score(group, y, u);
    double sum = 0;
    for (int64_t j = 0; j < group; j++)
        sum += kind->value(loss->values[j], y, u[j]) / (double)group;
    return sum;
}

static volt_status check_score(const volt_loss *loss, volt_view Y, volt_view U, int64_t group)
{
    VOLT_REQUIRE(loss && Y.data && U.data, VOLT_ERR_ARGUMENT,
                 "the loss, the targets or the forecasts are NULL");
    VOLT_REQUIRE(Y.rows == U.rows && U.cols == Y.cols * group, VOLT_ERR_SHAPE,
                 "the targets are %" PRId64 " x %" PRId64 " and the forecasts %" PRId64 " x %" PRId64
                 ", and must be %" PRId64 " x %" PRId64,
                 Y.rows, Y.cols, U.rows, U.cols, Y.rows, Y.cols * group);
    for (int64_t i = 0; loss->kind->info.classes && i < Y.rows; i++) {
        double y = Y.data[i * Y.ld];
        VOLT_REQUIRE(isnan(y) || (y >= 0 && y < (double)group && y == floor(y)), VOLT_ERR_ARGUMENT,
                     "the class of row %" PRId64 " is %g, and must be a whole number from 0 to %" PRId64, i + 1,
                     y, group - 1);
    }
    return VOLT_OK;
}

volt_status volt_loss_score(const volt_loss *loss, volt_view Y, volt_view forecasts, const double *weights,
                            double *score)
{
    int64_t group = loss ? volt_loss_group(loss, forecasts.cols) : 1;
    VOLT_TRY(check_score(loss, Y, forecasts, group));
    double sum = 0, total = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        double w = weights ? weights[i] : 1;
        VOLT_REQUIRE(w >= 0 && isfinite(w), VOLT_ERR_ARGUMENT,
                     "weight %" PRId64 " is %g, and must be finite and at least 0", i + 1, w);
        for (int64_t k = 0; w > 0 && k < Y.cols; k++) {
            double y = Y.data[i * Y.ld + k];
            if (isnan(y))
                continue;
            sum += w * volt_loss_of_target(loss, group, y, forecasts.data + i * forecasts.ld + k * group);
            total += w;
        }
    }
    VOLT_REQUIRE(total > 0, VOLT_ERR_DATA, "no row has both a target and a weight above 0");
    *score = sum / total;
    return VOLT_OK;
}

volt_status volt_loss_row_scores(const volt_loss *loss, volt_view Y, volt_view forecasts, double *scores)
{
    int64_t group = loss ? volt_loss_group(loss, forecasts.cols) : 1;
    VOLT_REQUIRE(scores, VOLT_ERR_ARGUMENT, "there is no place for the scores");
    VOLT_TRY(check_score(loss, Y, forecasts, group));
    for (int64_t i = 0; i < Y.rows; i++) {
        scores[i] = 0;
        for (int64_t k = 0; k < Y.cols; k++) {
            double y = Y.data[i * Y.ld + k];
            const double *u = forecasts.data + i * forecasts.ld + k * group;
            scores[i] += isnan(y) ? NAN : volt_loss_of_target(loss, group, y, u) / (double)Y.cols;
        }
    }
    return VOLT_OK;
}
