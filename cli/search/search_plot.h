/* cli/search/search_plot.h: plot of a search: the score against every parameter that varied, one panel each. */
#ifndef CLI_SEARCH_PLOT_H
#define CLI_SEARCH_PLOT_H

#include "files/svg_plot.h"
#include "search/search_report.h"

/* Adds `count` trials to an empty plot and marks `best` (may be NULL). Pruned candidates are faint and failed ones
 * are drawn at the bottom. The layout has at most max_columns columns. */
void search_plot(svg_plot *plot, const volt_trial *const *trials, int64_t count, const volt_trial *best,
                 const score_words *score, int max_columns);

/* The same for all trials of a search. */
void search_plot_all(svg_plot *plot, const volt_search *search, int max_columns);

#endif
