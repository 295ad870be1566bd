/* src/series/anomaly/series_anomaly.c: anomaly scores of series: preparation, choice of a kernel, detector. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "select/search/search_run.h"
#include "series/anomaly/variance_norm.h"
#include "series/gram/objects_internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct volt_series_anomaly {
    volt_objects *objects;
    volt_kernel *kernel;
    volt_anomaly *detector;
    int64_t tried;
};

volt_series_anomaly_options volt_series_anomaly_options_default(void)
{
    return (volt_series_anomaly_options){.struct_size = sizeof(volt_series_anomaly_options),
                                         .normalise = 1,
                                         .score = VOLT_ANOMALY_CONFORMANCE,
                                         .rate = 0.05};
}

void volt_series_anomaly_free(volt_series_anomaly *anomaly)
{
    if (!anomaly)
        return;
    volt_objects_free(anomaly->objects);
    volt_kernel_free(anomaly->kernel);
    volt_anomaly_free(anomaly->detector);
    volt_free(anomaly);
}

volt_status volt_series_anomaly_get_info(const volt_series_anomaly *anomaly, volt_anomaly_info *info)
{
    VOLT_REQUIRE(anomaly && info, VOLT_ERR_ARGUMENT, "the detector or the output for its info is NULL");
    volt_anomaly_info full = {.struct_size = sizeof full};
    volt_anomaly_get_info(anomaly->detector, &full);
    full.kernel = volt_kernel_text(anomaly->kernel);
    full.tried = anomaly->tried;
    return volt_result_copy(info, &full, sizeof full, "volt_anomaly_info");
}

/* ---- one kernel ------------------------------------------------------------------------------- */

typedef struct series_fit {
    volt_evaluator evaluator; /* first: the search uses it */
    const volt_series_anomaly_options *options;
    const char *kernel;
    const volt_view *examples;
    int64_t n, n_examples;
    volt_series_anomaly *best;
    volt_matrix K, C; /* of the normal series, and of the examples with them */
    volt_candidates *drawn;
    int64_t given; /* 1: the kernel as given is tried before the draws */
} series_fit;

static volt_status detect(const series_fit *fit, const volt_kernel *kernel, volt_progress progress,
                          volt_anomaly **detector)
{
    volt_anomaly_options options = {.score = fit->options->score,
                                    .alpha = fit->options->alpha,
                                    .rate = fit->options->rate,
                                    .examples =
                                        fit->n_examples > 0 ? volt_as_view(fit->C) : volt_view_of(NULL, 0, 0),
                                    .progress = progress};
    VOLT_TRY(volt_objects_gram(fit->best->objects, kernel, &progress, fit->K));
    if (fit->n_examples > 0)
        VOLT_TRY(volt_objects_cross(fit->best->objects, kernel, fit->examples, fit->n_examples, &progress,
                                    fit->C, NULL));
    return volt_anomaly_fit(volt_as_view(fit->K), &options, detector);
}

static double merit_of(const volt_anomaly *detector)
{
    volt_anomaly_info info = {.struct_size = sizeof info};
    volt_anomaly_get_info(detector, &info);
    return info.areas.roc_auc + info.areas.pr_auc;
}

/* Keeps the kernel if it is the first or better than the best so far. */
static volt_status try_kernel(series_fit *fit, const char *text, volt_progress progress, double *merit)
{
    volt_kernel *kernel = NULL;
    volt_anomaly *detector = NULL;
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    volt_status status = detect(fit, kernel, progress, &detector);
    volt_series_anomaly *best = fit->best;
    if (status == VOLT_OK) {
        *merit = merit_of(detector);
        best->tried++;
    }
    if (status == VOLT_OK && (!best->detector || *merit > merit_of(best->detector))) {
        volt_anomaly *former = best->detector;
        volt_kernel *former_kernel = best->kernel;
        best->detector = detector;
        best->kernel = kernel;
        detector = former;
        kernel = former_kernel;
    }
    volt_anomaly_free(detector);
    volt_kernel_free(kernel);
    return status;
}

/* ---- draws ------------------------------------------------------------------------------------ */

/* The kernel as given, then the draws. */
static volt_status get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       volt_setting *setting)
{
    const series_fit *fit = candidates->context;
    *setting = (volt_setting){0};
    if (index >= fit->given)
        return volt_candidates_get(fit->drawn, index - fit->given, kernel, &setting->alpha, NULL);
    int length = snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", fit->kernel);
    VOLT_REQUIRE(length < VOLT_KERNEL_LENGTH, VOLT_ERR_KERNEL,
                 "the text of the kernel is longer than %d characters", VOLT_KERNEL_LENGTH - 1);
    return VOLT_OK;
}

static int poll(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return !volt_run_goes_on(context);
}

static volt_status evaluate(volt_evaluator *evaluator, int64_t position, const char *kernel,
                            volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    (void)position;
    (void)setting;
    (void)cost;
    VOLT_TRY(try_kernel((series_fit *)evaluator, kernel, (volt_progress){poll, evaluator}, folds));
    *done = 1;
    return VOLT_OK;
}

static bool is_own(const volt_evaluator *evaluator, volt_status status)
{
    (void)evaluator;
    return volt_objects_is_kernel_failure(status);
}

static volt_status search_kernels(series_fit *fit)
{
    bool is_open = strchr(fit->kernel, '?') || strchr(fit->kernel, '|');
    volt_draw_options drawing = volt_draw_options_default();
    volt_search_options options = volt_search_options_default();
    volt_candidates candidates = {.get = get, .context = fit};
    volt_evaluator *evaluator = &fit->evaluator;
    volt_search *search = NULL;
    fit->given = is_open ? 0 : 1;
    candidates.count = fit->given + volt_min(fit->options->draws, INT64_MAX - fit->given);
    drawing.seed = fit->options->seed;
    options.race = VOLT_RACE_NONE;
    options.progress = fit->options->progress;
    *evaluator = (volt_evaluator){.evaluate = evaluate, .is_own = is_own};
    VOLT_TRY(volt_objects_candidates(fit->best->objects, fit->kernel, &drawing, &fit->drawn));
    volt_status status = volt_search_with(&candidates, &options, 1, &evaluator, 1, &search);
    volt_search_free(search);
    volt_candidates_free(fit->drawn);
    return status;
}

/* ---- fit and score ---------------------------------------------------------------------------- */

static volt_status run(series_fit *fit, const volt_view *normal)
{
    const volt_series_anomaly_options *options = fit->options;
    volt_objects_options way = {options->scale, options->input, options->normalise, options->compare};
    double merit;
    VOLT_TRY(volt_objects_create(normal, fit->n, &way, &fit->best->objects));
    fit->K = volt_matrix_of(volt_alloc_doubles(fit->n, fit->n), fit->n, fit->n);
    fit->C = volt_matrix_of(volt_alloc_doubles(fit->n_examples, fit->n), fit->n_examples, fit->n);
    if (!fit->K.data || !fit->C.data)
        return VOLT_ERR_MEMORY;
    return options->draws > 0 ? search_kernels(fit) : try_kernel(fit, fit->kernel, options->progress, &merit);
}

volt_status volt_series_anomaly_fit(const char *kernel, const volt_view *normal, int64_t n,
                                    const volt_view *examples, int64_t n_examples,
                                    const volt_series_anomaly_options *given, volt_series_anomaly **anomaly)
{
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    VOLT_TRY(volt_options_take(&options, sizeof options, given, "volt_series_anomaly_options"));
    VOLT_REQUIRE(kernel && normal && anomaly && (examples || n_examples == 0), VOLT_ERR_ARGUMENT,
                 "the kernel, the series or the output for the detector is NULL");
    VOLT_REQUIRE(n >= 3, VOLT_ERR_SHAPE, "at least 3 normal series are required (got %" PRId64 ")", n);
    VOLT_REQUIRE(n_examples >= 0 && options.draws >= 0, VOLT_ERR_ARGUMENT,
                 "the numbers of examples and draws must be at least 0 (got %" PRId64 " and %" PRId64 ")",
                 n_examples, options.draws);
    VOLT_REQUIRE(options.draws == 0 || n_examples > 0, VOLT_ERR_ARGUMENT,
                 "draws require examples: normal series are not enough to choose a kernel");
    series_fit fit = {.options = &options,
                      .kernel = kernel,
                      .examples = examples,
                      .n = n,
                      .n_examples = n_examples,
                      .best = volt_alloc_zero(1, sizeof *fit.best)};
    volt_status status = fit.best ? run(&fit, normal) : VOLT_ERR_MEMORY;
    volt_free(fit.K.data);
    volt_free(fit.C.data);
    if (status == VOLT_OK)
        *anomaly = fit.best;
    else
        volt_series_anomaly_free(fit.best);
    return status;
}

volt_status volt_series_anomaly_score(const volt_series_anomaly *anomaly, const volt_view *series,
                                      int64_t count, volt_progress progress, double *scores)
{
    VOLT_REQUIRE(anomaly && series && scores && count > 0, VOLT_ERR_ARGUMENT,
                 "the detector, the series or the output for their scores is NULL, or there are no series");
    int64_t n = anomaly->objects->prepared.count;
    volt_matrix C = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    if (!C.data)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_objects_cross(anomaly->objects, anomaly->kernel, series, count, &progress, C, NULL);
    if (status == VOLT_OK)
        status = volt_anomaly_score(anomaly->detector, volt_as_view(C), scores);
    volt_free(C.data);
    return status;
}
