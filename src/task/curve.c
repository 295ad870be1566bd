/* src/task/curve.c: learning curves: rows of the repeats, training sizes, means over repeats, and rates. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "kernel/records.h"
#include "model/scaling.h"
#include "task/curve_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
    volt_curve_task task;
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
    volt_curve_task *task = &layout->task;
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
    const volt_curve_task *task = &layout->task;
    int64_t rows = volt_curve_rows(task), kernels = made->n_kernels, sizes = made->n_sizes;
    volt_curve_repeat repeat = {0};
    volt_status status = volt_curve_repeat_begin(task, volt_view_rows(X, made->first[r], rows),
                                                 volt_view_rows(Y, made->first[r], rows), &repeat);
    double share = 1 / (double)(made->n_repeats * kernels);
    for (int64_t k = 0; status == VOLT_OK && k < kernels; k++) {
        int64_t at = (k * made->n_repeats + r) * sizes;
        volt_curve_errors errors = {(double *)made->nmse + at, (double *)made->rmse + at,
                                    (double *)made->alphas + at * made->outputs};
        status = volt_curve_measure(task, &repeat, made->kernels[k], r == 0, layout->options->progress,
                                    (double)(r * kernels + k) * share, share, &errors);
        if (status != VOLT_OK && status != VOLT_ERR_CANCELLED && status != VOLT_ERR_MEMORY)
            volt_fail_prefix(status, "%s, repeat %" PRId64, made->kernels[k], r + 1);
    }
    volt_curve_repeat_release(&repeat);
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
    layout->task = (volt_curve_task){.fit = fit, .washout = fit->washout, .gap = volt_max(fit->ahead, 1) - 1};
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
