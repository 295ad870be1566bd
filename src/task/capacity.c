/* src/task/capacity.c: linear memory and information processing capacity of a kernel. */
#include "task/capacity.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "stats/stats_internal.h"

#include <inttypes.h>
#include <math.h>

enum { MIN_ROWS = 10, WASHOUT = 200 };
static const double TARGETS_FROM = 0.4; /* of the progress; before: capacity_form.c */

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
                     volt_capacity_count(options->delay + 1, options->degree) <= VOLT_CAPACITY_TARGETS,
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
                            .n_targets = volt_capacity_count(options->delay + 1, options->degree)};
    made->factors = volt_alloc(2 * made->n_targets * made->degree, sizeof *made->factors);
    made->capacities = volt_alloc_doubles(made->n_targets, 1);
    made->by_degree = volt_alloc_zero(made->degree + 1, sizeof *made->by_degree);
    made->targets = volt_alloc_zero(made->degree + 1, sizeof *made->targets);
    made->significant = volt_alloc_zero(made->degree + 1, sizeof *made->significant);
    made->by_delay = volt_alloc_zero(made->degree * (made->delay + 1), sizeof *made->by_delay);
    if (!made->factors || !made->capacities || !made->by_degree || !made->targets || !made->significant ||
        !made->by_delay)
        return VOLT_ERR_MEMORY;
    volt_capacity_list(made);
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
