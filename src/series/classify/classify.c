/* src/series/classify/classify.c: fit and predict classes of whole series. */
#include "volterra/series.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "series/classify/class_loss.h"
#include "series/classify/class_temperature.h"
#include "series/classify/kernel_search.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* One of the kernels whose mean it is. */
typedef struct class_part {
    const volt_objects *objects; /* one of those that the classifier owns */
    volt_kernel *kernel;
} class_part;

struct volt_classifier {
    volt_objects *objects[VOLT_MOST_PREPARATIONS]; /* NULL where no part needs it */
    class_part parts[VOLT_MOST_BLEND];
    int64_t n_parts;
    volt_loss *loss;  /* NULL: squares */
    int64_t columns;  /* series that carry the readout */
    double *A, *c;    /* columns x n_classes, n_classes */
    double *left_out; /* n x n_classes: outputs of the training series, each left out */
    volt_classifier_kernel kernels[VOLT_MOST_BLEND]; /* the parts, as info lists them */
    volt_classifier_info info;                       /* its pointers are to the above */
};

volt_classify_options volt_classify_options_default(void)
{
    volt_classify_options options = {.scale = VOLT_CLASSIFY_CHOOSE,
                                     .input = VOLT_CLASSIFY_CHOOSE,
                                     .compare = VOLT_CLASSIFY_CHOOSE,
                                     .draws = VOLT_CLASSIFY_CHOOSE,
                                     .budget = VOLT_CLASSIFY_CHOOSE,
                                     .screen = VOLT_CLASSIFY_CHOOSE,
                                     .landmarks = VOLT_CLASSIFY_CHOOSE,
                                     .folds = 5,
                                     .blend = 3,
                                     .splits = 20,
                                     .held_out = 0.3};
    return options;
}

const char *volt_classify_kernels(volt_object_compare compare, int equally_long)
{
    if (compare == VOLT_OBJECT_COMPARE_STEPS)
        return "rbf | memory | volterra";
    return equally_long ? "gak | rbf | memory" : "gak | memory | volterra";
}

/* ---- checks ----------------------------------------------------------------------------------- */

static volt_status check_options(const volt_classify_options *options)
{
    VOLT_REQUIRE(options->scale >= VOLT_CLASSIFY_CHOOSE && options->scale <= VOLT_OBJECT_SCALE_NONE,
                 VOLT_ERR_ARGUMENT, "scale is %d, and must lie between -1 and 2", options->scale);
    VOLT_REQUIRE(options->input >= VOLT_CLASSIFY_CHOOSE && options->input <= VOLT_OBJECT_INPUT_BOTH,
                 VOLT_ERR_ARGUMENT, "input is %d, and must lie between -1 and 2", options->input);
    VOLT_REQUIRE(options->compare >= VOLT_CLASSIFY_CHOOSE && options->compare <= VOLT_OBJECT_COMPARE_STEPS,
                 VOLT_ERR_ARGUMENT, "compare is %d, and must lie between -1 and 1", options->compare);
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha is %g, and must be finite and at least 0", options->alpha);
    VOLT_REQUIRE(options->draws >= VOLT_CLASSIFY_CHOOSE, VOLT_ERR_ARGUMENT,
                 "draws is %" PRId64 ", and must be at least -1", options->draws);
    VOLT_REQUIRE(options->blend >= 1 && options->blend <= VOLT_MOST_BLEND, VOLT_ERR_ARGUMENT,
                 "blend is %" PRId64 ", and must lie between 1 and %d", options->blend, VOLT_MOST_BLEND);
    VOLT_REQUIRE(options->budget >= 0 || options->budget == VOLT_CLASSIFY_CHOOSE, VOLT_ERR_ARGUMENT,
                 "the budget is %g seconds, and must be at least 0", options->budget);
    VOLT_REQUIRE(options->screen >= VOLT_CLASSIFY_CHOOSE, VOLT_ERR_ARGUMENT,
                 "screen is %" PRId64 ", and must be at least -1", options->screen);
    VOLT_REQUIRE(options->landmarks >= VOLT_CLASSIFY_CHOOSE, VOLT_ERR_ARGUMENT,
                 "landmarks is %" PRId64 ", and must be at least -1", options->landmarks);
    VOLT_REQUIRE(options->folds == 0 || (options->folds >= 2 && options->folds <= VOLT_MOST_CLASS_FOLDS),
                 VOLT_ERR_ARGUMENT, "folds is %" PRId64 ", and must be 0 or lie between 2 and %d",
                 options->folds, VOLT_MOST_CLASS_FOLDS);
    VOLT_REQUIRE(options->landmarks <= 0 || volt_loss_is_squares(options->loss), VOLT_ERR_ARGUMENT,
                 "landmarks is %" PRId64 ", and loss %s is carried by all series", options->landmarks,
                 options->loss);
    VOLT_REQUIRE(options->splits >= 0, VOLT_ERR_ARGUMENT, "splits is %" PRId64 ", and must be at least 0",
                 options->splits);
    VOLT_REQUIRE(options->held_out > 0 && options->held_out < 1, VOLT_ERR_ARGUMENT,
                 "held_out is %g, and must lie between 0 and 1", options->held_out);
    VOLT_REQUIRE(options->n_parts >= 0 && options->n_parts <= VOLT_MOST_BLEND, VOLT_ERR_ARGUMENT,
                 "there are %" PRId64 " kernels to take the mean of, and there may be %d", options->n_parts,
                 VOLT_MOST_BLEND);
    for (int64_t p = 0; p < options->n_parts; p++)
        VOLT_REQUIRE(options->parts && options->parts[p].kernel, VOLT_ERR_ARGUMENT,
                     "kernel %" PRId64 " of %" PRId64 ", whose mean is asked for, is NULL", p + 1,
                     options->n_parts);
    for (int64_t r = 0; r < options->n_ranges && options->ranges; r++)
        VOLT_REQUIRE(!options->ranges[r].name || strcmp(options->ranges[r].name, "alpha") != 0,
                     VOLT_ERR_ARGUMENT,
                     "a range is given for alpha, which is chosen for every kernel or given itself");
    return VOLT_OK;
}

static volt_status check_classes(const int64_t *classes, int64_t count, int64_t n_classes)
{
    VOLT_REQUIRE(classes && count > 0, VOLT_ERR_SHAPE, "there are no training series, or no classes of theirs");
    bool several = false;
    for (int64_t i = 0; i < count; i++) {
        VOLT_REQUIRE(classes[i] >= 0 && classes[i] < n_classes, VOLT_ERR_ARGUMENT,
                     "the class of series %" PRId64 " is %" PRId64 ", and must lie between 0 and %" PRId64,
                     i + 1, classes[i], n_classes - 1);
        several = several || classes[i] != classes[0];
    }
    VOLT_REQUIRE(several, VOLT_ERR_DATA,
                 "all %" PRId64 " training series are of one class: there is nothing to tell apart", count);
    return VOLT_OK;
}

/* NULL for squares. */
static volt_status take_loss(const char *text, int64_t n_classes, volt_loss **loss)
{
    *loss = NULL;
    if (volt_loss_is_squares(text))
        return VOLT_OK;
    VOLT_REQUIRE(strcmp(text, "multinomial") == 0, VOLT_ERR_ARGUMENT,
                 "the loss is %s, and must be squares or multinomial", text);
    VOLT_REQUIRE(n_classes <= VOLT_MOST_LEVELS, VOLT_ERR_ARGUMENT,
                 "there are %" PRId64 " classes, and loss multinomial takes at most %d", n_classes,
                 VOLT_MOST_LEVELS);
    return volt_loss_parse(text, loss);
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* Accuracies of the chosen kernel over repeated splits. */
static volt_status judge_by_splits(volt_class_search *search, double alpha, volt_classifier_info *info)
{
    const volt_classify_options *options = search->options;
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
        status = volt_class_hold_out(&search->bench, alpha, rows, m, E);
        double share =
            (double)volt_class_count_right(classes, volt_as_view(search->bench.Y), rows, m, volt_as_view(E)) /
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

/* The kernels of the choice, and the series as they see them, which the classifier takes over. */
static volt_status take_parts(volt_class_search *search, const volt_class_choice *choice,
                              volt_classifier *fitted)
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
    return VOLT_OK;
}

/* The readout of ridge regression, and what is known of it. */
static volt_status fit_ridge(volt_class_search *search, const volt_class_choice *choice,
                             volt_classifier *fitted)
{
    volt_class_bench *bench = &search->bench;
    int64_t n = bench->setting.classes.n, q = bench->setting.classes.n_classes;
    volt_classifier_info *info = &fitted->info;
    volt_class_score score;
    VOLT_TRY(volt_class_blend(search, choice->draws, choice->parts));
    VOLT_TRY(volt_class_solve(bench, choice->score.alpha, &score));
    fitted->columns = bench->K.cols;
    fitted->A = volt_alloc_doubles(fitted->columns, q);
    fitted->left_out = volt_alloc_doubles(n, q);
    fitted->c = volt_alloc_doubles(q, 1);
    if (!fitted->A || !fitted->left_out || !fitted->c)
        return VOLT_ERR_MEMORY;
    volt_class_coefficients(bench, score.alpha, fitted->A, fitted->c);
    for (int64_t i = 0; i < n * q; i++)
        fitted->left_out[i] = bench->Y.data[i] - bench->E.data[i];
    info->alpha = score.alpha;
    info->left_out = (double)score.right / (double)n;
    info->left_out_error = score.error;
    info->landmarks = bench->setting.n_landmarks;
    info->log_loss = NAN;
    info->temperature = volt_class_temperature(&bench->setting.classes, volt_view_of(fitted->left_out, n, q));
    return judge_by_splits(search, score.alpha, info);
}

static volt_status fit_multinomial(volt_class_search *search, volt_classifier *fitted)
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

static volt_status search_and_fit(volt_class_search *search, volt_classifier *fitted)
{
    volt_class_choice choice;
    volt_classifier_info *info = &fitted->info;
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

static volt_classifier_kernel describe_part(const class_part *part)
{
    volt_objects_options way = part->objects->options;
    return (volt_classifier_kernel){volt_kernel_text(part->kernel), way.scale, way.input, way.compare};
}

static void fill_info(int64_t series, int64_t classes, double begun, volt_classifier *fitted)
{
    volt_classifier_info *info = &fitted->info;
    for (int64_t p = 0; p < fitted->n_parts; p++)
        fitted->kernels[p] = describe_part(&fitted->parts[p]);
    volt_classifier_kernel first = fitted->kernels[0];
    info->series = series;
    info->classes = classes;
    info->channels = fitted->parts[0].objects->channels;
    info->parts = fitted->n_parts;
    info->kernels = fitted->kernels;
    info->kernel = first.kernel;
    info->loss = fitted->loss ? fitted->loss->text : "squares";
    info->scale = first.scale;
    info->input = first.input;
    info->compare = first.compare;
    info->left_out_outputs = fitted->left_out;
    info->seconds = volt_seconds() - begun;
}

/* The matrices of one candidate. */
static volt_status require_memory(const volt_classify_options *options, int64_t count, int64_t n_classes)
{
    bool is_carried_by_all = options->landmarks == 0 || !volt_loss_is_squares(options->loss);
    double n = (double)count, q = (double)n_classes;
    double m = is_carried_by_all ? n : fmin(n, options->landmarks > 0 ? (double)options->landmarks : 500);
    return volt_memory_require(8 * n * (4 * m + 7 * q),
                               "the Gram matrix of the training series and its factor");
}

volt_status volt_classify_fit(const volt_view *series, int64_t count, const int64_t *classes, int64_t n_classes,
                              const volt_classify_options *options, volt_classifier **classifier)
{
    volt_classify_options standard = volt_classify_options_default();
    volt_blas_use use;
    double begun = volt_seconds();
    if (!options)
        options = &standard;
    VOLT_REQUIRE(classifier, VOLT_ERR_ARGUMENT, "the place for the classifier is NULL");
    VOLT_TRY(check_options(options));
    VOLT_TRY(check_classes(classes, count, n_classes));
    VOLT_TRY(require_memory(options, count, n_classes));
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    volt_class_list list = {count, n_classes, classes};
    volt_classifier *fitted = volt_alloc_zero(1, sizeof *fitted);
    volt_status status = fitted ? take_loss(options->loss, n_classes, &fitted->loss) : VOLT_ERR_MEMORY;
    volt_class_search search = {0};
    if (status == VOLT_OK)
        status = volt_class_search_open(&search, series, &list, options);
    if (status == VOLT_OK)
        status = search_and_fit(&search, fitted);
    volt_class_search_release(&search);
    volt_blas_release(&use);
    if (status == VOLT_OK) {
        fill_info(count, n_classes, begun, fitted);
        *classifier = fitted;
    } else {
        volt_classifier_free(fitted);
    }
    return status;
}

void volt_classifier_free(volt_classifier *classifier)
{
    if (!classifier)
        return;
    for (int64_t p = 0; p < VOLT_MOST_BLEND; p++)
        volt_kernel_free(classifier->parts[p].kernel);
    for (int64_t p = 0; p < VOLT_MOST_PREPARATIONS; p++)
        volt_objects_free(classifier->objects[p]);
    volt_loss_free(classifier->loss);
    volt_free(classifier->A);
    volt_free(classifier->c);
    volt_free(classifier->left_out);
    volt_free(classifier);
}

void volt_classifier_get_info(const volt_classifier *classifier, volt_classifier_info *info)
{
    *info = classifier->info;
}

/* ---- predict ---------------------------------------------------------------------------------- */

static void read_out(const volt_classifier *classifier, volt_view C, int64_t i, double *u)
{
    int64_t n = classifier->columns, q = classifier->info.classes;
    for (int64_t k = 0; k < q; k++)
        u[k] = classifier->c[k];
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < q; k++)
            u[k] += C.data[i * C.ld + j] * classifier->A[j * q + k];
    if (classifier->loss)
        volt_loss_link(classifier->loss, q, u);
}

/* The mean over the parts into C, of which K is one. */
static volt_status add_part(const volt_classifier *classifier, int64_t p, const volt_view *series,
                            int64_t count, const volt_progress *progress, volt_matrix K, volt_matrix C)
{
    const class_part *part = &classifier->parts[p];
    VOLT_TRY(volt_objects_cross(part->objects, part->kernel, series, count, progress, K, NULL));
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        C.data[i] += K.data[i] / (double)classifier->n_parts;
    return VOLT_OK;
}

volt_status volt_classifier_predict(const volt_classifier *classifier, const volt_view *series, int64_t count,
                                    const volt_progress *progress, volt_matrix outputs, int64_t *classes)
{
    VOLT_REQUIRE(classifier, VOLT_ERR_ARGUMENT, "the classifier is NULL");
    int64_t n = classifier->columns, q = classifier->info.classes;
    VOLT_REQUIRE(series && count > 0, VOLT_ERR_SHAPE, "the collection is empty");
    VOLT_REQUIRE(outputs.data && outputs.rows == count && outputs.cols == q && outputs.ld >= q, VOLT_ERR_SHAPE,
                 "the outputs are %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64, outputs.rows,
                 outputs.cols, count, q);
    VOLT_TRY(
        volt_memory_require(16.0 * (double)count * (double)n, "the matrices of new against training series"));
    volt_matrix C = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    volt_matrix K = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    volt_status status = C.data && K.data ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count * n && status == VOLT_OK; i++)
        C.data[i] = 0;
    for (int64_t p = 0; p < classifier->n_parts && status == VOLT_OK; p++)
        status = add_part(classifier, p, series, count, progress, K, C);
    for (int64_t i = 0; i < count && status == VOLT_OK; i++) {
        double *u = outputs.data + i * outputs.ld;
        read_out(classifier, volt_as_view(C), i, u);
        if (classes)
            classes[i] = volt_class_of_largest(u, q);
    }
    volt_free(C.data);
    volt_free(K.data);
    return status;
}

volt_status volt_classifier_probabilities(const volt_classifier *classifier, volt_matrix outputs)
{
    VOLT_REQUIRE(classifier, VOLT_ERR_ARGUMENT, "the classifier is NULL");
    int64_t q = classifier->info.classes;
    VOLT_REQUIRE(outputs.data && outputs.rows > 0 && outputs.cols == q && outputs.ld >= q, VOLT_ERR_SHAPE,
                 "the outputs are %" PRId64 " x %" PRId64 ", and must have %" PRId64 " columns", outputs.rows,
                 outputs.cols, q);
    for (int64_t i = 0; i < outputs.rows && !classifier->loss; i++)
        volt_class_softmax(outputs.data + i * outputs.ld, q, classifier->info.temperature);
    return VOLT_OK;
}
