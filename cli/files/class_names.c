/* cli/files/class_names.c: class labels as names and as numbers. */
#include "files/class_names.h"

#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Orders by number, and by text if the numbers are equal, such as 1 and 1.0. */
static int by_number(const void *a, const void *b)
{
    double x = NAN, y = NAN;
    volt_parse_number(*(const char *const *)a, &x);
    volt_parse_number(*(const char *const *)b, &y);
    return x != y ? (x > y) - (x < y) : by_text(a, b);
}

int class_names_read(class_names *classes, const labelled_series *series)
{
    int64_t count = series->collection->count;
    bool numbers = true;
    classes->names = calloc((size_t)count, sizeof *classes->names);
    if (!classes->names)
        return complain(EXIT_FAILED, "not enough memory for the classes of %s", series->source);
    for (int64_t i = 0; i < count; i++) {
        double number;
        classes->names[i] = series->labels[i];
        numbers = numbers && volt_parse_number(series->labels[i], &number) && isfinite(number);
    }
    qsort(classes->names, (size_t)count, sizeof *classes->names, numbers ? by_number : by_text);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || strcmp(classes->names[i], classes->names[i - 1]) != 0)
            classes->names[classes->count++] = classes->names[i];
    return 0;
}

void class_names_release(class_names *classes)
{
    free(classes->names);
    *classes = (class_names){0};
}

int class_numbers(const class_names *classes, const labelled_series *series, int64_t **numbers)
{
    int64_t count = series->collection->count, *made = calloc((size_t)count, sizeof *made);
    if (!made)
        return complain(EXIT_FAILED, "not enough memory for the classes of %s", series->source);
    for (int64_t i = 0; i < count; i++) {
        made[i] = CLASS_UNKNOWN;
        for (int64_t k = 0; k < classes->count && made[i] == CLASS_UNKNOWN; k++)
            if (strcmp(classes->names[k], series->labels[i]) == 0)
                made[i] = k;
    }
    *numbers = made;
    return 0;
}

int64_t class_count(const int64_t *numbers, int64_t count, int64_t which)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += numbers[i] == which;
    return found;
}
