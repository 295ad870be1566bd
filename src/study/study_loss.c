/* src/study/study_loss.c: the loss of a study, and the losses of its test rows. */
#include "study/study_loss.h"

#include "base/error.h"

#include <math.h>
#include <stdbool.h>

volt_status volt_study_loss_read(const volt_study_options *options, int64_t n_train, int64_t n,
                                 volt_loss **loss)
{
    volt_loss *read = NULL;
    if (!options->loss && !options->weights)
        return VOLT_OK;
    VOLT_REQUIRE(
        options->protocol != VOLT_PROTOCOL_PUBLISHED, VOLT_ERR_ARGUMENT,
        "under the published protocol kernels are fitted by squares: it takes neither a loss nor weights");
    double total = options->weights ? 0 : 1;
    for (int64_t i = n_train; options->weights && i < n; i++)
        total += options->weights[i];
    VOLT_REQUIRE(total > 0 && isfinite(total), VOLT_ERR_DATA,
                 "the weights of the test rows add up to %g, and must be at least 0 and one of them positive",
                 total);
    VOLT_TRY(volt_loss_parse(options->loss ? options->loss : "squares", &read));
    bool named = options->classes && options->n_classes >= 2;
    if (read->kind->info.classes && !named) {
        volt_loss_free(read);
        return volt_fail(VOLT_ERR_ARGUMENT, "loss %s needs the names of its classes, two at least",
                         options->loss);
    }
    *loss = read;
    return VOLT_OK;
}

volt_status volt_study_loss_measure(const volt_loss *loss, volt_view truth, volt_view forecast,
                                    const double *weights, double *losses, double *mean)
{
    double total = 0;
    VOLT_TRY(volt_loss_score(loss, truth, forecast, weights, mean));
    VOLT_TRY(volt_loss_row_scores(loss, truth, forecast, losses));
    for (int64_t i = 0; weights && i < forecast.rows; i++)
        total += weights[i] / (double)forecast.rows;
    for (int64_t i = 0; weights && i < forecast.rows; i++)
        losses[i] *= weights[i] / total;
    for (int64_t i = 0; i < forecast.rows; i++)
        VOLT_REQUIRE(isfinite(losses[i]), VOLT_ERR_NOT_FINITE,
                     "the forecasts of the test rows are too large for a double");
    return VOLT_OK;
}
