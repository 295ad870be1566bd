/* src/solve/landmark/solver_features.c: ridge regression on explicit states, for far fewer states than rows.
 *
 * Held-out rows determine alpha and the kind of target, unless given, and the errors for intervals. With few
 * rows the exact solver computes these errors; with more rows they are computed from sums
 * (feature_fit.c). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/gram.h"
#include "solve/landmark/feature_fit.h"

#include <math.h>
#include <string.h>

enum {
    MIN_ROWS = 4096 /* below, the exact solver is as fast and provides more results */
};

static double bytes(double n, double q, double states)
{
    double last = fmin(n, VOLT_MAX_HELD_OUT);
    return volt_feature_fit_bytes(n, q, states) + volt_state_sums_bytes(states, 2 * q) +
           8 * (2 * states * states + 3 * last * last + (6 * q + 8) * last);
}

static bool takes(int64_t n, int64_t q, int64_t states, double available)
{
    return n > MIN_ROWS && volt_state_sums_are_cheaper(n, states) &&
           (available == 0 || bytes((double)n, (double)q, (double)states) <= available);
}

/* Time of the sums: n N^2 operations, at the speed of a trial. */
static volt_status seconds(double n, double states, double *value)
{
    enum { TRIAL = 256 };
    double *F = volt_alloc_doubles(TRIAL, TRIAL), *G = volt_alloc_doubles(TRIAL, TRIAL);
    volt_status status = F && G ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < TRIAL * TRIAL; i++)
            F[i] = G[i] = 1.0 / (double)(i + 1);
        double start = volt_seconds();
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, TRIAL, TRIAL, 1, F, TRIAL, 1, G, TRIAL);
        double each = (volt_seconds() - start) / pow(TRIAL, 3);
        *value = each * (n * states * states + pow(states, 3) / 3);
    }
    volt_free(G);
    volt_free(F);
    return status;
}

/* ---- held-out rows ------------------------------------------------------------------------------ */

/* Run the exact solver on all rows. Its choice and its errors are kept; its readout is discarded.
 * `workspace` has rows x q numbers and 2 q. */
static volt_status solve_exactly(const volt_feature_fit *s, volt_operator *K, volt_progress progress,
                                 double *workspace)
{
    volt_solver_task exact = *s->task;
    exact.kernel = K;
    exact.washout = 0;
    exact.common = 0;
    exact.stored_factors = NULL;
    exact.target_scale = NULL;
    exact.progress = progress;
    volt_matrix A = volt_matrix_of(workspace, s->rows, s->q);
    volt_readout readout = {
        .A = A, .intercepts = workspace + s->rows * s->q, .unlearned = workspace + s->rows * s->q + s->q};
    for (int64_t i = 0; i < s->rows; i++)
        memcpy(A.data + i * A.ld, s->first.data + i * s->first.ld, (size_t)s->q * sizeof(double));
    return volt_solver_exact.solve(&exact, &readout);
}

/* Few rows: `last` holds the features of all rows. */
static volt_status predict_few(volt_feature_fit *s, double from, double share)
{
    volt_meter meter;
    volt_progress progress = volt_meter_begin(&meter, s->task->progress);
    volt_meter_cover(&meter, from, share);
    int64_t rows = s->rows;
    volt_blas_int m = (volt_blas_int)rows, n = (volt_blas_int)s->states;
    double *K = volt_alloc_doubles(rows, rows), *workspace = volt_alloc_doubles(rows + 2, s->q);
    volt_operator *op = NULL;
    volt_status status = K && workspace ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, m, n, 1, s->last, n, 0, K, m);
        volt_mirror(volt_matrix_of(K, rows, rows));
        status = volt_dense_operator(volt_view_of(K, rows, rows), &op);
    }
    if (status == VOLT_OK)
        status = solve_exactly(s, op, progress, workspace);
    volt_operator_free(op);
    volt_free(workspace);
    volt_free(K);
    return status;
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    VOLT_REQUIRE(task->kernel->n_states > 0, VOLT_ERR_ARGUMENT,
                 "the solver \"features\" requires a kernel with explicit states");
    int64_t rows = readout->A.rows;
    if (volt_feature_last(task, rows) == rows)
        return volt_feature_fit_run(task, 0, predict_few, readout);
    return volt_feature_fit_run(task, volt_feature_held_out(task, rows), volt_feature_predict_held_out,
                                readout);
}

const volt_solver volt_solver_features = {
    .info = {.name = "features",
             .meaning = "exact: sums over explicit states, if they are fewer than half of the rows"},
    .reason = "exact, and the kernel has few states: no matrix of all rows is needed",
    .needs = {.states = true},
    .accepts = {.centred = true},
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
