/* src/series/classify/classify.c: fits classifiers of whole series. */
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "series/classify/class_bench.h"
#include "series/classify/series_model.h"
#include "solve/loss/loss_solve.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the multinomial readout of series in classes ---------------------------------------------------- */

/* Unlike for squares, there is no exact formula for fits with rows left out. Alpha is therefore chosen over
 * five stratified folds with a refit for each, which is affordable for few series and small matrices. */

enum { FOLDS = 5 };

static const double tolerance = 1e-6;

/* Memory of a fit on some of the series. */
typedef struct class_workspace {
    double *K, *Y, *A, *U, *c; /* n x n; n x q, three of them; q */
    int64_t *fold, *train;     /* n each */
} class_workspace;

static void release(class_workspace *space)
{
    volt_free(space->K);
    volt_free(space->Y);
    volt_free(space->A);
    volt_free(space->U);
    volt_free(space->c);
    volt_free(space->fold);
    volt_free(space->train);
}

static volt_status allocate(int64_t n, int64_t q, class_workspace *space)
{
    *space = (class_workspace){volt_alloc_doubles(n, n),      volt_alloc_doubles(n, q),
                               volt_alloc_doubles(n, q),      volt_alloc_doubles(n, q),
                               volt_alloc_doubles(q, 1),      volt_alloc(n, sizeof(int64_t)),
                               volt_alloc(n, sizeof(int64_t))};
    return space->K && space->Y && space->A && space->U && space->c && space->fold && space->train
               ? VOLT_OK
               : VOLT_ERR_MEMORY;
}

/* The readout of series in classes. */
typedef struct class_fit {
    const volt_loss *loss;
    const volt_class_list *classes;
    volt_view K;
    volt_progress progress;
    class_workspace space;
} class_fit;

/* Fits the m series of space.train, with coefficients A (m x q) and c. */
static volt_status fit_series(class_fit *fit, double alpha, bool tried, int64_t m, volt_matrix A, double *c)
{
    class_workspace *space = &fit->space;
    volt_view K = fit->K;
    int64_t q = fit->classes->n_classes;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++)
            space->K[i * m + j] = K.data[space->train[i] * K.ld + space->train[j]];
        for (int64_t k = 0; k < q; k++)
            space->Y[i * q + k] = fit->classes->of[space->train[i]] == k;
    }
    volt_loss_task task = {.loss = fit->loss,
                           .Y = volt_view_of(space->Y, m, q),
                           .alpha = alpha,
                           .tolerance = tried ? 1e-3 : tolerance,
                           .intercept = true,
                           .tried = tried,
                           .progress = fit->progress,
                           .share = 1};
    volt_loss_result result = {.A = A, .U = volt_matrix_of(space->U, m, q), .c = c};
    return volt_loss_minimise(volt_matrix_of(space->K, m, m), &task, &result);
}

/* -log probability of series i's class by the fit on m series. */
static double row_loss(class_fit *fit, int64_t m, int64_t i)
{
    const class_workspace *space = &fit->space;
    int64_t q = fit->classes->n_classes;
    double *u = space->U;
    for (int64_t k = 0; k < q; k++)
        u[k] = space->c[k];
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < q; k++)
            u[k] += fit->K.data[i * fit->K.ld + space->train[j]] * space->A[j * q + k];
    volt_loss_link(fit->loss, q, u);
    return volt_loss_of_target(fit->loss, q, (double)fit->classes->of[i], u);
}

/* The mean loss over the folds. */
static volt_status cross_validate(void *context, volt_alpha_choice *choice)
{
    class_fit *fit = context;
    class_workspace *space = &fit->space;
    int64_t n = fit->classes->n, q = fit->classes->n_classes;
    double sum = 0;
    for (int64_t f = 0; f < FOLDS; f++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++)
            if (space->fold[i] != f)
                space->train[m++] = i;
        VOLT_TRY(fit_series(fit, choice->alpha, true, m, volt_matrix_of(space->A, m, q), space->c));
        for (int64_t i = 0; i < n; i++)
            if (space->fold[i] == f)
                sum += row_loss(fit, m, i);
    }
    volt_alpha_offer(choice, 0, sum / (double)n, 0);
    return VOLT_OK;
}

static volt_status choose_and_fit(class_fit *fit, uint64_t seed, volt_class_readout *readout)
{
    class_workspace *space = &fit->space;
    int64_t n = fit->classes->n;
    volt_alpha_best best;
    volt_class_folds(fit->classes, FOLDS, seed, space->train, space->fold);
    VOLT_TRY(volt_alpha_choose_one(VOLT_ALPHA_CLASS_LOSS, readout->alpha, cross_validate, fit, &best));
    VOLT_REQUIRE(best.alpha > 0, VOLT_ERR_NOT_FINITE, "the loss of series in folds is not finite");
    readout->alpha = best.alpha;
    readout->log_loss = best.error;
    for (int64_t i = 0; i < n; i++)
        space->train[i] = i;
    return fit_series(fit, readout->alpha, false, n, readout->A, readout->c);
}

volt_status volt_class_loss_fit(const volt_loss *loss, const volt_class_list *classes, volt_view K,
                                uint64_t seed, volt_progress progress, volt_class_readout *readout)
{
    class_fit fit = {.loss = loss, .classes = classes, .K = K, .progress = progress};
    volt_status status = allocate(classes->n, classes->n_classes, &fit.space);
    if (status == VOLT_OK)
        status = choose_and_fit(&fit, seed, readout);
    release(&fit.space);
    return status;
}

/* ---- the choice of a kernel or of a mean of kernels, and its nested estimate ------------------------- */

/* ---- matrices ------------------------------------------------------------------------------------ */

/* Adds the matrix of a draw, recomputed if it was not kept. */
static volt_status add_matrix(volt_class_search *search, int64_t draw, double weight, double *sum)
{
    volt_matrix K = search->bench.K;
    const double *kept = search->full[draw].K;
    if (!kept) {
        volt_class_trial trial;
        volt_kernel *kernel = NULL;
        VOLT_TRY(volt_class_trial_of(search, draw, &trial));
        VOLT_TRY(volt_kernel_parse(trial.kernel, &kernel));
        const volt_objects *carriers = search->carriers[trial.preparation];
        volt_status status = carriers
                                 ? volt_objects_cross(carriers, kernel, search->series, K.rows, NULL, K, NULL)
                                 : volt_objects_gram(search->objects[trial.preparation], kernel, NULL, K);
        volt_kernel_free(kernel);
        VOLT_TRY(status);
        kept = K.data;
        if (search->options->n_parts > 0) { /* few, and needed again */
            double *copy = search->full[draw].K = volt_alloc_doubles(K.rows, K.cols);
            if (!copy)
                return VOLT_ERR_MEMORY;
            memcpy(copy, K.data, (size_t)(K.rows * K.cols) * sizeof *copy);
        }
    }
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        sum[i] += weight * kept[i];
    return VOLT_OK;
}

volt_status volt_class_blend(volt_class_search *search, const int64_t *draws, int64_t count)
{
    volt_matrix K = search->bench.K;
    double *sum = volt_alloc_zero(K.rows * K.cols, sizeof *sum);
    volt_status status = sum ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t b = 0; b < count && status == VOLT_OK; b++)
        status = add_matrix(search, draws[b], 1 / (double)count, sum);
    if (status == VOLT_OK)
        memcpy(K.data, sum, (size_t)(K.rows * K.cols) * sizeof *sum);
    volt_free(sum);
    return status;
}

/* ---- the best of each kind ------------------------------------------------------------------------ */

/* Whether both use the same kernel and the same comparison of series. */
static bool is_one_kind(const volt_class_search *search, const volt_class_trial *a, const volt_class_trial *b)
{
    size_t length = strcspn(a->kernel, ":");
    return length == strcspn(b->kernel, ":") && strncmp(a->kernel, b->kernel, length) == 0 &&
           search->objects[a->preparation]->options.compare == search->objects[b->preparation]->options.compare;
}

/* The best trial of each kind, in descending order. */
typedef struct best_list {
    volt_class_trial trials[VOLT_MAX_BLEND];
    int64_t count;
} best_list;

/* Inserts a trial, replacing a worse one of its kind. */
static void keep(const volt_class_search *search, const volt_class_trial *trial, best_list *best)
{
    int64_t at = best->count;
    for (int64_t b = 0; b < best->count; b++)
        if (is_one_kind(search, trial, &best->trials[b]))
            at = b;
    if (at < best->count && !volt_class_is_better(&trial->score, &best->trials[at].score))
        return;
    if (at == VOLT_MAX_BLEND) { /* the list is full: drop the last */
        at--;
        if (!volt_class_is_better(&trial->score, &best->trials[at].score))
            return;
    } else if (at == best->count) {
        best->count++;
    }
    for (; at > 0 && volt_class_is_better(&trial->score, &best->trials[at - 1].score); at--)
        best->trials[at] = best->trials[at - 1];
    best->trials[at] = *trial;
}

/* Whether a list may choose the draw: it was tried on all series and, in a race without a fold, selected by
 * the ranks of that list. */
static bool is_eligible(const volt_class_search *search, int64_t list, int64_t draw)
{
    const volt_class_record *record = &search->full[draw];
    int64_t lists = search->setting.folds + 1;
    if (!volt_class_has_scores(record) || record->scores[list].right < 0)
        return false;
    return list == 0 || !search->rank || search->rank[draw * lists + list] < search->depth;
}

static volt_status find_best(const volt_class_search *search, int64_t list, best_list *best)
{
    best->count = 0;
    for (int64_t draw = 0; draw < search->draws; draw++) {
        volt_class_trial trial;
        if (!is_eligible(search, list, draw))
            continue;
        VOLT_TRY(volt_class_trial_of(search, draw, &trial));
        trial.score = search->full[draw].scores[list];
        keep(search, &trial, best);
    }
    return VOLT_OK;
}

/* ---- the choice ----------------------------------------------------------------------------------- */

static volt_status choose_of(volt_class_search *search, int64_t list, const best_list *best,
                             volt_class_choice *choice)
{
    int64_t most = search->options->blend < best->count ? search->options->blend : best->count;
    *choice = (volt_class_choice){.parts = 1, .score = best->trials[0].score};
    for (int64_t b = 0; b < best->count; b++)
        choice->draws[b] = best->trials[b].draw;
    for (int64_t count = 2; count <= most; count++) {
        volt_class_score scores[VOLT_MAX_LISTS];
        VOLT_TRY(volt_class_blend(search, choice->draws, count));
        volt_status status = volt_class_profile(&search->bench, search->options->alpha, list, list, scores);
        if (status == VOLT_OK && volt_class_is_better(&scores[list], &choice->score)) {
            choice->parts = count;
            choice->score = scores[list];
        }
    }
    return VOLT_OK;
}

/* The mean of all given kernels: only alpha is chosen. */
static volt_status profile_given(volt_class_search *search, int64_t list, volt_class_choice *choice)
{
    *choice = (volt_class_choice){.parts = search->options->n_parts};
    for (int64_t b = 0; b < choice->parts; b++)
        choice->draws[b] = b;
    VOLT_TRY(volt_class_blend(search, choice->draws, choice->parts));
    volt_class_score scores[VOLT_MAX_LISTS];
    VOLT_TRY(volt_class_profile(&search->bench, search->options->alpha, list, list, scores));
    choice->score = scores[list];
    return VOLT_OK;
}

volt_status volt_class_choose(volt_class_search *search, int64_t list, volt_class_choice *choice)
{
    if (search->options->n_parts > 0)
        return profile_given(search, list, choice);
    best_list *best = volt_alloc_zero(1, sizeof *best);
    volt_status status = best ? find_best(search, list, best) : VOLT_ERR_MEMORY;
    *choice = (volt_class_choice){.score.right = -1};
    if (status == VOLT_OK && best->count > 0)
        status = choose_of(search, list, best, choice);
    volt_free(best);
    return status;
}

/* Nested accuracy: the whole choice is repeated without each fold and evaluated on it; NaN if not computed. */
static volt_status class_nested(volt_class_search *search, double *accuracy)
{
    int64_t right = 0;
    *accuracy = NAN;
    if (search->setting.folds == 0 || (search->rank && search->depth == 0))
        return VOLT_OK;
    for (int64_t list = 1; list <= search->setting.folds; list++) {
        volt_class_choice choice;
        VOLT_TRY(volt_class_choose(search, list, &choice));
        if (choice.score.right < 0)
            return VOLT_OK;
        right += choice.score.held;
    }
    *accuracy = (double)right / (double)search->setting.classes.n;
    return VOLT_OK;
}

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
    VOLT_TRY(class_nested(search, &info->nested));
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

volt_status volt_series_fit(const volt_view *series, int64_t count, const int64_t *classes, int64_t n_classes,
                            volt_view Y, const volt_series_options *given, volt_series_model **model)
{
    if (!classes && Y.data)
        return volt_series_ridge_fit(series, count, Y, given, model);
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
