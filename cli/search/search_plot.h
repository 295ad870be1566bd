/* cli/search/search_plot.h: a picture of a search: the score against every parameter that varied, one panel each. */
#ifndef CLI_SEARCH_PLOT_H
#define CLI_SEARCH_PLOT_H

#include "search/search_report.h"

#include <stdio.h>

/* An SVG of `count` trials, of which `best` (may be NULL) is marked; candidates that were given up are faint,
 * those that failed stand at the bottom. The background is transparent and the colours are of middle
 * brightness, so that it shows on white and on black. Panels stand in most_columns columns at most. Needs gnuplot. Returns 0, or the exit status
 * after saying what is wrong. */
int search_plot_write(FILE *svg, const volt_trial *const *trials, int64_t count, const volt_trial *best,
                      const score_words *score, int most_columns);

/* The same of a whole search, to a file ("-": standard output). */
int search_plot_file(const char *path, const volt_search *search);

#endif
