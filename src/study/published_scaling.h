/* src/study/published_scaling.h: data as the paper's experiment scaled them. */
#ifndef STUDY_PUBLISHED_SCALING_H
#define STUDY_PUBLISHED_SCALING_H

#include "study/contender.h"

/* Inputs for one kind of kernel, into Z (like X); the first n_train rows are training rows. */
void volt_published_scale_inputs(volt_view X, int64_t n_train, volt_published_inputs kind, volt_matrix Z);

/* Means and standard deviations of the columns over the training rows (1 for a constant column), each of Y.cols
 * numbers. */
void volt_published_moments(volt_view Y, int64_t n_train, double *mean, double *deviation);

#endif
