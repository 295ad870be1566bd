/* src/task/protocol.h: the protocol of a comparison: kernels, candidates, scaling and losses. */
#ifndef TASK_PROTOCOL_H
#define TASK_PROTOCOL_H

#include "solve/loss/loss.h"
#include "volterra/task.h"

#include <stdbool.h>

/* Inputs under the published protocol. */
typedef enum volt_published_inputs {
    VOLT_INPUTS_STANDARDISED, /* every column with mean 0 and variance 1 on the training rows */
    VOLT_INPUTS_IN_BALL       /* divided by the largest norm among training and test rows */
} volt_published_inputs;

/* The rows of a protocol. */
const volt_contender *volt_contenders(volt_protocol protocol, int64_t *count);

/* Creates the list of contenders from the options, or from the protocol; free them. VOLT_ERR_ARGUMENT,
 * VOLT_ERR_KERNEL, VOLT_ERR_MEMORY. */
volt_status volt_contenders_resolve(const volt_compare_options *options, volt_contender **contenders,
                                    int64_t *count);

volt_published_inputs volt_published_inputs_of(const volt_kernel *kernel);

/* The candidates of a contender: random draws from the ranges of the kernel table, or of the paper for the
 * published protocol and a kernel of the paper. X are the training rows as the kernel uses them; only
 * protocol, seed and from_defaults of the options are used, the last not for ranges of the paper. */
volt_status volt_contender_candidates(const char *text, const volt_compare_options *compare, volt_view X,
                                      volt_candidates **candidates);

/* Inputs for one kind of kernel, into Z (like X); the first n_train rows are training rows. */
void volt_published_scale_inputs(volt_view X, int64_t n_train, volt_published_inputs kind, volt_matrix Z);

/* Means and standard deviations of the columns over the training rows (1 for a constant column), each of Y.cols
 * numbers. */
void volt_published_moments(volt_view Y, int64_t n_train, double *mean, double *deviation);

#endif
