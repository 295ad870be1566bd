/* cli/files/class_names.h: class labels as names and as numbers. */
#ifndef CLI_CLASS_NAMES_H
#define CLI_CLASS_NAMES_H

#include "files/collections.h"

/* The classes of the training series, in the order of volt_texts_number. Initialise with {0}. */
typedef struct class_names {
    const char **names; /* array of `count`; the texts are owned by the series */
    int64_t count;
} class_names;

enum { CLASS_UNKNOWN = -1 };

/* Functions that return int return 0, or the exit status after an error message. The series must have
 * labels. */
/* Allocates also the class number of each series. */
int class_names_read(class_names *classes, const labelled_series *series, int64_t **numbers);
void class_names_release(class_names *classes);

/* Allocates the class number of each series, CLASS_UNKNOWN for an unknown label. The caller frees it. */
int class_numbers(const class_names *classes, const labelled_series *series, int64_t **numbers);

/* Returns how many of the `count` numbers equal `which`. */
int64_t class_count(const int64_t *numbers, int64_t count, int64_t which);

#endif
