/* cli/page/report_pictures.c: gnuplot scripts for plots of all kernels: cumulative loss, errors, samples.
 *
 * They are 520 units wide, so that text remains readable when a phone scales them to two thirds. */
#include "page/report_pages.h"

#include "files/gnuplot_text.h"
#include "page/picture_script.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = PICTURE_NARROW };

/* ---- cumulative loss -------------------------------------------------------------------------- */

/* Places the names at the right, near the ends of their lines and at least `step` apart. `place` is sorted
 * from top to bottom; all values are within 0 .. height. */
static void spread_labels(double *place, int64_t count, double step, double height)
{
    for (int64_t i = 1; i < count; i++)
        place[i] = fmax(place[i], place[i - 1] + step);
    double limit = height;
    for (int64_t i = count - 1; i >= 0; i--) {
        place[i] = fmin(place[i], limit);
        limit = place[i] - step;
    }
}

static void write_losses(FILE *script, const picture_rows *rows, int64_t n_test, int64_t every)
{
    for (int64_t r = 0; r < rows->count; r++) {
        const double *losses = volt_comparison_row_at(rows->sample, rows->rows[r])->losses;
        double sum = 0;
        fprintf(script, "$k%lld << END\n", (long long)r);
        for (int64_t t = 0; t < n_test; t++) {
            sum += losses[t];
            if ((t + 1) % every == 0 || t + 1 == n_test)
                fprintf(script, "%lld %.6g\n", (long long)t + 1, sum);
        }
        fputs("END\n", script);
    }
}

void picture_cumulated(FILE *script, const picture_rows *rows)
{
    char name[PICTURE_NAME_LENGTH];
    enum { HEIGHT = 380, TOP = 16, BOTTOM = HEIGHT - 60, LEFT = 68, MAX_POINTS = 600 };
    int64_t n_test = rows->comparison->setting.truth.rows;
    double right = WIDTH - script_name_width(rows) - 22;
    double lowest = picture_rank(rows->sample, rows->rows[0]) * (double)n_test;
    double highest = picture_rank(rows->sample, rows->rows[rows->count - 1]) * (double)n_test;
    bool is_logarithmic = lowest > 0 && highest > 40 * lowest;
    double low = is_logarithmic ? lowest / 30 : 0, high = highest > 0 ? 1.04 * highest : 1;
    double *place = calloc((size_t)rows->count, sizeof *place);

    script_begin(script, WIDTH, HEIGHT);
    write_losses(script, rows, n_test, 1 + (n_test - 1) / MAX_POINTS);
    script_frame(script, WIDTH, HEIGHT, LEFT, right, TOP, BOTTOM);
    fprintf(script,
            "set xrange [1:%lld]\nset yrange [%.8g:%.8g]\n%s" TEST_ROW_LABEL
            "set ylabel 'cumulative loss' offset 0.8,0 textcolor rgb '" QUIET_COLOUR "'\n",
            (long long)(n_test > 1 ? n_test : 2), low, high, is_logarithmic ? "set logscale y\n" : "");
    for (int64_t r = 0; place && r < rows->count; r++) {
        /* The worst kernel is at the top. */
        double end = picture_rank(rows->sample, rows->rows[rows->count - 1 - r]) * (double)n_test;
        double share =
            is_logarithmic ? log(high / fmax(end, low)) / log(high / low) : (high - end) / (high - low);
        place[r] = (BOTTOM - TOP) * share;
    }
    if (place)
        spread_labels(place, rows->count, 1.2 * FONT_SIZE, BOTTOM - TOP);
    for (int64_t r = 0; place && r < rows->count; r++) {
        int64_t rank = rows->count - 1 - r;
        fprintf(script, "set label %lld ", (long long)r + 1);
        gnuplot_text(script, picture_name(rows, rank, name));
        fprintf(script, " at screen %.5g, screen %.5g left textcolor rgb '%s'\n", (right + 8) / WIDTH,
                1 - (TOP + place[r]) / HEIGHT, picture_colour(rank));
    }
    free(place);
    for (int64_t r = rows->count - 1; r >= 0; r--)
        fprintf(script, "%s$k%lld with lines linewidth %g dashtype %s linecolor rgb '%s' notitle",
                r == rows->count - 1 ? "plot " : ", ", (long long)r, r == 0 ? 2.4 : 1.5, picture_dash(r),
                picture_colour(r));
    fputc('\n', script);
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* Begins a chart with one row per kernel, best on top. */
static int begin_chart(FILE *script, const picture_rows *rows, const char *label)
{
    enum { ROW = 32, TOP = 8, FOOT = 60 };
    char name[PICTURE_NAME_LENGTH];
    int height = TOP + ROW * (int)rows->count + FOOT;
    script_begin(script, WIDTH, height);
    script_frame(script, WIDTH, height, script_name_width(rows) + 24, WIDTH - 18, TOP,
                 TOP + ROW * (double)rows->count);
    fprintf(script,
            "set logscale x\nset format x '%%g'\nset grid x linecolor rgb '" QUIET_COLOUR
            "' linewidth 0.3 dashtype 3\nset yrange [%lld.5:-0.5]\nset ytics scale 0\nset xlabel ",
            (long long)rows->count - 1);
    gnuplot_text(script, label);
    fputs(" offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\nset ytics (", script);
    for (int64_t r = 0; r < rows->count; r++) {
        fputs(r ? ", " : "", script);
        gnuplot_tick(script, picture_name(rows, r, name));
        fprintf(script, " %lld", (long long)r);
    }
    fputs(")\n", script);
    return height;
}

static int compare_numbers(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Computes |error| / standard deviation of the output, sorted. */
static void sort_errors(volt_view truth, volt_view forecast, double *errors)
{
    int64_t n = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        double mean = 0, variance = 0;
        for (int64_t t = 0; t < truth.rows; t++)
            mean += truth.data[t * truth.ld + k] / (double)truth.rows;
        for (int64_t t = 0; t < truth.rows; t++)
            variance += pow(truth.data[t * truth.ld + k] - mean, 2) / (double)truth.rows;
        double scale = variance > 0 ? sqrt(variance) : 1;
        for (int64_t t = 0; t < truth.rows; t++)
            errors[n++] = fabs(forecast.data[t * forecast.ld + k] - truth.data[t * truth.ld + k]) / scale;
    }
    qsort(errors, (size_t)n, sizeof *errors, compare_numbers);
}

bool picture_errors(FILE *script, const picture_rows *rows)
{
    static const double levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    volt_view truth = rows->comparison->setting.truth;
    int64_t total = truth.rows * truth.cols;
    double *errors = malloc((size_t)total * sizeof *errors);
    if (!errors)
        return false;
    begin_chart(script, rows, "absolute error / standard deviation of the output");
    fputs("$quantiles << END\n", script);
    for (int64_t r = 0; r < rows->count; r++) {
        sort_errors(truth, volt_comparison_row_at(rows->sample, rows->rows[r])->forecast, errors);
        fprintf(script, "%lld %ld", (long long)r, strtol(picture_colour(r) + 1, NULL, 16));
        for (int i = 0; i < 5; i++) {
            int64_t at = (int64_t)(levels[i] * (double)(total - 1));
            fprintf(script, " %.6g", fmax(errors[at], 1e-12)); /* the axis is logarithmic */
        }
        fputc('\n', script);
    }
    fputs("END\n"
          "plot $quantiles using 3:1:($7-$3):(0):2 with vectors nohead linewidth 1.6 linecolor rgb variable "
          "notitle, "
          "$quantiles using 4:1:($6-$4):(0):2 with vectors nohead linewidth 9 linecolor rgb variable notitle, "
          "$quantiles using 5:1 with points pointtype 7 pointsize 0.75 linecolor rgb '" INK_COLOUR
          "' notitle\n",
          script);
    free(errors);
    return true;
}

void picture_samples(FILE *script, const picture_rows *rows)
{
    const cli_comparison *comparison = rows->comparison;
    begin_chart(script, rows, comparison_rank_label(comparison));
    fputs("$samples << END\n", script);
    for (int64_t r = 0; r < rows->count; r++)
        for (int64_t s = 0; s < comparison->n_samples; s++) {
            const volt_comparison_row *row = volt_comparison_row_at(comparison->samples[s], rows->rows[r]);
            if (!row->failure)
                fprintf(script, "%.8g %lld %ld\n",
                        fmax(measure_of(row, comparison_ranked_by(comparison)), 1e-12), (long long)r,
                        strtol(picture_colour(r) + 1, NULL, 16));
        }
    fputs(
        "END\nplot $samples using 1:2:3 with points pointtype 7 pointsize 0.8 linecolor rgb variable notitle\n",
        script);
}
