/* cli/search/search_plot.c: draws a search with gnuplot.
 *
 * Every parameter with more than one value has a panel, including alpha. An axis is logarithmic when its values
 * span decades. It has text ticks when the values are words. The trials are passed to gnuplot as tables with
 * one row per trial: the score, then the position on every axis. */
#include "search/search_plot.h"

#include "args/choices.h"
#include "args/kernel_parts.h"
#include "files/gnuplot.h"
#include "files/gnuplot_text.h"
#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 4000 };

/* ---- axes -------------------------------------------------------------------------------------- */

enum { MAX_AXES = 24, MAX_WORDS = 24 };

typedef struct plot_axis {
    char name[PART_LENGTH];             /* a parameter, "alpha" or "kernel" */
    char words[MAX_WORDS][PART_LENGTH]; /* distinct values as text, at most MAX_WORDS */
    int n_words;
    bool has_words;                 /* some value is not a number: text ticks at 0, 1, 2, ... */
    double low, high;               /* range of the numeric values */
    double log_sum, log_square_sum; /* over log10 of the positive values */
    int64_t n_numbers;
} plot_axis;

typedef struct plot_axes {
    plot_axis axes[MAX_AXES];
    int count;
} plot_axes;

/* Adds an axis with this name. Does nothing if the axis exists or if fewer than `reserve` slots would
 * remain. */
static void add_axis(plot_axes *axes, const char *name, int reserve)
{
    for (int i = 0; i < axes->count; i++)
        if (strcmp(axes->axes[i].name, name) == 0)
            return;
    if (axes->count + reserve >= MAX_AXES)
        return;
    plot_axis *axis = &axes->axes[axes->count++];
    memset(axis, 0, sizeof *axis);
    snprintf(axis->name, sizeof axis->name, "%s", name);
    axis->low = INFINITY;
    axis->high = -INFINITY;
}

static int find_word(const plot_axis *axis, const char *word)
{
    for (int i = 0; i < axis->n_words; i++)
        if (strcmp(axis->words[i], word) == 0)
            return i;
    return -1;
}

/* Returns the value of a trial on an axis as text ("" if none) and as a number (NaN if none). `kernel` is the
 * trial's kernel from kernel_read, NULL for invalid text. */
static void plot_axis_value(const plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel,
                            char text[PART_LENGTH], double *number)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    text[0] = '\0';
    *number = NAN;
    if (strcmp(axis->name, "kernel") == 0) {
        volt_kernel_info info = {.struct_size = sizeof info, .name = trial->kernel};
        if (kernel)
            volt_kernel_get_info(kernel, &info);
        snprintf(text, PART_LENGTH, "%s", info.name);
    } else if (strcmp(axis->name, "alpha") == 0) {
        if (trial->alpha > 0) { /* otherwise its profile failed */
            *number = trial->alpha;
            volt_format_number(trial->alpha, text);
        }
    } else if (strcmp(axis->name, "feedback") == 0) {
        if (trial->feedback > 0) {
            *number = trial->feedback;
            volt_format_number(trial->feedback, text);
        }
    } else if (kernel_value(kernel, axis->name, &value)) {
        memcpy(text, value.text, PART_LENGTH);
        *number = value.info->kind >= VOLT_PARAMETER_CHOICE ? NAN : value.number; /* a choice or a text */
    }
}

static void note_value(plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel)
{
    char text[PART_LENGTH];
    double number;
    plot_axis_value(axis, trial, kernel, text, &number);
    if (!text[0])
        return;
    if (axis->n_words < MAX_WORDS && find_word(axis, text) < 0)
        memcpy(axis->words[axis->n_words++], text, PART_LENGTH);
    if (isnan(number)) {
        axis->has_words = true;
        return;
    }
    if (number > 0) {
        double logarithm = log10(number);
        axis->log_sum += logarithm;
        axis->log_square_sum += logarithm * logarithm;
    }
    axis->n_numbers++;
    axis->low = fmin(axis->low, number);
    axis->high = fmax(axis->high, number);
}

/* Finds the axes along which the trials differ: kernel first, alpha last. Uses only alpha if nothing
 * differs. */
static void plot_axes_find(plot_axes *axes, const volt_trial *const *trials, int64_t count)
{
    axes->count = 0;
    add_axis(axes, "kernel", 0);
    for (int64_t i = 0; i < count; i++) {
        volt_kernel *kernel = kernel_read(trials[i]->kernel);
        volt_kernel_value value = {.struct_size = sizeof value};
        const char *name = NULL;
        for (int64_t p = 0; kernel_next_given(kernel, &p, &name, &value);)
            add_axis(axes, name, 1);
        volt_kernel_free(kernel);
    }
    add_axis(axes, "feedback", 0);
    add_axis(axes, "alpha", 0);
    for (int64_t i = 0; i < count; i++) {
        volt_kernel *kernel = kernel_read(trials[i]->kernel);
        for (int a = 0; a < axes->count; a++)
            note_value(&axes->axes[a], trials[i], kernel);
        volt_kernel_free(kernel);
    }

    int kept = 0;
    for (int a = 0; a < axes->count; a++) {
        const plot_axis *axis = &axes->axes[a];
        bool is_last_hope = kept == 0 && a == axes->count - 1;
        if (axis->n_words > 1 || is_last_hope)
            axes->axes[kept++] = *axis;
    }
    axes->count = kept;
}

/* Returns true if the values of an axis span decades. Uniform draws with some values near 0 do not count. */
static bool plot_axis_is_logarithmic(const plot_axis *axis)
{
    if (axis->has_words || !(axis->low > 0))
        return false;
    /* The standard deviation of log10 is 0.43 for uniform draws from 0 to 1, 0.58 for two decades. */
    double count = (double)axis->n_numbers, mean = axis->log_sum / count;
    return axis->log_square_sum / count - mean * mean > 0.5 * 0.5;
}

/* Returns the position of a trial on an axis; NaN: none. */
static double plot_axis_place(const plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel)
{
    char text[PART_LENGTH];
    double number;
    plot_axis_value(axis, trial, kernel, text, &number);
    if (!axis->has_words)
        return number;
    int word = text[0] ? find_word(axis, text) : -1;
    /* Jitter separates points with equal words. */
    double golden = 0.6180339887498949 * (double)trial->index;
    return word < 0 ? NAN : word + 0.3 * (golden - floor(golden) - 0.5);
}

/* ---- scores ----------------------------------------------------------------------------------- */

typedef struct score_axis {
    bool is_logarithmic, lower_is_better;
    double low, high; /* range of the axis */
} score_axis;

static int compare_numbers(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Ends the axis before extreme outliers so that the other trials stay readable. The outliers are drawn at the
 * end of the axis. */
static void leave_out_hopeless(score_axis *axis, const double *sorted, int64_t count)
{
    double bulk_low = sorted[count / 5], bulk_high = sorted[count - 1 - count / 5];
    if (axis->lower_is_better && axis->high - axis->low > 2 * (bulk_high - axis->low))
        axis->high = fmax(bulk_high, sorted[count / 2]);
    if (!axis->lower_is_better && axis->high - axis->low > 2 * (axis->high - bulk_low))
        axis->low = fmin(bulk_low, sorted[count / 2]);
}

static int find_score_axis(score_axis *axis, const volt_trial *const *trials, int64_t count,
                           const score_words *score)
{
    double *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    if (!sorted)
        return complain(EXIT_FAILED, "not enough memory for the plot");
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        if (!trials[i]->failure && isfinite(trials[i]->score))
            sorted[n++] = trials[i]->score;
    axis->lower_is_better = score->lower_is_better;
    axis->high = 1;
    if (n > 0) {
        qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
        axis->low = sorted[0];
        axis->high = sorted[n - 1];
        axis->is_logarithmic = axis->lower_is_better && axis->low > 0 && axis->high >= 30 * axis->low;
        if (!axis->is_logarithmic)
            leave_out_hopeless(axis, sorted, n);
    }
    free(sorted);

    /* Margin for the marks of the best and the failed trials. */
    if (axis->is_logarithmic) {
        double margin = pow(axis->high / axis->low, 0.08);
        axis->low /= margin;
        axis->high *= margin;
    } else {
        double margin = 0.08 * (axis->high - axis->low);
        if (!(margin > 0))
            margin = fmax(0.05 * fabs(axis->high), 1e-3);
        axis->low -= margin;
        axis->high += margin;
    }
    return 0;
}

/* ---- tables ----------------------------------------------------------------------------------- */

typedef enum trial_class { COMPLETE, GIVEN_UP, BEYOND, FAILED, BEST, N_CLASSES } trial_class;

static const struct {
    const char *table, *title, *style;
} classes[N_CLASSES] = {
    [COMPLETE] = {"complete", "all folds", "pointtype 7 pointsize 0.5 linecolor rgb \"#302f7fd0\""},
    [GIVEN_UP] = {"given_up", "stopped early", "pointtype 7 pointsize 0.35 linecolor rgb \"#90808080\""},
    [BEYOND] = {"beyond", "off the axis", "pointtype 11 pointsize 0.5 linecolor rgb \"#90808080\""},
    [FAILED] = {"failed", "failed", "pointtype 2 pointsize 0.5 linecolor rgb \"#60b04040\""},
    [BEST] = {"best", "best", "pointtype 7 pointsize 1.1 linecolor rgb \"#e0641a\""},
};

static trial_class class_of(const volt_trial *trial, const volt_trial *best, const score_axis *axis)
{
    if (trial == best)
        return BEST;
    if (trial->failure || !isfinite(trial->score))
        return FAILED;
    if (trial->score < axis->low || trial->score > axis->high)
        return BEYOND;
    return trial->stopped ? GIVEN_UP : COMPLETE;
}

static void write_row(FILE *script, const plot_axes *axes, const volt_trial *trial, double score)
{
    volt_kernel *kernel = kernel_read(trial->kernel);
    fprintf(script, "%.10g", score);
    for (int i = 0; i < axes->count; i++) {
        double place = plot_axis_place(&axes->axes[i], trial, kernel);
        if (isfinite(place))
            fprintf(script, " %.10g", place);
        else
            fputs(" NaN", script);
    }
    fputc('\n', script);
    volt_kernel_free(kernel);
}

/* Trials without a position on the score axis are drawn at its worse end. */
static double drawn_score(trial_class class, const volt_trial *trial, const score_axis *axis)
{
    if (class != BEYOND && class != FAILED)
        return trial->score;
    double inward = axis->is_logarithmic ? 0 : 0.03 * (axis->high - axis->low);
    return axis->lower_is_better ? axis->high - inward : axis->low + inward;
}

/* Writes one table per class; sizes[] counts its rows. With very many trials, only every k-th trial is
 * drawn. */
static void write_tables(FILE *script, const plot_axes *axes, const score_axis *scores,
                         const volt_trial *const *trials, int64_t count, const volt_trial *best,
                         int64_t sizes[N_CLASSES])
{
    int64_t every = 1 + (count - 1) / MAX_POINTS;
    for (int class = 0; class < N_CLASSES; class ++) {
        sizes[class] = 0;
        fprintf(script, "$%s << END\n", classes[class].table);
        for (int64_t i = 0; i < count; i++) {
            const volt_trial *trial = trials[i];
            if ((int)class_of(trial, best, scores) != class || (i % every != 0 && trial != best))
                continue;
            write_row(script, axes, trial, drawn_score((trial_class) class, trial, scores));
            sizes[class]++;
        }
        fprintf(script, "END\n");
    }
}

/* ---- panels ----------------------------------------------------------------------------------- */

/* Sizes in pixels. One column is readable on a phone; many panels use two columns. */
typedef struct plot_layout {
    int columns, rows, width, height;
} plot_layout;
enum { HEADER = 76, PANEL = 204, PANEL_FOOT = 62, LEFT = 76, RIGHT = 16, COLUMN = 480, NARROW_COLUMN = 330 };

static plot_layout lay_out(int panels, int max_columns)
{
    plot_layout layout = {.columns = panels > 4 && max_columns > 1 ? 2 : 1};
    layout.rows = (panels + layout.columns - 1) / layout.columns;
    layout.width = layout.columns == 1 ? COLUMN : 2 * NARROW_COLUMN;
    layout.height = HEADER + layout.rows * PANEL;
    return layout;
}

static void write_header(FILE *script, const plot_layout *layout, const score_axis *scores, const char *label,
                         int64_t count, const volt_trial *best)
{
    fprintf(script,
            "set encoding utf8\n"
            "set terminal svg noenhanced size %d,%d font 'Helvetica,Arial,sans-serif,14' linewidth 1.2\n"
            "set multiplot\n"
            "set border 3 linecolor rgb '#808080'\n"
            "set tics nomirror out scale 0.6 textcolor rgb '#808080'\n"
            "set format x '%%g'\nset format y '%%g'\n"
            "set yrange [%.10g:%.10g]\n",
            layout->width, layout->height, scores->low, scores->high);
    if (scores->is_logarithmic)
        fputs("set logscale y\n", script);
    char title[128];
    int used =
        snprintf(title, sizeof title, "%s of %lld draw%s", label, (long long)count, count == 1 ? "" : "s");
    if (best)
        snprintf(title + used, sizeof title - (size_t)used, ": best %.5g", best->score);
    fputs("set label 1 ", script);
    gnuplot_text(script, title);
    fprintf(script, " at screen %.5g, screen %.5g left textcolor rgb '#808080' font ',16'\n",
            (double)RIGHT / layout->width, 1 - 18.0 / layout->height);
}

/* Returns true for a few integer values, which get one tick each. */
static bool has_few_values(const plot_axis *axis)
{
    enum { FEW = 6 };
    bool is_whole = axis->n_words <= FEW;
    for (int i = 0; i < axis->n_words && is_whole; i++)
        is_whole = strspn(axis->words[i], "0123456789") == strlen(axis->words[i]);
    return is_whole;
}

/* Writes the range and the ticks of a panel's axis. */
static void write_axis(FILE *script, const plot_axis *axis)
{
    fputs("unset logscale x\nset xtics autofreq\nset xrange [*:*]\n", script);
    if (axis->has_words) {
        fprintf(script, "set xrange [-0.5:%g]\nset xtics (", axis->n_words - 0.5);
        for (int i = 0; i < axis->n_words; i++) {
            fputs(i ? ", " : "", script);
            gnuplot_tick(script, axis->words[i]);
            fprintf(script, " %d", i);
        }
        fputs(")\n", script);
    } else if (plot_axis_is_logarithmic(axis)) {
        double margin = pow(axis->high / axis->low, 0.04);
        double every = fmax(1, ceil(log10(axis->high / axis->low) / 5)); /* decades between labels */
        fprintf(script, "set logscale x\nset xtics %.10g\nset xrange [%.10g:%.10g]\n", pow(10, every),
                axis->low / margin, axis->high * margin);
    } else {
        double margin =
            axis->high > axis->low ? 0.04 * (axis->high - axis->low) : 0.1 * fabs(axis->high) + 1e-12;
        fprintf(script, "set xrange [%.10g:%.10g]\n", axis->low - margin, axis->high + margin);
        for (int i = 0; i < axis->n_words && has_few_values(axis); i++)
            fprintf(script, "set xtics %s(%s)\n", i ? "add " : "", axis->words[i]);
    }
}

static void write_panel(FILE *script, const plot_layout *layout, const plot_axis *axis, int panel,
                        const char *label, const volt_trial *best, const int64_t sizes[N_CLASSES])
{
    int row = panel / layout->columns, column = panel % layout->columns;
    double width = layout->width, height = layout->height, column_width = width / layout->columns;
    double top = height - HEADER - row * PANEL;
    fprintf(script,
            "set lmargin at screen %.5g\nset rmargin at screen %.5g\n"
            "set tmargin at screen %.5g\nset bmargin at screen %.5g\n",
            (column * column_width + LEFT) / width, ((column + 1) * column_width - RIGHT) / width, top / height,
            (top - PANEL + PANEL_FOOT) / height);
    write_axis(script, axis);

    char text[PART_LENGTH] = "", title[2 * PART_LENGTH + 16];
    double number = NAN;
    volt_kernel *kernel = best ? kernel_read(best->kernel) : NULL;
    if (best)
        plot_axis_value(axis, best, kernel, text, &number);
    volt_kernel_free(kernel);
    if (text[0] && isfinite(number))
        snprintf(text, sizeof text, "%.4g", number);
    snprintf(title, sizeof title, "%s%s%s", axis->name, text[0] ? ", best " : "", text);
    fputs("set xlabel ", script);
    gnuplot_text(script, title);
    fputs(" offset 0,0.5 textcolor rgb '#808080'\n", script);
    /* Fixed position: with wide tick labels, gnuplot would place the label outside the image. */
    fputs("set label 2 ", script);
    gnuplot_text(script, column == 0 ? label : "");
    fprintf(script, " at screen %.5g, screen %.5g center rotate textcolor rgb '#808080'\n", 8 / width,
            (top - (PANEL - PANEL_FOOT) / 2.0) / height);
    int n_classes = 0;
    for (int class = 0; class < N_CLASSES; class ++)
        n_classes += sizes[class] > 0;
    if (panel == 0)
        fprintf(script,
                "set key at screen %.5g, screen %.5g left top vertical maxrows %d Left reverse samplen 0.4 "
                "width -3 "
                "textcolor rgb '#808080' font ',12'\n",
                8 / width, 1 - 30 / height, n_classes > 4 ? 2 : 1);
    else
        fputs("unset key\nunset label 1\n", script);

    /* Better classes are drawn later. */
    static const trial_class order[] = {FAILED, BEYOND, GIVEN_UP, COMPLETE, BEST};
    bool is_first = true;
    for (int i = 0; i < N_CLASSES; i++) {
        trial_class class = order[i];
        if (sizes[class] == 0)
            continue;
        fprintf(script, "%s$%s using %d:1 with points %s title \"%s\"", is_first ? "plot " : ", ",
                classes[class].table, panel + 2, classes[class].style, classes[class].title);
        is_first = false;
    }
    fputc('\n', script);
}

static int write_script(FILE *script, const volt_trial *const *trials, int64_t count, const volt_trial *best,
                        const score_words *score, int max_columns)
{
    plot_axes *axes = calloc(1, sizeof *axes);
    if (!axes)
        return complain(EXIT_FAILED, "not enough memory for the plot");
    score_axis scores = {0};
    int failed = find_score_axis(&scores, trials, count, score);
    if (!failed) {
        int64_t sizes[N_CLASSES];
        plot_axes_find(axes, trials, count);
        plot_layout layout = lay_out(axes->count, max_columns);
        write_tables(script, axes, &scores, trials, count, best, sizes);
        write_header(script, &layout, &scores, score->label, count, best);
        for (int panel = 0; panel < axes->count; panel++)
            write_panel(script, &layout, &axes->axes[panel], panel, score->label, best, sizes);
        fputs("unset multiplot\n", script);
    }
    free(axes);
    return failed;
}

/* ---- plot ------------------------------------------------------------------------------------- */

int search_plot_write(FILE *svg, const volt_trial *const *trials, int64_t count, const volt_trial *best,
                      const score_words *score, int max_columns)
{
    FILE *script = gnuplot_script();
    if (!script)
        return EXIT_FAILED;
    int failed = write_script(script, trials, count, best, score, max_columns);
    if (!failed)
        failed = gnuplot_draw(script, svg);
    fclose(script);
    return failed;
}

int search_plot_file(const char *path, const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    score_words words = score_words_of(&info);
    const volt_trial **trials = malloc(((size_t)info.trials + 1) * sizeof(const volt_trial *));
    if (!trials)
        return complain(EXIT_FAILED, "not enough memory for the plot");
    for (int64_t i = 0; i < info.trials; i++)
        trials[i] = volt_search_trial(search, i);
    FILE *script = gnuplot_script();
    int failed = script ? write_script(script, trials, info.trials, volt_search_trial(search, VOLT_TRIAL_BEST),
                                       &words, 2)
                        : EXIT_FAILED;
    if (!failed)
        failed = gnuplot_draw_file(script, path);
    if (script)
        fclose(script);
    free(trials);
    return failed;
}
