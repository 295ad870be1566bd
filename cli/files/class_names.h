/* cli/files/class_names.h: the classes of labelled series, as names and as numbers. */
#ifndef CLI_CLASS_NAMES_H
#define CLI_CLASS_NAMES_H

#include "files/collections.h"

/* The classes of training series, in order: as numbers where all of them are, else as texts. Begins as {0}. */
typedef struct class_names {
    const char **names; /* count of them, which belong to the series */
    int64_t count;
} class_names;

enum { CLASS_UNKNOWN = -1 };

/* Every function returns 0, or the exit status after saying what is wrong. The series must have labels. */
int class_names_read(class_names *classes, const labelled_series *series);
void class_names_release(class_names *classes);

/* The number of each series' class, CLASS_UNKNOWN where its name is none of these; to be freed. */
int class_numbers(const class_names *classes, const labelled_series *series, int64_t **numbers);

/* How many of the `count` numbers are `which`. */
int64_t class_count(const int64_t *numbers, int64_t count, int64_t which);

#endif
