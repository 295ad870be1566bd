/* cli/commands/bands.h: columns of prediction intervals and standard deviations.
 *
 * The columns follow the forecasts, grouped by output: lower and upper end for every level, then NAME.std. The
 * ends are NAME.lo80, NAME.hi80, NAME.lo95, ... */
#ifndef CLI_BANDS_H
#define CLI_BANDS_H

#include "args/options.h"
#include "files/header_line.h"
#include "volterra.h"

/* Requested columns. */
typedef struct band_request {
    number_list levels; /* levels of the intervals */
    bool std;           /* standard deviations */
} band_request;

/* Rejects duplicate levels. */
int bands_check(const number_list *levels);

/* Returns the number of columns for q outputs. */
int64_t bands_columns(const band_request *request, int64_t q);

/* Returns the name suffix of column c of an output. */
const char *bands_suffix(const band_request *request, int64_t c, char suffix[HEADER_LINE_END]);

/* Fills `out` (rows x bands_columns) with interval ends and standard deviations. `half` has one column per
 * output and level (output k, level c: column k * levels + c) and either 1 row or the rows of the forecast.
 * `std` has the shape of the forecast. */
void bands_fill(const band_request *request, volt_view forecast, volt_view half, volt_view std,
                volt_matrix out);

/* Prints the interval ends of the q forecasts y to standard output, each after a comma. Half-widths are levels
 * x q; `unbounded` replaces infinite ends. */
void bands_print(const band_request *request, int64_t q, const double *y, const double *half,
                 const char *unbounded);

/* Computes the half-widths of a model's intervals as one row for bands_fill. The caller frees it. Returns the
 * exit status. */
int bands_of_model(const volt_model *model, const number_list *levels, volt_matrix *half);

#endif
