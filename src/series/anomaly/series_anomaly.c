/* src/series/anomaly/series_anomaly.c: from series to scores: prepared, compared by a kernel that may be chosen, measured. */
#include "base/error.h"
#include "base/memory.h"
#include "series/anomaly/variance_norm.h"
#include "series/gram/objects_internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

struct volt_series_anomaly {
    volt_objects *objects;
    volt_kernel *kernel;
    volt_anomaly *detector;
    int64_t tried;
};

volt_series_anomaly_options volt_series_anomaly_options_default(void)
{
    return (volt_series_anomaly_options){.objects = volt_objects_options_default(),
                                         .detector = volt_anomaly_options_default()};
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

void volt_series_anomaly_get_info(const volt_series_anomaly *anomaly, volt_anomaly_info *info)
{
    volt_anomaly_get_info(anomaly->detector, info);
    info->kernel = volt_kernel_text(anomaly->kernel);
    info->tried = anomaly->tried;
}

/* ---- one kernel ------------------------------------------------------------------------------- */

typedef struct series_fit {
    const volt_series_anomaly_options *options;
    const volt_view *examples;
    int64_t n, n_examples;
    volt_series_anomaly *best;
    volt_matrix K, C; /* of the normal series, and of the examples with them */
    int64_t tries, done;
} series_fit;

/* A kernel's part of the whole. */
static int report_part(const char *stage, double fraction, void *context)
{
    const series_fit *fit = context;
    const volt_progress *outer = &fit->options->detector.progress;
    return outer->report
               ? outer->report(stage, ((double)fit->done + fraction) / (double)fit->tries, outer->context)
               : 0;
}

static volt_status detect(series_fit *fit, const volt_kernel *kernel, volt_anomaly **detector)
{
    volt_progress progress = {report_part, fit};
    volt_anomaly_options options = fit->options->detector;
    options.progress = progress;
    options.examples = fit->n_examples > 0 ? volt_as_view(fit->C) : volt_view_of(NULL, 0, 0);
    VOLT_TRY(volt_objects_gram(fit->best->objects, kernel, &progress, fit->K));
    if (fit->n_examples > 0)
        VOLT_TRY(volt_objects_cross(fit->best->objects, kernel, fit->examples, fit->n_examples, &progress,
                                    fit->C, NULL));
    return volt_anomaly_fit(volt_as_view(fit->K), &options, detector);
}

static double merit_of(const volt_anomaly *detector)
{
    volt_anomaly_info info;
    volt_anomaly_get_info(detector, &info);
    return info.areas.roc_auc + info.areas.pr_auc;
}

/* Keep the kernel where it is the first or better than the best so far. */
static volt_status try_kernel(series_fit *fit, const char *text)
{
    volt_kernel *kernel = NULL;
    volt_anomaly *detector = NULL;
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    volt_status status = detect(fit, kernel, &detector);
    volt_series_anomaly *best = fit->best;
    if (status == VOLT_OK && (!best->detector || merit_of(detector) > merit_of(best->detector))) {
        volt_anomaly *former = best->detector;
        volt_kernel *former_kernel = best->kernel;
        best->detector = detector;
        best->kernel = kernel;
        detector = former;
        kernel = former_kernel;
    }
    fit->done++;
    best->tried += status == VOLT_OK;
    volt_anomaly_free(detector);
    volt_kernel_free(kernel);
    return status;
}

/* ---- draws ------------------------------------------------------------------------------------ */

/* Is it the fault of one kernel? */
static bool is_own_failure(volt_status status)
{
    return status == VOLT_ERR_SINGULAR || status == VOLT_ERR_DATA || status == VOLT_ERR_NOT_FINITE ||
           status == VOLT_ERR_ARGUMENT;
}

static volt_status try_draws(series_fit *fit, const char *text)
{
    char kernel[VOLT_KERNEL_LENGTH];
    double alpha = 0;
    volt_candidates *candidates = NULL;
    volt_draw_options drawing = volt_draw_options_default();
    drawing.seed = fit->options->seed;
    VOLT_TRY(volt_objects_candidates(fit->best->objects, text, &drawing, &candidates));
    volt_status status = VOLT_OK;
    for (int64_t i = 0; status == VOLT_OK && i < fit->options->draws; i++) {
        status = volt_candidates_get(candidates, i, kernel, &alpha, NULL);
        if (status == VOLT_OK)
            status = try_kernel(fit, kernel);
        if (is_own_failure(status))
            status = VOLT_OK;
    }
    volt_candidates_free(candidates);
    return status;
}

/* The kernel as it is given, unless it leaves something to be drawn; then the draws. */
static volt_status try_all(series_fit *fit, const char *text)
{
    bool draws = fit->options->draws > 0, open = strchr(text, '?') || strchr(text, '|');
    volt_status status = draws && open ? VOLT_OK : try_kernel(fit, text);
    if (!draws)
        return status;
    if (status != VOLT_OK && !is_own_failure(status))
        return status;
    VOLT_TRY(try_draws(fit, text));
    VOLT_REQUIRE(fit->best->detector, VOLT_ERR_DATA,
                 "none of %" PRId64 " kernels could be used on these series", fit->done);
    return VOLT_OK;
}

/* ---- fit and score ---------------------------------------------------------------------------- */

static volt_status run(series_fit *fit, const char *kernel, const volt_view *normal)
{
    VOLT_TRY(volt_objects_create(normal, fit->n, &fit->options->objects, &fit->best->objects));
    fit->K = volt_matrix_of(volt_alloc_doubles(fit->n, fit->n), fit->n, fit->n);
    fit->C = volt_matrix_of(volt_alloc_doubles(fit->n_examples, fit->n), fit->n_examples, fit->n);
    return fit->K.data && fit->C.data ? try_all(fit, kernel) : VOLT_ERR_MEMORY;
}

volt_status volt_series_anomaly_fit(const char *kernel, const volt_view *normal, int64_t n,
                                    const volt_view *examples, int64_t n_examples,
                                    const volt_series_anomaly_options *options, volt_series_anomaly **anomaly)
{
    volt_series_anomaly_options standard = volt_series_anomaly_options_default();
    if (!options)
        options = &standard;
    VOLT_REQUIRE(kernel && normal && anomaly && (examples || n_examples == 0), VOLT_ERR_ARGUMENT,
                 "the kernel, the series or the place for the detector is NULL");
    VOLT_REQUIRE(n >= 3, VOLT_ERR_SHAPE, "there are %" PRId64 " normal series, and at least 3 are needed", n);
    VOLT_REQUIRE(n_examples >= 0 && options->draws >= 0, VOLT_ERR_ARGUMENT,
                 "there are %" PRId64 " examples and %" PRId64 " draws: neither can be below 0", n_examples,
                 options->draws);
    VOLT_REQUIRE(options->draws == 0 || n_examples > 0, VOLT_ERR_ARGUMENT,
                 "kernels cannot be told apart by normal series alone: draws need examples of others");
    series_fit fit = {.options = options,
                      .examples = examples,
                      .n = n,
                      .n_examples = n_examples,
                      .tries = 1 + options->draws,
                      .best = volt_alloc_zero(1, sizeof *fit.best)};
    volt_status status = fit.best ? run(&fit, kernel, normal) : VOLT_ERR_MEMORY;
    volt_free(fit.K.data);
    volt_free(fit.C.data);
    if (status == VOLT_OK)
        *anomaly = fit.best;
    else
        volt_series_anomaly_free(fit.best);
    return status;
}

volt_status volt_series_anomaly_score(const volt_series_anomaly *anomaly, const volt_view *series,
                                      int64_t count, const volt_progress *progress, double *scores)
{
    VOLT_REQUIRE(anomaly && series && scores && count > 0, VOLT_ERR_ARGUMENT,
                 "the detector, the series or the place for their scores is NULL, or there are no series");
    int64_t n = anomaly->objects->prepared.count;
    volt_matrix C = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    if (!C.data)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_objects_cross(anomaly->objects, anomaly->kernel, series, count, progress, C, NULL);
    if (status == VOLT_OK)
        status = volt_anomaly_score(anomaly->detector, volt_as_view(C), scores);
    volt_free(C.data);
    return status;
}
