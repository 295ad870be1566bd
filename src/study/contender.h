/* src/study/contender.h: what a protocol prescribes for a kernel. */
#ifndef STUDY_CONTENDER_H
#define STUDY_CONTENDER_H

#include "volterra/study.h"

#include <stdbool.h>

/* Inputs under the published protocol. */
typedef enum volt_published_inputs {
    VOLT_INPUTS_STANDARDISED, /* every column with mean 0 and variance 1 on the training rows */
    VOLT_INPUTS_IN_BALL       /* divided by the largest norm among training and test rows */
} volt_published_inputs;

volt_published_inputs volt_published_inputs_of(const volt_kernel *kernel);

/* The candidates of a contender: random draws from the ranges of the kernel table, or of the paper where the
 * protocol is the published one and the kernel is among the paper's. X are the training rows as the kernel will
 * see them; of the options protocol, seed and from_defaults count, the last not for ranges of the paper. */
volt_status volt_contender_candidates(const char *text, const volt_study_options *study, volt_view X,
                                      volt_candidates **candidates);

#endif
