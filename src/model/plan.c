/* src/model/plan.c: what a fit would take on this machine.
 *
 * Memory follows from what fit.c allocates and what the solver says. Times are extrapolated from a Gram matrix here
 * and a trial of the solver that are small enough to take a fifth of a second together. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "kernel/engine/past.h"
#include "solve/solver_table.h"
#include "volterra/model.h"

#include <inttypes.h>
#include <math.h>

/* Numbers per row besides those of the solver: inputs (scaled, as given, packed, centred), targets and coefficients,
 * states and norms. A further PLAIN_NUMBERS are for buffers of a fixed size. */
static double numbers_per_row(double d, double q)
{
    return 4 * d + q + 3;
}

enum { PLAIN_NUMBERS = 16384 };

/* Bytes at the peak of a fit. */
static double fit_bytes(const volt_solver *solver, double n, double d, double q)
{
    return 8 * (n * numbers_per_row(d, q) + PLAIN_NUMBERS) + solver->bytes(n, q);
}

/* Largest n whose fit takes at most `bytes`. */
static int64_t rows_within(const volt_solver *solver, double bytes, double d, double q)
{
    int64_t fits = 0, does_not = 1;
    while (fit_bytes(solver, (double)does_not, d, q) <= bytes) {
        fits = does_not;
        does_not *= 2;
    }
    while (does_not - fits > 1) {
        int64_t middle = fits + (does_not - fits) / 2;
        if (fit_bytes(solver, (double)middle, d, q) <= bytes)
            fits = middle;
        else
            does_not = middle;
    }
    return fits;
}

enum { TRIAL_ROWS = 1536, TRIAL_REPEATS = 3 };

/* Random-looking inputs inside the unit ball, and a well conditioned matrix, need no generator. */
static void fill_trial(double *X, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            X[i * d + k] = sin((double)(i * d + k) * 12.9898) / sqrt((double)d);
}

static volt_status time_gram(const volt_kernel *kernel, volt_view X, volt_matrix K, double *seconds)
{
    volt_gram_options options = {.mirror = 0, .radius = 1};
    double best = INFINITY;
    for (int repeat = 0; repeat < TRIAL_REPEATS; repeat++) {
        double start = volt_seconds();
        VOLT_TRY(volt_gram(kernel, X, volt_view_of(NULL, 0, 0), &options, K));
        best = fmin(best, volt_seconds() - start);
    }
    *seconds = best;
    return VOLT_OK;
}

static volt_status measure(const volt_solver *solver, double n, int64_t d, int64_t q, volt_plan *plan)
{
    volt_kernel *kernel = NULL;
    double *X = volt_alloc_doubles(TRIAL_ROWS, d);
    double *K = volt_alloc_doubles(TRIAL_ROWS, TRIAL_ROWS);
    volt_status status = X && K ? volt_kernel_parse("volterra", &kernel) : VOLT_ERR_MEMORY;
    double gram = 0;
    if (status == VOLT_OK) {
        fill_trial(X, TRIAL_ROWS, d);
        status =
            time_gram(kernel, volt_view_of(X, TRIAL_ROWS, d), volt_matrix_of(K, TRIAL_ROWS, TRIAL_ROWS), &gram);
    }
    if (status == VOLT_OK) {
        double ratio = n / TRIAL_ROWS;
        plan->gram_seconds = gram * ratio * ratio;
        /* A step is a row of the Gram matrix on one thread and q passes over it. */
        double entry = gram / (TRIAL_ROWS * TRIAL_ROWS / 2.0) * (double)volt_threads();
        plan->stream_seconds = n * entry * (1 + (double)q / ((double)d + 8));
        status = solver->seconds(n, &plan->factor_seconds);
    }
    volt_kernel_free(kernel);
    volt_free(K);
    volt_free(X);
    return status;
}

volt_status volt_plan_fit(int64_t n, int64_t d, int64_t q, int measured, volt_plan *plan)
{
    VOLT_REQUIRE(plan, VOLT_ERR_ARGUMENT, "there is no place for the plan");
    VOLT_REQUIRE(n > 0 && d > 0 && q > 0, VOLT_ERR_ARGUMENT,
                 "n = %" PRId64 ", d = %" PRId64 " and q = %" PRId64 " must all be at least 1", n, d, q);
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use)); /* what BLAS takes for itself is not available */
    double available = (double)volt_memory_available();
    const volt_solver *solver = volt_solver_choose(n, q, available);
    volt_plan made = {
        .fit_bytes = fit_bytes(solver, (double)n, (double)d, (double)q),
        .model_bytes = 8 * ((double)n * ((double)d + (double)q + 1) + (double)d + 4 * (double)q),
        .available_bytes = available,
    };
    made.n_that_fits = rows_within(solver, available, (double)d, (double)q);
    volt_status status = measured ? measure(solver, (double)n, d, q, &made) : VOLT_OK;
    volt_blas_release(&use);
    if (status == VOLT_OK)
        *plan = made;
    return status;
}
