/* src/series/classify/class_plan.c: plans a search within its budget: order of candidates, screening sample,
 * landmarks.
 *
 * The plan depends on sizes and the seed, not on time, so it is the same on every machine. Work is counted as
 * in volt_objects_work; one core does about 3e9 units a second. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "series/classify/kernel_search.h"
#include "series/gram/objects_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits on work: total up to which every candidate is tried on all series; of the screening sample; of the
 * finalists; of one matrix without landmarks. For a budget of 30 s, and in proportion for others. */
static const double race_from = 6e10, screen_work = 2e10, final_work = 6e10, carried_by_all = 1e10;
enum {
    MIN_SCREEN = 48,
    MAX_SCREEN = 200,
    MAX_WITHOUT_LANDMARKS = 500,
    LANDMARKS = 300,
    MIN_LANDMARKS = 64,
    MIN_FINALISTS = 6,
    MAX_FINALISTS = 24
};

typedef struct draw_work {
    int64_t draw, round; /* the draws of a round combine every kernel with every preparation once */
    double work;
} draw_work;

static int by_work(const void *a, const void *b)
{
    const draw_work *x = a, *y = b;
    if (x->round != y->round)
        return (x->round > y->round) - (x->round < y->round);
    return x->work != y->work ? (x->work > y->work) - (x->work < y->work)
                              : (x->draw > y->draw) - (x->draw < y->draw);
}

/* Number of draws that combine every kernel with every preparation once. */
static int64_t count_round(const volt_class_search *search)
{
    int64_t kernels = 1;
    for (const char *at = search->options->kernel ? search->options->kernel
                                                  : volt_classify_kernels(VOLT_OBJECT_COMPARE_STEPS, 1);
         (at = strchr(at, '|')); at++)
        kernels++;
    return kernels * search->n_preparations;
}

/* Work of every draw on all series, added to *total; kernels that cannot be parsed count 0, and fail when they are tried. */
static volt_status measure(const volt_class_search *search, draw_work *works, double *total)
{
    for (int64_t draw = 0; draw < search->draws; draw++) {
        volt_class_trial trial;
        volt_kernel *kernel = NULL;
        works[draw] = (draw_work){draw, draw / search->round, 0};
        VOLT_TRY(volt_class_trial_of(search, draw, &trial));
        volt_status status = volt_kernel_parse(trial.kernel, &kernel);
        if (status == VOLT_ERR_MEMORY)
            return status;
        if (status == VOLT_OK)
            works[draw].work = volt_objects_work(search->objects[trial.preparation], kernel);
        volt_kernel_free(kernel);
        *total += works[draw].work;
    }
    return VOLT_OK;
}

static volt_status check_count(int64_t count, const char *name, int64_t least, int64_t n)
{
    VOLT_REQUIRE(count >= least, VOLT_ERR_ARGUMENT,
                 "%s must be at least %" PRId64 " (two of every class), or 0 (got %" PRId64 ")", name, least,
                 count);
    VOLT_REQUIRE(count <= n, VOLT_ERR_ARGUMENT,
                 "%s must be at most %" PRId64 ", the number of training series (got %" PRId64 ")", name, n,
                 count);
    return VOLT_OK;
}

/* The budget in units of the default of 30 s. */
static double allowance(const volt_class_search *search)
{
    const double standard = 30;
    return search->budget > 0 ? search->budget / standard : 1;
}

/* Work of the scores of one matrix: factorisations for ten alphas, or decompositions for all lists. */
static double algebra(double n, double m, int64_t lists)
{
    return m > 0 ? (double)lists * (10 * m * m * m + 2 * n * m * m) : 13 * n * n * n;
}

static volt_status count_landmarks(const volt_class_search *search, double mean_work, int64_t *landmarks)
{
    int64_t n = search->setting.classes.n, requested = search->options->landmarks;
    int64_t least = 2 * search->setting.classes.n_classes;
    *landmarks = 0;
    if (requested > 0) {
        VOLT_TRY(check_count(requested, "landmarks", least, n));
        *landmarks = requested < n ? requested : 0;
    } else if (requested == VOLT_SERIES_CHOOSE && !search->is_multinomial) {
        double limit = carried_by_all * allowance(search);
        double affordable = mean_work > limit ? (double)n * limit / mean_work : (double)n;
        if (n > MAX_WITHOUT_LANDMARKS)
            affordable = fmin(affordable, LANDMARKS);
        int64_t count = (int64_t)fmax(affordable, (double)volt_max(MIN_LANDMARKS, least));
        bool saves = n > MAX_WITHOUT_LANDMARKS || count < n / 2; /* symmetry halves the work of all series */
        *landmarks = saves && count < n ? count : 0;
    }
    return VOLT_OK;
}

/* `total` is the work on all series, `carried` the work with landmarks. */
static volt_status count_screen(const volt_class_search *search, double total, double carried, int64_t *screen)
{
    int64_t n = search->setting.classes.n, requested = search->options->screen;
    int64_t least = 2 * search->setting.classes.n_classes;
    *screen = 0;
    if (requested > 0) {
        VOLT_TRY(check_count(requested, "screen", least, n));
        *screen = requested < n ? requested : 0;
    } else if (requested == VOLT_SERIES_CHOOSE && search->options->n_parts == 0 &&
               carried > race_from * allowance(search) && search->draws > MIN_FINALISTS) {
        int64_t affordable = (int64_t)((double)n * sqrt(screen_work * allowance(search) / total));
        affordable = volt_max(volt_min(affordable, MAX_SCREEN), volt_max(MIN_SCREEN, 2 * least));
        *screen = affordable < 7 * n / 10 ? affordable : 0;
    }
    return VOLT_OK;
}

volt_status volt_class_plan(volt_class_search *search, int64_t *order)
{
    search->round = count_round(search);
    draw_work *works = volt_alloc(search->draws, sizeof *works);
    double total = 0, n = (double)search->setting.classes.n;
    volt_status status = works ? measure(search, works, &total) : VOLT_ERR_MEMORY;
    int64_t landmarks = 0;
    if (status == VOLT_OK)
        status = count_landmarks(search, total / (double)search->draws, &landmarks);
    double carried = landmarks > 0 ? total * (double)landmarks / n : total;
    carried += (double)search->draws * algebra(n, (double)landmarks, search->setting.folds + 1);
    search->setting.n_landmarks = landmarks;
    if (status == VOLT_OK)
        status = count_screen(search, total, carried, &search->n_screen);
    search->max_finalists = (int64_t)fmin(
        fmax(final_work * allowance(search) * (double)search->draws / fmax(carried, 1), MIN_FINALISTS),
        MAX_FINALISTS);
    if (status == VOLT_OK) {
        qsort(works, (size_t)search->draws, sizeof *works, by_work);
        for (int64_t i = 0; i < search->draws; i++)
            order[i] = works[i].draw;
    }
    volt_free(works);
    return status;
}
