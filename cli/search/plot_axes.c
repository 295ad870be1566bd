/* cli/search/plot_axes.c: find the parameters that varied in a search. */
#include "search/plot_axes.h"

#include "text/text.h"

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

void plot_axis_value(const plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel,
                     char text[PART_LENGTH], double *number)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    text[0] = '\0';
    *number = NAN;
    if (strcmp(axis->name, "kernel") == 0) {
        snprintf(text, PART_LENGTH, "%s", kernel ? volt_kernel_info_of(kernel)->name : trial->kernel);
    } else if (strcmp(axis->name, "alpha") == 0) {
        if (trial->alpha > 0) { /* else its profile failed */
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
        *number = value.info->kind >= VOLT_PARAMETER_CHOICE ? NAN : value.number; /* a word, or a text */
    }
}

static void note_value(plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel)
{
    char text[PART_LENGTH];
    double number;
    plot_axis_value(axis, trial, kernel, text, &number);
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

bool plot_axis_is_logarithmic(const plot_axis *axis)
{
    if (axis->has_words || !(axis->low > 0))
        return false;
    /* The standard deviation of log10 is 0.43 for uniform draws from 0 to 1, 0.58 for two decades. */
    double count = (double)axis->n_numbers, mean = axis->log_sum / count;
    return axis->log_square_sum / count - mean * mean > 0.5 * 0.5;
}

double plot_axis_place(const plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel)
{
    char text[PART_LENGTH];
    double number;
    plot_axis_value(axis, trial, kernel, text, &number);
    if (!axis->has_words)
        return number;
    int word = text[0] ? find_word(axis, text) : -1;
    /* Equal words are spread a little, so that points do not hide one another. */
    double golden = 0.6180339887498949 * (double)trial->index;
    return word < 0 ? NAN : word + 0.3 * (golden - floor(golden) - 0.5);
}
