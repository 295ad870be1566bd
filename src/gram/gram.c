/* src/gram/gram.c: Gram matrices of sequences, each from the zero state. */
#include "gram/gram.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "base/views.h"
#include "gram/engine/engine.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- the radius -------------------------------------------------------------------------------------- */

/* Replaces the largest norm of all inputs by the requested radius. VOLT_ERR_ARGUMENT if that is too small;
 * 0: no request. */
static volt_status take_radius(double requested, int64_t d, double *radius)
{
    VOLT_REQUIRE(requested >= 0 && isfinite(requested), VOLT_ERR_ARGUMENT,
                 "the radius must be finite and at least 0 (got %g)", requested);
    VOLT_REQUIRE(requested == 0 || volt_is_within(*radius, requested, d), VOLT_ERR_ARGUMENT,
                 "the radius is %.17g, but the inputs have norms up to %.17g", requested, *radius);
    if (requested > 0)
        *radius = requested;
    return VOLT_OK;
}

/* Returns whether the kernel, not an expression, is only defined on a ball. One that does not resolve there may be; its
 * error is reported later. */
static volt_status find_ball(const volt_kernel *kernel, int64_t d, double radius, bool *has)
{
    volt_resolved resolved = {0};
    *has = false;
    if (kernel->entry->paths)
        return VOLT_OK;
    volt_status status =
        volt_kernel_resolve(kernel, (volt_extent){.radius = radius, .largest = 1}, d, &resolved);
    *has = status != VOLT_OK || resolved.gain;
    volt_resolved_release(&resolved);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

volt_status volt_kernel_find_ball(const volt_kernel *kernel, int64_t d, double radius, bool *has)
{
    *has = kernel->n_factors == 0 && kernel->entry->shares_ball;
    for (int64_t f = 0; f < kernel->n_factors && !*has; f++)
        VOLT_TRY(volt_kernel_find_ball(kernel->factors[f], d, radius, has));
    return *has || kernel->n_factors > 0 ? VOLT_OK : find_ball(kernel, d, radius, has);
}

volt_status volt_requested_radius(const volt_kernel *kernel, int64_t slice, int64_t d, double requested,
                                  double *radius)
{
    bool matters = !(requested > 0 && isfinite(requested)) || kernel->n_factors == 0 ||
                   volt_filter_is_none(&kernel->filters[slice]);
    for (int64_t f = 0; f < kernel->n_factors && !matters; f++)
        if (kernel->slice[f] == slice)
            VOLT_TRY(find_ball(kernel->factors[f], d, requested, &matters));
    *radius = matters ? requested : 0;
    return VOLT_OK;
}

/* Returns whether the kernel differs on the larger ball. It does if tau and lambda are shares of their bounds. */
static bool depends_on_radius(const volt_kernel *kernel, int64_t d, double small, double large)
{
    for (int64_t f = 0; f < kernel->n_factors; f++)
        if (depends_on_radius(kernel->factors[f], d, small, large))
            return true;
    if (kernel->n_factors > 0 || kernel->entry->shares_ball)
        return kernel->n_factors == 0;
    static const double eps = 0x1p-52;
    volt_kernel_facts first = {.struct_size = sizeof(volt_kernel_facts)}, second = first;
    return volt_kernel_query(kernel, small, d, eps, &first) == VOLT_OK &&
           volt_kernel_query(kernel, large, d, eps, &second) == VOLT_OK &&
           (first.tau != second.tau || first.lambda != second.lambda);
}

volt_status volt_join_radii(const volt_kernel *kernel, double requested, int64_t d, double rows, double columns,
                            double *radius)
{
    *radius = fmax(rows, columns);
    VOLT_TRY(take_radius(requested, d, radius));
    if (requested == 0 && !volt_is_within(rows, columns, d) && depends_on_radius(kernel, d, columns, rows)) {
        char larger[VOLT_NUMBER_LENGTH];
        volt_log(VOLT_LOG_WARNING,
                 "the rows have norms up to %s, the columns up to %g: the kernel depends on the radius, so "
                 "matrices of "
                 "one problem require the same radius",
                 volt_format_number(rows, larger), columns);
    }
    return VOLT_OK;
}

volt_status volt_radius(volt_view X, double *radius)
{
    volt_extent extent;
    VOLT_REQUIRE(radius, VOLT_ERR_ARGUMENT, "radius is NULL");
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_extent_of(X, "X", &extent));
    *radius = extent.radius;
    return VOLT_OK;
}

/* ---- centring, normalising, distances and mirroring of a filled matrix ------------------------------- */

/* Effect of centring on the kernel of each row (n) and of each column (m) with itself. */
/* The mean of each row of a symmetric matrix, given by its lower triangle; returns the mean of all entries. */
static double row_means(volt_matrix K, double *means)
{
    int64_t m = K.rows;
    double total = 0;
    for (int64_t i = 0; i < m; i++)
        means[i] = 0;
    for (int64_t i = 0; i < m; i++) {
        const double *row = K.data + i * K.ld;
        double sum = 0;
        for (int64_t j = 0; j < i; j++) {
            sum += row[j];
            means[j] += row[j];
        }
        means[i] += sum + row[i];
    }
    for (int64_t i = 0; i < m; i++) {
        means[i] /= (double)m;
        total += means[i];
    }
    return total / (double)m;
}

/* With `lower` K is the matrix of the columns, whose means these are. `shifts`, of the rows, may be NULL. */
static void subtract_means(const double *means, double mean, bool lower, double *shifts, volt_matrix K)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++) {
        double *row = K.data + i * K.ld, row_mean = 0;
        if (lower) {
            row_mean = means[i];
        } else {
            for (int64_t j = 0; j < K.cols; j++)
                row_mean += row[j];
            row_mean /= (double)K.cols;
        }
        if (shifts)
            shifts[i] = mean - 2 * row_mean;
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            row[j] += mean - row_mean - means[j];
    }
}

/* The means of the matrix of the columns. */
static volt_status columns_means(volt_gram_fill fill, const void *context, int64_t m, double from, double share,
                                 double *means, double *mean)
{
    char what[96];
    snprintf(what, sizeof what, "the Gram matrix of %" PRId64 " columns, required for centring,", m);
    VOLT_TRY(volt_memory_require((double)m * (double)m * sizeof(double), what));
    volt_matrix columns_gram = volt_matrix_of(volt_alloc_doubles(m, m), m, m);
    volt_status status = columns_gram.data ? fill(context, true, from, share, columns_gram) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *mean = row_means(columns_gram, means);
    volt_free(columns_gram.data);
    return status;
}

/* Fills and centres K (n x m). With `same`, K is Kyy, and only its lower triangle is used. Otherwise Kyy is
 * allocated temporarily, and `shifts` (NULL, or one number per row, then one per column) is filled. Progress covers [from, 1] of the call. */
static volt_status fill_centred(volt_gram_fill fill, const void *context, bool same, double from,
                                double *shifts, volt_matrix K)
{
    int64_t m = K.cols;
    double *means = volt_alloc_doubles(m, 1), mean = 0;
    double share = same ? 0 : (1 - from) * (double)m / (double)(m + 2 * K.rows);
    volt_status status = means ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !same)
        status = columns_means(fill, context, m, from, share, means, &mean);
    if (status == VOLT_OK)
        status = fill(context, false, from + share, 1 - from - share, K);
    if (status == VOLT_OK && same)
        mean = row_means(K, means);
    if (status == VOLT_OK)
        subtract_means(means, mean, same, shifts, K);
    for (int64_t j = 0; status == VOLT_OK && shifts && j < m; j++)
        shifts[K.rows + j] = mean - 2 * means[j];
    volt_free(means);
    return status;
}

/* ---- steps after the filling ------------------------------------------------------------------- */

/* Replaces the values by 1 / sqrt(value). */
static volt_status invert_roots(double *self, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++) {
        VOLT_REQUIRE(self[i] > 0 && isfinite(self[i]), VOLT_ERR_DATA,
                     "the kernel of %s %" PRId64
                     " (counted from 1) with itself is %g; normalisation requires a positive value",
                     what, i + 1, self[i]);
        self[i] = 1 / sqrt(self[i]);
    }
    return VOLT_OK;
}

/* K[i][j] / sqrt(K_ii K_jj). The factors are applied one after the other, because their product could
 * overflow. */
static void scale_entries(volt_matrix K, bool lower, const double *rows, const double *columns)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            K.data[i * K.ld + j] = lower && i == j ? 1 : K.data[i * K.ld + j] * rows[i] * columns[j];
}

/* Fills K, centred if requested; `shifts` receives the effect on self values. */
static volt_status fill_and_centre(const volt_gram_steps *steps, double from, double *shifts, volt_matrix K)
{
    if (steps->centred)
        return fill_centred(steps->fill, steps->context, steps->same, from, shifts, K);
    return steps->fill(steps->context, false, from, 1 - from, K);
}

double volt_gram_distance(double row, double column, double value)
{
    static const double ROUNDING = 16;
    double square = row + column - 2 * value;
    return square > ROUNDING * DBL_EPSILON * (row + column) ? sqrt(square) : 0;
}

static void take_distances(volt_matrix K, bool lower, const double *rows, const double *columns)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            K.data[i * K.ld + j] =
                lower && i == j ? 0 : volt_gram_distance(rows[i], columns[j], K.data[i * K.ld + j]);
}

/* Normalises K, and replaces it by distances, as requested. `rows` and `columns` are the kernels of each row and
 * column with itself; they are the same array for a symmetric matrix. */
static volt_status use_self(const volt_gram_steps *steps, double *rows, double *columns, volt_matrix K)
{
    if (steps->normalise) {
        VOLT_TRY(invert_roots(rows, K.rows, "row"));
        if (!steps->same)
            VOLT_TRY(invert_roots(columns, K.cols, "column"));
        scale_entries(K, steps->same, rows, columns);
        for (int64_t i = 0; i < K.rows; i++)
            rows[i] = 1;
        for (int64_t j = 0; j < K.cols; j++)
            columns[j] = 1;
    }
    if (steps->distance)
        take_distances(K, steps->same, rows, columns);
    return VOLT_OK;
}

static volt_status run_same(const volt_gram_steps *steps, double *self, volt_matrix K)
{
    VOLT_TRY(fill_and_centre(steps, 0, NULL, K));
    for (int64_t i = 0; i < K.rows; i++)
        self[i] = K.data[i * K.ld + i];
    return use_self(steps, self, self, K);
}

/* `self`: K.rows values, then K.cols; `moved` as many. */
static volt_status run_cross(const volt_gram_steps *steps, double *self, double *moved, volt_matrix K)
{
    double *rows = self, *columns = self + K.rows;
    double work = 1 + steps->self_work[0] + steps->self_work[1];
    double row_share = steps->self_work[0] / work, column_share = steps->self_work[1] / work;
    VOLT_TRY(steps->self(steps->context, false, 0, row_share, rows));
    VOLT_TRY(steps->self(steps->context, true, row_share, column_share, columns));
    VOLT_TRY(fill_and_centre(steps, row_share + column_share, moved, K));
    for (int64_t i = 0; i < K.rows + K.cols; i++)
        self[i] += moved[i]; /* 0 without centring */
    return use_self(steps, rows, columns, K);
}

static volt_status run_with_self(const volt_gram_steps *steps, volt_matrix K)
{
    int64_t count = K.rows + K.cols;
    double *self = volt_alloc_zero(count, sizeof *self), *moved = volt_alloc_zero(count, sizeof *moved);
    volt_status status = self && moved ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = steps->same ? run_same(steps, self, K) : run_cross(steps, self, moved, K);
    volt_free(moved);
    volt_free(self);
    return status;
}

volt_status volt_gram_run(const volt_gram_steps *steps, volt_matrix K)
{
    VOLT_TRY(steps->normalise || steps->distance ? run_with_self(steps, K)
                                                 : fill_and_centre(steps, 0, NULL, K));
    if (steps->same && steps->mirror)
        volt_mirror(K);
    return VOLT_OK;
}

volt_status volt_check_finite(volt_matrix K, bool lower)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            VOLT_REQUIRE(isfinite(K.data[i * K.ld + j]), VOLT_ERR_NOT_FINITE,
                         "the kernel of row %" PRId64 " and column %" PRId64
                         " (counted from 1) is too large for a double",
                         i + 1, j + 1);
    return VOLT_OK;
}

volt_gram_options volt_gram_options_default(void)
{
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .mirror = 1};
    return options;
}

/* Block by block, so that a block of the source and one of the target stay in cache. */
void volt_mirror(volt_matrix K)
{
    enum { BLOCK = 64 };
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i0 = 0; i0 < K.rows; i0 += BLOCK)
        for (int64_t j0 = 0; j0 <= i0; j0 += BLOCK)
            for (int64_t i = i0; i < i0 + BLOCK && i < K.rows; i++)
                for (int64_t j = j0; j < j0 + BLOCK && j < i; j++)
                    K.data[j * K.ld + i] = K.data[i * K.ld + j];
}

/* A call of volt_gram. */
typedef struct gram_job {
    const volt_resolved *resolved;
    volt_view X, Y;
    bool same;
    volt_progress progress;
} gram_job;

/* The zero state, with its columns. */
typedef struct row_maker {
    volt_columns *columns;
    volt_state *state;
    volt_blas_use use;
    bool multiplies; /* the engine multiplies with BLAS, which `use` holds */
} row_maker;

/* Close it in every case. */
static volt_status open_rows(row_maker *maker, const volt_resolved *resolved, volt_view Y, int64_t max_rows,
                             volt_stage *stage)
{
    *maker = (row_maker){0};
    VOLT_TRY(volt_columns_create(resolved, Y, stage, &maker->columns));
    VOLT_TRY(volt_state_create(resolved, maker->columns, max_rows, &maker->state));
    if (maker->columns->engine->multiplies) {
        VOLT_TRY(volt_blas_claim(&maker->use));
        maker->multiplies = true;
    }
    return VOLT_OK;
}

static void close_rows(row_maker *maker)
{
    if (maker->multiplies)
        volt_blas_release(&maker->use);
    volt_state_free(maker->state);
    volt_columns_free(maker->columns);
}

/* Returns true if no bound excludes overflow of K or its parts. */
static bool may_overflow(const volt_resolved *resolved)
{
    bool may = !isfinite(resolved->facts.largest) || resolved->programme.gaussian > 0;
    for (int64_t f = 0; resolved->sum && f < resolved->sum->n_factors; f++)
        may |= resolved->sum->factor[f].programme.gaussian > 0;
    return may;
}

/* Fills the matrix without further steps: of the columns with themselves (`of_columns`), or the requested one.
 * Progress covers [from, from + share] of the call. */
static volt_status fill(const void *context, bool of_columns, double from, double share, volt_matrix K)
{
    const gram_job *job = context;
    const volt_resolved *resolved = job->resolved;
    volt_view X = of_columns ? job->Y : job->X;
    bool same = of_columns || job->same;
    row_maker maker;
    double entries = (double)X.rows * (double)job->Y.rows / (same ? 2 : 1);
    volt_stage stage;
    volt_stage_begin(&stage, job->progress, "gram", from, share, entries);
    volt_status status = open_rows(&maker, resolved, job->Y, X.rows, &stage);
    if (status == VOLT_OK) {
        volt_state_advance(maker.state, X, same, K, &stage);
        status = volt_stage_end(&stage);
    }
    close_rows(&maker);
    if (status == VOLT_OK && may_overflow(resolved))
        status = volt_check_finite(K, same);
    return status;
}

/* The kernel of each row of X, or with `of_columns` of Y, with itself: the diagonals of blocks of K. */
static volt_status self_values(const void *context, bool of_columns, double from, double share, double *values)
{
    enum { BLOCK = 64 };
    const gram_job *job = context;
    volt_view X = of_columns ? job->Y : job->X;
    int64_t most = volt_min(BLOCK, X.rows);
    row_maker maker;
    volt_stage stage;
    volt_stage_begin(&stage, job->progress, "gram", from, share, (double)X.rows * (double)X.rows);
    volt_matrix block = volt_matrix_of(volt_alloc_doubles(most, X.rows), most, X.rows);
    if (!block.data)
        return VOLT_ERR_MEMORY;
    volt_status status = open_rows(&maker, job->resolved, X, most, &stage);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows && volt_stage_should_continue(&stage); i += most) {
        block.rows = volt_min(most, X.rows - i);
        volt_state_advance(maker.state, volt_view_rows(X, i, block.rows), false, block, &stage);
        for (int64_t k = 0; k < block.rows; k++)
            values[i + k] = block.data[k * block.ld + i + k];
    }
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    close_rows(&maker);
    volt_free(block.data);
    return status;
}

/* One radius for each slice of rows and columns. */
static volt_status join_extents(const volt_kernel *kernel, const volt_sliced_rows *x, const volt_sliced_rows *y,
                                double requested, volt_extent *extents)
{
    int64_t slices = volt_kernel_slices(kernel), d = x->rows.cols / slices;
    for (int64_t s = 0; s < slices; s++) {
        extents[s].largest = y->extents[s].largest; /* the columns are the training data */
        double radius = 0;
        VOLT_TRY(volt_requested_radius(kernel, s, d, requested, &radius));
        VOLT_TRY(
            volt_join_radii(kernel, radius, d, x->extents[s].radius, y->extents[s].radius, &extents[s].radius));
    }
    return VOLT_OK;
}

static volt_status run_gram(const volt_kernel *kernel, const volt_sliced_rows *x, const volt_sliced_rows *y,
                            const volt_gram_options *options, volt_matrix K)
{
    bool same = x == y;
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    VOLT_TRY(join_extents(kernel, x, y, options->radius, extents));
    VOLT_TRY(volt_kernel_resolve_slices(kernel, extents, x->rows.cols / volt_kernel_slices(kernel), &resolved));
    volt_status status = volt_kernel_warn(kernel, &resolved, x->rows);
    gram_job job = {&resolved, x->rows, y->rows, same, options->progress};
    double n = (double)x->rows.rows, m = (double)y->rows.rows;
    volt_gram_steps steps = {.context = &job,
                             .fill = fill,
                             .self = self_values,
                             .self_work = {n / m, m / n},
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

volt_status volt_gram(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_gram_options *options,
                      volt_matrix K)
{
    volt_gram_options opts = volt_gram_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_gram_options"));
    options = &opts;
    bool same = !Y.data;
    if (same)
        Y = X;
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_check_shape(Y, "Y"));
    VOLT_REQUIRE(X.cols == Y.cols, VOLT_ERR_SHAPE, "X has %" PRId64 " columns and Y has %" PRId64, X.cols,
                 Y.cols);
    VOLT_TRY(volt_check_output(K, X.rows, Y.rows, "K"));

    VOLT_TRY(volt_start_threads());
    volt_sliced_rows x = {0}, y = {0};
    volt_status status = volt_sliced_rows_make(kernel, X, NULL, 0, "X", &x);
    if (status == VOLT_OK && !same)
        status = volt_sliced_rows_make(kernel, Y, NULL, 0, "Y", &y);
    if (status == VOLT_OK)
        status = run_gram(kernel, &x, same ? &x : &y, options, K);
    volt_sliced_rows_release(&x);
    volt_sliced_rows_release(&y);
    return status;
}

/* ---- explicit states --------------------------------------------------------------------------- */

static volt_status fill_states(const volt_resolved *resolved, volt_view Z, volt_progress progress,
                               volt_matrix F)
{
    volt_columns *columns = NULL;
    volt_state *state = NULL;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "states", 0, 1, (double)F.rows * (double)F.cols);
    volt_status status = volt_states_columns(resolved, &columns);
    if (status == VOLT_OK)
        status = volt_state_create(resolved, columns, Z.rows, &state);
    if (status == VOLT_OK) {
        volt_state_advance(state, Z, false, F, &stage);
        status = volt_stage_end(&stage);
    }
    volt_state_free(state);
    volt_columns_free(columns);
    return status == VOLT_OK ? volt_check_finite(F, false) : status;
}

static volt_status run_states(const volt_kernel *kernel, const volt_sliced_rows *x,
                              const volt_gram_options *options, volt_matrix *F)
{
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    VOLT_TRY(join_extents(kernel, x, x, options->radius, extents));
    VOLT_TRY(volt_kernel_resolve_slices(kernel, extents, x->rows.cols / volt_kernel_slices(kernel), &resolved));
    int64_t count = volt_states_count(&resolved);
    volt_status status = VOLT_OK;
    if (count > 0) {
        *F = volt_matrix_of(volt_alloc_doubles(x->rows.rows, count), x->rows.rows, count);
        status = F->data ? volt_kernel_warn(kernel, &resolved, x->rows) : VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK && count > 0)
        status = fill_states(&resolved, x->rows, options->progress, *F);
    volt_resolved_release(&resolved);
    return status;
}

volt_status volt_gram_states(const volt_kernel *kernel, volt_view X, const volt_gram_options *options,
                             volt_matrix *F)
{
    volt_sliced_rows x = {0};
    volt_matrix made = {0};
    VOLT_TRY(volt_start_threads());
    volt_status status = volt_sliced_rows_make(kernel, X, NULL, 0, "X", &x);
    if (status == VOLT_OK)
        status = run_states(kernel, &x, options, &made);
    volt_sliced_rows_release(&x);
    if (status == VOLT_OK)
        *F = made;
    else
        volt_free(made.data);
    return status;
}
