/* cli/args/names.h: a list of names out of a table, for sentences and for the nearest to a mistyped word. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stddef.h>

enum { MOST_NAMES = 64 };
typedef struct name_list {
    int count;
    const char *names[MOST_NAMES]; /* not owned */
} name_list;

void names_add(name_list *list, const char *name);

/* Index of `name` in the list; -1: not there. */
int names_find(const name_list *list, const char *name);

/* The name that `word` may have been meant for, or NULL. */
const char *names_nearest(const name_list *list, const char *word);

/* All of them into `text`, with `between` between two and `last` before the last one: "a, b or c". Returns text,
 * which is cut where there is no room. */
char *names_join(const name_list *list, const char *between, const char *last, char *text, size_t capacity);

/* The sentence with "{names}" replaced by "a, b, c" and "{names or}" by "a, b or c"; returns `text`. */
char *names_expand(const char *sentence, const name_list *list, char *text, size_t capacity);

#endif
