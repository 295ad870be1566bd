/* cli/benchmark/sysid.h: the measured systems on which nonlinear identification is compared, and what a model did on them.
 *
 * A set is read from its published file; a setting says what is fitted on rows of its training part; a run has the
 * simulations of its tests. Simulation means that the model sees inputs alone, from a zero past on; the first measured outputs
 * of a test, which are not scored, may set the state of a model with feedback. */
#ifndef CLI_SYSID_H
#define CLI_SYSID_H

#include "args/names.h"
#include "volterra.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- what is published ------------------------------------------------------------------------ */

/* An error counts from row `after` of the test on; the rows before are there to set a state. */
typedef struct sysid_measure {
    const char *dataset; /* in JSON and in sentences */
    const char *heading; /* of a column of the table */
    const char *column;  /* the same on a page, below the title of the set */
    int64_t after;
    int published; /* column of the published figures; -1: there are none for this measure */
} sysid_measure;

#define SYSID_WARM_UP 50
enum { SYSID_MOST_TESTS = 2, SYSID_MOST_MEASURES = 2, SYSID_MOST_FILES = 6 };

/* Rows first <= t < end of the file, simulated once; the measures are of its first `rows` rows each. */
typedef struct sysid_test {
    const char *name;           /* of the picture and the files */
    const char *input, *output; /* columns */
    int64_t first, end;         /* end 0: the last row */
    int n_measures;
    sysid_measure measures[SYSID_MOST_MEASURES];
    int64_t rows[SYSID_MOST_MEASURES]; /* 0: all */
} sysid_test;

typedef struct sysid_set {
    const char *name, *title;
    const char *files[SYSID_MOST_FILES]; /* names it may have inside the folder, NULL behind the last */
    const char *input, *output;          /* columns of the training part ... */
    int64_t first, end;                  /* ... and its rows; end 0: the last row */
    int64_t file_rows;                   /* that the file has at least */
    const char *unit;
    double per_unit; /* unit of the figures in units of the file: 1000 for mV */
    int n_tests;
    sysid_test tests[SYSID_MOST_TESTS];
} sysid_set;

extern const sysid_set sysid_sets[];
extern const int n_sysid_sets;
name_list sysid_set_names(void);

/* Simulation errors of other methods on the same splits. */
typedef struct sysid_published {
    const char *method;
    double rmse[5]; /* columns in the order of sysid_measure.published; 0: not given */
} sysid_published;
extern const sysid_published sysid_published_rows[];
extern const int n_sysid_published;
extern const char sysid_published_source[];

/* ---- settings --------------------------------------------------------------------------------- */

/* What is fitted: `washout` + `rows` rows of the training part, the first of which feed the past alone: they are cut out of
 * a running experiment. Rows are counted from the first of the file. */
typedef struct sysid_setting {
    const char *name; /* of the preset */
    const char *set;
    const char *kernel;
    double alpha, feedback_weight; /* weight 0: no feedback */
    int64_t first, washout, rows;
    const char *how; /* it was found, in words */
} sysid_setting;

extern const sysid_setting sysid_presets[];
extern const int n_sysid_presets;
name_list sysid_preset_names(void);
/* The first preset of a set. */
const sysid_setting *sysid_preset_of(const sysid_set *set);

/* ---- a run ------------------------------------------------------------------------------------ */

/* One set as it was read. */
typedef struct sysid_data {
    const sysid_set *set;
    char *path;                                  /* of the file; owned */
    volt_table *train, *tests[SYSID_MOST_TESTS]; /* two columns each: input, output */
} sysid_data;

typedef struct sysid_run {
    const sysid_set *set;
    sysid_data data;
    sysid_setting setting; /* that was fitted */
    char kernel[VOLT_KERNEL_LENGTH];
    volt_matrix simulated[SYSID_MOST_TESTS];            /* one column, a row for every row of the test */
    double rmse[SYSID_MOST_TESTS][SYSID_MOST_MEASURES]; /* in set->unit */
    double fit_seconds, simulate_seconds, search_seconds;
    int64_t draws;   /* of the search; 0: there was none */
    int64_t warm_up; /* rows whose measured outputs may set the state of a model with feedback */
} sysid_run;

/* Every function returns 0, or the exit status after saying what is wrong. A run that begins as {0} can always be
 * released. */
int sysid_read(sysid_data *data, const sysid_set *set, const char *folder);
void sysid_release(sysid_run *run);

/* `rows` rows of a column of a table that was read: 0 the inputs, 1 the outputs. */
volt_view sysid_column(const volt_table *table, int column, int64_t first, int64_t rows);

/* Rows of measured outputs that the simulations see: 0 without feedback. */
int64_t sysid_warm_up(const sysid_run *run);

/* Fit the setting and simulate the tests. */
int sysid_fit_and_simulate(sysid_run *run, bool quiet);

/* Search a setting on training rows alone and put it into `run`. */
typedef struct sysid_search_options {
    double seconds; /* 0: no limit */
    int64_t draws;  /* 0: no limit */
    uint64_t seed;
    bool quiet;
} sysid_search_options;
int sysid_search(sysid_run *run, const sysid_search_options *options);

/* The command lines that fit the model, simulate a test and score it, one a line; to be freed. NULL: not enough memory. */
char *sysid_commands(const sysid_run *run);

#endif
