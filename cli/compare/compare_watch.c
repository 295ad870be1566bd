/* cli/compare/compare_watch.c: progress line of a comparison. */
#include "compare/comparison.h"

#include "search/search_report.h"
#include "terminal/digits.h"
#include "terminal/progress_bar.h"

#include <stdio.h>

enum { LINE_CAPACITY = 256 };

/* Converts the progress of one sample to the progress over all samples. */
static int on_progress(const char *stage, double fraction, void *context)
{
    const compare_watch *watch = context;
    double share = ((double)watch->sample + fraction) / (double)watch->samples;
    return watch->bar.report(stage, share, watch->bar.context);
}

static void on_event(int64_t row, int64_t rows, const char *name, const volt_search *search,
                     const volt_trial *trial, void *context)
{
    const compare_watch *watch = context;
    char line[LINE_CAPACITY], sample[64] = "", most[32] = "", best[64] = "";
    volt_search_info info = {.struct_size = sizeof info};
    if (watch->samples > 1)
        snprintf(sample, sizeof sample, "sample %lld of %lld, ", (long long)watch->sample + 1,
                 (long long)watch->samples);
    if (search)
        volt_search_get_info(search, &info);
    if (watch->max_draws > 0)
        snprintf(most, sizeof most, " of %lld", (long long)watch->max_draws);
    else if (info.expected > info.trials)
        snprintf(most, sizeof most, " of about %lld", (long long)info.expected);
    const volt_trial *leader = search ? volt_search_trial(search, VOLT_TRIAL_BEST) : NULL;
    if (leader)
        snprintf(best, sizeof best, ", best %s %s", score_words_of(&info).label, digits(leader->score).text);
    if (search && !trial)
        snprintf(line, sizeof line, "%s%.40s (%lld of %lld) is done%s", sample, name, (long long)row + 1,
                 (long long)rows, best);
    else
        snprintf(line, sizeof line, "%s%.40s (%lld of %lld), %lld%s draw%s%s", sample, name, (long long)row + 1,
                 (long long)rows, (long long)info.trials, most, info.trials == 1 && !most[0] ? "" : "s", best);
    progress_describe(line);
}

void compare_watch_sample(compare_watch *watch, volt_compare_options *options)
{
    options->on_event = on_event;
    options->event_context = watch;
    options->progress.report = on_progress;
    options->progress.context = watch;
}
