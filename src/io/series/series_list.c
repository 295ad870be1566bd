/* src/io/series/series_list.c: the series of a file during reading, and the resulting collection. */
#include "io/series/series_list.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"

#include <string.h>

/* Freed by volt_collection_free: the public part comes first. */
typedef struct owned_collection {
    volt_collection open;
    double *values; /* of all series */
    char *text;     /* of all labels */
} owned_collection;

volt_status volt_series_reserve(volt_series_list *list, int64_t n_values)
{
    VOLT_TRY(volt_memory_require((double)n_values * sizeof(double), "the collection of series"));
    return volt_grow((void **)&list->values, &list->values_capacity, n_values, sizeof(double));
}

volt_status volt_series_add(volt_series_list *list, int64_t rows, double **values)
{
    int64_t n_values = rows * list->channels;
    VOLT_TRY(volt_grow((void **)&list->rows, &list->rows_capacity, list->count + 1, sizeof *list->rows));
    VOLT_TRY(
        volt_grow((void **)&list->values, &list->values_capacity, list->n_values + n_values, sizeof(double)));
    *values = list->values + list->n_values;
    list->rows[list->count++] = rows;
    list->n_values += n_values;
    return VOLT_OK;
}

volt_status volt_series_label(volt_series_list *list, const char *label, size_t length)
{
    char *text = volt_utf8_copy(label, length);
    if (!text)
        return VOLT_ERR_MEMORY;
    int64_t size = (int64_t)strlen(text) + 1;
    volt_status status = volt_grow((void **)&list->labels, &list->labels_capacity, list->labels_size + size, 1);
    if (!status) {
        memcpy(list->labels + list->labels_size, text, (size_t)size);
        list->labels_size += size;
    }
    volt_free(text);
    return status;
}

/* Points views and labels into the memory that the collection now owns. */
static void point_into_memory(owned_collection *owned, const int64_t *rows)
{
    volt_collection *open = &owned->open;
    const double *values = owned->values;
    char *label = owned->text;
    for (int64_t s = 0; s < open->count; s++) {
        open->series[s] = volt_view_of(values, rows[s], open->channels);
        values += rows[s] * open->channels;
        if (open->labels) {
            open->labels[s] = label;
            label += strlen(label) + 1;
        }
    }
}

/* Moves the contents to a new collection; the list keeps the rest. */
static volt_status hand_over(volt_series_list *list, volt_collection **collection)
{
    owned_collection *owned = volt_alloc_zero(1, sizeof *owned);
    volt_view *series = volt_alloc(list->count, sizeof *series);
    char **labels = list->labels ? volt_alloc(list->count, sizeof *labels) : NULL;
    if (!owned || !series || (list->labels && !labels)) {
        volt_free(labels);
        volt_free(series);
        volt_free(owned);
        return VOLT_ERR_MEMORY;
    }
    owned->open =
        (volt_collection){sizeof(volt_collection), list->count, list->channels, series, labels, list->names};
    owned->values = list->values;
    owned->text = list->labels;
    point_into_memory(owned, list->rows);
    list->values = NULL;
    list->labels = NULL;
    list->names = NULL;
    *collection = &owned->open;
    return VOLT_OK;
}

volt_status volt_series_finish(volt_series_list *list, volt_status status, volt_collection **collection)
{
    if (!status)
        status = hand_over(list, collection);
    volt_free(list->rows);
    volt_free(list->values);
    volt_free(list->labels);
    volt_names_free(list->names, list->channels);
    return status;
}

void volt_collection_free(volt_collection *collection)
{
    if (!collection)
        return;
    owned_collection *owned = (owned_collection *)collection;
    volt_names_free(collection->names, collection->channels);
    volt_free(collection->labels);
    volt_free(collection->series);
    volt_free(owned->text);
    volt_free(owned->values);
    volt_free(owned);
}

/* ---- reading collections of any supported format ----------------------------------------------- */

static volt_status read_kind(const char *path, volt_collection **collection)
{
    switch (volt_file_kind_guess(path)) {
    case VOLT_FILE_TS:
        return volt_ts_read(path, collection);
    case VOLT_FILE_NPY:
        return volt_npy_collection_read(path, collection);
    case VOLT_FILE_MAT:
        return volt_fail(VOLT_ERR_FORMAT, "this is a MAT file; a collection is a .ts, .npy or CSV file");
    default:
        return volt_long_csv_read(path, collection);
    }
}

volt_status volt_collection_read(const char *path, volt_collection **collection)
{
    VOLT_REQUIRE(path && collection, VOLT_ERR_ARGUMENT,
                 "volt_collection_read: path and collection must not be NULL");
    VOLT_REQUIRE(*path, VOLT_ERR_IO, "the file name is empty");
    volt_collection *read = NULL;
    volt_status status = read_kind(path, &read);
    if (status == VOLT_ERR_FORMAT || status == VOLT_ERR_NOT_FINITE)
        volt_fail_prefix(status, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    if (status)
        return status;
    *collection = read;
    return VOLT_OK;
}
