/* src/task/capacity.c: linear memory and information processing capacity of a kernel. */
#include "task/capacity.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "gram/gram.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- targets --------------------------------------------------------------------------------------- */

/* Products of Legendre polynomials of delayed inputs, the targets of capacities. */

/* Number of products of degree at most `degree` in `variables` variables; above VOLT_CAPACITY_TARGETS any larger number.
 * There are at most VOLT_CAPACITY_TARGETS variables. */
static int64_t capacity_count(int64_t variables, int64_t degree)
{
    /* (variables + degree over degree); every partial product is a whole number */
    int64_t count = 1;
    for (int64_t k = 1; k <= degree && count <= VOLT_CAPACITY_TARGETS; k++)
        count = count * (variables + k) / k;
    return count;
}

/* Factors of the product of `degree` inputs with these delays, in increasing order. */
static void write_factors(const int64_t *delays, int64_t degree, int64_t *factors)
{
    int64_t used = -1;
    for (int64_t i = 0; i < degree; i++) {
        if (i == 0 || delays[i] != delays[i - 1])
            factors[2 * ++used] = delays[i];
        factors[2 * used + 1]++;
    }
}

/* The next list of delays in increasing order; false after the last. */
static bool next_delays(int64_t *delays, int64_t degree, int64_t most)
{
    int64_t i = degree - 1;
    while (i >= 0 && delays[i] == most)
        i--;
    if (i < 0)
        return false;
    int64_t value = delays[i] + 1;
    for (; i < degree; i++)
        delays[i] = value;
    return true;
}

/* Writes the factors of all targets, n_targets x degree x 2, and counts the targets of each degree. */
static void capacity_list(volt_capacity *capacity)
{
    int64_t at = 0;
    memset(capacity->factors, 0,
           (size_t)(2 * capacity->n_targets * capacity->degree) * sizeof *capacity->factors);
    for (int64_t degree = 0; degree <= capacity->degree; degree++) {
        int64_t delays[VOLT_CAPACITY_DEGREE] = {0}, first = at;
        do {
            write_factors(delays, degree, capacity->factors + 2 * capacity->degree * at++);
        } while (next_delays(delays, degree, capacity->delay));
        capacity->targets[degree] = at - first;
    }
}

void volt_capacity_inputs(uint64_t seed, int64_t rows, double *u)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int64_t t = 0; t < rows; t++)
        u[t] = 2 * volt_rng_uniform(&rng) - 1;
}

/* (k + 1) P_{k+1} = (2k + 1) u P_k - k P_{k-1}; the variance of P_k is 1 / (2k + 1). */
void volt_capacity_polynomials(const double *u, int64_t rows, int64_t degree, double *table)
{
    for (int64_t t = 0; t < rows; t++) {
        double before = 0, now = 1;
        for (int64_t k = 0; k <= degree; k++) {
            double of = (double)k, next = ((2 * of + 1) * u[t] * now - of * before) / (of + 1);
            table[k * rows + t] = sqrt(2 * of + 1) * now;
            before = now;
            now = next;
        }
    }
}

void volt_capacity_targets(const volt_capacity *capacity, const double *table, int64_t first, volt_matrix Y)
{
    int64_t all = capacity->rows + capacity->washout, degree = capacity->degree;
#pragma omp parallel for num_threads((int)volt_threads())
    for (int64_t t = 0; t < Y.rows; t++)
        for (int64_t k = 0; k < Y.cols; k++) {
            const int64_t *factors = capacity->factors + 2 * degree * (first + k);
            double product = 1;
            for (int64_t i = 0; i < degree && factors[2 * i + 1] > 0; i++)
                product *= table[factors[2 * i + 1] * all + capacity->washout + t - factors[2 * i]];
            Y.data[t * Y.ld + k] = product;
        }
}

/* ---- the form y' H y ------------------------------------------------------------------------------- */

/* Y' H y with H = K (K + alpha I)^-1, for many y from one factorisation.
 *
 *     K:          K + alpha I = L L',     y' H y = y' y - alpha |L^-1 y|^2,       tr H = n - alpha |L^-1|^2
 *     K = F F':   F = V S W',             y' H y = sum_i w_i (v_i' y)^2,          tr H = sum_i w_i,
 *                                         w_i = s_i^2 / (s_i^2 + alpha)
 *
 * Singular values below n eps times the largest are rounding errors: w_i = 0.
 *
 * alpha for a given dimension is a root of the decreasing function tr H. In the logarithms of both, this function
 * is smooth. Eigenvalues are about proportional to the number of rows, so that the root for the first 1000 rows
 * is a start for all rows. */

static const double DIMENSION = 100, DIMENSION_SHARE = 0.05; /* default, and most of the rows */
static const double ACCURACY = 1e-4;                         /* of the requested dimension */
enum {
    FIRST_ROWS = 1000,
    SAFE = 100000 /* the smallest alpha that is chosen, in units of the rounding level n eps max K_ii */
};
static const double MATRIX_SHARE = 0.2, FACTOR_SHARE = 0.4; /* of the progress, up to the end of each */

typedef struct form_task {
    const volt_capacity_options *options;
    volt_capacity_form *form;
    double *diagonal;          /* n: of K */
    volt_progress_part matrix; /* progress of the matrix */
} form_task;

void volt_capacity_form_release(volt_capacity_form *form)
{
    volt_free(form->memory);
    volt_free(form->weights);
    volt_free(form->product);
}

static double wanted_dimension(const volt_capacity_options *options)
{
    double rows = (double)options->rows;
    return options->dimension > 0 ? options->dimension : fmin(DIMENSION, DIMENSION_SHARE * rows);
}

static volt_status refuse_dimension(const volt_capacity_options *options, double most)
{
    return volt_fail(VOLT_ERR_ARGUMENT,
                     "dimension must be below %.6g, the largest effective dimension on %" PRId64
                     " rows (got %.6g)",
                     most, options->rows, options->dimension);
}

/* ---- from the matrix --------------------------------------------------------------------------- */

/* The strict upper triangle keeps K while the lower one is factored. */
static void restore_lower(volt_matrix K, const double *diagonal, double alpha)
{
    enum { BLOCK = 64 };
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i0 = 0; i0 < K.rows; i0 += BLOCK)
        for (int64_t j0 = 0; j0 <= i0; j0 += BLOCK)
            for (int64_t i = i0; i < i0 + BLOCK && i < K.rows; i++)
                for (int64_t j = j0; j < j0 + BLOCK && j <= i; j++)
                    K.data[i * K.ld + j] = i == j ? diagonal[i] + alpha : K.data[j * K.ld + i];
}

/* |L^-1|^2: the columns from j on have zeros above row j. */
static volt_status inverse_norm(volt_matrix L, volt_stage *stage, double *norm)
{
    double *block = volt_alloc_doubles(L.rows, VOLT_CAPACITY_BLOCK), sum = 0;
    if (!block)
        return VOLT_ERR_MEMORY;
    for (int64_t j = 0; j < L.rows && volt_stage_poll(stage); j += VOLT_CAPACITY_BLOCK) {
        int64_t rows = L.rows - j, cols = volt_min(rows, VOLT_CAPACITY_BLOCK);
        volt_matrix B = volt_matrix_of(block, rows, cols);
        memset(block, 0, (size_t)(rows * cols) * sizeof *block);
        for (int64_t k = 0; k < cols; k++)
            block[k * cols + k] = 1;
        volt_cholesky_forward((volt_matrix){L.data + j * L.ld + j, rows, rows, L.ld}, B);
        for (int64_t i = 0; i < rows * cols; i++)
            sum += block[i] * block[i];
    }
    volt_free(block);
    *norm = sum;
    return VOLT_OK;
}

/* Factors the first m rows of K + alpha I and computes the dimension. */
static volt_status factor(const form_task *task, int64_t m, double alpha, double *dimension)
{
    volt_matrix L = {task->form->L.data, m, m, task->form->L.ld};
    volt_stage stage;
    int64_t pivot = 0;
    double norm = 0;
    volt_stage_begin(&stage, task->options->progress, "factor", MATRIX_SHARE, FACTOR_SHARE - MATRIX_SHARE,
                     2 * volt_cholesky_units(m));
    restore_lower(L, task->diagonal, alpha);
    volt_cholesky_factor(L, &stage, &pivot);
    if (pivot == 0 && volt_stage_should_continue(&stage))
        VOLT_TRY(inverse_norm(L, &stage, &norm));
    VOLT_TRY(volt_stage_end(&stage));
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR,
                 "K + alpha I is not positive definite for alpha = %g: use a larger alpha, or a kernel that is "
                 "positive semidefinite",
                 alpha);
    *dimension = (double)m - alpha * norm;
    task->form->alpha = alpha;
    return VOLT_OK;
}

/* A point of the curve, in logarithms, and its slope. */
typedef struct curve_point {
    double alpha, dimension, slope;
} curve_point;

/* The root on the first m rows, between `least` and the trace over the dimension, by Illinois steps. */
static volt_status bracketed_root(const form_task *task, int64_t m, double wanted, double least,
                                  curve_point *root)
{
    double trace = 0, dimension = 0;
    for (int64_t i = 0; i < m; i++)
        trace += task->diagonal[i];
    VOLT_TRY(factor(task, m, least, &dimension));
    *root = (curve_point){log(least), log(dimension), -1};
    if (!(dimension > wanted * (1 + ACCURACY)))
        return VOLT_OK;
    double low = root->alpha, above = log(dimension / wanted), high = log(trace / wanted), below = 0;
    VOLT_TRY(factor(task, m, exp(high), &dimension)); /* tr H <= tr K / alpha */
    below = log(dimension / wanted);
    double last_error = 0;
    for (int step = 0; step < 60 && high - low > 1e-12; step++) {
        double width = high - low, at = below < 0 ? low + width * above / (above - below) : high;
        VOLT_TRY(factor(task, m, exp(at), &dimension));
        double error = log(dimension / wanted);
        *root = (curve_point){at, log(dimension), (below - above) / width};
        if (fabs(error) <= ACCURACY / 100)
            break;
        if (error > 0) {
            low = at;
            above = error;
            below = last_error > 0 ? below / 2 : below;
        } else {
            high = at;
            below = error;
            above = last_error < 0 ? above / 2 : above;
        }
        last_error = error;
    }
    return VOLT_OK;
}

/* alpha on all rows: secant steps from the root on the first rows. */
static volt_status solve_alpha(const form_task *task, double wanted, double least)
{
    int64_t n = task->form->n, m = volt_min(n, FIRST_ROWS);
    double *dimension = &task->form->dimension;
    curve_point root;
    VOLT_TRY(bracketed_root(task, m, m < n ? fmin(wanted, (double)m / 2) : wanted, least, &root));
    *dimension = exp(root.dimension);
    if (m == n)
        return VOLT_OK;
    double at = root.alpha + log((double)n / (double)m), slope = fmin(root.slope, -0.05), before = 0, last = 0;
    for (int step = 0; step < 12; step++) {
        at = fmax(at, log(least));
        VOLT_TRY(factor(task, n, exp(at), dimension));
        double error = log(*dimension / wanted);
        if (fabs(error) <= ACCURACY || (error < 0 && at <= log(least)))
            break;
        if (step > 0)
            slope = fmin((error - last) / (at - before), -0.05);
        before = at;
        last = error;
        at -= error / slope;
    }
    return VOLT_OK;
}

static volt_status use_matrix(form_task *task, volt_matrix K)
{
    const volt_capacity_options *options = task->options;
    volt_capacity_form *form = task->form;
    int64_t n = form->n, washout = options->washout;
    form->L = (volt_matrix){K.data + washout * K.ld + washout, n, n, K.ld};
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        task->diagonal[i] = form->L.data[i * K.ld + i];
        largest = fmax(largest, task->diagonal[i]);
    }
    if (options->alpha > 0)
        return factor(task, n, options->alpha, &form->dimension);
    double least = SAFE * (double)n * DBL_EPSILON * largest, wanted = wanted_dimension(options);
    VOLT_TRY(solve_alpha(task, wanted, least));
    if (options->dimension > 0 && form->dimension < wanted * (1 - 10 * ACCURACY))
        return refuse_dimension(options, form->dimension);
    return VOLT_OK;
}

static volt_gram_options matrix_options(form_task *task)
{
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    options.progress = volt_progress_of_part(&task->matrix);
    return options;
}

static volt_status make_from_matrix(const volt_kernel *kernel, volt_view u, form_task *task)
{
    volt_gram_options options = matrix_options(task);
    double rows = (double)u.rows;
    VOLT_TRY(volt_memory_require((rows * rows + rows * 2 * VOLT_CAPACITY_BLOCK) * sizeof(double),
                                 "the Gram matrix"));
    task->form->memory = volt_alloc_doubles(u.rows, u.rows);
    task->diagonal = volt_alloc_doubles(u.rows, 1);
    if (!task->form->memory || !task->diagonal)
        return VOLT_ERR_MEMORY;
    volt_matrix K = volt_matrix_of(task->form->memory, u.rows, u.rows);
    VOLT_TRY(volt_gram(kernel, u, volt_view_of(NULL, 0, 0), &options, K));
    return use_matrix(task, K);
}

/* ---- from explicit states ---------------------------------------------------------------------- */

/* F (n x N, N < n) <- V, with the singular values in decreasing order. F in rows is F' in columns, so that LAPACK
 * computes F' = W S V' and writes the rows of V' in place. */
static volt_status decompose(volt_matrix F, double *values)
{
    volt_blas_int n = (volt_blas_int)F.rows, N = (volt_blas_int)F.cols, size = -1, one = 1, info = 0;
    double best = 0;
    double *W = volt_alloc_doubles(F.cols, F.cols), *work = NULL;
    volt_blas_int *whole = volt_alloc(8 * F.cols, sizeof *whole);
    volt_status status = W && whole ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int step = 0; step < 2 && status == VOLT_OK; step++) { /* the size of the workspace, then the values */
        dgesdd_("O", &N, &n, F.data, &N, values, W, &N, NULL, &one, step ? work : &best, &size, whole, &info,
                1);
        if (info != 0)
            status =
                volt_fail(VOLT_ERR_SINGULAR,
                          "the singular values of the states did not converge (LAPACK: %lld)", (long long)info);
        if (status == VOLT_OK && step == 0) {
            size = (volt_blas_int)best;
            work = volt_alloc_doubles(volt_max((int64_t)size, 1), 1);
            status = work ? VOLT_OK : VOLT_ERR_MEMORY;
        }
    }
    volt_free(work);
    volt_free(whole);
    volt_free(W);
    return status;
}

/* Weights of the first `rank` singular values; returns their sum. */
static double take_weights(const double *values, int64_t rank, double alpha, double *weights)
{
    double sum = 0;
    for (int64_t i = 0; i < rank; i++) {
        double share = alpha > 0 ? alpha / (values[i] * values[i]) : 0;
        sum += weights[i] = 1 / (1 + share);
    }
    return sum;
}

static volt_status weigh_states(form_task *task, int64_t rank, const double *values)
{
    const volt_capacity_options *options = task->options;
    volt_capacity_form *form = task->form;
    form->alpha = fmax(options->alpha, 0);
    form->dimension = take_weights(values, rank, form->alpha, form->weights);
    if (options->dimension <= 0)
        return VOLT_OK;
    if (options->dimension >= form->dimension)
        return refuse_dimension(options, form->dimension);
    double low = 0, high = values[0] * values[0] * form->dimension / options->dimension;
    for (int step = 0; step < 2000 && form->dimension != options->dimension && high > low; step++) {
        double middle = low > 0 ? sqrt(low) * sqrt(high) : high / 16;
        if (middle <= low || middle >= high)
            break;
        form->alpha = middle;
        form->dimension = take_weights(values, rank, middle, form->weights);
        if (form->dimension > options->dimension)
            low = middle;
        else
            high = middle;
    }
    return VOLT_OK;
}

static volt_status use_states(form_task *task, volt_matrix F)
{
    volt_capacity_form *form = task->form;
    double *values = volt_alloc_doubles(F.cols, 1);
    form->weights = volt_alloc_doubles(F.cols, 1);
    form->product = volt_alloc_doubles(F.cols, VOLT_CAPACITY_BLOCK);
    volt_status status = values && form->weights && form->product ? decompose(F, values) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        int64_t rank = 0;
        while (rank < F.cols && values[rank] > (double)F.rows * DBL_EPSILON * values[0])
            rank++;
        form->V = (volt_matrix){F.data, F.rows, rank, F.ld};
        status = weigh_states(task, rank, values);
    }
    volt_free(values);
    return status;
}

/* ---- the form ---------------------------------------------------------------------------------- */

static volt_status make(const volt_kernel *kernel, volt_view u, form_task *task, int64_t *states)
{
    const volt_capacity_options *options = task->options;
    volt_gram_options how = matrix_options(task);
    volt_matrix F = {0};
    VOLT_TRY(volt_gram_states(kernel, u, &how, &F));
    *states = F.cols;
    if (F.data && F.cols < options->rows) {
        task->form->memory = F.data;
        return use_states(task, volt_matrix_rows(F, options->washout, options->rows));
    }
    volt_free(F.data);
    VOLT_REQUIRE(
        options->alpha != 0, VOLT_ERR_ARGUMENT,
        "alpha must be positive for a kernel without explicit states, or with as many states as rows (got "
        "0)");
    *states = 0;
    return make_from_matrix(kernel, u, task);
}

volt_status volt_capacity_form_make(const volt_kernel *kernel, volt_view u,
                                    const volt_capacity_options *options, volt_capacity_form *form,
                                    int64_t *states)
{
    form_task task = {.options = options, .form = form, .matrix = {options->progress, NULL, 0, MATRIX_SHARE}};
    *form = (volt_capacity_form){.n = options->rows};
    volt_status status = make(kernel, u, &task, states);
    volt_free(task.diagonal);
    return status;
}

/* Sums of squares of the columns of B, the rows weighted; NULL: weights of 1. */
static void column_squares(volt_matrix B, const double *weights, double *squares)
{
    memset(squares, 0, (size_t)B.cols * sizeof *squares);
    for (int64_t i = 0; i < B.rows; i++)
        for (int64_t k = 0; k < B.cols; k++)
            squares[k] += (weights ? weights[i] : 1) * B.data[i * B.ld + k] * B.data[i * B.ld + k];
}

void volt_capacity_form_evaluate(const volt_capacity_form *form, volt_matrix Y, double *forms)
{
    double all[VOLT_CAPACITY_BLOCK], found[VOLT_CAPACITY_BLOCK];
    column_squares(Y, NULL, all);
    if (form->weights) {
        volt_matrix P = volt_matrix_of(form->product, form->V.cols, Y.cols);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (volt_blas_int)P.rows, (volt_blas_int)P.cols,
                    (volt_blas_int)Y.rows, 1, form->V.data, (volt_blas_int)form->V.ld, Y.data,
                    (volt_blas_int)Y.ld, 0, P.data, (volt_blas_int)P.ld);
        column_squares(P, form->weights, found);
    } else {
        volt_cholesky_forward(form->L, Y);
        column_squares(Y, NULL, found);
    }
    for (int64_t k = 0; k < Y.cols; k++) {
        double value = form->weights ? found[k] / all[k] : 1 - form->alpha * found[k] / all[k];
        forms[k] = fmin(fmax(value, 0), 1); /* rounding errors */
    }
}

/* ---- capacities ------------------------------------------------------------------------------------ */

enum { MIN_ROWS = 10, WASHOUT = 200 };
static const double TARGETS_FROM = 0.4; /* of the progress; before: the form */

volt_capacity_options volt_capacity_options_default(void)
{
    return (volt_capacity_options){.struct_size = sizeof(volt_capacity_options),
                                   .rows = 5000,
                                   .degree = 3,
                                   .delay = 30,
                                   .alpha = -1,
                                   .significance = 1e-4,
                                   .threshold = -1};
}

static volt_status check_counts(volt_capacity_options *options)
{
    VOLT_REQUIRE(options->rows >= MIN_ROWS && options->rows < INT32_MAX, VOLT_ERR_ARGUMENT,
                 "rows must be at least %d (got %" PRId64 ")", MIN_ROWS, options->rows);
    VOLT_REQUIRE(options->degree >= 1 && options->degree <= VOLT_CAPACITY_DEGREE, VOLT_ERR_ARGUMENT,
                 "degree must be 1 to %d (got %" PRId64 ")", VOLT_CAPACITY_DEGREE, options->degree);
    VOLT_REQUIRE(options->delay >= 0, VOLT_ERR_ARGUMENT, "delay must be at least 0 (got %" PRId64 ")",
                 options->delay);
    VOLT_REQUIRE(options->delay < VOLT_CAPACITY_TARGETS &&
                     capacity_count(options->delay + 1, options->degree) <= VOLT_CAPACITY_TARGETS,
                 VOLT_ERR_ARGUMENT,
                 "degree %" PRId64 " and delay %" PRId64 " give more than %d targets: reduce one of them",
                 options->degree, options->delay, VOLT_CAPACITY_TARGETS);
    if (options->washout == 0)
        options->washout = volt_max(WASHOUT, options->delay);
    VOLT_REQUIRE(options->washout >= options->delay && options->washout < INT32_MAX, VOLT_ERR_ARGUMENT,
                 "washout must be at least the delay, %" PRId64 " (got %" PRId64 ")", options->delay,
                 options->washout);
    return VOLT_OK;
}

static volt_status take_options(const volt_capacity_options *given, volt_capacity_options *options)
{
    *options = volt_capacity_options_default();
    VOLT_TRY(volt_options_take(options, sizeof *options, given, "volt_capacity_options"));
    VOLT_TRY(check_counts(options));
    VOLT_REQUIRE(isfinite(options->alpha), VOLT_ERR_ARGUMENT, "alpha must be finite (got %g)", options->alpha);
    VOLT_REQUIRE(options->dimension >= 0 && options->dimension < (double)options->rows, VOLT_ERR_ARGUMENT,
                 "dimension must be at least 0 and below %" PRId64 ", the number of rows (got %g)",
                 options->rows, options->dimension);
    VOLT_REQUIRE(options->dimension == 0 || options->alpha < 0, VOLT_ERR_ARGUMENT,
                 "alpha and dimension cannot both be given (got %g and %g)", options->alpha,
                 options->dimension);
    VOLT_REQUIRE(options->significance > 0 && options->significance < 1, VOLT_ERR_ARGUMENT,
                 "significance must be between 0 and 1 (got %g)", options->significance);
    VOLT_REQUIRE(options->threshold <= 1, VOLT_ERR_ARGUMENT, "threshold must be at most 1 (got %g)",
                 options->threshold);
    return VOLT_OK;
}

/* ---- result ------------------------------------------------------------------------------------ */

void volt_capacity_free(volt_capacity *capacity)
{
    if (!capacity)
        return;
    volt_free(capacity->factors);
    volt_free(capacity->capacities);
    volt_free(capacity->by_degree);
    volt_free(capacity->targets);
    volt_free(capacity->significant);
    volt_free(capacity->by_delay);
    volt_free(capacity);
}

static volt_status create(const volt_capacity_options *options, volt_capacity **capacity)
{
    volt_capacity *made = volt_alloc_zero(1, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    *capacity = made;
    *made = (volt_capacity){.struct_size = sizeof *made,
                            .rows = options->rows,
                            .washout = options->washout,
                            .degree = options->degree,
                            .delay = options->delay,
                            .n_targets = capacity_count(options->delay + 1, options->degree)};
    made->factors = volt_alloc(2 * made->n_targets * made->degree, sizeof *made->factors);
    made->capacities = volt_alloc_doubles(made->n_targets, 1);
    made->by_degree = volt_alloc_zero(made->degree + 1, sizeof *made->by_degree);
    made->targets = volt_alloc_zero(made->degree + 1, sizeof *made->targets);
    made->significant = volt_alloc_zero(made->degree + 1, sizeof *made->significant);
    made->by_delay = volt_alloc_zero(made->degree * (made->delay + 1), sizeof *made->by_delay);
    if (!made->factors || !made->capacities || !made->by_degree || !made->targets || !made->significant ||
        !made->by_delay)
        return VOLT_ERR_MEMORY;
    capacity_list(made);
    return VOLT_OK;
}

/* ---- capacities -------------------------------------------------------------------------------- */

static double threshold_of(const volt_capacity_options *options, double dimension)
{
    if (options->threshold >= 0)
        return options->threshold;
    double t = dimension > 0 ? volt_chi_square_quantile(options->significance, dimension) : 0;
    double threshold = 2 * t / (double)options->rows;
    if (threshold >= 1)
        volt_log(VOLT_LOG_WARNING,
                 "the threshold of capacities is %.3g, so that none is significant: use more than %" PRId64
                 " rows, or a smaller effective dimension than %.4g",
                 threshold, options->rows, dimension);
    return threshold;
}

static int64_t largest_delay(const volt_capacity *capacity, const int64_t *factors)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < capacity->degree && factors[2 * i + 1] > 0; i++)
        largest = factors[2 * i];
    return largest;
}

static void sum_capacities(volt_capacity *capacity)
{
    int64_t at = 0;
    for (int64_t degree = 0; degree <= capacity->degree; degree++)
        for (int64_t k = 0; k < capacity->targets[degree]; k++, at++) {
            double *value = capacity->capacities + at;
            if (*value < capacity->threshold) {
                *value = 0;
                continue;
            }
            capacity->significant[degree]++;
            capacity->by_degree[degree] += *value;
            capacity->total += *value;
            if (degree > 0)
                capacity->by_delay[(degree - 1) * (capacity->delay + 1) +
                                   largest_delay(capacity, capacity->factors + 2 * capacity->degree * at)] +=
                    *value;
        }
}

static volt_status evaluate(const volt_capacity_form *form, const double *table, volt_progress progress,
                            volt_capacity *capacity)
{
    double *block = volt_alloc_doubles(capacity->rows, VOLT_CAPACITY_BLOCK);
    if (!block)
        return VOLT_ERR_MEMORY;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "targets", TARGETS_FROM, 1 - TARGETS_FROM, (double)capacity->n_targets);
    for (int64_t first = 0; first < capacity->n_targets && volt_stage_should_continue(&stage);
         first += VOLT_CAPACITY_BLOCK) {
        int64_t count = volt_min(VOLT_CAPACITY_BLOCK, capacity->n_targets - first);
        volt_matrix Y = volt_matrix_of(block, capacity->rows, count);
        volt_capacity_targets(capacity, table, first, Y);
        volt_capacity_form_evaluate(form, Y, capacity->capacities + first);
        volt_stage_advance(&stage, count);
    }
    volt_free(block);
    return volt_stage_end(&stage);
}

/* u has washout + rows numbers, table degree + 1 times as many. */
static volt_status run(const volt_kernel *kernel, const volt_capacity_options *options, double *u,
                       double *table, volt_capacity *capacity)
{
    volt_capacity_form form = {0};
    int64_t all = options->washout + options->rows;
    volt_capacity_inputs(options->seed, all, u);
    volt_capacity_polynomials(u, all, options->degree, table);
    volt_status status =
        volt_capacity_form_make(kernel, volt_view_of(u, all, 1), options, &form, &capacity->states);
    if (status == VOLT_OK)
        status = evaluate(&form, table, options->progress, capacity);
    if (status == VOLT_OK) {
        capacity->alpha = form.alpha;
        capacity->effective_dimension = form.dimension;
        capacity->threshold = threshold_of(options, form.dimension);
        sum_capacities(capacity);
    }
    volt_capacity_form_release(&form);
    return status;
}

volt_status volt_capacity_compute(const volt_kernel *kernel, const volt_capacity_options *given,
                                  volt_capacity **capacity)
{
    volt_capacity_options options;
    volt_capacity *made = NULL;
    volt_blas_use use;
    VOLT_REQUIRE(kernel && capacity, VOLT_ERR_ARGUMENT, "the kernel or the output for the capacities is NULL");
    VOLT_TRY(take_options(given, &options));
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    int64_t all = options.washout + options.rows;
    double *u = volt_alloc_doubles(all, 1), *table = volt_alloc_doubles(options.degree + 1, all);
    volt_status status = u && table ? create(&options, &made) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = run(kernel, &options, u, table, made);
    volt_free(table);
    volt_free(u);
    volt_blas_release(&use);
    if (status == VOLT_OK)
        *capacity = made;
    else
        volt_capacity_free(made);
    return status;
}
