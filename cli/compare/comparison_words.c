/* cli/compare/comparison_words.c: summary sentences of a comparison. */
#include "compare/comparison.h"

#include "args/choices.h"
#include "args/kernel_parts.h"
#include "search/search_report.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text buffer with a fixed capacity. */
typedef struct word_buffer {
    char *text;
    size_t length, capacity;
} word_buffer;

static void append(word_buffer *sentence, const char *format, ...) VOLT_PRINTF(2, 3);
static void append(word_buffer *sentence, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length =
        vsnprintf(sentence->text + sentence->length, sentence->capacity - sentence->length, format, args);
    va_end(args);
    if (length > 0)
        sentence->length += (size_t)length;
    if (sentence->length >= sentence->capacity)
        sentence->length = sentence->capacity - 1;
}

/* ---- setting ---------------------------------------------------------------------------------- */

static void append_count(word_buffer *sentence, int64_t count, const char *noun)
{
    append(sentence, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

char *comparison_describe_data(const cli_comparison *comparison, char text[DESCRIPTION_LENGTH])
{
    const comparison_setting *setting = &comparison->setting;
    word_buffer words = {.text = text, .capacity = DESCRIPTION_LENGTH};
    append_count(&words, setting->n_train - setting->options.gap, "row");
    if (setting->options.gap > 0)
        append(&words, " train, gap of %lld, %lld test, ", (long long)setting->options.gap,
               (long long)(setting->n - setting->n_train));
    else
        append(&words, " train, %lld test, ", (long long)(setting->n - setting->n_train));
    append_count(&words, setting->d, "input");
    append(&words, ", ");
    append_count(&words, setting->q, "output");
    return text;
}

char *comparison_describe_search(const cli_comparison *comparison, char text[DESCRIPTION_LENGTH])
{
    const volt_compare_options *options = &comparison->setting.options;
    char seconds[QUANTITY_LENGTH];
    word_buffer words = {.text = text, .capacity = DESCRIPTION_LENGTH};
    append(&words, "%s protocol, ", choice_word(protocol_choices, (int)options->protocol));
    append_count(&words, options->folds, "fold");
    append(&words, ", ");
    if (options->draws > 0)
        append_count(&words, options->draws, "draw");
    if (options->draws > 0 && options->seconds > 0)
        append(&words, " or ");
    if (options->seconds > 0)
        append(&words, "%s", format_seconds(options->seconds, seconds));
    append(&words, " per kernel");
    if (comparison->setting.loss_score)
        append(&words, "; loss %s (%s)", options->loss ? options->loss : "squares",
               comparison->setting.loss_score);
    const search_data *seen = comparison->setting.seen;
    if (seen && !search_data_is_plain(seen)) {
        char form[FORM_LENGTH];
        append(&words, "; target %s",
               form_words(choice_word(target_choices, (int)seen->fit.target), seen->fit.input, seen->fit.season,
                          form));
    }
    return text;
}

char *comparison_baseline_note(const cli_comparison *comparison, char text[HEADLINE_LENGTH])
{
    const comparison_setting *setting = &comparison->setting;
    word_buffer words = {.text = text, .capacity = HEADLINE_LENGTH};
    const volt_assessment *found = &setting->found;
    text[0] = '\0';
    if (found->n_baselines == 0)
        return text;
    bool published = setting->options.protocol == VOLT_PROTOCOL_PUBLISHED; /* learns levels from levels only */
    bool only_inputs = assessment_has(found, VOLT_WARNING_PAST_TARGETS);
    if (only_inputs)
        append(&words, "The baselines use past targets, the kernels only the inputs.");
    if (found->better >= 0)
        append(&words, "%s%s has a lower error than every kernel on the test rows: %s%s.", text[0] ? " " : "",
               found->baselines[found->better].name, only_inputs ? "" : "try ",
               only_inputs ? past_targets_advice(setting->user->ahead)
               : found->loss_name || setting->user->ahead == 0 || published
                   ? "more draws, other kernels or more rows"
               : !search_data_is_plain(setting->seen)
                   ? "more draws, other kernels, another --season or more rows"
                   : "--target change --input both");
    return text;
}

/* ---- main result ------------------------------------------------------------------------------ */

static bool same_family(const char *first, const char *second)
{
    char names[2][PART_LENGTH];
    return strcmp(kernel_name(first, names[0]), kernel_name(second, names[1])) == 0;
}

/* Adds "3.1 times below GAK (0.168)" or "just below". */
static void append_difference(word_buffer *words, measure by, const comparison_row *best,
                              const comparison_row *other)
{
    double theirs = other->values[by].mean, ratio = theirs / best->values[by].mean;
    if (ratio >= 1.95)
        append(words, "%.*f times below %s (%.3g)", ratio < 9.95, ratio, other->name, theirs);
    else if (ratio >= 1.005)
        append(words, "%.0f %% below %s (%.3g)", fmax(1, 100 * (1 - 1 / ratio)), other->name, theirs);
    else
        append(words, "less than 1 %% below %s (%.3g)", other->name, theirs);
}

static void append_confidence_set(word_buffer *words, const cli_comparison *comparison, const int64_t *order,
                                  int64_t count)
{
    const comparison_row *best = &comparison->rows[order[0]];
    int level = (int)lround(100 * (1 - comparison->setting.options.mcs_size));
    if (comparison->n_samples > 1) {
        append(words, "; in the model confidence set at %d %% in %lld of %lld samples", level,
               (long long)best->in_mcs, (long long)comparison->n_samples);
        return;
    }
    int64_t others = 0, named = 0;
    for (int64_t r = 1; r < count; r++)
        others += comparison->rows[order[r]].in_mcs > 0;
    if (best->in_mcs == 0 || !isfinite(best->mcs_pvalue.mean))
        return;
    if (others == 0) {
        append(words, "; the model confidence set at %d %% has no other kernel", level);
        return;
    }
    append(words, "; the model confidence set at %d %% also has", level);
    for (int64_t r = 1; r < count; r++)
        if (comparison->rows[order[r]].in_mcs > 0)
            append(words, "%s%s",
                   named++ == 0      ? " "
                   : named == others ? " and "
                                     : ", ",
                   comparison->rows[order[r]].name);
}

char *comparison_headline(const cli_comparison *comparison, char text[HEADLINE_LENGTH])
{
    word_buffer words = {.text = text, .capacity = HEADLINE_LENGTH};
    const int64_t *order = comparison->order, count = comparison->n_ranked;
    text[0] = '\0';
    if (count == 0) {
        append(&words, "No kernel has a result.");
        return text;
    }
    const comparison_row *best = &comparison->rows[order[0]];
    measure by = comparison_ranked_by(comparison);
    append(&words, "Lowest %s%s: %s, %.3g", comparison->n_samples > 1 ? "mean " : "",
           comparison_rank_label(comparison), best->name, best->values[by].mean);
    if (isfinite(best->values[by].error))
        append(&words, " (standard error %.2g)", best->values[by].error);
    if (count > 1) {
        const comparison_row *next = &comparison->rows[order[1]], *other = NULL;
        append(&words, ", ");
        append_difference(&words, by, best, next);
        for (int64_t r = 2; r < count && !other; r++)
            if (same_family(best->kernel, next->kernel) &&
                !same_family(best->kernel, comparison->rows[order[r]].kernel))
                other = &comparison->rows[order[r]];
        if (other) {
            append(&words, " and ");
            append_difference(&words, by, best, other);
            append(&words, ", the best of the other kernels");
        }
        append_confidence_set(&words, comparison, order, count);
    }
    append(&words, ".");
    return text;
}
