/* cli/search/search_plot.h: plot of a search: the score against every parameter that varied, one panel each. */
#ifndef CLI_SEARCH_PLOT_H
#define CLI_SEARCH_PLOT_H

#include "search/search_report.h"

#include <stdio.h>

/* Writes an SVG of `count` trials and marks `best` (may be NULL). Pruned candidates are faint and failed ones
 * are drawn at the bottom. The background is transparent and the colours suit light and dark pages. The layout
 * has at most max_columns columns. Requires gnuplot. Returns 0, or the exit status after an error message. */
int search_plot_write(FILE *svg, const volt_trial *const *trials, int64_t count, const volt_trial *best,
                      const score_words *score, int max_columns);

/* Plots a whole search to a file ("-": standard output). */
int search_plot_file(const char *path, const volt_search *search);

#endif
