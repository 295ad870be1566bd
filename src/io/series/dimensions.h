/* src/io/series/dimensions.h: one series of a .ts or .arff file while it is read, dimension after dimension.
 *
 * Both formats hold a series as text, one dimension (channel) behind the other; in memory a series is rows
 * (time) x channels, so that its numbers are gathered here and then transposed into the collection. */
#ifndef IO_DIMENSIONS_H
#define IO_DIMENSIONS_H

#include "io/series/series_list.h"

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

#endif
