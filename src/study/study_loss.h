/* src/study/study_loss.h: a study that compares by a loss. */
#ifndef STUDY_STUDY_LOSS_H
#define STUDY_STUDY_LOSS_H

#include "solve/loss/loss.h"
#include "volterra/study.h"

/* The loss of the options; NULL stays where they ask for squares, every row alike. Rows n_train .. n - 1 test.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_DATA, VOLT_ERR_MEMORY. */
volt_status volt_study_loss_read(const volt_study_options *options, int64_t n_train, int64_t n,
                                 volt_loss **loss);

/* The mean loss, and that of every row times its weight over the mean weight. */
volt_status volt_study_loss_measure(const volt_loss *loss, volt_view truth, volt_view forecast,
                                    const double *weights, double *losses, double *mean);

#endif
