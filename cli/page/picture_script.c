/* cli/page/picture_script.c: elements shared by the plots of a comparison: order of kernels, colours, script
 * header.
 *
 * The colours are distinguishable from white, from black, and from each other with colour vision deficiency.
 * Lines of lower ranks are also dashed. */
#include "page/picture_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double letter_width = 0.56 * FONT_SIZE; /* average */
enum { LONGEST_NAME = 26 };

/* ---- kernels and colours ---------------------------------------------------------------------- */

double picture_rank(const volt_comparison *sample, int64_t row)
{
    const volt_comparison_row *one = volt_comparison_row_at(sample, row);
    return isnan(one->loss) ? one->metrics->nmse : one->loss;
}

bool picture_rows_find(picture_rows *rows, const cli_comparison *comparison)
{
    memset(rows, 0, sizeof *rows);
    rows->comparison = comparison;
    rows->sample = comparison->samples[0];
    int64_t count = 0;
    while (volt_comparison_row_at(rows->sample, count))
        count++;
    rows->rows = calloc((size_t)count + 1, sizeof *rows->rows);
    if (!rows->rows)
        return false;
    for (int64_t i = 0; i < count; i++) {
        if (volt_comparison_row_at(rows->sample, i)->failure ||
            !volt_comparison_row_at(rows->sample, i)->forecast.data)
            continue;
        int64_t at = rows->count++;
        for (; at > 0 && picture_rank(rows->sample, rows->rows[at - 1]) > picture_rank(rows->sample, i); at--)
            rows->rows[at] = rows->rows[at - 1];
        rows->rows[at] = i;
    }
    return true;
}

void picture_rows_release(picture_rows *rows)
{
    free(rows->rows);
    rows->rows = NULL;
    rows->count = 0;
}

static const char *const colours[] = {"#2f7fd0", "#d55e00", "#009e73", "#cc79a7", "#9673de",
                                      "#a97c0c", "#0d8fa8", "#a8583a", "#76838f"};
static const char *const dashes[] = {"(9,3)", "(5,3)", "(9,3,3,3)", "(3,3)", "(14,3)", "(9,3,3,3,3,3)"};
enum {
    N_COLOURS = sizeof colours / sizeof colours[0],
    N_SOLID = 3,
    N_DASHES = sizeof dashes / sizeof dashes[0]
};

const char *picture_colour(int64_t rank)
{
    return colours[rank % N_COLOURS];
}

const char *picture_dash(int64_t rank)
{
    return rank < N_SOLID ? "solid" : dashes[(rank - N_SOLID) % N_DASHES];
}

static const char *whole_name(const picture_rows *rows, int64_t rank)
{
    return volt_comparison_row_at(rows->sample, rows->rows[rank])->name;
}

/* ---- elements shared by all scripts ----------------------------------------------------------- */

void script_begin(FILE *script, int width, int height)
{
    fprintf(script,
            "set encoding utf8\n"
            "set terminal svg noenhanced size %d,%d font 'Helvetica,Arial,sans-serif,%d' linewidth 1.2 "
            "dashlength 0.7\n"
            "set border 3 linecolor rgb '" QUIET_COLOUR "'\n"
            "set tics nomirror out scale 0.6 textcolor rgb '" QUIET_COLOUR "'\n"
            "set format '%%g'\n"
            "unset key\n",
            width, height, FONT_SIZE);
}

void script_frame(FILE *script, int width, int height, double left, double right, double top, double bottom)
{
    fprintf(script,
            "set lmargin at screen %.5g\nset rmargin at screen %.5g\nset tmargin at screen %.5g\n"
            "set bmargin at screen %.5g\n",
            left / width, right / width, 1 - top / height, 1 - bottom / height);
}

double script_name_width(const picture_rows *rows)
{
    size_t longest = 0;
    for (int64_t r = 0; r < rows->count; r++)
        if (strlen(whole_name(rows, r)) > longest)
            longest = strlen(whole_name(rows, r));
    return letter_width * (double)(longest < LONGEST_NAME ? longest : LONGEST_NAME);
}

const char *picture_name(const picture_rows *rows, int64_t rank, char name[PICTURE_NAME_LENGTH])
{
    const char *whole = whole_name(rows, rank);
    snprintf(name, PICTURE_NAME_LENGTH, strlen(whole) > LONGEST_NAME ? "%.24s.." : "%s", whole);
    return name;
}

void script_table(FILE *script, const char *name, volt_view values, int64_t k, int64_t first)
{
    enum { MAX_BINS = 1000 };
    const int64_t rows = values.rows, bin = 1 + (rows - 1) / MAX_BINS;
    fprintf(script, "%s << END\n", name);
    for (int64_t from = 0; from < rows; from += bin) {
        int64_t low = from, high = from;
        for (int64_t t = from; t < rows && t < from + bin; t++) {
            const double value = values.data[t * values.ld + k];
            low = value < values.data[low * values.ld + k] ? t : low;
            high = value > values.data[high * values.ld + k] ? t : high;
        }
        for (int i = 0; i < (low == high ? 1 : 2); i++) {
            const int64_t t = (i == 0) == (low < high) ? low : high, row = first + t;
            fprintf(script, "%lld %.8g\n", (long long)row, values.data[t * values.ld + k]);
        }
    }
    fputs("END\n", script);
}
