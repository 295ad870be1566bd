/* src/io/series/series_list.h: the series of a file while they are read, and the collection made of them.
 *
 * A reader adds one series after the other to a volt_series_list and then makes the collection of it:
 *
 *     volt_series_list list = {.channels = 3};
 *     volt_status status = volt_series_add(&list, rows, &values);      (then fill values: rows x channels)
 *     ...
 *     status = volt_series_finish(&list, status, collection); */
#ifndef IO_SERIES_LIST_H
#define IO_SERIES_LIST_H

#include "volterra/io.h"

typedef struct volt_series_list {
    int64_t channels; /* set before the first series is added */
    int64_t count;    /* series so far */
    int64_t *rows;    /* of each of them */
    int64_t rows_capacity;
    double *values; /* one series after the other, rows x channels each */
    int64_t n_values, values_capacity;
    char *labels; /* one after the other, each with its zero byte; NULL: there are none */
    int64_t labels_size, labels_capacity;
    char **names; /* (optional) of the channels; the list frees them with volt_free */
} volt_series_list;

/* Make room for n_values numbers at once. VOLT_ERR_MEMORY, before anything is allocated when memory cannot
 * suffice. */
volt_status volt_series_reserve(volt_series_list *list, int64_t n_values);

/* Add a series; *values is room for its rows x channels, valid until the next one is added. */
volt_status volt_series_add(volt_series_list *list, int64_t rows, double **values);

/* Add the label of the series that was added last. A collection has a label for each series or for none. */
volt_status volt_series_label(volt_series_list *list, const char *label, size_t length);

/* Hand all over to a new collection if `status`, what the reading came to, is VOLT_OK; otherwise free it. Returns
 * `status`, or VOLT_ERR_MEMORY. */
volt_status volt_series_finish(volt_series_list *list, volt_status status, volt_collection **collection);

#endif
