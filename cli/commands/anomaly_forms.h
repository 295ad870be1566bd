/* cli/commands/anomaly_forms.h: the two forms of volterra anomaly: series of a collection, and rows of one
 * series. */
#ifndef CLI_ANOMALY_FORMS_H
#define CLI_ANOMALY_FORMS_H

#include "args/options.h"

typedef struct anomaly_arguments {
    common_arguments common;
    const char *kernel, *output;
    double rate; /* 0: not given */

    /* Series of a collection. */
    const char *train, *test, *train_labels, *test_labels, *normal;
    int score, scale, input;
    double alpha; /* 0: automatic */
    int64_t draws;

    /* Rows of one series. */
    const char *x, *labels;
    row_range rows;
    int missing;
    int64_t train_rows; /* 0: not given */
    int64_t window;
} anomaly_arguments;

extern const choice anomaly_score_choices[], anomaly_scale_choices[], anomaly_input_choices[];

/* Each returns the exit status. */
int anomaly_among_series(const anomaly_arguments *arguments);
int anomaly_along_series(const anomaly_arguments *arguments);

#endif
