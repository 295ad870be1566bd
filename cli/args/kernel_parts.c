/* cli/args/kernel_parts.c: take a kernel's text apart, with the library's table of kernels. */
#include "args/kernel_parts.h"

#include <stdio.h>
#include <string.h>

static void copy_part(char target[PART_LENGTH], const char *from, size_t length)
{
    if (length >= PART_LENGTH)
        length = PART_LENGTH - 1;
    memcpy(target, from, length);
    target[length] = '\0';
}

char *kernel_name(const char *text, char name[PART_LENGTH])
{
    copy_part(name, text, strcspn(text, ":"));
    return name;
}

const volt_parameter_info *kernel_parameter(const char *text, const char *parameter)
{
    char name[PART_LENGTH];
    kernel_name(text, name);
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const volt_kernel_info *info = volt_kernel_describe(i);
        if (strcmp(info->name, name) != 0)
            continue;
        for (int64_t p = 0; p < info->n_parameters; p++)
            if (strcmp(info->parameters[p].name, parameter) == 0)
                return &info->parameters[p];
    }
    return NULL;
}

void kernel_next(kernel_part *part)
{
    const char *from = part->rest;
    size_t length = strcspn(from, ","), name_length = strcspn(from, "=");
    if (length == 0 || name_length >= length) {
        part->name[0] = '\0';
        return;
    }
    copy_part(part->name, from, name_length);
    copy_part(part->value, from + name_length + 1, length - name_length - 1);
    const volt_parameter_info *parameter = kernel_parameter(part->kernel, part->name);
    bool is_word = parameter && parameter->kind == VOLT_PARAMETER_CHOICE;
    part->is_number = !is_word && volt_parse_number(part->value, &part->number);
    part->rest = from + length + (from[length] == ',');
}

kernel_part kernel_first(const char *text)
{
    size_t length = strcspn(text, ":");
    kernel_part part = {.kernel = text, .rest = text + length + (text[length] == ':')};
    kernel_next(&part);
    return part;
}

char *kernel_brief(const char *text, char *brief, size_t capacity)
{
    char name[PART_LENGTH];
    size_t used = (size_t)snprintf(brief, capacity, "%s", kernel_name(text, name));
    char mark = ':';
    for (kernel_part part = kernel_first(text); part.name[0] && used < capacity; kernel_next(&part)) {
        char *at = brief + used;
        if (part.is_number)
            used += (size_t)snprintf(at, capacity - used, "%c%s=%.3g", mark, part.name, part.number);
        else
            used += (size_t)snprintf(at, capacity - used, "%c%s=%s", mark, part.name, part.value);
        mark = ',';
    }
    return brief;
}
