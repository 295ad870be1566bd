/* cli/page/report_page.h: the report on a comparison: one self-contained HTML page with tables and plots. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "compare/comparison.h"

/* Writes the page to a file ("-": standard output). Returns 0, or the exit status after printing the error. */
int report_html_file(const char *path, const cli_comparison *comparison);

#endif
