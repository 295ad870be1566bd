/* src/gram/gram_collection.c: Gram matrices of collections of series.
 *
 * The series of the columns are packed in interleaved groups, so that one series of the rows is combined
 * with a whole group at once and all operations vectorise for any lengths.
 *
 *     scans       aligned at the end, zeros before the shorter: leading zero rows do not change the zero
 * initial
 *                 state, so the recursion needs no border; K is the last entry
 *     programmes  aligned at the start, zeros after the shorter; each lane is read at its length
 *     reservoirs  need no pairs of steps: their last states are compared (below) */
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/views.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "kernel/kind_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- kernels of several factors ---------------------------------------------------------------------- */

typedef struct expression_job {
    const volt_kernel *kernel;
    const volt_view *X, *Y; /* Y is X if both are the same */
    int64_t n_x, n_y;
    bool same;
    double radius;
    volt_progress progress;
} expression_job;

/* ---- filtered series -------------------------------------------------------------------------- */

typedef struct filtered_series {
    volt_view *series;
    double *numbers;
} filtered_series;

static void release_series(filtered_series *filtered)
{
    volt_free(filtered->series);
    volt_free(filtered->numbers);
}

static volt_status filter_series(const volt_filter *filter, const volt_view *X, int64_t count,
                                 filtered_series *filtered)
{
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++)
        total += X[i].rows * X[i].cols;
    *filtered = (filtered_series){volt_alloc(count, sizeof(volt_view)), volt_alloc_doubles(total, 1)};
    if (!filtered->series || !filtered->numbers)
        return VOLT_ERR_MEMORY;
    double *at = filtered->numbers;
    for (int64_t i = 0; i < count; i++) {
        VOLT_TRY(volt_filter_rows(filter, 1, NULL, X[i], at));
        filtered->series[i] = volt_view_of(at, X[i].rows, X[i].cols);
        at += X[i].rows * X[i].cols;
    }
    return VOLT_OK;
}

/* ---- factors ---------------------------------------------------------------------------------- */

static volt_status fill_factor(const expression_job *job, int64_t f, volt_matrix out)
{
    const volt_kernel *factor = job->kernel->factors[f];
    double radius = 0;
    VOLT_TRY(volt_requested_radius(job->kernel, job->kernel->slice[f], job->X[0].cols, job->radius, &radius));
    volt_gram_options options = {
        .struct_size = sizeof(volt_gram_options), .mirror = 1, .radius = radius, .progress = job->progress};
    filtered_series x = {0}, y = {0};
    volt_status status = filter_series(&factor->filter, job->X, job->n_x, &x);
    if (status == VOLT_OK && !job->same)
        status = filter_series(&factor->filter, job->Y, job->n_y, &y);
    if (status == VOLT_OK)
        status = volt_gram_collection(factor, x.series, job->n_x, y.series, job->n_y, &options, out);
    if ((status == VOLT_ERR_KERNEL || status == VOLT_ERR_ARGUMENT) && job->kernel->n_factors > 1)
        status = volt_fail_prefix(status, "factor %" PRId64, f + 1);
    release_series(&x);
    release_series(&y);
    return status;
}

static void multiply(volt_matrix product, volt_view factor)
{
    for (int64_t i = 0; i < product.rows; i++)
        for (int64_t j = 0; j < product.cols; j++)
            product.data[i * product.ld + j] *= factor.data[i * factor.ld + j];
}

static void add(volt_matrix K, double weight, volt_view product)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] += weight * product.data[i * product.ld + j];
}

static volt_status fill_terms(const expression_job *job, volt_matrix product, volt_matrix factor, volt_matrix K)
{
    const volt_kernel *kernel = job->kernel;
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] = 0;
    for (int64_t f = 0; f < kernel->n_factors; f++) {
        bool begins = f == 0 || kernel->term[f - 1] != kernel->term[f];
        bool ends = f + 1 == kernel->n_factors || kernel->term[f + 1] != kernel->term[f];
        VOLT_TRY(fill_factor(job, f, begins ? product : factor));
        if (!begins)
            multiply(product, volt_as_view(factor));
        if (ends)
            add(K, kernel->weight[kernel->term[f]], volt_as_view(product));
    }
    return VOLT_OK;
}

static volt_status fill_expression(const void *context, bool of_columns, double from, double share,
                                   volt_matrix K)
{
    (void)from;
    (void)share;
    expression_job job = *(const expression_job *)context;
    if (of_columns) {
        job.X = job.Y;
        job.n_x = job.n_y;
        job.same = true;
    }
    volt_matrix product = volt_matrix_of(volt_alloc_doubles(K.rows, K.cols), K.rows, K.cols);
    volt_matrix factor = volt_matrix_of(volt_alloc_doubles(K.rows, K.cols), K.rows, K.cols);
    volt_status status = product.data && factor.data ? fill_terms(&job, product, factor, K) : VOLT_ERR_MEMORY;
    volt_free(product.data);
    volt_free(factor.data);
    return status;
}

static volt_status expression_self_values(const void *context, bool of_columns, double from, double share,
                                          double *values)
{
    const expression_job *job = context;
    int64_t count = of_columns ? job->n_y : job->n_x;
    for (int64_t i = 0; i < count; i++) {
        expression_job alone = *job;
        alone.X = alone.Y = (of_columns ? job->Y : job->X) + i;
        alone.n_x = alone.n_y = 1;
        VOLT_TRY(fill_expression(&alone, true, from, share, volt_matrix_of(&values[i], 1, 1)));
    }
    return VOLT_OK;
}

/* volt_gram_collection for a kernel of several factors, or of one on filtered series, after the arguments
 * are checked. */
static volt_status gram_expression(const volt_kernel *kernel, const volt_view *X, int64_t n_x,
                                   const volt_view *Y, int64_t n_y, const volt_gram_options *options,
                                   volt_matrix K)
{
    bool same = !Y;
    expression_job job = {kernel,           X,    same ? X : Y,    n_x,
                          same ? n_x : n_y, same, options->radius, options->progress};
    volt_gram_steps steps = {.context = &job,
                             .fill = fill_expression,
                             .self = expression_self_values,
                             .self_work = {1, 1},
                             .same = same,
                             .normalise = options->normalise != 0,
                             .distance = options->distance != 0,
                             .mirror = options->mirror != 0};
    return volt_gram_run(&steps, K);
}

/* ---- reservoirs: the last state of every series, then all pairs ---------------------------------- */

/* The last state of each series into a row of `states`. */
static volt_status run_all(const volt_reservoir *reservoir, const volt_view *series, volt_stage *stage,
                           volt_matrix states)
{
    int64_t threads = volt_threads(), each = volt_reservoir_workspace_size(reservoir);
    double *workspace = volt_alloc_doubles(threads, each);
    if (!workspace)
        return VOLT_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t i = 0; i < states.rows; i++) {
        double *state = states.data + i * states.ld;
        memcpy(state, reservoir->start, (size_t)reservoir->size * sizeof *state);
        if (volt_stage_poll(stage))
            volt_reservoir_run(reservoir, series[i], state, workspace + omp_get_thread_num() * each,
                               (volt_matrix){0});
    }
    volt_free(workspace);
    return VOLT_OK;
}

static double pair_value(const volt_reservoir *reservoir, const double *x, const double *y)
{
    double sum = reservoir->coef0, power = 1;
    for (int64_t k = 0; k < reservoir->size; k++)
        sum += x[k] * y[k];
    for (int64_t p = 0; p < reservoir->degree; p++)
        power *= sum;
    return power;
}

/* K[i][j] of series X[i] and Y[j] (n_x x n_y), with `same` only the lower triangle. The stage counts rows of K.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
static volt_status gram_states(const volt_reservoir *reservoir, const volt_view *X, const volt_view *Y,
                               bool same, volt_stage *stage, volt_matrix K)
{
    int64_t ld = reservoir->ld;
    volt_matrix x = volt_matrix_of(volt_alloc_doubles(K.rows, ld), K.rows, ld);
    volt_matrix y = same ? x : volt_matrix_of(volt_alloc_doubles(K.cols, ld), K.cols, ld);
    volt_status status = x.data && y.data ? run_all(reservoir, X, stage, x) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !same)
        status = run_all(reservoir, Y, stage, y);
    if (status == VOLT_OK) {
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
        for (int64_t i = 0; i < K.rows; i++)
            if (volt_stage_should_continue(stage)) {
                for (int64_t j = 0; j < (same ? i + 1 : K.cols); j++)
                    K.data[i * K.ld + j] = pair_value(reservoir, x.data + i * ld, y.data + j * ld);
                volt_stage_advance(stage, 1);
            }
        status = volt_stage_end(stage);
    }
    if (!same)
        volt_free(y.data);
    volt_free(x.data);
    return status;
}

enum { LANES = VOLT_LANES };

/* One side, and its relation to the other. */
typedef struct collection {
    const volt_view *series;
    int64_t count, d;
} collection;

typedef struct groups {
    int64_t d;        /* numbers in a packed step */
    int64_t count;    /* groups */
    int64_t *lengths; /* count x LANES: steps of each series; 0 after the last series */
    int64_t *longest; /* count */
    int64_t *offset;  /* count: offset of the group in `packed` */
    double *packed;   /* number k of step t of lane l: packed[offset + (t * d + k) * LANES + l] */
    volt_self *self;  /* count x LANES: each series against itself, if the programme needs it */
} groups;

/* ---- packing ---------------------------------------------------------------------------------- */

static void groups_free(groups *g)
{
    volt_free(g->lengths);
    volt_free(g->longest);
    volt_free(g->offset);
    volt_free(g->packed);
    volt_free(g->self);
}

/* Number of steps of a series in packed form: its rows, or the points of its path. */
static int64_t steps_of(const volt_resolved *resolved, int64_t rows)
{
    return resolved->scan.step ? rows : volt_path_length(&resolved->shape, rows);
}

static int64_t numbers_of(const volt_resolved *resolved, int64_t d)
{
    return resolved->scan.step ? d : volt_path_channels(&resolved->shape, d);
}

/* Pack one series, with steps `step` numbers apart and numbers of a step `gap` apart. */
static void lay_out(const volt_resolved *resolved, volt_view series, double *to, int64_t step, int64_t gap)
{
    if (!resolved->scan.step) {
        volt_path_build(&resolved->shape, series.data, series.ld, series.rows, series.cols, to, step, gap);
        return;
    }
    for (int64_t t = 0; t < series.rows; t++)
        for (int64_t k = 0; k < series.cols; k++)
            to[t * step + k * gap] = series.data[t * series.ld + k];
}

static volt_status groups_create(const volt_resolved *resolved, collection Y, groups *g)
{
    groups made = {.d = numbers_of(resolved, Y.d), .count = (Y.count + LANES - 1) / LANES};
    *g = made;
    g->lengths = volt_alloc_zero(g->count * LANES, sizeof *g->lengths);
    g->longest = volt_alloc_zero(g->count, sizeof *g->longest);
    g->offset = volt_alloc_zero(g->count, sizeof *g->offset);
    g->self = volt_alloc_zero(g->count * LANES, sizeof *g->self);
    if (!g->lengths || !g->longest || !g->offset || !g->self)
        return VOLT_ERR_MEMORY;

    int64_t total = 0;
    for (int64_t j = 0; j < Y.count; j++) {
        g->lengths[j] = steps_of(resolved, Y.series[j].rows);
        g->longest[j / LANES] = volt_max(g->longest[j / LANES], g->lengths[j]);
    }
    for (int64_t group = 0; group < g->count; group++) {
        g->offset[group] = total;
        total += g->longest[group] * g->d * LANES;
    }
    g->packed = volt_alloc_zero(total, sizeof(double));
    if (!g->packed)
        return VOLT_ERR_MEMORY;
    for (int64_t j = 0; j < Y.count; j++) {
        /* Scans are aligned at the end of the group's longest series, programmes at the start. */
        int64_t late = resolved->scan.step ? g->longest[j / LANES] - g->lengths[j] : 0;
        lay_out(resolved, Y.series[j], g->packed + g->offset[j / LANES] + late * g->d * LANES + j % LANES,
                g->d * LANES, LANES);
    }
    return VOLT_OK;
}

/* ---- one series against one group ------------------------------------------------------------- */

VOLT_CLONES
static void local_values(const double *restrict x, const double *restrict y, int64_t d, bool distance,
                         double *restrict local)
{
    for (int l = 0; l < LANES; l++)
        local[l] = 0;
    for (int64_t k = 0; k < d; k++)
        for (int l = 0; l < LANES; l++) {
            double other = y[k * LANES + l], gap = x[k] - other;
            local[l] += distance ? gap * gap : x[k] * other;
        }
}

static double square_of(const double *z, int64_t d, int64_t step)
{
    double square = 0;
    for (int64_t k = 0; k < d; k++)
        square += z[k * step] * z[k * step];
    return square;
}

/* x has P steps of d numbers; `zeros` is d x LANES zeros. */
static void run_scan(const volt_scan *scan, const double *x, int64_t P, const groups *g, int64_t group,
                     const double *zeros, double *out)
{
    double state[VOLT_MAX_STATE * LANES], local[LANES], own_x = 0, own_y[LANES] = {0};
    double kept_x = scan->own_start, kept_y[LANES];
    volt_scan with_own = *scan;
    with_own.own_rows = &own_x;
    with_own.own_columns = own_y;
    for (int l = 0; l < LANES; l++)
        kept_y[l] = scan->own_start;
    for (int s = 0; s < scan->state_size; s++)
        for (int l = 0; l < LANES; l++)
            state[s * LANES + l] = scan->start[s];
    int64_t Q = g->longest[group], steps = volt_max(P, Q), d = g->d;
    for (int64_t t = 0; t < steps; t++) {
        int64_t a = t - (steps - P), b = t - (steps - Q);
        const double *row = a < 0 ? zeros : x + a * d;
        const double *columns = b < 0 ? zeros : g->packed + g->offset[group] + b * d * LANES;
        local_values(row, columns, d, scan->distance, local);
        if (scan->own) {
            own_x = scan->own(scan, square_of(row, d, 1), &kept_x);
            for (int l = 0; l < LANES; l++)
                own_y[l] = scan->own(scan, square_of(columns + l, d, LANES), &kept_y[l]);
        }
        scan->step(&with_own, 1, local, LANES, state, LANES, out, LANES, LANES);
    }
}

static void run_programme(const volt_resolved *resolved, const double *x, int64_t P, const groups *g,
                          int64_t group, volt_stage *stage, double *scratch, double *out)
{
    const volt_programme *programme = &resolved->programme;
    int64_t cells[LANES], fewer = programme->differences && !resolved->shape.increments ? 1 : 0;
    for (int l = 0; l < LANES; l++)
        cells[l] = volt_max(g->lengths[group * LANES + l] - fewer, 0);
    volt_pair_run(programme, x, P, g->packed + g->offset[group], g->longest[group], g->d, cells, stage, scratch,
                  out);
}

/* log K of x and series j of the groups. */
static double log_of_pair(const volt_resolved *resolved, const double *x, int64_t P, const groups *g, int64_t j,
                          double least, volt_stage *stage, double *scratch)
{
    const double *y = g->packed + g->offset[j / LANES] + j % LANES;
    return resolved->programme.log_value(&resolved->programme, x, P, y, g->lengths[j], g->d * LANES, LANES,
                                         g->d, least, stage, scratch);
}

/* ---- all pairs -------------------------------------------------------------------------------- */

typedef struct work {
    const volt_resolved *resolved;
    collection X;
    groups columns;
    int64_t x_numbers; /* of the longest series, packed */
    int64_t scratch;   /* numbers per thread: a packed series, a group made of it, workspace of the engine */
    double *memory;
    volt_stage *stage;
} work;

static int64_t longest_steps(const volt_resolved *resolved, collection c)
{
    int64_t longest = 0;
    assert(c.series);
    for (int64_t i = 0; i < c.count; i++)
        longest = volt_max(longest, steps_of(resolved, c.series[i].rows));
    return longest;
}

static void run_group(const work *w, const double *x, int64_t P, const groups *g, int64_t group, double *zeros,
                      double *out)
{
    if (w->resolved->scan.step)
        run_scan(&w->resolved->scan, x, P, g, group, zeros, out);
    else
        run_programme(w->resolved, x, P, g, group, w->stage, zeros, out);
}

/* A series against itself, as a group with the same series in every lane. */
static volt_self against_itself(const work *w, const double *x, int64_t P, double *copies, double *scratch)
{
    int64_t d = w->columns.d, offset = 0, lengths[LANES], longest = P;
    for (int64_t k = 0; k < P * d; k++)
        for (int l = 0; l < LANES; l++)
            copies[k * LANES + l] = x[k];
    for (int l = 0; l < LANES; l++)
        lengths[l] = P;
    groups alone = {
        .d = d, .count = 1, .lengths = lengths, .longest = &longest, .offset = &offset, .packed = copies};
    double out[LANES];
    run_group(w, x, P, &alone, 0, scratch, out);
    volt_self self = volt_self_of(&w->resolved->programme, out[0], P);
    if (w->resolved->programme.normalised && self.factor == 0)
        self.log = log_of_pair(w->resolved, x, P, &alone, 0, -INFINITY, w->stage, scratch);
    return self;
}

static void run_series(const work *w, int64_t i, bool same, double *memory, volt_matrix K)
{
    int64_t P = steps_of(w->resolved, w->X.series[i].rows), d = w->columns.d;
    double *x = memory, *copies = x + w->x_numbers, *scratch = copies + w->x_numbers * LANES, out[LANES] = {0};
    lay_out(w->resolved, w->X.series[i], x, d, 1);
    const volt_programme *programme = &w->resolved->programme;
    bool needs_self = volt_programme_needs_self(programme);
    volt_self self_x = {0};
    if (needs_self)
        self_x = against_itself(w, x, P, copies, scratch);
    int64_t end = same ? i + 1 : K.cols;
    for (int64_t j = 0; j < end; j += LANES) {
        run_group(w, x, P, &w->columns, j / LANES, scratch, out);
        if (!volt_stage_poll(w->stage))
            return;
        for (int64_t l = 0; l < LANES && j + l < end; l++) {
            volt_self self_y = w->columns.self[j + l];
            double value = out[l];
            if (needs_self && !volt_pair_finish(programme, same && i == j + l, self_x, self_y, &value)) {
                double least = volt_pair_least(self_x, self_y);
                value = volt_pair_from_log(
                    log_of_pair(w->resolved, x, P, &w->columns, j + l, least, w->stage, scratch), least);
            }
            K.data[i * K.ld + j + l] = value;
        }
    }
}

/* Every column against itself, by the same code. */
static void fill_self(const work *w, collection Y, double *memory)
{
    double *copies = memory + w->x_numbers, *scratch = copies + w->x_numbers * LANES;
    for (int64_t j = 0; j < Y.count && volt_stage_poll(w->stage); j++) {
        lay_out(w->resolved, Y.series[j], memory, w->columns.d, 1);
        w->columns.self[j] =
            against_itself(w, memory, steps_of(w->resolved, Y.series[j].rows), copies, scratch);
    }
}

static volt_status run(work *w, collection Y, bool same, volt_matrix K)
{
    const volt_resolved *resolved = w->resolved;
    int64_t longest = volt_max(longest_steps(resolved, w->X), longest_steps(resolved, Y));
    int64_t threads = volt_threads();
    VOLT_TRY(groups_create(resolved, Y, &w->columns));
    w->x_numbers = longest * w->columns.d;
    w->scratch =
        w->x_numbers * (1 + LANES) +
        (resolved->scan.step ? w->columns.d * LANES : volt_pair_scratch(&resolved->programme, longest + 1));
    w->memory = volt_alloc_zero(threads * w->scratch, sizeof(double));
    if (!w->memory)
        return VOLT_ERR_MEMORY;
    if (volt_programme_needs_self(&resolved->programme))
        fill_self(w, Y, w->memory);

#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t i = 0; i < K.rows; i++)
        if (volt_stage_should_continue(w->stage)) {
            run_series(w, i, same, w->memory + omp_get_thread_num() * w->scratch, K);
            volt_stage_advance(w->stage, 1);
        }
    return volt_stage_end(w->stage);
}

/* A call of volt_gram_collection. */
typedef struct collection_job {
    const volt_resolved *resolved;
    collection X, Y;
    bool same;
    volt_progress progress;
} collection_job;

/* As in gram.c: the matrix of the columns with themselves (`of_columns`), or the requested one. */
static volt_status fill(const void *context, bool of_columns, double from, double share, volt_matrix K)
{
    const collection_job *job = context;
    collection X = of_columns ? job->Y : job->X;
    bool same = of_columns || job->same;
    const volt_reservoir *reservoir = job->resolved->reservoir;
    volt_stage stage;
    work w = {.resolved = job->resolved, .X = X, .stage = &stage};
    volt_stage_begin(&stage, job->progress, "gram", from, share, (double)K.rows);
    volt_status status =
        reservoir ? gram_states(reservoir, X.series, job->Y.series, same, &stage, K) : run(&w, job->Y, same, K);
    groups_free(&w.columns);
    volt_free(w.memory);
    return status == VOLT_OK ? volt_check_finite(K, same) : status;
}

/* Each series as a collection of one, against itself. */
static volt_status self_values(const void *context, bool of_columns, double from, double share, double *values)
{
    const collection_job *job = context;
    collection all = of_columns ? job->Y : job->X;
    double step = share / (double)all.count;
    for (int64_t i = 0; i < all.count; i++) {
        collection one = {all.series + i, 1, all.d};
        collection_job alone = {job->resolved, one, one, true, job->progress};
        VOLT_TRY(fill(&alone, true, from + (double)i * step, step, volt_matrix_of(&values[i], 1, 1)));
    }
    return VOLT_OK;
}

/* ---- public ----------------------------------------------------------------------------------- */

static volt_status check_series(collection c, const char *name, double *radius)
{
    VOLT_REQUIRE(c.count > 0, VOLT_ERR_SHAPE, "the collection %s is empty", name);
    for (int64_t i = 0; i < c.count; i++) {
        char which[64];
        volt_extent extent;
        snprintf(which, sizeof which, "series %" PRId64 " of %s", i + 1, name);
        VOLT_TRY(volt_check_shape(c.series[i], which));
        VOLT_REQUIRE(c.series[i].cols == c.d, VOLT_ERR_SHAPE,
                     "%s has %" PRId64 " channels, but the first one has %" PRId64, which, c.series[i].cols,
                     c.d);
        VOLT_TRY(volt_extent_of(c.series[i], which, &extent));
        *radius = fmax(*radius, extent.radius);
    }
    return VOLT_OK;
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    const volt_kernel_entry *entry = kernel->entry;
    if (entry->paths) {
        volt_resolved made = {.d = d, .window = 1, .centred = volt_kernel_is_centred(kernel)};
        VOLT_TRY(volt_path_refuse_on_series(kernel));
        VOLT_TRY(volt_check_products(radius));
        entry->paths(kernel, &made.programme, &made.shape);
        *resolved = made;
        return VOLT_OK;
    }
    volt_extent extent = {.radius = radius}; /* no paths: their scale is not used */
    VOLT_TRY(volt_kernel_resolve(kernel, extent, d, resolved));
    VOLT_REQUIRE(resolved->scan.state_size > 0 || resolved->reservoir, VOLT_ERR_KERNEL,
                 "kernel %s compares rows, not series: use volterra, fading, memory, fir, recurrent, gak, sig, "
                 "sigpde, esn or sas",
                 entry->info.name);
    return VOLT_OK;
}

volt_status volt_gram_collection(const volt_kernel *kernel, const volt_view *X, int64_t n_x, const volt_view *Y,
                                 int64_t n_y, const volt_gram_options *options, volt_matrix K)
{
    volt_gram_options opts = volt_gram_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_gram_options"));
    options = &opts;
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_REQUIRE(X && n_x > 0, VOLT_ERR_SHAPE, "the collection X is empty");
    bool same = !Y;
    int64_t d = X[0].cols;
    collection rows = {X, n_x, d}, columns = same ? rows : (collection){Y, n_y, d};
    double radius = 0, row_radius = 0, column_radius = 0;
    VOLT_TRY(check_series(rows, "X", &row_radius));
    if (same)
        column_radius = row_radius;
    else
        VOLT_TRY(check_series(columns, "Y", &column_radius));
    VOLT_TRY(volt_check_output(K, rows.count, columns.count, "K"));
    if (kernel->n_factors > 0)
        return gram_expression(kernel, X, n_x, Y, n_y, options, K);
    VOLT_TRY(volt_join_radii(kernel, options->radius, d, row_radius, column_radius, &radius));
    volt_resolved resolved = {0};
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(resolve(kernel, radius, d, &resolved));
    volt_status status = volt_kernel_warn(kernel, &resolved, rows.series[0]);
    collection_job job = {&resolved, rows, columns, same, options->progress};
    volt_gram_steps steps = {.context = &job,
                             .fill = fill,
                             .self = self_values,
                             .self_work = {1 / (double)columns.count, 1 / (double)rows.count},
                             .same = same,
                             .centred = resolved.centred,
                             .normalise = options->normalise != 0,
                             .distance = options->distance != 0,
                             .mirror = options->mirror != 0};
    if (status == VOLT_OK)
        status = volt_gram_run(&steps, K);
    volt_resolved_release(&resolved);
    return status;
}
