/* cli/search/plot_axes.c: find the parameters that varied in a search. */
#include "search/plot_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Add an axis of that name, unless it is there or there is no room for it and `reserve` more. */
static void add_axis(plot_axes *axes, const char *name, int reserve)
{
    for (int i = 0; i < axes->count; i++)
        if (strcmp(axes->axes[i].name, name) == 0)
            return;
    if (axes->count + reserve >= MOST_AXES)
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

void plot_axis_value(const plot_axis *axis, const volt_trial *trial, char text[PART_LENGTH], double *number)
{
    text[0] = '\0';
    *number = NAN;
    if (strcmp(axis->name, "kernel") == 0) {
        kernel_name(trial->kernel, text);
        return;
    }
    if (strcmp(axis->name, "alpha") == 0) {
        *number = trial->alpha;
        volt_format_number(trial->alpha, text);
        return;
    }
    for (kernel_part part = kernel_first(trial->kernel); part.name[0]; kernel_next(&part))
        if (strcmp(part.name, axis->name) == 0) {
            memcpy(text, part.value, PART_LENGTH);
            *number = part.is_number ? part.number : NAN;
            return;
        }
    /* A word that is the default does not stand in the text. */
    const volt_parameter_info *parameter = kernel_parameter(trial->kernel, axis->name);
    if (parameter && parameter->kind == VOLT_PARAMETER_CHOICE && parameter->fallback)
        snprintf(text, PART_LENGTH, "%s", parameter->fallback);
}

static void note_value(plot_axis *axis, const volt_trial *trial)
{
    char text[PART_LENGTH];
    double number;
    plot_axis_value(axis, trial, text, &number);
    if (!text[0])
        return;
    if (axis->n_words < MOST_WORDS && find_word(axis, text) < 0)
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

void plot_axes_find(plot_axes *axes, const volt_trial *const *trials, int64_t count)
{
    axes->count = 0;
    add_axis(axes, "kernel", 0);
    for (int64_t i = 0; i < count; i++)
        for (kernel_part part = kernel_first(trials[i]->kernel); part.name[0]; kernel_next(&part))
            add_axis(axes, part.name, 1);
    add_axis(axes, "alpha", 0);

    int kept = 0;
    for (int a = 0; a < axes->count; a++) {
        plot_axis *axis = &axes->axes[a];
        for (int64_t i = 0; i < count; i++)
            note_value(axis, trials[i]);
        bool is_last_hope = kept == 0 && a == axes->count - 1;
        if (axis->n_words > 1 || is_last_hope)
            axes->axes[kept++] = *axis;
    }
    axes->count = kept;
}

bool plot_axis_is_logarithmic(const plot_axis *axis)
{
    if (axis->has_words || !(axis->low > 0))
        return false;
    /* The standard deviation of log10 is 0.43 for uniform draws from 0 to 1, 0.58 for two decades. */
    double count = (double)axis->n_numbers, mean = axis->log_sum / count;
    return axis->log_square_sum / count - mean * mean > 0.5 * 0.5;
}

double plot_axis_place(const plot_axis *axis, const volt_trial *trial)
{
    char text[PART_LENGTH];
    double number;
    plot_axis_value(axis, trial, text, &number);
    if (!axis->has_words)
        return number;
    int word = text[0] ? find_word(axis, text) : -1;
    /* Equal words are spread a little, so that points do not hide one another. */
    double golden = 0.6180339887498949 * (double)trial->index;
    return word < 0 ? NAN : word + 0.3 * (golden - floor(golden) - 0.5);
}
