/* src/explain/explain.c: Volterra kernels of a fitted model, their posterior standard deviations, and
 * the share of each order in its predictions.
 *
 * The model is a functional of infinite sequences, f = c + sum_i A_i K(., w^(i)), where w^(i) are the
 * training rows up to row i after zeros. It is expanded about a constant sequence. With feedback it is the
 * one-step functional of the inputs and the measured outputs. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "base/views.h"
#include "kernel/jet.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "solve/exact/factor.h"
#include "solve/exact/operator.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct explain_setup {
    const volt_model *model;
    volt_jet_kernel kernel;
    const volt_records *records; /* of the training rows; NULL: one sequence */
    int64_t n, inputs, columns, slices, width, lags;
    int order;
    double *rows;  /* n x width: training rows as passed to the kernel, by slice */
    double *about; /* inputs: the point in user units */
    double *point; /* width: the point as passed to the kernel, in the steady state */
    /* slices x columns x lags: response of a column to a unit change of its input, by lag */
    double *response;
    int64_t reach[VOLT_MAX_FACTORS]; /* per slice: the response is 0 from this lag on */
} explain_setup;

/* Workspace of one thread. */
typedef struct explain_walker {
    volt_jet_workspace workspace;
    volt_jet *states; /* of the kernel */
    volt_jet *values; /* of its factors */
    volt_jet *local, *part, *out;
} explain_walker;

/* Stationary states of rows point + e direction (NULL: point) against column j and the columns before it:
 * states[(s (order + 1) + p) explain_state_row(n) + j + 1] is coefficient p of state s. Index j = -1 holds
 * the state against zeros. The space has one variable. */
static inline int64_t explain_state_row(int64_t n)
{
    return n + 1 + VOLT_JET_LANES; /* padding for lanes beyond the last column */
}

/* ---- the point of expansion, lags and walkers -------------------------------------------------------- */

/* ---- the point -------------------------------------------------------------------------------- */

/* Definition of column c: an input, or a fed-back output, at lags, times a weight. */
static volt_column column_of(const explain_setup *setup, int64_t c)
{
    const volt_recipe *recipe = &setup->model->recipe;
    int64_t input_columns = volt_recipe_input_columns(recipe);
    if (c >= input_columns)
        return (volt_column){.source = recipe->inputs + c - input_columns,
                             .minus = -1,
                             .weight = recipe->fed_outputs.weight[c - input_columns]};
    return recipe->plain ? (volt_column){.source = c, .minus = -1, .weight = 1} : recipe->column[c];
}

/* Offset subtracted before the weight: the mean for fed-back outputs, else 0. */
static double offset_of(const explain_setup *setup, int64_t c)
{
    const volt_recipe *recipe = &setup->model->recipe;
    int64_t input_columns = volt_recipe_input_columns(recipe);
    return c >= input_columns ? recipe->fed_outputs.offset[c - input_columns] : 0;
}

/* Input of column c. Fed-back outputs of the previous row are numbered after the user's inputs. */
static int64_t explain_source(const explain_setup *setup, int64_t c)
{
    return column_of(setup, c).source;
}

static double explain_weight(const explain_setup *setup, int64_t c)
{
    return column_of(setup, c).weight;
}

/* Training row j as passed to factor f. */
static const double *explain_row(const explain_setup *setup, int64_t f, int64_t j)
{
    return setup->rows + j * setup->width + setup->kernel.factor[f].slice * setup->columns;
}

/* Means of the scaled columns over the training rows. These are filtered, so the filter of the first slice
 * is inverted. */
static volt_status scaled_means(const explain_setup *setup, double *mean)
{
    static const volt_filter none;
    const volt_kernel *kernel = setup->model->kernel;
    const volt_filter *filter = volt_kernel_filters(kernel) ? &kernel->filters[0] : &none;
    int64_t d = setup->columns;
    double *plain = volt_alloc_doubles(setup->n, d);
    if (!plain)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0, end = 0; i < setup->n; i = end) {
        end = volt_records_segment_end(setup->records, i, setup->n);
        volt_view rows = {setup->rows + i * setup->width, end - i, d, setup->width};
        volt_filter_undo(filter, rows, plain + i * d);
    }
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int64_t i = 0; i < setup->n; i++)
        for (int64_t c = 0; c < d; c++)
            mean[c] += plain[i * d + c] / (double)setup->n;
    volt_free(plain);
    return VOLT_OK;
}

/* Mean of every input as passed to the kernel. It is 0 for an input of which the kernel uses only changes. */
static volt_status find_mean(explain_setup *setup)
{
    const volt_model *model = setup->model;
    bool shifted = model->scaled && !volt_kernel_keeps_origin(model->kernel); /* the means are known exactly */
    double *mean = volt_alloc_zero(setup->columns, sizeof *mean);
    volt_status status = mean ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !shifted)
        status = scaled_means(setup, mean);
    for (int64_t c = 0; status == VOLT_OK && c < setup->columns; c++) {
        volt_column column = column_of(setup, c);
        if (column.minus < 0)
            setup->about[column.source] =
                offset_of(setup, c) + (model->input.shift[c] + mean[c] / model->input.scale) / column.weight;
    }
    volt_free(mean);
    return status;
}

/* The point as passed to the kernel. It must be inside the ball of every slice. */
static volt_status place_point(explain_setup *setup)
{
    const volt_model *model = setup->model;
    const volt_filter *filters = volt_kernel_filters(model->kernel) ? model->kernel->filters : NULL;
    for (int64_t s = 0; s < setup->slices; s++) {
        double *z = setup->point + s * setup->columns, gain = filters ? volt_filter_gain(&filters[s]) : 1;
        for (int64_t c = 0; c < setup->columns; c++) {
            volt_column column = column_of(setup, c);
            double rest = column.minus < 0 /* a change is 0 */
                              ? column.weight * (setup->about[column.source] - offset_of(setup, c))
                              : 0;
            z[c] = gain * (rest - model->input.shift[c]) * model->input.scale;
        }
        double norm = volt_row_norm(z, setup->columns), radius = volt_slice_radius(&model->resolved, s);
        VOLT_REQUIRE(isfinite(norm * norm), VOLT_ERR_NOT_FINITE,
                     "the point of expansion is not finite or too large");
        if (volt_slice_gain(&model->resolved, s, norm) < 0) /* a kernel that accepts any input */
            continue;
        VOLT_REQUIRE(volt_is_within(norm, radius, setup->columns), VOLT_ERR_DOMAIN,
                     "the point of expansion has scaled norm %.6g, beyond the largest of training, %.6g: there "
                     "the kernel has no expansion",
                     norm, radius);
    }
    return VOLT_OK;
}

static volt_status find_point(const volt_explain_options *options, explain_setup *setup)
{
    if (options->about == VOLT_ABOUT_POINT)
        memcpy(setup->about, options->point, (size_t)setup->inputs * sizeof *setup->about);
    else if (options->about == VOLT_ABOUT_MEAN)
        VOLT_TRY(find_mean(setup));
    return place_point(setup);
}

/* ---- responses -------------------------------------------------------------------------------- */

/* Impulse response h[u] of the filter of slice s. */
static volt_status impulse(const explain_setup *setup, int64_t s, double *h)
{
    static const volt_filter none;
    const volt_kernel *kernel = setup->model->kernel;
    volt_filter_bank bank = {0};
    VOLT_TRY(
        volt_filter_bank_create(volt_kernel_filters(kernel) ? &kernel->filters[s] : &none, 1, 1, NULL, &bank));
    for (int64_t u = 0; u < setup->lags; u++) {
        double x = u == 0;
        volt_filter_bank_row(&bank, &x, &h[u]);
    }
    volt_filter_bank_release(&bank);
    return VOLT_OK;
}

static volt_status find_responses(explain_setup *setup, double *h)
{
    const volt_model *model = setup->model;
    int64_t lags = setup->lags;
    for (int64_t s = 0; s < setup->slices; s++) {
        VOLT_TRY(impulse(setup, s, h));
        setup->reach[s] = 1;
        for (int64_t c = 0; c < setup->columns; c++) {
            volt_column column = column_of(setup, c);
            double *r = setup->response + (s * setup->columns + c) * lags,
                   unit = column.weight * model->input.scale;
            for (int64_t u = 0; u < lags; u++) {
                r[u] = unit * ((u >= column.plus ? h[u - column.plus] : 0) -
                               (column.minus >= 0 && u >= column.minus ? h[u - column.minus] : 0));
                if (r[u] != 0)
                    setup->reach[s] = volt_max(setup->reach[s], u + 1);
            }
        }
    }
    return VOLT_OK;
}

/* ---- lags ------------------------------------------------------------------------------------- */

/* Number of rows that an output can depend on; 0: unlimited. */
static int64_t memory_of(const explain_setup *setup)
{
    int64_t longest = 1;
    if (volt_kernel_filters(setup->model->kernel))
        return 0;
    for (int64_t f = 0; f < setup->kernel.n_factors; f++) {
        if (setup->kernel.factor[f].scan->state_size > 0)
            return 0;
        longest = volt_max(longest, setup->kernel.factor[f].window);
    }
    return longest + setup->model->recipe.memory;
}

/* Default number of lags: until the weight of older rows is below a thousandth, at most 40. */
static int64_t default_lags(const explain_setup *setup, int64_t memory)
{
    enum { MAX_LAGS = 40 };
    const volt_kernel *kernel = setup->model->kernel;
    double slowest = setup->model->resolved.facts.contraction, lags = MAX_LAGS;
    for (int64_t s = 0; volt_kernel_filters(kernel) && s < setup->slices; s++) {
        const volt_filter *filter = &kernel->filters[s];
        slowest = fmax(slowest, fmax(fabs(filter->pole), fmax(filter->pair, fabs(filter->echo))));
    }
    if (memory > 0)
        lags = (double)memory;
    else if (slowest < 1)
        lags = slowest > 0 ? ceil(log(1e-3) / log(slowest)) : 1;
    return volt_min(setup->n, (int64_t)fmin(fmax(lags, 1), MAX_LAGS));
}

static volt_status choose_lags(int64_t requested, explain_setup *setup)
{
    int64_t memory = memory_of(setup);
    VOLT_REQUIRE(requested >= 0, VOLT_ERR_ARGUMENT, "the number of lags must be at least 1 (got %" PRId64 ")",
                 requested);
    VOLT_REQUIRE(memory == 0 || requested <= memory, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " lags exceed the memory length of kernel %s, %" PRId64 " rows", requested,
                 volt_kernel_text(setup->model->kernel), memory);
    VOLT_REQUIRE(requested <= setup->n, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " lags exceed the %" PRId64 " training rows", requested, setup->n);
    setup->lags = requested > 0 ? requested : default_lags(setup, memory);
    return VOLT_OK;
}

/* A kernel of order p has q (lags inputs)^p numbers, all in memory. */
static volt_status check_size(const explain_setup *setup)
{
    static const double most = 1 << 26;
    double numbers = (double)setup->model->q;
    for (int p = 0; p < setup->order; p++)
        numbers *= (double)(setup->lags * setup->inputs);
    VOLT_REQUIRE(numbers <= most, VOLT_ERR_ARGUMENT,
                 "the kernel of order %d of %" PRId64 " inputs and %" PRId64
                 " outputs has %.4g numbers with %" PRId64
                 " lags, but may have %.4g: take fewer lags or a lower order",
                 setup->order, setup->inputs, setup->model->q, numbers, setup->lags, most);
    return VOLT_OK;
}

/* ---- the setup -------------------------------------------------------------------------------- */

static volt_status check(const volt_explain_options *options)
{
    VOLT_REQUIRE(options->order >= 1 && options->order <= VOLT_EXPLAIN_ORDERS, VOLT_ERR_ARGUMENT,
                 "the order must be 1 to %d (got %" PRId64 ")", VOLT_EXPLAIN_ORDERS, options->order);
    VOLT_REQUIRE(options->about != VOLT_ABOUT_POINT || options->point, VOLT_ERR_ARGUMENT,
                 "the point of expansion is NULL");
    return VOLT_OK;
}

static volt_status fill(const volt_explain_options *options, explain_setup *setup)
{
    const volt_model *model = setup->model;
    setup->rows = volt_alloc_doubles(setup->n, setup->width);
    setup->about = volt_alloc_zero(setup->inputs, sizeof(double));
    setup->point = volt_alloc_doubles(setup->width, 1);
    setup->response = volt_alloc_doubles(setup->width, setup->lags);
    double *h = volt_alloc_doubles(setup->lags, 1);
    bool allocated = setup->rows && setup->about && setup->point && setup->response && h;
    volt_status status = allocated ? find_responses(setup, h) : VOLT_ERR_MEMORY;
    for (int64_t j = 0; status == VOLT_OK && j < setup->n; j++)
        volt_columns_row(model->columns, j, setup->rows + j * setup->width);
    if (status == VOLT_OK)
        status = find_point(options, setup);
    volt_free(h);
    return status;
}

/* Rejects models, lags, orders and points without an expansion: VOLT_ERR_ARGUMENT, VOLT_ERR_DOMAIN. `lags`
 * 0: chosen from the memory length of the kernel. Always release it. */
static volt_status explain_setup_make(const volt_model *model, const volt_explain_options *options,
                                      explain_setup *setup)
{
    memset(setup, 0, sizeof *setup);
    VOLT_TRY(check(options));
    VOLT_TRY(volt_jet_kernel_make(model->kernel, &model->resolved, &setup->kernel));
    setup->model = model;
    setup->records = model->resolved.records ? &model->resolved.records->rows : NULL;
    setup->n = model->n;
    setup->inputs = model->recipe.inputs + model->recipe.fed_outputs.n;
    setup->columns = model->recipe.columns;
    setup->width = model->d;
    setup->slices = setup->width / setup->columns;
    setup->order = (int)options->order;
    VOLT_TRY(choose_lags(options->lags, setup));
    VOLT_TRY(check_size(setup));
    return fill(options, setup);
}

static void explain_setup_release(explain_setup *setup)
{
    volt_free(setup->response);
    volt_free(setup->point);
    volt_free(setup->about);
    volt_free(setup->rows);
}

/* ---- walkers ---------------------------------------------------------------------------------- */

/* Number of series in a walker, for memory estimates. */
static int64_t explain_walker_count(const explain_setup *setup)
{
    enum { OWN = 3 }; /* local, part, out */
    return setup->kernel.n_states + setup->kernel.n_factors + OWN + VOLT_JET_SPARE + 1;
}

static volt_status explain_walker_create(const explain_setup *setup, const volt_jet_space *space,
                                         explain_walker *walker)
{
    enum { OWN = 3 };
    int64_t states = setup->kernel.n_states, factors = setup->kernel.n_factors;
    VOLT_TRY(volt_jet_workspace_create(space, &walker->workspace));
    VOLT_TRY(volt_jet_create(space, states + factors + OWN, &walker->states));
    walker->values = walker->states + states;
    walker->local = walker->values + factors;
    walker->part = walker->local + 1;
    walker->out = walker->part + 1;
    return VOLT_OK;
}

static void explain_walker_release(explain_walker *walker)
{
    volt_jet_workspace_release(&walker->workspace);
    volt_jet_free(walker->states);
    walker->states = NULL;
}

/* ---- constant rows ---------------------------------------------------------------------------- */

/* `local` <- s[0] + s[1] e + s[2] e^2 in lane 0, the only one that `store` reads; 0 in the other lanes. The
 * space has the variable e only. */
static void set_local(const volt_jet_space *space, const double s[3], volt_jet *local)
{
    int degree = (int)volt_min(space->order, 2);
    volt_jet_set(space, NULL, 0, 1, degree, local);
    for (int p = 0; p <= degree; p++)
        local->c[p * VOLT_JET_LANES] = s[p];
}

/* Stores the states of one factor against `column`. */
static void store(const explain_setup *setup, const volt_jet_space *space, const volt_jet_factor *factor,
                  const volt_jet *state, int64_t column, double *states)
{
    int64_t orders = space->order + 1, row = explain_state_row(setup->n);
    for (int64_t s = 0; s < factor->scan->state_size; s++)
        for (int p = 0; p < orders; p++)
            states[((factor->state + s) * orders + p) * row + column + 1] =
                p <= state[s].degree ? state[s].c[p * VOLT_JET_LANES] : 0;
}

static void explain_columns_at_rest(const explain_setup *setup, const volt_jet_space *space,
                                    const double *direction, explain_walker *walker, double *states)
{
    double s[3];
    for (int64_t f = 0; f < setup->kernel.n_factors; f++) {
        const volt_jet_factor *factor = &setup->kernel.factor[f];
        if (!factor->series->rest)
            continue;
        const double *x = setup->point + factor->slice * setup->columns;
        const double *move = direction ? direction + factor->slice * setup->columns : NULL;
        volt_jet *state = walker->states + factor->state;
        for (int64_t j = -1; j < setup->n; j++) {
            if (j < 0 || volt_records_begins(setup->records, j)) {
                volt_jet_local(factor, setup->columns, x, move, NULL, s);
                set_local(space, s, walker->local);
                factor->series->rest(factor->scan, &walker->workspace, walker->local, state);
            }
            if (j >= 0) {
                volt_jet_local(factor, setup->columns, x, move, explain_row(setup, f, j), s);
                set_local(space, s, walker->local);
                factor->series->step(factor->scan, &walker->workspace, walker->local, state, NULL);
            }
            store(setup, space, factor, state, j, states);
        }
    }
}

/* ---- computes the Volterra kernels of a model -------------------------------------------------------- */

/*     f(x0 + delta) = g0 + sum_m <g1[m], delta_{-m}> + sum_{m1 <= m2} delta_{-m1}' g2[m1, m2] delta_{-m2} + ...
 *
 * The variables are the changes delta of every input at every lag, oldest lag first. For each training row
 * the kernel recursion runs over the lags in power series, starting from the stationary state at x0. The
 * response array gives the effect of a change on the kernel rows through recipe and filters. The series of f
 * is the sum over the rows, weighted by the coefficients (docs/math.md). */

enum { LANES = VOLT_JET_LANES, MAX_CHUNKS = 16 };

/* ---- one training row, or eight ----------------------------------------------------------------- */

/* Variable number of an input at a lag. */
static int64_t variable(const explain_setup *setup, int64_t lag, int64_t input)
{
    return (setup->lags - 1 - lag) * setup->inputs + input;
}

/* Linear part of the local value at `lag`: the changes in the row times w, or times twice the difference
 * from it. */
static void seed_linear(const explain_setup *setup, const volt_jet_space *space, const volt_jet_factor *factor,
                        int64_t lag, int64_t last, const double *const w[LANES], volt_jet *local)
{
    const double *x = setup->point + factor->slice * setup->columns;
    double *linear = local->c + space->start[1] * LANES;
    for (int64_t c = 0; c < setup->columns; c++) {
        const double *r = setup->response + (factor->slice * setup->columns + c) * setup->lags;
        double slope[LANES];
        for (int k = 0; k < LANES; k++) {
            double other = w[k] ? w[k][c] : 0;
            slope[k] = factor->scan->distance ? 2 * (x[c] - other) : other;
        }
        for (int64_t u = 0; lag + u <= last; u++) {
            double *to = linear + variable(setup, lag + u, explain_source(setup, c)) * LANES;
            for (int k = 0; k < LANES; k++)
                to[k] += r[u] * slope[k];
        }
    }
}

/* Squared norm of the change in the row, for distances. */
static void seed_square(const explain_setup *setup, const volt_jet_space *space, const volt_jet_factor *factor,
                        int64_t lag, int64_t last, volt_jet *local)
{
    for (int64_t c = 0; c < setup->columns; c++) {
        const double *r = setup->response + (factor->slice * setup->columns + c) * setup->lags;
        for (int64_t u = 0; lag + u <= last; u++)
            for (int64_t s = u; lag + s <= last; s++) {
                int64_t v[] = {variable(setup, lag + s, explain_source(setup, c)),
                               variable(setup, lag + u, explain_source(setup, c))};
                double *to = local->c + volt_jet_place(space, 2, v) * LANES, square = r[u] * r[s];
                for (int k = 0; k < LANES; k++)
                    to[k] += s == u ? square : 2 * square;
            }
    }
}

/* The local value of a factor at `lag` against rows w (NULL: zeros). */
static void seed(const explain_setup *setup, const volt_jet_space *space, const volt_jet_factor *factor,
                 int64_t lag, const double *const w[LANES], volt_jet *local)
{
    const double *x = setup->point + factor->slice * setup->columns;
    int64_t last = volt_min(lag + setup->reach[factor->slice], setup->lags) - 1;
    double values[LANES], s[3];
    bool squares = factor->scan->distance && space->order >= 2;
    for (int k = 0; k < LANES; k++) {
        volt_jet_local(factor, setup->columns, x, NULL, w[k], s);
        values[k] = s[0];
    }
    volt_jet_set(space, values, variable(setup, last, 0), variable(setup, lag, setup->inputs), squares ? 2 : 1,
                 local);
    seed_linear(setup, space, factor, lag, last, w, local);
    if (squares)
        seed_square(setup, space, factor, lag, last, local);
}

/* Rows `lag` before rows first .. first + LANES - 1; NULL before the start of the record. Lanes after the
 * last row repeat it. */
static void rows_before(const explain_setup *setup, int64_t f, int64_t first, int64_t lag,
                        const double *w[LANES])
{
    for (int k = 0; k < LANES; k++) {
        int64_t i = volt_min(first + k, setup->n - 1);
        w[k] = i - lag >= volt_records_begin(setup->records, i) ? explain_row(setup, f, i - lag) : NULL;
    }
}

/* A factor without a state: its local value is summed over a window. Lags beyond setup->lags are constant. */
static void walk_window(const explain_setup *setup, int64_t f, int64_t first, explain_walker *walker)
{
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    const volt_jet_space *space = walker->workspace.space;
    const double *w[LANES], *x = setup->point + factor->slice * setup->columns;
    double s[3];
    int64_t oldest = volt_min(factor->window, setup->lags) - 1;
    for (int64_t lag = oldest; lag >= 0; lag--) {
        rows_before(setup, f, first, lag, w);
        seed(setup, space, factor, lag, w, lag == oldest ? walker->local : walker->part);
        if (lag < oldest)
            volt_jet_add(space, 1, walker->part, walker->local);
    }
    for (int k = 0; k < LANES; k++) {
        int64_t i = volt_min(first + k, setup->n - 1);
        int64_t available = volt_min(i + 1 - volt_records_begin(setup->records, i), factor->window);
        for (int64_t lag = setup->lags; lag < available; lag++) {
            volt_jet_local(factor, setup->columns, x, NULL, explain_row(setup, f, i - lag), s);
            walker->local->c[k] += s[0];
        }
        volt_jet_local(factor, setup->columns, x, NULL, NULL, s);
        walker->local->c[k] += s[0] * (double)volt_max(factor->window - volt_max(available, setup->lags), 0);
    }
    factor->series->step(factor->scan, &walker->workspace, walker->local, NULL, &walker->values[f]);
}

/* A recursion from the state before the oldest lag. `rest` is from explain_columns_at_rest with order
 * 0. */
static void walk_lags(const explain_setup *setup, int64_t f, int64_t first, const double *rest,
                      explain_walker *walker)
{
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    const volt_jet_space *space = walker->workspace.space;
    const double *w[LANES];
    double values[LANES];
    for (int64_t s = factor->state; s < factor->state + factor->scan->state_size; s++) {
        for (int k = 0; k < LANES; k++) {
            int64_t i = volt_min(first + k, setup->n - 1), column = i - setup->lags;
            values[k] = rest[s * explain_state_row(setup->n) +
                             (column >= volt_records_begin(setup->records, i) ? column + 1 : 0)];
        }
        volt_jet_set(space, values, 0, 0, 0, &walker->states[s]);
    }
    for (int64_t lag = setup->lags - 1; lag >= 0; lag--) {
        rows_before(setup, f, first, lag, w);
        seed(setup, space, factor, lag, w, walker->local);
        factor->series->step(factor->scan, &walker->workspace, walker->local, walker->states + factor->state,
                             lag == 0 ? &walker->values[f] : NULL);
    }
}

/* walker->out <- K(., w^(i)) as a series, for LANES rows from `first` on. */
static void walk(const explain_setup *setup, int64_t first, const double *rest, explain_walker *walker)
{
    for (int64_t f = 0; f < setup->kernel.n_factors; f++)
        if (setup->kernel.factor[f].series->rest)
            walk_lags(setup, f, first, rest, walker);
        else
            walk_window(setup, f, first, walker);
    volt_jet_join(&setup->kernel, &walker->workspace, walker->values, walker->out);
}

/* ---- all training rows -------------------------------------------------------------------------- */

/* Operation on each series. Training row i is lane i - first, for `count` rows. */
typedef struct row_work row_work;

struct row_work {
    void (*take)(const row_work *work, const explain_setup *setup, const volt_jet *out, int64_t first,
                 int64_t count, int64_t chunk);
    const volt_jet_space *space;
    double *to;
};

/* Runs over blocks of rows in `chunks`. Their number and borders depend only on the problem, so sums over a
 * chunk are bitwise reproducible with any number of threads. */
static void walk_all(const explain_setup *setup, const double *rest, int64_t chunks, explain_walker *walkers,
                     int64_t threads, const row_work *work, volt_stage *stage)
{
    int64_t blocks = (setup->n + LANES - 1) / LANES;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        explain_walker *walker = &walkers[omp_get_thread_num()];
        int64_t end = blocks * (chunk + 1) / chunks;
        for (int64_t b = blocks * chunk / chunks; b < end && volt_stage_should_continue(stage); b++) {
            walk(setup, b * LANES, rest, walker);
            work->take(work, setup, walker->out, b * LANES, volt_min(LANES, setup->n - b * LANES), chunk);
            volt_stage_advance(stage, 1);
        }
    }
}

static volt_status find_rest(const explain_setup *setup, double *rest)
{
    volt_jet_space space = {0};
    explain_walker walker = {0};
    volt_status status = volt_jet_space_create(1, 0, &space);
    if (status == VOLT_OK)
        status = explain_walker_create(setup, &space, &walker);
    if (status == VOLT_OK)
        explain_columns_at_rest(setup, &space, NULL, &walker, rest);
    explain_walker_release(&walker);
    volt_jet_space_release(&space);
    return status;
}

/* Runs over all rows, in the space of `work`. */
static volt_status run(const explain_setup *setup, int64_t chunks, const row_work *work, volt_stage *stage)
{
    int64_t threads = volt_min(volt_threads(), chunks);
    double *rest = volt_alloc_doubles(volt_max(setup->kernel.n_states, 1), explain_state_row(setup->n));
    explain_walker *walkers = volt_alloc_zero(threads, sizeof *walkers);
    volt_status status = rest && walkers ? find_rest(setup, rest) : VOLT_ERR_MEMORY;
    for (int64_t t = 0; status == VOLT_OK && t < threads; t++)
        status = explain_walker_create(setup, work->space, &walkers[t]);
    if (status == VOLT_OK)
        status = volt_start_threads();
    if (status == VOLT_OK)
        walk_all(setup, rest, chunks, walkers, threads, work, stage);
    for (int64_t t = 0; walkers && t < threads; t++)
        explain_walker_release(&walkers[t]);
    volt_free(walkers);
    volt_free(rest);
    return status;
}

/* ---- kernels ---------------------------------------------------------------------------------- */

/* to[(chunk q + k) size + place] += A_ik coefficient. */
static void add_weighted(const row_work *work, const explain_setup *setup, const volt_jet *out, int64_t first,
                         int64_t count, int64_t chunk)
{
    const volt_jet_space *space = work->space;
    int64_t q = setup->model->q, size = space->start[space->order + 1];
    for (int64_t k = 0; k < q; k++) {
        double A[LANES] = {0}, *to = work->to + (chunk * q + k) * size;
        for (int64_t l = 0; l < count; l++)
            A[l] = setup->model->coefficients[(first + l) * q + k];
        for (int64_t i = 0; i < size; i++) {
            const double *c = out->c + i * LANES;
            double sum = 0;
            for (int l = 0; l < LANES; l++)
                sum += A[l] * c[l];
            to[i] += sum;
        }
    }
}

/* Number of ways to write the same monomial in p lags and inputs. Coefficients of equal lags are divided by
 * it. */
static double ways(int p, const int64_t *lag, const int64_t *input)
{
    double count = 1;
    for (int i = 0, end = 0; i < p; i = end) {
        for (end = i; end < p && lag[end] == lag[i]; end++)
            count *= end - i + 1;
        for (int j = i; j < end; j++) { /* number of occurrences of the input so far */
            int same = 0;
            for (int k = i; k <= j; k++)
                same += input[k] == input[j];
            count /= same;
        }
    }
    return count;
}

/* Coefficients of degree p of one output as a tensor [lag 1 <= ... <= lag p][input 1]...[input p]; 0
 * elsewhere. */
static void lay_out(const explain_setup *setup, const volt_jet_space *space, int p, const double *from,
                    double scale, double *to)
{
    int64_t inputs = setup->inputs, block = 1, lag[VOLT_MAX_ORDER] = {0};
    for (int j = 0; j < p; j++)
        block *= inputs;
    do { /* the first lag runs fastest; lags ascend */
        int64_t at = 0;
        for (int j = 0; j < p; j++)
            at = at * setup->lags + lag[j];
        for (int64_t b = 0; b < block; b++) {
            int64_t input[VOLT_MAX_ORDER], v[VOLT_MAX_ORDER], rest = b;
            for (int j = p - 1; j >= 0; j--, rest /= inputs)
                input[j] = rest % inputs;
            for (int j = 0; j < p; j++) { /* variables are ordered: the oldest lag has the first variable */
                int64_t fresh = variable(setup, lag[j], input[j]);
                int place = j;
                for (; place > 0 && v[place - 1] > fresh; place--)
                    v[place] = v[place - 1];
                v[place] = fresh;
            }
            to[at * block + b] = scale * from[volt_jet_place(space, p, v)] / ways(p, lag, input);
        }
    } while (volt_jet_next(p, 0, setup->lags, lag));
}

static void finish_kernels(const explain_setup *setup, const volt_jet_space *space, int64_t chunks,
                           double *sums, double *const *g)
{
    const volt_model *model = setup->model;
    int64_t q = model->q, size = space->start[space->order + 1], block = 1;
    for (int64_t chunk = 1; chunk < chunks; chunk++)
        for (int64_t i = 0; i < q * size; i++)
            sums[i] += sums[chunk * q * size + i];
    for (int64_t k = 0; k < q; k++) {
        int64_t anchor = model->anchors[k];
        g[0][k] = model->target_mean[k] + model->target_scale[k] * (sums[k * size] + model->intercepts[k]);
        if (anchor >= 0)
            g[0][k] += setup->about[anchor];
    }
    for (int p = 1; p <= space->order; p++) {
        block *= setup->lags * setup->inputs;
        memset(g[p], 0, (size_t)(q * block) * sizeof(double));
        for (int64_t k = 0; k < q; k++)
            lay_out(setup, space, p, sums + k * size, model->target_scale[k], g[p] + k * block);
    }
    for (int64_t k = 0; k < q; k++) /* a change is added to the level */
        if (model->anchors[k] >= 0)
            g[1][k * setup->lags * setup->inputs + model->anchors[k]] += 1;
}

static volt_status check_finite(const explain_setup *setup, double *const *g)
{
    int64_t block = setup->model->q;
    for (int p = 0; p <= setup->order; p++, block *= setup->lags * setup->inputs)
        for (int64_t i = 0; i < block; i++)
            VOLT_REQUIRE(isfinite(g[p][i]), VOLT_ERR_NOT_FINITE,
                         "the kernel of order %d contains a number that is too large for a double", p);
    return VOLT_OK;
}

/* Kernels of the orders up to setup->order in user units: g[p] is q x lags^p x inputs^p, g[0] is g0. */
static volt_status explain_kernels(const explain_setup *setup, volt_stage *stage, double *const *g)
{
    static const double most = 1 << 23; /* total size of the partial sums */
    int64_t n = setup->lags * setup->inputs, q = setup->model->q, blocks = (setup->n + LANES - 1) / LANES;
    double size = volt_jet_size(n, setup->order);
    int64_t chunks = volt_max(1, volt_min(blocks, (int64_t)fmin(most / (size * (double)q), MAX_CHUNKS)));
    double bytes = 8 * size *
                   ((double)(chunks * q) +
                    LANES * (double)(explain_walker_count(setup) * volt_min(volt_threads(), chunks)));
    VOLT_TRY(volt_memory_require(bytes, "power series of the kernel"));
    volt_jet_space space = {0};
    volt_status status = volt_jet_space_create(n, setup->order, &space);
    int64_t numbers = status == VOLT_OK ? space.start[space.order + 1] : 0;
    double *sums = status == VOLT_OK ? volt_alloc_zero(chunks * q * numbers, sizeof *sums) : NULL;
    row_work work = {.take = add_weighted, .space = &space, .to = sums};
    if (status == VOLT_OK)
        status = sums ? run(setup, chunks, &work, stage) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && volt_stage_should_continue(stage)) {
        finish_kernels(setup, &space, chunks, sums, g);
        status = check_finite(setup, g);
    }
    volt_free(sums);
    volt_jet_space_release(&space);
    return status;
}

/* ---- slopes ----------------------------------------------------------------------------------- */

static void store_slopes(const row_work *work, const explain_setup *setup, const volt_jet *out, int64_t first,
                         int64_t count, int64_t chunk)
{
    (void)setup;
    (void)chunk;
    int64_t n = work->space->n;
    for (int64_t l = 0; l < count; l++)
        for (int64_t v = 0; v < n; v++)
            work->to[(first + l) * n + v] = out->c[(1 + v) * LANES + l];
}

/* Derivatives of K(., w^(i)) with respect to every input and lag: n x (lags inputs), oldest lag first, in
 * scaled targets per unit of the inputs. */
static volt_status explain_slopes(const explain_setup *setup, volt_stage *stage, double *slopes)
{
    volt_jet_space space = {0};
    volt_status status = volt_jet_space_create(setup->lags * setup->inputs, 1, &space);
    row_work work = {.take = store_slopes, .space = &space, .to = slopes};
    if (status == VOLT_OK)
        status = run(setup, volt_min(MAX_CHUNKS, (setup->n + LANES - 1) / LANES), &work, stage);
    volt_jet_space_release(&space);
    return status;
}

/* ---- the part of each order in the predictions along a sequence -------------------------------------- */

/* With x0 + e (x - x0) as inputs, the powers of e are the orders (docs/math.md). The kernel recursion
 * carries order + 1 numbers per diagonal. Memory is unlimited, and no Volterra kernel is computed. A zero
 * initial state is expanded as e times the difference from x0 to zero. */

/* States of all diagonals, in the layout of explain_columns_at_rest: one array is read and one written per
 * row. */
typedef struct order_walk {
    const explain_setup *setup;
    volt_jet_space space;      /* one variable */
    explain_walker *walkers;   /* one per thread */
    int64_t threads, rows, ld; /* ld: columns, padded for lanes beyond the last */
    double *rest, *before, *after;
    double *moves;   /* (rows + 1) x width: differences of each row, and of zero, from the point */
    double *centres; /* factors x ld: local values of the point against the columns */
    double *slopes;  /* factors x columns of a row x ld: their slopes */
    double *values;  /* (order + 1) x ld: the kernel of one row, by order */
    bool *begins;    /* n: a record starts in this column */
} order_walk;

/* Local values of the point against all columns, and their slopes. */
static void lay_out_columns(order_walk *walk)
{
    const explain_setup *setup = walk->setup;
    int64_t d = setup->columns;
    for (int64_t f = 0; f < setup->kernel.n_factors; f++) {
        const volt_jet_factor *factor = &setup->kernel.factor[f];
        const double *x = setup->point + factor->slice * d;
        for (int64_t j = 0; j < setup->n; j++) {
            const double *w = explain_row(setup, f, j);
            double s[3];
            volt_jet_local(factor, d, x, NULL, w, s);
            walk->centres[f * walk->ld + j] = s[0];
            for (int64_t c = 0; c < d; c++)
                walk->slopes[(f * d + c) * walk->ld + j] = factor->scan->distance ? 2 * (x[c] - w[c]) : w[c];
        }
    }
    for (int64_t j = 0; j < setup->n; j++)
        walk->begins[j] = volt_records_begins(setup->records, j);
}

static volt_status create(const explain_setup *setup, volt_view Z, int order, order_walk *walk)
{
    int64_t numbers = volt_max(setup->kernel.n_states, 1) * (order + 1), row = explain_state_row(setup->n),
            factors = setup->kernel.n_factors;
    *walk = (order_walk){
        .setup = setup, .threads = setup->n < 512 ? 1 : volt_threads(), .rows = Z.rows, .ld = setup->n + LANES};
    VOLT_TRY(volt_jet_space_create(1, order, &walk->space));
    walk->walkers = volt_alloc_zero(walk->threads, sizeof *walk->walkers);
    walk->rest = volt_alloc_zero(numbers * row, sizeof(double));
    walk->before = volt_alloc_zero(numbers * row, sizeof(double));
    walk->after = volt_alloc_zero(numbers * row, sizeof(double));
    walk->moves = volt_alloc_doubles(Z.rows + 1, setup->width);
    walk->centres = volt_alloc_zero(factors * walk->ld, sizeof(double));
    walk->slopes = volt_alloc_zero(factors * setup->columns * walk->ld, sizeof(double));
    walk->values = volt_alloc_zero((order + 1) * walk->ld, sizeof(double));
    walk->begins = volt_alloc_zero(setup->n, sizeof(bool));
    if (!walk->walkers || !walk->rest || !walk->before || !walk->after || !walk->moves || !walk->centres ||
        !walk->slopes || !walk->values || !walk->begins)
        return VOLT_ERR_MEMORY;
    for (int64_t t = 0; t < walk->threads; t++)
        VOLT_TRY(explain_walker_create(setup, &walk->space, &walk->walkers[t]));
    lay_out_columns(walk);
    for (int64_t i = 0; i <= Z.rows; i++)
        for (int64_t k = 0; k < setup->width; k++)
            walk->moves[i * setup->width + k] = (i < Z.rows ? Z.data[i * Z.ld + k] : 0) - setup->point[k];
    return volt_start_threads();
}

static void release(order_walk *walk)
{
    for (int64_t t = 0; walk->walkers && t < walk->threads; t++)
        explain_walker_release(&walk->walkers[t]);
    volt_free(walk->begins);
    volt_free(walk->values);
    volt_free(walk->slopes);
    volt_free(walk->centres);
    volt_free(walk->moves);
    volt_free(walk->after);
    volt_free(walk->before);
    volt_free(walk->rest);
    volt_free(walk->walkers);
    volt_jet_space_release(&walk->space);
}

/* ---- one row against eight columns ------------------------------------------------------------ */

/* Difference of a row of the sequence from the point as passed to factor f. Rows before `begin` are zero. */
static const double *move_of(const order_walk *walk, int64_t f, int64_t row, int64_t begin)
{
    const explain_setup *setup = walk->setup;
    return walk->moves + (row >= begin ? row : walk->rows) * setup->width +
           setup->kernel.factor[f].slice * setup->columns;
}

/* Local value, summed over the window, of `row` in a record that starts at `begin`, against column j; -1:
 * zeros. */
static void sum_window(const order_walk *walk, int64_t f, int64_t row, int64_t begin, int64_t j,
                       double total[3])
{
    const explain_setup *setup = walk->setup;
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    const double *x = setup->point + factor->slice * setup->columns;
    int64_t column_begin = j >= 0 ? volt_records_begin(setup->records, j) : 0;
    int64_t available = volt_min(factor->window, volt_max(row - begin, j - column_begin) + 1);
    double s[3];
    total[0] = total[1] = total[2] = 0;
    for (int64_t k = 0; k <= available && k < factor->window; k++) {
        const double *w = j - k >= column_begin ? explain_row(setup, f, j - k) : NULL;
        volt_jet_local(factor, setup->columns, x, move_of(walk, f, row - k, begin), w, s);
        double times =
            k == available ? (double)(factor->window - available) : 1; /* zeros against zeros from here on */
        for (int p = 0; p < 3; p++)
            total[p] += times * s[p];
    }
}

/* The local values of a row against columns j .. j + count - 1. */
static void set_order_local(const order_walk *walk, int64_t f, int64_t row, int64_t begin, int64_t j,
                            int64_t count, volt_jet *local)
{
    const explain_setup *setup = walk->setup;
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    volt_lanes s[3] = {{0}};
    int degree = (int)volt_min(walk->space.order, 2);
    if (j < 0 || factor->window > 1) {
        for (int64_t l = 0; l < count; l++) {
            double one[3];
            sum_window(walk, f, row, begin, j + l, one);
            for (int p = 0; p < 3; p++)
                s[p][l] = one[p];
        }
    } else {
        const double *move = move_of(walk, f, row, begin), *centres = walk->centres + f * walk->ld + j;
        double square = 0;
        memcpy(s[0], centres, sizeof s[0]);
        for (int64_t c = 0; c < setup->columns; c++) {
            const double *slopes = walk->slopes + (f * setup->columns + c) * walk->ld + j;
            for (int l = 0; l < LANES; l++)
                s[1][l] += move[c] * slopes[l];
            square += move[c] * move[c];
        }
        for (int l = 0; factor->scan->distance && l < LANES; l++)
            s[2][l] = square;
    }
    memcpy(local->c, s, (size_t)(degree + 1) * sizeof s[0]);
    local->first = 0;
    local->end = 1;
    local->degree = degree;
}

/* States of factor f before columns j and later: those of the diagonals to their left, reset at each record. */
static void load(const order_walk *walk, const volt_jet_factor *factor, int64_t j, int64_t count,
                 volt_jet *states)
{
    int64_t orders = walk->space.order + 1, row = explain_state_row(walk->setup->n);
    for (int64_t s = factor->state; s < factor->state + factor->scan->state_size; s++) {
        for (int p = 0; p < orders; p++) {
            const double *from = walk->before + (s * orders + p) * row;
            double *to = states[s].c + p * LANES;
            memcpy(to, from + volt_max(j, 0), sizeof(volt_lanes));
            for (int64_t l = 0; l < count && j >= 0; l++)
                to[l] = walk->begins[j + l] ? from[0] : to[l];
        }
        states[s].first = 0;
        states[s].end = 1;
        states[s].degree = walk->space.order;
    }
}

static void save(const order_walk *walk, const volt_jet_factor *factor, int64_t j, int64_t count,
                 const volt_jet *states)
{
    int64_t orders = walk->space.order + 1, row = explain_state_row(walk->setup->n);
    for (int64_t s = factor->state; s < factor->state + factor->scan->state_size; s++)
        for (int p = 0; p < orders; p++) {
            double *to = walk->after + (s * orders + p) * row + j + 1;
            for (int64_t l = 0; l < count; l++)
                to[l] = p <= states[s].degree ? states[s].c[p * LANES + l] : 0;
        }
}

/* Columns j .. j + count - 1 of one row. Column -1 is a zero history, which has only states. */
static void step(const order_walk *walk, int64_t row, int64_t begin, int64_t j, int64_t count,
                 explain_walker *walker)
{
    const explain_setup *setup = walk->setup;
    for (int64_t f = 0; f < setup->kernel.n_factors; f++) {
        const volt_jet_factor *factor = &setup->kernel.factor[f];
        set_order_local(walk, f, row, begin, j, count, walker->local);
        load(walk, factor, j, count, walker->states);
        factor->series->step(factor->scan, &walker->workspace, walker->local, walker->states + factor->state,
                             &walker->values[f]);
        save(walk, factor, j, count, walker->states);
    }
    if (j < 0)
        return;
    volt_jet_join(&setup->kernel, &walker->workspace, walker->values, walker->out);
    for (int p = 0; p <= walk->space.order; p++)
        memcpy(walk->values + p * walk->ld + j, walker->out->c + p * LANES, sizeof(volt_lanes));
}

/* ---- all rows --------------------------------------------------------------------------------- */

/* Computes the kernel of `row` against all columns, by order, in walk->values. */
static void walk_row(order_walk *walk, int64_t row, int64_t begin)
{
    int64_t n = walk->setup->n, blocks = (n + LANES - 1) / LANES;
    if (row == begin)
        memcpy(walk->before, walk->rest,
               (size_t)(walk->setup->kernel.n_states * (walk->space.order + 1) * explain_state_row(n)) *
                   sizeof(double));
#pragma omp parallel for schedule(static) num_threads((int)walk->threads) if (walk->threads > 1)
    for (int64_t b = 0; b < blocks; b++)
        step(walk, row, begin, b * LANES, volt_min(LANES, n - b * LANES), &walk->walkers[omp_get_thread_num()]);
    step(walk, row, begin, -1, 1, &walk->walkers[0]);
    double *kept = walk->before;
    walk->before = walk->after;
    walk->after = kept;
}

static void walk_rows(order_walk *walk, const volt_records *records, volt_stage *stage, double *parts)
{
    const volt_model *model = walk->setup->model;
    int64_t n = walk->setup->n, q = model->q, orders = walk->space.order + 1;
    explain_columns_at_rest(walk->setup, &walk->space, walk->moves + walk->rows * walk->setup->width,
                            &walk->walkers[0], walk->rest);
    for (int64_t i = 0; i < walk->rows && volt_stage_advance(stage, 1); i++) {
        walk_row(walk, i, volt_records_begin(records, i));
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)orders, (volt_blas_int)q,
                    (volt_blas_int)n, 1, walk->values, (volt_blas_int)walk->ld, model->coefficients,
                    (volt_blas_int)q, 0, parts + i * (orders + 1) * q, (volt_blas_int)q);
    }
}

/* Only f, scaled and without intercept: row i at f + i ld. */
static volt_status explain_whole(const explain_setup *setup, volt_view Z, const volt_records *records,
                                 volt_stage *stage, volt_matrix f)
{
    const volt_model *model = setup->model;
    const volt_backend *backend = volt_backend_current();
    int64_t most = volt_block_rows(Z.rows, setup->n);
    double *block = backend->alloc(most, setup->n);
    volt_state *kernel_state = NULL;
    volt_status status =
        block ? volt_state_create(&model->resolved, model->columns, most, &kernel_state) : VOLT_ERR_MEMORY;
    volt_view A = volt_view_of(model->coefficients, model->n, model->q);
    for (int64_t first = 0, count = 0; status == VOLT_OK && first < Z.rows && volt_stage_poll(stage);
         first += count) {
        count = volt_min(most, volt_records_segment_end(records, first, Z.rows) - first);
        if (first > 0 && volt_records_begins(records, first))
            volt_state_zero(kernel_state);
        volt_matrix K = volt_matrix_of(block, count, setup->n);
        status = volt_state_advance_at(backend, kernel_state, volt_view_rows(Z, first, count), false, false, K,
                                       NULL);
        if (status == VOLT_OK)
            backend->gemm(volt_as_view(K), false, A, NULL, false, volt_matrix_rows(f, first, count));
        if (status == VOLT_OK)
            status = volt_backend_state(backend);
    }
    volt_state_free(kernel_state);
    backend->release(block);
    return status;
}

/* Parts of each order, and f itself, of kernel rows Z, with a zero initial state in every record, without
 * intercept, in scaled units. parts is h x (order + 2) x q, f last. `order` may differ from that of the
 * setup. */
static volt_status explain_orders(const explain_setup *setup, volt_view Z, const volt_records *records,
                                  int order, volt_stage *stage, double *parts)
{
    order_walk walk = {0};
    volt_status status = create(setup, Z, order, &walk);
    if (status == VOLT_OK)
        walk_rows(&walk, records, stage, parts);
    release(&walk);
    volt_matrix f = {parts + (order + 1) * setup->model->q, Z.rows, setup->model->q,
                     (order + 2) * setup->model->q};
    if (status == VOLT_OK)
        status = explain_whole(setup, Z, records, stage, f);
    return status;
}

/* ---- posterior standard deviations of the kernel of order 1 ------------------------------------------ */

/* Ridge regression is the posterior mean of a Gaussian process with covariance s^2 K and noise alpha s^2. A
 * linear functional of it, here the derivative with respect to one input at one lag, has the posterior
 * variance
 *
 *     s^2 [ D D' K - v'v + (u'v)^2 / (u'u) ],      v = L^{-1} D K(., w^(i)),   u = L^{-1} 1,   L L' = K + alpha I
 *
 * The last term is present only with an intercept. D D' K, the derivative with respect to both arguments, is
 * a coefficient of the power series of the kernel in two variables; s^2 = A'(K + alpha I) A / (m - 1)
 * (docs/math.md). L is the factor kept by the model; without one it is computed again. */

/* ---- prior ----------------------------------------------------------------------------------- */

/* Change of column c caused by variable v, in slice `slice` of the row `lag` rows ago. */
static double change(const explain_setup *setup, int64_t v, int64_t slice, int64_t c, int64_t lag)
{
    int64_t since = setup->lags - 1 - v / setup->inputs - lag; /* rows since the change */
    if (since < 0 || explain_source(setup, c) != v % setup->inputs)
        return 0;
    return setup->response[(slice * setup->columns + c) * setup->lags + since];
}

/* Local value of two rows that both move from the point, one by e (variable 0), the other by e' (variable
 * 1), for variables first .. first + LANES - 1. */
static void seed_both(const explain_setup *setup, const volt_jet_space *space, const volt_jet_factor *factor,
                      int64_t first, int64_t lag, volt_jet *local)
{
    static const int64_t squares[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    const double *x = setup->point + factor->slice * setup->columns;
    int64_t most = setup->lags * setup->inputs - 1;
    volt_jet_set(space, NULL, 0, 2, 2, local);
    double *e = local->c + LANES, *other = local->c + 2 * LANES, *second[3];
    for (int i = 0; i < 3; i++)
        second[i] = local->c + volt_jet_place(space, 2, squares[i]) * LANES;
    for (int k = 0; k < LANES; k++)
        for (int64_t c = 0; c < setup->columns; c++) {
            double move = change(setup, volt_min(first + k, most), factor->slice, c, lag);
            if (factor->scan->distance) { /* |e move - e' move|^2 */
                second[0][k] += move * move;
                second[1][k] -= 2 * move * move;
                second[2][k] += move * move;
            } else { /* (x + e move) (x + e' move) */
                local->c[k] += x[c] * x[c];
                e[k] += x[c] * move;
                other[k] += x[c] * move;
                second[1][k] += move * move;
            }
        }
}

static void walk_both(const explain_setup *setup, int64_t f, int64_t first, explain_walker *walker)
{
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    const volt_jet_space *space = walker->workspace.space;
    const double *x = setup->point + factor->slice * setup->columns;
    double s[3], values[LANES];
    volt_jet_local(factor, setup->columns, x, NULL, x, s);
    for (int k = 0; k < LANES; k++)
        values[k] = s[0];
    if (factor->series->rest) {
        volt_jet_set(space, values, 0, 0, 0, walker->local);
        factor->series->rest(factor->scan, &walker->workspace, walker->local, walker->states + factor->state);
        for (int64_t lag = setup->lags - 1; lag >= 0; lag--) {
            seed_both(setup, space, factor, first, lag, walker->local);
            factor->series->step(factor->scan, &walker->workspace, walker->local,
                                 walker->states + factor->state, lag == 0 ? &walker->values[f] : NULL);
        }
        return;
    }
    int64_t moved = volt_min(factor->window, setup->lags);
    for (int k = 0; k < LANES; k++)
        values[k] = s[0] * (double)(factor->window - moved);
    volt_jet_set(space, values, 0, 2, 2, walker->local);
    for (int64_t lag = 0; lag < moved; lag++) {
        seed_both(setup, space, factor, first, lag, walker->part);
        volt_jet_add(space, 1, walker->part, walker->local);
    }
    factor->series->step(factor->scan, &walker->workspace, walker->local, NULL, &walker->values[f]);
}

/* prior[v] <- D D' K of every variable. */
static volt_status find_prior(const explain_setup *setup, double *prior)
{
    static const int64_t both[] = {0, 1};
    int64_t n = setup->lags * setup->inputs;
    volt_jet_space space = {0};
    explain_walker walker = {0};
    volt_status status = volt_jet_space_create(2, 2, &space);
    if (status == VOLT_OK)
        status = explain_walker_create(setup, &space, &walker);
    for (int64_t first = 0; status == VOLT_OK && first < n; first += LANES) {
        for (int64_t f = 0; f < setup->kernel.n_factors; f++)
            walk_both(setup, f, first, &walker);
        volt_jet_join(&setup->kernel, &walker.workspace, walker.values, walker.out);
        for (int64_t k = 0; k < LANES && first + k < n; k++)
            prior[first + k] = walker.out->c[volt_jet_place(&space, 2, both) * LANES + k];
    }
    explain_walker_release(&walker);
    volt_jet_space_release(&space);
    return status;
}

/* ---- posterior ------------------------------------------------------------------------------- */

/* The fitted rows are those after the washout with a nonzero coefficient. */
static void find_unfitted(const volt_model *model, bool *without)
{
    int64_t w = model->washout;
    for (int64_t i = w; i < model->n; i++) {
        without[i - w] = true;
        for (int64_t k = 0; k < model->q; k++)
            without[i - w] &= model->coefficients[i * model->q + k] == 0;
    }
}

typedef struct band_buffers {
    double *slopes; /* n x variables: overwritten with v */
    double *copy;   /* copy for another alpha; NULL: all outputs have the same */
    double *fitted; /* n x q: K A of the training rows */
    double *u, *prior, *variance;
    double *response; /* as setup->response, per unit 2^exponents[j] of input j */
    int *exponents;
    bool *without;
} band_buffers;

/* s^2 of output k. */
static double noise_scale(const volt_model *model, const band_buffers *workspace, int64_t k)
{
    double sum = 0;
    int64_t rows = 0;
    for (int64_t i = model->washout; i < model->n; i++) {
        double a = model->coefficients[i * model->q + k];
        sum += a * (workspace->fitted[i * model->q + k] + model->alphas[k] * a);
        rows += !workspace->without[i - model->washout];
    }
    return fmax(sum, 0) / (double)volt_max(1, rows - (model->intercept || model->resolved.centred));
}

/* variance[v] for this alpha, in units of s^2. */
static volt_status find_variances(const explain_setup *setup, double alpha, volt_operator *op, double *slopes,
                                  const band_buffers *workspace, volt_stage *stage)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs, w = model->washout, m = model->n - w;
    bool intercept = model->intercept || model->resolved.centred;
    volt_factor *factor = NULL;
    VOLT_TRY(volt_factor_create(volt_backend_current(), NULL, model->n, n, &factor));
    volt_matrix V = volt_matrix_of(slopes + w * n, m, n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t v = 0; workspace->without[i] && v < n; v++)
            V.data[i * n + v] = 0;
    volt_factor_task task = {.rows = model->n,
                             .washout = w,
                             .alpha = alpha,
                             .common = intercept ? model->resolved.common : 0,
                             .without = workspace->without,
                             .Y = volt_as_view(V),
                             .W = V,
                             .u = intercept ? workspace->u : NULL,
                             .ld_u = 1,
                             .stage = stage};
    volt_factor_begin(factor, &task);
    volt_status status = volt_factor_fill(factor, op);
    if (status == VOLT_OK && volt_stage_should_continue(stage))
        status = volt_factor_grow(factor, m);
    for (int64_t v = 0; status == VOLT_OK && v < n; v++) {
        double vv = 0, uv = 0, uu = 0;
        for (int64_t i = 0; i < m; i++) {
            double value = V.data[i * n + v];
            vv += value * value;
            uv += intercept ? workspace->u[i] * value : 0;
            uu += intercept ? workspace->u[i] * workspace->u[i] : 0;
        }
        workspace->variance[v] = fmax(workspace->prior[v] - vv + (uu > 0 ? uv * uv / uu : 0), 0);
    }
    volt_factor_free(factor);
    return status;
}

enum { TOGETHER = 64 }; /* variables per unpacking of the factor */

/* The same from the factor kept by the model, without factoring again. */
static volt_status find_kept_variances(const explain_setup *setup, const volt_stored_factor *kept,
                                       const band_buffers *workspace, volt_stage *stage)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs, w = model->washout, most = volt_min(n, TOGETHER);
    double *rows = volt_alloc_doubles(most, kept->m), *plain = volt_alloc_doubles(most, 1);
    volt_status status = rows && plain ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t first = 0; status == VOLT_OK && first < n && volt_stage_should_continue(stage);
         first += most) {
        int64_t count = volt_min(most, n - first);
        for (int64_t i = 0; i < kept->m; i++)
            for (int64_t v = 0; v < count; v++)
                rows[v * kept->m + i] = workspace->slopes[(w + i) * n + first + v];
        status =
            volt_stored_factor_latent_variances(kept, 0, volt_matrix_of(rows, count, kept->m),
                                                workspace->prior + first, plain, workspace->variance + first);
    }
    volt_free(plain);
    volt_free(rows);
    return status;
}

/* Standard deviations of the outputs with the alpha of output `first`. */
static void finish(const explain_setup *setup, const band_buffers *workspace, int64_t first, double *deviations)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs;
    for (int64_t k = first; k < model->q; k++) {
        if (model->alphas[k] != model->alphas[first])
            continue;
        double s = model->target_scale[k] * sqrt(noise_scale(model, workspace, k));
        for (int64_t lag = 0; lag < setup->lags; lag++)
            for (int64_t j = 0; j < setup->inputs; j++)
                deviations[k * n + lag * setup->inputs + j] =
                    s * sqrt(workspace->variance[(setup->lags - 1 - lag) * setup->inputs + j]);
    }
}

/* Whether an earlier output has the same alpha, or output k has no kernel part. */
static bool is_done(const volt_model *model, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (model->alphas[i] == model->alphas[k])
            return true;
    return isinf(model->alphas[k]);
}

/* Whether the model keeps the factor of every output with a kernel part. */
static bool keeps_factor(const volt_model *model)
{
    for (int64_t k = 0; model->stored_factors.of && k < model->q; k++)
        if (model->stored_factors.of[k] < 0 && !isinf(model->alphas[k]))
            return false;
    return model->stored_factors.of;
}

static volt_status find_band(const explain_setup *setup, const band_buffers *workspace, volt_stage *stage,
                             double *deviations)
{
    const volt_model *model = setup->model;
    size_t bytes = (size_t)(model->n * setup->lags * setup->inputs) * sizeof(double);
    volt_operator *op = NULL;
    find_unfitted(model, workspace->without);
    VOLT_TRY(find_prior(setup, workspace->prior));
    VOLT_TRY(explain_slopes(setup, stage, workspace->slopes));
    volt_view Z = volt_view_of(setup->rows, model->n, setup->width);
    VOLT_TRY(
        explain_whole(setup, Z, setup->records, stage, volt_matrix_of(workspace->fitted, model->n, model->q)));
    volt_status status = VOLT_OK;
    for (int64_t k = 0; status == VOLT_OK && k < model->q && volt_stage_should_continue(stage); k++) {
        if (is_done(model, k))
            continue;
        if (keeps_factor(model)) {
            status = find_kept_variances(setup, &model->stored_factors.factors[model->stored_factors.of[k]],
                                         workspace, stage);
        } else {
            if (workspace->copy)
                memcpy(workspace->copy, workspace->slopes, bytes);
            status = volt_kernel_operator(&model->resolved, model->columns, Z, false, &op);
            if (status == VOLT_OK)
                status =
                    find_variances(setup, model->alphas[k], op,
                                   workspace->copy ? workspace->copy : workspace->slopes, workspace, stage);
            volt_operator_free(op);
            op = NULL;
        }
        if (status == VOLT_OK)
            finish(setup, workspace, k, deviations);
    }
    return status;
}

/* Changes of an input in units of a power of two in which they change the columns by about 1: derivatives by inputs in large
 * or small units have squares that underflow or overflow. */
static void scale_inputs(explain_setup *setup, const band_buffers *workspace)
{
    for (int64_t j = 0; j < setup->inputs; j++)
        workspace->exponents[j] = DBL_MAX_EXP; /* no change */
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < setup->width * setup->lags; i++) {
            int own, *exponent = &workspace->exponents[explain_source(setup, i / setup->lags % setup->columns)];
            if (pass > 0) {
                workspace->response[i] = ldexp(setup->response[i], *exponent);
            } else if (setup->response[i] != 0) {
                frexp(setup->response[i], &own);
                *exponent = -own < *exponent ? -own : *exponent;
            }
        }
    setup->response = workspace->response;
}

/* Posterior standard deviations of g1: q x lags x inputs. Its progress covers [from, from + share]. */
static volt_status explain_band(const explain_setup *setup, volt_progress progress, double from, double share,
                                double *deviations)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs, kinds = 0;
    for (int64_t k = 0; k < model->q; k++)
        kinds += !is_done(model, k);
    bool rebuilds = !keeps_factor(model);
    char what[96];
    snprintf(what, sizeof what, "factor of %lld rows for the standard deviations", (long long)model->n);
    VOLT_TRY(volt_memory_require(
        (rebuilds ? volt_factor_bytes(model->n, n) : 0) + 16.0 * (double)model->n * (double)n, what));
    band_buffers workspace = {.slopes = volt_alloc_doubles(model->n, n),
                              .copy = rebuilds && kinds > 1 ? volt_alloc_doubles(model->n, n) : NULL,
                              .fitted = volt_alloc_doubles(model->n, model->q),
                              .u = volt_alloc_doubles(model->n, 1),
                              .prior = volt_alloc_doubles(n, 1),
                              .variance = volt_alloc_doubles(n, 1),
                              .response = volt_alloc_doubles(setup->width, setup->lags),
                              .exponents = volt_alloc_zero(setup->inputs, sizeof(int)),
                              .without = volt_alloc_zero(model->n, sizeof(bool))};
    explain_setup scaled = *setup;
    bool allocated = workspace.response && workspace.exponents && workspace.slopes &&
                     (workspace.copy || !rebuilds || kinds <= 1) && workspace.fitted && workspace.u &&
                     workspace.prior && workspace.variance && workspace.without;
    volt_status status = VOLT_ERR_MEMORY;
    if (allocated) {
        volt_stage stage;
        scale_inputs(&scaled, &workspace);
        volt_stage_begin(&stage, progress, "band", from, share, (double)model->n * (double)model->n);
        memset(deviations, 0, (size_t)(model->q * n) * sizeof *deviations);
        status = find_band(&scaled, &workspace, &stage, deviations);
        for (int64_t i = 0; i < model->q * n; i++)
            deviations[i] = ldexp(deviations[i], -workspace.exponents[i % setup->inputs]);
        if (status == VOLT_OK)
            status = volt_stage_end(&stage);
    }
    volt_free(workspace.exponents);
    volt_free(workspace.response);
    volt_free(workspace.without);
    volt_free(workspace.variance);
    volt_free(workspace.prior);
    volt_free(workspace.u);
    volt_free(workspace.fitted);
    volt_free(workspace.copy);
    volt_free(workspace.slopes);
    return status;
}

_Static_assert((int)VOLT_EXPLAIN_ORDERS == (int)VOLT_MAX_ORDER, "public and internal largest order agree");

volt_explain_options volt_explain_options_default(void)
{
    volt_explain_options options = {.struct_size = sizeof(volt_explain_options),
                                    .order = 2,
                                    .about = VOLT_ABOUT_MEAN,
                                    .band = 1,
                                    .shares = 1};
    return options;
}

/* Memory of an explanation. */
typedef struct explanation_memory {
    volt_explanation shown; /* first: the caller holds its address */
    double *g[VOLT_EXPLAIN_ORDERS + 1];
    double *about, *deviations, *shares, *variances;
    int64_t *memory;
} explanation_memory;

void volt_explanation_free(volt_explanation *explanation)
{
    explanation_memory *self = (explanation_memory *)explanation;
    if (!self)
        return;
    for (int p = 0; p <= VOLT_EXPLAIN_ORDERS; p++)
        volt_free(self->g[p]);
    volt_free(self->about);
    volt_free(self->deviations);
    volt_free(self->shares);
    volt_free(self->variances);
    volt_free(self->memory);
    volt_free(self);
}

static volt_status allocate(const explain_setup *setup, const volt_explain_options *options,
                            explanation_memory **fresh)
{
    int64_t q = setup->model->q, block = 1, orders = volt_max(2, setup->order);
    explanation_memory *self = volt_alloc_zero(1, sizeof *self);
    if (!self)
        return VOLT_ERR_MEMORY;
    bool allocated = true;
    for (int p = 0; p <= setup->order; p++, block *= setup->lags * setup->inputs)
        allocated &= (self->g[p] = volt_alloc_doubles(q, block)) != NULL;
    allocated &= (self->about = volt_alloc_doubles(setup->inputs, 1)) != NULL;
    allocated &= (self->memory = volt_alloc_zero(q, sizeof *self->memory)) != NULL;
    if (options->band)
        allocated &= (self->deviations = volt_alloc_doubles(q, setup->lags * setup->inputs)) != NULL;
    if (options->shares) {
        allocated &= (self->shares = volt_alloc_doubles(q, orders + 1)) != NULL;
        allocated &= (self->variances = volt_alloc_doubles(q, orders + 1)) != NULL;
    }
    if (!allocated) {
        volt_explanation_free(&self->shown);
        return VOLT_ERR_MEMORY;
    }
    memcpy(self->about, setup->about, (size_t)setup->inputs * sizeof(double));
    self->shown = (volt_explanation){.struct_size = sizeof(volt_explanation),
                                     .d = setup->inputs,
                                     .q = q,
                                     .lags = setup->lags,
                                     .order = setup->order,
                                     .about = self->about,
                                     .g0 = self->g[0],
                                     .g1_std = self->deviations,
                                     .share_orders = options->shares ? orders : 0,
                                     .shares = self->shares,
                                     .variances = self->variances,
                                     .memory = self->memory};
    for (int p = 1; p <= setup->order; p++)
        self->shown.kernels[p - 1] = self->g[p];
    *fresh = self;
    return VOLT_OK;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Standard deviation of every input over the training rows, in user units: of its level, or of its changes if the
 * kernel uses only those; 1 if unknown. */
static void input_deviations(const explain_setup *setup, double *deviations)
{
    const volt_model *model = setup->model;
    for (int64_t j = 0; j < setup->inputs; j++)
        deviations[j] = 1;
    for (int64_t c = setup->columns - 1; c >= 0;
         c--) { /* the first column of an input is its level, if present */
        double mean = 0, squares = 0;
        for (int64_t i = 0; i < setup->n; i++)
            mean += setup->rows[i * setup->width + c] / (double)setup->n;
        for (int64_t i = 0; i < setup->n; i++)
            squares += pow(setup->rows[i * setup->width + c] - mean, 2) / (double)setup->n;
        double deviation = fabs(sqrt(squares) / (model->input.scale * explain_weight(setup, c)));
        if (deviation > 0 && isfinite(deviation))
            deviations[explain_source(setup, c)] = deviation;
    }
}

/* Number of lags that hold 99 % of the variance that g1 and g2 give for independent inputs. A term counts at
 * its largest lag. `unit` is the scale of the output: squares in user units may overflow. */
static int64_t find_memory(const explain_setup *setup, double unit, const double *deviations, const double *g1,
                           const double *g2, double *energy)
{
    int64_t L = setup->lags, d = setup->inputs;
    double total = 0, sum = 0;
    for (int64_t m = 0; m < L; m++) {
        energy[m] = 0;
        for (int64_t j = 0; j < d; j++)
            energy[m] += pow(g1[m * d + j] * deviations[j] / unit, 2);
        for (int64_t m1 = 0; g2 && m1 <= m; m1++)
            for (int64_t c = 0; c < d * d; c++) {
                double g = g2[(m1 * L + m) * d * d + c] * deviations[c / d] / unit * deviations[c % d];
                energy[m] += (m1 == m ? 2 : 1) * g * g;
            }
        total += energy[m];
    }
    int64_t m = 0;
    for (sum = energy[0]; sum < 0.99 * total; sum += energy[m]) /* the last sum is the total */
        m++;
    return total > 0 ? m + 1 : 0;
}

static volt_status find_memories(const explain_setup *setup, explanation_memory *self)
{
    int64_t block = setup->lags * setup->inputs;
    double *deviations = volt_alloc_doubles(setup->inputs, 1), *energy = volt_alloc_doubles(setup->lags, 1);
    volt_status status = deviations && energy ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        input_deviations(setup, deviations);
    for (int64_t k = 0; status == VOLT_OK && k < setup->model->q; k++)
        self->memory[k] = find_memory(setup, setup->model->target_scale[k], deviations, self->g[1] + k * block,
                                      setup->order > 1 ? self->g[2] + k * block * block : NULL, energy);
    volt_free(energy);
    volt_free(deviations);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Converts the rows of X, a new sequence, to kernel rows. */
static volt_status take_rows(const volt_model *model, volt_view X, const volt_records *records, double *Z)
{
    volt_recent recent = {0};
    int64_t beyond = 0;
    volt_status status = volt_recent_create(&model->recipe, &recent);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++) {
        if (i > 0 && volt_records_begins(records, i))
            volt_recent_restart(&recent);
        status = volt_model_take_input(model, &recent, X.data + i * X.ld, VOLT_BEYOND_CLIP, i, Z + i * model->d,
                                       &beyond);
        volt_recent_push(&model->recipe, &recent, X.data + i * X.ld);
    }
    volt_recent_release(&recent);
    return status;
}

static volt_status check_rows(const volt_model *model, volt_view X)
{
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_REQUIRE(model->recipe.fed_outputs.n == 0, VOLT_ERR_ARGUMENT,
                 "orders along other rows are not defined for a model with feedback");
    VOLT_REQUIRE(X.cols == model->recipe.inputs, VOLT_ERR_SHAPE,
                 "the inputs have %" PRId64 " columns, but the model takes %" PRId64, X.cols,
                 model->recipe.inputs);
    return VOLT_OK;
}

/* Parts of the rows of X: h x (order + 2) x q, scaled. */
static volt_status parts_of_rows(const explain_setup *setup, volt_view X, const volt_records *records,
                                 int order, volt_stage *stage, double *parts)
{
    double *Z = volt_alloc_doubles(X.rows, setup->width);
    volt_status status = Z ? take_rows(setup->model, X, records, Z) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = explain_orders(setup, volt_view_of(Z, X.rows, setup->width), records, order, stage, parts);
    volt_free(Z);
    return status;
}

/* ---- shares ----------------------------------------------------------------------------------- */

/* Shares of output k over the rows from `first` on. */
static void share_out(const double *parts, int64_t rows, int64_t first, int64_t orders, int64_t q, int64_t k,
                      double *shares, double *variances)
{
    int64_t step = (orders + 2) * q, count = rows - first;
    double mean[VOLT_EXPLAIN_ORDERS + 2] = {0}, total = 0;
    for (int64_t p = 0; p <= orders + 1; p++) {
        for (int64_t i = first; i < rows; i++)
            mean[p] += parts[i * step + p * q + k] / (double)count;
        if (p >= 1 && p <= orders)
            shares[p - 1] = variances[p - 1] = 0;
    }
    shares[orders] = variances[orders] = 0;
    for (int64_t i = first; i < rows; i++) {
        const double *part = parts + i * step + k;
        double f = part[(orders + 1) * q] - mean[orders + 1], rest = f - (part[0] - mean[0]);
        total += f * f;
        for (int64_t p = 1; p <= orders; p++) {
            double value = part[p * q] - mean[p];
            shares[p - 1] += value * f;
            variances[p - 1] += value * value;
            rest -= value;
        }
        shares[orders] += rest * f;
        variances[orders] += rest * rest;
    }
    for (int64_t p = 0; p <= orders; p++) {
        shares[p] = total > 0 ? shares[p] / total : 0;
        variances[p] = total > 0 ? variances[p] / total : 0;
    }
}

/* ---- explain ---------------------------------------------------------------------------------- */

/* Progress shares of the stages, approximately proportional to their operations. */
/* Shares of the kernels, of the orders and of the band in the progress. */
static void plan_stages(const explain_setup *setup, const volt_explain_options *options, double share[3])
{
    double n = (double)setup->n, rows = (double)(options->along.data ? options->along.rows : setup->n);
    double kernels = n * (double)setup->lags * volt_jet_size(setup->lags * setup->inputs, setup->order);
    double orders = options->shares ? 50 * rows * n : 0, band = options->band ? n * n * (n / 24 + 2) : 0;
    double all = kernels + orders + band;
    share[0] = kernels / all;
    share[1] = orders / all;
    share[2] = band / all;
}

static volt_status find_kernels(const explain_setup *setup, volt_progress progress, double share,
                                explanation_memory *self)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "kernels", 0, share, (double)setup->n / VOLT_JET_LANES);
    VOLT_TRY(explain_kernels(setup, &stage, self->g));
    VOLT_TRY(volt_stage_end(&stage));
    return find_memories(setup, self);
}

static volt_status find_shares(const explain_setup *setup, const volt_explain_options *options,
                               const volt_records *records, double from, double share, explanation_memory *self)
{
    bool apart = options->along.data != NULL;
    volt_view Z = volt_view_of(setup->rows, setup->n, setup->width);
    int order = (int)volt_max(2, setup->order);
    int64_t rows = apart ? options->along.rows : setup->n, q = setup->model->q;
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "orders", from, share, (double)rows);
    double *parts = volt_alloc_doubles(rows, (order + 2) * q);
    volt_status status = parts ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = apart ? parts_of_rows(setup, options->along, records, order, &stage, parts)
                       : explain_orders(setup, Z, setup->records, order, &stage, parts);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    for (int64_t k = 0; status == VOLT_OK && k < q; k++)
        share_out(parts, rows, apart ? 0 : setup->model->washout, order, q, k, self->shares + k * (order + 1),
                  self->variances + k * (order + 1));
    volt_free(parts);
    return status;
}

static volt_status find_all(const explain_setup *setup, const volt_explain_options *options,
                            const volt_records *records, explanation_memory *self)
{
    double share[3];
    plan_stages(setup, options, share);
    VOLT_TRY(find_kernels(setup, options->progress, share[0], self));
    if (options->shares)
        VOLT_TRY(find_shares(setup, options, records, share[0], share[1], self));
    if (options->band)
        VOLT_TRY(explain_band(setup, options->progress, share[0] + share[1], share[2], self->deviations));
    return VOLT_OK;
}

volt_status volt_model_explain(const volt_model *model, const volt_explain_options *options,
                               volt_explanation **explanation)
{
    volt_explain_options requested = volt_explain_options_default();
    VOLT_TRY(volt_options_take(&requested, sizeof requested, options, "volt_explain_options"));
    options = &requested;
    VOLT_REQUIRE(model && explanation, VOLT_ERR_ARGUMENT, "the model or the explanation is NULL");
    VOLT_TRY(volt_model_require_single(model, "a Volterra series"));
    VOLT_TRY(volt_initial_require_zero(model));
    /* With a loss, weights or landmarks, the readout is not a posterior mean of the fitted rows. */
    requested.band = requested.band && !model->loss && model->trained.landmarks == 0;
    if (options->along.data)
        VOLT_TRY(check_rows(model, options->along));
    volt_records records;
    VOLT_TRY(volt_records_make(options->records, options->along.data ? options->n_records : 0,
                               options->along.rows, &records));
    explain_setup setup;
    explanation_memory *self = NULL;
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = explain_setup_make(model, options, &setup);
        if (status == VOLT_OK)
            status = allocate(&setup, options, &self);
        if (status == VOLT_OK)
            status = find_all(&setup, options, &records, self);
        explain_setup_release(&setup);
        volt_blas_release(&use);
    }
    volt_records_release(&records);
    if (status == VOLT_OK)
        *explanation = &self->shown;
    else
        volt_explanation_free(self ? &self->shown : NULL);
    return status;
}

/* ---- parts along a sequence ------------------------------------------------------------------- */

/* Parts of row i with inputs x, in the units of the outputs. */
static void finish_parts(const explain_setup *setup, int order, const double *x, const double *parts,
                         double *out)
{
    const volt_model *model = setup->model;
    int64_t q = model->q;
    for (int64_t k = 0; k < q; k++, out += order + 2) {
        double scale = model->target_scale[k], rest = parts[(order + 1) * q + k];
        for (int p = 0; p <= order; p++) {
            out[p] = scale * parts[p * q + k];
            rest -= parts[p * q + k];
        }
        out[order + 1] = scale * rest;
        out[0] += model->target_mean[k] + scale * model->intercepts[k];
        if (model->anchors[k] >= 0) { /* a change is added to the level */
            out[0] += setup->about[model->anchors[k]];
            out[1] += x[model->anchors[k]] - setup->about[model->anchors[k]];
        }
    }
}

static volt_status find_parts(const explain_setup *setup, volt_view X, const volt_explain_options *options,
                              const volt_records *records, volt_matrix out)
{
    int order = (int)options->order;
    int64_t width = (order + 2) * setup->model->q;
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "orders", 0, 1, (double)X.rows);
    double *parts = volt_alloc_doubles(X.rows, width), *row = volt_alloc_doubles(X.rows, width);
    volt_status status =
        parts && row ? parts_of_rows(setup, X, records, order, &stage, parts) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++) {
        finish_parts(setup, order, X.data + i * X.ld, parts + i * width, row + i * width);
        for (int64_t k = 0; status == VOLT_OK && k < width; k++)
            if (!isfinite(row[i * width + k]))
                status = volt_fail(VOLT_ERR_NOT_FINITE, "a part of row %" PRId64 " is too large for a double",
                                   i + 1);
    }
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        memcpy(out.data + i * out.ld, row + i * width, (size_t)width * sizeof(double));
    volt_free(row);
    volt_free(parts);
    return status;
}

volt_status volt_model_orders(const volt_model *model, volt_view X, const volt_explain_options *options,
                              volt_matrix out)
{
    volt_explain_options requested = volt_explain_options_default();
    VOLT_TRY(volt_options_take(&requested, sizeof requested, options, "volt_explain_options"));
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_require_single(model, "a decomposition by orders"));
    VOLT_TRY(volt_initial_require_zero(model));
    VOLT_TRY(check_rows(model, X));
    VOLT_TRY(volt_check_output(out, X.rows, model->q * (requested.order + 2), "the parts"));
    requested.lags = 1; /* no kernel is requested */
    volt_records records;
    VOLT_TRY(volt_records_make(requested.records, requested.n_records, X.rows, &records));
    explain_setup setup;
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = explain_setup_make(model, &requested, &setup);
        if (status == VOLT_OK)
            status = find_parts(&setup, X, &requested, &records, out);
        explain_setup_release(&setup);
        volt_blas_release(&use);
    }
    volt_records_release(&records);
    return status;
}
