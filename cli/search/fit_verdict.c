/* cli/search/fit_verdict.c: the sentence about the naive forecast. */
#include "search/fit_verdict.h"

#include <math.h>

double root_mean_square(const double *roots, int64_t count)
{
    double largest = 0, sum = 0;
    int exponent;
    for (int64_t k = 0; k < count; k++)
        largest = isnan(roots[k]) || isnan(largest) ? NAN : fmax(largest, roots[k]);
    if (!(largest > 0) || isinf(largest))
        return largest;
    frexp(largest, &exponent);
    for (int64_t k = 0; k < count; k++)
        sum += pow(ldexp(roots[k], -exponent), 2) / (double)count;
    return ldexp(sqrt(sum), exponent);
}

void fit_verdict_report(const volt_model_info *info, result_list *results)
{
    const volt_fit_report *report = info->report;
    int64_t naive = 0, half = 0;
    for (int64_t k = 0; k < info->q; k++) {
        naive += report->share[k] == 0;
        half += report->share[k] > 0 && report->share[k] < 1;
    }
    results_flag(results, "naive_kept", naive == info->q);
    if (naive + half == 0)
        return;
    double ratio =
        pow(root_mean_square(report->best_rmse, info->q) / root_mean_square(report->naive_rmse, info->q), 2);
    if (report->rows == 0)
        results_text(results, NULL, "forecast",
                     "naive (as now): too few rows to tell whether anything is better");
    else if (naive == info->q)
        results_text(
            results, NULL, "forecast",
            "naive (as now): the best fit has %.3g of its squared error on held-out rows, which is not "
            "clearly less",
            ratio);
    else if (info->q == 1)
        results_text(results, NULL, "forecast",
                     "half-way between naive and the fit, which has %.3g of its squared error on held-out rows",
                     ratio);
    else
        results_text(results, NULL, "forecast",
                     "naive (as now) for %lld of %lld outputs%s: no fit is clearly better there",
                     (long long)naive, (long long)info->q, half ? ", half-way for others" : "");
}
