/* cli/files/collections.h: collections of series from files, with a class for each. */
#ifndef CLI_COLLECTIONS_H
#define CLI_COLLECTIONS_H

#include "volterra.h"

#define COLLECTION_FORMATS ".ts, .arff, .npy (series x time x channels) or a CSV with a column series"

/* Series that were read. All begins as {0}, and can then always be released. */
typedef struct labelled_series {
    const char *source;
    volt_collection *collection;
    char **labels; /* a class for each series; NULL: none are known */
    char **own;    /* memory of labels that came from a file of their own, or NULL */
} labelled_series;

/* Every function returns 0, or the exit status after saying what is wrong. `labels` (may be NULL) is FILE or FILE:COLUMN
 * with a label for each series, which count in place of those of the collection's own file. */
int labelled_series_read(labelled_series *series, const char *source, const char *labels);
void labelled_series_release(labelled_series *series);

/* What belongs together: training series and, unless `test_source` is NULL, test series of the same channels. */
typedef struct series_pair {
    labelled_series train, test; /* test.collection is NULL where there are none */
} series_pair;
int series_pair_read(series_pair *pair, const char *train_source, const char *train_labels,
                     const char *test_source, const char *test_labels);
void series_pair_release(series_pair *pair);

/* "40 series of 3 channels, 12..40 steps". Returns `text`. */
enum { COLLECTION_TEXT_LENGTH = 128 };
const char *collection_text(const volt_collection *collection, char text[COLLECTION_TEXT_LENGTH]);

/* The fewest steps of a series, and the most. */
typedef struct length_range {
    int64_t shortest, longest;
} length_range;
length_range collection_lengths(const volt_collection *collection);

#endif
