/* cli/benchmark/uea.h: sets of the UEA archive of series in classes, and what classifiers did on them. */
#ifndef CLI_UEA_H
#define CLI_UEA_H

#include "files/class_names.h"

#include <stdbool.h>

/* Accuracies of other methods on the same split, of those sets that have some; 0: not known. */
typedef struct uea_reference {
    const char *set;
    double dtw, minirocket;
} uea_reference;
extern const uea_reference uea_references[];
extern const int n_uea_references;
extern const char uea_reference_source[];

enum { UEA_MOST_SETS = 64, UEA_MOST_KERNELS = 8 };

/* One of the kernels whose mean was chosen. */
typedef struct uea_kernel {
    char text[VOLT_KERNEL_LENGTH];
    volt_classifier_kernel way; /* without its text */
} uea_kernel;

/* One set: FOLDER/NAME/NAME_TRAIN and NAME_TEST, .ts or .arff. */
typedef struct uea_run {
    char *name, *train, *test; /* owned, the last two are paths */
    int64_t series, tests, channels;
    int64_t classes;
    uea_kernel kernels[UEA_MOST_KERNELS]; /* info.parts of them */
    volt_classifier_info info;            /* its texts are not valid: see kernels */
    double accuracy, seconds;             /* training, search included, and test */
} uea_run;

typedef struct uea_runs {
    uea_run runs[UEA_MOST_SETS];
    int count;
} uea_runs;

/* Every function returns 0, or the exit status after saying what is wrong. Runs that begin as {0} can always be released. */

/* The sets that are there, in the order of their names; `only` (may be NULL) is a list of names with commas between. */
int uea_find(uea_runs *runs, const char *folder, const char *only);
void uea_release(uea_runs *runs);

/* The series of a set, and the numbers of their classes; begins as {0}. */
typedef struct uea_series {
    series_pair pair;
    class_names classes;
    int64_t *train, *test; /* class of each series, -1: none of the training series */
} uea_series;
int uea_series_read(uea_series *series, const uea_run *run);
void uea_series_release(uea_series *series);

typedef struct uea_options {
    const char *kernel; /* NULL: those of the task */
    int64_t draws;      /* 0: as the task has it */
    double budget;      /* 0: none */
    uint64_t seed;
    bool quiet;
} uea_options;

/* ---- classify: the classes of test series ---------------------------------------------------- */

int uea_compute(uea_run *run, const uea_options *options);
int uea_print(const uea_runs *runs, bool json);

/* ---- anomaly: one class is normal, and test series of others are to be found ------------------- */

/* A kernel with a score on one set: means over the classes, each the normal one once. */
typedef struct uea_novelty {
    const char *kernel;
    volt_anomaly_kind score;
    double roc_auc;
    double pr_auc; /* normal series are those that are marked, as in KTAD: they are fewer */
    double seconds;
} uea_novelty;

enum { UEA_MOST_NOVELTIES = 8 };

typedef struct uea_novelties {
    uea_novelty rows[UEA_MOST_NOVELTIES];
    int count;
    int64_t classes; /* that have test series and are not all of them */
} uea_novelties;

int uea_find_novelties(const uea_run *run, const uea_options *options, uea_novelties *found);
/* One for each run. */
int uea_print_novelties(const uea_runs *runs, const uea_novelties *found, bool json);

#endif
