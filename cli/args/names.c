/* cli/args/names.c: a list of names out of a table. */
#include "args/names.h"

#include "text/text.h"
#include "volterra.h"

#include <stdio.h>
#include <string.h>

void names_add(name_list *list, const char *name)
{
    if (list->count < MOST_NAMES)
        list->names[list->count++] = name;
}

int names_find(const name_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return i;
    return -1;
}

const char *names_nearest(const name_list *list, const char *word)
{
    return volt_nearest_name(word, list->names, list->count);
}

/* Append as much of `length` characters as there is room for; returns the new length of the text. */
static size_t append(char *text, size_t used, size_t capacity, const char *more, size_t length)
{
    if (length > capacity - 1 - used)
        length = capacity - 1 - used;
    memcpy(text + used, more, length);
    text[used + length] = '\0';
    return used + length;
}

char *names_join(const name_list *list, const char *between, const char *last, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < list->count; i++) {
        const char *before = i == 0 ? "" : i + 1 < list->count ? between : last;
        used = append(text, used, capacity, before, strlen(before));
        used = append(text, used, capacity, list->names[i], strlen(list->names[i]));
    }
    return text;
}

char *names_expand(const char *sentence, const name_list *list, char *text, size_t capacity)
{
    static const struct {
        const char *mark, *last;
    } forms[] = {{"{names}", ", "}, {"{names or}", " or "}};
    size_t used = 0;
    text[0] = '\0';
    while (*sentence) {
        size_t plain = 1;
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            if (strncmp(sentence, forms[i].mark, strlen(forms[i].mark)) == 0) {
                names_join(list, ", ", forms[i].last, text + used, capacity - used);
                used += strlen(text + used);
                sentence += strlen(forms[i].mark);
                plain = 0;
            }
        used = append(text, used, capacity, sentence, plain);
        sentence += plain;
    }
    return text;
}
