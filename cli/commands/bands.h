/* cli/commands/bands.h: what stands beside a forecast: intervals and standard deviations, as columns.
 *
 * Behind the forecasts of all outputs come, output by output, for every level a lower and an upper end, NAME.lo and NAME.hi
 * (NAME.lo80, NAME.hi80, NAME.lo95, ... where there are several levels), and last NAME.std. */
#ifndef CLI_BANDS_H
#define CLI_BANDS_H

#include "args/options.h"
#include "volterra.h"

/* What is wanted. */
typedef struct band_request {
    number_list levels; /* of intervals */
    bool std;           /* standard deviations */
} band_request;

/* Rejects a level that is given twice. */
int bands_check(const number_list *levels);

/* Columns that they are for q outputs. */
int64_t bands_columns(const band_request *request, int64_t q);

/* Room for the end of a name. */
enum { BAND_SUFFIX = 32 };
/* The end of the name of column c of an output's bands. */
const char *bands_suffix(const band_request *request, int64_t c, char suffix[BAND_SUFFIX]);

/* The columns of `out` (rows x bands_columns) about `forecast`: ends of intervals from half-widths with a column for every
 * output and level (half.rows is 1 or the rows of the forecast; output k, level c: column k * levels + c), and std (like the
 * forecast). */
void bands_fill(const band_request *request, volt_view forecast, volt_view half, volt_view std,
                volt_matrix out);

/* The ends of intervals about the q forecasts y, half-widths levels x q, on standard output with a comma before each;
 * `unbounded` stands for one that is infinite. */
void bands_print(const band_request *request, int64_t q, const double *y, const double *half,
                 const char *unbounded);

/* Half-widths of a model's intervals as one row for bands_fill, to be freed; returns the exit status. */
int bands_of_model(const volt_model *model, const number_list *levels, volt_matrix *half);

#endif
