/* src/task/curve_repeat.c: held-out errors of one kernel for all training sizes of a repeat.
 *
 * The training sets are leading blocks of the rows, so for each alpha one factor (solve/exact/factor.h) that
 * grows from size to size gives
 *
 *     the errors of the rows held out within every training set, which choose alpha (solve/choice/choice.h),
 *     the predictions of the held-out rows of the repeat, L[held out, :m] D + c.
 *
 * The rows held out within a training set are divided into blocks as in a fit, so every size has its own
 * errors. */
#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/fit_task.h"
#include "gram/engine/columns.h"
#include "kernel/kernel_entry.h"
#include "model/initial.h"
#include "model/scaling.h"
#include "solve/choice/choice.h"
#include "solve/landmark/placement.h"
#include "stats/stats_internal.h"
#include "task/curve_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- data shared by all kernels --------------------------------------------------------------- */

/* The columns as in a fit. The mean of the inputs is computed from the training rows. */
static volt_status prepare_columns(const volt_curve_task *task, volt_view X, volt_view Y,
                                   volt_curve_repeat *repeat)
{
    int64_t learn_rows = task->washout + volt_curve_train(task);
    volt_fit_options fit = *task->fit;
    if (fit.initial == VOLT_INITIAL_MEAN) {
        VOLT_TRY(volt_initial_values(fit.initial, NULL, volt_view_rows(X, 0, learn_rows), &repeat->initial));
        fit.initial = VOLT_INITIAL_VALUES;
        fit.initial_values = repeat->initial;
    }
    return volt_prepare(X, Y, &fit, learn_rows, &repeat->prepared);
}

/* Changes have no mean. */
static void scale_targets(const volt_curve_task *task, volt_curve_repeat *repeat)
{
    const volt_prepared *prepared = repeat->prepared;
    volt_view Y = prepared->Y, base = prepared->base;
    volt_view train = volt_view_rows(Y, 0, task->washout + volt_curve_train(task));
    volt_target_scale_learn(train, !task->fit->scale, repeat->mean, repeat->target_scale);
    if (!task->fit->scale)
        volt_target_scale_powers(train, repeat->target_scale);
    for (int64_t k = 0; base.data && k < Y.cols; k++)
        repeat->mean[k] = 0;
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double unit = repeat->target_scale[k], *y = &repeat->targets[i * Y.cols + k];
            *y = (Y.data[i * Y.ld + k] - repeat->mean[k]) / unit;
            if (base.data)
                repeat->levels[i * Y.cols + k] = *y + base.data[i * base.ld + k] / unit;
        }
}

volt_status volt_curve_repeat_begin(const volt_curve_task *task, volt_view X, volt_view Y,
                                    volt_curve_repeat *repeat)
{
    VOLT_TRY(prepare_columns(task, X, Y, repeat));
    repeat->targets = volt_alloc_doubles(Y.rows, Y.cols);
    repeat->mean = volt_alloc_doubles(Y.cols, 1);
    repeat->target_scale = volt_alloc_doubles(Y.cols, 1);
    bool has_base = repeat->prepared->base.data != NULL;
    if (has_base)
        repeat->levels = volt_alloc_doubles(Y.rows, Y.cols);
    if (!repeat->targets || !repeat->mean || !repeat->target_scale || (has_base && !repeat->levels))
        return VOLT_ERR_MEMORY;
    scale_targets(task, repeat);
    return VOLT_OK;
}

void volt_curve_repeat_release(volt_curve_repeat *repeat)
{
    volt_prepared_free(repeat->prepared);
    volt_free(repeat->initial);
    volt_free(repeat->targets);
    volt_free(repeat->levels);
    volt_free(repeat->mean);
    volt_free(repeat->target_scale);
    *repeat = (volt_curve_repeat){0};
}

/* ---- a kernel on the rows --------------------------------------------------------------------- */

typedef struct curve_kernel {
    const volt_curve_task *task;
    const volt_curve_repeat *repeat;
    volt_kernel *kernel;
    double *Z;               /* rows x columns: scaled inputs */
    volt_sliced_rows sliced; /* the same as passed to the kernel */
    volt_resolved resolved;
    volt_columns *columns;
    volt_factor *factor;
    bool intercept;

    /* -- alphas -- */
    double alphas[VOLT_MAX_ALPHAS];
    int64_t n_alphas;
    int64_t done[VOLT_MAX_ALPHAS]; /* sizes for which the factorisation succeeded */
    double unit, least;

    /* -- memory -- */
    double *W, *D, *diagonal; /* of the factor: rows x (q + 1), train x q, rows */
    double *forecast;         /* test x q */
    double *errors;           /* n_alphas x held x q: errors of the held-out training rows of all sizes */
    double *nmse, *rmse;      /* n_alphas x n_sizes x q: of the held-out rows of the repeat */
    volt_chosen *chosen;      /* q */
} curve_kernel;

static void release(curve_kernel *c)
{
    volt_factor_free(c->factor);
    volt_columns_free(c->columns);
    volt_resolved_release(&c->resolved);
    volt_sliced_rows_release(&c->sliced);
    volt_kernel_free(c->kernel);
    double *const memory[] = {c->Z, c->W, c->D, c->diagonal, c->forecast, c->errors, c->nmse, c->rmse};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        volt_free(memory[i]);
    volt_free(c->chosen);
}

/* The initial input of the kernel, scaled. */
static volt_status use_past(curve_kernel *c, const volt_input_scale *scale)
{
    const volt_prepared *prepared = c->repeat->prepared;
    int64_t d = prepared->X.cols;
    volt_past past = {0};
    double *row = NULL;
    if (prepared->initial_values) {
        row = volt_alloc_doubles(d, 1);
        if (!row)
            return VOLT_ERR_MEMORY;
        volt_input_scale_row(scale, d, prepared->initial_values, row);
    }
    volt_status status = volt_initial_past(prepared->initial, row, d, &past);
    if (status == VOLT_OK)
        status = volt_kernel_use_past(c->kernel, &past);
    volt_past_release(&past);
    volt_free(row);
    return status;
}

/* Scales all rows by the training rows. */
static volt_status scale_inputs(curve_kernel *c)
{
    const volt_curve_task *task = c->task;
    volt_view X = c->repeat->prepared->X;
    volt_view train = volt_view_rows(X, 0, task->washout + volt_curve_train(task));
    volt_input_scale scale = {.shift = volt_alloc_doubles(X.cols, 1)};
    c->Z = volt_alloc_doubles(X.rows, X.cols);
    volt_status status =
        scale.shift && c->Z
            ? volt_input_scale_learn(train, !volt_kernel_keeps_origin(c->kernel), !task->fit->scale, &scale)
            : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        volt_input_scale_row(&scale, X.cols, X.data + i * X.ld, c->Z + i * X.cols);
    if (status == VOLT_OK)
        status = use_past(c, &scale);
    volt_free(scale.shift);
    return status;
}

/* Rows after the training rows are projected onto the ball, as by VOLT_BEYOND_CLIP. */
static void clip_later_rows(const curve_kernel *c, double *rows, int64_t ld)
{
    int64_t d = c->repeat->prepared->X.cols, slices = volt_kernel_slices(c->kernel);
    for (int64_t i = c->task->washout + volt_curve_train(c->task); i < c->sliced.rows.rows; i++)
        for (int64_t s = 0; s < slices; s++) {
            double *z = rows + i * ld + s * d, norm = volt_row_norm(z, d);
            double radius = volt_slice_radius(&c->resolved, s);
            if (volt_is_within(norm, radius, d) || !(volt_slice_gain(&c->resolved, s, norm) >= 0))
                continue;
            for (int64_t j = 0; j < d; j++)
                z[j] *= radius / norm;
        }
}

/* The rows as passed to the kernel, and the kernel resolved on the training rows. */
static volt_status make_rows(curve_kernel *c)
{
    const volt_curve_task *task = c->task;
    int64_t d = c->repeat->prepared->X.cols, rows = volt_curve_rows(task);
    int64_t train = task->washout + volt_curve_train(task), slices = volt_kernel_slices(c->kernel);
    volt_extent extents[VOLT_MAX_FACTORS];
    VOLT_TRY(scale_inputs(c));
    VOLT_TRY(volt_sliced_rows_make(c->kernel, volt_view_of(c->Z, rows, d), NULL, 0, "the inputs", &c->sliced));
    VOLT_TRY(volt_extents_of(volt_view_rows(c->sliced.rows, 0, train), slices, "the inputs", extents));
    VOLT_TRY(volt_kernel_resolve_slices(c->kernel, extents, d, &c->resolved));
    clip_later_rows(c, c->sliced.filtered ? c->sliced.filtered : c->Z, c->sliced.rows.ld);
    c->intercept = task->fit->intercept != 0;
    VOLT_REQUIRE(c->intercept || !c->resolved.centred, VOLT_ERR_ARGUMENT,
                 "a learning curve of a centred kernel requires an intercept");
    return VOLT_OK;
}

static volt_held_out held_out_rows(const curve_kernel *c, int64_t size)
{
    const volt_fit_options *fit = c->task->fit;
    volt_held_out held = {.ahead = volt_max(fit->ahead, 1),
                          .blocks = volt_fit_task_blocks(fit, c->repeat->prepared->Y.cols)};
    volt_held_out_rows(&held, size, NULL);
    return held;
}

/* Held-out rows of the sizes before size number s. */
static int64_t held_before(const curve_kernel *c, int64_t s)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < s; i++)
        rows += held_out_rows(c, c->task->sizes[i]).rows;
    return rows;
}

/* Errors of the held-out rows of size number s with alpha number a. */
static volt_matrix errors_of(const curve_kernel *c, int64_t a, int64_t s)
{
    int64_t q = c->repeat->prepared->Y.cols, row = a * held_before(c, c->task->n_sizes) + held_before(c, s);
    return volt_matrix_of(c->errors + row * q, held_out_rows(c, c->task->sizes[s]).rows, q);
}

static volt_status allocate(curve_kernel *c, int64_t q)
{
    const volt_curve_task *task = c->task;
    int64_t rows = volt_curve_rows(task), train = volt_curve_train(task), figures = task->n_sizes * q;
    int64_t held = held_before(c, task->n_sizes);
    char what[96];
    snprintf(what, sizeof what, "a learning curve of %" PRId64 " rows", rows);
    const volt_backend *backend =
        volt_place_solver(NULL, &(volt_work){.n = rows, .d = c->sliced.rows.cols, .factors = VOLT_MAX_ALPHAS});
    if (backend == &volt_cpu_backend)
        VOLT_TRY(volt_memory_require(volt_factor_bytes(rows, q), what));
    else
        VOLT_TRY(volt_place_require(backend, rows, what));
    c->W = volt_alloc_doubles(rows, q + 1);
    c->D = volt_alloc_doubles(train, q);
    c->diagonal = volt_alloc_doubles(rows, 1);
    c->forecast = volt_alloc_doubles(task->test, q);
    c->errors = volt_alloc_doubles(VOLT_MAX_ALPHAS * volt_max(held, 1), q);
    c->nmse = volt_alloc_doubles(VOLT_MAX_ALPHAS, figures);
    c->rmse = volt_alloc_doubles(VOLT_MAX_ALPHAS, figures);
    c->chosen = volt_alloc_zero(q, sizeof *c->chosen);
    if (!c->W || !c->D || !c->diagonal || !c->forecast || !c->errors || !c->nmse || !c->rmse || !c->chosen)
        return VOLT_ERR_MEMORY;
    return volt_factor_create(backend, NULL, rows, q, &c->factor);
}

/* Fills K of all rows, and lists the alphas. */
static volt_status fill(curve_kernel *c, volt_stage *stage, volt_factor_task *begun)
{
    const volt_curve_task *task = c->task;
    int64_t q = c->repeat->prepared->Y.cols, kept = volt_curve_rows(task) - task->washout;
    volt_operator *op = NULL;
    volt_matrix W = volt_matrix_of(c->W, kept, q);
    W.ld = q + 1;
    *begun = (volt_factor_task){.rows = volt_curve_rows(task),
                                .washout = task->washout,
                                .common = c->intercept ? c->resolved.common : 0,
                                .Y = volt_view_of(c->repeat->targets + task->washout * q, kept, q),
                                .W = W,
                                .u = c->intercept ? c->W + q : NULL,
                                .ld_u = q + 1,
                                .stage = stage};
    volt_factor_begin(c->factor, begun);
    VOLT_TRY(volt_columns_create(&c->resolved, c->sliced.rows, stage, &c->columns));
    VOLT_TRY(volt_kernel_operator(&c->resolved, c->columns, c->sliced.rows, true, &op));
    volt_status status = volt_factor_fill(c->factor, op);
    volt_operator_free(op);
    VOLT_TRY(status);
    volt_factor_keep(c->factor, 0, c->diagonal);
    int64_t train = volt_curve_train(task);
    c->unit = volt_alpha_unit(c->diagonal, train, train, &c->least);
    c->alphas[0] = task->fit->alpha;
    c->n_alphas = task->fit->alpha > 0 ? 1 : volt_alpha_list(VOLT_ALPHA_SQUARES, c->unit, c->least, c->alphas);
    return VOLT_OK;
}

/* ---- errors for one alpha --------------------------------------------------------------------- */

/* Errors of the held-out rows of the repeat, whose predictions are in c->forecast. */
static volt_status measure(const curve_kernel *c, double *nmse, double *rmse)
{
    const volt_curve_repeat *repeat = c->repeat;
    int64_t q = repeat->prepared->Y.cols, test = c->task->test, first = volt_curve_rows(c->task) - test;
    volt_view truth = volt_view_of(repeat->targets + first * q, test, q);
    volt_view forecast = volt_view_of(c->forecast, test, q);
    volt_view levels = repeat->levels ? volt_view_of(repeat->levels + first * q, test, q) : truth;
    for (int64_t k = 0; k < q; k++) {
        volt_output output = volt_output_of(truth, forecast, k), level = volt_output_of(levels, forecast, k);
        volt_squares squares = {0};
        for (int64_t i = 0; i < test; i++)
            volt_squares_add(&squares, truth.data[i * q + k] - forecast.data[i * q + k]);
        nmse[k] = volt_output_nmse_of_levels(&output, &level);
        rmse[k] = repeat->target_scale[k] * volt_squares_root_mean(&squares, test);
        VOLT_REQUIRE(isfinite(nmse[k]) && isfinite(rmse[k]), VOLT_ERR_NOT_FINITE,
                     "the held-out errors of output %" PRId64 " overflow", k + 1);
    }
    return VOLT_OK;
}

/* The factor of alpha number a, from size to size. VOLT_ERR_SINGULAR: later sizes have no results. */
static volt_status measure_alpha(curve_kernel *c, int64_t a)
{
    const volt_curve_task *task = c->task;
    int64_t q = c->repeat->prepared->Y.cols, train = volt_curve_train(task);
    for (; c->done[a] < task->n_sizes; c->done[a]++) {
        int64_t s = c->done[a], m = task->sizes[s], at = (a * task->n_sizes + s) * q;
        volt_held_out held = held_out_rows(c, m);
        VOLT_TRY(volt_factor_grow(c->factor, m));
        volt_factor_intercepts(c->factor);
        volt_factor_forecast(c->factor, train + task->gap, volt_matrix_of(c->D, m, q),
                             volt_matrix_of(c->forecast, task->test, q));
        if (!volt_stage_should_continue(c->factor->task.stage))
            return volt_stage_end(c->factor->task.stage);
        VOLT_TRY(measure(c, c->nmse + at, c->rmse + at));
        if (held.rows > 0 && !(task->fit->alpha > 0))
            VOLT_TRY(volt_factor_held_out(c->factor, held.ahead, held.begin, c->intercept,
                                          volt_held_out_block(&held), errors_of(c, a, s)));
    }
    return VOLT_OK;
}

static volt_status measure_alphas(curve_kernel *c, const volt_factor_task *begun)
{
    for (int64_t a = 0; a < c->n_alphas; a++) {
        if (a > 0)
            volt_factor_restore(c->factor, 0);
        volt_factor_restart(c->factor, begun, 0, c->alphas[a], c->diagonal);
        volt_status status = measure_alpha(c, a);
        if (status == VOLT_ERR_SINGULAR && c->n_alphas > 1)
            volt_log(VOLT_LOG_INFO, "alpha = %g is skipped from %" PRId64 " rows on: %s", c->alphas[a],
                     c->task->sizes[c->done[a]], volt_error_detail());
        else if (status != VOLT_OK)
            return status;
        VOLT_TRY(volt_backend_state(c->factor->backend));
    }
    return VOLT_OK;
}

/* ---- the alpha of each size ------------------------------------------------------------------- */

/* A choice of alpha for one size, from stored errors. */
typedef struct size_choice {
    const curve_kernel *kernel;
    int64_t size; /* index */
} size_choice;

/* Returns the number of alpha if its factorisation succeeded for this size, otherwise -1. */
static int64_t alpha_number(const curve_kernel *c, int64_t size, double alpha)
{
    for (int64_t a = 0; a < c->n_alphas; a++)
        if (c->alphas[a] == alpha && c->done[a] > size)
            return a;
    return -1;
}

/* Levels use the requested intercept only, so the other errors are not read. */
static volt_status stored_errors(void *context, double alpha, bool constant, volt_held_out_errors kind,
                                 volt_matrix e)
{
    const size_choice *choice = context;
    const curve_kernel *c = choice->kernel;
    int64_t a = alpha_number(c, choice->size, alpha), m = c->task->sizes[choice->size];
    (void)kind;
    VOLT_REQUIRE(a >= 0, VOLT_ERR_SINGULAR, "the Gram matrix of %" PRId64 " rows is not positive definite", m);
    volt_matrix from = errors_of(c, a, choice->size);
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t k = 0; k < e.cols; k++)
            e.data[i * e.ld + k] = constant == c->intercept ? from.data[i * from.ld + k] : 0;
    return VOLT_OK;
}

/* Errors of the mean of the training targets, or of 0 without an intercept. */
static volt_status measure_constant(curve_kernel *c, int64_t m, double *nmse, double *rmse)
{
    int64_t q = c->repeat->prepared->Y.cols;
    const double *targets = c->repeat->targets + c->task->washout * q;
    for (int64_t k = 0; k < q; k++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += targets[i * q + k];
        for (int64_t i = 0; i < c->task->test; i++)
            c->forecast[i * q + k] = c->intercept ? sum / (double)m : 0;
    }
    return measure(c, nmse, rmse);
}

static volt_status choose(curve_kernel *c, int64_t s)
{
    int64_t q = c->repeat->prepared->Y.cols, m = c->task->sizes[s];
    size_choice context = {c, s};
    volt_choice_source source = {
        .errors = stored_errors, .context = &context, .unit = c->unit, .least = c->least};
    volt_choice choice = {.held = held_out_rows(c, m), .outputs = c->chosen};
    choice.ahead = choice.held.ahead;
    volt_view targets = volt_view_of(c->repeat->targets + c->task->washout * q, m, q);
    return volt_choice_pick(&source, targets, NULL, c->intercept, &choice);
}

/* Takes the errors of the chosen alphas of one size: means over outputs. */
static volt_status take_size(curve_kernel *c, int64_t s, double *constant, const volt_curve_errors *out)
{
    int64_t q = c->repeat->prepared->Y.cols;
    if (c->task->fit->alpha > 0)
        for (int64_t k = 0; k < q; k++)
            c->chosen[k].alpha = c->task->fit->alpha;
    else
        VOLT_TRY(choose(c, s));
    VOLT_TRY(measure_constant(c, c->task->sizes[s], constant, constant + q));
    out->nmse[s] = out->rmse[s] = 0;
    for (int64_t k = 0; k < q; k++) {
        double alpha = c->chosen[k].alpha;
        int64_t a = alpha_number(c, s, alpha), at = (a * c->task->n_sizes + s) * q + k;
        VOLT_REQUIRE(isinf(alpha) || a >= 0, VOLT_ERR_SINGULAR,
                     "the Gram matrix of %" PRId64 " rows with alpha = %g is not positive definite",
                     c->task->sizes[s], alpha);
        out->alphas[s * q + k] = alpha;
        out->nmse[s] += (isinf(alpha) ? constant[k] : c->nmse[at]) / (double)q;
        out->rmse[s] += (isinf(alpha) ? constant[q + k] : c->rmse[at]) / (double)q;
    }
    return VOLT_OK;
}

static volt_status take_sizes(curve_kernel *c, const volt_curve_errors *out)
{
    double *constant = volt_alloc_doubles(c->repeat->prepared->Y.cols, 2);
    volt_status status = constant ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t s = 0; status == VOLT_OK && s < c->task->n_sizes; s++)
        status = take_size(c, s, constant, out);
    volt_free(constant);
    return status;
}

static volt_status run(curve_kernel *c, const char *text, bool warns, volt_progress progress, double from,
                       double share, const volt_curve_errors *out)
{
    const volt_curve_task *task = c->task;
    double n = (double)volt_curve_rows(task), gram = n * n / 2;
    volt_stage stage;
    volt_factor_task begun;
    VOLT_TRY(volt_kernel_parse(text, &c->kernel));
    VOLT_TRY(make_rows(c));
    if (warns)
        VOLT_TRY(volt_kernel_warn(c->kernel, &c->resolved,
                                  volt_view_rows(c->sliced.rows, 0, task->washout + volt_curve_train(task))));
    VOLT_TRY(allocate(c, c->repeat->prepared->Y.cols));
    double factors = task->fit->alpha > 0 ? 1 : VOLT_MAX_ALPHAS;
    double part = share * gram / (gram + factors * n * n * n / 3000);
    volt_stage_begin(&stage, progress, "gram", from, part, gram);
    VOLT_TRY(fill(c, &stage, &begun));
    VOLT_TRY(volt_stage_end(&stage));
    volt_stage_begin(&stage, progress, "factor", from + part, share - part, factors * n * n * n / 3000);
    begun.stage = &stage;
    VOLT_TRY(measure_alphas(c, &begun));
    VOLT_TRY(take_sizes(c, out));
    return volt_stage_end(&stage);
}

volt_status volt_curve_measure(const volt_curve_task *task, const volt_curve_repeat *repeat, const char *kernel,
                               bool warns, volt_progress progress, double from, double share,
                               const volt_curve_errors *errors)
{
    curve_kernel c = {.task = task, .repeat = repeat};
    volt_status status = run(&c, kernel, warns, progress, from, share, errors);
    release(&c);
    return status;
}
