/* src/text/text.c: numbers to text and back, and the nearest match of a misspelt name. */
#define _GNU_SOURCE /* strtod_l */
#include "text/text.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t point; /* the C locale, which has a decimal point and always exists */

static void make_point(void)
{
    point = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t point_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_point);
    return point;
}

char *volt_format_number(double value, char buffer[VOLT_NUMBER_LENGTH])
{
    locale_t before = uselocale(point_locale());
    /* 15 digits represent every shorter number, except subnormal ones, where fewer may do; 17 represent all. */
    int digits = fabs(value) < DBL_MIN ? 1 : 15;
    do
        snprintf(buffer, VOLT_NUMBER_LENGTH, "%.*g", digits,
                 isnan(value) ? fabs(value) : value); /* nan, never -nan */
    while (digits++ < 17 && strtod(buffer, NULL) != value && !isnan(value));
    uselocale(before);
    return buffer;
}

int volt_parse_number(const char *text, double *value)
{
    char *end = NULL;
    double read = strtod_l(text, &end, point_locale());
    if (end == text)
        return 0;
    while (isspace((unsigned char)*end))
        end++;
    if (*end)
        return 0;
    *value = read;
    return 1;
}

/* ---- spelling --------------------------------------------------------------------------------- */

enum { LONGEST_WORD = 64 };

/* Damerau-Levenshtein distance (insert, delete, replace, swap neighbours), ignoring case. */
static int spelling_distance(const char *a, const char *b)
{
    int n = (int)strnlen(a, LONGEST_WORD), m = (int)strnlen(b, LONGEST_WORD);
    int rows[3][LONGEST_WORD + 1];
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int best = last[j - 1] + (ca != cb);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *volt_nearest_name(const char *word, const char *const *candidates, int64_t count)
{
    size_t typed = strlen(word);
    for (int64_t i = 0; i < count; i++) /* prefer names that begin with the typed word */
        if (typed >= 2 && strncmp(word, candidates[i], typed) == 0)
            return candidates[i];

    const char *nearest = NULL;
    int least = 0;
    for (int64_t i = 0; i < count; i++) {
        int distance = spelling_distance(word, candidates[i]);
        if (!nearest || distance < least) {
            nearest = candidates[i];
            least = distance;
        }
    }
    if (!nearest)
        return NULL;
    /* With more than about a third of the letters wrong it is another word. */
    size_t length = strlen(nearest), shorter = typed < length ? typed : length;
    return least * 3 <= (int)shorter + 2 ? nearest : NULL;
}
