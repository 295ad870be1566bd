/* tests/fuzz/fuzz_collection.h: checks on the result of every reader of collections. */
#ifndef FUZZ_FUZZ_COLLECTION_H
#define FUZZ_FUZZ_COLLECTION_H

#include "io/series/series_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read the file; the result must be a collection: its shape positive, its values finite, its texts there. */
static inline void fuzz_collection(const char *path, volt_status (*read)(const char *, volt_collection **))
{
    volt_collection *collection = NULL;
    if (read(path, &collection)) {
        if (collection)
            abort();
        return;
    }
    if (collection->count < 1 || collection->channels < 1)
        abort();
    size_t text = 0; /* strlen looks for the end of each: the sanitizer sees a text that has none */
    for (int64_t k = 0; collection->names && k < collection->channels; k++)
        text += strlen(collection->names[k]);
    for (int64_t s = 0; s < collection->count; s++) {
        volt_view series = collection->series[s];
        if (series.rows < 1 || series.cols != collection->channels || series.ld != series.cols)
            abort();
        for (int64_t i = 0; i < series.rows * series.cols; i++)
            if (!isfinite(series.data[i]))
                abort();
        if (collection->labels)
            text += strlen(collection->labels[s]) - 1;
    }
    volatile size_t kept = text;
    (void)kept;
    volt_collection_free(collection);
}

#endif
