/* src/task/identify_internal.h: state of an identification, and the parts that tests call. */
#ifndef TASK_IDENTIFY_INTERNAL_H
#define TASK_IDENTIFY_INTERNAL_H

#include "kernel/records.h"
#include "volterra/identify.h"

#include <stdbool.h>

/* ---- data check of an identification, and its choice of rows ------------------------------------ */

enum { VOLT_IDENTIFY_LONG = 40 }; /* rows of a record for its frequencies, drift and direction */

/* Rejects constant outputs and inputs. Fills the data check and its warnings, which do not depend on the units of the columns. U and Y are the training rows;
 * `records` may have more rows. The times of the rows are those of the options, from row `first` on. */
volt_status volt_identify_check(volt_view U, volt_view Y, const volt_records *records,
                                const volt_identify_options *options, int64_t first, volt_progress progress,
                                volt_identification *found);

/* Returns the first row of the stretch of `count` rows with the largest product, over all columns, of the range
 * within the stretch relative to the range of all rows; of equal ones the last. *product (may be NULL) receives
 * it. Stretches begin an eighth of their length apart, counted from the end. */
int64_t volt_identify_stretch(volt_view U, volt_view Y, int64_t count, double *product);

/* Returns the same product for the rows first .. first + count - 1. */
double volt_identify_coverage(volt_view U, volt_view Y, int64_t first, int64_t count);

/* ---- state of an identification, shared by its files -------------------------------------------- */

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

/* ---- searches (identify_search.c) ------------------------------------------------------------- */

enum { VOLT_IDENTIFY_LINEAR = 2 }; /* the first candidates */

/* Initial values of the candidates. */
void volt_identify_begin_candidates(volt_identification *found);

/* Whether a candidate has a score, and a lower error than another on every block. */
bool volt_identify_is_better(const volt_identify_candidate *one, const volt_identify_candidate *other);

/* ---- further validation (identify_validate.c) ------------------------------------------------- */

/* Computes growth and excess of all candidates with a score, and rejects nonlinear ones. */
volt_status volt_identify_validate(volt_identify_state *run);

/* ---- rows (identify_rows.c) ------------------------------------------------------------------- */

/* Checks the rows and options, and divides the rows into training and test part. Release in every case. */
volt_status volt_identify_take_rows(volt_identify_state *run, volt_view U, volt_view Y);
void volt_identify_release_rows(volt_identify_state *run);

/* Options of a search on `rows` rows, without its records. */
volt_search_options volt_identify_search_options(const volt_identify_state *run, int64_t rows);

/* Expected time of one trial of a nonlinear family on `rows` rows. */
volt_status volt_identify_trial_seconds(const volt_identify_state *run, int64_t rows, double *seconds);

/* Chooses the rows of the searches, at most 3000; fewer if this share of the time would allow too few trials on
 * them. */
volt_status volt_identify_choose_search_rows(volt_identify_state *run, double share);

/* ---- free runs (identify_run.c) --------------------------------------------------------------- */

/* Simulates rows begin .. end - 1 of `data` into `out` ((end - begin) x q), one free run for each record. At the
 * start of a record the measured outputs of the first rows (found.washout, at most a tenth of the record) set the
 * state, and `out` is NaN there. A run that begins within a record follows up to 500 measured rows, or with
 * `follows` the rows of the fit. *is_bounded: a run diverges. */
volt_status volt_identify_simulate(volt_identify_state *run, const volt_model *model,
                                   const volt_identify_data *data, int64_t begin, int64_t end, bool follows,
                                   double *out, bool *is_bounded);

#endif
