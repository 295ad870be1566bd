/* src/explain/explain_setup.c: data shared by the expansions of a model. */
#include "explain/explain_setup.h"
#include "kernel/kernel_entry.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

int64_t volt_explain_source(const explain_setup *setup, int64_t c)
{
    return column_of(setup, c).source;
}

double volt_explain_weight(const explain_setup *setup, int64_t c)
{
    return column_of(setup, c).weight;
}

const double *volt_explain_row(const explain_setup *setup, int64_t f, int64_t j)
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

volt_status volt_explain_setup_make(const volt_model *model, const volt_explain_options *options,
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

void volt_explain_setup_release(explain_setup *setup)
{
    volt_free(setup->response);
    volt_free(setup->point);
    volt_free(setup->about);
    volt_free(setup->rows);
}

/* ---- walkers ---------------------------------------------------------------------------------- */

int64_t volt_explain_walker_count(const explain_setup *setup)
{
    enum { OWN = 3 }; /* local, part, out */
    return setup->kernel.n_states + setup->kernel.n_factors + OWN + VOLT_JET_SPARE + 1;
}

volt_status volt_explain_walker_create(const explain_setup *setup, const volt_jet_space *space,
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

void volt_explain_walker_release(explain_walker *walker)
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

void volt_explain_columns_at_rest(const explain_setup *setup, const volt_jet_space *space,
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
                volt_jet_local(factor, setup->columns, x, move, volt_explain_row(setup, f, j), s);
                set_local(space, s, walker->local);
                factor->series->step(factor->scan, &walker->workspace, walker->local, state, NULL);
            }
            store(setup, space, factor, state, j, states);
        }
    }
}
