/* cli/files/collections.c: read collections of labelled series. */
#include "files/collections.h"

#include "args/options.h"
#include "terminal/messages.h"

#include <stdio.h>
#include <string.h>

static int read_labels(labelled_series *series, const char *source)
{
    int64_t count = 0;
    volt_status status = volt_texts_read(source, &series->label_storage, &count, NULL);
    if (status)
        return complain_status(status);
    series->labels = series->label_storage;
    if (count != series->collection->count)
        return complain(EXIT_FAILED, "%s has %lld labels, but %s has %lld series", source, (long long)count,
                        series->source, (long long)series->collection->count);
    return 0;
}

int labelled_series_read(labelled_series *series, const char *source, const char *labels)
{
    series->source = source;
    if (labels && strcmp(labels, "-") == 0 && strcmp(source, "-") == 0)
        return complain(EXIT_USAGE, "series and labels cannot both be read from standard input");
    int refused = reading_options_refuse("collections of series");
    if (refused)
        return refused;
    volt_status status = volt_collection_read(source, &series->collection);
    if (status)
        return complain_status(status);
    series->labels = series->collection->labels;
    return labels ? read_labels(series, labels) : 0;
}

void labelled_series_release(labelled_series *series)
{
    volt_free(series->label_storage);
    volt_collection_free(series->collection);
    *series = (labelled_series){0};
}

int series_pair_read(series_pair *pair, const char *train_source, const char *train_labels,
                     const char *test_source, const char *test_labels)
{
    if (test_source && strcmp(train_source, "-") == 0 && strcmp(test_source, "-") == 0)
        return complain(EXIT_USAGE, "--train and --test cannot both be read from standard input");
    if (test_labels && !test_source)
        return complain(EXIT_USAGE, "--test-labels requires --test");
    int failed = labelled_series_read(&pair->train, train_source, train_labels);
    if (!failed && test_source)
        failed = labelled_series_read(&pair->test, test_source, test_labels);
    if (failed || !test_source)
        return failed;
    int64_t train = pair->train.collection->channels, test = pair->test.collection->channels;
    if (train != test)
        return complain(EXIT_FAILED, "the series of %s have %lld channel%s but those of %s have %lld",
                        train_source, (long long)train, train == 1 ? "" : "s", test_source, (long long)test);
    return 0;
}

void series_pair_release(series_pair *pair)
{
    labelled_series_release(&pair->train);
    labelled_series_release(&pair->test);
}

length_range collection_lengths(const volt_collection *collection)
{
    length_range range = {collection->series[0].rows, collection->series[0].rows};
    for (int64_t i = 1; i < collection->count; i++) {
        int64_t length = collection->series[i].rows;
        range.shortest = length < range.shortest ? length : range.shortest;
        range.longest = length > range.longest ? length : range.longest;
    }
    return range;
}

const char *collection_text(const volt_collection *collection, char text[COLLECTION_TEXT_LENGTH])
{
    length_range range = collection_lengths(collection);
    char lengths[64];
    if (range.shortest == range.longest)
        snprintf(lengths, sizeof lengths, "%lld", (long long)range.longest);
    else
        snprintf(lengths, sizeof lengths, "%lld..%lld", (long long)range.shortest, (long long)range.longest);
    snprintf(text, COLLECTION_TEXT_LENGTH, "%lld series of %lld channel%s, %s step%s",
             (long long)collection->count, (long long)collection->channels,
             collection->channels == 1 ? "" : "s", lengths, range.longest == 1 ? "" : "s");
    return text;
}
