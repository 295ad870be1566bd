/* cli/commands/model_report.c: properties of a model, reported by volterra fit and volterra info. */
#include "commands/model_report.h"

#include <math.h>

#include "terminal/digits.h"

void report_facts(result_list *results, const volt_kernel_facts *facts)
{
    if (facts->tau > 0)
        results_parameter(results, "tau", "tau", facts->tau);
    if (facts->lambda > 0) {
        results_parameter(results, "lambda", "lambda", facts->lambda);
        results_number(results, "lambda_bound", NULL, facts->lambda_bound);
    }
    if (facts->contraction > 0) {
        results_number(results, "contraction", "contraction rate", facts->contraction);
        results_number(results, "horizon", NULL, facts->horizon);
        results_text(results, NULL, "memory length", "%s rows", digits(facts->horizon).text);
    }
}

const char *target_words(const volt_model_info *info)
{
    int64_t changes = 0;
    for (int64_t k = 0; k < info->q; k++)
        changes += info->anchors[k] >= 0;
    return changes == info->q ? "change" : changes == 0 ? "level" : "mixed";
}

void report_initial(result_list *results, const volt_model_info *info)
{
    static const char *const words[] = {"zero", "first", "mean", "values"};
    if (info->initial != VOLT_INITIAL_ZERO)
        results_text(results, "initial", "initial input", "%s", words[info->initial]);
    if (info->initial_values)
        results_numbers(results, "initial_values", info->initial_values, info->d);
}

void report_range(result_list *results, const char *label, const double *values, int64_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        low = isfinite(values[k]) ? fmin(low, values[k]) : low;
        high = isfinite(values[k]) ? fmax(high, values[k]) : high;
    }
    if (low == high)
        results_text(results, NULL, label, "%s", digits(low).text);
    else if (low < high)
        results_text(results, NULL, label, "%s to %s", digits(low).text, digits(high).text);
}
