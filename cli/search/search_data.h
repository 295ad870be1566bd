/* cli/search/search_data.h: what a search on one's own data sees, and how its winner is fitted.
 *
 * Whoever says what alpha is gets levels learned from levels. Without, and wherever --target and --input ask for it, the
 * kernel sees levels and changes of the inputs and learns changes of the targets (volt_prepare); scores are those of
 * levels in every case. */
#ifndef CLI_SEARCH_DATA_H
#define CLI_SEARCH_DATA_H

#include "search/training.h"
#include "terminal/results.h"

typedef struct search_data {
    volt_prepared *prepared; /* NULL: levels are learned from levels, and the data are taken as they are */
    volt_view X, Y;
    volt_view base;       /* what makes levels of the targets; no data: they are levels */
    volt_fit_options fit; /* of the winner: nothing is left open but alpha and the kernel */
} search_data;

/* Columns are learned from the first `learn_rows` rows. `data` and the arguments must outlive the result, which can be
 * released in every case. Returns 0, or the exit status after saying what is wrong. */
int search_data_prepare(const training_arguments *arguments, const training_data *data, bool alpha_is_given,
                        int64_t learn_rows, search_data *made);
void search_data_release(search_data *made);

/* The gap for targets that lie data->ahead rows ahead, H - 1, so that the targets of training are known when the first row
 * after the gap is forecast; `asked` where that is not negative. */
int64_t search_gap(const training_data *data, int64_t asked);

/* Options of the fit of the winner: naive stays the forecast of a change unless held-out rows prefer the fit, where it is one of
 * squares with all rows alike. */
volt_fit_options search_data_fit(const search_data *made, const volt_kernel *kernel, const volt_trial *winner);

/* "change, from both with a season of 12 rows" for people, and target, input and season for JSON. */
void search_data_report(const search_data *made, result_list *results);

#endif
