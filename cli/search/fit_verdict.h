/* cli/search/fit_verdict.h: how the choice between a fit and the naive forecast went, for whoever fits a model. */
#ifndef CLI_FIT_VERDICT_H
#define CLI_FIT_VERDICT_H

#include "terminal/results.h"

/* `naive_kept` for JSON, and a line for people where the naive forecast was kept or taken half-way. The model has a
 * report. */
void fit_verdict_report(const volt_model_info *info, result_list *results);

double root_mean_square(const double *roots, int64_t count);

#endif
