/* src/explain/explain_kernels.c: computes the Volterra kernels of a model.
 *
 *     f(x0 + delta) = g0 + sum_m <g1[m], delta_{-m}> + sum_{m1 <= m2} delta_{-m1}' g2[m1, m2] delta_{-m2} + ...
 *
 * The variables are the changes delta of every input at every lag, oldest lag first. For each training row
 * the kernel recursion runs over the lags in power series, starting from the stationary state at x0. The
 * response array gives the effect of a change on the kernel rows through recipe and filters. The series of f
 * is the sum over the rows, weighted by the coefficients (docs/math.md). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "explain/explain_setup.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
            double *to = linear + variable(setup, lag + u, volt_explain_source(setup, c)) * LANES;
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
                int64_t v[] = {variable(setup, lag + s, volt_explain_source(setup, c)),
                               variable(setup, lag + u, volt_explain_source(setup, c))};
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
        w[k] = i - lag >= volt_records_begin(setup->records, i) ? volt_explain_row(setup, f, i - lag) : NULL;
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
            volt_jet_local(factor, setup->columns, x, NULL, volt_explain_row(setup, f, i - lag), s);
            walker->local->c[k] += s[0];
        }
        volt_jet_local(factor, setup->columns, x, NULL, NULL, s);
        walker->local->c[k] += s[0] * (double)volt_max(factor->window - volt_max(available, setup->lags), 0);
    }
    factor->series->step(factor->scan, &walker->workspace, walker->local, NULL, &walker->values[f]);
}

/* A recursion from the state before the oldest lag. `rest` is from volt_explain_columns_at_rest with order
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
        status = volt_explain_walker_create(setup, &space, &walker);
    if (status == VOLT_OK)
        volt_explain_columns_at_rest(setup, &space, NULL, &walker, rest);
    volt_explain_walker_release(&walker);
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
        status = volt_explain_walker_create(setup, work->space, &walkers[t]);
    if (status == VOLT_OK)
        status = volt_start_threads();
    if (status == VOLT_OK)
        walk_all(setup, rest, chunks, walkers, threads, work, stage);
    for (int64_t t = 0; walkers && t < threads; t++)
        volt_explain_walker_release(&walkers[t]);
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

volt_status volt_explain_kernels(const explain_setup *setup, volt_stage *stage, double *const *g)
{
    static const double most = 1 << 23; /* total size of the partial sums */
    int64_t n = setup->lags * setup->inputs, q = setup->model->q, blocks = (setup->n + LANES - 1) / LANES;
    double size = volt_jet_size(n, setup->order);
    int64_t chunks = volt_max(1, volt_min(blocks, (int64_t)fmin(most / (size * (double)q), MAX_CHUNKS)));
    double bytes = 8 * size *
                   ((double)(chunks * q) +
                    LANES * (double)(volt_explain_walker_count(setup) * volt_min(volt_threads(), chunks)));
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

volt_status volt_explain_slopes(const explain_setup *setup, volt_stage *stage, double *slopes)
{
    volt_jet_space space = {0};
    volt_status status = volt_jet_space_create(setup->lags * setup->inputs, 1, &space);
    row_work work = {.take = store_slopes, .space = &space, .to = slopes};
    if (status == VOLT_OK)
        status = run(setup, volt_min(MAX_CHUNKS, (setup->n + LANES - 1) / LANES), &work, stage);
    volt_jet_space_release(&space);
    return status;
}
