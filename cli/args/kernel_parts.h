/* cli/args/kernel_parts.h: kernel names, parameter values and short kernel texts for tables and plots. */
#ifndef CLI_KERNEL_PARTS_H
#define CLI_KERNEL_PARTS_H

#include "volterra.h"

#include <stdbool.h>

enum { PART_LENGTH = VOLT_VALUE_LENGTH };

/* Returns the kernel described by the text, or NULL for an invalid text, such as one in a log of another
 * version. */
volt_kernel *kernel_read(const char *text);

/* Gets the value of a parameter. Returns false if the kernel is NULL or the parameter is unknown or has no
 * value. */
bool kernel_value(const volt_kernel *kernel, const char *parameter, volt_kernel_value *value);

/* Iterates over the parameters given in the text, starting at *index = 0, with their names ("2.gamma" in an
 * expression). Returns false at the end. */
bool kernel_next_given(const volt_kernel *kernel, int64_t *index, const char **name, volt_kernel_value *value);

/* Writes the kernel's name to `name` and returns it: "fir + memory*rbf" for an expression, the text itself if
 * it is not a valid kernel. */
char *kernel_name(const char *text, char name[PART_LENGTH]);

/* Writes the text with numbers rounded to three digits. Returns `brief`. */
char *kernel_brief(const char *text, char *brief, size_t capacity);

/* Same as kernel_brief, without the kernel's name. */
char *kernel_brief_values(const char *text, char *brief, size_t capacity);

#endif
