/* cli/page/report_html.h: the report on a comparison, one HTML page that needs nothing but a browser. */
#ifndef CLI_REPORT_HTML_H
#define CLI_REPORT_HTML_H

#include "compare/comparison.h"

/* Write the page to a file ("-": standard output). Without gnuplot a sentence stands where the pictures would, and
 * there is a warning. Returns 0, or the exit status after saying what is wrong. */
int report_html_file(const char *path, const cli_comparison *comparison);

#endif
