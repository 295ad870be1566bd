/* cli/benchmark/sysid_report.h: what became of the runs: a table beside the published figures, JSON, a page. */
#ifndef CLI_SYSID_REPORT_H
#define CLI_SYSID_REPORT_H

#include "benchmark/sysid.h"

#include <stdio.h>

typedef struct sysid_runs {
    sysid_run *runs;
    int count;
    const char *command; /* that made them */
} sysid_runs;

/* One figure: the k-th measure of the i-th test of a run; in the order of the sets. */
typedef struct sysid_figure {
    const sysid_run *run;
    const sysid_test *test;
    const sysid_measure *measure;
    double value;
} sysid_figure;
enum { SYSID_MOST_FIGURES = 16 };
int sysid_figures(const sysid_runs *runs, sysid_figure figures[SYSID_MOST_FIGURES]);

/* What a published method has for it; 0: nothing. */
double sysid_published_figure(const sysid_published *row, const sysid_figure *figure);

/* Each returns 0, or the exit status after saying what is wrong. */
int sysid_print(const sysid_runs *runs, bool json);

/* PREFIX.html, and of every test PREFIX-SET-TEST.csv (input, measured, simulated, error) and, where there is gnuplot,
 * PREFIX-SET-TEST.svg. */
int sysid_check_files(const sysid_runs *runs, const char *prefix);
int sysid_write_files(const sysid_runs *runs, const char *prefix);

/* The columns of the table of a test, in the units of its file. */
enum { SYSID_INPUT, SYSID_MEASURED, SYSID_SIMULATED, SYSID_ERROR, SYSID_COLUMNS };

/* The script of the picture of a test: measured and simulated, a stretch of both, the error. */
void sysid_picture(FILE *script, const sysid_run *run, int test, volt_view table);

/* The page, to a file; svgs[run][test] are its pictures, NULL where there is none. */
typedef char *sysid_svgs[SYSID_MOST_TESTS];
int sysid_page(const char *path, const sysid_runs *runs, sysid_svgs *svgs);

#endif
