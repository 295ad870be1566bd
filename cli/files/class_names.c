/* cli/files/class_names.c: class labels as names and as numbers. */
#include "files/class_names.h"

#include "terminal/messages.h"

#include <stdlib.h>
#include <string.h>

int class_names_read(class_names *classes, const labelled_series *series, int64_t **numbers)
{
    int64_t count = series->collection->count;
    classes->names = calloc((size_t)count, sizeof *classes->names);
    *numbers = calloc((size_t)count, sizeof **numbers);
    if (!classes->names || !*numbers)
        return complain(EXIT_FAILED, "not enough memory for the classes of %s", series->source);
    volt_status status = volt_texts_number((const char *const *)series->labels, count, classes->names,
                                           &classes->count, *numbers);
    return status ? complain_status(status) : 0;
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
