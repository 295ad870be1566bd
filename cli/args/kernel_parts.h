/* cli/args/kernel_parts.h: kernels for tables and pictures: their names, their values, a brief form of their text. */
#ifndef CLI_KERNEL_PARTS_H
#define CLI_KERNEL_PARTS_H

#include "volterra.h"

#include <stdbool.h>

enum { PART_LENGTH = VOLT_VALUE_LENGTH };

/* The kernel of that text, or NULL when the text is none: of a log, say, that was written by another version. */
volt_kernel *kernel_read(const char *text);

/* The value of a parameter; false when the kernel is NULL, has no such parameter or no value for it. */
bool kernel_value(const volt_kernel *kernel, const char *parameter, volt_kernel_value *value);

/* Walks over the parameters given in the text, from *index = 0 on, with their names ("2.gamma" in an expression); false
 * at their end. */
bool kernel_next_given(const volt_kernel *kernel, int64_t *index, const char **name, volt_kernel_value *value);

/* The kernel's name, of an expression "fir + memory*rbf", the text itself when it is no kernel, into `name`; returns it. */
char *kernel_name(const char *text, char name[PART_LENGTH]);

/* The text with its numbers cut to three digits, for a line that people read in passing; returns `brief`. */
char *kernel_brief(const char *text, char *brief, size_t capacity);

/* The same without the kernel's name. */
char *kernel_brief_values(const char *text, char *brief, size_t capacity);

#endif
