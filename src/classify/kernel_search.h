/* src/classify/kernel_search.h: which kernel, alpha and preparation tell the classes of series apart. */
#ifndef CLASSIFY_KERNEL_SEARCH_H
#define CLASSIFY_KERNEL_SEARCH_H

#include "classify/class_splits.h"
#include "classify/left_out.h"
#include "volterra/classify.h"

#include <stdbool.h>

/* What was tried, and how good it is on series left out. */
typedef struct volt_class_trial {
    int64_t preparation; /* which of those of the search */
    char kernel[VOLT_KERNEL_LENGTH];
    double alpha;
    int64_t right; /* series that are told from all others; -1: none has been tried */
    double error;  /* mean square of the errors of the columns */
} volt_class_trial;

/* Room for evaluations. */
typedef struct volt_class_bench {
    volt_class_list classes;
    volt_matrix K, Y, E; /* n x n; n x n_classes: columns of targets, and errors */
    volt_left_out_readout left_out;
} volt_class_bench;

volt_status volt_class_bench_create(const volt_class_list *classes, volt_class_bench *bench);
void volt_class_bench_release(volt_class_bench *bench);

/* The best alpha of the matrix K of the bench into `trial`; or the one given (above 0), for which left_out and E stay
 * solved. VOLT_ERR_SINGULAR where no alpha will do. */
volt_status volt_class_profile(volt_class_bench *bench, double alpha, volt_class_trial *trial);

enum { VOLT_MOST_PREPARATIONS = 8, VOLT_MOST_BLEND = 8 };

typedef struct volt_class_search {
    const volt_classify_options *options;
    volt_class_bench *bench;
    volt_objects *objects[VOLT_MOST_PREPARATIONS];
    int64_t n_preparations;
    /* each the best of its kernel and of what it compares, the best first */
    volt_class_trial best[VOLT_MOST_BLEND];
    int64_t n_best;
    int64_t tried, failed;
} volt_class_search;

/* Prepare the series in every way that is asked for, try kernels, keep the best of each kind. Release it whatever
 * happened. */
volt_status volt_class_search_run(const volt_view *series, volt_class_search *search);
void volt_class_search_release(volt_class_search *search);

/* The mean of the Gram matrices of the first m of the best into the K of the bench. */
volt_status volt_class_search_blend(volt_class_search *search, int64_t m);
/* How many of the best, whose mean it is, tell most (options->blend at most), and alpha: *m of them, `trial` has the rest. */
volt_status volt_class_search_choose(volt_class_search *search, int64_t *m, volt_class_trial *trial);

#endif
