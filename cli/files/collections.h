/* cli/files/collections.h: read collections of labelled series. */
#ifndef CLI_COLLECTIONS_H
#define CLI_COLLECTIONS_H

#include "volterra.h"

#define COLLECTION_FORMATS ".ts, .npy or CSV (.npy: series x time x channels, CSV: with a column series)"

/* A collection of series. Initialise with {0}; it can then always be released. */
typedef struct labelled_series {
    const char *source;
    volt_collection *collection;
    char **labels;        /* class label of each series; NULL: unknown */
    char **label_storage; /* memory of labels read from a separate file, or NULL */
} labelled_series;

/* Functions that return int return 0, or the exit status after an error message. `labels` (may be NULL) is
 * FILE or FILE:COLUMN with a label for each series. It replaces the labels in the collection's file. */
int labelled_series_read(labelled_series *series, const char *source, const char *labels);
void labelled_series_release(labelled_series *series);

/* Training series and, unless `test_source` is NULL, test series with the same channels. */
typedef struct series_pair {
    labelled_series train, test; /* test.collection is NULL without test series */
} series_pair;
int series_pair_read(series_pair *pair, const char *train_source, const char *train_labels,
                     const char *test_source, const char *test_labels);
void series_pair_release(series_pair *pair);

/* Writes "40 series of 3 channels, 12..40 steps" to `text` and returns it. */
enum { COLLECTION_TEXT_LENGTH = 128 };
const char *collection_text(const volt_collection *collection, char text[COLLECTION_TEXT_LENGTH]);

/* The smallest and the largest length of a series. */
typedef struct length_range {
    int64_t shortest, longest;
} length_range;
length_range collection_lengths(const volt_collection *collection);

#endif
