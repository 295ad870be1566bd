/* cli/args/kernel_parts.h: the parameters that stand in a kernel's text, one by one. */
#ifndef CLI_KERNEL_PARTS_H
#define CLI_KERNEL_PARTS_H

#include "volterra.h"

#include <stdbool.h>

enum { PART_LENGTH = 64 };

/* Walks over "NAME:PARAMETER=VALUE,...":
 *     for (kernel_part part = kernel_first(text); part.name[0]; kernel_next(&part)) */
typedef struct kernel_part {
    char name[PART_LENGTH], value[PART_LENGTH];
    bool is_number; /* a number by the kernel's table, and `number` is it */
    double number;
    const char *kernel, *rest;
} kernel_part;

kernel_part kernel_first(const char *text);
void kernel_next(kernel_part *part);

/* The kernel's name alone, into `name`; returns it. */
char *kernel_name(const char *text, char name[PART_LENGTH]);

/* What the table says of a parameter of the kernel of that text; NULL: the kernel has no such parameter. */
const volt_parameter_info *kernel_parameter(const char *text, const char *parameter);

/* The text with its numbers cut to three digits, for a line that people read in passing; returns `brief`. */
char *kernel_brief(const char *text, char *brief, size_t capacity);

#endif
