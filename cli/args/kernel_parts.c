/* cli/args/kernel_parts.c: kernel names and values for tables and plots. */
#include "args/kernel_parts.h"

#include "terminal/messages.h"

#include <stdio.h>
#include <string.h>

volt_kernel *kernel_read(const char *text)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(text, &kernel);
    if (status == VOLT_ERR_MEMORY)
        note_lack_of_memory();
    return status == VOLT_OK ? kernel : NULL;
}

bool kernel_value(const volt_kernel *kernel, const char *parameter, volt_kernel_value *value)
{
    return kernel && volt_kernel_get(kernel, parameter, value) == VOLT_OK && value->present;
}

bool kernel_next_given(const volt_kernel *kernel, int64_t *index, const char **name, volt_kernel_value *value)
{
    volt_kernel_info info = {.struct_size = sizeof info};
    if (kernel)
        volt_kernel_get_info(kernel, &info);
    while (*index < info.n_names) {
        *name = info.names[(*index)++];
        if (kernel_value(kernel, *name, value) && value->given)
            return true;
    }
    return false;
}

/* Copies the kernel text without weights and parameters. Terms are separated by " + ", which occurs in no
 * value. */
static void copy_names(const char *text, char *names, size_t capacity)
{
    size_t used = 0;
    while (*text && used + 1 < capacity) {
        size_t word = strcspn(text, ":* "), parameters = text[word] == ':' ? strcspn(text + word, "* ") : 0;
        bool is_weight = strchr("0123456789", text[0]) != NULL;
        const char *next = text + word + parameters;
        size_t mark = *next == '*' ? 1 : strspn(next, " +");
        if (!is_weight)
            used +=
                (size_t)snprintf(names + used, capacity - used, "%.*s%.*s", (int)word, text, (int)mark, next);
        text = next + mark;
    }
}

char *kernel_name(const char *text, char name[PART_LENGTH])
{
    volt_kernel *kernel = kernel_read(text);
    volt_kernel_info info = {.struct_size = sizeof info};
    name[0] = '\0';
    if (kernel && !volt_kernel_get_info(kernel, &info))
        copy_names(info.text, name, PART_LENGTH);
    else
        snprintf(name, PART_LENGTH, "%s", text);
    volt_kernel_free(kernel);
    return name;
}

char *kernel_brief_values(const char *text, char *brief, size_t capacity)
{
    volt_kernel *kernel = kernel_read(text);
    volt_kernel_value value = {.struct_size = sizeof value};
    const char *name = NULL;
    size_t used = 0;
    brief[0] = '\0';
    for (int64_t i = 0; used < capacity && kernel_next_given(kernel, &i, &name, &value);) {
        char *at = brief + used;
        const char *mark = used ? "," : "";
        if (value.info->kind >= VOLT_PARAMETER_CHOICE) /* a word or free text */
            used += (size_t)snprintf(at, capacity - used, "%s%s=%s", mark, name, value.text);
        else
            used += (size_t)snprintf(at, capacity - used, "%s%s=%.3g", mark, name, value.number);
    }
    volt_kernel_free(kernel);
    return brief;
}

char *kernel_brief(const char *text, char *brief, size_t capacity)
{
    char name[PART_LENGTH];
    size_t used = (size_t)snprintf(brief, capacity, "%s:", kernel_name(text, name));
    if (used < capacity && !kernel_brief_values(text, brief + used, capacity - used)[0])
        brief[used - 1] = '\0';
    return brief;
}
