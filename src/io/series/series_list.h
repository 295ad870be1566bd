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
#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

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

/* ---- one reader for every format of collections ------------------------------------------------ */

volt_status volt_ts_read(const char *path, volt_collection **collection);
volt_status volt_arff_read(const char *path, volt_collection **collection);
volt_status volt_long_csv_read(const char *path, volt_collection **collection);
volt_status volt_npy_collection_read(const char *path, volt_collection **collection);

/* ---- one series of a .ts or .arff file while it is read, dimension after dimension -------------
 * Both formats hold a series as text, one dimension (channel) behind the other; in memory a series is rows
 * (time) x channels, so that its numbers are gathered here and then transposed into the collection. */

typedef struct volt_dimensions {
    int64_t line;     /* of the file, for error sentences */
    int64_t count;    /* complete dimensions */
    int64_t length;   /* numbers of each */
    int64_t position; /* numbers of the dimension that is being read */
    double *numbers;  /* dimension after dimension */
    int64_t n_numbers, capacity;
} volt_dimensions;

/* Begin the series on this line. The buffer of the last one is used again; free it with volt_free(numbers). */
void volt_dimensions_begin(volt_dimensions *series, int64_t line);

/* One more number of the present dimension, from text[0 .. length-1]; text[length] is overwritten.
 * VOLT_ERR_FORMAT, VOLT_ERR_NOT_FINITE. */
volt_status volt_dimensions_number(volt_dimensions *series, char *text, int64_t length);

/* The present dimension is complete. VOLT_ERR_FORMAT when it is not as long as the first. */
volt_status volt_dimensions_end(volt_dimensions *series);

/* A whole dimension: numbers with commas between them. text[0 .. length] is overwritten. */
volt_status volt_dimensions_add(volt_dimensions *series, char *text, int64_t length);

/* Add the complete series to the list; the first one settles the number of channels, unless that is known.
 * VOLT_ERR_FORMAT when the numbers differ. */
volt_status volt_dimensions_store(const volt_dimensions *series, volt_series_list *list);

/* ---- distinct texts, numbered in the order in which they first appear -------------------------- */

/* All zero is an index without texts. */
typedef struct volt_text_index {
    int64_t count;
    char *texts; /* one after the other, each with its zero byte */
    int64_t size, capacity;
    int64_t *places; /* where each begins in texts */
    int64_t places_capacity;
    int64_t *slots;  /* open addressing: 1 + number of the text, 0 for a free slot; at most half are taken */
    int64_t n_slots; /* a power of two, or 0 */
} volt_text_index;

/* The number of a text from 0 on, a new one when it has not been seen. The text ends at its first zero byte.
 * VOLT_ERR_MEMORY. */
volt_status volt_text_index_put(volt_text_index *index, const char *text, int64_t *number);

void volt_text_index_clear(volt_text_index *index);

#endif
