/* src/task/identify_internal.h: state of an identification, shared by its files. */
#ifndef TASK_IDENTIFY_INTERNAL_H
#define TASK_IDENTIFY_INTERNAL_H

#include "kernel/records.h"
#include "volterra/identify.h"

#include <stdbool.h>

enum { VOLT_IDENTIFY_BLOCK_SHARE = 6 }; /* a validation block is a sixth of the rows of the search */

/* Measured rows and their records. */
typedef struct volt_identify_data {
    volt_view U, Y;
    volt_records records;
} volt_identify_data;

typedef struct volt_identify_state {
    volt_identify_options options;
    volt_identify_data given;           /* all rows given */
    volt_identify_data other;           /* a separate test */
    const volt_identify_data *test;     /* one of these: the test is rows ... */
    int64_t test_begin, test_end;       /* ... test_begin .. test_end - 1 of it */
    volt_view U, Y;                     /* training rows: the first found.train_rows of `given` */
    volt_view search_U, search_Y;       /* rows of the searches, inputs as measured ... */
    int64_t *search_records, n_records; /* ... and the lengths of their records; 0: one sequence */
    volt_identification found;
    volt_output_test *output_tests; /* q of them */
    double began;
    double shares;         /* of the stages that are left */
    double done, fraction; /* of the call: before this stage, and of it */
    char stage[64];
} volt_identify_state;

/* Progress of the present stage as progress of the call. */
volt_progress volt_identify_progress(volt_identify_state *run);

/* Begins a stage with this share of the work; returns its part of the time that is left. */
double volt_identify_begin_stage(volt_identify_state *run, const char *name, double share);

/* Fits a candidate on the training rows first .. first + count - 1. */
volt_status volt_identify_fit(volt_identify_state *run, const volt_identify_candidate *candidate, int64_t first,
                              int64_t count, volt_model **model);

/* ---- searches (identify_search.c) ------------------------------------------------------------- */

enum { VOLT_IDENTIFY_LINEAR = 2 }; /* the first candidates */

/* Initial values of the candidates. */
void volt_identify_begin_candidates(volt_identification *found);

/* Sum of the shares of the searches, and the share of those on all rows of the search. */
double volt_identify_search_shares(void);
double volt_identify_polish_share(void);

/* Searches all families on the rows of the search, and finds the better linear one. */
volt_status volt_identify_search(volt_identify_state *run);

bool volt_identify_has_score(const volt_identify_candidate *candidate);
/* Whether a candidate has a score, and a lower error than another on every block. */
bool volt_identify_is_better(const volt_identify_candidate *one, const volt_identify_candidate *other);
/* Number of the best candidate of first .. end - 1 other than `skipped`; -1: none has a score. */
int64_t volt_identify_best_of(const volt_identification *found, int64_t first, int64_t end, int64_t skipped);

/* ---- further validation (identify_validate.c) ------------------------------------------------- */

/* Computes growth and excess of all candidates with a score, and rejects nonlinear ones. */
volt_status volt_identify_validate(volt_identify_state *run);

/* ---- rows (identify_rows.c) ------------------------------------------------------------------- */

/* Checks the rows and options, and divides the rows into training and test part. Release in every case. */
volt_status volt_identify_take_rows(volt_identify_state *run, volt_view U, volt_view Y);
void volt_identify_release_rows(volt_identify_state *run);

/* The part of the options of every fit that the rows determine: levels, washout, scales. */
volt_fit_options volt_identify_fit_options(const volt_identify_state *run);

/* Options of a search on `rows` rows, without its records. */
volt_search_options volt_identify_search_options(const volt_identify_state *run, int64_t rows);

/* Expected time of one trial of a nonlinear family on `rows` rows. */
volt_status volt_identify_trial_seconds(const volt_identify_state *run, int64_t rows, double *seconds);

/* Chooses the rows of the searches, at most 3000; fewer if this share of the time would allow too few trials on
 * them. */
volt_status volt_identify_choose_search_rows(volt_identify_state *run, double share);

/* Chooses `rows` training rows for the model. */
void volt_identify_place_fit(volt_identify_state *run, int64_t rows);

/* Lengths of the records of the training rows first .. first + count - 1, as in volt_records_slice. */
volt_status volt_identify_records(const volt_identify_state *run, int64_t first, int64_t count,
                                  int64_t **lengths, int64_t *n);

/* ---- free runs (identify_run.c) --------------------------------------------------------------- */

/* Simulates rows begin .. end - 1 of `data` into `out` ((end - begin) x q), one free run for each record. At the
 * start of a record the measured outputs of the first rows (found.washout, at most a tenth of the record) set the
 * state, and `out` is NaN there. A run that begins within a record follows up to 500 measured rows, or with
 * `follows` the rows of the fit. *is_bounded: a run diverges. */
volt_status volt_identify_simulate(volt_identify_state *run, const volt_model *model,
                                   const volt_identify_data *data, int64_t begin, int64_t end, bool follows,
                                   double *out, bool *is_bounded);

/* Returns the rows at the start of a record of this many rows that set the state. */
int64_t volt_identify_start_rows(const volt_identify_state *run, int64_t rows);

/* VOLT_ERR_NOT_FINITE if the model, which feeds its outputs back, diverges on the last sixth of its rows. */
volt_status volt_identify_check_stable(volt_identify_state *run, const volt_model *model);

/* Simulates the test rows: (test_end - test_begin) x q, see volt_identify_simulate. */
volt_status volt_identify_simulate_test(volt_identify_state *run, const volt_model *model, double *out,
                                        bool *is_bounded);

/* Error of output k in simulated test rows, and its standard deviation in these rows. */
void volt_identify_test_output(const volt_identify_state *run, const double *out, int64_t k, double *rmse,
                               double *std);

#endif
