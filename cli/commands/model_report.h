/* cli/commands/model_report.h: properties of a model, reported by volterra fit and volterra info. */
#ifndef CLI_MODEL_REPORT_H
#define CLI_MODEL_REPORT_H

#include "terminal/results.h"
#include "volterra.h"

/* Reports the kernel parameters for the training inputs; none for kernels without a recursion. */
void report_facts(result_list *results, const volt_kernel_facts *facts);
/* Returns "change", "level", or "mixed" if outputs differ. */
const char *target_words(const volt_model_info *info);
/* Reports the inputs before the first row, unless they are zero. */
void report_initial(result_list *results, const volt_model_info *info);
/* Prints the value of the only output, or the range over outputs. Unknown values are ignored. */
void report_range(result_list *results, const char *label, const double *values, int64_t count);

#endif
