/* cli/series/backtest_report.h: writes the errors of a backtest as a file and as a report. */
#ifndef CLI_BACKTEST_REPORT_H
#define CLI_BACKTEST_REPORT_H

#include "series/series_report.h"

typedef struct backtest_table {
    const series_data *data;
    number_list coverages;
    volt_backtest result;
    double *numbers; /* owns the arrays of `result` */
} backtest_table;

/* Functions that return int return 0, or the exit status after an error message. */

/* Allocates the arrays, for the series of the data. */
int backtest_create(backtest_table *table);
void backtest_release(backtest_table *table);

/* Writes the table as CSV: a row for each method, and for each series NAME.mase, NAME.smape, NAME.rmse and, for the
 * forecast only, the coverage and the mean width of its intervals, NAME.coverage80 and NAME.width80. */
int backtest_write(const char *path, const backtest_table *table);

/* Prints the table as text or JSON; `output` is the file written, or NULL. */
int backtest_report(const backtest_table *table, const char *output, bool json);

#endif
