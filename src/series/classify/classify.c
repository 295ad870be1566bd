/* src/series/classify/classify.c: fits classifiers of whole series. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "series/classify/class_bench.h"
#include "series/classify/kernel_search.h"
#include "series/classify/series_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *volt_classify_kernels(volt_object_compare compare, int equally_long)
{
    if (compare == VOLT_OBJECT_COMPARE_STEPS)
        return "rbf | memory | volterra";
    return equally_long ? "gak | rbf | memory" : "gak | memory | volterra";
}

/* ---- checks ----------------------------------------------------------------------------------- */

static volt_status check_options(const volt_series_options *options)
{
    VOLT_REQUIRE(options->scale >= VOLT_SERIES_CHOOSE && options->scale <= VOLT_OBJECT_SCALE_NONE,
                 VOLT_ERR_ARGUMENT, "scale must be between -1 and 2 (got %d)", options->scale);
    VOLT_REQUIRE(options->input >= VOLT_SERIES_CHOOSE && options->input <= VOLT_OBJECT_INPUT_BOTH,
                 VOLT_ERR_ARGUMENT, "input must be between -1 and 2 (got %d)", options->input);
    VOLT_REQUIRE(options->compare >= VOLT_SERIES_CHOOSE && options->compare <= VOLT_OBJECT_COMPARE_STEPS,
                 VOLT_ERR_ARGUMENT, "compare must be between -1 and 1 (got %d)", options->compare);
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be finite and at least 0 (got %g)", options->alpha);
    VOLT_REQUIRE(options->draws >= VOLT_SERIES_CHOOSE, VOLT_ERR_ARGUMENT,
                 "draws must be at least -1 (got %" PRId64 ")", options->draws);
    VOLT_REQUIRE(options->blend >= 1 && options->blend <= VOLT_MAX_BLEND, VOLT_ERR_ARGUMENT,
                 "blend must be between 1 and %d (got %" PRId64 ")", VOLT_MAX_BLEND, options->blend);
    VOLT_REQUIRE(options->budget >= 0 || options->budget == VOLT_SERIES_CHOOSE, VOLT_ERR_ARGUMENT,
                 "the budget must be at least 0 (got %g seconds)", options->budget);
    VOLT_REQUIRE(options->screen >= VOLT_SERIES_CHOOSE, VOLT_ERR_ARGUMENT,
                 "screen must be at least -1 (got %" PRId64 ")", options->screen);
    VOLT_REQUIRE(options->landmarks >= VOLT_SERIES_CHOOSE, VOLT_ERR_ARGUMENT,
                 "landmarks must be at least -1 (got %" PRId64 ")", options->landmarks);
    VOLT_REQUIRE(options->folds == 0 || (options->folds >= 2 && options->folds <= VOLT_MAX_CLASS_FOLDS),
                 VOLT_ERR_ARGUMENT, "folds must be 0 or between 2 and %d (got %" PRId64 ")",
                 VOLT_MAX_CLASS_FOLDS, options->folds);
    VOLT_REQUIRE(options->landmarks <= 0 || volt_loss_is_squares(options->loss), VOLT_ERR_ARGUMENT,
                 "landmarks is %" PRId64 ", but loss %s uses all series", options->landmarks, options->loss);
    VOLT_REQUIRE(options->splits >= 0, VOLT_ERR_ARGUMENT, "splits must be at least 0 (got %" PRId64 ")",
                 options->splits);
    VOLT_REQUIRE(options->held_out > 0 && options->held_out < 1, VOLT_ERR_ARGUMENT,
                 "held_out must be between 0 and 1 (got %g)", options->held_out);
    VOLT_REQUIRE(options->n_parts >= 0 && options->n_parts <= VOLT_MAX_BLEND, VOLT_ERR_ARGUMENT,
                 "the number of kernels to average must be at most %d (got %" PRId64 ")", VOLT_MAX_BLEND,
                 options->n_parts);
    for (int64_t p = 0; p < options->n_parts; p++)
        VOLT_REQUIRE(options->parts && options->parts[p].kernel, VOLT_ERR_ARGUMENT,
                     "kernel %" PRId64 " of the %" PRId64 " to average is NULL", p + 1, options->n_parts);
    for (int64_t r = 0; r < options->n_ranges && options->ranges; r++)
        VOLT_REQUIRE(!options->ranges[r].name || strcmp(options->ranges[r].name, "alpha") != 0,
                     VOLT_ERR_ARGUMENT,
                     "a range is not supported for alpha, which is given or chosen for every kernel");
    return VOLT_OK;
}

static volt_status check_classes(const int64_t *classes, int64_t count, int64_t n_classes)
{
    VOLT_REQUIRE(classes && count > 0, VOLT_ERR_SHAPE, "the training series or their classes are missing");
    bool several = false;
    for (int64_t i = 0; i < count; i++) {
        VOLT_REQUIRE(classes[i] >= 0 && classes[i] < n_classes, VOLT_ERR_ARGUMENT,
                     "the class of series %" PRId64
                     " must be at least 0 and below the number of classes, %" PRId64 " (got %" PRId64 ")",
                     i + 1, n_classes, classes[i]);
        several = several || classes[i] != classes[0];
    }
    VOLT_REQUIRE(several, VOLT_ERR_DATA,
                 "at least two classes are required (all %" PRId64 " training series have the same class)",
                 count);
    return VOLT_OK;
}

/* NULL for squares. */
static volt_status take_loss(const char *text, int64_t n_classes, volt_loss **loss)
{
    *loss = NULL;
    if (volt_loss_is_squares(text))
        return VOLT_OK;
    VOLT_REQUIRE(strcmp(text, "multinomial") == 0, VOLT_ERR_ARGUMENT,
                 "the loss must be squares or multinomial (got %s)", text);
    VOLT_REQUIRE(n_classes <= VOLT_MAX_LEVELS, VOLT_ERR_ARGUMENT,
                 "there are %" PRId64 " classes, but loss multinomial takes at most %d", n_classes,
                 VOLT_MAX_LEVELS);
    return volt_loss_parse(text, loss);
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* Accuracies of the chosen kernel over repeated splits. */
static volt_status judge_by_splits(volt_class_search *search, double alpha, volt_series_info *info)
{
    const volt_series_options *options = search->options;
    const volt_class_list *classes = &search->setting.classes;
    int64_t n = classes->n, q = classes->n_classes, *rows = volt_alloc(2 * n, sizeof *rows);
    double *errors = volt_alloc_doubles(n, q), sum = 0, squares = 0;
    volt_status status = rows && errors ? VOLT_OK : VOLT_ERR_MEMORY;
    info->split_mean = info->split_deviation = NAN;
    for (int64_t s = 0; s < options->splits && status == VOLT_OK; s++) {
        int64_t m = volt_class_split(classes, options->held_out, options->seed, s, rows + n, rows);
        if (m == 0) /* every class has one series */
            break;
        volt_matrix E = volt_matrix_of(errors, m, q);
        status = volt_class_held_out_errors(&search->bench, alpha, rows, m, E);
        double share =
            (double)volt_class_count_correct(classes, volt_as_view(search->bench.Y), rows, m, volt_as_view(E)) /
            (double)m;
        sum += share;
        squares += share * share;
        info->splits++;
    }
    if (status == VOLT_OK && info->splits > 0) {
        double count = (double)info->splits, mean = sum / count;
        info->split_mean = mean;
        info->split_deviation = sqrt(fmax(squares / count - mean * mean, 0));
    }
    volt_free(rows);
    volt_free(errors);
    return status;
}

/* Moves the kernels of the choice and their prepared series to the classifier. */
static volt_status take_parts(volt_class_search *search, const volt_class_choice *choice,
                              volt_series_model *fitted)
{
    for (int64_t b = 0; b < choice->parts; b++) {
        volt_class_trial trial;
        VOLT_TRY(volt_class_trial_of(search, choice->draws[b], &trial));
        int64_t p = trial.preparation;
        volt_objects **from = search->carriers[p] ? &search->carriers[p] : &search->objects[p];
        if (!fitted->objects[p]) {
            fitted->objects[p] = *from;
            *from = NULL;
        }
        fitted->parts[b].objects = fitted->objects[p];
        VOLT_TRY(volt_kernel_parse(trial.kernel, &fitted->parts[b].kernel));
        fitted->n_parts++;
    }
    fitted->divisor = (double)fitted->n_parts;
    return VOLT_OK;
}

/* The ridge-regression readout and its info. */
static volt_status fit_ridge(volt_class_search *search, const volt_class_choice *choice,
                             volt_series_model *fitted)
{
    volt_class_bench *bench = &search->bench;
    int64_t n = bench->setting.classes.n, q = bench->setting.classes.n_classes;
    volt_series_info *info = &fitted->info;
    volt_class_score score;
    VOLT_TRY(volt_class_blend(search, choice->draws, choice->parts));
    VOLT_TRY(volt_class_solve(bench, choice->score.alpha, &score));
    VOLT_TRY(volt_series_model_allocate(fitted, n, bench->K.cols, q));
    volt_class_coefficients(bench, score.alpha, fitted->A, fitted->c);
    for (int64_t i = 0; i < n * q; i++)
        fitted->loo_outputs[i] = bench->Y.data[i] - bench->E.data[i];
    info->alpha = score.alpha;
    info->left_out = (double)score.right / (double)n;
    info->left_out_error = score.error;
    info->landmarks = bench->setting.n_landmarks;
    info->log_loss = NAN;
    info->temperature =
        volt_class_temperature(&bench->setting.classes, volt_view_of(fitted->loo_outputs, n, q));
    return judge_by_splits(search, score.alpha, info);
}

static volt_status fit_multinomial(volt_class_search *search, volt_series_model *fitted)
{
    const volt_class_bench *bench = &search->bench;
    int64_t n = bench->setting.classes.n, q = bench->setting.classes.n_classes;
    volt_class_readout readout = {
        .A = volt_matrix_of(fitted->A, n, q), .c = fitted->c, .alpha = search->options->alpha};
    VOLT_TRY(volt_class_loss_fit(fitted->loss, &bench->setting.classes, volt_as_view(bench->K),
                                 search->options->seed, search->options->progress, &readout));
    fitted->info.alpha = readout.alpha;
    fitted->info.log_loss = readout.log_loss;
    fitted->info.temperature = NAN;
    return VOLT_OK;
}

static volt_status search_and_fit(volt_class_search *search, volt_series_model *fitted)
{
    volt_class_choice choice;
    volt_series_info *info = &fitted->info;
    VOLT_TRY(volt_class_search_run(search));
    VOLT_TRY(volt_class_nested(search, &info->nested));
    VOLT_TRY(volt_class_choose(search, 0, &choice));
    VOLT_TRY(fit_ridge(search, &choice, fitted));
    if (fitted->loss)
        VOLT_TRY(fit_multinomial(search, fitted));
    info->planned = search->draws;
    info->tried = search->tried;
    info->failed = search->failed;
    info->screen = search->n_screen;
    info->finalists = search->finalists;
    info->cut = search->cut;
    info->folds = isnan(info->nested) ? 0 : search->setting.folds;
    return take_parts(search, &choice, fitted);
}

static volt_status add_warnings(const volt_class_list *classes, volt_series_model *fitted)
{
    volt_series_info *info = &fitted->info;
    int64_t *counts = volt_alloc_zero(classes->n_classes, sizeof *counts);
    fitted->warnings = volt_alloc_zero(classes->n_classes + 1, sizeof *fitted->warnings);
    volt_status status = counts && fitted->warnings ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && info->cut)
        fitted->warnings[info->n_warnings++] =
            (volt_warning){.code = VOLT_WARNING_SEARCH_CUT, .value = (double)info->tried};
    for (int64_t i = 0; i < classes->n && status == VOLT_OK; i++)
        counts[classes->of[i]]++;
    for (int64_t k = 0; k < classes->n_classes && status == VOLT_OK; k++)
        if (counts[k] == 1)
            fitted->warnings[info->n_warnings++] =
                (volt_warning){.code = VOLT_WARNING_SINGLE_SERIES_CLASS, .series = k};
    volt_free(counts);
    return status;
}

/* The matrices of one candidate. */
static volt_status require_memory(const volt_series_options *options, int64_t count, int64_t n_classes)
{
    bool is_carried_by_all = options->landmarks == 0 || !volt_loss_is_squares(options->loss);
    double n = (double)count, q = (double)n_classes;
    double m = is_carried_by_all ? n : fmin(n, options->landmarks > 0 ? (double)options->landmarks : 500);
    return volt_memory_require(8 * n * (4 * m + 7 * q),
                               "the Gram matrix of the training series and its factor");
}

volt_status volt_series_fit_classes(const volt_view *series, int64_t count, const int64_t *classes,
                                    int64_t n_classes, const volt_series_options *given,
                                    volt_series_model **model)
{
    volt_series_options options = volt_series_options_default();
    volt_blas_use use;
    double begun = volt_seconds();
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the output for the model is NULL");
    VOLT_TRY(volt_options_take(&options, sizeof options, given, "volt_series_options"));
    VOLT_TRY(check_options(&options));
    VOLT_TRY(check_classes(classes, count, n_classes));
    VOLT_TRY(require_memory(&options, count, n_classes));
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    volt_class_list list = {count, n_classes, classes};
    volt_series_model *fitted = volt_alloc_zero(1, sizeof *fitted);
    volt_status status = fitted ? take_loss(options.loss, n_classes, &fitted->loss) : VOLT_ERR_MEMORY;
    volt_class_search search = {0};
    if (status == VOLT_OK)
        status = volt_class_search_open(&search, series, &list, &options);
    if (status == VOLT_OK)
        status = search_and_fit(&search, fitted);
    if (status == VOLT_OK)
        status = add_warnings(&list, fitted);
    volt_class_search_release(&search);
    volt_blas_release(&use);
    if (status != VOLT_OK) {
        volt_series_model_free(fitted);
        return status;
    }
    volt_series_model_describe(fitted);
    fitted->info.series = count;
    fitted->info.classes = fitted->info.outputs = n_classes;
    fitted->info.seconds = volt_seconds() - begun;
    *model = fitted;
    return VOLT_OK;
}
