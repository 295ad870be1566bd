/* src/select/folds/fold_loss.c: fits training parts one by one and scores their blocks by the loss. */
#include "select/folds/fold_loss.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "select/folds/cross_validation.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------------------- */

volt_search_options volt_fold_loss_options(const volt_search_options *options)
{
    volt_search_options opts = *options;
    if (!volt_loss_is_squares(opts.loss) && opts.score == VOLT_SCORE_R2)
        opts.score = VOLT_SCORE_LOSS;
    return opts;
}

/* The scores that the loss and the weights support. */
static volt_status check_score(const volt_search_options *options)
{
    const char *name = volt_score_name(options->score), *loss = options->loss ? options->loss : "squares";
    bool squared = options->score == VOLT_SCORE_R2 || options->score == VOLT_SCORE_NMSE ||
                   options->score == VOLT_SCORE_MSE;
    VOLT_REQUIRE(options->score == VOLT_SCORE_LOSS || volt_loss_is_squares(loss), VOLT_ERR_ARGUMENT,
                 "the score %s requires squared loss: with loss %s the score is that loss", name, loss);
    VOLT_REQUIRE(options->score == VOLT_SCORE_LOSS || squared, VOLT_ERR_ARGUMENT,
                 "the score %s does not support weights of the rows: r2, nmse and mse do", name);
    return VOLT_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

void volt_fold_loss_free(volt_fold_loss *loss)
{
    if (!loss)
        return;
    volt_loss_fit_release(&loss->fit);
    volt_free(loss);
}

volt_status volt_fold_loss_create(volt_view Y, const volt_search_options *options, volt_fold_loss **loss)
{
    volt_fit_options fit = volt_fit_options_default();
    if (volt_loss_is_squares(options->loss) && !options->weights && options->score != VOLT_SCORE_LOSS)
        return VOLT_OK;
    fit.loss = options->loss;
    fit.tolerance = options->tolerance;
    fit.weights = options->weights;
    fit.classes = options->classes;
    fit.n_classes = options->n_classes;
    fit.washout = options->washout;
    fit.target = options->base.data ? VOLT_TARGET_CHANGE : VOLT_TARGET_LEVEL;
    volt_fold_loss *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->weights = options->weights;
    volt_status status = volt_loss_fit_begin(Y, &fit, &fresh->fit);
    if (status == VOLT_OK)
        status = check_score(options);
    if (status == VOLT_OK && !fresh->fit.loss) /* squares, scored as a loss */
        status = volt_loss_parse("squares", &fresh->fit.loss);
    if (status == VOLT_OK)
        status = volt_loss_check_weights(options->weights, Y.rows);
    if (status == VOLT_OK)
        *loss = fresh;
    else
        volt_fold_loss_free(fresh);
    return status;
}

/* ---- checks of the parts ---------------------------------------------------------------------------- */

static double weight_of_rows(const volt_fold_loss *loss, int64_t begin, int64_t end)
{
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += loss->weights ? loss->weights[i] : 1;
    return sum;
}

volt_status volt_fold_loss_check(const volt_problem *problem)
{
    const volt_fold_loss *loss = problem->loss;
    for (int64_t f = 0; loss && f < problem->n_splits; f++) {
        const volt_split *split = &problem->splits[f];
        int64_t begin = split->train_begin + problem->washout, end = split->train_end;
        double trains = weight_of_rows(loss, begin, end),
               tests = weight_of_rows(loss, split->begin, split->end);
        VOLT_REQUIRE(trains > 0, VOLT_ERR_DATA,
                     "fold %" PRId64 " trains on rows %" PRId64 " to %" PRId64
                     ", whose weights sum to 0 (at least one must be positive)",
                     f + 1, begin + 1, end);
        VOLT_REQUIRE(tests > 0, VOLT_ERR_DATA,
                     "fold %" PRId64 " is validated on rows %" PRId64 " to %" PRId64
                     ", whose weights sum to 0 (at least one must be positive)",
                     f + 1, split->begin + 1, split->end);
        VOLT_REQUIRE(isfinite(trains) && isfinite(tests), VOLT_ERR_ARGUMENT,
                     "the sum of the weights is too large for a double");
        for (int64_t k = 0; k < loss->fit.n_classes; k++)
            VOLT_REQUIRE(volt_loss_fit_has_class(&loss->fit, loss->weights, begin, end, k), VOLT_ERR_DATA,
                         "fold %" PRId64 " trains on rows %" PRId64 " to %" PRId64
                         ", which do not include class \"%s\" (loss %s requires all classes): use "
                         "fewer folds or a longer first training part",
                         f + 1, begin + 1, end, loss->fit.classes[k], loss->fit.loss->text);
    }
    return VOLT_OK;
}

/* ---- one fold --------------------------------------------------------------------------------- */

/* If the duality gap exceeds this share of the objective, the fit is not valid for its alpha: alphas so
 * small that classes have hardly a minimum. */
static const double OPEN = 1e-3;

/* On one thread: candidates are evaluated in parallel, and results must not depend on the number of threads. */
static volt_status minimise_alone(volt_matrix K, const volt_loss_task *task, volt_loss_result *result)
{
    enum { MAX_CONCURRENT_ROWS = 8192 }; /* larger ones run one after the other, on all threads */
    int64_t previous = 0;
    if (K.rows > MAX_CONCURRENT_ROWS)
        return volt_loss_minimise_outputs(K, task, result);
    VOLT_TRY(volt_set_threads_local(1, &previous));
    volt_status status = volt_loss_minimise_outputs(K, task, result);
    volt_set_threads_local(previous, NULL);
    return status;
}

/* Readout A (m x q) and intercepts c (q) of all outputs. */
static volt_status fit_part(const volt_problem *problem, const volt_workspace *space,
                            const volt_loss_part *part, volt_matrix A, double *c, double *flops)
{
    const volt_fold_loss *loss = problem->loss;
    int64_t m = part->K.rows, q = problem->q, fitted = q - volt_loss_first_column(loss->fit.loss);
    volt_matrix K = volt_matrix_of(space->part, m, m);
    for (int64_t i = 0; i < m; i++)
        memcpy(K.data + i * m, part->K.data + i * part->K.ld, (size_t)(i + 1) * sizeof(double));
    volt_loss_task task = {.loss = loss->fit.loss,
                           .Y = volt_view_of(problem->Y + part->first * q, m, q),
                           .units = problem->target_scale,
                           .weights = loss->weights ? loss->weights + part->first : NULL,
                           .alpha = part->alpha,
                           .common = part->common,
                           .tolerance = loss->fit.options.tolerance,
                           .intercept = part->intercept,
                           .tried = true,
                           .progress = volt_stage_polled(part->stage), /* of all evaluations */
                           .share = 1};
    volt_loss_result result = {.A = A, .U = volt_matrix_of(space->W, m, q), .c = c};
    VOLT_TRY(minimise_alone(K, &task, &result));
    VOLT_REQUIRE(result.gap <= fmax(OPEN, task.tolerance) * fabs(result.objective), VOLT_ERR_SINGULAR,
                 "loss %s with alpha %g: the duality gap is still %.2g of the objective after %" PRId64
                 " steps",
                 loss->fit.loss->text, part->alpha, result.gap / fabs(result.objective),
                 result.steps + result.newton_steps);
    *flops = pow((double)m, 3) / 3 + 4 * (double)(m * m * fitted) * (double)result.steps;
    return VOLT_OK;
}

/* Predictions of the block, in the units of the problem's targets. */
static void forecast_block(const volt_loss_part *part, volt_view A, const double *c, volt_matrix out)
{
    for (int64_t i = 0; i < out.rows; i++)
        memcpy(out.data + i * out.ld, c, (size_t)out.cols * sizeof *c);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)out.rows, (volt_blas_int)out.cols,
                (volt_blas_int)A.rows, 1, part->cross.data, (volt_blas_int)part->cross.ld, A.data,
                (volt_blas_int)A.ld, 1, out.data, (volt_blas_int)out.ld);
}

/* ---- scores ----------------------------------------------------------------------------------- */

/* For one output with squares: weighted squared error over weighted variance. Constant targets give 0 or 1, as in volt_r2;
 * the rounding of their mean is ignored. */
static double weighted_nmse(const volt_problem *problem, const volt_split *split, const double *weights,
                            volt_matrix out, int64_t k)
{
    int64_t q = problem->q;
    const double *y = problem->Y + split->begin * q + k;
    const double *level = (problem->levels ? problem->levels : problem->Y) + split->begin * q + k;
    double total = 0, mean = 0, error = 0, variance = 0, low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < out.rows; i++)
        total += weights ? weights[i] : 1;
    for (int64_t i = 0; i < out.rows; i++)
        mean += (weights ? weights[i] : 1) * level[i * q] / total;
    for (int64_t i = 0; i < out.rows; i++) {
        double w = (weights ? weights[i] : 1) / total, e = y[i * q] - out.data[i * out.ld + k];
        error += w * e * e;
        variance += w * (level[i * q] - mean) * (level[i * q] - mean);
        low = w > 0 ? fmin(low, level[i * q]) : low;
        high = w > 0 ? fmax(high, level[i * q]) : high;
    }
    if (problem->score == VOLT_SCORE_MSE)
        return error * problem->target_scale[k] * problem->target_scale[k];
    return high > low && variance > 0 ? error / variance : error > 0;
}

static double squares_score(const volt_problem *problem, const volt_split *split, const double *weights,
                            volt_matrix out)
{
    double sum = 0;
    for (int64_t k = 0; k < problem->q; k++)
        sum += weighted_nmse(problem, split, weights, out, k) / (double)problem->q;
    return problem->score == VOLT_SCORE_R2 ? 1 - sum : sum;
}

/* Every loss of a difference is the same for changes and for levels, so the base is ignored. */
static volt_status loss_score(const volt_problem *problem, const volt_split *split, const double *weights,
                              volt_matrix out, double *score)
{
    const volt_fold_loss *loss = problem->loss;
    volt_view truth = volt_view_rows(loss->fit.truth, split->begin, split->end - split->begin);
    for (int64_t i = 0; i < out.rows; i++) {
        double *u = out.data + i * out.ld;
        for (int64_t k = 0; k < out.cols; k++)
            u[k] = problem->target_mean[k] + problem->target_scale[k] * u[k];
        volt_loss_link(loss->fit.loss, out.cols, u);
    }
    return volt_loss_score(loss->fit.loss, truth, volt_as_view(out), weights, score);
}

volt_status volt_fold_loss_score(const volt_problem *problem, const volt_workspace *space,
                                 const volt_loss_part *part, double *score, double *flops)
{
    const volt_split *split = part->split;
    int64_t m = part->K.rows, q = problem->q;
    VOLT_REQUIRE(!part->centred, VOLT_ERR_ARGUMENT,
                 "a centred kernel without an intercept requires squares without weights (the loss is %s)",
                 problem->loss->fit.loss->text);
    volt_matrix A = volt_matrix_of(space->D, m, q);
    volt_matrix out = volt_matrix_of(space->forecast, split->end - split->begin, q);
    double *c = space->part + m * m, value = 0;
    const double *weights = problem->loss->weights ? problem->loss->weights + split->begin : NULL;
    VOLT_TRY(fit_part(problem, space, part, A, c, flops));
    forecast_block(part, volt_as_view(A), c, out);
    if (problem->score == VOLT_SCORE_LOSS)
        VOLT_TRY(loss_score(problem, split, weights, out, &value));
    else
        value = squares_score(problem, split, weights, out);
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE,
                 "the forecasts for rows %" PRId64 " to %" PRId64 " are too large for a double",
                 split->begin + 1, split->end);
    *score = value;
    return VOLT_OK;
}
