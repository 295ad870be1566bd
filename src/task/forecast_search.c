/* src/task/forecast_search.c: searches the parameters of a kernel for a forecast of series. */
#include "kernel/kernel_entry.h"
#include "task/forecast_group.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "volterra/select.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* The score of the best of many candidates is optimistic: on the last quarter of the rows its MSE must be
 * below this share of the MSE of the given kernel. */
static const double clearly_less = 0.95;

enum { MAX_HORIZONS = 3, TEST_SHARE = 4 };

/* Common to all candidates. */
typedef struct trials {
    const forecast_data *data;
    forecast_group *groups;
    int64_t n_groups;
    int64_t learn_rows; /* the first ones; the others are the test */
    int64_t horizons[MAX_HORIZONS];
    int n_horizons;
    volt_progress progress;
    double began, seconds;
    char stage[96];
} trials;

/* A candidate and its mean squared errors relative to the naive forecast's. */
typedef struct scored_kernel {
    volt_kernel *kernel;
    double heldout, test;
} scored_kernel;

/* Reports the share of the time that has passed. */
static int on_progress(const char *stage, double fraction, void *context)
{
    const trials *all = context;
    (void)stage;
    (void)fraction;
    if (!all->progress.report)
        return 0;
    return all->progress.report(all->stage, fmin(1, (volt_seconds() - all->began) / all->seconds),
                                all->progress.context);
}

/* Adds the MSE relative to the naive forecast's on the test rows, for every series of the group. */
static volt_status test_model(const trials *all, const forecast_group *group, const volt_model *model,
                              int64_t ahead, double *sum)
{
    volt_view inputs = volt_as_view(group->inputs);
    int64_t first = all->learn_rows - ahead, rows = inputs.rows - all->learn_rows; /* origins with a target */
    volt_predict_options options = volt_predict_options_default();
    double *values = volt_alloc_doubles(rows + 1, group->count);
    if (!values)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_model_predict(model, volt_view_rows(inputs, first, rows), &options,
                                            volt_matrix_of(values, rows, group->count), NULL);
    for (int64_t k = 0; !status && k < group->count; k++) {
        double error = 0, naive = 0;
        for (int64_t i = ahead - 1; i < rows; i++) { /* origins after all training rows */
            double truth = inputs.data[(first + i + ahead) * inputs.ld + k];
            error += pow(values[i * group->count + k] - truth, 2);
            naive += pow(inputs.data[(first + i) * inputs.ld + k] - truth, 2);
        }
        *sum += naive > 0 ? error / naive : 1;
    }
    volt_free(values);
    return status;
}

/* Scores a candidate: means over series and horizons, infinite for a kernel that cannot be fitted. */
static volt_status try_kernel(const trials *all, scored_kernel *candidate)
{
    double heldout = 0, test = 0;
    int64_t fits = 0;
    volt_status status = VOLT_OK;
    for (int64_t g = 0; g < all->n_groups && !status; g++)
        for (int i = 0; i < all->n_horizons && !status; i++) {
            forecast_group *group = &all->groups[g];
            volt_model *model = NULL;
            volt_model_info info = {.struct_size = sizeof info};
            status = volt_forecast_group_fit(group, candidate->kernel, all->learn_rows, all->horizons[i],
                                             (volt_progress){on_progress, (void *)all}, &model);
            fits += model ? group->count : 0;
            if (model) {
                volt_model_get_info(model, &info);
                for (int64_t k = 0; k < group->count; k++)
                    heldout +=
                        info.report->naive_mse[k] > 0 ? info.report->mse[k] / info.report->naive_mse[k] : 1;
                status = test_model(all, group, model, all->horizons[i], &test);
            }
            volt_model_free(model);
        }
    if (status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY)
        return status;
    bool failed = status || fits == 0;
    candidate->heldout = failed || !isfinite(heldout) ? INFINITY : heldout / (double)fits;
    candidate->test = failed || !isfinite(test) ? INFINITY : test / (double)fits;
    return on_progress(NULL, 0, (void *)all) ? volt_fail(VOLT_ERR_CANCELLED, "cancelled") : VOLT_OK;
}

static volt_status make_trials(const forecast_data *data, const volt_forecast_options *options, trials *all)
{
    int64_t series = data->levels.cols, each = options->separate ? 1 : series;
    const int64_t wanted[MAX_HORIZONS] = {1, (data->steps + 1) / 2, data->steps};
    *all = (trials){.data = data,
                    .n_groups = series / each,
                    .learn_rows = data->levels.rows - data->levels.rows / TEST_SHARE,
                    .progress = options->progress,
                    .seconds = options->search_seconds,
                    .began = volt_seconds(),
                    .stage = "search"};
    for (int i = 0; i < MAX_HORIZONS; i++)
        if (i == 0 || wanted[i] > all->horizons[all->n_horizons - 1])
            all->horizons[all->n_horizons++] = wanted[i];
    all->groups = volt_alloc_zero(all->n_groups, sizeof *all->groups);
    if (!all->groups)
        return VOLT_ERR_MEMORY;
    for (int64_t g = 0; g < all->n_groups; g++)
        VOLT_TRY(volt_forecast_group_create(data, g * each, each, &all->groups[g]));
    return VOLT_OK;
}

static void release_trials(trials *all)
{
    for (int64_t g = 0; all->groups && g < all->n_groups; g++)
        volt_forecast_group_release(&all->groups[g]);
    volt_free(all->groups);
}

/* Draws until the time is up; *best, which begins as the kernel given, becomes the best candidate. */
static volt_status draw_kernels(trials *all, const volt_candidates *candidates, scored_kernel *best,
                                int64_t *draws)
{
    double longest = volt_seconds() - all->began; /* time of the given kernel */
    /* The forecast that follows has more steps and more rows. */
    double rest = (double)all->data->steps / all->n_horizons *
                  pow((double)all->data->levels.rows / (double)all->learn_rows, 3);
    volt_status status = VOLT_OK;
    while (!status && volt_seconds() - all->began + (1 + rest) * longest < all->seconds) {
        char text[VOLT_KERNEL_LENGTH];
        double alpha, start = volt_seconds();
        scored_kernel drawn = {.heldout = INFINITY, .test = INFINITY};
        snprintf(all->stage, sizeof all->stage, "draw %lld, best MSE %.4g of naive", (long long)*draws + 1,
                 best->heldout);
        status = volt_candidates_get(candidates, *draws, text, &alpha, NULL);
        if (!status)
            status = volt_kernel_parse(text, &drawn.kernel);
        if (!status)
            status = try_kernel(all, &drawn);
        if (!status && drawn.heldout < best->heldout) {
            scored_kernel old = *best;
            *best = drawn;
            drawn = old;
        }
        volt_kernel_free(drawn.kernel);
        ++*draws;
        longest = fmax(longest, volt_seconds() - start);
    }
    return status;
}

/* Keeps the best candidate if it is also better on the last quarter of the rows. */
static void choose_kernel(const scored_kernel *given, scored_kernel *best, volt_kernel **kernel,
                          volt_forecast_info *info)
{
    info->search_mse = best->test;
    info->search_mse_given = given->test;
    if (info->search_draws == 0)
        info->search = VOLT_FORECAST_SEARCH_TIME;
    else if (!(best->heldout < given->heldout))
        info->search = VOLT_FORECAST_SEARCH_WORSE;
    else if (!(best->test < clearly_less * given->test))
        info->search = VOLT_FORECAST_SEARCH_REJECTED;
    else {
        volt_kernel *old = *kernel;
        *kernel = best->kernel;
        best->kernel = old;
        info->search = VOLT_FORECAST_SEARCH_ACCEPTED;
    }
}

volt_status volt_forecast_search_run(const forecast_data *data, const volt_forecast_options *options,
                                     volt_kernel **kernel, volt_forecast_info *info)
{
    trials all;
    volt_candidates *candidates = NULL;
    scored_kernel best = {.heldout = INFINITY, .test = INFINITY};
    volt_draw_options drawing = volt_draw_options_default();
    drawing.seed = options->seed;
    volt_status status = make_trials(data, options, &all);
    if (!status && all.learn_rows < volt_forecast_rows_for(data->steps)) {
        info->search = VOLT_FORECAST_SEARCH_ROWS;
        release_trials(&all);
        return VOLT_OK;
    }
    if (!status)
        status =
            volt_candidates_draw(options->kernel, volt_as_view(all.groups[0].inputs), &drawing, &candidates);
    if (!status)
        status = volt_kernel_parse(volt_kernel_text(*kernel), &best.kernel);
    if (!status)
        status = try_kernel(&all, &best);
    scored_kernel given = best;
    if (!status)
        status = draw_kernels(&all, candidates, &best, &info->search_draws);
    if (!status)
        choose_kernel(&given, &best, kernel, info);
    volt_kernel_free(best.kernel);
    volt_candidates_free(candidates);
    release_trials(&all);
    return status;
}
