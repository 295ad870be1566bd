/* src/fit/fit_loss.c: target columns, weights and readout of a fit with a loss. */
#include "fit/fit_task.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DEFAULT_TOLERANCE 1e-6

/* ---- options ---------------------------------------------------------------------------------- */

static volt_status check_options(const volt_loss_fit *fit, volt_view Y)
{
    const volt_fit_options *options = &fit->options;
    const char *text = fit->loss->text;
    const volt_loss_info *info = &fit->loss->kind->info;
    VOLT_REQUIRE(options->tolerance > 0 && options->tolerance < 1, VOLT_ERR_ARGUMENT,
                 "the tolerance must be between 0 and 1 (got %g)", options->tolerance);
    VOLT_REQUIRE(!options->guarded, VOLT_ERR_ARGUMENT,
                 "the guard (naive forecast if better on held-out rows) requires squares without weights "
                 "(the loss is %s)",
                 text);
    VOLT_REQUIRE(options->target != VOLT_TARGET_CHANGE || !info->unscaled, VOLT_ERR_ARGUMENT,
                 "loss %s cannot learn the change of a target", text);
    VOLT_REQUIRE(!info->classes || Y.cols == 1, VOLT_ERR_SHAPE,
                 "loss %s requires one target, but there are %" PRId64, text, Y.cols);
    VOLT_REQUIRE(info->classes || options->n_classes == 0, VOLT_ERR_ARGUMENT,
                 "names of %" PRId64 " classes are given, but loss %s has no classes", options->n_classes,
                 text);
    VOLT_REQUIRE(!options->feedback || !info->classes, VOLT_ERR_ARGUMENT,
                 "outputs of loss %s are probabilities and cannot be the next inputs", text);
    VOLT_REQUIRE(options->feedback_weight == 0 || (!info->unscaled && fit->loss->count < 2), VOLT_ERR_ARGUMENT,
                 "outputs of loss %s differ from its targets and cannot be fed back", text);
    return VOLT_OK;
}

/* ---- columns of targets ----------------------------------------------------------------------- */

/* NAME.PART */
static volt_status join_name(const char *name, const char *part, char **joined)
{
    volt_text_buffer text = {0};
    volt_text_put(&text, name);
    volt_text_put(&text, ".");
    volt_text_put(&text, part);
    *joined = text.bytes;
    return text.failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

/* Repeats every target once per level. */
static volt_status repeat_targets(volt_view Y, volt_loss_fit *fit)
{
    const double *levels = fit->loss->values;
    const volt_fit_options *given = &fit->options;
    int64_t count = fit->loss->count, q = Y.cols * count;
    char part[VOLT_NUMBER_LENGTH + 1] = "q";
    fit->targets = volt_alloc_doubles(Y.rows, q);
    fit->anchors = given->anchors ? volt_alloc(q, sizeof *fit->anchors) : NULL;
    fit->names = given->output_names ? volt_alloc_zero(q, sizeof *fit->names) : NULL;
    if (!fit->targets || (given->anchors && !fit->anchors) || (given->output_names && !fit->names))
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < q; k++)
            fit->targets[i * q + k] = Y.data[i * Y.ld + k / count];
    fit->Y = volt_view_of(fit->targets, Y.rows, q);
    for (int64_t k = 0; k < q; k++) {
        if (fit->anchors)
            fit->anchors[k] = given->anchors[k / count];
        volt_format_number(levels[k % count], part + 1);
        if (fit->names)
            VOLT_TRY(join_name(given->output_names[k / count], part, &fit->names[k]));
    }
    return VOLT_OK;
}

/* Rows of weight 0 are not fitted, whatever their target. */
static bool counts(const volt_loss_fit *fit, int64_t row)
{
    return !fit->options.weights || fit->options.weights[row] != 0;
}

/* Finds the distinct values of the fitted rows, ascending, at most VOLT_MAX_LEVELS. */
static volt_status find_classes(volt_view Y, const volt_loss_fit *fit, double values[VOLT_MAX_LEVELS],
                                int64_t *count)
{
    *count = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        double y = Y.data[i * Y.ld];
        int64_t at = 0;
        while (at < *count && values[at] != y)
            at++;
        if (at < *count || isnan(y) || !counts(fit, i))
            continue;
        VOLT_REQUIRE(*count < VOLT_MAX_LEVELS, VOLT_ERR_DATA, "the target has more than %d classes (loss %s)",
                     VOLT_MAX_LEVELS, fit->loss->text);
        values[(*count)++] = y;
    }
    volt_sort(values, *count);
    return VOLT_OK;
}

static volt_status name_classes(volt_loss_fit *fit, const double *values, int64_t count)
{
    const volt_fit_options *given = &fit->options;
    char number[VOLT_NUMBER_LENGTH];
    fit->n_classes = count;
    fit->classes = volt_alloc_zero(count, sizeof *fit->classes);
    fit->names = volt_alloc_zero(count, sizeof *fit->names);
    if (!fit->classes || !fit->names)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        const char *name = given->n_classes > 0 ? given->classes[k] : volt_format_number(values[k], number);
        fit->classes[k] = volt_strdup(name);
        if (!fit->classes[k])
            return VOLT_ERR_MEMORY;
        if (given->output_names) {
            VOLT_TRY(join_name(given->output_names[0], name, &fit->names[k]));
        } else {
            fit->names[k] = volt_strdup(name);
            if (!fit->names[k])
                return VOLT_ERR_MEMORY;
        }
    }
    return VOLT_OK;
}

/* One column per class: 1 for rows of the class, else 0. A loss that fits one function for two classes has
 * -1 and 1 in the second column. */
static volt_status split_classes(volt_view Y, volt_loss_fit *fit)
{
    const char *text = fit->loss->text;
    int64_t first = volt_loss_first_column(fit->loss), most = fit->loss->kind->info.classes;
    double values[VOLT_MAX_LEVELS];
    int64_t q = fit->options.n_classes;
    VOLT_REQUIRE(q <= VOLT_MAX_LEVELS, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " classes are given, but the maximum is %d", q, VOLT_MAX_LEVELS);
    for (int64_t i = 0; i < Y.rows; i++)
        if (counts(fit, i)) {
            double y = Y.data[i * Y.ld];
            VOLT_REQUIRE(!isinf(y), VOLT_ERR_NOT_FINITE, "the class of row %" PRId64 " is not finite", i + 1);
            if (q > 0)
                VOLT_TRY(volt_loss_check_class(y, i, q));
        }
    if (q == 0)
        VOLT_TRY(find_classes(Y, fit, values, &q));
    for (int64_t k = 0; fit->options.n_classes > 0 && k < q; k++)
        values[k] = (double)k;
    VOLT_REQUIRE(q >= 2, VOLT_ERR_DATA, "all targets have the same class, but loss %s requires at least two",
                 text);
    VOLT_REQUIRE(q <= most, VOLT_ERR_DATA,
                 "the targets have %" PRId64 " classes, but loss %s supports at most %" PRId64
                 ": use multinomial",
                 q, text, most);
    VOLT_TRY(name_classes(fit, values, q));
    fit->targets = volt_alloc_doubles(Y.rows, q);
    fit->labels = volt_alloc_doubles(Y.rows, 1);
    if (!fit->targets || !fit->labels)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++) {
        double y = counts(fit, i) ? Y.data[i * Y.ld] : NAN, other = first > 0 ? -1 : 0;
        fit->labels[i] = NAN;
        for (int64_t k = 0; k < q; k++) {
            fit->targets[i * q + k] = isnan(y) ? NAN : k < first ? 0 : y == values[k] ? 1 : other;
            if (y == values[k])
                fit->labels[i] = (double)k;
        }
    }
    fit->Y = volt_view_of(fit->targets, Y.rows, q);
    fit->truth = volt_view_of(fit->labels, Y.rows, 1);
    return VOLT_OK;
}

static volt_status check_targets(const volt_loss_fit *fit, volt_view Y)
{
    const volt_loss_kind *kind = fit->loss->kind;
    for (int64_t i = 0; kind->check && i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            if (!isnan(Y.data[i * Y.ld + k]) && counts(fit, i))
                VOLT_TRY(kind->check(Y.data[i * Y.ld + k], i));
    return VOLT_OK;
}

volt_status volt_loss_fit_begin(volt_view Y, const volt_fit_options *options, volt_loss_fit *fit)
{
    *fit = (volt_loss_fit){.options = *options, .Y = Y, .truth = Y};
    if (volt_loss_is_squares(options->loss) && !options->weights)
        return VOLT_OK;
    VOLT_TRY(volt_loss_parse(options->loss ? options->loss : "squares", &fit->loss));
    if (fit->options.tolerance == 0)
        fit->options.tolerance = DEFAULT_TOLERANCE;
    VOLT_TRY(check_options(fit, Y));
    if (!Y.data)
        return VOLT_OK; /* reported later, with all missing targets */
    VOLT_TRY(check_targets(fit, Y));
    const volt_loss_info *info = &fit->loss->kind->info;
    if (info->classes)
        VOLT_TRY(split_classes(Y, fit));
    else if (fit->loss->count > 1)
        VOLT_TRY(repeat_targets(Y, fit));
    if (info->unscaled)
        fit->options.anchors = NULL; /* changes are not learned for this loss */
    else if (fit->anchors)
        fit->options.anchors = fit->anchors;
    if (fit->names)
        fit->options.output_names = (const char *const *)fit->names;
    return VOLT_OK;
}

volt_status volt_loss_fit_anchors(volt_fit_options *options)
{
    volt_loss *loss = NULL;
    if (!options->loss)
        return VOLT_OK;
    VOLT_TRY(volt_loss_parse(options->loss, &loss));
    bool unscaled = loss->kind->info.unscaled != 0;
    volt_loss_free(loss);
    VOLT_REQUIRE(!unscaled || options->target != VOLT_TARGET_CHANGE, VOLT_ERR_ARGUMENT,
                 "loss %s cannot learn the change of a target", options->loss);
    if (unscaled)
        options->anchors = NULL;
    return VOLT_OK;
}

void volt_loss_fit_release(volt_loss_fit *fit)
{
    volt_names_free(fit->names, fit->n_classes > 0 ? fit->n_classes : fit->Y.cols);
    volt_names_free(fit->classes, fit->n_classes);
    volt_free(fit->targets);
    volt_free(fit->labels);
    volt_free(fit->anchors);
    volt_loss_free(fit->loss);
}

/* ---- weights ---------------------------------------------------------------------------------- */

bool volt_loss_fit_has_class(const volt_loss_fit *fit, const double *weights, int64_t begin, int64_t end,
                             int64_t k)
{
    for (int64_t i = begin; i < end; i++)
        if (fit->labels[i] == (double)k && (!weights || weights[i] > 0))
            return true;
    return false;
}

volt_status volt_loss_fit_weights(const volt_loss_fit *fit, const volt_missing_targets *missing_targets,
                                  double **weights)
{
    int64_t n = fit->Y.rows;
    const double *given = fit->options.weights;
    double sum = 0, *made = NULL;
    VOLT_TRY(volt_loss_check_weights(given, n));
    for (int64_t i = fit->options.washout; given && i < n; i++)
        sum += missing_targets->without && missing_targets->without[i] ? 0 : given[i];
    VOLT_REQUIRE(!given || sum > 0, VOLT_ERR_DATA,
                 "the weights of the fitted rows sum to 0; at least one must be positive");
    VOLT_REQUIRE(isfinite(sum), VOLT_ERR_ARGUMENT, "the sum of the weights is too large for a double");
    if (given || missing_targets->without) {
        made = volt_alloc_doubles(n, 1);
        if (!made)
            return VOLT_ERR_MEMORY;
        for (int64_t i = 0; i < n; i++)
            made[i] = missing_targets->without && missing_targets->without[i] ? 0 : given ? given[i] : 1;
    }
    for (int64_t k = 0; k < fit->n_classes; k++)
        if (!volt_loss_fit_has_class(fit, made, fit->options.washout, n, k)) {
            volt_free(made);
            return volt_fail(VOLT_ERR_DATA, "no fitted row has class \"%s\"; loss %s requires all classes",
                             fit->classes[k], fit->loss->text);
        }
    *weights = made;
    return VOLT_OK;
}

/* ---- the readout ------------------------------------------------------------------------------ */

/* Converts to predictions: K A of the washout rows, u of the others. */
static volt_status finish_fitted(const fit_task *task, const volt_model *model, volt_matrix fitted)
{
    volt_view X = task->X;
    for (int64_t i = 0; i < model->n; i++) {
        double *row = fitted.data + i * fitted.ld;
        for (int64_t k = 0; i >= model->washout && k < model->q; k++)
            row[k] -= model->intercepts[k];
        VOLT_TRY(volt_model_finish_output(model, i, X.data + i * X.ld, row));
    }
    return VOLT_OK;
}

/* Report without held-out rows. */
static void make_report(volt_model *model)
{
    int64_t q = model->q;
    double *numbers = model->report_numbers;
    for (int64_t k = 0; k < q; k++) {
        numbers[k] = numbers[q + k] = numbers[2 * q + k] = NAN;
        numbers[6 * q + k] = numbers[7 * q + k] = numbers[8 * q + k] = NAN;
        numbers[3 * q + k] = 1;
        for (int64_t j = 11; j < VOLT_REPORT_NUMBERS; j++)
            numbers[j * q + k] = NAN;
    }
    model->report = (volt_fit_report){.struct_size = sizeof(volt_fit_report),
                                      .heldout_r2 = NAN,
                                      .log_likelihood = NAN,
                                      .naive_r2 = NAN,
                                      .solver = volt_solver_exact.info.name,
                                      .residual = NAN};
    volt_fit_report_numbers(model);
    model->has_report = true;
}

volt_status volt_loss_fit_solve(const fit_task *task, volt_loss_fit *fit, const volt_solver *solver,
                                volt_view Z, volt_matrix fitted, volt_model *model)
{
    int64_t w = model->washout, q = model->q, fitted_rows = model->n - w;
    bool intercept = model->intercept || model->resolved.centred;
    volt_matrix A = volt_matrix_of(model->coefficients + w * q, fitted_rows, q);
    double *unlearned = volt_alloc_doubles(q, 1);
    if (!unlearned)
        return VOLT_ERR_MEMORY;
    memset(model->coefficients, 0, (size_t)(w * q) * sizeof(double));
    volt_fit_task_scale_targets(task, model, task->change, A);
    volt_loss_task loss = {.loss = fit->loss,
                           .units = model->target_scale,
                           .weights = task->weights ? task->weights + w : NULL,
                           .tolerance = task->options->tolerance};
    volt_solver_task solved = {.washout = w,
                               .alpha = task->options->alpha,
                               .intercept = intercept,
                               .common = intercept ? model->resolved.common : 0,
                               .centred = model->resolved.centred && !model->intercept,
                               .progress = task->options->progress,
                               .loss = &loss};
    volt_readout readout = {.A = A,
                            .intercepts = model->intercepts,
                            .unlearned = unlearned,
                            .washout_fitted = volt_matrix_rows(fitted, 0, w),
                            .fitted = volt_matrix_rows(fitted, w, fitted_rows)};
    volt_status status = volt_kernel_operator(&model->resolved, model->columns, Z, false, &solved.kernel);
    if (status == VOLT_OK)
        status = solver->solve(&solved, &readout);
    if (status == VOLT_OK)
        status = volt_kernel_operator_end(solved.kernel, &model->end);
    volt_operator_free(solved.kernel);
    volt_free(unlearned);
    VOLT_TRY(status);
    for (int64_t k = 0; k < q; k++) {
        model->alphas[k] = readout.alpha;
        if (task->change)
            volt_fit_task_take_change(task, k, model);
    }
    model->rcond = readout.rcond;
    model->objective = readout.objective;
    model->gap = readout.gap;
    model->tolerance = task->options->tolerance;
    model->loss = fit->loss;
    model->classes = fit->classes;
    model->n_classes = fit->n_classes;
    fit->loss = NULL;
    fit->classes = NULL;
    make_report(model);
    return fitted.data ? finish_fitted(task, model, fitted) : VOLT_OK;
}
