/* src/series/classify/kernel_search.h: selects kernel, alpha and preparation to classify series. */
#ifndef CLASSIFY_KERNEL_SEARCH_H
#define CLASSIFY_KERNEL_SEARCH_H

#include "series/classify/class_bench.h"
#include "series/classify/series_model.h"

#include <stdbool.h>

enum { VOLT_MAX_ROUNDS = 3 };

/* A candidate: one draw on one preparation. */
typedef struct volt_class_trial {
    int64_t draw;
    int64_t preparation; /* index among those of the search */
    char kernel[VOLT_KERNEL_LENGTH];
    volt_class_score score;
} volt_class_trial;

/* The result of a draw on the screening sample, or on all series. */
typedef struct volt_class_record {
    const volt_trial *trial; /* of the search that evaluated it; NULL: not tried; stopped: out of time */
    volt_status status;      /* of its evaluation */
    volt_class_score scores[VOLT_MAX_LISTS];
    double *K; /* its matrix, if it is kept; owned */
} volt_class_record;

typedef struct volt_class_search {
    const volt_series_options *options;
    const volt_view *series; /* training series as given */
    bool is_multinomial;
    volt_class_setting setting;                    /* with the lists below */
    int64_t *fold, *landmarks;                     /* n, n_landmarks */
    volt_class_bench bench;                        /* of the setting */
    volt_objects *objects[VOLT_MAX_PREPARATIONS];  /* all series */
    volt_objects *carriers[VOLT_MAX_PREPARATIONS]; /* the landmarks; NULL without */
    int64_t n_preparations;
    volt_candidates *candidates[VOLT_MAX_PREPARATIONS];
    double begun, budget; /* seconds; 0: no limit */
    int64_t draws;
    int64_t *order;   /* draws: every kernel with every preparation in turn, cheapest first */
    int64_t round;    /* draws that combine every kernel with every preparation once */
    int64_t n_screen; /* series of the screening sample; 0: no race */
    int64_t max_finalists;
    volt_class_record *screened, *full; /* draws each */
    int64_t *rank; /* draws x lists: rank on the screening sample, from 0; NULL without a race */
    int64_t depth; /* candidates with a smaller rank were tried on all series, in every list */

    volt_search *searches[VOLT_MAX_ROUNDS]; /* the sample, the finalists, and one that is always tried */
    int64_t n_searches;
    int64_t tried, failed, finalists;
    bool cut; /* the budget ended the search */
} volt_class_search;

/* Prepares the series in every requested form, with candidates and a plan. Release the search in any case. */
volt_status volt_class_search_open(volt_class_search *search, const volt_view *series,
                                   const volt_class_list *classes, const volt_series_options *options);
void volt_class_search_release(volt_class_search *search);

/* Tries the candidates: all on a sample of the series if that saves time, then the best of them on all
 * series. */
volt_status volt_class_search_run(volt_class_search *search);

/* Whether the draw was evaluated, successfully or not. */
static inline bool volt_class_is_tried(const volt_class_record *record)
{
    return record->trial && !record->trial->stopped;
}

static inline bool volt_class_has_scores(const volt_class_record *record)
{
    return volt_class_is_tried(record) && !record->trial->failure;
}

/* ---- parts of it ------------------------------------------------------------------------------ */

volt_status volt_class_trial_of(const volt_class_search *search, int64_t draw, volt_class_trial *trial);

/* The choice of a list: the best draw, or the mean of up to options->blend, each the best of its kind. */
typedef struct volt_class_choice {
    int64_t parts;
    int64_t draws[VOLT_MAX_BLEND];
    volt_class_score score;
} volt_class_choice;
volt_status volt_class_choose(volt_class_search *search, int64_t list, volt_class_choice *choice);

/* Writes the mean of the matrices of some draws to the K of the bench. */
volt_status volt_class_blend(volt_class_search *search, const int64_t *draws, int64_t count);

/* The default kernels, separated by '|', for a comparison; includes static kernels when all series have the
 * same length. */
const char *volt_classify_kernels(volt_object_compare compare, int equally_long);

#endif
