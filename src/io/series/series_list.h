/* src/io/series/series_list.h: the series of a file during reading, and the resulting collection.
 *
 * A reader adds the series one by one to a volt_series_list and then creates the collection:
 *
 *     volt_series_list list = {.channels = 3};
 *     volt_status status = volt_series_add(&list, rows, &values);      (then fill values: rows x channels)
 *     ...
 *     status = volt_series_finish(&list, status, collection); */
#ifndef IO_SERIES_LIST_H
#define IO_SERIES_LIST_H

#include "volterra/io.h"
#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct volt_series_list {
    int64_t channels; /* set before the first series is added */
    int64_t count;    /* series so far */
    int64_t *rows;    /* of each of them */
    int64_t rows_capacity;
    double *values; /* consecutive series, rows x channels each */
    int64_t n_values, values_capacity;
    char *labels; /* consecutive, each zero-terminated; NULL: none */
    int64_t labels_size, labels_capacity;
    char **names; /* (optional) of the channels; the list frees them with volt_free */
} volt_series_list;

/* Reserves memory for n_values numbers. VOLT_ERR_MEMORY, before allocation when memory cannot suffice. */
volt_status volt_series_reserve(volt_series_list *list, int64_t n_values);

/* Adds a series; *values receives memory for its rows x channels numbers, valid until the next one is added. */
volt_status volt_series_add(volt_series_list *list, int64_t rows, double **values);

/* Adds the label of the last series. A collection has a label for each series or for none. */
volt_status volt_series_label(volt_series_list *list, const char *label, size_t length);

/* Moves the contents to a new collection if `status`, the result of reading, is VOLT_OK; otherwise frees
 * them. Returns `status`, or VOLT_ERR_MEMORY. */
volt_status volt_series_finish(volt_series_list *list, volt_status status, volt_collection **collection);

/* ---- readers of the collection formats --------------------------------------------------------- */

volt_status volt_ts_read(const char *path, volt_collection **collection);
volt_status volt_long_csv_read(const char *path, volt_collection **collection);
volt_status volt_npy_collection_read(const char *path, volt_collection **collection);

/* ---- distinct texts, numbered in order of appearance ------------------------------------------- */

/* Zero-initialised: an empty index. */
typedef struct volt_text_index {
    int64_t count;
    char *texts; /* consecutive, each zero-terminated */
    int64_t size, capacity;
    int64_t *places; /* the start of each in texts */
    int64_t places_capacity;
    int64_t *slots;  /* open addressing: 1 + number of the text, 0 for a free slot; at most half are taken */
    int64_t n_slots; /* a power of two, or 0 */
} volt_text_index;

/* Returns the number of a text, from 0; new texts get the next number. The text ends at its first zero byte.
 * VOLT_ERR_MEMORY. */
volt_status volt_text_index_put(volt_text_index *index, const char *text, int64_t *number);

void volt_text_index_clear(volt_text_index *index);

#endif
