/* cli/search/search_plot.c: plot of a search.
 *
 * Every parameter with more than one value has a panel, including alpha. An axis is logarithmic when its values
 * span decades. It has text ticks when the values are words. */
#include "search/search_plot.h"

#include "args/choices.h"
#include "args/kernel_parts.h"
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
    const char *word_texts[MAX_WORDS];
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

/* Returns false when out of memory. */
static bool find_score_axis(score_axis *axis, const volt_trial *const *trials, int64_t count,
                            const score_words *score)
{
    double *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    *axis = (score_axis){.lower_is_better = score->lower_is_better, .high = 1};
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        if (!trials[i]->failure && isfinite(trials[i]->score))
            sorted[n++] = trials[i]->score;
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
    return true;
}

/* ---- plot ------------------------------------------------------------------------------------- */

/* In the order in which they are drawn: better ones later. */
typedef enum trial_class { FAILED, BEYOND, GIVEN_UP, COMPLETE, BEST, N_CLASSES } trial_class;

static const struct {
    const char *title;
    svg_mark mark;
    int colour;
    double size, opacity;
} classes[N_CLASSES] = {
    [FAILED] = {"failed", SVG_CROSSES, SVG_PINK, 6, 1},
    [BEYOND] = {"off the axis", SVG_TRIANGLES, SVG_GREY, 7, 0.6},
    [GIVEN_UP] = {"stopped early", SVG_DOTS, SVG_GREY, 4.5, 0.5},
    [COMPLETE] = {"all folds", SVG_DOTS, SVG_BLUE, 5.5, 0.85},
    [BEST] = {"best", SVG_DOTS, SVG_ORANGE, 11, 1},
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

/* Trials without a position on the score axis are drawn at its worse end. */
static double drawn_score(trial_class class, const volt_trial *trial, const score_axis *axis)
{
    if (class != BEYOND && class != FAILED)
        return trial->score;
    double inward = axis->is_logarithmic ? 0 : 0.05 * (axis->high - axis->low);
    return axis->lower_is_better ? axis->high - inward : axis->low + inward;
}

/* Returns whether all values are whole numbers, of which there are few. */
static bool has_whole_values(const plot_axis *axis)
{
    bool is_whole = axis->n_words < MAX_WORDS;
    for (int i = 0; i < axis->n_words && is_whole; i++)
        is_whole = strspn(axis->words[i], "0123456789") == strlen(axis->words[i]);
    return is_whole;
}

static void add_panel(svg_plot *plot, plot_axis *axis, const score_axis *scores, const volt_trial *best,
                      svg_series *series[N_CLASSES])
{
    char text[PART_LENGTH] = "";
    double number = NAN;
    svg_panel *panel = svg_add_panel(plot, "%s", "");
    volt_kernel *kernel = best ? kernel_read(best->kernel) : NULL;
    if (best)
        plot_axis_value(axis, best, kernel, text, &number);
    volt_kernel_free(kernel);
    if (text[0] && isfinite(number))
        snprintf(text, sizeof text, "%.4g", number);
    svg_text(panel->x.label, "%s%s%s", axis->name, text[0] ? ", best " : "", text);
    panel->height = 132;
    panel->y = (svg_axis){.low = scores->low, .high = scores->high, .is_log = scores->is_logarithmic};
    panel->x.is_log = plot_axis_is_logarithmic(axis);
    panel->x.is_whole = has_whole_values(axis);
    if (axis->has_words) {
        for (int i = 0; i < axis->n_words; i++)
            axis->word_texts[i] = axis->words[i];
        panel->x.texts = axis->word_texts;
        panel->x.n_texts = axis->n_words;
        panel->x.low = -0.5;
        panel->x.high = axis->n_words - 0.5;
    }
    for (int class = 0; class < N_CLASSES; class ++) {
        series[class] = svg_add_series(panel, classes[class].mark, classes[class].colour, classes[class].title);
        series[class]->size = classes[class].size;
        series[class]->opacity = classes[class].opacity;
    }
}

/* Adds the panels and the trials. With very many trials, only every k-th trial is drawn. */
static void add_trials(svg_plot *plot, plot_axes *axes, const score_axis *scores,
                       const volt_trial *const *trials, int64_t count, const volt_trial *best)
{
    svg_series *series[MAX_AXES][N_CLASSES];
    const int64_t every = 1 + (count - 1) / MAX_POINTS;
    for (int a = 0; a < axes->count; a++)
        add_panel(plot, &axes->axes[a], scores, best, series[a]);
    for (int64_t i = 0; i < count; i++) {
        const volt_trial *trial = trials[i];
        trial_class class = class_of(trial, best, scores);
        if (i % every != 0 && trial != best)
            continue;
        volt_kernel *kernel = kernel_read(trial->kernel);
        for (int a = 0; a < axes->count; a++)
            svg_add(series[a][class], plot_axis_place(&axes->axes[a], trial, kernel),
                    drawn_score(class, trial, scores), 0);
        volt_kernel_free(kernel);
    }
}

void search_plot(svg_plot *plot, const volt_trial *const *trials, int64_t count, const volt_trial *best,
                 const score_words *score, int max_columns)
{
    score_axis scores;
    plot_axes *axes = plot->kept = calloc(1, sizeof *axes);
    if (!axes || !find_score_axis(&scores, trials, count, score)) {
        plot->failed = true;
        return;
    }
    plot_axes_find(axes, trials, count);
    plot->columns = axes->count > 4 && max_columns > 1 ? 2 : 1;
    plot->width = plot->columns == 1 ? SVG_NARROW : 720;
    svg_text(plot->title, "%s of %lld draw%s", score->label, (long long)count, count == 1 ? "" : "s");
    if (best)
        svg_text(plot->title, "%s of %lld draw%s: best %.5g", score->label, (long long)count,
                 count == 1 ? "" : "s", best->score);
    add_trials(plot, axes, &scores, trials, count, best);
}

void search_plot_all(svg_plot *plot, const volt_search *search, int max_columns)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    score_words words = score_words_of(&info);
    const volt_trial **trials = malloc(((size_t)info.trials + 1) * sizeof(const volt_trial *));
    plot->failed = plot->failed || !trials;
    for (int64_t i = 0; trials && i < info.trials; i++)
        trials[i] = volt_search_trial(search, i);
    if (trials)
        search_plot(plot, trials, info.trials, volt_search_trial(search, VOLT_TRIAL_BEST), &words, max_columns);
    free(trials);
}
