/* src/solve/solver_features.c: ridge regression on explicit states, where they are far fewer than the rows.
 *
 * What only held-out rows can tell (alpha and the kind of target where they are not given, errors one step ahead) the exact
 * solver finds on the last rows. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/gram/gram.h"
#include "solve/feature_fit.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_ROWS = 4096 /* below, the exact solver is as good, and tells more about the rows */
};

static double bytes(double n, double q, double states)
{
    double last = fmin(n, VOLT_FEATURE_LAST);
    return volt_feature_fit_bytes(n, q, states) +
           8 * (2 * states * states + 3 * last * last + (6 * q + 8) * last);
}

static bool takes(int64_t n, int64_t q, int64_t states, double available)
{
    return n > LEAST_ROWS && volt_state_sums_pay(n, states) &&
           (available == 0 || bytes((double)n, (double)q, (double)states) <= available);
}

/* Of the sums: n N^2 operations, at the speed of a trial. */
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

/* ---- what held-out rows tell ------------------------------------------------------------------ */

/* The part of a list of errors that the last `rows` rows are; what comes before was not forecast. */
static volt_row_errors last_errors(volt_row_errors all, int64_t skipped)
{
    int64_t before = volt_max(skipped - all.begin, 0);
    for (int64_t i = 0; i < before && i < all.e.rows; i++) {
        memset(all.e.data + i * all.e.ld, 0, (size_t)all.e.cols * sizeof(double));
        memset(all.scale.data + i * all.scale.ld, 0, (size_t)all.scale.cols * sizeof(double));
    }
    return (volt_row_errors){.ahead = all.ahead,
                             .most = volt_max(all.most - skipped, 1),
                             .begin = volt_max(all.begin - skipped, 0),
                             .e = volt_matrix_rows(all.e, before, all.e.rows - before),
                             .scale = volt_matrix_rows(all.scale, before, all.scale.rows - before)};
}

/* The progress of a solver inside this one: [0, 1] is [from, from + share] of the whole. */
typedef struct inner_progress {
    volt_progress outer;
    double from, share;
} inner_progress;

static int report_inner(const char *stage, double fraction, void *context)
{
    const inner_progress *inner = context;
    return inner->outer.report(stage, inner->from + inner->share * fraction, inner->outer.context);
}

/* The exact solver on the last rows: its choice and its errors are kept, its readout is not. `room` has rows x q numbers
 * and 2 q. */
static volt_status ask_last_rows(const volt_feature_fit *s, volt_operator *K, inner_progress *inner,
                                 double *room)
{
    const volt_solver_task *task = s->task;
    int64_t rows = s->n_last, skipped = s->rows - rows;
    volt_row_errors errors[VOLT_ROW_ERRORS];
    volt_choice choice;
    volt_solver_task last = {.kernel = K,
                             .alpha = task->alpha,
                             .without = task->without ? task->without + skipped : NULL,
                             .intercept = task->intercept,
                             .held_out = task->held_out};
    if (inner->outer.report)
        last.progress = (volt_progress){.report = report_inner, .context = inner};
    volt_matrix A = volt_matrix_of(room, rows, s->q);
    volt_readout readout = {.A = A, .intercepts = room + rows * s->q, .unlearned = room + rows * s->q + s->q};
    for (int64_t i = 0; i < rows; i++)
        memcpy(A.data + i * A.ld, s->first.data + (skipped + i) * s->first.ld, (size_t)s->q * sizeof(double));
    for (int i = 0; task->errors && i < VOLT_ROW_ERRORS; i++)
        errors[i] = last_errors(task->errors[i], skipped);
    last.errors = task->errors ? errors : NULL;
    if (task->choice) {
        choice = *task->choice;
        if (choice.naive.data)
            choice.naive = volt_view_rows(choice.naive, skipped, rows);
        if (choice.level.data)
            choice.level = volt_view_rows(choice.level, skipped, rows);
        last.choice = &choice;
    }
    if (task->held_out)
        volt_held_out_rows(task->held_out, rows, last.without);
    volt_status status = volt_solver_cholesky.solve(&last, &readout);
    if (task->held_out)
        task->held_out->begin += skipped;
    if (status == VOLT_OK && task->choice) {
        task->choice->held = choice.held;
        task->choice->held.begin += skipped;
        task->choice->tried = choice.tried;
        task->choice->failed = choice.failed;
    }
    return status;
}

static volt_status hold_out(volt_feature_fit *s, double from, double share)
{
    inner_progress inner = {s->task->progress, from, share};
    int64_t rows = s->n_last;
    volt_blas_int m = (volt_blas_int)rows, n = (volt_blas_int)s->states;
    double *K = volt_alloc_doubles(rows, rows), *room = volt_alloc_doubles(rows + 2, s->q);
    volt_operator *op = NULL;
    volt_status status = K && room ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, m, n, 1, s->last, n, 0, K, m);
        volt_mirror(volt_matrix_of(K, rows, rows));
        status = volt_dense_operator(volt_view_of(K, rows, rows), &op);
    }
    if (status == VOLT_OK)
        status = ask_last_rows(s, op, &inner, room);
    volt_operator_free(op);
    volt_free(room);
    volt_free(K);
    return status;
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    VOLT_REQUIRE(task->kernel->n_states > 0, VOLT_ERR_ARGUMENT,
                 "the solver \"features\" needs a kernel with explicit states");
    return volt_feature_fit_run(task, 0, hold_out, readout);
}

const volt_solver volt_solver_features = {
    .name = "features",
    .meaning = "exact: sums over explicit states, where they are fewer than half of the rows",
    .on_states = true,
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
