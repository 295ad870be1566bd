/* cli/search/search_space.h: --range NAME=SPEC, what a search draws a parameter from. */
#ifndef CLI_SEARCH_SPACE_H
#define CLI_SEARCH_SPACE_H

#include "args/options.h"
#include "volterra.h"

/* What a SPEC may be, for the help; the names are those of range_forms. */
#define RANGE_MEANING \
    "search range of parameter NAME (or alpha, or feedback): {names}, a list A|B|C, or one value"
name_list range_forms(void); /* "log:LOW..HIGH" and so on */

/* Ranges that were read; begins as {0}. */
typedef struct search_space {
    volt_range *ranges;
    int64_t count;
    char **texts; /* the names and choices that the ranges point to, one block each */
    const char ***choices;
} search_space;

/* Read every NAME=SPEC of `specs`, and `alpha` and `feedback` (a SPEC each, may be NULL). Returns 0, or the exit status after
 * saying what is wrong; the space can be released in either case. */
int search_space_read(search_space *space, const text_list *specs, const char *alpha, const char *feedback);
void search_space_release(search_space *space);

#endif
