/* cli/series/series_search.c: look for a kernel that forecasts series better than the one given. */
#define _POSIX_C_SOURCE 200809L
#include "series/series_search.h"

#include "series/series_group.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The winner of a search looks better than it is: it has to have less than this share of the error that the kernel given
 * has on rows that took no part. */
static const double clearly_less = 0.95;

enum { MOST_HORIZONS = 3, TEST_SHARE = 4 };

/* What all candidates have in common. */
typedef struct trials {
    const series_data *data;
    series_group *groups;
    int64_t n_groups;
    int64_t learn_rows; /* the first ones; the others are the test */
    int64_t horizons[MOST_HORIZONS];
    int n_horizons;
    volt_progress progress; /* cancels on Ctrl-C */
    double began, seconds;
} trials;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The share of the time that has gone; what a single fit has done does not matter. */
static int on_progress(const char *stage, double fraction, void *context)
{
    const trials *all = context;
    (void)fraction;
    return all->progress.report(stage, fmin(1, (seconds_now() - all->began) / all->seconds),
                                all->progress.context);
}

/* Squared error over that of the naive forecast on the test rows, summed over the group's series. */
static volt_status test_model(const trials *all, const series_group *group, const volt_model *model,
                              int64_t ahead, double *sum)
{
    volt_view inputs = volt_as_view(group->inputs);
    int64_t first = all->learn_rows - ahead,
            rows = inputs.rows - all->learn_rows; /* origins, all with a truth */
    volt_predict_options options = volt_predict_options_default();
    double *values = malloc((size_t)((rows + 1) * group->count) * sizeof *values);
    if (!values)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_model_predict(model, volt_view_rows(inputs, first, rows), &options,
                                            volt_matrix_of(values, rows, group->count), NULL);
    for (int64_t k = 0; !status && k < group->count; k++) {
        double error = 0, naive = 0;
        for (int64_t i = ahead - 1; i < rows; i++) { /* origins that know all training rows */
            double truth = inputs.data[(first + i + ahead) * inputs.ld + k];
            error += pow(values[i * group->count + k] - truth, 2);
            naive += pow(inputs.data[(first + i) * inputs.ld + k] - truth, 2);
        }
        *sum += naive > 0 ? error / naive : 1;
    }
    free(values);
    return status;
}

/* The means of both scores over series and horizons. A kernel that cannot be fitted has none: infinity. */
static int try_kernel(const trials *all, const volt_kernel *kernel, double *score, double *test)
{
    double held_out = 0, unseen = 0;
    volt_status status = VOLT_OK;
    for (int64_t g = 0; g < all->n_groups && !status; g++)
        for (int i = 0; i < all->n_horizons && !status; i++) {
            const series_group *group = &all->groups[g];
            volt_model *model = NULL;
            volt_model_info info;
            status = series_group_fit(group, kernel, all->learn_rows, all->horizons[i],
                                      (volt_progress){on_progress, (void *)all}, &model);
            if (!status) {
                volt_model_describe(model, &info);
                for (int64_t k = 0; k < group->count; k++)
                    held_out += info.report->mse[k] / info.report->naive_mse[k];
                status = test_model(all, group, model, all->horizons[i], &unseen);
            }
            volt_model_free(model);
        }
    if (status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY)
        return complain_status(status);
    double count = (double)(all->data->levels.cols * all->n_horizons);
    *score = status || !isfinite(held_out) ? INFINITY : held_out / count;
    *test = status || !isfinite(unseen) ? INFINITY : unseen / count;
    return 0;
}

static int make_trials(const series_search *search, const series_data *data, trials *all)
{
    int64_t series = data->levels.cols, each = search->alone ? 1 : series;
    *all =
        (trials){.data = data, .n_groups = series / each, .seconds = search->seconds, .began = seconds_now()};
    all->learn_rows = data->levels.rows - data->levels.rows / TEST_SHARE;
    const int64_t wanted[MOST_HORIZONS] = {1, (data->steps + 1) / 2, data->steps};
    for (int i = 0; i < MOST_HORIZONS; i++)
        if (i == 0 || wanted[i] > all->horizons[all->n_horizons - 1])
            all->horizons[all->n_horizons++] = wanted[i];
    all->groups = calloc((size_t)all->n_groups, sizeof *all->groups);
    int failed = all->groups ? 0 : complain(EXIT_FAILED, "not enough memory for the search");
    for (int64_t g = 0; g < all->n_groups && !failed; g++)
        failed = series_group_make(data, g * each, each, &all->groups[g]);
    return failed;
}

static void release_trials(trials *all)
{
    for (int64_t g = 0; all->groups && g < all->n_groups; g++)
        series_group_release(&all->groups[g]);
    free(all->groups);
}

/* Draw until the time is up; *draws counts them, *best (which begins with the kernel given) is the winner. */
static int draw_kernels(const trials *all, const volt_candidates *candidates, volt_kernel **best,
                        double *best_score, double *best_test, int64_t *draws)
{
    double longest = seconds_now() - all->began; /* that of the kernel given */
    /* The forecast that follows has more steps and more rows. */
    double rest = (double)all->data->steps / all->n_horizons *
                  pow((double)all->data->levels.rows / (double)all->learn_rows, 3);
    int failed = 0;
    while (!failed && seconds_now() - all->began + (1 + rest) * longest < all->seconds) {
        char text[VOLT_KERNEL_LENGTH], progress[96];
        double alpha, score = INFINITY, test = INFINITY, start = seconds_now();
        volt_kernel *kernel = NULL;
        snprintf(progress, sizeof progress, "draw %lld, the best has %.4g of naive's squared error",
                 (long long)*draws + 1, *best_score);
        progress_describe(progress);
        volt_status status = volt_candidates_get(candidates, *draws, text, &alpha);
        if (!status)
            status = volt_kernel_parse(text, &kernel);
        failed = status ? complain_status(status) : try_kernel(all, kernel, &score, &test);
        if (!failed && score < *best_score) {
            volt_kernel *old = *best;
            *best = kernel;
            kernel = old;
            *best_score = score;
            *best_test = test;
        }
        volt_kernel_free(kernel);
        ++*draws;
        longest = fmax(longest, seconds_now() - start);
    }
    return failed;
}

int series_search_run(const series_search *search, const series_data *data, volt_kernel **kernel,
                      char sentence[SENTENCE_LENGTH])
{
    trials all;
    volt_candidates *candidates = NULL;
    volt_kernel *best = NULL;
    volt_draw_options options = volt_draw_options_default();
    double own_score = INFINITY, own_test = INFINITY, score = INFINITY, test = INFINITY;
    int64_t draws = 0;
    options.seed = search->seed;
    int failed = make_trials(search, data, &all);
    if (!failed && all.learn_rows < series_rows_for(data->steps)) {
        snprintf(sentence, SENTENCE_LENGTH, "none: %lld rows are too few to search on and to test the winner",
                 (long long)data->levels.rows);
        release_trials(&all);
        return 0;
    }
    if (!failed) {
        all.progress = progress_begin(search->quiet);
        volt_status status =
            volt_candidates_draw(search->kernel, volt_as_view(all.groups[0].inputs), &options, &candidates);
        if (!status)
            status = volt_kernel_parse(volt_kernel_text(*kernel), &best);
        failed = status ? complain_status(status) : try_kernel(&all, best, &own_score, &own_test);
        score = own_score;
        test = own_test;
        if (!failed)
            failed = draw_kernels(&all, candidates, &best, &score, &test, &draws);
        progress_end();
    }
    if (!failed && draws == 0)
        snprintf(sentence, SENTENCE_LENGTH, "none: the time is too short for a draw; give a longer --budget");
    else if (!failed && !(score < own_score))
        snprintf(sentence, SENTENCE_LENGTH, "%lld draws, none better than the kernel given on held-out rows",
                 (long long)draws);
    else if (!failed && !(test < clearly_less * own_test))
        snprintf(
            sentence, SENTENCE_LENGTH,
            "%lld draws, the best of which does not do clearly better on the last quarter of the rows (%.3g of "
            "naive's squared error, not %.3g): the kernel given is kept",
            (long long)draws, test, own_test);
    else if (!failed) {
        volt_kernel *old = *kernel;
        *kernel = best;
        best = old;
        snprintf(
            sentence, SENTENCE_LENGTH,
            "%lld draws; on the last quarter of the rows, which took no part, the best has %.3g of naive's "
            "squared error, the kernel given %.3g",
            (long long)draws, test, own_test);
    }
    volt_kernel_free(best);
    volt_candidates_free(candidates);
    release_trials(&all);
    return failed;
}
