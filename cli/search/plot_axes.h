/* cli/search/plot_axes.h: the parameters that varied in a search, as axes to draw the scores against. */
#ifndef CLI_PLOT_AXES_H
#define CLI_PLOT_AXES_H

#include "args/kernel_parts.h"
#include "volterra.h"

#include <stdbool.h>

enum { MOST_AXES = 24, MOST_WORDS = 24 };

typedef struct plot_axis {
    char name[PART_LENGTH];              /* a parameter, "alpha" or "kernel" */
    char words[MOST_WORDS][PART_LENGTH]; /* distinct values, as text, the first few */
    int n_words;
    bool has_words;                 /* some value is no number: the axis has words for ticks, at 0, 1, 2, ... */
    double low, high;               /* of the numbers */
    double log_sum, log_square_sum; /* of the logarithms of those above 0 */
    int64_t n_numbers;
} plot_axis;

typedef struct plot_axes {
    plot_axis axes[MOST_AXES];
    int count;
} plot_axes;

/* The axes along which the trials differ, the kernel first, alpha last; alpha alone when they do not. */
void plot_axes_find(plot_axes *axes, const volt_trial *const *trials, int64_t count);

/* Do the values of an axis spread over decades? Their logarithms do, while uniform draws that happen to come
 * near 0 do not. */
bool plot_axis_is_logarithmic(const plot_axis *axis);

/* The value of a trial on an axis as text, "" when it has none, and as a number or NaN. `kernel` is the trial's, from
 * kernel_read: NULL where its text is none. */
void plot_axis_value(const plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel,
                     char text[PART_LENGTH], double *number);

/* Where a trial stands on an axis; NaN: nowhere. */
double plot_axis_place(const plot_axis *axis, const volt_trial *trial, const volt_kernel *kernel);

#endif
