/* src/task/capacity_form.c: y' H y with H = K (K + alpha I)^-1, for many y from one factorisation.
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
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "gram/gram.h"
#include "task/capacity.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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
    double *diagonal; /* n: of K */
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

static int report_matrix(const char *stage, double fraction, void *context)
{
    const volt_progress *outer = context;
    return outer->report(stage, MATRIX_SHARE * fraction, outer->context);
}

static volt_gram_options matrix_options(const volt_progress *outer)
{
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    if (outer->report)
        options.progress = (volt_progress){.report = report_matrix, .context = (void *)outer};
    return options;
}

static volt_status make_from_matrix(const volt_kernel *kernel, volt_view u, form_task *task)
{
    volt_gram_options options = matrix_options(&task->options->progress);
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
    volt_gram_options how = matrix_options(&options->progress);
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
    form_task task = {.options = options, .form = form};
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
