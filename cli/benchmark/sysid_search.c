/* cli/benchmark/sysid_search.c: search a setting again, on training rows alone.
 *
 * An adaptive search over the kernel's parameters, weights, filters, alpha and the feedback weight. Candidates are fitted on the first rows of a
 * stretch of the training part and scored on the later ones, by free run where outputs are fed back; the winner, alpha included, is then fitted on the rows of the
 * preset. */
#include "benchmark/sysid.h"
#include "search/search_report.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdio.h>
#include <string.h>

/* Where and among what to search. */
enum { MOST_RANGES = 8 };
typedef struct sysid_space {
    const char *set, *kernel;
    int64_t first, washout, rows; /* of the stretch */
    int64_t folds, min_train;
    bool feedback;
    volt_range ranges[MOST_RANGES]; /* in place of the kernels' own; as far as they have names */
} sysid_space;

#define FROM(parameter, lowest, highest)                                                 \
    {                                                                                    \
        .name = (parameter), .kind = VOLT_SEARCH_LOG, .low = (lowest), .high = (highest) \
    }

#define BETWEEN(parameter, lowest, highest)                                                 \
    {                                                                                       \
        .name = (parameter), .kind = VOLT_SEARCH_LINEAR, .low = (lowest), .high = (highest) \
    }

/* Filters are low passes: the systems are sampled many times faster than they move. */
static const sysid_space spaces[] = {
    {.set = "wh",
     .kernel = "memory:pole=?,pair=?,angle=? + ?*fir:corr=?",
     .first = 37700,
     .washout = 300,
     .rows = 2400,
     .folds = 2,
     .min_train = 1500,
     .ranges = {FROM("alpha", 1e-6, 1e-2), FROM("1.gamma", 0.3, 30), BETWEEN("1.pole", 0.3, 0.95),
                BETWEEN("1.pair", 0.5, 0.98), BETWEEN("1.angle", 0.05, 0.5)}},
    {.set = "silverbox",
     .kernel = "fading + ?*fir:corr=?",
     .first = 66000,
     .washout = 300,
     .rows = 4500,
     .folds = 2,
     .min_train = 2000,
     .feedback = true,
     .ranges = {FROM("alpha", 1e-8, 1e-2), FROM("1.gamma", 0.01, 10), FROM("2.weight", 1e2, 1e7)}},
    {.set = "tanks",
     .kernel = "volterra:lift=rbf,pole=? + ?*fir:corr=?",
     .rows = 1024,
     .folds = 4,
     .min_train = 256,
     .ranges = {FROM("alpha", 1e-6, 1)}},
};

static const sysid_space *find_space(const sysid_set *set)
{
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (strcmp(spaces[i].set, set->name) == 0)
            return &spaces[i];
    return NULL;
}

static int run_search(const sysid_space *space, volt_view X, volt_view Y, const sysid_search_options *asked,
                      volt_search **search)
{
    volt_candidates *candidates = NULL;
    volt_draw_options draw = volt_draw_options_default();
    draw.seed = asked->seed;
    draw.ranges = space->ranges;
    while (draw.n_ranges < MOST_RANGES && space->ranges[draw.n_ranges].name)
        draw.n_ranges++;
    if (space->feedback)
        draw.fed = Y;
    volt_status status = volt_candidates_draw(space->kernel, X, &draw, &candidates);
    if (status)
        return complain_status(status);
    volt_search_options options = volt_search_options_default();
    search_watch watch = {.total = asked->draws > 0 ? asked->draws : -1, .budget = asked->seconds};
    options.splits.folds = space->folds;
    options.splits.min_train = space->min_train;
    options.washout = space->washout;
    options.strategy = VOLT_STRATEGY_ADAPTIVE;
    options.score = VOLT_SCORE_MSE;
    options.race = VOLT_RACE_FAST;
    options.draws = asked->draws;
    options.seconds = asked->seconds;
    options.on_trial = search_watch_trial;
    options.trial_context = &watch;
    options.progress = progress_begin(asked->quiet);
    status = volt_search_run(candidates, X, Y, &options, search);
    progress_end();
    volt_candidates_free(candidates);
    if (interrupt_seen())
        return complain(interrupt_exit_status(), "interrupted");
    return status ? complain_status(status) : 0;
}

int sysid_search(sysid_run *run, const sysid_search_options *options)
{
    const sysid_space *space = find_space(run->set);
    volt_search *search = NULL;
    int64_t begin = space->first - run->set->first, rows = space->washout + space->rows;
    int failed = run_search(space, sysid_column(run->data.train, 0, begin, rows),
                            sysid_column(run->data.train, 1, begin, rows), options, &search);
    const volt_trial *best = failed ? NULL : volt_search_best(search);
    if (!failed && !best)
        failed =
            complain(EXIT_FAILED, "%s: the time was up before the first draw ended; give a longer --budget",
                     run->set->title);
    if (best) {
        volt_search_info info;
        volt_search_describe(search, &info);
        run->draws = info.trials;
        run->search_seconds = info.seconds;
        snprintf(run->kernel, sizeof run->kernel, "%s", best->kernel);
        run->setting.name = NULL;
        run->setting.how = NULL;
        run->setting.kernel = run->kernel;
        run->setting.alpha = best->alpha;
        run->setting.feedback_weight = best->feedback;
    }
    volt_search_free(search);
    return failed;
}
