/* src/io/text_numbers.c: numbers for texts such as class labels. */
#include "base/error.h"
#include "text/text.h"
#include "volterra/io.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Orders numbers by value, before all other texts, which are ordered by their bytes. */
static int compare_texts(const void *first, const void *second)
{
    const char *a = *(const char *const *)first, *b = *(const char *const *)second;
    double x = 0, y = 0;
    bool is_x = volt_parse_number(a, &x) && !isnan(x), is_y = volt_parse_number(b, &y) && !isnan(y);
    if (is_x && is_y && x != y)
        return x < y ? -1 : 1;
    return is_x != is_y ? (is_x ? -1 : 1) : strcmp(a, b);
}

volt_status volt_texts_number(const char *const *texts, int64_t n, const char **distinct, int64_t *count,
                              int64_t *numbers)
{
    VOLT_REQUIRE(texts && distinct && count && numbers && n >= 0, VOLT_ERR_ARGUMENT,
                 "the texts or the output for their numbers is NULL");
    *count = 0;
    memcpy((void *)distinct, (const void *)texts, (size_t)n * sizeof *distinct);
    qsort((void *)distinct, (size_t)n, sizeof *distinct, compare_texts);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || strcmp(distinct[i], distinct[*count - 1]) != 0)
            distinct[(*count)++] = distinct[i];
    for (int64_t i = 0; i < n; i++)
        numbers[i] = (const char **)bsearch(&texts[i], (void *)distinct, (size_t)*count, sizeof *distinct,
                                            compare_texts) -
                     distinct;
    return VOLT_OK;
}
