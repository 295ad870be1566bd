/* cli/search/search_space.h: --range NAME=SPEC, the range of a searched parameter. */
#ifndef CLI_SEARCH_SPACE_H
#define CLI_SEARCH_SPACE_H

#include "args/options.h"
#include "volterra.h"

/* Help text for SPEC. range_forms returns the names of the forms. */
#define RANGE_MEANING \
    "search range of parameter NAME (or alpha, or feedback): {names}, a list A|B|C, or one value"
name_list range_forms(void); /* "log:LOW..HIGH" etc. */

/* Parsed ranges; initialise to {0}. */
typedef struct search_space {
    volt_range *ranges;
    int64_t count;
    char **texts; /* names and choices of the ranges, one block each; owned */
    const char ***choices;
} search_space;

/* Parses every NAME=SPEC of `specs`, and the SPECs `alpha` and `feedback` (may be NULL). Returns 0, or the exit
 * status after an error message. The space can be released in either case. */
int search_space_read(search_space *space, const text_list *specs, const char *alpha, const char *feedback);
void search_space_release(search_space *space);

#endif
