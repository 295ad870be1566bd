/* cli/compare/compare_contenders.c: the kernels of a comparison, from what the user typed. */
#define _POSIX_C_SOURCE 200809L
#include "compare/compare_contenders.h"

#include "args/kernel_parts.h"
#include "terminal/messages.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The row of the protocol that a word means, or NULL. */
static const volt_contender *find_row(volt_protocol protocol, const char *word)
{
    int64_t count = 0;
    const volt_contender *rows = volt_contenders(protocol, &count);
    for (int64_t i = 0; i < count; i++)
        if (strcasecmp(rows[i].name, word) == 0 || strcmp(rows[i].kernel, word) == 0)
            return &rows[i];
    char name[PART_LENGTH];
    for (int64_t i = 0; i < count; i++)
        if (strcmp(kernel_name(rows[i].kernel, name), word) == 0)
            return &rows[i];
    return NULL;
}

static int take_kernel(volt_protocol protocol, const char *word, volt_contender *contender)
{
    const volt_contender *row = find_row(protocol, word);
    volt_kernel *kernel = NULL;
    if (row) {
        *contender = *row;
        return 0;
    }
    volt_status status = volt_kernel_parse_asking(word, &kernel);
    volt_kernel_free(kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");
    contender->name = contender->kernel = word;
    return 0;
}

static bool same_kernel(const volt_contender *first, const volt_contender *second)
{
    return first->kernel && second->kernel && strcmp(first->kernel, second->kernel) == 0;
}

int compare_contenders(volt_protocol protocol, const text_list *asked, volt_contender **contenders,
                       int64_t *count)
{
    int64_t n = asked->count;
    const volt_contender *rows = n > 0 ? NULL : volt_contenders(protocol, &n);
    volt_contender *list = calloc((size_t)n + 1, sizeof *list);
    if (!list)
        return complain(EXIT_FAILED, "not enough memory for the list of kernels");
    int failed = 0;
    for (int64_t i = 0; i < n && !failed; i++) {
        if (rows)
            list[i] = rows[i];
        else
            failed = take_kernel(protocol, asked->texts[i], &list[i]);
        for (int64_t j = 0; j < i && !failed; j++)
            if (same_kernel(&list[i], &list[j]))
                failed = complain(EXIT_USAGE, "--kernel %s is given twice", asked->texts[i]);
    }
    if (failed) {
        free(list);
        return failed;
    }
    *contenders = list;
    *count = n;
    return 0;
}
