/* src/task/curve.c: learning curves: rows of the repeats, training sizes, means over repeats, and rates. */
#include "base/blas.h"

#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/fit_task.h"
#include "gram/engine/columns.h"
#include "kernel/kernel_entry.h"
#include "kernel/records.h"
#include "model/recipe.h"
#include "solve/choice/choice.h"
#include "solve/landmark/placement.h"
#include "stats/stats_internal.h"
#include "volterra/task.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- one kernel on the rows of one repeat ------------------------------------------------------- */

/* Held-out errors of one kernel for all training sizes of a repeat.
 *
 * The training sets are leading blocks of the rows, so for each alpha one factor (solve/exact/factor.h) that
 * grows from size to size gives
 *
 *     the errors of the rows held out within every training set, which choose alpha (solve/choice/choice.h),
 *     the predictions of the held-out rows of the repeat, L[held out, :m] D + c.
 *
 * The rows held out within a training set are divided into blocks as in a fit, so every size has its own
 * errors. */

/* Settings of all repeats. */
typedef struct curve_task {
    const volt_fit_options *fit;
    const int64_t *sizes;
    int64_t n_sizes;
    int64_t washout, gap, test;
} curve_task;

/* Rows of a repeat: washout, largest training set, gap, held-out rows. */
static inline int64_t volt_curve_train(const curve_task *task)
{
    return task->sizes[task->n_sizes - 1];
}
static inline int64_t volt_curve_rows(const curve_task *task)
{
    return task->washout + volt_curve_train(task) + task->gap + task->test;
}

/* Data of one repeat, shared by all kernels. */
typedef struct curve_repeat {
    volt_prepared *prepared; /* columns and targets, learned from the training rows */
    double *initial;         /* mean of the training inputs, for VOLT_INITIAL_MEAN; else NULL */
    double *targets;         /* rows x q: scaled targets */
    double *levels;          /* rows x q: the same plus the base in these units; NULL: the targets are levels */
    double *mean, *target_scale; /* q */
} curve_repeat;

/* Errors of one kernel on a repeat. */
typedef struct curve_errors {
    double *nmse, *rmse; /* n_sizes */
    double *alphas;      /* n_sizes x q */
} curve_errors;

/* ---- data shared by all kernels --------------------------------------------------------------- */

/* The columns as in a fit. The mean of the inputs is computed from the training rows. */
static volt_status prepare_columns(const curve_task *task, volt_view X, volt_view Y, curve_repeat *repeat)
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
static void scale_targets(const curve_task *task, curve_repeat *repeat)
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

/* X and Y hold the rows of the repeat, and must outlive it. Release it in every case. */
static volt_status curve_repeat_begin(const curve_task *task, volt_view X, volt_view Y, curve_repeat *repeat)
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

static void curve_repeat_release(curve_repeat *repeat)
{
    volt_prepared_free(repeat->prepared);
    volt_free(repeat->initial);
    volt_free(repeat->targets);
    volt_free(repeat->levels);
    volt_free(repeat->mean);
    volt_free(repeat->target_scale);
    *repeat = (curve_repeat){0};
}

/* ---- a kernel on the rows --------------------------------------------------------------------- */

typedef struct curve_kernel {
    const curve_task *task;
    const curve_repeat *repeat;
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

static void release_kernel(curve_kernel *c)
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
    const curve_task *task = c->task;
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
    const curve_task *task = c->task;
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

static volt_status allocate_kernel(curve_kernel *c, int64_t q)
{
    const curve_task *task = c->task;
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
    const curve_task *task = c->task;
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
    const curve_repeat *repeat = c->repeat;
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
    const curve_task *task = c->task;
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
static volt_status take_size(curve_kernel *c, int64_t s, double *constant, const curve_errors *out)
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

static volt_status take_sizes(curve_kernel *c, const curve_errors *out)
{
    double *constant = volt_alloc_doubles(c->repeat->prepared->Y.cols, 2);
    volt_status status = constant ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t s = 0; status == VOLT_OK && s < c->task->n_sizes; s++)
        status = take_size(c, s, constant, out);
    volt_free(constant);
    return status;
}

static volt_status run_kernel(curve_kernel *c, const char *text, bool warns, volt_progress progress,
                              double from, double share, const curve_errors *out)
{
    const curve_task *task = c->task;
    double n = (double)volt_curve_rows(task), gram = n * n / 2;
    volt_stage stage;
    volt_factor_task begun;
    VOLT_TRY(volt_kernel_parse(text, &c->kernel));
    VOLT_TRY(make_rows(c));
    if (warns)
        VOLT_TRY(volt_kernel_warn(c->kernel, &c->resolved,
                                  volt_view_rows(c->sliced.rows, 0, task->washout + volt_curve_train(task))));
    VOLT_TRY(allocate_kernel(c, c->repeat->prepared->Y.cols));
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

/* Progress covers [from, from + share] of the call. `warns`: warnings of the kernel are logged. The caller
 * claims BLAS. */
static volt_status curve_measure(const curve_task *task, const curve_repeat *repeat, const char *kernel,
                                 bool warns, volt_progress progress, double from, double share,
                                 const curve_errors *errors)
{
    curve_kernel c = {.task = task, .repeat = repeat};
    volt_status status = run_kernel(&c, kernel, warns, progress, from, share, errors);
    release_kernel(&c);
    return status;
}

/* ---- the curve ---------------------------------------------------------------------------------- */

enum { MIN_SIZE = 2, MIN_FIRST_SIZE = 20, SIZE_RANGE = 100, TEST_SHARE = 5, MAX_POINTS = 1000 };

volt_curve_options volt_curve_options_default(void)
{
    return (volt_curve_options){.struct_size = sizeof(volt_curve_options), .points = 8, .repeat = 1};
}

/* A curve and its memory. */
typedef struct whole_curve {
    volt_curve made; /* first: pointers to it are pointers to this struct */
    char **kernels;
    int64_t *sizes, *first;
    double *numbers; /* the other arrays, in their order */
} whole_curve;

void volt_curve_free(volt_curve *curve)
{
    if (!curve)
        return;
    whole_curve *whole = (whole_curve *)curve;
    for (int64_t k = 0; whole->kernels && k < curve->n_kernels; k++)
        volt_free(whole->kernels[k]);
    volt_free(whole->kernels);
    volt_free(whole->sizes);
    volt_free(whole->first);
    volt_free(whole->numbers);
    volt_free(whole);
}

/* ---- options ---------------------------------------------------------------------------------- */

static volt_status check_fit(const volt_fit_options *fit)
{
    const char *other = fit->loss                  ? "loss"
                        : fit->weights             ? "weights"
                        : fit->missing_targets     ? "missing_targets"
                        : fit->n_records > 0       ? "records (of the fit)"
                        : fit->feedback_weight > 0 ? "feedback_weight"
                        : fit->landmarks != 0      ? "landmarks"
                                                   : NULL;
    VOLT_REQUIRE(!other, VOLT_ERR_ARGUMENT, "%s: not supported by learning curves", other);
    bool is_exact = !fit->solver || strcmp(fit->solver, "exact") == 0 || strcmp(fit->solver, "auto") == 0;
    VOLT_REQUIRE(is_exact, VOLT_ERR_ARGUMENT, "the solver of a learning curve must be exact (got \"%s\")",
                 fit->solver);
    VOLT_REQUIRE(fit->alpha >= 0 && isfinite(fit->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive, or 0 to choose it (got %g)", fit->alpha);
    VOLT_REQUIRE(fit->washout >= 0, VOLT_ERR_ARGUMENT, "the washout must be at least 0 (got %" PRId64 ")",
                 fit->washout);
    VOLT_REQUIRE(fit->ahead >= 0, VOLT_ERR_ARGUMENT, "ahead must be at least 0 (got %" PRId64 ")", fit->ahead);
    return VOLT_OK;
}

static volt_status check_options(const volt_curve_options *options)
{
    VOLT_REQUIRE(options->n_sizes > 0 ||
                     (options->points >= 1 && options->points <= MAX_POINTS && options->n_sizes == 0),
                 VOLT_ERR_ARGUMENT, "points must be 1 to %d (got %" PRId64 ")", MAX_POINTS, options->points);
    VOLT_REQUIRE(options->n_sizes == 0 || options->sizes, VOLT_ERR_ARGUMENT, "sizes is NULL");
    VOLT_REQUIRE(options->repeat >= 1, VOLT_ERR_ARGUMENT, "repeat must be at least 1 (got %" PRId64 ")",
                 options->repeat);
    VOLT_REQUIRE(options->test >= 0, VOLT_ERR_ARGUMENT, "test must be at least 1, or 0 (got %" PRId64 ")",
                 options->test);
    for (int64_t s = 0; s < options->n_sizes; s++) {
        bool increases = s == 0 || options->sizes[s] > options->sizes[s - 1];
        VOLT_REQUIRE(increases && options->sizes[s] >= MIN_SIZE, VOLT_ERR_ARGUMENT,
                     "sizes must increase and be at least %d (got %" PRId64 " as number %" PRId64 ")", MIN_SIZE,
                     options->sizes[s], s + 1);
    }
    return VOLT_OK;
}

/* ---- rows of the repeats ---------------------------------------------------------------------- */

typedef struct curve_layout {
    const volt_curve_options *options;
    volt_records records;
    int64_t n_records; /* 1 for one sequence */
    int64_t shortest;  /* rows of the shortest record */
    curve_task task;
} curve_layout;

static int64_t record_begin(const curve_layout *layout, int64_t record)
{
    return record > 0 ? layout->records.ends[record - 1] : 0;
}

static int64_t record_end(const curve_layout *layout, int64_t record, int64_t n)
{
    return layout->records.n > 0 ? layout->records.ends[record] : n;
}

/* Sizes at equal ratios from the first to `most`. Equal ones are dropped. */
static int64_t spread_sizes(int64_t points, int64_t most, int64_t *sizes)
{
    double low = (double)volt_min(volt_max(most / SIZE_RANGE, MIN_FIRST_SIZE), most),
           ratio = (double)most / low;
    int64_t count = 0;
    for (int64_t p = 0; p < points; p++) {
        double share = points > 1 ? (double)p / (double)(points - 1) : 1;
        int64_t size = p + 1 == points ? most : llround(low * pow(ratio, share));
        if (count == 0 || size > sizes[count - 1])
            sizes[count++] = size;
    }
    return count;
}

/* Sets test rows and sizes. `sizes` has space for all. */
static volt_status choose_sizes(curve_layout *layout, int64_t *sizes)
{
    const volt_curve_options *options = layout->options;
    curve_task *task = &layout->task;
    int64_t repeat = options->repeat;
    task->test = options->test > 0 ? options->test : volt_max(layout->shortest / TEST_SHARE / repeat, 1);
    /* without overflow for any `repeat` and `test` */
    double wanted = (double)repeat * (double)task->test + (double)task->washout + (double)task->gap;
    int64_t most = wanted < (double)layout->shortest ? layout->shortest - (int64_t)wanted : 0;
    int64_t least = options->n_sizes > 0 ? options->sizes[options->n_sizes - 1] : MIN_SIZE;
    VOLT_REQUIRE(most >= least, VOLT_ERR_DATA,
                 "%s of %" PRId64 " rows with %" PRId64 " x %" PRId64 " held-out rows, a washout of %" PRId64
                 " and a gap of %" PRId64 " leaves %" PRId64 " training rows, but the sizes require %" PRId64,
                 layout->n_records > 1 ? "a record" : "a sequence", layout->shortest, repeat, task->test,
                 task->washout, task->gap, most, least);
    if (options->n_sizes > 0)
        memcpy(sizes, options->sizes, (size_t)options->n_sizes * sizeof *sizes);
    task->sizes = sizes;
    task->n_sizes = options->n_sizes > 0 ? options->n_sizes : spread_sizes(options->points, most, sizes);
    return VOLT_OK;
}

/* The held-out rows are at the end of the record, in blocks of task.test rows. */
static void place_repeats(const curve_layout *layout, int64_t n, int64_t *first)
{
    int64_t repeat = layout->options->repeat, rows = volt_curve_rows(&layout->task);
    for (int64_t i = 0; i < layout->n_records; i++)
        for (int64_t r = 0; r < repeat; r++)
            first[i * repeat + r] = record_end(layout, i, n) - (repeat - 1 - r) * layout->task.test - rows;
}

/* ---- means and rates -------------------------------------------------------------------------- */

/* Mean of `count` numbers, `stride` apart, and its standard error; NaN for one number. */
static double mean_of(const double *values, int64_t count, int64_t stride, double *error)
{
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < count; i++)
        mean += values[i * stride] / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += pow(values[i * stride] - mean, 2);
    *error = count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : NAN;
    return mean;
}

/* Least-squares slope of log errors against log sizes, and its standard error from the residuals. */
static double slope_of(const int64_t *sizes, const double *errors, int64_t count, double *deviation)
{
    double x = 0, y = 0, xx = 0, xy = 0, squares = 0;
    *deviation = NAN;
    for (int64_t i = 0; i < count; i++) {
        x += log((double)sizes[i]) / (double)count;
        y += log(errors[i]) / (double)count;
    }
    for (int64_t i = 0; i < count; i++) {
        double dx = log((double)sizes[i]) - x;
        xx += dx * dx;
        xy += dx * log(errors[i]); /* the sum of dx is 0 */
    }
    if (count < 2 || !isfinite(xy))
        return NAN;
    double slope = xy / xx;
    for (int64_t i = 0; i < count; i++)
        squares += pow(log(errors[i]) - y - slope * (log((double)sizes[i]) - x), 2);
    if (count > 2)
        *deviation = sqrt(squares / (double)(count - 2) / xx);
    return slope;
}

/* Fills the summary of kernel k. `slopes` has space for the repeats. */
static void summarise(volt_curve *made, int64_t k, double *slopes)
{
    int64_t sizes = made->n_sizes, repeats = made->n_repeats,
            from = volt_max(0, volt_min(sizes / 2, sizes - 2));
    const double *nmse = made->nmse + k * repeats * sizes;
    double deviation = NAN, error = NAN;
    for (int64_t s = 0; s < sizes; s++)
        ((double *)made->mean_nmse)[k * sizes + s] =
            mean_of(nmse + s, repeats, sizes, (double *)made->nmse_error + k * sizes + s);
    for (int64_t r = 0; r < repeats; r++)
        slopes[r] = slope_of(made->sizes + from, nmse + r * sizes + from, sizes - from, &deviation);
    ((double *)made->rate)[k] = mean_of(slopes, repeats, 1, &error);
    ((double *)made->rate_error)[k] = repeats > 1 ? error : deviation;
}

/* ---- the curve -------------------------------------------------------------------------------- */

static volt_status allocate(const curve_layout *layout, const char *const *kernels, int64_t n_kernels,
                            int64_t outputs, whole_curve *whole)
{
    volt_curve *made = &whole->made;
    int64_t points = volt_max(layout->options->n_sizes, layout->options->points);
    made->struct_size = sizeof *made;
    made->n_kernels = n_kernels;
    made->outputs = outputs;
    whole->kernels = volt_alloc_zero(n_kernels, sizeof *whole->kernels);
    whole->sizes = volt_alloc(points, sizeof *whole->sizes);
    if (!whole->kernels || !whole->sizes)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < n_kernels; k++) {
        volt_kernel *kernel = NULL;
        VOLT_REQUIRE(kernels[k], VOLT_ERR_ARGUMENT, "kernel %" PRId64 " is NULL", k + 1);
        VOLT_TRY(volt_kernel_parse(kernels[k], &kernel));
        whole->kernels[k] = volt_strdup(volt_kernel_text(kernel));
        volt_kernel_free(kernel);
        if (!whole->kernels[k])
            return VOLT_ERR_MEMORY;
    }
    return VOLT_OK;
}

/* After the sizes are known. */
static volt_status allocate_numbers(const curve_layout *layout, whole_curve *whole)
{
    volt_curve *made = &whole->made;
    made->n_repeats = layout->n_records * layout->options->repeat;
    int64_t sizes = layout->task.n_sizes, curves = made->n_kernels * made->n_repeats * sizes;
    int64_t means = made->n_kernels * sizes;
    whole->first = volt_alloc(made->n_repeats, sizeof *whole->first);
    whole->numbers = volt_alloc_doubles(curves * (2 + made->outputs) + 2 * means + 2 * made->n_kernels, 1);
    if (!whole->first || !whole->numbers)
        return VOLT_ERR_MEMORY;
    made->n_sizes = sizes;
    made->kernels = (const char *const *)whole->kernels;
    made->sizes = whole->sizes;
    made->first = whole->first;
    made->washout = layout->task.washout;
    made->gap = layout->task.gap;
    made->test_rows = layout->task.test;
    made->nmse = whole->numbers;
    made->rmse = made->nmse + curves;
    made->alphas = made->rmse + curves;
    made->mean_nmse = made->alphas + curves * made->outputs;
    made->nmse_error = made->mean_nmse + means;
    made->rate = made->nmse_error + means;
    made->rate_error = made->rate + made->n_kernels;
    return VOLT_OK;
}

/* All kernels on repeat r. */
static volt_status run_repeat(const curve_layout *layout, volt_view X, volt_view Y, int64_t r, volt_curve *made)
{
    const curve_task *task = &layout->task;
    int64_t rows = volt_curve_rows(task), kernels = made->n_kernels, sizes = made->n_sizes;
    curve_repeat repeat = {0};
    volt_status status = curve_repeat_begin(task, volt_view_rows(X, made->first[r], rows),
                                            volt_view_rows(Y, made->first[r], rows), &repeat);
    double share = 1 / (double)(made->n_repeats * kernels);
    for (int64_t k = 0; status == VOLT_OK && k < kernels; k++) {
        int64_t at = (k * made->n_repeats + r) * sizes;
        curve_errors errors = {(double *)made->nmse + at, (double *)made->rmse + at,
                               (double *)made->alphas + at * made->outputs};
        status = curve_measure(task, &repeat, made->kernels[k], r == 0, layout->options->progress,
                               (double)(r * kernels + k) * share, share, &errors);
        if (status != VOLT_OK && status != VOLT_ERR_CANCELLED && status != VOLT_ERR_MEMORY)
            volt_fail_prefix(status, "%s, repeat %" PRId64, made->kernels[k], r + 1);
    }
    curve_repeat_release(&repeat);
    return status;
}

static volt_status run(curve_layout *layout, volt_view X, volt_view Y, const char *const *kernels,
                       int64_t n_kernels, whole_curve *whole)
{
    volt_blas_use use;
    VOLT_TRY(allocate(layout, kernels, n_kernels, Y.cols, whole));
    VOLT_TRY(choose_sizes(layout, whole->sizes));
    VOLT_TRY(allocate_numbers(layout, whole));
    place_repeats(layout, X.rows, whole->first);
    double *slopes = volt_alloc_doubles(whole->made.n_repeats, 1);
    volt_status status = slopes ? volt_blas_claim(&use) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        for (int64_t r = 0; status == VOLT_OK && r < whole->made.n_repeats; r++)
            status = run_repeat(layout, X, Y, r, &whole->made);
        volt_blas_release(&use);
    }
    for (int64_t k = 0; status == VOLT_OK && k < n_kernels; k++)
        summarise(&whole->made, k, slopes);
    volt_free(slopes);
    return status;
}

/* Checks the options and the data, and finds the shortest record. `fit` receives the options of the fits. */
static volt_status begin(volt_view X, volt_view Y, const volt_curve_options *options, volt_fit_options *fit,
                         curve_layout *layout)
{
    VOLT_TRY(check_options(options));
    VOLT_TRY(volt_options_take(fit, sizeof *fit, options->fit, "volt_fit_options"));
    VOLT_TRY(check_fit(fit));
    VOLT_TRY(volt_check_pairs(X, Y));
    VOLT_TRY(volt_records_make(options->records, options->n_records, X.rows, &layout->records));
    layout->options = options;
    layout->n_records = volt_max(layout->records.n, 1);
    layout->shortest = X.rows;
    for (int64_t i = 0; i < layout->n_records; i++)
        layout->shortest = volt_min(layout->shortest, record_end(layout, i, X.rows) - record_begin(layout, i));
    layout->task = (curve_task){.fit = fit, .washout = fit->washout, .gap = volt_max(fit->ahead, 1) - 1};
    return VOLT_OK;
}

volt_status volt_curve_run(volt_view X, volt_view Y, const char *const *kernels, int64_t n_kernels,
                           const volt_curve_options *options, volt_curve **curve)
{
    volt_curve_options opts = volt_curve_options_default();
    volt_fit_options fit = volt_fit_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_curve_options"));
    VOLT_REQUIRE(curve, VOLT_ERR_ARGUMENT, "curve is NULL");
    VOLT_REQUIRE(kernels && n_kernels > 0, VOLT_ERR_ARGUMENT, "kernels must have at least one text");
    curve_layout layout = {0};
    whole_curve *whole = volt_alloc_zero(1, sizeof *whole);
    volt_status status = whole ? begin(X, Y, &opts, &fit, &layout) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = run(&layout, X, Y, kernels, n_kernels, whole);
    volt_records_release(&layout.records);
    if (status == VOLT_OK)
        *curve = &whole->made;
    else if (whole)
        volt_curve_free(&whole->made);
    return status;
}
